//! Lowers kernel functions from the structured to the kernel level.
//!
//! `@k(tensors, sizes, destinations) -> tensors` becomes `@k(memrefs, sizes, result memrefs)`.

use dialects::{OpCodes, func, tensor};
use std::sync::{Mutex, PoisonError};

use ir::{AffineExpr, Body, IndexSet, Module, Op, Value};

use super::attention::{emit_attention, scores_below};
use super::contract::emit_contraction;
use super::emit::{Emitter, Target};
use super::loops::{Piece, emit_elementwise};
use super::pad::emit_pad;
use super::products::ContractionKernel;
use super::winograd::emit_winograd;
use crate::contraction::Contraction;
use dialects::linalg::generic::Generic;
use dialects::rt::attributes::KERNEL;
use dialects::rt::winograd::Winograd;

/// Turns every kernel of a module into loops over buffers, on several threads, while `meanwhile` processes the rest of
/// the module.
pub fn build_kernels<T>(
    module: &mut Module,
    target: &Target,
    threads: usize,
    meanwhile: impl FnOnce(&mut Module) -> T,
) -> T {
    let kernels: Vec<Op> = module
        .functions()
        .filter(|function| function.attributes.get(KERNEL).is_some() && is_unbuilt(function.body))
        .map(|function| function.op)
        .collect();
    let sources = kernels.iter().map(|&op| module.body.take_isolated(op).expect("a function owns its body"));
    let mut bodies: Vec<Body> = sources.collect();
    let remaining = Mutex::new(bodies.iter_mut());
    let next = || remaining.lock().unwrap_or_else(PoisonError::into_inner).next();
    let build = || {
        while let Some(body) = next() {
            *body = build_kernel(body, target);
        }
    };
    let helpers = threads.min(kernels.len()).saturating_sub(1);
    let other = crew::with(helpers, &build, || {
        let other = meanwhile(module);
        build();
        other
    });
    for (op, body) in kernels.into_iter().zip(bodies) {
        module.body.set_isolated(op, body);
        module.update_function_type(op);
    }
    other
}

/// Whether a kernel computes tensors; one that has loops returns nothing.
fn is_unbuilt(body: &Body) -> bool {
    let end = body.entry().and_then(|entry| body.terminator(entry));
    let is_computed = |value: &Value| body.defining_op(*value).is_some() && body.value_type(*value).shape().is_some();
    end.map(|end| body.op(end).operands()).is_some_and(|results| !results.is_empty() && results.iter().all(is_computed))
}

/// Builds the loops of one kernel.
pub fn build_kernel(source: &Body, target: &Target) -> Body {
    let entry = source.entry().expect("a kernel has a body");
    let end = source.terminator(entry).expect("a kernel returns");
    let results = source.op(end).operands().to_vec();
    let (mut emitter, arguments) = Emitter::new(source, target);
    let buffers = arguments[arguments.len() - results.len()..].to_vec();
    emit_results(&mut emitter, &results, &buffers);
    emitter.effect(func::RETURN, &[], &[], []);
    emitter.body
}

fn emit_results(emitter: &mut Emitter<'_>, results: &[Value], buffers: &[Value]) {
    let source = emitter.source;
    let root = source.defining_op(results[0]).expect("a kernel's result is computed in it");
    match source.code(root) {
        Some(tensor::CONCAT) => emit_concat(emitter, root, buffers[0]),
        Some(tensor::PAD) => emit_pad(emitter, root, buffers[0]),
        _ if results.len() == 1 => emit_value(emitter, results[0], buffers[0], &[]),
        _ => {
            let pieces: Vec<Piece<'_>> =
                results.iter().zip(buffers).map(|(&value, &buffer)| Piece { value, buffer, offsets: &[] }).collect();
            emit_elementwise(emitter, &pieces);
        }
    }
}

/// Computes a tensor into a buffer, shifted by `offsets` unless those are empty.
pub(super) fn emit_value(emitter: &mut Emitter<'_>, value: Value, buffer: Value, offsets: &[Value]) {
    if let Some((op, winograd)) = convolution_by_points(emitter.source) {
        return emit_winograd(emitter, (op, &winograd), value, buffer);
    }
    match contraction_below(emitter.source, value) {
        Some((generic, permutation)) => {
            let roles = Contraction::of(emitter.source, &generic).expect("found as a contraction");
            let kernel = ContractionKernel {
                generic: &generic,
                roles: &roles,
                result: value,
                permutation: &permutation,
                offsets,
            };
            match scores_below(emitter, &kernel) {
                Some(scores) => emit_attention(emitter, &kernel, &scores, buffer),
                None => emit_contraction(emitter, &kernel, buffer),
            }
        }
        None => emit_elementwise(emitter, &[Piece { value, buffer, offsets }]),
    }
}

/// The Winograd convolution of a kernel.
fn convolution_by_points(source: &Body) -> Option<(Op, Winograd)> {
    let entry = source.entry().expect("a kernel has a body");
    source.ops(entry).find_map(|op| Some((op, Winograd::of(source, op)?)))
}

/// The contraction that a kernel's result is computed from, and for each dimension of its result the dimension of the
/// kernel's.
fn contraction_below(source: &Body, result: Value) -> Option<(Generic, Vec<usize>)> {
    let rank = source.value_type(result).rank()? as u32;
    let identity: Vec<AffineExpr> = (0..rank).map(AffineExpr::Dim).collect();
    let mut pending = vec![(result, identity)];
    let mut seen: IndexSet<Value> = IndexSet::default();
    while let Some((value, subscripts)) = pending.pop() {
        if !seen.insert(value) {
            continue;
        }
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

/// `tensor.concat`: each operand is written after the ones before it.
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
