//! Maps and sets that keep the order of insertion.
//!
//! The hash is a fast one without a secret, for keys that are our own numbers, types and attributes. Maps whose keys a
//! model's author chooses freely, as the importer's maps of names, use `indexmap`'s own hash.

use rustc_hash::FxBuildHasher;

/// A map in the order of insertion.
pub type IndexMap<K, V> = indexmap::IndexMap<K, V, FxBuildHasher>;
/// A set in the order of insertion.
pub type IndexSet<T> = indexmap::IndexSet<T, FxBuildHasher>;
