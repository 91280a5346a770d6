//! Sequences, optionals and maps in the C interface: all parts of an output are in one buffer, which is freed like that
//! of a tensor.
//!
//! The buffer begins with a node for each part, the root first and the children of one node together; then come
//! extents, elements and texts.

#![allow(unsafe_code, reason = "C callers read the memory by addresses")]

use std::collections::VecDeque;
use std::ffi::{c_char, c_void};

use crate::context::{self, RunContext};
use crate::handles::{StoredTensor, Value};
use crate::outputs;

/// The number of strings in ONNX's `TensorProto.DataType`.
const STRING: i64 = 8;

/// The alignment of elements: that of the largest.
const ALIGNMENT: usize = 16;

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i64)]
enum Kind {
    Tensor = 0,
    Sequence = 1,
    Optional = 2,
    Map = 3,
}

/// `NAME_value` of the C interface.
#[repr(C)]
struct Node {
    kind: Kind,
    /// The number of elements of a sequence, of values in an optional, or 2 for the keys and values of a map.
    count: i64,
    values: *const Node,
    /// The elements of a tensor.
    data: *const c_void,
    element_type: i64,
    rank: i64,
    shape: *const i64,
}

/// A part of a value.
enum Part<'v> {
    Value(&'v Value),
    /// The keys or the values of a map.
    Tensor(&'v StoredTensor),
}

impl<'v> Part<'v> {
    fn kind(&self) -> Kind {
        match self {
            Part::Tensor(_) | Part::Value(Value::Tensor(_)) => Kind::Tensor,
            Part::Value(Value::Sequence(_)) => Kind::Sequence,
            Part::Value(Value::Optional(_)) => Kind::Optional,
            Part::Value(Value::Map { .. }) => Kind::Map,
        }
    }

    fn tensor(&self) -> Option<&'v StoredTensor> {
        match self {
            Part::Tensor(tensor) => Some(tensor),
            Part::Value(Value::Tensor(tensor)) => Some(tensor),
            Part::Value(_) => None,
        }
    }

    fn inner(&self) -> Vec<Part<'v>> {
        match self {
            Part::Tensor(_) | Part::Value(Value::Tensor(_) | Value::Optional(None)) => vec![],
            Part::Value(Value::Sequence(values)) => values.iter().map(Part::Value).collect(),
            Part::Value(Value::Optional(Some(value))) => vec![Part::Value(value)],
            Part::Value(Value::Map { keys, values }) => vec![Part::Tensor(keys), Part::Tensor(values)],
        }
    }
}

/// A value of a run, by its handle, in a separate buffer; null if the allocation fails or the handle is invalid. Models
/// whose outputs are not all tensors have the address of this function.
#[unsafe(no_mangle)]
pub extern "C" fn rt_model_value(context: i64, number: i64) -> *mut u8 {
    let context = context::context(context);
    let value = context.handles().get(number).cloned();
    value.map_or(std::ptr::null_mut(), |value| export(&value, context))
}

