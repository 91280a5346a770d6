//! Moves computations of the host function on constants alone into a function `@initialize`, whose compiled code runs
//! once, before the first run.
//!
//! Results that the host function still needs are stored in module-level globals (`ml_program.global`), which
//! bufferization turns into `memref.global`s without an initial value.
//!
//! Invariants
//! - Only kernel calls move; constants, sizes and reshapes are cheap and stay in both functions.
//! - Outputs of the model that are computed from scalar constants stay: writing them in each run takes less time than
//!   copying them.

use crate::bufferize::{with_readers, without_casts};
use dialects::linalg::generic::Generic;
use dialects::rt::routines::Routine;
use dialects::{Dialect, OpCodes, func, ml_program, rt, tensor};
use ir::{Attribute, Attributes, Body, FunctionType, IndexMap, IndexSet, Location, Module, Op, Type, Value};

use crate::extents::destination;
use ir::clone::{Mapping, clone_op};
use ir::transforms::remove_unread;

/// The function for computations on constants alone.
pub const INITIALIZE: &str = "initialize";

/// Moves constant computations of the function `name` into `@initialize`.
pub fn outline_initialization(module: &mut Module, name: &str) {
    let Some((host, mut body)) = module.take_function(name) else { return };
    hoist_constants(module, &mut body);
    let (constant, crossing) = constant_ops(module, &body);
    if !crossing.is_empty() {
        add_globals(module, &body, &crossing);
        let initialize = initializer(&body, &constant, &crossing);
        replace_calls(&mut body, &crossing);
        let attributes = Attributes::from([("sym_visibility", Attribute::string("public"))]);
        module.add_function(
            INITIALIZE,
            FunctionType { inputs: vec![], results: vec![] },
            attributes,
            initialize,
            Location::Unknown,
        );
    }
    module.body.set_isolated(host, body);
}

/// Hoists constant operations out of conditionals: they are pure.
fn hoist_constants(module: &Module, body: &mut Body) {
    let entry = body.entry().expect("the host function has a body");
    let (mut constant, _) = constant_ops(module, body);
    for top in body.ops(entry).to_vec() {
        let nested: Vec<Op> = body.op(top).regions().iter().flat_map(|&region| body.walk(region)).collect();
        for op in nested {
            if is_foldable(body, op) && reads_only(body, op, &constant) {
                body.move_before(op, top);
                constant.insert(op);
            }
        }
    }
}

/// Whether all operands of an operation are results of these.
fn reads_only(body: &Body, op: Op, ops: &IndexSet<Op>) -> bool {
    body.op(op).operands().iter().all(|&operand| body.defining_op(operand).is_some_and(|op| ops.contains(&op)))
}

/// Whether an operation may be computed before the run.
fn is_foldable(body: &Body, op: Op) -> bool {
    match body.code(op) {
        Some(func::CALL | tensor::EMPTY | tensor::DIM | tensor::RESHAPE | tensor::CAST | tensor::FROM_ELEMENTS) => true,
        Some(rt::CALL) => has_destinations(body, op),
        Some(code) => code.dialect() == Dialect::Arith,
        None => false,
    }
}

/// Whether all results of a routine call are written to destinations, and do not depend on the run.
fn has_destinations(body: &Body, op: Op) -> bool {
    Routine::of(body, op).is_some_and(|routine| !routine.reads_texts)
        && (0..body.op(op).results().len()).all(|result| destination(body, op, result).is_some())
}

/// Operations of the entry block that only depend on constants, and are not cheaper to compute where they are needed, with
/// their [`crossing_calls`]. The results of these have static extents, as globals have.
fn constant_ops(module: &Module, body: &Body) -> (IndexSet<Op>, IndexMap<Value, String>) {
    let entry = body.entry().expect("the host function has a body");
    let mut left: IndexSet<Op> = IndexSet::default();
    loop {
        let mut constant: IndexSet<Op> = IndexSet::default();
        for op in body.ops(entry) {
            let is_constant = is_foldable(body, op) && reads_only(body, op, &constant);
            if is_constant && !is_given_away(module, body, op) && !left.contains(&op) {
                constant.insert(op);
            }
        }
        let crossing = crossing_calls(body, &constant);
        let is_dynamic = |value: &&Value| body.value_type(**value).static_shape().is_none();
        let known = left.len();
        left.extend(crossing.keys().filter(is_dynamic).filter_map(|&value| body.defining_op(value)));
        if left.len() == known {
            return (constant, crossing);
        }
    }
}

/// Whether a call fills an output of the model, and reads no tensors for it.
fn is_given_away(module: &Module, body: &Body, op: Op) -> bool {
    let is_nothing = |value: Value| match body.defining_op(value).map(|op| body.code(op)) {
        Some(Some(tensor::EMPTY)) => true,
        _ => !matches!(body.value_type(value), Type::Tensor(_)),
    };
    let callee = || body.op(op).attributes.get("callee").and_then(Attribute::as_symbol);
    body.is(op, func::CALL)
        && body.op(op).results().iter().all(|&result| is_returned(body, result))
        && body.op(op).operands().iter().all(|&operand| is_nothing(without_casts(body, operand)))
        && callee().and_then(|name| module.function(name)).is_some_and(|kernel| is_cheap(kernel.body))
}

