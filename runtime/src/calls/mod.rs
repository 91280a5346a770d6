//! Routines for operations that are not loop-shaped, with one C signature.
//!
//! `dialects::rt::routines` lists the routines and documents their words. Bodies are safe code over slices; this module
//! turns addresses into slices.
//!
//! Invariants
//! - Generated code passes words in the order of the table, and buffers as large as their extents state.
//! - Results do not overlap with operands, unless a routine rewrites its first operand.
//! - No panic leaves a routine.
//! - A routine that may take more than milliseconds looks whether its run is to end (`stop::Looks`).

#![allow(unsafe_code, reason = "generated code passes buffers as addresses")]

mod cache;
mod columns;
mod cumulate;
mod detection;
mod element;
mod elimination;
mod fourier;
mod lookup;
mod map;
#[cfg(feature = "regex")]
mod matching;
#[cfg(not(all(feature = "image", feature = "regex")))]
mod omitted;
mod parallel;
#[cfg(feature = "regex")]
mod pattern;
#[cfg(feature = "image")]
mod picture;
mod regions;
pub(crate) mod relayout;
mod scatter;
mod select;
mod sequence;
mod sort;
mod text;
mod tree_walk;
mod trees;
mod winograd;

use std::borrow::Cow;

use abi::Status;

use crate::context::{self, RunContext};
use crate::stop::Ended;
use element::{Element, Generic, Kind};
#[cfg(not(feature = "regex"))]
use omitted as matching;
#[cfg(not(feature = "image"))]
use omitted as picture;
#[doc(hidden)]
#[cfg(feature = "image")]
pub use picture::decode_picture;

/// The names of the routines that this build has no code for, each with the feature of this crate that has it.
pub fn omitted() -> impl Iterator<Item = (&'static str, &'static str)> {
    let rows = [
        ("decode_image", "image", cfg!(feature = "image")),
        ("match_strings", "regex", cfg!(feature = "regex")),
        ("tokenize_strings", "regex", cfg!(feature = "regex")),
    ];
    rows.into_iter().filter(|(.., is_here)| !is_here).map(|(routine, feature, _)| (routine, feature))
}

/// Why a routine failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Failure {
    /// Memory allocation failed.
    Memory,
    /// Reason number n, from 1 on, in the routine's row.
    Reason(i64),
}

impl From<limits::Shortage> for Failure {
    fn from(_: limits::Shortage) -> Failure {
        Failure::Memory
    }
}

type Outcome = Result<(), Failure>;

/// The words of a call, taken one by one in the order of the routine's row.
struct Call<'c> {
    context: &'c mut RunContext,
    words: &'c mut [i64],
    next: usize,
}

/// A tensor that a routine reads.
struct Tensor<'c> {
    kind: Kind,
    extents: Vec<usize>,
    bytes: &'c [u8],
}

/// A tensor that a routine writes.
struct Output<'c> {
    kind: Kind,
    extents: Vec<usize>,
    bytes: &'c mut [u8],
}

impl<'c> Call<'c> {
    fn word(&mut self) -> i64 {
        self.next += 1;
        self.words[self.next - 1]
    }

    /// An integer operand.
    fn index(&mut self) -> i64 {
        self.word()
    }

    /// A truth value operand.
    fn flag(&mut self) -> bool {
        self.word() != 0
    }

    /// A floating-point operand.
    fn real(&mut self) -> f64 {
        f64::from_bits(self.word() as u64)
    }

    fn header(&mut self) -> (Kind, usize, Vec<usize>, usize) {
        let kind = Kind::of(self.word());
        let rank = self.word() as usize;
        let address = self.word() as usize;
        let extents: Vec<usize> = (0..rank).map(|_| self.word().max(0) as usize).collect();
        let bytes = extents.iter().product::<usize>() * kind.width();
        (kind, address, extents, bytes)
    }

