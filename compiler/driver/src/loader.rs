//! ELF objects into memory: sections are laid out, relocations resolved, code made executable.
//!
//! Code reaches what lies far away (the runtime, the constants) through stubs and a table of addresses, which stand in
//! the same mapping and so are always near.

#![allow(unsafe_code, reason = "code memory is made executable, and symbols of the C library are named")]

use std::collections::BTreeMap;

use indexmap::IndexMap;
use ir::{Diagnostic, Location};
use memmap2::{Mmap, MmapMut};
use object::elf;
use object::{Object, ObjectSection, ObjectSymbol, RelocationFlags, RelocationTarget, SectionIndex, SectionKind};

/// Machine code in memory. The code lives as long as this value.
pub(crate) struct Loaded {
    memory: Mmap,
    functions: BTreeMap<String, usize>,
}

impl Loaded {
    /// The address of a function that the objects define.
    pub(crate) fn function(&self, name: &str) -> Option<*const u8> {
        self.functions.get(name).map(|&offset| self.memory[offset..].as_ptr())
    }
}

type Failure = String;

/// Links objects with each other and with `symbols`.
pub(crate) fn load(objects: &[Vec<u8>], symbols: &BTreeMap<String, usize>) -> Result<Loaded, Diagnostic> {
    link(objects, symbols).map_err(|problem| Diagnostic::internal(Location::Unknown, format!("linking: {problem}")))
}

fn link(objects: &[Vec<u8>], symbols: &BTreeMap<String, usize>) -> Result<Loaded, Failure> {
    let files: Vec<object::File<'_>> = objects
        .iter()
        .map(|bytes| object::File::parse(bytes.as_slice()).map_err(|error| error.to_string()))
        .collect::<Result<_, _>>()?;
    let layout = Layout::of(&files)?;
    let mut memory = MmapMut::map_anon(layout.size.max(1)).map_err(|error| error.to_string())?;
    let base = memory.as_ptr().expose_provenance();
    for ((file, section), &offset) in &layout.sections {
        let section = files[*file].section_by_index(*section).map_err(|error| error.to_string())?;
        let data = section.data().map_err(|error| error.to_string())?;
        memory[offset..offset + data.len()].copy_from_slice(data);
    }
    let mut linker = Linker { layout: &layout, base, symbols, memory: &mut memory };
    linker.fill_table()?;
    for (index, file) in files.iter().enumerate() {
        linker.relocate(index, file)?;
    }
    let memory = memory.make_exec().map_err(|error| error.to_string())?;
    Ok(Loaded { memory, functions: layout.defined })
}

/// Room for the way to one symbol: its address, then a jump to it.
const TABLE_ENTRY: usize = 16;
/// Where the jump stands in it.
const TABLE_JUMP: usize = 8;

/// Where everything lies, as offsets into one mapping.
#[derive(Default)]
struct Layout {
    sections: IndexMap<(usize, SectionIndex), usize>,
    /// Symbols the objects define.
    defined: BTreeMap<String, usize>,
    /// Every symbol by name, with its entry of the table.
    table: IndexMap<String, usize>,
    size: usize,
}

impl Layout {
    fn of(files: &[object::File<'_>]) -> Result<Layout, Failure> {
        let mut layout = Layout::default();
        for (index, file) in files.iter().enumerate() {
            for section in file.sections().filter(is_loaded) {
                let offset = layout.reserve(section.size() as usize, section.align() as usize);
                layout.sections.insert((index, section.index()), offset);
            }
        }
        for (index, file) in files.iter().enumerate() {
            for symbol in file.symbols().filter(|symbol| symbol.is_global() && symbol.is_definition()) {
                let name = symbol.name().map_err(|error| error.to_string())?;
                let section = symbol.section_index().and_then(|section| layout.sections.get(&(index, section)));
                let offset = section.ok_or_else(|| format!("{name} lies in no section"))? + symbol.address() as usize;
                layout.defined.insert(name.to_string(), offset);
            }
        }
        for symbol in files.iter().flat_map(|file| file.symbols()).filter(|symbol| symbol.is_global()) {
            let name = symbol.name().map_err(|error| error.to_string())?;
            if !layout.table.contains_key(name) {
                let offset = layout.reserve(TABLE_ENTRY, TABLE_ENTRY);
                layout.table.insert(name.to_string(), offset);
            }
        }
        Ok(layout)
    }

    fn reserve(&mut self, size: usize, alignment: usize) -> usize {
        let offset = self.size.next_multiple_of(alignment.max(1));
        self.size = offset + size;
        offset
    }
}

fn is_loaded<'a>(section: &impl ObjectSection<'a>) -> bool {
    let wanted = matches!(
        section.kind(),
        SectionKind::Text | SectionKind::Data | SectionKind::ReadOnlyData | SectionKind::UninitializedData
    );
    wanted && !section.name().unwrap_or_default().starts_with(".eh_frame")
}

