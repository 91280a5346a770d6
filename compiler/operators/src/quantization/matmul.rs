//! Products of quantized matrices: MatMulInteger, QLinearMatMul. Since 10.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{DimExpr, Op, Value};

use super::parameters::{in_front_of, rescaled};
use crate::graph::{Emitter, Problem};
use crate::math::{as_matrices, product_shape};
use crate::operator::{Cost, Kind, Operator};
use crate::shape::Node;
use crate::structured::{Lowering, Unsupported};

pub(crate) const MATMUL_INTEGER: Operator = Operator {
    cost: Cost::Products(|operands, _| operands[0].last().copied().unwrap_or(1.0) / 2.0),
    kind: Kind::Contraction,
    shapes: Some(|node| {
        let matmul: views::MatMulInteger = node.view();
        expect_per_row(node, matmul.a, matmul.a_zero_point, "the zero point of A")?;
        expect_per_column(node, matmul.b, matmul.b_zero_point, "the zero point of B")?;
        product_shape(node, matmul.a, matmul.b)
    }),
    lower: Some(lower),
    ..Operator::of(OnnxOp::MatMulInteger)
};

pub(crate) const QLINEAR_MATMUL: Operator = Operator {
    kind: Kind::Contraction,
    shapes: Some(|node| {
        let matmul: views::QLinearMatMul = node.view();
        expect_per_row(node, matmul.a, Some(matmul.a_scale), "the scale of A")?;
        expect_per_row(node, matmul.a, Some(matmul.a_zero_point), "the zero point of A")?;
        expect_per_column(node, matmul.b, Some(matmul.b_scale), "the scale of B")?;
        expect_per_column(node, matmul.b, Some(matmul.b_zero_point), "the zero point of B")?;
        product_shape(node, matmul.a, matmul.b)
    }),
    compose: Some(compose),
    ..Operator::of(OnnxOp::QLinearMatMul)
};

/// States that a parameter of the left factor is one element, has one for each row, or is `[..., rows, 1]`.
fn expect_per_row(node: &mut Node<'_, '_>, a: Value, parameter: Option<Value>, what: &str) -> Result<(), String> {
    let Some(mut rows) = node.shape_of(a) else { return Ok(()) };
    let is_matrix = parameter.and_then(|given| node.shape_of(given)).is_some_and(|own| own.len() > 1);
    rows.pop();
    if is_matrix || rows.is_empty() {
        rows.push(DimExpr::ONE);
    }
    node.expect_stretches(parameter, &rows, what)
}

/// States that a parameter of the right factor is one element, has one for each column, or is `[..., 1, columns]`.
fn expect_per_column(node: &mut Node<'_, '_>, b: Value, parameter: Option<Value>, what: &str) -> Result<(), String> {
    let Some(mut columns) = node.shape_of(b) else { return Ok(()) };
    match &mut columns[..] {
        [.., steps, _] => *steps = DimExpr::ONE,
        [only] => *only = DimExpr::ONE,
        [] => {}
    }
    node.expect_stretches(parameter, &columns, what)
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let matmul = views::MatMulInteger::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let mut left = lowering.bytes(matmul.a, matmul.a_zero_point, true);
    let mut right = lowering.bytes(matmul.b, matmul.b_zero_point, false);
    // a list of zero points of the left factor has one for each row
    if let Some(zero_point) = left.zero_point.as_mut().filter(|zero_point| zero_point.shape.len() == 1) {
        zero_point.shape.push(DimExpr::ONE);
        zero_point.value = lowering.reshape(zero_point.value, &zero_point.shape);
    }
    let batch = as_matrices(lowering, &mut left.tensor, &mut right.tensor);
    let product = lowering.byte_product(&left, &right, &batch);
    let shape = lowering.shape(result);
    let value =
        if shape.len() == product.shape.len() { product.value } else { lowering.reshape(product.value, &shape) };
    lowering.bind(result, value);
    Ok(())
}

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let matmul = views::QLinearMatMul::of(&emit.body, op);
    let product = match emit.element(matmul.a).is_integer() && emit.element(matmul.b).is_integer() {
        true => emit.plain("MatMulInteger", &[matmul.a, matmul.b, matmul.a_zero_point, matmul.b_zero_point]),
        // 8-bit types may be floats since 21
        false => {
            let zero_point = in_front_of(emit, matmul.a_zero_point, 1);
            let (a, b) = (centred(emit, matmul.a, zero_point), centred(emit, matmul.b, matmul.b_zero_point));
            emit.plain("MatMul", &[a, b])
        }
    };
    let rows = in_front_of(emit, matmul.a_scale, 1);
    let target = emit.element(matmul.y_zero_point);
    let result = rescaled(emit, product, [rows, matmul.b_scale, matmul.y_scale], matmul.y_zero_point, &target);
    Ok(vec![Some(result)])
}

/// `q - zero point` in f32.
fn centred(emit: &mut Emitter, q: Value, zero_point: Value) -> Value {
    let (q, zero_point) = (emit.widened(q), emit.widened(zero_point));
    emit.plain("Sub", &[q, zero_point])
}
