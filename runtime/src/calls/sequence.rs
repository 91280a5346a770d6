//! Sequences and optionals.

use std::sync::Arc;

use super::{Call, Failure, Outcome, Tensor, around};
use crate::handles::{StoredTensor, Value};

/// The element does not exist, or the value has the wrong kind.
const NONE: Failure = Failure::Reason(1);
/// The element's rank or type differs from that of the result.
const OTHER_TYPE: Failure = Failure::Reason(2);

impl Call<'_> {
    pub(super) fn value(&mut self) -> Result<Value, Failure> {
        let number = self.index();
        self.context.handles().get(number).cloned().ok_or(NONE)
    }

    fn sequence(&mut self) -> Result<Arc<Vec<Value>>, Failure> {
        match self.value()? {
            Value::Sequence(values) => Ok(values),
            Value::Tensor(_) | Value::Optional(_) | Value::Map { .. } => Err(NONE),
        }
    }

    pub(super) fn give(&mut self, value: Value) -> Outcome {
        let number = self.context.handles().insert(value);
        self.words[self.next] = number;
        self.next += 1;
        Ok(())
    }

    fn give_tensor(&mut self, value: &Value) -> Outcome {
        let Value::Tensor(tensor) = value else { return Err(OTHER_TYPE) };
        if [tensor.kind, tensor.extents.len() as i64] != self.words[self.next..self.next + 2] {
            return Err(OTHER_TYPE);
        }
        self.returned(&tensor.extents)?.bytes.copy_from_slice(&tensor.bytes);
        Ok(())
    }
}

fn stored(tensor: &Tensor<'_>) -> Result<Value, Failure> {
    limits::ask((size_of::<StoredTensor>() + tensor.bytes.len()) as u64)?;
    let (kind, extents, bytes) = (tensor.kind.number(), tensor.extents.clone(), tensor.bytes.to_vec());
    Ok(Value::Tensor(Arc::new(StoredTensor { kind, extents, bytes })))
}

/// A copy of the values of a sequence, for modification.
fn copied(sequence: &[Value]) -> Result<Vec<Value>, Failure> {
    limits::ask_for(sequence.len() + 1, size_of::<Value>())?;
    Ok(sequence.to_vec())
}

/// A position counted from the end when negative.
fn position(index: i64, length: usize) -> Option<usize> {
    let counted = if index < 0 { index + length as i64 } else { index };
    usize::try_from(counted).ok().filter(|&position| position < length)
}

pub(super) fn sequence_empty(call: &mut Call<'_>) -> Outcome {
    call.give(Value::Sequence(Arc::default()))
}

pub(super) fn sequence_insert(call: &mut Call<'_>) -> Outcome {
    let (sequence, tensor) = (call.sequence()?, call.tensor());
    let (at, is_given) = (call.index(), call.flag());
    let at = match is_given {
        true => position(at, sequence.len() + usize::from(at >= 0)).ok_or(NONE)?,
        false => sequence.len(),
    };
    let mut values = copied(&sequence)?;
    values.insert(at, stored(&tensor)?);
    call.give(Value::Sequence(Arc::new(values)))
}

pub(super) fn sequence_erase(call: &mut Call<'_>) -> Outcome {
    let sequence = call.sequence()?;
    let (at, is_given) = (call.index(), call.flag());
    let at = position(if is_given { at } else { -1 }, sequence.len()).ok_or(NONE)?;
    let mut values = copied(&sequence)?;
    values.remove(at);
    call.give(Value::Sequence(Arc::new(values)))
}

pub(super) fn sequence_at(call: &mut Call<'_>) -> Outcome {
    let (sequence, at) = (call.sequence()?, call.index());
    let at = position(at, sequence.len()).ok_or(NONE)?;
    call.give_tensor(&sequence[at])
}

pub(super) fn sequence_length(call: &mut Call<'_>) -> Outcome {
    let (sequence, mut output) = (call.sequence()?, call.output());
    output.elements::<i64>().fill(sequence.len() as i64);
    Ok(())
}

