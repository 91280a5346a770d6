//! Contractions whose right operand is in half precision.
//!
//! For a few rows elements are widened in registers, on their way from memory. For many rows a few steps of a panel of columns are
//! widened at a time into room that stays in a near cache, and multiplied there, so that each element is widened once.

use std::cell::RefCell;
use std::marker::PhantomData;

use abi::{Descriptor, Product, RowFunction, Start};
use half::f16;

use super::contract::{Contraction, Elements, Floats, Tile, TileSet, panel, tile};
use super::lanes::{Fused, Lanes, Portable, Products};
use super::levels::Instances;
use super::rows::Row;
#[cfg(target_arch = "x86_64")]
use super::{levels::Level, x86_halves::HalfTiles};

const GROUP: usize = abi::COLUMN_GROUP as usize;
/// Columns that are widened together.
const PANEL: usize = 4 * GROUP;
/// Steps of a panel that are widened together.
const STEPS: usize = 512;
/// Rows at most for which elements are widened in registers.
const FEW_ROWS: usize = 8;

thread_local! {
    /// Room for the widened part, kept from call to call.
    static ROOM: RefCell<Vec<f32>> = const { RefCell::new(Vec::new()) };
}

/// A type of half the size of `f32`.
pub(super) trait Half: Copy + 'static {
    /// What widens a row of it.
    const FUNCTION: RowFunction;

    /// As many of them as there are lanes, widened.
    unsafe fn widened<V: Widens>(from: *const u16) -> V;
}

/// Registers of f32 that widen what they load.
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

/// Products of `f32` and a type of half the size, summed up in `f32`.
#[derive(Clone, Copy)]
pub(super) struct Halves<H>(PhantomData<H>);

impl<H: Half> Elements for Halves<H> {
    type Left = f32;
    type Right = u16;
    type Sum = f32;
}

/// A register of sums of such products.
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

impl<H: Half> Contraction<'_, Halves<H>> {
    /// With tiles that widen in registers for few rows, else with tiles of what is widened before.
    pub(super) unsafe fn run_widening(&self, few: &TileSet<Halves<H>>) {
        if self.rows <= FEW_ROWS {
            // SAFETY: the caller vouches for all that the descriptor reaches.
            return unsafe { self.run(few) };
        }
        ROOM.with_borrow_mut(|room| {
            room.resize(STEPS * PANEL, 0.0);
            // SAFETY: as above.
            unsafe { self.run_in_parts(&TileSet::best(), Row::best(), room.as_mut_ptr()) }
        });
    }

    /// The room takes a part.
    unsafe fn run_in_parts(&self, set: &TileSet<Floats>, row: Row, room: *mut f32) {
        for first in (0..self.cols).step_by(PANEL) {
            let columns = (self.cols - first).min(PANEL);
            let mut start = self.descriptor.start;
            for part in parts(&self.descriptor.walk) {
                // SAFETY: as above; the room takes a part.
                unsafe {
                    self.widen(&part, (first, columns), row, room);
                    self.multiply(&part, (first, columns), room, start, set);
                }
                start = Start::Values;
            }
        }
    }

    /// Writes what some columns have of a part, one group of columns behind the other.
    unsafe fn widen(&self, part: &Part, (first, columns): (usize, usize), row: Row, to: *mut f32) {
        let d = &self.descriptor.walk;
        let (near, near_group) = part.strides();
        let from = self.b.wrapping_offset(part.offset(&d.right));
        for (at, group) in (first..first + columns).step_by(GROUP).enumerate() {
            let from = from.wrapping_offset((group / GROUP) as isize * d.right_group as isize);
            let to = to.wrapping_offset(at as isize * near_group as isize);
            for (step, depth) in part.runs() {
                let from = from.wrapping_offset(along(&step, &d.right));
                let to = to.wrapping_offset(along(&step, &near));
                // steps lie side by side but where loops are exchanged
                let (runs, length) = if d.right[3] == near[3] { (1, depth as usize) } else { (depth as isize, 1) };
                for k in 0..runs {
                    let (from, to) =
                        (from.wrapping_offset(k * d.right[3] as isize), to.wrapping_offset(k * near[3] as isize));
                    // SAFETY: the caller vouches for the operand, and that the room takes a part.
                    unsafe { row(H::FUNCTION.into(), from.cast(), to.cast(), length * GROUP) };
                }
            }
        }
    }

    /// Adds the products of a part.
    unsafe fn multiply(
        &self,
        part: &Part,
        (first, columns): (usize, usize),
        b: *const f32,
        start: Start,
        set: &TileSet<Floats>,
    ) {
        let d = &self.descriptor.walk;
        let (right, right_group) = part.strides();
        let walk = Product { reduction: part.steps, right, last_block: part.last_block, right_group, ..*d };
        let descriptor = &Descriptor { walk, start, right_padded: 1 };
        // SAFETY: promised by the caller.
        unsafe {
            let a = self.a.offset(part.offset(&d.left));
            let c = self.c.offset((first / GROUP) as isize * d.out_group as isize);
            let init = self.init.add(first);
            Contraction { descriptor, a, b, init, c, rows: self.rows, cols: columns }.run(set);
        }
    }
}

