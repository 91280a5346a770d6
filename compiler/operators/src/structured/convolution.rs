//! Lowers Conv and the convolutions of int8.
//!
//! A convolution is one generic operation over blocked activations and packed weights:
//!
//! `y[n, g, ob, o…, oc] += x[n, g, ib, o… * stride + k… * dilation, ic] * w[g, ob, ib, k…, ic, oc]`
//!
//! With one group there is no group loop. Groups with fewer than 16 output channels use packed weights of 16 columns,
//! of which only the first are written.

mod bands;
mod dense;

use dialects::arith;
use ir::{AffineExpr, AffineMap, DimExpr, Op, Type, Value};

use self::bands::dense_in_bands;
pub(super) use self::dense::dense;
use super::contraction::multiply_add;
use super::reduction::{Shaped, accumulator};
use super::scalars::Scalars;
use super::slicing::{Axis, select};
use super::window::Window;
use super::{Lowering, Unsupported};
use crate::nn;
use dialects::linalg::GROUP;
use dialects::linalg::generic::{Input, Iterator};
use dialects::rt::tile::QUAD;

/// A convolution with weights in the order of Conv. f16 and bf16 are summed in f32, the type of the weights.
pub(super) struct Convolution {
    /// `[O, C / groups, K…]`
    pub(super) weights: Shaped,
    /// `[O]`
    pub(super) bias: Option<Shaped>,
    pub(super) groups: i64,
    pub(super) window: Window,
    /// The element type of the result.
    pub(super) element: Type,
    /// For int8 weights.
    pub(super) bytes: Option<Bytes>,
}

/// The operand of an int8 convolution, which becomes unsigned.
#[derive(Clone)]
pub(super) struct Bytes {
    /// Whether it is signed.
    moves: bool,
    /// The padding value: its zero point.
    fill: Value,
    /// Zero points of the weights, `[O]`.
    weights_zero: Option<Shaped>,
}

impl Convolution {
    /// The type of the sums.
    fn work(&self) -> Type {
        accumulator(&self.element)
    }

    /// The channel block size for int8 if a block of all channels would not consist of full quads: with it the kernel
    /// elements of a row are one run of quads.
    fn quads(&self) -> Option<i64> {
        let channels =
            self.weights.shape[1].as_constant().filter(|&channels| channels < GROUP && channels % QUAD != 0)?;
        let has_taps = self.window.kernel.iter().any(|extent| *extent != DimExpr::ONE);
        (self.bytes.is_some() && has_taps).then(|| (channels + QUAD - 1) / QUAD * QUAD)
    }

    /// An operand in the form that is multiplied.
    fn operand(&self, lowering: &mut Lowering<'_>, x: &Shaped) -> Shaped {
        match &self.bytes {
            None => lowering.in_type(x, &self.work()),
            Some(Bytes { moves: true, .. }) => lowering.other_sign(x),
            Some(Bytes { moves: false, .. }) => x.clone(),
        }
    }
}

/// A bias, reshaped, in the type of the sums.
fn bias_tensor(lowering: &mut Lowering<'_>, bias: &Shaped, shape: &[DimExpr], convolution: &Convolution) -> Shaped {
    let value = lowering.reshape(bias.value, shape);
    lowering.in_type(&Shaped { value, shape: shape.to_vec() }, &convolution.work())
}

/// Lowers `Conv`.
pub(crate) fn lower(lowering: &mut Lowering<'_>, op: Op, conv: &nn::ConvolutionOptions) -> Result<(), Unsupported> {
    let result = lowering.source.op(op).results()[0];
    let element = lowering.element(result);
    let weights = lowering.shaped(conv.w);
    let weights = lowering.in_type(&weights, &accumulator(&element));
    let input = lowering.shape(conv.x);
    let output = lowering.shape(result);
    let window = Window::new(&conv.sliding, &weights.shape[2..], &input[2..], &output[2..]);
    let (window, first) = window.seeing(&input[2..], &output[2..]);
    let weights = taps_of(lowering, weights, &window, &first);
    let bias = conv.bias.map(|bias| lowering.shaped(bias));
    let convolution = Convolution { weights, bias, groups: conv.groups, window, element, bytes: None };
    if is_static(&convolution.weights) {
        return convolve(lowering, conv.x, &convolution, result);
    }
    let plain = lowering.shaped(conv.x);
    let value = plain_sum(lowering, &plain, &convolution, &output);
    lowering.bind(result, value);
    Ok(())
}

