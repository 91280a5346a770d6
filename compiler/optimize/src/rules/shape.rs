//! Data movement and views.

use std::sync::Arc;

use egg::Id;
use ir::{Attribute, DimExpr};

use super::{Match, Rule, exact, exact_by};
use crate::graph::Graph;

pub(super) const RULES: &[Rule] = &[
    // an identity
    exact("identity", "Identity(x)", "x"),
    // an identity permutation
    exact("transpose-identity", "Transpose:t(x)", "x").when(|m| {
        permutation(m, "t")
            .is_some_and(|permutation| permutation.iter().enumerate().all(|(to, &from)| to as i64 == from))
    }),
    // two permutations are one
    exact_by("transpose-transpose", "Transpose:outer(Transpose:inner(x))", |m| {
        let (outer, inner) = (permutation(m, "outer")?, permutation(m, "inner")?);
        let composed: Option<Vec<i64>> = outer.iter().map(|&axis| inner.get(axis as usize).copied()).collect();
        let x = m.get("x");
        m.op("Transpose", &[x], [("perm", Attribute::i64_array(&composed?))])
    }),
    // moving extents of 1 moves no element
    exact_by("transpose-reshape", "Transpose:t(x)", |m| {
        let (permutation, shape) = (permutation(m, "t")?, m.shape("x")?);
        let moved: Vec<i64> =
            permutation.iter().copied().filter(|&axis| shape[axis as usize] != DimExpr::ONE).collect();
        let x = m.get("x");
        if moved.is_sorted() { m.reshape_to_root(x) } else { None }
    }),
    // the shape is the same already
    exact("reshape-identity", "Reshape(x, s)", "x"),
    exact("expand-identity", "Expand(x, s)", "x"),
    exact("flatten-identity", "Flatten(x)", "x"),
    exact("tile-identity", "Tile(x, 1)", "x"),
    exact("squeeze-nothing", "Squeeze(x, axes)", "x"),
    // only the last of two views matters
    exact_by("reshape-reshape", "Reshape(Reshape(x, s), t)", renamed),
    exact_by("squeeze-reshape", "Reshape(Squeeze(x, a), t)", renamed),
    exact_by("unsqueeze-reshape", "Reshape(Unsqueeze(x, a), t)", renamed),
    exact_by("flatten-reshape", "Reshape(Flatten(x), t)", renamed),
    exact_by("reshape-flatten", "Flatten(Reshape(x, s))", renamed),
    exact_by("reshape-squeeze", "Squeeze(Reshape(x, s), a)", renamed),
    exact_by("reshape-unsqueeze", "Unsqueeze(Reshape(x, s), a)", renamed),
    // Squeeze and Unsqueeze undo each other
    exact("unsqueeze-squeeze", "Squeeze(Unsqueeze(x, a), b)", "x"),
    exact("squeeze-unsqueeze", "Unsqueeze(Squeeze(x, a), b)", "x"),
    // views are reshapes
    exact_by("squeeze-view", "Squeeze(x, a)", renamed),
    exact_by("unsqueeze-view", "Unsqueeze(x, a)", renamed),
    exact_by("flatten-view", "Flatten(x)", renamed),
    // a conversion to the type it has
    exact("cast-identity", "Cast(x)", "x"),
    // a wider type represents every value; a text has the digits of the type that it was made of
    exact_by("cast-cast", "Cast:outer(c@Cast(x))", |m| {
        let lossless = match (m.element("x"), m.element("c")) {
            (ir::Type::Float(from), ir::Type::Float(through)) => {
                let is_text = matches!(m.root_element(), ir::Type::Dialect(_));
                from.width() < through.width() && from.width() >= 16 && !is_text
            }
            (ir::Type::Integer(from), ir::Type::Integer(through)) => {
                from.signedness == through.signedness && 1 < from.width && from.width <= through.width
            }
            _ => false,
        };
        let (x, attributes) = (m.get("x"), m.attributes("outer"));
        if lossless { m.op("Cast", &[x], attributes) } else { None }
    }),
    // a single part
    exact("concat-one", "Concat(x)", "x"),
    // a slice of everything
    exact("slice-all", "Slice(x, starts, ends, axes, steps)", "x").when(|m| covers(m, true)),
    exact("slice-all-plain", "Slice(x, starts, ends, axes, _)", "x").when(|m| covers(m, false)),
    // no padding
    exact("pad-nothing", "Pad(x, 0)", "x"),
    exact("pad-nothing-with", "Pad(x, 0, v)", "x"),
];

/// The same elements with the root's shape, without intermediate reshapes.
fn renamed(m: &mut Match<'_, '_>) -> Option<Id> {
    let x = m.get("x");
    m.reshape_to_root(x)
}

/// The axes of a Transpose; the default reverses them.
fn permutation(m: &Match<'_, '_>, label: &str) -> Option<Arc<[i64]>> {
    let rank = m.root_shape()?.len() as i64;
    Some(m.attributes(label).integers("perm").unwrap_or_else(|| (0..rank).rev().collect()))
}

/// Whether a Slice of the root's extents starts at 0 with step 1, so that it is all of `x`.
fn covers(m: &Match<'_, '_>, steps: bool) -> bool {
    let all = |name: &str, number: i64| m.integers(name).is_some_and(|found| found.iter().all(|&n| n == number));
    all("starts", 0) && (!steps || all("steps", 1))
}

impl Graph<'_> {
    /// The same elements with a static shape.
    pub(crate) fn reshape(&mut self, class: Id, shape: &[i64]) -> Option<Id> {
        let dims: Vec<DimExpr> = shape.iter().map(|&extent| DimExpr::Constant(extent)).collect();
        if self.data(class).shape.as_ref() == Some(&dims) {
            return Some(class);
        }
        if let Some(literal) = self.reshaped(class, shape) {
            return Some(literal);
        }
        let target = self.integer_list(shape)?;
        self.op("Reshape", &[class, target], [])
    }
}
