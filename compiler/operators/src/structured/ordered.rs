//! Operators in which every element looks at all others of its axis: cumulative sums and products, TopK.
//!
//! The work is quadratic in the extent of the axis, but independent for every element.

use ir::{AffineExpr, AffineMap, Attribute, DimExpr, Op, Type, Value};

use super::blocked::loop_index;
use super::reduction::{Combine, Shaped, normalize_axis};
use super::scalars::{Comparison, Scalars};
use super::{Lowering, Unsupported};
use dialects::linalg::generic::{Input, Iterator};

/// Lowers `CumSum` and `CumProd`.
pub(super) fn lower_cumulative(lowering: &mut Lowering<'_>, op: Op, name: &str) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let (x, result) = (operation.operands()[0], operation.results()[0]);
    let flag = |name: &str| operation.attributes.integer(name) == Some(1);
    let what = match (flag("exclusive"), flag("reverse")) {
        (false, false) => Comparison::LessOrEqual,
        (true, false) => Comparison::Less,
        (false, true) => Comparison::GreaterOrEqual,
        (true, true) => Comparison::Greater,
    };
    let input = lowering.shaped(x);
    let shape = around_axis(lowering, &input.shape, operation.operands()[1])?;
    let value = lowering.reshape(input.value, &shape);
    let element = lowering.element(x);
    let unsigned = lowering.is_unsigned(x);
    let combine = if name == "CumSum" { Combine::Add } else { Combine::Mul };
    let neutral = combine.neutral(&element, unsigned);
    let neutral = lowering.builder().constant(neutral, element.clone());
    let init = lowering.pointwise(&[], &shape, element, |_, _| neutral);
    let (kinds, output) = over_axis(3);
    let inputs = [Input { value, map: AffineMap::select(4, &[0, 3, 2]) }];
    let sums = lowering.generic_onto(&inputs, init, output, &kinds, |builder, e| {
        let (here, other) = (loop_index(builder, 1), loop_index(builder, 3));
        let mut s = Scalars { builder, unsigned };
        let counts = s.compare(what, other, here);
        let sum = combine.apply(&mut s, e[1], e[0]);
        s.select(counts, sum, e[1])
    });
    let value = lowering.reshape(sums, &input.shape);
    lowering.bind(result, value);
    Ok(())
}

/// Parallel loops over a tensor of the given rank and one more over what each element looks at.
fn over_axis(rank: usize) -> (Vec<Iterator>, AffineMap) {
    let mut kinds = vec![Iterator::Parallel; rank + 1];
    kinds[rank] = Iterator::Reduction;
    let order: Vec<usize> = (0..rank).collect();
    (kinds, AffineMap::select(rank + 1, &order))
}

/// `[elements in front, extent, elements behind]` of the axis that the only element of `axis` names.
fn around_axis(lowering: &mut Lowering<'_>, shape: &[DimExpr], axis: Value) -> Result<Vec<DimExpr>, Unsupported> {
    let rank = shape.len();
    if let Some([axis]) = lowering.known_integers(axis).as_deref() {
        let axis = normalize_axis(*axis, rank)?;
        let (front, behind) = (DimExpr::product(&shape[..axis]), DimExpr::product(&shape[axis + 1..]));
        return Ok(vec![front, shape[axis].clone(), behind]);
    }
    let axis = lowering.scalar_index(axis);
    let extents: Vec<Value> = shape.iter().map(|dim| lowering.dim(dim)).collect();
    let (exists, parts) = lowering.scalars(|s| {
        let (zero, one) = (s.number(0.0, &Type::Index), s.number(1.0, &Type::Index));
        let count = s.number(rank as f64, &Type::Index);
        let negative = s.compare(Comparison::Less, axis, zero);
        let from_end = s.add(axis, count);
        let axis = s.select(negative, from_end, axis);
        let (low, high) = (s.compare(Comparison::GreaterOrEqual, axis, zero), s.compare(Comparison::Less, axis, count));
        let exists = s.same("arith.andi", &[low, high]);
        let mut parts = [one; 3];
        for (d, &extent) in extents.iter().enumerate() {
            let d = s.number(d as f64, &Type::Index);
            let whats = [Comparison::Less, Comparison::Equal, Comparison::Greater];
            for (part, what) in parts.iter_mut().zip(whats) {
                let belongs = s.compare(what, d, axis);
                let factor = s.select(belongs, extent, one);
                *part = s.mul(*part, factor);
            }
        }
        (exists, parts)
    });
    lowering.check(exists, "an axis does not exist");
    Ok(parts.map(|part| lowering.named_dim(part)).to_vec())
}

