//! Control flow of the host function, and the memory of its blocks.
//!
//! A tensor that is passed between blocks is a list of words: its address, then its extents. Memory that a block
//! allocates is freed at its end, except for the tensors that it passes on: those belong to the enclosing block.
//! Loop-carried tensors are freed at the end of the iteration that replaces them.

use dialects::rt::routines::is_handle;
use dialects::rt::words::pack;
use dialects::{OpCodes, func, memref, rt, scf, tensor};
use ir::{Attribute, Attributes, Blob, Block, Body, Builder, DenseElements, Location, Op, Type, Value};

use super::lifetimes::Lifetimes;
use super::{Buffer, Host, Memory};

/// From this number of constant words on, they are copied together.
const COPIED_WORDS: usize = 8;

/// The beginning of a scope, for each kind of resource that is allocated in it.
#[derive(Clone, Copy)]
struct Scope {
    buffers: Option<Value>,
    handles: Option<Value>,
}

impl Host<'_> {
    /// `scf.if`
    pub(super) fn conditional(&mut self, op: Op) -> ir::Result<()> {
        let operation = self.source.op(op).clone();
        let condition = self.scalars[&self.source.sole_operand(op)];
        let types = self.word_types(operation.results());
        let new = self.emit(scf::IF, &[condition], &types, []);
        self.body.op_mut(new).location = operation.location.clone();
        let mut branches = Vec::new();
        for &region in operation.regions() {
            let new_region = self.body.add_region(new);
            let Some(&block) = self.source.blocks(region).first() else { continue };
            let target = self.body.add_block(new_region, &[]);
            self.within(target, |host| {
                let scope = host.open_scope(&[block]);
                let passed = host.block(block)?;
                host.close_scope(scope, &passed);
                let words = host.words(&passed);
                host.emit(scf::YIELD, &words, &[], []);
                branches.push(words);
                Ok(())
            })?;
        }
        let words = self.body.op(new).results().to_vec();
        self.record_either(&words, &branches);
        self.bind_words(operation.results(), &words);
        Ok(())
    }

    /// `scf.while`
    pub(super) fn repetition(&mut self, op: Op) -> ir::Result<()> {
        let operation = self.source.op(op).clone();
        let [before, after] = [0, 1].map(|region| self.source.blocks(operation.regions()[region])[0]);
        for &operand in operation.operands() {
            self.own_empty(operand, &operation.location)?;
        }
        let start = self.words_of_start(op)?;
        let types = self.word_types(operation.results());
        let scope = self.open_scope(&[before, after]);
        let new = self.emit(scf::WHILE, &start, &types, []);
        self.body.op_mut(new).location = operation.location.clone();
        for (block, name) in [(before, scf::CONDITION), (after, scf::YIELD)] {
            let arguments = self.source.arguments(block).to_vec();
            let types = self.word_types(&arguments);
            let new_region = self.body.add_region(new);
            let target = self.body.add_block(new_region, &types);
            let words = self.body.arguments(target).to_vec();
            self.within(target, |host| {
                host.bind_words(&arguments, &words);
                if block == after {
                    host.check_stop();
                }
                let passed = host.block(block)?;
                if block == after {
                    host.close_scope(scope, &passed);
                    host.keep_for_next(&passed, &operation.location)?;
                }
                let words = host.words(&passed);
                host.emit(name, &words, &[], []);
                Ok(())
            })?;
        }
        let words = self.body.op(new).results().to_vec();
        self.bind_words(operation.results(), &words);
        self.record_stacks(op);
        Ok(())
    }

    /// Ends the run if it was cancelled or its deadline has passed. Code without a runtime cannot be stopped.
    fn check_stop(&mut self) {
        if self.memory == Memory::Run {
            let callee = Attributes::from([("callee", Attribute::symbol("rt_check_stop"))]);
            self.emit(func::CALL, &[self.context], &[], callee);
        }
    }

    /// Allocates memory for a tensor that nothing has written, which otherwise only exists as a destination.
    pub(super) fn own_empty(&mut self, value: Value, location: &Location) -> ir::Result<()> {
        let is_empty = self.source.defining_op(value).is_some_and(|op| self.source.is(op, tensor::EMPTY));
        if is_empty {
            let buffer = self.allocate(value, value, location)?;
            self.buffers.insert(value, buffer);
        }
        Ok(())
    }

    /// Emits into another block; values and checks in it are not visible after it.
    fn within(&mut self, target: Block, emit: impl FnOnce(&mut Self) -> ir::Result<()>) -> ir::Result<()> {
        let outer = std::mem::replace(&mut self.at, target);
        let (known, checked) = (self.known.len(), self.checked.len());
        let result = emit(self);
        self.at = outer;
        self.known.truncate(known);
        self.checked.truncate(checked);
        result
    }

    /// Translates a nested block and returns the operands of its terminator.
    fn block(&mut self, block: Block) -> ir::Result<Vec<Value>> {
        self.hoist_sizes(block, None);
        let lifetimes = Lifetimes::of(&self.source, block);
        let mut slots = Vec::new();
        self.plan(&lifetimes, 0, &mut slots, "rt_allocate")?;
        for (position, op) in self.source.ops(block).to_vec().into_iter().enumerate() {
            self.plan_again(op, position, &lifetimes, &mut slots)?;
            self.operation(op)?;
        }
        let end = self.source.terminator(block).expect("a nested block has a terminator");
        Ok(self.source.op(end).operands().to_vec())
    }

    /// Opens a scope for the resources that the blocks may allocate.
    fn open_scope(&mut self, blocks: &[Block]) -> Scope {
        if self.memory == Memory::Static {
            return Scope { buffers: None, handles: None };
        }
        let makes = |what: fn(&Body, Op) -> bool| blocks.iter().any(|&block| contains(&self.source, block, what));
        let (buffers, handles) = (makes(makes_buffers), makes(makes_handles));
        let context = self.context;
        let mut begin = |symbol: &str| {
            let callee = Attributes::from([("callee", Attribute::symbol(symbol))]);
            self.value(func::CALL, &[context], Type::Index, callee)
        };
        Scope { buffers: buffers.then(|| begin("rt_scope_begin")), handles: handles.then(|| begin("rt_handles_begin")) }
    }

    /// Frees the resources of a scope that are not passed on.
    fn close_scope(&mut self, scope: Scope, passed: &[Value]) {
        if let Some(begin) = scope.buffers {
            let tensors: Vec<Buffer> = passed.iter().filter_map(|value| self.buffers.get(value).cloned()).collect();
            let kept: Vec<Value> = tensors.iter().map(|buffer| self.address(buffer.memref)).collect();
            self.end_scope("rt_scope_end", begin, &kept);
        }
        if let Some(begin) = scope.handles {
            let handles = passed.iter().filter(|&&value| is_handle(self.source.value_type(value)));
            let kept: Vec<Value> = handles.map(|value| self.scalars[value]).collect();
            self.end_scope("rt_handles_end", begin, &kept);
        }
    }

    fn end_scope(&mut self, symbol: &str, begin: Value, kept: &[Value]) {
        let (table, count) = (self.stack_words(kept), self.index(kept.len() as i64));
        let table = self.address(table);
        let callee = Attributes::from([("callee", Attribute::symbol(symbol))]);
        let context = self.context;
        self.emit(func::CALL, &[context, begin, table, count], &[], callee);
    }

    /// Words on the stack. If many are constants, those are copied there at once.
    pub(super) fn stack_words(&mut self, words: &[Value]) -> Value {
        let stack = Type::memref(vec![Some(words.len().max(1) as i64)], Type::I64);
        let sizes = ("operandSegmentSizes", Attribute::i32_dense_array(&[0, 0]));
        let memory = self.value(memref::ALLOCA, &[], stack, [sizes]);
        let known: Vec<Option<i64>> = words.iter().map(|&word| ir::constant_integer(&self.body, word)).collect();
        let is_copied = self.memory == Memory::Run && known.iter().flatten().count() >= COPIED_WORDS;
        if is_copied {
            self.copy_words(memory, &known);
        }
        let numbered = (0..).zip(words.iter().copied());
        let written: Vec<(i64, Value)> =
            numbered.zip(&known).filter(|(_, known)| !is_copied || known.is_none()).map(|(word, _)| word).collect();
        self.write_words(memory, &written);
        memory
    }

    /// Writes values to words of a table.
    pub(super) fn write_words(&mut self, table: Value, values: &[(i64, Value)]) {
        if !values.is_empty() {
            pack(&mut Builder::at_end(&mut self.body, self.at), table, values);
        }
    }

    /// Copies the constant words from a constant of the module.
    fn copy_words(&mut self, memory: Value, known: &[Option<i64>]) {
        let words: Vec<u8> = known.iter().flat_map(|word| word.unwrap_or(0).to_le_bytes()).collect();
        let r#type = Type::tensor([Some(known.len() as i64)], Type::I64);
        let bytes = self.index(words.len() as i64);
        let words = DenseElements::new(r#type.clone(), Blob::copy_of(&words));
        let constant = self.constant_buffer(&r#type, Attribute::dense(words), Location::Unknown);
        let (target, source) = (self.address(memory), self.address(constant.memref));
        self.copy(target, source, bytes);
    }

    /// The words of values, concatenated.
    pub(super) fn words(&mut self, values: &[Value]) -> Vec<Value> {
        let mut words = Vec::new();
        for value in values {
            match self.buffers.get(value).cloned() {
                Some(buffer) => {
                    words.push(self.address(buffer.memref));
                    words.extend(buffer.extents);
                }
                None => words.push(self.scalars[value]),
            }
        }
        words
    }

    fn word_types(&self, values: &[Value]) -> Vec<Type> {
        let types = |&value: &Value| match self.source.value_type(value) {
            Type::Tensor(tensor) => vec![Type::Index; 1 + tensor.shape.as_ref().map_or(0, Vec::len)],
            handle if is_handle(handle) => vec![Type::Index],
            other => vec![other.clone()],
        };
        values.iter().flat_map(types).collect()
    }

    /// Binds values that were passed as words.
    fn bind_words(&mut self, values: &[Value], words: &[Value]) {
        let mut words = words.iter().copied();
        let mut next = || words.next().expect("one word for each word of the values");
        for &value in values {
            let r#type = self.source.value_type(value).clone();
            match r#type.rank().filter(|_| r#type.as_tensor().is_some()) {
                Some(rank) => {
                    let address = next();
                    let extents: Vec<Value> = (0..rank).map(|_| next()).collect();
                    let memref = self.buffer_at(address, &r#type, &extents);
                    self.buffers.insert(value, Buffer { memref, extents });
                }
                None => {
                    self.scalars.insert(value, next());
                }
            }
        }
    }
}

/// Whether `what` is true for an operation of a block, or inside one of its operations.
fn contains(body: &Body, block: Block, what: fn(&Body, Op) -> bool) -> bool {
    let nested = |op: Op| body.op(op).regions().iter().flat_map(|&region| body.walk(region)).collect::<Vec<_>>();
    body.ops(block).any(|op| nested(op).into_iter().chain([op]).any(|op| what(body, op)))
}

/// Whether an operation may allocate memory of the run.
fn makes_buffers(body: &Body, op: Op) -> bool {
    matches!(body.code(op), Some(func::CALL | rt::APPEND | rt::CALL))
}

fn makes_handles(body: &Body, op: Op) -> bool {
    body.op(op).results().iter().any(|&result| is_handle(body.value_type(result)))
}
