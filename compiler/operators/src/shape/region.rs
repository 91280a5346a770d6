//! Bodies of operators: analysed like any block; the shapes of results are joined.

use ir::{Block, DimExpr, Region, Value};

use super::node::Node;
use super::{Shape, SymbolSource};

/// The number of rounds after which loop-carried shapes become unknown.
const ROUNDS: usize = 4;

impl Node<'_, '_> {
    /// Region `index` of the operation.
    pub(crate) fn region(&self, index: usize) -> Option<Region> {
        self.analyser.body.op(self.op).regions().get(index).copied()
    }

    /// The only block of a region.
    pub(crate) fn block(&self, region: Region) -> Option<Block> {
        self.analyser.body.blocks(region).first().copied()
    }

    /// The values that the body of a region yields.
    pub(crate) fn yields(&self, region: Region) -> Vec<Value> {
        let body = self.analyser.body;
        let end = self.block(region).and_then(|block| body.terminator(block));
        end.map(|end| body.op(end).operands().to_vec()).unwrap_or_default()
    }

    /// Whether all symbols of an extent have a location outside of this operation's regions.
    pub(crate) fn escapes(&self, extent: &DimExpr) -> bool {
        let body = self.analyser.body;
        extent.all_symbols(&mut |symbol| match self.analyser.known.sources.get(symbol) {
            Some(SymbolSource::Result { value, .. }) => {
                let block = match body.definition(*value) {
                    ir::ValueDefinition::Result { op, .. } => body.op(op).parent(),
                    ir::ValueDefinition::Argument { block, .. } => Some(block),
                };
                let mut region = block.and_then(|block| body.block_region(block));
                while let Some(inner) = region {
                    match body.region_parent(inner) {
                        Some(op) if op == self.op => return false,
                        Some(op) => region = body.op(op).parent().and_then(|block| body.block_region(block)),
                        None => region = None,
                    }
                }
                true
            }
            _ => true,
        })
    }

    /// The shape of result `index`: each extent is either the same in all `shapes` or data-dependent.
    pub(crate) fn join(&mut self, index: usize, shapes: &[Option<Shape>]) -> Option<Shape> {
        let (first, others) = shapes.split_first()?;
        let first = first.clone()?;
        let ranks: Option<Vec<usize>> = shapes.iter().map(|shape| Some(shape.as_ref()?.len())).collect();
        let ranks = ranks?;
        if ranks.iter().any(|&rank| rank != first.len()) {
            // readers cannot use the result of a branch with another rank
            let rank = self.demanded_rank(index, &ranks)?;
            return Some((0..rank).map(|axis| self.fresh(index, axis)).collect());
        }
        let dims = first.into_iter().enumerate().map(|(axis, dim)| {
            let same = others.iter().flatten().all(|other| other[axis] == dim) && self.escapes(&dim);
            if same { dim } else { self.fresh(index, axis) }
        });
        Some(dims.collect())
    }
}

/// Analyses a body until the shapes that it carries reach a fixed point, and returns those.
///
/// `arguments` are the block's carried arguments, `initial` their initial values, `yields` their next values.
pub(crate) fn carry(
    node: &mut Node<'_, '_>,
    block: Block,
    arguments: &[Value],
    initial: &[Value],
    first: usize,
) -> Vec<Option<Shape>> {
    let mut shapes: Vec<Option<Shape>> = initial.iter().map(|&value| node.shape_of(value)).collect();
    for round in 0..ROUNDS {
        for (&argument, shape) in arguments.iter().zip(&shapes) {
            node.analyser.set_shape(argument, shape.clone());
        }
        node.analyser.block(block);
        let Some(region) = node.analyser.body.block_region(block) else { return shapes };
        let yields = node.yields(region);
        let mut stable = true;
        for (index, &argument) in arguments.iter().enumerate() {
            let next = yields.get(first + index).and_then(|&value| node.shape_of(value));
            let widened = match (&shapes[index], next) {
                (Some(old), Some(next)) if old.len() == next.len() && round + 1 < ROUNDS => {
                    let dims = old.iter().zip(&next).enumerate().map(|(axis, (old, next))| match old == next {
                        true => old.clone(),
                        false => node.analyser.known.fresh(node.analyser.body, argument, axis),
                    });
                    Some(dims.collect())
                }
                (Some(old), Some(next)) if *old == next => Some(next),
                _ => None,
            };
            stable &= widened == shapes[index];
            shapes[index] = widened;
        }
        if stable {
            break;
        }
    }
    shapes
}

/// The shapes carried out of a loop, without extents of its body.
pub(crate) fn carried_out(node: &mut Node<'_, '_>, carried: Vec<Option<Shape>>) -> Vec<Option<Shape>> {
    carried.into_iter().enumerate().map(|(index, shape)| node.join(index, &[shape])).collect()
}

/// Elements of shape `each`, stacked along a new axis at `axis`; its extent is their number, if that is known.
pub(crate) fn stacked(
    node: &mut Node<'_, '_>,
    index: usize,
    each: Shape,
    (axis, count): (usize, Option<&DimExpr>),
) -> Shape {
    let mut shape = vec![];
    for (at, dim) in each.into_iter().enumerate() {
        let place = at + (at >= axis) as usize;
        shape.push(if node.escapes(&dim) { dim } else { node.fresh(index, place) });
    }
    let count = count.cloned().unwrap_or_else(|| node.fresh(index, axis));
    shape.insert(axis.min(shape.len()), count);
    shape
}
