//! Data-dependent indices.
//!
//! Indices are clamped where they are used, so that no address leaves its buffer. Whether all of them were in bounds is
//! a separate reduction, which the host function asserts.

use dialects::{arith, tensor};
use ir::{AffineExpr, AffineMap, DimExpr, Type, Value};

use super::Lowering;
use super::reduction::{Combine, Fold, Shaped};
use super::scalars::{Comparison, Scalars};
use dialects::linalg::generic::Input;

/// Inside a body: an index with ONNX's meaning (negative ones count from the end), clamped to `[0, extent)`.
pub(crate) fn bounded(s: &mut Scalars<'_, '_>, index: Value, extent: Value) -> Value {
    let index = as_index(s, index);
    let position = from_front(s, index, extent);
    let (zero, one) = (s.number(0.0, &Type::Index), s.number(1.0, &Type::Index));
    let last = s.sub(extent, one);
    let last = s.max(last, zero);
    // unsigned, so that negative numbers are large
    Scalars { builder: s.builder, unsigned: true }.min(position, last)
}

/// An index counted from the front, where negative ones count from the end; it may be out of bounds.
pub(crate) fn from_front(s: &mut Scalars<'_, '_>, index: Value, extent: Value) -> Value {
    let zero = s.number(0.0, &Type::Index);
    let negative = s.compare(Comparison::Less, index, zero);
    let from_end = s.add(index, extent);
    s.select(negative, from_end, index)
}

pub(crate) fn as_index(s: &mut Scalars<'_, '_>, value: Value) -> Value {
    if *s.builder.body.value_type(value) == Type::Index {
        return value;
    }
    s.builder.value(arith::INDEX_CAST, &[value], Type::Index, [])
}

/// Asserts on the host that every element of `indices` is in `[-extent, extent)`.
pub(crate) fn assert_bounds(lowering: &mut Lowering<'_>, source: Value, extent: &DimExpr, name: &str) {
    let known = lowering.shapes.known_value(source).map(<[DimExpr]>::to_vec);
    let inside = |index: &DimExpr| match (index.as_constant(), extent.as_constant()) {
        (Some(index), Some(extent)) => (extent.saturating_neg()..extent).contains(&index),
        _ => false,
    };
    if known.is_some_and(|known| known.iter().all(inside)) {
        return;
    }
    let indices = lowering.shaped(source);
    assert_component(lowering, &indices, extent, name);
}

/// One component of every index tuple.
pub(crate) fn component_of(lowering: &mut Lowering<'_>, picks: &Shaped, component: usize) -> Shaped {
    let outer = picks.shape.len() - 1;
    let shape = picks.shape[..outer].to_vec();
    let mut results: Vec<AffineExpr> = (0..outer as u32).map(AffineExpr::Dim).collect();
    results.push(AffineExpr::Constant(component as i64));
    let map = AffineMap::new(outer as u32, results);
    let element = lowering.body.value_type(picks.value).element().clone();
    let value = lowering.pointwise(&[Input { value: picks.value, map }], &shape, element, |_, e| e[0]);
    Shaped { value, shape }
}

/// Asserts on the host that every element of `indices` is in `[-extent, extent)`.
pub(crate) fn assert_component(lowering: &mut Lowering<'_>, indices: &Shaped, extent: &DimExpr, name: &str) {
    let limit = lowering.dim(extent);
    let axes: Vec<usize> = (0..indices.shape.len()).collect();
    // the combined value is negative if any index is too small or too large
    let signs = lowering.reduce(indices, &axes, false, Fold::new(Combine::Or, Type::I64, false), |s, x| {
        let index = s.cast(x, &Type::I64, false, false);
        let limit = s.builder.value(arith::INDEX_CAST, &[limit], Type::I64, []);
        let (one, all) = (s.number(1.0, &Type::I64), s.add(limit, limit));
        let last = s.sub(all, one);
        let above = s.add(index, limit);
        let below = s.sub(last, above);
        s.same(arith::ORI, &[above, below])
    });
    let truth = lowering.scalars(|s| {
        let signs = s.builder.value_from(tensor::Extract { tensor: signs.value, indices: &[] }, Type::I64, []);
        let zero = s.number(0.0, &Type::I64);
        s.compare(Comparison::GreaterOrEqual, signs, zero)
    });
    lowering.check(truth, format!("an index of {name} is out of bounds"));
}

impl Lowering<'_> {
    /// The only element of a source tensor as an `index` value.
    pub fn scalar_index(&mut self, source: Value) -> Value {
        if let Some([only]) = self.shapes.known_value(source).map(<[DimExpr]>::to_vec).as_deref() {
            return self.dim(only);
        }
        let loaded = self.only_element(source);
        self.scalars(|s| {
            let integer = s.cast(loaded, &Type::I64, false, false);
            as_index(s, integer)
        })
    }

    /// The only element of a source tensor.
    pub fn only_element(&mut self, source: Value) -> Value {
        let shape = self.shape(source);
        let (rank, count) = (shape.len(), DimExpr::product(&shape));
        self.check_equal(&count, &DimExpr::ONE, "an operand is one number, but does not have one element");
        let tensor = self.value(source);
        let zero = self.index(0);
        let element = self.body.value_type(tensor).element().clone();
        self.builder().value_from(tensor::Extract { tensor, indices: &vec![zero; rank] }, element, [])
    }
}
