//! Reductions: ReduceSum, ReduceMean, ReduceMax and the others.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use dialects::{arith, math};
use ir::{Attribute, DimExpr, Op, Type, Value};

use super::{remark_empty, without};
use crate::graph::{self, Differential, Emitter, Problem};
use crate::operator::{Demand, Kind, Operator};
use crate::shape::elements::{self, Join};
use crate::shape::{Answer, Elements, Node, Reading};
use crate::structured::reduction::{Combine, Fold, Shaped, accumulator, normalize_axis};
use crate::structured::scalars::{Comparison, Scalars};
use crate::structured::{Lowering, Unsupported};
use crate::types::type_number;
use crate::upgrade::axes_to_input;

pub(crate) const REDUCE_L1: Operator = Operator {
    upgrades: &[(18, axes_to_input)],
    shapes: Some(|node| shapes(node, Function::L1)),
    lower: Some(|lowering, op| lower(lowering, op, Function::L1)),
    ..reduction(OnnxOp::ReduceL1)
};

pub(crate) const REDUCE_L2: Operator = Operator {
    upgrades: &[(18, axes_to_input)],
    shapes: Some(|node| shapes(node, Function::L2)),
    lower: Some(|lowering, op| lower(lowering, op, Function::L2)),
    ..reduction(OnnxOp::ReduceL2)
};

pub(crate) const REDUCE_LOG_SUM: Operator = Operator {
    upgrades: &[(18, axes_to_input), (28, integers_as_floats)],
    shapes: Some(|node| shapes(node, Function::LogSum)),
    lower: Some(|lowering, op| lower(lowering, op, Function::LogSum)),
    ..reduction(OnnxOp::ReduceLogSum)
};

pub(crate) const REDUCE_LOG_SUM_EXP: Operator = Operator {
    upgrades: &[(18, axes_to_input), (28, integers_as_floats)],
    shapes: Some(|node| shapes(node, Function::LogSumExp)),
    lower: Some(|lowering, op| lower(lowering, op, Function::LogSumExp)),
    ..reduction(OnnxOp::ReduceLogSumExp)
};

pub(crate) const REDUCE_MAX: Operator = Operator {
    upgrades: &[(18, axes_to_input)],
    elements: Some(|node, extents| fold(node, extents, |a, b| Some(a.max(b)))),
    shapes: Some(|node| shapes(node, Function::Max)),
    lower: Some(|lowering, op| lower(lowering, op, Function::Max)),
    ..reduction(OnnxOp::ReduceMax)
};

pub(crate) const REDUCE_MEAN: Operator = Operator {
    upgrades: &[(18, axes_to_input)],
    shapes: Some(|node| shapes(node, Function::Mean)),
    lower: Some(|lowering, op| lower(lowering, op, Function::Mean)),
    derivative: Some(|emit, differential| {
        let ([x], mean, _) = differential.parts(emit);
        let spread = spread(emit, differential);
        let [from, to] = [x, mean].map(|tensor| {
            let size = emit.plain("Size", &[tensor]);
            emit.plain("CastLike", &[size, x])
        });
        let share = emit.plain("Div", &[to, from]);
        Ok(vec![Some(emit.plain("Mul", &[spread, share]))])
    }),
    ..reduction(OnnxOp::ReduceMean)
};

pub(crate) const REDUCE_MIN: Operator = Operator {
    upgrades: &[(18, axes_to_input)],
    elements: Some(|node, extents| fold(node, extents, |a, b| Some(a.min(b)))),
    shapes: Some(|node| shapes(node, Function::Min)),
    lower: Some(|lowering, op| lower(lowering, op, Function::Min)),
    ..reduction(OnnxOp::ReduceMin)
};

pub(crate) const REDUCE_PROD: Operator = Operator {
    upgrades: &[(18, axes_to_input)],
    elements: Some(|node, extents| fold(node, extents, elements::product)),
    shapes: Some(|node| shapes(node, Function::Prod)),
    lower: Some(|lowering, op| lower(lowering, op, Function::Prod)),
    ..reduction(OnnxOp::ReduceProd)
};

