//! Operators that the runtime's routines compute: those that count, sort, or visit updates one by one.

use dialects::onnx::views::{self, ScatterReduction, View};
use ir::{Attribute, Op, Type, Value};

use super::calls::Argument::{self, Index, Moved, Real, Tensor};
use super::reduction::normalize_axis;
use super::scalars::Comparison;
use super::{Lowering, Unsupported};

/// Lowers `NonZero`.
pub(super) fn non_zero(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::NonZero::of(lowering.source, op);
    lowering.call(op, "non_zero", &[Tensor(node.x)])
}

/// Lowers `Compress`.
pub(super) fn compress(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::Compress::of(lowering.source, op);
    let axis = axis_or_all(lowering, node.axis, node.input)?;
    lowering.call(op, "compress", &[Moved(node.input), Tensor(node.condition), Index(axis)])
}

/// Lowers `Unique`.
pub(super) fn unique(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::Unique::of(lowering.source, op);
    let (axis, sorted) = (axis_or_all(lowering, node.axis, node.x)?, lowering.index(node.sorted));
    lowering.call(op, "unique", &[Tensor(node.x), Index(axis), Index(sorted)])
}

/// An axis counted from the front, or -1 for none.
fn axis_or_all(lowering: &mut Lowering<'_>, axis: Option<i64>, tensor: Value) -> Result<Value, Unsupported> {
    let rank = lowering.shape(tensor).len();
    let axis = axis.map(|axis| normalize_axis(axis, rank)).transpose()?;
    Ok(lowering.index(axis.map_or(-1, |axis| axis as i64)))
}

/// Lowers `NonMaxSuppression`.
pub(super) fn non_max_suppression(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::NonMaxSuppression::of(lowering.source, op);
    let most = match node.max_output_boxes_per_class {
        Some(most) => lowering.scalar_index(most),
        None => lowering.index(0),
    };
    let overlap = real(lowering, node.iou_threshold, 0.0);
    let least = real(lowering, node.score_threshold, f64::NEG_INFINITY);
    let centered = lowering.index(node.center_point_box);
    let arguments = [Tensor(node.boxes), Tensor(node.scores), Index(most), Real(overlap), Real(least), Index(centered)];
    lowering.call(op, "non_max_suppression", &arguments)
}

/// The only element of an operand as `f64`.
fn real(lowering: &mut Lowering<'_>, operand: Option<Value>, default: f64) -> Value {
    let Some(operand) = operand else {
        let default = Attribute::Float(default.to_bits(), Type::F64);
        return lowering.builder().constant(default, Type::F64);
    };
    let element = lowering.only_element(operand);
    lowering.scalars(|s| s.cast(element, &Type::F64, false, false))
}

/// Lowers `TopK`.
pub(super) fn top_k(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::TopK::of(lowering.source, op);
    let shape = lowering.shape(node.x);
    let axis = normalize_axis(node.axis, shape.len())?;
    let (count, extent) = (lowering.scalar_index(node.k), lowering.dim(&shape[axis]));
    let enough = lowering.scalars(|s| s.compare(Comparison::LessOrEqual, count, extent));
    lowering.check(enough, "TopK asks for more elements than there are");
    for &result in lowering.source.op(op).results() {
        if lowering.is_present(result) {
            lowering.settle(result, axis, count);
        }
    }
    let (axis, largest) = (lowering.index(axis as i64), lowering.index(node.largest));
    lowering.call(op, "top_k", &[Tensor(node.x), Index(axis), Index(largest)])
}

/// The number of a reduction, as the routines know it.
fn number(reduction: ScatterReduction) -> i64 {
    match reduction {
        ScatterReduction::None => 0,
        ScatterReduction::Add => 1,
        ScatterReduction::Mul => 2,
        ScatterReduction::Max => 3,
        ScatterReduction::Min => 4,
    }
}

/// The elements of a scatter: without a reduction they are only moved.
fn scattered(reduction: ScatterReduction) -> fn(Value) -> Argument {
    if reduction == ScatterReduction::None { Moved } else { Tensor }
}

/// Lowers `ScatterElements`.
pub(super) fn scatter_elements(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::ScatterElements::of(lowering.source, op);
    let axis = normalize_axis(node.axis, lowering.shape(node.data).len())?;
    let (axis, reduction) = (lowering.index(axis as i64), lowering.index(number(node.reduction)));
    let element = scattered(node.reduction);
    let arguments = [element(node.data), Tensor(node.indices), element(node.updates), Index(axis), Index(reduction)];
    lowering.call(op, "scatter_elements", &arguments)
}

/// Lowers `ScatterND`.
pub(super) fn scatter_nd(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::ScatterND::of(lowering.source, op);
    let reduction = lowering.index(number(node.reduction));
    let element = scattered(node.reduction);
    lowering.call(
        op,
        "scatter_nd",
        &[element(node.data), Tensor(node.indices), element(node.updates), Index(reduction)],
    )
}

/// Lowers `CumSum` and `CumProd`.
pub(super) fn cumulate(lowering: &mut Lowering<'_>, op: Op, name: &str) -> Result<(), Unsupported> {
    let (x, axis, exclusive, reverse, product) = match name {
        "CumSum" => {
            let node = views::CumSum::of(lowering.source, op);
            (node.x, node.axis, node.exclusive, node.reverse, 0)
        }
        _ => {
            let node = views::CumProd::of(lowering.source, op);
            (node.x, node.axis, node.exclusive, node.reverse, 1)
        }
    };
    let axis = lowering.scalar_index(axis);
    let [exclusive, reverse, product] = [exclusive, reverse, product].map(|flag| lowering.index(flag));
    lowering.call(op, "cumulate", &[Tensor(x), Index(axis), Index(exclusive), Index(reverse), Index(product)])
}
