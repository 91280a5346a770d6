//! Unrolls loops of two or three iterations, such as over colours or the coordinates of a point: expressions of the
//! counter become constants, and the rest can be hoisted out of the enclosing loops.

use dialects::{OpCodes, scf};
use ir::clone::{Mapping, copy_op, mapped};
use ir::{Block, Body, Builder, Module, Op};

use super::scope::{definitions, with_body};

/// The maximum number of iterations of such a loop.
const ITERATIONS: i64 = 3;
/// The maximum number of operations of one iteration.
const OPERATIONS: usize = 32;

/// Rewrites the loops of all functions, the inner ones first.
pub(super) fn unroll_loops(module: &mut Module) {
    for function in definitions(module) {
        with_body(module, function, |_, body| {
            for op in body.walk_all().into_iter().rev() {
                if let Some(short) = ShortLoop::of(body, op) {
                    short.unroll(body);
                }
            }
        });
    }
}

/// A loop with few iterations and no inner loop.
struct ShortLoop {
    op: Op,
    block: Block,
    counters: Vec<i64>,
}

impl ShortLoop {
    fn of(body: &Body, op: Op) -> Option<ShortLoop> {
        let &region = body.op(op).regions().first().filter(|_| body.is(op, scf::FOR))?;
        let block = *body.blocks(region).first()?;
        let bound = |at: usize| ir::constant_integer(body, body.operand(op, at));
        let (low, high, step) = (bound(0)?, bound(1)?, bound(2).filter(|&step| step > 0)?);
        let is_short = high <= low.checked_add(ITERATIONS.checked_mul(step)?)?;
        let mut ops = body.ops(block);
        let is_flat = ops.clone().count() <= OPERATIONS && ops.all(|op| body.op(op).regions().is_empty());
        let counters = || (low..high).step_by(step as usize).collect();
        (is_short && is_flat).then(|| ShortLoop { op, block, counters: counters() })
    }

    fn unroll(&self, body: &mut Body) {
        let (arguments, ops) = (body.arguments(self.block).to_vec(), body.ops(self.block).to_vec());
        let (&end, ops) = ops.split_last().expect("a loop's body has an end");
        let mut carried = body.op(self.op).operands()[3..].to_vec();
        for &counter in &self.counters {
            let mut builder = Builder::before(body, self.op);
            let counter = builder.constant_index(counter);
            let values = std::iter::once(counter).chain(carried);
            let mut mapping: Mapping = arguments.iter().copied().zip(values).collect();
            for &op in ops {
                copy_op(&mut builder, op, &mut mapping);
            }
            carried = mapped(builder.body.op(end).operands(), &mapping);
        }
        body.replace(self.op, &carried);
    }
}
