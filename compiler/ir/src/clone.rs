//! Copying operations, including everything in their regions, between positions or bodies.

use crate::{Block, Body, Builder, IndexMap, Op, Type, Value};

/// The values that replace the operands of copied operations.
pub type Mapping = IndexMap<Value, Value>;

/// Copies `op` to the end of `block` of another body. `outside` provides operands that are not in `mapping`. The
/// results are added to `mapping`.
pub fn clone_op(
    source: &Body,
    op: Op,
    target: &mut Body,
    block: Block,
    mapping: &mut Mapping,
    outside: &mut dyn FnMut(&mut Body, Value) -> Value,
) -> Op {
    let operation = source.op(op);
    let operands: Vec<Value> = operation
        .operands()
        .iter()
        .map(|value| match mapping.get(value) {
            Some(&mapped) => mapped,
            None => {
                let new = outside(target, *value);
                mapping.insert(*value, new);
                new
            }
        })
        .collect();
    let types: Vec<_> = operation.results().iter().map(|&r| source.value_type(r).clone()).collect();
    let new = target.create_op(
        operation.name.clone(),
        &operands,
        &types,
        operation.attributes.clone(),
        operation.location.clone(),
    );
    target.append(block, new);
    for (index, &result) in operation.results().iter().enumerate() {
        mapping.insert(result, target.result(new, index));
    }
    for &region in operation.regions() {
        let new_region = target.add_region(new);
        for &old_block in source.blocks(region) {
            let types: Vec<_> = source.arguments(old_block).iter().map(|&a| source.value_type(a).clone()).collect();
            let new_block = target.add_block(new_region, &types);
            let pairs = source.arguments(old_block).iter().copied().zip(target.arguments(new_block).to_vec());
            mapping.extend(pairs);
            for inner in source.ops(old_block) {
                clone_op(source, inner, target, new_block, mapping, outside);
            }
        }
    }
    new
}

/// Copies an operation without regions to a builder's insertion point, within its body. The results are added to
/// `mapping`.
pub fn copy_op(builder: &mut Builder<'_>, op: Op, mapping: &mut Mapping) {
    let operation = builder.body.op(op);
    let operands = mapped(operation.operands(), mapping);
    let (name, attributes) = (operation.name.clone(), operation.attributes.clone());
    let results = operation.results().to_vec();
    let types: Vec<Type> = results.iter().map(|&result| builder.body.value_type(result).clone()).collect();
    let new = builder.create(name, &operands, &types, attributes);
    mapping.extend(results.into_iter().zip(builder.body.op(new).results().to_vec()));
}

/// The replacements of values; values without a replacement stay.
pub fn mapped(values: &[Value], mapping: &Mapping) -> Vec<Value> {
    values.iter().map(|value| mapping.get(value).copied().unwrap_or(*value)).collect()
}
