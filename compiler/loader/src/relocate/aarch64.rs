//! Relocations of AArch64.

use object::elf::{
    R_AARCH64_ABS64, R_AARCH64_ADD_ABS_LO12_NC, R_AARCH64_ADR_GOT_PAGE, R_AARCH64_ADR_PREL_PG_HI21, R_AARCH64_CALL26,
    R_AARCH64_JUMP26, R_AARCH64_LD64_GOT_LO12_NC, R_AARCH64_LDST8_ABS_LO12_NC, R_AARCH64_LDST16_ABS_LO12_NC,
    R_AARCH64_LDST32_ABS_LO12_NC, R_AARCH64_LDST64_ABS_LO12_NC, R_AARCH64_LDST128_ABS_LO12_NC, R_AARCH64_PREL32,
    R_AARCH64_PREL64, RelocationType,
};

use super::{Site, TOO_FAR, Target, unknown};

/// What `adrp` counts in, whatever the system's pages are.
const PAGE: i64 = 4096;

pub(super) fn apply(r_type: RelocationType, target: Target, addend: i64, mut site: Site<'_>) -> Result<(), String> {
    let here = site.address;
    let to = target.address.wrapping_add(addend);
    match r_type {
        R_AARCH64_ABS64 => site.write(&to.to_le_bytes()),
        R_AARCH64_PREL64 => site.write(&to.wrapping_sub(here).to_le_bytes()),
        R_AARCH64_PREL32 => site.write_distance(to.wrapping_sub(here)),
        R_AARCH64_CALL26 | R_AARCH64_JUMP26 => {
            let distance = target.call_address().wrapping_add(addend).wrapping_sub(here);
            site.set_field(0, 26, signed(distance / 4, 26)?)
        }
        R_AARCH64_ADR_PREL_PG_HI21 => site.set_page(to),
        // the entry of a near symbol is not needed
        R_AARCH64_ADR_GOT_PAGE => site.set_page(target.entry.unwrap_or(to)),
        R_AARCH64_ADD_ABS_LO12_NC | R_AARCH64_LDST8_ABS_LO12_NC => site.set_low(to, 0),
        R_AARCH64_LDST16_ABS_LO12_NC => site.set_low(to, 1),
        R_AARCH64_LDST32_ABS_LO12_NC => site.set_low(to, 2),
        R_AARCH64_LDST64_ABS_LO12_NC => site.set_low(to, 3),
        R_AARCH64_LDST128_ABS_LO12_NC => site.set_low(to, 4),
        R_AARCH64_LD64_GOT_LO12_NC => match target.entry {
            Some(entry) => site.set_low(entry, 3),
            None => site.relax_load(to),
        },
        other => Err(unknown(other)),
    }
}

/// The low bits of a number that a field of signed numbers can hold.
fn signed(number: i64, width: u32) -> Result<u32, String> {
    let limit = 1 << (width - 1);
    if (-limit..limit).contains(&number) { Ok(number as u32 & ((1 << width) - 1)) } else { Err(TOO_FAR.to_string()) }
}

impl Site<'_> {
    fn instruction(&self) -> Result<u32, String> {
        let bytes = self.memory.get(self.offset..).and_then(|rest| rest.first_chunk());
        bytes.map(|bytes| u32::from_le_bytes(*bytes)).ok_or_else(|| "a relocation is outside its section".to_string())
    }

    /// Sets a field of an instruction; `value` fits in its width.
    fn set_field(&mut self, shift: u32, width: u32, value: u32) -> Result<(), String> {
        let mask = ((1 << width) - 1) << shift;
        let instruction = self.instruction()? & !mask | value << shift;
        self.write(&instruction.to_le_bytes())
    }

    /// Lets `adrp` yield the page of an address.
    fn set_page(&mut self, to: i64) -> Result<(), String> {
        let pages = signed(to.div_euclid(PAGE) - self.address.div_euclid(PAGE), 21)?;
        self.set_field(29, 2, pages & 3)?;
        self.set_field(5, 19, pages >> 2)
    }

    /// Sets an offset in a page, which instructions count in units of `1 << scale` bytes.
    fn set_low(&mut self, to: i64, scale: u32) -> Result<(), String> {
        let low = to.rem_euclid(PAGE) as u32;
        if low & ((1 << scale) - 1) != 0 {
            return Err("an instruction refers to an address that is not aligned".to_string());
        }
        self.set_field(10, 12, low >> scale)
    }

    /// Relaxes a load of a near symbol's address from a table: `ldr` becomes `add`.
    fn relax_load(&mut self, to: i64) -> Result<(), String> {
        const LDR: u32 = 0xf940_0000;
        const ADD: u32 = 0x9100_0000;
        const REGISTERS: u32 = 0x3ff;
        let instruction = self.instruction()?;
        if instruction & !REGISTERS != LDR {
            return Err("an instruction loads an address in an unknown way".to_string());
        }
        self.write(&(ADD | instruction & REGISTERS).to_le_bytes())?;
        self.set_low(to, 0)
    }
}

