//! Custom operators: the structure `OrtCustomOp`, and kernels.
//!
//! Contract: the structure has the fields of its version, stays valid as long as sessions use it, and its functions follow the
//! header. Several threads may call them. They throw no exceptions.

#![allow(unsafe_code, reason = "operators are functions of C")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::mem::offset_of;
use std::sync::Arc;

use onnxc::{CustomCall, CustomKernel, CustomNode, Dimension, ElementType, Extents, NodeValue};
use ort_sys::{
    ORT_API_VERSION, OrtApi, OrtCustomOp, OrtErrorCode, OrtKernelContext, OrtKernelInfo, OrtShapeInferContext,
    OrtStatusPtr,
};

use crate::element;
use crate::env::Logging;
use crate::kernel_context::KernelContext;
use crate::kernel_info::{KernelInfo, Output};
use crate::raw::lent;
use crate::shape_context::ShapeContext;
use crate::status::{Result, Status};
use crate::table::api;

/// A custom operator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Operator(*const OrtCustomOp);

// SAFETY: the contract at the head.
unsafe impl Send for Operator {}
// SAFETY: the contract at the head.
unsafe impl Sync for Operator {}

type Count = unsafe extern "system" fn(*const OrtCustomOp) -> usize;
type Number = unsafe extern "system" fn(*const OrtCustomOp) -> c_int;
/// `GetInputType` and similar functions. Enumerations are integers, because C may return any.
type NumberAt = unsafe extern "system" fn(*const OrtCustomOp, usize) -> c_int;
type Name = unsafe extern "system" fn(*const OrtCustomOp) -> *const c_char;
type Create = unsafe extern "system" fn(*const OrtCustomOp, *const OrtApi, *const OrtKernelInfo) -> *mut c_void;
type CreateV2 = unsafe extern "system" fn(
    *const OrtCustomOp,
    *const OrtApi,
    *const OrtKernelInfo,
    *mut *mut c_void,
) -> OrtStatusPtr;
type Compute = unsafe extern "system" fn(*mut c_void, *mut OrtKernelContext);
type ComputeV2 = unsafe extern "system" fn(*mut c_void, *mut OrtKernelContext) -> OrtStatusPtr;
type Destroy = unsafe extern "system" fn(*mut c_void);
type Infer = unsafe extern "system" fn(*const OrtCustomOp, *mut OrtShapeInferContext) -> OrtStatusPtr;

/// The versions of the interface that introduced fields.
const WITH_OPTIONAL: u32 = 8;
const WITH_VARIADIC: u32 = 14;
const WITH_STATUS: u32 = 16;
const WITH_SHAPES: u32 = 17;

/// Whether inputs or outputs may be missing or repeated: `OrtCustomOpInputOutputCharacteristic`.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Characteristic {
    Required,
    Optional,
    Variadic,
}

/// The formal inputs or outputs of an operator.
struct Formals {
    what: &'static str,
    count: usize,
    types: Option<NumberAt>,
    characteristics: Option<NumberAt>,
    minimum: Option<Number>,
    is_homogeneous: Option<Number>,
}

/// Reads a function pointer of an operator; `None` if it is null, or if the operator's version does not have it.
macro_rules! function {
    ($operator:expr, $field:ident: $type:ty, since $version:expr) => {
        $operator.function::<$type>(offset_of!(OrtCustomOp, $field), $version)
    };
}

impl Operator {
    /// An operator from C.
    pub(crate) fn of(raw: *const OrtCustomOp) -> Result<Operator> {
        if raw.is_null() {
            return Err(Status::invalid("CustomOpDomain_Add: op is null"));
        }
        let operator = Operator(raw);
        let version = operator.version();
        if !(1..=ORT_API_VERSION).contains(&version) {
            let text = format!("the operator has the version {version}, supported are 1 to {ORT_API_VERSION}");
            return Err(Status::invalid(text));
        }
        operator.name()?;
        Ok(operator)
    }

    fn version(self) -> u32 {
        // SAFETY: the contract at the head.
        unsafe { (&raw const (*self.0).version).read() }
    }

    fn function<F: Copy>(self, offset: usize, since: u32) -> Option<F> {
        const { assert!(size_of::<Option<F>>() == size_of::<usize>()) };
        if self.version() < since {
            return None;
        }
        // SAFETY: the contract at the head; the field has this type, in which null is `None`.
        unsafe { self.0.cast::<u8>().add(offset).cast::<Option<F>>().read() }
    }

    /// The name.
    pub(crate) fn name(self) -> Result<String> {
        // SAFETY: the contract at the head.
        let name = function!(self, GetName: Name, since 1).map(|name| unsafe { name(self.0) });
        let name =
            name.filter(|name| !name.is_null()).ok_or_else(|| Status::invalid("a custom operator has no name"))?;
        // SAFETY: as above.
        let name = unsafe { CStr::from_ptr(name) }.to_str();
        name.map(str::to_string).map_err(|_| Status::invalid("the name of a custom operator is not UTF-8"))
    }

