//! Running a compiled model.

#![allow(unsafe_code, reason = "calls generated code and hands it addresses")]

use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::Arc;
use std::time::{Duration, Instant};

use data::{AlignedBytes, Blob};
use ir::{Diagnostic, IndexMap, IndexSet, Location, Result, Type};
use runtime::RunContext;
use runtime::stop::{Due, Stop, within};

use crate::model::CompiledModel;
use crate::options::INITIALIZE;
use crate::signature::Port;
use crate::tensor::Tensor;
use crate::value::{Input, Output, Value, bytes_in_run, tensor_of_run};

/// The memory for the outputs of one run, allocated when generated code asks for it.
struct Outputs {
    buffers: Vec<Option<AlignedBytes>>,
    /// Recent outputs of each port, to reuse their memory once the caller has dropped them.
    given: Vec<VecDeque<Blob>>,
    /// Inputs of this run whose memory an output of the same size may reuse.
    inputs: Vec<(AlignedBytes, usize)>,
    /// The caller's memory for outputs, which lives until the run returns: address and size.
    lent: Vec<Option<(*mut u8, usize)>>,
}

/// The number of remembered outputs per port: a caller may pass the last one as an input while the next is computed.
const REMEMBERED: usize = 2;

impl Outputs {
    fn provide(&mut self, index: usize, bytes: usize, over: *const u8) -> Option<*mut u8> {
        let slot = self.buffers.get_mut(index)?;
        if let Some((address, room)) = self.lent.get(index).copied().flatten()
            && bytes <= room
        {
            return Some(address);
        }
        let is_there = |(input, size): &(AlignedBytes, usize)| input.as_slice().as_ptr() == over && *size == bytes;
        if let Some(at) = self.inputs.iter().position(is_there) {
            return Some(slot.insert(self.inputs.swap_remove(at).0).as_mut_slice().as_mut_ptr());
        }
        let given = &mut self.given[index];
        let mut free = None;
        for _ in 0..given.len() {
            match given.pop_front()?.into_owned() {
                // a much larger buffer is not used for a small output
                Ok(buffer) if free.is_none() && (bytes..=2 * bytes).contains(&buffer.as_slice().len()) => {
                    free = Some(buffer);
                }
                Ok(_) => {}
                Err(shared) => given.push_back(shared),
            }
        }
        let buffer = match free {
            Some(buffer) => buffer,
            None => AlignedBytes::try_zeroed(bytes).ok()?,
        };
        Some(slot.insert(buffer).as_mut_slice().as_mut_ptr())
    }

    /// Takes the bytes of an input that is not referenced elsewhere, except by this session's remembered outputs; they
    /// stay in place until the end of the run.
    fn take(&mut self, input: Blob) -> std::result::Result<(), Blob> {
        for given in &mut self.given {
            given.retain(|output| output.bytes().as_ptr() != input.bytes().as_ptr());
        }
        let size = input.bytes().len();
        self.inputs.push((input.into_owned()?, size));
        Ok(())
    }

    fn remember(&mut self, index: usize, output: Blob) {
        let given = &mut self.given[index];
        given.push_back(output);
        if given.len() > REMEMBERED {
            given.pop_front();
        }
    }
}

extern "C" fn provide_output(host: *mut c_void, index: i64, bytes: i64, over: *mut u8) -> *mut u8 {
    // SAFETY: `host` is the session's `Outputs`, and no other code accesses it during a run.
    let outputs = unsafe { &mut *host.cast::<Outputs>() };
    let (Ok(index), Ok(bytes)) = (usize::try_from(index), usize::try_from(bytes)) else { return std::ptr::null_mut() };
    outputs.provide(index, bytes.max(1), over).unwrap_or(std::ptr::null_mut())
}

/// The time one kernel call of the model took in all runs.
#[derive(Clone, Debug)]
pub struct KernelTime {
    /// The kernel.
    pub kernel: String,
    /// The nodes of the model that it computes.
    pub nodes: Vec<String>,
    /// Their operators, without duplicates.
    pub operators: Vec<String>,
    /// Whether it runs once, before the first run.
    pub once: bool,
    /// Time in all.
    pub time: Duration,
    /// How often it ran.
    pub calls: u64,
}

