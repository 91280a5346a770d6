//! Pools: MaxPool, AveragePool, LpPool and their global forms, in blocked layout.

use ir::{AffineExpr, AffineMap, Attributes, DimExpr, FloatType, Op, Type, Value};

use super::blocked::{blocked_shape, channel_index, loop_index};
use super::reduction::{Combine, Fold, Shaped};
use super::scalars::{Comparison, Scalars};
use super::window::Window;
use super::{Lowering, Unsupported};
use dialects::linalg::generic::{Input, Iterator};

/// Lowers a pool with a window.
pub(super) fn lower(lowering: &mut Lowering<'_>, op: Op, name: &str) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let (x, result) = (operation.operands()[0], operation.results()[0]);
    let kernel =
        operation.attributes.integers("kernel_shape").ok_or_else(|| Unsupported::new("it has no kernel_shape"))?;
    let (input_shape, output) = (lowering.shape(x), lowering.shape(result));
    let mut window = Window::of(&operation.attributes, &kernel, &input_shape[2..], &output[2..]);
    let declared = window.pads.clone();
    extend_overhang(&mut window, &operation.attributes, &input_shape[2..], &output[2..]);
    let element = lowering.element(x);
    let unsigned = lowering.is_unsigned(x);
    let input = lowering.blocked(x);
    let power = operation.attributes.integer("p").unwrap_or(2);
    let combine = if name == "MaxPool" { Combine::Max } else { Combine::Add };
    let neutral = combine.neutral(&element, unsigned);
    let fill = lowering.builder().constant(neutral, element.clone());
    let padded = window.pad(lowering, &input, 2, fill);
    let shape = blocked_shape(&output);
    let pooled = slide(lowering, &padded, &window, &shape, combine, unsigned, |s, x| match name {
        "LpPool" => magnitude_power(s, x, power),
        _ => x,
    });
    let value = match name {
        "MaxPool" => {
            let indices = operation.results().get(1).filter(|&&indices| !lowering.source.uses(indices).is_empty());
            if let Some(&indices) = indices {
                let columns_first = operation.attributes.integer("storage_order") == Some(1);
                let value = positions(lowering, &padded, &pooled, &window, &input_shape, columns_first);
                lowering.bind_blocked(indices, value);
            }
            pooled.value
        }
        "LpPool" => lowering.map(&[&pooled], &shape, element.clone(), |s, x| root(s, x[0], power)).value,
        _ => {
            let included = operation.attributes.integer("count_include_pad") == Some(1);
            let divisor = divisor(lowering, &window, &declared, included, &input.shape, &shape, &element);
            lowering.map(&[&pooled, &divisor], &shape, element.clone(), |s, x| s.div(x[0], x[1])).value
        }
    };
    lowering.bind_blocked(result, value);
    Ok(())
}

/// The last window may reach behind the padding, by less than a stride: pads as far as it does.
fn extend_overhang(window: &mut Window, attributes: &Attributes, input: &[DimExpr], output: &[DimExpr]) {
    let round_up = attributes.integer("ceil_mode") == Some(1);
    for axis in 0..window.rank() {
        let [low, high] = &window.pads[axis];
        let beyond = window.end(axis, &output[axis]).sub(low).sub(&input[axis]).sub(high);
        let fits_all = DimExpr::ONE.add(low).add(high).sub(&window.reach(axis).into()).is_nonnegative();
        let overhang = match beyond.as_constant() {
            Some(beyond) => beyond.max(0),
            None if round_up || !fits_all => window.strides[axis] - 1,
            None => 0,
        };
        window.pads[axis][1] = high.add(&overhang.into());
    }
}

/// The elements of every window, over loops for batch, channel blocks, places, lanes and the window, and a tensor of
/// the window's shape, which tells how far its loops run.
fn window_inputs(lowering: &mut Lowering<'_>, padded: &Shaped, window: &Window) -> Vec<Input> {
    let spatial = window.rank();
    let element = lowering.body.value_type(padded.value).element().clone();
    let (lane, kernel) = (spatial + 2, spatial + 3);
    let loops = kernel + spatial;
    let dim = |index: usize| AffineExpr::Dim(index as u32);
    let mut map = vec![dim(0), dim(1)];
    map.extend((0..spatial).map(|axis| window.subscript(axis, 2 + axis, kernel + axis)));
    map.push(dim(lane));
    let extents: Vec<DimExpr> = window.kernel.iter().map(|&extent| DimExpr::Constant(extent)).collect();
    let extent_tensor = lowering.empty(&extents, element);
    let window_dims: Vec<usize> = (kernel..loops).collect();
    vec![
        Input { value: padded.value, map: AffineMap::new(loops as u32, map) },
        Input { value: extent_tensor, map: AffineMap::select(loops, &window_dims) },
    ]
}

