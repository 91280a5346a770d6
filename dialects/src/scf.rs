//! `scf`: structured control flow.

pub use crate::codes::operands::scf::*;
pub use crate::codes::scf::*;

use crate::assembly;
use ir::rewrite::Rewriter;
use ir::{Arity, Body, Op, OpDefinition, Trait, Type, Value, constant_integer};

use crate::checks::{Check, ensure, only_block, operand_type, same_types, segments, terminator_types, types_of};

/// The dialect's operations.
pub fn operations() -> Vec<OpDefinition> {
    let structured = |name, summary, operands, regions: u16| {
        OpDefinition::new(name, summary, operands, Arity::at_least(0)).with_regions(Arity::exactly(regions))
    };
    let end = |name, summary, operands| {
        OpDefinition::new(name, summary, operands, Arity::exactly(0)).with_traits(&[Trait::Terminator])
    };
    vec![
        structured("scf.for", "A counted loop that carries values.", Arity::at_least(3), 1)
            .with_operands("lower_bound, upper_bound, step, init_args...")
            .with_assembly(assembly::scf::print_for, assembly::scf::parse_for)
            .with_traits(&[Trait::RecursiveEffects, Trait::SingleBlock])
            .with_verify(verify_for)
            .with_canonicalize(simplify_for),
        structured("scf.if", "One of two regions.", Arity::exactly(1), 2)
            .with_operands("condition")
            .with_assembly(assembly::scf::print_if, assembly::scf::parse_if)
            .with_traits(&[Trait::RecursiveEffects, Trait::SingleBlock])
            .with_verify(verify_if)
            .with_canonicalize(simplify_if),
        // not RecursiveEffects: it may not terminate
        structured("scf.while", "A loop with a condition.", Arity::at_least(0), 2)
            .with_assembly(assembly::scf::print_while, assembly::scf::parse_while)
            .with_traits(&[Trait::SingleBlock])
            .with_verify(verify_while),
        structured("scf.parallel", "A loop nest without an order.", Arity::at_least(3), 1)
            .with_assembly(assembly::scf::print_parallel, assembly::scf::parse_parallel)
            .with_traits(&[Trait::RecursiveEffects, Trait::SingleBlock])
            .with_verify(verify_parallel),
        end("scf.yield", "The values of a region.", Arity::at_least(0))
            .with_assembly(assembly::print_values, assembly::parse_values),
        end("scf.condition", "Whether a while loop goes on, and with what.", Arity::at_least(1))
            .with_operands("condition, args...")
            .with_assembly(assembly::scf::print_condition, assembly::scf::parse_condition)
            .with_verify(verify_condition),
        end("scf.reduce", "Ends a parallel loop and combines values.", Arity::at_least(0))
            .with_assembly(assembly::scf::print_reduce, assembly::scf::parse_reduce)
            .with_regions(Arity::at_least(0))
            .with_verify(verify_reduce),
        end("scf.reduce.return", "A combined value.", Arity::exactly(1))
            .with_assembly(assembly::print_values, assembly::parse_values),
    ]
}

fn verify_condition(body: &Body, op: Op) -> Check {
    let condition = operand_type(body, op, 0);
    ensure(*condition == Type::I1, || format!("condition must be i1, found {condition}"))
}

fn verify_for(body: &Body, op: Op) -> Check {
    let types = types_of(body, body.op(op).operands());
    let counter = &types[0];
    ensure(*counter == Type::Index || counter.is_integer(), || {
        format!("bounds must be index or integers, found {counter}")
    })?;
    same_types("bounds and step", &types[..3], &vec![counter.clone(); 3])?;
    let carried = &types[3..];
    same_types("results", &types_of(body, body.op(op).results()), carried)?;
    let block = only_block(body, op, 0)?;
    let arguments: Vec<Type> = std::iter::once(counter.clone()).chain(carried.iter().cloned()).collect();
    same_types("region arguments", &types_of(body, body.arguments(block)), &arguments)?;
    same_types("yielded values", &terminator_types(body, block, YIELD)?, carried)
}

fn verify_if(body: &Body, op: Op) -> Check {
    verify_condition(body, op)?;
    let results = types_of(body, body.op(op).results());
    for (at, &region) in body.op(op).regions().iter().enumerate() {
        if at == 1 && body.blocks(region).is_empty() {
            return ensure(results.is_empty(), || "has results, so it needs an else region".to_string());
        }
        let block = only_block(body, op, at)?;
        ensure(body.arguments(block).is_empty(), || format!("region #{at} must have no arguments"))?;
        same_types("yielded values", &terminator_types(body, block, YIELD)?, &results)?;
    }
    Ok(())
}

