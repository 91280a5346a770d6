//! Type conversions, for narrow targets: the runtime converts with the widest vectors of the processor, whereas these
//! targets would have to split vectors.

use abi::RowFunction;
use dialects::arith::CmpFPredicate;
use dialects::linalg::generic::Generic;
use dialects::{OpCodes, arith, func};
use ir::{Attribute, Type, Value};

use super::emit::Emitter;
use super::loops::{CHUNK, Piece};
use super::products::{address, ceil_div, share};

/// A conversion of all elements of a buffer.
pub(super) struct Converted {
    from: Value,
    function: RowFunction,
}

/// The conversion that a piece consists of, if it only converts.
pub(super) fn converted(emitter: &Emitter<'_>, piece: &Piece<'_>) -> Option<Converted> {
    let source = emitter.source;
    let generic = Generic::defining(source, piece.value).filter(|_| emitter.target.narrow)?;
    let (&[input], &[yielded]) = (&generic.inputs[..], generic.yields(source)) else { return None };
    let is_plain = !generic.is_reduction() && generic.maps.iter().all(|map| map.is_identity());
    let op = source.defining_op(yielded).filter(|_| is_plain && piece.offsets.is_empty())?;
    let argument = source.arguments(generic.block)[0];
    let operands = source.op(op).operands();
    if operands.first() != Some(&argument) {
        return None;
    }
    let [from, to] = [argument, yielded].map(|value| source.value_type(value));
    let function = match (source.code(op), from, to) {
        (Some(arith::EXTSI), &Type::I32, &Type::I64) => RowFunction::ExtendInteger,
        (Some(arith::TRUNCI), &Type::I64, &Type::I32) => RowFunction::TruncateInteger,
        (Some(arith::EXTF), &Type::F32, &Type::F64) => RowFunction::ExtendFloat,
        (Some(arith::TRUNCF), &Type::F64, &Type::F32) => RowFunction::TruncateFloat,
        (Some(arith::CMPF), &Type::F32, &Type::I1) => {
            let zero = ir::constant_value(source, operands[1])?.as_float()?;
            (zero == 0.0 && CmpFPredicate::of(source, op) == Some(CmpFPredicate::Une))
                .then_some(RowFunction::IsNotZero)?
        }
        _ => return None,
    };
    Some(Converted { from: emitter.buffer(input)?, function })
}

/// Emits the calls for a conversion.
pub(super) fn emit_converted(emitter: &mut Emitter<'_>, piece: &Piece<'_>, converted: &Converted, extents: &[Value]) {
    let total = emitter.product(extents);
    let chunk = emitter.index(CHUNK);
    let chunks = ceil_div(emitter, total, chunk);
    emitter.parallel_loop(chunks, CHUNK, |emitter, index| {
        let (low, count) = share(emitter, index, chunk, total);
        let function = emitter.index(converted.function as i64);
        let [from, to] = [converted.from, piece.buffer].map(|buffer| address(emitter, buffer, low));
        let none = emitter.constant(Attribute::float(0.0, Type::F32), Type::F32);
        let operands = [function, from, to, count].into_iter().chain([none; RowFunction::PARAMETERS]);
        let operands: Vec<Value> = operands.collect();
        emitter.effect(func::CALL, &operands, &[], [("callee", Attribute::symbol("rt_map_row"))]);
    });
}