/// Combines the elements of every window of a padded blocked tensor.
fn slide(
    lowering: &mut Lowering<'_>,
    padded: &Shaped,
    window: &Window,
    shape: &[DimExpr],
    combine: Combine,
    unsigned: bool,
    prepare: impl FnOnce(&mut Scalars<'_, '_>, Value) -> Value,
) -> Shaped {
    let spatial = window.rank();
    let element = lowering.body.value_type(padded.value).element().clone();
    let kernel = spatial + 3;
    let loops = kernel + spatial;
    let inputs = window_inputs(lowering, padded, window);
    let neutral = combine.neutral(&element, unsigned);
    let start = lowering.builder().constant(neutral, element.clone());
    let init = lowering.pointwise(&[], shape, element, |_, _| start);
    let mut iterators = vec![Iterator::Parallel; loops];
    iterators[kernel..].fill(Iterator::Reduction);
    let order: Vec<usize> = (0..kernel).collect();
    let value = lowering.generic_onto(&inputs, init, AffineMap::select(loops, &order), &iterators, |builder, e| {
        let mut s = Scalars { builder, unsigned };
        let prepared = prepare(&mut s, e[0]);
        combine.apply(&mut s, e[2], prepared)
    });
    Shaped { value, shape: shape.to_vec() }
}

/// Where each window's largest element lies in the unpadded operand: its number in row-major order, or with spatial
/// axes in reverse order. The first of several; 0 in a window without any.
fn positions(
    lowering: &mut Lowering<'_>,
    padded: &Shaped,
    pooled: &Shaped,
    window: &Window,
    input: &[DimExpr],
    columns_first: bool,
) -> Value {
    let spatial = window.rank();
    let (lane, kernel) = (spatial + 2, spatial + 3);
    let loops = kernel + spatial;
    let block = super::blocked::block_size(&input[1]);
    let extents: Vec<Value> = input.iter().map(|dim| lowering.dim(dim)).collect();
    let lows: Vec<Value> = window.pads.iter().map(|[low, _]| lowering.dim(low)).collect();
    let order: Vec<usize> = (0..kernel).collect();
    let winner = Input { value: pooled.value, map: AffineMap::select(loops, &order) };
    let missing = lowering.number(i64::MAX as f64, &Type::I64);
    let init = lowering.pointwise(&[], &pooled.shape, Type::I64, |_, _| missing);
    let mut inputs = window_inputs(lowering, padded, window);
    inputs.push(winner);
    let mut iterators = vec![Iterator::Parallel; loops];
    iterators[kernel..].fill(Iterator::Reduction);
    let found = lowering.generic_onto(&inputs, init, AffineMap::select(loops, &order), &iterators, |builder, e| {
        let mut places = vec![loop_index(builder, 0)];
        let group = loop_index(builder, 1);
        places.push(channel_index(builder, group, lane, block));
        let mut s = Scalars { builder, unsigned: false };
        // not below the largest, so that a NaN is found, too
        let below = s.compare(Comparison::Less, e[0], e[2]);
        let mut candidate = s.not(below);
        for axis in 0..spatial {
            let at = [2 + axis, kernel + axis];
            let (place, inside) = window_place(&mut s, window, axis, at, [lows[axis], extents[2 + axis]]);
            candidate = s.same("arith.andi", &[candidate, inside]);
            places.push(place);
        }
        let mut order: Vec<usize> = (0..spatial + 2).collect();
        if columns_first {
            order[2..].reverse();
        }
        let mut number = s.number(0.0, &Type::Index);
        for axis in order {
            let scaled = s.mul(number, extents[axis]);
            number = s.add(scaled, places[axis]);
        }
        let number = s.builder.value("arith.index_cast", &[number], Type::I64, []);
        let number = s.select(candidate, number, missing);
        s.min(e[3], number)
    });
    let found = Shaped { value: found, shape: pooled.shape.clone() };
    let cleared = lowering.map(&[&found], &pooled.shape, Type::I64, |s, e| {
        let none = s.compare(Comparison::Equal, e[0], missing);
        let zero = s.like(0.0, e[0]);
        s.select(none, zero, e[0])
    });
    cleared.value
}

