//! Convolutions over channel blocks as one contraction.

use dialects::rt::attributes::LAST_BLOCK;
use ir::{AffineExpr, AffineMap, Attribute, DimExpr, Type, Value};

use super::super::Lowering;
use super::super::bytes::multiply_add_bytes;
use super::super::channel_blocks::{block_size, blocked_shape};
use super::super::contraction::multiply_add;
use super::super::reduction::Shaped;
use super::super::scalars::Scalars;
use super::{Convolution, bias_blocked, bias_tensor};
use dialects::linalg::GROUP;
use dialects::linalg::generic::{Input, Iterator};
use dialects::rt::tile::QUAD;

/// The contraction. `input` is `[N, IB, S…, b]`, or `[N, G, IB, S…, b]` with groups; `output` is the plain result of
/// one group, with leading `N * G` if there are groups. The result has the form of the input.
pub(in super::super) fn dense(
    lowering: &mut Lowering<'_>,
    input: &Shaped,
    convolution: &Convolution,
    output: &[DimExpr],
) -> Value {
    let window = &convolution.window;
    let spatial = window.rank();
    let lead = usize::from(convolution.groups > 1);
    let element = convolution.work();
    let fill = match &convolution.bytes {
        Some(bytes) => bytes.fill,
        None => lowering.number(0.0, &element),
    };
    let padded = window.pad(lowering, input, 2 + lead, fill);
    let per_group = &output[1];
    let wide = per_group.as_constant().is_some_and(|outputs| outputs >= GROUP);
    let weights = pack_weights(lowering, convolution);
    let outer = spatial.saturating_sub(INNER_AXES);
    let (padded, weights) = match outer {
        0 => (padded, weights),
        _ => unfold(lowering, &padded, &weights, convolution, &output[2..2 + outer]),
    };
    let weights = match convolution.bytes {
        None => lowering.in_type(&weights, &element).value,
        Some(_) => weights.value,
    };
    // loops: n, (g), ob, o…, oc, ib, k…, ic
    let (ob, spatial_from) = (1 + lead, 2 + lead);
    let oc = spatial_from + spatial;
    let (ib, kernel) = (oc + 1, oc + 2);
    let ic = kernel + spatial - outer;
    let loops = ic + 1;
    let dim = |index: usize| AffineExpr::Dim(index as u32);
    let mut x_map: Vec<AffineExpr> = (0..1 + lead).map(dim).collect();
    x_map.extend((0..outer).map(|axis| dim(spatial_from + axis)));
    x_map.push(dim(ib));
    x_map.extend((outer..spatial).map(|axis| window.subscript(axis, spatial_from + axis, kernel + axis - outer)));
    x_map.push(dim(ic));
    let mut w_map: Vec<AffineExpr> = (1..1 + lead).map(dim).collect();
    w_map.push(if wide { dim(ob) } else { dim(oc).floor_div(GROUP) });
    w_map.extend((ib..ic).map(dim));
    let lane = if wide { dim(oc) } else { dim(oc).modulo(GROUP) };
    match convolution.bytes {
        None => w_map.extend([dim(ic), lane]),
        Some(_) => w_map.extend([dim(ic).floor_div(QUAD), lane, dim(ic).modulo(QUAD)]),
    }

    let mut shape = blocked_shape(output);
    if lead == 1 {
        shape[0] = input.shape[0].clone();
        shape.insert(1, input.shape[1].clone());
    }
    let init = match &convolution.bias {
        Some(bias) => {
            let (value, axes) = bias_start(lowering, bias, convolution, per_group, &shape);
            let map = AffineMap::select(shape.len(), &axes);
            lowering.pointwise(&[Input { value, map }], &shape, element, |_, e| e[0])
        }
        None => lowering.filled(&shape, element, 0.0),
    };
    let mut iterators = vec![Iterator::Parallel; loops];
    iterators[ib..].fill(Iterator::Reduction);
    let inputs = [
        Input { value: padded.value, map: AffineMap::new(loops as u32, x_map) },
        Input { value: weights, map: AffineMap::new(loops as u32, w_map) },
    ];
    let order: Vec<usize> = (0..=oc).collect();
    let value = lowering.generic_onto(&inputs, init, AffineMap::select(loops, &order), &iterators, |builder, e| {
        match convolution.bytes {
            None => multiply_add(&mut Scalars { builder, unsigned: false }, e),
            Some(_) => multiply_add_bytes(builder, e),
        }
    });
    let channels = convolution.weights.shape[1].as_constant().unwrap_or(1);
    let block = channels.clamp(1, GROUP);
    if channels % block != 0 && outer == 0 {
        let op = lowering.body.defining_op(value).expect("a generic defines its result");
        lowering.body.op_mut(op).attributes.set(LAST_BLOCK, Attribute::i64(channels % block));
    }
    let sums = Shaped { value, shape };
    let sums = match convolution.bytes.as_ref().and_then(|bytes| bytes.weights_zero.as_ref()) {
        Some(zeros) => without_zeros(lowering, &sums, (zeros, input), convolution, output),
        None => sums,
    };
    lowering.in_type(&sums, &convolution.element).value
}

