//! Extents and sizes in bytes, as values of the host function.
//!
//! Invariant: no memory is allocated for a tensor, and no loop runs over it, before its extents are checked to be at
//! least zero and its size at most [`LIMIT`]. Therefore sums of the sizes of several tensors do not overflow.

use dialects::arith::{CmpFPredicate, CmpIPredicate};
use dialects::{Dialect, OpCode, OpCodes, arith, tensor};
use ir::{Attribute, Block, Diagnostic, Location, Op, Type, Value};

use super::Host;

/// The maximum size of a tensor in bytes.
pub(super) const LIMIT: i64 = 1 << 40;

/// The size of a tensor in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Size {
    Static(i64),
    /// `fits` is true if the extents are valid; `bytes` is 0 if they are not.
    Dynamic {
        bytes: Value,
        fits: Value,
    },
}

impl Host<'_> {
    /// Emits every scalar operation of a block after `previous` that only depends on values that are known there.
    pub(super) fn hoist_sizes(&mut self, block: Block, previous: Option<Op>) {
        let ops = self.source.ops_after(block, previous).to_vec();
        for op in ops {
            let ready = match self.source.code(op) {
                // an assertion before it may be that the divisor, which was read from memory, is not 0
                Some(code) if previous.is_some() && is_division(code) => false,
                Some(tensor::DIM) => self.buffers.contains_key(&tensor::Dim::of(&self.source, op).source),
                Some(arith::CONSTANT) => !matches!(self.source.value_type(self.source.result(op, 0)), Type::Tensor(_)),
                Some(code) if code.dialect() == Dialect::Arith => {
                    self.source.op(op).operands().iter().all(|operand| self.scalars.contains_key(operand))
                }
                _ => false,
            };
            if ready {
                self.scalar_op(op);
            }
        }
    }

    pub(super) fn scalar_op(&mut self, op: Op) {
        let result = self.source.result(op, 0);
        if self.scalars.contains_key(&result) {
            return;
        }
        let operation = self.source.op(op).clone();
        let new = match OpCode::of_name(&operation.name) {
            Some(tensor::DIM) => {
                let tensor::Dim { source, index } = tensor::Dim::of(&self.source, op);
                let axis_op = self.source.defining_op(index).expect("the axis is a constant");
                let axis = self.source.op(axis_op).attributes.integer("value").expect("the axis is a constant");
                self.buffers[&source].extents[axis as usize]
            }
            _ => {
                let operands: Vec<Value> = operation.operands().iter().map(|o| self.scalars[o]).collect();
                let r#type = self.source.value_type(result).clone();
                self.pure(operation.name, &operands, r#type, operation.attributes)
            }
        };
        self.scalars.insert(result, new);
    }

    /// The size of a tensor; an error if it is always invalid. `location` is that of the operation.
    pub(super) fn size_of(&mut self, tensor: &Type, extents: &[Value], location: &Location) -> ir::Result<Size> {
        let shape = tensor.shape().expect("structured tensors are ranked");
        let width = tensor.element().byte_width().expect("tensor elements have a width") as i64;
        // loops run over the other extents of an empty tensor, too
        let known = shape.iter().flatten().try_fold(width, |size, &extent| {
            size.checked_mul(extent.max(1)).filter(|&size| extent >= 0 && size <= LIMIT)
        });
        let Some(known) = known else {
            let extent = |extent: &Option<i64>| extent.map_or("?".to_string(), |extent| extent.to_string());
            let extents = shape.iter().map(extent).collect::<Vec<_>>().join(", ");
            let message = format!("a tensor of shape [{extents}] takes more than {LIMIT} bytes");
            return Err(Diagnostic::input(location.clone(), message).into());
        };
        let dynamic: Vec<Value> =
            shape.iter().zip(extents).filter(|(extent, _)| extent.is_none()).map(|(_, &value)| value).collect();
        let step = if shape.contains(&Some(0)) { 0 } else { known };
        if dynamic.is_empty() {
            return Ok(Size::Static(step));
        }
        let mut bytes = self.index(step);
        for &extent in &dynamic {
            bytes = self.pure(arith::MULI, &[bytes, extent], Type::Index, []);
        }
        let fits = self.fits(&dynamic, LIMIT / known);
        let zero = self.index(0);
        let bytes = arith::Select { condition: fits, true_value: bytes, false_value: zero };
        let bytes = self.pure_from(bytes, Type::Index, []);
        Ok(Size::Dynamic { bytes, fits })
    }

    /// Whether extents are at least zero and their product, with zeros counted as ones, is at most `limit`.
    fn fits(&mut self, extents: &[Value], limit: i64) -> Value {
        if let [extent] = extents {
            let limit = self.index(limit);
            return self.pure(arith::CMPI, &[*extent, limit], Type::I1, [CmpIPredicate::Ule.attribute()]);
        }
        let (zero, one) = (self.index(0), self.index(1));
        let (mut signs, mut product) = (zero, None);
        for &extent in extents {
            signs = self.pure(arith::ORI, &[signs, extent], Type::Index, []);
            let counted = self.pure(arith::MAXSI, &[extent, one], Type::Index, []);
            let counted = self.pure(arith::INDEX_CAST, &[counted], Type::I64, []);
            // products in f64 do not overflow, and are exact up to the limit
            let counted = self.pure(arith::SITOFP, &[counted], Type::F64, []);
            product = Some(match product {
                Some(product) => self.pure(arith::MULF, &[product, counted], Type::F64, []),
                None => counted,
            });
        }
        let product = product.expect("there is a dynamic extent");
        let positive = self.pure(arith::CMPI, &[signs, zero], Type::I1, [CmpIPredicate::Sge.attribute()]);
        let limit = Attribute::Float((limit as f64).to_bits(), Type::F64);
        let limit = self.pure(arith::CONSTANT, &[], Type::F64, [("value", limit)]);
        let small = self.pure(arith::CMPF, &[product, limit], Type::I1, [CmpFPredicate::Ole.attribute()]);
        self.pure(arith::ANDI, &[positive, small], Type::I1, [])
    }

    /// A size as a value, after an assertion that it is valid.
    pub(super) fn checked_bytes(&mut self, size: Size, location: &Location) -> Value {
        let (bytes, fits) = match size {
            Size::Static(bytes) => return self.index(bytes),
            Size::Dynamic { bytes, fits } => (bytes, fits),
        };
        if self.checked.insert(fits) {
            let node = node_prefix(location);
            let message = format!("{node}an extent of the result is negative, or it takes more than {LIMIT} bytes");
            self.assert(fits, [("msg", Attribute::string(&message))]);
        }
        bytes
    }

    /// The extents of a `tensor.empty`, if all its sizes are already known.
    pub(super) fn destination_extents(&mut self, destination: Value) -> Option<Vec<Value>> {
        let shape = self.source.value_type(destination).shape()?;
        let op = self.source.defining_op(destination)?;
        let mut sizes = self.source.op(op).operands().to_vec().into_iter();
        shape
            .into_iter()
            .map(|extent| match extent {
                Some(extent) => Some(self.index(extent)),
                None => self.scalars.get(&sizes.next()?).copied(),
            })
            .collect()
    }
}

/// Whether an operation traps if an operand is 0.
fn is_division(code: OpCode) -> bool {
    matches!(
        code,
        arith::DIVSI
            | arith::DIVUI
            | arith::REMSI
            | arith::REMUI
            | arith::FLOORDIVSI
            | arith::CEILDIVSI
            | arith::CEILDIVUI
    )
}

/// The prefix of a run's messages: the node, the last one of several.
pub(super) fn node_prefix(location: &Location) -> String {
    match location {
        Location::Fused(parts) => parts.last().map(node_prefix).unwrap_or_default(),
        one => one.place().map(|place| format!("{place}: ")).unwrap_or_default(),
    }
}
