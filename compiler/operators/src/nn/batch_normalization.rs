//! BatchNormalization: `scale · (x - mean) / √(variance + epsilon) + bias`, with parameters per channel.

use dialects::math;
use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, DimExpr, Op, Type, Value};

use crate::graph::{self, Emitter, Problem};
use crate::operator::Operator;
use crate::shape::{Answer, Node};
use crate::structured::reduction::{Combine, Fold, Shaped, accumulator};
use crate::structured::scalars::Scalars;
use crate::structured::{Lowering, Unsupported};

pub(crate) const BATCH_NORMALIZATION: Operator = Operator {
    upgrades: &[(9, spatial_statistics), (14, training_outputs)],
    shapes: Some(shapes),
    lower: Some(lower),
    ..Operator::of(OnnxOp::BatchNormalization)
};

/// Statistics are per channel. Until opset 9 they could be per element after the batch axis (`spatial` = 0).
fn spatial_statistics(node: &mut graph::Node, emit: &mut Emitter) -> Result<(), Problem> {
    if node.attributes.integer("spatial") != Some(0) {
        return Ok(());
    }
    training_outputs(node, emit)?;
    let x = node.operands[0];
    let element = emit.body.value_type(x).element().clone();
    let epsilon = emit.float(node.attributes.float("epsilon").unwrap_or(1e-5), &element);
    let epsilon = epsilon.ok_or_else(|| Problem::input("computes on elements that are not floats"))?;
    let shape = emit.op("Shape", &[x], [("start", Attribute::i64(1))]);
    let each: Vec<Value> = node.operands[1..].iter().map(|&given| emit.plain("Reshape", &[given, shape])).collect();
    let &[scale, bias, mean, variance] = &each[..] else { return Err(Problem::input("has no five inputs")) };
    let raised = emit.plain("Add", &[variance, epsilon]);
    let deviation = emit.plain("Sqrt", &[raised]);
    let centred = emit.plain("Sub", &[x, mean]);
    let normalized = emit.plain("Div", &[centred, deviation]);
    let scaled = emit.plain("Mul", &[normalized, scale]);
    let moved = emit.plain("Add", &[scaled, bias]);
    node.replace(moved, emit);
    Ok(())
}

/// Until opset 14, further outputs meant training.
fn training_outputs(node: &mut graph::Node, _: &mut Emitter) -> Result<(), Problem> {
    if node.outputs[1..].contains(&true) {
        return Err(Problem::unsupported("is in training mode: it has more than one output"));
    }
    node.outputs.truncate(1);
    Ok(())
}

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let normalization: views::BatchNormalization = node.view();
    let input = node.shape_of(normalization.x);
    if let Some(extents) = input.as_deref() {
        // without a channel axis there is one channel
        let channels = extents.get(1).unwrap_or(&DimExpr::ONE);
        let parameters = [
            (normalization.scale, "the scale"),
            (normalization.b, "the bias"),
            (normalization.input_mean, "the mean"),
            (normalization.input_var, "the variance"),
        ];
        for (parameter, what) in parameters {
            node.expect_shape(Some(parameter), std::slice::from_ref(channels), what)?;
        }
    }
    Ok(vec![input, node.shape_of(normalization.input_mean), node.shape_of(normalization.input_var)])
}

