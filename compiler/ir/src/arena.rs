//! A map with dense keys whose values do not move while others are added.
//!
//! Values are in chunks: a growing map copies nothing and leaves no holes in the heap, whereas a vector would
//! reallocate.

use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use cranelift_entity::EntityRef;

/// Values of a chunk.
const CHUNK: usize = 32;

/// A map from the keys `0, 1, 2, …` to values.
#[derive(Clone, Debug)]
pub(crate) struct Arena<K, V> {
    /// All but the last have [`CHUNK`] values.
    chunks: Vec<Vec<V>>,
    keys: PhantomData<K>,
}

impl<K: EntityRef, V> Arena<K, V> {
    pub(crate) fn new() -> Arena<K, V> {
        Arena { chunks: Vec::new(), keys: PhantomData }
    }

    /// The key of the next value.
    pub(crate) fn next_key(&self) -> K {
        let full = self.chunks.len().saturating_sub(1) * CHUNK;
        K::new(full + self.chunks.last().map_or(0, Vec::len))
    }

    /// The number of values.
    pub(crate) fn len(&self) -> usize {
        self.next_key().index()
    }

    /// Adds a value.
    pub(crate) fn push(&mut self, value: V) -> K {
        let key = self.next_key();
        match self.chunks.last_mut() {
            Some(last) if last.len() < CHUNK => last.push(value),
            // most bodies are small: the first chunk grows with its contents
            None => self.chunks.push(vec![value]),
            Some(_) => {
                let mut chunk = Vec::with_capacity(CHUNK);
                chunk.push(value);
                self.chunks.push(chunk);
            }
        }
        key
    }
}

impl<K: EntityRef, V> Index<K> for Arena<K, V> {
    type Output = V;

    fn index(&self, key: K) -> &V {
        &self.chunks[key.index() / CHUNK][key.index() % CHUNK]
    }
}

impl<K: EntityRef, V> IndexMut<K> for Arena<K, V> {
    fn index_mut(&mut self, key: K) -> &mut V {
        &mut self.chunks[key.index() / CHUNK][key.index() % CHUNK]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Value;

    #[test]
    fn keys_are_dense() {
        let mut arena: Arena<Value, usize> = Arena::new();
        for number in 0..3 * CHUNK + 1 {
            assert_eq!(arena.next_key(), Value::from_u32(number as u32));
            assert_eq!(arena.push(number).index(), number);
        }
        arena[Value::new(CHUNK)] = 7;
        assert!((0..3 * CHUNK + 1).all(|at| arena[Value::new(at)] == if at == CHUNK { 7 } else { at }));
    }
}
