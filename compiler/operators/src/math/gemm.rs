//! Gemm: `alpha · A' · B' + beta · C`.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, Op, Value};

use crate::graph::{Differential, Emitter, Problem};
use crate::operator::{Cost, Kind, Operator, Rank};
use crate::shape::{Answer, Node};
use crate::structured::contraction::{matmul, transpose};
use crate::structured::reduction::Shaped;
use crate::structured::{Lowering, Unsupported};

pub(crate) const GEMM: Operator = Operator {
    ranks: &[(0, Rank::Exactly(2)), (1, Rank::Exactly(2))],
    cost: Cost::Products(|operands, result| {
        2.0 * operands[0].iter().product::<f64>() / result.first().copied().unwrap_or(1.0).max(1.0)
    }),
    kind: Kind::Contraction,
    shapes: Some(shapes),
    lower: Some(lower),
    derivative: Some(differentiate),
    ..Operator::of(OnnxOp::Gemm)
};

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let gemm: views::Gemm = node.view();
    let (Some(left), Some(right)) = (node.shape_of(gemm.a), node.shape_of(gemm.b)) else { return Ok(vec![]) };
    let ([m, k], [l, n]) = (left.as_slice(), right.as_slice()) else {
        return Err(format!("operands must be matrices, found ranks {} and {}", left.len(), right.len()));
    };
    let swap = |flag: i64, a, b| if flag != 0 { (b, a) } else { (a, b) };
    let ((m, k), (l, n)) = (swap(gemm.trans_a, m, k), swap(gemm.trans_b, l, n));
    node.expect_equal(k, l, "inner extents")?;
    let shape = vec![m.clone(), n.clone()];
    node.expect_stretches(gemm.c, &shape, "C")?;
    Ok(vec![Some(shape)])
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let gemm = views::Gemm::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let element = lowering.element(gemm.a);
    let (alpha, beta) = (gemm.alpha, gemm.beta);
    let mut left = lowering.shaped(gemm.a);
    if gemm.trans_a != 0 {
        left = transpose(lowering, &left);
    }
    let mut right = lowering.shaped(gemm.b);
    let constant = lowering.is_constant(gemm.b);
    if gemm.trans_b != 0 {
        right = transpose(lowering, &right);
    }
    // a factor of zero ignores C, even where it is NaN or infinite
    let mut addend = gemm.c.filter(|_| beta != 0.0).map(|c| lowering.shaped(c));
    if let (Some(c), true) = (&addend, beta != 1.0) {
        let shape = c.shape.clone();
        let c = c.clone();
        addend = Some(lowering.map(&[&c], &shape, element.clone(), |s, x| {
            let factor = s.number(beta, &element);
            s.mul(factor, x[0])
        }));
    }
    let start = if alpha == 1.0 { addend.take() } else { None };
    let mut product = matmul(lowering, &left, &right, &element, constant, start, &[]);
    if alpha != 1.0 {
        let shape = product.shape.clone();
        let inputs: Vec<&Shaped> = std::iter::once(&product).chain(&addend).collect();
        product = lowering.map(&inputs, &shape, element.clone(), |s, x| {
            let factor = s.number(alpha, &element);
            let scaled = s.mul(factor, x[0]);
            x.get(1).map_or(scaled, |&c| s.add(scaled, c))
        });
    }
    lowering.bind(result, product.value);
    Ok(())
}

/// With `y = alpha A B + beta C`: `alpha G Bᵀ`, `alpha Aᵀ G` and `beta G`, of which the first two are transposed like
/// their operands.
fn differentiate(emit: &mut Emitter, differential: &Differential<'_>) -> Result<Vec<Option<Value>>, Problem> {
    let gemm: views::Gemm = differential.view(emit);
    let ([a, b], _, adjoint) = differential.parts(emit);
    let (turns_a, turns_b) = (gemm.trans_a != 0, gemm.trans_b != 0);
    let mut product = |(left, turns_left): (Value, bool), (right, turns_right): (Value, bool)| {
        let attributes = [
            ("alpha", Attribute::f32(gemm.alpha as f32)),
            ("transA", Attribute::i64(turns_left.into())),
            ("transB", Attribute::i64(turns_right.into())),
        ];
        emit.op("Gemm", &[left, right], attributes)
    };
    let by_a = match turns_a {
        false => product((adjoint, false), (b, !turns_b)),
        true => product((b, turns_b), (adjoint, true)),
    };
    let by_b = match turns_b {
        false => product((a, !turns_a), (adjoint, false)),
        true => product((adjoint, true), (a, turns_a)),
    };
    let by_c = match gemm.c {
        Some(c) => {
            let beta = emit.number_like(gemm.beta, adjoint);
            let scaled = emit.plain("Mul", &[adjoint, beta]);
            Some(emit.gathered_up(scaled, c)?)
        }
        None => None,
    };
    Ok(vec![Some(by_a), Some(by_b), by_c])
}
