//! The boundary from Rust to ONNX Runtime: safe types for its handles and functions.
//!
//! Contract: the function tables are those that ONNX Runtime passed to `CreateEpFactories`, and live as long as it. A handle of a graph,
//! a node, a value or a kernel context is used during the call in which ONNX Runtime passed it, or passed what it belongs to; its lifetime
//! is that of the call. ONNX Runtime writes to a result only what the header documents. Arrays of handles have the length that the
//! preceding function returned. Strings that are not UTF-8 are read with replacement characters.

#![allow(unsafe_code, reason = "this module is the boundary")]

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::marker::PhantomData;
use std::path::PathBuf;

use ort_sys::{
    OrtApi, OrtApiBase, OrtErrorCode, OrtGraph, OrtKernelContext, OrtKeyValuePairs, OrtLogger, OrtLoggingLevel,
    OrtNode, OrtOpAttr, OrtOpAttrType, OrtSessionOptions, OrtStatusPtr, OrtValue, OrtValueInfo,
};

use crate::abi::{EpApi, FUNCTIONS};
use crate::status::{Failure, Result};

/// ONNX Runtime's function tables.
#[derive(Clone, Copy)]
pub(crate) struct Ort {
    pub(crate) api: &'static OrtApi,
    pub(crate) ep: &'static EpApi,
}

/// A handle that is valid during a call of ONNX Runtime.
pub(crate) struct Handle<'a, T> {
    pub(crate) ort: Ort,
    pub(crate) pointer: *const T,
    lifetime: PhantomData<&'a T>,
}

impl<T> Clone for Handle<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Handle<'_, T> {}

/// A graph.
pub(crate) type Graph<'a> = Handle<'a, OrtGraph>;
/// A node.
pub(crate) type Node<'a> = Handle<'a, OrtNode>;
/// The name and the type of a value in a graph.
pub(crate) type ValueInfo<'a> = Handle<'a, OrtValueInfo>;
/// A value of a run, or a constant.
pub(crate) type Value<'a> = Handle<'a, OrtValue>;
/// The inputs and outputs of a node in a run.
pub(crate) type KernelContext<'a> = Handle<'a, OrtKernelContext>;

impl<'a, T> Handle<'a, T> {
    /// A handle from C; an error if it is null.
    pub(crate) fn of(ort: Ort, pointer: *const T) -> Result<Handle<'a, T>> {
        match pointer.is_null() {
            true => Err(Failure::invalid("a handle is null")),
            false => Ok(Handle { ort, pointer, lifetime: PhantomData }),
        }
    }

    fn present(ort: Ort, pointer: *const T) -> Option<Handle<'a, T>> {
        Handle::of(ort, pointer).ok()
    }
}

/// A text from C; empty if it is null.
pub(crate) fn text(pointer: *const c_char) -> String {
    if pointer.is_null() {
        return String::new();
    }
    // SAFETY: the contract at the head.
    unsafe { CStr::from_ptr(pointer) }.to_string_lossy().into_owned()
}

/// A text for C; null characters inside become spaces.
pub(crate) fn c_text(text: &str) -> CString {
    CString::new(text.replace('\0', " ")).unwrap_or_default()
}

impl Ort {
    /// The function tables; `None` if ONNX Runtime is too old.
    ///
    /// # Safety
    /// The contract at the head.
    pub(crate) unsafe fn of(base: *const OrtApiBase) -> Option<Ort> {
        // SAFETY: the contract at the head.
        unsafe {
            let api = (base.as_ref()?.GetApi)(FUNCTIONS).as_ref()?;
            Some(Ort { api, ep: (api.GetEpApi)().cast::<EpApi>().as_ref()? })
        }
    }

    /// The status of an error.
    pub(crate) fn status(self, failure: &Failure) -> OrtStatusPtr {
        let message = c_text(&failure.message);
        // SAFETY: the contract at the head; ONNX Runtime copies the message.
        unsafe { (self.api.CreateStatus)(failure.code, message.as_ptr()) }
    }

