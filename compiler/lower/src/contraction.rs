//! Recognises contractions: generic operations that multiply two tensors and sum the products.
//!
//! There are two shapes. A *product* broadcasts one operand over the columns; a *depthwise* sum reads both operands
//! along the columns, like a depthwise convolution over blocked channels.
//!
//! A contraction is described by the roles of its loops: *columns* run along the vector registers, *rows* are
//! register-tiled, the rest of the parallel loops are *batch* loops, and up to four loops are reduced.

use dialects::{OpCode, OpCodes, arith};
use ir::{AffineExpr, Body, Value};

use dialects::linalg::GROUP;
use dialects::linalg::generic::{Generic, Iterator};
use dialects::rt::attributes::{BLOCK, TRANSPOSED};
use dialects::rt::tile::{Kind, QUAD};

/// The layout of a contraction's columns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Columns {
    /// One loop; the right operand is indexed `[…, n floordiv 16, …, n mod 16]` (packed) or `[…, n]`.
    Single {
        /// The loop.
        dim: usize,
        /// Whether the right operand is packed in groups of 16.
        packed: bool,
    },
    /// Two loops: groups, and the 16 columns of a group.
    Blocked {
        /// The loop over groups.
        group: usize,
        /// The loop over the columns of a group.
        column: usize,
    },
}

/// How the operands depend on the columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The left operand is the same for all columns.
    Product,
    /// The same with a block-quantised right operand; further inputs are scales, and zero points.
    Blocks {
        /// Values of a block.
        block: i64,
        /// Bits of a value.
        bits: i64,
    },
    /// Both operands run along the columns: at most 16 of them, one row loop, at most two reduction loops.
    Depthwise,
}

/// A contraction's loops by role.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contraction {
    /// How its operands depend on the columns.
    pub shape: Shape,
    /// The element types.
    pub kind: Kind,
    /// Input index of the operand whose elements are broadcast (activations).
    pub left: usize,
    /// Input index of the operand read along columns (weights).
    pub right: usize,
    /// The column loops.
    pub columns: Columns,
    /// Row loops, innermost first: at most two.
    pub rows: Vec<usize>,
    /// Other parallel loops.
    pub batch: Vec<usize>,
    /// Reduction loops, outermost first: one to four.
    pub reduction: Vec<usize>,
}

impl Contraction {
    /// Recognises a contraction that a micro-kernel can compute.
    pub fn of(body: &Body, generic: &Generic) -> Option<Contraction> {
        if let Some(block) = body.op(generic.op).attributes.integer(BLOCK) {
            return Contraction::blocks(generic, block);
        }
        let (kind, left, right) = multiplied_inputs(body, generic)?;
        let kind = if body.attribute(generic.op, TRANSPOSED).is_some() { Kind::F32Transposed } else { kind };
        match kind {
            Kind::F32 => Contraction::product(body, generic, kind, &[(left, right), (right, left)])
                .or_else(|| Contraction::depthwise(body, generic, left, right)),
            Kind::F32Transposed | Kind::F64 => {
                Contraction::product(body, generic, kind, &[(left, right), (right, left)])
            }
            Kind::F32F16 | Kind::F32BF16 | Kind::U8I8 => Contraction::product(body, generic, kind, &[(left, right)]),
        }
    }

    /// The number of rows, if their extents are static.
    pub(crate) fn known_rows(&self, body: &Body, generic: &Generic) -> Option<i64> {
        let extents = generic.extents(body);
        self.rows.iter().map(|&dim| extents[dim]).product()
    }

    /// With the operands in one of the given orders.
    fn product(body: &Body, generic: &Generic, kind: Kind, orders: &[(usize, usize)]) -> Option<Contraction> {
        let out = generic.output_map(0).as_projected_permutation()?;
        let dims: Vec<usize> = (0..generic.rank()).collect();
        let uses = |operand: usize, dim: usize| generic.maps[operand].results.iter().any(|e| e.uses_dim(dim as u32));
        let reduction: Vec<usize> =
            dims.iter().copied().filter(|&d| generic.iterators[d] == Iterator::Reduction).collect();
        if reduction.is_empty() || reduction.len() > 4 {
            return None;
        }
        let (left, right, columns) = orders.iter().find_map(|&(left, right)| {
            let subscripts = match kind {
                Kind::F32 | Kind::F32Transposed | Kind::F32F16 | Kind::F32BF16 | Kind::F64 => {
                    generic.maps[right].results.clone()
                }
                Kind::U8I8 => unpacked_subscripts(body, generic, (left, right), *reduction.last()?)?,
            };
            let columns = match kind {
                Kind::F32Transposed => transposed_columns(generic, (left, right), *reduction.last()?, *out.last()?)?,
                _ => column_loops(body, generic, right, &subscripts, &out)?,
            };
            let reads_whole_groups = matches!(kind, Kind::F32F16 | Kind::F32BF16 | Kind::U8I8);
            if reads_whole_groups && matches!(columns, Columns::Single { packed: false, .. }) {
                return None;
            }
            let is_column = |dim: usize| match columns {
                Columns::Single { dim: d, .. } => d == dim,
                Columns::Blocked { group, column } => dim == group || dim == column,
            };
            let broadcast = dims.iter().all(|&d| !is_column(d) || !uses(left, d));
            broadcast.then_some((left, right, columns))
        })?;
        if generic.maps[left].results.iter().any(|e| e.as_linear(generic.rank() as u32).is_none()) {
            return None;
        }
        let is_column = |dim: usize| match columns {
            Columns::Single { dim: d, .. } => d == dim,
            Columns::Blocked { group, column } => dim == group || dim == column,
        };
        let mut rows: Vec<usize> =
            out.iter().rev().copied().filter(|&d| !is_column(d) && uses(left, d) && !uses(right, d)).collect();
        rows.truncate(2);
        let batch = out.iter().copied().filter(|&d| !is_column(d) && !rows.contains(&d)).collect();
        Some(Contraction { shape: Shape::Product, kind, left, right, columns, rows, batch, reduction })
    }

