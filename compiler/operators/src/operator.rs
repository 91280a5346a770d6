//! The row of an operator: what ONNX specifies about it beyond its signature, which is in `dialects/src/onnx/schemas.txt`.

use dialects::onnx::views::Reader;
use dialects::onnx::{OnnxOp, schema};
use ir::{Body, Op, Type, Value};

use crate::graph::{Derivative, Emitter, Node, Problem};
use crate::shape;
use crate::structured::elementwise::Element;
use crate::structured::scalars::Scalars;
use crate::structured::{Lowering, Unsupported};
use crate::types::without_shape;

/// The kind of an operator, as far as other code needs it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Every element of the result follows from the elements with the same index, after broadcasting.
    Elementwise,
    /// The same, but elements are only converted to another type, or returned unchanged.
    Conversion,
    /// Elements are moved; none is computed.
    Movement,
    /// Axes are reduced, or reduced and broadcast again.
    Reduction,
    /// A contraction.
    Contraction,
    /// Anything else.
    Opaque,
}

/// Converts a node from the form before a version to that version, or from any form of the newest version to one form.
pub type Step = fn(&mut Node, &mut Emitter) -> Result<(), Problem>;

/// The type of result number `index`, as far as operands and attributes determine it; tensors have no shape.
pub type TypeRule = fn(&Reader<'_>, usize) -> Option<Type>;

/// The operator's result for one element of each operand.
pub type ScalarBody = fn(&mut Scalars<'_, '_>, &Element<'_>) -> Value;

/// The elements of the only result as far as they follow from those of the operands, in integers of any width; the
/// result's extents are given.
pub type ElementRule = fn(&shape::Node<'_, '_>, &[usize]) -> Option<shape::Elements>;

/// The uniform value of the result, if each operand is uniform.
#[derive(Clone, Copy, Debug)]
pub enum Uniform {
    /// That of the first operand: elements are only moved.
    Kept,
    /// Computed from all of them, in `f64`.
    Computed(fn(&[f64]) -> f64),
}

/// The allowed rank of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// This rank.
    Exactly(usize),
    /// This rank or more.
    AtLeast(usize),
    /// This rank or less.
    AtMost(usize),
}

impl Rank {
    /// Whether it allows a rank.
    pub fn takes(self, rank: usize) -> bool {
        match self {
            Rank::Exactly(expected) => rank == expected,
            Rank::AtLeast(least) => rank >= least,
            Rank::AtMost(most) => rank <= most,
        }
    }
}

impl std::fmt::Display for Rank {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Rank::Exactly(rank) => write!(f, "rank {rank}"),
            Rank::AtLeast(rank) => write!(f, "rank {rank} or more"),
            Rank::AtMost(rank) => write!(f, "rank {rank} or less"),
        }
    }
}

/// The operator's demand on the rank of one operand: the allowed ranks, and the difference from the first result's
/// rank.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// The allowed ranks.
    pub rank: Option<Rank>,
    /// The rank of the operand less that of the first result.
    pub beyond_result: Option<isize>,
    /// The minimum rank of the first result, whatever the operand's rank.
    pub least_of_result: usize,
}

impl Demand {
    /// The operand has the rank of the first result.
    pub const SAME: Demand = Demand { rank: None, beyond_result: Some(0), least_of_result: 0 };

    /// The rank of the first result, which must be large enough for an axis in an attribute.
    pub fn with_axis(axis: i64) -> Demand {
        let least = if axis < 0 { axis.unsigned_abs() as usize } else { axis as usize + 1 };
        Demand { rank: Some(Rank::AtLeast(least)), ..Demand::SAME }
    }
}

