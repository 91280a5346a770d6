//! ConvTranspose, as convolutions of stride 1 for the phases of its stride.
//!
//! Along an axis, position `t` of the result is position `u = t + low` of the full one, where input `i` meets kernel
//! element `k` if `u = i * stride + k * dilation`. The positions `u = q * stride + r` form phase `r`. Only kernel
//! elements with `k * dilation = j * stride + r` contribute to it, from the inputs `i = q - j`: it is a convolution
//! over `q` with these elements. Phases are output channels of one convolution, `r * width + o`, whose positions are
//! interleaved at the end. If some phases have one kernel element less than others and channels fill registers, the
//! phases with equal numbers of elements have separate convolutions.

mod plain;

use std::ops::Range;
use std::sync::Arc;

use dialects::onnx::views::AutoPad;
use ir::{AffineExpr, AffineMap, DimExpr, Op, Value};

use super::channel_blocks::{block_size, blocked_shape};
use super::convolution::{Convolution, Sums, blocked_input, dense, depthwise, grouped_plain, is_static};
use super::reduction::{Shaped, accumulator};
use super::window::{Window, reach};
use super::{Lowering, Unsupported};
use crate::nn;
use dialects::linalg::GROUP;
use dialects::linalg::generic::Input;

/// The maximum number of convolutions that the phases are split into.
const PARTS: usize = 8;

/// A spatial axis and its phases.
#[derive(Clone)]
struct Axis {
    kernel: i64,
    stride: i64,
    dilation: i64,
    /// The phases in the convolution.
    phases: Range<i64>,
    /// Kernel elements of a phase.
    taps: i64,
    /// Distance of their inputs.
    step: i64,
    /// The first position of the phases, over the stride.
    first: DimExpr,
    /// Phase of the result's first position.
    phase: i64,
    /// Positions to remove at the beginning, after interleaving.
    cut: DimExpr,
    /// Positions of a phase.
    places: DimExpr,
}

impl Axis {
    /// `low` positions of the full result come before the `extent` that are needed.
    fn new([kernel, stride, dilation]: [i64; 3], low: &DimExpr, extent: &DimExpr) -> Axis {
        // with one phase every kernel element is used
        let step = if stride == 1 { dilation } else { 1 };
        let taps = (kernel - 1) * dilation / (stride * step) + 1;
        let (first, phase, cut) = match low.as_constant() {
            _ if stride == 1 => (low.clone(), 0, DimExpr::ZERO),
            Some(low) => (low.div_euclid(stride).into(), low.rem_euclid(stride), DimExpr::ZERO),
            None => (DimExpr::ZERO, 0, low.clone()),
        };
        let places = extent.add(&cut).add(&phase.into()).ceil_div(&stride.into());
        Axis { kernel, stride, dilation, phases: 0..stride, taps, step, first, phase, cut, places }
    }

    /// The first phase with one kernel element less than those before it; if there is only one element, none.
    fn first_short(&self) -> i64 {
        let after_last = (self.kernel - 1) * self.dilation + 1 - (self.taps - 1) * self.stride;
        if self.taps == 1 { self.stride } else { after_last.clamp(1, self.stride) }
    }

    /// The axis for each of its phases, or for those with equal numbers of kernel elements.
    fn split(&self, singly: bool) -> Vec<Axis> {
        let short = self.first_short();
        let runs = if singly {
            (0..self.stride).map(|phase| phase..phase + 1).collect()
        } else {
            vec![0..short, short..self.stride]
        };
        let runs = runs.into_iter().filter(|run| !run.is_empty());
        runs.map(|phases| Axis { taps: self.taps - i64::from(phases.start >= short), phases, ..self.clone() }).collect()
    }

    /// The padding around `extent` inputs.
    fn pads(&self, extent: &DimExpr) -> [DimExpr; 2] {
        let reach = DimExpr::Constant((self.taps - 1) * self.step);
        [reach.sub(&self.first), self.first.add(&self.places).sub(extent)]
    }
}

