//! Converts operations from tensors to buffers.

use dialects::ml_program::named_global;
use dialects::{Dialect, OpCodes, arith, cf, func, memref, ml_program, rt, scf, tensor};

use ir::{Body, Builder, Diagnostic, Op, Type, Use, Value};

use super::lifetimes::without_casts;
use super::{Buffer, Host};
use crate::extents::destination;

impl Host<'_> {
    pub(super) fn operation(&mut self, op: Op) -> ir::Result<()> {
        match self.source.code(op) {
            Some(func::RETURN | scf::YIELD | scf::CONDITION | ml_program::GLOBAL_STORE) => {}
            Some(tensor::EMPTY) => {
                let result = self.source.result(op, 0);
                if is_read(&self.source, result) {
                    self.own_empty(result, &self.source.op(op).location.clone())?;
                }
            }
            Some(ml_program::GLOBAL_LOAD) => {
                let result = self.source.result(op, 0);
                let name = named_global(&self.source, op).to_string();
                let tensor = self.source.value_type(result).clone();
                let buffer = self.global_buffer(&name, &tensor);
                self.buffers.insert(result, buffer);
            }
            Some(func::CALL) => self.call(op)?,
            Some(arith::CONSTANT) if matches!(self.source.value_type(self.source.result(op, 0)), Type::Tensor(_)) => {
                self.constant(op);
            }
            Some(tensor::CAST) => {
                // a cast of a destination is never a separate buffer
                if let Some(mut buffer) = self.buffers.get(&self.source.sole_operand(op)).cloned() {
                    let result = self.source.result(op, 0);
                    let shape = self.source.value_type(result).shape().unwrap_or_default();
                    for (extent, known) in buffer.extents.iter_mut().zip(shape) {
                        *extent = known.map_or(*extent, |known| self.index(known));
                    }
                    self.buffers.insert(result, buffer);
                }
            }
            Some(tensor::RESHAPE) => {
                let tensor::Reshape { source, shape } = tensor::Reshape::of(&self.source, op);
                let elements = self.source.defining_op(shape).expect("a shape is built from elements");
                let extents: Vec<Value> =
                    self.source.op(elements).operands().iter().map(|operand| self.scalars[operand]).collect();
                let source = self.buffers[&source].memref;
                let address = self.address(source);
                let result = self.source.result(op, 0);
                let r#type = self.source.value_type(result).clone();
                let memref = self.buffer_at(address, &r#type, &extents);
                self.buffers.insert(result, Buffer { memref, extents });
            }
            Some(tensor::FROM_ELEMENTS) => self.elements(op)?,
            Some(tensor::EXTRACT) => {
                let tensor::Extract { tensor, indices } = tensor::Extract::of(&self.source, op);
                let memref = self.buffers[&tensor].memref;
                let indices: Vec<Value> = indices.iter().map(|operand| self.scalars[operand]).collect();
                let result = self.source.result(op, 0);
                let r#type = self.source.value_type(result).clone();
                let loaded = self.value_from(memref::Load { memref, indices: &indices }, r#type, []);
                self.scalars.insert(result, loaded);
            }
            Some(rt::CALL) => self.call_routine(op)?,
            Some(rt::APPEND) => self.append(op)?,
            Some(scf::IF) => self.conditional(op)?,
            Some(scf::WHILE) => self.repetition(op)?,
            Some(cf::ASSERT) => {
                let condition = self.scalars[&self.source.sole_operand(op)];
                let attributes = self.source.op(op).attributes.clone();
                self.assert(condition, attributes);
            }
            Some(tensor::DIM) => self.scalar_op(op),
            Some(code) if matches!(code.dialect(), Dialect::Arith | Dialect::Math) => self.scalar_op(op),
            _ => {
                let location = self.source.op(op).location.clone();
                return Err(Diagnostic::internal(
                    location,
                    format!("{} is not an operation of host functions", self.source.name(op)),
                )
                .into());
            }
        }
        Ok(())
    }

    /// A tensor of computed elements, which needs no memory if it is only the shape of reshapes.
    fn elements(&mut self, op: Op) -> ir::Result<()> {
        let result = self.source.result(op, 0);
        let is_shape = |reader: &Use| self.source.is(reader.op, tensor::RESHAPE) && reader.index == 1;
        if self.source.uses(result).iter().all(is_shape) {
            return Ok(());
        }
        let location = self.source.op(op).location.clone();
        let shape: Vec<i64> =
            self.source.value_type(result).static_shape().expect("a tensor of elements has a known shape");
        let buffer = self.allocate(result, result, &location)?;
        for (at, operand) in self.source.op(op).operands().to_vec().into_iter().enumerate() {
            let indices: Vec<Value> = subscripts(&shape, at).into_iter().map(|index| self.index(index)).collect();
            let (value, memref) = (self.scalars[&operand], buffer.memref);
            Builder::at_end(&mut self.body, self.at).create_from(
                memref::Store { value, memref, indices: &indices },
                &[],
                [],
            );
        }
        self.buffers.insert(result, buffer);
        Ok(())
    }

    fn call(&mut self, op: Op) -> ir::Result<()> {
        let operation = self.source.op(op).clone();
        let (arguments, destinations) =
            operation.operands().split_at(operation.operands().len() - operation.results().len());
        let mut operands: Vec<Value> = Vec::new();
        for &argument in arguments {
            let operand = match self.buffers.get(&argument) {
                Some(buffer) => self.cast_to(buffer.memref, argument),
                None => self.scalars[&argument],
            };
            operands.push(operand);
        }
        for (&result, &destination) in operation.results().iter().zip(destinations) {
            let buffer = self.allocate(result, without_casts(&self.source, destination), &operation.location)?;
            operands.push(self.cast_to(buffer.memref, destination));
            self.buffers.insert(result, buffer);
        }
        let at = self.at;
        Builder::at_end(&mut self.body, at).with_location(operation.location).create(
            func::CALL,
            &operands,
            &[],
            operation.attributes,
        );
        Ok(())
    }
}

/// Whether anything reads the elements of a tensor that nothing has written, which otherwise only is a destination. Loops
/// allocate it themselves.
fn is_read(body: &Body, value: Value) -> bool {
    body.uses(value).iter().any(|reader| match body.code(reader.op) {
        Some(tensor::DIM | scf::WHILE) => false,
        Some(tensor::CAST) => is_read(body, body.result(reader.op, 0)),
        _ => {
            let operation = body.op(reader.op);
            let written = (0..operation.results().len()).filter(|&at| destination(body, reader.op, at) == Some(value));
            operation.operands().iter().filter(|&&operand| operand == value).count() > written.count()
        }
    })
}

/// The subscripts of an element in row-major order.
fn subscripts(shape: &[i64], position: usize) -> Vec<i64> {
    let mut rest = position as i64;
    let mut found: Vec<i64> = shape.iter().rev().map(|&extent| (rest % extent, rest /= extent).0).collect();
    found.reverse();
    found
}
