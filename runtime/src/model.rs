//! The C interface of a compiled model. An object holds a [`Model`] and functions `NAME_run`, `NAME_initialize`, … that
//! call the ones here with it; the header declares them.

#![allow(unsafe_code, reason = "C hands over addresses of tensors and sessions")]

use std::borrow::Cow;
use std::ffi::{CStr, c_char, c_void};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicI64, AtomicPtr, Ordering};
use std::sync::{Mutex, PoisonError};

use abi::Status;

use crate::context::RunContext;
use crate::pool::{rt_begin_run, rt_end_run};
use crate::{outputs, processor, weights_file};

/// The message of a status that no code of ours gives.
const UNKNOWN: &CStr = c"the run ended with an unknown status";

/// One input or output.
#[repr(C)]
pub struct Port {
    name: *const c_char,
    r#type: *const c_char,
    /// Bytes of an element; for strings, of a pointer.
    element_bytes: i64,
    rank: i64,
    /// Extents; negative ones are dynamic, and equal negative ones stand for equal extents.
    shape: *const i64,
    /// The error message for an input of another type or shape.
    message: *const c_char,
    /// The default elements of an input; null if the caller must give some.
    initial: *const c_void,
    /// The default extents.
    initial_shape: *const i64,
    /// The element type, numbered as in ONNX's `TensorProto.DataType`; 0 for a value that is not a tensor, whose word
    /// is a handle of the run.
    element_type: i64,
}

/// A function that changes the variables.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TrainingPart {
    Initialization,
    Step,
}

/// A host function.
type Host = extern "C" fn(*mut i64) -> i64;
/// `rt_model_value`.
type Export = extern "C" fn(i64, i64) -> *mut u8;

/// The description of a model in its object.
#[repr(C)]
pub struct Model {
    inputs: *const Port,
    input_count: i64,
    outputs: *const Port,
    output_count: i64,
    /// The number of extents in a tensor of the C interface.
    max_rank: i64,
    /// The messages of assertions, by status from 1 on.
    messages: *const *const c_char,
    message_count: i64,
    /// The string constants of the model.
    strings: *const *const c_char,
    string_count: i64,
    main: Host,
    /// Computes what depends on the weights alone; null if nothing does.
    initialize: Option<Host>,
    /// The minimum instruction set level.
    required_level: i64,
    /// The word in which code looks up the processor's level; null if it does not.
    level: *const AtomicI64,
    /// 1 once the model is initialised.
    initialized: *const AtomicI64,
    /// The number of last inputs that are variables of the session; in a training step they are also its last outputs.
    variable_count: i64,
    /// The training functions, or null.
    training: *const Training,
    /// Builds the buffer of a value that is not a tensor; null if all outputs are tensors, so that other objects do not
    /// link it.
    export: Option<Export>,
    /// The address of the weights in memory, if they are in a separate file; null before they are loaded.
    weights: *const AtomicPtr<u8>,
    weights_checksum: i64,
    weights_length: i64,
}

/// The models of the training functions.
#[repr(C)]
pub struct Training {
    /// Takes nothing, and returns the variables.
    initialize: *const Model,
    /// Takes and returns the caller's tensors and the variables.
    step: *const Model,
}

/// The outputs of a run.
struct Outputs {
    memory: Vec<*mut u8>,
    /// Addresses and sizes of the inputs whose memory outputs may reuse.
    inputs: Vec<(*mut u8, i64)>,
}

/// The state of a session between runs. One thread uses it at a time.
pub struct Session {
    is_used: AtomicBool,
    context: RunContext,
    outputs: Outputs,
    /// The words of the last run: the context, inputs, outputs.
    table: Vec<i64>,
    /// The elements of each variable; null while they have their initial values.
    variables: Vec<*mut u8>,
    /// Sessions of the training functions.
    training: Option<Box<[Session; 2]>>,
}

impl Outputs {
    /// Frees memory unless it is an input's.
    fn release(&self, memory: *mut u8) {
        if !self.inputs.iter().any(|(input, _)| *input == memory) {
            release(memory);
        }
    }
}

/// Held while a model is initialised or its weights are loaded.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