struct Linker<'a> {
    layout: &'a Layout,
    base: usize,
    symbols: &'a BTreeMap<String, usize>,
    memory: &'a mut MmapMut,
}

impl Linker<'_> {
    /// Fills the table of symbols.
    fn fill_table(&mut self) -> Result<(), Failure> {
        for (name, &offset) in &self.layout.table {
            let address = match self.layout.defined.get(name) {
                Some(&defined) => self.base + defined,
                None => *self.symbols.get(name).ok_or_else(|| format!("the symbol {name} is nowhere defined"))?,
            };
            self.memory[offset..offset + 8].copy_from_slice(&(address as u64).to_le_bytes());
            let jump = offset + TABLE_JUMP;
            self.memory[jump..jump + JUMP.len()].copy_from_slice(&JUMP);
        }
        Ok(())
    }

    fn relocate(&mut self, index: usize, file: &object::File<'_>) -> Result<(), Failure> {
        for section in file.sections().filter(is_loaded) {
            let start = self.layout.sections[&(index, section.index())];
            for (at, relocation) in section.relocations() {
                let RelocationTarget::Symbol(symbol) = relocation.target() else {
                    return Err("a relocation names no symbol".to_string());
                };
                let symbol = file.symbol_by_index(symbol).map_err(|error| error.to_string())?;
                let target = self.target(index, &symbol)?;
                let RelocationFlags::Elf { r_type } = relocation.flags() else {
                    return Err("the object is no ELF file".to_string());
                };
                self.apply(r_type, start + at as usize, target, relocation.addend())?;
            }
        }
        Ok(())
    }

    fn target<'f>(&self, index: usize, symbol: &impl ObjectSymbol<'f>) -> Result<Target, Failure> {
        let name = symbol.name().unwrap_or_default();
        let entry = self.layout.table.get(name).filter(|_| symbol.is_global()).map(|entry| self.base + entry);
        if let Some(section) = symbol.section_index() {
            let start = self.layout.sections.get(&(index, section));
            let start = start.ok_or_else(|| format!("{name} lies in a section that is not loaded"))?;
            let address = self.base + start + symbol.address() as usize;
            return Ok(Target { address, near: address, entry });
        }
        let defined = entry.ok_or_else(|| format!("{name} has no place"))?;
        let address = self.read(defined - self.base) as usize;
        Ok(Target { address, near: defined + TABLE_JUMP, entry })
    }

    fn apply(&mut self, r#type: elf::RelocationType, at: usize, target: Target, addend: i64) -> Result<(), Failure> {
        let place = (self.base + at) as i64;
        let entry = || target.entry.ok_or("a local symbol is read through the table").map(|entry| entry as i64);
        let value = |address: i64| address + addend;
        match r#type {
            elf::R_X86_64_64 => {
                self.memory[at..at + 8].copy_from_slice(&value(target.address as i64).to_le_bytes());
                Ok(())
            }
            elf::R_X86_64_PC32 | elf::R_X86_64_PLT32 => self.write_relative(at, value(target.near as i64) - place),
            elf::R_X86_64_GOTPCREL | elf::R_X86_64_GOTPCRELX | elf::R_X86_64_REX_GOTPCRELX => {
                self.write_relative(at, value(entry()?) - place)
            }
            other => Err(format!("relocations of type {other:?} are not known")),
        }
    }

    fn read(&self, at: usize) -> i64 {
        i64::from_le_bytes(self.memory[at..at + 8].try_into().expect("8 bytes"))
    }

    fn write_relative(&mut self, at: usize, distance: i64) -> Result<(), Failure> {
        let distance = i32::try_from(distance).map_err(|_| "code is too large")?;
        self.memory[at..at + 4].copy_from_slice(&distance.to_le_bytes());
        Ok(())
    }
}

/// What a relocation refers to.
struct Target {
    /// The symbol itself.
    address: usize,
    /// Where code in the mapping may go: the symbol, or the jump to it.
    near: usize,
    /// Where its address stands.
    entry: Option<usize>,
}

/// `jmp [rip - 14]`: to the address that stands [`TABLE_JUMP`] bytes before the instruction.
const JUMP: [u8; 6] = [0xff, 0x25, 0xf2, 0xff, 0xff, 0xff];

/// Functions of the C library that compilers call on their own.
pub(crate) fn library_symbols() -> [(&'static str, usize); 4] {
    unsafe extern "C" {
        fn memcpy();
        fn memmove();
        fn memset();
        fn memcmp();
    }
    [
        ("memcpy", memcpy as *const () as usize),
        ("memmove", memmove as *const () as usize),
        ("memset", memset as *const () as usize),
        ("memcmp", memcmp as *const () as usize),
    ]
}
