//! Runs.
//!
//! Contract: the arguments of `RunAsync` are valid until its callback returns.

#![allow(unsafe_code, reason = "a callback is a function of C")]

use std::ffi::{c_char, c_void};

use onnxc::{Input, Output, OutputBuffer, Port};
use ort_sys::{OrtErrorCode, OrtStatusPtr, OrtValue, RunAsyncCallbackFn};

use crate::dense::Dense;
use crate::raw::{List, Shared, Space, answer, behind, own};
use crate::run_options::RunOptions;
use crate::session::{Session, Version};
use crate::status::{Result, Status};
use crate::value::Value;

/// A requested output.
pub(crate) struct Wanted {
    /// The index of the model's output.
    pub(crate) at: usize,
    /// The preallocated value.
    pub(crate) value: Option<Value>,
}

impl Session {
    /// Runs the model. A preallocated output is written in place.
    pub(crate) fn run(
        &self,
        inputs: &[(&str, Option<&Value>)],
        wanted: Vec<Wanted>,
        limits: &onnxc::RunOptions,
    ) -> Result<Vec<Value>> {
        let names: Vec<&str> = inputs.iter().map(|(name, _)| *name).collect();
        let version = self.version(&names)?;
        let given = inputs.iter().map(|(name, value)| input(&version, name, *value)).collect::<Result<Vec<_>>>()?;
        let buffers: Vec<(&str, OutputBuffer<'_>)> =
            (0..wanted.len()).filter_map(|index| self.buffer(&wanted, index, inputs)).collect();
        let outputs = version.with_session(|session| session.run_partly_into(given, buffers, limits));
        let outputs = outputs.map_err(|error| Status::of_running(&error))?;
        let mut outputs: Vec<Option<Output>> = outputs.into_iter().map(Some).collect();
        let mut left: Vec<(usize, Value)> = Vec::new();
        for wanted in wanted {
            let port = &self.outputs()[wanted.at];
            let value = match (outputs[wanted.at].take(), left.iter().find(|(at, _)| *at == wanted.at)) {
                (Some(output), _) => place(output, wanted.value, port)?,
                // the output is requested twice
                (None, Some((_, value))) => duplicate(value, wanted.value, port)?,
                (None, None) => return Err(Status::refused(format!("output '{}' is missing", port.name()))),
            };
            left.push((wanted.at, value));
        }
        Ok(left.into_iter().map(|(_, value)| value).collect())
    }

    /// The memory of a preallocated output; `None` if it overlaps an input or another output, or has another type.
    fn buffer<'a>(
        &'a self,
        wanted: &'a [Wanted],
        index: usize,
        inputs: &[(&str, Option<&Value>)],
    ) -> Option<(&'a str, OutputBuffer<'a>)> {
        let Wanted { at, value: Some(Value::Tensor(dense)) } = &wanted[index] else { return None };
        let overlaps = |value: &Value| matches!(value, Value::Tensor(other) if other.overlaps(dense));
        let is_read = inputs.iter().any(|(_, value)| value.is_some_and(overlaps));
        let is_written =
            wanted[..index].iter().any(|other| other.at == *at || other.value.as_ref().is_some_and(overlaps));
        let port = &self.outputs()[*at];
        let is_of_type = port.element_type() == Some(dense.element);
        if is_read || is_written || !is_of_type { None } else { Some((port.name(), dense.buffer()?)) }
    }
}

/// The value of an output that is requested a second time.
fn duplicate(value: &Value, made: Option<Value>, port: &Port) -> Result<Value> {
    match made {
        Some(made) => copy(value, &made, port).map(|()| made),
        None => Ok(value.clone()),
    }
}

/// Converts an input.
fn input<'a>(version: &Version, name: &'a str, value: Option<&'a Value>) -> Result<(&'a str, Input<'a>)> {
    let port = version.model.inputs().iter().find(|port| port.name() == name);
    let port = port.ok_or_else(|| Status::invalid(format!("Invalid input name: {name}")))?;
    match (value, port.kind()) {
        (Some(value), _) => Ok((name, value.input(port.value_type())?)),
        (None, onnxc::PortKind::Optional) => Ok((name, Input::from(onnxc::Value::Optional(None)))),
        (None, _) => Err(Status::invalid(format!("NULL input supplied for input {name}"))),
    }
}

/// The value of a requested output.
fn place(output: Output, made: Option<Value>, port: &Port) -> Result<Value> {
    match (output, made) {
        (Output::Value(value), None) => Value::of_output(value, port.value_type()),
        (Output::Written { shape }, Some(Value::Tensor(dense))) => {
            expect_shape(&shape, &dense.shape, port)?;
            Ok(Value::Tensor(dense))
        }
        (Output::Value(value), Some(made)) => {
            let value = Value::of_output(value, port.value_type())?;
            copy(&value, &made, port)?;
            Ok(made)
        }
        (Output::Written { .. }, _) => {
            Err(Status::refused(format!("output '{}' was not returned by the run", port.name())))
        }
    }
}

fn expect_shape(found: &[usize], made: &[i64], port: &Port) -> Result<()> {
    let is_same =
        found.len() == made.len() && found.iter().zip(made).all(|(&found, &made)| i64::try_from(found) == Ok(made));
    let wrong = || {
        Status::invalid(format!(
            "output '{}' has the shape {found:?}, the preallocated value has {made:?}",
            port.name()
        ))
    };
    if is_same { Ok(()) } else { Err(wrong()) }
}