/// The place of a window's element on an axis of the unpadded operand and whether there is one, given the axis' loops, the padding in front of it
/// and its extent.
fn window_place(
    s: &mut Scalars<'_, '_>,
    window: &Window,
    axis: usize,
    [output, kernel]: [usize; 2],
    [low, extent]: [Value; 2],
) -> (Value, Value) {
    let (output, kernel) = (loop_index(s.builder, output), loop_index(s.builder, kernel));
    let number = |s: &mut Scalars<'_, '_>, value: i64| s.number(value as f64, &Type::Index);
    let (stride, dilation) = (number(s, window.strides[axis]), number(s, window.dilations[axis]));
    let zero = number(s, 0);
    let (first, offset) = (s.mul(output, stride), s.mul(kernel, dilation));
    let padded = s.add(first, offset);
    let place = s.sub(padded, low);
    let (above, below) =
        (s.compare(Comparison::GreaterOrEqual, place, zero), s.compare(Comparison::Less, place, extent));
    (place, s.same("arith.andi", &[above, below]))
}

/// How many elements each window averages over: a number, or a tensor `[1, 1, O…, 1]` where windows differ.
fn divisor(
    lowering: &mut Lowering<'_>,
    window: &Window,
    declared: &[[DimExpr; 2]],
    included: bool,
    input: &[DimExpr],
    shape: &[DimExpr],
    element: &Type,
) -> Shaped {
    let none = || [DimExpr::ZERO, DimExpr::ZERO];
    let counted: Vec<[DimExpr; 2]> = declared.iter().map(|pads| if included { pads.clone() } else { none() }).collect();
    let rank = shape.len();
    let one = || vec![DimExpr::ONE; rank];
    if counted == window.pads {
        let count = window.kernel.iter().product::<i64>() as f64;
        let value = lowering.filled(&one(), element.clone(), count);
        return Shaped { value, shape: one() };
    }
    let (mut ones_shape, mut count_shape) = (one(), one());
    let mut pads = vec![none(); rank];
    for axis in 0..window.rank() {
        let [low, high] = &counted[axis];
        ones_shape[2 + axis] = input[2 + axis].add(low).add(high);
        count_shape[2 + axis] = shape[2 + axis].clone();
        pads[2 + axis] = [window.pads[axis][0].sub(low), window.pads[axis][1].sub(high)];
    }
    let ones = Shaped { value: lowering.filled(&ones_shape, element.clone(), 1.0), shape: ones_shape };
    let zero = lowering.number(0.0, element);
    let padded = lowering.pad_or_cut(&ones, &pads, zero);
    slide(lowering, &padded, window, &count_shape, Combine::Add, false, |_, x| x)
}

fn magnitude_power(s: &mut Scalars<'_, '_>, x: Value, power: i64) -> Value {
    match power {
        1 => s.same("math.absf", &[x]),
        2 => s.mul(x, x),
        _ => {
            let magnitude = s.same("math.absf", &[x]);
            let exponent = s.like(power as f64, x);
            s.same("math.powf", &[magnitude, exponent])
        }
    }
}

fn root(s: &mut Scalars<'_, '_>, x: Value, power: i64) -> Value {
    match power {
        1 => x,
        2 => s.same("math.sqrt", &[x]),
        _ => {
            let exponent = s.like(1.0 / power as f64, x);
            s.same("math.powf", &[x, exponent])
        }
    }
}

/// Lowers a pool over all spatial axes.
pub(super) fn lower_global(lowering: &mut Lowering<'_>, op: Op, name: &str) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let (x, result) = (operation.operands()[0], operation.results()[0]);
    let element = lowering.element(x);
    let input = lowering.blocked(x);
    let axes: Vec<usize> = (2..input.shape.len() - 1).collect();
    let combine = if name == "GlobalMaxPool" { Combine::Max } else { Combine::Add };
    let wide = match element {
        Type::Float(FloatType::F16 | FloatType::BF16) => Type::F32,
        ref other => other.clone(),
    };
    let power = operation.attributes.integer("p").unwrap_or(2);
    let to_wide = wide.clone();
    let reduced = lowering.reduce(&input, &axes, true, Fold::new(combine, wide.clone(), false), |s, x| {
        let x = s.cast(x, &to_wide, false, false);
        if name == "GlobalLpPool" { magnitude_power(s, x, power) } else { x }
    });
    let count = (name == "GlobalAveragePool").then(|| lowering.count(&input.shape, &axes, &wide));
    let shape = reduced.shape.clone();
    let finished = lowering.map(&[&reduced], &shape, element.clone(), |s, x| {
        let value = match count {
            Some(count) => s.div(x[0], count),
            None if name == "GlobalLpPool" => root(s, x[0], power),
            None => x[0],
        };
        s.cast(value, &element, false, false)
    });
    lowering.bind_blocked(result, finished.value);
    Ok(())
}
