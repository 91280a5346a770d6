//! Pools: MaxPool, AveragePool, LpPool, in blocked layout, or in the plain one if the operand is plain and its rows are
//! long.

use dialects::arith;
use std::sync::Arc;

use dialects::linalg::GROUP;
use dialects::linalg::generic::{Input, Iterator};
use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{AffineExpr, AffineMap, DimExpr, Op, Type, Value};

use super::norm::{integer_power, magnitude_power, root};
use super::sliding::{Sliding, WindowAttributes, spatial};
use crate::operator::{Kind, Operator};
use crate::shape::{Answer, Node};
use crate::structured::channel_blocks::{block_size, blocked_shape, channel_index, loop_index};
use crate::structured::reduction::{Combine, Fold, Shaped, accumulator};
use crate::structured::scalars::{Comparison, Scalars};
use crate::structured::window::Window;
use crate::structured::{Lowering, Unsupported};

pub(crate) const MAX_POOL: Operator = Operator {
    kind: Kind::Reduction,
    shapes: Some(|node| {
        let pool = Pool::max(node.view());
        shapes(node, &pool)
    }),
    lower: Some(|lowering, op| {
        let pool = Pool::max(View::of(lowering.source, op));
        lower(lowering, op, &pool)
    }),
    ..Operator::of(OnnxOp::MaxPool)
};

pub(crate) const AVERAGE_POOL: Operator = Operator {
    kind: Kind::Reduction,
    shapes: Some(|node| {
        let pool = Pool::average(node.view());
        shapes(node, &pool)
    }),
    lower: Some(|lowering, op| {
        let pool = Pool::average(View::of(lowering.source, op));
        lower(lowering, op, &pool)
    }),
    ..Operator::of(OnnxOp::AveragePool)
};

pub(crate) const LP_POOL: Operator = Operator {
    kind: Kind::Reduction,
    upgrades: &[(2, integer_power)],
    shapes: Some(|node| {
        let pool = Pool::norm(node.view());
        shapes(node, &pool)
    }),
    lower: Some(|lowering, op| {
        let pool = Pool::norm(View::of(lowering.source, op));
        lower(lowering, op, &pool)
    }),
    ..Operator::of(OnnxOp::LpPool)
};

/// The reduction of a window.
enum Function {
    /// The maximum, and its position.
    Max { columns_first: bool },
    /// The mean, with or without the padding.
    Average { padding_counts: bool },
    /// `(Σ |x|ᵖ) ^ 1/p`
    Norm { power: i64 },
}

/// The layout of a pool's operands.
#[derive(Clone, Copy)]
enum Layout {
    Plain,
    Blocked,
}

/// The options of the operators.
struct Pool {
    x: Value,
    kernel: Vec<DimExpr>,
    sliding: Sliding,
    round_up: bool,
    function: Function,
}

fn extents(kernel: Arc<[i64]>) -> Vec<DimExpr> {
    kernel.iter().copied().map(DimExpr::Constant).collect()
}

impl Pool {
    fn max(pool: views::MaxPool) -> Pool {
        let views::MaxPool { x, auto_pad, ceil_mode, dilations, kernel_shape, pads, storage_order, strides } = pool;
        let sliding = Sliding { auto_pad, dilations, pads, strides };
        let function = Function::Max { columns_first: storage_order == 1 };
        Pool { x, kernel: extents(kernel_shape), sliding, round_up: ceil_mode != 0, function }
    }

    fn average(pool: views::AveragePool) -> Pool {
        let views::AveragePool { x, auto_pad, ceil_mode, dilations, kernel_shape, pads, count_include_pad, strides } =
            pool;
        let sliding = Sliding { auto_pad, dilations, pads, strides };
        let function = Function::Average { padding_counts: count_include_pad == 1 };
        Pool { x, kernel: extents(kernel_shape), sliding, round_up: ceil_mode != 0, function }
    }

    fn norm(pool: views::LpPool) -> Pool {
        let views::LpPool { x, auto_pad, ceil_mode, dilations, kernel_shape, pads, p, strides } = pool;
        let sliding = Sliding { auto_pad, dilations, pads, strides };
        Pool {
            x,
            kernel: extents(kernel_shape),
            sliding,
            round_up: ceil_mode != 0,
            function: Function::Norm { power: p },
        }
    }
}

fn shapes(node: &mut Node<'_, '_>, pool: &Pool) -> Answer {
    let Some(input) = node.shape_of(pool.x) else { return Ok(vec![]) };
    let (batch, channels, extents) = spatial(&input)?;
    if pool.kernel.len() != extents.len() {
        return Err(format!("a window of rank {} for an operand of rank {}", pool.kernel.len(), input.len()));
    }
    let window = WindowAttributes::new(&pool.sliding, pool.kernel.clone())?;
    let mut shape = vec![batch.clone(), channels.clone()];
    for (axis, extent) in extents.iter().enumerate() {
        shape.push(window.pooled(node, axis, extent, pool.round_up)?);
    }
    Ok(vec![Some(shape.clone()), Some(shape)])
}

