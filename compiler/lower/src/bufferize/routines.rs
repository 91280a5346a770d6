//! Calls of the runtime's routines: operands and results are passed as words on the stack.

use dialects::arith::CmpIPredicate;
use dialects::rt::routines::{Routine, is_handle};
use dialects::{arith, func, rt};
use ir::{Attribute, Attributes, Location, Op, Type, Value};

use crate::extents::destination;
use crate::routines::symbol;

use super::lifetimes::without_casts;
use super::sizes::node_prefix;
use super::{Buffer, Host, Memory};

impl Host<'_> {
    /// `rt.call`
    pub(super) fn call_routine(&mut self, op: Op) -> ir::Result<()> {
        let operation = self.source.op(op).clone();
        let routine = Routine::of(&self.source, op).expect("the routine is verified");
        let kinds = operation.attributes.integers("kinds").unwrap_or_default();
        let mut of_tensors = kinds.iter().copied();
        let mut kind = || of_tensors.next().expect("one kind a tensor");
        let mut words = Vec::new();
        for operand in &operation.operands()[..routine.operands.len()] {
            match self.buffers.get(operand).cloned() {
                Some(buffer) => self.push_tensor(&mut words, kind(), Some(&buffer), buffer.extents.len()),
                None => {
                    let word = self.scalars[operand];
                    words.push(match self.body.value_type(word) {
                        &Type::F64 => self.pure(arith::BITCAST, &[word], Type::I64, []),
                        _ => word,
                    });
                }
            }
        }
        let mut returned = Vec::new();
        for (index, &result) in operation.results().iter().enumerate() {
            if is_handle(self.source.value_type(result)) {
                words.push(self.index(0));
                returned.push((result, words.len() - 1));
                continue;
            }
            let rank = self.source.value_type(result).rank().expect("results are ranked");
            match destination(&self.source, op, index) {
                Some(destination) => {
                    let destination = without_casts(&self.source, destination);
                    let buffer = self.allocate(result, destination, &operation.location)?;
                    self.push_tensor(&mut words, kind(), Some(&buffer), rank);
                    self.buffers.insert(result, buffer);
                }
                None => {
                    self.push_tensor(&mut words, kind(), None, rank);
                    returned.push((result, words.len() - 1 - rank));
                }
            }
        }
        let table = self.stack_words(&words);
        let symbol = match self.memory {
            Memory::Static => symbol(routine, &kinds),
            Memory::Run => routine.symbol(),
        };
        self.call_with_words(routine, &symbol, table, words.len(), &operation.location);
        for (result, at) in returned {
            self.bind_returned(result, table, at, &operation.location);
        }
        Ok(())
    }

    /// Kind, rank, address and extents of a tensor; without a buffer, space for the last two.
    fn push_tensor(&mut self, words: &mut Vec<Value>, kind: i64, buffer: Option<&Buffer>, rank: usize) {
        words.push(self.index(kind));
        words.push(self.index(rank as i64));
        match buffer {
            Some(buffer) => {
                words.push(self.address(buffer.memref));
                words.extend(&buffer.extents);
            }
            None => words.resize(words.len() + 1 + rank, self.index(0)),
        }
    }

    /// Calls a routine and asserts that it did not fail.
    fn call_with_words(&mut self, routine: &Routine, symbol: &str, table: Value, count: usize, location: &Location) {
        let (address, count) = (self.address(table), self.index(count as i64));
        let callee = Attributes::from([("callee", Attribute::symbol(symbol))]);
        let context = self.context;
        let failure = self.value(func::CALL, &[context, address, count], Type::I64, callee);
        let name = node_prefix(location);
        for (number, reason) in (1..).zip(routine.failures) {
            let number = self.pure(arith::CONSTANT, &[], Type::I64, [("value", Attribute::i64(number))]);
            self.assert_compared(failure, number, CmpIPredicate::Ne, &format!("{name}{reason}"));
        }
    }

    /// A result whose address and extents, or whose handle, a routine stored from word `at` on.
    fn bind_returned(&mut self, result: Value, table: Value, at: usize, location: &Location) {
        let r#type = self.source.value_type(result).clone();
        // a handle is one word, like the address of a tensor without extents
        let shape = r#type.shape().unwrap_or_default();
        let mut words = Vec::new();
        for word in at..=at + shape.len() {
            let word = self.index(word as i64);
            let loaded = self.load_word(table, word);
            words.push(self.value(arith::INDEX_CAST, &[loaded], Type::Index, []));
        }
        if is_handle(&r#type) {
            self.scalars.insert(result, words[0]);
            return;
        }
        let extents = words.split_off(1);
        for (&extent, known) in extents.iter().zip(&shape) {
            if let Some(known) = known {
                let known = self.index(*known);
                let message = format!("{}an extent of the result differs from the expected one", node_prefix(location));
                self.assert_compared(extent, known, CmpIPredicate::Eq, &message);
            }
        }
        let memref = self.buffer_at(words[0], &r#type, &extents);
        self.buffers.insert(result, Buffer { memref, extents });
    }

    fn assert_compared(&mut self, a: Value, b: Value, predicate: CmpIPredicate, message: &str) {
        let holds = self.pure(arith::CMPI, &[a, b], Type::I1, [predicate.attribute()]);
        self.assert(holds, [("msg", Attribute::string(message))]);
    }

    /// `rt.append`: appends one element to a tensor, which moves if there is no room.
    pub(super) fn append(&mut self, op: Op) -> ir::Result<()> {
        let operation = self.source.op(op).clone();
        let rt::Append { tensor: all, element: one } = rt::Append::of(&self.source, op);
        let element_type = self.source.value_type(one).clone();
        let (all, element) = (self.buffers[&all].clone(), self.buffers[&one].clone());
        let count = all.extents[0];
        let zero = self.index(0);
        let name = node_prefix(&operation.location);
        let is_first = self.value(arith::CMPI, &[count, zero], Type::I1, [CmpIPredicate::Eq.attribute()]);
        for (&known, &extent) in all.extents[1..].iter().zip(&element.extents) {
            let same = self.value(arith::CMPI, &[known, extent], Type::I1, [CmpIPredicate::Eq.attribute()]);
            let fits = self.value(arith::ORI, &[is_first, same], Type::I1, []);
            let message = format!("{name}the elements of a stacked result differ in shape");
            self.assert(fits, [("msg", Attribute::string(&message))]);
        }
        let one = self.index(1);
        let extents: Vec<Value> = std::iter::once(self.value(arith::ADDI, &[count, one], Type::Index, []))
            .chain(element.extents.iter().copied())
            .collect();
        let r#type = self.source.value_type(operation.results()[0]).clone();
        let size = self.size_of(&r#type, &extents, &operation.location)?;
        self.checked_bytes(size, &operation.location);
        let size = self.size_of(&element_type, &element.extents, &operation.location)?;
        let bytes = self.checked_bytes(size, &operation.location);
        let used = self.value(arith::MULI, &[count, bytes], Type::Index, []);
        let (buffer, source) = (self.address(all.memref), self.address(element.memref));
        if self.memory == Memory::Static {
            let end = self.value(arith::ADDI, &[buffer, used], Type::Index, []);
            self.copy(end, source, bytes);
            let memref = self.buffer_at(buffer, &r#type, &extents);
            self.buffers.insert(operation.results()[0], Buffer { memref, extents });
            return Ok(());
        }
        let callee = Attributes::from([("callee", Attribute::symbol("rt_append"))]);
        let operands = [self.context, buffer, used, source, bytes];
        let memory = self.value(func::CALL, &operands, Type::memref(vec![None], Type::I8), callee);
        let memref = self.view(memory, zero, &r#type, &extents);
        self.buffers.insert(operation.results()[0], Buffer { memref, extents });
        Ok(())
    }
}
