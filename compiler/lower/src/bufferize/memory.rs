//! The memory of each result: an output, a global, a slot of its block's memory, or a separate allocation.
//!
//! The entry block's memory is the arena, which is kept between runs. A block that is entered repeatedly has separate
//! memory each time. Sizes that are not known at the beginning of a block, because they depend on data, are planned together where the
//! first of them is needed: that is another piece of the block's memory.

use dialects::{arith, func, memref, rt};
use ir::{Attribute, Attributes, Diagnostic, Location, Op, Type, Value};

use super::lifetimes::{Computed, Lifetimes};
use super::sizes::Size;
use super::{ALIGNMENT, Buffer, Host, Memory};

/// A part of a block's memory that values use in turn.
pub(super) struct Slot {
    bytes: Size,
    free_after: usize,
    /// Its place, if it is from an earlier plan of the block: then it does not grow.
    place: Option<Place>,
}

/// The location of a value: a buffer, and an offset in it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    bytes: Value,
    offset: Value,
}

impl Host<'_> {
    /// Plans memory for the results of a block's calls from a position on with sizes that are known there. `symbol` is the runtime's
    /// function that allocates the memory.
    pub(super) fn plan(
        &mut self,
        lifetimes: &Lifetimes,
        from: usize,
        slots: &mut Vec<Slot>,
        symbol: &'static str,
    ) -> ir::Result<()> {
        let mut chosen: Vec<(Value, usize)> = Vec::new();
        for &computed in lifetimes.results_from(from) {
            if !self.needs_slot(lifetimes, computed.value) {
                continue;
            }
            let Some(size) = self.planned_size(computed)? else { continue };
            let last = lifetimes.last_use(computed.value);
            chosen.push((computed.value, self.choose_slot(slots, size, computed.position, last)));
        }
        let mut end = self.index(0);
        let mut offsets = Vec::new();
        for slot in slots.iter().filter(|slot| slot.place.is_none()) {
            offsets.push(end);
            let bytes = match slot.bytes {
                Size::Static(bytes) => self.index((bytes + ALIGNMENT - 1) & -ALIGNMENT),
                Size::Dynamic { bytes, .. } => self.aligned(bytes),
            };
            end = self.sum(end, bytes);
        }
        if !offsets.is_empty() {
            let bytes = self.request(symbol, end, &Location::Unknown)?;
            for (slot, offset) in slots.iter_mut().filter(|slot| slot.place.is_none()).zip(offsets) {
                slot.place = Some(Place { bytes, offset });
            }
        }
        for (value, slot) in chosen {
            self.places.insert(value, slots[slot].place.expect("all slots have places"));
        }
        Ok(())
    }

    /// Plans memory again before the operation at a position, if the size of one of its results was not known before.
    pub(super) fn plan_again(
        &mut self,
        op: Op,
        position: usize,
        lifetimes: &Lifetimes,
        slots: &mut Vec<Slot>,
    ) -> ir::Result<()> {
        let mut results = lifetimes.results_from(position).iter().take_while(|computed| computed.position == position);
        if !results.any(|computed| self.needs_slot(lifetimes, computed.value)) {
            return Ok(());
        }
        let block = self.source.op(op).parent().expect("the operation is attached");
        self.hoist_sizes(block, self.source.previous_node(op));
        self.plan(lifetimes, position, slots, "rt_allocate")
    }

    /// Whether a result is to have a slot and has none yet. Outputs, globals and what leaves the block have separate memory.
    fn needs_slot(&self, lifetimes: &Lifetimes, value: Value) -> bool {
        let is_elsewhere = self.outputs.contains_key(&value) || self.stored_global(value).is_some();
        !is_elsewhere && !lifetimes.escapes(value) && !self.places.contains_key(&value)
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
        let reused = reused.or_else(|| slots.iter().position(|slot| free(slot) && slot.place.is_none()));
        match reused {
            Some(index) => {
                let bytes = self.larger(slots[index].bytes, size);
                slots[index] = Slot { bytes, free_after: last, ..slots[index] };
                index
            }
            None => {
                slots.push(Slot { bytes: size, free_after: last, place: None });
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
        match known(a).zip(known(b)).and_then(|(a, b)| a.checked_add(b)) {
            Some(sum) => self.index(sum),
            None => self.pure(arith::ADDI, &[a, b], Type::Index, []),
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
            (self.output_memory(index, bytes, self.rewritten.get(&value).copied())?, zero)
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
