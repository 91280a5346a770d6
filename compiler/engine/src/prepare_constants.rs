//! Evaluates routines on constants at compile time, above all to pack weights for kernels.
//!
//! Routines are available before the model's code is. The result becomes a constant whose bytes a background thread
//! computes in chunks; a run waits for each chunk when it first needs it (`fast/awaits.rs`).
//!
//! Invariants
//! - Only routines that cannot fail are evaluated, so that no error occurs earlier than in the program.
//! - The total size of the results is at most what a cache entry can store; otherwise `@initialize` computes them.
//! - Results for an object file replace constants of about their size, so that files do not grow; others, such as
//!   weights transformed for Winograd convolutions, stay computed by `@initialize`.

use dialects::func::MAIN;
use dialects::{OpCodes, rt, tensor};
use std::ops::Range;
use std::sync::Arc;

use data::{Blob, Prefaulted};
use dialects::rt::routines::{Extents, Operand, Routine};
use ir::pass::{PassContext, PassDefinition, PassOption, PassOptions};
use ir::{Attribute, Body, Builder, DenseElements, IndexMap, Module, Op, Result, Type, Value};
use ir::{constant_float, constant_integer, constant_value};
use lower::constant_relayouts::{STORED_GROWTH, viewed_root};
use lower::outline::remove_dead;

use crate::cache::entry::DATA;
use crate::globals::lost;
use crate::routine_calls::{RoutineCall, Word, run};

/// The pass.
pub static PREPARE_CONSTANTS: PassDefinition<PrepareOptions> = PassDefinition::on_module(
    "prepare-constants",
    "Evaluates runtime routines on constants; a background thread computes the results.",
    prepare_constants,
);

/// Options of [`PREPARE_CONSTANTS`].
#[derive(Clone)]
pub struct PrepareOptions {
    /// Whether the results are cached, so that their bytes are left out.
    pub known: bool,
    /// Whether the results are stored in an object file.
    pub stored: bool,
    /// Whether all calls are evaluated, as code without a runtime has no routines for them.
    pub all: bool,
    /// The number of threads for large computations.
    pub threads: usize,
    /// Memory for the results.
    pub memory: Option<Arc<PrefaultedMemory>>,
}

impl Default for PrepareOptions {
    fn default() -> PrepareOptions {
        PrepareOptions { known: false, stored: false, all: false, threads: 1, memory: None }
    }
}

impl PassOptions for PrepareOptions {
    const OPTIONS: &'static [PassOption<PrepareOptions>] = &[
        PassOption {
            name: "known",
            summary: "Whether the results are cached, so that their bytes are left out.",
            field: |options| &mut options.known,
        },
        PassOption {
            name: "stored",
            summary: "Whether the results are stored in an object file.",
            field: |options| &mut options.stored,
        },
        PassOption {
            name: "all",
            summary: "Whether all calls are evaluated, as code without a runtime has no routines for them.",
            field: |options| &mut options.all,
        },
        PassOption {
            name: "threads",
            summary: "The number of threads for large computations.",
            field: |options| &mut options.threads,
        },
    ];
}

/// The maximum size of all results in bytes: a cache entry has room for them and for other constants.
const ROOM: usize = DATA / 8 * 7;
/// The alignment of results: a cache line.
const LINE: usize = 64;
/// The number of chunks of results, apart from a remainder.
pub(crate) const PARTS: usize = 16;
/// The minimum size of a chunk in bytes.
const SMALLEST: usize = 1 << 18;
/// From this size on, the memory of a constant is released after its last reader.
const DISCARDED: usize = 1 << 20;
/// Fewer bytes are computed on one thread, because the compiler has work for the others.
const LARGE: usize = 32 << 20;

/// Pages that a background thread prefaults until a compilation has work for all processors.
pub struct PrefaultedMemory {
    pages: Prefaulted,
    thread: Option<crew::Handle<()>>,
}

