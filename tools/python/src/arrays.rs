//! Conversion of NumPy arrays in both directions, without copies.
//!
//! Contract: an [`Elements`] holds a reference to its array, so that its memory lives as long. Python code that changes
//! an array during a run changes what the run reads, as with every library that does not copy; it cannot make the run
//! leave the array's bounds. An array that this module creates owns a [`Buffer`], which owns the memory.

#![allow(unsafe_code, reason = "arrays are described by pointers")]

use std::ffi::c_int;

use driver::ml_dtype;
use ir::{Blob, Type};
use numpy::npyffi::{self, PY_ARRAY_API};
use numpy::{PyArrayDescr, PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

use crate::errors::wrong;
use crate::types::numpy_number;
use crate::values::Buffer;

/// The elements of a referenced array, in row-major order.
pub(crate) struct Elements {
    /// Keeps the memory alive; dropped with the interpreter attached.
    _array: Py<PyUntypedArray>,
    address: *const u8,
    bytes: usize,
    /// Extents.
    pub(crate) shape: Vec<i64>,
}

// SAFETY: the memory is only read, and a reference to the array keeps it alive.
unsafe impl Send for Elements {}
// SAFETY: as above.
unsafe impl Sync for Elements {}

impl Elements {
    /// The elements' bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        if self.bytes == 0 {
            return &[];
        }
        // SAFETY: see the contract above.
        unsafe { std::slice::from_raw_parts(self.address, self.bytes) }
    }

    /// The elements of an array as an element type; arrays that are not contiguous, not aligned or of the other byte
    /// order are copied.
    pub(crate) fn of(array: &Bound<'_, PyAny>, element: &Type, name: &str) -> PyResult<Elements> {
        let py = array.py();
        let given = match array.cast::<PyUntypedArray>() {
            Ok(array) => array.clone(),
            Err(_) => as_array(array, element)?,
        };
        let dtype = given.dtype();
        if !is_of(&dtype, element)? {
            let (found, expected, array) = (dtype.str()?, driver::type_name(element), driver::array_type(element));
            let shape = given.shape();
            return Err(wrong(format!(
                "input '{name}' must be {expected}, found {found} {shape:?}; NumPy converts it: x.astype({array})"
            )));
        }
        let is_native = dtype.getattr("isnative")?.extract::<bool>()?;
        let ready = match given.is_c_contiguous() && is_native {
            true => given,
            false => {
                let native = dtype.call_method1("newbyteorder", ("=",))?;
                let copy = py.import("numpy")?.call_method1("ascontiguousarray", (&given, native))?;
                // it turns a scalar into an array of one axis
                copy.call_method1("reshape", (given.shape().to_vec(),))?.cast_into::<PyUntypedArray>()?
            }
        };
        let shape: Vec<i64> = ready.shape().iter().map(|&extent| extent as i64).collect();
        let width = element.byte_width().ok_or_else(|| wrong(format!("input '{name}' has strings")))?;
        let bytes = ready.len() * width;
        // SAFETY: it is an array.
        let address = unsafe { (*ready.as_array_ptr()).fields.data }.cast::<u8>().cast_const();
        Ok(Elements { _array: ready.unbind(), address, bytes, shape })
    }
}

/// Converts an object to an array: by DLPack, or as NumPy converts lists and scalars.
fn as_array<'py>(given: &Bound<'py, PyAny>, element: &Type) -> PyResult<Bound<'py, PyUntypedArray>> {
    let numpy = given.py().import("numpy")?;
    if given.hasattr("__dlpack__")? {
        return Ok(numpy.call_method1("from_dlpack", (given,))?.cast_into()?);
    }
    if given.hasattr("__array__")? {
        return Ok(numpy.call_method1("asarray", (given,))?.cast_into()?);
    }
    Ok(numpy.call_method1("asarray", (given, descriptor(given.py(), element)?))?.cast_into()?)
}

/// Whether an array's dtype is that of an element type.
fn is_of(dtype: &Bound<'_, PyArrayDescr>, element: &Type) -> PyResult<bool> {
    let found = dtype.num();
    Ok(match numpy_number(element) {
        // long and long long are equal here
        Some(7) => matches!(found, 7 | 9),
        Some(8) => matches!(found, 8 | 10),
        Some(expected) => found == expected,
        None => ml_dtype(element) == Some(dtype.getattr("name")?.extract::<String>()?.as_str()),
    })
}

