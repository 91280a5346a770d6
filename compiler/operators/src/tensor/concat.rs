//! Concat.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, DimExpr, Op, Value};

use crate::graph::{Differential, Emitter, Problem};
use crate::operator::{Demand, Kind, Operator, Rank};
use crate::shape::elements::{offset, places, static_extents};
use crate::shape::{Answer, Elements, Node, Shape, normalize_axis};
use crate::structured::channel_blocks::blocked_shape;
use crate::structured::{Lowering, Unsupported, reduction};

pub(crate) const CONCAT: Operator = Operator {
    derivative: Some(differentiate),
    demands: Some(|reading, _| {
        let concat: views::Concat = reading.view();
        let known = concat.inputs.iter().find_map(|&input| reading.rank(input));
        Demand { rank: known.map(Rank::Exactly), ..Demand::with_axis(concat.axis) }
    }),
    kind: Kind::Movement,
    // `axis` has no default any more; it was 1
    upgrades: &[(4, |node, _| {
        if node.attributes.get("axis").is_none() {
            node.attributes.set("axis", Attribute::i64(1));
        }
        Ok(())
    })],
    shapes: Some(shapes),
    elements: Some(elements),
    lower: Some(lower),
    ..Operator::of(OnnxOp::Concat)
};

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let concat: views::Concat = node.view();
    let shapes: Option<Vec<Shape>> = concat.inputs.iter().map(|&input| node.shape_of(input)).collect();
    let Some(shapes) = shapes else { return Ok(vec![]) };
    let Some((first, others)) = shapes.split_first() else { return Ok(vec![]) };
    let axis = normalize_axis(concat.axis, first.len())?;
    let mut joined = first.clone();
    for shape in others {
        if shape.len() != joined.len() {
            return Err(format!("operands have ranks {} and {}", joined.len(), shape.len()));
        }
        for (at, dim) in shape.iter().enumerate() {
            joined[at] = match at == axis {
                true => joined[at].add(dim),
                false => node.unify(&joined[at], dim).map_err(|reason| format!("axis {at}: {reason}"))?,
            };
        }
    }
    Ok(vec![Some(joined)])
}

fn elements(node: &Node<'_, '_>, extents: &[usize]) -> Option<Elements> {
    let concat: views::Concat = node.view();
    let axis = normalize_axis(concat.axis, extents.len()).ok()?;
    let mut joined: Elements = vec![None; extents.iter().product()];
    let mut start = 0;
    for index in 0..node.operand_count() {
        let from = static_extents(node, index)?;
        if let Some(elements) = node.elements(index) {
            for (mut place, element) in places(&from).zip(elements) {
                place[axis] += start;
                joined[offset(place, extents)] = element.clone();
            }
        }
        start += from[axis];
    }
    Some(joined)
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let concat = views::Concat::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let shape = lowering.shape(result);
    let axis = reduction::normalize_axis(concat.axis, shape.len())?;
    for &operand in &concat.inputs {
        for (_, (own, dim)) in lowering.shape(operand).iter().zip(&shape).enumerate().filter(|(at, _)| *at != axis) {
            lowering.check_equal(own, dim, "operands of Concat differ in an axis they are not joined along");
        }
    }
    // operands without elements are dropped
    let mut inputs = concat.inputs.clone();
    inputs.retain(|&operand| lowering.shape(operand)[axis] != DimExpr::ZERO);
    if inputs.is_empty() {
        inputs.push(concat.inputs[0]);
    }
    let blocked = lowering.concat_blocked(&inputs, result, axis);
    let operands: Vec<Value> = inputs
        .iter()
        .map(|&operand| if blocked { lowering.blocked(operand).value } else { lowering.value(operand) })
        .collect();
    let is_same = lowering.shape(inputs[0]) == shape;
    let shape = if blocked { blocked_shape(&shape) } else { shape };
    let value = match operands[..] {
        [only] if is_same => only,
        _ => lowering.concat(&operands, &shape, axis),
    };
    match blocked {
        true => lowering.bind_blocked(result, value),
        false => lowering.bind(result, value),
    }
    Ok(())
}

/// Each operand's adjoint is its slice of the result's.
fn differentiate(emit: &mut Emitter, differential: &Differential<'_>) -> Result<Vec<Option<Value>>, Problem> {
    let concat: views::Concat = differential.view(emit);
    let ([], result, adjoint) = differential.parts(emit);
    let rank = emit.known_rank(result)?;
    let axis = if concat.axis < 0 { concat.axis + rank } else { concat.axis };
    let mut start = emit.integers(&[0]);
    let mut slices = Vec::new();
    for input in concat.inputs {
        let extent = emit.extent(input, axis);
        let end = emit.plain("Add", &[start, extent]);
        slices.push(Some(emit.slice(adjoint, start, end, axis)));
        start = end;
    }
    Ok(slices)
}
