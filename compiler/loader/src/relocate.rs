//! Relocation.

mod aarch64;
mod x86_64;

use object::{File, Object, ObjectSection, ObjectSymbol, Relocation, RelocationFlags, RelocationTarget};

use crate::layout::{Layout, jump_offset};
use crate::machine::Machine;

/// What a relocation refers to: an address, and its entry in the table if it is outside of the mapping.
#[derive(Clone, Copy)]
struct Target {
    address: i64,
    /// The address of the entry: the target's address, then a jump to it.
    entry: Option<i64>,
}

impl Target {
    /// Where a call goes: code reaches outside symbols through the jump after their address.
    fn call_address(self) -> i64 {
        self.entry.map_or(self.address, |entry| jump_offset(entry as usize) as i64)
    }
}

/// The bytes of a relocation, and those around them.
struct Site<'m> {
    memory: &'m mut [u8],
    offset: usize,
    /// The address of the bytes.
    address: i64,
}

impl Site<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<(), String> {
        let end = self.offset.checked_add(bytes.len());
        let slot = end.and_then(|end| self.memory.get_mut(self.offset..end));
        slot.ok_or("a relocation is outside its section")?.copy_from_slice(bytes);
        Ok(())
    }

    fn write_distance(&mut self, distance: i64) -> Result<(), String> {
        let distance = i32::try_from(distance).map_err(|_| TOO_FAR)?;
        self.write(&distance.to_le_bytes())
    }
}

const TOO_FAR: &str = "a symbol is too far from the code that uses it";

/// Applies the relocations of all loaded sections; `base` is the address of `memory`.
pub(crate) fn relocate(
    files: &[File<'_>],
    machine: Machine,
    layout: &Layout,
    base: usize,
    memory: &mut [u8],
) -> Result<(), String> {
    for (number, file) in files.iter().enumerate() {
        for section in file.sections() {
            let Some(start) = layout.section_offset(number, section.index()) else { continue };
            for (offset, relocation) in section.relocations() {
                let target = target(file, number, layout, base, &relocation)?;
                let offset = start.wrapping_add(offset as usize);
                let site = Site { memory, offset, address: base.wrapping_add(offset) as i64 };
                apply(&relocation, machine, target, site)?;
            }
        }
    }
    Ok(())
}

fn target(
    file: &File<'_>,
    number: usize,
    layout: &Layout,
    base: usize,
    relocation: &Relocation,
) -> Result<Target, String> {
    let inside = |offset| Target { address: (base + offset) as i64, entry: None };
    let symbol = match relocation.target() {
        RelocationTarget::Symbol(index) => file.symbol_by_index(index).map_err(|error| error.to_string())?,
        RelocationTarget::Section(index) => {
            let offset = layout.section_offset(number, index);
            return offset.map(inside).ok_or_else(|| "code refers to a section that is not loaded".into());
        }
        _ => return Err("code refers to an absolute address".into()),
    };
    if let Some(offset) = layout.symbol_offset(number, &symbol) {
        return Ok(inside(offset));
    }
    let name = symbol.name().unwrap_or_default();
    if let Some(&offset) = layout.defined.get(name) {
        return Ok(inside(offset));
    }
    let outside = layout.outside.get(name).ok_or_else(|| format!("{name} is defined nowhere"))?;
    Ok(Target { address: outside.address as i64, entry: Some((base + outside.entry) as i64) })
}

fn apply(relocation: &Relocation, machine: Machine, target: Target, site: Site<'_>) -> Result<(), String> {
    let RelocationFlags::Elf { r_type } = relocation.flags() else { return Err("not an ELF relocation".into()) };
    match machine {
        Machine::X86_64 => x86_64::apply(r_type, target, relocation.addend(), site),
        Machine::Aarch64 => aarch64::apply(r_type, target, relocation.addend(), site),
    }
}

fn unknown(r_type: object::elf::RelocationType) -> String {
    format!("the object has a relocation of the unknown type {r_type}")
}