fn lower(lowering: &mut Lowering<'_>, op: Op, pool: &Pool) -> Result<(), Unsupported> {
    let results = lowering.source.op(op).results().to_vec();
    let (input_shape, output) = (lowering.shape(pool.x), lowering.shape(results[0]));
    let mut window = Window::new(&pool.sliding, &pool.kernel, &input_shape[2..], &output[2..]);
    let declared = window.pads.clone();
    extend_overhang(&mut window, pool.round_up, &input_shape[2..], &output[2..]);
    let element = lowering.element(pool.x);
    let unsigned = lowering.is_unsigned(pool.x);
    let indices = results.get(1).copied().filter(|&indices| !lowering.source.uses(indices).is_empty());
    let layout = match indices.is_none() && !lowering.is_blocked(pool.x) && has_long_rows(&window, &output) {
        true => Layout::Plain,
        false => Layout::Blocked,
    };
    let input = match layout {
        Layout::Plain => lowering.shaped(pool.x),
        Layout::Blocked => lowering.blocked(pool.x),
    };
    let combine = if matches!(pool.function, Function::Max { .. }) { Combine::Max } else { Combine::Add };
    let neutral = combine.neutral(&element, unsigned);
    let fill = lowering.builder().constant(neutral, element.clone());
    let padded = window.pad(lowering, &input, 2, fill);
    let shape = match layout {
        Layout::Plain => output.clone(),
        Layout::Blocked => blocked_shape(&output),
    };
    let wide = accumulator(&element);
    let pooled = match pool.function {
        Function::Max { .. } if overlaps_much(&window) => slide_axes(lowering, &padded, &window, &shape, unsigned),
        Function::Max { .. } => {
            slide(lowering, &padded, &window, &shape, Fold::new(combine, element.clone(), unsigned), |_, x| x)
        }
        Function::Average { .. } => {
            let prepare = |s: &mut Scalars<'_, '_>, x: Value| s.cast(x, &wide, unsigned, unsigned);
            slide(lowering, &padded, &window, &shape, Fold::new(combine, wide.clone(), unsigned), prepare)
        }
        Function::Norm { power } => {
            let prepare = |s: &mut Scalars<'_, '_>, x: Value| {
                let x = s.cast(x, &wide, unsigned, unsigned);
                magnitude_power(s, x, power)
            };
            slide(lowering, &padded, &window, &shape, Fold::new(combine, wide.clone(), unsigned), prepare)
        }
    };
    let value = match pool.function {
        Function::Max { columns_first } => {
            if let Some(indices) = indices {
                let value = positions(lowering, &padded, &pooled, &window, &input_shape, columns_first);
                lowering.bind_blocked(indices, value);
            }
            pooled.value
        }
        Function::Norm { power } => {
            let norm = |s: &mut Scalars<'_, '_>, x: &[Value]| {
                let root = root(s, x[0], power);
                s.cast(root, &element, unsigned, unsigned)
            };
            lowering.map(&[&pooled], &shape, element.clone(), norm).value
        }
        Function::Average { padding_counts } => {
            let divisor = divisor(lowering, &window, &declared, padding_counts, &input.shape, &shape, &wide);
            let mean = |s: &mut Scalars<'_, '_>, x: &[Value]| {
                let mean = s.div(x[0], x[1]);
                s.cast(mean, &element, unsigned, unsigned)
            };
            lowering.map(&[&pooled, &divisor], &shape, element.clone(), mean).value
        }
    };
    match layout {
        Layout::Plain => lowering.bind(results[0], value),
        Layout::Blocked => lowering.bind_blocked(results[0], value),
    }
    Ok(())
}

/// Whether rows of a plain result can be vectorised: elements of neighbouring windows are contiguous, or every second
/// one.
fn has_long_rows(window: &Window, output: &[DimExpr]) -> bool {
    let is_long = output.last().and_then(DimExpr::as_constant).is_some_and(|extent| extent >= GROUP);
    is_long && window.strides.last().is_some_and(|&stride| stride <= 2)
}

/// The last window may extend beyond the padding by less than a stride: pads to its end.
fn extend_overhang(window: &mut Window, round_up: bool, input: &[DimExpr], output: &[DimExpr]) {
    for axis in 0..window.rank() {
        let [low, high] = &window.pads[axis];
        let beyond = window.end(axis, &output[axis]).sub(low).sub(&input[axis]).sub(high);
        let fits_all = DimExpr::ONE.add(low).add(high).sub(&window.reach(axis)).is_nonnegative();
        let overhang = match beyond.as_constant() {
            Some(beyond) => beyond.max(0),
            None if round_up || !fits_all => window.strides[axis] - 1,
            None => 0,
        };
        window.pads[axis][1] = high.add(&overhang.into());
    }
}

