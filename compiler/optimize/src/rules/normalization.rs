//! Normalizations: constant ones become a multiplication and an addition, decomposed ones are recognised.

use std::rc::Rc;

use egg::Id;
use ir::{Attribute, Attributes, DimExpr};

use super::contraction::scaled_weights;
use super::{Match, Rule, exact_by, reassoc_by};
use crate::constants::Term;

pub(super) const RULES: &[Rule] = &[
    // (x - m) / √(v + ε) s + b = x f + (b - m f) with f = s / √(v + ε)
    reassoc_by("batch-normalization", "BatchNormalization:n(x, s, b, m, v)", batch_normalization)
        .when(|m| !is_convolved(m)),
    // the same of conv(x, w): conv(x, f w, b - m f)
    reassoc_by("conv-batch-normalization", "BatchNormalization:n(Conv:c(x, w, _), s, b, m, v)", |m| {
        normalized_convolution(m, None)
    }),
    // the same of conv(x, w, a): conv(x, f w, a f + (b - m f))
    reassoc_by("conv-bias-batch-normalization", "BatchNormalization:n(Conv:c(x, w, a), s, b, m, v)", |m| {
        normalized_convolution(m, Some("a"))
    }),
    // (x - mean x) / √(mean (x - mean x)² + ε)
    reassoc_by(
        "layer-normalization",
        "Div(d@Sub(x, ReduceMean:m(x, axes)), Sqrt(Add(ReduceMean:v(Mul(d, d), axes), epsilon)))",
        |m| normalization(m, "LayerNormalization", &["m", "v"]),
    ),
    // the same with a reciprocal
    reassoc_by(
        "layer-normalization-product",
        "Mul(d@Sub(x, ReduceMean:m(x, axes)), Reciprocal(Sqrt(Add(ReduceMean:v(Mul(d, d), axes), epsilon))))",
        |m| normalization(m, "LayerNormalization", &["m", "v"]),
    ),
    // x / √(mean x² + ε)
    reassoc_by("rms-normalization", "Div(x, Sqrt(Add(ReduceMean:v(Mul(x, x), axes), epsilon)))", |m| {
        normalization(m, "RMSNormalization", &["v"])
    }),
    reassoc_by(
        "rms-normalization-product",
        "Mul(x, Reciprocal(Sqrt(Add(ReduceMean:v(Mul(x, x), axes), epsilon))))",
        |m| normalization(m, "RMSNormalization", &["v"]),
    ),
    // a factor after a normalization is its scale
    exact_by("layer-scale", LAYER_SCALE, layer_scale).when(|m| m.rounds_as_it_computes("x")),
    reassoc_by("layer-scale-half", LAYER_SCALE, layer_scale),
    exact_by("rms-scale", RMS_SCALE, rms_scale).when(|m| m.rounds_as_it_computes("x")),
    reassoc_by("rms-scale-half", RMS_SCALE, rms_scale),
    // a term after a normalization is its bias
    exact_by("layer-bias", LAYER_BIAS, layer_bias).when(|m| m.rounds_as_it_computes("x")),
    reassoc_by("layer-bias-half", LAYER_BIAS, layer_bias),
];

const LAYER_SCALE: &str = "Mul(LayerNormalization:n(x, 1, _), s)";
const RMS_SCALE: &str = "Mul(RMSNormalization:n(x, 1), s)";
const LAYER_BIAS: &str = "Add(LayerNormalization:n(x, s, _), b)";

fn layer_scale(m: &mut Match<'_, '_>) -> Option<Id> {
    scale(m, "LayerNormalization")
}

fn rms_scale(m: &mut Match<'_, '_>) -> Option<Id> {
    scale(m, "RMSNormalization")
}

fn layer_bias(m: &mut Match<'_, '_>) -> Option<Id> {
    let (x, s, b) = (m.get("x"), m.get("s"), fitting(m, "b")?);
    let attributes = m.attributes("n");
    m.op("LayerNormalization", &[x, s, b], attributes)
}

fn batch_normalization(m: &mut Match<'_, '_>) -> Option<Id> {
    let [factor, shift] = affine(m)?;
    let mut along = vec![m.shape("s")?.first()?.as_constant()?];
    along.resize(m.rank("x")? - 1, 1);
    let mut place = |term| {
        let term = m.graph.shaped(&term, &along)?;
        m.graph.place(term)
    };
    let (factor, shift) = (place(factor)?, place(shift)?);
    let product = m.op("Mul", &[m.get("x"), factor], [])?;
    m.op("Add", &[product, shift], [])
}

