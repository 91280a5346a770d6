//! Values of a run that are no tensors: sequences, optionals and maps. Generated code knows them by number.
//!
//! A value never changes: what inserts into a sequence makes another one that shares the elements.

use std::sync::Arc;

/// A tensor, a sequence, an optional or a map.
#[derive(Clone, Debug)]
pub enum Value {
    /// A tensor.
    Tensor(Arc<StoredTensor>),
    /// Values one after the other.
    Sequence(Arc<Vec<Value>>),
    /// A value, or none.
    Optional(Option<Arc<Value>>),
    /// Values by their keys: two lists of one length.
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
    /// The number of its element type in ONNX's `TensorProto.DataType`.
    pub kind: i64,
    /// Its extents.
    pub extents: Vec<usize>,
    /// Its elements; strings as the numbers of the run's table.
    pub bytes: Vec<u8>,
}

/// The values of a run by their numbers.
#[derive(Debug, Default)]
pub struct HandleTable {
    values: Vec<Option<Value>>,
    /// Numbers that are free.
    free: Vec<usize>,
    /// Numbers in the order in which they were given out.
    order: Vec<usize>,
}

impl HandleTable {
    /// Takes a value in and returns its number.
    pub fn insert(&mut self, value: Value) -> i64 {
        let number = self.free.pop().unwrap_or_else(|| {
            self.values.push(None);
            self.values.len() - 1
        });
        self.values[number] = Some(value);
        self.order.push(number);
        number as i64
    }

    /// The value of a number.
    pub fn get(&self, number: i64) -> Option<&Value> {
        self.values.get(usize::try_from(number).ok()?)?.as_ref()
    }

    /// How many values there are: what is taken in from here on is newer.
    pub(crate) fn mark(&self) -> i64 {
        self.order.len() as i64
    }

    /// Frees the values newer than `mark`, but for those `kept`.
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