impl Model {
    /// The number of inputs or outputs that the caller sees.
    fn visible(&self, count: i64) -> i64 {
        count - self.variable_count
    }

    fn inputs(&self) -> &[Port] {
        // SAFETY: the object states their number.
        unsafe { slice(self.inputs, self.input_count) }
    }

    fn outputs(&self) -> &[Port] {
        // SAFETY: as above.
        unsafe { slice(self.outputs, self.output_count) }
    }

    /// The words of a tensor in the C interface: the address of its elements, its extents, and its element type or 0.
    fn tensor_words(&self) -> usize {
        2 + self.max_rank as usize
    }

    /// # Safety
    /// `tensors` points to `count` tensors.
    unsafe fn given<'a>(&self, tensors: *const i64, count: i64) -> &'a [i64] {
        // SAFETY: promised by the caller.
        unsafe { slice(tensors, self.tensor_words() as i64 * count) }
    }

    /// # Safety
    /// `tensors` points to `count` tensors that no other thread accesses.
    unsafe fn requested<'a>(&self, tensors: *mut i64, count: i64) -> &'a mut [i64] {
        match count {
            0 => &mut [],
            // SAFETY: promised by the caller.
            _ => unsafe { std::slice::from_raw_parts_mut(tensors, self.tensor_words() * count as usize) },
        }
    }

    /// Loads the weights from their file, if they are in one; later calls do nothing.
    fn load_weights(&self, path: &Path) -> i64 {
        // SAFETY: the object owns the word.
        let Some(weights) = (unsafe { self.weights.as_ref() }) else { return 0 };
        let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        if !weights.load(Ordering::Acquire).is_null() {
            return 0;
        }
        match weights_file::load(path, self.weights_checksum as u64, self.weights_length as u64) {
            Ok(address) => {
                weights.store(address.cast_mut(), Ordering::Release);
                0
            }
            Err(_) => Status::Weights.code(),
        }
    }

    /// Initialises the model once per process.
    fn initialize(&self) -> i64 {
        // SAFETY: the object owns the word.
        let initialized = unsafe { &*self.initialized };
        if initialized.load(Ordering::Acquire) == 1 {
            return 0;
        }
        let _guard = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        if initialized.load(Ordering::Acquire) == 1 {
            return 0;
        }
        let level = processor::level();
        if level < self.required_level {
            return Status::Processor.code();
        }
        // SAFETY: as above.
        if unsafe { self.weights.as_ref() }.is_some_and(|weights| weights.load(Ordering::Acquire).is_null()) {
            return Status::NoWeights.code();
        }
        // SAFETY: as above.
        if let Some(word) = unsafe { self.level.as_ref() } {
            word.store(level, Ordering::Release);
        }
        let status = self.initialize.map_or(0, |initialize| {
            let mut context = RunContext::new(std::ptr::null_mut(), provide_nothing);
            call(initialize, &mut [context.address()])
        });
        if status == 0 {
            initialized.store(1, Ordering::Release);
        }
        status
    }

    /// The index of the first input with a type or shape that the model does not take.
    fn wrong_input(&self, inputs: &[i64]) -> Option<usize> {
        let mut known: Vec<(i64, i64)> = Vec::new();
        let tensors = inputs.chunks_exact(self.tensor_words());
        self.inputs().iter().zip(tensors).position(|(port, tensor)| !port.takes(tensor, &mut known))
    }