/// The channels of a group's phases.
struct Phases {
    /// The number of phases.
    count: i64,
    /// Channels of the result.
    outputs: i64,
    /// Channels of a phase: full blocks, so that lanes stay in place.
    width: i64,
}

impl Phases {
    fn new(axes: &[Axis], outputs: i64) -> Phases {
        let count = count(axes);
        let width = if count == 1 || outputs < GROUP { outputs } else { (outputs + GROUP - 1) / GROUP * GROUP };
        Phases { count, outputs, width }
    }

    /// Channels of all phases.
    fn channels(&self) -> i64 {
        self.count * self.width
    }

    /// The phases of a part.
    fn of(&self, part: &[Axis]) -> Phases {
        Phases { count: count(part), ..*self }
    }

    /// Parts of the axes' phases with equal numbers of kernel elements, in order: axes before one that is split are in
    /// single phases.
    fn parts(&self, axes: &[Axis]) -> Vec<Vec<Axis>> {
        let last = axes.iter().rposition(|axis| axis.first_short() < axis.stride);
        let Some(last) = last.filter(|_| self.width % GROUP == 0) else { return vec![axes.to_vec()] };
        let mut parts: Vec<Vec<Axis>> = vec![vec![]];
        for (at, axis) in axes.iter().enumerate() {
            let runs = axis.split(at < last);
            let with = |part: Vec<Axis>| runs.iter().map(move |run| [&part[..], std::slice::from_ref(run)].concat());
            parts = parts.into_iter().flat_map(with).collect();
        }
        if parts.len() > PARTS { vec![axes.to_vec()] } else { parts }
    }
}

/// The number of phases of all axes.
fn count(axes: &[Axis]) -> i64 {
    axes.iter().map(|axis| axis.phases.end - axis.phases.start).product()
}

/// Lowers `ConvTranspose`.
pub(crate) fn lower_transposed(
    lowering: &mut Lowering<'_>,
    op: Op,
    transposed: &nn::Transposed,
) -> Result<(), Unsupported> {
    let (x, result) = (transposed.x, lowering.source.op(op).results()[0]);
    let element = lowering.element(result);
    let weights = lowering.shaped(transposed.w);
    let weights = lowering.in_type(&weights, &accumulator(&element));
    if !is_static(&weights) {
        return plain::lower(lowering, op, transposed, &weights);
    }
    let extents: Vec<i64> = weights.shape.iter().filter_map(DimExpr::as_constant).collect();
    let (input, output) = (lowering.shape(x), lowering.shape(result));
    let groups = transposed.groups;
    let axes = axes(transposed, &extents[2..], &input[2..], &output[2..]);
    let phases = Phases::new(&axes, extents[1]);
    let weights = padded_weights(lowering, &weights, &axes, &phases);
    let mut convolutions = Vec::new();
    for part in if groups == 1 { phases.parts(&axes) } else { vec![axes.clone()] } {
        let of_part = phases.of(&part);
        let weights = phase_weights(lowering, &weights, &part, &of_part, groups);
        let bias = transposed.bias.map(|bias| phase_bias(lowering, bias, &of_part, groups));
        let window = window(&part, &input[2..]);
        convolutions.push(Convolution { weights, bias, groups, window, element: element.clone(), bytes: None });
    }
    let shape_of = |channels: DimExpr| -> Vec<DimExpr> {
        [output[0].clone(), channels].into_iter().chain(axes.iter().map(|axis| axis.places.clone())).collect()
    };
    let shape = shape_of((groups * phases.channels()).into());
    let work = lowering.body.value_type(weights.value).element().clone();
    let blocked = blocked_input(lowering, x, &extents[0].into());
    let blocked = lowering.in_type(&blocked, &work);
    let sums = if groups == 1 {
        let sums_of = |convolution: &Convolution| {
            let shape = shape_of(convolution.weights.shape[0].clone());
            dense(lowering, &blocked, convolution, &shape)
        };
        let sums: Vec<Value> = convolutions.iter().map(sums_of).collect();
        Sums::Blocked(if let [sums] = sums[..] { sums } else { lowering.concat(&sums, &blocked_shape(&shape), 1) })
    } else if extents[0] == groups && phases.channels() == 1 {
        Sums::Blocked(depthwise(lowering, &blocked, &convolutions[0], &shape))
    } else {
        let mut plain = input;
        plain[1] = extents[0].into();
        let value = lowering.unpack(blocked.value, &plain);
        grouped_plain(lowering, &Shaped { value, shape: plain }, &convolutions[0], &shape)
    };
    match sums {
        Sums::Blocked(value) if phases.count == 1 => lowering.bind_blocked(result, value),
        Sums::Plain(value) if phases.count == 1 => lowering.bind(result, value),
        Sums::Blocked(value) if groups == 1 => {
            let value = interleave_blocked(lowering, value, &axes, &phases, &output);
            lowering.bind_blocked(result, value);
        }
        Sums::Blocked(value) => {
            let value = lowering.unpack(value, &shape);
            let value = interleave_plain(lowering, value, &axes, &phases, &output);
            lowering.bind(result, value);
        }
        Sums::Plain(value) => {
            let value = interleave_plain(lowering, value, &axes, &phases, &output);
            lowering.bind(result, value);
        }
    }
    Ok(())
}

