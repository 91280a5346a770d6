//! Tensors of strings.

use std::ffi::{c_char, c_void};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ort_sys::OrtErrorCode;

use crate::dense::extents;
use crate::raw::{List, Out, Space, Text};
use crate::status::{Result, Status};
use crate::value::Value;

/// A tensor of strings. Strings are bytes, which must be UTF-8 when a run reads them.
#[derive(Debug)]
pub(crate) struct Strings {
    pub(crate) shape: Vec<i64>,
    texts: Mutex<Vec<Vec<u8>>>,
}

impl Strings {
    /// A tensor of empty strings.
    pub(crate) fn empty(shape: &[i64]) -> Result<Strings> {
        let (_, count) = extents(shape)?;
        Ok(Strings { shape: shape.to_vec(), texts: Mutex::new(vec![Vec::new(); count]) })
    }

    /// An output of a run.
    pub(crate) fn of_output(tensor: &onnxc::Tensor) -> Result<Strings> {
        let texts = tensor.to_strings().map_err(|error| Status::of_running(&error))?;
        let texts = texts.into_iter().map(String::into_bytes).collect();
        let shape = tensor.shape().iter().map(|&extent| i64::try_from(extent).unwrap_or(i64::MAX)).collect();
        Ok(Strings { shape, texts: Mutex::new(texts) })
    }

    fn texts(&self) -> MutexGuard<'_, Vec<Vec<u8>>> {
        self.texts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A deep copy.
    pub(crate) fn copied(&self) -> Strings {
        Strings { shape: self.shape.clone(), texts: Mutex::new(self.texts().clone()) }
    }

    /// Assigns the strings of an output of the same shape.
    pub(crate) fn assign(&self, output: &Strings) {
        let texts = output.texts().clone();
        *self.texts() = texts;
    }

    /// The tensor as an input of a run.
    pub(crate) fn tensor(&self) -> Result<onnxc::Tensor> {
        let (extents, _) = extents(&self.shape)?;
        let texts = self.texts();
        let texts: Result<Vec<&str>, _> = texts.iter().map(|text| std::str::from_utf8(text)).collect();
        let texts = texts.map_err(|_| Status::invalid("a tensor has a string that is not UTF-8"))?;
        onnxc::Tensor::from_strings(&extents, &texts).map_err(|error| Status::invalid(error.to_string()))
    }

    fn fill(&self, texts: &[&str]) -> Result<()> {
        let mut own = self.texts();
        if texts.len() != own.len() {
            return Err(Status::invalid(format!("{} strings for a tensor of {}", texts.len(), own.len())));
        }
        own.iter_mut().zip(texts).for_each(|(own, text)| *own = text.as_bytes().to_vec());
        Ok(())
    }

    /// Calls a function with an element.
    fn with<T>(&self, index: usize, f: impl FnOnce(&mut Vec<u8>) -> Result<T>) -> Result<T> {
        let mut texts = self.texts();
        let count = texts.len();
        let outside = || Status::invalid(format!("index {index} is out of range for {count} strings"));
        f(texts.get_mut(index).ok_or_else(outside)?)
    }

    /// The concatenated strings, and the offset of each.
    fn content(&self) -> (Vec<u8>, Vec<usize>) {
        let texts = self.texts();
        let begins = texts.iter().scan(0, |next, text| Some(std::mem::replace(next, *next + text.len()))).collect();
        (texts.concat(), begins)
    }
}

fn too_small(needed: usize, given: usize) -> Status {
    Status::new(OrtErrorCode::ORT_INVALID_ARGUMENT, format!("the strings take {needed} bytes, the memory has {given}"))
}

entries! {
    /// Sets all elements.
    fn FillStringTensor(value: &mut Value, s: List<'_, *const c_char>, s_len: usize) {
        value.strings()?.fill(&s.texts(s_len)?)
    }

    /// Sets an element.
    fn FillStringTensorElement(value: &mut Value, s: Text<'_>, index: usize) {
        value.strings()?.with(index, |text| {
            *text = s.as_bytes().to_vec();
            Ok(())
        })
    }

    /// Resizes an element and returns its memory, which is valid until the next call.
    fn GetResizedStringTensorElementBuffer(
        value: &mut Value, index: usize, length_in_bytes: usize, buffer: Out<*mut c_char>,
    ) {
        value.strings()?.with(index, |text| {
            text.resize(length_in_bytes, 0);
            buffer.set(text.as_mut_ptr().cast())
        })
    }

    /// Returns the total length of all elements in bytes.
    fn GetStringTensorDataLength(value: &Value, len: Out<usize>) { len.set(value.strings()?.content().0.len()) }

    /// Returns the length of an element in bytes.
    fn GetStringTensorElementLength(value: &Value, index: usize, out: Out<usize>) {
        value.strings()?.with(index, |text| out.set(text.len()))
    }

    /// Copies all elements, concatenated without terminators, and the offset of each.
    fn GetStringTensorContent(
        value: &Value, s: Space<'_, c_void>, s_len: usize, offsets: Space<'_, usize>, offsets_len: usize,
    ) {
        let (bytes, begins) = value.strings()?.content();
        if bytes.len() > s_len {
            return Err(too_small(bytes.len(), s_len));
        }
        if begins.len() > offsets_len {
            return Err(Status::invalid(format!("{offsets_len} offsets for {} strings", begins.len())));
        }
        s.write_bytes(&bytes)?;
        offsets.write(&begins)
    }

    /// Copies an element without a terminator.
    fn GetStringTensorElement(value: &Value, s_len: usize, index: usize, s: Space<'_, c_void>) {
        value.strings()?.with(index, |text| match text.len() <= s_len {
            true => s.write_bytes(text),
            false => Err(too_small(text.len(), s_len)),
        })
    }
}