    /// The error of a status.
    pub(crate) fn check(self, status: OrtStatusPtr) -> Result<()> {
        if status.0.is_null() {
            return Ok(());
        }
        // SAFETY: the status is ONNX Runtime's, and is released once.
        unsafe {
            let message = text((self.api.GetErrorMessage)(status.0));
            (self.api.ReleaseStatus)(status.0);
            Err(Failure { code: OrtErrorCode::ORT_EP_FAIL, message })
        }
    }

    /// The result that a function writes.
    fn get<T>(self, mut value: T, function: impl FnOnce(*mut T) -> OrtStatusPtr) -> Result<T> {
        self.check(function(&raw mut value))?;
        Ok(value)
    }

    /// The handles that a function writes to an array.
    fn list<'a, T>(
        self,
        count: usize,
        function: impl FnOnce(*mut *const T) -> OrtStatusPtr,
    ) -> Result<Vec<Option<Handle<'a, T>>>> {
        let mut pointers = vec![std::ptr::null(); count];
        self.check(function(pointers.as_mut_ptr()))?;
        Ok(pointers.into_iter().map(|pointer| Handle::present(self, pointer)).collect())
    }

    /// Key-value pairs.
    ///
    /// # Safety
    /// The pairs are ONNX Runtime's, or null.
    unsafe fn pairs(self, pairs: *const OrtKeyValuePairs) -> Vec<(String, String)> {
        let (mut keys, mut values, mut count) = (std::ptr::null(), std::ptr::null(), 0);
        // SAFETY: the contract at the head.
        unsafe {
            (self.api.GetKeyValuePairs)(pairs, &raw mut keys, &raw mut values, &raw mut count);
            (0..count).map(|at| (text(*keys.add(at)), text(*values.add(at)))).collect()
        }
    }

    /// The configuration entries of a session.
    pub(crate) fn entries(self, options: *const OrtSessionOptions) -> Result<Vec<(String, String)>> {
        // SAFETY: the contract at the head; the pairs are released once.
        unsafe {
            let pairs =
                self.get(std::ptr::null_mut(), |out| (self.api.GetSessionOptionsConfigEntries)(options, out))?;
            let entries = self.pairs(pairs);
            (self.api.ReleaseKeyValuePairs)(pairs);
            Ok(entries)
        }
    }

    /// Writes a message to a log.
    pub(crate) fn log(self, logger: *const OrtLogger, level: OrtLoggingLevel, message: &str) {
        let (message, file) = (c_text(message), c"onnxc");
        // SAFETY: the contract at the head. A message that cannot be written is dropped.
        let status = unsafe {
            (self.api.Logger_LogMessage)(logger, level, message.as_ptr(), file.as_ptr(), 0, c"onnxc".as_ptr())
        };
        let _ = self.check(status);
    }

    /// Creates an `EPContext` node.
    pub(crate) fn context_node(
        self,
        name: &str,
        inputs: &[String],
        outputs: &[String],
        attributes: Vec<*mut OrtOpAttr>,
    ) -> Result<*mut OrtNode> {
        let [inputs, outputs] =
            [inputs, outputs].map(|names| names.iter().map(|name| c_text(name)).collect::<Vec<_>>());
        let [given, made] = [&inputs, &outputs].map(|names| names.iter().map(|name| name.as_ptr()).collect::<Vec<_>>());
        let (name, mut attributes) = (c_text(name), attributes);
        // SAFETY: the contract at the head; ONNX Runtime copies texts and takes the attributes.
        unsafe {
            let editor = (self.api.GetModelEditorApi)().as_ref();
            let editor =
                editor.ok_or_else(|| Failure::refused("ONNX Runtime has no model editor for EPContext nodes"))?;
            self.get(std::ptr::null_mut(), |out| {
                (editor.CreateNode)(
                    c"EPContext".as_ptr(),
                    c"com.microsoft".as_ptr(),
                    name.as_ptr(),
                    given.as_ptr(),
                    given.len(),
                    made.as_ptr(),
                    made.len(),
                    attributes.as_mut_ptr(),
                    attributes.len(),
                    out,
                )
            })
        }
    }

    /// Creates an attribute, which [`Ort::context_node`] takes.
    pub(crate) fn attribute(self, name: &str, value: &AttributeValue) -> Result<*mut OrtOpAttr> {
        let name = c_text(name);
        let (data, length, kind): (*const c_void, usize, _) = match value {
            AttributeValue::Int(value) => (std::ptr::from_ref(value).cast(), 1, OrtOpAttrType::ORT_OP_ATTR_INT),
            AttributeValue::Bytes(bytes) => (bytes.as_ptr().cast(), bytes.len(), OrtOpAttrType::ORT_OP_ATTR_STRING),
        };
        let length = c_int::try_from(length).map_err(|_| Failure::refused("an attribute takes less than 2 GB"))?;
        // SAFETY: the contract at the head; ONNX Runtime copies the data.
        unsafe { self.get(std::ptr::null_mut(), |out| (self.api.CreateOpAttr)(name.as_ptr(), data, length, kind, out)) }
    }
}

