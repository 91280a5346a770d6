//! Split: splits a tensor along an axis.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, DimExpr, Op, Type};

use crate::graph::{self, Emitter, Problem};
use crate::operator::{Demand, Kind, Operator, Rank};
use crate::shape::{Answer, Condition, Elements, Node, Shape, normalize_axis};
use crate::structured::slicing::{Axis, take};
use crate::structured::{Lowering, Unsupported, reduction};

pub(crate) const SPLIT: Operator = Operator {
    demands: Some(|reading, operand| match operand {
        0 => Demand::with_axis(reading.view::<views::Split>().axis),
        _ => Demand::default(),
    }),
    kind: Kind::Movement,
    upgrades: &[(13, sizes_to_input), (18, count_stated)],
    ranks: &[(1, Rank::Exactly(1))],
    shapes: Some(shapes),
    lower: Some(lower),
    ..Operator::of(OnnxOp::Split)
};

/// The sizes become an operand.
fn sizes_to_input(node: &mut graph::Node, emit: &mut Emitter) -> Result<(), Problem> {
    node.integers_to_input("split", 1, emit);
    Ok(())
}

/// A split without sizes states the number of parts.
fn count_stated(node: &mut graph::Node, emit: &mut Emitter) -> Result<(), Problem> {
    if node.operand(1, emit).is_none() {
        node.attributes.set("num_outputs", Attribute::i64(node.outputs.len() as i64));
    }
    Ok(())
}

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let split: views::Split = node.view();
    let Some(shape) = node.shape_of(split.input) else { return Ok(vec![]) };
    let axis = normalize_axis(split.axis, shape.len())?;
    let count = node.result_count();
    let sizes: Elements = match split.split {
        Some(sizes) => node.sizes_of(sizes).unwrap_or_else(|| vec![None; count]),
        None => match split.num_outputs.unwrap_or(count as i64) {
            parts if parts == count as i64 => equal_parts(&shape[axis], parts),
            parts => return Err(format!("{parts} parts for {count} results")),
        },
    };
    if sizes.len() != count {
        return Err(format!("{} parts for {count} results", sizes.len()));
    }
    let total: Option<Vec<DimExpr>> = sizes.iter().cloned().collect();
    if let Some(total) = total.map(|parts| DimExpr::sum(&parts)) {
        let message = || format!("the parts have {total} elements, the operand {}", shape[axis]);
        node.require(Condition::Equal(total.clone(), shape[axis].clone()), message)?;
    }
    let mut answer = vec![];
    for (result, size) in sizes.into_iter().enumerate() {
        let mut part: Shape = shape.clone();
        part[axis] = size.unwrap_or_else(|| node.fresh(result, axis));
        answer.push(Some(part));
    }
    Ok(answer)
}

/// Equal parts; the last one may be smaller.
fn equal_parts(extent: &DimExpr, count: i64) -> Elements {
    let each = extent.ceil_div(&DimExpr::Constant(count));
    let last = extent.sub(&each.mul(&DimExpr::Constant(count - 1)));
    let mut parts = vec![Some(each); (count - 1).max(0) as usize];
    parts.push(Some(last));
    parts
}

/// From this number of parts, kernels take the start of a part as an argument, so that equally long parts share one.
const MANY_PARTS: usize = 16;

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let views::Split { input: x, split, axis, .. } = View::of(lowering.source, op);
    let results = lowering.source.op(op).results().to_vec();
    let input = lowering.shape(x);
    let axis = reduction::normalize_axis(axis, input.len())?;
    let sizes = split.and_then(|sizes| lowering.unknown_sizes(sizes));
    let mut parts = DimExpr::ZERO;
    for (position, &result) in results.iter().enumerate() {
        if let Some(sizes) = sizes {
            let size = lowering.integer(sizes, position);
            let size = lowering.scalars(|s| {
                let zero = s.number(0.0, &Type::Index);
                s.max(size, zero)
            });
            lowering.settle(result, axis, size);
        }
        parts = parts.add(&lowering.shape(result)[axis]);
    }
    lowering.check_equal(&parts, &input[axis], "the parts of Split are not as long as its operand together");
    let shares_kernels = results.len() >= MANY_PARTS;
    let mut offset = DimExpr::ZERO;
    for result in results {
        let output = lowering.shape(result);
        let mut plan = vec![Axis::whole(); input.len()];
        plan[axis] = match offset.as_constant().filter(|_| shares_kernels) {
            Some(start) => Axis::Computed { start: lowering.kernel_argument(start), step: lowering.index(1) },
            None => Axis::Known { start: offset.clone(), step: 1 },
        };
        offset = offset.add(&output[axis]);
        if lowering.source.uses(result).is_empty() {
            continue;
        }
        if let Some(value) = take(lowering, x, &plan, &output, result) {
            lowering.bind(result, value);
        }
    }
    Ok(())
}
