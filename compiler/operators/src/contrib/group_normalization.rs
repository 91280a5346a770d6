//! GroupNorm and SkipGroupNorm: images whose channels are normalized in groups, with an optional Swish after that.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{View, microsoft};
use ir::{Attribute, Op, Value};

use super::channels_last::{channels_first, channels_last};
use crate::graph::{Emitter, Problem};
use crate::operator::Operator;

/// Rank of an image with its batch and channels.
const RANK: i64 = 4;

pub(crate) const GROUP_NORM: Operator = Operator::read_as(OnnxOp::MicrosoftGroupNorm, |node, emit| {
    let view: microsoft::GroupNorm = node.view(emit);
    let microsoft::GroupNorm { x, gamma, beta, activation, channels_last, epsilon, groups } = view;
    let groups = Groups { gamma, beta, activation, channels_last, epsilon, groups };
    let result = groups.normalized(emit, x);
    node.replace(result, emit);
    Ok(())
});

pub(crate) const SKIP_GROUP_NORM: Operator = Operator {
    shapes: Some(|node| {
        let view: microsoft::SkipGroupNorm = node.view();
        Ok(vec![node.shape_of(view.x); 2])
    }),
    compose: Some(compose),
    ..Operator::of(OnnxOp::MicrosoftSkipGroupNorm)
};

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let view = microsoft::SkipGroupNorm::of(&emit.body, op);
    let microsoft::SkipGroupNorm { x, gamma, beta, skip, bias, activation, channels_last, epsilon, groups } = view;
    // one value for each channel of an image
    let flat = emit.known_rank(skip)? == 2;
    let pixels: &[i64] = if channels_last == 0 { &[2, 3] } else { &[1, 2] };
    let skip = if flat { emit.unsqueeze(skip, pixels) } else { skip };
    let mut sum = emit.plain("Add", &[x, skip]);
    if let Some(bias) = bias {
        let bias = if channels_last == 0 { emit.unsqueeze(bias, &[1, 2]) } else { bias };
        sum = emit.plain("Add", &[sum, bias]);
    }
    let groups = Groups { gamma, beta, activation, channels_last, epsilon, groups };
    Ok(vec![Some(groups.normalized(emit, sum)), Some(sum)])
}

/// The options of both operators.
struct Groups {
    gamma: Value,
    beta: Value,
    /// 1 for Swish.
    activation: i64,
    channels_last: i64,
    epsilon: f64,
    groups: i64,
}

impl Groups {
    fn normalized(&self, emit: &mut Emitter, x: Value) -> Value {
        let element = emit.element(x);
        let [gamma, beta] = [self.gamma, self.beta].map(|parameter| emit.convert(parameter, &element));
        let image = if self.channels_last == 0 { x } else { channels_first(emit, x, RANK) };
        let attributes =
            [("epsilon", Attribute::f32(self.epsilon as f32)), ("num_groups", Attribute::i64(self.groups))];
        let image = emit.op("GroupNormalization", &[image, gamma, beta], attributes);
        let image = if self.channels_last == 0 { image } else { channels_last(emit, image, RANK) };
        if self.activation == 1 { emit.plain("Swish", &[image]) } else { image }
    }
}
