//! Normalizations: mean and variance, then a scale and a shift.

use ir::{DimExpr, FloatType, Op, Type, Value};

use super::reduction::{Combine, Fold, Shaped, normalize_axis};
use super::scalars::Scalars;
use super::{Lowering, Unsupported};

/// Lowers a normalization.
pub(super) fn lower(lowering: &mut Lowering<'_>, op: Op, name: &str) -> Result<(), Unsupported> {
    match name {
        "BatchNormalization" => batch(lowering, op),
        "LayerNormalization" => layer(lowering, op, true),
        "RMSNormalization" => layer(lowering, op, false),
        _ => grouped(lowering, op, name),
    }
}

fn wide(element: &Type) -> Type {
    match element {
        Type::Float(FloatType::F16 | FloatType::BF16) => Type::F32,
        other => other.clone(),
    }
}

/// `scale * (x - mean) / sqrt(variance + epsilon) + bias`, as `x * a + b` with one `a` and `b` a channel.
fn batch(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let (x, result) = (operation.operands()[0], operation.results()[0]);
    let epsilon = operation.attributes.float("epsilon").unwrap_or(1e-5);
    let shape = lowering.shape(x);
    let channels = [shape.get(1).cloned().unwrap_or(DimExpr::ONE)];
    let parameters: Vec<Shaped> = operation.operands()[1..5].iter().map(|&v| lowering.shaped(v)).collect();
    let [scale, bias, mean, variance] = &parameters[..] else { return Err(Unsupported::new("an operand is missing")) };
    let work = wide(&lowering.element(operation.operands()[4]));
    let batch = (operation.attributes.integer("training_mode") == Some(1)).then(|| statistics(lowering, x, &work));
    if batch.is_none() && operation.results()[1..].iter().any(|&running| lowering.is_present(running)) {
        return Err(Unsupported::new("it gives running statistics in training mode alone, which it is not in"));
    }
    if let Some(batch) = &batch {
        let momentum = operation.attributes.float("momentum").unwrap_or(0.9);
        for (&running, (old, new)) in operation.results()[1..].iter().zip([(mean, &batch[0]), (variance, &batch[1])]) {
            if lowering.is_present(running) {
                bind_running(lowering, running, old, new, momentum);
            }
        }
    }
    let [mean, variance] = batch.as_ref().map_or([mean, variance], |[mean, variance]| [mean, variance]);
    let factor = lowering.map(&[scale, variance], &channels, work.clone(), |s, e| {
        let (scale, variance) = (s.cast(e[0], &work, false, false), s.cast(e[1], &work, false, false));
        let epsilon = s.number(epsilon, &work);
        let sum = s.add(variance, epsilon);
        let deviation = s.same("math.sqrt", &[sum]);
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
        let shape = vec![input.shape[1].clone()];
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

/// `[rows, columns]` normalized along its columns: `(x - mean) / sqrt(variance + epsilon)`. Returns the normalized rows,
/// the mean and the reciprocal deviation of each row, all in the wide type.
fn normalize_rows(
    lowering: &mut Lowering<'_>,
    rows: &Shaped,
    work: &Type,
    epsilon: f64,
    centered: bool,
) -> [Shaped; 3] {
    let cast = |s: &mut Scalars<'_, '_>, x: Value| s.cast(x, work, false, false);
    let axis = rows.shape.len() - 1;
    let count = lowering.count(&rows.shape, &[axis], work);
    let sum = lowering.reduce(rows, &[axis], true, Fold::new(Combine::Add, work.clone(), false), cast);
    let shape = sum.shape.clone();
    let mean = lowering
        .map(&[&sum], &shape, work.clone(), |s, e| if centered { s.div(e[0], count) } else { s.like(0.0, e[0]) });
    let difference = lowering.map(&[rows, &mean], &rows.shape, work.clone(), |s, e| {
        let x = cast(s, e[0]);
        if centered { s.sub(x, e[1]) } else { x }
    });
    let squares =
        lowering.reduce(&difference, &[axis], true, Fold::new(Combine::Add, work.clone(), false), |s, x| s.mul(x, x));
    let reciprocal = lowering.map(&[&squares], &shape, work.clone(), |s, e| {
        let variance = s.div(e[0], count);
        let epsilon = s.number(epsilon, work);
        let sum = s.add(variance, epsilon);
        let (deviation, one) = (s.same("math.sqrt", &[sum]), s.number(1.0, work));
        s.div(one, deviation)
    });
    let normalized = lowering.map(&[&difference, &reciprocal], &rows.shape, work.clone(), |s, e| s.mul(e[0], e[1]));
    [normalized, mean, reciprocal]
}

fn layer(lowering: &mut Lowering<'_>, op: Op, centered: bool) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let (x, result) = (operation.operands()[0], operation.results()[0]);
    let input = lowering.shaped(x);
    let rank = input.shape.len();
    let axis = normalize_axis(operation.attributes.integer("axis").unwrap_or(-1), rank)?;
    let epsilon = operation.attributes.float("epsilon").unwrap_or(1e-5);
    let element = lowering.element(x);
    let work = wide(&element);
    let columns = DimExpr::product(&input.shape[axis..]);
    let mut flat_shape = input.shape[..axis].to_vec();
    flat_shape.push(columns);
    let flat = Shaped { value: lowering.reshape(input.value, &flat_shape), shape: flat_shape.clone() };
    let [normalized, mean, reciprocal] = normalize_rows(lowering, &flat, &work, epsilon, centered);
    let mut parameters = Vec::new();
    for index in 1..3 {
        if let Some(parameter) = lowering.operand(op, index) {
            parameters.push(flat_parameter(lowering, parameter, &input.shape, axis, &flat_shape));
        }
    }
    let inputs: Vec<&Shaped> = std::iter::once(&normalized).chain(&parameters).collect();
    let finished = lowering.map(&inputs, &flat_shape, element.clone(), |s, e| {
        let scale = e.get(1).map(|&scale| s.cast(scale, &work, false, false));
        let scaled = scale.map_or(e[0], |scale| s.mul(e[0], scale));
        let bias = e.get(2).map(|&bias| s.cast(bias, &work, false, false));
        let sum = bias.map_or(scaled, |bias| s.add(scaled, bias));
        s.cast(sum, &element, false, false)
    });
    let value = lowering.reshape(finished.value, &input.shape);
    lowering.bind(result, value);
    for (&extra, value) in operation.results()[1..].iter().zip([mean, reciprocal]) {
        if lowering.is_present(extra) {
            let shape = lowering.shape(extra);
            let value = lowering.reshape(value.value, &shape);
            lowering.bind(extra, value);
        }
    }
    Ok(())
}

/// A scale or bias of LayerNormalization, broadcast over the normalized axes and flattened as they are.
fn flat_parameter(
    lowering: &mut Lowering<'_>,
    parameter: Value,
    shape: &[DimExpr],
    axis: usize,
    flat: &[DimExpr],
) -> Shaped {
    let own = lowering.shaped(parameter);
    let inner = &shape[axis..];
    if own.shape.len() <= inner.len() {
        let full = lowering.map(&[&own], inner, lowering.element(parameter), |_, e| e[0]);
        let shape = vec![flat[flat.len() - 1].clone()];
        return Shaped { value: lowering.reshape(full.value, &shape), shape };
    }
    let full = lowering.map(&[&own], shape, lowering.element(parameter), |_, e| e[0]);
    Shaped { value: lowering.reshape(full.value, flat), shape: flat.to_vec() }
}

/// InstanceNormalization and GroupNormalization: rows are all elements of one group of channels.
fn grouped(lowering: &mut Lowering<'_>, op: Op, name: &str) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let (x, result) = (operation.operands()[0], operation.results()[0]);
    let input = lowering.shaped(x);
    let element = lowering.element(x);
    let work = wide(&element);
    let epsilon = operation.attributes.float("epsilon").unwrap_or(1e-5);
    let channels = input.shape[1].clone();
    let groups = match name {
        "InstanceNormalization" => channels.clone(),
        _ => DimExpr::Constant(
            operation.attributes.integer("num_groups").ok_or_else(|| Unsupported::new("it has no num_groups"))?,
        ),
    };
    let spatial = DimExpr::product(&input.shape[2..]);
    let members =
        channels.divide_exactly(&groups).ok_or_else(|| Unsupported::new("its groups do not divide its channels"))?;
    let row_shape = vec![input.shape[0].clone(), groups, members.mul(&spatial)];
    let rows = Shaped { value: lowering.reshape(input.value, &row_shape), shape: row_shape };
    let [normalized, ..] = normalize_rows(lowering, &rows, &work, epsilon, true);
    let by_channel = vec![input.shape[0].clone(), channels.clone(), spatial];
    let value = lowering.reshape(normalized.value, &by_channel);
    let normalized = Shaped { value, shape: by_channel.clone() };
    let present: Vec<Value> = (1..3).filter_map(|index| lowering.operand(op, index)).collect();
    let parameters: Vec<Shaped> = present
        .into_iter()
        .map(|parameter| {
            let shape = vec![channels.clone(), DimExpr::ONE];
            let value = lowering.value(parameter);
            Shaped { value: lowering.reshape(value, &shape), shape }
        })
        .collect();
    let inputs: Vec<&Shaped> = std::iter::once(&normalized).chain(&parameters).collect();
    let finished = lowering.map(&inputs, &by_channel, element.clone(), |s, e| {
        let (scale, bias) = (s.cast(e[1], &work, false, false), s.cast(e[2], &work, false, false));
        let scaled = s.mul(e[0], scale);
        let sum = s.add(scaled, bias);
        s.cast(sum, &element, false, false)
    });
    let value = lowering.reshape(finished.value, &input.shape);
    lowering.bind(result, value);
    Ok(())
}