    /// With a block-quantised operand of the given block size.
    fn blocks(generic: &Generic, block: i64) -> Option<Contraction> {
        let out = generic.output_map(0).as_projected_permutation()?;
        let (&column, outer) = out.split_last()?;
        let depth = generic.iterators.iter().position(|kind| *kind == Iterator::Reduction)?;
        let word = |bits: &i64| AffineExpr::Dim(depth as u32).floor_div(32 / bits);
        let bits = [4, 8].into_iter().find(|bits| generic.maps[1].results.contains(&word(bits)))?;
        let mut rows: Vec<usize> = outer.iter().rev().copied().collect();
        rows.truncate(2);
        let batch = outer[..outer.len() - rows.len()].to_vec();
        Some(Contraction {
            shape: Shape::Blocks { block, bits },
            kind: Kind::F32,
            left: 0,
            right: 1,
            columns: Columns::Single { dim: column, packed: true },
            rows,
            batch,
            reduction: vec![depth],
        })
    }

    fn depthwise(body: &Body, generic: &Generic, left: usize, right: usize) -> Option<Contraction> {
        let out = generic.output_map(0).as_projected_permutation()?;
        let [batch @ .., row, lane] = &out[..] else { return None };
        let along_lanes = |operand: usize| {
            let map = &generic.maps[operand].results;
            let (last, outer) = map.split_last()?;
            let linear =
                outer.iter().all(|e| e.as_linear(generic.rank() as u32).is_some() && !e.uses_dim(*lane as u32));
            let consecutive = *last == AffineExpr::Dim(*lane as u32) && linear;
            consecutive.then(|| outer.iter().any(|e| e.uses_dim(*row as u32)))
        };
        let (left, right) = match (along_lanes(left)?, along_lanes(right)?) {
            (true, false) => (left, right),
            (false, true) => (right, left),
            _ => return None,
        };
        let reduction: Vec<usize> =
            (0..generic.rank()).filter(|&d| generic.iterators[d] == Iterator::Reduction).collect();
        let lanes = generic.extents(body)[*lane]?;
        let fits = lanes <= GROUP && !reduction.is_empty() && reduction.len() <= 2;
        fits.then(|| Contraction {
            shape: Shape::Depthwise,
            kind: Kind::F32,
            left,
            right,
            columns: Columns::Single { dim: *lane, packed: false },
            rows: vec![*row],
            batch: batch.to_vec(),
            reduction,
        })
    }
}

/// The factors of a body, and the indices of the left and the right input, if it is `accumulator + a * b` of values
/// that are widened as their kind requires.
fn multiplied_inputs(body: &Body, generic: &Generic) -> Option<(Kind, usize, usize)> {
    if generic.inputs.len() != 2 || generic.inits.len() != 1 || !generic.is_reduction() {
        return None;
    }
    let &[a, b, accumulator] = body.arguments(generic.block) else { return None };
    let sum = body.defining_op(generic.yields(body)[0])?;
    let &[x, y] = body.op(sum).operands() else { return None };
    let product = body.defining_op(if x == accumulator { y } else { x })?;
    let &[first, second] = body.op(product).operands() else { return None };
    let in_floats = match (body.code(sum), body.code(product)) {
        (Some(arith::ADDF), Some(arith::MULF)) => true,
        (Some(arith::ADDI), Some(arith::MULI)) => false,
        _ => return None,
    };
    let (first, second) = (factor(body, first), factor(body, second));
    let of_inputs = [first.0, second.0] == [a, b] || [first.0, second.0] == [b, a];
    let widened = usize::from(first.1.is_some()) + usize::from(second.1.is_some());
    if !of_inputs || ![x, y].contains(&accumulator) || body.ops(generic.block).count() != 3 + widened {
        return None;
    }
    let index = |argument: Value| usize::from(argument == b);
    [(first, second), (second, first)].into_iter().find_map(|(left, right)| {
        let types = [left.0, right.0, accumulator].map(|value| body.value_type(value).clone());
        let is = |kind: &Kind| kind.elements() == types && widening(*kind) == [left.1, right.1];
        let kind = Kind::ALL.into_iter().find(is).filter(|kind| in_floats == (*kind != Kind::U8I8))?;
        Some((kind, index(left.0), index(right.0)))
    })
}

