//! Dropout: in inference the identity; in training elements are dropped at random, and with a seed always the same.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, Blob, DenseElements, Op, Type, Value};

use crate::graph::{Emitter, Node, Problem};
use crate::operator::Operator;
use crate::random::Twister;
use crate::shape;
use crate::structured::scalars::Comparison;
use crate::structured::{Lowering, Unsupported, elementwise};

/// Elements up to which random numbers are worth being constants of the model.
const LIMIT: i64 = 1 << 20;

pub(crate) const DROPOUT: Operator = Operator {
    upgrades: &[(10, data_typed_mask), (12, ratio_attribute)],
    normalize: Some(normalize),
    shapes: Some(shape::like_first_each),
    lower: Some(lower),
    ..Operator::elementwise(OnnxOp::Dropout, |_, element| {
        let [x] = element.operands();
        x
    })
};

/// Until opset 10, the mask has the type of the data; all of it is kept in inference.
fn data_typed_mask(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let input = node.operands[0];
    let mut results = vec![input; node.outputs.len()];
    if node.outputs.get(1) == Some(&true) {
        let mask = kept_everywhere(input, emit);
        results[1] = emit.op("CastLike", &[mask, input], []);
    }
    node.results = Some(results);
    Ok(())
}

/// The ratio becomes an operand, which inference does not read.
fn ratio_attribute(node: &mut Node, _: &mut Emitter) -> Result<(), Problem> {
    node.attributes.remove("ratio");
    Ok(())
}

/// Everything is kept unless `training_mode` is there and not false; then a seed says what is dropped.
fn normalize(node: &mut Node, emit: &mut Emitter) -> Result<(), Problem> {
    let dropout = node.view::<views::Dropout>(emit);
    let inference =
        dropout.training_mode.is_none_or(|v| emit.known(v).is_some_and(|known| known.integer(0) == Some(0)));
    if inference {
        let mut results = vec![dropout.data; node.outputs.len()];
        if node.outputs.get(1) == Some(&true) {
            results[1] = kept_everywhere(dropout.data, emit);
        }
        node.results = Some(results);
    } else if let Some([result, mask]) = seeded(&dropout, emit) {
        node.results = Some([result, mask][..node.outputs.len()].to_vec());
    }
    Ok(())
}

/// A tensor of `true` in the shape of `input`.
fn kept_everywhere(input: Value, emit: &mut Emitter) -> Value {
    let shape = emit.op("Shape", &[input], []);
    let kept = DenseElements::splat(Type::static_tensor(&[1], Type::I1), &[1]);
    emit.op("ConstantOfShape", &[shape], [("value", Attribute::dense(kept))])
}

/// Training mode of a static shape with a seed: `where(uniform >= ratio, x / (1 - ratio), 0)`, and everything is kept
/// where `training_mode` is false or the ratio is 0. `None` for other forms.
fn seeded(dropout: &views::Dropout, emit: &mut Emitter) -> Option<[Value; 2]> {
    let seed = u32::try_from(dropout.seed?).ok()?;
    let (data, training) = (dropout.data, dropout.training_mode?);
    let shape = emit.body.value_type(data).static_shape()?;
    let count = shape.iter().product::<i64>();
    if count > LIMIT {
        return None;
    }
    let element = emit.element(data);
    let ratio = match dropout.ratio {
        Some(ratio) => ratio,
        None => emit.float(0.5, &element)?,
    };
    let mut twister = Twister::new(seed);
    let bytes: Vec<u8> = (0..count).flat_map(|_| twister.uniform().to_le_bytes()).collect();
    let uniform = emit.constant(DenseElements::new(Type::static_tensor(&shape, Type::F64), Blob::copy_of(&bytes)));
    let wide = emit.convert(ratio, &Type::F64);
    let drawn = emit.plain("GreaterOrEqual", &[uniform, wide]);
    let infers = emit.plain("Not", &[training]);
    let kept = emit.plain("Or", &[drawn, infers]);
    let ratio = emit.convert(ratio, &element);
    let (zero, one) = (emit.number_like(0.0, data), emit.number_like(1.0, data));
    let share = emit.plain("Sub", &[one, ratio]);
    let scale = emit.plain("Div", &[one, share]);
    let scale = emit.plain("Where", &[training, scale, one]);
    let scaled = emit.plain("Mul", &[data, scale]);
    Some([emit.plain("Where", &[kept, scaled, zero]), kept])
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let dropout = views::Dropout::of(lowering.source, op);
    check_inference(lowering, &dropout)?;
    elementwise::lower_on(lowering, op, &[dropout.data]);
    let mask = lowering.source.op(op).results().get(1).copied();
    if let Some(mask) = mask.filter(|&mask| lowering.is_present(mask)) {
        lowering.fill(mask, 1.0);
    }
    Ok(())
}

/// It keeps everything, unless it trains with a ratio other than 0.
fn check_inference(lowering: &mut Lowering<'_>, dropout: &views::Dropout) -> Result<(), Unsupported> {
    let Some(training) = dropout.training_mode else { return Ok(()) };
    let trains = lowering.known_integers(training).and_then(|known| known.first().copied());
    let known_ratio = dropout.ratio.map_or(Some(0.5), |ratio| constant_float(lowering, ratio));
    match (trains, known_ratio, dropout.ratio) {
        (Some(0), ..) | (_, Some(0.0), _) => Ok(()),
        (None, _, Some(ratio)) | (_, None, Some(ratio)) => {
            let (training, ratio) = (lowering.only_element(training), lowering.only_element(ratio));
            let harmless = lowering.scalars(|s| {
                let zero = s.like(0.0, ratio);
                let keeps = s.compare(Comparison::Equal, ratio, zero);
                let infers = s.not(training);
                s.same("arith.ori", &[infers, keeps])
            });
            lowering.check(harmless, "Dropout in training mode is not compiled");
            Ok(())
        }
        _ => Err(Unsupported::new("it drops elements at random: training mode is not compiled")),
    }
}

/// The only element of a constant of floats.
fn constant_float(lowering: &Lowering<'_>, value: Value) -> Option<f64> {
    match ir::constant_value(lowering.source, value)? {
        Attribute::Dense(dense) => dense.float(0),
        _ => None,
    }
}
