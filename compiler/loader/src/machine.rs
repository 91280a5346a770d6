//! Processors whose objects can be loaded.

use object::{Architecture, File, Object};

/// A processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Machine {
    X86_64,
    Aarch64,
}

impl Machine {
    /// The one that an object is for.
    pub(crate) fn of(file: &File<'_>) -> Option<Machine> {
        match file.architecture() {
            Architecture::X86_64 => Some(Machine::X86_64),
            Architecture::Aarch64 => Some(Machine::Aarch64),
            _ => None,
        }
    }

    /// This one, if its objects can be loaded.
    pub(crate) fn here() -> Option<Machine> {
        match std::env::consts::ARCH {
            "x86_64" => Some(Machine::X86_64),
            "aarch64" => Some(Machine::Aarch64),
            _ => None,
        }
    }

    /// A jump to the address in the eight bytes before it.
    pub(crate) fn jump(self) -> [u8; 8] {
        match self {
            // `jmp *-14(%rip)`: operands are relative to the end of the instruction
            Machine::X86_64 => [0xff, 0x25, 0xf2, 0xff, 0xff, 0xff, 0, 0],
            // `ldr x16, .-8; br x16`
            Machine::Aarch64 => [0xd0, 0xff, 0xff, 0x58, 0x00, 0x02, 0x1f, 0xd6],
        }
    }
}