/// NumPy's dtype for an element type.
pub(crate) fn descriptor<'py>(py: Python<'py>, element: &Type) -> PyResult<Bound<'py, PyArrayDescr>> {
    if let Some(number) = numpy_number(element) {
        // SAFETY: the number is one of NumPy's; the result is a new reference.
        let found = unsafe { PY_ARRAY_API.PyArray_DescrFromType(py, number as c_int) };
        // SAFETY: as above.
        return Ok(unsafe { Bound::from_owned_ptr_or_err(py, found.cast()) }?.cast_into()?);
    }
    let name = ml_dtype(element).ok_or_else(|| wrong(format!("NumPy has no type for {element}")))?;
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || {
        py.import("ml_dtypes").map(Bound::unbind).map_err(|_| {
            crate::errors::NotImplemented::new_err(format!(
                "arrays of {name} need the package ml_dtypes: pip install ml_dtypes"
            ))
        })
    })?;
    Ok(py.import("numpy")?.call_method1("dtype", (module.bind(py).getattr(name)?,))?.cast_into()?)
}

/// An array that owns elements, without a copy.
pub(crate) fn array<'py>(py: Python<'py>, element: &Type, shape: &[i64], data: Blob) -> PyResult<Bound<'py, PyAny>> {
    let descriptor = descriptor(py, element)?;
    let mut extents: Vec<npyffi::npy_intp> = shape.iter().map(|&extent| extent as npyffi::npy_intp).collect();
    let address = data.bytes().as_ptr().cast_mut();
    let buffer = Bound::new(py, Buffer::new(data))?;
    // SAFETY: the memory has the elements of the shape, and the array gets a reference to its owner. A run's output is
    // not shared, so that Python may write to it.
    unsafe {
        let array = PY_ARRAY_API.PyArray_NewFromDescr(
            py,
            npyffi::get_type_object(py, npyffi::NpyTypes::PyArray_Type),
            descriptor.into_ptr().cast(),
            extents.len() as c_int,
            extents.as_mut_ptr(),
            std::ptr::null_mut(),
            address.cast(),
            npyffi::NPY_ARRAY_CARRAY,
            std::ptr::null_mut(),
        );
        let array = Bound::from_owned_ptr_or_err(py, array)?;
        // takes the reference, also if it fails
        if PY_ARRAY_API.PyArray_SetBaseObject(py, array.as_ptr().cast(), buffer.into_ptr()) < 0 {
            return Err(PyErr::fetch(py));
        }
        Ok(array)
    }
}

/// The memory of an array that a run writes to.
pub(crate) struct Writable {
    _array: Py<PyUntypedArray>,
    address: *mut u8,
    bytes: usize,
    /// Extents.
    pub(crate) shape: Vec<i64>,
}

// SAFETY: a reference to the array keeps the memory alive, and one run writes to it.
unsafe impl Send for Writable {}

impl Writable {
    /// The memory of an array of an element type.
    pub(crate) fn of(array: &Bound<'_, PyAny>, element: &Type, name: &str) -> PyResult<Writable> {
        let refused = |what: &str| wrong(format!("the array for output '{name}' {what}"));
        let array = array.cast::<PyUntypedArray>().map_err(|_| refused("is not a NumPy array"))?.clone();
        let is_writable = array.getattr("flags")?.getattr("writeable")?.extract::<bool>()?;
        if !is_of(&array.dtype(), element)? || !array.dtype().getattr("isnative")?.extract::<bool>()? {
            return Err(refused(&format!("must be {}, found {}", driver::type_name(element), array.dtype().str()?)));
        }
        if !is_writable || !array.is_c_contiguous() || !array.is_aligned() {
            return Err(refused("is not writable, contiguous and aligned"));
        }
        let bytes = array.len() * element.byte_width().ok_or_else(|| refused("cannot have strings"))?;
        // SAFETY: it is an array.
        let address = unsafe { (*array.as_array_ptr()).fields.data }.cast::<u8>();
        let shape = array.shape().iter().map(|&extent| extent as i64).collect();
        Ok(Writable { _array: array.unbind(), address, bytes, shape })
    }

    /// The memory.
    pub(crate) fn bytes_mut(&mut self) -> &mut [u8] {
        if self.bytes == 0 {
            return &mut [];
        }
        // SAFETY: see the contract above.
        unsafe { std::slice::from_raw_parts_mut(self.address, self.bytes) }
    }
}