fn verify_while(body: &Body, op: Op) -> Check {
    let carried = types_of(body, body.op(op).operands());
    let results = types_of(body, body.op(op).results());
    let (before, after) = (only_block(body, op, 0)?, only_block(body, op, 1)?);
    same_types("arguments of the first region", &types_of(body, body.arguments(before)), &carried)?;
    let passed = terminator_types(body, before, CONDITION)?;
    same_types("values passed on", &passed[1..], &results)?;
    same_types("arguments of the second region", &types_of(body, body.arguments(after)), &results)?;
    same_types("yielded values", &terminator_types(body, after, YIELD)?, &carried)
}

/// The upper bounds of a parallel loop nest, one for each loop.
pub fn upper_bounds(body: &Body, op: Op) -> &[Value] {
    let loops = segments(body, op, 4).map_or(0, |sizes| sizes[0]);
    &body.op(op).operands()[loops..2 * loops]
}

/// The number of iterations of a loop with constant bounds and a constant positive step: the ceiling of `(upper - lower) / step`.
pub fn iterations(body: &Body, [lower, upper, step]: [Value; 3]) -> Option<i64> {
    let known = |value| constant_integer(body, value).map(i128::from);
    let (lower, upper, step) = (known(lower)?, known(upper)?, known(step).filter(|&step| step > 0)?);
    let length = (upper - lower).max(0);
    Some(i64::try_from((length + step - 1) / step).unwrap_or(i64::MAX))
}

fn verify_parallel(body: &Body, op: Op) -> Check {
    let sizes = segments(body, op, 4)?;
    let loops = sizes[0];
    ensure(sizes[1] == loops && sizes[2] == loops && loops > 0, || {
        format!("has {loops} lower bounds, {} upper bounds and {} steps", sizes[1], sizes[2])
    })?;
    let types = types_of(body, body.op(op).operands());
    same_types("bounds and steps", &types[..3 * loops], &vec![Type::Index; 3 * loops])?;
    let block = only_block(body, op, 0)?;
    same_types("region arguments", &types_of(body, body.arguments(block)), &vec![Type::Index; loops])?;
    same_types("results", &types_of(body, body.op(op).results()), &types[3 * loops..])?;
    same_types("reduced values", &terminator_types(body, block, REDUCE)?, &types[3 * loops..])
}

fn verify_reduce(body: &Body, op: Op) -> Check {
    let operands = types_of(body, body.op(op).operands());
    let regions = body.op(op).regions().len();
    ensure(regions == operands.len(), || format!("has {} operands and {regions} regions", operands.len()))?;
    for (at, r#type) in operands.into_iter().enumerate() {
        let block = only_block(body, op, at)?;
        same_types("region arguments", &types_of(body, body.arguments(block)), &[r#type.clone(), r#type.clone()])?;
        same_types("combined value", &terminator_types(body, block, REDUCE_RETURN)?, &[r#type])?;
    }
    Ok(())
}

/// An if on a constant is replaced by the region taken.
fn simplify_if(rewriter: &mut Rewriter<'_>, op: Op) -> bool {
    let body = rewriter.body();
    let Some(condition) = constant_integer(body, body.operand(op, 0)) else { return false };
    let taken = usize::from(condition & 1 == 0);
    let is_there = body.op(op).regions().get(taken).is_some_and(|&region| !body.blocks(region).is_empty());
    let values = if is_there { rewriter.inline_block_before(op, taken, &[]) } else { vec![] };
    rewriter.replace(op, &values);
    true
}

/// A loop with zero iterations or one is replaced by its initial values or its body.
fn simplify_for(rewriter: &mut Rewriter<'_>, op: Op) -> bool {
    let body = rewriter.body();
    let operands = body.op(op).operands().to_vec();
    let carried = &operands[3..];
    match iterations(body, [operands[0], operands[1], operands[2]]) {
        Some(0) => rewriter.replace(op, carried),
        Some(1) => {
            let arguments: Vec<Value> = std::iter::once(operands[0]).chain(carried.iter().copied()).collect();
            let values = rewriter.inline_block_before(op, 0, &arguments);
            rewriter.replace(op, &values);
        }
        _ => return false,
    }
    true
}
