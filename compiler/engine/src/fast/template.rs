//! Assembles host functions from templates: each operation is a fixed sequence of instructions, and values are in
//! memory between them.
//!
//! A host function is long, and each of its operations runs once or a few times: it takes longer to compile than to
//! run. This is for the baseline tier on x86-64 with the System V calling convention.
//!
//! Invariants
//! - Results are those of Cranelift's code.
//! - A function with an operation that has no template is left to Cranelift.
//! - A value takes eight bytes of the frame: integers and addresses all of them (an `i1` as 0 or 1), floats the first.
//!   The bits of narrow integers above their width are unspecified: they are only moved.

use cranelift_entity::SecondaryMap;
use dialects::arith::{CmpFPredicate, CmpIPredicate};
use dialects::rt::attributes::HOST;
use dialects::{OpCodes, arith, cf, func, memref, rt};
use ir::{Attribute, Body, FloatType, FunctionView, IndexSet, Op, Type, Value};

use super::assembler::{
    Assembler, Binary, Condition, FLOAT_ARGUMENTS, FloatBinary, FloatRegister, Label, Memory, Register, Width,
};
use codegen_cranelift::{CompiledFunction, External};

/// The location of a value.
#[derive(Clone, Copy, Debug, Default)]
enum Place {
    #[default]
    Unknown,
    /// In the frame.
    Slot(i32),
    /// None: the value has these bits.
    Bits(i64),
    /// None: it is the address of an external.
    Address(usize),
    /// On the stack, at this offset from its top: the value is the address.
    Stack(i32),
}

/// The representation of a type; `None` for types without templates.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Integer,
    Float(Width),
}

/// Whether this machine has the instructions and the calling convention of templates.
pub(crate) const IS_SUPPORTED: bool = cfg!(all(target_arch = "x86_64", unix));
/// The alignment of functions.
pub(crate) const ALIGNMENT: u64 = 16;
/// The alignment of memory in the frame, a cache line.
const LINE: usize = 64;

/// The code of a host function; `None` for other functions, and if some operation has no template.
pub(crate) fn assemble(function: &FunctionView<'_>) -> Option<CompiledFunction> {
    if !IS_SUPPORTED || function.attributes.get(HOST).is_none() {
        return None;
    }
    let mut template = Template::of(function.body)?;
    template.blocks()?;
    let Template { assembler, addresses, externals, .. } = template;
    let externals = externals.into_iter().collect();
    Some(CompiledFunction::assembled(function.name, ALIGNMENT, assembler.finish(), addresses, externals))
}

struct Template<'a> {
    body: &'a Body,
    assembler: Assembler,
    places: SecondaryMap<Value, Place>,
    labels: SecondaryMap<ir::Block, Option<Label>>,
    externals: IndexSet<External>,
    addresses: Vec<(usize, usize)>,
}