/// Copies an output to a preallocated value.
fn copy(value: &Value, made: &Value, port: &Port) -> Result<()> {
    let (element, shape) = value.element_and_shape()?;
    let (made_element, made_shape) = made.element_and_shape()?;
    if element != made_element {
        return Err(Status::invalid(format!(
            "output '{}' is {element:?}, the preallocated value is {made_element:?}",
            port.name()
        )));
    }
    let extents: Vec<usize> = shape.iter().map(|&extent| usize::try_from(extent).unwrap_or(0)).collect();
    expect_shape(&extents, made_shape, port)?;
    match (value, made) {
        (Value::Strings(value), Value::Strings(made)) => made.assign(value),
        _ => made.dense()?.write(Dense::bytes(value.dense()?))?,
    }
    Ok(())
}

/// The limits of a run.
pub(crate) fn limits(options: Option<&RunOptions>) -> Result<onnxc::RunOptions> {
    options.map_or_else(|| Ok(onnxc::RunOptions::new()), RunOptions::limits)
}

/// The arguments of an asynchronous run.
struct Task {
    session: Session,
    limits: onnxc::RunOptions,
    inputs: Vec<(String, Option<Value>)>,
    wanted: Vec<Wanted>,
}

impl Task {
    fn run(self) -> Result<Vec<Value>> {
        let inputs: Vec<(&str, Option<&Value>)> =
            self.inputs.iter().map(|(name, value)| (name.as_str(), value.as_ref())).collect();
        self.session.run(&inputs, self.wanted, &self.limits)
    }
}

/// The requested outputs.
fn wanted(session: &Session, names: &[&str], slots: &[*mut OrtValue]) -> Result<Vec<Wanted>> {
    let one = |(name, slot): (&&str, &*mut OrtValue)| {
        Ok(Wanted { at: session.output(name)?, value: behind::<Value>(slot.cast_const()).cloned() })
    };
    names.iter().zip(slots).map(one).collect()
}

/// Stores outputs that are not preallocated.
fn fill(slots: &mut [*mut OrtValue], values: Vec<Value>) {
    for (slot, value) in slots.iter_mut().zip(values) {
        if slot.is_null() {
            *slot = own(value);
        }
    }
}

/// The callback of `RunAsync` and its arguments.
struct Completion {
    callback: unsafe extern "C" fn(*mut c_void, *mut *mut OrtValue, usize, OrtStatusPtr),
    user_data: *mut c_void,
    slots: &'static mut [*mut OrtValue],
}

// SAFETY: the contract at the head.
unsafe impl Send for Completion {}

impl Completion {
    /// Runs a task and calls the callback.
    fn complete(self, task: Task) {
        let Completion { callback, user_data, slots } = self;
        let status = answer("RunAsync", || {
            fill(slots, task.run()?);
            Ok(())
        });
        let (outputs, count) = match status.0.is_null() {
            true => (slots.as_mut_ptr(), slots.len()),
            false => (std::ptr::null_mut(), 0),
        };
        // SAFETY: the contract at the head.
        unsafe { callback(user_data, outputs, count, status) };
    }
}

entries! {
    /// Runs a session. An output is allocated where `outputs` is null, and is otherwise written to the preallocated value. Null as
    /// the input of an optional is an empty optional.
    fn Run(
        session: Shared<'_, Session>, run_options: Option<&RunOptions>, input_names: List<'_, *const c_char>, inputs:
        List<'_, *const OrtValue>, input_len: usize, output_names: List<'_, *const c_char>, output_names_len: usize,
        outputs: Space<'_, *mut OrtValue>,
    ) {
        let slots = outputs.slots(output_names_len)?;
        let wanted = wanted(&session, &output_names.texts(output_names_len)?, slots)?;
        let names = input_names.texts(input_len)?;
        let given: Vec<(&str, Option<&Value>)> = names.into_iter().zip(inputs.handles::<Value>(input_len)?).collect();
        fill(slots, session.run(&given, wanted, &limits(run_options)?)?);
        Ok(())
    }

    /// Runs a session on another thread, which calls a callback at the end. Run options may be released when this returns; all other
    /// arguments must stay valid until the callback.
    fn RunAsync(
        session: Shared<'_, Session>, run_options: Option<&RunOptions>, input_names: List<'_, *const c_char>, input:
        List<'_, *const OrtValue>, input_len: usize, output_names: List<'_, *const c_char>, output_names_len: usize,
        output: Space<'static, *mut OrtValue>, run_async_callback: RunAsyncCallbackFn, user_data: *mut c_void,
    ) {
        let callback = run_async_callback.ok_or_else(|| Status::invalid("RunAsync: run_async_callback is null"))?;
        let slots = output.slots(output_names_len)?;
        let wanted = wanted(&session, &output_names.texts(output_names_len)?, slots)?;
        let names = input_names.texts(input_len)?.into_iter().map(str::to_string);
        let values = input.handles::<Value>(input_len)?.into_iter().map(Option::<&Value>::cloned);
        let inputs = names.zip(values).collect();
        let task = Task { session: Session::clone(&session), limits: limits(run_options)?, inputs, wanted };
        let completion = Completion { callback, user_data, slots };
        let thread = std::thread::Builder::new().name("onnxc-run".into()).spawn(move || completion.complete(task));
        thread.map(drop).map_err(|error| Status::new(OrtErrorCode::ORT_FAIL, format!("RunAsync: no thread: {error}")))
    }
}
