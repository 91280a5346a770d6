//! Products of quantized matrices: MatMulInteger, QLinearMatMul. Since 10.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Op, Type, Value};

use super::exact::{part, pieces, total};
use super::parameters::{centred, in_front_of, rescaled};
use crate::graph::{Emitter, Problem};
use crate::math::product_shape;
use crate::operator::{Kind, Operator};

pub(crate) const MATMUL_INTEGER: Operator = Operator {
    kind: Kind::Contraction,
    shapes: Some(|node| {
        let matmul: views::MatMulInteger = node.view();
        product_shape(node, matmul.a, matmul.b)
    }),
    compose: Some(|emit, op| {
        let matmul = views::MatMulInteger::of(&emit.body, op);
        let zero_points = [matmul.a_zero_point, matmul.b_zero_point];
        Ok(vec![Some(integer_product(emit, [matmul.a, matmul.b], zero_points))])
    }),
    ..Operator::of(OnnxOp::MatMulInteger)
};

pub(crate) const QLINEAR_MATMUL: Operator = Operator {
    kind: Kind::Contraction,
    shapes: Some(|node| {
        let matmul: views::QLinearMatMul = node.view();
        product_shape(node, matmul.a, matmul.b)
    }),
    compose: Some(compose),
    ..Operator::of(OnnxOp::QLinearMatMul)
};

fn integer_product(emit: &mut Emitter, [a, b]: [Value; 2], zero_points: [Option<Value>; 2]) -> Value {
    let row = zero_points[0].map(|zero_point| in_front_of(emit, zero_point, 1));
    let Some(SharedAxis { length, axes, pieces }) = exact_pieces(emit, [a, b]) else {
        let (a, b) = (centred(emit, a, row, &Type::I32), centred(emit, b, zero_points[1], &Type::I32));
        return emit.plain("MatMul", &[a, b]);
    };
    let (a, b) = (centred(emit, a, row, &Type::F32), centred(emit, b, zero_points[1], &Type::F32));
    let mut product = |piece| {
        let (a, b) = (part(emit, a, piece, length, axes[0]), part(emit, b, piece, length, axes[1]));
        emit.plain("MatMul", &[a, b])
    };
    let products = pieces.into_iter().map(&mut product).collect();
    total(emit, products)
}

/// The axis that two factors share.
struct SharedAxis {
    length: i64,
    /// Which one it is in each factor.
    axes: [i64; 2],
    /// The parts of it along which sums are exact.
    pieces: Vec<(i64, i64)>,
}

fn exact_pieces(emit: &Emitter, factors: [Value; 2]) -> Option<SharedAxis> {
    let [a, b] = [emit.shape(factors[0])?, emit.shape(factors[1])?];
    let length = a.last()?.as_constant()?;
    let axes = [a.len() as i64 - 1, (b.len() as i64 - 2).max(0)];
    Some(SharedAxis { length, axes, pieces: pieces(length, 1)? })
}

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let matmul = views::QLinearMatMul::of(&emit.body, op);
    let product = integer_product(emit, [matmul.a, matmul.b], [Some(matmul.a_zero_point), Some(matmul.b_zero_point)]);
    let rows = in_front_of(emit, matmul.a_scale, 1);
    let target = emit.element(matmul.y_zero_point);
    let result = rescaled(emit, product, [rows, matmul.b_scale, matmul.y_scale], matmul.y_zero_point, &target);
    Ok(vec![Some(result)])
}