/// The window of a convolution with the kernel elements of some phases.
fn window(axes: &[Axis], input: &[DimExpr]) -> Window {
    Window {
        kernel: axes.iter().map(|axis| axis.taps.into()).collect(),
        strides: vec![1; axes.len()],
        dilations: axes.iter().map(|axis| axis.step).collect(),
        pads: axes.iter().zip(input).map(|(axis, extent)| axis.pads(extent)).collect(),
    }
}

fn axes(transposed: &nn::Transposed, kernel: &[i64], input: &[DimExpr], output: &[DimExpr]) -> Vec<Axis> {
    let (strides, dilations) = lists(transposed, kernel.len());
    let extents: Vec<DimExpr> = kernel.iter().map(|&extent| extent.into()).collect();
    let low = transposed_padding(transposed, &extents, &strides, &dilations, input, output);
    (0..kernel.len()).map(|at| Axis::new([kernel[at], strides[at], dilations[at]], &low[at], &output[at])).collect()
}

/// The strides and dilations of `rank` axes.
fn lists(transposed: &nn::Transposed, rank: usize) -> (Vec<i64>, Vec<i64>) {
    let list = |given: &Option<Arc<[i64]>>| given.as_deref().map_or_else(|| vec![1; rank], <[i64]>::to_vec);
    (list(&transposed.sliding.strides), list(&transposed.sliding.dilations))
}

/// Elements removed at the beginning of each axis of the full transposed convolution.
fn transposed_padding(
    transposed: &nn::Transposed,
    kernel: &[DimExpr],
    strides: &[i64],
    dilations: &[i64],
    input: &[DimExpr],
    output: &[DimExpr],
) -> Vec<DimExpr> {
    let rank = kernel.len();
    let auto = transposed.sliding.auto_pad;
    let explicit = transposed.sliding.pads.clone().unwrap_or_else(|| vec![0; 2 * rank].into());
    let has_shape = transposed.output_shape.is_some();
    if auto == AutoPad::Notset && !has_shape {
        return explicit[..rank].iter().map(|&pad| pad.into()).collect();
    }
    if auto == AutoPad::Valid && !has_shape {
        return vec![DimExpr::ZERO; rank];
    }
    let extra = transposed.output_padding.clone().unwrap_or_else(|| vec![0; rank].into());
    (0..rank)
        .map(|axis| {
            let reach = reach(&kernel[axis], dilations[axis]).add(&extra[axis].into());
            let full = input[axis].sub(&DimExpr::ONE).mul(&DimExpr::Constant(strides[axis])).add(&reach);
            let total = DimExpr::max(&full.sub(&output[axis]), &DimExpr::ZERO);
            let half = total.floor_div(&DimExpr::Constant(2));
            if auto == AutoPad::SameUpper { half } else { total.sub(&half) }
        })
        .collect()
}