/// Lowers `TopK`: the place of an element is the number of those in front of it.
pub(super) fn lower_top_k(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let x = operation.operands()[0];
    let input = lowering.shaped(x);
    let rank = input.shape.len();
    let axis = normalize_axis(operation.attributes.integer("axis").unwrap_or(-1), rank)?;
    let largest = operation.attributes.integer("largest") != Some(0);
    let (element, unsigned) = (lowering.element(x), lowering.is_unsigned(x));
    let (count, extent) = (lowering.scalar_index(operation.operands()[1]), lowering.dim(&input.shape[axis]));
    let enough = lowering.scalars(|s| s.compare(Comparison::LessOrEqual, count, extent));
    lowering.check(enough, "TopK asks for more elements than there are");
    lowering.settle(operation.results()[0], axis, count);
    let places = places(lowering, &input, axis, largest, unsigned);
    let mut shape = input.shape.clone();
    shape[axis] = lowering.shape(operation.results()[0])[axis].clone();
    // the loop over candidates reads the operand and the places along the axis
    let along: Vec<AffineExpr> = (0..rank).map(|d| AffineExpr::Dim(if d == axis { rank } else { d } as u32)).collect();
    let along = AffineMap::new(rank as u32 + 1, along);
    let inputs = [Input { value: input.value, map: along.clone() }, Input { value: places, map: along }];
    let (kinds, output) = over_axis(rank);
    for (position, &result) in operation.results().iter().enumerate() {
        let r#type = if position == 0 { element.clone() } else { Type::I64 };
        let init = lowering.filled(&shape, r#type, 0.0);
        let value = lowering.generic_onto(&inputs, init, output.clone(), &kinds, |builder, e| {
            let (place, candidate) = (loop_index(builder, axis), loop_index(builder, rank));
            let [place, candidate] = [place, candidate].map(|i| builder.value("arith.index_cast", &[i], Type::I64, []));
            let mut s = Scalars { builder, unsigned: false };
            let hit = s.compare(Comparison::Equal, e[1], place);
            s.select(hit, if position == 0 { e[0] } else { candidate }, e[2])
        });
        lowering.bind(result, value);
    }
    Ok(())
}

/// How many elements of the axis come before each: better ones, and equal ones in front of it.
fn places(lowering: &mut Lowering<'_>, input: &Shaped, axis: usize, largest: bool, unsigned: bool) -> Value {
    let rank = input.shape.len();
    let other: Vec<AffineExpr> = (0..rank).map(|d| AffineExpr::Dim(if d == axis { rank } else { d } as u32)).collect();
    let order: Vec<usize> = (0..rank).collect();
    let inputs = [
        Input { value: input.value, map: AffineMap::select(rank + 1, &order) },
        Input { value: input.value, map: AffineMap::new(rank as u32 + 1, other) },
    ];
    let (kinds, output) = over_axis(rank);
    let init = lowering.filled(&input.shape, Type::I64, 0.0);
    lowering.generic_onto(&inputs, init, output, &kinds, |builder, e| {
        let (here, there) = (loop_index(builder, axis), loop_index(builder, rank));
        let mut s = Scalars { builder, unsigned };
        let what = if largest { Comparison::Greater } else { Comparison::Less };
        let better = s.compare(what, e[1], e[0]);
        let equal = s.compare(Comparison::Equal, e[1], e[0]);
        let first = s.builder.value("arith.cmpi", &[there, here], Type::I1, [("predicate", Attribute::i64(2))]);
        let tie = s.same("arith.andi", &[equal, first]);
        let before = s.same("arith.ori", &[better, tie]);
        let one = s.number(1.0, &Type::I64);
        let more = s.add(e[2], one);
        s.select(before, more, e[2])
    })
}
