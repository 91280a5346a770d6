//! Recognises activation functions in their various spellings.

use egg::Id;
use ir::{Attribute, Type};

use super::{Match, Rule, exact, exact_by, reassoc, reassoc_by};

pub(super) const RULES: &[Rule] = &[
    // max(x, 0) is Relu
    exact("max-zero", "Max(x, 0)", "Relu(x)"),
    // clip(x, 0, ∞) is Relu
    exact("clip-zero", "Clip(x, 0, _)", "Relu(x)"),
    // min(max(x, a), b) = clip(x, a, b)
    exact("min-max", "Min(Max(x, a), b)", "Clip(x, a, b)").when(|m| m.rank("a") == Some(0) && m.rank("b") == Some(0)),
    // min(relu x, b) = clip(x, 0, b)
    exact("min-relu", "Min(Relu(x), b)", "Clip(x, 0, b)").when(|m| m.rank("b") == Some(0)),
    // clip(α x + β, 0, 1), spelled with a sum, a division or a product
    reassoc_by("hard-sigmoid-div", "Div(Clip(Add(x, a), 0, b), c)", hard_sigmoid),
    reassoc_by("hard-sigmoid-mul", "Mul(Clip(Add(x, a), 0, b), k)", hard_sigmoid_product),
    reassoc_by("hard-sigmoid-clip", "Clip(Add(Mul(x, k), a), 0, 1)", |m| {
        let (alpha, beta) = (m.scalar("k")?, m.scalar("a")?);
        hard_sigmoid_of(m, alpha, beta)
    }),
    // x hard_sigmoid(x, 1/6, 1/2)
    reassoc("hard-swish", "Mul(x, HardSigmoid:n(x))", "HardSwish(x)").when(|m| {
        let attributes = m.attributes("n");
        let near =
            |name: &str, meant: f64, default: f64| (attributes.float(name).unwrap_or(default) - meant).abs() < 1e-6;
        // for doubles, the attribute's value of one sixth differs
        m.element("x") != Type::F64 && near("alpha", 1.0 / 6.0, 0.2) && near("beta", 0.5, 0.5)
    }),
    // x clip(x + 3, 0, 6) / 6
    reassoc("hard-swish-div", "Div(Mul(x, Clip(Add(x, 3), 0, 6)), 6)", "HardSwish(x)").when(|m| m.is_float("x")),
    reassoc("hard-swish-mul", "Mul(Mul(x, Clip(Add(x, 3), 0, 6)), 0.16666666666666666)", "HardSwish(x)"),
    reassoc("hard-swish-inner", "Mul(Mul(x, 0.16666666666666666), Clip(Add(x, 3), 0, 6))", "HardSwish(x)"),
    // x σ(x)
    reassoc("swish", "Mul(x, Sigmoid(x))", "Swish(x)"),
    // x σ(α x)
    reassoc_by("swish-alpha", "Mul(x, Sigmoid(Mul(x, k)))", |m| {
        let (alpha, x) = (m.float_attribute(m.scalar("k")?)?, m.get("x"));
        m.op("Swish", &[x], [("alpha", alpha)])
    }),
    // 1 / (1 + exp(-x)) = σ(x)
    reassoc("sigmoid", "Reciprocal(Add(Exp(Neg(x)), 1))", "Sigmoid(x)"),
    // x tanh(log(1 + exp x))
    reassoc("mish", "Mul(x, Tanh(Softplus(x)))", "Mish(x)"),
    // log(1 + exp x)
    reassoc("softplus", "Log(Add(Exp(x), 1))", "Softplus(x)"),
    // x / (1 + |x|)
    exact("softsign", "Div(x, Add(Abs(x), 1))", "Softsign(x)").when(|m| m.rounds_as_it_computes("x")),
    reassoc("softsign-half", "Div(x, Add(Abs(x), 1))", "Softsign(x)").when(|m| m.is_float("x")),
    // x (1 + erf(x / √2)) / 2, with the half in either factor
    reassoc("gelu-mul", "Mul(Mul(x, Add(Erf(Mul(x, 0.7071067811865476)), 1)), 0.5)", "Gelu(x)"),
    reassoc("gelu-div", "Mul(Mul(x, Add(Erf(Div(x, 1.4142135623730951)), 1)), 0.5)", "Gelu(x)"),
    reassoc("gelu-half-mul", "Mul(Mul(x, 0.5), Add(Erf(Mul(x, 0.7071067811865476)), 1))", "Gelu(x)"),
    reassoc("gelu-half-div", "Mul(Mul(x, 0.5), Add(Erf(Div(x, 1.4142135623730951)), 1))", "Gelu(x)"),
    reassoc("gelu-last-mul", "Mul(x, Mul(Add(Erf(Mul(x, 0.7071067811865476)), 1), 0.5))", "Gelu(x)"),
    reassoc("gelu-last-div", "Mul(x, Mul(Add(Erf(Div(x, 1.4142135623730951)), 1), 0.5))", "Gelu(x)"),
    // x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2
    reassoc(
        "gelu-tanh",
        "Mul(Mul(x, 0.5), Add(Tanh(Mul(Add(x, Mul(Mul(x, Mul(x, x)), 0.044715)), 0.7978845608028654)), 1))",
        "Gelu(x){approximate=tanh}",
    ),
    reassoc(
        "gelu-tanh-last",
        "Mul(x, Mul(Add(Tanh(Mul(Add(x, Mul(Mul(x, Mul(x, x)), 0.044715)), 0.7978845608028654)), 1), 0.5))",
        "Gelu(x){approximate=tanh}",
    ),
    reassoc(
        "gelu-tanh-outer",
        "Mul(Mul(x, Add(Tanh(Mul(Add(x, Mul(Mul(x, Mul(x, x)), 0.044715)), 0.7978845608028654)), 1)), 0.5)",
        "Gelu(x){approximate=tanh}",
    ),
    // exp(x - max x) / Σ exp(x - max x)
    reassoc_by("softmax", "Div(e@Exp(Sub(x, ReduceMax:m(x, axes))), ReduceSum:n(e, axes))", softmax),
    // max(x, αx) for 0 < α < 1
    exact_by("leaky-relu", "Max(x, Mul(x, k))", |m| {
        let alpha = m.scalar("k").filter(|&alpha| 0.0 < alpha && alpha < 1.0)?;
        leaky_relu(m, alpha)
    }),
    // one slope for all
    exact_by("prelu-uniform", "PRelu(x, s)", |m| {
        let alpha = m.scalar("s").filter(|_| m.is_float("x"))?;
        leaky_relu(m, alpha)
    }),
];

