//! Structural equality: whether two bodies are equal except for ids and locations.

use std::hash::{Hash, Hasher};

use cranelift_entity::SecondaryMap;
use cranelift_entity::packed_option::PackedOption;
use rustc_hash::FxHasher;

use crate::body::{Block, Body, Op, Region, Value};
use crate::layout::Ops;

/// A hash that is equal for bodies of equal structure.
pub fn structural_hash(body: &Body) -> u64 {
    let mut state = FxHasher::default();
    hash_region(body, body.root(), &mut state);
    state.finish()
}

/// Whether two bodies have the same structure; then they print alike, except for locations.
pub fn structurally_equal(a: &Body, b: &Body) -> bool {
    let mut comparison = Comparison { a, b, values: SecondaryMap::new(), blocks: SecondaryMap::new() };
    comparison.regions(a.root(), b.root())
}

fn hash_region(body: &Body, region: Region, state: &mut FxHasher) {
    for &block in body.blocks(region) {
        for &argument in body.arguments(block) {
            body.value_type(argument).hash(state);
        }
        for op in body.ops(block) {
            let operation = body.op(op);
            operation.name.hash(state);
            operation.attributes.hash(state);
            // the comparison checks which values they are
            operation.operands().len().hash(state);
            operation.results().iter().for_each(|&result| body.value_type(result).hash(state));
            operation.regions().iter().for_each(|&region| hash_region(body, region, state));
            operation.isolated().iter().for_each(|inner| hash_region(inner, inner.root(), state));
        }
    }
}

/// Two bodies, and the correspondence of values and blocks.
struct Comparison<'b> {
    a: &'b Body,
    b: &'b Body,
    values: SecondaryMap<Value, PackedOption<Value>>,
    blocks: SecondaryMap<Block, PackedOption<Block>>,
}

impl Comparison<'_> {
    fn regions(&mut self, a: Region, b: Region) -> bool {
        let (a, b) = (self.a.blocks(a), self.b.blocks(b));
        if a.len() != b.len() {
            return false;
        }
        // branches go forward and back, so blocks and their arguments come first
        let headed = a.iter().zip(b).all(|(&a, &b)| {
            self.blocks[a] = b.into();
            self.define(self.a.arguments(a), self.b.arguments(b))
        });
        headed && a.iter().zip(b).all(|(&a, &b)| self.operations(self.a.ops(a), self.b.ops(b)))
    }

    fn operations(&mut self, mut a: Ops<'_>, mut b: Ops<'_>) -> bool {
        a.all(|op| b.next().is_some_and(|other| self.operation(op, other))) && b.next().is_none()
    }

    fn operation(&mut self, a: Op, b: Op) -> bool {
        let (a, b) = (self.a.op(a), self.b.op(b));
        let isolated = match (a.isolated(), b.isolated()) {
            (Some(a), Some(b)) => structurally_equal(a, b),
            (a, b) => a.is_none() && b.is_none(),
        };
        isolated
            && a.name == b.name
            && a.attributes == b.attributes
            && a.operands().len() == b.operands().len()
            && a.operands().iter().zip(b.operands()).all(|(&a, &b)| self.values[a].expand() == Some(b))
            && a.successors().len() == b.successors().len()
            && a.successors().iter().zip(b.successors()).all(|(&a, &b)| self.blocks[a].expand() == Some(b))
            && self.define(a.results(), b.results())
            && a.regions().len() == b.regions().len()
            && a.regions().iter().zip(b.regions()).all(|(&a, &b)| self.regions(a, b))
    }

    fn define(&mut self, a: &[Value], b: &[Value]) -> bool {
        a.len() == b.len()
            && a.iter().zip(b).all(|(&a, &b)| {
                self.values[a] = b.into();
                self.a.value_type(a) == self.b.value_type(b)
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attributes::Attribute;
    use crate::builder::Builder;
    use crate::types::Type;

    /// `a + b` or `b + a`, after an operation that only shifts ids.
    fn sum(swapped: bool, padding: usize) -> Body {
        let mut body = Body::new();
        let entry = body.add_block(body.root(), &[Type::Index, Type::Index]);
        let arguments = body.arguments(entry).to_vec();
        let mut builder = Builder::at_end(&mut body, entry);
        for _ in 0..padding {
            let unused = builder.create("arith.constant", &[], &[Type::Index], [("value", Attribute::index(1))]);
            builder.body.erase(unused);
        }
        let operands = if swapped { [arguments[1], arguments[0]] } else { [arguments[0], arguments[1]] };
        let sum = builder.value("arith.addi", &operands, Type::Index, []);
        builder.create("func.return", &[sum], &[], []);
        body
    }

    #[test]
    fn ids_do_not_matter_but_operands_do() {
        assert!(structurally_equal(&sum(false, 0), &sum(false, 3)));
        assert_eq!(structural_hash(&sum(false, 0)), structural_hash(&sum(false, 3)));
        assert!(!structurally_equal(&sum(false, 0), &sum(true, 0)));
    }
}
