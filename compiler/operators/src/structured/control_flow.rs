//! Control flow: If.

use ir::{Block, Op, Type, Value};

use super::{Lowering, Unsupported};

/// Lowers `If` to `scf.if`.
pub(super) fn lower_if(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    if let Some([condition]) = lowering.known_integers(operation.operands()[0]).as_deref() {
        let taken = operation.regions()[(*condition == 0) as usize];
        inline_branch(lowering, op, lowering.source.blocks(taken)[0]);
        return Ok(());
    }
    let condition = lowering.only_element(operation.operands()[0]);
    let types: Vec<Type> = operation.results().iter().map(|&result| lowering.lowered_type(result)).collect();
    let new = lowering.emit("scf.if", &[condition], &types, []);
    for &region in operation.regions() {
        let new_region = lowering.body.add_region(new);
        let block = lowering.source.blocks(region)[0];
        let new_block = lowering.body.add_block(new_region, &[]);
        lowering.nested(new_block, |lowering| {
            lowering.block(block);
            let end = lowering.source.terminator(block).expect("a branch yields");
            let yields = lowering.source.op(end).operands();
            if !yields.iter().any(|&value| lowering.is_lost(value)) {
                let yields: Vec<Value> = yields.iter().map(|&value| lowering.value(value)).collect();
                lowering.emit("scf.yield", &yields, &[], []);
            }
        });
    }
    for (index, &result) in operation.results().iter().enumerate() {
        let value = lowering.body.result(new, index);
        lowering.bind(result, value);
    }
    Ok(())
}

/// Lowers the only branch that can be taken in place of the operation.
fn inline_branch(lowering: &mut Lowering<'_>, op: Op, branch: Block) {
    lowering.block(branch);
    let end = lowering.source.terminator(branch).expect("a branch yields");
    let yields = lowering.source.op(end).operands().to_vec();
    for (&result, yielded) in lowering.source.op(op).results().iter().zip(yields) {
        if !lowering.is_lost(yielded) {
            let value = lowering.value(yielded);
            lowering.bind(result, value);
        }
    }
}
