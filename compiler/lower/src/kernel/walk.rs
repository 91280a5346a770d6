//! The loops of a contraction's tiles over its operands.

use abi::{Blocks, Depthwise, Product};
use dialects::rt::attributes::LAST_BLOCK;
use ir::Value;

use super::emit::Emitter;
use super::products::{ContractionKernel, Strides, address, dense_strides};
use crate::contraction::{Columns, Contraction, Shape};
use dialects::rt::tile::{Kind, Walk};

/// A reduction loop and its strides in the operands.
#[derive(Clone, Copy)]
struct ReductionLoop {
    extent: Value,
    left: Value,
    right: Value,
}

/// The reduction loops, outermost first. Adjacent loops that are contiguous are merged, so that the innermost loop is
/// long, unless the innermost one is ragged. Loops with one step are dropped, except one along which operands must be
/// contiguous.
fn reduction_loops(
    emitter: &mut Emitter<'_>,
    roles: &Contraction,
    extents: &[Value],
    strides: &Strides,
    ragged: bool,
) -> Vec<ReductionLoop> {
    let mut loops: Vec<ReductionLoop> = Vec::new();
    for &dim in &roles.reduction {
        let inner = ReductionLoop { extent: extents[dim], left: strides.left[dim], right: strides.right[dim] };
        let merged = loops.last().filter(|_| !ragged).is_some_and(|&outer| {
            let along = |emitter: &mut Emitter<'_>, stride: Value| emitter.mul(stride, inner.extent);
            outer.left == along(emitter, inner.left) && outer.right == along(emitter, inner.right)
        });
        match (merged, loops.last_mut()) {
            (true, Some(outer)) => {
                let extent = emitter.mul(outer.extent, inner.extent);
                *outer = ReductionLoop { extent, ..inner };
            }
            _ => loops.push(inner),
        }
    }
    let contiguous = match roles.kind {
        Kind::U8I8 | Kind::F32Transposed => loops.pop(),
        Kind::F32 | Kind::F32F16 | Kind::F32BF16 | Kind::F64 => None,
    };
    loops.retain(|r| emitter.constant_value(r.extent) != Some(1));
    loops.extend(contiguous);
    if loops.is_empty() {
        let (zero, one) = (emitter.index(0), emitter.index(1));
        loops.push(ReductionLoop { extent: one, left: zero, right: zero });
    }
    loops
}

/// The loops of a contraction's tiles over its operands.
pub(super) fn walk_of(
    emitter: &mut Emitter<'_>,
    kernel: &ContractionKernel<'_>,
    extents: &[Value],
    strides: &Strides,
    inner: Value,
) -> Walk {
    let roles = kernel.roles;
    let (zero, one) = (emitter.index(0), emitter.index(1));
    let ragged = emitter.source.op(kernel.generic.op).attributes.integer(LAST_BLOCK);
    let loops = reduction_loops(emitter, roles, extents, strides, ragged.is_some());
    let words = |pick: fn(&ReductionLoop) -> Value, filler: Value| -> [Value; 4] {
        let mut words = [filler; 4];
        let (inner, outer) = loops.split_last().expect("a contraction reduces");
        words[3] = pick(inner);
        // the outermost loop comes first: its last step is the ragged one
        if let Some((first, rest)) = outer.split_first() {
            words[0] = pick(first);
            rest.iter().rev().zip((1..3).rev()).for_each(|(middle, at)| words[at] = pick(middle));
        }
        words
    };
    let (reduction, left, right) = (words(|r| r.extent, one), words(|r| r.left, zero), words(|r| r.right, zero));
    let row = |of: &[Value], index: usize| roles.rows.get(index).map_or(zero, |&dim| of[dim]);
    match roles.shape {
        Shape::Blocks { block, bits } => {
            Walk::Blocks(blocks_of(emitter, kernel, [block, bits], (extents, strides), inner))
        }
        Shape::Product => Walk::Product {
            kind: roles.kind,
            right_padded: !matches!(roles.columns, Columns::Single { packed: false, .. }),
            walk: Product {
                reduction,
                left,
                right,
                row_inner: inner,
                left_rows: [row(&strides.left, 0), row(&strides.left, 1)],
                out_rows: [row(&strides.out, 0), row(&strides.out, 1)],
                last_block: ragged.map_or(reduction[3], |count| emitter.index(count)),
                right_group: strides.right_group,
                out_group: strides.out_group,
            },
        },
        // a single reduction loop is innermost, two are outermost and innermost
        Shape::Depthwise => Walk::Depthwise(Depthwise {
            window: [reduction[0], reduction[3]],
            left: [left[0], left[3]],
            left_pixel: row(&strides.left, 0),
            right: [right[0], right[3]],
            out_pixel: row(&strides.out, 0),
        }),
    }
}

/// A contraction with block-quantised values of `bits` bits in blocks of `block`, without the addresses that differ
/// between tiles.
fn blocks_of(
    emitter: &mut Emitter<'_>,
    kernel: &ContractionKernel<'_>,
    [block, bits]: [i64; 2],
    (extents, strides): (&[Value], &Strides),
    inner: Value,
) -> Blocks<Value> {
    let roles = kernel.roles;
    let zero = emitter.index(0);
    let row = |of: &[Value], index: usize| roles.rows.get(index).map_or(zero, |&dim| of[dim]);
    Blocks {
        depth: extents[roles.reduction[0]],
        block: emitter.index(block),
        bits: emitter.index(bits),
        row_inner: inner,
        left_rows: [row(&strides.left, 0), row(&strides.left, 1)],
        out_rows: [row(&strides.out, 0), row(&strides.out, 1)],
        right_group: strides.right_group,
        out_group: strides.out_group,
        scales: zero,
        scales_group: dense_strides(emitter, kernel.generic.inputs[SCALES])[0],
        zero_points: zero,
    }
}

/// Inputs of a block-quantised contraction after the factors: `[column groups, blocks, 16]`.
const SCALES: usize = 2;
/// See [`SCALES`]; they are optional.
const ZERO_POINTS: usize = 3;

/// The loops of a tile that begins at a group of columns.
pub(super) fn at_columns(emitter: &mut Emitter<'_>, kernel: &ContractionKernel<'_>, walk: Walk, group: Value) -> Walk {
    let Walk::Blocks(blocks) = walk else { return walk };
    let offset = emitter.mul(group, blocks.scales_group);
    let mut at = |input: Value| {
        let buffer = emitter.buffer(input).expect("contraction operands are kernel arguments");
        address(emitter, buffer, offset)
    };
    let scales = at(kernel.generic.inputs[SCALES]);
    let zero_points = kernel.generic.inputs.get(ZERO_POINTS).map_or(blocks.zero_points, |&input| at(input));
    Walk::Blocks(Blocks { scales, zero_points, ..blocks })
}
