//! Maps: two lists, of keys and of values.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::element::Kind;
use super::{Call, Failure, Outcome};
use crate::handles::{StoredTensor, Value};

/// The number of labels differs from the number of columns, or the value is not a map of these key and value types.
const OTHER: Failure = Failure::Reason(1);
const NEGATIVE_KEY: Failure = Failure::Reason(2);
const NO_NUMBER: Failure = Failure::Reason(3);

pub(super) fn zip_maps(call: &mut Call<'_>) -> Outcome {
    let (labels, rows) = (call.tensor(), call.tensor());
    let count = *rows.extents.last().ok_or(OTHER)?;
    if labels.extents != [count] {
        return Err(OTHER);
    }
    let list = |kind: Kind, bytes: &[u8]| {
        Arc::new(StoredTensor { kind: kind.number(), extents: vec![count], bytes: bytes.to_vec() })
    };
    limits::ask((labels.bytes.len() + rows.bytes.len()) as u64)?;
    let keys = list(labels.kind, labels.bytes);
    let number = rows.extents[..rows.extents.len() - 1].iter().product();
    let width = count * rows.kind.width();
    let map = |row: usize| {
        let values = list(rows.kind, &rows.bytes[row * width..][..width]);
        Value::Map { keys: keys.clone(), values }
    };
    call.give(Value::Sequence(Arc::new((0..number).map(map).collect())))
}

/// A map that is an operand.
struct Map {
    keys: Arc<StoredTensor>,
    values: Arc<StoredTensor>,
}

impl Map {
    fn take(call: &mut Call<'_>) -> Result<Map, Failure> {
        match call.value()? {
            Value::Map { keys, values } if keys.extents.len() == 1 && keys.extents == values.extents => {
                Ok(Map { keys, values })
            }
            _ => Err(OTHER),
        }
    }

    /// The bytes of each value.
    fn values(&self) -> std::slice::ChunksExact<'_, u8> {
        self.values.bytes.chunks_exact(Kind::of(self.values.kind).width())
    }
}

/// Integers, or indices of strings.
fn words(bytes: &[u8]) -> impl Iterator<Item = i64> {
    bytes.chunks_exact(8).map(|word| i64::from_le_bytes(word.try_into().expect("8 bytes")))
}

pub(super) fn map_look_up(call: &mut Call<'_>) -> Outcome {
    let (map, keys) = (Map::take(call)?, call.tensor());
    let output = call.output();
    if [map.keys.kind, map.values.kind] != [keys.kind.number(), output.kind.number()] || keys.kind.width() != 8 {
        return Err(OTHER);
    }
    let entries: HashMap<i64, &[u8]> = words(&map.keys.bytes).zip(map.values()).collect();
    let targets = output.bytes.chunks_exact_mut(output.kind.width());
    for (target, key) in targets.zip(words(keys.bytes)) {
        match entries.get(&key) {
            Some(value) => target.copy_from_slice(value),
            // the index of the empty string is 0 too
            None => target.fill(0),
        }
    }
    Ok(())
}

/// A value of a map before conversion to its new type.
#[derive(Clone)]
enum Cell {
    Number(f32),
    Text(Arc<str>),
}

impl Cell {
    fn number(&self) -> Option<f32> {
        match self {
            Cell::Number(number) => Some(*number),
            Cell::Text(text) => text.trim().parse().ok(),
        }
    }

    fn integer(&self) -> Option<i64> {
        match self {
            Cell::Number(number) => Some(*number as i64),
            Cell::Text(text) => text.trim().parse().ok(),
        }
    }

    /// The text with six digits that ONNX Runtime writes here.
    fn text(&self) -> Arc<str> {
        match self {
            Cell::Number(number) => format!("{number:.6}").into(),
            Cell::Text(text) => text.clone(),
        }
    }
}

pub(super) fn map_values(call: &mut Call<'_>) -> Outcome {
    let (map, columns) = (Map::take(call)?, call.index().max(0) as usize);
    let cells: Vec<Cell> = match (Kind::of(map.keys.kind), Kind::of(map.values.kind)) {
        (Kind::I64, Kind::F32) => {
            let number = |bytes: &[u8]| f32::from_le_bytes(bytes.try_into().expect("4 bytes"));
            map.values().map(number).map(Cell::Number).collect()
        }
        (Kind::I64, Kind::Text) => {
            let table = call.context.strings();
            words(&map.values.bytes).map(|number| Cell::Text(table.text(number))).collect()
        }
        _ => return Err(OTHER),
    };
    let sorted: BTreeMap<i64, Cell> = words(&map.keys.bytes).zip(cells).collect();
    if columns > 0 && sorted.keys().next().is_some_and(|&key| key < 0) {
        return Err(NEGATIVE_KEY);
    }
    let count = if columns > 0 { columns } else { sorted.len() };
    let mut dense = sorted.values();
    let cells = (0..count as i64).map(|key| if columns > 0 { sorted.get(&key) } else { dense.next() });
    let mut output = call.returned(&[1, count])?;
    match output.kind {
        Kind::F32 => {
            for (target, cell) in output.elements::<f32>().iter_mut().zip(cells) {
                *target = cell.map_or(Some(0.0), Cell::number).ok_or(NO_NUMBER)?;
            }
        }
        Kind::I64 => {
            for (target, cell) in output.elements::<i64>().iter_mut().zip(cells) {
                *target = cell.map_or(Some(0), Cell::integer).ok_or(NO_NUMBER)?;
            }
        }
        _ => {
            for (target, cell) in output.elements::<i64>().iter_mut().zip(cells) {
                // ONNX Runtime's text for a missing value
                let text = cell.map_or("0.f".into(), Cell::text);
                *target = call.context.strings().number(&text);
            }
        }
    }
    Ok(())
}
