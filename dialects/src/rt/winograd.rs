//! `rt.winograd`: a 3×3 convolution with weights that are transformed for F(4×4, 3×3) or F(2×2, 3×3), see
//! [`abi::Winograd`].

use abi::TILE_SIZES;
use ir::registry::{AttributeDefinition, AttributeKind};
use ir::{Arity, Body, Op, OpDefinition, Trait, Type, Value};

use super::WINOGRAD;
use crate::OpCodes;
use crate::checks::{Check, ensure, operand_type, result_type};
use crate::linalg::GROUP;

/// The index of its destination operand.
pub const DESTINATION: usize = 3;
/// The routine that transforms weights, from `[groups, blocks, 3, 3, 16, 16]` to `[points, groups, channels, 16]`.
pub const WINOGRAD_POINTS: &str = "winograd_points";

/// An `rt.winograd`, decoded.
#[derive(Clone, Copy, Debug)]
pub struct Winograd {
    /// The operand, `[images, blocks, height, width, 16]`.
    pub x: Value,
    /// The weights, `[points, groups, blocks · 16, 16]`.
    pub points: Value,
    /// The initial value of sums, one for each channel of the result.
    pub bias: Value,
    /// The destination: `[images, groups, out height, out width, 16]`.
    pub destination: Value,
    /// The output tile size.
    pub size: i64,
    /// Padding above and to the left of the operand; below and to the right, out-of-range elements are zero, too.
    pub pads: [i64; 2],
}

impl Winograd {
    /// Decodes an operation, if it is one; it must verify.
    pub fn of(body: &Body, op: Op) -> Option<Winograd> {
        if !body.is(op, WINOGRAD) {
            return None;
        }
        let &[x, points, bias, destination] = body.op(op).operands() else { return None };
        let pads = body.op(op).attributes.integers("pads")?.as_ref().try_into().ok()?;
        let size = body.op(op).attributes.integer("size")?;
        Some(Winograd { x, points, bias, destination, size, pads })
    }
}

pub(super) fn operation() -> OpDefinition {
    OpDefinition::new(
        "rt.winograd",
        "A convolution with windows of 3×3 pixels and no strides, of an operand in blocks of channels: the operand, weights at \
         the points of tiles, what sums start from, and a destination.",
        Arity::exactly(4),
        Arity::exactly(1),
    )
    .with_traits(&[Trait::Pure])
    .with_attributes(
        const {
            &[
                AttributeDefinition::required("pads", AttributeKind::Integers),
                AttributeDefinition::required("size", AttributeKind::Integer),
            ]
        },
    )
    .with_verify(verify)
}

fn verify(body: &Body, op: Op) -> Check {
    let [x, points, _, destination] = [0, 1, 2, 3].map(|index| operand_type(body, op, index));
    for index in 0..4 {
        let r#type = operand_type(body, op, index);
        let fits = r#type.as_tensor().is_some() && *r#type.element() == Type::F32;
        ensure(fits, || format!("operand {index} must be a tensor of f32, found {type}"))?;
    }
    let ends_in_group = |r#type: &Type| r#type.shape().is_some_and(|shape| shape.last() == Some(&Some(GROUP)));
    for (r#type, rank) in [(x, 5), (points, 4), (destination, 5)] {
        ensure(r#type.rank() == Some(rank) && ends_in_group(r#type), || {
            format!("must have rank {rank} and end in groups of {GROUP} channels, found {type}")
        })?;
    }
    let count = points.shape().and_then(|shape| shape[0]);
    let size = body.op(op).attributes.integer("size").unwrap_or_default();
    let known = TILE_SIZES.into_iter().find(|&known| known as i64 == size).map(|size| abi::points(size) as i64);
    let Some(known) = known else { return Err(format!("tiles of {size} rows are not supported")) };
    ensure(count.is_none_or(|count| count == known), || format!("weights must be of {known} points"))?;
    ensure(result_type(body, op, 0) == destination, || "the result must have the destination's type".to_string())?;
    let pads = body.op(op).attributes.integers("pads").unwrap_or_default();
    ensure(pads.len() == 2 && pads.iter().all(|pad| (0..=2).contains(pad)), || "pads must be two, up to 2".to_string())
}
