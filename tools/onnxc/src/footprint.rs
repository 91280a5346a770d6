//! The memory that an object without a runtime takes on its machine.

use commandline::Failure;
use driver::ErrorClass;
use object::elf::{SHF_ALLOC, SHF_EXECINSTR, SHF_WRITE};
use object::{Object, ObjectSection, ObjectSymbol, SectionFlags};

/// Bytes by kind of memory, and what else an object says about its machine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Footprint {
    /// Instructions.
    pub(crate) code: u64,
    /// Everything else that is only read: weights, and the initial values of variables.
    pub(crate) constants: u64,
    /// Variables.
    pub(crate) ram: u64,
    /// The stack of a call at most, without that of functions of other objects; `None` if the object does not state it.
    pub(crate) stack: Option<u64>,
    /// The functions that it exports.
    pub(crate) functions: Vec<String>,
    /// The functions of other objects that it calls.
    pub(crate) calls: Vec<String>,
    /// The processor.
    pub(crate) processor: String,
}

/// What the symbol ends in whose value is the bound of the stack.
const STACK: &str = "_stack_bytes";

/// The symbol whose value is the bound of the stack.
pub(crate) fn stack_symbol(name: &str) -> String {
    format!("{name}{STACK}")
}

impl Footprint {
    /// Of an object; `None` if it is not ELF.
    pub(crate) fn of(bytes: &[u8]) -> Result<Option<Footprint>, Failure> {
        if !is_elf(bytes) {
            return Ok(None);
        }
        let damaged = |error: object::Error| Failure::new(ErrorClass::Input, format!("the object: {error}"));
        let file = object::File::parse(bytes).map_err(damaged)?;
        let mut footprint = Footprint { processor: format!("{:?}", file.architecture()), ..Footprint::default() };
        file.sections().for_each(|section| footprint.add(&section));
        for symbol in file.symbols().filter(|symbol| symbol.is_global()) {
            let name = symbol.name().map_err(damaged)?;
            match name.strip_suffix(STACK) {
                Some(_) if symbol.section_index().is_none() => footprint.stack = Some(symbol.address()),
                _ if symbol.is_undefined() => footprint.calls.push(name.to_string()),
                _ => footprint.functions.push(name.to_string()),
            }
        }
        [&mut footprint.calls, &mut footprint.functions].into_iter().for_each(|names| names.sort());
        Ok(Some(footprint))
    }

    /// Bytes of read-only memory.
    pub(crate) fn flash(&self) -> u64 {
        self.code + self.constants
    }

    fn add(&mut self, section: &object::Section<'_, '_>) {
        let SectionFlags::Elf { sh_flags, .. } = section.flags() else { return };
        if !sh_flags.contains(SHF_ALLOC) {
            return;
        }
        let is_zeroed = section.file_range().is_none();
        // a section begins at a multiple of its alignment
        let bytes = section.size().next_multiple_of(section.align().max(1));
        match (sh_flags.contains(SHF_WRITE), sh_flags.contains(SHF_EXECINSTR)) {
            (true, _) => {
                self.ram += bytes;
                self.constants += if is_zeroed { 0 } else { bytes };
            }
            (false, true) => self.code += bytes,
            (false, false) => self.constants += bytes,
        }
    }
}

/// Whether bytes begin as those of an ELF file.
pub(crate) fn is_elf(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x7fELF")
}
