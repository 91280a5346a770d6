//! The C interface of a compiled model. An object holds a [`Model`] and functions `NAME_run`, `NAME_initialize`, … that
//! call the ones here with it; the header declares them.

#![allow(unsafe_code, reason = "C hands over addresses of tensors and sessions")]

use std::ffi::{CStr, c_char, c_void};
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::context::{RunContext, STATUS_OUT_OF_MEMORY};
use crate::pool::{rt_begin_run, rt_end_run};
use crate::{pages, processor};

/// Status of a model whose code the processor cannot run.
const STATUS_PROCESSOR: i64 = -4;
/// Status of a run whose first input is not what the model takes; those of the others follow downwards.
const STATUS_INPUT: i64 = -1000;

/// One input or output.
#[repr(C)]
pub struct Port {
    name: *const c_char,
    r#type: *const c_char,
    /// Bytes of an element; those of a pointer for strings.
    element_bytes: i64,
    rank: i64,
    /// Extents; equal negative ones stand for equal extents that are not known.
    shape: *const i64,
    /// What to say when a run's input is something else.
    message: *const c_char,
}

/// A host function.
type Host = extern "C" fn(*mut i64) -> i64;

/// What the object says about its model.
#[repr(C)]
pub struct Model {
    inputs: *const Port,
    input_count: i64,
    outputs: *const Port,
    output_count: i64,
    /// Extents in a tensor of the C interface.
    max_rank: i64,
    /// Of assertions, by status from 1 on.
    messages: *const *const c_char,
    message_count: i64,
    /// Constants of the model.
    strings: *const *const c_char,
    string_count: i64,
    main: Host,
    /// Computes what depends on the weights alone, if anything does.
    initialize: Option<Host>,
    /// The level of instructions without which nothing runs.
    required_level: i64,
    /// Where code looks up the level that there is; null if it does not.
    level: *const AtomicI64,
    /// 1 when all is initialised.
    initialized: *const AtomicI64,
}

/// What a session keeps from run to run.
pub struct Session {
    context: RunContext,
    outputs: Vec<*mut u8>,
}

impl Model {
    fn inputs(&self) -> &[Port] {
        // SAFETY: the object says how many there are.
        unsafe { slice(self.inputs, self.input_count) }
    }

    fn outputs(&self) -> &[Port] {
        // SAFETY: as above.
        unsafe { slice(self.outputs, self.output_count) }
    }

    /// The words of a tensor of the C interface: the address of its elements, then its extents.
    fn tensor_words(&self) -> usize {
        1 + self.max_rank as usize
    }

    /// Initialises the model, once in a process, whoever asks first.
    fn initialize(&self) -> i64 {
        static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());
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
            return STATUS_PROCESSOR;
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

    /// The number of the first input that is not what the model takes.
    fn wrong_input(&self, inputs: &[i64]) -> Option<usize> {
        let mut known: Vec<(i64, i64)> = Vec::new();
        let tensors = inputs.chunks_exact(self.tensor_words());
        self.inputs().iter().zip(tensors).position(|(port, tensor)| !port.takes(tensor, &mut known))
    }

