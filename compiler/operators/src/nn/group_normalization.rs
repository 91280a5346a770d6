//! InstanceNormalization and GroupNormalization: rows are all elements of a group of channels.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, DimExpr, Op, Value};

use super::normalize::normalize_rows;
use crate::graph::{self, Emitter, Problem};
use crate::operator::{Operator, Rank};
use crate::shape::{Answer, Condition, Node};
use crate::structured::reduction::{Shaped, accumulator};
use crate::structured::{Lowering, Unsupported};

pub(crate) const INSTANCE_NORMALIZATION: Operator = Operator {
    ranks: &[(0, Rank::AtLeast(2))],
    shapes: Some(|node| {
        let grouping = Grouping::by_channel(node.view());
        shapes(node, &grouping)
    }),
    lower: Some(|lowering, op| {
        let grouping = Grouping::by_channel(View::of(lowering.source, op));
        lower(lowering, op, &grouping)
    }),
    ..Operator::of(OnnxOp::InstanceNormalization)
};

pub(crate) const GROUP_NORMALIZATION: Operator = Operator {
    ranks: &[(0, Rank::AtLeast(2))],
    upgrades: &[(21, parameters_by_channel)],
    shapes: Some(|node| {
        let grouping = Grouping::by_group(node.view());
        shapes(node, &grouping)
    }),
    lower: Some(|lowering, op| {
        let grouping = Grouping::by_group(View::of(lowering.source, op));
        lower(lowering, op, &grouping)
    }),
    ..Operator::of(OnnxOp::GroupNormalization)
};

/// The options of both operators.
struct Grouping {
    x: Value,
    scale: Value,
    bias: Value,
    /// `None` for one group per channel.
    groups: Option<i64>,
    epsilon: f64,
}

impl Grouping {
    fn by_channel(normalization: views::InstanceNormalization) -> Grouping {
        let views::InstanceNormalization { input, scale, b, epsilon } = normalization;
        Grouping { x: input, scale, bias: b, groups: None, epsilon }
    }

    fn by_group(normalization: views::GroupNormalization) -> Grouping {
        let views::GroupNormalization { x, scale, bias, num_groups, epsilon, .. } = normalization;
        Grouping { x, scale, bias, groups: Some(num_groups), epsilon }
    }
}

/// Until opset 21, scale and bias were per group.
fn parameters_by_channel(node: &mut graph::Node, emit: &mut Emitter) -> Result<(), Problem> {
    let groups = node.attributes.integer("num_groups").unwrap_or(1);
    let bounds = [("start", Attribute::i64(1)), ("end", Attribute::i64(2))];
    let channels = emit.op("Shape", &[node.operands[0]], bounds);
    let count = emit.integers(&[groups]);
    let one_axis = emit.integers(&[1]);
    let size = emit.op("Div", &[channels, count], []);
    let both = emit.op("Concat", &[count, size], [("axis", Attribute::i64(0))]);
    for index in [1, 2] {
        let column = emit.op("Unsqueeze", &[node.operands[index], one_axis], []);
        let spread = emit.op("Expand", &[column, both], []);
        node.operands[index] = emit.op("Reshape", &[spread, channels], []);
    }
    Ok(())
}

fn shapes(node: &mut Node<'_, '_>, grouping: &Grouping) -> Answer {
    let input = node.shape_of(grouping.x);
    if let Some([_, channels, ..]) = input.as_deref() {
        let groups = grouping.groups.unwrap_or(1);
        if groups < 1 || channels.as_constant().is_some_and(|channels| channels % groups != 0) {
            return Err(format!("{channels} channels cannot be divided into {groups} groups"));
        }
        let groups = DimExpr::Constant(groups);
        let divided = channels.floor_div(&groups).mul(&groups);
        node.require(Condition::Equal(channels.clone(), divided), || {
            format!("{channels} channels for groups of one size")
        })?;
        for (parameter, what) in [(grouping.scale, "the scale"), (grouping.bias, "the bias")] {
            node.expect_shape(Some(parameter), std::slice::from_ref(channels), what)?;
        }
    }
    Ok(vec![input])
}

fn lower(lowering: &mut Lowering<'_>, op: Op, grouping: &Grouping) -> Result<(), Unsupported> {
    let result = lowering.source.op(op).results()[0];
    let input = lowering.shaped(grouping.x);
    let element = lowering.element(grouping.x);
    let work = accumulator(&element);
    let channels = input.shape[1].clone();
    let groups = grouping.groups.map_or(channels.clone(), DimExpr::Constant);
    let spatial = DimExpr::product(&input.shape[2..]);
    // whether groups divide the channels is asserted if it is not known
    let members = channels.divide_exactly(&groups).unwrap_or_else(|| channels.floor_div(&groups));
    let row_shape = vec![input.shape[0].clone(), groups, members.mul(&spatial)];
    let rows = Shaped { value: lowering.reshape(input.value, &row_shape), shape: row_shape };
    let [normalized, ..] = normalize_rows(lowering, &rows, &work, grouping.epsilon, true);
    let by_channel = vec![input.shape[0].clone(), channels.clone(), spatial];
    let value = lowering.reshape(normalized.value, &by_channel);
    let normalized = Shaped { value, shape: by_channel.clone() };
    let [scale, bias] = [grouping.scale, grouping.bias].map(|parameter| {
        let shape = vec![channels.clone(), DimExpr::ONE];
        let value = lowering.value(parameter);
        Shaped { value: lowering.reshape(value, &shape), shape }
    });
    let finished = lowering.map(&[&normalized, &scale, &bias], &by_channel, element.clone(), |s, e| {
        let (scale, bias) = (s.cast(e[1], &work, false, false), s.cast(e[2], &work, false, false));
        let scaled = s.mul(e[0], scale);
        let sum = s.add(scaled, bias);
        s.cast(sum, &element, false, false)
    });
    let value = lowering.reshape(finished.value, &input.shape);
    lowering.bind(result, value);
    Ok(())
}
