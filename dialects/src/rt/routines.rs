//! The runtime's routines for operations that are not loop-shaped, called by `rt.call`.
//!
//! A routine is the symbol `rt_call_NAME` with the C signature `int64_t (int64_t context, int64_t *words, int64_t
//! count)`. The words are those of the operands, in order, then those of the results:
//!
//! - a tensor is its element kind (the number of ONNX's `TensorProto.DataType`), its rank, its address and its extents;
//! - an index is itself, a real number is the bits of an `f64`;
//! - a sequence, an optional or a map ([`handle_type`]) is its handle in the table of the run;
//! - for a result that is [`Extents::Given`], the caller sets all words, and the routine fills the memory;
//! - for a result that is [`Extents::Returned`], the caller sets kind and rank, and the routine stores address and
//!   extents. The memory is the run's, from `rt_allocate`;
//! - for a result that is [`Extents::Handle`], the routine stores the handle.
//!
//! The routine returns 0, or the number, from 1 on, of one of its [`Routine::failures`]. If an allocation fails, it
//! sets the status of the run.

use ir::{Body, Op, Type, Value};

use super::CALL;
use super::winograd::WINOGRAD_POINTS;
use crate::OpCodes;
use crate::checks::{Check, ensure, types_of};

/// The kind of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A tensor.
    Tensor,
    /// An integer.
    Index,
    /// An `f64`.
    Real,
    /// A sequence, an optional or a map.
    Handle,
}

/// How the extents of a result are determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extents {
    /// They are known before the call: the result has a destination among the operands.
    Given,
    /// The routine returns them.
    Returned,
    /// None: it is a sequence, an optional or a map.
    Handle,
}

/// A routine of the runtime.
#[derive(Clone, Copy, Debug)]
pub struct Routine {
    /// Its name; the symbol is `rt_call_NAME`.
    pub name: &'static str,
    /// What it does.
    pub summary: &'static str,
    /// Its operands, without destinations.
    pub operands: &'static [Operand],
    /// Its results.
    pub results: &'static [Extents],
    /// Why it may fail: the ends of messages.
    pub failures: &'static [&'static str],
    /// Whether it reads or creates the texts of strings: those belong to a run, so that it is not evaluated at compile
    /// time.
    pub reads_texts: bool,
    /// Whether the first result may reuse the memory of the first operand, if their shapes are equal: elements that are
    /// not written stay.
    pub rewrites: bool,
}

use Extents::{Given, Returned};
use Operand::{Handle, Index, Real, Tensor};

