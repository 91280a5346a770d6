//! Values are defined before they are used.

use cranelift_entity::SecondaryMap;

use crate::body::{Block, Body, Op, Region, Value, ValueDefinition};
use crate::dominance::Dominators;

use super::Verifier;

/// The dominators of every region with several blocks.
struct Order(SecondaryMap<Region, Option<Dominators>>);

impl Verifier<'_> {
    pub(super) fn dominance(&mut self, body: &Body) {
        let mut order = Order(SecondaryMap::new());
        order.enter_region(body, body.root());
        let ops = body.walk_all();
        for &op in &ops {
            for &region in body.op(op).regions() {
                order.enter_region(body, region);
            }
        }
        for op in ops {
            for (index, &operand) in body.op(op).operands().iter().enumerate() {
                if !order.is_visible(body, operand, op) {
                    self.report(body, op, format!("operand #{index} is not defined before this use"));
                }
            }
        }
    }
}

impl Order {
    fn enter_region(&mut self, body: &Body, region: Region) {
        if body.blocks(region).len() > 1 {
            self.0[region] = Some(Dominators::of_region(body, region));
        }
    }

    fn is_visible(&self, body: &Body, value: Value, user: Op) -> bool {
        let definition = body.definition(value);
        let home = match definition {
            ValueDefinition::Result { op, .. } => body.op(op).parent(),
            ValueDefinition::Argument { block, .. } => Some(block),
        };
        let Some(home) = home else { return false };
        let Some(region) = body.block_region(home) else { return false };
        // the ancestor of the user in the region of the definition
        let mut ancestor = user;
        let block = loop {
            let Some(block) = body.op(ancestor).parent() else { return false };
            match body.block_region(block) {
                Some(found) if found == region => break block,
                Some(found) => match body.region_parent(found) {
                    Some(parent) => ancestor = parent,
                    None => return false,
                },
                None => return false,
            }
        };
        if block != home {
            return self.dominates(region, home, block);
        }
        match definition {
            ValueDefinition::Argument { .. } => true,
            ValueDefinition::Result { op, .. } => {
                body.is_before_in_block(op, ancestor) || !self.is_reachable(region, block)
            }
        }
    }

    fn dominates(&self, region: Region, above: Block, below: Block) -> bool {
        self.0[region].as_ref().is_some_and(|dominators| dominators.dominates(above, below))
    }

    fn is_reachable(&self, region: Region, block: Block) -> bool {
        self.0[region].as_ref().is_none_or(|dominators| dominators.is_reachable(block))
    }
}
