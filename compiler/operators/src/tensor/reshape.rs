//! Reshape, Flatten, Squeeze, Unsqueeze: the same elements with another shape.

use dialects::arith;
use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{DimExpr, Op, Type, Value};

use crate::contrib::nchwc::reshape_blocks;
use crate::graph::Problem;
use crate::operator::{Cost, Demand, Kind, Operator, Rank, Uniform};
use crate::shape::elements::kept;
use crate::shape::{Answer, Condition, Elements, Node, Shape, list, normalize_axis};
use crate::structured::scalars::Comparison;
use crate::structured::{Lowering, Unsupported};
use crate::upgrade::axes_to_input;

pub(crate) const RESHAPE: Operator = Operator {
    ranks: &[(1, Rank::Exactly(1))],
    cost: Cost::View,
    kind: Kind::Movement,
    elements: Some(kept),
    uniform: Some(Uniform::Kept),
    // the shape became an operand
    upgrades: &[(5, |node, emit| {
        node.integers_to_input("shape", 1, emit);
        match node.operand(1, emit) {
            Some(_) => Ok(()),
            None => Err(Problem::input("lacks attribute \"shape\"")),
        }
    })],
    normalize: Some(reshape_blocks),
    shapes: Some(reshape_shape),
    lower: Some(|lowering, op| {
        settle_reshape(lowering, op);
        let views::Reshape { data, .. } = View::of(lowering.source, op);
        lower(lowering, op, data)
    }),
    ..Operator::of(OnnxOp::Reshape)
};

pub(crate) const FLATTEN: Operator = Operator {
    cost: Cost::View,
    kind: Kind::Movement,
    elements: Some(kept),
    uniform: Some(Uniform::Kept),
    shapes: Some(flatten_shape),
    lower: Some(|lowering, op| {
        let views::Flatten { input, .. } = View::of(lowering.source, op);
        lower(lowering, op, input)
    }),
    ..Operator::of(OnnxOp::Flatten)
};

pub(crate) const SQUEEZE: Operator = Operator {
    demands: Some(|reading, operand| {
        let listed = reading.view::<views::Squeeze>().axes.and_then(|axes| reading.length(axes));
        Demand { beyond_result: listed.filter(|_| operand == 0).map(|listed| listed as isize), ..Demand::default() }
    }),
    cost: Cost::View,
    kind: Kind::Movement,
    elements: Some(kept),
    uniform: Some(Uniform::Kept),
    upgrades: &[(13, axes_to_input)],
    shapes: Some(squeeze_shape),
    lower: Some(|lowering, op| {
        settle_squeeze(lowering, op)?;
        let views::Squeeze { data, .. } = View::of(lowering.source, op);
        lower(lowering, op, data)
    }),
    ..Operator::of(OnnxOp::Squeeze)
};

pub(crate) const UNSQUEEZE: Operator = Operator {
    demands: Some(|reading, operand| {
        let listed = reading.length(reading.view::<views::Unsqueeze>().axes);
        Demand { beyond_result: listed.filter(|_| operand == 0).map(|listed| -(listed as isize)), ..Demand::default() }
    }),
    cost: Cost::View,
    kind: Kind::Movement,
    elements: Some(kept),
    uniform: Some(Uniform::Kept),
    upgrades: &[(13, axes_to_input)],
    shapes: Some(unsqueeze_shape),
    lower: Some(|lowering, op| {
        settle_unsqueeze(lowering, op)?;
        let views::Unsqueeze { data, .. } = View::of(lowering.source, op);
        lower(lowering, op, data)
    }),
    ..Operator::of(OnnxOp::Unsqueeze)
};

