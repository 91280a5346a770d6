//! Buffers: addresses, loads, stores, stack memory, constants, and the runtime's parallel loop.

use cranelift_codegen::ir::{InstBuilder, MemFlagsData, StackSlotData, StackSlotKind, Type, Value, types};
use dialects::{OpCodes, memref, rt};
use ir::Op;

use crate::form::{is_bit, scalar_type};
use crate::function::{Translated, Translator};

/// Alignment of stack buffers.
const STACK_ALIGNMENT: i64 = 64;

/// An address with a constant byte offset.
#[derive(Clone, Copy)]
pub(crate) struct Address {
    pub(crate) base: Value,
    pub(crate) offset: i32,
}

impl Translator<'_> {
    /// Operations of `memref` and `rt`.
    pub(crate) fn memory_op(&mut self, op: Op) -> Translated<()> {
        match self.body.code(op) {
            Some(memref::LOAD) => {
                let memref::Load { memref, indices } = memref::Load::of(self.body, op);
                let address = self.element_address(op, memref, indices)?;
                let r#type = self.result_type(op).clone();
                let value = self.load(op, &r#type, address, 0)?;
                self.set_result(op, value);
            }
            Some(memref::STORE) => {
                let memref::Store { value, memref, indices } = memref::Store::of(self.body, op);
                let address = self.element_address(op, memref, indices)?;
                self.store(self.single(value), address, 0);
            }
            Some(memref::ALLOCA) => self.stack_buffer(op)?,
            Some(memref::GET_GLOBAL) => {
                let name = self.body.attribute(op, "name").and_then(|name| name.as_symbol());
                let name = name.ok_or_else(|| self.broken(op, "has no name"))?.to_string();
                let address = self.data_address(&name);
                self.set_result(op, address);
            }
            Some(memref::VIEW) => {
                let memref::View { source, shift, .. } = memref::View::of(self.body, op);
                let (base, shift) = (self.single(source), self.single(shift));
                let address = self.builder.ins().iadd(base, shift);
                self.set_result(op, address);
            }
            Some(rt::ADDRESS | rt::BUFFER | memref::CAST) => {
                let address = self.single(self.body.sole_operand(op));
                self.set_result(op, address);
            }
            // this back end has targets with 64-bit addresses only
            Some(rt::LOAD_ADDRESS) => {
                let rt::LoadAddress { pointers, index } = rt::LoadAddress::of(self.body, op);
                let (pointers, at) = (self.single(pointers), self.single(index));
                let offset = self.builder.ins().imul_imm_s(at, 8);
                let place = self.builder.ins().iadd(pointers, offset);
                let address = self.builder.ins().load(types::I64, MemFlagsData::trusted(), place, 0);
                self.set_result(op, address);
            }
            Some(rt::PACK) => self.pack(op)?,
            Some(rt::UNPACK) => self.unpack(op)?,
            Some(rt::PARALLEL_FOR) => self.parallel_for(op)?,
            _ => return Err(self.unknown(op)),
        }
        Ok(())
    }

    /// The address of the element of a flat buffer at an index.
    pub(crate) fn element_address(&mut self, op: Op, buffer: ir::Value, indices: &[ir::Value]) -> Translated<Address> {
        let &[index] = indices else { return Err(self.broken(op, "needs one index")) };
        let element = self.body.value_type(buffer).element();
        let width = element.byte_width().ok_or_else(|| self.unknown(op))? as i64;
        let base = self.single(buffer);
        let constant = self.constant_integer(index);
        if let Some(offset) = constant.and_then(|i| i.checked_mul(width)).and_then(|bytes| i32::try_from(bytes).ok()) {
            return Ok(Address { base, offset });
        }
        let index = self.single(index);
        let bytes = match width {
            1 => index,
            _ => self.builder.ins().ishl_imm_u(index, width.trailing_zeros() as i64),
        };
        Ok(Address { base: self.builder.ins().iadd(base, bytes), offset: 0 })
    }

    /// Loads an element; `at` counts elements from the address.
    pub(crate) fn load(&mut self, op: Op, element: &ir::Type, address: Address, at: usize) -> Translated<Value> {
        let r#type = scalar_type(element).ok_or_else(|| self.unknown(op))?;
        let offset = address.offset + at as i32 * r#type.bytes() as i32;
        let value = self.builder.ins().load(r#type, access_flags(), address.base, offset);
        Ok(if is_bit(element) { self.builder.ins().band_imm_u(value, 1) } else { value })
    }

    /// Stores an element; `at` counts elements from the address.
    pub(crate) fn store(&mut self, value: Value, address: Address, at: usize) {
        let bytes = self.builder.func.dfg.value_type(value).bytes() as i32;
        self.builder.ins().store(access_flags(), value, address.base, address.offset + at as i32 * bytes);
    }

    /// Loads a whole register.
    pub(crate) fn load_register(&mut self, r#type: Type, address: Address) -> Value {
        self.builder.ins().load(r#type, access_flags(), address.base, address.offset)
    }

    fn pack(&mut self, op: Op) -> Translated<()> {
        let rt::Pack { table, values } = rt::Pack::of(self.body, op);
        for (&value, word) in values.iter().zip(self.words(op, table)?) {
            self.store(self.single(value), word, 0);
        }
        Ok(())
    }

    fn unpack(&mut self, op: Op) -> Translated<()> {
        for (at, word) in self.words(op, self.body.sole_operand(op))?.into_iter().enumerate() {
            let result = self.body.result(op, at);
            let r#type = self.body.value_type(result).clone();
            let value = self.load(op, &r#type, word, 0)?;
            self.define(result, vec![value]);
        }
        Ok(())
    }

    /// The addresses of the words that an operation writes or reads in a table.
    fn words(&self, op: Op, table: ir::Value) -> Translated<Vec<Address>> {
        let table = self.single(table);
        let words = self.body.op(op).attributes.integers("words").ok_or_else(|| self.broken(op, "has no words"))?;
        let address = |&word: &i64| Some(Address { base: table, offset: i32::try_from(word.checked_mul(8)?).ok()? });
        words.iter().map(address).collect::<Option<_>>().ok_or_else(|| self.broken(op, "has a table too large"))
    }

    fn stack_buffer(&mut self, op: Op) -> Translated<()> {
        let r#type = self.result_type(op);
        let count: Option<i64> = r#type.static_shape().map(|shape| shape.iter().product());
        let bytes = count.zip(r#type.element().byte_width()).map(|(count, width)| count * width as i64);
        let size = bytes.and_then(|bytes| u32::try_from(bytes + STACK_ALIGNMENT).ok());
        let size = size.ok_or_else(|| self.broken(op, "needs a static size"))?;
        let data = StackSlotData::new(StackSlotKind::ExplicitSlot, size, 4);
        let slot = self.builder.create_sized_stack_slot(data);
        let start = self.builder.ins().stack_addr(types::I64, slot, STACK_ALIGNMENT as i32 - 1);
        let aligned = self.builder.ins().band_imm_s(start, -STACK_ALIGNMENT);
        self.set_result(op, aligned);
        Ok(())
    }

    fn parallel_for(&mut self, op: Op) -> Translated<()> {
        let callee = self.body.attribute(op, "callee").and_then(|callee| callee.as_symbol());
        let callee = callee.ok_or_else(|| self.broken(op, "has no callee"))?.to_string();
        let table = ir::Type::memref([None], ir::Type::I64);
        let body = self.function(op, &callee, &[table.clone(), ir::Type::Index, ir::Type::Index], &[])?;
        let inputs = [table, ir::Type::Index, ir::Type::Index, ir::Type::Index];
        let run = self.function(op, "rt_parallel_for", &inputs, &[])?;
        let body = self.builder.ins().func_addr(types::I64, body);
        let rt::ParallelFor { environment, count, work } = rt::ParallelFor::of(self.body, op);
        let arguments = [self.single(environment), self.single(count), self.single(work), body];
        self.builder.ins().call(run, &arguments);
        Ok(())
    }
}

/// Accesses neither trap nor need alignment.
pub(crate) fn access_flags() -> MemFlagsData {
    MemFlagsData::new().with_notrap()
}
