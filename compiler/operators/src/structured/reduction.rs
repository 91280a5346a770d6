//! Reductions of lowered tensors.

use dialects::arith;
use ir::{AffineExpr, AffineMap, Attribute, DimExpr, FloatType, Type, Value};

use super::scalars::Scalars;
use super::{Lowering, Unsupported};
use dialects::linalg::generic::{Input, Iterator};

/// The function that combines the elements of a reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    /// Sum.
    Add,
    /// Product.
    Mul,
    /// Largest.
    Max,
    /// Smallest.
    Min,
    /// Bitwise or.
    Or,
}

impl Combine {
    /// The neutral element.
    pub(crate) fn neutral(self, element: &Type, unsigned: bool) -> Attribute {
        let width = element.bit_width().unwrap_or(64);
        let signed_min = i64::MIN >> (64 - width);
        match (self, element) {
            (Combine::Add, Type::Float(_)) => Attribute::float(0.0, element.clone()),
            (Combine::Mul, Type::Float(_)) => Attribute::float(1.0, element.clone()),
            (Combine::Max, Type::Float(_)) => Attribute::float(f64::NEG_INFINITY, element.clone()),
            (Combine::Min, Type::Float(_)) => Attribute::float(f64::INFINITY, element.clone()),
            (Combine::Max | Combine::Or, t) if *t == Type::I1 => Attribute::Bool(false),
            (Combine::Min, t) if *t == Type::I1 => Attribute::Bool(true),
            (Combine::Add | Combine::Or, _) => Attribute::Integer(0, element.clone()),
            (Combine::Mul, _) => Attribute::Integer(1, element.clone()),
            (Combine::Max, _) => Attribute::Integer(if unsigned { 0 } else { signed_min }, element.clone()),
            (Combine::Min, _) => Attribute::Integer(if unsigned { -1 } else { !signed_min }, element.clone()),
        }
    }

    /// The two elements combined.
    pub(crate) fn apply(self, s: &mut Scalars<'_, '_>, a: Value, b: Value) -> Value {
        let truth = *s.builder.body.value_type(a) == Type::I1;
        match self {
            Combine::Add => s.add(a, b),
            Combine::Mul => s.mul(a, b),
            Combine::Max if truth => s.same(arith::ORI, &[a, b]),
            Combine::Or => s.same(arith::ORI, &[a, b]),
            Combine::Min if truth => s.same(arith::ANDI, &[a, b]),
            Combine::Max => s.max(a, b),
            Combine::Min => s.min(a, b),
        }
    }
}

/// The function that combines the elements of a reduction, and its type.
#[derive(Clone, Debug)]
pub(crate) struct Fold {
    pub(crate) combine: Combine,
    pub(crate) element: Type,
    pub(crate) unsigned: bool,
}

impl Fold {
    /// Combines elements of a type.
    pub(crate) fn new(combine: Combine, element: Type, unsigned: bool) -> Fold {
        Fold { combine, element, unsigned }
    }

    /// The neutral element.
    pub(crate) fn neutral(&self) -> Attribute {
        self.combine.neutral(&self.element, self.unsigned)
    }
}

/// A tensor below the graph level with its symbolic shape.
#[derive(Clone, Debug)]
pub struct Shaped {
    /// The tensor.
    pub value: Value,
    /// Its shape.
    pub shape: Vec<DimExpr>,
}

