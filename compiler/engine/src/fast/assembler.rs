//! An assembler for the few x86-64 instructions in templates.
//!
//! Encodings are those of Intel's Software Developer's Manual, volume 2. Operands are 64 bits wide unless a method says
//! otherwise.

/// A general purpose register, by its number.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Register(u8);

impl Register {
    pub(crate) const RAX: Register = Register(0);
    pub(crate) const RCX: Register = Register(1);
    pub(crate) const RDX: Register = Register(2);
    const RSP: Register = Register(4);
    const RBP: Register = Register(5);
    /// The registers of the first arguments of a call, in order.
    pub(crate) const ARGUMENTS: [Register; 6] =
        [Register(7), Register(6), Register(2), Register(1), Register(8), Register(9)];
}

/// A floating-point register, by its number.
#[derive(Clone, Copy)]
pub(crate) struct FloatRegister(pub(crate) u8);

/// The number of floating-point arguments in registers.
pub(crate) const FLOAT_ARGUMENTS: usize = 8;

/// Whether floats have 32 bits or 64.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Width {
    Single,
    Double,
}

/// Memory at an offset from the frame's base or from the top of the stack.
#[derive(Clone, Copy)]
pub(crate) enum Memory {
    Frame(i32),
    Stack(i32),
}

/// Operations on two registers with the result in the first.
#[derive(Clone, Copy)]
pub(crate) enum Binary {
    Add = 0x01,
    Or = 0x09,
    And = 0x21,
    Subtract = 0x29,
    Xor = 0x31,
    Compare = 0x39,
    Test = 0x85,
}

/// Operations on two floats.
#[derive(Clone, Copy)]
pub(crate) enum FloatBinary {
    Add = 0x58,
    Multiply = 0x59,
    Subtract = 0x5c,
    Divide = 0x5e,
}

/// The condition of a comparison, by its number in instructions.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Condition {
    Below = 2,
    AboveOrEqual = 3,
    Equal = 4,
    NotEqual = 5,
    BelowOrEqual = 6,
    Above = 7,
    NoParity = 11,
    Less = 12,
    GreaterOrEqual = 13,
    LessOrEqual = 14,
    Greater = 15,
}

/// A position in the code that is defined later.
#[derive(Clone, Copy)]
pub(crate) struct Label(usize);

/// Code under construction.
#[derive(Default)]
pub(crate) struct Assembler {
    code: Vec<u8>,
    labels: Vec<Option<usize>>,
    /// The positions of missing 32-bit offsets, and their targets.
    jumps: Vec<(usize, Label)>,
}

impl Assembler {
    pub(crate) fn label(&mut self) -> Label {
        self.labels.push(None);
        Label(self.labels.len() - 1)
    }

    /// Defines a label at the current position.
    pub(crate) fn bind(&mut self, label: Label) {
        self.labels[label.0] = Some(self.code.len());
    }

    /// The code, once all labels are defined.
    pub(crate) fn finish(mut self) -> Vec<u8> {
        for (at, label) in self.jumps {
            let target = self.labels[label.0].expect("labels that are jumped to are bound");
            let distance = target as i64 - (at as i64 + 4);
            self.code[at..at + 4].copy_from_slice(&(distance as i32).to_le_bytes());
        }
        self.code
    }

    fn bytes(&mut self, bytes: &[u8]) {
        self.code.extend_from_slice(bytes);
    }

    /// The prefix of an instruction with 64-bit operands.
    fn wide(&mut self, register: u8, base: u8) {
        self.bytes(&[0x48 | (register >> 3) << 2 | base >> 3]);
    }

    /// An instruction's operands: a register, and memory.
    fn with_memory(&mut self, register: u8, memory: Memory) {
        let (base, distance) = match memory {
            Memory::Frame(distance) => (Register::RBP, distance),
            Memory::Stack(distance) => (Register::RSP, distance),
        };
        self.bytes(&[0x80 | (register & 7) << 3 | base.0]);
        if base == Register::RSP {
            self.bytes(&[0x24]);
        }
        self.bytes(&distance.to_le_bytes());
    }

    fn with_register(&mut self, register: u8, other: u8) {
        self.bytes(&[0xc0 | (register & 7) << 3 | other & 7]);
    }

    pub(crate) fn load(&mut self, register: Register, memory: Memory) {
        self.wide(register.0, 0);
        self.bytes(&[0x8b]);
        self.with_memory(register.0, memory);
    }

    pub(crate) fn store(&mut self, memory: Memory, register: Register) {
        self.wide(register.0, 0);
        self.bytes(&[0x89]);
        self.with_memory(register.0, memory);
    }

    pub(crate) fn address(&mut self, register: Register, memory: Memory) {
        self.wide(register.0, 0);
        self.bytes(&[0x8d]);
        self.with_memory(register.0, memory);
    }

    /// Loads a constant into a register.
    pub(crate) fn number(&mut self, register: Register, number: i64) {
        match i32::try_from(number) {
            Ok(short) => {
                self.wide(0, register.0);
                self.bytes(&[0xc7]);
                self.with_register(0, register.0);
                self.bytes(&short.to_le_bytes());
            }
            Err(_) => drop(self.long_number(register, number)),
        }
    }

    /// Loads an eight-byte constant into a register; returns its position in the code.
    pub(crate) fn long_number(&mut self, register: Register, number: i64) -> usize {
        self.wide(0, register.0);
        self.bytes(&[0xb8 | register.0 & 7]);
        let at = self.code.len();
        self.bytes(&number.to_le_bytes());
        at
    }

