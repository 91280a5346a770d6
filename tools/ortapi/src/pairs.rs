//! Lists of key-value pairs.
//!
//! Contract: the arrays of pointers refer to the strings of the same list, and are valid until the list changes.

#![allow(unsafe_code, reason = "the arrays hold pointers")]

use std::ffi::{CString, c_char};

use ort_sys::OrtKeyValuePairs;

use crate::raw::{Out, Released, Text};
use crate::status::c_text;

/// Key-value pairs in order of insertion.
#[derive(Debug, Default)]
pub(crate) struct KeyValuePairs {
    entries: Vec<(CString, CString)>,
    keys: Vec<*const c_char>,
    values: Vec<*const c_char>,
}

handles! { KeyValuePairs => OrtKeyValuePairs }

// SAFETY: the pointers are into the value's own texts.
unsafe impl Send for KeyValuePairs {}
// SAFETY: as above.
unsafe impl Sync for KeyValuePairs {}

impl KeyValuePairs {
    /// A list of pairs.
    pub(crate) fn of<'a>(pairs: impl IntoIterator<Item = (&'a str, &'a str)>) -> KeyValuePairs {
        let mut own = KeyValuePairs::default();
        pairs.into_iter().for_each(|(key, value)| own.set(key, value));
        own
    }

    fn set(&mut self, key: &str, value: &str) {
        let (key, value) = (c_text(key), c_text(value));
        match self.entries.iter_mut().find(|(known, _)| *known == key) {
            Some((_, old)) => *old = value,
            None => self.entries.push((key, value)),
        }
        self.point();
    }

    fn remove(&mut self, key: &str) {
        let key = c_text(key);
        self.entries.retain(|(known, _)| *known != key);
        self.point();
    }

    fn get(&self, key: &str) -> Option<&CString> {
        let key = c_text(key);
        self.entries.iter().find(|(known, _)| *known == key).map(|(_, value)| value)
    }

    /// Updates the arrays of pointers.
    fn point(&mut self) {
        (self.keys, self.values) = self.entries.iter().map(|(key, value)| (key.as_ptr(), value.as_ptr())).unzip();
    }
}

entries! {
    /// Creates an empty list.
    fn CreateKeyValuePairs(out: Out<*mut OrtKeyValuePairs>) -> () {
        let _ = out.give(KeyValuePairs::default());
    } else {}

    /// Sets the value of a key.
    fn AddKeyValuePair(kvps: &mut KeyValuePairs, key: Text<'_>, value: Text<'_>) -> () {
        if !key.is_empty() {
            kvps.set(key.0, value.0);
        }
    } else {}

    /// Returns the value of a key; null if there is none.
    fn GetKeyValue(kvps: &KeyValuePairs, key: Text<'_>) -> *const c_char {
        kvps.get(key.0).map_or(std::ptr::null(), |value| value.as_ptr())
    } else { std::ptr::null() }

    /// Returns all keys and values, which are valid until the list changes.
    fn GetKeyValuePairs(
        kvps: &KeyValuePairs, keys: Out<*const *const c_char>, values: Out<*const *const c_char>, num_entries:
        Out<usize>,
    ) -> () {
        let _ = keys.set(kvps.keys.as_ptr());
        let _ = values.set(kvps.values.as_ptr());
        let _ = num_entries.set(kvps.entries.len());
    } else {}

    /// Removes a key.
    fn RemoveKeyValuePair(kvps: &mut KeyValuePairs, key: Text<'_>) -> () { kvps.remove(key.0) } else {}

    /// Releases a list.
    fn ReleaseKeyValuePairs(_input: Released<KeyValuePairs>) -> () {} else {}
}
