//! Range: `start, start + delta, …` up to `limit`. Since 11.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use dialects::{arith, linalg, math};
use ir::{Attribute, DimExpr, Op, Type, Value};

use crate::operator::Operator;
use crate::shape::{Answer, Node, at_least_zero};
use crate::structured::scalars::{Comparison, Scalars};
use crate::structured::{Lowering, Unsupported};

pub(crate) const RANGE: Operator = Operator {
    shapes: Some(shapes),
    elements: Some(|node, extents| {
        let range: views::Range = node.view();
        let (start, step) = (node.number_of(range.start)?, node.number_of(range.delta)?);
        Some((0..extents[0]).map(|at| Some(start.add(&step.mul(&DimExpr::Constant(at as i64))))).collect())
    }),
    lower: Some(lower),
    ..Operator::of(OnnxOp::Range)
};

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    Ok(vec![Some(vec![range_length(node).unwrap_or_else(|| node.fresh(0, 0))])])
}

fn range_length(node: &Node<'_, '_>) -> Option<DimExpr> {
    let range: views::Range = node.view();
    let operands = [range.start, range.limit, range.delta];
    if let [Some(start), Some(limit), Some(delta)] = operands.map(|operand| node.floats_of(operand)) {
        let (start, limit, delta) = (start.first()?, limit.first()?, delta.first()?);
        return (*delta != 0.0).then(|| DimExpr::Constant(((limit - start) / delta).ceil().max(0.0) as i64));
    }
    let [Some(start), Some(limit), Some(delta)] = operands.map(|operand| node.known_of(operand)) else { return None };
    let distance = limit.first()?.sub(start.first()?);
    let length = match delta.first()?.as_constant()? {
        0 => return None,
        step if step > 0 => distance.ceil_div(&DimExpr::Constant(step)),
        step => distance.mul(&DimExpr::Constant(-1)).ceil_div(&DimExpr::Constant(step.saturating_neg())),
    };
    Some(at_least_zero(length))
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let views::Range { start, limit, delta, .. } = View::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let (shape, element) = (lowering.shape(result), lowering.element(result));
    let scalars = [start, limit, delta].map(|operand| lowering.only_element(operand));
    if lowering.is_own_symbol(&shape[0], result) {
        let unsigned = lowering.is_unsigned(result);
        let count = range_count(lowering, &scalars, unsigned);
        lowering.settle(result, 0, count);
    }
    lowering.check_size(op)?;
    let value = lowering.pointwise(&[], &shape, element.clone(), |builder, _| {
        let index = builder.value(linalg::INDEX, &[], Type::Index, [("dim", Attribute::i64(0))]);
        let step = match element {
            Type::Float(_) => {
                let integer = builder.value(arith::INDEX_CAST, &[index], Type::I64, []);
                builder.value(arith::SITOFP, &[integer], element, [])
            }
            _ => builder.value(arith::INDEX_CAST, &[index], element, []),
        };
        let mut s = Scalars { builder, unsigned: false };
        let offset = s.mul(step, scalars[2]);
        s.add(scalars[0], offset)
    });
    lowering.bind(result, value);
    Ok(())
}

/// `max(ceil((limit - start) / delta), 0)`, in f64.
fn range_count(lowering: &mut Lowering<'_>, scalars: &[Value], unsigned: bool) -> Value {
    let (count, moves) = lowering.scalars(|s| {
        let wide = |s: &mut Scalars<'_, '_>, value: Value| s.cast(value, &Type::F64, unsigned, false);
        let difference = match s.type_of(scalars[0]) {
            // the difference has the element type
            Type::Float(_) => {
                let difference = s.sub(scalars[1], scalars[0]);
                wide(s, difference)
            }
            _ => {
                let (limit, start) = (wide(s, scalars[1]), wide(s, scalars[0]));
                s.sub(limit, start)
            }
        };
        let delta = wide(s, scalars[2]);
        let quotient = s.div(difference, delta);
        let rounded = s.same(math::CEIL, &[quotient]);
        let zero = s.number(0.0, &Type::F64);
        let count = s.max(rounded, zero);
        let moves = {
            let still = s.compare(Comparison::Equal, delta, zero);
            s.not(still)
        };
        let count = s.cast(count, &Type::I64, false, false);
        (s.builder.value(arith::INDEX_CAST, &[count], Type::Index, []), moves)
    });
    lowering.check(moves, "its step is 0");
    count
}