    /// A tensor operand.
    fn tensor(&mut self) -> Tensor<'c> {
        let (kind, address, extents, length) = self.header();
        let bytes = match length {
            0 => &[][..],
            // SAFETY: the buffer is as large as its extents state, and no thread writes to it during the call.
            _ => unsafe { std::slice::from_raw_parts(std::ptr::with_exposed_provenance(address), length) },
        };
        Tensor { kind, extents, bytes }
    }

    /// A result whose extents are given.
    fn output(&mut self) -> Output<'c> {
        let (kind, address, extents, length) = self.header();
        let bytes = match length {
            0 => &mut [][..],
            // SAFETY: the buffer is as large as its extents state, and no other thread accesses it during the call.
            _ => unsafe { std::slice::from_raw_parts_mut(std::ptr::with_exposed_provenance_mut(address), length) },
        };
        Output { kind, extents, bytes }
    }

    /// A result whose extents are given and whose initial contents are those of a tensor, and whether it has the
    /// tensor's memory. In that case the tensor has no elements afterwards.
    fn output_over(&mut self, data: &mut Tensor<'c>) -> (Output<'c>, bool) {
        let is_there = self.words[self.next + 2] as usize == data.bytes.as_ptr().addr() && !data.bytes.is_empty();
        if is_there {
            data.bytes = &[];
        }
        (self.output(), is_there)
    }

    /// A result whose extents are returned; its elements are zero.
    fn returned(&mut self, extents: &[usize]) -> Result<Output<'c>, Failure> {
        let kind = Kind::of(self.word());
        let rank = self.word() as usize;
        assert_eq!(rank, extents.len(), "the rank of a result is part of its type");
        let count = extents.iter().try_fold(kind.width(), |bytes, &extent| bytes.checked_mul(extent));
        let length = count.and_then(|bytes| i64::try_from(bytes).ok()).ok_or(Failure::Memory)?;
        let memory = self.context.allocate(length);
        if memory.is_null() {
            return Err(Failure::Memory);
        }
        self.words[self.next] = memory.expose_provenance() as i64;
        for (word, &extent) in self.words[self.next + 1..].iter_mut().zip(extents) {
            *word = extent as i64;
        }
        self.next += 1 + rank;
        // SAFETY: just allocated.
        let bytes = unsafe { std::slice::from_raw_parts_mut(memory, length as usize) };
        bytes.fill(0);
        Ok(Output { kind, extents: extents.to_vec(), bytes })
    }
}

impl<'c> Tensor<'c> {
    /// The elements, copied only if the processor cannot read them in place.
    fn elements<T: Element>(&self) -> Cow<'c, [T]> {
        // SAFETY: every bit pattern is a valid element.
        let (front, whole, _) = unsafe { self.bytes.align_to::<T>() };
        if front.is_empty() {
            return Cow::Borrowed(whole);
        }
        let chunks = self.bytes.chunks_exact(size_of::<T>());
        // SAFETY: the chunk has the size of the type, and every bit pattern is a valid element.
        Cow::Owned(chunks.map(|chunk| unsafe { chunk.as_ptr().cast::<T>().read_unaligned() }).collect())
    }

    /// [`Element::key`] of every element.
    fn keys(&self) -> Vec<u64> {
        struct Keys<'t, 'c>(&'t Tensor<'c>);
        impl Generic for Keys<'_, '_> {
            type Result = Vec<u64>;

            fn run<T: Element>(self) -> Vec<u64> {
                self.0.elements::<T>().iter().map(|element| element.key()).collect()
            }
        }
        self.kind.dispatch(Keys(self))
    }
}

impl Output<'_> {
    /// The elements. Memory of results is aligned.
    fn elements<T: Element>(&mut self) -> &mut [T] {
        // SAFETY: every bit pattern is a valid element.
        let (front, whole, _) = unsafe { self.bytes.align_to_mut::<T>() };
        assert!(front.is_empty(), "memory of results is aligned");
        whole
    }
}

/// `[elements before, extent, elements after]` of an axis.
fn around(extents: &[usize], axis: usize) -> [usize; 3] {
    [extents[..axis].iter().product(), extents[axis], extents[axis + 1..].iter().product()]
}