/// The weights of a window that begins at `first` in the kernel.
fn taps_of(lowering: &mut Lowering<'_>, weights: Shaped, window: &Window, first: &[i64]) -> Shaped {
    if weights.shape[2..] == window.kernel {
        return weights;
    }
    let shape = [&weights.shape[..2], &window.kernel].concat();
    let plan: Vec<Axis> = [0, 0].iter().chain(first).map(|&start| Axis::from(start)).collect();
    Shaped { value: select(lowering, &weights, &plan, &shape), shape }
}

/// Lowers `ConvInteger`, with zero points of the operand and of the weights.
pub(crate) fn lower_integer(
    lowering: &mut Lowering<'_>,
    op: Op,
    conv: &nn::ConvolutionOptions,
    [x_zero, w_zero]: [Option<Value>; 2],
) -> Result<(), Unsupported> {
    let result = lowering.source.op(op).results()[0];
    let weights = lowering.shaped(conv.w);
    let (input, output) = (lowering.shape(conv.x), lowering.shape(result));
    let window = Window::new(&conv.sliding, &weights.shape[2..], &input[2..], &output[2..]);
    let products = DimExpr::product(&weights.shape[2..]).as_constant();
    let is_depthwise = weights.shape[1] == DimExpr::ONE && weights.shape[0] == DimExpr::Constant(conv.groups);
    let groups = conv.groups;
    let plain = |weights: Shaped| Convolution { weights, bias: None, groups, window, element: Type::I32, bytes: None };
    if !is_static(&weights) {
        let x = lowering.shaped(conv.x);
        let x = centred(lowering, &x, (conv.x, x_zero), &Type::I32);
        let weights = centred(lowering, &weights, (conv.w, w_zero), &Type::I32);
        let value = plain_sum(lowering, &x, &plain(weights), &output);
        lowering.bind(result, value);
        return Ok(());
    }
    if is_depthwise && conv.groups > 1 && products.is_some_and(|products| products <= EXACT_PRODUCTS) {
        let x = blocked_input(lowering, conv.x, &weights.shape[0]);
        let x = centred(lowering, &x, (conv.x, x_zero), &Type::F32);
        let weights = centred(lowering, &weights, (conv.w, w_zero), &Type::F32);
        let value = depthwise(lowering, &x, &plain(weights), &output);
        lowering.bind_blocked(result, value);
        return Ok(());
    }
    let outputs = weights.shape[0].clone();
    let mut factor = lowering.bytes(conv.w, w_zero, false);
    let weights_zero = factor.zero_point.take().map(|zero| {
        let zeros = lowering.spread(&zero, std::slice::from_ref(&outputs));
        let mut shape = vec![DimExpr::ONE; weights.shape.len()];
        shape[0] = outputs.clone();
        factor.zero_point = Some(Shaped { value: lowering.reshape(zeros.value, &shape), shape });
        zeros
    });
    let zero = lowering.moved_zero_point(conv.x, x_zero, true);
    let bias = zero.map(|zero| {
        let sums = lowering.centred_sums(&factor, 1..weights.shape.len());
        let shape = vec![outputs];
        let sums = Shaped { value: lowering.reshape(sums.value, &shape), shape };
        lowering.negated_product(&zero, &sums)
    });
    let moves = !lowering.is_unsigned(conv.x);
    let bytes = Bytes { moves, fill: fill_of(lowering, x_zero, moves), weights_zero };
    let convolution = Convolution { bias, bytes: Some(bytes), ..plain(factor.tensor) };
    convolve(lowering, conv.x, &convolution, result)
}

/// The maximum number of products of two centred int8 values, each of magnitude at most 255, whose sum f32 represents
/// exactly.
const EXACT_PRODUCTS: i64 = (1 << 24) / (255 * 255);