/// A value in a separate buffer; null if the allocation fails.
fn export(value: &Value, context: &mut RunContext) -> *mut u8 {
    let mut waiting = VecDeque::from([Part::Value(value)]);
    // each part, with the index of its first child, and the number of its children
    let mut parts: Vec<(Part<'_>, usize, usize)> = Vec::new();
    let mut known = 1;
    while let Some(part) = waiting.pop_front() {
        let inner = part.inner();
        let count = inner.len();
        waiting.extend(inner);
        parts.push((part, known, count));
        known += count;
    }
    let strings = context.strings();
    let texts: Vec<_> = parts.iter().filter_map(|(part, ..)| part.tensor()).flat_map(numbers).collect();
    let texts: Vec<_> = texts.into_iter().map(|number| strings.text(number)).collect();
    let tensors = || parts.iter().filter_map(|(part, ..)| part.tensor());
    let extents_at = parts.len() * size_of::<Node>();
    let elements_at = extents_at + tensors().map(|tensor| size_of_val(&*tensor.extents)).sum::<usize>();
    let elements_at = elements_at.next_multiple_of(ALIGNMENT);
    let texts_at = elements_at + tensors().map(|tensor| room(tensor.bytes.len())).sum::<usize>();
    let start = outputs::allocate(texts_at + texts.iter().map(|text| text.len() + 1).sum::<usize>());
    if start.is_null() {
        return start;
    }
    let (mut extents, mut elements, mut text_end) = (extents_at, elements_at, texts_at);
    let mut texts = texts.iter();
    for (index, (part, first, count)) in parts.iter().enumerate() {
        let mut node = Node {
            kind: part.kind(),
            count: *count as i64,
            values: std::ptr::null(),
            data: std::ptr::null(),
            element_type: 0,
            rank: 0,
            shape: std::ptr::null(),
        };
        // SAFETY: the buffer has room for all nodes, extents, elements and texts, in this order.
        unsafe {
            if *count > 0 {
                node.values = start.cast::<Node>().add(*first);
            }
            if let Some(tensor) = part.tensor() {
                node.element_type = tensor.kind;
                node.rank = tensor.extents.len() as i64;
                node.shape = start.add(extents).cast();
                node.data = start.add(elements).cast();
                for &extent in &tensor.extents {
                    start.add(extents).cast::<i64>().write(extent as i64);
                    extents += size_of::<i64>();
                }
                if tensor.kind == STRING {
                    for (at, text) in texts.by_ref().take(numbers(tensor).count()).enumerate() {
                        let target = start.add(text_end);
                        start.add(elements).cast::<*const c_char>().add(at).write(target.cast());
                        target.copy_from_nonoverlapping(text.as_ptr(), text.len());
                        target.add(text.len()).write(0);
                        text_end += text.len() + 1;
                    }
                } else {
                    start.add(elements).copy_from_nonoverlapping(tensor.bytes.as_ptr(), tensor.bytes.len());
                }
                elements += room(tensor.bytes.len());
            }
            start.cast::<Node>().add(index).write(node);
        }
    }
    start
}

/// The bytes that elements take, with padding.
fn room(bytes: usize) -> usize {
    bytes.next_multiple_of(ALIGNMENT)
}

/// The strings of a tensor, by index; empty for other element types.
fn numbers(tensor: &StoredTensor) -> impl Iterator<Item = i64> {
    let (numbers, _) = tensor.bytes.as_chunks::<8>();
    let are_strings = tensor.kind == STRING;
    numbers.iter().filter(move |_| are_strings).map(|number| i64::from_le_bytes(*number))
}

#[cfg(test)]
mod tests {
    use std::ffi::CStr;
    use std::sync::Arc;

    use super::*;

    #[test]
    fn a_sequence_of_maps_is_read_by_addresses() {
        let mut context = RunContext::new(std::ptr::null_mut(), provide_nothing);
        let keys: Vec<u8> =
            ["cat", "dög"].iter().flat_map(|text| context.strings().number(text).to_le_bytes()).collect();
        let keys = Arc::new(StoredTensor { kind: STRING, extents: vec![2], bytes: keys });
        let of = |numbers: [f32; 2]| {
            let bytes = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
            Value::Map { keys: keys.clone(), values: Arc::new(StoredTensor { kind: 1, extents: vec![2], bytes }) }
        };
        let rows = [of([0.25, 0.75]), of([1.0, 0.0])].map(|row| Value::Optional(Some(Arc::new(row))));
        let value = Value::Sequence(Arc::new([rows.to_vec(), vec![Value::Optional(None)]].concat()));
        let start = export(&value, &mut context);
        // SAFETY: nodes refer to each other, and the buffer is not freed before the end.
        unsafe {
            let node = &*start.cast::<Node>();
            assert_eq!((node.kind, node.count), (Kind::Sequence, 3));
            let row = &*node.values.add(1);
            assert_eq!((row.kind, row.count), (Kind::Optional, 1));
            let [keys, values] = &*row.values.read().values.cast::<[Node; 2]>();
            assert_eq!((keys.kind, keys.element_type, keys.rank, *keys.shape), (Kind::Tensor, STRING, 1, 2));
            assert_eq!(CStr::from_ptr(*keys.data.cast::<*const c_char>().add(1)).to_str(), Ok("dög"));
            assert_eq!((values.element_type, *values.data.cast::<[f32; 2]>()), (1, [1.0, 0.0]));
            let none = &*node.values.add(2);
            assert!(none.kind == Kind::Optional && none.count == 0 && none.values.is_null());
            outputs::release(start);
        }
    }

    extern "C" fn provide_nothing(_: *mut c_void, _: i64, _: i64, _: *mut u8) -> *mut u8 {
        std::ptr::null_mut()
    }
}
