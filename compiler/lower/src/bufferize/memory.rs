//! The memory of each result: an output, a global, a slot of its block's memory, or a separate allocation.
//!
//! The entry block's memory is the arena, which is kept between runs. A block that is entered repeatedly has separate
//! memory each time.

use dialects::{arith, func, memref, rt};
use ir::{Attribute, Attributes, Diagnostic, Location, Type, Value};

use super::lifetimes::{Computed, Lifetimes};
use super::sizes::Size;
use super::{ALIGNMENT, Buffer, Host, Memory};

/// A part of a block's memory that values use in turn.
struct Slot {
    bytes: Size,
    free_after: usize,
}

/// The location of a value: a buffer, and an offset in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    bytes: Value,
    offset: Value,
}

impl Host<'_> {
    /// Plans memory for the results of a block's calls with sizes that are known at its beginning. `memory` is the
    /// runtime's symbol that allocates the block's memory.
    pub(super) fn plan(&mut self, lifetimes: &Lifetimes, memory: &'static str) -> ir::Result<()> {
        let mut slots: Vec<Slot> = Vec::new();
        let mut chosen: Vec<(Value, usize)> = Vec::new();
        for computed in lifetimes.results.clone() {
            let value = computed.value;
            let is_elsewhere = self.outputs.contains_key(&value) || self.stored_global(value).is_some();
            if is_elsewhere || lifetimes.escapes(value) {
                continue;
            }
            let Some(size) = self.planned_size(computed)? else { continue };
            chosen.push((value, self.choose_slot(&mut slots, size, computed.position, lifetimes.last_use(value))));
        }
        if slots.is_empty() {
            return Ok(());
        }
        let mut end = self.index(0);
        let mut offsets = Vec::new();
        for slot in &slots {
            offsets.push(end);
            let bytes = match slot.bytes {
                Size::Static(bytes) => self.index((bytes + ALIGNMENT - 1) & -ALIGNMENT),
                Size::Dynamic { bytes, .. } => self.aligned(bytes),
            };
            end = self.sum(end, bytes);
        }
        let bytes = self.request(memory, end, &Location::Unknown)?;
        for (value, slot) in chosen {
            self.places.insert(value, Place { bytes, offset: offsets[slot] });
        }
        Ok(())
    }

    /// The slot for a value that is written at `position` and read until `last`.
    fn choose_slot(&mut self, slots: &mut Vec<Slot>, size: Size, position: usize, last: usize) -> usize {
        let free = |slot: &Slot| slot.free_after < position;
        let fits = |slot: &Slot| match (slot.bytes, size) {
            (Size::Static(a), Size::Static(b)) => a >= b && a <= 2 * b + 4096,
            (a, b) => a == b,
        };
        let reused = slots.iter().position(|slot| free(slot) && slot.bytes == size);
        let reused = reused.or_else(|| slots.iter().position(|slot| free(slot) && fits(slot)));
        let reused = reused.or_else(|| slots.iter().position(free));
        match reused {
            Some(index) => {
                slots[index] = Slot { bytes: self.larger(slots[index].bytes, size), free_after: last };
                index
            }
            None => {
                slots.push(Slot { bytes: size, free_after: last });
                slots.len() - 1
            }
        }
    }

    /// The size of a call's result, if it is already known.
    fn planned_size(&mut self, computed: Computed) -> ir::Result<Option<Size>> {
        let r#type = self.source.value_type(computed.destination).clone();
        let location = self.source.op(computed.call).location.clone();
        let extents = self.destination_extents(computed.destination);
        extents.map(|extents| self.size_of(&r#type, &extents, &location)).transpose()
    }

    fn larger(&mut self, a: Size, b: Size) -> Size {
        let mut parts = |size| match size {
            Size::Static(bytes) => (self.index(bytes), None),
            Size::Dynamic { bytes, fits } => (bytes, Some(fits)),
        };
        match (a, b) {
            (Size::Static(a), Size::Static(b)) => Size::Static(a.max(b)),
            _ if a == b => a,
            (a, b) => {
                let ((a, fits), (b, other)) = (parts(a), parts(b));
                let fits = fits.or(other).expect("one of them is dynamic");
                Size::Dynamic { bytes: self.pure(arith::MAXSI, &[a, b], Type::Index, []), fits }
            }
        }
    }

    fn aligned(&mut self, bytes: Value) -> Value {
        let (round, mask) = (self.index(ALIGNMENT - 1), self.index(-ALIGNMENT));
        let sum = self.pure(arith::ADDI, &[bytes, round], Type::Index, []);
        self.pure(arith::ANDI, &[sum, mask], Type::Index, [])
    }

    fn sum(&mut self, a: Value, b: Value) -> Value {
        let known = |value| ir::constant_integer(&self.body, value);
        match (known(a), known(b)) {
            (Some(a), Some(b)) => self.index(a + b),
            _ => self.pure(arith::ADDI, &[a, b], Type::Index, []),
        }
    }

    /// Memory for a value at `location`: from the run context, by a symbol of the runtime, or static.
    fn request(&mut self, symbol: &'static str, bytes: Value, location: &Location) -> ir::Result<Value> {
        if self.memory == Memory::Static {
            return self.static_bytes(bytes, location);
        }
        let callee = Attributes::from([("callee", Attribute::symbol(symbol))]);
        let context = self.context;
        Ok(self.value(func::CALL, &[context, bytes], Type::memref(vec![None], Type::I8), callee))
    }

    /// The buffer for a result of a call.
    pub(super) fn allocate(&mut self, value: Value, destination: Value, location: &Location) -> ir::Result<Buffer> {
        let r#type = self.source.value_type(destination).clone();
        if let Some((name, r#type)) = self.stored_global(value) {
            return Ok(self.global_buffer(&name, &r#type));
        }
        let extents = self.destination_extents(destination).ok_or_else(|| {
            Diagnostic::internal(location.clone(), "the size of a kernel's result is not computed before its call")
        })?;
        let size = self.size_of(&r#type, &extents, location)?;
        let bytes = self.checked_bytes(size, location);
        let zero = self.index(0);
        let (memory, offset) = if let Some(&index) = self.outputs.get(&value) {
            (self.output_memory(index, bytes, self.rewritten.get(&value).copied()), zero)
        } else if let Some(place) = self.places.get(&value) {
            (place.bytes, place.offset)
        } else {
            (self.request("rt_allocate", bytes, location)?, zero)
        };
        Ok(Buffer { memref: self.view(memory, offset, &r#type, &extents), extents })
    }

    /// A memref of a tensor's shape over an address.
    pub(super) fn buffer_at(&mut self, address: Value, tensor: &Type, extents: &[Value]) -> Value {
        let bytes = self.pure(rt::BUFFER, &[address], Type::memref(vec![None], Type::I8), []);
        let zero = self.index(0);
        self.view(bytes, zero, tensor, extents)
    }

    pub(super) fn view(&mut self, bytes: Value, shift: Value, tensor: &Type, extents: &[Value]) -> Value {
        let shape = tensor.shape().expect("structured tensors are ranked");
        let sizes: Vec<Value> =
            shape.iter().zip(extents).filter(|(extent, _)| extent.is_none()).map(|(_, &value)| value).collect();
        let memref = Type::memref(shape, tensor.element().clone());
        self.pure_from(memref::View { source: bytes, shift, sizes: &sizes }, memref, [])
    }

    /// A buffer, cast to the type of a tensor operand.
    pub(super) fn cast_to(&mut self, memref: Value, operand: Value) -> Value {
        let tensor = self.source.value_type(operand);
        let expected = Type::memref(tensor.shape().expect("structured tensors are ranked"), tensor.element().clone());
        match *self.body.value_type(memref) == expected {
            true => memref,
            false => self.pure(memref::CAST, &[memref], expected, []),
        }
    }
}
