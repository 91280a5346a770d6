//! Loop-carried indices instead of divisions of the counter in every iteration.
//!
//! A loop over rows begins with quotients and remainders of its counter: by the innermost extent, then of the
//! quotients. When the counter increases by one, the innermost index does, and if that reaches its extent it is reset
//! to zero and the next one increases.

use dialects::arith::CmpIPredicate;
use dialects::{OpCode, OpCodes, arith, scf};
use ir::{Block, Body, Builder, Module, Op, Type, Value, ValueDefinition};

use super::scope::{definitions, with_body};

/// Rewrites the loops of all functions.
pub(super) fn carry_indices(module: &mut Module) {
    for function in definitions(module) {
        with_body(module, function, |_, body| {
            for op in body.walk_all() {
                let divisions = Division::chain(body, op);
                if !divisions.is_empty() {
                    rewrite(body, op, &divisions);
                }
            }
        });
    }
}

/// A quotient and its remainder, by an extent from outside of the loop.
struct Division {
    extent: Value,
    quotient: Op,
    remainder: Op,
    /// Whether the quotient is used by more than the remainder and the next division.
    is_read: bool,
}

impl Division {
    /// The divisions of a loop's counter and of quotients of it, the innermost index first.
    fn chain(body: &Body, op: Op) -> Vec<Division> {
        let mut chain = Vec::new();
        let is_plain = body.is(op, scf::FOR) && body.op(op).results().is_empty();
        if !is_plain || ir::constant_integer(body, scf::For::of(body, op).step) != Some(1) {
            return chain;
        }
        let block = body.blocks(body.op(op).regions()[0])[0];
        let mut dividend = body.arguments(block)[0];
        while let Some(division) = Division::of(body, block, dividend) {
            dividend = body.result(division.quotient, 0);
            chain.push(division);
        }
        if let Some(last) = chain.last_mut() {
            last.is_read = true;
        }
        for at in 1..chain.len() {
            let own = [chain[at].quotient, chain[at].remainder];
            let readers = body.uses(body.result(chain[at - 1].quotient, 0));
            // the product in the remainder also uses it
            chain[at - 1].is_read = readers.iter().filter(|reader| !own.contains(&reader.op)).count() > 1;
        }
        chain
    }

    /// `q = dividend / extent` and `dividend - q * extent`, with an extent that is defined outside of the loop.
    fn of(body: &Body, block: Block, dividend: Value) -> Option<Division> {
        let user = |value: Value, code: OpCode| {
            let is_such = |op: Op| body.is(op, code) && body.op(op).parent() == Some(block);
            body.uses(value).iter().map(|r#use| r#use.op).find(|&op| is_such(op))
        };
        let quotient = user(dividend, arith::DIVUI).filter(|&op| body.sides(op).0 == dividend)?;
        let (_, extent) = body.sides(quotient);
        let product = user(body.result(quotient, 0), arith::MULI)?;
        let &[a, b] = body.op(product).operands() else { return None };
        let remainder = user(body.result(product, 0), arith::SUBI)?;
        let is_remainder = body.op(remainder).operands() == [dividend, body.result(product, 0)];
        let is_outside = match body.definition(extent) {
            ValueDefinition::Argument { block: other, .. } => other != block,
            ValueDefinition::Result { op, .. } => body.op(op).parent() != Some(block),
        };
        let is_known = ir::constant_integer(body, extent).is_some();
        let is_product = [a, b] == [body.result(quotient, 0), extent];
        (is_product && is_remainder && is_outside && !is_known).then_some(Division {
            extent,
            quotient,
            remainder,
            is_read: false,
        })
    }
}

/// Turns a loop that carries nothing into one that carries its indices: for each division the remainder, and the
/// quotient if it is used.
fn rewrite(body: &mut Body, op: Op, divisions: &[Division]) {
    let block = body.blocks(body.op(op).regions()[0])[0];
    let scf::For { lower_bound, upper_bound, step, .. } = scf::For::of(body, op);
    let mut builder = Builder::before(body, op);
    let (mut rest, mut carried) = (lower_bound, Vec::new());
    for division in divisions {
        // without iterations the divisor may be zero
        let one = builder.constant_index(1);
        let extent = builder.value(arith::MAXSI, &[division.extent, one], Type::Index, []);
        let quotient = builder.value(arith::DIVUI, &[rest, extent], Type::Index, []);
        let product = builder.value(arith::MULI, &[quotient, extent], Type::Index, []);
        carried.push(builder.value(arith::SUBI, &[rest, product], Type::Index, []));
        carried.extend(division.is_read.then_some(quotient));
        rest = quotient;
    }
    let types = vec![Type::Index; carried.len()];
    let attributes = builder.body.op(op).attributes.clone();
    let bounds = scf::For { lower_bound, upper_bound, step, init_args: &carried };
    let new = builder.create_from(bounds, &types, attributes);
    let region = body.add_region(new);
    body.detach_block(block);
    body.insert_block(region, 0, block);
    body.erase(op);
    let mut carry = || body.add_argument(block, Type::Index);
    let indices: Vec<(Value, Option<Value>)> =
        divisions.iter().map(|division| (carry(), division.is_read.then(&mut carry))).collect();
    let end = body.terminator(block).expect("a loop's body has an end");
    let next = next_indices(&mut Builder::before(body, end), divisions, &indices);
    body.set_operands(end, &next);
    for (division, &(remainder, quotient)) in divisions.iter().zip(&indices) {
        body.replace(division.remainder, &[remainder]);
        if let Some(quotient) = quotient {
            body.replace(division.quotient, &[quotient]);
        }
    }
}

/// The indices of the next iteration.
fn next_indices(builder: &mut Builder<'_>, divisions: &[Division], indices: &[(Value, Option<Value>)]) -> Vec<Value> {
    let (zero, one) = (builder.constant_index(0), builder.constant_index(1));
    let mut next = Vec::new();
    // whether the inner index has reached its extent
    let mut grows: Option<Value> = None;
    let step = |builder: &mut Builder<'_>, index: Value, grows: Option<Value>| {
        let grown = builder.value(arith::ADDI, &[index, one], Type::Index, []);
        match grows {
            Some(condition) => {
                let select = arith::Select { condition, true_value: grown, false_value: index };
                builder.value_from(select, Type::Index, [])
            }
            None => grown,
        }
    };
    for (division, &(remainder, quotient)) in divisions.iter().zip(indices) {
        let grown = step(builder, remainder, grows);
        let predicate = CmpIPredicate::Eq.attribute();
        let is_complete = builder.value(arith::CMPI, &[grown, division.extent], Type::I1, [predicate]);
        let select = arith::Select { condition: is_complete, true_value: zero, false_value: grown };
        next.push(builder.value_from(select, Type::Index, []));
        next.extend(quotient.map(|quotient| step(builder, quotient, Some(is_complete))));
        grows = Some(is_complete);
    }
    next
}
