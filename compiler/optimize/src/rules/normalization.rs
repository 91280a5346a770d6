//! Normalizations: constant ones become a product and a sum, spelled-out ones are recovered.

use egg::Id;
use ir::{Attribute, Attributes, DimExpr};

use super::{Match, Rule, exact_by, reassoc_by};

pub(super) const RULES: &[Rule] = &[
    // (x - m) / √(v + ε) s + b = x f + (b - m f) with f = s / √(v + ε)
    reassoc_by("batch-normalization", "BatchNormalization:n(x, s, b, m, v)", batch_normalization),
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
    // a factor behind a normalization is its scale
    exact_by("layer-scale", LAYER_SCALE, layer_scale).when(|m| m.rounds_as_it_computes("x")),
    reassoc_by("layer-scale-half", LAYER_SCALE, layer_scale),
    exact_by("rms-scale", RMS_SCALE, rms_scale).when(|m| m.rounds_as_it_computes("x")),
    reassoc_by("rms-scale-half", RMS_SCALE, rms_scale),
    // a term behind a normalization is its bias
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
    let attributes = m.attributes("n");
    let [x, scale, bias, mean, variance] = ["x", "s", "b", "m", "v"].map(|name| m.get(name));
    let constant = ["s", "b", "m", "v"].iter().all(|name| m.is_constant(name) && m.element(name) == m.element("x"));
    if !constant || attributes.integer("training_mode") == Some(1) {
        return None;
    }
    let rank = m.rank("x").filter(|&rank| rank >= 2)?;
    let count = m.shape("s")?.first()?.as_constant()?;
    let mut along = vec![count];
    along.resize(rank - 1, 1);
    let element = m.element("x");
    let epsilon = m.graph.splat(attributes.float("epsilon").unwrap_or(1e-5), &[], &element)?;
    let sum = m.op("Add", &[variance, epsilon], [])?;
    let deviation = m.op("Sqrt", &[sum], [])?;
    let factor = m.op("Div", &[scale, deviation], [])?;
    let moved = m.op("Mul", &[mean, factor], [])?;
    let shift = m.op("Sub", &[bias, moved], [])?;
    if m.graph.overflows(shift) {
        return None;
    }
    let (factor, shift) = (m.graph.reshape(factor, &along)?, m.graph.reshape(shift, &along)?);
    let product = m.op("Mul", &[x, factor], [])?;
    m.op("Add", &[product, shift], [])
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
    let attributes = [("axis", Attribute::i64(first)), ("epsilon", Attribute::f32(epsilon as f32))];
    m.op(name, &[x, ones], attributes)
}

fn scale(m: &mut Match<'_, '_>, name: &str) -> Option<Id> {
    let (x, s, attributes) = (m.get("x"), fitting(m, "s")?, m.attributes("n"));
    m.op(name, &[x, s], attributes)
}

/// A parameter of the normalized extents' shape; leading extents of 1 are dropped.
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
    /// The extents that the normalization `n` of `x` runs over.
    fn extents_from_axis(&self) -> Option<Vec<i64>> {
        let attributes: Attributes = self.attributes("n");
        let rank = self.rank("x")?;
        let axis = attributes.integer("axis").unwrap_or(-1);
        let axis = usize::try_from(if axis < 0 { axis + rank as i64 } else { axis }).ok()?;
        self.shape("x")?.get(axis..)?.iter().map(DimExpr::as_constant).collect()
    }
}