/// The elements of every window, over loops for batch, channel blocks, positions, lanes and the window, and for each of
/// its axes a tensor with the extent of the loop. A plain tensor has channels and no lanes.
fn window_inputs(lowering: &mut Lowering<'_>, padded: &Shaped, window: &Window) -> Vec<Input> {
    let spatial = window.rank();
    let element = lowering.body.value_type(padded.value).element().clone();
    let kernel = padded.shape.len();
    let loops = kernel + spatial;
    let dim = |index: usize| AffineExpr::Dim(index as u32);
    let mut map = vec![dim(0), dim(1)];
    map.extend((0..spatial).map(|axis| window.subscript(axis, 2 + axis, kernel + axis)));
    map.extend((spatial + 2..kernel).map(dim));
    let mut inputs = vec![Input { value: padded.value, map: AffineMap::new(loops as u32, map) }];
    for (axis, extent) in window.kernel.iter().enumerate() {
        let value = lowering.empty(std::slice::from_ref(extent), element.clone());
        inputs.push(Input { value, map: AffineMap::select(loops, &[kernel + axis]) });
    }
    inputs
}

/// Reduces every window of a padded tensor. `prepare` converts elements to the type of the reduction.
fn slide(
    lowering: &mut Lowering<'_>,
    padded: &Shaped,
    window: &Window,
    shape: &[DimExpr],
    fold: Fold,
    prepare: impl FnOnce(&mut Scalars<'_, '_>, Value) -> Value,
) -> Shaped {
    let spatial = window.rank();
    let kernel = padded.shape.len();
    let loops = kernel + spatial;
    let inputs = window_inputs(lowering, padded, window);
    let start = lowering.builder().constant(fold.neutral(), fold.element.clone());
    let init = lowering.pointwise(&[], shape, fold.element.clone(), |_, _| start);
    let mut iterators = vec![Iterator::Parallel; loops];
    iterators[kernel..].fill(Iterator::Reduction);
    let order: Vec<usize> = (0..kernel).collect();
    let value = lowering.generic_onto(&inputs, init, AffineMap::select(loops, &order), &iterators, |builder, e| {
        let mut s = Scalars { builder, unsigned: fold.unsigned };
        let prepared = prepare(&mut s, e[0]);
        fold.combine.apply(&mut s, e[inputs.len()], prepared)
    });
    Shaped { value, shape: shape.to_vec() }
}

/// Whether reducing one axis after the other is much less work than reducing whole windows.
fn overlaps_much(window: &Window) -> bool {
    let extents: Option<Vec<i64>> = window.kernel.iter().map(DimExpr::as_constant).collect();
    let neighbours = window.strides.iter().all(|&stride| stride == 1);
    let is_much = |extents: Vec<i64>| extents.iter().product::<i64>() >= 2 * extents.iter().sum::<i64>();
    neighbours && extents.is_some_and(is_much)
}

/// The maximum of every window, one axis after the other.
fn slide_axes(
    lowering: &mut Lowering<'_>,
    padded: &Shaped,
    window: &Window,
    shape: &[DimExpr],
    unsigned: bool,
) -> Shaped {
    let mut pooled = padded.clone();
    for axis in 0..window.rank() {
        let mut along = window.clone();
        along.kernel.fill(DimExpr::ONE);
        along.kernel[axis] = window.kernel[axis].clone();
        let mut extents = pooled.shape.clone();
        extents[2 + axis] = shape[2 + axis].clone();
        let element = lowering.body.value_type(pooled.value).element().clone();
        pooled = slide(lowering, &pooled, &along, &extents, Fold::new(Combine::Max, element, unsigned), |_, x| x);
    }
    pooled
}

/// The position of each window's maximum in the unpadded operand: its index in row-major order, or with spatial axes
/// reversed. The first of several; 0 for an empty window.
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
    let block = block_size(&input[1]);
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
        // not less than the maximum, so that a NaN is found, too
        let below = s.compare(Comparison::Less, e[0], e[inputs.len() - 1]);
        let mut candidate = s.not(below);
        for axis in 0..spatial {
            let at = [2 + axis, kernel + axis];
            let (place, inside) = window_place(&mut s, window, axis, at, [lows[axis], extents[2 + axis]]);
            candidate = s.same(arith::ANDI, &[candidate, inside]);
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
        let number = s.builder.value(arith::INDEX_CAST, &[number], Type::I64, []);
        let number = s.select(candidate, number, missing);
        s.min(e[inputs.len()], number)
    });
    let found = Shaped { value: found, shape: pooled.shape.clone() };
    let cleared = lowering.map(&[&found], &pooled.shape, Type::I64, |s, e| {
        let none = s.compare(Comparison::Equal, e[0], missing);
        let zero = s.like(0.0, e[0]);
        s.select(none, zero, e[0])
    });
    cleared.value
}

/// The coordinate of a window's element on an axis of the unpadded operand and whether it exists, given the axis'
/// loops, the padding before it and its extent.
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
    (place, s.same(arith::ANDI, &[above, below]))
}

/// The number of elements that each window averages: a constant, or a tensor `[1, 1, O…, 1]` if windows differ.
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
        let axes: Vec<usize> = (0..window.rank()).collect();
        let count = lowering.count(&window.kernel, &axes, element);
        let value = lowering.pointwise(&[], &one(), element.clone(), |_, _| count);
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
    slide(lowering, &padded, window, &count_shape, Fold::new(Combine::Add, element.clone(), false), |_, x| x)
}