/// Whether a kernel computes each element of its results in a few steps.
fn is_cheap(kernel: &Body) -> bool {
    let is_cheap = |op: Op| match Generic::of(kernel, op) {
        Some(generic) => !generic.is_reduction(),
        None => !matches!(kernel.op(op).name.dialect(), "math" | "scf"),
    };
    kernel.walk_all().into_iter().all(is_cheap)
}

/// Whether a value is only read as an output of the model, possibly through casts.
fn is_returned(body: &Body, value: Value) -> bool {
    !body.uses(value).is_empty()
        && body.uses(value).iter().all(|reader| match body.code(reader.op) {
            Some(func::RETURN) => true,
            Some(tensor::CAST | tensor::RESHAPE) => is_returned(body, body.result(reader.op, 0)),
            _ => false,
        })
}

/// Constant kernel calls whose results other operations need, with the names of their globals.
fn crossing_calls(body: &Body, constant: &IndexSet<Op>) -> IndexMap<Value, String> {
    let mut crossing = IndexMap::default();
    for &op in constant {
        if !matches!(body.code(op), Some(func::CALL | rt::CALL)) {
            continue;
        }
        for &result in body.op(op).results() {
            if needed_outside(body, constant, result) {
                crossing.insert(static_view(body, result), format!("folded_{}", crossing.len()));
            }
        }
    }
    crossing
}

/// A call's result with its static type: the result itself, or a cast of it.
fn static_view(body: &Body, result: Value) -> Value {
    let is_static = |&value: &Value| body.value_type(value).static_shape().is_some();
    let casts = body.uses(result).iter().filter(|reader| body.is(reader.op, tensor::CAST));
    let views = casts.map(|reader| body.result(reader.op, 0));
    std::iter::once(result).chain(views).find(is_static).unwrap_or(result)
}

/// Whether an operation that is not constant reads `value`, possibly through views.
fn needed_outside(body: &Body, constant: &IndexSet<Op>, value: Value) -> bool {
    let mut pending = vec![value];
    while let Some(value) = pending.pop() {
        for reader in body.uses(value) {
            if !constant.contains(&reader.op) {
                return true;
            }
            if matches!(body.code(reader.op), Some(tensor::RESHAPE | tensor::CAST)) {
                pending.push(body.result(reader.op, 0));
            }
        }
    }
    false
}

fn add_globals(module: &mut Module, body: &Body, crossing: &IndexMap<Value, String>) {
    let top = module.body.entry().expect("a module has one block");
    for (&value, name) in crossing {
        let attributes = Attributes::from([
            ("sym_name", Attribute::string(name)),
            ("sym_visibility", Attribute::string("private")),
            ("type", Attribute::Type(body.value_type(value).clone())),
            ("is_mutable", Attribute::Unit),
        ]);
        let global = module.body.create_op(ml_program::GLOBAL, &[], &[], attributes, with_readers(body, value));
        module.body.append(top, global);
    }
}

fn global_attribute(name: &str) -> Attributes {
    Attributes::from([("global", Attribute::symbol(name))])
}

fn initializer(body: &Body, constant: &IndexSet<Op>, crossing: &IndexMap<Value, String>) -> Body {
    let mut new = Body::new();
    let entry = new.add_block(new.root(), &[]);
    let mut mapping = Mapping::default();
    for &op in constant {
        let mut outside = |_: &mut Body, _: Value| -> Value { unreachable!("constant operations read constant ones") };
        clone_op(body, op, &mut new, entry, &mut mapping, &mut outside);
    }
    for (value, name) in crossing {
        let store =
            new.create_op(ml_program::GLOBAL_STORE, &[mapping[value]], &[], global_attribute(name), Location::Unknown);
        new.append(entry, store);
    }
    let end = new.create_op(func::RETURN, &[], &[], Attributes::new(), Location::Unknown);
    new.append(entry, end);
    remove_dead_calls(&mut new);
    new
}

fn replace_calls(body: &mut Body, crossing: &IndexMap<Value, String>) {
    for (&value, name) in crossing {
        let call = body.defining_op(value).expect("an operation defines its results");
        let r#type = body.value_type(value).clone();
        let location = body.op(call).location.clone();
        let load = body.create_op(ml_program::GLOBAL_LOAD, &[], &[r#type], global_attribute(name), location);
        body.insert_before(load, call);
        let loaded = body.result(load, 0);
        body.replace_all_uses(value, loaded);
    }
    remove_dead_calls(body);
}

/// Kernel calls are pure: erases those without readers, and then those that only they read.
fn remove_dead_calls(body: &mut Body) {
    let entry = body.entry().expect("the function has a body");
    remove_unread(body, entry, is_foldable);
}
