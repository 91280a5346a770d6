//! Blocks, terminators, successors, segments.

use crate::body::{Block, Body, Op, Region};
use crate::registry::Trait;

use super::{MAX_REGION_DEPTH, Verifier};

impl Verifier<'_> {
    pub(super) fn structure(&mut self, body: &Body, is_graph: bool) {
        let mut regions = vec![(body.root(), 0)];
        while let Some((region, depth)) = regions.pop() {
            let needs_terminator = match body.region_parent(region) {
                None => !is_graph,
                Some(parent) => {
                    let definition = self.registry.get(body.name(parent));
                    definition.is_some_and(|definition| !definition.has(Trait::NoTerminator))
                }
            };
            for &block in body.blocks(region) {
                self.block(body, block, needs_terminator);
                for op in body.ops(block) {
                    self.successors(body, op, region);
                    self.segments(body, op);
                    self.known(body, op);
                    let inner = body.op(op).regions();
                    if depth == MAX_REGION_DEPTH && !inner.is_empty() {
                        self.report(body, op, format!("nests regions deeper than {MAX_REGION_DEPTH}"));
                    } else {
                        regions.extend(inner.iter().map(|&region| (region, depth + 1)));
                    }
                }
            }
        }
    }

    fn is_terminator(&self, body: &Body, op: Op) -> Option<bool> {
        self.registry.get(body.name(op)).map(|definition| definition.has(Trait::Terminator))
    }

    fn block(&mut self, body: &Body, block: Block, needs_terminator: bool) {
        for op in body.ops(block).rev().skip(1) {
            if self.is_terminator(body, op) == Some(true) {
                self.report(body, op, "must be the last operation of its block");
            }
        }
        if !needs_terminator {
            return;
        }
        match body.terminator(block) {
            Some(last) if self.is_terminator(body, last) == Some(false) => {
                self.report(body, last, "ends a block but is not a terminator");
            }
            Some(_) => {}
            None => self.empty_block(body, block),
        }
    }

    fn empty_block(&mut self, body: &Body, block: Block) {
        let message = "a block is empty, expected a terminator";
        match body.block_region(block).and_then(|region| body.region_parent(region)) {
            Some(parent) => self.report(body, parent, message),
            None => {
                let location = crate::location::Location::Unknown;
                self.errors.push(crate::diagnostics::Diagnostic::input(location, message));
            }
        }
    }

    fn successors(&mut self, body: &Body, op: Op, region: Region) {
        for &successor in body.op(op).successors() {
            if body.block_region(successor) != Some(region) {
                self.report(body, op, "branches to a block of another region");
            } else if body.blocks(region).first() == Some(&successor) {
                self.report(body, op, "branches to the entry block");
            }
        }
    }

    fn segments(&mut self, body: &Body, op: Op) {
        if let Err(problem) = segments(body, op) {
            self.report(body, op, problem);
        }
    }

    fn known(&mut self, body: &Body, op: Op) {
        let name = &body.op(op).name;
        if self.registry.get(name.as_str()).is_none() && self.registry.has_dialect(name.dialect()) {
            self.report(body, op, format!("is not an operation of dialect '{}'", name.dialect()));
        }
    }
}

/// Whether the sizes of the operand groups, if the operation has some, add up to its operands.
pub(super) fn segments(body: &Body, op: Op) -> Result<(), String> {
    let Some(attribute) = body.attribute(op, "operandSegmentSizes") else { return Ok(()) };
    let count = body.op(op).operands().len() as i64;
    let total = attribute
        .as_integers()
        .and_then(|sizes| sizes.iter().try_fold(0i64, |sum, &n| if n < 0 { None } else { sum.checked_add(n) }));
    if total == Some(count) {
        return Ok(());
    }
    Err(format!("has {count} operands, but 'operandSegmentSizes' is {attribute}"))
}
