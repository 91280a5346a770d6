//! Shared code of `tensor` and `memref`: slices, reassociations and dimension queries.

use std::sync::Arc;

use ir::{Attribute, Body, Folded, Op, Type, constant_integer};

use crate::checks::{Check, all_index, ensure, operand_type, result_type, segments};

/// The marker for dynamic entries of `static_offsets` and similar attributes.
pub const DYNAMIC: i64 = i64::MIN;

/// The offsets, sizes and strides of a slice: `fixed` operands, then three segments of dynamic values.
pub(crate) fn verify_slice(body: &Body, op: Op, fixed: usize, rank: usize) -> Check {
    let sizes = segments(body, op, fixed + 3)?;
    all_index(body, op, fixed)?;
    for (at, name) in ["static_offsets", "static_sizes", "static_strides"].into_iter().enumerate() {
        let entries = body.op(op).attributes.integers(name).ok_or_else(|| format!("requires attribute '{name}'"))?;
        ensure(entries.len() == rank, || {
            format!("attribute '{name}' must have {rank} entries, found {}", entries.len())
        })?;
        let dynamic = entries.iter().filter(|&&entry| entry == DYNAMIC).count();
        ensure(dynamic == sizes[fixed + at], || {
            format!("attribute '{name}' leaves {dynamic} entries to operands, found {}", sizes[fixed + at])
        })?;
    }
    Ok(())
}

/// `reassociation` groups the dimensions of the higher rank, in order and without gaps, into those of the lower.
pub(crate) fn verify_reassociation(body: &Body, op: Op, low: &Type, high: &Type) -> Check {
    let (Some(low_rank), Some(high_rank)) = (low.rank(), high.rank()) else {
        return Err(format!("operand and result must be ranked, found {low} and {high}"));
    };
    let groups = reassociation(body, op).ok_or("attribute 'reassociation' must be an array of arrays of integers")?;
    ensure(groups.len() == low_rank, || {
        format!("attribute 'reassociation' must have {low_rank} groups, found {}", groups.len())
    })?;
    let flat: Vec<i64> = groups.concat();
    let expected: Vec<i64> = (0..high_rank as i64).collect();
    ensure(flat == expected || low_rank == 0 && flat.is_empty(), || {
        format!("attribute 'reassociation' must list the dimensions 0 to {high_rank} in order, found {flat:?}")
    })?;
    let (low_shape, high_shape) = (low.shape().unwrap_or_default(), high.shape().unwrap_or_default());
    for (group, &extent) in groups.iter().zip(&low_shape) {
        let product = group.iter().map(|&axis| high_shape[axis as usize]).product::<Option<i64>>();
        let fits = match (product, extent) {
            (Some(product), Some(extent)) => product == extent,
            (None, Some(_)) | (None, None) => true,
            (Some(_), None) => false,
        };
        ensure(fits, || format!("dimensions {group:?} of {high} do not make up one of {low}"))?;
    }
    Ok(())
}

/// The groups of `reassociation`.
pub fn reassociation(body: &Body, op: Op) -> Option<Vec<Arc<[i64]>>> {
    body.attribute(op, "reassociation")?.as_array()?.iter().map(Attribute::as_integers).collect()
}

/// A container and an index.
pub(crate) fn verify_dim(body: &Body, op: Op) -> Check {
    all_index(body, op, 1)?;
    let result = result_type(body, op, 0);
    ensure(*result == Type::Index, || format!("result must be index, found {result}"))?;
    match (operand_type(body, op, 0).rank(), constant_integer(body, body.operand(op, 1))) {
        (Some(rank), Some(axis)) => {
            ensure((0..rank as i64).contains(&axis), || format!("dimension {axis} of {}", operand_type(body, op, 0)))
        }
        _ => Ok(()),
    }
}

/// The extent, if the type has it.
pub(crate) fn fold_dim(body: &Body, op: Op) -> Option<Vec<Folded>> {
    let axis = constant_integer(body, body.operand(op, 1))?;
    let extent = operand_type(body, op, 0).shape()?.get(usize::try_from(axis).ok()?).copied()??;
    Some(vec![Folded::Constant(Attribute::index(extent))])
}

/// A cast back to the original type.
pub(crate) fn fold_cast(body: &Body, op: Op) -> Option<Vec<Folded>> {
    let operand = body.operand(op, 0);
    (body.value_type(operand) == result_type(body, op, 0)).then(|| vec![Folded::Value(operand)])
}

/// Checks the number of dynamic sizes, from operand `from` on, against the dynamic extents of the type.
pub(crate) fn verify_dynamic_sizes(body: &Body, op: Op, from: usize, count: usize, r#type: &Type) -> Check {
    all_index(body, op, from)?;
    let shape = r#type.shape().ok_or_else(|| format!("result must be ranked, found {type}"))?;
    let dynamic = shape.iter().filter(|extent| extent.is_none()).count();
    ensure(dynamic == count, || format!("{type} takes {dynamic} dynamic sizes, found {count}"))
}

/// One index for each dimension of `container`, from operand `from` on.
pub(crate) fn verify_indices(body: &Body, op: Op, from: usize, count: usize, container: &Type) -> Check {
    let rank = container.rank().ok_or_else(|| format!("expects a ranked container, found {container}"))?;
    ensure(count == rank, || format!("{container} takes {rank} indices, found {count}"))?;
    for (at, &value) in body.op(op).operands()[from..from + count].iter().enumerate() {
        let r#type = body.value_type(value);
        ensure(*r#type == Type::Index, || format!("index #{at} must be index, found {type}"))?;
    }
    Ok(())
}
