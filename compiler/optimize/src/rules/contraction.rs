//! Convolutions and matrix products: moves operations on their results into their weights.

use egg::Id;
use ir::{Attribute, Attributes, DimExpr, Type};

use super::{Match, Rule, reassoc, reassoc_by};
use crate::constants::Term;

pub(super) const RULES: &[Rule] = &[
    // conv(x, w) + c = conv(x, w, c)
    reassoc_by("conv-add", "Add(Conv:n(x, w, _), c)", |m| add_bias(m, "Conv", None)),
    reassoc_by("conv-bias-add", "Add(Conv:n(x, w, b), c)", |m| add_bias(m, "Conv", Some("b"))),
    reassoc_by("deconv-add", "Add(ConvTranspose:n(x, w, _), c)", |m| add_bias(m, "ConvTranspose", None)),
    reassoc_by("deconv-bias-add", "Add(ConvTranspose:n(x, w, b), c)", |m| add_bias(m, "ConvTranspose", Some("b"))),
    // c conv(x, w, b) = conv(x, c w, c b)
    reassoc_by("conv-mul", "Mul(Conv:n(x, w, _), c)", |m| scale(m, "Conv", None)),
    reassoc_by("conv-bias-mul", "Mul(Conv:n(x, w, b), c)", |m| scale(m, "Conv", Some("b"))),
    reassoc_by("deconv-mul", "Mul(ConvTranspose:n(x, w, _), c)", |m| scale(m, "ConvTranspose", None)),
    reassoc_by("deconv-bias-mul", "Mul(ConvTranspose:n(x, w, b), c)", |m| scale(m, "ConvTranspose", Some("b"))),
    // x a + c is a Gemm where x is a matrix
    reassoc("matmul-add", "Add(MatMul(x, a), c)", "Gemm(x, a, c)").when(is_gemm),
    // gemm(x, a) + c = gemm(x, a, c)
    reassoc("gemm-add", "Add(Gemm:n(x, a, _), c)", "Gemm:n(x, a, c)").when(|m| is_plain(m) && is_gemm(m)),
    // gemm(x, a, b) + c = gemm(x, a, b + c)
    reassoc("gemm-bias-add", "Add(Gemm:n(x, a, b), c)", "Gemm:n(x, a, Add(b, c))")
        .when(|m| is_plain(m) && is_gemm(m) && m.is_constant("b") && m.may_add("b", "c")),
    // c gemm(x, a, b) = gemm(x, c a, c b)
    reassoc_by("gemm-mul", "Mul(Gemm:n(x, a, b), c)", |m| scale_gemm(m, true)),
    reassoc_by("gemm-plain-mul", "Mul(Gemm:n(x, a, _), c)", |m| scale_gemm(m, false)),
    // c (x a) = x (c a)
    reassoc("matmul-mul", "Mul(MatMul(x, a), c)", "MatMul(x, Mul(a, c))")
        .when(|m| m.is_constant("a") && m.may_multiply("c") && !m.is_constant("x") && scales_columns(m)),
    // (c x) a = x (c a)
    reassoc("mul-matmul", "MatMul(Mul(x, c), a)", "MatMul(x, Mul(a, c))")
        .when(|m| m.is_constant("a") && m.scalar("c").is_some() && m.rank("c") == Some(0) && m.may_multiply("c")),
    // conv(c x, w) = conv(x, c w): padding is zero, and stays so
    reassoc_by("mul-conv", "Conv:n(Mul(x, c), w)", |m| scale_input(m, None)),
    reassoc_by("mul-conv-bias", "Conv:n(Mul(x, c), w, b)", |m| scale_input(m, Some("b"))),
];

/// A constant with one value per channel (axis 1) of the root, as a list; a value for all channels is repeated.
fn channels(m: &mut Match<'_, '_>, name: &str) -> Option<Id> {
    let (shape, root) = (m.extents(name)?, m.root_shape()?.to_vec());
    let count = root.get(1)?.as_constant()?;
    if !m.is_constant(name) {
        return None;
    }
    let own = (shape.len() + 1).checked_sub(root.len());
    let single = |axis: usize| Some(axis) == own || shape[axis] == 1;
    if shape.len() > root.len() || !(0..shape.len()).all(single) {
        return None;
    }
    let class = m.get(name);
    let extent = own.and_then(|axis| shape.get(axis)).copied().unwrap_or(1);
    if extent == count {
        return m.graph.reshape(class, &[count]);
    }
    let element = m.element(name);
    match m.scalar(name) {
        Some(number) => m.graph.splat(number, &[count], &element),
        None => {
            let (one, target) = (m.graph.reshape(class, &[1])?, m.graph.integer_list(&[count])?);
            m.op("Expand", &[one, target], [])
        }
    }
}

fn add_bias(m: &mut Match<'_, '_>, name: &str, bias: Option<&str>) -> Option<Id> {
    if bias.is_some_and(|bias| !m.is_constant(bias) || !m.may_add(bias, "c")) {
        return None;
    }
    let (x, w, attributes) = (m.get("x"), m.get("w"), m.attributes("n"));
    let shift = channels(m, "c")?;
    let sum = match bias {
        Some(bias) => {
            let bias = m.get(bias);
            m.op("Add", &[bias, shift], [])?
        }
        None => shift,
    };
    m.op(name, &[x, w, sum], attributes)
}