/// Weights `[C, O / groups, K…]`, padded with zeros to the kernel elements and channels of all phases.
fn padded_weights(lowering: &mut Lowering<'_>, weights: &Shaped, axes: &[Axis], phases: &Phases) -> Shaped {
    let weights = spread(lowering, weights, axes);
    let kernel: Vec<i64> = weights.shape[2..].iter().filter_map(DimExpr::as_constant).collect();
    let taps = |axis: &Axis| axis.taps * axis.stride;
    let after = axes.iter().zip(&kernel).map(|(axis, kernel)| [0, (taps(axis) - kernel).max(0)]);
    let pads: Vec<[i64; 2]> = [[0, 0], [0, phases.width - phases.outputs]].into_iter().chain(after).collect();
    let element = lowering.body.value_type(weights.value).element().clone();
    let zero = lowering.number(0.0, &element);
    lowering.pad(&weights, &pads, zero)
}

/// Padded weights as those of the phases, `[groups * channels, C / groups, taps…]`: mirrored.
fn phase_weights(lowering: &mut Lowering<'_>, weights: &Shaped, axes: &[Axis], phases: &Phases, groups: i64) -> Shaped {
    let rank = axes.len();
    let inputs = weights.shape[0].as_constant().unwrap_or(1) / groups;
    let element = lowering.body.value_type(weights.value).element().clone();
    // loops over groups, the phases of each axis, channels of the result, channels of the operand, kernel elements of
    // each axis
    let mut loops = vec![groups];
    loops.extend(axes.iter().map(|axis| axis.phases.end - axis.phases.start));
    loops.extend([phases.width, inputs]);
    loops.extend(axes.iter().map(|axis| axis.taps));
    let dim = |index: usize| AffineExpr::Dim(index as u32);
    let times = |expression: AffineExpr, factor: i64| expression.mul(AffineExpr::Constant(factor));
    let mut map = vec![times(dim(0), inputs).add(dim(rank + 2)), dim(rank + 1)];
    map.extend(axes.iter().enumerate().map(|(at, axis)| {
        let mirrored = times(dim(rank + 3 + at), -1).add(AffineExpr::Constant(axis.taps - 1));
        times(mirrored, axis.stride).add(dim(1 + at)).add(AffineExpr::Constant(axis.phases.start))
    }));
    let input = Input { value: weights.value, map: AffineMap::new(loops.len() as u32, map) };
    let loops: Vec<DimExpr> = loops.into_iter().map(DimExpr::Constant).collect();
    let value = lowering.pointwise(&[input], &loops, element, |_, e| e[0]);
    let mut shape: Vec<DimExpr> = vec![(groups * phases.channels()).into(), inputs.into()];
    shape.extend(axes.iter().map(|axis| DimExpr::Constant(axis.taps)));
    Shaped { value: lowering.reshape(value, &shape), shape }
}

/// Weights with zeros inserted along an axis, by its stride and dilation.
fn spread(lowering: &mut Lowering<'_>, weights: &Shaped, axes: &[Axis]) -> Shaped {
    let mut spread = weights.clone();
    for (at, axis) in axes.iter().enumerate().filter(|(_, axis)| axis.stride > 1 && axis.dilation > 1) {
        let mut shape = spread.shape.clone();
        shape.insert(at + 3, DimExpr::ONE);
        let apart = Shaped { value: lowering.reshape(spread.value, &shape), shape };
        let apart = lowering.in_whole(&apart, &[(at + 3, axis.dilation)]);
        let mut shape = apart.shape;
        shape.remove(at + 3);
        shape[at + 2] = (axis.kernel * axis.dilation).into();
        spread = Shaped { value: lowering.reshape(apart.value, &shape), shape };
    }
    spread
}