/// Runs a model, one run at a time: scratch memory is kept between runs.
pub struct Session {
    model: Arc<CompiledModel>,
    context: RunContext,
    outputs: Box<Outputs>,
    /// The words of the last run: the context, inputs, outputs.
    table: Vec<i64>,
    has_run: bool,
    /// Whether the caller was warned of extents that contradict the model's declarations.
    has_warned: bool,
}

// SAFETY: the context's pointers are to memory that the session owns.
unsafe impl Send for Session {}

impl Session {
    /// A session without scratch memory.
    pub fn new(model: Arc<CompiledModel>) -> Session {
        let given = model.signature.outputs.iter().map(|_| VecDeque::new()).collect();
        let mut outputs = Box::new(Outputs { buffers: vec![], given, inputs: vec![], lent: vec![] });
        let host = (&raw mut *outputs).cast();
        let context = RunContext::new(host, provide_output).with_strings(&model.strings);
        Session { model, context, outputs, table: vec![], has_run: false, has_warned: false }
    }

    /// The model being run.
    pub fn model(&self) -> &Arc<CompiledModel> {
        &self.model
    }

    /// Runs once a model whose inputs and outputs are tensors. Inputs and outputs are in the order of the signature.
    pub fn run(&mut self, inputs: &[Tensor]) -> Result<Vec<Tensor>> {
        let inputs: Vec<Value> = inputs.iter().cloned().map(Value::from).collect();
        let outputs = self.run_values(&inputs)?.into_iter().zip(&self.model.signature.outputs);
        outputs
            .map(|(value, port)| match value {
                Value::Tensor(tensor) => Ok(tensor),
                Value::Sequence(_) | Value::Optional(_) | Value::Map { .. } => {
                    let message = format!("output '{}' is {}, no tensor", port.name, value.kind());
                    Err(Diagnostic::unsupported(Location::Unknown, message).into())
                }
            })
            .collect()
    }

    /// Runs the model once. Inputs and outputs are in the order of the signature.
    pub fn run_values(&mut self, inputs: &[Value]) -> Result<Vec<Value>> {
        Ok(self.run_with(&Input::of(inputs), &mut [], None)?.into_iter().filter_map(value_of).collect())
    }