/// `[C, 1, …]` or, for ConvTranspose, `[1, C, 1, …]`: along the output channels of the weights.
fn along_outputs(m: &Match<'_, '_>, name: &str, attributes: &Attributes) -> Option<Vec<i64>> {
    let count = m.root_shape()?.get(1)?.as_constant()?;
    let mut shape = vec![1; m.rank("w")?];
    match name {
        "Conv" => shape[0] = count,
        _ if attributes.integer("group").unwrap_or(1) == 1 => shape[1] = count,
        _ => return None,
    }
    Some(shape)
}

fn scale(m: &mut Match<'_, '_>, name: &str, bias: Option<&str>) -> Option<Id> {
    if !m.is_constant("w") || !m.may_multiply("c") || bias.is_some_and(|bias| !m.is_constant(bias)) {
        return None;
    }
    let (x, attributes) = (m.get("x"), m.attributes("n"));
    let factor = channels(m, "c")?;
    let weights = scaled_weights(m, name, &attributes, &Term::Class(factor))?;
    let mut operands = vec![x, weights];
    if let Some(bias) = bias {
        let bias = m.get(bias);
        operands.push(m.op("Mul", &[bias, factor], [])?);
    }
    m.op(name, &operands, attributes)
}

/// The weights `w`, scaled by a factor per channel of the results.
pub(super) fn scaled_weights(m: &mut Match<'_, '_>, name: &str, attributes: &Attributes, factor: &Term) -> Option<Id> {
    let shape = along_outputs(m, name, attributes)?;
    let along = m.graph.shaped(factor, &shape)?;
    let (weights, along) = (m.get("w"), m.graph.place(along)?);
    m.op("Mul", &[weights, along], [])
}

/// Moves a factor per input channel into the weights.
fn scale_input(m: &mut Match<'_, '_>, bias: Option<&str>) -> Option<Id> {
    let (attributes, weights, factors) = (m.attributes("n"), m.extents("w")?, m.extents("c")?);
    let constant = m.is_constant("w") && m.may_multiply("c") && !m.is_constant("x");
    let rank = weights.len();
    let single = |axis: usize| axis + rank == factors.len() + 1 || factors[axis] == 1;
    if !constant || factors.len() > rank || !(0..factors.len()).all(single) {
        return None;
    }
    let inputs = factors.len().checked_sub(rank - 1).map_or(1, |axis| factors[axis]);
    if inputs != 1 && attributes.integer("group").unwrap_or(1) != 1 {
        return None;
    }
    // the product may have more channels than the scaled operand
    let x = m.shape("x")?;
    if x.len() != rank || (inputs != 1 && x[1] != DimExpr::Constant(inputs)) {
        return None;
    }
    let mut shape = vec![1; rank];
    shape[1] = inputs;
    let (x, w, c) = (m.get("x"), m.get("w"), m.get("c"));
    let along = m.graph.reshape(c, &shape)?;
    let weights = m.op("Mul", &[w, along], [])?;
    let mut operands = vec![x, weights];
    operands.extend(bias.map(|bias| m.get(bias)));
    m.op("Conv", &operands, attributes)
}

/// Whether `x a + c` is a Gemm: matrices of floats, and a bias that broadcasts to them.
fn is_gemm(m: &Match<'_, '_>) -> bool {
    m.rank("x") == Some(2)
        && m.rank("a") == Some(2)
        && m.rank("c").is_some_and(|rank| rank <= 2)
        && matches!(m.element("x"), Type::Float(_))
        && m.is_constant("c")
}

/// Whether a Gemm only multiplies and adds.
fn is_plain(m: &Match<'_, '_>) -> bool {
    let attributes = m.attributes("n");
    ["alpha", "beta"].iter().all(|name| attributes.float(name).unwrap_or(1.0) == 1.0)
}

/// Whether `c` has one value, or one per column of `a`.
fn scales_columns(m: &Match<'_, '_>) -> bool {
    let Some(extents) = m.extents("c") else { return false };
    let columns = m.shape("a").and_then(<[_]>::last).and_then(ir::DimExpr::as_constant);
    m.rank("a").is_some_and(|rank| rank >= 2 && extents.len() <= rank)
        && extents.iter().rev().skip(1).all(|&extent| extent == 1)
        && extents.last().is_none_or(|&extent| extent == 1 || Some(extent) == columns)
}

fn scale_gemm(m: &mut Match<'_, '_>, bias: bool) -> Option<Id> {
    let constant = m.is_constant("a") && m.may_multiply("c") && (!bias || m.is_constant("b"));
    let extents = m.extents("c")?;
    let columns = m.root_shape()?.get(1)?.as_constant()?;
    let wide = extents.last().is_none_or(|&extent| extent == 1 || extent == columns);
    if !constant || !wide || extents.len() > 2 || extents.iter().rev().skip(1).any(|&extent| extent != 1) {
        return None;
    }
    let (x, a, c, attributes) = (m.get("x"), m.get("a"), m.get("c"), m.attributes("n"));
    let count = extents.last().copied().unwrap_or(1);
    let turned = attributes.integer("transB") == Some(1);
    let along = m.graph.reshape(c, &if turned { [count, 1] } else { [1, count] })?;
    let mut operands = vec![x, m.op("Mul", &[a, along], [])?];
    if bias {
        let b = m.get("b");
        operands.push(m.op("Mul", &[b, c], Attributes::new())?);
    }
    let attributes = attributes.with("transB", Attribute::i64(turned.into()));
    m.op("Gemm", &operands, attributes)
}
