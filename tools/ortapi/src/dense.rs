//! Dense tensors of numbers and booleans.
//!
//! Contract: memory of the caller outlives the values that view it, and is not written by others while a run reads or writes it.
//! The memory of a run's output belongs to the value alone, so that C code may write to it.

#![allow(unsafe_code, reason = "memory of C is described by pointers")]

use std::borrow::Cow;
use std::ffi::c_void;

use onnxc::{ElementType, Input, OutputBuffer, TensorView};

use crate::element;
use crate::memory::Allocator;
use crate::status::{Result, Status};

/// A tensor of numbers or booleans.
#[derive(Debug)]
pub(crate) struct Dense {
    pub(crate) element: ElementType,
    pub(crate) shape: Vec<i64>,
    memory: Memory,
}

#[derive(Debug)]
enum Memory {
    /// Memory of the caller.
    Borrowed { address: *mut u8, bytes: usize },
    /// Memory that is freed by an allocator.
    Allocated { address: *mut u8, bytes: usize, allocator: Allocator },
    /// An output of a run.
    Output(onnxc::Tensor),
}

// SAFETY: the contract at the head.
unsafe impl Send for Dense {}
// SAFETY: the contract at the head.
unsafe impl Sync for Dense {}

impl Drop for Dense {
    fn drop(&mut self) {
        match self.memory {
            Memory::Allocated { address, allocator, .. } => allocator.free(address.cast()),
            Memory::Borrowed { .. } | Memory::Output(_) => {}
        }
    }
}

/// Extents as `usize`, and the number of elements.
pub(crate) fn extents(shape: &[i64]) -> Result<(Vec<usize>, usize)> {
    let extents: Option<Vec<usize>> = shape.iter().map(|&extent| usize::try_from(extent).ok()).collect();
    let extents = extents.ok_or_else(|| Status::invalid(format!("the shape {shape:?} has a negative extent")))?;
    let count = extents.iter().try_fold(1usize, |count, &extent| count.checked_mul(extent));
    let count = count.ok_or_else(|| Status::invalid(format!("the shape {shape:?} has too many elements")))?;
    Ok((extents, count))
}

/// The size of a tensor in bytes.
fn bytes_of(element: ElementType, shape: &[i64]) -> Result<usize> {
    let (_, count) = extents(shape)?;
    let bytes = element::byte_count(element, count);
    bytes.ok_or_else(|| Status::invalid(format!("a tensor {element} {shape:?} has no size in bytes")))
}

impl Dense {
    /// Allocates a tensor of zeros.
    pub(crate) fn allocate(allocator: Allocator, element: ElementType, shape: &[i64]) -> Result<Dense> {
        let bytes = bytes_of(element, shape)?;
        let address = allocator.allocate(bytes)?.cast::<u8>();
        // SAFETY: the memory is new and has this size.
        unsafe { address.write_bytes(0, bytes) };
        Ok(Dense { element, shape: shape.to_vec(), memory: Memory::Allocated { address, bytes, allocator } })
    }

    /// A tensor in the caller's memory. `deleter` frees the memory with the tensor, if given.
    pub(crate) fn borrow(
        element: ElementType,
        shape: &[i64],
        address: *mut c_void,
        room: usize,
        deleter: Option<Allocator>,
    ) -> Result<Dense> {
        let bytes = bytes_of(element, shape)?;
        if bytes > room {
            return Err(Status::invalid(format!(
                "a tensor {element} {shape:?} takes {bytes} bytes, the memory has {room}"
            )));
        }
        if address.is_null() && bytes > 0 {
            return Err(Status::invalid(format!("the memory of a tensor {element} {shape:?} is null")));
        }
        let address = address.cast::<u8>();
        let memory = match deleter {
            Some(allocator) => Memory::Allocated { address, bytes, allocator },
            None => Memory::Borrowed { address, bytes },
        };
        Ok(Dense { element, shape: shape.to_vec(), memory })
    }

    /// An output of a run; sub-byte elements are packed.
    pub(crate) fn of_output(tensor: onnxc::Tensor) -> Result<Dense> {
        let element = tensor.element_type();
        let shape: Vec<i64> = tensor.shape().iter().map(|&extent| i64::try_from(extent).unwrap_or(i64::MAX)).collect();
        let Some(bits) = element::packed_bits(element) else {
            return Ok(Dense { element, shape, memory: Memory::Output(tensor) });
        };
        let own = Dense::allocate(Allocator::default(), element, &shape)?;
        own.write(&element::packed(bits, tensor.as_bytes()))?;
        Ok(own)
    }

    /// A tensor of zeros that [`Dense::to_tensor`] returns without a copy.
    pub(crate) fn zeros(element: ElementType, shape: &[i64]) -> Result<Dense> {
        let tensor = onnxc::Tensor::zeros(element, &extents(shape)?.0);
        Dense::of_output(tensor.map_err(|error| Status::invalid(error.to_string()))?)
    }

