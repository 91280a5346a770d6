//! Kernel contexts: inputs and outputs of a call of a custom operator.

use std::sync::{Arc, Mutex, PoisonError};

use onnxc::{CustomCall, ElementType};
use ort_sys::{OrtLogger, OrtValue};

use crate::dense::{Dense, extents};
use crate::env::Logging;
use crate::raw::{List, Out, Shared, lent};
use crate::status::{Result, Status};
use crate::strings::Strings;
use crate::value::Value;

/// A call of a kernel.
pub(crate) struct KernelContext {
    inputs: Vec<Option<Value>>,
    outputs: Vec<Place>,
    logging: Arc<Logging>,
}

/// An output.
struct Place {
    element: ElementType,
    /// Whether the node has the output.
    is_read: bool,
    /// The value, whose address C knows.
    value: Mutex<Option<Box<Value>>>,
}

handles! { KernelContext => OrtKernelContext }

impl KernelContext {
    /// The context of a call, with the element types of the outputs. Inputs are read in place.
    pub(crate) fn new(call: &CustomCall<'_>, types: &[ElementType], logging: Arc<Logging>) -> Result<KernelContext> {
        let input = |at| call.has_input(at).then(|| input(call, at)).transpose();
        let inputs = (0..call.input_count()).map(input).collect::<Result<_>>()?;
        let place = |(output, &element): (&Option<_>, &ElementType)| Place {
            element,
            is_read: output.is_some(),
            value: Mutex::default(),
        };
        let outputs = call.node().outputs().iter().zip(types).map(place).collect();
        Ok(KernelContext { inputs, outputs, logging })
    }

    /// The outputs after the call; `None` where the kernel made none.
    pub(crate) fn finish(self) -> Result<Vec<Option<onnxc::Tensor>>> {
        let tensor = |place: Place| match place.value.into_inner().unwrap_or_else(PoisonError::into_inner).as_deref() {
            Some(Value::Tensor(dense)) => dense.to_tensor().map(Some),
            Some(other) => other.tensor().map(Some),
            None => Ok(None),
        };
        self.outputs.into_iter().map(tensor).collect()
    }
}

impl Place {
    /// The value with a shape, which is allocated by the first call; null if the node omits the output.
    fn allocate(&self, index: usize, shape: &[i64]) -> Result<*mut OrtValue> {
        if !self.is_read {
            return Ok(std::ptr::null_mut());
        }
        let mut value = self.value.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(known) = &*value
            && known.element_and_shape()?.1 != shape
        {
            return Err(Status::invalid(format!("output {index} was requested with another shape before {shape:?}")));
        }
        if value.is_none() {
            *value = Some(Box::new(match self.element {
                ElementType::String => Value::Strings(Arc::new(Strings::empty(shape)?)),
                element => Value::Tensor(Arc::new(Dense::zeros(element, shape)?)),
            }));
        }
        Ok(value.as_deref().map_or(std::ptr::null_mut(), |value| lent(value).cast_mut()))
    }
}

/// An input of a call.
fn input(call: &CustomCall<'_>, at: usize) -> Result<Value> {
    let Ok(view) = call.input(at) else {
        return Value::of_tensor(call.tensor(at).map_err(|error| Status::invalid(error.to_string()))?);
    };
    let (element, bytes) = (view.element_type(), view.as_bytes());
    if crate::element::packed_bits(element).is_some() {
        return Value::of_tensor(call.tensor(at).map_err(|error| Status::invalid(error.to_string()))?);
    }
    let shape: Vec<i64> = view.shape().iter().map(|&extent| i64::try_from(extent).unwrap_or(i64::MAX)).collect();
    let address = bytes.as_ptr().cast_mut().cast();
    Ok(Value::Tensor(Arc::new(Dense::borrow(element, &shape, address, bytes.len(), None)?)))
}

fn outside(what: &str, index: usize, count: usize) -> Status {
    Status::invalid(format!("{what} index {index} is out of range: the node has {count}"))
}

entries! {
    /// Returns the number of inputs, also missing ones.
    fn KernelContext_GetInputCount(context: &KernelContext, out: Out<usize>) { out.set(context.inputs.len()) }

    /// Returns the number of outputs, also omitted ones.
    fn KernelContext_GetOutputCount(context: &KernelContext, out: Out<usize>) { out.set(context.outputs.len()) }

    /// Returns an input, which is valid until the kernel returns; null if it is missing.
    fn KernelContext_GetInput(context: &KernelContext, index: usize, out: Out<*const OrtValue>) {
        let input = context.inputs.get(index).ok_or_else(|| outside("input", index, context.inputs.len()))?;
        out.lend(input.as_ref())
    }

    /// Allocates an output, which is valid until the kernel returns; null if the node omits it.
    fn KernelContext_GetOutput(
        context: Shared<'_, KernelContext>, index: usize, dim_values: List<'_, i64>, dim_count: usize,
        out: Out<*mut OrtValue>,
    ) {
        let shape = dim_values.read(dim_count)?;
        extents(shape)?;
        let place = context.outputs.get(index).ok_or_else(|| outside("output", index, context.outputs.len()))?;
        out.set(place.allocate(index, shape)?)
    }

    /// Returns the logger of the session.
    fn KernelContext_GetLogger(context: &KernelContext, logger: Out<*const OrtLogger>) {
        logger.lend(Some(&*context.logging))
    }
}
