//! `tensor.pad` with a constant: fills the padding, then computes or copies the operand into the middle.
//!
//! Dimensions after the last padded one are contiguous with it, so that padding and copied rows are contiguous runs.

use dialects::arith::CmpIPredicate;
use dialects::{OpCodes, arith, rt, tensor};
use ir::{Attributes, Op, Type, Value};

use super::build::emit_value;
use super::emit::Emitter;
use super::lane::Lane;
use super::loops::{Piece, delinearize};
use super::moves::{emit_border, emit_move, is_moved_by_runtime, moved};

/// The geometry of the padded tensor.
struct Padding {
    /// Extents of the result.
    outer: Vec<Value>,
    /// Extents of the operand.
    inner: Vec<Value>,
    /// Elements before the operand along each dimension.
    low: Vec<Value>,
    /// The dimension of rows: the last padded one, or one after it.
    last: usize,
    /// Elements of one step along it.
    step: Value,
}

/// From this size on, a step along the last padded dimension is a separate row, so that threads share what is one
/// contiguous run.
const LONG_STEP: i64 = 512;
/// The estimate of a dynamic row length.
const ASSUMED_ROW: i64 = 1024;

/// Emits a `tensor.pad`. The padding is in the static attributes.
pub(super) fn emit_pad(emitter: &mut Emitter<'_>, root: Op, buffer: Value) {
    let source = emitter.source;
    let operation = source.op(root);
    let lows = operation.attributes.integers("static_low").expect("tensor.pad has low padding");
    let highs = operation.attributes.integers("static_high").expect("tensor.pad has high padding");
    let operand = tensor::Pad::of(source, root).source;
    let block = source.blocks(operation.regions()[0])[0];
    let end = source.terminator(block).expect("a pad region yields");
    let fill = emitter.scalar(source.sole_operand(end));
    let rank = lows.len();
    let last = (0..rank).rev().find(|&axis| lows[axis] != 0 || highs[axis] != 0).unwrap_or(rank - 1);
    let outer: Vec<Value> = (0..rank).map(|axis| emitter.buffer_extent(buffer, axis)).collect();
    let inner: Vec<Value> = (0..rank).map(|axis| emitter.extent(operand, axis)).collect();
    let low: Vec<Value> = lows.iter().map(|&low| emitter.index(low)).collect();
    if is_moved_by_runtime(emitter, emitter.body.value_type(buffer).element()) {
        emit_border(emitter, buffer, fill, &low, &inner);
        let middle = Piece { value: operand, buffer, offsets: &low };
        return match moved(emitter, &middle).filter(|_| emitter.buffer(operand).is_some()) {
            Some(moved) => emit_move(emitter, &middle, &moved, &inner),
            None => emit_value(emitter, operand, buffer, &low),
        };
    }
    let (mut last, mut step) = (last, emitter.product(&outer[last + 1..]));
    if emitter.constant_value(step).is_some_and(|step| step >= LONG_STEP) {
        last += 1;
        step = emitter.product(&outer[last + 1..]);
    }
    let padding = Padding { outer, inner, low, last, step };
    let copied = emitter.buffer(operand);
    emit_rows(emitter, &padding, buffer, fill, copied);
    if copied.is_none() {
        emit_value(emitter, operand, buffer, &padding.low);
    }
}

/// A row of the result, by counts of elements.
struct Row {
    /// Its beginning.
    base: Value,
    /// Whether it has a middle; `None` if all rows have one.
    inside: Option<Value>,
    /// Elements before the middle; all of them if there is none.
    front: Value,
    /// Elements of the middle.
    middle: Value,
    /// Elements of the row.
    length: Value,
    /// The beginning of the operand's row, if there is one.
    source: Value,
}

/// One iteration per row of the result: its padding is filled, and its middle copied if the operand has a buffer.
fn emit_rows(emitter: &mut Emitter<'_>, padding: &Padding, buffer: Value, fill: Value, copied: Option<Value>) {
    let Padding { outer, inner, low, last, step } = padding;
    let leading = &outer[..*last];
    let rows = emitter.product(leading);
    let flat = flat_buffer(emitter, buffer);
    let flat_copied = copied.map(|copied| flat_buffer(emitter, copied));
    let length = emitter.mul(outer[*last], *step);
    let middle = emitter.mul(inner[*last], *step);
    let front = emitter.mul(low[*last], *step);
    let written = match copied {
        Some(_) => length,
        None => emitter.sub(length, middle),
    };
    let work = emitter.constant_value(written).unwrap_or(ASSUMED_ROW);
    emitter.parallel_loop(rows, work, |emitter, row| {
        let position = delinearize(emitter, row, leading);
        let at: Vec<Value> = position.iter().zip(low).map(|(&index, &low)| emitter.sub(index, low)).collect();
        let inside = all_below(emitter, &at, inner);
        let base = emitter.mul(row, length);
        let source_row = at.iter().zip(inner).fold(emitter.index(0), |linear, (&index, &extent)| {
            let scaled = emitter.mul(linear, extent);
            emitter.add(scaled, index)
        });
        let source = emitter.mul(source_row, middle);
        // a row of padding is filled completely: its middle is empty
        let front = choose(emitter, inside, front, length);
        let row = Row { base, inside, front, middle, length, source };
        row.emit(emitter, flat, fill, flat_copied);
    });
}

