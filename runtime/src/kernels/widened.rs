//! Contractions with a right operand in f16 or bf16.
//!
//! For a few rows the elements are widened in registers as they are loaded. For many rows they are widened K block by K
//! block, so that each element is widened once.

use std::marker::PhantomData;

use abi::RowFunction;
use half::f16;

use super::contract::{Elements, Floats, Tile, TileSet, panel, tile};
use super::converted_operands::{Group, Prepared};
use super::lanes::{Fused, Lanes, Portable, Products};
use super::levels::Instances;
use super::rows::Row;
#[cfg(target_arch = "aarch64")]
use super::{arm::HalfTiles, levels::Level};
#[cfg(target_arch = "x86_64")]
use super::{levels::Level, x86_halves::HalfTiles};

const GROUP: usize = abi::COLUMN_GROUP as usize;

/// A 16-bit floating-point type.
pub(super) trait Half: Copy + 'static {
    /// The row function that widens it.
    const FUNCTION: RowFunction;

    /// Loads and widens one element per lane.
    unsafe fn widened<V: Widens>(from: *const u16) -> V;
}

/// Registers of f32 with widening loads.
pub(super) trait Widens: Fused<Element = f32> {
    /// From `f16`.
    unsafe fn of_half(from: *const u16) -> Self;
    /// From `bf16`.
    unsafe fn of_brain(from: *const u16) -> Self;
}

/// `f16`
#[derive(Clone, Copy)]
pub(super) struct Ieee;

impl Half for Ieee {
    const FUNCTION: RowFunction = RowFunction::Widen;

    #[inline(always)]
    unsafe fn widened<V: Widens>(from: *const u16) -> V {
        // SAFETY: the caller vouches for the elements.
        unsafe { V::of_half(from) }
    }
}

/// `bf16`
#[derive(Clone, Copy)]
pub(super) struct Brain;

impl Half for Brain {
    const FUNCTION: RowFunction = RowFunction::WidenBrain;

    #[inline(always)]
    unsafe fn widened<V: Widens>(from: *const u16) -> V {
        // SAFETY: as above.
        unsafe { V::of_brain(from) }
    }
}

/// Products of `f32` and a 16-bit type, summed in `f32`.
#[derive(Clone, Copy)]
pub(super) struct Halves<H>(PhantomData<H>);

impl<H: Half> Elements for Halves<H> {
    type Left = f32;
    type Right = u16;
    type Sum = f32;
}

/// A register of such sums.
#[derive(Clone, Copy)]
pub(super) struct Wide<V, H>(V, PhantomData<H>);

impl<V: Widens, H: Half> Lanes for Wide<V, H> {
    type Element = f32;
    const WIDTH: usize = V::WIDTH;
    type Mask = V::Mask;

    #[inline(always)]
    unsafe fn mask(count: usize) -> V::Mask {
        // SAFETY: the instruction set is there, see `Lanes`.
        unsafe { V::mask(count) }
    }

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: as above.
        Wide(unsafe { V::zero() }, PhantomData)
    }

    #[inline(always)]
    unsafe fn load(from: *const f32) -> Self {
        // SAFETY: as above, and the caller vouches for the address.
        Wide(unsafe { V::load(from) }, PhantomData)
    }

    #[inline(always)]
    unsafe fn load_masked(from: *const f32, mask: V::Mask) -> Self {
        // SAFETY: as above.
        Wide(unsafe { V::load_masked(from, mask) }, PhantomData)
    }

    #[inline(always)]
    unsafe fn store(self, to: *mut f32) {
        // SAFETY: as above.
        unsafe { self.0.store(to) }
    }

    #[inline(always)]
    unsafe fn store_masked(self, to: *mut f32, mask: V::Mask) {
        // SAFETY: as above.
        unsafe { self.0.store_masked(to, mask) }
    }
}

impl<V: Widens, H: Half> Products for Wide<V, H> {
    type Left = f32;
    type Right = u16;
    const DEPTH: usize = 1;
    type Factor = V;
    type Panel = V;

    #[inline(always)]
    unsafe fn factor(from: *const f32) -> V {
        // SAFETY: the caller vouches for the element.
        unsafe { V::broadcast(from.read_unaligned()) }
    }

    #[inline(always)]
    unsafe fn partial_factor(from: *const f32, _: usize) -> V {
        // SAFETY: as above.
        unsafe { Self::factor(from) }
    }

    #[inline(always)]
    unsafe fn panel(from: *const u16) -> V {
        // SAFETY: the caller vouches for the elements.
        unsafe { H::widened(from) }
    }

    #[inline(always)]
    unsafe fn panel_masked(from: *const u16, _: V::Mask) -> V {
        // SAFETY: as above, as the operand is padded.
        unsafe { H::widened(from) }
    }

    #[inline(always)]
    unsafe fn add_products(self, factor: V, panel: V) -> Self {
        // SAFETY: the instruction set is there, see `Lanes`.
        Wide(unsafe { self.0.multiply_add(factor, panel) }, PhantomData)
    }
}

impl Widens for Portable<f32> {
    #[inline(always)]
    unsafe fn of_half(from: *const u16) -> Self {
        // SAFETY: the caller vouches for the elements.
        let halves = unsafe { from.cast::<[f16; 4]>().read_unaligned() };
        Portable(halves.map(f16::to_f32))
    }

    #[inline(always)]
    unsafe fn of_brain(from: *const u16) -> Self {
        // SAFETY: as above.
        let halves = unsafe { from.cast::<[u16; 4]>().read_unaligned() };
        Portable(halves.map(|bits| f32::from_bits(u32::from(bits) << 16)))
    }
}

impl<H: Half> Prepared for Halves<H> {
    type Near = Floats;

    unsafe fn prepare(group: &Group<u16>, to: *mut f32) {
        // steps are contiguous unless loops are interchanged
        let is_run = group.step == GROUP as isize;
        let (runs, length) = if is_run { (1, group.steps) } else { (group.steps, 1) };
        let row = Row::best();
        for k in 0..runs {
            let from = group.from.wrapping_offset(k as isize * group.step);
            let to = to.wrapping_add(k * GROUP);
            // SAFETY: the caller vouches for the operand and the room.
            unsafe { row(H::FUNCTION.into(), from.cast(), to.cast(), length * GROUP) };
        }
    }
}

impl<H: Half> Instances for TileSet<Halves<H>> {
    const PORTABLE: Self = TileSet { width: 4, panels: &[panel!(tile<Halves<H>, Wide<Portable<f32>, H>, 1>: 1 2)] };
    #[cfg(target_arch = "x86_64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::V4, HalfTiles::<H>::V4), (Level::V3, HalfTiles::<H>::V3)];
    #[cfg(target_arch = "aarch64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::Neon, HalfTiles::<H>::NEON)];
}
