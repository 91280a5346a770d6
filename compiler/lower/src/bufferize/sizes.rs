//! Extents and sizes in bytes, as values of the host function.

use ir::{Block, Op, Type, Value};

use super::Host;

impl Host<'_> {
    /// Emits every scalar operation of the entry block that depends on nothing but input extents and constants.
    pub(super) fn hoist_sizes(&mut self, entry: Block) {
        for op in self.source.ops(entry).to_vec() {
            let ready = match self.source.name(op) {
                "tensor.dim" => self.buffers.contains_key(&self.source.operand(op, 0)),
                "arith.constant" => !matches!(self.source.value_type(self.source.result(op, 0)), Type::Tensor(_)),
                name if name.starts_with("arith.") => {
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
        let new = match operation.name.as_str() {
            "tensor.dim" => {
                let axis_op = self.source.defining_op(operation.operands()[1]).expect("the axis is a constant");
                let axis = self.source.op(axis_op).attributes.integer("value").expect("the axis is a constant");
                self.buffers[&operation.operands()[0]].extents[axis as usize]
            }
            _ => {
                let operands: Vec<Value> = operation.operands().iter().map(|o| self.scalars[o]).collect();
                let r#type = self.source.value_type(result).clone();
                self.pure(operation.name, &operands, r#type, operation.attributes)
            }
        };
        self.scalars.insert(result, new);
    }

    pub(super) fn byte_size(&mut self, tensor: &Type, extents: &[Value]) -> Value {
        let width = tensor.element().byte_width().expect("tensor elements have a width") as i64;
        let mut size = self.index(width);
        for &extent in extents {
            size = self.pure("arith.muli", &[size, extent], Type::Index, []);
        }
        size
    }

    /// The extents of a `tensor.empty`, when all its sizes are known already.
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
