//! Recognises attention: a product of scores, row-wise operations on them, and a product that sums values weighted by
//! the result.

use ir::{AffineExpr, Body, Op};

use crate::contraction::{Columns, Contraction, Shape};
use crate::kernel::products::{First, start_of};
use dialects::linalg::generic::Generic;
use dialects::rt::tile::Kind;

/// A product of two f32 tensors.
pub(crate) struct Product {
    pub(crate) generic: Generic,
    pub(crate) roles: Contraction,
}

impl Product {
    /// An operation, if it is one.
    pub(crate) fn of(body: &Body, op: Op) -> Option<Product> {
        let generic = Generic::of(body, op)?;
        let roles = Contraction::of(body, &generic)?;
        let fits = roles.shape == Shape::Product
            && matches!(roles.kind, Kind::F32 | Kind::F32Transposed)
            && !roles.rows.is_empty();
        fits.then_some(Product { generic, roles })
    }

    /// Whether the left operand may be computed for a block of rows of `scores` at a time, in memory for this block
    /// alone: the reduction runs over a row of it, and it differs for every step of the loops around rows and columns.
    /// Rows of the scores are those of the result.
    pub(crate) fn weighs(&self, body: &Body, scores: &Product) -> bool {
        let Product { generic, roles } = self;
        let Some(axes) = left_axes(generic, roles) else { return false };
        let &[.., row, Some(last)] = &axes[..] else { return false };
        let extents = generic.extents(body);
        let is_used = |dim: &usize| axes.contains(&Some(*dim)) || extents[*dim] == Some(1);
        let sums_rows = roles.reduction == [last] && row == roles.rows.first().copied();
        sums_rows && roles.batch.iter().chain(&roles.rows).all(is_used) && scores.writes_rows(body)
    }

    /// Whether the result's last two axes are a row loop and the column loop, and sums start from zero.
    fn writes_rows(&self, body: &Body) -> bool {
        let Product { generic, roles } = self;
        let Columns::Single { dim: column, .. } = roles.columns else { return false };
        let starts_from_zero = matches!(start_of(body, generic, roles), First::Zero);
        let map = generic.output_map(0).as_projected_permutation();
        let in_order =
            map.is_some_and(|map| matches!(map[..], [.., row, last] if row == roles.rows[0] && last == column));
        starts_from_zero && in_order
    }
}

/// The loop that indexes each axis of a contraction's left operand, if there is one: axes of extent 1 are read at 0.
pub(crate) fn left_axes(generic: &Generic, roles: &Contraction) -> Option<Vec<Option<usize>>> {
    let axis = |subscript: &AffineExpr| match subscript {
        AffineExpr::Dim(dim) => Some(Some(*dim as usize)),
        AffineExpr::Constant(0) => Some(None),
        _ => None,
    };
    generic.maps[roles.left].results.iter().map(axis).collect()
}
