//! Row reductions of floats by the runtime, if its vectors are wider than those of the generated code.
//!
//! Operands in memory are reduced directly. Other operands are first computed into a row buffer, piece by piece, if
//! that involves row functions of the runtime, or if the combiner is more than one instruction.

use abi::RowFold;
use dialects::{OpCode, OpCodes, arith, cf, func, memref, rt};
use ir::{AffineExpr, Attribute, Body, Type, Value};

use super::emit::Emitter;
use super::lane::Lane;
use super::loops::is_costly;
use super::reduce::Combiner;
use crate::byte_tables::looks_up;
use dialects::linalg::generic::Generic;

/// Elements of a piece: few enough to stay in the L1 cache.
const PIECE: i64 = 512;
/// Shorter rows are reduced by generated code.
const SHORTEST: i64 = 32;

/// The terms of a row reduction.
pub(super) struct RowTerms {
    fold: RowFold,
    combiner: OpCode,
    /// The term of an iteration.
    term: Value,
    /// The input with this term, if it is contiguous in memory.
    input: Option<usize>,
}

/// Whether an operation converts to floats.
fn converts(source: &Body, generic: &Generic) -> bool {
    source.ops(generic.block).any(|op| matches!(source.code(op), Some(arith::SITOFP | arith::UITOFP | arith::EXTF)))
}