/// As `x * a + b` with `a` and `b` per channel.
fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let normalization = views::BatchNormalization::of(lowering.source, op);
    let results = lowering.source.op(op).results().to_vec();
    let (x, result, epsilon) = (normalization.x, results[0], normalization.epsilon);
    let shape = lowering.shape(x);
    let channels = [shape.get(1).cloned().unwrap_or(DimExpr::ONE)];
    let views::BatchNormalization { scale, b, input_mean, input_var, .. } = normalization;
    let [scale, bias, mean, variance] = &[scale, b, input_mean, input_var].map(|parameter| lowering.shaped(parameter));
    let work = accumulator(&lowering.element(input_var));
    let batch = (normalization.training_mode == 1).then(|| statistics(lowering, x, &work));
    if batch.is_none() && results[1..].iter().any(|&running| lowering.is_present(running)) {
        return Err(Unsupported::new("it has outputs for running statistics, which exist only in training mode"));
    }
    if let Some(batch) = &batch {
        for (&running, (old, new)) in results[1..].iter().zip([(mean, &batch[0]), (variance, &batch[1])]) {
            if lowering.is_present(running) {
                bind_running(lowering, running, old, new, normalization.momentum);
            }
        }
    }
    let [mean, variance] = batch.as_ref().map_or([mean, variance], |[mean, variance]| [mean, variance]);
    let factor = lowering.map(&[scale, variance], &channels, work.clone(), |s, e| {
        let (scale, variance) = (s.cast(e[0], &work, false, false), s.cast(e[1], &work, false, false));
        let epsilon = s.number(epsilon, &work);
        let sum = s.add(variance, epsilon);
        let deviation = s.same(math::SQRT, &[sum]);
        s.div(scale, deviation)
    });
    let shift = lowering.map(&[bias, mean, &factor], &channels, work.clone(), |s, e| {
        let (bias, mean) = (s.cast(e[0], &work, false, false), s.cast(e[1], &work, false, false));
        let moved = s.mul(mean, e[2]);
        s.sub(bias, moved)
    });
    let element = lowering.element(result);
    let body = |s: &mut Scalars<'_, '_>, e: &[Value]| {
        let x = s.cast(e[0], &work, false, false);
        let scaled = s.mul(x, e[1]);
        let sum = s.add(scaled, e[2]);
        s.cast(sum, &element, false, false)
    };
    if let Some(groups) = lowering.groups_of(&[x], result)
        && let Some((input, shape)) = lowering.grouped_operands(&[x], result, groups)
    {
        let (factor, shift) = (lowering.grouped_parameter(&factor, groups), lowering.grouped_parameter(&shift, groups));
        let value = lowering.map(&[&input[0], &factor, &shift], &shape, element.clone(), body).value;
        lowering.bind_grouped(result, value, groups);
        return Ok(());
    }
    let mut aligned = vec![DimExpr::ONE; shape.len()];
    if shape.len() > 1 {
        aligned[1] = channels[0].clone();
    }
    let along_channels = |lowering: &mut Lowering<'_>, parameter: &Shaped| Shaped {
        value: lowering.reshape(parameter.value, &aligned),
        shape: aligned.clone(),
    };
    let (factor, shift) = (along_channels(lowering, &factor), along_channels(lowering, &shift));
    if lowering.is_blocked(x) {
        let input = lowering.blocked(x);
        let (factor, shift) = (lowering.pack(&factor), lowering.pack(&shift));
        let value = lowering.map(&[&input, &factor, &shift], &input.shape, element.clone(), body).value;
        lowering.bind_blocked(result, value);
    } else {
        let input = lowering.shaped(x);
        let value = lowering.map(&[&input, &factor, &shift], &shape, element.clone(), body).value;
        lowering.bind(result, value);
    }
    Ok(())
}

/// Mean and variance of each channel of `[N, C, S…]`.
fn statistics(lowering: &mut Lowering<'_>, x: Value, work: &Type) -> [Shaped; 2] {
    let input = lowering.shaped(x);
    let axes: Vec<usize> = (0..input.shape.len()).filter(|&axis| axis != 1).collect();
    let count = lowering.count(&input.shape, &axes, work);
    let add = || Fold::new(Combine::Add, work.clone(), false);
    let sum = lowering.reduce(&input, &axes, true, add(), |s, x| s.cast(x, work, false, false));
    let mean = lowering.map(&[&sum], &sum.shape, work.clone(), |s, e| s.div(e[0], count));
    let squares = lowering.map(&[&input, &mean], &input.shape, work.clone(), |s, e| {
        let x = s.cast(e[0], work, false, false);
        let difference = s.sub(x, e[1]);
        s.mul(difference, difference)
    });
    let sum = lowering.reduce(&squares, &axes, true, add(), |_, x| x);
    let variance = lowering.map(&[&sum], &sum.shape, work.clone(), |s, e| s.div(e[0], count));
    [mean, variance].map(|kept| {
        let shape = vec![input.shape.get(1).cloned().unwrap_or(DimExpr::ONE)];
        Shaped { value: lowering.reshape(kept.value, &shape), shape }
    })
}

/// `old * momentum + new * (1 - momentum)`
fn bind_running(lowering: &mut Lowering<'_>, running: Value, old: &Shaped, new: &Shaped, momentum: f64) {
    let element = lowering.element(running);
    let work = lowering.body.value_type(new.value).element().clone();
    let value = lowering.map(&[old, new], &old.shape, element.clone(), |s, e| {
        let old = s.cast(e[0], &work, false, false);
        let (kept, taken) = (s.number(momentum, &work), s.number(1.0 - momentum, &work));
        let (old, new) = (s.mul(old, kept), s.mul(e[1], taken));
        let sum = s.add(old, new);
        s.cast(sum, &element, false, false)
    });
    lowering.bind(running, value.value);
}
