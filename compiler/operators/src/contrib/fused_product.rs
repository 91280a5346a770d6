//! Matrix products fused with transpositions, a factor, an activation.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{View, microsoft};
use ir::{Attribute, DimExpr, Op, Value};

use super::activation::activated;
use super::gelu::fast_gelu;
use crate::graph::{Emitter, Problem};
use crate::math::matrix_product_shape;
use crate::operator::{Kind, Operator};
use crate::shape::{Answer, Node};

pub(crate) const FUSED_GEMM: Operator = Operator::read_as(OnnxOp::MicrosoftFusedGemm, |node, emit| {
    let gemm: microsoft::FusedGemm = node.view(emit);
    let numbers = [gemm.activation_alpha, gemm.activation_beta, gemm.activation_gamma]
        .map(|n| n.map(|n| Attribute::f32(n as f32)));
    let operands: Vec<Value> = [Some(gemm.a), Some(gemm.b), gemm.c].into_iter().flatten().collect();
    let (alpha, beta) = (Attribute::f32(gemm.alpha as f32), Attribute::f32(gemm.beta as f32));
    let (trans_a, trans_b) = (Attribute::i64(gemm.trans_a), Attribute::i64(gemm.trans_b));
    let attributes = [("alpha", alpha), ("beta", beta), ("transA", trans_a), ("transB", trans_b)];
    let product = emit.op("Gemm", &operands, attributes);
    let [alpha, beta, gamma] = numbers;
    let result = match gemm.activation.as_deref() {
        None | Some("") => product,
        Some(name) => activated(emit, product, name, &[("alpha", alpha), ("beta", beta), ("gamma", gamma)])?,
    };
    node.replace(result, emit);
    Ok(())
});

pub(crate) const GEMM_FAST_GELU: Operator = Operator::read_as(OnnxOp::MicrosoftGemmFastGelu, |node, emit| {
    let gemm: microsoft::GemmFastGelu = node.view(emit);
    let product = emit.plain("MatMul", &[gemm.x, gemm.w]);
    let result = fast_gelu(emit, product, gemm.bias);
    node.replace(result, emit);
    Ok(())
});

pub(crate) const FUSED_MATMUL: Operator = Operator {
    kind: Kind::Contraction,
    shapes: Some(|node| Product::fused(node.view()).shapes(node)),
    compose: Some(|emit, op| Ok(vec![Some(Product::fused(View::of(&emit.body, op)).compose(emit)?)])),
    ..Operator::of(OnnxOp::MicrosoftFusedMatMul)
};

pub(crate) const TRANSPOSE_MATMUL: Operator = Operator {
    kind: Kind::Contraction,
    shapes: Some(|node| Product::transposed(node.view()).shapes(node)),
    compose: Some(|emit, op| Ok(vec![Some(Product::transposed(View::of(&emit.body, op)).compose(emit)?)])),
    ..Operator::of(OnnxOp::MicrosoftTransposeMatMul)
};

pub(crate) const FUSED_MATMUL_ACTIVATION: Operator = Operator {
    kind: Kind::Contraction,
    shapes: Some(|node| Product::activated(node.view()).shapes(node)),
    compose: Some(compose_activated),
    ..Operator::of(OnnxOp::MicrosoftFusedMatMulActivation)
};

fn compose_activated(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let node = microsoft::FusedMatMulActivation::of(&emit.body, op);
    let number = |number: Option<f64>| number.map(|number| Attribute::f32(number as f32));
    let numbers = [
        ("alpha", number(node.activation_alpha)),
        ("axis", node.activation_axis.map(Attribute::i64)),
        ("beta", number(node.activation_beta)),
        ("gamma", number(node.activation_gamma)),
    ];
    let name = node.activation.clone();
    let product = Product::activated(node).compose(emit)?;
    Ok(vec![Some(activated(emit, product, &name, &numbers)?)])
}

/// `alpha · A B`, with transposed factors.
struct Product {
    alpha: f64,
    factors: [Factor; 2],
}

struct Factor {
    value: Value,
    /// Whether rows and columns are swapped.
    transposed: bool,
    /// Whether the rows come before the batch.
    rows_first: bool,
}

impl Product {
    fn fused(node: microsoft::FusedMatMul) -> Product {
        let microsoft::FusedMatMul { a, b, alpha, trans_a, trans_b, trans_batch_a, trans_batch_b } = node;
        let factor =
            |value, transposed, rows_first| Factor { value, transposed: transposed != 0, rows_first: rows_first != 0 };
        Product { alpha, factors: [factor(a, trans_a, trans_batch_a), factor(b, trans_b, trans_batch_b)] }
    }

    fn transposed(node: microsoft::TransposeMatMul) -> Product {
        let microsoft::TransposeMatMul { a, b, alpha, trans_a, trans_b } = node;
        Product::fused(microsoft::FusedMatMul { a, b, alpha, trans_a, trans_b, trans_batch_a: 0, trans_batch_b: 0 })
    }

    fn activated(node: microsoft::FusedMatMulActivation) -> Product {
        let microsoft::FusedMatMulActivation { a, b, alpha, trans_a, trans_b, trans_batch_a, trans_batch_b, .. } = node;
        Product::fused(microsoft::FusedMatMul { a, b, alpha, trans_a, trans_b, trans_batch_a, trans_batch_b })
    }

    fn shapes(&self, node: &mut Node<'_, '_>) -> Answer {
        let arranged = |factor: &Factor| {
            let shape = node.shape_of(factor.value)?;
            Some(factor.order(shape.len()).into_iter().map(|axis| shape[axis].clone()).collect::<Vec<DimExpr>>())
        };
        let [Some(a), Some(b)] = [arranged(&self.factors[0]), arranged(&self.factors[1])] else { return Ok(vec![]) };
        matrix_product_shape(node, a, b)
    }

    fn compose(&self, emit: &mut Emitter) -> Result<Value, Problem> {
        let mut factors = vec![];
        for factor in &self.factors {
            let rank = emit.known_rank(factor.value)? as usize;
            let order: Vec<i64> = factor.order(rank).into_iter().map(|axis| axis as i64).collect();
            let moved = !order.is_sorted();
            factors.push(if moved { emit.transpose(factor.value, &order) } else { factor.value });
        }
        let product = emit.plain("MatMul", &factors);
        if self.alpha == 1.0 {
            return Ok(product);
        }
        let alpha = emit.number_like(self.alpha, product);
        Ok(emit.plain("Mul", &[product, alpha]))
    }
}

impl Factor {
    /// The axes in the order batch, rows, columns.
    fn order(&self, rank: usize) -> Vec<usize> {
        let mut order: Vec<usize> = (0..rank).collect();
        if rank < 2 {
            return order;
        }
        if self.rows_first {
            order[..rank - 1].rotate_left(1);
        }
        if self.transposed {
            order.swap(rank - 2, rank - 1);
        }
        order
    }
}