    /// The same with inputs that the caller owns. An output for which `lent` has memory is written there; missing
    /// entries mean none. The elements of strings, sequences, optionals and maps cannot be lent. If `stop` ends the
    /// run, it returns an error.
    pub fn run_with(
        &mut self,
        inputs: &[Input<'_>],
        lent: &mut [Option<&mut [u8]>],
        stop: Option<&Stop>,
    ) -> Result<Vec<Output>> {
        let (table, _bound) = self.bind_all(inputs)?;
        self.outputs.lent.clear();
        self.outputs.lent.extend(lent.iter_mut().map(|lent| lent.as_mut().map(|lent| (lent.as_mut_ptr(), lent.len()))));
        let outputs = self.finish(inputs, table, stop);
        self.outputs.lent.clear();
        outputs
    }

    /// The same for a model whose outputs all have memory of the caller. If its extents are fixed, it has one thread and
    /// no strings, and its inputs are aligned, then no run after the first one allocates memory or calls the system.
    pub fn run_into(&mut self, inputs: &[Input<'_>], outputs: &mut [&mut [u8]]) -> Result<()> {
        let count = self.model.signature.outputs.len();
        if outputs.len() != count {
            let message = format!("the model has {count} outputs, and there is memory for {}", outputs.len());
            return Err(Diagnostic::input(Location::Unknown, message).into());
        }
        let (table, _bound) = self.bind_all(inputs)?;
        self.outputs.lent.clear();
        self.outputs.lent.extend(outputs.iter_mut().map(|lent| Some((lent.as_mut_ptr(), lent.len()))));
        let written = self.call(inputs, table, None).and_then(|first| self.write_all(first).map(|()| first));
        self.context.end_run();
        self.outputs.lent.clear();
        self.compare_names(inputs, written?)
    }

    /// Checks the inputs of a run, and makes its table; returns with it the copies that the run reads.
    fn bind_all(&mut self, inputs: &[Input<'_>]) -> Result<(Vec<i64>, Vec<Blob>)> {
        self.begin(inputs)?;
        let (mut table, mut bound) = (self.new_table(), Vec::new());
        for (at, input) in inputs.iter().enumerate() {
            match *input {
                Input::Value(value) => bound.extend(self.bind(at, value, &mut table)?),
                Input::Elements { element, shape, bytes } => {
                    bound.extend(bind_elements(element, self.extents(at, shape), bytes, &mut table))
                }
            }
        }
        Ok((table, bound))
    }

    /// A table in the memory of the last one.
    fn new_table(&mut self) -> Vec<i64> {
        let mut table = std::mem::take(&mut self.table);
        table.clear();
        table.push(self.context.address());
        table
    }

    /// The same, but an output that differs from an input in a few elements, such as a cache of keys, reuses the
    /// input's memory if neither the model nor another owner of its bytes reads the input afterwards.
    pub fn run_in_place(&mut self, mut inputs: Vec<Value>) -> Result<Vec<Value>> {
        self.begin(&Input::of(&inputs))?;
        let (mut table, mut bound) = (self.new_table(), Vec::new());
        for (at, value) in inputs.iter_mut().enumerate() {
            let own = self.bind(at, value, &mut table)?;
            if let (Value::Tensor(tensor), Some(own)) = (value, own) {
                let data = std::mem::replace(&mut tensor.data, Blob::copy_of(&[]));
                // either a copy, which is not shared, or the same bytes, which then have one owner
                let is_copy = own.bytes().as_ptr() != data.bytes().as_ptr();
                bound.extend(is_copy.then_some(own));
                bound.extend(self.outputs.take(data).err());
            }
        }
        let outputs = self.finish(&Input::of(&inputs), table, None);
        self.outputs.inputs.clear();
        Ok(outputs?.into_iter().filter_map(value_of).collect())
    }

    /// Checks the inputs of a run, and chooses the best code.
    fn begin(&mut self, inputs: &[Input<'_>]) -> Result<()> {
        self.outputs.inputs.clear();
        self.model.signature.check(inputs)?;
        if let Some(successor) = self.model.successor() {
            self.model = successor.clone();
        }
        if std::mem::replace(&mut self.has_run, true) {
            self.model.runs_again();
        }
        Ok(())
    }

    /// The extents of an input in the table: those of a scalar are none, whatever the rank of the one element.
    fn extents<'s>(&self, at: usize, shape: &'s [i64]) -> &'s [i64] {
        &shape[..self.model.signature.inputs[at].shape.len()]
    }

    /// Puts an input into the table; returns the bytes of a tensor, which must live until the end of the run.
    fn bind(&mut self, at: usize, value: &Value, table: &mut Vec<i64>) -> Result<Option<Blob>> {
        match value {
            Value::Tensor(tensor) => {
                let blob = bytes_in_run(tensor, &mut self.context);
                table.push(blob.bytes().as_ptr().expose_provenance() as i64);
                table.extend(self.extents(at, &tensor.shape));
                Ok(Some(blob))
            }
            Value::Sequence(_) | Value::Optional(_) | Value::Map { .. } => {
                let value = value.bind(&mut self.context).ok_or_else(|| {
                    let name = &self.model.signature.inputs[at].name;
                    let message = format!("input '{name}' has elements that sequences do not hold");
                    Diagnostic::unsupported(Location::Unknown, message)
                })?;
                table.push(self.context.handles().insert(value));
                Ok(None)
            }
        }
    }

    /// Runs the model on a table of its inputs.
    fn finish(&mut self, inputs: &[Input<'_>], table: Vec<i64>, stop: Option<&Stop>) -> Result<Vec<Output>> {
        let outputs =
            self.call(inputs, table, stop).and_then(|first| self.collect(first).map(|outputs| (first, outputs)));
        self.context.end_run();
        let (first, outputs) = outputs?;
        self.compare_names(inputs, first)?;
        Ok(outputs)
    }

    /// Runs the model on a table of its inputs, in which it adds the words of the outputs; returns the first one's index.
    fn call(&mut self, inputs: &[Input<'_>], mut table: Vec<i64>, stop: Option<&Stop>) -> Result<usize> {
        let first = table.len();
        let model = self.model.clone();
        let room: usize = model.signature.outputs.iter().map(|port| 1 + port.shape.len()).sum();
        table.resize(first + room, 0);
        self.outputs.buffers.clear();
        self.outputs.buffers.resize_with(model.signature.outputs.len(), || None);
        // only a model that may move to another tier needs the time of its runs
        let begin = model.successor.is_some().then(Instant::now);
        let status = within(stop, || model.main().call(&mut table, model.threads));
        begin.iter().for_each(|begin| model.ran(begin.elapsed()));
        self.table = table;
        if let Some(due) = stop.and_then(Stop::due) {
            return Err(ended(due).into());
        }
        let noted = |diagnostics: Vec<Diagnostic>| match (status, model.signature.open_extents(inputs)) {
            (0, _) | (_, None) => diagnostics,
            (_, Some(extents)) => {
                let note = format!("in this run {extents}");
                diagnostics.into_iter().map(|diagnostic| diagnostic.with_note(note.clone())).collect()
            }
        };
        model.check(status, &self.context).map_err(noted)?;
        Ok(first)
    }

    /// Checks that each named extent has one value in a run, whose outputs' words begin at `first`: otherwise an error if
    /// the model is strict, or one warning.
    fn compare_names(&mut self, inputs: &[Input<'_>], first: usize) -> Result<()> {
        if self.has_warned {
            return Ok(());
        }
        let ports = &self.model.signature.outputs;
        let extent = |output: usize, axis: usize| {
            let before: usize = ports.iter().take(output).map(|port| 1 + port.shape.len()).sum();
            let is_there = ports.get(output).is_some_and(|port| !port.is_container() && axis < port.shape.len());
            is_there.then(|| self.table.get(first + before + 1 + axis).copied()).flatten()
        };
        let Some(message) = self.model.signature.contradiction(inputs, extent) else { return Ok(()) };
        if self.model.refuse_violations {
            return Err(Diagnostic::input(Location::Unknown, message).into());
        }
        self.has_warned = true;
        self.model.reporter.warn(&[message]);
        Ok(())
    }

    /// Runs the model once on named inputs; missing ones have their defaults.
    pub fn run_named(&mut self, inputs: &IndexMap<String, Value>) -> Result<Vec<Value>> {
        let model = self.model.clone();
        let value = |port: &Port| {
            let default = || port.default.clone().map(Value::Tensor);
            let missing = || Diagnostic::input(Location::Unknown, format!("input '{}' is missing", port.name));
            inputs.get(&port.name).cloned().or_else(default).ok_or_else(missing)
        };
        let values = model.signature.inputs.iter().map(value).collect::<std::result::Result<Vec<_>, _>>()?;
        self.run_values(&values)
    }

    /// The time of each kernel call so far, if the model was compiled for profiling.
    pub fn profile(&self) -> Vec<KernelTime> {
        let words = self.model.globals.words(lower::low::profile::PROFILE);
        let entries = self.model.profiled.iter().zip(words.chunks_exact(2));
        entries
            .map(|(labels, words)| {
                let nodes = labels.get(2..).unwrap_or_default();
                let operators: IndexSet<&String> =
                    nodes.iter().filter_map(|node| self.model.operators.get(node)).collect();
                KernelTime {
                    kernel: labels.get(1).cloned().unwrap_or_default(),
                    nodes: nodes.to_vec(),
                    operators: operators.into_iter().cloned().collect(),
                    once: labels.first().is_some_and(|host| host == INITIALIZE),
                    time: Duration::from_nanos(words[0].max(0) as u64),
                    calls: words[1].max(0) as u64,
                }
            })
            .collect()
    }

    /// The outputs of a run, whose words begin at `first`.
    fn collect(&mut self, first: usize) -> Result<Vec<Output>> {
        let table = std::mem::take(&mut self.table);
        let model = self.model.clone();
        let outputs = words_of(&model.signature.outputs, &table[first..]).map(|(index, port, own)| -> Result<Output> {
            let output = match port.is_container() {
                true => {
                    let value = self.context.handles().get(own[0]).cloned();
                    value.and_then(|value| Value::read(&value, &mut self.context)).map(Output::Value)
                }
                false => self.tensor(index, port, &own[1..])?,
            };
            output.ok_or_else(|| no_output(port).into())
        });
        let outputs = outputs.collect();
        self.table = table;
        outputs
    }

    /// Finishes the outputs of a run that are all in the caller's memory.
    fn write_all(&mut self, first: usize) -> Result<()> {
        let model = self.model.clone();
        words_of(&model.signature.outputs, &self.table[first..]).try_for_each(|(index, port, own)| {
            let bytes = byte_count(port, &own[1..]).filter(|_| !port.is_container());
            match self.write(index, port, bytes.ok_or_else(|| no_output(port))?)? {
                Some(_) => Ok(()),
                None => Err(no_output(port).into()),
            }
        })
    }

    /// Finishes an output in the caller's memory, and returns its bytes; `None` if the caller lent none.
    fn write(&self, index: usize, port: &Port, bytes: usize) -> Result<Option<usize>> {
        let Some((address, room)) = self.outputs.lent.get(index).copied().flatten() else { return Ok(None) };
        if is_text(port) {
            let message =
                format!("output '{}' has strings, which cannot be written to memory of the caller", port.name);
            return Err(Diagnostic::unsupported(Location::Unknown, message).into());
        }
        if bytes > room {
            let message =
                format!("output '{}' needs {bytes} bytes, but the memory passed for it has {room}", port.name);
            return Err(Diagnostic::input(Location::Unknown, message).into());
        }
        // SAFETY: the caller of the run lent these bytes until it returns, and the run is over.
        trim(unsafe { std::slice::from_raw_parts_mut(address, bytes) }, &port.element);
        Ok(Some(bytes))
    }

    /// The tensor that a run produced as an output.
    fn tensor(&mut self, index: usize, port: &Port, shape: &[i64]) -> Result<Option<Output>> {
        let Some(bytes) = byte_count(port, shape) else { return Ok(None) };
        let shape = shape.to_vec();
        if let Some(bytes) = self.write(index, port, bytes)? {
            return Ok(Some(Output::Written { shape, bytes }));
        }
        let Some(mut buffer) = self.outputs.buffers[index].take() else { return Ok(None) };
        if is_text(port) {
            let tensor = tensor_of_run(&buffer.as_slice()[..bytes], shape, port.element.clone(), &mut self.context);
            return Ok(tensor.map(|tensor| Output::Value(tensor.into())));
        }
        trim(&mut buffer.as_mut_slice()[..bytes], &port.element);
        let buffer = Blob::from_owned(buffer);
        self.outputs.remember(index, buffer.clone());
        let tensor = buffer.window(0, bytes).and_then(|data| Tensor::new(port.element.clone(), shape, data));
        Ok(tensor.map(|tensor| Output::Value(tensor.into())))
    }
}

/// Each port with its index and its words in a table.
fn words_of<'t>(ports: &'t [Port], mut words: &'t [i64]) -> impl Iterator<Item = (usize, &'t Port, &'t [i64])> {
    ports.iter().enumerate().map(move |(index, port)| {
        let (own, rest) = words.split_at(1 + port.shape.len());
        words = rest;
        (index, port, own)
    })
}

fn is_text(port: &Port) -> bool {
    matches!(port.element, Type::Dialect(_))
}

/// The bytes of an output's buffer; strings are words. `None` if elements have no width.
fn byte_count(port: &Port, shape: &[i64]) -> Option<usize> {
    let width = if is_text(port) { Some(size_of::<i64>()) } else { port.element.byte_width() };
    width.map(|width| shape.iter().product::<i64>() as usize * width)
}

fn no_output(port: &Port) -> Diagnostic {
    Diagnostic::internal(Location::Unknown, format!("the run left no output '{}'", port.name))
}

/// Puts elements that the caller owns into the table; returns the copy that the run reads, if one is needed.
fn bind_elements(element: &Type, shape: &[i64], bytes: &[u8], table: &mut Vec<i64>) -> Option<Blob> {
    let is_aligned = (bytes.as_ptr() as usize).is_multiple_of(element.byte_width().unwrap_or(1));
    let copy = (!is_aligned).then(|| Blob::copy_of(bytes));
    let read = copy.as_ref().map_or(bytes, Blob::bytes);
    table.push(read.as_ptr().expose_provenance() as i64);
    table.extend(shape);
    copy
}

/// The output of a run without lent memory.
fn value_of(output: Output) -> Option<Value> {
    match output {
        Output::Value(value) => Some(value),
        Output::Written { .. } => None,
    }
}

/// The error for a run that was ended early.
fn ended(due: Due) -> Diagnostic {
    let message = match due {
        Due::Requested => "the run was cancelled",
        Due::Deadline => "the run took longer than its deadline",
    };
    Diagnostic::input(Location::Unknown, message)
}

/// Sign-extends or zero-extends integers that are narrower than their byte.
fn trim(bytes: &mut [u8], element: &Type) {
    if let Type::Integer(integer) = element
        && (2..8).contains(&integer.width)
    {
        let unused = 8 - integer.width;
        for byte in bytes {
            let raised = *byte << unused;
            *byte = if element.is_unsigned() { raised >> unused } else { (raised as i8 >> unused) as u8 };
        }
    }
}