/// `q - zero point` in a wider type; the zero point is a scalar, or has one value per output.
fn centred(
    lowering: &mut Lowering<'_>,
    q: &Shaped,
    (source, zero_point): (Value, Option<Value>),
    wide: &Type,
) -> Shaped {
    let unsigned = lowering.is_unsigned(source);
    let zero = lowering.moved_zero_point(source, zero_point, unsigned).map(|mut zero| {
        let is_list = zero.shape.len() == 1 && zero.shape[0] != DimExpr::ONE;
        let after = if is_list { q.shape.len() - 1 } else { 0 };
        zero.shape.extend(vec![DimExpr::ONE; after]);
        Shaped { value: lowering.reshape(zero.value, &zero.shape), shape: zero.shape }
    });
    if let Some(known) = known_centred(lowering, q, zero.as_ref(), unsigned) {
        return lowering.integers(&known, &q.shape, wide.clone());
    }
    let operands: Vec<&Shaped> = std::iter::once(q).chain(&zero).collect();
    lowering.map(&operands, &q.shape, wide.clone(), |s, e| {
        let q = s.cast(e[0], wide, unsigned, false);
        let Some(&zero) = e.get(1) else { return q };
        let zero = s.cast(zero, wide, false, false);
        s.sub(q, zero)
    })
}

/// The same for small constants. The zero point is a scalar, or has an element for each index of the first axis.
fn known_centred(lowering: &Lowering<'_>, q: &Shaped, zero: Option<&Shaped>, unsigned: bool) -> Option<Vec<i64>> {
    let mut numbers = lowering.known_integers_of(q)?;
    let zeros = zero.map_or(Some(vec![0]), |zero| lowering.known_integers_of(zero))?;
    // an invalid model may have another number of them, which is not computed here
    let each = match zeros.len() {
        1 => numbers.len(),
        count => (q.shape[0] == DimExpr::Constant(count as i64)).then(|| numbers.len() / count)?,
    };
    for (numbers, zero) in numbers.chunks_mut(each).zip(zeros) {
        numbers.iter_mut().for_each(|q| *q = if unsigned { *q & 0xff } else { *q } - zero);
    }
    Some(numbers)
}

/// The zero point of an operand as uint8.
fn fill_of(lowering: &mut Lowering<'_>, zero_point: Option<Value>, moves: bool) -> Value {
    let zero = match zero_point {
        Some(zero_point) => lowering.only_element(zero_point),
        None => lowering.number(0.0, &Type::I8),
    };
    if !moves {
        return zero;
    }
    let top = lowering.number(f64::from(i8::MIN), &Type::I8);
    lowering.builder().value(arith::XORI, &[zero, top], Type::I8, [])
}

/// Whether channels can be blocked and weights packed at compile time.
pub(super) fn is_static(weights: &Shaped) -> bool {
    weights.shape.iter().all(|extent| extent.as_constant().is_some())
}

/// A convolution of plain tensors with weights of any shape.
///
/// `y[n, g, o, s…] += x[n, g, c, s… * stride + k… * dilation] * w[g, o, c, k…]`
pub(super) fn plain_sum(
    lowering: &mut Lowering<'_>,
    input: &Shaped,
    convolution: &Convolution,
    output: &[DimExpr],
) -> Value {
    let (window, work) = (&convolution.window, convolution.work());
    let spatial = window.rank();
    let groups = DimExpr::Constant(convolution.groups);
    let channels = convolution.weights.shape[1].clone();
    let outputs = output[1].floor_div(&groups);
    check_channels(lowering, &input.shape, &channels.mul(&groups));
    let input = lowering.in_type(input, &work);
    let zero = lowering.number(0.0, &work);
    let padded = window.pad(lowering, &input, 2, zero);
    let by_group = |tensor: &Shaped, axis: usize, first: [&DimExpr; 2]| {
        let mut shape = tensor.shape.clone();
        shape.splice(axis..=axis, first.map(Clone::clone));
        shape
    };
    let shape = by_group(&padded, 1, [&groups, &channels]);
    let x = lowering.reshape(padded.value, &shape);
    let shape = by_group(&convolution.weights, 0, [&groups, &outputs]);
    let w = lowering.reshape(convolution.weights.value, &shape);
    let shape: Vec<DimExpr> = [&output[0], &groups, &outputs].into_iter().chain(&output[2..]).cloned().collect();
    let init = match &convolution.bias {
        Some(bias) => {
            let bias = bias_tensor(lowering, bias, &[groups, outputs], convolution);
            let map = AffineMap::select(shape.len(), &[1, 2]);
            lowering.pointwise(&[Input { value: bias.value, map }], &shape, work, |_, e| e[0])
        }
        None => lowering.filled(&shape, work, 0.0),
    };
    // loops: n, g, o, s…, c, k…
    let (channel, kernel) = (3 + spatial, 4 + spatial);
    let loops = kernel + spatial;
    let dim = |index: usize| AffineExpr::Dim(index as u32);
    let mut x_map = vec![dim(0), dim(1), dim(channel)];
    x_map.extend((0..spatial).map(|axis| window.subscript(axis, 3 + axis, kernel + axis)));
    let mut w_map = vec![dim(1), dim(2), dim(channel)];
    w_map.extend((0..spatial).map(|axis| dim(kernel + axis)));
    let mut iterators = vec![Iterator::Parallel; loops];
    iterators[channel..].fill(Iterator::Reduction);
    let inputs = [
        Input { value: x, map: AffineMap::new(loops as u32, x_map) },
        Input { value: w, map: AffineMap::new(loops as u32, w_map) },
    ];
    let order: Vec<usize> = (0..channel).collect();
    let value = lowering.generic_onto(&inputs, init, AffineMap::select(loops, &order), &iterators, |builder, e| {
        multiply_add(&mut Scalars { builder, unsigned: false }, e)
    });
    let value = lowering.reshape(value, output);
    lowering.in_type(&Shaped { value, shape: output.to_vec() }, &convolution.element).value
}

