//! Tile: every axis repeated.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, Op, Type, Value};

use crate::graph::{self, Emitter, Problem};
use crate::operator::{Kind, Operator, Rank, Uniform};
use crate::shape::elements::repeat;
use crate::shape::{Answer, Node};
use crate::structured::sizes::EXTENT_LIMIT;
use crate::structured::{Lowering, Unsupported};

pub(crate) const TILE: Operator = Operator {
    ranks: &[(1, Rank::Exactly(1))],
    kind: Kind::Movement,
    upgrades: &[(6, one_axis)],
    shapes: Some(shapes),
    elements: Some(repeat),
    uniform: Some(Uniform::Kept),
    lower: Some(lower),
    ..Operator::of(OnnxOp::Tile)
};

/// Until opset 6, one axis is repeated: operands `tiles` and `axis`, of the element type of the first one.
fn one_axis(node: &mut graph::Node, emit: &mut Emitter) -> Result<(), Problem> {
    let rank = emit.rank(node.operands[0]).ok_or_else(|| Problem::unsupported("repeats an operand of unknown rank"))?;
    let [tiles, axis] = [1, 2].map(|index| emit.convert(node.operands[index], &Type::I64));
    let axes = emit.integers(&(0..rank as i64).collect::<Vec<_>>());
    let is_repeated = emit.plain("Equal", &[axes, axis]);
    let once = emit.integers(&[1]);
    let repeats = emit.plain("Where", &[is_repeated, tiles, once]);
    node.operands = vec![node.operands[0], repeats];
    Ok(())
}

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let tile: views::Tile = node.view();
    let Some(input) = node.shape_of(tile.input) else { return Ok(vec![]) };
    let repeats = node.sizes_of(tile.repeats).unwrap_or_else(|| vec![None; input.len()]);
    if repeats.len() != input.len() {
        return Err(format!("{} repeats for rank {}", repeats.len(), input.len()));
    }
    let dims = input.iter().zip(repeats).enumerate().map(|(axis, (dim, repeat))| match repeat {
        Some(repeat) => dim.mul(&repeat),
        None => node.fresh(0, axis),
    });
    Ok(vec![Some(dims.collect())])
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    settle(lowering, op);
    let views::Tile { input: operand, .. } = View::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let (shape, element) = (lowering.shape(result), lowering.element(result));
    let from = lowering.shape(operand);
    let tensor = lowering.value(operand);
    let extents: Vec<Value> = from.iter().map(|dim| lowering.dim(dim)).collect();
    let value = lowering.pointwise(&[], &shape, element.clone(), |builder, _| {
        let mut operands = vec![tensor];
        for (axis, &extent) in extents.iter().enumerate() {
            let index = builder.value("linalg.index", &[], Type::Index, [("dim", Attribute::i64(axis as i64))]);
            operands.push(builder.value("arith.remui", &[index, extent], Type::Index, []));
        }
        builder.value("tensor.extract", &operands, element, [])
    });
    lowering.bind(result, value);
    Ok(())
}

fn settle(lowering: &mut Lowering<'_>, op: Op) {
    let tile = views::Tile::of(lowering.source, op);
    let Some(repeats) = lowering.unknown_sizes(tile.repeats) else { return };
    let result = lowering.source.op(op).results()[0];
    for (axis, dim) in lowering.shape(tile.input).iter().enumerate() {
        let (extent, repeats) = (lowering.dim(dim), lowering.integer(repeats, axis));
        // a count beyond the limit makes an extent beyond it, unless there is nothing to repeat
        let extent = lowering.scalars(|s| {
            let (least, most) = (s.number(-1.0, &Type::Index), s.number(EXTENT_LIMIT as f64, &Type::Index));
            let bounded = s.clamp(repeats, [least, most]);
            s.mul(extent, bounded)
        });
        lowering.settle(result, axis, extent);
    }
}
