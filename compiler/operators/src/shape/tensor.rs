//! Operators that rearrange or create tensors.

use ir::{Attribute, DimExpr};

use super::node::{Node, at_least_zero, extent_of, list, normalize_axis};
use super::{Answer, Condition, Elements, Rule, Shape};

pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "Reshape" => reshape,
        "Transpose" => transpose,
        "Flatten" => flatten,
        "Squeeze" => squeeze,
        "Unsqueeze" => unsqueeze,
        "Concat" => concat,
        "Expand" => expand,
        "Tile" => tile,
        "Shape" => shape_of,
        "Size" => |_| Ok(vec![Some(vec![])]),
        "Constant" => constant,
        "ConstantOfShape" => filled,
        "Range" => range,
        "EyeLike" | "Trilu" | "ReverseSequence" => super::math::like_first,
        "DepthToSpace" => |node| exchange_space(node, true),
        "SpaceToDepth" => |node| exchange_space(node, false),
        _ => return None,
    })
}

fn reshape(node: &mut Node<'_, '_>) -> Answer {
    let Some(target) = node.sizes(1) else { return Ok(vec![]) };
    let input = node.shape(0);
    let keeps_zero = node.integer("allowzero", 0) == 0;
    let mut dims: Elements = vec![];
    for (axis, size) in target.iter().enumerate() {
        dims.push(match size {
            Some(DimExpr::Constant(0)) if keeps_zero => match &input {
                Some(input) if axis >= input.len() => return Err(format!("there is no extent {axis} to copy")),
                Some(input) => Some(input[axis].clone()),
                None => None,
            },
            Some(DimExpr::Constant(-1)) => None,
            size => size.clone(),
        });
    }
    let open: Vec<usize> = (0..dims.len()).filter(|&axis| dims[axis].is_none()).collect();
    if let ([axis], Some(input)) = (open.as_slice(), &input) {
        dims[*axis] = remaining_extent(input, &dims)?;
    }
    let shape: Shape =
        dims.into_iter().enumerate().map(|(axis, dim)| dim.unwrap_or_else(|| node.fresh(0, axis))).collect();
    if let Some(input) = &input {
        // a count that is not decided is asserted where sizes that only data tell are known, too
        let same = Condition::Equal(DimExpr::product(input), DimExpr::product(&shape));
        if same.decide() == Some(false) {
            return Err(format!("{} does not hold as many elements as {}", list(&shape), list(input)));
        }
    }
    Ok(vec![Some(shape)])
}