/// The demand on operand number `index`.
pub type DemandRule = fn(&shape::Reading<'_>, usize) -> Demand;

/// The types of the arguments and results of an operator's bodies.
#[derive(Clone, Copy, Debug)]
pub struct Bodies {
    /// The types of a body's arguments, from those of the operands.
    pub arguments: fn(&[Type]) -> Vec<Type>,
    /// The type of result number `index`, from the types that a body yields.
    pub result: fn(&[Type], usize) -> Option<Type>,
}

impl Bodies {
    /// Bodies take the operator's operands and yield its results.
    pub const PLAIN: Bodies = Bodies {
        arguments: |operands| operands.iter().map(without_shape).collect(),
        result: |yields, index| yields.get(index).cloned(),
    };
}

/// Whether the attributes of a node fit each other; the error is the end of a sentence about the node.
pub type Conditions = fn(&Reader<'_>) -> Result<(), String>;

/// Builds the structured form of an operation.
pub type Lower = fn(&mut Lowering<'_>, Op) -> Result<(), Unsupported>;

/// Builds the results of an operation from other operators; missing ones at the end are absent.
pub type Compose = fn(&mut Emitter, Op) -> Result<Vec<Option<Value>>, Problem>;

/// The arithmetic cost of an operator.
#[derive(Clone, Copy, Debug)]
pub enum Cost {
    /// None, and no data movement: the result is a view of the operand, or known without it.
    View,
    /// Operations per element of the result.
    PerElement(f64),
    /// Operations from the extents of the operands and of the result; unknown ones are estimated.
    Products(fn(&[Vec<f64>], &[f64]) -> f64),
}

/// Everything that ONNX specifies about one operator.
pub struct Operator {
    /// The operator.
    pub operator: OnnxOp,
    /// Its kind.
    pub kind: Kind,
    /// Steps from older forms, oldest first: the version that each leads to, and the step. A version that only allows
    /// more types, or only clarifies the text, needs none.
    pub upgrades: &'static [(i64, Step)],
    /// Its former name, with the steps from there.
    pub formerly: Option<(&'static str, &'static [(i64, Step)])>,
    /// Brings the newest form to one spelling, if it allows several.
    pub normalize: Option<Step>,
    /// Types of results that the schema's constraints do not tie to an operand.
    pub types: Option<TypeRule>,
    /// Operands whose rank the standard fixes, if the shape rule does not check it.
    pub ranks: &'static [(usize, Rank)],
    /// Other demands on the rank of an operand, which may be the only information about it.
    pub demands: Option<DemandRule>,
    /// Shapes of the results.
    pub shapes: Option<shape::Rule>,
    /// Conditions on attributes that take long to read: the lowering checks them, and so does `check_model`.
    pub conditions: Option<Conditions>,
    /// Elements known at compile time, which later shapes depend on.
    pub elements: Option<ElementRule>,
    /// The result for uniform operands.
    pub uniform: Option<Uniform>,
    /// Whether the order of its two operands does not matter.
    pub commutative: bool,
    /// Why equal operands may give different results, if they may.
    pub undetermined: Option<&'static str>,
    /// The types of its bodies, if it has any.
    pub bodies: Bodies,
    /// The scalar computation of an elementwise operator.
    pub scalar: Option<ScalarBody>,
    /// The lowering to structured operations; elementwise operators with a scalar body need none.
    pub lower: Option<Lower>,
    /// The composition of other operators, by its definition in the standard.
    pub compose: Option<Compose>,
    /// The operations that need no composition, if not all that have a lowering.
    pub lowers: Option<fn(&Body, Op) -> bool>,
    /// Attributes that name values of the model. Those become additional operands, and the composition is built before
    /// all rewrites.
    pub names: &'static [&'static str],
    /// The rule for adjoints.
    pub derivative: Option<Derivative>,
    /// The cost, for the choice between equivalent graphs.
    pub cost: Cost,
}

impl Operator {
    /// A row with only the schema.
    pub const fn of(operator: OnnxOp) -> Operator {
        Operator {
            operator,
            kind: Kind::Opaque,
            upgrades: &[],
            formerly: None,
            normalize: None,
            types: None,
            ranks: &[],
            demands: None,
            shapes: None,
            conditions: None,
            elements: None,
            uniform: None,
            commutative: false,
            undetermined: None,
            bodies: Bodies::PLAIN,
            scalar: None,
            lower: None,
            compose: None,
            lowers: None,
            names: &[],
            derivative: None,
            cost: Cost::PerElement(10.0),
        }
    }

    /// An operator with one scalar expression for all elements and broadcast operands.
    pub const fn elementwise(operator: OnnxOp, scalar: ScalarBody) -> Operator {
        Operator {
            kind: Kind::Elementwise,
            shapes: Some(shape::broadcast_operands),
            scalar: Some(scalar),
            ..Operator::of(operator)
        }
    }

    /// Whether an operation is lowered without being decomposed.
    pub(crate) fn lowers(&self, body: &Body, op: Op) -> bool {
        let has_lowering = self.lower.is_some() || self.scalar.is_some();
        has_lowering && self.lowers.is_none_or(|lowers| lowers(body, op))
    }

    /// Whether the operator is not in ONNX's domains.
    pub(crate) fn is_foreign(&self) -> bool {
        schema::of_operation(self.operator.name()).is_some_and(|schema| !schema.domain.starts_with("ai.onnx"))
    }

    /// An operator that is replaced by others when it is read.
    pub const fn read_as(operator: OnnxOp, step: Step) -> Operator {
        Operator { normalize: Some(step), ..Operator::of(operator) }
    }

    /// The same row with a rule for elements known at compile time.
    pub const fn knowing(self, elements: ElementRule) -> Operator {
        Operator { elements: Some(elements), ..self }
    }

    /// The same row with a function of uniform operands.
    pub const fn uniform(self, compute: fn(&[f64]) -> f64) -> Operator {
        Operator { uniform: Some(Uniform::Computed(compute)), ..self }
    }

    /// The same row for a commutative operator.
    pub const fn commutative(self) -> Operator {
        Operator { commutative: true, ..self }
    }

    /// The same row with a rule for adjoints.
    pub const fn differentiated(self, derivative: Derivative) -> Operator {
        Operator { derivative: Some(derivative), ..self }
    }

    /// The same row with the operations per element of its result.
    pub const fn costing(self, operations: f64) -> Operator {
        Operator { cost: Cost::PerElement(operations), ..self }
    }
}