fn convolve(
    lowering: &mut Lowering<'_>,
    x: Value,
    convolution: &Convolution,
    result: Value,
) -> Result<(), Unsupported> {
    let channels = convolution.weights.shape[1].as_constant().unwrap_or(1);
    let outputs = convolution.weights.shape[0].as_constant().unwrap_or(1);
    let output = lowering.shape(result);
    let all_channels = DimExpr::Constant(channels * convolution.groups);
    if convolution.groups > 1 && channels == 1 && outputs == convolution.groups && convolution.bytes.is_none() {
        let input = blocked_input(lowering, x, &all_channels);
        let input = convolution.operand(lowering, &input);
        let value = depthwise(lowering, &input, convolution, &output);
        lowering.bind_blocked(result, value);
        return Ok(());
    }
    if convolution.groups == 1 {
        let input = match convolution.quads() {
            Some(block) => {
                let plain = with_channels(lowering, x, &all_channels);
                lowering.pack_by(&plain, block)
            }
            None => blocked_input(lowering, x, &all_channels),
        };
        let input = convolution.operand(lowering, &input);
        let value = dense_in_bands(lowering, &input, convolution, &output);
        lowering.bind_blocked(result, value);
        return Ok(());
    }
    check_channels(lowering, &lowering.shape(x), &all_channels);
    let aligned = [channels, outputs / convolution.groups].iter().all(|channels| channels % GROUP == 0);
    match convolution.window.is_pointwise() && !aligned && convolution.bytes.is_none() {
        true => grouped_pointwise(lowering, x, convolution, result),
        false => match grouped(lowering, x, convolution, &output) {
            Sums::Blocked(value) => lowering.bind_blocked(result, value),
            Sums::Plain(value) => lowering.bind(result, value),
        },
    }
    Ok(())
}

/// The result of a grouped convolution, in the layout that needs no copy.
pub(super) enum Sums {
    Blocked(Value),
    Plain(Value),
}

/// The operand in blocked form. Its number of channels follows from the weights.
pub(super) fn blocked_input(lowering: &mut Lowering<'_>, x: Value, channels: &DimExpr) -> Shaped {
    if lowering.shape(x)[1] == *channels {
        return lowering.blocked(x);
    }
    let plain = with_channels(lowering, x, channels);
    lowering.pack(&plain)
}

/// The operand, with the number of channels that its weights require.
fn with_channels(lowering: &mut Lowering<'_>, x: Value, channels: &DimExpr) -> Shaped {
    let plain = lowering.shaped(x);
    if plain.shape[1] == *channels {
        return plain;
    }
    check_channels(lowering, &plain.shape, channels);
    let mut shape = plain.shape;
    shape[1] = channels.clone();
    Shaped { value: lowering.reshape(plain.value, &shape), shape }
}