/// `a` in rows with a middle, else `b`.
fn choose(emitter: &mut Emitter<'_>, inside: Option<Value>, a: Value, b: Value) -> Value {
    match inside {
        Some(condition) => {
            emitter.pure_from(arith::Select { condition, true_value: a, false_value: b }, Type::Index, [])
        }
        None => a,
    }
}

impl Row {
    fn emit(&self, emitter: &mut Emitter<'_>, flat: Value, fill: Value, copied: Option<Value>) {
        let after = emitter.add(self.front, self.middle);
        let after = choose(emitter, self.inside, after, self.length);
        let [first, rest, end] = [self.front, after, self.length].map(|offset| emitter.add(self.base, offset));
        fill_run(emitter, flat, fill, self.base, first);
        fill_run(emitter, flat, fill, rest, end);
        let Some(from) = copied else { return };
        let copy = |emitter: &mut Emitter<'_>| copy_run(emitter, (flat, first), (from, self.source), self.middle);
        match self.inside {
            Some(inside) => emitter.if_then(inside, copy),
            None => copy(emitter),
        }
    }
}

/// Whether every index is below its extent; compared as unsigned numbers, so that negative ones are not. `None` for no
/// index.
pub(super) fn all_below(emitter: &mut Emitter<'_>, indices: &[Value], extents: &[Value]) -> Option<Value> {
    let mut all = None;
    for (&index, &extent) in indices.iter().zip(extents) {
        let predicate = Attributes::from([CmpIPredicate::Ult.attribute()]);
        let below = emitter.pure(arith::CMPI, &[index, extent], Type::I1, predicate);
        all = Some(match all {
            None => below,
            Some(all) => emitter.pure(arith::ANDI, &[all, below], Type::I1, []),
        });
    }
    all
}

/// The same memory as one run of elements.
fn flat_buffer(emitter: &mut Emitter<'_>, buffer: Value) -> Value {
    let element = emitter.body.value_type(buffer).element().clone();
    let address = emitter.pure(rt::ADDRESS, &[buffer], Type::Index, []);
    emitter.pure(rt::BUFFER, &[address], Type::memref(vec![None], element), [])
}

fn fill_run(emitter: &mut Emitter<'_>, flat: Value, fill: Value, low: Value, high: Value) {
    run(emitter, low, high, |emitter, offset| {
        let at = [shifted(emitter, low, offset)];
        emitter.store(&Lane::Uniform(fill), flat, &at);
    });
}

fn copy_run(
    emitter: &mut Emitter<'_>,
    (to, to_first): (Value, Value),
    (from, from_first): (Value, Value),
    count: Value,
) {
    let zero = emitter.index(0);
    run(emitter, zero, count, |emitter, offset| {
        let at = [shifted(emitter, from_first, offset)];
        let value = emitter.load(from, &at);
        let at = [shifted(emitter, to_first, offset)];
        emitter.store(&value, to, &at);
    });
}

/// Visits the offsets of a run of `high - low` elements: full vectors, then single elements.
fn run(emitter: &mut Emitter<'_>, low: Value, high: Value, visit: impl Fn(&mut Emitter<'_>, &Lane)) {
    let lanes = emitter.lanes as i64;
    let zero = emitter.index(0);
    let count = emitter.sub(high, low);
    let width = emitter.index(lanes);
    let tail = emitter.rem(count, width);
    let main = emitter.sub(count, tail);
    emitter.for_loop(zero, main, lanes, &[], |emitter, offset, _| {
        visit(emitter, &Lane::Iota(offset));
        vec![]
    });
    if emitter.constant_value(tail) != Some(0) {
        emitter.for_loop(main, count, 1, &[], |emitter, offset, _| {
            visit(emitter, &Lane::Uniform(offset));
            vec![]
        });
    }
}

fn shifted(emitter: &mut Emitter<'_>, first: Value, offset: &Lane) -> Lane {
    match offset {
        Lane::Iota(base) => Lane::Iota(emitter.add(first, *base)),
        Lane::Uniform(index) => Lane::Uniform(emitter.add(first, *index)),
        Lane::EveryOther(_) | Lane::Vector(_) | Lane::Scalars(_) => {
            unreachable!("runs are visited by consecutive offsets")
        }
    }
}