    /// All inputs of a run: those of the caller, then the variables; missing ones have their initial values.
    fn all_inputs<'g>(&self, given: &'g [i64], variables: &[*mut u8]) -> Cow<'g, [i64]> {
        let words = self.tensor_words();
        if variables.is_empty() && self.inputs().iter().all(|port| port.initial_shape().is_none()) {
            return Cow::Borrowed(given);
        }
        let mut all = given.to_vec();
        for variable in variables {
            all.push(variable.expose_provenance() as i64);
            all.resize(all.len() + words - 1, 0);
        }
        for (index, (port, tensor)) in self.inputs().iter().zip(all.chunks_exact_mut(words)).enumerate() {
            let is_variable = index as i64 >= self.visible(self.input_count);
            if let Some(shape) = port.initial_shape().filter(|_| is_variable || tensor[0] == 0) {
                if tensor[0] == 0 {
                    tensor[0] = port.initial.expose_provenance() as i64;
                }
                tensor[1..][..shape.len()].copy_from_slice(shape);
            }
        }
        Cow::Owned(all)
    }

    /// Runs the model's training initialization or step, and assigns the variables if it succeeds.
    fn train(&self, part: TrainingPart, session: &mut Session, inputs: &[i64], outputs: &mut [i64]) -> i64 {
        // SAFETY: the object has the training functions, and both are models.
        let (initialize, step) = unsafe {
            let training = &*self.training;
            (&*training.initialize, &*training.step)
        };
        let Session { training, variables, .. } = session;
        let [first, second] =
            &mut **training.get_or_insert_with(|| Box::new([Session::new(initialize), Session::new(step)]));
        let (model, own, read) = match part {
            TrainingPart::Initialization => (initialize, first, &[][..]),
            TrainingPart::Step => (step, second, &variables[..]),
        };
        let words = model.tensor_words();
        let mut all = vec![0; words * model.output_count as usize];
        let status = match model.initialize() {
            0 => model.run(own, &model.all_inputs(inputs, read), &mut all, false),
            status => status,
        };
        if status > 0 && part == TrainingPart::Initialization {
            // the initialization's messages come after those of a step
            return status + step.message_count - initialize.message_count;
        }
        if status != 0 {
            return status;
        }
        let (requested, assigned) = all.split_at(words * model.visible(model.output_count) as usize);
        let ports = &step.inputs()[step.visible(step.input_count) as usize..];
        let mut pairs = ports.iter().zip(assigned.chunks_exact(words));
        if !pairs.all(|(port, tensor)| port.initial_shape().is_some_and(|shape| tensor[1..].starts_with(shape))) {
            all.chunks_exact(words).for_each(|tensor| release(address::<u8>(tensor[0]).cast_mut()));
            return Status::Variable.code();
        }
        outputs.copy_from_slice(requested);
        for (variable, tensor) in variables.iter_mut().zip(assigned.chunks_exact(words)) {
            release(std::mem::replace(variable, address::<u8>(tensor[0]).cast_mut()));
        }
        0
    }

    /// `in_place`: whether outputs may reuse the memory of inputs.
    fn run(&self, session: &mut Session, inputs: &[i64], outputs: &mut [i64], in_place: bool) -> i64 {
        if let Some(wrong) = self.wrong_input(inputs) {
            return Status::Input.code() - wrong as i64;
        }
        let Session { context, outputs: buffers, table, .. } = session;
        table.clear();
        table.push(context.address());
        let mut numbered: Vec<Vec<i64>> = Vec::new();
        for (port, tensor) in self.inputs().iter().zip(inputs.chunks_exact(self.tensor_words())) {
            let extents = &tensor[1..][..port.rank as usize];
            let data = match port.is_string() {
                true => {
                    // SAFETY: the caller gives as many texts as the extents state.
                    let texts = unsafe { slice(address::<*const c_char>(tensor[0]), count(extents)) };
                    let strings = context.strings();
                    // SAFETY: each text ends in 0.
                    numbered.push(texts.iter().map(|&text| strings.number(&unsafe { text_at(text) })).collect());
                    numbered[numbered.len() - 1].as_ptr().expose_provenance() as i64
                }
                false => tensor[0],
            };
            table.push(data);
            table.extend(extents);
        }
        let first = table.len();
        table.resize(first + self.outputs().iter().map(|port| 1 + port.rank as usize).sum::<usize>(), 0);
        buffers.memory.fill(std::ptr::null_mut());
        buffers.inputs.clear();
        if in_place {
            // variables are the session's
            let tensors = self.inputs().iter().zip(inputs.chunks_exact(self.tensor_words()));
            let tensors = tensors.take(self.visible(self.input_count) as usize).filter(|(port, _)| !port.is_string());
            buffers.inputs.extend(tensors.map(|(port, tensor)| {
                let extents = &tensor[1..][..port.rank as usize];
                (address::<u8>(tensor[0]).cast_mut(), count(extents) * port.element_bytes)
            }));
        }
        context.host = std::ptr::from_mut(buffers).cast();
        let mut status = call(self.main, table);
        let mut words = &table[first..];
        for (index, port) in self.outputs().iter().enumerate() {
            let (own, rest) = words.split_at(1 + port.rank as usize);
            words = rest;
            let mut data = buffers.memory[index];
            if status == 0 && port.is_string() {
                let numbers = std::mem::replace(&mut data, std::ptr::null_mut());
                // SAFETY: the run wrote as many indices as the extents state.
                data = texts(context, unsafe { slice(numbers.cast::<i64>(), count(&own[1..])) });
                release(numbers);
                status = if data.is_null() { Status::OutOfMemory.code() } else { 0 };
            }
            if let (0, true, Some(export)) = (status, port.is_value(), self.export) {
                data = export(context.address(), own[0]);
                status = if data.is_null() { Status::OutOfMemory.code() } else { 0 };
            }
            let tensor = &mut outputs[index * self.tensor_words()..];
            tensor[0] = data.expose_provenance() as i64;
            tensor[1..][..port.rank as usize].copy_from_slice(&own[1..]);
            tensor[1 + self.max_rank as usize] = port.element_type;
        }
        if status != 0 {
            for tensor in outputs.chunks_exact_mut(self.tensor_words()) {
                buffers.release(address::<u8>(std::mem::take(&mut tensor[0])).cast_mut());
            }
        }
        context.end_run();
        status
    }

    fn message(&self, status: i64) -> *const c_char {
        let message = match Status::of(status) {
            Some((Status::OutOfMemory, _)) => c"the run needs more memory than is available",
            Some((Status::Processor, _)) => c"this processor lacks instructions that the model was compiled for",
            Some((Status::Busy, _)) => c"another thread uses the session: each thread needs its own",
            Some((Status::Variable, _)) => c"the training assigns a value of another shape to a variable",
            Some((Status::NoWeights, _)) => c"the weights are in a file, which must be loaded before the first run",
            Some((Status::Weights, _)) => c"the file of weights cannot be read, or is that of another model",
            Some((Status::Input, at)) => {
                return self.inputs().get(at).map_or(c"".as_ptr(), |port| port.message);
            }
            Some((
                Status::NotInitialized | Status::Routine | Status::NoAddress | Status::Extent | Status::Stopped,
                _,
            )) => UNKNOWN,
            None if status == 0 => c"",
            None => {
                // SAFETY: the object states their number.
                let messages = unsafe { slice(self.messages, self.message_count) };
                let known = usize::try_from(status - 1).ok().and_then(|at| messages.get(at));
                return known.copied().unwrap_or(UNKNOWN.as_ptr());
            }
        };
        message.as_ptr()
    }
}

