//! The calling convention of the host function.
//!
//! It is `@f(%table: memref<?xi64>) -> i64`. The table holds, in this order, the address of the run context; for each
//! input its address and its extents; for each output words that the run fills with its address and extents. A sequence or an optional
//! is one word: its handle in the run's table. The result is the run's status: 0, or the number of the message of a
//! failed assertion.

use dialects::rt::routines::is_handle;
use dialects::{arith, func};
use ir::{Attribute, Attributes, Block, Location, Type, Value, ValueDefinition};

use crate::extents::destination;

use super::lifetimes::view_root;
use super::{Buffer, Host, Memory};

impl Host<'_> {
    pub(super) fn bind_arguments(&mut self, entry: Block) {
        let mut word = 1;
        for (number, argument) in self.source.arguments(entry).to_vec().into_iter().enumerate() {
            let r#type = self.source.value_type(argument).clone();
            let mut next = |host: &mut Self| {
                let at = host.index(word);
                word += 1;
                let loaded = host.load_word(host.table, at);
                host.value(arith::INDEX_CAST, &[loaded], Type::Index, [])
            };
            let address = next(self);
            if is_handle(&r#type) {
                self.scalars.insert(argument, address);
                continue;
            }
            let rank = r#type.rank().unwrap_or(0);
            let extents: Vec<Value> = (0..rank).map(|_| next(self)).collect();
            let ranges =
                self.greatest.get(number).into_iter().flat_map(|shape| shape.iter()).map(|&greatest| (0, greatest));
            self.ranges.extend(extents.iter().copied().zip(ranges));
            let memref = self.buffer_at(address, &r#type, &extents);
            self.buffers.insert(argument, Buffer { memref, extents });
        }
        self.output_words.push(word);
    }

    /// Values that a call of the entry block computes and that are returned once are written directly to the caller's
    /// memory.
    pub(super) fn assign_outputs(&mut self, results: &[Value]) {
        for (index, &result) in results.iter().enumerate() {
            let next = self.output_words[index] + 1 + self.source.value_type(result).rank().unwrap_or(0) as i64;
            self.output_words.push(next);
            let root = view_root(&self.source, result);
            let by_call = match self.source.definition(root) {
                ValueDefinition::Result { op, index } => {
                    self.source.op(op).parent() == self.source.entry()
                        && destination(&self.source, op, index as usize).is_some()
                }
                ValueDefinition::Argument { .. } => false,
            };
            if by_call && !self.outputs.contains_key(&root) {
                self.outputs.insert(root, index);
            }
        }
    }

    /// Memory for an output, which may be that of an input.
    pub(super) fn output_memory(&mut self, index: usize, bytes: Value, over: Option<Value>) -> ir::Result<Value> {
        if self.memory == Memory::Static {
            return self.callers_memory(index, bytes);
        }
        let over = match over {
            Some(input) => self.address(self.buffers[&input].memref),
            None => self.index(0),
        };
        let number = self.index(index as i64);
        let context = self.context;
        let callee = Attributes::from([("callee", Attribute::symbol("rt_output"))]);
        Ok(self.value(func::CALL, &[context, number, bytes, over], Type::memref(vec![None], Type::I8), callee))
    }

    pub(super) fn finish_output(&mut self, index: usize, result: Value) -> ir::Result<()> {
        if is_handle(self.source.value_type(result)) {
            self.write_words(self.table, &[(self.output_words[index], self.scalars[&result])]);
            return Ok(());
        }
        let buffer = self.buffers[&result].clone();
        let root = view_root(&self.source, result);
        let base = self.output_words[index];
        let address = if self.outputs.get(&root) == Some(&index) {
            self.address(buffer.memref)
        } else {
            let r#type = self.source.value_type(result).clone();
            let size = self.size_of(&r#type, &buffer.extents, &Location::Unknown)?;
            let bytes = self.checked_bytes(size, &Location::Unknown);
            let memory = self.output_memory(index, bytes, None)?;
            let target = self.address(memory);
            let source = self.address(buffer.memref);
            self.copy(target, source, bytes);
            target
        };
        let words = std::iter::once(address).chain(buffer.extents);
        self.write_words(self.table, &(base..).zip(words).collect::<Vec<_>>());
        Ok(())
    }
}
