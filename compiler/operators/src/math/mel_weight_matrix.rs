//! MelWeightMatrix: triangular bands, of equal width on the mel scale, over the bins of a spectrum. Since 17.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, Op, Type, Value};

use super::dft::one_sided;
use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::types::tensor_of;

/// Mel per decade of `1 + f / CORNER`.
const SCALE: f64 = 2595.0;
/// Hertz.
const CORNER: f64 = 700.0;

pub(crate) const MEL_WEIGHT_MATRIX: Operator = Operator {
    types: Some(|node, _| tensor_of(views::MelWeightMatrix::read(node).output_datatype)),
    shapes: Some(|node| {
        let matrix: views::MelWeightMatrix = node.view();
        let bins = node.number_of(matrix.dft_length).map(|length| one_sided(&length));
        let bins = bins.unwrap_or_else(|| node.fresh(0, 0));
        let bands = node.number_of(matrix.num_mel_bins).unwrap_or_else(|| node.fresh(0, 1));
        Ok(vec![Some(vec![bins, bands])])
    }),
    compose: Some(compose),
    ..Operator::of(OnnxOp::MelWeightMatrix)
};

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let matrix = views::MelWeightMatrix::of(&emit.body, op);
    let [bands, length, rate] =
        [matrix.num_mel_bins, matrix.dft_length, matrix.sample_rate].map(|operand| as_list(emit, operand, &Type::I64));
    let (one, two) = (emit.integers(&[1]), emit.integers(&[2]));
    let half = emit.plain("Div", &[length, two]);
    let bins = emit.plain("Add", &[half, one]);
    let edges = edges(emit, &matrix, [bands, length, rate]);
    // edges of each band, `[1, bands]`; bins, `[bins, 1]`
    let edge = |emit: &mut Emitter, first: i64| {
        let start = emit.integers(&[first]);
        let end = emit.plain("Add", &[bands, start]);
        let own = emit.slice(edges, start, end, 0);
        emit.unsqueeze(own, &[0])
    };
    let (low, centre, high) = (edge(emit, 0), edge(emit, 1), edge(emit, 2));
    let bin = emit.count_up(bins);
    let bin = emit.convert(bin, &Type::F64);
    let bin = emit.unsqueeze(bin, &[1]);
    let (zero, unit) = (emit.number_like(0.0, bin), emit.number_like(1.0, bin));
    let rising = slope(emit, bin, low, centre);
    let falling = slope(emit, bin, high, centre);
    let at_centre = emit.plain("Equal", &[bin, centre]);
    let (after_low, before_centre) = (emit.plain("GreaterOrEqual", &[bin, low]), emit.plain("Less", &[bin, centre]));
    let (after_centre, before_high) = (emit.plain("Greater", &[bin, centre]), emit.plain("Less", &[bin, high]));
    let up = emit.plain("And", &[after_low, before_centre]);
    let down = emit.plain("And", &[after_centre, before_high]);
    let falling = emit.plain("Where", &[down, falling, zero]);
    let sides = emit.plain("Where", &[up, rising, falling]);
    let result = emit.plain("Where", &[at_centre, unit, sides]);
    Ok(vec![Some(emit.op("Cast", &[result], [("to", Attribute::i64(matrix.output_datatype))]))])
}

/// `(bin - from) / (to - from)`
fn slope(emit: &mut Emitter, bin: Value, from: Value, to: Value) -> Value {
    let (part, whole) = (emit.plain("Sub", &[bin, from]), emit.plain("Sub", &[to, from]));
    emit.plain("Div", &[part, whole])
}

/// The first and last bins of bands, two more than there are bands.
fn edges(emit: &mut Emitter, matrix: &views::MelWeightMatrix, [bands, length, rate]: [Value; 3]) -> Value {
    let [low, high] = [matrix.lower_edge_hertz, matrix.upper_edge_hertz].map(|hertz| {
        let hertz = as_list(emit, hertz, &Type::F64);
        let (corner, one) = (emit.number_like(CORNER, hertz), emit.number_like(1.0, hertz));
        let ratio = emit.plain("Div", &[hertz, corner]);
        let sum = emit.plain("Add", &[one, ratio]);
        let logarithm = emit.plain("Log", &[sum]);
        let scale = emit.number_like(SCALE / std::f64::consts::LN_10, hertz);
        emit.plain("Mul", &[scale, logarithm])
    });
    let (one, two) = (emit.integers(&[1]), emit.integers(&[2]));
    let count = emit.plain("Add", &[bands, two]);
    let index = emit.count_up(count);
    let [index, count] = [index, count].map(|value| emit.convert(value, &Type::F64));
    let span = emit.plain("Sub", &[high, low]);
    let step = emit.plain("Div", &[span, count]);
    let along = emit.plain("Mul", &[index, step]);
    let mel = emit.plain("Add", &[along, low]);
    let scale = emit.number_like(SCALE, mel);
    let decades = emit.plain("Div", &[mel, scale]);
    let ten = emit.number_like(10.0, mel);
    let power = emit.plain("Pow", &[ten, decades]);
    let (unit, corner) = (emit.number_like(1.0, mel), emit.number_like(CORNER, mel));
    let ratio = emit.plain("Sub", &[power, unit]);
    let hertz = emit.plain("Mul", &[corner, ratio]);
    let places = emit.plain("Add", &[length, one]);
    let [places, rate] = [places, rate].map(|value| emit.convert(value, &Type::F64));
    let scaled = emit.plain("Mul", &[places, hertz]);
    let bins = emit.plain("Div", &[scaled, rate]);
    emit.plain("Floor", &[bins])
}

/// A scalar as a list of one, in another type.
fn as_list(emit: &mut Emitter, scalar: Value, element: &Type) -> Value {
    let scalar = emit.convert(scalar, element);
    let shape = emit.integers(&[1]);
    emit.plain("Reshape", &[scalar, shape])
}
