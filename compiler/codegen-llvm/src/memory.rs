//! Buffers: addresses, loads, stores, stack memory, constants, and the runtime's parallel loop.

#![allow(unsafe_code, reason = "address arithmetic is built through calls that trust their operands")]

use dialects::{OpCodes, arith, memref, rt};
use inkwell::llvm_sys::core::LLVMBuildGEP2;
use inkwell::types::{AsTypeRef, BasicTypeEnum};
use inkwell::values::{
    AsValueRef, BasicMetadataValueEnum, BasicValue, BasicValueEnum, InstructionOpcode, IntValue, PointerValue,
    VectorValue,
};
use ir::Op;

use crate::form::{is_bit, scalar_type, with_scalar};
use crate::function::{Failure, Translated, Translator};

/// The alignment that accesses may assume: constants have that of the model file, which is none.
pub(crate) const ACCESS_ALIGNMENT: u32 = 1;
/// Alignment of constants in an object, and of stack buffers, in bytes.
pub(crate) const DATA_ALIGNMENT: u32 = 64;

impl<'c> Translator<'_, 'c> {
    /// Operations of `memref` and `rt`.
    pub(crate) fn memory_op(&mut self, op: Op) -> Translated<()> {
        let value = match self.body.code(op) {
            Some(memref::LOAD) => {
                let memref::Load { memref, indices } = memref::Load::of(self.body, op);
                let address = self.element_address(memref, indices)?;
                self.load(self.result_type(op).element(), self.held(self.result_type(op))?, address)?
            }
            Some(memref::STORE) => {
                let memref::Store { value, memref, indices } = memref::Store::of(self.body, op);
                let address = self.element_address(memref, indices)?;
                return self.store(self.body.value_type(value), self.value(value), address);
            }
            Some(memref::ALLOCA) => self.stack_buffer(op)?,
            Some(memref::GET_GLOBAL) => {
                let name = self.body.attribute(op, "name").and_then(|name| name.as_symbol());
                self.data(name.ok_or(Failure::Broken("has no name"))?)?
            }
            Some(memref::VIEW) => {
                let memref::View { source, shift, .. } = memref::View::of(self.body, op);
                let shift = self.integer(shift)?;
                let byte = self.unit.context.i8_type();
                // SAFETY: a view is inside its buffer.
                unsafe { self.builder.build_in_bounds_gep(byte, self.buffer(source)?, &[shift], "")? }.into()
            }
            // buffers are addresses, whatever is known about their sizes
            Some(memref::CAST) => self.buffer(self.body.sole_operand(op))?.into(),
            Some(rt::ADDRESS) => {
                let buffer = self.buffer(self.body.sole_operand(op))?;
                self.builder.build_ptr_to_int(buffer, self.unit.context.i64_type(), "")?.into()
            }
            Some(rt::BUFFER) => {
                let pointer = self.unit.context.ptr_type(inkwell::AddressSpace::default());
                self.builder.build_int_to_ptr(self.integer(self.body.sole_operand(op))?, pointer, "")?.into()
            }
            Some(rt::LOAD_ADDRESS) => {
                let pointer = self.unit.context.ptr_type(inkwell::AddressSpace::default());
                let rt::LoadAddress { pointers, index } = rt::LoadAddress::of(self.body, op);
                let (pointers, at) = (self.buffer(pointers)?, self.integer(index)?);
                // SAFETY: the caller's array has a pointer for each input or output.
                let place = unsafe { self.builder.build_in_bounds_gep(pointer, pointers, &[at], "")? };
                let address = self.builder.build_load(pointer, place, "")?.into_pointer_value();
                self.builder.build_ptr_to_int(address, self.unit.context.i64_type(), "")?.into()
            }
            Some(rt::PACK) => return self.pack(op),
            Some(rt::UNPACK) => return self.unpack(op),
            Some(rt::PARALLEL_FOR) => return self.parallel_for(op),
            _ => return Err(Failure::Unknown),
        };
        self.set_result(op, value);
        Ok(())
    }

    /// A global. One that is not defined here may be at any address.
    fn data(&self, name: &str) -> Translated<BasicValueEnum<'c>> {
        let mapped = self.unit.weights.as_ref();
        if let Some((weights, place)) = mapped.and_then(|weights| Some((weights, weights.file.place(name)?))) {
            let context = self.unit.context;
            let address = weights.address.as_pointer_value();
            let start = self.builder.build_load(context.ptr_type(inkwell::AddressSpace::default()), address, "")?;
            let place = context.i64_type().const_int(place, false);
            // SAFETY: the file has the bytes of each constant.
            let bytes = unsafe {
                self.builder.build_in_bounds_gep(context.i8_type(), start.into_pointer_value(), &[place], "")?
            };
            return Ok(bytes.into());
        }
        let global = self.unit.module.get_global(name).unwrap_or_else(|| {
            let global = self.unit.module.add_global(self.unit.context.i8_type(), None, name);
            global.set_linkage(inkwell::module::Linkage::External);
            global
        });
        Ok(global.as_pointer_value().into())
    }

    /// The LLVM value of a value that is a buffer.
    fn buffer(&self, value: ir::Value) -> Translated<PointerValue<'c>> {
        match self.value(value) {
            BasicValueEnum::PointerValue(buffer) => Ok(buffer),
            _ => Err(Failure::Broken("needs a buffer")),
        }
    }

    /// The type of an element in memory: an `i1` takes a byte.
    fn stored(&self, element: &ir::Type) -> Translated<BasicTypeEnum<'c>> {
        let element = if is_bit(element) { &ir::Type::I8 } else { element };
        scalar_type(self.unit.context, element).ok_or(Failure::Unknown)
    }

    /// The address of the element of a flat buffer at an index.
    pub(crate) fn element_address(&self, buffer: ir::Value, indices: &[ir::Value]) -> Translated<PointerValue<'c>> {
        let &[index] = indices else { return Err(Failure::Broken("needs one index")) };
        let element = self.body.value_type(buffer).element();
        let width = element.byte_width().unwrap_or(1) as i64;
        let (element, buffer) = (self.stored(element)?, self.buffer(buffer)?);
        if let Some((index, offset)) = self.with_offset(index, width) {
            // SAFETY: both addresses are inside the buffer: offsets are not negative, nor are the indices that they are added to.
            return Ok(unsafe {
                let first = self.builder.build_in_bounds_gep(element, buffer, &[index], "")?;
                self.builder.build_in_bounds_gep(element, first, &[offset], "")?
            });
        }
        let index = self.integer(index)?;
        // SAFETY: addresses that generated code forms are inside their buffers.
        Ok(unsafe { self.builder.build_in_bounds_gep(element, buffer, &[index], "")? })
    }

    /// An index as a sum and a constant that loads and stores of the target add themselves, in elements of some width.
    fn with_offset(&self, index: ir::Value, width: i64) -> Option<(IntValue<'c>, IntValue<'c>)> {
        let sum = self.body.defining_op(index).filter(|&op| self.body.is(op, arith::ADDI))?;
        let (left, right) = self.body.sides(sum);
        let constant = |value| ir::constant_integer(self.body, value);
        let (rest, offset) = match (constant(left), constant(right)) {
            (None, Some(offset)) => (left, offset),
            (Some(offset), None) => (right, offset),
            _ => return None,
        };
        let bytes = width.checked_mul(offset)?;
        let BasicValueEnum::IntValue(rest) = self.value(rest) else { return None };
        let offset = self.unit.context.i64_type().const_int(offset as u64, false);
        (0..self.unit.architecture.offsets).contains(&bytes).then_some((rest, offset))
    }

    /// The addresses of the elements at `indices`, counted from `start`; only some of them may be valid.
    pub(crate) fn element_addresses(
        &self,
        element: &ir::Type,
        start: PointerValue<'c>,
        indices: VectorValue<'c>,
    ) -> Translated<VectorValue<'c>> {
        let stored = self.stored(element)?;
        let mut indices = [indices.as_value_ref()];
        // SAFETY: the builder is positioned in a block; a vector of indices gives a vector of addresses.
        Ok(unsafe {
            let (builder, base) = (self.builder.as_mut_ptr(), start.as_value_ref());
            VectorValue::new(LLVMBuildGEP2(builder, stored.as_type_ref(), base, indices.as_mut_ptr(), 1, c"".as_ptr()))
        })
    }

    /// Loads a scalar, or a vector of consecutive elements, as type `held`.
    pub(crate) fn load(
        &self,
        element: &ir::Type,
        held: BasicTypeEnum<'c>,
        address: PointerValue<'c>,
    ) -> Translated<BasicValueEnum<'c>> {
        let loaded = self.builder.build_load(with_scalar(held, self.stored(element)?), address, "")?;
        let instruction = loaded.as_instruction_value().ok_or(Failure::Unknown)?;
        instruction.set_alignment(ACCESS_ALIGNMENT).map_err(|error| Failure::Refused(error.to_string()))?;
        if is_bit(element) { self.cast(InstructionOpcode::Trunc, loaded, held) } else { Ok(loaded) }
    }

    /// Stores a scalar, or a vector as consecutive elements.
    pub(crate) fn store(
        &self,
        element: &ir::Type,
        value: BasicValueEnum<'c>,
        address: PointerValue<'c>,
    ) -> Translated<()> {
        let instruction = self.builder.build_store(address, self.to_stored(element, value)?)?;
        instruction.set_alignment(ACCESS_ALIGNMENT).map_err(|error| Failure::Refused(error.to_string()))
    }

    /// A value in the type that it has in memory.
    pub(crate) fn to_stored(&self, element: &ir::Type, value: BasicValueEnum<'c>) -> Translated<BasicValueEnum<'c>> {
        if !is_bit(element) {
            return Ok(value);
        }
        self.cast(InstructionOpcode::ZExt, value, with_scalar(value.get_type(), self.stored(element)?))
    }

    fn pack(&self, op: Op) -> Translated<()> {
        let rt::Pack { table, values } = rt::Pack::of(self.body, op);
        for (&value, word) in values.iter().zip(self.words(op, table)?) {
            self.store(self.body.value_type(value), self.value(value), word)?;
        }
        Ok(())
    }

    fn unpack(&mut self, op: Op) -> Translated<()> {
        for (at, word) in self.words(op, self.body.sole_operand(op))?.into_iter().enumerate() {
            let result = self.body.result(op, at);
            let r#type = self.body.value_type(result);
            let value = self.load(r#type, self.held(r#type)?, word)?;
            self.define(result, value);
        }
        Ok(())
    }

    /// The addresses of the words that an operation writes or reads in a table.
    fn words(&self, op: Op, table: ir::Value) -> Translated<Vec<PointerValue<'c>>> {
        let (table, word) = (self.buffer(table)?, self.unit.context.i64_type());
        let words = self.body.op(op).attributes.integers("words").ok_or(Failure::Broken("has no words"))?;
        let address = |&number: &i64| {
            let index = word.const_int(number as u64, false);
            // SAFETY: a table has all words that are written to it or read from it.
            Ok(unsafe { self.builder.build_in_bounds_gep(word, table, &[index], "")? })
        };
        words.iter().map(address).collect()
    }

    /// Memory allocated in the entry block, wherever the operation is.
    fn stack_buffer(&self, op: Op) -> Translated<BasicValueEnum<'c>> {
        let r#type = self.result_type(op);
        let count: Option<i64> = r#type.static_shape().map(|shape| shape.iter().product());
        let bytes = count.zip(r#type.element().byte_width()).map(|(count, width)| count * width as i64);
        let bytes = bytes.and_then(|bytes| u32::try_from(bytes).ok()).ok_or(Failure::Broken("needs a static size"))?;
        let entry = self.function.get_first_basic_block().ok_or(Failure::Unknown)?;
        let builder = self.unit.context.create_builder();
        match entry.get_first_instruction() {
            Some(first) => builder.position_before(&first),
            None => builder.position_at_end(entry),
        }
        let buffer = builder.build_alloca(self.unit.context.i8_type().array_type(bytes), "")?;
        let instruction = buffer.as_instruction_value().ok_or(Failure::Unknown)?;
        instruction.set_alignment(DATA_ALIGNMENT).map_err(|error| Failure::Refused(error.to_string()))?;
        Ok(buffer.into())
    }

    fn parallel_for(&self, op: Op) -> Translated<()> {
        let callee = self.body.attribute(op, "callee").and_then(|callee| callee.as_symbol());
        let callee = callee.ok_or(Failure::Broken("has no callee"))?;
        let table = ir::Type::memref([None], ir::Type::I64);
        let body = self.external(callee, &[table.clone(), ir::Type::Index, ir::Type::Index], &[])?;
        let inputs = [table.clone(), ir::Type::Index, ir::Type::Index, table];
        let run = self.external("rt_parallel_for", &inputs, &[])?;
        let operands = self.body.op(op).operands().iter().map(|&operand| self.value(operand).into());
        let mut arguments: Vec<BasicMetadataValueEnum<'c>> = operands.collect();
        arguments.push(body.as_global_value().as_pointer_value().into());
        self.builder.build_call(run, &arguments, "")?;
        Ok(())
    }
}