    /// A copy in memory of an allocator.
    pub(crate) fn copied(&self, allocator: Allocator) -> Result<Dense> {
        let copy = Dense::allocate(allocator, self.element, &self.shape)?;
        copy.write(self.bytes())?;
        Ok(copy)
    }

    /// The address of the elements.
    pub(crate) fn address(&self) -> *mut u8 {
        match &self.memory {
            Memory::Borrowed { address, .. } | Memory::Allocated { address, .. } => *address,
            Memory::Output(tensor) => tensor.as_bytes().as_ptr().cast_mut(),
        }
    }

    /// The size in bytes.
    pub(crate) fn byte_count(&self) -> usize {
        match &self.memory {
            Memory::Borrowed { bytes, .. } | Memory::Allocated { bytes, .. } => *bytes,
            Memory::Output(tensor) => tensor.as_bytes().len(),
        }
    }

    /// The elements.
    pub(crate) fn bytes(&self) -> &[u8] {
        if self.byte_count() == 0 {
            return &[];
        }
        // SAFETY: the contract at the head.
        unsafe { std::slice::from_raw_parts(self.address(), self.byte_count()) }
    }

    /// Writes the elements.
    pub(crate) fn write(&self, bytes: &[u8]) -> Result<()> {
        if bytes.len() != self.byte_count() {
            return Err(Status::invalid(format!("{} bytes do not fit a tensor of {}", bytes.len(), self.byte_count())));
        }
        // SAFETY: the contract at the head; memory may be the same.
        unsafe { std::ptr::copy(bytes.as_ptr(), self.address(), bytes.len()) };
        Ok(())
    }

    /// The memory as an output buffer of a run; `None` for packed elements, which a run cannot write.
    pub(crate) fn buffer(&self) -> Option<OutputBuffer<'_>> {
        if element::packed_bits(self.element).is_some() || self.byte_count() == 0 {
            return None;
        }
        // SAFETY: the contract at the head: this run is the only one to write there.
        let bytes = unsafe { std::slice::from_raw_parts_mut(self.address(), self.byte_count()) };
        Some(OutputBuffer::from_bytes(self.element, bytes))
    }

    /// Whether two tensors share memory.
    pub(crate) fn overlaps(&self, other: &Dense) -> bool {
        let [a, b] = [self, other].map(|dense| (dense.address().addr(), dense.address().addr() + dense.byte_count()));
        a.0 < b.1 && b.0 < a.1
    }

    /// The elements as the compiler stores them: sub-byte elements take a byte each.
    fn elements(&self) -> Result<Cow<'_, [u8]>> {
        match element::packed_bits(self.element) {
            Some(bits) => Ok(Cow::Owned(element::unpacked(self.element, bits, self.bytes(), extents(&self.shape)?.1))),
            None => Ok(Cow::Borrowed(self.bytes())),
        }
    }

    /// The tensor as an input of a run, which reads it in place unless its elements are packed.
    pub(crate) fn input(&self) -> Result<Input<'_>> {
        let (extents, _) = extents(&self.shape)?;
        match self.elements()? {
            Cow::Borrowed(bytes) => TensorView::from_bytes(self.element, &extents, bytes).map(Input::from),
            Cow::Owned(bytes) => onnxc::Tensor::from_bytes(self.element, &extents, &bytes).map(Input::from),
        }
        .map_err(|error| Status::invalid(error.to_string()))
    }

    /// A copy of the tensor.
    pub(crate) fn tensor(&self) -> Result<onnxc::Tensor> {
        let (extents, _) = extents(&self.shape)?;
        let elements = self.elements()?;
        if self.element == ElementType::Bool && elements.iter().any(|&byte| byte > 1) {
            return Err(Status::invalid("a bool is a byte that is neither 0 nor 1"));
        }
        onnxc::Tensor::from_bytes(self.element, &extents, &elements).map_err(|error| Status::invalid(error.to_string()))
    }

    /// The tensor, without a copy if it is one of [`Dense::zeros`].
    pub(crate) fn to_tensor(&self) -> Result<onnxc::Tensor> {
        match &self.memory {
            Memory::Output(tensor) if self.element != ElementType::Bool => Ok(tensor.clone()),
            _ => self.tensor(),
        }
    }

    /// The address of an element.
    pub(crate) fn address_of(&self, indices: &[i64]) -> Result<*mut u8> {
        let outside =
            || Status::invalid(format!("the indices {indices:?} are out of range for the shape {:?}", self.shape));
        let width = match (element::packed_bits(self.element), self.element.byte_width()) {
            (None, Some(width)) => width,
            _ => return Err(Status::invalid(format!("elements of {} have no address", self.element))),
        };
        if indices.len() != self.shape.len() {
            return Err(outside());
        }
        let step = |offset: i64, (&index, &extent): (&i64, &i64)| {
            (0..extent).contains(&index).then(|| offset * extent + index).ok_or_else(outside)
        };
        let offset = indices.iter().zip(&self.shape).try_fold(0, step)?;
        Ok(self.address().wrapping_add(offset as usize * width))
    }
}