/// The sums of an int8 convolution, minus the terms of the weights' zero points: those times the window's sum, which is
/// a convolution with ones.
fn without_zeros(
    lowering: &mut Lowering<'_>,
    sums: &Shaped,
    (zeros, input): (&Shaped, &Shaped),
    convolution: &Convolution,
    output: &[DimExpr],
) -> Shaped {
    let mut shape = convolution.weights.shape.clone();
    shape[0] = DimExpr::Constant(convolution.groups);
    let ones = lowering.splat(1.0, &shape, &Type::I8);
    let mut bytes = convolution.bytes.clone().expect("the caller found zero points");
    bytes.weights_zero = None;
    let (groups, window) = (convolution.groups, convolution.window.clone());
    let ones = Convolution { weights: ones, bias: None, groups, window, element: Type::I32, bytes: Some(bytes) };
    let mut single = output.to_vec();
    single[1] = DimExpr::ONE;
    let windows = dense(lowering, input, &ones, &single);
    let lead = usize::from(groups > 1);
    let mut windows_shape = sums.shape.clone();
    windows_shape[1 + lead] = DimExpr::ONE;
    *windows_shape.last_mut().expect("a blocked tensor has axes") = DimExpr::ONE;
    let (zeros, axes) = bias_start(lowering, zeros, convolution, &output[1], &sums.shape);
    let rank = sums.shape.len();
    let inputs = [
        Input { value: sums.value, map: AffineMap::identity(rank) },
        lowering.broadcast_input(windows, &windows_shape, &sums.shape),
        Input { value: zeros, map: AffineMap::select(rank, &axes) },
    ];
    let value = lowering.pointwise(&inputs, &sums.shape, Type::I32, |builder, e| {
        let mut s = Scalars { builder, unsigned: false };
        let product = s.mul(e[1], e[2]);
        s.sub(e[0], product)
    });
    Shaped { value, shape: sums.shape.clone() }
}

/// The maximum number of spatial axes along which the window slides within a contraction, which has no loops for more.
const INNER_AXES: usize = 2;

/// Turns the kernel elements of the outer spatial axes into additional channel blocks: `[N, (G), O…, K… * IB, S, S, b]`
/// of a padded tensor and `[(G), OB, K… * IB, K, K, b, 16]` of packed weights, where `O…` are the positions along these
/// axes.
fn unfold(
    lowering: &mut Lowering<'_>,
    padded: &Shaped,
    weights: &Shaped,
    convolution: &Convolution,
    places: &[DimExpr],
) -> (Shaped, Shaped) {
    let (window, outer) = (&convolution.window, places.len());
    let lead = usize::from(convolution.groups > 1);
    let blocks = padded.shape[1 + lead].as_constant().expect("channels are those of static weights");
    let taps: Vec<i64> = window.kernel[..outer].iter().filter_map(DimExpr::as_constant).collect();
    let all = DimExpr::Constant(blocks * taps.iter().product::<i64>());
    // the channel block and the kernel elements of an additional block
    let parts = |block: usize| {
        let index = AffineExpr::Dim(block as u32);
        let mut rest = index.clone().floor_div(blocks);
        let mut own = vec![];
        for &count in taps.iter().rev() {
            own.insert(0, rest.clone().modulo(count));
            rest = rest.floor_div(count);
        }
        (index.modulo(blocks), own)
    };
    let dims = |range: std::ops::Range<usize>| range.map(|index| AffineExpr::Dim(index as u32));
    let element = lowering.body.value_type(padded.value).element().clone();

    let mut shape = padded.shape[..1 + lead].to_vec();
    shape.extend(places.iter().chain([&all]).chain(&padded.shape[2 + lead + outer..]).cloned());
    let (block, own) = parts(1 + lead + outer);
    let mut map: Vec<AffineExpr> = dims(0..1 + lead).chain([block]).collect();
    map.extend(own.into_iter().enumerate().map(|(axis, tap)| {
        let place = AffineExpr::Dim((1 + lead + axis) as u32).mul(AffineExpr::Constant(window.strides[axis]));
        place.add(tap.mul(AffineExpr::Constant(window.dilations[axis])))
    }));
    map.extend(dims(2 + lead + outer..shape.len()));
    let input = Input { value: padded.value, map: AffineMap::new(shape.len() as u32, map) };
    let value = lowering.pointwise(&[input], &shape, element, |_, e| e[0]);

    let packed = &weights.shape;
    let element = lowering.body.value_type(weights.value).element().clone();
    let mut packed_shape = packed[..1 + lead].to_vec();
    packed_shape.extend([all].into_iter().chain(packed[2 + lead + outer..].iter().cloned()));
    let (block, own) = parts(1 + lead);
    let map = dims(0..1 + lead).chain([block]).chain(own).chain(dims(2 + lead..packed_shape.len())).collect();
    let input = Input { value: weights.value, map: AffineMap::new(packed_shape.len() as u32, map) };
    let weights = lowering.pointwise(&[input], &packed_shape, element, |_, e| e[0]);
    (Shaped { value, shape }, Shaped { value: weights, shape: packed_shape })
}

