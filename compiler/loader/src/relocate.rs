//! Relocation.

use object::elf::{
    R_X86_64_64, R_X86_64_GOTPCREL, R_X86_64_GOTPCRELX, R_X86_64_PC32, R_X86_64_PC64, R_X86_64_PLT32,
    R_X86_64_REX_GOTPCRELX,
};
use object::{File, Object, ObjectSection, ObjectSymbol, Relocation, RelocationFlags, RelocationTarget};

use crate::layout::{Layout, jump_offset};

/// The target of a relocation, as an offset into the mapping or an address outside.
#[derive(Clone, Copy)]
enum Target {
    Inside(usize),
    Outside { address: usize, entry: usize },
}

/// Applies the relocations of all loaded sections; `base` is the address of `memory`.
pub(crate) fn relocate(files: &[File<'_>], layout: &Layout, base: usize, memory: &mut [u8]) -> Result<(), String> {
    for (number, file) in files.iter().enumerate() {
        for section in file.sections() {
            let Some(start) = layout.section_offset(number, section.index()) else { continue };
            for (offset, relocation) in section.relocations() {
                let target = target(file, number, layout, &relocation)?;
                apply(&relocation, target, base, start + offset as usize, memory)?;
            }
        }
    }
    Ok(())
}

fn target(file: &File<'_>, number: usize, layout: &Layout, relocation: &Relocation) -> Result<Target, String> {
    let symbol = match relocation.target() {
        RelocationTarget::Symbol(index) => file.symbol_by_index(index).map_err(|error| error.to_string())?,
        RelocationTarget::Section(index) => {
            let offset = layout.section_offset(number, index);
            return offset.map(Target::Inside).ok_or_else(|| "code refers to a section that is not loaded".into());
        }
        _ => return Err("code refers to an absolute address".into()),
    };
    if let Some(offset) = layout.symbol_offset(number, &symbol) {
        return Ok(Target::Inside(offset));
    }
    let name = symbol.name().unwrap_or_default();
    if let Some(&offset) = layout.defined.get(name) {
        return Ok(Target::Inside(offset));
    }
    let outside = layout.outside.get(name).ok_or_else(|| format!("{name} is defined nowhere"))?;
    Ok(Target::Outside { address: outside.address, entry: outside.entry })
}

fn apply(relocation: &Relocation, target: Target, base: usize, place: usize, memory: &mut [u8]) -> Result<(), String> {
    let RelocationFlags::Elf { r_type } = relocation.flags() else { return Err("not an ELF relocation".into()) };
    let addend = relocation.addend();
    let address = match target {
        Target::Inside(offset) => base + offset,
        Target::Outside { address, .. } => address,
    } as i64;
    let here = (base + place) as i64;
    match r_type {
        R_X86_64_64 => write(memory, place, &(address + addend).to_le_bytes()),
        R_X86_64_PC64 => write(memory, place, &(address + addend - here).to_le_bytes()),
        R_X86_64_PC32 | R_X86_64_PLT32 => {
            // code calls outside symbols through the jump after their address
            let near = match target {
                Target::Outside { entry, .. } if r_type == R_X86_64_PLT32 => (base + jump_offset(entry)) as i64,
                _ => address,
            };
            write_distance(memory, place, near + addend - here)
        }
        R_X86_64_GOTPCREL | R_X86_64_GOTPCRELX | R_X86_64_REX_GOTPCRELX => match target {
            Target::Outside { entry, .. } => write_distance(memory, place, (base + entry) as i64 + addend - here),
            Target::Inside(offset) => relax_load(memory, place, (base + offset) as i64 + addend - here),
        },
        other => Err(format!("the object has a relocation of the unknown type {other}")),
    }
}

fn write(memory: &mut [u8], place: usize, bytes: &[u8]) -> Result<(), String> {
    let slot = memory.get_mut(place..place + bytes.len()).ok_or("a relocation is outside its section")?;
    slot.copy_from_slice(bytes);
    Ok(())
}

fn write_distance(memory: &mut [u8], place: usize, distance: i64) -> Result<(), String> {
    let distance = i32::try_from(distance).map_err(|_| "a symbol is too far from the code that uses it")?;
    write(memory, place, &distance.to_le_bytes())
}

/// Relaxes a load of a near symbol's address from a table: `mov` becomes `lea`, and an indirect call or jump a direct
/// one.
fn relax_load(memory: &mut [u8], place: usize, distance: i64) -> Result<(), String> {
    const MOV: u8 = 0x8b;
    const LEA: u8 = 0x8d;
    const INDIRECT: u8 = 0xff;
    let unknown = || "an instruction loads an address in an unknown way".to_string();
    let [opcode, operand] = *memory.get(place.wrapping_sub(2)..place).ok_or_else(unknown)? else {
        return Err(unknown());
    };
    match (opcode, operand) {
        (MOV, _) => memory[place - 2] = LEA,
        // `call *x(%rip)` becomes `addr32 call x`, which has the same length
        (INDIRECT, 0x15) => memory[place - 2..place].copy_from_slice(&[0x67, 0xe8]),
        // `jmp *x(%rip)` becomes `jmp x; nop`, whose operand begins a byte earlier
        (INDIRECT, 0x25) => {
            memory[place - 2] = 0xe9;
            write_distance(memory, place - 1, distance + 1)?;
            memory[place + 3] = 0x90;
            return Ok(());
        }
        _ => return Err(unknown()),
    }
    write_distance(memory, place, distance)
}
