//! If, Loop and Scan: the bodies are analysed like any block, their results joined.

use ir::{Block, DimExpr, Region, Value};

use super::node::Node;
use super::{Answer, Rule, Shape, SymbolSource};
use crate::types::contained;

pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "If" => branch,
        "Loop" => repeat,
        "Scan" => scan,
        "SequenceMap" => map,
        _ => return None,
    })
}

/// Rounds after which loop-carried shapes are given up.
const ROUNDS: usize = 4;

impl Node<'_, '_> {
    fn region(&self, index: usize) -> Option<Region> {
        self.analyser.body.op(self.op).regions().get(index).copied()
    }

    fn block(&self, region: Region) -> Option<Block> {
        self.analyser.body.blocks(region).first().copied()
    }

    /// What the body of a region yields.
    fn yields(&self, region: Region) -> Vec<Value> {
        let body = self.analyser.body;
        let end = self.block(region).and_then(|block| body.terminator(block));
        end.map(|end| body.op(end).operands().to_vec()).unwrap_or_default()
    }

    fn value_shape(&self, value: Value) -> Option<Shape> {
        self.analyser.known.shape(value).map(<[DimExpr]>::to_vec)
    }

    /// Whether all symbols of an extent can be read outside this operation's regions.
    fn escapes(&self, extent: &DimExpr) -> bool {
        let body = self.analyser.body;
        extent.symbols().iter().all(|symbol| match self.analyser.known.sources.get(symbol) {
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

    /// The shape of result `index`, of which each extent is either the same in all `shapes` or measured.
    fn join(&mut self, index: usize, shapes: &[Option<Shape>]) -> Option<Shape> {
        let (first, others) = shapes.split_first()?;
        let first = first.clone()?;
        for other in others {
            if other.as_ref()?.len() != first.len() {
                return None;
            }
        }
        let dims = first.into_iter().enumerate().map(|(axis, dim)| {
            let same = others.iter().flatten().all(|other| other[axis] == dim) && self.escapes(&dim);
            if same { dim } else { self.fresh(index, axis) }
        });
        Some(dims.collect())
    }
}

fn branch(node: &mut Node<'_, '_>) -> Answer {
    let chosen = node.numbers(0).and_then(|condition| condition.first().map(|&condition| (condition == 0) as usize));
    let mut branches: Vec<Vec<Value>> = vec![];
    // a branch that is never taken may well contradict itself, and stays unknown
    for index in chosen.map_or(0..2, |chosen| chosen..chosen + 1) {
        let Some(region) = node.region(index) else { return Ok(vec![]) };
        if let Some(block) = node.block(region) {
            node.analyser.block(block);
        }
        branches.push(node.yields(region));
    }
    let mut answer = vec![];
    for index in 0..node.result_count() {
        let shapes: Vec<Option<Shape>> =
            branches.iter().map(|values| values.get(index).and_then(|&value| node.value_shape(value))).collect();
        answer.push(node.join(index, &shapes));
    }
    Ok(answer)
}

/// Runs a body until the shapes it carries round stay the same, and returns those shapes.
///
/// `arguments` are the block's carried arguments, `initial` the values they start from, `yields` their next values.
fn carry(
    node: &mut Node<'_, '_>,
    block: Block,
    arguments: &[Value],
    initial: &[Value],
    first: usize,
) -> Vec<Option<Shape>> {
    let mut shapes: Vec<Option<Shape>> = initial.iter().map(|&value| node.value_shape(value)).collect();
    for round in 0..ROUNDS {
        for (&argument, shape) in arguments.iter().zip(&shapes) {
            node.analyser.set_shape(argument, shape.clone());
        }
        node.analyser.block(block);
        let Some(region) = node.analyser.body.block_region(block) else { return shapes };
        let yields = node.yields(region);
        let mut stable = true;
        for (index, &argument) in arguments.iter().enumerate() {
            let next = yields.get(first + index).and_then(|&value| node.value_shape(value));
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

/// The shapes carried out of a loop, in which no extent of its body is left.
fn carried_out(node: &mut Node<'_, '_>, carried: Vec<Option<Shape>>) -> Vec<Option<Shape>> {
    carried.into_iter().enumerate().map(|(index, shape)| node.join(index, &[shape])).collect()
}

fn repeat(node: &mut Node<'_, '_>) -> Answer {
    let Some(region) = node.region(0) else { return Ok(vec![]) };
    let Some(block) = node.block(region) else { return Ok(vec![]) };
    let body = node.analyser.body;
    let arguments = body.arguments(block).to_vec();
    let initial = body.op(node.op).operands().get(2..).unwrap_or_default().to_vec();
    let [counter, condition, carried @ ..] = arguments.as_slice() else { return Ok(vec![]) };
    node.analyser.set_shape(*counter, Some(vec![]));
    node.analyser.set_shape(*condition, Some(vec![]));
    let shapes = carry(node, block, carried, &initial, 1);
    let mut answer = carried_out(node, shapes);
    let yields = node.yields(region);
    for index in answer.len()..node.result_count() {
        let each = yields.get(index + 1).and_then(|&value| node.value_shape(value));
        answer.push(each.map(|each| stacked(node, index, each, 0)));
    }
    Ok(answer)
}

/// Elements of shape `each` collected along a new axis at `axis`, as often as the finished value tells.
fn stacked(node: &mut Node<'_, '_>, index: usize, each: Shape, axis: usize) -> Shape {
    let mut shape = vec![];
    for (at, dim) in each.into_iter().enumerate() {
        let place = at + (at >= axis) as usize;
        shape.push(if node.escapes(&dim) { dim } else { node.fresh(index, place) });
    }
    let count = node.fresh(index, axis);
    shape.insert(axis.min(shape.len()), count);
    shape
}

fn scan(node: &mut Node<'_, '_>) -> Answer {
    let Some(region) = node.region(0) else { return Ok(vec![]) };
    let Some(block) = node.block(region) else { return Ok(vec![]) };
    let body = node.analyser.body;
    let operands = body.op(node.op).operands().to_vec();
    let arguments = body.arguments(block).to_vec();
    let scanned = usize::try_from(node.integer("num_scan_inputs", 0)).unwrap_or(0).min(operands.len());
    let states = operands.len() - scanned;
    if arguments.len() != operands.len() {
        return Err(format!("the body takes {} arguments for {} operands", arguments.len(), operands.len()));
    }
    let input_axes = node.integers("scan_input_axes").unwrap_or_else(|| vec![0; scanned]);
    let mut count = None;
    for (at, &argument) in arguments[states..].iter().enumerate() {
        let mut shape = node.value_shape(operands[states + at]);
        if let Some(shape) = &mut shape {
            let axis = super::node::normalize_axis(input_axes.get(at).copied().unwrap_or(0), shape.len())?;
            count = Some(shape.remove(axis));
        }
        node.analyser.set_shape(argument, shape);
    }
    let shapes = carry(node, block, &arguments[..states], &operands[..states], 0);
    let mut answer = carried_out(node, shapes);
    let yields = node.yields(region);
    let output_axes = node.integers("scan_output_axes").unwrap_or_default();
    for index in states..node.result_count() {
        let Some(each) = yields.get(index).and_then(|&value| node.value_shape(value)) else {
            answer.push(None);
            continue;
        };
        let axis = output_axes.get(index - states).copied().unwrap_or(0);
        let axis = super::node::normalize_axis(axis, each.len() + 1)?;
        let mut shape = stacked(node, index, each, axis);
        if let Some(count) = &count {
            shape[axis] = count.clone();
        }
        answer.push(Some(shape));
    }
    Ok(answer)
}

/// The body sees one element of each sequence, and tensors as they are.
fn map(node: &mut Node<'_, '_>) -> Answer {
    let Some(block) = node.region(0).and_then(|region| node.block(region)) else { return Ok(vec![]) };
    let body = node.analyser.body;
    let operands = body.op(node.op).operands().to_vec();
    for (&argument, &operand) in body.arguments(block).iter().zip(&operands) {
        let shape = match contained(body.value_type(operand), "Seq") {
            None => node.value_shape(operand),
            Some(_) => {
                let stated = body.value_type(argument).rank().or_else(|| super::text::element_rank(node, operand));
                let known = &mut node.analyser.known;
                stated.map(|rank| (0..rank).map(|axis| known.fresh(body, argument, axis)).collect())
            }
        };
        node.analyser.set_shape(argument, shape);
    }
    node.analyser.block(block);
    Ok(vec![])
}
