//! Shared code of several passes: iterating over functions, and the host function's conventions.

use dialects::{OpCodes, arith, cf, memref, rt, scf};
use ir::{Attribute, Block, Body, Builder, Diagnostic, IndexSet, Location, Module, Op, Result, Type, Value};

use dialects::rt::attributes::KERNEL;

/// `memref<?xi64>`: tables of words that generated code, the runtime and the host exchange.
pub(super) fn table_type() -> Type {
    Type::memref(vec![None], Type::I64)
}

/// The functions that have a body.
pub(super) fn definitions(module: &Module) -> Vec<Op> {
    module.functions().filter(|function| function.body.entry().is_some()).map(|function| function.op).collect()
}

/// Whether a function is a kernel, as opposed to a host function.
pub(super) fn is_kernel(module: &Module, op: Op) -> bool {
    module.body.op(op).attributes.get(KERNEL).is_some()
}

/// The names of all kernels.
pub(super) fn kernel_names(module: &Module) -> IndexSet<String> {
    module
        .functions()
        .filter(|function| is_kernel(module, function.op))
        .map(|function| function.name.to_string())
        .collect()
}

/// The name of a function.
pub(super) fn name_of(module: &Module, op: Op) -> &str {
    module.body.op(op).attributes.str("sym_name").unwrap_or_default()
}

/// Runs `change` on the body of a function.
pub(super) fn with_body<T>(module: &mut Module, op: Op, change: impl FnOnce(&mut Module, &mut Body) -> T) -> T {
    let mut body = module.body.take_isolated(op).expect("a function owns its body");
    let result = change(module, &mut body);
    module.body.set_isolated(op, body);
    result
}

/// The status word of the run, in a host function: the first field of the context whose address is the table's first
/// word.
pub(super) fn status_word(builder: &mut Builder<'_>, table: Value) -> Value {
    let zero = builder.constant_index(0);
    let word = builder.value_from(memref::Load { memref: table, indices: &[zero] }, Type::I64, []);
    let address = builder.value(arith::INDEX_CAST, &[word], Type::Index, []);
    builder.value(rt::BUFFER, &[address], table_type(), [])
}

/// The table of words that a host function is passed first; the error is for a function that is not passed one.
pub(super) fn table_argument(body: &Body) -> Result<Value> {
    let first = body.entry().and_then(|entry| body.arguments(entry).first().copied());
    first.filter(|&table| *body.value_type(table) == table_type()).ok_or_else(|| {
        let message = "the first argument of a host function is not a table of words";
        Diagnostic::internal(Location::Unknown, message).into()
    })
}

/// The symbol that a call names.
pub(super) fn callee(body: &Body, op: Op) -> Option<&str> {
    body.attribute(op, "callee").and_then(Attribute::as_symbol)
}

/// Stack memory for `words` words, as a flat buffer.
pub(crate) fn stack_table(builder: &mut Builder<'_>, words: usize) -> Value {
    stack_memory(builder, words as i64, Type::I64)
}

/// Stack memory for `count` elements, as a flat buffer.
pub(super) fn stack_memory(builder: &mut Builder<'_>, count: i64, element: Type) -> Value {
    let stack = Type::memref(vec![Some(count)], element.clone());
    let sizes = ("operandSegmentSizes", Attribute::i32_dense_array(&[0, 0]));
    let memory = builder.value(memref::ALLOCA, &[], stack, [sizes]);
    let address = builder.value(rt::ADDRESS, &[memory], Type::Index, []);
    builder.value(rt::BUFFER, &[address], Type::memref(vec![None], element), [])
}

/// The block of the innermost parallel loop around an operation.
pub(super) fn enclosing_parallel_block(body: &Body, op: Op) -> Option<Block> {
    let mut at = op;
    loop {
        let parent = body.parent_op(at)?;
        if body.is(parent, scf::PARALLEL) {
            return body.op(at).parent();
        }
        at = parent;
    }
}

/// The error of an operation that has a region, if there is one: a branch cannot leave it.
pub(super) fn expect_no_regions(body: &Body) -> Result<()> {
    match body.walk_all().into_iter().find(|&op| !body.op(op).regions().is_empty()) {
        Some(op) => {
            let message = format!("{} has a region, which branches cannot leave", body.name(op));
            Err(Diagnostic::internal(body.op(op).location.clone(), message).into())
        }
        None => Ok(()),
    }
}

/// After `op`: continues if `condition` holds, otherwise branches to the block `failed` with its arguments.
pub(super) fn leave_unless(body: &mut Body, op: Op, condition: Value, arguments: &[Value], failed: Block) {
    let block = body.op(op).parent().expect("the operation is attached");
    let rest = body.split_after(op, &[]);
    let segments = ("operandSegmentSizes", Attribute::i32_dense_array(&[1, 0, arguments.len() as i64]));
    let branch = cf::CondBr { condition, destination_operands: arguments };
    let branch = Builder::at_end(body, block).create_from(branch, &[], [segments]);
    body.set_successors(branch, &[rest, failed]);
}
