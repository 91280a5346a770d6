//! Runs a compiled part.

use std::sync::{Arc, Mutex, PoisonError};

use driver::{CompiledModel, DenseElements, Extent, Input, Output, Port, Session, Tensor, Type, Value};

use crate::api::KernelContext;
use crate::status::{Failure, Result};
use crate::values::STRING;

/// A node of ONNX Runtime's graph that is a compiled part. Several threads may run it at the same time.
pub(crate) struct Kernel {
    model: Arc<CompiledModel>,
    /// For each input of the model, the node's input.
    inputs: Vec<usize>,
    /// For each output of the model, the node's output.
    outputs: Vec<usize>,
    /// For each output of the model, its extents, if they are fixed or those of inputs.
    extents: Vec<Option<Vec<Known>>>,
    idle: Mutex<Vec<Session>>,
}

/// An extent that is known before a run.
enum Known {
    Fixed(i64),
    /// That of an axis of an input.
    Input {
        at: usize,
        axis: usize,
    },
}

/// An input of a run.
enum Given<'a> {
    Elements { element: &'a Type, shape: &'a [i64], bytes: &'a [u8] },
    Strings(Value),
}

impl Kernel {
    /// For a node with inputs and outputs of these names.
    pub(crate) fn new(model: Arc<CompiledModel>, inputs: &[String], outputs: &[String]) -> Result<Kernel> {
        let find = |names: &[String], port: &Port| {
            let missing = || Failure::new(format!("ONNX Runtime does not pass the value '{}'", port.name));
            names.iter().position(|name| *name == port.name).ok_or_else(missing)
        };
        let signature = &model.signature;
        let extents = signature.outputs.iter().map(|port| known_extents(port, &signature.inputs)).collect();
        Ok(Kernel {
            inputs: signature.inputs.iter().map(|port| find(inputs, port)).collect::<Result<_>>()?,
            outputs: signature.outputs.iter().map(|port| find(outputs, port)).collect::<Result<_>>()?,
            extents,
            idle: Mutex::default(),
            model,
        })
    }

    /// Runs it.
    pub(crate) fn run(&self, context: KernelContext<'_>) -> Result<()> {
        let mut given = Vec::with_capacity(self.inputs.len());
        for (port, &at) in self.model.signature.inputs.iter().zip(&self.inputs) {
            given.push(input(context, at, port)?);
        }
        let inputs: Vec<Input<'_>> = given.iter().map(Given::input).collect();
        let mut lent = Vec::with_capacity(self.outputs.len());
        for at in 0..self.outputs.len() {
            lent.push(self.memory(context, at, &given)?);
        }
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut session = idle.unwrap_or_else(|| Session::new(self.model.clone()));
        let outputs = session.run_with(&inputs, &mut lent, None);
        let is_lent: Vec<bool> = lent.into_iter().map(|memory| memory.is_some()).collect();
        let written = outputs.map_err(|diagnostics| Failure::of_running(&diagnostics));
        let written = written.and_then(|outputs| self.write(context, outputs, &is_lent, &given));
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(session);
        written
    }

    /// The memory of an output whose extents are known before the run.
    fn memory<'a>(&self, context: KernelContext<'a>, at: usize, given: &[Given<'_>]) -> Result<Option<&'a mut [u8]>> {
        let port = &self.model.signature.outputs[at];
        match (self.shape(at, given), port.element.byte_width()) {
            (Some(shape), Some(_)) => {
                let length = driver::byte_count(&port.element, &shape);
                let length = length.ok_or_else(|| Failure::new(format!("output '{}' is too large", port.name)))?;
                context.output(self.outputs[at], &shape)?.bytes_mut(length).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// The shape of an output, if it is known before the run.
    fn shape(&self, at: usize, given: &[Given<'_>]) -> Option<Vec<i64>> {
        let extent = |known: &Known| match known {
            Known::Fixed(extent) => Some(*extent),
            Known::Input { at, axis } => given[*at].shape().get(*axis).copied(),
        };
        self.extents[at].as_ref()?.iter().map(extent).collect()
    }

    /// Copies the outputs that the run did not write where they belong.
    fn write(
        &self,
        context: KernelContext<'_>,
        outputs: Vec<Output>,
        is_lent: &[bool],
        given: &[Given<'_>],
    ) -> Result<()> {
        for (at, output) in outputs.into_iter().enumerate() {
            let port = &self.model.signature.outputs[at];
            match output {
                Output::Written { shape, .. } if self.shape(at, given).as_ref() == Some(&shape) => {}
                Output::Value(Value::Tensor(tensor)) if !is_lent[at] => copy(context, self.outputs[at], &tensor)?,
                _ => return Err(Failure::new(format!("output '{}' has another shape than was inferred", port.name))),
            }
        }
        Ok(())
    }
}

impl Given<'_> {
    fn input(&self) -> Input<'_> {
        match self {
            Given::Elements { element, shape, bytes } => Input::Elements { element, shape, bytes },
            Given::Strings(value) => Input::Value(value),
        }
    }

    fn shape(&self) -> &[i64] {
        match self {
            Given::Elements { shape, .. } => shape,
            Given::Strings(value) => value.as_tensor().map_or(&[], |tensor| &tensor.shape),
        }
    }
}

/// The extents of an output, if each is fixed or that of an input.
fn known_extents(port: &Port, inputs: &[Port]) -> Option<Vec<Known>> {
    let known = |extent: &Extent| match extent {
        Extent::Fixed(extent) => Some(Known::Fixed(*extent)),
        Extent::Any => None,
        Extent::Named(_) => inputs.iter().enumerate().find_map(|(at, input)| {
            input.shape.iter().position(|other| other == extent).map(|axis| Known::Input { at, axis })
        }),
    };
    if port.is_container() { None } else { port.shape.iter().map(known).collect() }
}

/// Reads an input.
fn input<'a>(context: KernelContext<'a>, at: usize, port: &'a Port) -> Result<Given<'a>> {
    let missing = || Failure::invalid(format!("input '{}' is missing", port.name));
    let value = context.input(at)?.ok_or_else(missing)?;
    let (element, shape) = value.element_and_shape()?;
    if i64::from(element) != driver::type_number(&port.element) {
        return Err(Failure::invalid(format!("input '{}' has another element type than the model states", port.name)));
    }
    if element == STRING {
        let strings = value.strings(shape)?;
        let r#type = Type::static_tensor(shape, port.element.clone());
        let data = DenseElements::from_strings(r#type, &strings).data;
        let tensor = Tensor { element: port.element.clone(), shape: shape.to_vec(), data };
        return Ok(Given::Strings(tensor.into()));
    }
    let length = driver::byte_count(&port.element, shape).ok_or_else(missing)?;
    Ok(Given::Elements { element: &port.element, shape, bytes: value.bytes(length)? })
}

/// Writes an output.
fn copy(context: KernelContext<'_>, at: usize, tensor: &Tensor) -> Result<()> {
    let value = context.output(at, &tensor.shape)?;
    match tensor.strings() {
        Some(strings) => value.fill(&strings),
        None => {
            let bytes = tensor.data.bytes();
            value.bytes_mut(bytes.len())?.copy_from_slice(bytes);
            Ok(())
        }
    }
}