    fn number(self, function: Option<Number>) -> Option<i64> {
        // SAFETY: the contract at the head.
        function.map(|function| i64::from(unsafe { function(self.0) }))
    }

    /// The first and the last version of the domain that have the operator.
    pub(crate) fn versions(self) -> (i64, i64) {
        let first = self.number(function!(self, GetStartVersion: Number, since WITH_SHAPES));
        let last = self.number(function!(self, GetEndVersion: Number, since WITH_SHAPES));
        (first.unwrap_or(1), last.unwrap_or(i64::MAX))
    }

    fn formals(self, is_input: bool) -> Formals {
        // SAFETY: the contract at the head.
        let count = |count: Option<Count>| count.map_or(0, |count| unsafe { count(self.0) });
        match is_input {
            true => Formals {
                what: "input",
                count: count(function!(self, GetInputTypeCount: Count, since 1)),
                types: function!(self, GetInputType: NumberAt, since 1),
                characteristics: function!(self, GetInputCharacteristic: NumberAt, since WITH_OPTIONAL),
                minimum: function!(self, GetVariadicInputMinArity: Number, since WITH_VARIADIC),
                is_homogeneous: function!(self, GetVariadicInputHomogeneity: Number, since WITH_VARIADIC),
            },
            false => Formals {
                what: "output",
                count: count(function!(self, GetOutputTypeCount: Count, since 1)),
                types: function!(self, GetOutputType: NumberAt, since 1),
                characteristics: function!(self, GetOutputCharacteristic: NumberAt, since WITH_OPTIONAL),
                minimum: function!(self, GetVariadicOutputMinArity: Number, since WITH_VARIADIC),
                is_homogeneous: function!(self, GetVariadicOutputHomogeneity: Number, since WITH_VARIADIC),
            },
        }
    }