pub(crate) const REDUCE_SUM: Operator = Operator {
    upgrades: &[(13, axes_to_input)],
    elements: Some(|node, extents| fold(node, extents, elements::sum)),
    shapes: Some(|node| shapes(node, Function::Sum)),
    lower: Some(|lowering, op| lower(lowering, op, Function::Sum)),
    derivative: Some(|emit, differential| Ok(vec![Some(spread(emit, differential))])),
    ..reduction(OnnxOp::ReduceSum)
};

pub(crate) const REDUCE_SUM_SQUARE: Operator = Operator {
    upgrades: &[(18, axes_to_input)],
    shapes: Some(|node| shapes(node, Function::SumSquare)),
    lower: Some(|lowering, op| lower(lowering, op, Function::SumSquare)),
    ..reduction(OnnxOp::ReduceSumSquare)
};

/// The adjoint of a reduction's result, for each element of its operand.
fn spread(emit: &mut Emitter, differential: &Differential<'_>) -> Value {
    let ([x], _, adjoint) = differential.parts(emit);
    let name = emit.body.name(differential.op).trim_start_matches("onnx.").to_string();
    let operation = emit.body.op(differential.op);
    let (operands, mut attributes) = (operation.operands().to_vec(), operation.attributes.clone());
    attributes.set("keepdims", Attribute::i64(1));
    // only its shape is read
    let kept = emit.op(&name, &operands, attributes);
    let adjoint = emit.reshaped_like(adjoint, kept);
    let shape = emit.plain("Shape", &[x]);
    emit.plain("Expand", &[adjoint, shape])
}

/// The reduction of all elements.
fn fold(node: &Node<'_, '_>, extents: &[usize], join: Join) -> Option<Elements> {
    let elements = node.known(0).filter(|_| extents.iter().all(|&extent| extent == 1))?;
    let (first, rest) = elements.split_first()?;
    Some(vec![Some(rest.iter().try_fold(first.clone(), |folded, next| join(&folded, next))?)])
}

/// The function of a reduction.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Function {
    /// `Σ |x|`
    L1,
    /// `√ Σ x²`
    L2,
    /// `log Σ x`
    LogSum,
    /// `log Σ exp(x)`
    LogSumExp,
    Max,
    Mean,
    Min,
    Prod,
    Sum,
    /// `Σ x²`
    SumSquare,
}

const fn reduction(operator: OnnxOp) -> Operator {
    Operator { kind: Kind::Reduction, demands: Some(demand), ..Operator::of(operator) }
}

/// Reduced axes stay with extent 1, or are dropped.
fn demand(reading: &Reading<'_>, operand: usize) -> Demand {
    let reduction: views::ReduceSum = reading.view();
    let listed = reduction.axes.and_then(|axes| reading.length(axes)).filter(|&listed| listed > 0);
    match (operand, reduction.keepdims != 0) {
        (0, true) => Demand::SAME,
        (0, false) => Demand { beyond_result: listed.map(|listed| listed as isize), ..Demand::default() },
        _ => Demand::default(),
    }
}

/// Until version 27 logarithms may be of integers: they are computed in floats and truncated.
fn integers_as_floats(node: &mut graph::Node, emit: &mut Emitter) -> Result<(), Problem> {
    let data = node.operands[0];
    if emit.body.value_type(data).element().is_integer() {
        node.operands[0] = emit.op("Cast", &[data], [("to", Attribute::i64(type_number(&Type::F64)))]);
        let logarithm = emit.op(&node.name, &node.operands, node.attributes.clone());
        let cut = emit.plain("CastLike", &[logarithm, data]);
        node.replace(cut, emit);
    }
    Ok(())
}

/// All reductions have the same operands and attributes, so one view reads them.
fn shapes(node: &mut Node<'_, '_>, function: Function) -> Answer {
    let reduction: views::ReduceSum = node.view();
    let Some(shape) = node.shape_of(reduction.data) else { return Ok(vec![]) };
    let keep = reduction.keepdims != 0;
    let empty = reduction.axes.and_then(|axes| node.shape_of(axes)).is_some_and(|axes| axes == [DimExpr::ZERO]);
    let axes = match node.axes(1, shape.len())? {
        Some(axes) if !axes.is_empty() => axes,
        None if reduction.axes.is_some() && !empty => return Ok(vec![unknown_axes(node, &reduction, shape.len())]),
        _ if reduction.noop_with_empty_axes != 0 => vec![],
        _ => (0..shape.len()).collect(),
    };
    let result = without(&shape, &axes, keep);
    // other functions have a defined result for empty operands
    if function == Function::Mean {
        remark_empty(node, &shape, &axes, &result);
    }
    Ok(vec![Some(result)])
}

