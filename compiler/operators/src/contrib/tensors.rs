//! Small operators that are a few of the standard's: distances, windows, complex products, lookups, tests.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{View, microsoft};
use ir::{Attribute, DimExpr, Op, Type, Value};

use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::shape::{Answer, Node, normalize_axis};

/// Squared distances between the rows of two matrices, or their roots.
pub(crate) const CDIST: Operator = Operator::read_as(OnnxOp::MicrosoftCDist, |node, emit| {
    let distance: microsoft::CDist = node.view(emit);
    let (a, b) = (emit.unsqueeze(distance.a, &[1]), emit.unsqueeze(distance.b, &[0]));
    let (difference, axes) = (emit.plain("Sub", &[a, b]), emit.integers(&[2]));
    let squares = emit.op("ReduceSumSquare", &[difference, axes], [("keepdims", Attribute::i64(0))]);
    let result = match &*distance.metric {
        "sqeuclidean" => squares,
        "euclidean" => emit.plain("Sqrt", &[squares]),
        other => return Err(Problem::unsupported(format!("has metric \"{other}\""))),
    };
    node.replace(result, emit);
    Ok(())
});

pub(crate) const COMPLEX_MUL: Operator = Operator::read_as(OnnxOp::MicrosoftComplexMul, |node, emit| {
    let product: microsoft::ComplexMul = node.view(emit);
    let result = complex_product(emit, product.a, product.b, false);
    node.replace(result, emit);
    Ok(())
});

pub(crate) const COMPLEX_MUL_CONJ: Operator = Operator::read_as(OnnxOp::MicrosoftComplexMulConj, |node, emit| {
    let product: microsoft::ComplexMulConj = node.view(emit);
    let result = complex_product(emit, product.a, product.b, true);
    node.replace(result, emit);
    Ok(())
});

/// Real and imaginary parts are in the last axis; the second factor may be conjugated.
fn complex_product(emit: &mut Emitter, a: Value, b: Value, conjugate: bool) -> Value {
    let parts = |emit: &mut Emitter, value: Value| {
        let attributes = [("axis", Attribute::i64(-1)), ("num_outputs", Attribute::i64(2))];
        let parts: [Value; 2] = emit.results("Split", &[value], attributes);
        parts
    };
    let ([a_real, a_imaginary], [b_real, b_imaginary]) = (parts(emit, a), parts(emit, b));
    let product = |emit: &mut Emitter, a, b| emit.plain("Mul", &[a, b]);
    let (real, imaginary) = (product(emit, a_real, b_real), product(emit, a_imaginary, b_imaginary));
    let (outer, inner) = (product(emit, a_real, b_imaginary), product(emit, a_imaginary, b_real));
    let (sum, difference) = if conjugate { ("Sub", "Add") } else { ("Add", "Sub") };
    let real = emit.plain(difference, &[real, imaginary]);
    let imaginary = emit.plain(sum, &[inner, outer]);
    emit.op("Concat", &[real, imaginary], [("axis", Attribute::i64(-1))])
}

/// Whether no element of any tensor is infinite or NaN.
pub(crate) const IS_ALL_FINITE: Operator = Operator::read_as(OnnxOp::MicrosoftIsAllFinite, |node, emit| {
    let test: microsoft::IsAllFinite = node.view(emit);
    let mut found = vec![];
    for tensor in test.input {
        let tensor = emit.convert(tensor, &Type::F32);
        let not_finite = match (test.isinf_only, test.isnan_only) {
            (1, _) => emit.plain("IsInf", &[tensor]),
            (_, 1) => emit.plain("IsNaN", &[tensor]),
            _ => {
                let (infinite, none) = (emit.plain("IsInf", &[tensor]), emit.plain("IsNaN", &[tensor]));
                emit.plain("Or", &[infinite, none])
            }
        };
        let count = emit.convert(not_finite, &Type::I32);
        found.push(emit.op("ReduceMax", &[count], [("keepdims", Attribute::i64(0))]));
    }
    let most = emit.plain("Max", &found);
    let result = emit.convert(most, &Type::I1);
    let result = emit.plain("Not", &[result]);
    node.replace(result, emit);
    Ok(())
});

pub(crate) const SAMPLE_OP: Operator = Operator::read_as(OnnxOp::MicrosoftSampleOp, |node, emit| {
    let microsoft::SampleOp { x } = node.view(emit);
    node.replace(x, emit);
    Ok(())
});

pub(crate) const TORCH_EMBEDDING: Operator = Operator::read_as(OnnxOp::MicrosoftTorchEmbedding, |node, emit| {
    let embedding: microsoft::TorchEmbedding = node.view(emit);
    let result = emit.plain("Gather", &[embedding.weight, embedding.indices]);
    node.replace(result, emit);
    Ok(())
});

/// Slices along an axis, stacked in a new last axis.
pub(crate) const UNFOLD_TENSOR: Operator =
    Operator { shapes: Some(unfold_shapes), compose: Some(unfold), ..Operator::of(OnnxOp::MicrosoftUnfoldTensor) };

fn unfold_shapes(node: &mut Node<'_, '_>) -> Answer {
    let unfold: microsoft::UnfoldTensor = node.view();
    let Some(mut shape) = node.shape_of(unfold.input) else { return Ok(vec![]) };
    if unfold.size < 1 || unfold.step < 1 {
        return Err("size and step must be positive".to_string());
    }
    let axis = normalize_axis(unfold.dim, shape.len())?;
    let (size, step) = (DimExpr::Constant(unfold.size), DimExpr::Constant(unfold.step));
    shape[axis] = shape[axis].sub(&size).floor_div(&step).add(&DimExpr::ONE);
    shape.push(size);
    Ok(vec![Some(shape)])
}

fn unfold(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let unfold = microsoft::UnfoldTensor::of(&emit.body, op);
    let rank = emit.known_rank(unfold.input)?;
    let axis = normalize_axis(unfold.dim, rank as usize).map_err(Problem::input)? as i64;
    let extent = emit.extent(unfold.input, axis);
    let (size, step, one) = (emit.integers(&[unfold.size]), emit.integers(&[unfold.step]), emit.integers(&[1]));
    let room = emit.plain("Sub", &[extent, size]);
    let last = emit.plain("Div", &[room, step]);
    let count = emit.plain("Add", &[last, one]);
    let start = emit.count_up(count);
    let start = emit.plain("Mul", &[start, step]);
    let (start, offset) = (emit.unsqueeze(start, &[1]), emit.count_up(size));
    let places = emit.plain("Add", &[start, offset]);
    let slices = emit.op("Gather", &[unfold.input, places], [("axis", Attribute::i64(axis))]);
    // the new axis moves to the end
    let order: Vec<i64> = (0..=rank).filter(|&at| at != axis + 1).chain([axis + 1]).collect();
    Ok(vec![Some(emit.transpose(slices, &order))])
}