    /// Checks that the operator accepts a node; otherwise the error is why it does not.
    pub(crate) fn check(self, node: &CustomNode) -> Result<(), String> {
        let (first, last) = self.versions();
        if node.version() > last {
            return Err(format!("is of the versions {first} to {last}, the model imports {}", node.version()));
        }
        let inputs = self.formals(true);
        inputs.check(self, node.inputs())?;
        self.formals(false).check(self, node.outputs())?;
        for (at, input) in node.inputs().iter().enumerate() {
            let found = input.as_ref().and_then(NodeValue::element_type);
            match (inputs.element(self, at)?, found) {
                (Some(expected), Some(found)) if expected != found => {
                    return Err(format!("takes {expected} as input {at}, not {found}"));
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// The kernel of a node that the operator accepts.
    pub(crate) fn kernel(self, node: &CustomNode, name: [&str; 2], logging: &Arc<Logging>) -> Result<CustomKernel> {
        let outputs = self.outputs(node)?;
        let info = KernelInfo::new(node, name, self.versions().0, outputs.clone(), logging.clone())?;
        let kernel = Kernel::create(self, info)?;
        let types: Vec<ElementType> = outputs.iter().map(|(element, _)| *element).collect();
        let function = move |call: &CustomCall<'_>| {
            let context = KernelContext::new(call, &types, kernel.info.logging.clone());
            context.and_then(|context| kernel.compute(context)).map_err(Status::into_error)
        };
        let kernel = CustomKernel::new(function);
        Ok(outputs.into_iter().fold(kernel, |kernel, (element, shape)| {
            kernel.output(element, shape.map_or(Extents::Declared, Extents::List))
        }))
    }

    /// Types and extents of a node's outputs. Extents that neither the operator nor the model gives are unknown.
    fn outputs(self, node: &CustomNode) -> Result<Vec<Output>> {
        let inferred = self.infer(node)?;
        let formals = self.formals(false);
        let one = |(at, output): (usize, &Option<NodeValue>)| {
            let (inferred_element, inferred) = inferred.get(at).cloned().flatten().unwrap_or((None, None));
            let stated = formals.element(self, at).map_err(Status::invalid)?;
            let declared = output.as_ref().and_then(NodeValue::element_type);
            let element = match output {
                Some(_) => stated.or(declared).or(inferred_element),
                None => Some(stated.unwrap_or(ElementType::F32)),
            };
            let name = output.as_ref().map_or("", NodeValue::name);
            let missing = format!("the element type of output '{name}' is not known; the model must declare it");
            let element = element.ok_or_else(|| Status::new(OrtErrorCode::ORT_INVALID_GRAPH, missing))?;
            let shape = inferred.or_else(|| Some(output.as_ref()?.shape()?.to_vec()));
            Ok((element, shape))
        };
        node.outputs().iter().enumerate().map(one).collect()
    }

    /// What the operator's shape inference finds for each output.
    #[expect(clippy::type_complexity, reason = "it is a list of optional pairs")]
    fn infer(self, node: &CustomNode) -> Result<Vec<Option<(Option<ElementType>, Option<Vec<Dimension>>)>>> {
        let Some(infer) = function!(self, InferOutputShapeFn: Infer, since WITH_SHAPES) else { return Ok(Vec::new()) };
        let mut context = ShapeContext::new(node);
        // SAFETY: the contract at the head.
        Status::of_raw(unsafe { infer(self.0, lent(&context).cast_mut()) })?;
        Ok(context.take())
    }
}

impl Formals {
    fn characteristic(&self, operator: Operator, at: usize) -> Characteristic {
        // SAFETY: the contract at the head.
        match self.characteristics.map_or(0, |function| unsafe { function(operator.0, at) }) {
            1 => Characteristic::Optional,
            2 => Characteristic::Variadic,
            _ => Characteristic::Required,
        }
    }

    /// The formal input or output of an actual one. A variadic one is the last.
    fn formal(&self, operator: Operator, at: usize) -> Option<usize> {
        let last = self.count.checked_sub(1)?;
        (at <= last || self.characteristic(operator, last) == Characteristic::Variadic).then_some(at.min(last))
    }

    /// Checks the number of inputs or outputs, and that required ones are present.
    fn check(&self, operator: Operator, values: &[Option<NodeValue>]) -> Result<(), String> {
        let what = self.what;
        if let Some(at) = (0..values.len()).find(|&at| self.formal(operator, at).is_none()) {
            return Err(format!("has {} {what}s, not {}", self.count, at.max(values.len())));
        }
        for at in 0..self.count {
            let is_given = values.get(at).is_some_and(Option::is_some);
            match self.characteristic(operator, at) {
                Characteristic::Required if !is_given => return Err(format!("requires {what} {at}")),
                Characteristic::Variadic => {
                    let minimum = operator.number(self.minimum).unwrap_or(1);
                    let minimum = usize::try_from(minimum).unwrap_or(0);
                    let found = values.len().saturating_sub(at);
                    if found < minimum {
                        return Err(format!("requires {minimum} {what}s from {what} {at} on, not {found}"));
                    }
                }
                Characteristic::Required | Characteristic::Optional => {}
            }
        }
        Ok(())
    }

    /// The element type of an input or output; `None` if the operator leaves it open.
    fn element(&self, operator: Operator, at: usize) -> Result<Option<ElementType>, String> {
        let (Some(types), Some(formal)) = (self.types, self.formal(operator, at)) else { return Ok(None) };
        let is_variadic = self.characteristic(operator, formal) == Characteristic::Variadic;
        if is_variadic && operator.number(self.is_homogeneous) == Some(0) {
            return Ok(None);
        }
        // SAFETY: the contract at the head.
        match unsafe { types(operator.0, formal) } {
            0 => Ok(None),
            number => element::of_number(number).map(Some).map_err(|status| status.to_string()),
        }
    }
}

/// A kernel: the state of an operator for a node.
struct Kernel {
    operator: Operator,
    state: *mut c_void,
    info: KernelInfo,
}

// SAFETY: the contract at the head.
unsafe impl Send for Kernel {}
// SAFETY: the contract at the head.
unsafe impl Sync for Kernel {}

impl Kernel {
    /// Creates a kernel. Values of the node that C gets are valid as long as the kernel.
    fn create(operator: Operator, info: KernelInfo) -> Result<Kernel> {
        let mut kernel = Kernel { operator, state: std::ptr::null_mut(), info };
        let info = lent(&kernel.info);
        let mut state = std::ptr::null_mut();
        let with_status = function!(operator, CreateKernelV2: CreateV2, since WITH_STATUS);
        match (with_status, function!(operator, CreateKernel: Create, since 1)) {
            // SAFETY: the contract at the head.
            (Some(create), _) => Status::of_raw(unsafe { create(operator.0, api(), info, &raw mut state) })?,
            // SAFETY: as above.
            (None, Some(create)) => state = unsafe { create(operator.0, api(), info) },
            (None, None) => return Err(Status::invalid("the operator has neither CreateKernel nor CreateKernelV2")),
        }
        kernel.state = state;
        Ok(kernel)
    }

    /// Computes the outputs of a call.
    fn compute(&self, context: KernelContext) -> Result<Vec<Option<onnxc::Tensor>>> {
        let raw = lent(&context).cast_mut();
        let with_status = function!(self.operator, KernelComputeV2: ComputeV2, since WITH_STATUS);
        match (with_status, function!(self.operator, KernelCompute: Compute, since 1)) {
            // SAFETY: the contract at the head.
            (Some(compute), _) => Status::of_raw(unsafe { compute(self.state, raw) })?,
            // SAFETY: as above.
            (None, Some(compute)) => unsafe { compute(self.state, raw) },
            (None, None) => return Err(Status::invalid("the operator has neither KernelCompute nor KernelComputeV2")),
        }
        context.finish()
    }
}

impl Drop for Kernel {
    fn drop(&mut self) {
        let destroy = function!(self.operator, KernelDestroy: Destroy, since 1);
        if let (Some(destroy), false) = (destroy, self.state.is_null()) {
            // SAFETY: the contract at the head; a kernel is destroyed once.
            unsafe { destroy(self.state) };
        }
    }
}
