//! EyeLike: ones on a diagonal. Since 9.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{Op, Type};

use crate::operator::{Operator, Rank};
use crate::shape;
use crate::structured::data_dependent_sizes::within_limit;
use crate::structured::scalars::{Comparison, Scalars};
use crate::structured::{Lowering, Unsupported};
use crate::tensor::diagonal_offset;
use crate::types::{tensor_of, without_shape};

pub(crate) const EYE_LIKE: Operator = Operator {
    ranks: &[(0, Rank::Exactly(2))],
    types: Some(|node, _| {
        let eye = views::EyeLike::read(node);
        eye.dtype.and_then(tensor_of).or_else(|| Some(without_shape(node.body.value_type(eye.input))))
    }),
    shapes: Some(shape::like_first),
    lower: Some(lower),
    ..Operator::of(OnnxOp::EyeLike)
};

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let eye = views::EyeLike::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let (shape, element) = (lowering.shape(result), lowering.element(result));
    let value = lowering.pointwise(&[], &shape, element.clone(), |builder, _| {
        let difference = diagonal_offset(builder, 2);
        let mut s = Scalars { builder, unsigned: false };
        let diagonal = s.number(eye.k as f64, &Type::Index);
        let diagonal = within_limit(&mut s, diagonal);
        let here = s.compare(Comparison::Equal, difference, diagonal);
        let (one, zero) = (s.number(1.0, &element), s.number(0.0, &element));
        s.select(here, one, zero)
    });
    lowering.bind(result, value);
    Ok(())
}
