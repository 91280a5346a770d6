//! LinearAttention: attention with a recurrent state instead of all past keys and values. Since 27.
//!
//! One step, with the state `S` of a head as a matrix of key size by value size: `S = exp(g) S` (gated), `S += β k ⊗ (v
//! - Sᵀ k)` (delta) or `S += k ⊗ v`, and `o = scale · Sᵀ q`.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, UpdateRule, View};
use ir::{DimExpr, FloatType, Op, Type, Value};

use super::heads::inverse_root_size;
use crate::graph::{Emitter, Problem, Scan};
use crate::operator::Operator;
use crate::shape::{Answer, Node};

pub(crate) const LINEAR_ATTENTION: Operator =
    Operator { shapes: Some(shapes), compose: Some(compose), ..Operator::of(OnnxOp::LinearAttention) };

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let attention: views::LinearAttention = node.view();
    let operands = [attention.query, attention.key, attention.value].map(|operand| node.shape_of(operand));
    let [Some(query), Some(key), Some(value)] = operands else { return Ok(vec![]) };
    let ([batch, sequence, _], [_, _, keys], [_, _, values]) = (query.as_slice(), key.as_slice(), value.as_slice())
    else {
        return Err("operands must have rank 3".to_string());
    };
    let heads = |count: i64| DimExpr::Constant(count.max(1));
    let (query_heads, pair_heads) = (heads(attention.q_num_heads), heads(attention.kv_num_heads));
    let size = values.floor_div(&pair_heads);
    let result = vec![batch.clone(), sequence.clone(), query_heads.mul(&size)];
    let state = vec![batch.clone(), pair_heads.clone(), keys.floor_div(&pair_heads), size];
    Ok(vec![Some(result), Some(state)])
}

fn compose(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let attention = views::LinearAttention::of(&emit.body, op);
    let element = emit.element(attention.query);
    // f16 and bf16 are computed in f32, including the state
    let wide = if element == Type::F64 { Type::F64 } else { Type::Float(FloatType::F32) };
    let (pairs, group) = (attention.kv_num_heads.max(1), attention.q_num_heads / attention.kv_num_heads.max(1));
    let by_step = |emit: &mut Emitter, value: Value, shape: &[i64], order: &[i64]| {
        let value = emit.convert(value, &wide);
        let shape = emit.integers(shape);
        let split = emit.plain("Reshape", &[value, shape]);
        emit.transpose(split, order)
    };
    // [steps, batch, heads, rows, columns]
    let order = [1, 0, 2, 3, 4];
    let query = by_step(emit, attention.query, &[0, 0, pairs, group, -1], &order);
    let key = by_step(emit, attention.key, &[0, 0, pairs, 1, -1], &order);
    let value = by_step(emit, attention.value, &[0, 0, pairs, 1, -1], &order);
    let mut inputs = vec![query, key, value];
    let gated = matches!(attention.update_rule, UpdateRule::Gated | UpdateRule::GatedDelta);
    if gated {
        let decay = attention.decay.ok_or_else(|| Problem::input("lacks the decay its update rule needs"))?;
        let decay = by_step(emit, decay, &[0, 0, pairs, -1, 1], &order);
        inputs.push(emit.plain("Exp", &[decay]));
    }
    let delta = matches!(attention.update_rule, UpdateRule::Delta | UpdateRule::GatedDelta);
    if delta {
        let beta = attention.beta.ok_or_else(|| Problem::input("lacks the update rate its update rule needs"))?;
        inputs.push(by_step(emit, beta, &[0, 0, -1, 1, 1], &order));
    }
    let initial = initial_state(emit, &attention, key, value, &wide);
    let scan = Scan { states: &[initial], inputs: &inputs, backwards: false };
    let results = emit.scan(&scan, |emit, states, elements| {
        let (query, key, value) = (elements[0], elements[1], elements[2]);
        let mut rest = elements[3..].iter().copied();
        let mut state = states[0];
        if gated {
            let decay = rest.next().expect("a gated rule has a decay");
            state = emit.plain("Mul", &[state, decay]);
        }
        let mut added = value;
        if delta {
            let rate = rest.next().expect("a delta rule has a rate");
            let held = emit.plain("MatMul", &[key, state]);
            let missing = emit.plain("Sub", &[value, held]);
            added = emit.plain("Mul", &[rate, missing]);
        }
        let column = emit.transpose(key, &[0, 1, 3, 2]);
        let product = emit.plain("Mul", &[column, added]);
        let state = emit.plain("Add", &[state, product]);
        let output = emit.plain("MatMul", &[query, state]);
        (vec![state], vec![output])
    });
    let (state, outputs) = (results[0], results[1]);
    let outputs = scaled(emit, &attention, outputs, key);
    let outputs = emit.transpose(outputs, &[1, 0, 2, 3, 4]);
    let shape = emit.integers(&[0, 0, -1]);
    let outputs = emit.plain("Reshape", &[outputs, shape]);
    let state_element = attention.past_state.map_or(element.clone(), |past| emit.element(past));
    Ok(vec![Some(emit.convert(outputs, &element)), Some(emit.convert(state, &state_element))])
}

/// The past state, or zeros for `[batch, heads, key size, value size]`.
fn initial_state(
    emit: &mut Emitter,
    attention: &views::LinearAttention,
    key: Value,
    value: Value,
    wide: &Type,
) -> Value {
    if let Some(past) = attention.past_state {
        return emit.convert(past, wide);
    }
    let extents = [emit.extent(key, 1), emit.extent(key, 2), emit.extent(key, -1), emit.extent(value, -1)];
    let shape = emit.list(&extents);
    let zero = emit.number_like(0.0, value);
    emit.plain("Expand", &[zero, shape])
}

/// The outputs times the scale; 0 means the reciprocal root of the key size.
fn scaled(emit: &mut Emitter, attention: &views::LinearAttention, outputs: Value, key: Value) -> Value {
    let scale = match attention.scale {
        0.0 => inverse_root_size(emit, key, outputs),
        scale => emit.number_like(scale, outputs),
    };
    emit.plain("Mul", &[outputs, scale])
}