/// Every routine.
pub const ROUTINES: &[Routine] = &[
    Routine {
        name: "non_zero",
        summary: "The positions of the nonzero elements, one per column, in row-major order.",
        operands: &[Tensor],
        results: &[Returned],
        failures: &[],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "compress",
        summary: "The slices along an axis for which a condition holds, or the elements if the axis is -1.",
        operands: &[Tensor, Tensor, Index],
        results: &[Returned],
        failures: &["the condition holds after the end of the axis"],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "unique",
        summary: "The distinct slices along an axis, or the distinct elements if the axis is -1, sorted if the last \
                  operand is not 0; with the index of each one's first occurrence, the index of the distinct slice for \
                  each slice, and the number of occurrences.",
        operands: &[Tensor, Index, Index],
        results: &[Returned, Returned, Returned, Returned],
        failures: &[],
        reads_texts: true,
        rewrites: false,
    },
    Routine {
        name: "non_max_suppression",
        summary: "Non-maximum suppression. Operands: boxes and scores; the maximum number of boxes per class; the \
                  overlap above which the box with the lower score is dropped; the minimum score; whether boxes are \
                  given by centre and size. Result: triples of batch, class and box.",
        operands: &[Tensor, Tensor, Index, Real, Real, Index],
        results: &[Returned],
        failures: &["the shapes of boxes and scores do not match"],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "top_k",
        summary: "The largest elements of an axis, or the smallest if the last operand is 0, in order, and their \
                  indices; the results' extent is their number.",
        operands: &[Tensor, Index, Index],
        results: &[Given, Given],
        failures: &["it asks for more elements than the axis has"],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "scatter_elements",
        summary: "A tensor, or a splat of one element, with updates at indices along an axis, combined by the \
                  reduction of the last operand: 0 none, 1 add, 2 mul, 3 max, 4 min.",
        operands: &[Tensor, Tensor, Tensor, Index, Index],
        results: &[Given],
        failures: &["an index is out of bounds", "the shapes of indices and updates do not match the data"],
        reads_texts: false,
        rewrites: true,
    },
    Routine {
        name: "scatter_nd",
        summary: "A tensor, or a splat of one element, with slices updated at index tuples, combined as by \
                  `scatter_elements`.",
        operands: &[Tensor, Tensor, Tensor, Index],
        results: &[Given],
        failures: &["an index is out of bounds", "the shapes of indices and updates do not match the data"],
        reads_texts: false,
        rewrites: true,
    },
    Routine {
        name: "write_rows",
        summary: "A cache, padded with zeros at its end if the result is longer along the axis that the first index \
                  names, with the rows of a second tensor written from a position on: one position for all, or one for \
                  each index of the first axis. If the last operand is not 0, positions wrap around.",
        operands: &[Tensor, Tensor, Tensor, Index, Index],
        results: &[Given],
        failures: &["the shapes of cache, update and indices do not match", "rows are written outside the cache"],
        reads_texts: false,
        rewrites: true,
    },
    Routine {
        name: "cumulate",
        summary: "Cumulative sums along an axis, or products if the last operand is not 0; exclusive if the third \
                  operand is not 0; from the end if the fourth is not 0.",
        operands: &[Tensor, Index, Index, Index, Index],
        results: &[Given],
        failures: &["the axis does not exist"],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: RELAYOUT,
        summary: "Composed affine relayout of a tensor: the second operand has a row for each axis of the tensor, with \
                  a constant and a coefficient for each index of the result; their sum is the subscript. An element \
                  with a subscript out of bounds is zero. The bits of the last operand are then flipped in each byte \
                  of the result.",
        operands: &[Tensor, Tensor, Index],
        results: &[Given],
        failures: &[],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: SCALED_RELAYOUT,
        summary: "Like `relayout` for floats, with each element multiplied by one of a second tensor; the last operand \
                  has the rows for that tensor.",
        operands: &[Tensor, Tensor, Tensor, Tensor],
        results: &[Given],
        failures: &[],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: WINOGRAD_POINTS,
        summary: "The Winograd transform of the weights of 3×3 kernels, `[groups, blocks, 3, 3, 16, 16]`, at the \
                  points of tiles: `[36, groups, blocks · 16, 16]`.",
        operands: &[Tensor],
        results: &[Given],
        failures: &[],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "concat_strings",
        summary: "Strings concatenated element by element; both tensors have the same shape.",
        operands: &[Tensor, Tensor],
        results: &[Given],
        failures: &[],
        reads_texts: true,
        rewrites: false,
    },
    Routine {
        name: "normalize_strings",
        summary: "A row of strings without stop words, in lower case if the third operand is 1, in upper case if it is \
                  2. The last operand is whether stop words are compared case-sensitively.",
        operands: &[Tensor, Tensor, Index, Index],
        results: &[Returned],
        failures: &["it takes one row of strings"],
        reads_texts: true,
        rewrites: false,
    },
    Routine {
        name: "split_strings",
        summary: "The substrings between delimiters, or between white space if the delimiter is empty, split at most \
                  the given number of times if that is not negative; and the number of substrings.",
        operands: &[Tensor, Index, Index],
        results: &[Returned, Returned],
        failures: &[],
        reads_texts: true,
        rewrites: false,
    },
    Routine {
        name: "match_strings",
        summary: "Whether whole strings match a pattern.",
        operands: &[Tensor, Index],
        results: &[Given],
        failures: &["the pattern is not a regular expression of RE2"],
        reads_texts: true,
        rewrites: false,
    },
    Routine {
        name: "tokenize_strings",
        summary: "The tokens of strings, a row for each. Operands: patterns; 0 if tokens are characters, 1 if patterns \
                  separate them, 2 if the pattern matches tokens; the minimum number of characters of a token; whether \
                  rows begin and end with marks; the string that pads shorter rows.",
        operands: &[Tensor, Tensor, Index, Index, Index, Index],
        results: &[Returned],
        failures: &["a pattern is not a regular expression of RE2"],
        reads_texts: true,
        rewrites: false,
    },
    Routine {
        name: "format_numbers",
        summary: "Numbers as strings.",
        operands: &[Tensor],
        results: &[Given],
        failures: &[],
        reads_texts: true,
        rewrites: false,
    },
    Routine {
        name: "parse_numbers",
        summary: "Strings as numbers.",
        operands: &[Tensor],
        results: &[Given],
        failures: &["a string is not a value of the type"],
        reads_texts: true,
        rewrites: false,
    },
    Routine {
        name: "look_up",
        summary: "The value of each element's key, or the default: elements, keys, values, the default.",
        operands: &[Tensor, Tensor, Tensor, Tensor],
        results: &[Given],
        failures: &["the numbers of keys and values differ"],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "count_terms",
        summary: "How often the terms of a pool occur in each row: elements, pool, where the terms of each length begin, \
                  their columns, their weights; shortest and longest terms, elements skipped at most, and whether \
                  results are counts (0), weights (1) or products (2).",
        operands: &[Tensor, Tensor, Tensor, Tensor, Tensor, Index, Index, Index, Index],
        results: &[Given],
        failures: &["the numbers of terms and columns differ"],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "sequence_empty",
        summary: "A sequence without elements.",
        operands: &[],
        results: &[Extents::Handle],
        failures: &[],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "sequence_insert",
        summary: "A sequence with an element inserted at a position, or at its end if the last operand is 0.",
        operands: &[Handle, Tensor, Index, Index],
        results: &[Extents::Handle],
        failures: &["the element does not exist"],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "sequence_erase",
        summary: "A sequence without the element at a position, or without the last one if the last operand is 0.",
        operands: &[Handle, Index, Index],
        results: &[Extents::Handle],
        failures: &["the element does not exist"],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "sequence_at",
        summary: "An element of a sequence.",
        operands: &[Handle, Index],
        results: &[Returned],
        failures: &["the element does not exist", "the element's type differs from the result's"],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "sequence_length",
        summary: "The number of elements of a sequence.",
        operands: &[Handle],
        results: &[Given],
        failures: &["it is not a sequence"],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "sequence_split",
        summary: "A tensor split along an axis into pieces of the lengths in the second operand; pieces of length 1 \
                  lose the axis if the last operand is 0.",
        operands: &[Tensor, Tensor, Index, Index],
        results: &[Extents::Handle],
        failures: &["the lengths of the pieces do not match the axis"],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "sequence_concat",
        summary: "The elements of a sequence concatenated along an axis, or stacked along a new one if the last \
                  operand is not 0.",
        operands: &[Handle, Index, Index],
        results: &[Returned],
        failures: &["the sequence is empty", "the elements do not match each other or the result"],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "optional_none",
        summary: "An optional without a value.",
        operands: &[],
        results: &[Extents::Handle],
        failures: &[],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "optional_of_tensor",
        summary: "An optional with a tensor.",
        operands: &[Tensor],
        results: &[Extents::Handle],
        failures: &[],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "optional_of_value",
        summary: "An optional with a sequence.",
        operands: &[Handle],
        results: &[Extents::Handle],
        failures: &["the element does not exist"],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "optional_has_value",
        summary: "Whether an optional has a value.",
        operands: &[Handle],
        results: &[Given],
        failures: &["it is not an optional"],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "optional_tensor",
        summary: "The tensor in an optional.",
        operands: &[Handle],
        results: &[Returned],
        failures: &["the optional has no value", "the element's type differs from the result's"],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "optional_value",
        summary: "The sequence in an optional.",
        operands: &[Handle],
        results: &[Extents::Handle],
        failures: &["the optional has no value"],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "zip_maps",
        summary: "A sequence with a map from labels to values for each row: labels, rows.",
        operands: &[Tensor, Tensor],
        results: &[Extents::Handle],
        failures: &["the number of labels differs from the number of columns"],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "map_look_up",
        summary: "The values of keys in a map, zero or the empty string for a missing key: the map, keys.",
        operands: &[Handle, Tensor],
        results: &[Given],
        failures: &["it is not a map with keys and values of these types"],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "map_values",
        summary: "The values of a map with integer keys as a row of another type: all in the order of their keys or, \
                  if the last operand is not 0, those of the keys from 0 up to it.",
        operands: &[Handle, Index],
        results: &[Returned],
        failures: &[
            "it is not a map with keys and values of these types",
            "a key is negative",
            "a string is not a value of the type",
        ],
        reads_texts: true,
        rewrites: false,
    },
    Routine {
        name: "fourier",
        summary: "The Fourier transform along an axis of the number of elements in the third operand, truncated or \
                  zero-padded; the inverse transform if the last operand is not 0. The last axis holds a real number, \
                  or its real and imaginary part; the extent of the result's axis is the number of frequencies or \
                  samples. The result is real if its last axis has extent 1: then the frequencies are those of real \
                  samples, which the first half determines.",
        operands: &[Tensor, Index, Index, Index],
        results: &[Given],
        failures: &["the operand's last axis has more than two elements"],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "trees",
        summary: "Decision trees. Operands: rows of features; nodes: the roots, then the two successors of each branch, \
                  side by side, each of feature, first successor, tag and bits of the value, where the tag is the \
                  orders (1 less, 2 equal, 4 greater, 8 none) plus 16 times the number of a leaf, whose second \
                  successor is itself; the start of the weights of each leaf, empty if each has one, or one for each \
                  target in order; targets of weights, empty in the second case; weights; the initial value of each \
                  target; the number of trees; the required number of features; the orders of all branches, 0 if they \
                  differ; the aggregate: 0 average, 1 sum, 2 min, 3 max.",
        operands: &[Tensor, Tensor, Tensor, Tensor, Tensor, Tensor, Index, Index, Index, Index],
        results: &[Given],
        failures: &["a node reads a feature that the rows do not have"],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "decode_image",
        summary: "The pixels of an image file: `[height, width, channels]`. The last operand is the order of the \
                  channels: 0 red, green, blue; 1 blue, green, red; 2 brightness.",
        operands: &[Tensor, Index],
        results: &[Returned],
        failures: &["the image is damaged, too large, or not BMP, JPEG, JPEG 2000, PNG, PNM, TIFF or WebP"],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "columns_to_image",
        summary: "Col2Im: blocks laid out as columns, accumulated at their positions in an image. The vectors are the \
                  extents of a block, its strides, its dilations, and the padding: all begins, then all ends.",
        operands: &[Tensor, Tensor, Tensor, Tensor, Tensor],
        results: &[Given],
        failures: &["the columns are not those of the image's blocks"],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "determinant",
        summary: "The determinants of the matrices of the last two axes.",
        operands: &[Tensor],
        results: &[Given],
        failures: &["the matrices are not square"],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "inverse",
        summary: "The inverses of the matrices of the last two axes.",
        operands: &[Tensor],
        results: &[Given],
        failures: &["the matrices are not square"],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "align_regions",
        summary: "The mean, or the maximum if the last operand is not 0, of interpolated samples in each cell of the \
                  regions of a batch of images. Operands: images; corners; the image of each region; the scale of \
                  corners; samples along the side of a cell, 0 for about one per pixel; whether pixels have half-pixel \
                  centres.",
        operands: &[Tensor, Tensor, Tensor, Real, Index, Index, Index],
        results: &[Given],
        failures: &[
            "the regions do not match their images",
            "a region is in an image that does not exist",
            "a region is too large to be sampled",
        ],
        reads_texts: false,
        rewrites: false,
    },
    Routine {
        name: "pool_regions",
        summary: "The largest pixel of each cell of the regions of a batch of images. Operands: images; the image and \
                  the corners of each region; the scale of corners.",
        operands: &[Tensor, Tensor, Real],
        results: &[Given],
        failures: &["regions are not described by five values", "a region is in an image that does not exist"],
        reads_texts: false,
        rewrites: false,
    },
];

