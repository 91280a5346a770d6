//! Lifetimes of call results.

use ir::{Block, Body, IndexMap, Op, Value};

/// The tensor behind casts.
pub(super) fn without_casts(body: &Body, value: Value) -> Value {
    behind(body, value, &["tensor.cast"])
}

/// The value whose memory `value` shows: itself, or what it is a view of.
pub(super) fn view_root(body: &Body, value: Value) -> Value {
    behind(body, value, &["tensor.reshape", "tensor.cast"])
}

/// What stands behind a chain of operations with one of these names.
fn behind(body: &Body, mut value: Value, names: &[&str]) -> Value {
    while let Some(op) = body.defining_op(value).filter(|&op| names.contains(&body.name(op))) {
        value = body.operand(op, 0);
    }
    value
}

/// Lifetimes of call results, counted in operations of the entry block.
pub(super) struct Lifetimes {
    /// Result, destination, position of the call, in program order.
    pub(super) results: Vec<(Value, Value, usize)>,
    last: IndexMap<Value, usize>,
}

impl Lifetimes {
    pub(super) fn of(body: &Body, entry: Block) -> Lifetimes {
        let mut lifetimes = Lifetimes { results: vec![], last: IndexMap::default() };
        // what a value may share memory with: itself and, behind views and conditionals, other results
        let mut origins: IndexMap<Value, Vec<Value>> = IndexMap::default();
        for (position, &top) in body.ops(entry).iter().enumerate() {
            let nested = body.op(top).regions().iter().flat_map(|&region| body.walk(region));
            for op in nested.chain(std::iter::once(top)).collect::<Vec<_>>() {
                lifetimes.visit(body, op, position, &mut origins);
            }
        }
        lifetimes
    }

    fn visit(&mut self, body: &Body, op: Op, position: usize, origins: &mut IndexMap<Value, Vec<Value>>) {
        let operation = body.op(op);
        for operand in operation.operands() {
            for &origin in origins.get(operand).into_iter().flatten() {
                self.last.insert(origin, position);
            }
        }
        match operation.name.as_str() {
            "func.call" => {
                let first = operation.operands().len() - operation.results().len();
                for (index, &result) in operation.results().iter().enumerate() {
                    let destination = without_casts(body, operation.operands()[first + index]);
                    self.results.push((result, destination, position));
                    self.last.insert(result, position);
                    origins.insert(result, vec![result]);
                }
            }
            "arith.constant" => {
                let result = operation.results()[0];
                origins.insert(result, vec![result]);
            }
            "tensor.reshape" | "tensor.cast" => {
                let of = origins.get(&operation.operands()[0]).cloned().unwrap_or_default();
                origins.insert(operation.results()[0], of);
            }
            "scf.if" => {
                for (index, &result) in operation.results().iter().enumerate() {
                    let branches = operation.regions().iter().filter_map(|&region| body.blocks(region).first());
                    let yielded =
                        branches.filter_map(|&block| body.terminator(block)).map(|end| body.operand(end, index));
                    let all = yielded.flat_map(|value| origins.get(&value).cloned().unwrap_or_default()).collect();
                    origins.insert(result, all);
                }
            }
            _ => {}
        }
    }

    pub(super) fn last_use(&self, value: Value) -> usize {
        self.last.get(&value).copied().unwrap_or(0)
    }
}
