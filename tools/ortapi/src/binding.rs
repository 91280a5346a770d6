//! IO bindings: inputs and outputs that are bound to a session before a run.

use std::ffi::c_char;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ort_sys::{OrtIoBinding, OrtValue};

use crate::memory::{Allocator, MemoryInfo};
use crate::raw::{Out, Released, Shared, Text, own};
use crate::run::{Wanted, limits};
use crate::run_options::RunOptions;
use crate::session::Session;
use crate::status::{Result, Status};
use crate::value::Value;

/// The inputs and outputs that are bound to a session.
pub(crate) struct Binding {
    session: Session,
    bound: Mutex<Bound>,
}

#[derive(Default)]
struct Bound {
    inputs: Vec<(String, Value)>,
    outputs: Vec<BoundOutput>,
}

struct BoundOutput {
    name: String,
    /// The preallocated value; without one each run allocates a new value.
    made: Option<Value>,
    /// The output of the last run.
    left: Option<Value>,
}

handles! { Binding => OrtIoBinding }

impl Binding {
    fn bound(&self) -> MutexGuard<'_, Bound> {
        self.bound.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn bind_input(&self, name: &str, value: Value) -> Result<()> {
        self.session.version(&[name])?;
        let mut bound = self.bound();
        bound.inputs.retain(|(known, _)| known != name);
        bound.inputs.push((name.to_string(), value));
        Ok(())
    }

    fn bind_output(&self, name: &str, made: Option<Value>) -> Result<()> {
        self.session.output(name)?;
        let mut bound = self.bound();
        let output = BoundOutput { name: name.to_string(), made, left: None };
        match bound.outputs.iter_mut().find(|known| known.name == name) {
            Some(known) => *known = output,
            None => bound.outputs.push(output),
        }
        Ok(())
    }

    fn run(&self, session: &Session, limits: &onnxc::RunOptions) -> Result<()> {
        let mut bound = self.bound();
        let Bound { inputs, outputs } = &mut *bound;
        // so that this run may reuse their memory
        outputs.iter_mut().for_each(|output| output.left = None);
        let wanted =
            |output: &BoundOutput| Ok(Wanted { at: session.output(&output.name)?, value: output.made.clone() });
        let wanted = outputs.iter().map(wanted).collect::<Result<Vec<_>>>()?;
        let given: Vec<(&str, Option<&Value>)> =
            inputs.iter().map(|(name, value)| (name.as_str(), Some(value))).collect();
        let values = session.run(&given, wanted, limits)?;
        outputs.iter_mut().zip(values).for_each(|(output, value)| output.left = Some(value));
        Ok(())
    }
}

entries! {
    /// Creates an empty binding.
    fn CreateIoBinding(session: Shared<'_, Session>, out: Out<*mut OrtIoBinding>) {
        out.give(Binding { session: Session::clone(&session), bound: Mutex::default() })
    }

    /// Binds an input. The binding shares the elements of the value.
    fn BindInput(binding_ptr: Shared<'_, Binding>, name: Text<'_>, val_ptr: &Value) {
        binding_ptr.bind_input(name.0, val_ptr.clone())
    }

    /// Binds an output to a preallocated value, which runs write to.
    fn BindOutput(binding_ptr: Shared<'_, Binding>, name: Text<'_>, val_ptr: &Value) {
        binding_ptr.bind_output(name.0, Some(val_ptr.clone()))
    }

    /// Binds an output for which each run allocates a value.
    fn BindOutputToDevice(binding_ptr: Shared<'_, Binding>, name: Text<'_>, mem_info_ptr: &MemoryInfo) {
        mem_info_ptr.expect_cpu()?;
        binding_ptr.bind_output(name.0, None)
    }

    /// Runs a session on the bound inputs and outputs.
    fn RunWithBinding(session: Shared<'_, Session>, run_options: Option<&RunOptions>, binding_ptr: &Binding) {
        binding_ptr.run(&session, &limits(run_options)?)
    }

    /// Returns the names of the bound outputs, concatenated without terminators, and the length of each.
    fn GetBoundOutputNames(
        binding_ptr: &Binding, allocator: Allocator, buffer: Out<*mut c_char>, lengths: Out<*mut usize>, count:
        Out<usize>,
    ) {
        let bound = binding_ptr.bound();
        let names: Vec<&str> = bound.outputs.iter().map(|output| &*output.name).collect();
        let sizes: Vec<usize> = names.iter().map(|name| name.len()).collect();
        count.set(names.len())?;
        if names.is_empty() {
            buffer.set(std::ptr::null_mut())?;
            return lengths.set(std::ptr::null_mut());
        }
        buffer.set(allocator.copy(names.concat().as_bytes())?.cast())?;
        lengths.set(allocator.copy(&sizes)?)
    }

    /// Returns the outputs of the last run, in the order in which they were bound. The values share their elements with the binding.
    fn GetBoundOutputValues(
        binding_ptr: &Binding, allocator: Allocator, output: Out<*mut *mut OrtValue>, output_count: Out<usize>,
    ) {
        let bound = binding_ptr.bound();
        let values = bound.outputs.iter().map(|output| output.left.clone().or_else(|| output.made.clone()));
        let missing = || Status::invalid("GetBoundOutputValues: an output has no value before the first run");
        let values: Vec<Value> = values.collect::<Option<_>>().ok_or_else(missing)?;
        output_count.set(values.len())?;
        if values.is_empty() {
            return output.set(std::ptr::null_mut());
        }
        let values: Vec<*mut OrtValue> = values.into_iter().map(own).collect();
        output.set(allocator.copy(&values)?)
    }

    /// Unbinds all inputs.
    fn ClearBoundInputs(binding_ptr: Shared<'_, Binding>) -> () { binding_ptr.bound().inputs.clear() } else {}

    /// Unbinds all outputs.
    fn ClearBoundOutputs(binding_ptr: Shared<'_, Binding>) -> () { binding_ptr.bound().outputs.clear() } else {}

    /// Does nothing: inputs are in host memory.
    fn SynchronizeBoundInputs(_binding_ptr: Shared<'_, Binding>) { Ok(()) }

    /// Does nothing: outputs are in host memory.
    fn SynchronizeBoundOutputs(_binding_ptr: Shared<'_, Binding>) { Ok(()) }

    /// Releases a binding.
    fn ReleaseIoBinding(_input: Released<Binding>) -> () {} else {}
}