/// Part of the reduction loops: where they begin, how many steps of each there are, and how many of the innermost in the last of
/// the outermost.
struct Part {
    first: [i64; 4],
    steps: [i64; 4],
    last_block: i64,
}

/// How far some steps are in an operand that the loops walk by these strides.
fn along(steps: &[i64; 4], strides: &[i64; 4]) -> isize {
    steps.iter().zip(strides).map(|(step, stride)| step * stride).sum::<i64>() as isize
}

impl Part {
    fn offset(&self, strides: &[i64; 4]) -> isize {
        along(&self.first, strides)
    }

    /// How far each loop and each group of columns moves where the part alone lies.
    fn strides(&self) -> ([i64; 4], i64) {
        let [outer, middle, near, deep] = self.steps;
        let step = abi::COLUMN_GROUP;
        ([middle * near * deep * step, near * deep * step, deep * step, step], outer * middle * near * deep * step)
    }

    /// Where the innermost loop begins each time, and its number of steps.
    fn runs(&self) -> impl Iterator<Item = ([i64; 4], i64)> {
        let [outer, middle, near, deep] = self.steps;
        let last_block = self.last_block;
        (0..outer).flat_map(move |i| {
            let depth = if i + 1 == outer { last_block } else { deep };
            (0..middle).flat_map(move |j| (0..near).map(move |l| ([i, j, l, 0], depth)))
        })
    }
}

/// The reduction loops in parts of at most [`STEPS`] steps, as many whole loops as have room; one without steps where there is
/// none.
fn parts(d: &Product<i64>) -> impl Iterator<Item = Part> {
    let (extents, last_block) = (d.reduction, d.last_block);
    let [outer, middle, near, extent] = extents;
    let mut by = [1, 1, 1, extent.clamp(1, STEPS as i64)];
    for axis in (0..3).rev() {
        let is_whole = by[axis + 1] >= extents[axis + 1];
        let room = STEPS as i64 / by[axis + 1..].iter().product::<i64>();
        by[axis] = if is_whole { extents[axis].min(room).max(1) } else { 1 };
    }
    let all = (0..outer).step_by(by[0] as usize).flat_map(move |i| {
        let outers = (outer - i).min(by[0]);
        let last = if i + outers == outer { last_block } else { extent };
        let depth = if outers == 1 { last } else { extent };
        (0..middle).step_by(by[1] as usize).flat_map(move |j| {
            (0..near).step_by(by[2] as usize).flat_map(move |l| {
                (0..depth).step_by(by[3] as usize).map(move |k| Part {
                    first: [i, j, l, k],
                    steps: [outers, (middle - j).min(by[1]), (near - l).min(by[2]), (depth - k).min(by[3])],
                    last_block: (last - k).min(by[3]),
                })
            })
        })
    });
    let mut all = all.peekable();
    let none = all.peek().is_none().then_some(Part { first: [0; 4], steps: [1, 1, 1, 0], last_block: 0 });
    none.into_iter().chain(all)
}

impl<H: Half> Instances for TileSet<Halves<H>> {
    const PORTABLE: Self = TileSet { width: 4, panels: &[panel!(tile<Halves<H>, Wide<Portable<f32>, H>, 1>: 1 2)] };
    #[cfg(target_arch = "x86_64")]
    const WIDE: &'static [(Level, Self)] = &[(Level::V4, HalfTiles::<H>::V4), (Level::V3, HalfTiles::<H>::V3)];
}
