//! Memory that is part of the module, for runs without a heap.
//!
//! The results of a block are in static buffers, which are the same whenever the block is entered. So a loop copies the
//! values that it passes from iteration to iteration: the next one overwrites the original buffers.

use dialects::{OpCodes, arith, func, memref, rt, scf};
use ir::{Attribute, Attributes, Builder, Diagnostic, Location, Type, Value};

use super::{ALIGNMENT, Buffer, Host, Memory};

impl Host<'_> {
    /// A buffer of the module.
    pub(super) fn static_bytes(&mut self, bytes: Value, location: &Location) -> ir::Result<Value> {
        let bytes = self.greatest_of(bytes, "its size", location)?;
        let name = format!("{}_memory_{}", self.name, self.globals);
        self.globals += 1;
        let buffer = Type::memref(vec![Some(bytes.max(1))], Type::I8);
        let attributes = Attributes::from([
            ("sym_name", Attribute::string(&name)),
            ("sym_visibility", Attribute::string("private")),
            ("type", Attribute::Type(buffer.clone())),
            ("alignment", Attribute::i64(ALIGNMENT)),
            ("initial_value", Attribute::Unit),
        ]);
        let global = self.module.body.create_op(memref::GLOBAL, &[], &[], attributes, location.clone());
        let top = self.module.body.entry().expect("a module has one block");
        self.module.body.append(top, global);
        let memory = self.value(memref::GET_GLOBAL, &[], buffer, [("name", Attribute::symbol(&name))]);
        Ok(self.value(memref::CAST, &[memory], Type::memref(vec![None], Type::I8), []))
    }

    /// The most that a size can be; an error if there is no bound.
    fn greatest_of(&self, bytes: Value, what: &str, location: &Location) -> ir::Result<i64> {
        self.range(bytes).map(|(_, greatest)| greatest).ok_or_else(|| {
            let message = format!("{what} is known only at run time, but only static memory is available");
            Diagnostic::unsupported(location.clone(), message).into()
        })
    }

    /// The memory of an output, whose address the caller has put into the table.
    pub(super) fn callers_memory(&mut self, output: usize, bytes: Value) -> ir::Result<Value> {
        let greatest = self.greatest_of(bytes, &format!("the size of output {output}"), &Location::Unknown)?;
        self.output_bytes[output] = greatest;
        let at = self.index(self.output_words[output]);
        let word = self.load_word(self.table, at);
        let address = self.value(arith::INDEX_CAST, &[word], Type::Index, []);
        Ok(self.value(rt::BUFFER, &[address], Type::memref(vec![None], Type::I8), []))
    }

    /// Copies bytes between buffers that do not overlap.
    pub(super) fn copy(&mut self, target: Value, source: Value, bytes: Value) {
        if self.memory == Memory::Run {
            let callee = Attributes::from([("callee", Attribute::symbol("rt_copy"))]);
            self.emit(func::CALL, &[target, source, bytes], &[], callee);
            return;
        }
        let bytes_type = Type::memref(vec![None], Type::I8);
        let [target, source] = [target, source].map(|at| self.pure(rt::BUFFER, &[at], bytes_type.clone(), []));
        let (zero, one) = (self.index(0), self.index(1));
        let at = self.at;
        let mut builder = Builder::at_end(&mut self.body, at);
        let bounds = scf::For { lower_bound: zero, upper_bound: bytes, step: one, init_args: &[] };
        let op = builder.create_from(bounds, &[], []);
        let (_, block) = builder.region_with_block(op, &[Type::Index]);
        let index = builder.body.arguments(block)[0];
        builder.within(block, |builder| {
            let indices = &[index];
            let value = builder.value_from(memref::Load { memref: source, indices }, Type::I8, []);
            builder.create_from(memref::Store { value, memref: target, indices }, &[], []);
            builder.create(scf::YIELD, &[], &[], []);
        });
    }

    /// Copies tensors that an iteration passes on to memory that the next one does not write.
    pub(super) fn keep_for_next(&mut self, passed: &[Value], location: &Location) -> ir::Result<()> {
        if self.memory == Memory::Run {
            return Ok(());
        }
        // a tensor may be in the destination of another, so all are copied aside first
        for _ in 0..2 {
            for value in passed {
                // elements are appended in place
                if self.source.defining_op(*value).is_some_and(|op| self.source.is(op, rt::APPEND)) {
                    continue;
                }
                let Some(buffer) = self.buffers.get(value).cloned() else { continue };
                let tensor = self.source.value_type(*value).clone();
                let size = self.size_of(&tensor, &buffer.extents, location)?;
                let bytes = self.checked_bytes(size, location);
                let memory = self.static_bytes(bytes, location)?;
                let (target, source) = (self.address(memory), self.address(buffer.memref));
                self.copy(target, source, bytes);
                let memref = self.buffer_at(target, &tensor, &buffer.extents);
                self.buffers.insert(*value, Buffer { memref, extents: buffer.extents });
            }
        }
        Ok(())
    }
}
