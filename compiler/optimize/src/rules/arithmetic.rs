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
    // x² = x x
    exact("square", "Pow(x, 2)", "Mul(x, x)").when(|m| m.is_float("x")),
    // x³ = x x x
    reassoc("cube", "Pow(x, 3)", "Mul(x, Mul(x, x))").when(|m| m.is_float("x")),
    // x^½ = √x, except for -∞, whose power is ∞, and -0. (The code of a constant power is a root as well, with a
    // selection for -∞: the rule is for rules with roots.)
    reassoc("pow-half", "Pow(x, 0.5)", "Sqrt(x)").when(|m| m.is_float("x") && m.is_never_negative("x")),
    // x^-½ = 1 / √x
    reassoc("pow-minus-half", "Pow(x, -0.5)", "Reciprocal(Sqrt(x))")
        .when(|m| m.is_float("x") && m.is_never_negative("x")),
    // a (1 / b) = a / b
    reassoc("mul-reciprocal", "Mul(a, Reciprocal(b))", "Div(a, b)").when(|m| !m.is_constant("b")),
    // a / c = a (1 / c): a division costs several multiplications
    reassoc("div-constant", "Div(a, c)", "Mul(a, Reciprocal(c))").when(divides_by_constant),
    // (x + b) + c = x + (b + c)
    reassoc("add-add", "Add(Add(x, b), c)", "Add(x, Add(b, c))").when(|m| only_x_varies(m) && m.may_add("b", "c")),
    // x - c = x + (-c)
    exact("sub-constant", "Sub(x, c)", "Add(x, Neg(c))").when(|m| m.is_float("x") && only_constant_is_c(m)),
    // (x b) c = x (b c)
    reassoc("mul-mul", "Mul(Mul(x, b), c)", "Mul(x, Mul(b, c))")
        .when(|m| only_x_varies(m) && m.may_multiply("b") && m.may_multiply("c")),
    // true ? a : b = a, unless that is broadcast
    exact_by("where-known", "Where(c, a, b)", |m| m.scalar("c").map(|c| m.get(if c != 0.0 { "a" } else { "b" }))),
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