/// The value of a created attribute.
pub(crate) enum AttributeValue {
    Int(i64),
    Bytes(Vec<u8>),
}

/// Defines a function that reads an array of handles with its count.
macro_rules! handles {
    ($($(#[$meta:meta])* $name:ident: $count:ident, $list:ident => $of:ty;)*) => {$(
        $(#[$meta])*
        pub(crate) fn $name(self) -> Result<Vec<Option<Handle<'a, $of>>>> {
            let ort = self.ort;
            // SAFETY: the contract at the head.
            unsafe {
                let count = ort.get(0, |out| (ort.api.$count)(self.pointer, out))?;
                ort.list(count, |out| (ort.api.$list)(self.pointer, out, count))
            }
        }
    )*};
}

/// Defines a function that reads a text.
macro_rules! texts {
    ($($(#[$meta:meta])* $name:ident: $function:ident;)*) => {$(
        $(#[$meta])*
        pub(crate) fn $name(self) -> Result<String> {
            // SAFETY: the contract at the head.
            let found = self.ort.get(std::ptr::null(), |out| unsafe { (self.ort.api.$function)(self.pointer, out) })?;
            Ok(text(found))
        }
    )*};
}

impl<'a> Graph<'a> {
    handles! {
        /// The inputs.
        inputs: Graph_GetNumInputs, Graph_GetInputs => OrtValueInfo;
        /// The outputs.
        outputs: Graph_GetNumOutputs, Graph_GetOutputs => OrtValueInfo;
        /// The initializers.
        initializers: Graph_GetNumInitializers, Graph_GetInitializers => OrtValueInfo;
        /// The nodes, in topological order.
        nodes: Graph_GetNumNodes, Graph_GetNodes => OrtNode;
    }

    /// The node that has this graph as an attribute.
    pub(crate) fn parent(self) -> Result<Option<Node<'a>>> {
        // SAFETY: the contract at the head.
        let node =
            self.ort.get(std::ptr::null(), |out| unsafe { (self.ort.api.Graph_GetParentNode)(self.pointer, out) });
        Ok(Handle::present(self.ort, node?))
    }

    /// The file of the model; empty if it was in memory.
    pub(crate) fn model_path(self) -> Result<PathBuf> {
        // SAFETY: the contract at the head.
        let path =
            self.ort.get(std::ptr::null(), |out| unsafe { (self.ort.api.Graph_GetModelPath)(self.pointer, out) });
        Ok(PathBuf::from(text(path?)))
    }

    /// The version of the ONNX format.
    pub(crate) fn ir_version(self) -> Result<i64> {
        // SAFETY: the contract at the head.
        self.ort.get(0, |out| unsafe { (self.ort.api.Graph_GetOnnxIRVersion)(self.pointer, out) })
    }

    /// The versions of operator sets, by domain.
    pub(crate) fn operator_sets(self) -> Result<Vec<(String, i64)>> {
        let ort = self.ort;
        // SAFETY: the contract at the head.
        unsafe {
            let count = ort.get(0, |out| (ort.api.Graph_GetNumOperatorSets)(self.pointer, out))?;
            let (mut domains, mut versions) = (vec![std::ptr::null(); count], vec![0; count]);
            let (names, numbers) = (domains.as_mut_ptr(), versions.as_mut_ptr());
            ort.check((ort.api.Graph_GetOperatorSets)(self.pointer, names, numbers, count))?;
            Ok(domains.into_iter().map(text).zip(versions).collect())
        }
    }
}

impl<'a> Node<'a> {
    texts! {
        /// The name; may be empty.
        name: Node_GetName;
        /// The operator.
        operator: Node_GetOperatorType;
        /// The domain of the operator.
        domain: Node_GetDomain;
    }

    handles! {
        /// The inputs; `None` for an optional one that is missing.
        inputs: Node_GetNumInputs, Node_GetInputs => OrtValueInfo;
        /// The outputs; `None` for an optional one that is missing.
        outputs: Node_GetNumOutputs, Node_GetOutputs => OrtValueInfo;
        /// The values of outer scopes that subgraphs read.
        implicit_inputs: Node_GetNumImplicitInputs, Node_GetImplicitInputs => OrtValueInfo;
        /// The attributes.
        attributes: Node_GetNumAttributes, Node_GetAttributes => OrtOpAttr;
    }

    /// The subgraphs, by the names of their attributes.
    pub(crate) fn subgraphs(self) -> Result<Vec<(String, Graph<'a>)>> {
        let ort = self.ort;
        // SAFETY: the contract at the head.
        unsafe {
            let count = ort.get(0, |out| (ort.api.Node_GetNumSubgraphs)(self.pointer, out))?;
            let mut names = vec![std::ptr::null(); count];
            let (of, list) = (self.pointer, names.as_mut_ptr());
            let graphs = ort.list(count, |out| (ort.api.Node_GetSubgraphs)(of, out, count, list))?;
            Ok(names.into_iter().map(text).zip(graphs).filter_map(|(name, graph)| Some((name, graph?))).collect())
        }
    }
}

impl<'a> Handle<'a, OrtOpAttr> {
    texts! {
        /// The name.
        name: OpAttr_GetName;
    }

    /// The kind, as a number of `OrtOpAttrType`.
    pub(crate) fn kind(self) -> Result<c_int> {
        // SAFETY: the contract at the head; the enumeration is an int.
        self.ort.get(0, |out: *mut c_int| unsafe { (self.ort.api.OpAttr_GetType)(self.pointer, out.cast()) })
    }

    /// The bytes of an attribute that is not a tensor or a graph.
    pub(crate) fn read(self, kind: OrtOpAttrType) -> Result<Vec<u8>> {
        let (ort, mut size) = (self.ort, 0);
        // SAFETY: the contract at the head. The first call returns the size, and an error unless that is 0.
        unsafe {
            let first = (ort.api.ReadOpAttr)(self.pointer, kind, std::ptr::null_mut(), 0, &raw mut size);
            if ort.check(first).is_ok() || size == 0 {
                return Ok(Vec::new());
            }
            // aligned for numbers
            let mut words = vec![0u64; size.div_ceil(8)];
            let data = words.as_mut_ptr().cast();
            ort.check((ort.api.ReadOpAttr)(self.pointer, kind, data, size, &raw mut size))?;
            Ok(words.iter().flat_map(|word| word.to_ne_bytes()).take(size).collect())
        }
    }

    /// Calls a function with the tensor of the attribute.
    pub(crate) fn with_tensor<T>(self, f: impl FnOnce(Value<'_>) -> Result<T>) -> Result<T> {
        let ort = self.ort;
        // SAFETY: the contract at the head; the tensor is released once, after its last use.
        unsafe {
            let value =
                ort.get(std::ptr::null_mut(), |out| (ort.api.OpAttr_GetTensorAttributeAsOrtValue)(self.pointer, out))?;
            let result = Handle::of(ort, value.cast_const()).and_then(f);
            (ort.api.ReleaseValue)(value);
            result
        }
    }
}

/// A constant in a file of external data.
pub(crate) struct External {
    pub(crate) file: PathBuf,
    pub(crate) offset: i64,
    pub(crate) length: usize,
}

impl<'a> ValueInfo<'a> {
    texts! {
        /// The name.
        name: GetValueInfoName;
    }

    fn is(self, function: unsafe extern "system" fn(*const OrtValueInfo, *mut bool) -> OrtStatusPtr) -> Result<bool> {
        // SAFETY: the contract at the head.
        self.ort.get(false, |out| unsafe { function(self.pointer, out) })
    }

    /// Whether every run gives the value.
    pub(crate) fn is_required_input(self) -> Result<bool> {
        self.is(self.ort.api.ValueInfo_IsRequiredGraphInput)
    }

    /// Whether it is an output of the graph.
    pub(crate) fn is_output(self) -> Result<bool> {
        self.is(self.ort.api.ValueInfo_IsGraphOutput)
    }

    /// The value of a constant; `None` for others.
    pub(crate) fn constant(self) -> Result<Option<Value<'a>>> {
        if !self.is(self.ort.api.ValueInfo_IsConstantInitializer)? {
            return Ok(None);
        }
        // SAFETY: the contract at the head.
        let value = self
            .ort
            .get(std::ptr::null(), |out| unsafe { (self.ort.api.ValueInfo_GetInitializerValue)(self.pointer, out) });
        Ok(Handle::present(self.ort, value?))
    }

    /// The file that a constant is in.
    pub(crate) fn external(self) -> Result<Option<External>> {
        let ort = self.ort;
        // SAFETY: the contract at the head; the description is released once.
        unsafe {
            let info =
                ort.get(std::ptr::null_mut(), |out| (ort.api.ValueInfo_GetExternalInitializerInfo)(self.pointer, out))?;
            if info.is_null() {
                return Ok(None);
            }
            let external = External {
                file: PathBuf::from(text((ort.api.ExternalInitializerInfo_GetFilePath)(info))),
                offset: (ort.api.ExternalInitializerInfo_GetFileOffset)(info),
                length: (ort.api.ExternalInitializerInfo_GetByteSize)(info),
            };
            (ort.api.ReleaseExternalInitializerInfo)(info);
            Ok(Some(external))
        }
    }
}

impl<'a> KernelContext<'a> {
    /// An input; `None` if it is missing.
    pub(crate) fn input(self, at: usize) -> Result<Option<Value<'a>>> {
        // SAFETY: the contract at the head.
        let value = self
            .ort
            .get(std::ptr::null(), |out| unsafe { (self.ort.api.KernelContext_GetInput)(self.pointer, at, out) });
        Ok(Handle::present(self.ort, value?))
    }

    /// Creates an output of a shape.
    pub(crate) fn output(self, at: usize, shape: &[i64]) -> Result<Value<'a>> {
        // SAFETY: the contract at the head. A run has its context alone.
        let value = self.ort.get(std::ptr::null_mut(), |out| unsafe {
            (self.ort.api.KernelContext_GetOutput)(self.pointer.cast_mut(), at, shape.as_ptr(), shape.len(), out)
        });
        Handle::of(self.ort, value?.cast_const())
    }
}
