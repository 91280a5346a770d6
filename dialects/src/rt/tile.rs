//! `rt.contract`, `rt.contract_blocks`, `rt.depthwise` and `rt.winograd_tiles`: one tile of a contraction, computed by
//! a micro-kernel or by generated code.

pub use abi::place_in_word;
use abi::{BLOCKS_WORDS, Blocks, DEPTHWISE_WORDS, Depthwise, PRODUCT_WORDS, Product, Start, WINOGRAD_WORDS, Winograd};
use ir::registry::{AttributeDefinition, AttributeKind};
use ir::{Arity, Attribute, Attributes, Body, FloatType, Op, OpDefinition, Type, Value};

use super::{CONTRACT, CONTRACT_BLOCKS, DEPTHWISE, WINOGRAD_TILES};
use crate::checks::{Check, all_index, ensure};
use crate::{OpCode, OpCodes};

/// Operands before those of the loops.
const LEADING: usize = 6;

/// The element types of a contraction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// `f32 · f32`, summed in `f32`.
    F32,
    /// The same with a transposed right operand: both are contiguous along the innermost reduction loop; the stride of
    /// the right one's columns is a sixteenth of that of groups.
    F32Transposed,
    /// `f32 · f16`, summed in `f32`.
    F32F16,
    /// `f32 · bf16`, summed in `f32`.
    F32BF16,
    /// `f64 · f64`, summed in `f64`.
    F64,
    /// `u8 · i8`, summed in `i32`. Along the innermost reduction loop the left operand is contiguous, and the right one
    /// is packed: [`QUAD`] values of a column are contiguous.
    U8I8,
}

/// Values of a column that are contiguous in a packed operand of [`Kind::U8I8`].
pub const QUAD: i64 = 4;

/// A tile of a contraction.
#[derive(Clone, Copy, Debug)]
pub struct Tile {
    /// The address of the left operand.
    pub left: Value,
    /// The address of the right operand.
    pub right: Value,
    /// The address of the initial values, for [`Start::Columns`].
    pub from: Value,
    /// The address of the result.
    pub out: Value,
    /// Rows of the result.
    pub rows: Value,
    /// Columns of the result.
    pub columns: Value,
    /// The initial value of sums.
    pub start: Start,
    /// The loops over the operands.
    pub walk: Walk,
}

/// The loops of a tile.
#[derive(Clone, Copy, Debug)]
pub enum Walk {
    /// A contraction: the left operand is the same for all columns.
    Product {
        /// The element types.
        kind: Kind,
        /// Whether the right operand may be read up to the next full group of columns.
        right_padded: bool,
        /// Extents and strides.
        walk: Product<Value>,
    },
    /// A contraction with a block-quantised right operand.
    Blocks(Blocks<Value>),
    /// A depthwise convolution: both operands run along the columns.
    Depthwise(Depthwise<Value>),
    /// A convolution by Winograd's algorithm; rows are tiles.
    Winograd(Winograd<Value>),
}

impl Kind {
    /// All of them.
    pub const ALL: [Kind; 6] = [Kind::F32, Kind::F32Transposed, Kind::F32F16, Kind::F32BF16, Kind::F64, Kind::U8I8];

    /// The element types of the left operand, the right one and the result.
    pub fn elements(self) -> [Type; 3] {
        match self {
            Kind::F32 | Kind::F32Transposed => [Type::F32, Type::F32, Type::F32],
            Kind::F32F16 => [Type::F32, Type::F16, Type::F32],
            Kind::F32BF16 => [Type::F32, Type::Float(FloatType::BF16), Type::F32],
            Kind::F64 => [Type::F64, Type::F64, Type::F64],
            Kind::U8I8 => [Type::I8, Type::I8, Type::I32],
        }
    }

    fn name(self) -> &'static str {
        match self {
            Kind::F32 => "f32",
            Kind::F32Transposed => "f32transposed",
            Kind::F32F16 => "f32f16",
            Kind::F32BF16 => "f32bf16",
            Kind::F64 => "f64",
            Kind::U8I8 => "u8i8",
        }
    }
}

const STARTS: [(Start, &str); 3] = [(Start::Zero, "zero"), (Start::Columns, "columns"), (Start::Values, "values")];