impl Lowering<'_> {
    /// A source value with its shape.
    pub fn shaped(&mut self, value: Value) -> Shaped {
        Shaped { shape: self.shape(value), value: self.value(value) }
    }

    /// Reduces the elements along `axes`, which keep extent 1 in the result if `keep` is set. `prepare` is applied to
    /// each element first; the result has the type that it returns.
    pub(crate) fn reduce(
        &mut self,
        input: &Shaped,
        axes: &[usize],
        keep: bool,
        fold: Fold,
        prepare: impl FnOnce(&mut Scalars<'_, '_>, Value) -> Value,
    ) -> Shaped {
        let rank = input.shape.len();
        let mut shape = Vec::new();
        let mut results = Vec::new();
        for (axis, dim) in input.shape.iter().enumerate() {
            if !axes.contains(&axis) {
                shape.push(dim.clone());
                results.push(AffineExpr::Dim(axis as u32));
            } else if keep {
                shape.push(DimExpr::Constant(1));
                results.push(AffineExpr::Constant(0));
            }
        }
        let Fold { combine, element, unsigned } = fold;
        let inputs = [Input { value: input.value, map: AffineMap::identity(rank) }];
        if axes.is_empty() {
            // a single term is the result, even if it is -0
            let value = self
                .pointwise(&inputs, &shape, element, |builder, e| prepare(&mut Scalars { builder, unsigned }, e[0]));
            return Shaped { value, shape };
        }
        let neutral = combine.neutral(&element, unsigned);
        let start = self.builder().constant(neutral, element.clone());
        let init = self.pointwise(&[], &shape, element, |_, _| start);
        let iterators: Vec<Iterator> =
            (0..rank).map(|axis| if axes.contains(&axis) { Iterator::Reduction } else { Iterator::Parallel }).collect();
        let value = self.generic_onto(&inputs, init, AffineMap::new(rank as u32, results), &iterators, |builder, e| {
            let mut s = Scalars { builder, unsigned };
            let prepared = prepare(&mut s, e[0]);
            combine.apply(&mut s, e[1], prepared)
        });
        Shaped { value, shape }
    }

    /// An elementwise computation on lowered tensors, broadcast to `shape`.
    pub fn map(
        &mut self,
        inputs: &[&Shaped],
        shape: &[DimExpr],
        element: Type,
        body: impl FnOnce(&mut Scalars<'_, '_>, &[Value]) -> Value,
    ) -> Shaped {
        let inputs: Vec<Input> =
            inputs.iter().map(|input| self.broadcast_input(input.value, &input.shape, shape)).collect();
        let value = self.pointwise(&inputs, shape, element, |builder, elements| {
            body(&mut Scalars { builder, unsigned: false }, elements)
        });
        Shaped { value, shape: shape.to_vec() }
    }

    /// A tensor converted to another float type.
    pub fn in_type(&mut self, tensor: &Shaped, element: &Type) -> Shaped {
        if self.body.value_type(tensor.value).element() == element {
            return tensor.clone();
        }
        self.map(&[tensor], &tensor.shape, element.clone(), |s, e| s.cast(e[0], element, false, false))
    }

    /// The number of elements along `axes`, as a scalar of the given type.
    pub fn count(&mut self, shape: &[DimExpr], axes: &[usize], element: &Type) -> Value {
        let product = DimExpr::product(axes.iter().map(|&axis| &shape[axis]));
        if let Some(count) = product.as_constant() {
            return self.number(count as f64, element);
        }
        let count = self.dim(&product);
        let count = self.builder().value(arith::INDEX_CAST, &[count], Type::I64, []);
        match element {
            Type::Float(_) => self.builder().value(arith::SITOFP, &[count], element.clone(), []),
            t if *t == Type::I64 => count,
            t => self.builder().value(arith::TRUNCI, &[count], t.clone(), []),
        }
    }
}

/// Axis numbers counted from the front; negative ones count from the back.
pub(crate) fn normalize_axis(axis: i64, rank: usize) -> Result<usize, Unsupported> {
    let normalized = if axis < 0 { axis + rank as i64 } else { axis };
    match usize::try_from(normalized) {
        Ok(axis) if axis < rank.max(1) => Ok(axis),
        _ => Err(Unsupported::invalid(format!("axis {axis} is outside a tensor of rank {rank}"))),
    }
}

/// The type of sums: f16 and bf16 accumulate in f32.
pub(crate) fn accumulator(element: &Type) -> Type {
    match element {
        Type::Float(FloatType::F16 | FloatType::BF16) => Type::F32,
        other => other.clone(),
    }
}
