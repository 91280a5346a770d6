//! Lifetimes of the results of a block.

use dialects::rt::routines::Routine;
use dialects::{OpCode, OpCodes, arith, func, rt, scf, tensor};
use ir::{Block, Body, IndexMap, IndexSet, Op, Value};

use crate::extents::destination;

/// The operand of a chain of casts.
pub(crate) fn without_casts(body: &Body, value: Value) -> Value {
    let source =
        |value: Value| Some(body.sole_operand(body.defining_op(value).filter(|&op| body.is(op, tensor::CAST))?));
    at_start(value, source)
}

/// The value whose memory `value` has: itself, or the operand of a view.
pub(super) fn view_root(body: &Body, value: Value) -> Value {
    at_start(value, |value| tensor::viewed(body, body.defining_op(value)?))
}

/// The value at the start of a chain in which `source` is what a value is made from.
fn at_start(mut value: Value, source: impl Fn(Value) -> Option<Value>) -> Value {
    while let Some(before) = source(value) {
        value = before;
    }
    value
}

/// A result of a call.
#[derive(Clone, Copy, Debug)]
pub(super) struct Computed {
    pub(super) value: Value,
    /// The `tensor.empty` with its size.
    pub(super) destination: Value,
    pub(super) call: Op,
    /// The position of the call in its block.
    pub(super) position: usize,
}

/// Lifetimes of the results of one block's calls, in operations of the block.
pub(super) struct Lifetimes {
    /// In program order.
    results: Vec<Computed>,
    last: IndexMap<Value, usize>,
    /// The operands of the block's terminator.
    escaping: IndexSet<Value>,
    /// The values that a value may share memory with: itself and, through views and control flow, other results and
    /// arguments.
    origins: IndexMap<Value, Vec<Value>>,
}

impl Lifetimes {
    pub(super) fn of(body: &Body, block: Block) -> Lifetimes {
        let mut lifetimes = Lifetimes {
            results: vec![],
            last: IndexMap::default(),
            escaping: IndexSet::default(),
            origins: IndexMap::default(),
        };
        let arguments = body.arguments(block).iter();
        let mut origins: IndexMap<Value, Vec<Value>> = arguments.map(|&argument| (argument, vec![argument])).collect();
        for (position, top) in body.ops(block).enumerate() {
            let nested = body.op(top).regions().iter().flat_map(|&region| body.walk(region));
            for op in nested.chain(std::iter::once(top)).collect::<Vec<_>>() {
                lifetimes.visit(body, op, position, &mut origins);
                if op == top {
                    lifetimes.compute(body, op, position);
                }
            }
        }
        if let Some(end) = body.terminator(block) {
            let passed = body.op(end).operands().iter().filter_map(|value| origins.get(value));
            lifetimes.escaping.extend(passed.flatten());
        }
        lifetimes.origins = origins;
        lifetimes
    }

    /// Records the results of a call of the block.
    fn compute(&mut self, body: &Body, call: Op, position: usize) {
        let operation = body.op(call);
        for (index, &value) in operation.results().iter().enumerate() {
            if let Some(destination) = destination(body, call, index) {
                let destination = without_casts(body, destination);
                self.results.push(Computed { value, destination, call, position });
            }
        }
    }

    fn visit(&mut self, body: &Body, op: Op, position: usize, origins: &mut IndexMap<Value, Vec<Value>>) {
        let operation = body.op(op);
        for operand in operation.operands() {
            for &origin in origins.get(operand).into_iter().flatten() {
                self.last.insert(origin, position);
            }
        }
        match OpCode::of_name(&operation.name) {
            Some(func::CALL | rt::CALL) => {
                for &result in operation.results() {
                    self.last.insert(result, position);
                    origins.insert(result, vec![result]);
                }
            }
            Some(arith::CONSTANT) => {
                let result = operation.results()[0];
                origins.insert(result, vec![result]);
            }
            Some(tensor::RESHAPE | tensor::CAST) => {
                let of = tensor::viewed(body, op).and_then(|source| origins.get(&source)).cloned().unwrap_or_default();
                origins.insert(operation.results()[0], of);
            }
            Some(scf::IF) => {
                for (index, &result) in operation.results().iter().enumerate() {
                    let branches = operation.regions().iter().filter_map(|&region| body.blocks(region).first());
                    let yielded =
                        branches.filter_map(|&block| body.terminator(block)).map(|end| body.operand(end, index));
                    let all = yielded.flat_map(|value| origins.get(&value).cloned().unwrap_or_default()).collect();
                    origins.insert(result, all);
                }
            }
            // in a loop, initial and passed values may become any result
            Some(scf::WHILE) => {
                let regions = operation.regions().iter().flat_map(|&region| body.blocks(region));
                let passed =
                    regions.filter_map(|&block| body.terminator(block)).flat_map(|end| body.op(end).operands());
                let all: IndexSet<Value> = operation
                    .operands()
                    .iter()
                    .chain(passed)
                    .filter_map(|value| origins.get(value))
                    .flatten()
                    .copied()
                    .collect();
                let all: Vec<Value> = all.into_iter().collect();
                for &result in operation.results() {
                    origins.insert(result, all.clone());
                }
            }
            _ => {}
        }
    }

    /// Results that may reuse the memory of an argument of the block, with that argument: their routine rewrites it,
    /// and it is dead afterwards.
    pub(super) fn rewritten(&self, body: &Body, block: Block) -> IndexMap<Value, Value> {
        let argument = |computed: &Computed| {
            let routine = Routine::of(body, computed.call).filter(|routine| routine.rewrites)?;
            let (data, others) = body.op(computed.call).operands().split_first()?;
            let argument = view_root(body, *data);
            let shares = |value| self.origins.get(value).is_some_and(|origins| origins.contains(&argument));
            let is_read_on = self.last_use(argument) > computed.position || self.escapes(argument);
            let is_first = routine.results.len() == 1 && body.arguments(block).contains(&argument);
            (is_first && !is_read_on && !others.iter().any(shares)).then_some((computed.value, argument))
        };
        self.results.iter().filter_map(argument).collect()
    }

    /// The results of calls from a position on.
    pub(super) fn results_from(&self, position: usize) -> &[Computed] {
        &self.results[self.results.partition_point(|computed| computed.position < position)..]
    }

    pub(super) fn last_use(&self, value: Value) -> usize {
        self.last.get(&value).copied().unwrap_or(0)
    }

    /// Whether a result is read after the block.
    pub(super) fn escapes(&self, value: Value) -> bool {
        self.escaping.contains(&value)
    }
}