impl Port {
    fn is_string(&self) -> bool {
        // SAFETY: texts of the object end in 0.
        unsafe { CStr::from_ptr(self.r#type) == c"string" }
    }

    /// Whether it is a sequence, an optional or a map, which have no element type.
    fn is_value(&self) -> bool {
        self.element_type == 0
    }

    /// The default extents of an input.
    fn initial_shape(&self) -> Option<&[i64]> {
        // SAFETY: there are as many as the rank.
        (!self.initial.is_null()).then(|| unsafe { slice(self.initial_shape, self.rank) })
    }

    /// Whether a tensor has the port's extents, with equal values for equal dynamic extents; `known` has those seen so
    /// far.
    fn takes(&self, tensor: &[i64], known: &mut Vec<(i64, i64)>) -> bool {
        let found = &tensor[1..][..self.rank as usize];
        // SAFETY: there are as many as the rank.
        let expected = unsafe { slice(self.shape, self.rank) };
        let fits = expected.iter().zip(found).all(|(&expected, &found)| {
            let bound = match expected {
                0.. => expected,
                symbol => match known.iter().find(|(other, _)| *other == symbol) {
                    Some((_, bound)) => *bound,
                    None => {
                        known.push((symbol, found));
                        found
                    }
                },
            };
            found >= 0 && found == bound
        });
        let bytes = found.iter().try_fold(self.element_bytes, |bytes, &extent| bytes.checked_mul(extent));
        let stated = tensor.last().copied().unwrap_or(0);
        let fits = fits && (stated == 0 || stated == self.element_type);
        fits && bytes.is_some_and(|bytes| bytes == 0 || tensor[0] != 0)
    }
}

impl Session {
    fn new(model: &Model) -> Session {
        // SAFETY: the object states their number, and each ends in 0.
        let strings: Vec<String> =
            unsafe { slice(model.strings, model.string_count).iter().map(|&text| text_at(text)).collect() };
        Session {
            is_used: AtomicBool::new(false),
            context: RunContext::new(std::ptr::null_mut(), provide).with_strings(&strings),
            outputs: Outputs { memory: vec![std::ptr::null_mut(); model.output_count as usize], inputs: vec![] },
            table: vec![],
            variables: vec![std::ptr::null_mut(); model.variable_count as usize],
            training: None,
        }
    }

    /// The session in a word of the caller, created if the word is 0, for exclusive use by this thread; `None` while
    /// another thread uses it.
    ///
    /// # Safety
    /// `word` is 0 or was set here, and no thread closes the session meanwhile.
    unsafe fn of(model: &Model, word: *mut *mut Session) -> Option<InUse> {
        // SAFETY: promised by the caller.
        let shared = unsafe { AtomicPtr::from_ptr(word) };
        let mut session = shared.load(Ordering::Acquire);
        if session.is_null() {
            let new = Box::into_raw(Box::new(Session::new(model)));
            session = match shared.compare_exchange(session, new, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => new,
                Err(first) => {
                    // SAFETY: no other thread has seen it.
                    drop(unsafe { Box::from_raw(new) });
                    first
                }
            };
        }
        // SAFETY: the pointer came from a box.
        unsafe { InUse::begin(session) }
    }
}

/// A session that this thread uses exclusively.
struct InUse(*mut Session);

impl InUse {
    /// # Safety
    /// The session has not been closed.
    unsafe fn begin(session: *mut Session) -> Option<InUse> {
        // SAFETY: promised by the caller; only the flag is read.
        let is_used = unsafe { &(*session).is_used };
        // constructed only if it is this thread's, because dropping it ends the use
        (!is_used.swap(true, Ordering::Acquire)).then(|| InUse(session))
    }

    fn session(&mut self) -> &mut Session {
        // SAFETY: other threads find the flag set, and access nothing else.
        unsafe { &mut *self.0 }
    }
}

impl Drop for InUse {
    fn drop(&mut self) {
        // SAFETY: as above.
        unsafe { &(*self.0).is_used }.store(false, Ordering::Release);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.variables.iter().for_each(|&variable| release(variable));
    }
}

fn call(host: Host, table: &mut [i64]) -> i64 {
    rt_begin_run();
    let status = host(table.as_mut_ptr());
    rt_end_run();
    status
}

fn count(extents: &[i64]) -> i64 {
    extents.iter().product()
}

fn address<T>(word: i64) -> *const T {
    std::ptr::with_exposed_provenance(word as usize)
}

/// # Safety
/// `start` points to `count` elements, unless `count` is not positive.
unsafe fn slice<'a, T>(start: *const T, count: i64) -> &'a [T] {
    match count {
        // SAFETY: promised by the caller.
        1.. => unsafe { std::slice::from_raw_parts(start, count as usize) },
        _ => &[],
    }
}

/// # Safety
/// `text` ends in 0.
unsafe fn text_at(text: *const c_char) -> String {
    // SAFETY: promised by the caller.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}

/// Strings as an array of pointers followed by the texts, each ending in 0; null if the allocation fails.
fn texts(context: &mut RunContext, numbers: &[i64]) -> *mut u8 {
    let strings = context.strings();
    let texts: Vec<_> = numbers.iter().map(|&number| strings.text(number)).collect();
    let mut end = size_of_val(numbers);
    let start = outputs::allocate(end + texts.iter().map(|text| text.len() + 1).sum::<usize>());
    for (at, text) in texts.iter().enumerate().filter(|_| !start.is_null()) {
        // SAFETY: there is room for all pointers, then for all texts.
        unsafe {
            start.cast::<*mut u8>().add(at).write(start.add(end));
            start.add(end).copy_from_nonoverlapping(text.as_ptr(), text.len());
            start.add(end + text.len()).write(0);
        }
        end += text.len() + 1;
    }
    start
}

fn release(memory: *mut u8) {
    // SAFETY: it is an output that the caller returned, or null.
    unsafe { outputs::release(memory) };
}

extern "C" fn provide_nothing(_: *mut c_void, _: i64, _: i64, _: *mut u8) -> *mut u8 {
    std::ptr::null_mut()
}

extern "C" fn provide(host: *mut c_void, index: i64, bytes: i64, over: *mut u8) -> *mut u8 {
    // SAFETY: `host` is the session's outputs, and no other thread accesses them during a run.
    let outputs = unsafe { &mut *host.cast::<Outputs>() };
    let is_free = !over.is_null() && outputs.inputs.contains(&(over, bytes)) && !outputs.memory.contains(&over);
    let memory = if is_free { over } else { outputs::allocate(bytes.max(0) as usize) };
    let before = std::mem::replace(&mut outputs.memory[index as usize], memory);
    outputs.release(before);
    memory
}

/// `NAME_initialize`.
///
/// # Safety
/// `model` is the description in an object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_model_initialize(model: *const Model) -> i64 {
    // SAFETY: promised by the caller.
    unsafe { &*model }.initialize()
}

/// `NAME_load_weights`.
///
/// # Safety
/// `model` is the description in an object, and `path` ends in 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_model_load_weights(model: *const Model, path: *const c_char) -> i64 {
    // SAFETY: promised by the caller.
    let (model, path) = unsafe { (&*model, CStr::from_ptr(path)) };
    model.load_weights(&path_of(path))
}

#[cfg(unix)]
fn path_of(path: &CStr) -> PathBuf {
    use std::os::unix::ffi::OsStrExt;
    std::ffi::OsStr::from_bytes(path.to_bytes()).into()
}

#[cfg(not(unix))]
fn path_of(path: &CStr) -> PathBuf {
    path.to_string_lossy().into_owned().into()
}

/// # Safety
/// As for `rt_model_run`.
unsafe fn run(model: &Model, session: *mut *mut Session, inputs: *const i64, outputs: *mut i64, in_place: bool) -> i64 {
    // SAFETY: promised by the caller.
    let Some(mut in_use) = (unsafe { Session::of(model, session) }) else { return Status::Busy.code() };
    let session = in_use.session();
    let status = model.initialize();
    if status != 0 {
        return status;
    }
    // SAFETY: promised by the caller.
    unsafe {
        let inputs = model.given(inputs, model.visible(model.input_count));
        let inputs = model.all_inputs(inputs, &session.variables);
        model.run(session, &inputs, model.requested(outputs, model.output_count), in_place)
    }
}

/// `NAME_run`.
///
/// # Safety
/// `model` is the description in an object, `session` a word that is 0 or that an earlier run has set, and there is a
/// tensor for each input and output of the model, with as many elements as its extents state.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_model_run(
    model: *const Model,
    session: *mut *mut Session,
    inputs: *const i64,
    outputs: *mut i64,
) -> i64 {
    // SAFETY: promised by the caller.
    unsafe { run(&*model, session, inputs, outputs, false) }
}