/// Every extent may be reduced; without the axes the rank is only known if their number is.
fn unknown_axes(node: &mut Node<'_, '_>, reduction: &views::ReduceSum, rank: usize) -> Option<Vec<DimExpr>> {
    let rank = match reduction.keepdims != 0 {
        true => rank,
        false => {
            let count = node.shape_of(reduction.axes?)?.first()?.as_constant()?;
            rank.checked_sub(usize::try_from(count).ok()?)?
        }
    };
    Some((0..rank).map(|axis| node.fresh(0, axis)).collect())
}

fn lower(lowering: &mut Lowering<'_>, op: Op, function: Function) -> Result<(), Unsupported> {
    let reduction = views::ReduceSum::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let (input, axes, keep) = reduced_axes(lowering, op, &reduction)?;
    let element = lowering.element(reduction.data);
    let unsigned = lowering.is_unsigned(reduction.data);
    let wide = accumulator(&element);
    let to_wide = |s: &mut Scalars<'_, '_>, x: Value| s.cast(x, &wide, unsigned, unsigned);
    let prepare = |s: &mut Scalars<'_, '_>, x: Value| {
        let x = to_wide(s, x);
        match function {
            Function::L1 => magnitude(s, x),
            Function::L2 | Function::SumSquare => s.mul(x, x),
            _ => x,
        }
    };
    let combine = match function {
        Function::Max => Combine::Max,
        Function::Min => Combine::Min,
        Function::Prod => Combine::Mul,
        _ => Combine::Add,
    };
    let reduced = match function {
        Function::LogSumExp => log_sum_exp(lowering, &input, &axes, keep, &wide, to_wide),
        _ => lowering.reduce(&input, &axes, keep, Fold::new(combine, wide.clone(), unsigned), prepare),
    };
    let count = (function == Function::Mean).then(|| lowering.count(&input.shape, &axes, &wide));
    let (shape, output) = (reduced.shape.clone(), lowering.shape(result));
    let finished = lowering.map(&[&reduced], &shape, element.clone(), |s, x| {
        s.unsigned = unsigned;
        let value = match (function, count) {
            (Function::Mean, Some(count)) => s.div(x[0], count),
            (Function::L2, _) => square_root(s, x[0]),
            (Function::LogSum, _) => s.same(math::LOG, &[x[0]]),
            _ => x[0],
        };
        s.cast(value, &element, unsigned, unsigned)
    });
    let value = if shape == output { finished.value } else { lowering.reshape(finished.value, &output) };
    lowering.bind(result, value);
    Ok(())
}

fn magnitude(s: &mut Scalars<'_, '_>, x: Value) -> Value {
    match s.type_of(x) {
        Type::Float(_) => s.same(math::ABSF, &[x]),
        _ if s.unsigned => x,
        _ => s.same(math::ABSI, &[x]),
    }
}

/// The tensor to reduce, the axes to reduce, which may be none, and whether they are kept.
fn reduced_axes(
    lowering: &mut Lowering<'_>,
    op: Op,
    reduction: &views::ReduceSum,
) -> Result<(Shaped, Vec<usize>, bool), Unsupported> {
    let input = lowering.shaped(reduction.data);
    let rank = input.shape.len();
    let given = match reduction.axes {
        Some(axes) => lowering.known_integers(axes),
        None => Some(vec![]),
    };
    let Some(given) = given else { return masked_axes(lowering, op, reduction, &input) };
    let mut axes: Vec<usize> = given.iter().map(|&axis| normalize_axis(axis, rank)).collect::<Result<_, _>>()?;
    if axes.is_empty() && reduction.noop_with_empty_axes == 0 {
        axes = (0..rank).collect();
    }
    Ok((input, axes, reduction.keepdims != 0))
}

