//! Gather: slices along an axis, selected by index.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use dialects::tensor;
use ir::{AffineExpr, AffineMap, Op};

use crate::operator::{Kind, Operator};
use crate::shape::elements::{offset, places, static_extents};
use crate::shape::{Answer, Elements, Node, normalize_axis};
use crate::structured::channel_blocks::loop_index;
use crate::structured::gather::{assert_bounds, bounded};
use crate::structured::scalars::Scalars;
use crate::structured::{Lowering, Unsupported, reduction};
use dialects::linalg::generic::Input;

pub(crate) const GATHER: Operator = Operator {
    kind: Kind::Movement,
    shapes: Some(shapes),
    elements: Some(elements),
    lower: Some(lower),
    ..Operator::of(OnnxOp::Gather)
};

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let gather: views::Gather = node.view();
    let (Some(shape), Some(indices)) = (node.shape_of(gather.data), node.shape_of(gather.indices)) else {
        return Ok(vec![]);
    };
    let axis = normalize_axis(gather.axis, shape.len())?;
    Ok(vec![Some([&shape[..axis], &indices, &shape[axis + 1..]].concat())])
}

fn elements(node: &Node<'_, '_>, extents: &[usize]) -> Option<Elements> {
    let (elements, from) = (node.elements(0)?, static_extents(node, 0)?);
    let (indices, index_extents) = (node.numbers(1)?, static_extents(node, 1)?);
    let axis = normalize_axis(node.view::<views::Gather>().axis, from.len()).ok()?;
    let after = axis + index_extents.len();
    let pick = |place: Vec<usize>| {
        let index = indices[offset(place[axis..after].iter().copied(), &index_extents)];
        let index = normalize_axis(index, from[axis]).ok()?;
        let source = place[..axis].iter().copied().chain([index]).chain(place[after..].iter().copied());
        elements[offset(source, &from)].clone()
    };
    Some(places(extents).map(pick).collect())
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let views::Gather { data, indices, axis } = View::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let input = lowering.shaped(data);
    let axis = reduction::normalize_axis(axis, input.shape.len())?;
    assert_bounds(lowering, indices, &input.shape[axis], "Gather");
    let output = lowering.shape(result);
    let picked = lowering.shape(indices).len();
    let element = lowering.element(result);
    if let Some([index]) = lowering.known_integers(indices).as_deref() {
        // a single known index: a slice
        let rank = output.len() as u32;
        let extent = input.shape[axis].as_constant();
        if let Some(position) = if *index >= 0 { Some(*index) } else { extent.map(|extent| extent + index) } {
            let results = (0..input.shape.len())
                .map(|d| match d.cmp(&axis) {
                    std::cmp::Ordering::Less => AffineExpr::Dim(d as u32),
                    std::cmp::Ordering::Equal => AffineExpr::Constant(position),
                    std::cmp::Ordering::Greater => AffineExpr::Dim((d + picked - 1) as u32),
                })
                .collect();
            let map = AffineMap::new(rank, results);
            let value = lowering.pointwise(&[Input { value: input.value, map }], &output, element, |_, e| e[0]);
            lowering.bind(result, value);
            return Ok(());
        }
    }
    let index_tensor = lowering.value(indices);
    let limit = lowering.dim(&input.shape[axis]);
    let rank = output.len();
    let index_map = AffineMap::select(rank, &(axis..axis + picked).collect::<Vec<_>>());
    let inputs = [Input { value: index_tensor, map: index_map }];
    let value = lowering.pointwise(&inputs, &output, element.clone(), |builder, e| {
        let position = bounded(&mut Scalars { builder, unsigned: false }, e[0], limit);
        let mut at = Vec::with_capacity(input.shape.len());
        for d in 0..input.shape.len() {
            at.push(match d.cmp(&axis) {
                std::cmp::Ordering::Less => loop_index(builder, d),
                std::cmp::Ordering::Equal => position,
                std::cmp::Ordering::Greater => loop_index(builder, d + picked - 1),
            });
        }
        builder.value_from(tensor::Extract { tensor: input.value, indices: &at }, element, [])
    });
    lowering.bind(result, value);
    Ok(())
}