/// The factor and the term for each channel of a normalization with constants.
fn affine(m: &mut Match<'_, '_>) -> Option<[Term; 2]> {
    let attributes = m.attributes("n");
    let constant = ["s", "b", "m", "v"].iter().all(|name| m.is_constant(name) && m.element(name) == m.element("x"));
    if !constant || attributes.integer("training_mode") == Some(1) || m.rank("x")? < 2 {
        return None;
    }
    let [scale, bias, mean, variance] = ["s", "b", "m", "v"].map(|name| m.graph.term(m.get(name)));
    let epsilon = Term::number(attributes.float("epsilon").unwrap_or(1e-5f32.into()), &m.element("x"))?;
    let sum = m.graph.combine("Add", [&variance, &epsilon])?;
    let deviation = m.graph.combine("Sqrt", [&sum])?;
    let factor = m.graph.combine("Div", [&scale, &deviation])?;
    let moved = m.graph.combine("Mul", [&mean, &factor])?;
    let shift = m.graph.combine("Sub", [&bias, &moved])?;
    let is_finite = |numbers: Rc<[f64]>| numbers.iter().all(|number| number.is_finite());
    m.graph.numbers_of_term(&shift).is_none_or(is_finite).then_some([factor, shift])
}

/// Whether a normalization's operand is a convolution with constant weights and bias.
fn is_convolved(m: &Match<'_, '_>) -> bool {
    let nodes = &m.graph.egraph[m.get("x")].nodes;
    nodes.iter().any(|node| {
        let is_convolution = node.op().is_some_and(|op| m.graph.body.name(op) == "onnx.Conv");
        let is_known = |&child: &Id| m.graph.data(child).constant || m.graph.data(child).is_absent();
        is_convolution && node.children[1..].iter().all(is_known)
    })
}

fn normalized_convolution(m: &mut Match<'_, '_>, bias: Option<&str>) -> Option<Id> {
    if !m.is_constant("w") || bias.is_some_and(|bias| !m.is_constant(bias)) {
        return None;
    }
    let [factor, shift] = affine(m)?;
    if !m.may_multiply_term(&factor, "x") {
        return None;
    }
    let shift = match bias {
        None => shift,
        Some(bias) => {
            let bias = m.graph.term(m.get(bias));
            let scaled = m.graph.combine("Mul", [&bias, &factor])?;
            if !m.may_add_terms(&scaled, &shift) {
                return None;
            }
            m.graph.combine("Add", [&scaled, &shift])?
        }
    };
    let weights = scaled_weights(m, "Conv", &m.attributes("c"), &factor)?;
    let (x, shift) = (m.get("x"), m.graph.place(shift)?);
    m.op("Conv", &[x, weights, shift], m.attributes("c"))
}

/// A normalization over the last axes, with a scale of ones.
fn normalization(m: &mut Match<'_, '_>, name: &str, means: &[&str]) -> Option<Id> {
    if means.iter().any(|mean| m.attributes(mean).integer("keepdims") == Some(0)) || !m.is_float("x") {
        return None;
    }
    let rank = m.rank("x")? as i64;
    let mut axes: Vec<i64> = m.integers("axes")?.into_iter().map(|axis| axis.rem_euclid(rank)).collect();
    axes.sort_unstable();
    let first = *axes.first()?;
    let epsilon = m.scalar("epsilon").filter(|&epsilon| epsilon >= 0.0)?;
    let extents: Vec<i64> = m.shape("x")?[first as usize..].iter().map(DimExpr::as_constant).collect::<Option<_>>()?;
    if !axes.iter().copied().eq(first..rank) {
        return None;
    }
    let (x, element) = (m.get("x"), m.element("x"));
    let ones = m.graph.splat(1.0, &extents, &element)?;
    let attributes = [("axis", Attribute::i64(first)), ("epsilon", m.float_attribute(epsilon)?)];
    m.op(name, &[x, ones], attributes)
}

fn scale(m: &mut Match<'_, '_>, name: &str) -> Option<Id> {
    let (x, s, attributes) = (m.get("x"), fitting(m, "s")?, m.attributes("n"));
    m.op(name, &[x, s], attributes)
}

/// A parameter with the shape of the normalized extents; leading extents of 1 are dropped.
fn fitting(m: &mut Match<'_, '_>, name: &str) -> Option<Id> {
    let (extents, x) = (m.extents(name)?, m.extents_from_axis()?);
    let leading = extents.len().checked_sub(x.len())?;
    let fits = extents[..leading].iter().all(|&extent| extent == 1) && extents[leading..] == x[..];
    if !fits || !m.is_constant(name) {
        return None;
    }
    let class = m.get(name);
    m.graph.reshape(class, &x)
}

impl Match<'_, '_> {
    /// The extents that the normalization `n` of `x` reduces.
    fn extents_from_axis(&self) -> Option<Vec<i64>> {
        let attributes: Attributes = self.attributes("n");
        let rank = self.rank("x")?;
        let axis = attributes.integer("axis").unwrap_or(-1);
        let axis = usize::try_from(if axis < 0 { axis + rank as i64 } else { axis }).ok()?;
        self.shape("x")?.get(axis..)?.iter().map(DimExpr::as_constant).collect()
    }
}