fn reshape_shape(node: &mut Node<'_, '_>) -> Answer {
    let reshape: views::Reshape = node.view();
    let Some(target) = node.sizes_of(reshape.shape) else { return Ok(vec![]) };
    let input = node.shape_of(reshape.data);
    let keeps_zero = reshape.allowzero == 0;
    let mut dims: Elements = vec![];
    for (axis, size) in target.iter().enumerate() {
        dims.push(match size {
            Some(DimExpr::Constant(0)) if keeps_zero => match &input {
                Some(input) if axis >= input.len() => return Err(format!("extent {axis} to copy does not exist")),
                Some(input) => Some(input[axis].clone()),
                None => None,
            },
            Some(DimExpr::Constant(-1)) => None,
            size => size.clone(),
        });
    }
    let inferred = target.iter().flatten().filter(|size| **size == DimExpr::Constant(-1)).count();
    if inferred > 1 {
        return Err(format!("{inferred} extents of its shape are -1, but only one can be inferred"));
    }
    if inferred == 1 && !keeps_zero && target.contains(&Some(DimExpr::ZERO)) {
        return Err(BOTH.into());
    }
    let open: Vec<usize> = (0..dims.len()).filter(|&axis| dims[axis].is_none()).collect();
    if let ([axis], Some(input)) = (open.as_slice(), &input) {
        dims[*axis] = remaining_extent(input, &dims)?;
    }
    let shape: Shape =
        dims.into_iter().enumerate().map(|(axis, dim)| dim.unwrap_or_else(|| node.fresh(0, axis))).collect();
    if let Some(input) = &input {
        // an undecided element count is asserted where data-dependent sizes are known, too
        let same = Condition::Equal(DimExpr::product(input), DimExpr::product(&shape));
        if same.decide() == Some(false) {
            return Err(format!("{} does not hold as many elements as {}", list(&shape), list(input)));
        }
    }
    Ok(vec![Some(shape)])
}

/// The extent that is inferred; `None` if the others may be zero, so that it is undetermined.
fn remaining_extent(input: &[DimExpr], dims: &Elements) -> Result<Option<DimExpr>, String> {
    let others = DimExpr::product(dims.iter().flatten());
    if others == DimExpr::ZERO {
        return Ok(None);
    }
    // common factors are divided first: they may be zero, but then the quotient does not matter
    let mut left: Vec<DimExpr> = input.to_vec();
    let mut divisors: Vec<DimExpr> = vec![];
    for dim in dims.iter().flatten() {
        match left.iter().position(|candidate| candidate == dim) {
            Some(at) => drop(left.remove(at)),
            None => divisors.push(dim.clone()),
        }
    }
    let (total, divisor) = (DimExpr::product(&left), DimExpr::product(&divisors));
    if let (Some(total), Some(divisor)) = (total.as_constant(), divisor.as_constant())
        && total % divisor != 0
    {
        return Err(format!("{} cannot be divided into parts of {divisor}", list(input)));
    }
    Ok(Some(total.floor_div(&divisor)))
}

fn flatten_shape(node: &mut Node<'_, '_>) -> Answer {
    let flatten: views::Flatten = node.view();
    let Some(shape) = node.shape_of(flatten.input) else { return Ok(vec![]) };
    let axis = flatten.axis;
    let axis = if axis == shape.len() as i64 { shape.len() } else { normalize_axis(axis, shape.len())? };
    Ok(vec![Some(vec![DimExpr::product(&shape[..axis]), DimExpr::product(&shape[axis..])])])
}

fn squeeze_shape(node: &mut Node<'_, '_>) -> Answer {
    let squeeze: views::Squeeze = node.view();
    let Some(shape) = node.shape_of(squeeze.data) else { return Ok(vec![]) };
    let axes = match node.axes_of(squeeze.axes, shape.len())? {
        Some(axes) => axes,
        None if squeeze.axes.is_some() => {
            let listed = squeeze.axes.and_then(|axes| node.list_length(axes));
            let rank = listed.and_then(|listed| shape.len().checked_sub(listed));
            return Ok(vec![measured(node, rank, &(0..=shape.len()).collect::<Vec<_>>())]);
        }
        None if shape.iter().all(|dim| dim.as_constant().is_some()) => {
            (0..shape.len()).filter(|&axis| shape[axis] == DimExpr::ONE).collect()
        }
        None => {
            let least = shape.iter().filter(|dim| dim.as_constant().is_some_and(|extent| extent != 1)).count();
            let most = shape.iter().filter(|dim| **dim != DimExpr::ONE).count();
            return Ok(vec![measured(node, None, &(least..=most).collect::<Vec<_>>())]);
        }
    };
    for &axis in &axes {
        let message = || format!("axis {axis} has extent {}, not 1", shape[axis]);
        node.require(Condition::Equal(shape[axis].clone(), DimExpr::ONE), message)?;
    }
    let kept = shape.into_iter().enumerate().filter(|(axis, _)| !axes.contains(axis));
    Ok(vec![Some(kept.map(|(_, dim)| dim).collect())])
}

