//! Buffers: addresses, loads and stores, stack memory, constants.

use data::AlignedBytes;
use dialects::{OpCode, OpCodes, memref, rt, vector};
use ir::{Attribute, Op, Type, Value};
use smallvec::smallvec;

use crate::Bits;
use crate::function::{Executed, Frame, lane};
use crate::integer::signed;
use crate::machine;

/// A byte of stack memory that nothing was written to.
const UNWRITTEN: u8 = 0xa5;
/// Bytes of a word of a table, and of a pointer.
const WORD: u64 = 8;

/// Reads the element at an address.
fn load(r#type: &Type, address: u64) -> Option<u128> {
    let bits = machine::read(address, r#type.byte_width()?);
    Some(if *r#type == Type::I1 { bits & 1 } else { bits })
}

fn store(r#type: &Type, address: u64, bits: u128) -> Option<()> {
    machine::write(address, r#type.byte_width()?, bits);
    Some(())
}

impl Frame<'_, '_> {
    /// Operations that access memory or compute addresses.
    pub(crate) fn memory(&mut self, op: Op, code: OpCode) -> Executed<Option<Bits>> {
        let body = self.body;
        let address = |address: u64| Some(smallvec![address.into()]);
        let bits = match code {
            memref::LOAD => {
                let memref::Load { memref, indices } = memref::Load::of(body, op);
                self.load_lanes(op, memref, indices, None)
            }
            vector::LOAD => {
                let vector::Load { base, indices } = vector::Load::of(body, op);
                self.load_lanes(op, base, indices, None)
            }
            vector::MASKEDLOAD => {
                let vector::Maskedload { base, indices, mask, pass_thru } = vector::Maskedload::of(body, op);
                self.load_lanes(op, base, indices, Some((mask, pass_thru)))
            }
            vector::GATHER => self.gather(op),
            memref::STORE => {
                let memref::Store { value, memref, indices } = memref::Store::of(body, op);
                return self.store_lanes(op, value, memref, indices, None);
            }
            vector::STORE => {
                let vector::Store { value, base, indices } = vector::Store::of(body, op);
                return self.store_lanes(op, value, base, indices, None);
            }
            vector::MASKEDSTORE => {
                let vector::Maskedstore { base, indices, mask, value } = vector::Maskedstore::of(body, op);
                return self.store_lanes(op, value, base, indices, Some(mask));
            }
            memref::ALLOCA => return self.stack_buffer(op).map(address),
            memref::GET_GLOBAL => return Ok(address(self.address(op, self.symbol(op, "name")?)? as u64)),
            memref::VIEW => {
                let memref::View { source, shift, .. } = memref::View::of(body, op);
                address(self.word(source).wrapping_add(self.word(shift)))
            }
            memref::CAST | rt::ADDRESS | rt::BUFFER => address(self.word(body.sole_operand(op))),
            rt::LOAD_ADDRESS => {
                let rt::LoadAddress { pointers, index } = rt::LoadAddress::of(body, op);
                let place = self.word(pointers).wrapping_add(self.word(index).wrapping_mul(WORD));
                load(&Type::Index, place).map(|bits| smallvec![bits])
            }
            rt::PACK => return self.pack(op),
            rt::UNPACK => return self.unpack(op),
            _ => None,
        };
        bits.map(Some).ok_or_else(|| self.unknown(op))
    }

    /// The address of each lane's element from an index on; the lanes have a type.
    fn elements(&self, r#type: &Type, buffer: Value, indices: &[Value]) -> Option<impl Fn(usize) -> u64 + use<>> {
        let &[index] = indices else { return None };
        let width = r#type.byte_width()? as u64;
        let start = self.word(buffer).wrapping_add(self.word(index).wrapping_mul(width));
        Some(move |at: usize| start.wrapping_add((at as u64).wrapping_mul(width)))
    }

    /// Reads consecutive elements. Those that a mask leaves out are not accessed; their lanes are those of another value.
    fn load_lanes(&self, op: Op, buffer: Value, indices: &[Value], mask: Option<(Value, Value)>) -> Option<Bits> {
        let r#type = lane(self.result_type(op));
        let address = self.elements(r#type, buffer, indices)?;
        let element = |at: usize| match mask {
            Some((mask, otherwise)) if self.bits(mask)[at] == 0 => Some(self.bits(otherwise)[at]),
            _ => load(r#type, address(at)),
        };
        (0..self.result_lanes(op)).map(element).collect()
    }

    /// The same, for elements at offsets that are signed.
    fn gather(&self, op: Op) -> Option<Bits> {
        let vector::Gather { base, offsets, indices, mask, pass_thru } = vector::Gather::of(self.body, op);
        let r#type = lane(self.result_type(op));
        let address = self.elements(r#type, base, offsets)?;
        let width = lane(self.body.value_type(indices)).bit_width()?;
        let element = |at: usize| match self.bits(mask)[at] {
            0 => Some(self.bits(pass_thru)[at]),
            _ => load(r#type, address(signed(self.bits(indices)[at], width) as usize)),
        };
        (0..self.result_lanes(op)).map(element).collect()
    }

    /// Writes lanes to consecutive elements; those that a mask leaves out are not accessed.
    fn store_lanes(
        &self,
        op: Op,
        value: Value,
        buffer: Value,
        indices: &[Value],
        mask: Option<Value>,
    ) -> Executed<Option<Bits>> {
        let r#type = lane(self.body.value_type(value));
        let address = self.elements(r#type, buffer, indices).ok_or_else(|| self.unknown(op))?;
        let is_set = |at: usize| mask.is_none_or(|mask| self.bits(mask)[at] == 1);
        for (at, &bits) in self.bits(value).iter().enumerate().filter(|(at, _)| is_set(*at)) {
            store(r#type, address(at), bits);
        }
        Ok(None)
    }

    /// One buffer for all executions of the operation in a call.
    fn stack_buffer(&mut self, op: Op) -> Executed<u64> {
        let r#type = self.result_type(op);
        let count = r#type.static_shape().map(|shape| shape.iter().product::<i64>() as usize);
        let bytes = count.zip(r#type.element().byte_width()).map(|(count, width)| count * width);
        let bytes = bytes.ok_or_else(|| self.broken(op, "needs a static size"))?;
        let buffer = self.stack.entry(op).or_insert_with(|| {
            let mut buffer = AlignedBytes::zeroed(bytes);
            buffer.as_mut_slice().fill(UNWRITTEN);
            buffer
        });
        Ok(buffer.as_mut_slice().as_mut_ptr().expose_provenance() as u64)
    }

    fn pack(&self, op: Op) -> Executed<Option<Bits>> {
        let rt::Pack { table, values } = rt::Pack::of(self.body, op);
        for (&value, address) in values.iter().zip(self.words(op, table)?) {
            let written = store(lane(self.body.value_type(value)), address, self.bits(value)[0]);
            written.ok_or_else(|| self.unknown(op))?;
        }
        Ok(None)
    }

    fn unpack(&mut self, op: Op) -> Executed<Option<Bits>> {
        let words = self.words(op, self.body.sole_operand(op))?;
        for (&value, address) in self.body.op(op).results().iter().zip(words) {
            let bits = load(lane(self.body.value_type(value)), address).ok_or_else(|| self.unknown(op))?;
            self.define(value, smallvec![bits]);
        }
        Ok(None)
    }

    /// The addresses of the words that an operation writes or reads in a table.
    fn words(&self, op: Op, table: Value) -> Executed<Vec<u64>> {
        let words = self.body.attribute(op, "words").and_then(Attribute::as_integers);
        let words = words.ok_or_else(|| self.broken(op, "has no words"))?;
        Ok(words.iter().map(|&word| self.word(table).wrapping_add(word as u64 * WORD)).collect())
    }
}