/// The bias of every phase.
fn phase_bias(lowering: &mut Lowering<'_>, bias: Value, phases: &Phases, groups: i64) -> Shaped {
    let bias = lowering.shaped(bias);
    if phases.channels() == phases.outputs {
        return bias;
    }
    let shape = [groups, phases.outputs].map(DimExpr::Constant).to_vec();
    let bias = Shaped { value: lowering.reshape(bias.value, &shape), shape };
    let element = lowering.body.value_type(bias.value).element().clone();
    let zero = lowering.number(0.0, &element);
    let bias = lowering.pad(&bias, &[[0, 0], [0, phases.width - phases.outputs]], zero);
    let input = Input { value: bias.value, map: AffineMap::select(3, &[0, 2]) };
    let loops = [groups, phases.count, phases.width].map(DimExpr::Constant);
    let value = lowering.pointwise(&[input], &loops, element, |_, e| e[0]);
    let shape = vec![DimExpr::Constant(groups * phases.channels())];
    Shaped { value: lowering.reshape(value, &shape), shape }
}

/// The phase of a position of the result, and the position in it; spatial loops begin at `first`.
fn phase_places(axes: &[Axis], first: usize) -> (AffineExpr, Vec<AffineExpr>) {
    let mut phase = AffineExpr::Constant(0);
    let mut places = Vec::new();
    for (at, axis) in axes.iter().enumerate() {
        let place = AffineExpr::Dim((first + at) as u32).add(AffineExpr::Constant(axis.phase));
        phase = phase.mul(AffineExpr::Constant(axis.stride)).add(place.clone().modulo(axis.stride));
        places.push(place.floor_div(axis.stride));
    }
    (phase, places)
}

/// The blocked result from its phases, in blocked form.
fn interleave_blocked(
    lowering: &mut Lowering<'_>,
    sums: Value,
    axes: &[Axis],
    phases: &Phases,
    output: &[DimExpr],
) -> Value {
    let (phase, places) = phase_places(axes, 2);
    let lane = AffineExpr::Dim(2 + axes.len() as u32);
    let block = block_size(&phases.channels().into());
    let (group, lane) = match phases.outputs < GROUP {
        true => {
            let channel = phase.mul(AffineExpr::Constant(phases.width)).add(lane);
            (channel.clone().floor_div(block), channel.modulo(block))
        }
        false => (phase.mul(AffineExpr::Constant(phases.width / GROUP)).add(AffineExpr::Dim(1)), lane),
    };
    let mut map = vec![AffineExpr::Dim(0), group];
    map.extend(places);
    map.push(lane);
    interleave(lowering, sums, map, axes, blocked_shape(output))
}

/// The plain result from its phases, in plain form.
fn interleave_plain(
    lowering: &mut Lowering<'_>,
    sums: Value,
    axes: &[Axis],
    phases: &Phases,
    output: &[DimExpr],
) -> Value {
    let (phase, places) = phase_places(axes, 2);
    let channel = AffineExpr::Dim(1);
    let group = channel.clone().floor_div(phases.outputs).mul(AffineExpr::Constant(phases.channels()));
    let own = phase.mul(AffineExpr::Constant(phases.width)).add(channel.modulo(phases.outputs));
    let mut map = vec![AffineExpr::Dim(0), group.add(own)];
    map.extend(places);
    interleave(lowering, sums, map, axes, output.to_vec())
}

/// A tensor of `shape`, whose spatial axes follow the first two, with additional positions before the needed ones.
fn interleave(
    lowering: &mut Lowering<'_>,
    sums: Value,
    map: Vec<AffineExpr>,
    axes: &[Axis],
    mut shape: Vec<DimExpr>,
) -> Value {
    let mut pads = vec![[DimExpr::ZERO, DimExpr::ZERO]; shape.len()];
    for (at, axis) in axes.iter().enumerate() {
        shape[2 + at] = shape[2 + at].add(&axis.cut);
        pads[2 + at][0] = DimExpr::ZERO.sub(&axis.cut);
    }
    let element = lowering.body.value_type(sums).element().clone();
    let map = AffineMap::new(shape.len() as u32, map);
    let value = lowering.pointwise(&[Input { value: sums, map }], &shape, element.clone(), |_, e| e[0]);
    let zero = lowering.number(0.0, &element);
    lowering.pad_or_cut(&Shaped { value, shape }, &pads, zero).value
}
