//! Reductions of small constants over few elements each, such as the number of elements of a window inside an image.

use dialects::{OpCodes, linalg};
use ir::{Body, DenseElements, IndexMap, Value};

use super::column::{Column, evaluate_block};
use super::{captured_numbers, read, small_constant};
use dialects::linalg::generic::Generic;
use operators::points::places;

/// The maximum number of points of the loops.
const POINTS: i64 = 1 << 14;
/// The maximum number of elements per result.
const REDUCED: usize = 64;

/// The results of a reduction, computed in the order of its loops.
pub(super) fn evaluate(body: &Body, generic: &Generic) -> Option<Vec<DenseElements>> {
    let ([init], [yielded]) = (&*generic.inits, generic.yields(body)) else { return None };
    let extents = generic.extents(body).into_iter().collect::<Option<Vec<i64>>>()?;
    let has_index = body.ops(generic.block).any(|op| body.is(op, linalg::INDEX));
    if has_index || extents.contains(&0) || extents.iter().product::<i64>() > POINTS {
        return None;
    }
    let result = small_constant(body, *init)?;
    let count = result.element_count();
    if extents.iter().product::<i64>() as usize > REDUCED * count {
        return None;
    }
    // the points that contribute to each element of the result, in order
    let mut points = vec![Vec::new(); count];
    let to = places(generic.output_map(0), &result.r#type.static_shape()?, &extents)?;
    to.into_iter().enumerate().for_each(|(point, place)| points[place].push(point));
    let steps = points.first()?.len();
    if steps > REDUCED || points.iter().any(|points| points.len() != steps) {
        return None;
    }
    let (arguments, results) = body.arguments(generic.block).split_at(generic.inputs.len());
    let mut inputs = Vec::new();
    for ((&input, map), &argument) in generic.inputs.iter().zip(&generic.maps).zip(arguments) {
        // only the extents of a window operand are read
        if body.uses(argument).is_empty() {
            continue;
        }
        let constant = small_constant(body, input)?;
        inputs.push((argument, read(&constant, map, &extents)?.rounded(body.value_type(argument))?));
    }
    let captured: Vec<_> = captured_numbers(body, generic).collect();
    let mut so_far = Column::of_elements(&result)?;
    for step in 0..steps {
        let mut columns: IndexMap<Value, Column> = captured.iter().cloned().collect();
        columns.insert(results[0], so_far);
        for (argument, input) in &inputs {
            columns.insert(*argument, input.at(points.iter().map(|points| points[step])));
        }
        evaluate_block(body, generic.block, &[count as i64], &mut columns)?;
        so_far = columns.swap_remove(yielded)?.spread(count);
    }
    Some(vec![so_far.write(body.value_type(body.result(generic.op, 0)))?])
}
