//! Values of a run that are not tensors: sequences, optionals and maps. Generated code refers to them by handles.
//!
//! A value is immutable: inserting into a sequence makes a new one that shares the elements.

use std::sync::Arc;

/// A tensor, a sequence, an optional or a map.
#[derive(Clone, Debug)]
pub enum Value {
    /// A tensor.
    Tensor(Arc<StoredTensor>),
    /// A list of values.
    Sequence(Arc<Vec<Value>>),
    /// A value or nothing.
    Optional(Option<Arc<Value>>),
    /// A map: keys and values in two lists of one length.
    Map {
        /// The keys.
        keys: Arc<StoredTensor>,
        /// The values, in the order of the keys.
        values: Arc<StoredTensor>,
    },
}

/// A tensor inside another value.
#[derive(Clone, Debug)]
pub struct StoredTensor {
    /// Its element type, numbered as in ONNX's `TensorProto.DataType`.
    pub kind: i64,
    /// Its extents.
    pub extents: Vec<usize>,
    /// Its elements; strings as indices into the run's table.
    pub bytes: Vec<u8>,
}

/// The values of a run by handle.
#[derive(Debug, Default)]
pub struct HandleTable {
    values: Vec<Option<Value>>,
    /// Free handles.
    free: Vec<usize>,
    /// Handles in order of creation.
    order: Vec<usize>,
}

impl HandleTable {
    /// Stores a value and returns its handle.
    pub fn insert(&mut self, value: Value) -> i64 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.values.push(None);
            self.values.len() - 1
        });
        self.values[number] = Some(value);
        self.order.push(number);
        number as i64
    }

    /// The value of a handle.
    pub fn get(&self, number: i64) -> Option<&Value> {
        self.values.get(usize::try_from(number).ok()?)?.as_ref()
    }

    /// The current number of values: later ones are newer.
    pub(crate) fn mark(&self) -> i64 {
        self.order.len() as i64
    }

    /// Frees the values newer than `mark`, except those in `kept`.
    pub(crate) fn end_scope(&mut self, mark: i64, kept: &[i64]) {
        let newer = self.order.split_off((mark.max(0) as usize).min(self.order.len()));
        for number in newer {
            if kept.contains(&(number as i64)) {
                self.order.push(number);
            } else {
                self.values[number] = None;
                self.free.push(number);
            }
        }
    }

    /// Frees all values.
    pub(crate) fn end_run(&mut self) {
        *self = HandleTable::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_free_what_they_do_not_pass_on() {
        let empty = || Value::Optional(None);
        let mut table = HandleTable::default();
        let outer = table.insert(empty());
        let mark = table.mark();
        let mut carried = table.insert(empty());
        for _ in 0..100 {
            table.insert(empty());
            let next = table.insert(empty());
            table.end_scope(mark, &[next]);
            assert!(table.get(carried).is_none() && table.get(next).is_some());
            carried = next;
            assert!(table.values.len() <= 4);
        }
        assert!(table.get(outer).is_some() && table.get(-1).is_none() && table.get(99).is_none());
    }
}