impl PrefaultedMemory {
    /// Starts to prefault memory for the packed weights of a model that has just been imported: about the size of the
    /// weights that are not only gathered from.
    pub fn begin(module: &Module) -> Option<PrefaultedMemory> {
        let body = module.function(MAIN)?.body;
        let length = |op: Op| {
            let elements = body.attribute(op, "value")?.as_dense()?;
            elements.data.is_mapped().then(|| elements.data.bytes().len())
        };
        let is_prepared = |op: Op| {
            let results = body.op(op).results();
            results.iter().flat_map(|&result| body.uses(result)).any(|r#use| !picks(body, r#use.op))
        };
        let bytes = body.ops(body.entry()?).filter_map(|op| length(op).filter(|_| is_prepared(op))).sum();
        let (pages, prefaulting) = Prefaulted::begin(if bytes <= ROOM { bytes } else { 0 })?;
        Some(PrefaultedMemory { pages, thread: Some(crew::spawn(move || prefaulting.run())) })
    }
}

impl Drop for PrefaultedMemory {
    fn drop(&mut self) {
        self.pages.stop();
        // pages that were not prefaulted are allocated when they are touched
        let _ = self.thread.take().map(crew::Handle::outcome);
    }
}

/// Whether an operation gathers from an operand.
fn picks(body: &Body, op: Op) -> bool {
    let moves = operators::row_of(body.name(op)).is_some_and(|row| row.kind == operators::Kind::Movement);
    moves && body.op(op).operands().len() > 1
}

fn prepare_constants(module: &mut Module, context: &PassContext<'_, PrepareOptions>) -> Result<()> {
    let Some((main, mut body)) = module.take_function(MAIN) else { return Ok(()) };
    let prefaulted = context.options.memory.as_ref().map(|memory| &memory.pages);
    // from here on there is work for all processors
    prefaulted.inspect(|pages| pages.stop());
    let is_stored = context.options.stored;
    let may_grow = !is_stored || context.options.all;
    let Plan { calls, length, .. } = Plan::of(&body, may_grow);
    if length <= ROOM || is_stored {
        let is_known = context.options.known || calls.is_empty();
        let threads = if length < LARGE { 1 } else { context.options.threads };
        let (ops, mut calls): (Vec<Op>, Vec<RoutineCall>) = calls.into_iter().unzip();
        let parts = cut(&mut calls, length);
        let results: Vec<(usize, Option<usize>, usize)> = parts
            .iter()
            .enumerate()
            .flat_map(|(number, part)| {
                calls[part.calls.clone()].iter().map(move |call| (number, call.offset, call.length))
            })
            .collect();
        let lengths: Vec<usize> = parts.iter().map(|part| part.length).collect();
        let ends: Vec<usize> = parts.iter().map(|part| part.calls.end).collect();
        let memory = (!is_known).then(|| {
            let (memory, pieces) = Blob::pending(&lengths, prefaulted);
            drop(crew::spawn(move || run(&calls, ends.into_iter().zip(pieces).collect(), threads)));
            memory
        });
        for (op, (piece, offset, length)) in ops.into_iter().zip(results) {
            let Some(offset) = offset else { continue };
            let window =
                |memory: &Vec<Blob>| memory[piece].window(offset, length).expect("results are inside their memory");
            replace(&mut body, op, memory.as_ref().map(window));
        }
        let entry = body.entry().expect("the function has a body");
        remove_dead(&mut body, entry);
    }
    module.body.set_isolated(main, body);
    Ok(())
}

/// Waits for the results in a module at the kernel level.
///
/// # Errors
/// The background thread failed.
pub fn wait_for_constants(module: &Module) -> Result<()> {
    let constant = |op: Op| module.body.op(op).attributes.get("initial_value")?.as_dense();
    match module.ops().filter_map(constant).all(|elements| elements.data.ready().is_some()) {
        true => Ok(()),
        false => Err(lost().into()),
    }
}

/// Calls whose results form a chunk.
struct Part {
    calls: Range<usize>,
    /// The size of the results in bytes.
    length: usize,
}

/// Divides calls into chunks, each with separate memory for its results: a reader of the first does not wait for the
/// last.
fn cut(calls: &mut [RoutineCall], length: usize) -> Vec<Part> {
    let size = (length / PARTS).max(SMALLEST);
    let mut parts: Vec<Part> = Vec::new();
    for (number, call) in calls.iter_mut().enumerate() {
        let part = match parts.last_mut().filter(|part| part.length < size) {
            Some(part) => part,
            None => {
                parts.push(Part { calls: number..number, length: 0 });
                parts.last_mut().expect("it was just added")
            }
        };
        part.calls.end = number + 1;
        if let Some(offset) = &mut call.offset {
            *offset = part.length;
            part.length += call.length.next_multiple_of(LINE);
        }
    }
    parts
}

/// Replaces the result of a call by a constant; without bytes the constant is a name only.
fn replace(body: &mut Body, call: Op, bytes: Option<Blob>) {
    let result = body.result(call, 0);
    let (r#type, location) = (body.value_type(result).clone(), body.op(call).location.clone());
    let key = bytes.is_none().then(|| "prepared".into());
    let data = bytes.unwrap_or_else(|| Blob::copy_of(&[]));
    let elements = DenseElements { key, ..DenseElements::new(r#type.clone(), data) };
    let mut builder = Builder::before(body, call).with_location(location);
    let constant = builder.constant(Attribute::dense(elements), r#type);
    body.replace_all_uses(result, constant);
}

/// The calls that can be evaluated, in order.
#[derive(Default)]
struct Plan {
    calls: IndexMap<Op, RoutineCall>,
    /// The total size of the results that stay.
    length: usize,
    /// Whether results may be larger than their operands, or leave operands that others read.
    may_grow: bool,
}

impl Plan {
    fn of(body: &Body, may_grow: bool) -> Plan {
        let mut plan = Plan { may_grow, ..Plan::default() };
        for op in body.ops(body.entry().expect("the function has a body")) {
            if let Some(call) = plan.call(body, op) {
                plan.calls.insert(op, call);
            }
        }
        plan.place_results(body);
        plan.free_constants(body);
        plan
    }

    /// An operation as a call that can be evaluated.
    fn call(&self, body: &Body, op: Op) -> Option<RoutineCall> {
        let routine = Routine::of(body, op).filter(|_| body.is(op, rt::CALL))?;
        let is_safe = routine.failures.is_empty() && !routine.reads_texts && !routine.rewrites;
        if !is_safe || *routine.results != [Extents::Given] {
            return None;
        }
        let kinds = body.op(op).attributes.integers("kinds")?;
        let mut kinds = kinds.iter().copied();
        let mut words = Vec::new();
        for (operand, &value) in routine.operands.iter().zip(body.op(op).operands()) {
            match operand {
                Operand::Tensor => {
                    push_tensor(&mut words, kinds.next()?, body.value_type(value), self.source(body, value)?)?;
                }
                Operand::Index => words.push(Word::Number(constant_integer(body, value)?)),
                Operand::Real => words.push(Word::Number(constant_float(body, value)?.to_bits() as i64)),
                Operand::Handle => return None,
            }
        }
        let r#type = body.value_type(body.result(op, 0));
        push_tensor(&mut words, kinds.next()?, r#type, Word::Result(self.calls.len()))?;
        let count: i64 = r#type.static_shape()?.iter().product();
        let length = count as usize * r#type.element().byte_width()?;
        let read: usize = words.iter().map(|word| self.bytes(word)).sum();
        if !self.may_grow && length as f64 > STORED_GROWTH * read as f64 {
            return None;
        }
        Some(RoutineCall { symbol: routine.symbol(), words, length, offset: None, freed: vec![], discarded: vec![] })
    }

    /// The size of a word's tensor; 0 for other words.
    fn bytes(&self, word: &Word) -> usize {
        match word {
            Word::Number(_) => 0,
            Word::Constant(blob) => blob.len(),
            &Word::Result(number) => self.calls.get_index(number).map_or(0, |(_, call)| call.length),
        }
    }

    /// The address of a tensor's elements.
    fn source(&self, body: &Body, tensor: Value) -> Option<Word> {
        let root = viewed_root(body, tensor);
        let op = body.defining_op(root)?;
        if let Some(number) = self.calls.get_index_of(&op) {
            return Some(Word::Result(number));
        }
        let elements = constant_value(body, root)?.as_dense().filter(|elements| elements.is_available())?;
        let is_one = elements.splat && elements.element_count() > 1;
        // a file would have the elements, or both forms
        if !self.may_grow && (is_one || body.uses(root).len() > 1) {
            return None;
        }
        Some(Word::Constant(match is_one {
            true => Blob::copy_of(&elements.data.bytes().repeat(elements.element_count())),
            false => elements.data.clone(),
        }))
    }

    /// Allocates space for the results that are read by operations outside of the plan.
    fn place_results(&mut self, body: &Body) {
        for number in 0..self.calls.len() {
            let (&op, _) = self.calls.get_index(number).expect("calls are numbered");
            match self.readers(body, body.result(op, 0)) {
                Readers { last_call: Some(last), others: false } => self.calls[last].freed.push(number),
                Readers { .. } => {
                    let call = &mut self.calls[number];
                    call.offset = Some(self.length);
                    self.length += call.length.next_multiple_of(LINE);
                }
            }
        }
    }

    /// Releases the memory of constants in mapped files after their last readers: they were read to be packed, and only
    /// the packed form is kept. Later reads load them from the file again.
    fn free_constants(&mut self, body: &Body) {
        for op in body.ops(body.entry().expect("the function has a body")) {
            let Some(elements) = body.attribute(op, "value").and_then(Attribute::as_dense) else { continue };
            if !elements.data.is_mapped() || elements.data.bytes().len() < DISCARDED {
                continue;
            }
            if let Some(last) = self.readers(body, body.result(op, 0)).last_call {
                self.calls[last].discarded.push(elements.data.clone());
            }
        }
    }

    fn readers(&self, body: &Body, value: Value) -> Readers {
        let mut readers = Readers { last_call: None, others: false };
        for reader in body.uses(value) {
            let next = match (tensor::viewed(body, reader.op).is_some(), self.calls.get_index_of(&reader.op)) {
                (true, _) => self.readers(body, body.result(reader.op, 0)),
                (false, call) => Readers { last_call: call, others: call.is_none() },
            };
            readers.last_call = readers.last_call.max(next.last_call);
            readers.others |= next.others;
        }
        readers
    }
}

/// The readers of a value, possibly through views.
struct Readers {
    last_call: Option<usize>,
    others: bool,
}

/// Kind, rank, address and extents of a tensor.
fn push_tensor(words: &mut Vec<Word>, kind: i64, r#type: &Type, address: Word) -> Option<()> {
    let shape = r#type.static_shape()?;
    words.extend([Word::Number(kind), Word::Number(shape.len() as i64), address]);
    words.extend(shape.into_iter().map(Word::Number));
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(length: usize, stays: bool) -> RoutineCall {
        let offset = stays.then_some(0);
        RoutineCall { symbol: String::new(), words: vec![], length, offset, freed: vec![], discarded: vec![] }
    }

    #[test]
    fn parts_have_all_calls_in_order_and_room_for_their_results() {
        let lengths = [SMALLEST, 100, SMALLEST / 2, SMALLEST / 2, SMALLEST, 1];
        let mut calls: Vec<RoutineCall> = lengths.iter().map(|&length| call(length, length != 100)).collect();
        let parts = cut(&mut calls, lengths.iter().sum());
        let ranges: Vec<Range<usize>> = parts.iter().map(|part| part.calls.clone()).collect();
        assert_eq!(ranges, [0..1, 1..4, 4..5, 5..6]);
        let room: Vec<usize> = parts.iter().map(|part| part.length).collect();
        assert_eq!(room, [SMALLEST, SMALLEST, SMALLEST, LINE]);
        let offsets: Vec<Option<usize>> = calls.iter().map(|call| call.offset).collect();
        assert_eq!(offsets, [Some(0), None, Some(0), Some(SMALLEST / 2), Some(0), Some(0)]);
    }

    #[test]
    fn there_are_not_many_parts() {
        let mut calls: Vec<RoutineCall> = (0..1000).map(|_| call(1 << 20, true)).collect();
        assert!(cut(&mut calls, 1000 << 20).len() <= PARTS + 1);
    }
}