pub(super) fn sequence_split(call: &mut Call<'_>) -> Outcome {
    let (tensor, lengths) = (call.tensor(), call.tensor());
    let (axis, keeps_axis) = (call.index() as usize, call.flag());
    let [outer, extent, inner] = around(&tensor.extents, axis);
    let given: Vec<i64> = match lengths.kind.width() {
        4 => lengths.elements::<i32>().iter().map(|&length| length as i64).collect(),
        _ => lengths.elements::<i64>().to_vec(),
    };
    let given = given.into_iter().map(usize::try_from).collect::<Result<Vec<_>, _>>().map_err(|_| NONE)?;
    // a single length is that of all parts but the last
    let lengths = match lengths.extents.is_empty() {
        true if given[0] == 0 => return Err(NONE),
        true => (0..extent).step_by(given[0]).map(|start| given[0].min(extent - start)).collect(),
        false => given,
    };
    if lengths.iter().try_fold(0usize, |sum, &length| sum.checked_add(length)) != Some(extent) {
        return Err(NONE);
    }
    let slice = inner * tensor.kind.width();
    limits::ask(tensor.bytes.len() as u64)?;
    limits::ask_for(lengths.len(), size_of::<Value>() + size_of::<StoredTensor>())?;
    let mut start = 0;
    let mut values = Vec::with_capacity(lengths.len());
    for length in lengths {
        let mut extents = tensor.extents.clone();
        extents[axis] = length;
        if !keeps_axis && length == 1 {
            extents.remove(axis);
        }
        let rows = (0..outer).map(|row| (row * extent + start) * slice);
        let bytes = rows.flat_map(|at| tensor.bytes[at..at + length * slice].iter().copied()).collect();
        values.push(Value::Tensor(Arc::new(StoredTensor { kind: tensor.kind.number(), extents, bytes })));
        start += length;
    }
    call.give(Value::Sequence(Arc::new(values)))
}

pub(super) fn sequence_concat(call: &mut Call<'_>) -> Outcome {
    let (sequence, axis, is_new) = (call.sequence()?, call.index() as usize, call.flag());
    let mut tensors = Vec::new();
    for value in sequence.iter() {
        let Value::Tensor(tensor) = value else { return Err(OTHER_TYPE) };
        tensors.push(tensor);
    }
    let first = *tensors.first().ok_or(NONE)?;
    let extents = |tensor: &StoredTensor| {
        let mut extents = tensor.extents.clone();
        if is_new {
            extents.insert(axis.min(extents.len()), 1);
        }
        extents
    };
    let mut all = extents(first);
    if [first.kind, all.len() as i64] != call.words[call.next..call.next + 2] || axis >= all.len() {
        return Err(OTHER_TYPE);
    }
    all[axis] = 0;
    for tensor in &tensors {
        let own = extents(tensor);
        let fits = own.len() == all.len() && (0..own.len()).all(|at| at == axis || own[at] == all[at]);
        if !fits || tensor.kind != first.kind {
            return Err(OTHER_TYPE);
        }
        all[axis] += own[axis];
    }
    let output = call.returned(&all)?;
    let [outer, whole, inner] = around(&all, axis);
    let slice = inner * output.kind.width();
    let mut start = 0;
    for tensor in tensors {
        let run = extents(tensor)[axis] * slice;
        for row in 0..outer {
            let to = row * whole * slice + start;
            output.bytes[to..to + run].copy_from_slice(&tensor.bytes[row * run..(row + 1) * run]);
        }
        start += run;
    }
    Ok(())
}

pub(super) fn optional_none(call: &mut Call<'_>) -> Outcome {
    call.give(Value::Optional(None))
}

pub(super) fn optional_of_tensor(call: &mut Call<'_>) -> Outcome {
    let tensor = call.tensor();
    call.give(Value::Optional(Some(Arc::new(stored(&tensor)?))))
}

pub(super) fn optional_of_value(call: &mut Call<'_>) -> Outcome {
    let value = call.value()?;
    call.give(Value::Optional(Some(Arc::new(value))))
}

pub(super) fn optional_has_value(call: &mut Call<'_>) -> Outcome {
    let (value, output) = (call.value()?, call.output());
    output.bytes.fill(!matches!(value, Value::Optional(None)) as u8);
    Ok(())
}

/// The value of an optional; any other value is returned as it is.
fn held(value: Value) -> Result<Value, Failure> {
    match value {
        Value::Optional(held) => held.map(Arc::unwrap_or_clone).ok_or(NONE),
        other => Ok(other),
    }
}

pub(super) fn optional_tensor(call: &mut Call<'_>) -> Outcome {
    let value = held(call.value()?)?;
    call.give_tensor(&value)
}

pub(super) fn optional_value(call: &mut Call<'_>) -> Outcome {
    let value = held(call.value()?)?;
    call.give(value)
}
