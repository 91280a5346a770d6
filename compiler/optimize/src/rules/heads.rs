//! Shared attention heads: matrix products with tensors that are repeated along a batch axis.
//!
//! Queries may have more heads than keys and values. Exporters repeat the latter to match the number of heads; the
//! matrix product can broadcast instead, if the heads that share one form a separate axis.

use egg::Id;
use ir::{Attribute, DimExpr};

use super::{Match, Rule, reassoc_by};

pub(super) const RULES: &[Rule] = &[
    // x repeat(y) = join(group(x) y)
    reassoc_by("matmul-repeat", "MatMul(x, v@Reshape(r@Expand(y, e), s))", |m| grouped_product(m, false)),
    // x repeat(y)^T = join(group(x) y^T)
    reassoc_by("matmul-repeat-transposed", "MatMul(x, Transpose:t(v@Reshape(r@Expand(y, e), s)))", |m| {
        let permutation = m.attributes("t").integers("perm")?;
        let rank = permutation.len() as i64;
        let (rows, columns) = ((0..rank - 2), [rank - 1, rank - 2]);
        let turns = rows.chain(columns).eq(permutation.iter().copied());
        if turns { grouped_product(m, true) } else { None }
    }),
];

/// The product of `x`, with its heads in groups, and `y`, which has one head per group.
fn grouped_product(m: &mut Match<'_, '_>, transposed: bool) -> Option<Id> {
    let (axis, groups, repeats) = repetition(m)?;
    let (x, y, shape) = (m.get("x"), m.get("y"), m.shape("x")?);
    let rank = shape.len();
    if m.rank("v") != Some(rank) || shape[..=axis] != m.shape("v")?[..=axis] {
        return None;
    }
    let numbers = m.graph.integer_list(&[groups, repeats])?;
    let (before, after) = (extents(m, x, 0, axis)?, extents(m, x, axis + 1, rank)?);
    let split = m.op("Concat", &[before, numbers, after], [("axis", Attribute::i64(0))])?;
    let grouped = m.op("Reshape", &[x, split], [])?;
    let shared = if transposed {
        let axes: Vec<i64> = (0..rank as i64 - 1).chain([rank as i64, rank as i64 - 1]).collect();
        m.op("Transpose", &[y], [("perm", Attribute::i64_array(&axes))])?
    } else {
        y
    };
    let product = m.op("MatMul", &[grouped, shared], [])?;
    let (rows, columns) = (extents(m, x, 0, rank - 1)?, extents(m, product, rank, rank + 1)?);
    let joined = m.op("Concat", &[rows, columns], [("axis", Attribute::i64(0))])?;
    m.op("Reshape", &[product, joined], [])
}

/// If `v` is `y` with every element of a batch axis repeated: the axis, its extent in `y`, and the number of
/// repetitions.
fn repetition(m: &Match<'_, '_>) -> Option<(usize, i64, i64)> {
    let (v, r, y) = (m.shape("v")?, m.shape("r")?, m.shape("y")?);
    let repeated = (1..r.len().checked_sub(2)?).find(|&axis| y.get(axis) != r.get(axis))?;
    let others = |shape: &[DimExpr]| [&shape[..repeated], &shape[repeated + 1..]].concat();
    let is_one = y.len() == r.len() && y[repeated] == DimExpr::ONE && others(y) == others(r);
    let joined = [&r[..repeated - 1], &[r[repeated - 1].mul(&r[repeated])], &r[repeated + 1..]].concat();
    if !is_one || joined != v {
        return None;
    }
    Some((repeated - 1, r[repeated - 1].as_constant()?, r[repeated].as_constant()?))
}

/// Extents `from` to `to` of a class, as a list.
fn extents(m: &mut Match<'_, '_>, class: Id, from: usize, to: usize) -> Option<Id> {
    m.op("Shape", &[class], [("start", Attribute::i64(from as i64)), ("end", Attribute::i64(to as i64))])
}