impl<'a> Template<'a> {
    /// Assigns a location to every value, and a frame to the function.
    fn of(body: &'a Body) -> Option<Template<'a>> {
        let mut template = Template {
            body,
            assembler: Assembler::default(),
            places: SecondaryMap::new(),
            labels: SecondaryMap::new(),
            externals: IndexSet::default(),
            addresses: Vec::new(),
        };
        let (mut slots, mut outgoing, mut memory) = (0, 0, Vec::new());
        let mut slot = |places: &mut SecondaryMap<Value, Place>, value| {
            slots += 1;
            places[value] = Place::Slot(-8 * slots);
        };
        for &block in body.blocks(body.root()) {
            for &argument in body.arguments(block) {
                kind(body.value_type(argument))?;
                slot(&mut template.places, argument);
            }
            for &op in body.ops(block) {
                if !body.op(op).regions().is_empty() {
                    return None;
                }
                outgoing = outgoing.max(template.words_on_stack(op)?);
                match body.op(op).results() {
                    [] => {}
                    &[result] => match body.code(op) {
                        Some(arith::CONSTANT) => template.places[result] = Place::Bits(bits(body, op)?),
                        Some(memref::GET_GLOBAL) => {
                            let name = body.attribute(op, "name")?.as_symbol()?.to_string();
                            template.places[result] = Place::Address(template.external(External::Data(name)));
                        }
                        Some(memref::ALLOCA) => memory.push((result, byte_length(body.value_type(result))?)),
                        _ => {
                            kind(body.value_type(result))?;
                            slot(&mut template.places, result);
                        }
                    },
                    _ => return None,
                }
            }
        }
        let mut top = (outgoing * 8).next_multiple_of(LINE);
        for (value, length) in memory {
            template.places[value] = Place::Stack(i32::try_from(top).ok()?);
            top += length.next_multiple_of(LINE);
        }
        // the top of the stack is aligned to a cache line
        let frame = i32::try_from(top + LINE).ok()?.checked_add(8 * slots)?;
        template.assembler.enter(frame);
        Some(template)
    }

    fn blocks(&mut self) -> Option<()> {
        let body = self.body;
        let blocks = body.blocks(body.root());
        for &block in blocks {
            self.labels[block] = Some(self.assembler.label());
        }
        let arguments = body.arguments(body.entry()?);
        if arguments.len() > Register::ARGUMENTS.len() {
            return None;
        }
        for (&argument, register) in arguments.iter().zip(Register::ARGUMENTS) {
            if kind(body.value_type(argument))? != Kind::Integer {
                return None;
            }
            self.store(argument, register);
        }
        for &block in blocks {
            let label = self.labels[block]?;
            self.assembler.bind(label);
            for &op in body.ops(block) {
                self.op(op)?;
            }
        }
        Some(())
    }

    fn op(&mut self, op: Op) -> Option<()> {
        let body = self.body;
        let operands = body.op(op).operands();
        match (body.code(op), operands) {
            (Some(arith::CONSTANT | memref::GET_GLOBAL | memref::ALLOCA), _) => {}
            (Some(memref::CAST | rt::ADDRESS | rt::BUFFER), &[value]) => self.copy(op, value),
            (Some(arith::INDEX_CAST), &[value]) if [value, body.result(op, 0)].iter().all(|&v| self.is_word(v)) => {
                self.copy(op, value);
            }
            (Some(memref::VIEW), &[bytes, shift, ..]) => self.binary(op, Binary::Add, bytes, shift),
            (Some(memref::LOAD), &[buffer, index]) => self.load_element(op, buffer, index)?,
            (Some(rt::PACK), _) => self.pack(op)?,
            (Some(func::CALL), _) => self.call(op)?,
            (Some(func::RETURN), _) => self.end(operands)?,
            (Some(cf::BR), _) => self.branch(body.op(op).successors()[0], operands)?,
            (Some(cf::COND_BR), _) => self.conditional_branch(op)?,
            (Some(arith::CMPI), &[x, y]) if self.is_word(x) => self.compare(op, x, y)?,
            (Some(arith::SELECT), &[condition, x, y]) => self.select(op, condition, x, y),
            (Some(arith::MAXSI), &[x, y]) if self.is_word(x) => self.choose(op, Condition::Less, x, y),
            (Some(arith::MINSI), &[x, y]) if self.is_word(x) => self.choose(op, Condition::Greater, x, y),
            (Some(arith::DIVSI), &[x, y]) if self.is_word(x) => self.divide(op, x, y)?,
            (Some(arith::MULI), &[x, y]) if self.is_word(x) => {
                self.load(Register::RAX, x);
                self.load(Register::RCX, y);
                self.assembler.multiply(Register::RAX, Register::RCX);
                self.store_result(op);
            }
            (Some(arith::ADDI), &[x, y]) if self.is_word(x) => self.binary(op, Binary::Add, x, y),
            (Some(arith::SUBI), &[x, y]) if self.is_word(x) => self.binary(op, Binary::Subtract, x, y),
            (Some(arith::ANDI), &[x, y]) if !self.is_narrow(x) => self.binary(op, Binary::And, x, y),
            (Some(arith::ORI), &[x, y]) if !self.is_narrow(x) => self.binary(op, Binary::Or, x, y),
            (Some(arith::XORI), &[x, y]) if !self.is_narrow(x) => self.binary(op, Binary::Xor, x, y),
            (Some(arith::ADDF), &[x, y]) => self.float_binary(op, FloatBinary::Add, x, y)?,
            (Some(arith::SUBF), &[x, y]) => self.float_binary(op, FloatBinary::Subtract, x, y)?,
            (Some(arith::MULF), &[x, y]) => self.float_binary(op, FloatBinary::Multiply, x, y)?,
            (Some(arith::DIVF), &[x, y]) => self.float_binary(op, FloatBinary::Divide, x, y)?,
            (Some(arith::CMPF), &[x, y]) => self.compare_floats(op, x, y)?,
            (Some(arith::SITOFP), &[integer]) if self.is_word(integer) => {
                let width = self.width(body.result(op, 0))?;
                self.load(Register::RAX, integer);
                self.assembler.float_of(width, FloatRegister(0), Register::RAX);
                self.store_float(op, width);
            }
            _ => return None,
        }
        Some(())
    }

    // ---- values

    /// Whether a value is an integer of 64 bits.
    fn is_word(&self, value: Value) -> bool {
        is_word(self.body.value_type(value))
    }

    /// Whether only some of a value's eight bytes are specified.
    fn is_narrow(&self, value: Value) -> bool {
        matches!(self.body.value_type(value), Type::Integer(integer) if matches!(integer.width, 8 | 32))
    }

    fn width(&self, value: Value) -> Option<Width> {
        match kind(self.body.value_type(value))? {
            Kind::Float(width) => Some(width),
            Kind::Integer => None,
        }
    }

    fn external(&mut self, external: External) -> usize {
        self.externals.insert_full(external).0
    }

    fn load(&mut self, register: Register, value: Value) {
        match self.places[value] {
            Place::Slot(distance) => self.assembler.load(register, Memory::Frame(distance)),
            Place::Stack(distance) => self.assembler.address(register, Memory::Stack(distance)),
            Place::Bits(bits) => self.assembler.number(register, bits),
            Place::Address(external) => {
                let at = self.assembler.long_number(register, 0);
                self.addresses.push((at, external));
            }
            Place::Unknown => unreachable!("values are defined before their uses"),
        }
    }

    fn store(&mut self, value: Value, register: Register) {
        let Place::Slot(distance) = self.places[value] else { unreachable!("a computed value has a slot") };
        self.assembler.store(Memory::Frame(distance), register);
    }

    fn store_result(&mut self, op: Op) {
        self.store(self.body.result(op, 0), Register::RAX);
    }

    /// Floats are loaded from memory: constants are first stored in the result's slot.
    fn load_float(&mut self, op: Op, width: Width, register: FloatRegister, value: Value) {
        match self.places[value] {
            Place::Slot(distance) => self.assembler.load_float(width, register, Memory::Frame(distance)),
            _ => {
                self.load(Register::RAX, value);
                self.store_result(op);
                let Place::Slot(distance) = self.places[self.body.result(op, 0)] else { unreachable!("it has a slot") };
                self.assembler.load_float(width, register, Memory::Frame(distance));
            }
        }
    }

    fn store_float(&mut self, op: Op, width: Width) {
        let Place::Slot(distance) = self.places[self.body.result(op, 0)] else { unreachable!("it has a slot") };
        self.assembler.store_float(width, Memory::Frame(distance), FloatRegister(0));
    }

    // ---- operations

    fn copy(&mut self, op: Op, value: Value) {
        self.load(Register::RAX, value);
        self.store_result(op);
    }

    fn binary(&mut self, op: Op, operation: Binary, x: Value, y: Value) {
        self.load(Register::RAX, x);
        self.load(Register::RCX, y);
        self.assembler.binary(operation, Register::RAX, Register::RCX);
        self.store_result(op);
    }

    fn compare(&mut self, op: Op, x: Value, y: Value) -> Option<()> {
        let condition = condition(CmpIPredicate::of(self.body, op)?);
        self.load(Register::RAX, x);
        self.load(Register::RCX, y);
        self.assembler.binary(Binary::Compare, Register::RAX, Register::RCX);
        self.assembler.set_if(condition, Register::RAX);
        self.store_result(op);
        Some(())
    }

    /// `y` if `x` compares so with it, otherwise `x`.
    fn choose(&mut self, op: Op, condition: Condition, x: Value, y: Value) {
        self.load(Register::RAX, x);
        self.load(Register::RCX, y);
        self.assembler.binary(Binary::Compare, Register::RAX, Register::RCX);
        self.assembler.move_if(condition, Register::RAX, Register::RCX);
        self.store_result(op);
    }

    fn select(&mut self, op: Op, condition: Value, x: Value, y: Value) {
        self.load(Register::RDX, condition);
        self.load(Register::RAX, x);
        self.load(Register::RCX, y);
        self.assembler.binary(Binary::Test, Register::RDX, Register::RDX);
        self.assembler.move_if(Condition::Equal, Register::RAX, Register::RCX);
        self.store_result(op);
    }

    /// Division by a constant that neither traps nor overflows.
    fn divide(&mut self, op: Op, x: Value, y: Value) -> Option<()> {
        let Place::Bits(divisor) = self.places[y] else { return None };
        if matches!(divisor, 0 | -1) {
            return None;
        }
        self.load(Register::RAX, x);
        self.load(Register::RCX, y);
        self.assembler.divide(Register::RCX);
        self.store_result(op);
        Some(())
    }

    fn float_binary(&mut self, op: Op, operation: FloatBinary, x: Value, y: Value) -> Option<()> {
        let width = self.width(x)?;
        self.load_float(op, width, FloatRegister(0), x);
        self.load_float(op, width, FloatRegister(1), y);
        self.assembler.float_binary(operation, width, FloatRegister(0), FloatRegister(1));
        self.store_float(op, width);
        Some(())
    }

    /// Ordered comparisons are false for NaN, so that less-than is tested with swapped operands.
    fn compare_floats(&mut self, op: Op, x: Value, y: Value) -> Option<()> {
        let width = self.width(x)?;
        let (condition, first, second) = match CmpFPredicate::of(self.body, op)? {
            CmpFPredicate::Oeq => (Condition::Equal, x, y),
            CmpFPredicate::Ogt => (Condition::Above, x, y),
            CmpFPredicate::Oge => (Condition::AboveOrEqual, x, y),
            CmpFPredicate::Olt => (Condition::Above, y, x),
            CmpFPredicate::Ole => (Condition::AboveOrEqual, y, x),
            _ => return None,
        };
        self.load_float(op, width, FloatRegister(0), first);
        self.load_float(op, width, FloatRegister(1), second);
        self.assembler.compare_floats(width, FloatRegister(0), FloatRegister(1));
        self.assembler.set_if(condition, Register::RAX);
        if condition == Condition::Equal {
            self.assembler.set_if(Condition::NoParity, Register::RCX);
            self.assembler.binary(Binary::And, Register::RAX, Register::RCX);
        }
        self.store_result(op);
        Some(())
    }

    fn load_element(&mut self, op: Op, buffer: Value, index: Value) -> Option<()> {
        let element = self.body.value_type(self.body.result(op, 0));
        kind(element)?;
        let bytes = element.byte_width()?;
        self.load(Register::RAX, buffer);
        self.load(Register::RCX, index);
        self.assembler.load_element(bytes);
        self.store_result(op);
        Some(())
    }

    fn pack(&mut self, op: Op) -> Option<()> {
        let (&table, values) = self.body.op(op).operands().split_first()?;
        let words = self.body.op(op).attributes.integers("words")?;
        if words.len() != values.len() {
            return None;
        }
        self.load(Register::RAX, table);
        for (&value, &word) in values.iter().zip(words.iter()) {
            self.load(Register::RCX, value);
            self.assembler.store_at(i32::try_from(word * 8).ok()?, Register::RCX);
        }
        Some(())
    }

    // ---- control

    /// The number of stack words of a call's arguments; `None` for other operations.
    fn words_on_stack(&self, op: Op) -> Option<usize> {
        if !self.body.is(op, func::CALL) {
            return Some(0);
        }
        let (mut integers, mut floats) = (0, 0);
        for &operand in self.body.op(op).operands() {
            match kind(self.body.value_type(operand))? {
                Kind::Integer => integers += 1,
                Kind::Float(_) => floats += 1,
            }
        }
        let on_stack = |count: usize, in_registers: usize| count.saturating_sub(in_registers);
        Some(on_stack(integers, Register::ARGUMENTS.len()) + on_stack(floats, FLOAT_ARGUMENTS))
    }

    fn call(&mut self, op: Op) -> Option<()> {
        let body = self.body;
        let callee = self.external(External::Function(body.attribute(op, "callee")?.as_symbol()?.to_string()));
        let (mut integers, mut floats, mut on_stack) = (Vec::new(), Vec::new(), 0);
        for &operand in body.op(op).operands() {
            let kind = kind(body.value_type(operand))?;
            match kind {
                Kind::Integer if integers.len() < Register::ARGUMENTS.len() => integers.push(operand),
                Kind::Float(_) if floats.len() < FLOAT_ARGUMENTS => floats.push(operand),
                Kind::Integer | Kind::Float(_) => {
                    self.load(Register::RAX, operand);
                    self.assembler.store(Memory::Stack(on_stack), Register::RAX);
                    on_stack += 8;
                }
            }
        }
        for (number, operand) in floats.into_iter().enumerate() {
            let (width, register) = (self.width(operand)?, FloatRegister(number as u8));
            match self.places[operand] {
                Place::Slot(distance) => self.assembler.load_float(width, register, Memory::Frame(distance)),
                _ => {
                    self.load(Register::RAX, operand);
                    self.assembler.push(Register::RAX);
                    self.assembler.load_float(width, register, Memory::Stack(0));
                    self.assembler.pop(Register::RAX);
                }
            }
        }
        for (operand, register) in integers.into_iter().zip(Register::ARGUMENTS) {
            self.load(register, operand);
        }
        let at = self.assembler.long_number(Register::RAX, 0);
        self.addresses.push((at, callee));
        self.assembler.call();
        if let Some(&result) = body.op(op).results().first() {
            if kind(body.value_type(result))? != Kind::Integer || *body.value_type(result) == Type::I1 {
                return None;
            }
            self.store(result, Register::RAX);
        }
        Some(())
    }

    fn end(&mut self, operands: &[Value]) -> Option<()> {
        match operands {
            [] => {}
            &[value] if self.is_word(value) => self.load(Register::RAX, value),
            _ => return None,
        }
        self.assembler.leave();
        Some(())
    }

    fn branch(&mut self, target: ir::Block, operands: &[Value]) -> Option<()> {
        // stack locations are relative to its top
        if operands.iter().any(|&operand| matches!(self.places[operand], Place::Stack(_))) {
            return None;
        }
        // all operands are read before any is written
        for &operand in operands {
            self.load(Register::RAX, operand);
            self.assembler.push(Register::RAX);
        }
        for &argument in self.body.arguments(target).iter().rev() {
            self.assembler.pop(Register::RAX);
            self.store(argument, Register::RAX);
        }
        let label = self.labels[target]?;
        self.assembler.jump(label);
        Some(())
    }

    fn conditional_branch(&mut self, op: Op) -> Option<()> {
        let body = self.body;
        let operands = body.op(op).operands();
        let &[1, on_true, on_false] = body.op(op).attributes.integers("operandSegmentSizes")?.as_ref() else {
            return None;
        };
        let (&condition, rest) = operands.split_first()?;
        let (then, otherwise) = rest.split_at_checked(on_true as usize)?;
        if otherwise.len() != on_false as usize {
            return None;
        }
        self.load(Register::RAX, condition);
        self.assembler.binary(Binary::Test, Register::RAX, Register::RAX);
        let skip = self.assembler.label();
        self.assembler.jump_if(Condition::Equal, skip);
        let &[first, second] = body.op(op).successors() else { return None };
        self.branch(first, then)?;
        self.assembler.bind(skip);
        self.branch(second, otherwise)
    }
}

fn is_word(r#type: &Type) -> bool {
    match r#type {
        Type::Index => true,
        Type::Integer(integer) => integer.width == 64,
        _ => false,
    }
}

