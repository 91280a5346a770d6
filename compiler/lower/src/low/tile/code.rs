//! Builds code at one insertion point: index arithmetic with folding, loops, and vectors of one element type.

use dialects::arith::CmpIPredicate;
use dialects::{OpCode, arith, func, memref, rt, scf, vector};
use ir::{Attribute, Body, Builder, Operands, Type, Value};

use dialects::rt::attributes::ROLLED;

/// The code builder.
pub(super) struct Code<'b> {
    builder: Builder<'b>,
    /// The element type of buffers and vectors: a float type.
    element: Type,
    /// Elements of a vector.
    pub(super) lanes: i64,
}

/// An element of a buffer.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) buffer: Value,
    pub(super) at: Value,
}

impl<'b> Code<'b> {
    pub(super) fn new(builder: Builder<'b>, element: Type, lanes: i64) -> Code<'b> {
        Code { builder, element, lanes }
    }

    pub(super) fn body(&self) -> &Body {
        self.builder.body
    }

    pub(super) fn element(&self) -> &Type {
        &self.element
    }

    // ---- functions

    /// Calls a function without results.
    pub(super) fn call(&mut self, name: &str, arguments: &[Value]) {
        self.builder.create(func::CALL, arguments, &[], [("callee", Attribute::symbol(name))]);
    }

    /// Ends a function without results.
    pub(super) fn end(&mut self) {
        self.builder.create(func::RETURN, &[], &[], []);
    }

    // ---- indices

    pub(super) fn index(&mut self, value: i64) -> Value {
        self.builder.constant_index(value)
    }

    pub(super) fn known(&self, value: Value) -> Option<i64> {
        ir::constant_integer(self.builder.body, value)
    }

    fn both(&self, a: Value, b: Value) -> (Option<i64>, Option<i64>) {
        (self.known(a), self.known(b))
    }

    fn binary(&mut self, code: OpCode, a: Value, b: Value) -> Value {
        self.builder.value(code, &[a, b], Type::Index, [])
    }

    pub(super) fn add(&mut self, a: Value, b: Value) -> Value {
        match self.both(a, b) {
            (Some(x), Some(y)) => self.index(x + y),
            (Some(0), _) => b,
            (_, Some(0)) => a,
            _ => self.binary(arith::ADDI, a, b),
        }
    }

    pub(super) fn sub(&mut self, a: Value, b: Value) -> Value {
        match self.both(a, b) {
            (Some(x), Some(y)) => self.index(x - y),
            (_, Some(0)) => a,
            _ => self.binary(arith::SUBI, a, b),
        }
    }

    pub(super) fn mul(&mut self, a: Value, b: Value) -> Value {
        match self.both(a, b) {
            (Some(x), Some(y)) => self.index(x * y),
            (Some(0), _) | (_, Some(1)) => a,
            (_, Some(0)) | (Some(1), _) => b,
            _ => self.binary(arith::MULI, a, b),
        }
    }

    /// `a + b·c`
    pub(super) fn add_product(&mut self, a: Value, b: Value, c: Value) -> Value {
        let product = self.mul(b, c);
        self.add(a, product)
    }

    /// `a + b` with a constant
    pub(super) fn plus(&mut self, a: Value, b: i64) -> Value {
        let b = self.index(b);
        self.add(a, b)
    }

    /// `a / b` of a non-negative number by a positive one
    pub(super) fn div(&mut self, a: Value, b: Value) -> Value {
        match self.both(a, b) {
            (Some(x), Some(y)) if y > 0 => self.index(x / y),
            (_, Some(1)) => a,
            _ => self.binary(arith::DIVUI, a, b),
        }
    }

    /// `a % b`, like [`Code::div`]
    pub(super) fn rem(&mut self, a: Value, b: Value) -> Value {
        match self.both(a, b) {
            (Some(x), Some(y)) if y > 0 => self.index(x % y),
            (_, Some(1)) => self.index(0),
            _ => self.binary(arith::REMUI, a, b),
        }
    }

    /// `max(a, 1)`
    pub(super) fn at_least_one(&mut self, a: Value) -> Value {
        let one = self.index(1);
        match self.known(a) {
            Some(x) => self.index(x.max(1)),
            None => self.binary(arith::MAXSI, a, one),
        }
    }

    /// `a == b ? yes : no`
    pub(super) fn if_equal(&mut self, (a, b): (Value, Value), yes: Value, no: Value) -> Value {
        match self.both(a, b) {
            (Some(x), Some(y)) => {
                if x == y {
                    yes
                } else {
                    no
                }
            }
            _ if yes == no || self.known(yes).is_some_and(|yes| self.known(no) == Some(yes)) => yes,
            _ => {
                let predicate = [CmpIPredicate::Eq.attribute()];
                let condition = self.builder.value(arith::CMPI, &[a, b], Type::I1, predicate);
                let select = arith::Select { condition, true_value: yes, false_value: no };
                self.builder.value_from(select, Type::Index, [])
            }
        }
    }

    // ---- loops

    /// `low`, `low + step`, … below `high`. `build` receives the counter and the carried values and returns the next
    /// ones. Loops with zero or one iterations are resolved.
    pub(super) fn for_loop(
        &mut self,
        (low, high, step): (Value, Value, i64),
        carried: Vec<Value>,
        build: impl FnOnce(&mut Code<'_>, Value, Vec<Value>) -> Vec<Value>,
    ) -> Vec<Value> {
        match self.both(low, high) {
            (Some(first), Some(end)) if first >= end => return carried,
            (Some(first), Some(end)) if first + step >= end => return build(self, low, carried),
            _ => {}
        }
        let step = self.index(step);
        let types: Vec<Type> = carried.iter().map(|&value| self.body().value_type(value).clone()).collect();
        let bounds = scf::For { lower_bound: low, upper_bound: high, step, init_args: &carried };
        let op = self.builder.create_from(bounds, &types, [(ROLLED, Attribute::Unit)]);
        let arguments: Vec<Type> = std::iter::once(Type::Index).chain(types).collect();
        let (_, block) = self.builder.region_with_block(op, &arguments);
        let arguments = self.body().arguments(block).to_vec();
        let location = self.builder.location.clone();
        let inner = Builder::at_end(self.builder.body, block).with_location(location);
        let mut inner = Code { builder: inner, element: self.element.clone(), lanes: self.lanes };
        let next = build(&mut inner, arguments[0], arguments[1..].to_vec());
        inner.builder.create(scf::YIELD, &next, &[], []);
        self.body().op(op).results().to_vec()
    }

    // ---- vectors

    fn vector(&self) -> Type {
        Type::vector(&[self.lanes], self.element.clone())
    }

    /// The buffer at an address.
    pub(super) fn buffer(&mut self, address: Value) -> Value {
        self.builder.value(rt::BUFFER, &[address], Type::memref([None], self.element.clone()), [])
    }

    /// A view of a buffer from an element on.
    pub(super) fn moved(&mut self, buffer: Value, offset: Value) -> Value {
        if self.known(offset) == Some(0) {
            return buffer;
        }
        let base = self.builder.value(rt::ADDRESS, &[buffer], Type::Index, []);
        let width = self.element.byte_width().expect("floats have a size");
        let width = self.index(width as i64);
        let address = self.add_product(base, offset, width);
        self.buffer(address)
    }

    pub(super) fn zeros(&mut self) -> Value {
        let zero = self.builder.constant(Attribute::float(0.0, self.element.clone()), self.element.clone());
        self.builder.value(vector::BROADCAST, &[zero], self.vector(), [])
    }

    /// The first `count` lanes, at most all of them.
    pub(super) fn mask(&mut self, count: Value) -> Value {
        let r#type = Type::vector(&[self.lanes], Type::I1);
        match self.known(count) {
            Some(count) => {
                let sizes = [("mask_dim_sizes", Attribute::i64_dense_array(&[count.min(self.lanes)]))];
                self.builder.value(vector::CONSTANT_MASK, &[], r#type, sizes)
            }
            None => self.builder.value_from(vector::CreateMask { operands: &[count] }, r#type, []),
        }
    }

    /// Loads one element into every lane.
    pub(super) fn load_broadcast(&mut self, from: Place) -> Value {
        let element = memref::Load { memref: from.buffer, indices: &[from.at] };
        let element = self.builder.value_from(element, self.element.clone(), []);
        self.builder.value(vector::BROADCAST, &[element], self.vector(), [])
    }

    /// An operation with one result.
    pub(super) fn value(&mut self, code: OpCode, operands: &[Value], r#type: Type) -> Value {
        self.builder.value(code, operands, r#type, [])
    }

    /// The operation that has these operands and one result.
    pub(super) fn value_from<O: Operands>(&mut self, operands: O, r#type: Type) -> Value {
        self.builder.value_from(operands, r#type, [])
    }

    /// A zero in the type of int8 sums.
    pub(super) fn zero_sum(&mut self) -> Value {
        self.builder.constant(Attribute::Integer(0, Type::I32), Type::I32)
    }

    /// A byte that is zero.
    pub(super) fn zero_byte(&mut self) -> Value {
        self.builder.constant(Attribute::Integer(0, Type::I8), Type::I8)
    }

    /// `count` lanes of a vector, every `step`-th from the first one on.
    pub(super) fn lanes_from(&mut self, value: Value, count: i64, (step, first): (i64, i64), element: Type) -> Value {
        let positions: Vec<i64> = (0..count).map(|lane| step * lane + first).collect();
        self.shuffle(value, &positions, element)
    }

    /// The lanes of a vector at these positions.
    pub(super) fn shuffle(&mut self, value: Value, positions: &[i64], element: Type) -> Value {
        let r#type = Type::vector(&[positions.len() as i64], element);
        let mask = [("mask", Attribute::i64_dense_array(positions))];
        self.builder.value_from(vector::Shuffle { v1: value, v2: value }, r#type, mask)
    }

    /// One lane of a vector, in every lane.
    pub(super) fn lane(&mut self, value: Value, lane: i64) -> Value {
        self.lanes_from(value, self.lanes, (0, lane), self.element.clone())
    }

    /// Stores one element.
    pub(super) fn store_element(&mut self, value: Value, to: Place) {
        self.builder.create_from(memref::Store { value, memref: to.buffer, indices: &[to.at] }, &[], []);
    }

    /// Consecutive elements; masked-off ones are zero.
    pub(super) fn load(&mut self, from: Place, mask: Option<Value>) -> Value {
        let (base, indices) = (from.buffer, &[from.at]);
        let Some(mask) = mask else {
            return self.builder.value_from(vector::Load { base, indices }, self.vector(), []);
        };
        let pass_thru = self.zeros();
        self.builder.value_from(vector::Maskedload { base, indices, mask, pass_thru }, self.vector(), [])
    }

    pub(super) fn store(&mut self, value: Value, to: Place, mask: Option<Value>) {
        let (base, indices) = (to.buffer, &[to.at]);
        match mask {
            None => self.builder.create_from(vector::Store { value, base, indices }, &[], []),
            Some(mask) => self.builder.create_from(vector::Maskedstore { base, indices, mask, value }, &[], []),
        };
    }

    /// `a·b + sum`
    pub(super) fn fused(&mut self, a: Value, b: Value, sum: Value) -> Value {
        self.builder.value_from(vector::Fma { lhs: a, rhs: b, acc: sum }, self.vector(), [])
    }
}