/// The four operations.
pub(super) fn operations() -> [OpDefinition; 4] {
    const START: AttributeDefinition = AttributeDefinition::required("start", AttributeKind::String);
    let definition = |name, summary, words: usize| {
        OpDefinition::new(name, summary, Arity::exactly((LEADING + words) as u16), Arity::exactly(0))
    };
    let contract = definition(
        "rt.contract",
        "One tile of a contraction: addresses of the left and the right operand, the start values and the result; rows; \
         columns; how the operands are walked.",
        PRODUCT_WORDS,
    )
    .with_attributes(
        const {
            &[
                START,
                AttributeDefinition::required("kind", AttributeKind::String),
                AttributeDefinition::optional("right_padded", AttributeKind::Any),
            ]
        },
    );
    let blocks = definition(
        "rt.contract_blocks",
        "One tile of a contraction with numbers of a few bits: addresses of the left operand, the words of the right one, the start \
         values and the result; rows; columns; how the operands are walked.",
        BLOCKS_WORDS,
    )
    .with_attributes(const { &[START] });
    let depthwise = definition(
        "rt.depthwise",
        "A row of a depthwise sum: addresses of the left and the right operand, the start values and the result; pixels; \
         channels; how the operands are walked.",
        DEPTHWISE_WORDS,
    )
    .with_attributes(const { &[START] });
    let winograd = definition(
        "rt.winograd_tiles",
        "Some tiles of a convolution with 3×3 windows: addresses of an image, the weights at all points, the start values and \
         the image that results; tiles; channels; how the images are walked.",
        WINOGRAD_WORDS,
    )
    .with_attributes(const { &[START] });
    [contract, blocks, depthwise, winograd].map(|operation| operation.with_verify(verify))
}

fn verify(body: &Body, op: Op) -> Check {
    all_index(body, op, 0)?;
    ensure(start_of(body, op).is_some(), || "does not have the initial values of its accumulators".to_string())?;
    let is_known = !body.is(op, CONTRACT) || kind_of(body, op).is_some();
    ensure(is_known, || "is of no known kind".to_string())
}

fn text<'b>(body: &'b Body, op: Op, name: &str) -> Option<&'b str> {
    body.attribute(op, name).and_then(Attribute::as_str)
}

fn start_of(body: &Body, op: Op) -> Option<Start> {
    let name = text(body, op, "start")?;
    STARTS.iter().find(|(_, own)| *own == name).map(|(start, _)| *start)
}

fn kind_of(body: &Body, op: Op) -> Option<Kind> {
    let name = text(body, op, "kind")?;
    Kind::ALL.into_iter().find(|kind| kind.name() == name)
}

impl Tile {
    /// Decodes an operation, if it is one of these; it must verify.
    pub fn of(body: &Body, op: Op) -> Option<Tile> {
        let walk = |words: &[Value]| match body.code(op) {
            Some(CONTRACT) => Some(Walk::Product {
                kind: kind_of(body, op).expect("verified"),
                right_padded: body.attribute(op, "right_padded").is_some(),
                walk: Product::of(words.try_into().expect("verified")),
            }),
            Some(CONTRACT_BLOCKS) => Some(Walk::Blocks(Blocks::of(words.try_into().expect("verified")))),
            Some(DEPTHWISE) => Some(Walk::Depthwise(Depthwise::of(words.try_into().expect("verified")))),
            Some(WINOGRAD_TILES) => Some(Walk::Winograd(Winograd::of(words.try_into().expect("verified")))),
            _ => None,
        };
        let &[left, right, from, out, rows, columns, ref words @ ..] = body.op(op).operands() else { return None };
        let walk = walk(words)?;
        Some(Tile { left, right, from, out, rows, columns, start: start_of(body, op).expect("verified"), walk })
    }

    /// The operation's code.
    pub fn code(&self) -> OpCode {
        match self.walk {
            Walk::Product { .. } => CONTRACT,
            Walk::Blocks(_) => CONTRACT_BLOCKS,
            Walk::Depthwise(_) => DEPTHWISE,
            Walk::Winograd(_) => WINOGRAD_TILES,
        }
    }

    /// The operation's operands.
    pub fn operands(&self) -> Vec<Value> {
        let leading = [self.left, self.right, self.from, self.out, self.rows, self.columns];
        leading.into_iter().chain(self.walk.words()).collect()
    }

    /// The operation's attributes.
    pub fn attributes(&self) -> Attributes {
        let start = STARTS.iter().find(|(start, _)| *start == self.start).expect("every start has a name").1;
        let mut attributes = Attributes::from([("start", Attribute::string(start))]);
        if let Walk::Product { kind, right_padded, .. } = self.walk {
            attributes.set("kind", Attribute::string(kind.name()));
            if right_padded {
                attributes.set("right_padded", Attribute::Unit);
            }
        }
        attributes
    }
}

impl Walk {
    /// The words of its descriptor, in order.
    pub fn words(&self) -> Vec<Value> {
        match self {
            Walk::Product { walk, .. } => walk.words().to_vec(),
            Walk::Blocks(walk) => walk.words().to_vec(),
            Walk::Depthwise(walk) => walk.words().to_vec(),
            Walk::Winograd(walk) => walk.words().to_vec(),
        }
    }

    /// Extents of the reduction loops.
    pub fn reduction(&self) -> &[Value] {
        match self {
            Walk::Product { walk, .. } => &walk.reduction,
            Walk::Blocks(walk) => std::slice::from_ref(&walk.depth),
            Walk::Depthwise(walk) => &walk.window,
            Walk::Winograd(_) => &[],
        }
    }
}
