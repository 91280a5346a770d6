//! Lowers structured control flow to blocks.
//!
//! Counted loops test at the bottom: the entry branches around a loop with zero iterations, and the end of the body
//! branches back.

use dialects::arith::CmpIPredicate;
use dialects::rt::attributes::ROLLED;
use dialects::{OpCode, OpCodes, arith, cf, scf};
use ir::{Attribute, Block, Body, Builder, Module, Op, Result, Type, Value};

use super::scope::{definitions, with_body};

/// Turns `scf.for`, `scf.if` and `scf.while` into branches.
pub(super) fn lower_control_flow(module: &mut Module) -> Result<()> {
    for op in definitions(module) {
        with_body(module, op, |_, body| lower_body(body));
    }
    Ok(())
}

fn lower_body(body: &mut Body) {
    let mut pending: Vec<Block> = body.blocks(body.root()).to_vec();
    while let Some(block) = pending.pop() {
        let structured = body.ops(block).find(|&op| body.code(op).and_then(lowering).is_some());
        if let Some(op) = structured {
            let lower = body.code(op).and_then(lowering).expect("just found");
            let rest = split_after(body, op);
            let inner = lower(body, block, op, &rest);
            body.erase(op);
            pending.extend(inner);
            pending.push(rest.block);
        }
    }
}

/// Lowers an operation that ends a block, with the code after it; returns the blocks of its regions.
type Lowering = fn(&mut Body, Block, Op, &Rest) -> Vec<Block>;

/// The code after an operation, as a block.
struct Rest {
    block: Block,
    /// The used results of the operation: the block's arguments.
    read: Vec<usize>,
}

impl Rest {
    /// The operands of a branch to the block with these results.
    fn arguments(&self, results: &[Value]) -> Vec<Value> {
        self.read.iter().map(|&at| results[at]).collect()
    }
}

fn lowering(code: OpCode) -> Option<Lowering> {
    match code {
        scf::FOR => Some(lower_for),
        scf::IF => Some(lower_if),
        scf::WHILE => Some(lower_while),
        _ => None,
    }
}

/// Moves the operations after `op` to a new block.
fn split_after(body: &mut Body, op: Op) -> Rest {
    let results = body.op(op).results().to_vec();
    let read: Vec<usize> = (0..results.len()).filter(|&at| !body.uses(results[at]).is_empty()).collect();
    let types: Vec<Type> = read.iter().map(|&at| body.value_type(results[at]).clone()).collect();
    let rest = body.split_after(op, &types);
    for (&old, new) in read.iter().zip(body.arguments(rest).to_vec()) {
        body.replace_all_uses(results[old], new);
    }
    Rest { block: rest, read }
}

/// Moves the only block of a region after `block`.
fn adopt(body: &mut Body, op: Op, region: usize, block: Block) -> Option<Block> {
    let region = *body.op(op).regions().get(region)?;
    let inner = *body.blocks(region).first()?;
    body.detach_block(inner);
    body.insert_block_after(block, inner);
    Some(inner)
}

fn append(body: &mut Body, block: Block, like: Op, code: OpCode, operands: &[Value], results: &[Type]) -> Op {
    let location = body.op(like).location.clone();
    let op = body.create_op(code, operands, results, Default::default(), location);
    body.append(block, op);
    op
}

fn branch(body: &mut Body, from: Block, like: Op, target: Block, values: &[Value]) {
    let op = append(body, from, like, cf::BR, values, &[]);
    body.set_successors(op, &[target]);
}

/// A conditional branch to two blocks, each with its operands.
fn branch_if(body: &mut Body, from: Block, like: Op, condition: Value, targets: [(Block, &[Value]); 2]) {
    let [(then, on_true), (otherwise, on_false)] = targets;
    let branch = cf::CondBr { condition, destination_operands: &[on_true, on_false].concat() };
    let segments = [1, on_true.len() as i64, on_false.len() as i64];
    let segments = ("operandSegmentSizes", Attribute::i32_dense_array(&segments));
    let location = body.op(like).location.clone();
    let op = Builder::at_end(body, from).with_location(location).create_from(branch, &[], [segments]);
    body.set_successors(op, &[then, otherwise]);
}

/// Removes a block's terminator and returns its operands.
fn take_terminator(body: &mut Body, block: Block) -> Vec<Value> {
    let end = body.terminator(block).expect("a region's block ends in a terminator");
    let operands = body.op(end).operands().to_vec();
    body.erase(end);
    operands
}

fn less(body: &mut Body, block: Block, like: Op, a: Value, b: Value) -> Value {
    let op = append(body, block, like, arith::CMPI, &[a, b], &[Type::I1]);
    let (name, less) = CmpIPredicate::Slt.attribute();
    body.op_mut(op).attributes.set(name, less);
    body.result(op, 0)
}

fn lower_for(body: &mut Body, block: Block, op: Op, rest: &Rest) -> Vec<Block> {
    let operands = body.op(op).operands().to_vec();
    let (low, high, step) = (operands[0], operands[1], operands[2]);
    let carried = &operands[3..];
    let inner = adopt(body, op, 0, block).expect("a loop has a body");
    let entered = less(body, block, op, low, high);
    let first: Vec<Value> = std::iter::once(low).chain(carried.iter().copied()).collect();
    branch_if(body, block, op, entered, [(inner, &first), (rest.block, &rest.arguments(carried))]);
    let yielded = take_terminator(body, inner);
    // the end of the body belongs after all blocks that the body itself will be split into
    let counter = body.arguments(inner)[0];
    let counter_type = body.value_type(counter).clone();
    let next = append(body, inner, op, arith::ADDI, &[counter, step], &[counter_type]);
    let next = body.result(next, 0);
    let again = less(body, inner, op, next, high);
    let values: Vec<Value> = std::iter::once(next).chain(yielded.iter().copied()).collect();
    branch_if(body, inner, op, again, [(inner, &values), (rest.block, &rest.arguments(&yielded))]);
    if let (Some(rolled), Some(back)) = (body.attribute(op, ROLLED).cloned(), body.terminator(inner)) {
        body.op_mut(back).attributes.set(ROLLED, rolled);
    }
    vec![inner]
}

fn lower_if(body: &mut Body, block: Block, op: Op, rest: &Rest) -> Vec<Block> {
    let condition = body.sole_operand(op);
    let otherwise = adopt(body, op, 1, block);
    let then = adopt(body, op, 0, block).expect("a conditional has a first region");
    branch_if(body, block, op, condition, [(then, &[]), (otherwise.unwrap_or(rest.block), &[])]);
    let branches: Vec<Block> = [Some(then), otherwise].into_iter().flatten().collect();
    for &inner in &branches {
        let yielded = take_terminator(body, inner);
        branch(body, inner, op, rest.block, &rest.arguments(&yielded));
    }
    branches
}

fn lower_while(body: &mut Body, block: Block, op: Op, rest: &Rest) -> Vec<Block> {
    let carried = body.op(op).operands().to_vec();
    let after = adopt(body, op, 1, block).expect("a while loop has two regions");
    let before = adopt(body, op, 0, block).expect("a while loop has two regions");
    branch(body, block, op, before, &carried);
    let passed = take_terminator(body, before);
    let (condition, values) = passed.split_first().expect("scf.condition has a condition");
    branch_if(body, before, op, *condition, [(after, values), (rest.block, &rest.arguments(values))]);
    let next = take_terminator(body, after);
    branch(body, after, op, before, &next);
    vec![before, after]
}