/// The one extent that is left out; `None` when the others may be zero and say nothing about it.
fn remaining_extent(input: &[DimExpr], dims: &Elements) -> Result<Option<DimExpr>, String> {
    let others = DimExpr::product(dims.iter().flatten());
    if others == DimExpr::ZERO {
        return Ok(None);
    }
    // shared factors go first: they may be zero, but then the quotient does not matter
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

fn transpose(node: &mut Node<'_, '_>) -> Answer {
    let Some(shape) = node.shape(0) else { return Ok(vec![]) };
    let Some(order) = node.integers("perm") else { return Ok(vec![Some(shape.into_iter().rev().collect())]) };
    let mut sorted = order.clone();
    sorted.sort_unstable();
    if sorted != (0..shape.len() as i64).collect::<Vec<_>>() {
        return Err(format!("perm {order:?} is no permutation of rank {}", shape.len()));
    }
    Ok(vec![Some(order.iter().map(|&axis| shape[axis as usize].clone()).collect())])
}

fn flatten(node: &mut Node<'_, '_>) -> Answer {
    let Some(shape) = node.shape(0) else { return Ok(vec![]) };
    let axis = node.integer("axis", 1);
    let axis = if axis == shape.len() as i64 { shape.len() } else { normalize_axis(axis, shape.len())? };
    Ok(vec![Some(vec![DimExpr::product(&shape[..axis]), DimExpr::product(&shape[axis..])])])
}

fn squeeze(node: &mut Node<'_, '_>) -> Answer {
    let Some(shape) = node.shape(0) else { return Ok(vec![]) };
    let given = node.operand(1).is_some() || node.attribute("axes").is_some();
    let axes = match node.axes(1, shape.len())? {
        Some(axes) => axes,
        None if given => return Ok(vec![]),
        None if shape.iter().all(|dim| dim.as_constant().is_some()) => {
            (0..shape.len()).filter(|&axis| shape[axis] == DimExpr::ONE).collect()
        }
        None => return Ok(vec![]),
    };
    for &axis in &axes {
        let message = || format!("axis {axis} has extent {}, not 1", shape[axis]);
        node.require(Condition::Equal(shape[axis].clone(), DimExpr::ONE), message)?;
    }
    let kept = shape.into_iter().enumerate().filter(|(axis, _)| !axes.contains(axis));
    Ok(vec![Some(kept.map(|(_, dim)| dim).collect())])
}

fn unsqueeze(node: &mut Node<'_, '_>) -> Answer {
    let Some(shape) = node.shape(0) else { return Ok(vec![]) };
    let count = match (node.numbers(1), node.integers("axes")) {
        (Some(axes), _) | (None, Some(axes)) => axes.len(),
        (None, None) => return Ok(vec![]),
    };
    let rank = shape.len() + count;
    let axes = node.axes(1, rank)?.unwrap_or_default();
    let mut old = shape.into_iter();
    let dims = (0..rank).map(|axis| if axes.contains(&axis) { Some(DimExpr::ONE) } else { old.next() });
    dims.collect::<Option<Shape>>().map(|shape| vec![Some(shape)]).ok_or_else(|| "an axis is given twice".to_string())
}

fn concat(node: &mut Node<'_, '_>) -> Answer {
    let shapes: Option<Vec<Shape>> = (0..node.operand_count()).map(|index| node.shape(index)).collect();
    let Some(shapes) = shapes else { return Ok(vec![]) };
    let Some((first, others)) = shapes.split_first() else { return Ok(vec![]) };
    let axis = node.axis("axis", 0, first.len())?;
    let mut joined = first.clone();
    for shape in others {
        if shape.len() != joined.len() {
            return Err(format!("operands have ranks {} and {}", joined.len(), shape.len()));
        }
        for (at, dim) in shape.iter().enumerate() {
            joined[at] = match at == axis {
                true => joined[at].add(dim),
                false => node.unify(&joined[at], dim).map_err(|reason| format!("axis {at}: {reason}"))?,
            };
        }
    }
    Ok(vec![Some(joined)])
}

fn expand(node: &mut Node<'_, '_>) -> Answer {
    let (Some(input), Some(target)) = (node.shape(0), node.sizes(1)) else { return Ok(vec![]) };
    let rank = input.len().max(target.len());
    let mut shape = vec![];
    for axis in 0..rank {
        let own = extent_of(&input, axis, rank);
        let wanted = (axis + target.len()).checked_sub(rank).map_or(Some(DimExpr::ONE), |at| target[at].clone());
        shape.push(match wanted {
            Some(wanted) => node.broadcast_extent(&own, &wanted)?,
            // what is not known is measured on the result, which has already been broadcast
            None if own.as_constant().is_some_and(|extent| extent != 1) => own,
            None => node.fresh(0, axis),
        });
    }
    Ok(vec![Some(shape)])
}

fn tile(node: &mut Node<'_, '_>) -> Answer {
    let Some(input) = node.shape(0) else { return Ok(vec![]) };
    let repeats = node.sizes(1).unwrap_or_else(|| vec![None; input.len()]);
    if repeats.len() != input.len() {
        return Err(format!("{} repeats for rank {}", repeats.len(), input.len()));
    }
    let dims = input.iter().zip(repeats).enumerate().map(|(axis, (dim, repeat))| match repeat {
        Some(repeat) => dim.mul(&repeat),
        None => node.fresh(0, axis),
    });
    Ok(vec![Some(dims.collect())])
}

/// The part of a shape that `Shape` returns.
pub(super) fn shape_window(node: &Node<'_, '_>, rank: usize) -> std::ops::Range<usize> {
    let clamp = |bound: i64| (if bound < 0 { bound + rank as i64 } else { bound }).clamp(0, rank as i64) as usize;
    let start = clamp(node.integer("start", 0));
    start..clamp(node.integer("end", rank as i64)).max(start)
}

fn shape_of(node: &mut Node<'_, '_>) -> Answer {
    let length = node.shape(0).map(|shape| DimExpr::Constant(shape_window(node, shape.len()).len() as i64));
    Ok(vec![Some(vec![length.unwrap_or_else(|| node.fresh(0, 0))])])
}

fn constant(node: &mut Node<'_, '_>) -> Answer {
    let shape = match node.attribute("value") {
        Some(Attribute::Dense(dense)) => dense.r#type.static_shape(),
        _ => None,
    };
    Ok(vec![shape.map(|shape| shape.into_iter().map(DimExpr::Constant).collect())])
}

fn filled(node: &mut Node<'_, '_>) -> Answer {
    let Some(sizes) = node.sizes(0) else { return Ok(vec![]) };
    let dims = sizes.into_iter().enumerate().map(|(axis, size)| size.unwrap_or_else(|| node.fresh(0, axis)));
    Ok(vec![Some(dims.collect())])
}

fn range(node: &mut Node<'_, '_>) -> Answer {
    Ok(vec![Some(vec![range_length(node).unwrap_or_else(|| node.fresh(0, 0))])])
}

fn range_length(node: &Node<'_, '_>) -> Option<DimExpr> {
    if let (Some(start), Some(limit), Some(delta)) = (node.floats(0), node.floats(1), node.floats(2)) {
        let (start, limit, delta) = (start.first()?, limit.first()?, delta.first()?);
        return (*delta != 0.0).then(|| DimExpr::Constant(((limit - start) / delta).ceil().max(0.0) as i64));
    }
    let [start, limit, delta] = [node.known(0)?, node.known(1)?, node.known(2)?];
    let distance = limit.first()?.sub(start.first()?);
    let length = match delta.first()?.as_constant()? {
        0 => return None,
        step if step > 0 => distance.ceil_div(&DimExpr::Constant(step)),
        step => distance.mul(&DimExpr::Constant(-1)).ceil_div(&DimExpr::Constant(-step)),
    };
    Some(at_least_zero(length))
}

fn exchange_space(node: &mut Node<'_, '_>, to_space: bool) -> Answer {
    let Some(shape) = node.shape(0) else { return Ok(vec![]) };
    let block = DimExpr::Constant(node.integer("blocksize", 1));
    let square = block.mul(&block);
    let [batch, channels, height, width] = shape.as_slice() else {
        return Err(format!("the operand must have rank 4, found {}", shape.len()));
    };
    let dims = match to_space {
        true => [batch.clone(), channels.floor_div(&square), height.mul(&block), width.mul(&block)],
        false => [batch.clone(), channels.mul(&square), height.floor_div(&block), width.floor_div(&block)],
    };
    Ok(vec![Some(dims.to_vec())])
}
