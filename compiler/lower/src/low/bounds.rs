//! States the bounds of kernels' buffers, for `check-accesses`.
//!
//! While buffers have shapes, `rt.bounds` at the beginning of a kernel names each buffer that it is passed, with the message of
//! a failed check. `flatten-buffers` adds the number of elements, and `outline-parallel` repeats the bounds in loops' functions.

use dialects::rt::attributes::{KERNEL, NUMBER};
use dialects::{OpCodes, func, rt};
use ir::{Attribute, Body, Builder, IndexMap, IndexSet, Location, Module, Op, Type, Value};

use super::scope::{callee, definitions, is_kernel, name_of, table_type};

/// The place of the first call of each kernel.
pub(super) fn first_calls(module: &Module) -> IndexMap<String, Location> {
    let mut calls = IndexMap::default();
    for function in module.functions().filter(|function| function.attributes.get(KERNEL).is_none()) {
        for op in function.body.walk_all().into_iter().filter(|&op| function.body.is(op, func::CALL)) {
            if let Some(name) = callee(function.body, op) {
                calls.entry(name.to_string()).or_insert_with(|| function.body.op(op).location.clone());
            }
        }
    }
    calls
}

/// States the bounds of a kernel's buffers, the last of which is the status word.
pub(super) fn state_bounds(body: &mut Body, kernel: &str, call: Option<&Location>, messages: &mut IndexSet<String>) {
    let entry = body.entry().expect("the function has a body");
    let is_buffer = |&value: &Value| body.value_type(value).as_memref().is_some();
    let buffers: Vec<Value> = body.arguments(entry).iter().copied().filter(is_buffer).collect();
    let Some((&status, operands)) = buffers.split_last() else { return };
    let place = call.and_then(Location::place).map(|place| format!("{place}: ")).unwrap_or_default();
    let mut builder = Builder::at_start(body, entry);
    let mut state = |buffer: Value, name: &str| {
        let message = format!("{place}the kernel '{kernel}' accesses {name} out of bounds");
        let number = Attribute::i64(messages.insert_full(message).0 as i64 + 1);
        builder.create_from(rt::Bounds { buffer, status, count: &[] }, &[], [("number", number)]);
    };
    state(status, "its own memory");
    for (number, &buffer) in operands.iter().enumerate() {
        state(buffer, &format!("operand {number}"));
    }
}

/// Numbers the message of failed checks in each host function.
pub(super) fn number_hosts(module: &mut Module, messages: &mut IndexSet<String>) {
    let hosts: Vec<Op> = definitions(module).into_iter().filter(|&op| is_host(module, op)).collect();
    for op in hosts {
        let message = format!("the function '{}' has a buffer outside of its memory", name_of(module, op));
        let number = messages.insert_full(message).0 as i64 + 1;
        module.body.op_mut(op).attributes.set(NUMBER, Attribute::i64(number));
    }
}

/// Whether a function takes a table and returns a status.
fn is_host(module: &Module, op: Op) -> bool {
    let r#type = module.function_view(op).map(|function| function.r#type);
    !is_kernel(module, op)
        && r#type.is_some_and(|r#type| r#type.inputs == [table_type()] && r#type.results == [Type::I64])
}
