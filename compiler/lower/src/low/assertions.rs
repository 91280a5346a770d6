//! Replaces `cf.assert` by message numbers.
//!
//! In a kernel a failed assertion stores its number into the run's status word and continues: a kernel clamps all
//! data-dependent indices. In a host function it ends the run immediately, and so does a failed kernel before its
//! results are read, and a failed allocation.

use dialects::arith::CmpIPredicate;
use dialects::rt::attributes::{HOST, MAY_FAIL, MESSAGES, NUMBER};
use dialects::rt::routines::SYMBOL;
use dialects::{OpCodes, arith, cf, func, memref, scf};
use ir::{Attribute, Block, Body, Builder, IndexMap, IndexSet, Module, Op, Result, Type, Value};

use super::bounds;
use super::scope::{
    callee, definitions, expect_no_regions, is_kernel, leave_unless, name_of, status_word, table_argument, with_body,
};

/// Runtime calls that set the status on failure.
const FALLIBLE: [&str; 5] = ["rt_arena", "rt_allocate", "rt_append", "rt_output", "rt_check_stop"];

/// Numbers all messages; replaces kernels' assertions by stores into a status word, which becomes their last argument.
/// With `bounds`, every kernel has that argument, and states the bounds of its buffers.
pub(super) fn number_assertions(module: &mut Module, bounds: bool) -> Result<()> {
    let mut messages: IndexSet<String> = IndexSet::default();
    let mut checked: IndexSet<String> = IndexSet::default();
    let calls = if bounds { bounds::first_calls(module) } else { IndexMap::default() };
    for op in definitions(module) {
        let (kernel, name) = (is_kernel(module, op), name_of(module, op).to_string());
        let has_status = with_body(module, op, |_, body| {
            let asserts: Vec<Op> = body.walk_all().into_iter().filter(|&op| body.is(op, cf::ASSERT)).collect();
            let entry = body.entry().expect("the function has a body");
            let needs = kernel && (bounds || !asserts.is_empty());
            let status = needs.then(|| body.add_argument(entry, status_type()));
            number(body, &asserts, &mut messages, status);
            if kernel && bounds {
                bounds::state_bounds(body, &name, calls.get(&name), &mut messages);
            }
            needs
        });
        if has_status {
            checked.insert(name);
            module.update_function_type(op);
        }
    }
    if bounds {
        bounds::number_hosts(module, &mut messages);
    }
    for op in definitions(module) {
        if !is_kernel(module, op) {
            with_body(module, op, |_, body| pass_status(body, &checked))?;
        }
    }
    let messages = messages.iter().map(|message| Attribute::string(message)).collect();
    module.attributes.set(MESSAGES, Attribute::Array(messages));
    Ok(())
}

/// The type of the status argument: one word, so that no extent is passed with it.
fn status_type() -> Type {
    Type::memref(vec![Some(1)], Type::I64)
}

fn number(body: &mut Body, asserts: &[Op], messages: &mut IndexSet<String>, status: Option<Value>) {
    for &op in asserts {
        let message = body.op(op).attributes.str("msg").unwrap_or("assertion failed").to_string();
        let number = messages.insert_full(message).0 as i64 + 1;
        match status {
            Some(status) => store_unless(body, op, number, status),
            None => body.op_mut(op).attributes.set(NUMBER, Attribute::i64(number)),
        }
    }
}

/// `if !condition { status[0] = number }`
fn store_unless(body: &mut Body, op: Op, number: i64, status: Value) {
    let condition = body.sole_operand(op);
    let mut builder = Builder::before(body, op);
    let truth = builder.constant(Attribute::Bool(true), Type::I1);
    let failed = builder.value(arith::XORI, &[condition, truth], Type::I1, []);
    let branch = builder.create(scf::IF, &[failed], &[], []);
    let (_, then) = builder.region_with_block(branch, &[]);
    builder.body.add_region(branch);
    builder.within(then, |builder| {
        let value = builder.constant(Attribute::i64(number), Type::I64);
        let zero = builder.constant_index(0);
        builder.create_from(memref::Store { value, memref: status, indices: &[zero] }, &[], []);
        builder.create(scf::YIELD, &[], &[], []);
    });
    body.erase(op);
}

/// Passes the status word to the kernels that may set it.
fn pass_status(body: &mut Body, checked: &IndexSet<String>) -> Result<()> {
    let calls: Vec<Op> = body
        .walk_all()
        .into_iter()
        .filter(|&op| body.is(op, func::CALL) && callee(body, op).is_some_and(|name| checked.contains(name)))
        .collect();
    for op in calls {
        let table = table_argument(body)?;
        let mut builder = Builder::before(body, op);
        let status = status_word(&mut builder, table);
        let status = builder.value(memref::CAST, &[status], status_type(), []);
        let operands: Vec<Value> = body.op(op).operands().iter().copied().chain([status]).collect();
        body.set_operands(op, &operands);
        body.op_mut(op).attributes.set(MAY_FAIL, Attribute::Unit);
    }
    Ok(())
}

/// Ends host functions where an assertion, a checked kernel or an allocation fails.
pub(super) fn guard_host(module: &mut Module) -> Result<()> {
    for op in definitions(module) {
        let function = module.function_view(op).expect("a function");
        if !is_kernel(module, op) && function.r#type.results == [Type::I64] {
            with_body(module, op, |_, body| guard_body(body))?;
            module.body.op_mut(op).attributes.set(HOST, Attribute::Unit);
        }
    }
    Ok(())
}

fn guard_body(body: &mut Body) -> Result<()> {
    let entry = body.entry().expect("the function has a body");
    let guards: Vec<Op> =
        body.walk_all().into_iter().filter(|&op| body.is(op, cf::ASSERT) || may_fail(body, op)).collect();
    if guards.is_empty() {
        return Ok(());
    }
    expect_no_regions(body)?;
    let table = table_argument(body)?;
    let mut builder = Builder::at_start(body, entry);
    let status = status_word(&mut builder, table);
    let (zero, fine) = (builder.constant_index(0), builder.constant(Attribute::i64(0), Type::I64));
    let failed = failure_block(body);
    // from the end, so that each block is split once
    for op in guards.into_iter().rev() {
        if body.is(op, cf::ASSERT) {
            let condition = body.sole_operand(op);
            let number = body.op(op).attributes.integer(NUMBER).unwrap_or(1);
            let number = Builder::before(body, op).constant(Attribute::i64(number), Type::I64);
            leave_unless(body, op, condition, &[number], failed);
            body.erase(op);
        } else {
            let mut builder = Builder::after(body, op);
            let status = builder.value_from(memref::Load { memref: status, indices: &[zero] }, Type::I64, []);
            let well = builder.value(arith::CMPI, &[status, fine], Type::I1, [CmpIPredicate::Eq.attribute()]);
            let last = body.defining_op(well).expect("just made");
            leave_unless(body, last, well, &[status], failed);
        }
    }
    Ok(())
}

/// A block at the end that returns the status that it is passed.
fn failure_block(body: &mut Body) -> Block {
    let block = body.add_block(body.root(), &[Type::I64]);
    let status = body.arguments(block)[0];
    Builder::at_end(body, block).create(func::RETURN, &[status], &[], []);
    block
}

fn may_fail(body: &Body, op: Op) -> bool {
    body.is(op, func::CALL)
        && (body.attribute(op, MAY_FAIL).is_some()
            || callee(body, op).is_some_and(|name| FALLIBLE.contains(&name) || name.starts_with(SYMBOL)))
}