fn check_channels(lowering: &mut Lowering<'_>, input: &[DimExpr], channels: &DimExpr) {
    lowering.check_equal(
        &input[1],
        channels,
        "the channels of a convolution's operand differ from those of its weights",
    );
}

/// A grouped 1×1 convolution of plain tensors: one matrix product per group, with pixels along the columns.
///
/// `y[n, g, o, p] += w[g, o, c] * x[n, g, c, p]`
fn grouped_pointwise(lowering: &mut Lowering<'_>, x: Value, convolution: &Convolution, result: Value) {
    let (input, output) = (lowering.shape(x), lowering.shape(result));
    let groups = DimExpr::Constant(convolution.groups);
    let channels = convolution.weights.shape[1].clone();
    let outputs = DimExpr::Constant(convolution.weights.shape[0].as_constant().unwrap_or(1) / convolution.groups);
    let pixels = DimExpr::product(&input[2..]);
    let plain = lowering.shaped(x);
    let value = lowering.in_type(&plain, &convolution.work()).value;
    let element = convolution.work();
    let x_value = lowering.reshape(value, &[input[0].clone(), groups.clone(), channels.clone(), pixels.clone()]);
    let w_value = lowering.reshape(convolution.weights.value, &[groups.clone(), outputs.clone(), channels]);
    let shape = vec![output[0].clone(), groups.clone(), outputs.clone(), pixels];
    let init = match &convolution.bias {
        Some(bias) => {
            let bias = bias_tensor(lowering, bias, &[groups, outputs], convolution);
            let map = AffineMap::select(4, &[1, 2]);
            lowering.pointwise(&[Input { value: bias.value, map }], &shape, element, |_, e| e[0])
        }
        None => lowering.filled(&shape, element, 0.0),
    };
    // loops: n, g, o, p, c
    let inputs = [
        Input { value: w_value, map: AffineMap::select(5, &[1, 2, 4]) },
        Input { value: x_value, map: AffineMap::select(5, &[0, 1, 4, 3]) },
    ];
    let mut iterators = vec![Iterator::Parallel; 5];
    iterators[4] = Iterator::Reduction;
    let value = lowering.generic_onto(&inputs, init, AffineMap::select(5, &[0, 1, 2, 3]), &iterators, |builder, e| {
        multiply_add(&mut Scalars { builder, unsigned: false }, e)
    });
    let value = lowering.in_type(&Shaped { value, shape }, &convolution.element).value;
    lowering.bind_grouped(result, value, convolution.groups);
}

/// One output channel per input channel: lanes are independent.
pub(super) fn depthwise(
    lowering: &mut Lowering<'_>,
    input: &Shaped,
    convolution: &Convolution,
    output: &[DimExpr],
) -> Value {
    let window = &convolution.window;
    let spatial = window.rank();
    let zero = lowering.number(0.0, &lowering.body.value_type(input.value).element().clone());
    let padded = window.pad(lowering, input, 2, zero);
    // [O, 1, K…] is [1, O, K…] with one batch
    let mut shape = convolution.weights.shape.clone();
    shape.swap(0, 1);
    let value = lowering.reshape(convolution.weights.value, &shape);
    let weights = lowering.pack(&Shaped { value, shape });
    // loops: n, cb, o…, lane, k…
    let loops = spatial * 2 + 3;
    let dim = |index: usize| AffineExpr::Dim(index as u32);
    let (lane, kernel) = (spatial + 2, spatial + 3);
    let mut x_map = vec![dim(0), dim(1)];
    x_map.extend((0..spatial).map(|axis| window.subscript(axis, 2 + axis, kernel + axis)));
    x_map.push(dim(lane));
    let mut w_map = vec![AffineExpr::Constant(0), dim(1)];
    w_map.extend((0..spatial).map(|axis| dim(kernel + axis)));
    w_map.push(dim(lane));
    let shape = super::channel_blocks::blocked_shape(output);
    let element = lowering.body.value_type(input.value).element().clone();
    let init = match &convolution.bias {
        Some(bias) => {
            let bias = bias_blocked(lowering, bias, &output[1], convolution);
            let rank = shape.len();
            let map = AffineMap::select(rank, &[1, rank - 1]);
            lowering.pointwise(&[Input { value: bias, map }], &shape, element, |_, e| e[0])
        }
        None => lowering.filled(&shape, element, 0.0),
    };
    let mut iterators = vec![Iterator::Parallel; loops];
    iterators[kernel..].fill(Iterator::Reduction);
    let inputs = [
        Input { value: padded.value, map: AffineMap::new(loops as u32, x_map) },
        Input { value: weights.value, map: AffineMap::new(loops as u32, w_map) },
    ];
    let order: Vec<usize> = (0..spatial + 3).collect();
    let value = lowering.generic_onto(&inputs, init, AffineMap::select(loops, &order), &iterators, |builder, e| {
        multiply_add(&mut Scalars { builder, unsigned: false }, e)
    });
    lowering.in_type(&Shaped { value, shape }, &convolution.element).value
}

