//! Kernel functions from the structured to the kernel level.
//!
//! `@k(tensors, sizes, destinations) -> tensors` becomes `@k(memrefs, sizes, result memrefs)`.

use ir::{AffineExpr, Attribute, Attributes, Body, Module, Op, Type, Value};

use super::contract::{ContractionKernel, emit_contraction};
use super::emit::{Emitter, Target};
use super::lane::Lane;
use super::loops::{Piece, emit_elementwise};
use crate::contraction::Contraction;
use crate::generic::Generic;
use crate::outline::KERNEL;

/// Turns every kernel of a module into loops over buffers.
pub fn build_kernels(module: &mut Module, target: &Target) {
    let kernels: Vec<Op> = module
        .functions()
        .filter(|function| function.attributes.get(KERNEL).is_some() && function.body.entry().is_some())
        .map(|function| function.op)
        .collect();
    for op in kernels {
        let source = module.body.take_isolated(op).expect("a function owns its body");
        let body = build_kernel(&source, target);
        module.body.set_isolated(op, body);
        module.update_function_type(op);
    }
}

/// Builds the loops of one kernel.
pub fn build_kernel(source: &Body, target: &Target) -> Body {
    let entry = source.entry().expect("a kernel has a body");
    let end = source.terminator(entry).expect("a kernel returns");
    let results = source.op(end).operands().to_vec();
    let (mut emitter, arguments) = Emitter::new(source, target);
    let buffers = arguments[arguments.len() - results.len()..].to_vec();
    emit_results(&mut emitter, &results, &buffers);
    emitter.effect("func.return", &[], &[], []);
    emitter.body
}

fn emit_results(emitter: &mut Emitter<'_>, results: &[Value], buffers: &[Value]) {
    let source = emitter.source;
    let root = source.defining_op(results[0]).expect("a kernel's result is computed in it");
    match source.name(root) {
        "tensor.concat" => emit_concat(emitter, root, buffers[0]),
        "tensor.pad" => emit_pad(emitter, root, buffers[0]),
        _ => match contraction_below(source, results[0]) {
            Some((generic, permutation)) => {
                let roles = Contraction::of(source, &generic).expect("found as a contraction");
                let kernel = ContractionKernel {
                    generic: &generic,
                    roles: &roles,
                    result: results[0],
                    permutation: &permutation,
                };
                emit_contraction(emitter, &kernel, buffers[0]);
            }
            None => {
                let pieces: Vec<Piece<'_>> = results
                    .iter()
                    .zip(buffers)
                    .map(|(&value, &buffer)| Piece { value, buffer, offsets: &[] })
                    .collect();
                emit_elementwise(emitter, &pieces);
            }
        },
    }
}

/// The contraction below a kernel's result, and for each dimension of its own result the dimension of the kernel's.
fn contraction_below(source: &Body, result: Value) -> Option<(Generic, Vec<usize>)> {
    let rank = source.value_type(result).rank()? as u32;
    let identity: Vec<AffineExpr> = (0..rank).map(AffineExpr::Dim).collect();
    let mut pending = vec![(result, identity)];
    while let Some((value, subscripts)) = pending.pop() {
        let Some(generic) = Generic::defining(source, value) else { continue };
        if Contraction::of(source, &generic).is_some() {
            let permutation = subscripts
                .iter()
                .map(|e| match e {
                    AffineExpr::Dim(dim) => Some(*dim as usize),
                    _ => None,
                })
                .collect::<Option<Vec<_>>>()?;
            return Some((generic, permutation));
        }
        if generic.is_reduction() {
            continue;
        }
        let mut dims: Vec<AffineExpr> = vec![AffineExpr::Constant(0); generic.rank()];
        for (expression, subscript) in generic.output_map(0).results.iter().zip(&subscripts) {
            if let AffineExpr::Dim(dim) = expression {
                dims[*dim as usize] = subscript.clone();
            }
        }
        for (input, map) in generic.inputs.iter().zip(&generic.maps).rev() {
            pending.push((*input, map.results.iter().map(|e| e.substitute(&dims, &[])).collect()));
        }
    }
    None
}

