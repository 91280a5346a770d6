//! Relocations of x86-64.

use object::elf::{
    R_X86_64_64, R_X86_64_GOTPCREL, R_X86_64_GOTPCRELX, R_X86_64_PC32, R_X86_64_PC64, R_X86_64_PLT32,
    R_X86_64_REX_GOTPCRELX, RelocationType,
};

use super::{Site, Target, unknown};

pub(super) fn apply(r_type: RelocationType, target: Target, addend: i64, mut site: Site<'_>) -> Result<(), String> {
    let here = site.address;
    let distance = |to: i64| to.wrapping_add(addend).wrapping_sub(here);
    match r_type {
        R_X86_64_64 => site.write(&target.address.wrapping_add(addend).to_le_bytes()),
        R_X86_64_PC64 => site.write(&distance(target.address).to_le_bytes()),
        R_X86_64_PC32 => site.write_distance(distance(target.address)),
        R_X86_64_PLT32 => site.write_distance(distance(target.call_address())),
        R_X86_64_GOTPCREL | R_X86_64_GOTPCRELX | R_X86_64_REX_GOTPCRELX => match target.entry {
            Some(entry) => site.write_distance(distance(entry)),
            None => relax_load(site, distance(target.address)),
        },
        other => Err(unknown(other)),
    }
}

/// Relaxes a load of a near symbol's address from a table: `mov` becomes `lea`, and an indirect call or jump a direct
/// one.
fn relax_load(mut site: Site<'_>, distance: i64) -> Result<(), String> {
    const MOV: u8 = 0x8b;
    const LEA: u8 = 0x8d;
    const INDIRECT: u8 = 0xff;
    let unknown = || "an instruction loads an address in an unknown way".to_string();
    let place = site.offset;
    let [opcode, operand] = *site.memory.get(place.wrapping_sub(2)..place).ok_or_else(unknown)? else {
        return Err(unknown());
    };
    match (opcode, operand) {
        (MOV, _) => site.memory[place - 2] = LEA,
        // `call *x(%rip)` becomes `addr32 call x`, which has the same length
        (INDIRECT, 0x15) => site.memory[place - 2..place].copy_from_slice(&[0x67, 0xe8]),
        // `jmp *x(%rip)` becomes `jmp x; nop`, whose operand begins a byte earlier
        (INDIRECT, 0x25) => {
            site.memory[place - 2] = 0xe9;
            site.offset -= 1;
            site.write_distance(distance.wrapping_add(1))?;
            site.offset += 4;
            return site.write(&[0x90]);
        }
        _ => return Err(unknown()),
    }
    site.write_distance(distance)
}