/// `x < 0 ? alpha x : x`
fn leaky_relu(m: &mut Match<'_, '_>, alpha: f64) -> Option<Id> {
    let (x, alpha) = (m.get("x"), m.float_attribute(alpha)?);
    m.op("LeakyRelu", &[x], [("alpha", alpha)])
}

/// `clip(x + a, 0, c) / c`
fn hard_sigmoid(m: &mut Match<'_, '_>) -> Option<Id> {
    let (shift, high, divisor) = (m.scalar("a")?, m.scalar("b")?, m.scalar("c")?);
    if high != divisor || divisor <= 0.0 {
        return None;
    }
    hard_sigmoid_of(m, 1.0 / divisor, shift / divisor)
}

/// `k clip(x + a, 0, 1 / k)`
fn hard_sigmoid_product(m: &mut Match<'_, '_>) -> Option<Id> {
    let (shift, high, factor) = (m.scalar("a")?, m.scalar("b")?, m.scalar("k")?);
    if (high * factor - 1.0).abs() > 1e-6 {
        return None;
    }
    hard_sigmoid_of(m, 1.0 / high, shift / high)
}

fn hard_sigmoid_of(m: &mut Match<'_, '_>, alpha: f64, beta: f64) -> Option<Id> {
    if !m.is_float("x") {
        return None;
    }
    let (x, alpha, beta) = (m.get("x"), m.float_attribute(alpha)?, m.float_attribute(beta)?);
    m.op("HardSigmoid", &[x], [("alpha", alpha), ("beta", beta)])
}

/// Softmax along the single axis that both reductions keep.
fn softmax(m: &mut Match<'_, '_>) -> Option<Id> {
    let kept = |name: &str| m.attributes(name).integer("keepdims") != Some(0);
    let &[axis] = m.integers("axes")?.as_slice() else { return None };
    if !kept("m") || !kept("n") {
        return None;
    }
    let x = m.get("x");
    m.op("Softmax", &[x], [("axis", Attribute::i64(axis))])
}