    fn run(&self, session: &mut Session, inputs: &[i64], outputs: &mut [i64]) -> i64 {
        if let Some(wrong) = self.wrong_input(inputs) {
            return STATUS_INPUT - wrong as i64;
        }
        let Session { context, outputs: buffers } = session;
        let mut table = vec![context.address()];
        let mut numbered: Vec<Vec<i64>> = Vec::new();
        for (port, tensor) in self.inputs().iter().zip(inputs.chunks_exact(self.tensor_words())) {
            let extents = &tensor[1..][..port.rank as usize];
            let data = match port.is_string() {
                true => {
                    // SAFETY: the caller gives as many texts as the extents say.
                    let texts = unsafe { slice(address::<*const c_char>(tensor[0]), count(extents)) };
                    let strings = context.strings();
                    // SAFETY: each ends in 0.
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
        buffers.fill(std::ptr::null_mut());
        context.host = std::ptr::from_mut(buffers).cast();
        let mut status = call(self.main, &mut table);
        let mut words = &table[first..];
        for (index, port) in self.outputs().iter().enumerate() {
            let (own, rest) = words.split_at(1 + port.rank as usize);
            words = rest;
            let mut data = buffers[index];
            if status == 0 && port.is_string() {
                let numbers = std::mem::replace(&mut data, std::ptr::null_mut());
                // SAFETY: the run wrote as many numbers as the extents say.
                data = texts(context, unsafe { slice(numbers.cast::<i64>(), count(&own[1..])) });
                release(numbers);
                status = if data.is_null() { STATUS_OUT_OF_MEMORY } else { 0 };
            }
            let tensor = &mut outputs[index * self.tensor_words()..];
            tensor[0] = data.expose_provenance() as i64;
            tensor[1..][..port.rank as usize].copy_from_slice(&own[1..]);
        }
        if status != 0 {
            for tensor in outputs.chunks_exact_mut(self.tensor_words()) {
                release(address::<u8>(std::mem::take(&mut tensor[0])).cast_mut());
            }
        }
        context.end_run();
        status
    }

    fn message(&self, status: i64) -> *const c_char {
        let message = match status {
            0 => c"",
            STATUS_OUT_OF_MEMORY => c"the run needs more memory than there is",
            STATUS_PROCESSOR => c"this processor lacks instructions that the model was compiled for",
            ..=STATUS_INPUT => {
                let port = self.inputs().get((STATUS_INPUT - status) as usize);
                return port.map_or(c"".as_ptr(), |port| port.message);
            }
            _ => {
                // SAFETY: the object says how many there are.
                let messages = unsafe { slice(self.messages, self.message_count) };
                let known = usize::try_from(status - 1).ok().and_then(|at| messages.get(at));
                return known.copied().unwrap_or(c"the run ended with an unknown status".as_ptr());
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

    /// Whether a tensor has the port's extents, and those that stand for equal ones are; `known` are those seen so far.
    fn takes(&self, tensor: &[i64], known: &mut Vec<(i64, i64)>) -> bool {
        let found = &tensor[1..][..self.rank as usize];
        // SAFETY: as many as the rank.
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
        fits && bytes.is_some_and(|bytes| bytes == 0 || tensor[0] != 0)
    }
}

impl Session {
    fn new(model: &Model) -> Session {
        // SAFETY: the object says how many there are, and each ends in 0.
        let strings: Vec<String> =
            unsafe { slice(model.strings, model.string_count).iter().map(|&text| text_at(text)).collect() };
        Session {
            context: RunContext::new(std::ptr::null_mut(), provide).with_strings(&strings),
            outputs: vec![std::ptr::null_mut(); model.output_count as usize],
        }
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
/// There are as many elements, unless there are none.
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

/// Strings as an array of pointers and, behind it, the texts, each ending in 0; null when there is no memory.
fn texts(context: &mut RunContext, numbers: &[i64]) -> *mut u8 {
    let strings = context.strings();
    let texts: Vec<_> = numbers.iter().map(|&number| strings.text(number)).collect();
    let mut end = size_of_val(numbers);
    let start = allocate(end + texts.iter().map(|text| text.len() + 1).sum::<usize>());
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

/// Memory of an output, aligned to 64 bytes; null when there is none.
fn allocate(bytes: usize) -> *mut u8 {
    let mut memory: *mut c_void = std::ptr::null_mut();
    if !pages::has_room(bytes as i64) {
        return memory.cast();
    }
    // SAFETY: the alignment is a power of two, and the address is taken only if there is one.
    match unsafe { libc::posix_memalign(&raw mut memory, 64, bytes.max(1)) } {
        0 => memory.cast(),
        _ => std::ptr::null_mut(),
    }
}

fn release(memory: *mut u8) {
    // SAFETY: `allocate` made it, or it is null.
    unsafe { libc::free(memory.cast()) };
}

extern "C" fn provide_nothing(_: *mut c_void, _: i64, _: i64) -> *mut u8 {
    std::ptr::null_mut()
}

extern "C" fn provide(host: *mut c_void, index: i64, bytes: i64) -> *mut u8 {
    // SAFETY: `host` is the session's outputs, and nobody else looks at them during a run.
    let outputs = unsafe { &mut *host.cast::<Vec<*mut u8>>() };
    let memory = allocate(bytes.max(0) as usize);
    release(std::mem::replace(&mut outputs[index as usize], memory));
    memory
}

/// Stands where the standard library would print the frames of a backtrace, as `Display::fmt` that wrote nothing; the linker
/// of programs puts it there.
#[unsafe(no_mangle)]
pub extern "C" fn rt_no_backtrace(_backtrace: *const u8, _formatter: *mut u8) -> bool {
    // `Ok(())` of `fmt::Result`
    false
}

/// `NAME_initialize`.
///
/// # Safety
/// `model` is that of an object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_model_initialize(model: *const Model) -> i64 {
    // SAFETY: promised by the caller.
    unsafe { &*model }.initialize()
}

/// `NAME_run`.
///
/// # Safety
/// `model` is that of an object, `session` a word that is 0 or that an earlier run has set, and there are as many tensors
/// as the model has inputs and outputs, with as many elements as their extents say.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_model_run(
    model: *const Model,
    session: *mut *mut Session,
    inputs: *const i64,
    outputs: *mut i64,
) -> i64 {
    // SAFETY: promised by the caller.
    let (model, session) = unsafe { (&*model, &mut *session) };
    let status = model.initialize();
    if status != 0 {
        return status;
    }
    if session.is_null() {
        *session = Box::into_raw(Box::new(Session::new(model)));
    }
    let words = model.tensor_words() as i64;
    // SAFETY: promised by the caller, and the session came from a box.
    unsafe {
        let inputs = slice(inputs, words * model.input_count);
        let outputs = match model.output_count {
            0 => &mut [][..],
            count => std::slice::from_raw_parts_mut(outputs, (words * count) as usize),
        };
        model.run(&mut **session, inputs, outputs)
    }
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
/// `session` is a word that is 0 or that a run has set.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_model_close(_: *const Model, session: *mut *mut Session) {
    // SAFETY: promised by the caller.
    let session = std::mem::replace(unsafe { &mut *session }, std::ptr::null_mut());
    if !session.is_null() {
        // SAFETY: it came from a box.
        drop(unsafe { Box::from_raw(session) });
    }
}

/// `NAME_message`.
///
/// # Safety
/// `model` is that of an object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_model_message(model: *const Model, status: i64) -> *const c_char {
    // SAFETY: promised by the caller.
    unsafe { &*model }.message(status)
}

/// `NAME_input`: null behind the last one.
///
/// # Safety
/// `model` is that of an object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_model_input(model: *const Model, index: i64) -> *const Port {
    // SAFETY: promised by the caller.
    port(unsafe { &*model }.inputs(), index)
}

/// `NAME_output`: null behind the last one.
///
/// # Safety
/// `model` is that of an object.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_model_output(model: *const Model, index: i64) -> *const Port {
    // SAFETY: promised by the caller.
    port(unsafe { &*model }.outputs(), index)
}

fn port(ports: &[Port], index: i64) -> *const Port {
    usize::try_from(index).ok().and_then(|index| ports.get(index)).map_or(std::ptr::null(), std::ptr::from_ref)
}

/// `NAME_set_threads`.
#[unsafe(no_mangle)]
pub extern "C" fn rt_model_set_threads(_: *const Model, threads: i64) {
    crate::pool::rt_set_threads(threads);
}