/// `NAME_run_in_place`.
///
/// # Safety
/// As for `rt_model_run`, and no other code reads the inputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_model_run_in_place(
    model: *const Model,
    session: *mut *mut Session,
    inputs: *const i64,
    outputs: *mut i64,
) -> i64 {
    // SAFETY: promised by the caller.
    unsafe { run(&*model, session, inputs, outputs, true) }
}

/// `NAME_training_initialize`.
///
/// # Safety
/// `model` is the description in an object with training functions, and `session` a word that is 0 or that an earlier
/// run has set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_model_training_initialize(model: *const Model, session: *mut *mut Session) -> i64 {
    // SAFETY: promised by the caller.
    let (model, session) = unsafe { (&*model, Session::of(&*model, session)) };
    let Some(mut in_use) = session else { return Status::Busy.code() };
    model.train(TrainingPart::Initialization, in_use.session(), &[], &mut [])
}

/// `NAME_training_step`.
///
/// # Safety
/// As for `rt_model_run`, with the inputs and outputs of a step.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_model_training_step(
    model: *const Model,
    session: *mut *mut Session,
    inputs: *const i64,
    outputs: *mut i64,
) -> i64 {
    // SAFETY: promised by the caller.
    unsafe {
        let model = &*model;
        let Some(mut in_use) = Session::of(model, session) else { return Status::Busy.code() };
        let step = &*(*model.training).step;
        let inputs = step.given(inputs, step.visible(step.input_count));
        model.train(
            TrainingPart::Step,
            in_use.session(),
            inputs,
            step.requested(outputs, step.visible(step.output_count)),
        )
    }
}

