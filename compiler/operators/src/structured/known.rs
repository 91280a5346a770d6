//! Tensors whose elements are known at compile time, so that no code computes them: results of shape inference, and
//! operations on small constants.

use dialects::{arith, linalg};
use ir::{AffineMap, Attribute, Body, DenseElements, DimExpr, Op, Type, Value};

use super::reduction::Shaped;
use super::scalars::{Comparison, Scalars};
use super::{CONSTANT, Lowering};
use crate::literal;
use dialects::linalg::generic::Input;

impl Lowering<'_> {
    /// Binds results whose contents are known from shape inference.
    pub(super) fn bind_known(&mut self, op: Op) -> bool {
        if self.source.name(op) == CONSTANT {
            return false;
        }
        let results = self.source.op(op).results().to_vec();
        let known: Option<Vec<Vec<DimExpr>>> =
            results.iter().map(|&r| self.shapes.known_value(r).map(<[DimExpr]>::to_vec)).collect();
        let Some(known) = known.filter(|known| !known.is_empty()) else { return false };
        // a tensor without elements may still have an extent that is only known from its operation
        if !results.iter().all(|&result| extents(&self.shape(result)).is_some()) {
            return false;
        }
        for (&result, elements) in results.iter().zip(&known) {
            let value = self.known_tensor(result, elements);
            self.bind(result, value);
        }
        true
    }

    fn known_tensor(&mut self, result: Value, elements: &[DimExpr]) -> Value {
        let shape = self.shape(result);
        let element = self.element(result);
        if let Some(numbers) = extents(elements) {
            let r#type = self.tensor(&shape, element);
            return self.constant(literal::of_integers(r#type, &numbers).expect("integers have a width"));
        }
        let scalars: Vec<Value> = elements.iter().map(|dim| self.dim(dim)).collect();
        // element i is selected by comparing the index: these tensors have a handful of elements
        let target = element.clone();
        let rank = shape.len();
        self.pointwise(&[], &shape, element, |builder, _| {
            let mut picked = scalars[0];
            if rank == 1 {
                let index = builder.value(linalg::INDEX, &[], Type::Index, [("dim", Attribute::i64(0))]);
                for (position, &scalar) in scalars.iter().enumerate().skip(1) {
                    let position = builder.constant_index(position as i64);
                    let mut s = Scalars { builder, unsigned: false };
                    let here = s.compare(Comparison::Equal, index, position);
                    picked = s.select(here, scalar, picked);
                }
            }
            match target {
                Type::Index => picked,
                target => builder.value(arith::INDEX_CAST, &[picked], target, []),
            }
        })
    }

    /// The value of a lowered tensor that is a small constant.
    pub(crate) fn literal(&self, tensor: Value) -> Option<&DenseElements> {
        ir::constant_value(&self.body, tensor)?
            .as_dense()
            .map(|dense| &**dense)
            .filter(|dense| literal::is_small(dense))
    }

    /// The integers of a lowered tensor that is a small constant; int8 elements are signed.
    pub(super) fn known_integers_of(&self, tensor: &Shaped) -> Option<Vec<i64>> {
        self.literal(tensor.value)?.integers()
    }

    /// A constant tensor.
    pub(super) fn constant(&mut self, literal: DenseElements) -> Value {
        let r#type = literal.r#type.clone();
        self.builder().constant(Attribute::dense(literal), r#type)
    }

    /// A constant tensor of integers, in the lowest bits of a type or as floats that must represent them.
    pub(super) fn integers(&mut self, numbers: &[i64], shape: &[DimExpr], element: Type) -> Shaped {
        let literal = literal::of_integers(self.tensor(shape, element), numbers);
        Shaped {
            value: self.constant(literal.expect("the element type can represent the values")),
            shape: shape.to_vec(),
        }
    }

    /// A splat constant with static extents.
    pub(super) fn splat(&mut self, number: f64, shape: &[DimExpr], element: &Type) -> Shaped {
        let extents = extents(shape).expect("the extents are known");
        let literal = literal::filled(number, &extents, element).expect("the element type holds the number");
        Shaped { value: self.constant(literal), shape: shape.to_vec() }
    }

    /// The elements that loops over a shape read through a map; those of a small constant are evaluated.
    pub(super) fn copied(&mut self, tensor: Value, map: AffineMap, shape: &[DimExpr]) -> Value {
        let read = |extents: Vec<i64>| literal::read(self.literal(tensor)?, &map, &extents);
        if let Some(copy) = small_extents(shape).and_then(read) {
            return self.constant(copy);
        }
        let element = self.body.value_type(tensor).element().clone();
        self.pointwise(&[Input { value: tensor, map }], shape, element, |_, e| e[0])
    }

    /// A small constant, padded with zeros at the end to a shape.
    pub(super) fn known_padded(&mut self, tensor: &Shaped, shape: &[DimExpr]) -> Option<Shaped> {
        let padded = literal::padded(self.literal(tensor.value)?, &vec![0; shape.len()], &small_extents(shape)?)?;
        Some(Shaped { value: self.constant(padded), shape: shape.to_vec() })
    }

    /// A tensor broadcast to a shape.
    pub(super) fn spread(&mut self, tensor: &Shaped, shape: &[DimExpr]) -> Shaped {
        let Input { value, map } = self.broadcast_input(tensor.value, &tensor.shape, shape);
        Shaped { value: self.copied(value, map, shape), shape: shape.to_vec() }
    }
}

/// Extents, or elements, if all are constants.
fn extents(shape: &[DimExpr]) -> Option<Vec<i64>> {
    shape.iter().map(DimExpr::as_constant).collect()
}

/// The same for tensors with few elements.
fn small_extents(shape: &[DimExpr]) -> Option<Vec<i64>> {
    extents(shape).filter(|extents| extents.iter().product::<i64>() <= literal::ELEMENTS as i64)
}

/// A small or splat constant with another shape; its readers still see a constant.
pub(super) fn reshaped(body: &Body, value: Value, r#type: &Type) -> Option<Attribute> {
    let dense = ir::constant_value(body, value)?.as_dense()?;
    let shape = r#type.static_shape()?;
    let known = (dense.is_splat() && dense.is_available() && dense.element_count() > 0) || literal::is_small(dense);
    let fits = known && r#type.element().byte_width().is_some();
    fits.then(|| Attribute::dense(literal::reshaped(dense, &shape)))
}
