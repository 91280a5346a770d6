//! Tile: repeats axes.

use dialects::linalg::generic::Input;
use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use dialects::{arith, tensor};
use ir::{AffineExpr, AffineMap, DimExpr, Op, Type, Value};

use crate::graph::{self, Emitter, Problem};
use crate::operator::{Kind, Operator, Rank, Uniform};
use crate::shape::elements::repeat;
use crate::shape::{Answer, Node};
use crate::structured::channel_blocks::loop_index;
use crate::structured::data_dependent_sizes::EXTENT_LIMIT;
use crate::structured::reduction::Shaped;
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
    lowering.check_size(op)?;
    let tile = views::Tile::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let input = lowering.shaped(tile.input);
    let (shape, element) = (lowering.shape(result), lowering.element(result));
    let value = match lowering.known_integers(tile.repeats) {
        Some(repeats) => {
            let value = repeated(lowering, &input, &repeats, &element);
            lowering.reshape(value, &shape)
        }
        None => wrapped(lowering, &input, &shape, &element),
    };
    lowering.bind(result, value);
    Ok(())
}

/// Each axis as two, the repeats and the original one; an extent of 1 needs only the first.
fn repeated(lowering: &mut Lowering<'_>, input: &Shaped, repeats: &[i64], element: &Type) -> Value {
    let (mut loops, mut map): (Vec<DimExpr>, Vec<AffineExpr>) = (vec![], vec![]);
    for (dim, &repeat) in input.shape.iter().zip(repeats) {
        if repeat != 1 {
            loops.push(repeat.into());
        }
        map.push(match *dim == DimExpr::ONE {
            true => AffineExpr::Constant(0),
            false => {
                loops.push(dim.clone());
                AffineExpr::Dim(loops.len() as u32 - 1)
            }
        });
    }
    let input = Input { value: input.value, map: AffineMap::new(loops.len() as u32, map) };
    lowering.pointwise(&[input], &loops, element.clone(), |_, e| e[0])
}

/// Positions that restart where the operand ends.
fn wrapped(lowering: &mut Lowering<'_>, input: &Shaped, shape: &[DimExpr], element: &Type) -> Value {
    let extents: Vec<Value> = input.shape.iter().map(|dim| lowering.dim(dim)).collect();
    lowering.pointwise(&[], shape, element.clone(), |builder, _| {
        let mut indices = Vec::with_capacity(extents.len());
        for (axis, &extent) in extents.iter().enumerate() {
            let index = loop_index(builder, axis);
            indices.push(builder.value(arith::REMUI, &[index, extent], Type::Index, []));
        }
        builder.value_from(tensor::Extract { tensor: input.value, indices: &indices }, element.clone(), [])
    })
}

fn settle(lowering: &mut Lowering<'_>, op: Op) {
    let tile = views::Tile::of(lowering.source, op);
    let Some(repeats) = lowering.unknown_sizes(tile.repeats) else { return };
    let result = lowering.source.op(op).results()[0];
    for (axis, dim) in lowering.shape(tile.input).iter().enumerate() {
        let (extent, repeats) = (lowering.dim(dim), lowering.integer(repeats, axis));
        // a count beyond the limit gives an extent beyond it, unless there is nothing to repeat
        let extent = lowering.scalars(|s| {
            let (least, most) = (s.number(-1.0, &Type::Index), s.number(EXTENT_LIMIT as f64, &Type::Index));
            let bounded = s.clamp(repeats, [least, most]);
            s.mul(extent, bounded)
        });
        lowering.settle(result, axis, extent);
    }
}