fn kind(r#type: &Type) -> Option<Kind> {
    match r#type {
        Type::Index | Type::MemRef(_) => Some(Kind::Integer),
        Type::Integer(integer) if matches!(integer.width, 1 | 8 | 32 | 64) => Some(Kind::Integer),
        Type::Float(FloatType::F32) => Some(Kind::Float(Width::Single)),
        Type::Float(FloatType::F64) => Some(Kind::Float(Width::Double)),
        _ => None,
    }
}

/// The bits of a constant.
fn bits(body: &Body, op: Op) -> Option<i64> {
    let r#type = body.value_type(body.result(op, 0));
    match (kind(r#type)?, body.attribute(op, "value")?) {
        (Kind::Integer, value) if *r#type == Type::I1 => Some(value.as_integer()? & 1),
        (Kind::Integer, value) => value.as_integer(),
        (Kind::Float(Width::Double), Attribute::Float(bits, _)) => Some(*bits as i64),
        (Kind::Float(Width::Single), Attribute::Float(bits, _)) => {
            Some(i64::from((f64::from_bits(*bits) as f32).to_bits()))
        }
        (Kind::Float(_), _) => None,
    }
}

fn byte_length(buffer: &Type) -> Option<usize> {
    let count: i64 = buffer.static_shape()?.iter().product();
    Some(usize::try_from(count).ok()? * buffer.element().byte_width()?)
}

/// A comparison as the processor's condition.
fn condition(predicate: CmpIPredicate) -> Condition {
    match predicate {
        CmpIPredicate::Eq => Condition::Equal,
        CmpIPredicate::Ne => Condition::NotEqual,
        CmpIPredicate::Slt => Condition::Less,
        CmpIPredicate::Sle => Condition::LessOrEqual,
        CmpIPredicate::Sgt => Condition::Greater,
        CmpIPredicate::Sge => Condition::GreaterOrEqual,
        CmpIPredicate::Ult => Condition::Below,
        CmpIPredicate::Ule => Condition::BelowOrEqual,
        CmpIPredicate::Ugt => Condition::Above,
        CmpIPredicate::Uge => Condition::AboveOrEqual,
    }
}
