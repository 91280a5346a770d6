//! Sparse tensors.

use std::borrow::Cow;

use proto::{DataType, SparseTensorProto, TensorProto};

use super::tensors::{element_count, is_external};
use crate::{Finder, Rule, Visit, error, violation};

const SPARSE: &str = "onnx.proto, SparseTensorProto";
const INDICES: &str = "onnx.proto, SparseTensorProto.indices";

/// The maximum number of elements of a sparse tensor made dense: 2^40 bytes of the narrowest type.
const ELEMENT_LIMIT: u128 = 1 << 36;

pub(super) const RULES: &[Rule] = &[
    error("sparse-complete", SPARSE, "A sparse tensor has values and indices.", Finder::Sparse(complete)),
    error(
        "sparse-extents",
        "onnx.proto, SparseTensorProto.dims",
        "A sparse tensor has extents, which are positive.",
        Finder::Sparse(extents),
    ),
    error("sparse-size", SPARSE, "A sparse tensor has a dense size that a machine can address.", Finder::Sparse(size)),
    error(
        "sparse-values-rank",
        "onnx.proto, SparseTensorProto.values",
        "The values of a sparse tensor have rank 1.",
        Finder::Sparse(values_rank),
    ),
    error("sparse-index-type", INDICES, "The indices of a sparse tensor are int64.", Finder::Sparse(index_type)),
    error(
        "sparse-index-shape",
        INDICES,
        "Each value has an index: either linear, or one coordinate for each axis.",
        Finder::Sparse(index_shape),
    ),
    error("sparse-index-range", INDICES, "Every index is inside the tensor.", Finder::Sparse(index_range)),
    error("sparse-index-unique", INDICES, "No index occurs twice.", Finder::Sparse(index_unique)),
    violation("sparse-index-order", INDICES, "The indices ascend.", Finder::Sparse(index_order)),
];

fn complete(visit: &mut Visit<'_, '_>, sparse: &SparseTensorProto) {
    visit.expect(sparse.values.is_some() && sparse.indices.is_some(), || "lacks its values or its indices".into());
}

fn extents(visit: &mut Visit<'_, '_>, sparse: &SparseTensorProto) {
    let holds = !sparse.dims.is_empty() && sparse.dims.iter().all(|&extent| extent > 0);
    visit.expect(holds, || format!("has extents {:?}", sparse.dims));
}

fn size(visit: &mut Visit<'_, '_>, sparse: &SparseTensorProto) {
    let is_shape = sparse.dims.iter().all(|&extent| extent > 0);
    let fits = element_count(&sparse.dims).is_some_and(|count| count <= ELEMENT_LIMIT);
    visit.expect(!is_shape || fits, || format!("is of shape {:?}, which is too large", sparse.dims));
}

fn values_rank(visit: &mut Visit<'_, '_>, sparse: &SparseTensorProto) {
    let Some(values) = &sparse.values else { return };
    visit.expect(values.dims.len() == 1, || format!("has values of shape {:?}", values.dims));
}

fn index_type(visit: &mut Visit<'_, '_>, sparse: &SparseTensorProto) {
    let Some(indices) = &sparse.indices else { return };
    visit.expect(indices.data_type == DataType::Int64 as i32, || {
        format!("has indices of {}", proto::type_name(indices.data_type))
    });
}

/// Whether there is an index for each value, in either form.
fn fits(sparse: &SparseTensorProto, values: &TensorProto, indices: &TensorProto) -> bool {
    let count = values.dims.first().copied().unwrap_or(1);
    indices.dims == [count] || indices.dims == [count, sparse.dims.len() as i64]
}

fn index_shape(visit: &mut Visit<'_, '_>, sparse: &SparseTensorProto) {
    let (Some(values), Some(indices)) = (&sparse.values, &sparse.indices) else { return };
    visit.expect(values.dims.len() != 1 || fits(sparse, values, indices), || {
        format!("has {:?} values, but indices of shape {:?}", values.dims, indices.dims)
    });
}

/// The indices, and how many integers form one index, if the tensor is valid as far as that needs.
fn indices(sparse: &SparseTensorProto) -> Option<(Cow<'_, [i64]>, usize)> {
    let (values, indices) = (sparse.values.as_ref()?, sparse.indices.as_ref()?);
    let is_right = indices.data_type == DataType::Int64 as i32 && !is_external(indices) && values.dims.len() == 1;
    let has_extents = !sparse.dims.is_empty() && sparse.dims.iter().all(|&extent| extent > 0);
    if !is_right || !fits(sparse, values, indices) || !has_extents {
        return None;
    }
    let numbers = indices.integers()?;
    let is_whole = element_count(&indices.dims) == Some(numbers.len() as u128);
    let width = if indices.dims.len() == 2 { sparse.dims.len() } else { 1 };
    is_whole.then_some((numbers, width))
}

fn index_range(visit: &mut Visit<'_, '_>, sparse: &SparseTensorProto) {
    let (Some((numbers, width)), Some(count)) = (indices(sparse), element_count(&sparse.dims)) else { return };
    let is_tuple = sparse.indices.as_ref().is_some_and(|indices| indices.dims.len() == 2);
    let inside = |at: usize, number: i64| {
        let extent = if is_tuple { sparse.dims[at % width] as u128 } else { count };
        u128::try_from(number).is_ok_and(|number| number < extent)
    };
    if let Some(at) = numbers.iter().enumerate().position(|(at, &number)| !inside(at, number)) {
        visit.found(|| format!("has index {} for value {}, of shape {:?}", numbers[at], at / width, sparse.dims));
    }
}

fn index_order(visit: &mut Visit<'_, '_>, sparse: &SparseTensorProto) {
    let Some((numbers, width)) = indices(sparse) else { return };
    let tuples: Vec<&[i64]> = numbers.chunks(width).collect();
    if let Some(at) = tuples.windows(2).position(|pair| pair[0] > pair[1]) {
        visit.found(|| format!("has index {:?} after {:?}", tuples[at + 1], tuples[at]));
    }
}

fn index_unique(visit: &mut Visit<'_, '_>, sparse: &SparseTensorProto) {
    let Some((numbers, width)) = indices(sparse) else { return };
    let mut tuples: Vec<&[i64]> = numbers.chunks(width).collect();
    if !tuples.is_sorted() {
        tuples.sort_unstable();
    }
    if let Some(at) = tuples.windows(2).position(|pair| pair[0] == pair[1]) {
        visit.found(|| format!("has index {:?} twice", tuples[at]));
    }
}