#[cfg(test)]
mod tests {
    use object::elf::*;

    use super::{Site, Target, apply};

    /// The instruction that becomes of one at an address.
    fn relocated(r_type: RelocationType, instruction: u32, at: i64, target: Target) -> Result<u32, String> {
        let mut memory = instruction.to_le_bytes();
        apply(r_type, target, 0, Site { memory: &mut memory, offset: 0, address: at })?;
        Ok(u32::from_le_bytes(memory))
    }

    fn near(address: i64) -> Target {
        Target { address, entry: None }
    }

    #[test]
    fn instructions_are_those_of_an_assembler() {
        let far = Target { address: 0x7000_0000_0000, entry: Some(0x21_0010) };
        let cases = [
            // bl .+8; bl .-4; b .+8
            (R_AARCH64_CALL26, 0x9400_0000, 0x1000, near(0x1008), 0x9400_0002),
            (R_AARCH64_CALL26, 0x9400_0000, 0x1000, near(0xffc), 0x97ff_ffff),
            (R_AARCH64_JUMP26, 0x1400_0000, 0x1000, near(0x1008), 0x1400_0002),
            // a call of what is outside goes to the jump of its entry
            (R_AARCH64_CALL26, 0x9400_0000, 0x21_0000, far, 0x9400_0006),
            // adrp x0, one page on; two pages back
            (R_AARCH64_ADR_PREL_PG_HI21, 0x9000_0000, 0x1ffc, near(0x2abc), 0xb000_0000),
            (R_AARCH64_ADR_PREL_PG_HI21, 0x9000_0000, 0x3000, near(0x1abc), 0xd0ff_ffe0),
            // add x0, x0, #0xabc; ldr q0, [x0, #0xab0]
            (R_AARCH64_ADD_ABS_LO12_NC, 0x9100_0000, 0, near(0x2abc), 0x912a_f000),
            (R_AARCH64_LDST128_ABS_LO12_NC, 0x3dc0_0000, 0, near(0x2ab0), 0x3dc2_ac00),
            // ldr x1, [x2, #0x10]; for a near symbol add x1, x2, #0xabc
            (R_AARCH64_LD64_GOT_LO12_NC, 0xf940_0041, 0, far, 0xf940_0841),
            (R_AARCH64_LD64_GOT_LO12_NC, 0xf940_0041, 0, near(0x2abc), 0x912a_f041),
            (R_AARCH64_ADR_GOT_PAGE, 0x9000_0000, 0x20_f000, far, 0xb000_0000),
        ];
        for (number, (r_type, instruction, at, target, expected)) in cases.into_iter().enumerate() {
            let found = relocated(r_type, instruction, at, target).expect("it is in reach");
            assert_eq!(found, expected, "case {number}: {found:#x} is not {expected:#x}");
        }
    }

    #[test]
    fn what_no_instruction_holds_is_an_error() {
        assert!(relocated(R_AARCH64_CALL26, 0x9400_0000, 0, near(1 << 27)).is_err());
        assert!(relocated(R_AARCH64_CALL26, 0x9400_0000, 0, near((1 << 27) - 4)).is_ok());
        assert!(relocated(R_AARCH64_ADR_PREL_PG_HI21, 0x9000_0000, 0, near(1 << 32)).is_err());
        assert!(relocated(R_AARCH64_LDST64_ABS_LO12_NC, 0xf940_0000, 0, near(4)).is_err());
        // not a load of an address
        assert!(relocated(R_AARCH64_LD64_GOT_LO12_NC, 0xb940_0041, 0, near(8)).is_err());
        assert!(relocated(R_AARCH64_TLSDESC_CALL, 0, 0, near(0)).is_err());
    }
}
