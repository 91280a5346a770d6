//! ConstantOfShape: a uniform tensor. Since 9.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Attribute, DimExpr, Op, Type, Value};

use crate::operator::{Operator, Rank};
use crate::shape::elements::constants;
use crate::shape::{Answer, Elements, Node};
use crate::structured::{Lowering, Unsupported};

pub(crate) const CONSTANT_OF_SHAPE: Operator = Operator {
    ranks: &[(0, Rank::Exactly(1))],
    types: Some(|node, _| {
        let value = views::ConstantOfShape::read(node).value;
        Some(Type::unranked_tensor(value.map_or(Type::F32, |value| value.r#type.element().clone())))
    }),
    shapes: Some(shapes),
    elements: Some(elements),
    lower: Some(lower),
    ..Operator::of(OnnxOp::ConstantOfShape)
};

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let filled: views::ConstantOfShape = node.view();
    let Some(sizes) = node.sizes_of(filled.input) else { return Ok(vec![]) };
    let dims = sizes.into_iter().enumerate().map(|(axis, size)| size.unwrap_or_else(|| node.fresh(0, axis)));
    Ok(vec![Some(dims.collect())])
}

fn elements(node: &Node<'_, '_>, extents: &[usize]) -> Option<Elements> {
    let filled: views::ConstantOfShape = node.view();
    let element = filled.value.map_or(Some(DimExpr::ZERO), |value| constants(&value)?.pop()?);
    Some(vec![element; extents.iter().product()])
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let filled = views::ConstantOfShape::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    settle(lowering, result, filled.input);
    lowering.check_size(op)?;
    let (shape, element) = (lowering.shape(result), lowering.element(result));
    let fill = match filled.value {
        Some(dense) => {
            let attribute = match dense.element_attribute(0) {
                Attribute::Integer(value, _) => Attribute::Integer(value, element.clone()),
                other => other,
            };
            lowering.builder().constant(attribute, element.clone())
        }
        None => lowering.number(0.0, &element),
    };
    let value = lowering.pointwise(&[], &shape, element, |_, _| fill);
    lowering.bind(result, value);
    Ok(())
}

fn settle(lowering: &mut Lowering<'_>, result: Value, sizes: Value) {
    let Some(sizes) = lowering.unknown_sizes(sizes) else { return };
    for axis in 0..lowering.shape(result).len() {
        let size = lowering.integer(sizes, axis);
        lowering.settle(result, axis, size);
    }
}