impl Emitter<'_> {
    /// The runtime's reduction for a reduction whose lanes may be combined in any order, if it should be used.
    pub(super) fn row_fold(&mut self, generic: &Generic, combiner: &'static Combiner) -> Option<RowTerms> {
        let fold = combiner.fold.filter(|_| self.target.narrow)?;
        let source = self.source;
        let has_checks = source.ops(generic.block).any(|op| source.is(op, cf::ASSERT));
        if has_checks || *source.value_type(generic.inits[0]).element() != Type::F32 {
            return None;
        }
        let &(last, extent) = self.reduction_loops(generic).last()?;
        if self.constant_value(extent).is_some_and(|extent| extent < SHORTEST) {
            return None;
        }
        let accumulator = source.arguments(generic.block)[generic.inputs.len()];
        let combining = source.defining_op(generic.yields(source)[0])?;
        let term = source.op(combining).operands().iter().copied().find(|&operand| operand != accumulator)?;
        let input = self.side_by_side(generic, term, last);
        let is_long = matches!(fold, RowFold::Largest | RowFold::Smallest) || self.is_costly_below(generic);
        (input.is_some() || is_long).then_some(RowTerms { fold, combiner: combiner.code, term, input })
    }

    /// The input that a value of the body reads, if its elements are contiguous along a loop.
    fn side_by_side(&self, generic: &Generic, value: Value, dim: usize) -> Option<usize> {
        let arguments = self.source.arguments(generic.block);
        let input = arguments[..generic.inputs.len()].iter().position(|&argument| argument == value)?;
        let buffer = self.buffer(generic.inputs[input])?;
        let strides = self.body.value_type(buffer).as_memref()?.strides()?;
        let (inner, outer) = generic.maps[input].results.split_last()?;
        let along = *inner == AffineExpr::Dim(dim as u32) && outer.iter().all(|e| !e.uses_dim(dim as u32));
        (along && *strides.last()? == Some(1)).then_some(input)
    }

    /// Whether the operands of a reduction involve row functions of the runtime.
    pub(super) fn is_costly_below(&self, generic: &Generic) -> bool {
        self.is_any_below(generic, |generic| is_costly(self.source, generic) || converts(self.source, generic))
    }

    /// Whether an operation or its producers look up byte tables.
    pub(super) fn looks_up_below(&self, generic: &Generic) -> bool {
        self.is_any_below(generic, |generic| looks_up(self.source, generic))
    }

    /// Whether a predicate holds for an operation, or for a producer that is computed with it.
    fn is_any_below(&self, generic: &Generic, is_so: impl Fn(&Generic) -> bool) -> bool {
        let mut pending = vec![generic.clone()];
        while let Some(generic) = pending.pop() {
            if is_so(&generic) {
                return true;
            }
            let computed = generic.inputs.iter().filter(|&&input| self.buffer(input).is_none());
            let below = computed.filter_map(|&input| Generic::defining(self.source, input));
            pending.extend(below.filter(|below| !below.is_reduction()));
        }
        false
    }

    /// The reduction at a point with open reduction loops.
    pub(super) fn fold_rows(
        &mut self,
        generic: &Generic,
        point: &[Option<Lane>],
        start: &Lane,
        terms: RowTerms,
    ) -> Lane {
        let start = start.uniform().expect("a scalar point has a scalar start");
        let loops = self.reduction_loops(generic);
        Lane::Uniform(self.fold_nest(generic, point.to_vec(), start, &terms, &loops))
    }

    fn fold_nest(
        &mut self,
        generic: &Generic,
        mut point: Vec<Option<Lane>>,
        carried: Value,
        terms: &RowTerms,
        loops: &[(usize, Value)],
    ) -> Value {
        let zero = self.index(0);
        let ((dim, extent), inner) = loops.split_first().expect("a reduction has a reduction loop");
        if !inner.is_empty() {
            let results = self.for_loop(zero, *extent, 1, &[carried], |emitter, iteration, carried| {
                point[*dim] = Some(Lane::Uniform(iteration));
                vec![emitter.fold_nest(generic, point, carried[0], terms, inner)]
            });
            return results[0];
        }
        let Some(input) = terms.input else { return self.fold_pieces(generic, (point, *dim), *extent, carried, terms) };
        point[*dim] = Some(Lane::Uniform(zero));
        let buffer = self.buffer(generic.inputs[input]).expect("known to be in memory");
        let subscripts: Vec<Lane> = generic.maps[input].results.iter().map(|e| self.affine(e, &point)).collect();
        let from = self.element_address(buffer, &subscripts);
        self.fold_row(from, *extent, carried, terms)
    }

    /// A row whose terms are computed piece by piece.
    fn fold_pieces(
        &mut self,
        generic: &Generic,
        (mut point, dim): (Vec<Option<Lane>>, usize),
        extent: Value,
        carried: Value,
        terms: &RowTerms,
    ) -> Value {
        let (zero, piece, lanes) = (self.index(0), self.index(PIECE), self.lanes as i64);
        let sizes = [("operandSegmentSizes", Attribute::i32_dense_array(&[0, 0]))];
        let row = self.effect(memref::ALLOCA, &[], &[Type::memref([Some(PIECE)], Type::F32)], sizes);
        let row = self.body.result(row, 0);
        let results = self.for_loop(zero, extent, PIECE, &[carried], |emitter, begin, carried| {
            let rest = emitter.sub(extent, begin);
            let count = emitter.min(rest, piece);
            let width = emitter.index(lanes);
            let tail = emitter.rem(count, width);
            let whole = emitter.sub(count, tail);
            let mut store = |emitter: &mut Self, index: Value, lane: fn(Value) -> Lane| {
                let at = emitter.add(begin, index);
                point[dim] = Some(lane(at));
                let value = emitter.evaluate_value(generic, &point, terms.term);
                emitter.store(&value, row, &[lane(index)]);
            };
            emitter.for_loop(zero, whole, lanes, &[], |emitter, index, _| {
                store(emitter, index, Lane::Iota);
                vec![]
            });
            emitter.for_loop(whole, count, 1, &[], |emitter, index, _| {
                store(emitter, index, Lane::Uniform);
                vec![]
            });
            let from = emitter.pure(rt::ADDRESS, &[row], Type::Index, []);
            vec![emitter.fold_row(from, count, carried[0], terms)]
        });
        results[0]
    }

    /// Reduces `count` elements by the runtime, and combines the result with the accumulator.
    fn fold_row(&mut self, from: Value, count: Value, carried: Value, terms: &RowTerms) -> Value {
        let fold = self.index(terms.fold as i64);
        let callee = [("callee", Attribute::symbol("rt_fold_row"))];
        let call = self.effect(func::CALL, &[fold, from, count], &[Type::F32], callee);
        let row = self.body.result(call, 0);
        self.pure(terms.combiner, &[carried, row], Type::F32, [])
    }
}
