//! Operators that a C function implements, as `include/onnxc_custom.h` declares it.
//!
//! Contract: the function follows the header. It uses a call and its tensors until it returns, writes only to the memory that `output`
//! returned, as many bytes as the output has, and passes valid extents, names and places for values. Several threads may call it.

#![allow(unsafe_code, reason = "this module is the boundary to C")]

use std::cell::RefCell;
use std::ffi::{CStr, c_char, c_int, c_void};

use driver::Blob;

use crate::{CustomCall, CustomOperator, ElementType, Error, Extents, Result, Tensor};

/// The function of an operator: `onnxc_function` of the header.
pub type CFunction = unsafe extern "C" fn(state: *mut c_void, call: *const CCall) -> *const c_char;

/// `onnxc_tensor` of the header.
#[repr(C)]
struct CTensor {
    element: i32,
    rank: usize,
    extents: *const i64,
    data: *const c_void,
}

/// A call of an operator: `onnxc_call` of the header.
#[repr(C)]
pub struct CCall {
    input_count: usize,
    inputs: *const CTensor,
    output: unsafe extern "C" fn(*const CCall, usize, usize, *const i64) -> *mut c_void,
    integer: unsafe extern "C" fn(*const CCall, *const c_char, *mut i64) -> c_int,
    real: unsafe extern "C" fn(*const CCall, *const c_char, *mut f32) -> c_int,
    /// What the functions above use.
    own: *const Own<'static>,
}

/// The state of a call.
struct Own<'c> {
    call: &'c CustomCall<'c>,
    types: &'c [ElementType],
    outputs: RefCell<Vec<Option<Made>>>,
}

/// An output that the function asked for.
#[derive(Clone)]
struct Made {
    shape: Vec<usize>,
    bytes: Blob,
}

/// The function and its state.
struct Function(CFunction, *mut c_void);

// SAFETY: the contract at the head.
unsafe impl Send for Function {}
// SAFETY: the contract at the head.
unsafe impl Sync for Function {}

impl CustomOperator {
    /// An operator that a C function computes, with the element types and extents of its outputs.
    ///
    /// # Safety
    /// The function follows `include/onnxc_custom.h`, and it and its state are valid as long as a compiler or a model has the operator.
    pub unsafe fn from_c(
        domain: impl Into<String>,
        name: impl Into<String>,
        since: i64,
        outputs: Vec<(ElementType, Extents)>,
        function: CFunction,
        state: *mut c_void,
    ) -> CustomOperator {
        let types: Vec<ElementType> = outputs.iter().map(|(element, _)| *element).collect();
        let function = Function(function, state);
        let operator = CustomOperator::new(domain, name, since, move |call| function.call(call, &types));
        outputs.into_iter().fold(operator, |operator, (element, extents)| operator.output(element, extents))
    }
}

impl Function {
    fn call(&self, call: &CustomCall<'_>, types: &[ElementType]) -> Result<Vec<Tensor>> {
        let views = (0..call.input_count()).map(|at| call.has_input(at).then(|| call.input(at)).transpose());
        let views = views.collect::<Result<Vec<_>>>()?;
        let inputs: Vec<CTensor> = views
            .iter()
            .map(|view| match view {
                Some(view) => CTensor {
                    element: view.element_type().onnx_number(),
                    rank: view.extents().len(),
                    extents: view.extents().as_ptr(),
                    data: view.as_bytes().as_ptr().cast(),
                },
                None => CTensor { element: 0, rank: 0, extents: std::ptr::null(), data: std::ptr::null() },
            })
            .collect();
        let own = Own { call, types, outputs: RefCell::new(vec![None; types.len()]) };
        let passed = CCall {
            input_count: inputs.len(),
            inputs: inputs.as_ptr(),
            output,
            integer,
            real,
            own: std::ptr::from_ref(&own).cast(),
        };
        // SAFETY: the contract at the head.
        let failure = unsafe {
            let failure = (self.0)(self.1, &raw const passed);
            (!failure.is_null()).then(|| CStr::from_ptr(failure).to_string_lossy().into_owned())
        };
        if let Some(failure) = failure {
            return Err(Error::input(failure));
        }
        let outputs = own.outputs.into_inner().into_iter().zip(types).enumerate();
        let missing = |at| Error::input(format!("the function made no output {at}"));
        outputs
            .map(|(at, (made, element))| {
                let Made { shape, bytes } = made.ok_or_else(|| missing(at))?;
                Tensor::from_bytes(*element, &shape, bytes.bytes())
            })
            .collect()
    }
}

/// The state of a call.
///
/// # Safety
/// The call is one that [`Function::call`] passes.
unsafe fn own<'c>(call: *const CCall) -> &'c Own<'c> {
    // SAFETY: the contract.
    unsafe { &*(*call).own.cast() }
}

/// Memory for an output.
unsafe extern "C" fn output(call: *const CCall, index: usize, rank: usize, extents: *const i64) -> *mut c_void {
    // SAFETY: the contract at the head.
    let (own, extents) =
        unsafe { (own(call), if rank == 0 { &[] } else { std::slice::from_raw_parts(extents, rank) }) };
    let shape: Option<Vec<usize>> = extents.iter().map(|&extent| usize::try_from(extent).ok()).collect();
    let memory = || {
        let (shape, width) = (shape?, own.types.get(index)?.byte_width()?);
        let length = shape.iter().try_fold(width, |bytes, &extent| bytes.checked_mul(extent))?;
        let mut address = std::ptr::null_mut();
        let bytes = Blob::try_build(length, |bytes| address = bytes.as_mut_ptr()).ok()?;
        *own.outputs.borrow_mut().get_mut(index)? = Some(Made { shape, bytes });
        Some(address.cast())
    };
    memory().unwrap_or(std::ptr::null_mut())
}

/// An attribute that is an integer.
unsafe extern "C" fn integer(call: *const CCall, name: *const c_char, value: *mut i64) -> c_int {
    // SAFETY: the contract at the head.
    unsafe {
        let found = CStr::from_ptr(name).to_str().ok().and_then(|name| own(call).call.integer(name));
        found.map(|found| value.write(found)).is_some().into()
    }
}

/// An attribute that is a number.
unsafe extern "C" fn real(call: *const CCall, name: *const c_char, value: *mut f32) -> c_int {
    // SAFETY: the contract at the head.
    unsafe {
        let found = CStr::from_ptr(name).to_str().ok().and_then(|name| own(call).call.float(name));
        found.map(|found| value.write(found)).is_some().into()
    }
}
