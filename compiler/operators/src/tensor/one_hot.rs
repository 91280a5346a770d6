//! OneHot: one value at an index, another elsewhere. Since 9.

use dialects::arith;
use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{AffineExpr, AffineMap, DimExpr, Op, Type};

use crate::operator::Operator;
use crate::shape::{Answer, Node, normalize_axis};
use crate::structured::channel_blocks::loop_index;
use crate::structured::extreme::index_type_for;
use crate::structured::gather::{as_index, from_front};
use crate::structured::scalars::{Comparison, Scalars};
use crate::structured::{Lowering, Unsupported, reduction};
use dialects::linalg::generic::Input;

pub(crate) const ONE_HOT: Operator =
    Operator { shapes: Some(shapes), lower: Some(lower), ..Operator::of(OnnxOp::OneHot) };

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let one_hot: views::OneHot = node.view();
    let Some(mut shape) = node.shape_of(one_hot.indices) else { return Ok(vec![]) };
    let axis = normalize_axis(one_hot.axis, shape.len() + 1)?;
    let depth = match node.known_of(one_hot.depth).and_then(|depth| depth.into_iter().next()) {
        Some(depth) => depth,
        None => node.fresh(0, axis),
    };
    shape.insert(axis, depth);
    node.expect_shape(Some(one_hot.values), &[DimExpr::Constant(2)], "the pair of values")?;
    Ok(vec![Some(shape)])
}

/// `y[…, d, …] = index == d ? on : off`; indices outside `[-depth, depth)` give rows of `off`.
fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let views::OneHot { indices, depth, values, axis } = View::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let output = lowering.shape(result);
    let rank = output.len();
    let axis = reduction::normalize_axis(axis, rank)?;
    let element = lowering.element(result);
    let extent = lowering.scalar_index(depth);
    lowering.settle(result, axis, extent);
    let limit = lowering.dim(&output[axis]);
    let counted = index_type_for(&element, &output[axis]);
    let indices = lowering.shaped(indices);
    let positions = lowering.map(&[&indices], &indices.shape, counted.clone(), |s, e| {
        let index = s.cast(e[0], &Type::I64, false, false);
        let index = as_index(s, index);
        let (position, nowhere) = (from_front(s, index, limit), s.number(-1.0, &Type::Index));
        let inside = Scalars { builder: s.builder, unsigned: true }.compare(Comparison::Less, position, limit);
        let position = s.select(inside, position, nowhere);
        s.builder.value(arith::INDEX_CAST, &[position], counted.clone(), [])
    });
    let table = lowering.value(values);
    let outer: Vec<usize> = (0..rank).filter(|&d| d != axis).collect();
    let inputs = [
        Input { value: positions.value, map: AffineMap::select(rank, &outer) },
        Input { value: table, map: AffineMap::new(rank as u32, vec![AffineExpr::Constant(0)]) },
        Input { value: table, map: AffineMap::new(rank as u32, vec![AffineExpr::Constant(1)]) },
    ];
    let value = lowering.pointwise(&inputs, &output, element, |builder, e| {
        let mut s = Scalars { builder, unsigned: false };
        let here = loop_index(s.builder, axis);
        // along the axis itself the index varies, elsewhere the position
        let hit = if axis + 1 == rank {
            let position = as_index(&mut s, e[0]);
            s.compare(Comparison::Equal, position, here)
        } else {
            let here = s.builder.value(arith::INDEX_CAST, &[here], counted.clone(), []);
            s.compare(Comparison::Equal, e[0], here)
        };
        s.select(hit, e[2], e[1])
    });
    lowering.bind(result, value);
    Ok(())
}