impl Routine {
    /// The routine with that name.
    pub fn named(name: &str) -> Option<&'static Routine> {
        ROUTINES.iter().find(|routine| routine.name == name)
    }

    /// The routine an `rt.call` calls.
    pub fn of(body: &Body, op: Op) -> Option<&'static Routine> {
        if !body.is(op, CALL) {
            return None;
        }
        Routine::named(body.op(op).attributes.str("routine")?)
    }

    /// The symbol in the runtime.
    pub fn symbol(&self) -> String {
        format!("{SYMBOL}{}", self.name)
    }
}

/// The type of a sequence, an optional or a map below the graph level: `!rt.handle`.
pub fn handle_type() -> Type {
    Type::dialect("rt", "handle", vec![])
}

/// Whether a type is [`handle_type`].
pub fn is_handle(r#type: &Type) -> bool {
    matches!(r#type, Type::Dialect(dialect) if &*dialect.dialect == "rt" && &*dialect.name == "handle")
}

/// The routine for data movement: a tensor, and rows of an offset and coefficients, see its row.
pub const RELAYOUT: &str = "relayout";
/// The same with scale factors.
pub const SCALED_RELAYOUT: &str = "scaled_relayout";

/// The prefix of all routines' symbols.
pub const SYMBOL: &str = "rt_call_";

/// The destination operand of a result of an `rt.call`, which has its size and its memory, if the result has one.
pub fn destination(body: &Body, op: Op, result: usize) -> Option<Value> {
    let routine = Routine::of(body, op)?;
    let given = |results: &[Extents]| results.iter().filter(|&&extents| extents == Given).count();
    let index = routine.operands.len() + given(&routine.results[..result]);
    (routine.results[result] == Given).then(|| body.operand(op, index))
}

pub(super) fn verify_call(body: &Body, op: Op) -> Check {
    let name = body.op(op).attributes.str("routine").unwrap_or_default();
    let routine =
        Routine::named(name).ok_or_else(|| format!("calls '{name}', which is not a routine of the runtime"))?;
    let types = types_of(body, body.op(op).operands());
    let results = types_of(body, body.op(op).results());
    let given = routine.results.iter().filter(|&&extents| extents == Given).count();
    let expected = (routine.operands.len() + given, routine.results.len());
    ensure((types.len(), results.len()) == expected, || {
        format!("'{name}' has {} operands and {} results", expected.0, expected.1)
    })?;
    for (at, (operand, r#type)) in routine.operands.iter().zip(&types).enumerate() {
        let fits = match operand {
            Operand::Tensor => r#type.as_tensor().is_some() && r#type.rank().is_some(),
            Operand::Index => *r#type == Type::Index,
            Operand::Real => *r#type == Type::F64,
            Operand::Handle => is_handle(r#type),
        };
        ensure(fits, || format!("operand #{at} must be a {operand:?}, found {type}"))?;
    }
    let tensors = routine.operands.iter().filter(|&&operand| operand == Operand::Tensor).count()
        + routine.results.iter().filter(|&&extents| extents != Extents::Handle).count();
    let kinds = body.op(op).attributes.integers("kinds").unwrap_or_default();
    ensure(kinds.len() == tensors, || format!("needs the kinds of {tensors} tensors, found {}", kinds.len()))?;
    for (at, result) in results.iter().enumerate() {
        let fits = match routine.results[at] {
            Extents::Handle => is_handle(result),
            Extents::Given | Extents::Returned => result.rank().is_some(),
        };
        ensure(fits, || format!("result #{at} cannot be {result}"))?;
        if let Some(destination) = destination(body, op, at) {
            let found = body.value_type(destination);
            ensure(found == result, || format!("destination of result #{at}: expected {result}, found {found}"))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_distinct() {
        for (at, routine) in ROUTINES.iter().enumerate() {
            assert!(ROUTINES[..at].iter().all(|other| other.name != routine.name), "{}", routine.name);
        }
    }
}
