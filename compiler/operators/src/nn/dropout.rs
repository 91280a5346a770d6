//! Dropout: the identity in inference; in training elements are dropped at random, and reproducibly with a seed.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, Attributes, Blob, DenseElements, Op, Type, Value};

use crate::graph::{Emitter, Node, Problem};
use crate::operator::Operator;
use crate::random::Twister;
use crate::shape;
use crate::types::type_number;

/// The maximum number of random numbers that become constants of the model.
const LIMIT: i64 = 1 << 20;

pub(crate) const DROPOUT: Operator = Operator {
    upgrades: &[(10, data_typed_mask), (12, ratio_attribute)],
    normalize: Some(normalize),
    shapes: Some(shape::like_first_each),
    compose: Some(compose),
    undetermined: Some("which elements are dropped in training is random"),
    ..Operator::of(OnnxOp::Dropout)
};

/// Until opset 10, the mask has the type of the data; inference keeps all elements.
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

/// All elements are kept unless `training_mode` is present and not false.
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
    }
    Ok(())
}

/// Training mode: `where(uniform >= ratio, x / (1 - ratio), 0)`; all elements are kept if `training_mode` is false or
/// the ratio is 0.
fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let dropout = views::Dropout::of(&emit.body, op);
    let data = dropout.data;
    let Some(training) = dropout.training_mode else {
        return Ok(vec![Some(data), Some(kept_everywhere(data, emit))]);
    };
    let element = emit.element(data);
    let ratio = match dropout.ratio {
        Some(ratio) => ratio,
        None => emit.number_like(0.5, data),
    };
    let uniform = match reference_numbers(&dropout, emit) {
        Some(uniform) => uniform,
        None => uniform_numbers(&dropout, emit),
    };
    let wide = emit.element(uniform);
    let wide = emit.convert(ratio, &wide);
    let drawn = emit.plain("GreaterOrEqual", &[uniform, wide]);
    let infers = emit.plain("Not", &[training]);
    let kept = emit.plain("Or", &[drawn, infers]);
    let ratio = emit.convert(ratio, &element);
    let (zero, one) = (emit.number_like(0.0, data), emit.number_like(1.0, data));
    let share = emit.plain("Sub", &[one, ratio]);
    let scale = emit.plain("Div", &[one, share]);
    let scale = emit.plain("Where", &[training, scale, one]);
    let scaled = emit.plain("Mul", &[data, scale]);
    Ok(vec![Some(emit.plain("Where", &[kept, scaled, zero])), Some(kept)])
}

/// A tensor of `true` with the shape of `input`.
fn kept_everywhere(input: Value, emit: &mut Emitter) -> Value {
    let shape = emit.op("Shape", &[input], []);
    let kept = DenseElements::splat(Type::static_tensor(&[1], Type::I1), &[1]);
    emit.op("ConstantOfShape", &[shape], [("value", Attribute::dense(kept))])
}

/// For a seed and a static shape, the numbers of the standard's reference implementation.
fn reference_numbers(dropout: &views::Dropout, emit: &mut Emitter) -> Option<Value> {
    let seed = u32::try_from(dropout.seed?).ok()?;
    let shape = emit.body.value_type(dropout.data).static_shape()?;
    let count = shape.iter().product::<i64>();
    if count > LIMIT {
        return None;
    }
    let mut twister = Twister::new(seed);
    let bytes: Vec<u8> = (0..count).flat_map(|_| twister.uniform().to_le_bytes()).collect();
    Some(emit.constant(DenseElements::new(Type::static_tensor(&shape, Type::F64), Blob::copy_of(&bytes))))
}

fn uniform_numbers(dropout: &views::Dropout, emit: &mut Emitter) -> Value {
    let mut attributes = Attributes::from([("dtype", Attribute::i64(type_number(&Type::F32)))]);
    if let Some(seed) = dropout.seed {
        attributes.set("seed", Attribute::float(seed as f64, Type::F32));
    }
    emit.op("RandomUniformLike", &[dropout.data], attributes)
}
