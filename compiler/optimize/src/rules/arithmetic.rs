//! Sums, products, powers and comparisons.

use super::{Match, Rule, exact, exact_by, reassoc};

pub(super) const RULES: &[Rule] = &[
    // x + 0 = x, except for the sign of a zero
    reassoc("add-zero", "Add(x, 0)", "x"),
    // x - 0 = x
    exact("sub-zero", "Sub(x, 0)", "x"),
    // 0 - x = -x, except for the sign of a zero
    reassoc("zero-sub", "Sub(0, x)", "Neg(x)").when(|m| m.is_float("x")),
    // x 1 = x
    exact("mul-one", "Mul(x, 1)", "x"),
    // x / 1 = x
    exact("div-one", "Div(x, 1)", "x"),
    // 1 / x is the reciprocal
    exact("one-div", "Div(1, x)", "Reciprocal(x)").when(|m| m.is_float("x")),
    // x (-1) = -x
    exact("mul-minus-one", "Mul(x, -1)", "Neg(x)").when(|m| m.is_float("x")),
    // x / (-1) = -x
    exact("div-minus-one", "Div(x, -1)", "Neg(x)").when(|m| m.is_float("x")),
    // -(-x) = x
    exact("neg-neg", "Neg(Neg(x))", "x"),
    // a + (-b) = a - b
    exact("add-neg", "Add(a, Neg(b))", "Sub(a, b)"),
    // a - (-b) = a + b
    exact("sub-neg", "Sub(a, Neg(b))", "Add(a, b)"),
    // (-a) (-b) = a b
    exact("mul-neg-neg", "Mul(Neg(a), Neg(b))", "Mul(a, b)"),
    // |−x| = |x|
    exact("abs-neg", "Abs(Neg(x))", "Abs(x)"),
    // ||x|| = |x|
    exact("abs-abs", "Abs(Abs(x))", "Abs(x)"),
    // x¹ = x
    exact("pow-one", "Pow(x, 1)", "x"),
    // x² = x x
    exact("square", "Pow(x, 2)", "Mul(x, x)").when(|m| m.is_float("x")),
    // powers of integers are computed in floats, and rounded back
    reassoc("square-integer", "Pow(x, 2)", "Mul(x, x)"),
    // x³ = x x x
    reassoc("cube", "Pow(x, 3)", "Mul(x, Mul(x, x))").when(|m| m.is_float("x")),
    // x^½ = √x, except for -∞, whose power is ∞, and -0. (The code of a constant power is a root as well, with a
    // selection for -∞: the rule is for rules with roots.)
    reassoc("pow-half", "Pow(x, 0.5)", "Sqrt(x)").when(|m| m.is_float("x") && m.is_never_negative("x")),
    // x⁻¹ = 1 / x
    reassoc("pow-minus-one", "Pow(x, -1)", "Reciprocal(x)").when(|m| m.is_float("x")),
    // x^-½ = 1 / √x
    reassoc("pow-minus-half", "Pow(x, -0.5)", "Reciprocal(Sqrt(x))")
        .when(|m| m.is_float("x") && m.is_never_negative("x")),
    // a (1 / b) = a / b
    reassoc("mul-reciprocal", "Mul(a, Reciprocal(b))", "Div(a, b)").when(|m| !m.is_constant("b")),
    // a / c = a (1 / c): a division costs several multiplications
    reassoc("div-constant", "Div(a, c)", "Mul(a, Reciprocal(c))").when(divides_by_constant),
    // 1 / (1 / x) = x
    reassoc("reciprocal-reciprocal", "Reciprocal(Reciprocal(x))", "x"),
    // (x + b) + c = x + (b + c)
    reassoc("add-add", "Add(Add(x, b), c)", "Add(x, Add(b, c))").when(|m| only_x_varies(m) && m.may_add("b", 1.0, "c")),
    // (x - b) + c = x + (c - b)
    reassoc("sub-add", "Add(Sub(x, b), c)", "Add(x, Sub(c, b))")
        .when(|m| only_x_varies(m) && m.may_add("b", -1.0, "c")),
    // (x + b) - c = x + (b - c)
    reassoc("add-sub", "Sub(Add(x, b), c)", "Add(x, Sub(b, c))")
        .when(|m| only_x_varies(m) && m.may_add("b", -1.0, "c")),
    // x - c = x + (-c)
    exact("sub-constant", "Sub(x, c)", "Add(x, Neg(c))").when(|m| m.is_float("x") && only_constant_is_c(m)),
    // (x b) c = x (b c)
    reassoc("mul-mul", "Mul(Mul(x, b), c)", "Mul(x, Mul(b, c))")
        .when(|m| only_x_varies(m) && m.may_multiply("b") && m.may_multiply("c")),
    // (x b) + (y b) = (x + y) b, where the sum only overflows if a product does
    reassoc("factor-out", "Add(Mul(x, b), Mul(y, b))", "Mul(Add(x, y), b)")
        .when(|m| m.scalar("b").is_some_and(|b| b.abs() >= 1.0)),
    // ¬¬x = x
    exact("not-not", "Not(Not(x))", "x"),
    // x ∧ x = x
    exact("and-same", "And(x, x)", "x"),
    // x ∨ x = x
    exact("or-same", "Or(x, x)", "x"),
    // max(x, x) = x
    exact("max-same", "Max(x, x)", "x"),
    // min(x, x) = x
    exact("min-same", "Min(x, x)", "x"),
    // c ? x : x = x
    exact("where-same", "Where(c, x, x)", "x"),
    // ¬c ? a : b = c ? b : a
    exact("where-not", "Where(Not(c), a, b)", "Where(c, b, a)"),
    // true ? a : b = a, unless that is broadcast
    exact_by("where-known", "Where(c, a, b)", |m| m.scalar("c").map(|c| m.get(if c != 0.0 { "a" } else { "b" }))),
    // √x √x = x has another domain, √(x x) = |x|
    reassoc("sqrt-square", "Sqrt(Mul(x, x))", "Abs(x)"),
    // exp(log x) and log(exp x)
    reassoc("log-exp", "Log(Exp(x))", "x"),
    // log(softmax x)
    reassoc("log-softmax", "Log(Softmax:n(x))", "LogSoftmax:n(x)"),
    // a sum of two is an addition
    exact("sum-two", "Sum(a, b)", "Add(a, b)"),
    // a sum, an extreme, a mean of one
    exact("sum-one", "Sum(x)", "x"),
    exact("max-one", "Max(x)", "x"),
    exact("min-one", "Min(x)", "x"),
    exact("mean-one", "Mean(x)", "x"),
];

fn divides_by_constant(m: &Match<'_, '_>) -> bool {
    m.is_float("a") && m.is_constant("c") && !m.is_constant("a") && m.scalar("c") != Some(0.0) && m.may_multiply("c")
}

/// Whether `b` and `c` are constants, and `x` is not.
fn only_x_varies(m: &Match<'_, '_>) -> bool {
    m.is_float("x") && m.is_constant("b") && only_constant_is_c(m)
}

fn only_constant_is_c(m: &Match<'_, '_>) -> bool {
    m.is_constant("c") && !m.is_constant("x")
}