/// The factor before widening, and the operation that widens it.
fn factor(body: &Body, value: Value) -> (Value, Option<OpCode>) {
    let defined = body.defining_op(value).and_then(|op| Some((op, body.code(op)?)));
    match defined {
        Some((op, code @ (arith::EXTF | arith::EXTUI | arith::EXTSI))) => (body.sole_operand(op), Some(code)),
        _ => (value, None),
    }
}

/// The operations that widen the operands of a kind, the left one first.
fn widening(kind: Kind) -> [Option<OpCode>; 2] {
    match kind {
        Kind::F32 | Kind::F32Transposed | Kind::F64 => [None, None],
        Kind::F32F16 | Kind::F32BF16 => [None, Some(arith::EXTF)],
        Kind::U8I8 => [Some(arith::EXTUI), Some(arith::EXTSI)],
    }
}

/// The subscripts of a packed int8 operand `[…, k floordiv 4, column, k mod 4]` as those of `[…, k, column]`, if the
/// left operand is contiguous along `k`.
fn unpacked_subscripts(
    body: &Body,
    generic: &Generic,
    (left, right): (usize, usize),
    k: usize,
) -> Option<Vec<AffineExpr>> {
    let dim = AffineExpr::Dim(k as u32);
    let [outer @ .., quad, column, within] = &generic.maps[right].results[..] else { return None };
    let [.., columns, quads] = body.value_type(generic.inputs[right]).shape()?[..] else { return None };
    // the modulus is absent if there is one quad
    let within_quad = *within == dim.clone().modulo(QUAD) || *within == dim;
    let packed = *quad == dim.clone().floor_div(QUAD) && within_quad;
    let whole = columns == Some(GROUP) && quads == Some(QUAD);
    let contiguous = along_last(&generic.maps[left].results, k) && !outer.iter().any(|e| e.uses_dim(k as u32));
    (packed && whole && contiguous).then(|| outer.iter().cloned().chain([dim, column.clone()]).collect())
}

/// The column loop, if both operands are contiguous along the loop `step`, and the right one has a constant stride
/// along the columns.
fn transposed_columns(generic: &Generic, (left, right): (usize, usize), step: usize, column: usize) -> Option<Columns> {
    let is_consecutive = |operand: usize| along_last(&generic.maps[operand].results, step);
    let is_even = generic.maps[right].results.iter().all(|e| e.as_linear(generic.rank() as u32).is_some());
    let fits = is_consecutive(left) && is_consecutive(right) && is_even;
    fits.then_some(Columns::Single { dim: column, packed: false })
}

/// Whether the loop is the last subscript, and in no other.
pub(crate) fn along_last(subscripts: &[AffineExpr], dim: usize) -> bool {
    subscripts.split_last().is_some_and(|(last, others)| {
        *last == AffineExpr::Dim(dim as u32) && !others.iter().any(|e| e.uses_dim(dim as u32))
    })
}

/// The column loops, if `right` is contiguous along the innermost output dimension.
fn column_loops(
    body: &Body,
    generic: &Generic,
    right: usize,
    subscripts: &[AffineExpr],
    out: &[usize],
) -> Option<Columns> {
    let last = *out.last()?;
    let linear_elsewhere = |skip: &[usize]| {
        subscripts.iter().enumerate().all(|(position, e)| {
            skip.contains(&position) || (e.as_linear(generic.rank() as u32).is_some() && !e.uses_dim(last as u32))
        })
    };
    let final_position = subscripts.len().checked_sub(1)?;
    let dim = AffineExpr::Dim(last as u32);
    // the modulus is absent if there is one group of columns
    let within_group = subscripts[final_position] == dim.clone().modulo(GROUP) || subscripts[final_position] == dim;
    let group = subscripts.iter().position(|e| *e == dim.clone().floor_div(GROUP));
    if let (true, Some(group)) = (within_group, group) {
        return linear_elsewhere(&[final_position, group]).then_some(Columns::Single { dim: last, packed: true });
    }
    if subscripts[final_position] != dim || !linear_elsewhere(&[final_position]) {
        return None;
    }
    let extent = body.value_type(generic.inputs[right]).shape()?[final_position];
    if extent == Some(GROUP) && out.len() >= 2 {
        let is_group = |d: &&usize| subscripts.contains(&AffineExpr::Dim(**d as u32));
        let left = 1 - right;
        let not_left = |d: &&usize| !generic.maps[left].results.iter().any(|e| e.uses_dim(**d as u32));
        if let Some(&group) = out[..out.len() - 1].iter().filter(is_group).find(not_left) {
            return Some(Columns::Blocked { group, column: last });
        }
    }
    Some(Columns::Single { dim: last, packed: false })
}