/// Data-dependent axes: every extent is split into a part that stays and a part that is reduced, one of them 1.
fn masked_axes(
    lowering: &mut Lowering<'_>,
    op: Op,
    reduction: &views::ReduceSum,
    input: &Shaped,
) -> Result<(Shaped, Vec<usize>, bool), Unsupported> {
    let result = lowering.source.op(op).results()[0];
    let rank = input.shape.len();
    let list = lowering.axis_list(reduction.axes, reduction.data, rank)?;
    let count = lowering.list_length(&list);
    let (count, zero, one) = (lowering.dim(&count), lowering.index(0), lowering.index(1));
    let everything = lowering.scalars(|s| match reduction.noop_with_empty_axes != 0 {
        true => s.number(0.0, &Type::I1),
        false => s.compare(Comparison::Equal, count, zero),
    });
    let mut shape = Vec::new();
    let mut kept: Vec<(Value, Value)> = Vec::new();
    for (axis, dim) in input.shape.iter().enumerate() {
        let listed = lowering.is_listed(&list, axis, rank);
        let extent = lowering.dim(dim);
        let (stays, [outer, inner]) = lowering.scalars(|s| {
            let reduced = s.same(arith::ORI, &[listed, everything]);
            let parts = [s.select(reduced, one, extent), s.select(reduced, extent, one)];
            (s.not(reduced), parts)
        });
        shape.extend([lowering.named_dim(outer), lowering.named_dim(inner)]);
        kept.push((stays, outer));
    }
    match reduction.keepdims != 0 {
        true => (kept.iter().enumerate()).for_each(|(axis, &(_, extent))| lowering.settle(result, axis, extent)),
        false => lowering.settle_kept(result, &kept),
    }
    let value = lowering.reshape(input.value, &shape);
    Ok((Shaped { value, shape }, (0..rank).map(|axis| 2 * axis + 1).collect(), false))
}

fn square_root(s: &mut Scalars<'_, '_>, x: Value) -> Value {
    let r#type = s.builder.body.value_type(x).clone();
    let wide = if r#type.is_float() { r#type.clone() } else { Type::F64 };
    let converted = s.cast(x, &wide, false, false);
    let root = s.same(math::SQRT, &[converted]);
    s.cast(root, &r#type, false, false)
}

/// `log(Σ exp(x)) = m + log(Σ exp(x - m))` with `m` the maximum, so that nothing overflows. An infinite maximum is not
/// subtracted, because the difference of infinities is NaN.
fn log_sum_exp(
    lowering: &mut Lowering<'_>,
    input: &Shaped,
    axes: &[usize],
    keep: bool,
    wide: &Type,
    to_wide: impl Fn(&mut Scalars<'_, '_>, Value) -> Value + Clone,
) -> Shaped {
    let largest = lowering.reduce(input, axes, true, Fold::new(Combine::Max, wide.clone(), false), to_wide.clone());
    let largest = lowering.map(&[&largest], &largest.shape, wide.clone(), |s, x| {
        let (magnitude, infinity, zero) = (s.same(math::ABSF, &[x[0]]), s.like(f64::INFINITY, x[0]), s.like(0.0, x[0]));
        let finite = s.compare(Comparison::Less, magnitude, infinity);
        s.select(finite, x[0], zero)
    });
    let shifted = lowering.map(&[input, &largest], &input.shape, wide.clone(), |s, x| {
        let value = to_wide(s, x[0]);
        let difference = s.sub(value, x[1]);
        s.same(math::EXP, &[difference])
    });
    let sum = lowering.reduce(&shifted, axes, true, Fold::new(Combine::Add, wide.clone(), false), |_, x| x);
    let kept = lowering.map(&[&sum, &largest], &sum.shape, wide.clone(), |s, x| {
        let logarithm = s.same(math::LOG, &[x[0]]);
        s.add(logarithm, x[1])
    });
    if keep {
        return kept;
    }
    let shape: Vec<DimExpr> =
        input.shape.iter().enumerate().filter(|(axis, _)| !axes.contains(axis)).map(|(_, dim)| dim.clone()).collect();
    let value = lowering.reshape(kept.value, &shape);
    Shaped { value, shape }
}
