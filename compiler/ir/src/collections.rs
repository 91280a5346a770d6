//! Maps and sets in insertion order.
//!
//! The hash is fast and not keyed, for keys that are ids, types and attributes. Maps whose keys are controlled by a
//! model's author, such as the importer's maps of names, use `indexmap`'s default hash.

use rustc_hash::FxBuildHasher;

/// A map in insertion order.
pub type IndexMap<K, V> = indexmap::IndexMap<K, V, FxBuildHasher>;
/// A set in insertion order.
pub type IndexSet<T> = indexmap::IndexSet<T, FxBuildHasher>;