/// `NAME_training_message`.
///
/// # Safety
/// `model` is the description in an object with training functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_model_training_message(model: *const Model, status: i64) -> *const c_char {
    // SAFETY: promised by the caller.
    unsafe { &*(*(*model).training).step }.message(status)
}

/// `NAME_training_input`: null after the last one.
///
/// # Safety
/// `model` is the description in an object with training functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_model_training_input(model: *const Model, index: i64) -> *const Port {
    // SAFETY: promised by the caller.
    let step = unsafe { &*(*(*model).training).step };
    port(step.inputs(), index, step.visible(step.input_count))
}

/// `NAME_training_output`: null after the last one.
///
/// # Safety
/// `model` is the description in an object with training functions.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_model_training_output(model: *const Model, index: i64) -> *const Port {
    // SAFETY: promised by the caller.
    let step = unsafe { &*(*(*model).training).step };
    port(step.outputs(), index, step.visible(step.output_count))
}

/// `NAME_free`.
///
/// # Safety
/// The first word of `tensor` is null or the address of an output.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_model_free(_: *const Model, tensor: *mut *mut u8) {
    // SAFETY: promised by the caller.
    release(std::mem::replace(unsafe { &mut *tensor }, std::ptr::null_mut()));
}

/// `NAME_close`.
///
/// # Safety
/// `session` is a word that is 0 or that a run has set. A session that another thread uses stays open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_model_close(_: *const Model, session: *mut *mut Session) {
    // SAFETY: promised by the caller.
    let word = unsafe { AtomicPtr::from_ptr(session) };
    let session = word.load(Ordering::Acquire);
    if session.is_null() {
        return;
    }
    // SAFETY: the pointer came from a box.
    let Some(in_use) = (unsafe { InUse::begin(session) }) else { return };
    word.store(std::ptr::null_mut(), Ordering::Release);
    std::mem::forget(in_use);
    // SAFETY: as above, and no thread uses it.
    drop(unsafe { Box::from_raw(session) });
    outputs::clear();
}

/// `NAME_message`.
///
/// # Safety
/// `model` is the description in an object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_model_message(model: *const Model, status: i64) -> *const c_char {
    // SAFETY: promised by the caller.
    unsafe { &*model }.message(status)
}

/// `NAME_input`: null after the last one.
///
/// # Safety
/// `model` is the description in an object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_model_input(model: *const Model, index: i64) -> *const Port {
    // SAFETY: promised by the caller.
    let model = unsafe { &*model };
    port(model.inputs(), index, model.visible(model.input_count))
}

/// `NAME_output`: null after the last one.
///
/// # Safety
/// `model` is the description in an object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_model_output(model: *const Model, index: i64) -> *const Port {
    // SAFETY: promised by the caller.
    let model = unsafe { &*model };
    port(model.outputs(), index, model.output_count)
}

fn port(ports: &[Port], index: i64, count: i64) -> *const Port {
    let index = usize::try_from(index).ok().filter(|_| index < count);
    index.and_then(|index| ports.get(index)).map_or(std::ptr::null(), std::ptr::from_ref)
}

/// `NAME_set_threads`.
#[unsafe(no_mangle)]
pub extern "C" fn rt_model_set_threads(_: *const Model, threads: i64) {
    crate::pool::rt_set_threads(threads);
}
