//! Operators that pick, place or count elements.

use ir::DimExpr;

use super::node::{Node, normalize_axis};
use super::{Answer, Condition, Rule};

pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "Gather" => gather,
        "GatherElements" => gather_elements,
        "GatherND" => gather_nd,
        "ScatterElements" => scatter_elements,
        "ScatterND" => scatter_nd,
        "TensorScatter" => super::math::like_first,
        "TopK" => top_k,
        "OneHot" => one_hot,
        "NonZero" => non_zero,
        "Compress" => compress,
        "Unique" => unique,
        "NonMaxSuppression" => |node| Ok(vec![Some(vec![node.fresh(0, 0), DimExpr::Constant(3)])]),
        _ => return None,
    })
}

fn gather(node: &mut Node<'_, '_>) -> Answer {
    let (Some(shape), Some(indices)) = (node.shape(0), node.shape(1)) else { return Ok(vec![]) };
    let axis = node.axis("axis", 0, shape.len())?;
    Ok(vec![Some([&shape[..axis], &indices, &shape[axis + 1..]].concat())])
}

/// Indices for places along one axis: no more of them along the others than there are places.
fn expect_places(node: &mut Node<'_, '_>) -> Result<(), String> {
    let (Some(shape), Some(indices)) = (node.shape(0), node.shape(1)) else { return Ok(()) };
    if shape.len() != indices.len() {
        return Err(format!("indices of rank {} for an operand of rank {}", indices.len(), shape.len()));
    }
    let axis = node.axis("axis", 0, shape.len())?;
    for (at, (extent, count)) in shape.iter().zip(&indices).enumerate().filter(|(at, _)| *at != axis) {
        let message = || format!("axis {at} has {count} indices for {extent} places");
        node.require(Condition::Extent(extent.sub(count)), message)?;
    }
    Ok(())
}

fn gather_elements(node: &mut Node<'_, '_>) -> Answer {
    expect_places(node)?;
    Ok(vec![node.shape(1)])
}

fn scatter_elements(node: &mut Node<'_, '_>) -> Answer {
    expect_places(node)?;
    if let Some(indices) = node.shape(1) {
        node.expect_shape(node.operand(2), &indices, "the updates")?;
    }
    Ok(vec![node.shape(0)])
}

fn scatter_nd(node: &mut Node<'_, '_>) -> Answer {
    let (Some(shape), Some(indices)) = (node.shape(0), node.shape(1)) else { return Ok(vec![]) };
    let Some((last, places)) = indices.split_last() else { return Err("the indices have rank 0".to_string()) };
    if let Some(depth) = last.as_constant() {
        let rest = usize::try_from(depth).ok().and_then(|depth| shape.get(depth..));
        let rest = rest.ok_or_else(|| format!("{depth} indices for rank {}", shape.len()))?;
        node.expect_shape(node.operand(2), &[places, rest].concat(), "the updates")?;
    }
    Ok(vec![Some(shape)])
}

fn gather_nd(node: &mut Node<'_, '_>) -> Answer {
    let (Some(shape), Some(indices)) = (node.shape(0), node.shape(1)) else { return Ok(vec![]) };
    let Some((last, places)) = indices.split_last() else { return Err("the indices have rank 0".to_string()) };
    let Some(depth) = last.as_constant() else { return Ok(vec![]) };
    let taken = node.integer("batch_dims", 0) + depth;
    let rest = usize::try_from(taken).ok().and_then(|taken| shape.get(taken..));
    let rest = rest.ok_or_else(|| format!("{depth} indices for rank {}", shape.len()))?;
    let batches = usize::try_from(node.integer("batch_dims", 0)).unwrap_or(0);
    if batches > places.len() {
        return Err(format!("{batches} batch axes for indices of rank {}", indices.len()));
    }
    for (own, wanted) in places[..batches].iter().zip(&shape) {
        node.expect_equal(own, wanted, "batch extents")?;
    }
    Ok(vec![Some([places, rest].concat())])
}

fn top_k(node: &mut Node<'_, '_>) -> Answer {
    let Some(mut shape) = node.shape(0) else { return Ok(vec![]) };
    let axis = node.axis("axis", -1, shape.len())?;
    shape[axis] = match node.known(1).and_then(|count| count.into_iter().next()) {
        Some(count) => count,
        None => node.fresh(0, axis),
    };
    Ok(vec![Some(shape.clone()), Some(shape)])
}

fn one_hot(node: &mut Node<'_, '_>) -> Answer {
    let Some(mut shape) = node.shape(0) else { return Ok(vec![]) };
    let axis = node.axis("axis", -1, shape.len() + 1)?;
    let depth = match node.known(1).and_then(|depth| depth.into_iter().next()) {
        Some(depth) => depth,
        None => node.fresh(0, axis),
    };
    shape.insert(axis, depth);
    node.expect_shape(node.operand(2), &[DimExpr::Constant(2)], "the pair of values")?;
    Ok(vec![Some(shape)])
}

fn non_zero(node: &mut Node<'_, '_>) -> Answer {
    let rank = match node.shape(0) {
        Some(shape) => DimExpr::Constant(shape.len() as i64),
        None => node.fresh(0, 0),
    };
    Ok(vec![Some(vec![rank, node.fresh(0, 1)])])
}

fn compress(node: &mut Node<'_, '_>) -> Answer {
    if node.attribute("axis").is_none() {
        return Ok(vec![Some(vec![node.fresh(0, 0)])]);
    }
    let Some(mut shape) = node.shape(0) else { return Ok(vec![]) };
    let axis = node.axis("axis", 0, shape.len())?;
    shape[axis] = node.fresh(0, axis);
    Ok(vec![Some(shape)])
}

fn unique(node: &mut Node<'_, '_>) -> Answer {
    let (Some(shape), axis) = (node.shape(0), node.attribute("axis").and_then(ir::Attribute::as_integer)) else {
        return Ok(vec![]);
    };
    let (axis, mut values) = match axis {
        Some(axis) => (normalize_axis(axis, shape.len())?, shape.clone()),
        None => (0, vec![DimExpr::ZERO]),
    };
    let count = node.fresh(0, axis);
    let searched = if node.attribute("axis").is_some() { shape[axis].clone() } else { DimExpr::product(&shape) };
    values[axis] = count.clone();
    Ok(vec![Some(values), Some(vec![count.clone()]), Some(vec![searched]), Some(vec![count])])
}
