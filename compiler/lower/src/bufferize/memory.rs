//! Where each result lives: in an output, in a global, in a slot of the arena, or in memory of its own.

use ir::{Attribute, Attributes, Diagnostic, Location, Type, Value};

use super::lifetimes::Lifetimes;
use super::{ALIGNMENT, Buffer, Host};

/// A piece of the arena that values take in turn.
struct Slot {
    bytes: Size,
    free_after: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    Static(i64),
    Dynamic(Value),
}

impl Host<'_> {
    /// Gives every call result of planned size a slot, and the slots offsets in one arena.
    pub(super) fn plan_arena(&mut self, lifetimes: &Lifetimes) {
        let mut slots: Vec<Slot> = Vec::new();
        for (value, destination, position) in lifetimes.results.clone() {
            if self.outputs.contains_key(&value) || self.stored_global(value).is_some() {
                continue;
            }
            let Some(size) = self.planned_size(destination) else { continue };
            let last = lifetimes.last_use(value);
            let free = |slot: &Slot| slot.free_after < position;
            let fits = |slot: &Slot| match (slot.bytes, size) {
                (Size::Static(a), Size::Static(b)) => a >= b && a <= 2 * b + 4096,
                (a, b) => a == b,
            };
            let reused = slots.iter().position(|slot| free(slot) && slot.bytes == size);
            let reused = reused.or_else(|| slots.iter().position(|slot| free(slot) && fits(slot)));
            let reused = reused.or_else(|| slots.iter().position(free));
            let index = reused.unwrap_or_else(|| {
                slots.push(Slot { bytes: size, free_after: last });
                slots.len() - 1
            });
            slots[index].bytes = self.larger(slots[index].bytes, size);
            slots[index].free_after = last;
            self.slots.insert(value, index);
        }
        let mut offset = self.index(0);
        for slot in &slots {
            self.offsets.push(offset);
            let bytes = match slot.bytes {
                Size::Static(bytes) => self.index((bytes + ALIGNMENT - 1) & -ALIGNMENT),
                Size::Dynamic(bytes) => self.aligned(bytes),
            };
            offset = self.pure("arith.addi", &[offset, bytes], Type::Index, []);
        }
        let callee = Attributes::from([("callee", Attribute::symbol("rt_arena"))]);
        let context = self.context;
        self.arena = Some(self.value("func.call", &[context, offset], Type::memref(vec![None], Type::I8), callee));
    }

    /// The size of a call's result, when it is known before the first operation runs.
    fn planned_size(&mut self, destination: Value) -> Option<Size> {
        let r#type = self.source.value_type(destination).clone();
        let width = r#type.element().byte_width()? as i64;
        if let Some(shape) = r#type.static_shape() {
            return Some(Size::Static(shape.iter().product::<i64>() * width));
        }
        let extents = self.destination_extents(destination)?;
        Some(Size::Dynamic(self.byte_size(&r#type, &extents)))
    }

    fn larger(&mut self, a: Size, b: Size) -> Size {
        match (a, b) {
            (Size::Static(a), Size::Static(b)) => Size::Static(a.max(b)),
            _ if a == b => a,
            (a, b) => {
                let mut as_value = |size| match size {
                    Size::Static(bytes) => self.index(bytes),
                    Size::Dynamic(bytes) => bytes,
                };
                let operands = [as_value(a), as_value(b)];
                Size::Dynamic(self.pure("arith.maxsi", &operands, Type::Index, []))
            }
        }
    }

    fn aligned(&mut self, bytes: Value) -> Value {
        let (round, mask) = (self.index(ALIGNMENT - 1), self.index(-ALIGNMENT));
        let sum = self.pure("arith.addi", &[bytes, round], Type::Index, []);
        self.pure("arith.andi", &[sum, mask], Type::Index, [])
    }

    pub(super) fn allocate(&mut self, value: Value, destination: Value) -> ir::Result<Buffer> {
        let r#type = self.source.value_type(destination).clone();
        if let Some(name) = self.stored_global(value) {
            return Ok(self.global_buffer(&name, &r#type));
        }
        let extents = self.destination_extents(destination).ok_or_else(|| {
            Diagnostic::internal(Location::Unknown, "the size of a kernel's result is not computed before its call")
        })?;
        let memref = if let Some(&index) = self.outputs.get(&value) {
            let bytes = self.byte_size(&r#type, &extents);
            let memory = self.output_memory(index, bytes);
            let zero = self.index(0);
            self.view(memory, zero, &r#type, &extents)
        } else if let Some(&slot) = self.slots.get(&value) {
            let arena = self.arena.expect("the arena is planned");
            self.view(arena, self.offsets[slot], &r#type, &extents)
        } else {
            let bytes = self.byte_size(&r#type, &extents);
            let context = self.context;
            let callee = Attributes::from([("callee", Attribute::symbol("rt_allocate"))]);
            let memory = self.value("func.call", &[context, bytes], Type::memref(vec![None], Type::I8), callee);
            let zero = self.index(0);
            self.view(memory, zero, &r#type, &extents)
        };
        Ok(Buffer { memref, extents })
    }

    /// A memref of a tensor's shape over an address.
    pub(super) fn buffer_at(&mut self, address: Value, tensor: &Type, extents: &[Value]) -> Value {
        let bytes = self.pure("rt.buffer", &[address], Type::memref(vec![None], Type::I8), []);
        let zero = self.index(0);
        self.view(bytes, zero, tensor, extents)
    }

    pub(super) fn view(&mut self, bytes: Value, shift: Value, tensor: &Type, extents: &[Value]) -> Value {
        let shape = tensor.shape().expect("structured tensors are ranked");
        let dynamic = shape.iter().zip(extents).filter(|(extent, _)| extent.is_none()).map(|(_, &value)| value);
        let operands: Vec<Value> = [bytes, shift].into_iter().chain(dynamic).collect();
        let memref = Type::memref(shape, tensor.element().clone());
        self.pure("memref.view", &operands, memref, [])
    }

    /// A buffer under the type that a tensor operand has.
    pub(super) fn cast_to(&mut self, memref: Value, operand: Value) -> Value {
        let tensor = self.source.value_type(operand);
        let expected = Type::memref(tensor.shape().expect("structured tensors are ranked"), tensor.element().clone());
        match *self.body.value_type(memref) == expected {
            true => memref,
            false => self.pure("memref.cast", &[memref], expected, []),
        }
    }
}
