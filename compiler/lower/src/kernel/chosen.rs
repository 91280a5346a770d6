//! Index-dependent selects: triangular masks, diagonals, one-hot rows.
//!
//! A row `select(i < bound, a, b)` with a bound that is uniform in the row is split at the bound into two loops without
//! comparisons. A row `select(i == bound, a, b)` is a row of `b` with one `a`.

use dialects::arith::CmpIPredicate;
use dialects::linalg::generic::Generic;
use dialects::{OpCodes, arith, linalg};
use ir::{AffineMap, Body, Op, Type, Value};
use operators::structured::scalars::Comparison;

use super::emit::Emitter;
use super::evaluate::Slice;
use super::lane::Lane;
use super::loops::{Piece, emit_span, store_point};

/// The maximum number of operations of a body that is emitted several times.
const OPERATIONS: usize = 32;

/// The largest bound of a comparison: every extent is smaller, and sums of a few do not overflow.
const FURTHEST: i64 = 1 << 60;

/// A select of a row.
pub(super) struct Chosen {
    generic: Generic,
    /// The comparison.
    compare: Op,
    /// How the index along the row, plus an offset, is compared.
    comparison: Comparison,
    /// That index, and the bound.
    operands: [Value; 2],
}

/// The select of a row's elements, if loops without comparisons are faster.
pub(super) fn chosen(emitter: &Emitter<'_>, pieces: &[Piece<'_>]) -> Option<Chosen> {
    let ([piece], source) = (pieces, emitter.source) else { return None };
    let generic = Generic::defining(source, piece.value)?;
    let ops = source.ops(generic.block);
    let mut compares = ops.clone().filter(|&op| chooses(source, op));
    let (compare, None) = (compares.next()?, compares.next()) else { return None };
    let is_plain = !generic.is_reduction() && generic.inits.len() == 1 && generic.output_map(0).is_identity();
    if ops.count() > OPERATIONS || !is_plain {
        return None;
    }
    let comparison = Comparison::of_signed(CmpIPredicate::of(source, compare)?)?;
    let row = Row { source, generic: &generic, last: (generic.rank() as u32).checked_sub(1)? };
    let (comparison, operands) = match [0, 1].map(|at| source.operand(compare, at)) {
        [a, b] if row.counts(a) && !row.varies(b) => (comparison, [a, b]),
        [a, b] if row.counts(b) && !row.varies(a) => (comparison.swapped(), [b, a]),
        _ => return None,
    };
    let is_faster = match comparison {
        // the one element is written over another, whose operands must not have been overwritten then
        Comparison::Equal => !generic.maps[..generic.inputs.len()].iter().any(|map| row.is_along(map)),
        // wide vectors compare faster than additional loops run
        _ => !emitter.target.flexible_vectors,
    };
    is_faster.then_some(Chosen { generic, compare, comparison, operands })
}

/// Whether an operation compares sizes, and is only used by selects.
pub(super) fn chooses(source: &Body, op: Op) -> bool {
    let compares = source.is(op, arith::CMPI) && *source.value_type(source.sides(op).0) == Type::Index;
    let is_choice = |user: Op| source.is(user, arith::SELECT);
    compares && source.uses(source.result(op, 0)).iter().all(|r#use| is_choice(r#use.op) && r#use.index == 0)
}

/// The body of an operation along its last loop.
struct Row<'r> {
    source: &'r Body,
    generic: &'r Generic,
    last: u32,
}

impl Row<'_> {
    /// Whether a value increases by one with each element.
    fn counts(&self, value: Value) -> bool {
        let Some(op) = self.source.defining_op(value) else { return false };
        let operands = self.source.op(op).operands();
        match self.source.code(op) {
            Some(linalg::INDEX) => self.is_last(op),
            Some(arith::ADDI) => {
                let adds = |a, b| self.counts(a) && !self.varies(b);
                adds(operands[0], operands[1]) || adds(operands[1], operands[0])
            }
            Some(arith::SUBI) => self.counts(operands[0]) && !self.varies(operands[1]),
            _ => false,
        }
    }

    /// Whether a value may differ between elements.
    fn varies(&self, value: Value) -> bool {
        let slice = Slice::of(self.source, self.generic.block, &[value], |_| false);
        let arguments = self.source.arguments(self.generic.block).iter().zip(&self.generic.maps);
        slice.ops.iter().any(|&op| self.is_last(op))
            || arguments.filter(|(argument, _)| slice.arguments.contains(*argument)).any(|(_, map)| self.is_along(map))
    }

    fn is_last(&self, op: Op) -> bool {
        let dim = self.source.op(op).attributes.integer("dim");
        self.source.is(op, linalg::INDEX) && dim == Some(i64::from(self.last))
    }

    fn is_along(&self, map: &AffineMap) -> bool {
        map.results.iter().any(|e| e.uses_dim(self.last))
    }
}

/// The bound, clamped so that arithmetic on it does not overflow.
fn within_reach(emitter: &mut Emitter<'_>, other: Value) -> Value {
    if emitter.constant_value(other).is_some_and(|other| (-FURTHEST..=FURTHEST).contains(&other)) {
        return other;
    }
    let (least, most) = (emitter.index(-FURTHEST), emitter.index(FURTHEST));
    let raised = emitter.pure(arith::MAXSI, &[other, least], Type::Index, []);
    emitter.min(raised, most)
}

/// The elements of a row from `low` to `high`, split by the select.
pub(super) fn emit_chosen(
    emitter: &mut Emitter<'_>,
    pieces: &[Piece<'_>],
    chosen: &Chosen,
    row: &[Lane],
    [low, high]: [Value; 2],
) {
    let point: Vec<Option<Lane>> = row.iter().cloned().chain([Lane::Iota(low)]).map(Some).collect();
    let lanes = emitter.evaluate_values(&chosen.generic, &point, &chosen.operands);
    let [Lane::Iota(first), Lane::Uniform(other)] = lanes[..] else { unreachable!("a row counts one of them") };
    let other = within_reach(emitter, other);
    let distance = emitter.sub(other, first);
    // the first element whose distance from the first one is at least the bound
    let bound = |emitter: &mut Emitter<'_>, more: i64| {
        let (zero, more, length) = (emitter.index(0), emitter.index(more), emitter.sub(high, low));
        let elements = emitter.add(distance, more);
        let inside = emitter.pure(arith::MAXSI, &[elements, zero], Type::Index, []);
        let inside = emitter.min(inside, length);
        emitter.add(low, inside)
    };
    let emit = |emitter: &mut Emitter<'_>, is_first: bool, bounds: [Value; 2]| {
        emitter.decided = Some((chosen.compare, is_first));
        emit_span(emitter, pieces, row, bounds);
        emitter.decided = None;
    };
    let (at, is_first) = match chosen.comparison {
        Comparison::Equal => {
            emit(emitter, false, [low, high]);
            let (at, end) = (bound(emitter, 0), bound(emitter, 1));
            emitter.decided = Some((chosen.compare, true));
            emitter.for_loop(at, end, 1, &[], |emitter, index, _| {
                let point: Vec<Lane> = row.iter().cloned().chain([Lane::Uniform(index)]).collect();
                store_point(emitter, pieces, &point);
                vec![]
            });
            emitter.decided = None;
            return;
        }
        Comparison::Less => (bound(emitter, 0), true),
        Comparison::LessOrEqual => (bound(emitter, 1), true),
        Comparison::Greater => (bound(emitter, 1), false),
        Comparison::GreaterOrEqual => (bound(emitter, 0), false),
    };
    emit(emitter, is_first, [low, at]);
    emit(emitter, !is_first, [at, high]);
}