/// A bias `[O]` as `[ceil(O / b), b]`.
fn bias_blocked(lowering: &mut Lowering<'_>, bias: &Shaped, outputs: &DimExpr, convolution: &Convolution) -> Value {
    let plain = bias_tensor(lowering, bias, &[DimExpr::ONE, outputs.clone()], convolution);
    let packed = lowering.pack(&plain);
    let shape = packed.shape[1..].to_vec();
    lowering.reshape(packed.value, &shape)
}

/// The shape with groups as part of the batch: `[N * G, C / G, S…]`.
fn group_shape(shape: &[DimExpr], groups: i64, channels: &DimExpr) -> Vec<DimExpr> {
    let mut shape = shape.to_vec();
    shape[0] = shape[0].mul(&DimExpr::Constant(groups));
    shape[1] = channels.clone();
    shape
}

fn is_whole(channels: &DimExpr) -> bool {
    channels.as_constant().is_some_and(|channels| channels % GROUP == 0)
}

/// Grouped convolutions: channels are regrouped, so that every group starts a block.
fn grouped(lowering: &mut Lowering<'_>, x: Value, convolution: &Convolution, output: &[DimExpr]) -> Sums {
    let channels = convolution.weights.shape[1].clone();
    let plain = lowering.shape(x);
    if is_whole(&channels) && is_whole(&plain[1]) && lowering.is_blocked(x) {
        let shape = super::channel_blocks::blocked_shape(&group_shape(&plain, convolution.groups, &channels));
        let packed = Shaped { value: lowering.blocked(x).value, shape };
        let packed = convolution.operand(lowering, &packed);
        return grouped_dense(lowering, &packed, &plain[0], convolution, output);
    }
    let plain = lowering.shaped(x);
    let plain = convolution.operand(lowering, &plain);
    grouped_plain(lowering, &plain, convolution, output)
}

/// Grouped convolutions of a plain tensor.
pub(super) fn grouped_plain(
    lowering: &mut Lowering<'_>,
    plain: &Shaped,
    convolution: &Convolution,
    output: &[DimExpr],
) -> Sums {
    let shape = group_shape(&plain.shape, convolution.groups, &convolution.weights.shape[1]);
    let group = Shaped { value: lowering.reshape(plain.value, &shape), shape };
    let packed = match convolution.quads() {
        Some(block) => lowering.pack_by(&group, block),
        None => lowering.pack(&group),
    };
    grouped_dense(lowering, &packed, &plain.shape[0], convolution, output)
}

/// The contraction of `[N * G, CB, S…, b]`.
fn grouped_dense(
    lowering: &mut Lowering<'_>,
    packed: &Shaped,
    batch: &DimExpr,
    convolution: &Convolution,
    output: &[DimExpr],
) -> Sums {
    let outputs = DimExpr::Constant(convolution.weights.shape[0].as_constant().unwrap_or(1) / convolution.groups);
    let mut shape = packed.shape.clone();
    shape[0] = DimExpr::Constant(convolution.groups);
    shape.insert(0, batch.clone());
    let input = Shaped { value: lowering.reshape(packed.value, &shape), shape };
    let out_group = group_shape(output, convolution.groups, &outputs);
    let value = dense(lowering, &input, convolution, &out_group);
    if is_whole(&outputs) {
        Sums::Blocked(lowering.reshape(value, &super::channel_blocks::blocked_shape(output)))
    } else {
        let value = lowering.reshape(value, &super::channel_blocks::blocked_shape(&out_group));
        let plain = lowering.unpack(value, &out_group);
        Sums::Plain(lowering.reshape(plain, output))
    }
}