/// `tensor.concat`: each operand is written behind the ones before it.
fn emit_concat(emitter: &mut Emitter<'_>, root: Op, buffer: Value) {
    let source = emitter.source;
    let axis = source.op(root).attributes.integer("dim").expect("tensor.concat has a dimension") as usize;
    let zero = emitter.index(0);
    let rank = source.value_type(source.result(root, 0)).rank().expect("kernel tensors are ranked");
    let mut offset = zero;
    for &operand in source.op(root).operands() {
        let mut offsets = vec![zero; rank];
        offsets[axis] = offset;
        emit_elementwise(emitter, &[Piece { value: operand, buffer, offsets: &offsets }]);
        let extent = emitter.extent(operand, axis);
        offset = emitter.add(offset, extent);
    }
}

/// `tensor.pad` with a constant: the result is filled, then the operand is written at its offset. Low and high
/// padding come from the static attributes.
fn emit_pad(emitter: &mut Emitter<'_>, root: Op, buffer: Value) {
    let source = emitter.source;
    let operation = source.op(root);
    let low = operation.attributes.integers("static_low").expect("tensor.pad has low padding");
    let operand = operation.operands()[0];
    let block = source.blocks(operation.regions()[0])[0];
    let end = source.terminator(block).expect("a pad region yields");
    let fill = emitter.scalar(source.operand(end, 0));
    let rank = low.len();
    let extents: Vec<Value> = (0..rank).map(|axis| emitter.buffer_extent(buffer, axis)).collect();
    let inner: Vec<Value> = (0..rank).map(|axis| emitter.extent(operand, axis)).collect();
    let (last, outer) = extents.split_last().expect("padding a scalar changes nothing");
    let rows = outer.iter().fold(emitter.index(1), |product, &extent| emitter.mul(product, extent));
    let offsets: Vec<Value> = low.iter().map(|&low| emitter.index(low)).collect();
    emitter.parallel_loop(rows, 256, |emitter, row| {
        let position = super::loops::delinearize(emitter, row, outer);
        let padded: Vec<Lane> = position.iter().map(|&index| Lane::Uniform(index)).collect();
        let value = Lane::Uniform(fill);
        let at: Vec<Value> = position.iter().zip(&offsets).map(|(&index, &low)| emitter.sub(index, low)).collect();
        let mut inside = None;
        for (&index, &extent) in at.iter().zip(&inner) {
            // unsigned, so that a negative index is outside too
            let predicate = Attributes::from([("predicate", Attribute::i64(6))]);
            let test = emitter.pure("arith.cmpi", &[index, extent], Type::I1, predicate);
            inside = Some(match inside {
                None => test,
                Some(all) => emitter.pure("arith.andi", &[all, test], Type::I1, []),
            });
        }
        let zero = emitter.index(0);
        let Some(inside) = inside else {
            fill_row(emitter, buffer, &padded, &value, zero, *last);
            copy_row(emitter, operand, buffer, &[], &offsets, inner[rank - 1]);
            return;
        };
        let start = offsets[rank - 1];
        let stop = emitter.add(start, inner[rank - 1]);
        // a row outside is filled whole: its middle is empty
        let start = emitter.pure("arith.select", &[inside, start, *last], Type::Index, []);
        let stop = emitter.pure("arith.select", &[inside, stop, *last], Type::Index, []);
        fill_row(emitter, buffer, &padded, &value, zero, start);
        emitter.if_then(inside, |emitter| {
            let row: Vec<Lane> = at.iter().map(|&index| Lane::Uniform(index)).collect();
            copy_row(emitter, operand, buffer, &row, &offsets, inner[rank - 1]);
        });
        fill_row(emitter, buffer, &padded, &value, stop, *last);
    });
}

fn copy_row(emitter: &mut Emitter<'_>, operand: Value, buffer: Value, row: &[Lane], offsets: &[Value], length: Value) {
    let zero = emitter.index(0);
    super::loops::emit_row(emitter, &[Piece { value: operand, buffer, offsets }], row, zero, length);
}

fn fill_row(emitter: &mut Emitter<'_>, buffer: Value, row: &[Lane], value: &Lane, low: Value, high: Value) {
    emitter.for_loop(low, high, 1, &[], |emitter, index, _| {
        let subscripts: Vec<Lane> = row.iter().cloned().chain(std::iter::once(Lane::Uniform(index))).collect();
        emitter.store(value, buffer, &subscripts);
        vec![]
    });
}