/// A shape with data-dependent extents. The rank is given, or the one of `candidates` that readers demand.
fn measured(node: &mut Node<'_, '_>, rank: Option<usize>, candidates: &[usize]) -> Option<Shape> {
    let rank = rank.or_else(|| node.demanded_rank(0, candidates))?;
    Some((0..rank).map(|axis| node.fresh(0, axis)).collect())
}

/// The maximum number of data-dependent axes.
const LISTED_AXES: usize = 8;

fn unsqueeze_shape(node: &mut Node<'_, '_>) -> Answer {
    let unsqueeze: views::Unsqueeze = node.view();
    let Some(shape) = node.shape_of(unsqueeze.data) else { return Ok(vec![]) };
    let Some(axes) = node.numbers_of(unsqueeze.axes) else {
        let rank = node.list_length(unsqueeze.axes).map(|listed| shape.len() + listed);
        return Ok(vec![measured(node, rank, &(shape.len()..=shape.len() + LISTED_AXES).collect::<Vec<_>>())]);
    };
    let rank = shape.len() + axes.len();
    let axes = node.axes_of(Some(unsqueeze.axes), rank)?.unwrap_or_default();
    let mut old = shape.into_iter();
    let dims = (0..rank).map(|axis| if axes.contains(&axis) { Some(DimExpr::ONE) } else { old.next() });
    dims.collect::<Option<Shape>>().map(|shape| vec![Some(shape)]).ok_or_else(|| "an axis is given twice".to_string())
}

fn lower(lowering: &mut Lowering<'_>, op: Op, operand: Value) -> Result<(), Unsupported> {
    let result = lowering.source.op(op).results()[0];
    let shape = lowering.shape(result);
    let input = lowering.shaped(operand);
    let (from, to) = (DimExpr::product(&input.shape), DimExpr::product(&shape));
    lowering.check_equal(&from, &to, "the shape it makes has another number of elements");
    let value = lowering.reshape(input.value, &shape);
    lowering.bind(result, value);
    Ok(())
}

/// The extents of a target shape: 0 copies the operand's unless `allowzero` is set, -1 is inferred.
fn settle_reshape(lowering: &mut Lowering<'_>, op: Op) {
    let reshape = views::Reshape::of(lowering.source, op);
    let Some(target) = lowering.unknown_sizes(reshape.shape) else { return };
    let (result, copies) = (lowering.source.op(op).results()[0], reshape.allowzero != 1);
    let input = lowering.shape(reshape.data);
    let (zero, one) = (lowering.index(0), lowering.index(1));
    let mut others = one;
    let mut sizes = Vec::new();
    for axis in 0..lowering.shape(result).len() {
        let raw = lowering.integer(target, axis);
        let copied = input.get(axis).filter(|_| copies).map(|dim| lowering.dim(dim));
        let (size, is_rest) = lowering.scalars(|s| {
            let is_zero = s.compare(Comparison::Equal, raw, zero);
            let size = copied.map_or(raw, |copied| s.select(is_zero, copied, raw));
            let minus = s.number(-1.0, &Type::Index);
            let is_rest = s.compare(Comparison::Equal, raw, minus);
            let factor = s.select(is_rest, one, size);
            others = s.mul(others, factor);
            (size, is_rest)
        });
        sizes.push((size, is_rest));
    }
    let inferred: Vec<Value> = sizes.iter().map(|&(_, is_rest)| is_rest).collect();
    check_one_inferred(lowering, &inferred);
    if !copies {
        check_inferable(lowering, others, &inferred);
    }
    let total = lowering.dim(&DimExpr::product(&input));
    let rest = lowering.scalars(|s| {
        let divisor = s.max(others, one);
        s.div(total, divisor)
    });
    for (axis, (size, is_rest)) in sizes.into_iter().enumerate() {
        let extent = lowering.scalars(|s| s.select(is_rest, rest, size));
        lowering.settle(result, axis, extent);
    }
}

