//! Shared code of the dialects' verifiers.

use ir::{Block, Body, Op, OpName, Type, Value};

/// The result of a check; the error does not name the operation.
pub(crate) type Check = Result<(), String>;

/// An error unless `holds`.
pub(crate) fn ensure(holds: bool, message: impl FnOnce() -> String) -> Check {
    if holds { Ok(()) } else { Err(message()) }
}

/// The type of operand `index`.
pub(crate) fn operand_type(body: &Body, op: Op, index: usize) -> &Type {
    body.value_type(body.operand(op, index))
}

/// The type of result `index`.
pub(crate) fn result_type(body: &Body, op: Op, index: usize) -> &Type {
    body.value_type(body.result(op, index))
}

/// The types of some values.
pub(crate) fn types_of(body: &Body, values: &[Value]) -> Vec<Type> {
    values.iter().map(|&value| body.value_type(value).clone()).collect()
}

/// The element type of a vector or tensor; any other type itself.
pub(crate) fn scalar(r#type: &Type) -> &Type {
    r#type.element()
}

/// `i32, f32`
pub(crate) fn list(types: &[Type]) -> String {
    types.iter().map(Type::to_string).collect::<Vec<_>>().join(", ")
}

/// The same types in the same order.
pub(crate) fn same_types(what: &str, found: &[Type], expected: &[Type]) -> Check {
    ensure(found == expected, || format!("{what}: expected ({}), found ({})", list(expected), list(found)))
}

/// Operands `from…` are all of type `index`.
pub(crate) fn all_index(body: &Body, op: Op, from: usize) -> Check {
    for (at, &value) in body.op(op).operands().iter().enumerate().skip(from) {
        let r#type = body.value_type(value);
        ensure(*r#type == Type::Index, || format!("operand #{at} must be index, found {type}"))?;
    }
    Ok(())
}

/// `operandSegmentSizes`, with `count` entries.
pub(crate) fn segments(body: &Body, op: Op, count: usize) -> Result<Vec<usize>, String> {
    let sizes = body.op(op).attributes.integers("operandSegmentSizes");
    let sizes = sizes.ok_or("requires attribute 'operandSegmentSizes'")?;
    ensure(sizes.len() == count, || format!("takes {count} operand segments, found {}", sizes.len()))?;
    Ok(sizes.iter().map(|&size| size as usize).collect())
}

/// The only block of region `index`.
pub(crate) fn only_block(body: &Body, op: Op, index: usize) -> Result<Block, String> {
    let region = body.op(op).regions()[index];
    match body.blocks(region) {
        [block] => Ok(*block),
        blocks => Err(format!("region #{index} must have one block, found {}", blocks.len())),
    }
}

/// The types of the operands of a block's terminator, which must be an operation called `name`.
pub(crate) fn terminator_types(body: &Body, block: Block, name: impl Into<OpName>) -> Result<Vec<Type>, String> {
    let name = name.into();
    match body.terminator(block) {
        Some(end) if body.op(end).name == name => Ok(types_of(body, body.op(end).operands())),
        Some(end) => Err(format!("expects its region to end with {name}, found {}", body.name(end))),
        None => Err(format!("expects its region to end with {name}")),
    }
}
