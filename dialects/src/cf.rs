//! `cf`: branches between blocks.

pub use crate::codes::cf::*;
pub use crate::codes::operands::cf::*;

use crate::assembly;
use ir::registry::{AttributeDefinition, AttributeKind};
use ir::rewrite::Rewriter;
use ir::{Arity, Block, Body, Op, OpDefinition, Trait, Type, Value, constant_integer};

use crate::checks::{Check, ensure, operand_type, same_types, segments, types_of};

/// The dialect's operations.
pub fn operations() -> Vec<OpDefinition> {
    vec![
        OpDefinition::new("cf.br", "Goes to a block.", Arity::at_least(0), Arity::exactly(0))
            .with_assembly(assembly::cf::print_branch, assembly::cf::parse_branch)
            .with_successors(Arity::exactly(1))
            .with_traits(&[Trait::Terminator])
            .with_verify(|body, op| forwards(body, body.op(op).successors()[0], body.op(op).operands())),
        OpDefinition::new("cf.cond_br", "Goes to one of two blocks.", Arity::at_least(1), Arity::exactly(0))
            .with_operands("condition, destination_operands...")
            .with_assembly(assembly::cf::print_conditional, assembly::cf::parse_conditional)
            .with_successors(Arity::exactly(2))
            .with_traits(&[Trait::Terminator])
            .with_verify(verify_cond_br)
            .with_canonicalize(simplify_cond_br),
        OpDefinition::new(
            "cf.switch",
            "Goes to the block of a value, or to the default.",
            Arity::at_least(1),
            Arity::exactly(0),
        )
        .with_operands("flag, destination_operands...")
        .with_assembly(assembly::cf::print_switch, assembly::cf::parse_switch)
        .with_successors(Arity::at_least(1))
        .with_traits(&[Trait::Terminator])
        .with_attributes(
            const {
                &[
                    AttributeDefinition::optional("case_values", AttributeKind::Dense),
                    AttributeDefinition::required("case_operand_segments", AttributeKind::Integers),
                ]
            },
        )
        .with_verify(verify_switch),
        OpDefinition::new(
            "cf.assert",
            "Fails the run with a message unless a condition holds.",
            Arity::exactly(1),
            Arity::exactly(0),
        )
        .with_attributes(const { &[AttributeDefinition::required("msg", AttributeKind::String)] })
        .with_format("arg: i1", "", "$arg `,` $msg attr-dict")
        .with_verify(verify_condition),
    ]
}

/// The values forwarded to each successor of a branch, in order; none for other operations.
pub fn successor_operands(body: &Body, op: Op) -> Vec<Vec<Value>> {
    let operands = body.op(op).operands();
    let sizes = |name: &str| body.op(op).attributes.integers(name).unwrap_or_default();
    let mut rest = operands.iter().copied();
    let mut take = |count: i64| rest.by_ref().take(count.max(0) as usize).collect::<Vec<_>>();
    match body.name(op) {
        "cf.br" => vec![operands.to_vec()],
        "cf.cond_br" => {
            let segments = sizes("operandSegmentSizes");
            take(1);
            segments.iter().skip(1).map(|&count| take(count)).collect()
        }
        "cf.switch" => {
            let segments = sizes("operandSegmentSizes");
            take(1);
            let first = take(segments.get(1).copied().unwrap_or(0));
            let cases = sizes("case_operand_segments");
            std::iter::once(first).chain(cases.iter().map(|&count| take(count))).collect()
        }
        _ => vec![vec![]; body.op(op).successors().len()],
    }
}

fn forwards(body: &Body, block: Block, values: &[Value]) -> Check {
    same_types("values forwarded to a block", &types_of(body, values), &types_of(body, body.arguments(block)))
}

fn verify_condition(body: &Body, op: Op) -> Check {
    let condition = operand_type(body, op, 0);
    ensure(*condition == Type::I1, || format!("condition must be i1, found {condition}"))
}

fn verify_cond_br(body: &Body, op: Op) -> Check {
    verify_condition(body, op)?;
    let sizes = segments(body, op, 3)?;
    ensure(sizes[0] == 1, || "takes one condition".to_string())?;
    verify_forwarded(body, op)
}

fn verify_switch(body: &Body, op: Op) -> Check {
    segments(body, op, 3)?;
    ensure(operand_type(body, op, 0).is_integer(), || "flag must be an integer".to_string())?;
    let cases = body.attribute(op, "case_values").and_then(|a| a.as_dense()).map_or(0, |values| values.element_count());
    let successors = body.op(op).successors().len();
    ensure(successors == cases + 1, || format!("has {cases} case values and {successors} successors"))?;
    let groups = body.op(op).attributes.integers("case_operand_segments").unwrap_or_default();
    ensure(groups.len() == cases, || format!("has {cases} case values and {} groups of operands", groups.len()))?;
    verify_forwarded(body, op)
}

fn verify_forwarded(body: &Body, op: Op) -> Check {
    let groups = successor_operands(body, op);
    body.op(op).successors().iter().zip(&groups).try_for_each(|(&block, values)| forwards(body, block, values))
}

/// A conditional branch on a constant, or to one block with the same values either way, is a plain one.
fn simplify_cond_br(rewriter: &mut Rewriter<'_>, op: Op) -> bool {
    let body = rewriter.body();
    let targets = body.op(op).successors();
    let mut values = successor_operands(body, op);
    let taken = match constant_integer(body, body.operand(op, 0)) {
        Some(condition) => usize::from(condition & 1 == 0),
        None if targets[0] == targets[1] && values[0] == values[1] => 0,
        None => return false,
    };
    let (target, values) = (targets[taken], values.swap_remove(taken));
    rewriter.build_before(op, |builder| {
        let branch = builder.create(BR, &values, &[], []);
        builder.body.set_successors(branch, &[target]);
    });
    rewriter.erase(op);
    true
}
