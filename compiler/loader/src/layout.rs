//! The layout of the mapping.

use std::collections::BTreeMap;

use object::{File, Object, ObjectSection, ObjectSymbol, SectionFlags, SectionIndex, SymbolSection};

use crate::library;
use crate::machine::Machine;

/// The size of an entry in the table of outside symbols: an address and a jump.
const ENTRY: usize = 16;
/// Cache lines: the largest alignment that code generators require for code, so that sections of different objects do
/// not share one.
const SECTION_ALIGNMENT: usize = 64;

/// The maximum size of all sections: offsets in instructions have 32 bits.
const LARGEST: usize = i32::MAX as usize;

/// A symbol that none of the objects defines.
pub(crate) struct Outside {
    /// Its address.
    pub(crate) address: usize,
    /// The offset of its entry: the address, then a jump to it.
    pub(crate) entry: usize,
}

/// Offsets into the mapping.
pub(crate) struct Layout {
    pub(crate) size: usize,
    /// By object and section.
    sections: BTreeMap<(usize, usize), usize>,
    /// Symbols that are visible to other objects.
    pub(crate) defined: BTreeMap<String, usize>,
    pub(crate) outside: BTreeMap<String, Outside>,
}

impl Layout {
    pub(crate) fn of(files: &[File<'_>], symbols: &BTreeMap<String, usize>) -> Result<Layout, String> {
        let mut layout =
            Layout { size: 0, sections: BTreeMap::new(), defined: BTreeMap::new(), outside: BTreeMap::new() };
        for (number, file) in files.iter().enumerate() {
            layout.place_sections(number, file)?;
        }
        for (number, file) in files.iter().enumerate() {
            layout.collect_defined(number, file)?;
        }
        for file in files {
            layout.collect_outside(file, symbols)?;
        }
        Ok(layout)
    }

    fn place_sections(&mut self, number: usize, file: &File<'_>) -> Result<(), String> {
        for section in file.sections() {
            let name = section.name().unwrap_or_default();
            if !is_loaded(&section, name) || section.size() == 0 {
                continue;
            }
            if is_writable(&section) && !name.starts_with(".data.rel.ro") {
                return Err(format!("the object has writable data in {name}"));
            }
            let alignment = (section.align() as usize).max(SECTION_ALIGNMENT);
            let start = self.size.checked_next_multiple_of(alignment);
            let end = start.and_then(|start| start.checked_add(usize::try_from(section.size()).ok()?));
            let (Some(start), Some(end)) = (start, end.filter(|&end| end <= LARGEST)) else {
                return Err(format!("the section {name} states a size or an alignment that no memory has"));
            };
            self.sections.insert((number, section.index().0), start);
            self.size = end;
        }
        Ok(())
    }

    fn collect_defined(&mut self, number: usize, file: &File<'_>) -> Result<(), String> {
        for symbol in file.symbols() {
            let Ok(name) = symbol.name() else { continue };
            let Some(offset) = self.symbol_offset(number, &symbol) else { continue };
            if symbol.is_global() && !name.is_empty() && self.defined.insert(name.to_string(), offset).is_some() {
                return Err(format!("{name} is defined twice"));
            }
        }
        Ok(())
    }

    fn collect_outside(&mut self, file: &File<'_>, symbols: &BTreeMap<String, usize>) -> Result<(), String> {
        for symbol in file.symbols().filter(|symbol| symbol.is_undefined()) {
            let name = symbol.name().unwrap_or_default();
            if name.is_empty() || self.defined.contains_key(name) || self.outside.contains_key(name) {
                continue;
            }
            let address = symbols.get(name).copied().or_else(|| library::address(name));
            let address = address.ok_or_else(|| format!("{name} is defined nowhere"))?;
            let entry = self.size.next_multiple_of(ENTRY);
            self.size = entry + ENTRY;
            self.outside.insert(name.to_string(), Outside { address, entry });
        }
        Ok(())
    }

    /// The offset of a section of an object.
    pub(crate) fn section_offset(&self, number: usize, section: SectionIndex) -> Option<usize> {
        self.sections.get(&(number, section.0)).copied()
    }

    /// The offset of a symbol that its own object defines.
    pub(crate) fn symbol_offset<'d>(&self, number: usize, symbol: &impl ObjectSymbol<'d>) -> Option<usize> {
        match symbol.section() {
            SymbolSection::Section(section) => {
                let offset = self.section_offset(number, section)?;
                offset.checked_add(usize::try_from(symbol.address()).ok()?).filter(|&offset| offset < self.size)
            }
            _ => None,
        }
    }

    pub(crate) fn copy_sections(&self, files: &[File<'_>], memory: &mut [u8]) -> Result<(), String> {
        for (&(number, section), &offset) in &self.sections {
            let section = files[number].section_by_index(SectionIndex(section)).map_err(|error| error.to_string())?;
            // a section without bytes in the file is zero, as the memory is
            let data = section.data().map_err(|error| error.to_string())?;
            memory[offset..offset + data.len()].copy_from_slice(data);
        }
        Ok(())
    }

    pub(crate) fn write_outside_symbols(&self, machine: Machine, memory: &mut [u8]) {
        for Outside { address, entry } in self.outside.values() {
            let jump = jump_offset(*entry);
            memory[*entry..jump].copy_from_slice(&(*address as u64).to_le_bytes());
            memory[jump..*entry + ENTRY].copy_from_slice(&machine.jump());
        }
    }
}

/// The offset of the jump in an entry: after the address.
pub(crate) fn jump_offset(entry: usize) -> usize {
    entry + 8
}

/// Sections that a running program has in memory, except unwind tables: nothing unwinds here.
fn is_loaded<'d>(section: &impl ObjectSection<'d>, name: &str) -> bool {
    has_flag(section, object::elf::SHF_ALLOC) && name != ".eh_frame"
}

fn is_writable<'d>(section: &impl ObjectSection<'d>) -> bool {
    has_flag(section, object::elf::SHF_WRITE)
}

fn has_flag<'d>(section: &impl ObjectSection<'d>, flag: object::elf::SectionFlags) -> bool {
    matches!(section.flags(), SectionFlags::Elf { sh_flags, .. } if sh_flags.contains(flag))
}
