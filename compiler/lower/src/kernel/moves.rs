//! Data movement by calls: the runtime moves the elements of an operand, and fills padding. Its vectors are wider than
//! those of a narrow target, and a call takes less time to compile than loops with tiles and tails, though these may
//! run faster.

use abi::{MOVE_AXIS_WORDS, MOVE_WORDS, PAD_AXIS_WORDS, PAD_WORDS};
use dialects::func;
use dialects::linalg::generic::Generic;
use dialects::rt::words::pack;
use ir::{AffineExpr, Attribute, Builder, Type, Value};

use super::emit::Emitter;
use super::loops::Piece;
use super::products::{address, buffer_strides};
use crate::low::stack_table;

/// An operand and, for each of its axes, the subscript of an element of the result.
pub(super) struct Moved {
    buffer: Value,
    subscripts: Vec<(Vec<i64>, i64)>,
}

/// Whether the runtime moves and fills elements of a type.
pub(super) fn is_moved_by_runtime(emitter: &Emitter<'_>, element: &Type) -> bool {
    emitter.target.narrow && matches!(element.byte_width(), Some(1 | 2 | 4 | 8))
}

/// The data movement that a piece consists of, if it does nothing else.
pub(super) fn moved(emitter: &Emitter<'_>, piece: &Piece<'_>) -> Option<Moved> {
    let source = emitter.source;
    let r#type = source.value_type(piece.value);
    let rank = r#type.rank()?;
    if !is_moved_by_runtime(emitter, r#type.element()) {
        return None;
    }
    let mut value = piece.value;
    let mut subscripts: Vec<AffineExpr> = (0..rank as u32).map(AffineExpr::Dim).collect();
    while emitter.buffer(value).is_none() {
        let generic = Generic::defining(source, value)?;
        let is_plain = !generic.is_reduction() && generic.inits.len() == 1 && generic.output_map(0).is_identity();
        let yielded = generic.yields(source)[0];
        let input = source.arguments(generic.block).iter().position(|&argument| argument == yielded);
        let input = input.filter(|&input| is_plain && input < generic.inputs.len())?;
        subscripts = generic.maps[input].results.iter().map(|e| e.substitute(&subscripts, &[])).collect();
        value = generic.inputs[input];
    }
    let subscripts = subscripts.iter().map(|subscript| subscript.as_linear(rank as u32)).collect::<Option<_>>()?;
    Some(Moved { buffer: emitter.buffer(value)?, subscripts })
}

/// Emits the call that moves a piece.
pub(super) fn emit_move(emitter: &mut Emitter<'_>, piece: &Piece<'_>, moved: &Moved, extents: &[Value]) {
    let from_strides = buffer_strides(emitter, moved.buffer);
    let to_strides = buffer_strides(emitter, piece.buffer);
    let zero = emitter.index(0);
    let mut start = zero;
    let mut steps = vec![zero; extents.len()];
    for ((coefficients, constant), &stride) in moved.subscripts.iter().zip(&from_strides) {
        start = plus_times(emitter, start, *constant, stride);
        for (step, &coefficient) in steps.iter_mut().zip(coefficients) {
            *step = plus_times(emitter, *step, coefficient, stride);
        }
    }
    let origin = piece.offsets.iter().zip(&to_strides).fold(zero, |sum, (&offset, &stride)| {
        let along = emitter.mul(offset, stride);
        emitter.add(sum, along)
    });
    let (from, to) = (address(emitter, moved.buffer, start), address(emitter, piece.buffer, origin));
    let width = element_width(emitter, piece.buffer);
    let axes: Vec<[Value; MOVE_AXIS_WORDS]> =
        (0..extents.len()).map(|axis| [extents[axis], steps[axis], to_strides[axis]]).collect();
    let count = emitter.index(axes.len() as i64);
    let head: [Value; MOVE_WORDS] = [width, count];
    call_with_words(emitter, "rt_move", &[from, to], &head, axes.as_flattened());
}

/// Emits the call that fills the padding of a buffer, around a middle that begins at `low`.
pub(super) fn emit_border(emitter: &mut Emitter<'_>, buffer: Value, filling: Value, low: &[Value], inner: &[Value]) {
    let to = emitter.index(0);
    let to = address(emitter, buffer, to);
    let width = element_width(emitter, buffer);
    let axes: Vec<[Value; PAD_AXIS_WORDS]> =
        (0..low.len()).map(|axis| [low[axis], inner[axis], emitter.buffer_extent(buffer, axis)]).collect();
    let count = emitter.index(axes.len() as i64);
    let head: [Value; PAD_WORDS] = [width, filling, count];
    call_with_words(emitter, "rt_pad", &[to], &head, axes.as_flattened());
}

/// `sum + number * value`
fn plus_times(emitter: &mut Emitter<'_>, sum: Value, number: i64, value: Value) -> Value {
    let number = emitter.index(number);
    let product = emitter.mul(number, value);
    emitter.add(sum, product)
}

fn element_width(emitter: &mut Emitter<'_>, buffer: Value) -> Value {
    let width = emitter.body.value_type(buffer).element().byte_width().expect("elements that are moved have a width");
    emitter.index(width as i64)
}

/// Calls a function of the runtime with a descriptor on the stack, and addresses.
fn call_with_words(emitter: &mut Emitter<'_>, callee: &str, addresses: &[Value], head: &[Value], axes: &[Value]) {
    let words: Vec<(i64, Value)> = (0..).zip(head.iter().chain(axes).copied()).collect();
    let mut builder = Builder::at_end(&mut emitter.body, emitter.at);
    let table = stack_table(&mut builder, words.len());
    pack(&mut builder, table, &words);
    let operands: Vec<Value> = std::iter::once(table).chain(addresses.iter().copied()).collect();
    emitter.effect(func::CALL, &operands, &[], [("callee", Attribute::symbol(callee))]);
}
