//! Outlining: each fused group becomes a call of a kernel function; equal kernels become one.
//!
//! A kernel takes the tensors and sizes its group reads from outside, then one destination tensor a result, and
//! returns the root's results. The caller's destinations are `tensor.empty` operations: they say how large the results
//! are. Scalar constants, one-element constants and `tensor.empty` are copied into the kernel.

use indexmap::IndexMap;
use ir::{Attribute, Attributes, Block, Body, Builder, FunctionType, Location, Module, Op, Type, Value};

use crate::clone::{Mapping, clone_op};
use crate::extents::extent_of;
use crate::fuse::{Group, external_operands, fuse_block};
use crate::generic::Generic;

/// Marks a function as a kernel.
pub const KERNEL: &str = "rt.kernel";

/// Fuses and outlines all compute operations of the function `name`.
pub fn outline_kernels(module: &mut Module, name: &str) {
    let Some(host) = module.symbol(name) else { return };
    let mut body = module.body.take_isolated(host).expect("a function owns its body");
    let mut kernels = Kernels::default();
    let blocks: Vec<Block> = all_blocks(&body);
    for block in blocks {
        for group in fuse_block(&body, block) {
            outline_group(&mut body, &group, &mut kernels);
        }
        remove_dead(&mut body, block);
    }
    module.body.set_isolated(host, body);
    for (_, kernel) in kernels.by_text {
        let attributes =
            Attributes::from([(KERNEL, Attribute::Unit), ("sym_visibility", Attribute::string("private"))]);
        module.add_function(&kernel.name, kernel.r#type, attributes, kernel.body, Location::Unknown);
    }
}

#[derive(Default)]
struct Kernels {
    by_text: IndexMap<String, Kernel>,
    names: IndexMap<String, usize>,
}

struct Kernel {
    name: String,
    r#type: FunctionType,
    body: Body,
}

/// Every block of a body except those of compute operations' own regions.
pub fn all_blocks(body: &Body) -> Vec<Block> {
    let mut blocks: Vec<Block> = body.blocks(body.root()).to_vec();
    let mut next = 0;
    while next < blocks.len() {
        let block = blocks[next];
        next += 1;
        for &op in body.ops(block) {
            if !crate::fuse::is_compute(body, op) {
                for &region in body.op(op).regions() {
                    blocks.extend(body.blocks(region));
                }
            }
        }
    }
    blocks
}

fn outline_group(body: &mut Body, group: &Group, kernels: &mut Kernels) {
    let destinations = destinations(body, group);
    let mut arguments: Vec<Value> = Vec::new();
    for value in external_operands(body, group) {
        if !destinations.contains(&value) {
            collect_arguments(body, value, &mut arguments);
        }
    }
    let (kernel, r#type) = build_kernel(body, group, &arguments, &destinations);
    let text = ir::print::print_body(&kernel);
    let name = match kernels.by_text.get(&text) {
        Some(known) => known.name.clone(),
        None => {
            let stem = kernel_stem(body, group);
            let count = kernels.names.entry(stem.clone()).or_insert(0);
            let name = format!("{stem}_{count}");
            *count += 1;
            kernels.by_text.insert(text, Kernel { name: name.clone(), r#type, body: kernel });
            name
        }
    };
    let root = group.root();
    let results = body.op(root).results().to_vec();
    let types: Vec<Type> = results.iter().map(|&r| body.value_type(r).clone()).collect();
    let location = Location::fuse(group.ops.iter().map(|&op| body.op(op).location.clone()));
    let attributes = Attributes::from([("callee", Attribute::symbol(&name))]);
    arguments.extend(destinations);
    let call = body.create_op("func.call", &arguments, &types, attributes, location);
    let block = body.op(root).parent().expect("the root is attached");
    let at = body.position(root);
    body.insert(block, at, call);
    for (index, &old) in results.iter().enumerate() {
        let new = body.result(call, index);
        body.replace_all_uses(old, new);
    }
    for &op in group.ops.iter().rev() {
        body.erase(op);
    }
}

/// What a kernel needs as arguments for an operand: the operand, or what a copied definition reads.
fn collect_arguments(body: &Body, value: Value, arguments: &mut Vec<Value>) {
    if arguments.contains(&value) {
        return;
    }
    match copied_definition(body, value) {
        Some(op) => {
            for &operand in body.op(op).operands() {
                collect_arguments(body, operand, arguments);
            }
        }
        None => arguments.push(value),
    }
}

/// The operation that defines `value`, when kernels copy it instead of taking an argument.
fn copied_definition(body: &Body, value: Value) -> Option<Op> {
    let op = body.defining_op(value)?;
    let copied = match body.name(op) {
        "tensor.empty" => true,
        "arith.constant" => match body.value_type(value) {
            Type::Tensor(_) => is_one_element(body.value_type(value)),
            _ => true,
        },
        _ => false,
    };
    copied.then_some(op)
}

fn is_one_element(r#type: &Type) -> bool {
    let numeric = r#type.element().is_float() || r#type.element().is_integer();
    numeric && r#type.static_shape().is_some_and(|shape| shape.iter().product::<i64>() == 1)
}

/// One `tensor.empty` a result of the root, in front of it where it has none of its own.
fn destinations(body: &mut Body, group: &Group) -> Vec<Value> {
    let root = group.root();
    let generic = Generic::of(body, root);
    (0..body.op(root).results().len())
        .map(|index| {
            let own = generic.as_ref().and_then(|generic| underlying_empty(body, generic.inits[index]));
            own.unwrap_or_else(|| {
                let result = body.result(root, index);
                let r#type = body.value_type(result).clone();
                let shape = r#type.shape().expect("structured tensors are ranked");
                let dynamic: Vec<Value> = (0..shape.len())
                    .filter(|&axis| shape[axis].is_none())
                    .map(|axis| extent_of(body, result, axis, root))
                    .collect();
                Builder::before(body, root).value("tensor.empty", &dynamic, r#type, [])
            })
        })
        .collect()
}

fn underlying_empty(body: &Body, value: Value) -> Option<Value> {
    let op = body.defining_op(value)?;
    match body.name(op) {
        "tensor.empty" => Some(value),
        _ => underlying_empty(body, *Generic::of(body, op)?.inits.first()?),
    }
}

fn build_kernel(body: &Body, group: &Group, arguments: &[Value], destinations: &[Value]) -> (Body, FunctionType) {
    let mut kernel = Body::new();
    let all: Vec<Value> = arguments.iter().chain(destinations).copied().collect();
    let types: Vec<Type> = all.iter().map(|&a| body.value_type(a).clone()).collect();
    let entry = kernel.add_block(kernel.root(), &types);
    let mut mapping: Mapping = all.iter().copied().zip(kernel.arguments(entry).to_vec()).collect();
    let mut prologue = 0;
    for value in external_operands(body, group) {
        copy_definition(body, value, &mut kernel, entry, &mut prologue, &mut mapping);
    }
    for &op in &group.ops {
        let mut outside = |_: &mut Body, _: Value| -> Value { unreachable!("external operands are mapped") };
        clone_op(body, op, &mut kernel, entry, &mut mapping, &mut outside);
    }
    let results: Vec<Value> = body.op(group.root()).results().iter().map(|r| mapping[r]).collect();
    let result_types: Vec<Type> = results.iter().map(|&r| kernel.value_type(r).clone()).collect();
    let end = kernel.create_op("func.return", &results, &[], Attributes::new(), Location::Unknown);
    kernel.append(entry, end);
    for op in kernel.walk_all() {
        kernel.op_mut(op).location = Location::Unknown;
    }
    (kernel, FunctionType { inputs: types, results: result_types })
}

fn copy_definition(
    body: &Body,
    value: Value,
    kernel: &mut Body,
    entry: Block,
    prologue: &mut usize,
    mapping: &mut Mapping,
) {
    if mapping.contains_key(&value) {
        return;
    }
    let op = copied_definition(body, value).expect("everything else is an argument");
    for &operand in body.op(op).operands() {
        copy_definition(body, operand, kernel, entry, prologue, mapping);
    }
    let operands: Vec<Value> = body.op(op).operands().iter().map(|operand| mapping[operand]).collect();
    let operation = body.op(op);
    let types = [body.value_type(value).clone()];
    let new =
        kernel.create_op(operation.name.clone(), &operands, &types, operation.attributes.clone(), Location::Unknown);
    kernel.insert(entry, *prologue, new);
    *prologue += 1;
    mapping.insert(value, kernel.result(new, 0));
}

/// A readable name: what the root's location says it is, or `kernel`.
fn kernel_stem(body: &Body, group: &Group) -> String {
    let mut kinds: Vec<&str> = Vec::new();
    for &op in &group.ops {
        if let Some(kind) = body.op(op).attributes.str("rt.origin")
            && kinds.last() != Some(&kind)
        {
            kinds.push(kind);
        }
    }
    kinds.truncate(4);
    match kinds.is_empty() {
        true => "kernel".to_string(),
        false => kinds.join("_"),
    }
}

/// Erases pure operations of a block whose results nobody reads, from the last to the first.
pub fn remove_dead(body: &mut Body, block: Block) {
    for op in body.ops(block).to_vec().into_iter().rev() {
        let pure = matches!(body.op(op).name.dialect(), "arith" | "math" | "tensor" | "linalg");
        let unused = body.op(op).results().iter().all(|&r| body.uses(r).is_empty());
        if pure && unused && !body.op(op).results().is_empty() {
            body.erase(op);
        }
    }
}