/// The initial value of sums and the axes of the result that index it.
fn bias_start(
    lowering: &mut Lowering<'_>,
    bias: &Shaped,
    convolution: &Convolution,
    per_group: &DimExpr,
    shape: &[DimExpr],
) -> (Value, Vec<usize>) {
    let lane = shape.len() - 1;
    if convolution.groups == 1 {
        return (bias_blocked(lowering, bias, per_group, convolution), vec![1, lane]);
    }
    let groups = DimExpr::Constant(convolution.groups);
    let plain = bias_tensor(lowering, bias, &[groups, per_group.clone()], convolution);
    let packed = lowering.pack(&plain);
    (packed.value, vec![1, 2, lane])
}

/// Weights `[G * O, C, K…]` as `[(G), ceil(O / 16), ceil(C / b), K…, b, 16]`, zero for missing channels; int8 weights
/// as `[…, ceil(b / 4), 16, 4]`. Widening happens after packing.
fn pack_weights(lowering: &mut Lowering<'_>, convolution: &Convolution) -> Shaped {
    let weights = &lowering.before_widening(&convolution.weights);
    let spatial = convolution.window.rank();
    let lead = usize::from(convolution.groups > 1);
    let weights = match lead {
        0 => weights.clone(),
        _ => in_groups(lowering, weights, convolution.groups),
    };
    let block = block_size(&weights.shape[lead + 1]);
    let depth = if convolution.bytes.is_some() { QUAD } else { 1 };
    let quads = block.div_euclid(depth) + i64::from(block % depth != 0);
    let weights = lowering.in_whole(&weights, &[(lead, GROUP), (lead + 1, quads * depth)]);
    let blocks = |axis: usize, by: i64| weights.shape[axis].ceil_div(&DimExpr::Constant(by));
    let mut shape = weights.shape[..lead].to_vec();
    shape.extend([blocks(lead, GROUP), blocks(lead + 1, quads * depth)]);
    shape.extend_from_slice(&weights.shape[lead + 2..]);
    shape.extend([quads, GROUP].map(DimExpr::Constant));
    shape.extend((depth > 1).then_some(DimExpr::Constant(depth)));
    let (ob, ib, kernel) = (lead, lead + 1, lead + 2);
    let (ic, oc) = (kernel + spatial, kernel + spatial + 1);
    let dim = |index: usize| AffineExpr::Dim(index as u32);
    let within = |outer: AffineExpr, by: i64, inner: AffineExpr| outer.mul(AffineExpr::Constant(by)).add(inner);
    let channel = match depth {
        1 => dim(ic),
        _ => within(dim(ic), depth, dim(oc + 1)),
    };
    let mut map: Vec<AffineExpr> = (0..lead).map(dim).collect();
    map.extend([within(dim(ob), GROUP, dim(oc)), within(dim(ib), quads * depth, channel)]);
    map.extend((0..spatial).map(|axis| dim(kernel + axis)));
    let value = lowering.copied(weights.value, AffineMap::new(shape.len() as u32, map), &shape);
    Shaped { value, shape }
}

/// Weights `[G * O, C, K…]` as `[G, O, C, K…]`.
fn in_groups(lowering: &mut Lowering<'_>, weights: &Shaped, groups: i64) -> Shaped {
    let groups = DimExpr::Constant(groups);
    let mut shape = vec![groups.clone(), weights.shape[0].floor_div(&groups)];
    shape.extend_from_slice(&weights.shape[1..]);
    Shaped { value: lowering.reshape(weights.value, &shape), shape }
}