/// Checks that at most one extent of a shape is -1.
fn check_one_inferred(lowering: &mut Lowering<'_>, inferred: &[Value]) {
    if inferred.len() < 2 {
        return;
    }
    let fits = lowering.scalars(|s| {
        let (none, one) = (s.number(0.0, &Type::Index), s.number(1.0, &Type::Index));
        let counts: Vec<Value> = inferred.iter().map(|&is_rest| s.select(is_rest, one, none)).collect();
        let count = counts.into_iter().fold(none, |sum, count| s.add(sum, count));
        s.compare(Comparison::LessOrEqual, count, one)
    });
    lowering.check(fits, "several extents of its shape are -1, but only one can be inferred");
}

/// An extent of -1 cannot be inferred next to one of 0.
const BOTH: &str = "its shape has both 0 and -1, which is not valid with allowzero";

/// Checks that no extent is -1 if the product of the others is 0.
fn check_inferable(lowering: &mut Lowering<'_>, others: Value, inferred: &[Value]) {
    let fits = lowering.scalars(|s| {
        let none = s.number(0.0, &Type::Index);
        let is_empty = s.compare(Comparison::Equal, others, none);
        let has_elements = s.not(is_empty);
        let is_inferred = inferred.iter().copied().reduce(|a, b| s.same(arith::ORI, &[a, b]));
        is_inferred.map(|is_inferred| {
            let is_given = s.not(is_inferred);
            s.same(arith::ORI, &[is_given, has_elements])
        })
    });
    if let Some(fits) = fits {
        lowering.check(fits, BOTH);
    }
}

/// The extents that remain when data-dependent axes are dropped: listed ones, or all of extent 1.
fn settle_squeeze(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let squeeze = views::Squeeze::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    if !(0..lowering.shape(result).len()).any(|axis| lowering.is_open(result, axis)) {
        return Ok(());
    }
    let input = lowering.shape(squeeze.data);
    let list = squeeze.axes.map(|axes| lowering.axis_list(Some(axes), axes, input.len())).transpose()?;
    let mut kept = Vec::new();
    for (axis, dim) in input.iter().enumerate() {
        let (extent, one) = (lowering.dim(dim), lowering.index(1));
        let is_one = lowering.scalars(|s| s.compare(Comparison::Equal, extent, one));
        let dropped = match &list {
            None => is_one,
            Some(list) => {
                let listed = lowering.is_listed(list, axis, input.len());
                let fits = lowering.scalars(|s| {
                    let stays = s.not(listed);
                    s.same(arith::ORI, &[stays, is_one])
                });
                lowering.check(fits, format!("axis {axis} is dropped, but has an extent other than 1"));
                listed
            }
        };
        kept.push((lowering.scalars(|s| s.not(dropped)), extent));
    }
    lowering.settle_kept(result, &kept);
    Ok(())
}

/// The extents after inserting data-dependent axes.
fn settle_unsqueeze(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let views::Unsqueeze { data, axes } = View::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let rank = lowering.shape(result).len();
    if !(0..rank).any(|axis| lowering.is_open(result, axis)) {
        return Ok(());
    }
    let input = lowering.shape(data);
    let list = lowering.axis_list(Some(axes), axes, rank)?;
    let (zero, one) = (lowering.index(0), lowering.index(1));
    let extents: Vec<Value> = input.iter().map(|dim| lowering.dim(dim)).collect();
    let mut next = zero;
    for axis in 0..rank {
        let is_new = lowering.is_listed(&list, axis, rank);
        let extent = lowering.scalars(|s| {
            let mut extent = one;
            for (place, &own) in extents.iter().enumerate() {
                let place = s.number(place as f64, &Type::Index);
                let here = s.compare(Comparison::Equal, next, place);
                extent = s.select(here, own, extent);
            }
            let more = s.add(next, one);
            next = s.select(is_new, next, more);
            s.select(is_new, one, extent)
        });
        lowering.settle(result, axis, extent);
    }
    let count = lowering.index(input.len() as i64);
    let fits = lowering.scalars(|s| s.compare(Comparison::Equal, next, count));
    lowering.check(fits, "the number of new axes differs from the rank of the result");
    Ok(())
}
