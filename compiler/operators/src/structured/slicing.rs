//! Strided slices of tensors.

use dialects::rt::attributes::PARTIAL;
use dialects::tensor;
use ir::{AffineExpr, AffineMap, Attribute, DimExpr, Value};

use super::Lowering;
use super::channel_blocks::{blocked_shape, loop_index};
use super::reduction::Shaped;
use super::scalars::Scalars;
use dialects::linalg::GROUP;
use dialects::linalg::generic::Input;

/// The start and stride of a slice along one axis.
#[derive(Clone, Debug)]
pub(crate) enum Axis {
    Known {
        start: DimExpr,
        step: i64,
    },
    /// `index` values that are in bounds if the extent is the one computed with them.
    Computed {
        start: Value,
        step: Value,
    },
}

impl Axis {
    pub(crate) fn whole() -> Axis {
        Axis::from(0)
    }

    /// Contiguous elements from a start.
    pub(crate) fn from(start: i64) -> Axis {
        Axis::Known { start: DimExpr::Constant(start), step: 1 }
    }

    /// The start and the step, if both are constants.
    fn constants(&self) -> Option<(i64, i64)> {
        match self {
            Axis::Known { start, step } => Some((start.as_constant()?, *step)),
            Axis::Computed { .. } => None,
        }
    }
}

/// The elements of a slice. Blocked tensors stay blocked if full blocks are taken; the result is bound then.
pub(crate) fn take(
    lowering: &mut Lowering<'_>,
    x: Value,
    plan: &[Axis],
    output: &[DimExpr],
    result: Value,
) -> Option<Value> {
    let input = lowering.shape(x);
    if lowering.is_blocked(x) && input.len() >= 3 {
        let whole = |dim: &DimExpr| dim.as_constant().is_some_and(|dim| dim % GROUP == 0);
        let untouched = input[1] == output[1] && plan[1].constants() == Some((0, 1));
        let channel_start = plan[1].constants().filter(|(start, step)| *step == 1 && start % GROUP == 0);
        let in_blocks = channel_start.filter(|_| whole(&input[1]) && whole(&output[1]));
        if untouched || in_blocks.is_some() {
            let mut plan = plan.to_vec();
            let start = channel_start.map_or(0, |(start, _)| start / GROUP);
            plan[1] = Axis::Known { start: DimExpr::Constant(start), step: 1 };
            plan.push(Axis::whole());
            let blocked = lowering.blocked(x);
            let value = select(lowering, &blocked, &plan, &blocked_shape(output));
            lowering.bind_blocked(result, value);
            return None;
        }
    }
    let plain = lowering.shaped(x);
    Some(select(lowering, &plain, plan, output))
}

/// The elements of a slice of a lowered tensor.
pub(crate) fn select(lowering: &mut Lowering<'_>, input: &Shaped, plan: &[Axis], output: &[DimExpr]) -> Value {
    let element = lowering.body.value_type(input.value).element().clone();
    let constants: Option<Vec<(i64, i64)>> = plan.iter().map(Axis::constants).collect();
    if let Some(constants) = constants {
        let input_extents = lowering.body.value_type(input.value).shape().unwrap_or_default();
        let results = constants
            .iter()
            .enumerate()
            .map(|(axis, &(start, step))| subscript(axis, start, step, input_extents[axis], output[axis].as_constant()))
            .collect();
        let map = AffineMap::new(output.len() as u32, results);
        let slice = lowering.pointwise(&[Input { value: input.value, map }], output, element, |_, e| e[0]);
        let is_first_part = |axis: usize| constants[axis] == (0, 1) && input.shape[axis] != output[axis];
        if (0..output.len()).any(is_first_part) {
            let op = lowering.body.defining_op(slice).expect("a generic defines its result");
            lowering.body.op_mut(op).attributes.set(PARTIAL, Attribute::Unit);
        }
        return slice;
    }
    let ways: Vec<(Value, Value)> = plan
        .iter()
        .map(|axis| match axis {
            Axis::Known { start, step } => (lowering.dim(start), lowering.index(*step)),
            Axis::Computed { start, step } => (*start, *step),
        })
        .collect();
    let tensor = input.value;
    lowering.pointwise(&[], output, element.clone(), |builder, _| {
        let mut indices = Vec::with_capacity(ways.len());
        for (axis, &(start, step)) in ways.iter().enumerate() {
            let index = loop_index(builder, axis);
            let mut s = Scalars { builder, unsigned: false };
            let along = s.mul(index, step);
            indices.push(s.add(along, start));
        }
        builder.value_from(tensor::Extract { tensor, indices: &indices }, element, [])
    })
}

/// The subscript `loop * step + start` of an axis.
///
/// A loop index alone would imply that the loop covers the whole axis. If it covers less, the index is taken modulo the
/// loop's extent, which has no other effect.
fn subscript(axis: usize, start: i64, step: i64, input: Option<i64>, output: Option<i64>) -> AffineExpr {
    let index = AffineExpr::Dim(axis as u32);
    match (input, output) {
        (Some(whole), Some(part)) if start == 0 && step == 1 && part != whole => index.modulo(part.max(1)),
        _ => index.mul(AffineExpr::Constant(step)).add(AffineExpr::Constant(start)),
    }
}
