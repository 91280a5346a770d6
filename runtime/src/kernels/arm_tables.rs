//! Byte lookup tables in registers.

use std::arch::aarch64::*;

use super::look_up;

/// Bytes of a register.
const LANES: usize = 16;
/// Bytes of the registers that one instruction looks up in.
const QUARTER: usize = 64;
const ENTRIES: usize = 256;
/// Up to this many bytes, lookups one by one are faster than loading the table.
const FEW: usize = 4 * LANES;

/// # Safety
/// As for [`rt_look_up_row`](super::rt_look_up_row) of bytes.
pub(super) unsafe fn look_up_bytes(table: *const u8, source: *const u8, destination: *mut u8, count: usize) {
    let whole = if count < FEW { 0 } else { count - count % LANES };
    // SAFETY: promised by the caller.
    unsafe {
        if whole > 0 {
            look_up_registers(table, source, destination, whole);
        }
        look_up(table, source.add(whole), destination.add(whole), count - whole);
    }
}

/// # Safety
/// As above, and `count` is a multiple of a register's bytes.
unsafe fn look_up_registers(table: *const u8, source: *const u8, destination: *mut u8, count: usize) {
    // SAFETY: promised by the caller; the table has an entry for the largest byte, NEON is there.
    unsafe {
        let mut largest = vdupq_n_u8(0);
        for at in (0..count).step_by(LANES) {
            largest = vmaxq_u8(largest, vld1q_u8(source.add(at)));
        }
        let there = usize::from(vmaxvq_u8(largest)) + 1;
        let mut room = [0; ENTRIES];
        let table = if there < ENTRIES {
            table.copy_to_nonoverlapping(room.as_mut_ptr(), there);
            room.as_ptr()
        } else {
            table
        };
        let quarter = |number: usize| vld1q_u8_x4(table.add(number * QUARTER));
        let (first, second, third, fourth) = (quarter(0), quarter(1), quarter(2), quarter(3));
        let next = vdupq_n_u8(QUARTER as u8);
        for at in (0..count).step_by(LANES) {
            let places = vld1q_u8(source.add(at));
            // places outside of a quarter give zero, or what was there
            let found = vqtbl4q_u8(first, places);
            let places = vsubq_u8(places, next);
            let found = vqtbx4q_u8(found, second, places);
            let places = vsubq_u8(places, next);
            let found = vqtbx4q_u8(found, third, places);
            let found = vqtbx4q_u8(found, fourth, vsubq_u8(places, next));
            vst1q_u8(destination.add(at), found);
        }
    }
}