/// Calls a routine's body with the words that generated code passes.
///
/// # Safety
/// `words` points to `count` words as the routine's row documents.
unsafe fn enter(context: i64, words: *mut i64, count: i64, body: fn(&mut Call<'_>) -> Outcome) -> i64 {
    let context = context::context(context);
    // SAFETY: promised by the caller.
    let words = unsafe { std::slice::from_raw_parts_mut(words, count.max(0) as usize) };
    let mut call = Call { context, words, next: 0 };
    let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| body(&mut call)));
    match outcome {
        Ok(Ok(())) => return 0,
        Ok(Err(Failure::Reason(number))) => return number,
        Ok(Err(Failure::Memory)) => call.context.fail(Status::OutOfMemory),
        Err(panic) if limits::of_panic(&*panic).is_some() => call.context.fail(Status::OutOfMemory),
        Err(end) if end.is::<Ended>() => call.context.fail(Status::Stopped),
        Err(_) => call.context.fail(Status::Routine),
    }
    0
}

macro_rules! routines {
    ($($symbol:ident = $body:path;)*) => {
        $(
            /// See the row of this name in `dialects::rt::routines`.
            ///
            /// # Safety
            /// `words` points to `count` words as the row documents.
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $symbol(context: i64, words: *mut i64, count: i64) -> i64 {
                // SAFETY: promised by the caller.
                unsafe { enter(context, words, count, $body) }
            }
        )*
    };
}

routines! {
    rt_call_non_zero = select::non_zero;
    rt_call_compress = select::compress;
    rt_call_unique = sort::unique;
    rt_call_top_k = sort::top_k;
    rt_call_non_max_suppression = detection::non_max_suppression;
    rt_call_scatter_elements = scatter::scatter_elements;
    rt_call_scatter_nd = scatter::scatter_nd;
    rt_call_write_rows = cache::write_rows;
    rt_call_cumulate = cumulate::cumulate;
    rt_call_concat_strings = text::concat_strings;
    rt_call_normalize_strings = text::normalize_strings;
    rt_call_split_strings = text::split_strings;
    rt_call_match_strings = matching::match_strings;
    rt_call_tokenize_strings = matching::tokenize_strings;
    rt_call_format_numbers = text::format_numbers;
    rt_call_parse_numbers = text::parse_numbers;
    rt_call_look_up = lookup::look_up;
    rt_call_count_terms = lookup::count_terms;
    rt_call_sequence_empty = sequence::sequence_empty;
    rt_call_sequence_insert = sequence::sequence_insert;
    rt_call_sequence_erase = sequence::sequence_erase;
    rt_call_sequence_at = sequence::sequence_at;
    rt_call_sequence_length = sequence::sequence_length;
    rt_call_sequence_split = sequence::sequence_split;
    rt_call_sequence_concat = sequence::sequence_concat;
    rt_call_optional_none = sequence::optional_none;
    rt_call_optional_of_tensor = sequence::optional_of_tensor;
    rt_call_optional_of_value = sequence::optional_of_value;
    rt_call_optional_has_value = sequence::optional_has_value;
    rt_call_optional_tensor = sequence::optional_tensor;
    rt_call_optional_value = sequence::optional_value;
    rt_call_zip_maps = map::zip_maps;
    rt_call_map_look_up = map::map_look_up;
    rt_call_map_values = map::map_values;
    rt_call_fourier = fourier::fourier;
    rt_call_trees = trees::trees;
    rt_call_decode_image = picture::decode_image;
    rt_call_columns_to_image = columns::columns_to_image;
    rt_call_determinant = elimination::determinant_of;
    rt_call_inverse = elimination::inverse_of;
    rt_call_align_regions = regions::align_regions;
    rt_call_pool_regions = regions::pool_regions;
    rt_call_winograd_points = winograd::winograd_points;
    rt_call_relayout = relayout::relayout;
    rt_call_scaled_relayout = relayout::scaled_relayout;
}