    pub(crate) fn binary(&mut self, operation: Binary, first: Register, second: Register) {
        self.wide(second.0, first.0);
        self.bytes(&[operation as u8]);
        self.with_register(second.0, first.0);
    }

    pub(crate) fn multiply(&mut self, first: Register, second: Register) {
        self.wide(first.0, second.0);
        self.bytes(&[0x0f, 0xaf]);
        self.with_register(first.0, second.0);
    }

    /// `rax = rax / divisor`, signed; `rdx` has the remainder.
    pub(crate) fn divide(&mut self, divisor: Register) {
        self.bytes(&[0x48, 0x99]);
        self.wide(0, divisor.0);
        self.bytes(&[0xf7]);
        self.with_register(7, divisor.0);
    }

    /// `first = second` if a condition holds.
    pub(crate) fn move_if(&mut self, condition: Condition, first: Register, second: Register) {
        self.wide(first.0, second.0);
        self.bytes(&[0x0f, 0x40 | condition as u8]);
        self.with_register(first.0, second.0);
    }

    /// 1 if a condition holds, otherwise 0, in one of the first four registers.
    pub(crate) fn set_if(&mut self, condition: Condition, register: Register) {
        self.bytes(&[0x0f, 0x90 | condition as u8]);
        self.with_register(0, register.0);
        self.bytes(&[0x0f, 0xb6]);
        self.with_register(register.0, register.0);
    }

    /// `rax = rax[rcx]`, for elements of 1, 4 or 8 bytes, zero-extended.
    pub(crate) fn load_element(&mut self, bytes: usize) {
        match bytes {
            1 => self.bytes(&[0x0f, 0xb6, 0x04, 0x08]),
            4 => self.bytes(&[0x8b, 0x04, 0x88]),
            _ => self.bytes(&[0x48, 0x8b, 0x04, 0xc8]),
        }
    }

    /// Stores a register at an offset from the address in `rax`.
    pub(crate) fn store_at(&mut self, distance: i32, register: Register) {
        self.wide(register.0, 0);
        self.bytes(&[0x89, 0x80 | (register.0 & 7) << 3]);
        self.bytes(&distance.to_le_bytes());
    }

    pub(crate) fn load_float(&mut self, width: Width, register: FloatRegister, memory: Memory) {
        self.bytes(&[width.prefix(), 0x0f, 0x10]);
        self.with_memory(register.0, memory);
    }

    pub(crate) fn store_float(&mut self, width: Width, memory: Memory, register: FloatRegister) {
        self.bytes(&[width.prefix(), 0x0f, 0x11]);
        self.with_memory(register.0, memory);
    }

    pub(crate) fn float_binary(
        &mut self,
        operation: FloatBinary,
        width: Width,
        first: FloatRegister,
        second: FloatRegister,
    ) {
        self.bytes(&[width.prefix(), 0x0f, operation as u8]);
        self.with_register(first.0, second.0);
    }

    /// Compares floats: above, below, equal; a NaN sets parity, and counts as below and equal.
    pub(crate) fn compare_floats(&mut self, width: Width, first: FloatRegister, second: FloatRegister) {
        if width == Width::Double {
            self.bytes(&[0x66]);
        }
        self.bytes(&[0x0f, 0x2e]);
        self.with_register(first.0, second.0);
    }

    /// Converts a signed integer to a float.
    pub(crate) fn float_of(&mut self, width: Width, register: FloatRegister, integer: Register) {
        self.bytes(&[width.prefix()]);
        self.wide(register.0, integer.0);
        self.bytes(&[0x0f, 0x2a]);
        self.with_register(register.0, integer.0);
    }

    pub(crate) fn jump(&mut self, label: Label) {
        self.bytes(&[0xe9]);
        self.distance(label);
    }

    pub(crate) fn jump_if(&mut self, condition: Condition, label: Label) {
        self.bytes(&[0x0f, 0x80 | condition as u8]);
        self.distance(label);
    }

    fn distance(&mut self, label: Label) {
        self.jumps.push((self.code.len(), label));
        self.bytes(&[0; 4]);
    }

    pub(crate) fn push(&mut self, register: Register) {
        assert!(register.0 < 8, "the first registers have no prefix");
        self.bytes(&[0x50 | register.0]);
    }

    pub(crate) fn pop(&mut self, register: Register) {
        assert!(register.0 < 8, "the first registers have no prefix");
        self.bytes(&[0x58 | register.0]);
    }

    /// Calls the function at the address in `rax`.
    pub(crate) fn call(&mut self) {
        self.bytes(&[0xff, 0xd0]);
    }

    /// Begins a function with a frame of `bytes` bytes. The top of the stack is then a multiple of 64.
    pub(crate) fn enter(&mut self, bytes: i32) {
        /// Every page must be touched: the guard page after the stack catches overflows.
        const PAGE: usize = 4096;
        self.push(Register::RBP);
        // mov rbp, rsp
        self.bytes(&[0x48, 0x89, 0xe5]);
        for below in (PAGE as i32..bytes).step_by(PAGE) {
            // test [rbp - below], eax
            self.bytes(&[0x85]);
            self.with_memory(0, Memory::Frame(-below));
        }
        // sub rsp, bytes; and rsp, -64
        self.bytes(&[0x48, 0x81, 0xec]);
        self.bytes(&bytes.to_le_bytes());
        self.bytes(&[0x48, 0x83, 0xe4, 0xc0]);
    }

    /// Ends it.
    pub(crate) fn leave(&mut self) {
        self.bytes(&[0xc9, 0xc3]);
    }
}

impl Width {
    fn prefix(self) -> u8 {
        match self {
            Width::Single => 0xf3,
            Width::Double => 0xf2,
        }
    }
}
