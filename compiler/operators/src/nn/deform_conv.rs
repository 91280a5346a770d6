//! DeformConv: a convolution whose kernel elements are displaced by offsets. Since 19.
//!
//! The operand is sampled at the displaced coordinates, and the samples are multiplied with the weights.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, AutoPad, GridPadding, View};
use dialects::{math, tensor};
use ir::{Builder, DimExpr, Op, Type, Value};

use super::conv::{ConvolutionOptions, convolution_shape, group_count};
use super::sliding::{Sliding, WindowAttributes, spatial};
use crate::operator::{Kind, Operator};
use crate::shape::{Answer, Condition, Node};
use crate::structured::channel_blocks::loop_index;
use crate::structured::contraction::matmul;
use crate::structured::reduction::Shaped;
use crate::structured::sampling::{Sampled, Tap, as_f32, weighted_sum};
use crate::structured::scalars::Scalars;
use crate::structured::{Lowering, Unsupported};
use crate::tensor::grid_sample;

pub(crate) const DEFORM_CONV: Operator =
    Operator { kind: Kind::Contraction, shapes: Some(shapes), lower: Some(lower), ..Operator::of(OnnxOp::DeformConv) };

fn sliding(conv: &views::DeformConv) -> Sliding {
    Sliding {
        auto_pad: AutoPad::Notset,
        dilations: conv.dilations.clone(),
        pads: conv.pads.clone(),
        strides: conv.strides.clone(),
    }
}

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let conv: views::DeformConv = node.view();
    let plain = ConvolutionOptions { x: conv.x, w: conv.w, bias: conv.b, groups: conv.group, sliding: sliding(&conv) };
    let answer = convolution_shape(node, &plain)?;
    let (Some(Some(shape)), Some(input), Some(weights)) =
        (answer.first(), node.shape_of(conv.x), node.shape_of(conv.w))
    else {
        return Ok(answer);
    };
    let groups = group_count(conv.offset_group, &input[1])?;
    let whole = input[1].floor_div(&groups).mul(&groups);
    node.require(Condition::Equal(input[1].clone(), whole), || {
        format!("{} channels cannot be divided into {groups} groups of offsets", input[1])
    })?;
    let kernel = &weights[2..];
    let points = DimExpr::product(kernel).mul(&groups);
    let own = |channels: DimExpr| [&[shape[0].clone(), channels], &shape[2..]].concat();
    node.expect_shape(Some(conv.offset), &own(points.mul(&DimExpr::Constant(kernel.len() as i64))), "the offsets")?;
    node.expect_shape(conv.mask, &own(points), "the mask")?;
    Ok(answer)
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let conv = views::DeformConv::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let element = lowering.element(conv.x);
    let (output, weights) = (lowering.shape(result), lowering.shape(conv.w));
    let samples = sample(lowering, &conv, &output[2..])?;
    let groups = DimExpr::Constant(conv.group);
    let (places, points) = (DimExpr::product(&output[2..]), DimExpr::product(&weights[1..]));
    let outputs = weights[0].floor_div(&groups);
    let batch = [output[0].clone(), groups.clone()];
    let samples = reshaped(lowering, &samples, vec![output[0].clone(), groups.clone(), points.clone(), places.clone()]);
    let weights = lowering.shaped(conv.w);
    let weights = reshaped(lowering, &weights, vec![groups.clone(), outputs.clone(), points]);
    let bias = conv.b.map(|bias| {
        let bias = lowering.shaped(bias);
        reshaped(lowering, &bias, vec![groups, outputs, DimExpr::ONE])
    });
    let product = matmul(lowering, &weights, &samples, &element, false, bias, &batch);
    let product = reshaped(lowering, &product, output);
    lowering.bind(result, product.value);
    Ok(())
}

fn reshaped(lowering: &mut Lowering<'_>, tensor: &Shaped, shape: Vec<DimExpr>) -> Shaped {
    Shaped { value: lowering.reshape(tensor.value, &shape), shape }
}

/// The operand at the points of all windows: `[batch, channels, kernel…, places…]`.
fn sample(lowering: &mut Lowering<'_>, conv: &views::DeformConv, places: &[DimExpr]) -> Result<Shaped, Unsupported> {
    let input = lowering.shaped(conv.x);
    let (batch, channels, extents) = spatial(&input.shape).map_err(Unsupported::invalid)?;
    let (rank, element) = (extents.len(), lowering.element(conv.x));
    let kernel = lowering.shape(conv.w)[2..].to_vec();
    let window = WindowAttributes::new(&sliding(conv), kernel.clone()).map_err(Unsupported::invalid)?;
    let shape: Vec<DimExpr> = [batch.clone(), channels.clone()]
        .into_iter()
        .chain(kernel.iter().cloned())
        .chain(places.iter().cloned())
        .collect();
    let axes: Vec<grid_sample::Axis> = extents
        .iter()
        .zip(places)
        .map(|(dim, places)| {
            let (extent, places) = (lowering.dim(dim), lowering.dim(places));
            lowering.check_source(extent, places);
            grid_sample::Axis { extent, corners: false, surroundings: GridPadding::Zeros }
        })
        .collect();
    let points = Points {
        kernel: kernel.iter().map(|dim| lowering.dim(dim)).collect(),
        channels_a_group: (conv.offset_group != 1)
            .then(|| lowering.dim(&channels.floor_div(&DimExpr::Constant(conv.offset_group)))),
        offset: lowering.value(conv.offset),
        mask: conv.mask.map(|mask| lowering.value(mask)),
    };
    let sampled = Sampled { value: input.value, unsigned: false };
    let value = lowering.pointwise(&[], &shape, element.clone(), |builder, _| {
        let loops: Vec<Value> = (0..2 + 2 * rank).map(|axis| loop_index(builder, axis)).collect();
        let point = points.number(builder, &loops);
        let taps: Vec<(usize, Vec<Tap>)> = axes
            .iter()
            .enumerate()
            .map(|(axis, sampled)| {
                let bent = points.component(builder, &loops, point, axis);
                let mut s = Scalars { builder, unsigned: false };
                let coordinate = coordinate(&mut s, &window, &loops, axis, bent);
                (2 + axis, taps(&mut s, coordinate, sampled))
            })
            .collect();
        let at = loops[..2].iter().chain(&loops[2 + rank..]).copied().collect();
        let sample = weighted_sum(builder, sampled, at, &taps);
        match points.weight(builder, &loops, point) {
            Some(weight) => Scalars { builder, unsigned: false }.mul(sample, weight),
            None => sample,
        }
    });
    Ok(Shaped { value, shape })
}

/// The parameters of kernel points.
struct Points {
    kernel: Vec<Value>,
    /// `None` if all channels are in one group.
    channels_a_group: Option<Value>,
    offset: Value,
    mask: Option<Value>,
}

impl Points {
    /// The index of a kernel point among those of all groups of offsets.
    fn number(&self, builder: &mut Builder<'_>, loops: &[Value]) -> Value {
        let mut s = Scalars { builder, unsigned: false };
        let mut number = match self.channels_a_group {
            Some(channels) => s.div(loops[1], channels),
            None => s.like(0.0, loops[1]),
        };
        for (axis, &extent) in self.kernel.iter().enumerate() {
            let scaled = s.mul(number, extent);
            number = s.add(scaled, loops[2 + axis]);
        }
        number
    }

    /// The displacement of a point along an axis.
    fn component(&self, builder: &mut Builder<'_>, loops: &[Value], point: Value, axis: usize) -> Value {
        let mut s = Scalars { builder, unsigned: false };
        let (rank, axis) = (s.like(self.kernel.len() as f64, point), s.like(axis as f64, point));
        let first = s.mul(point, rank);
        let channel = s.add(first, axis);
        let moved = self.read(builder, self.offset, loops, channel);
        Scalars { builder, unsigned: false }.cast(moved, &Type::F32, false, false)
    }

    fn weight(&self, builder: &mut Builder<'_>, loops: &[Value], point: Value) -> Option<Value> {
        self.mask.map(|mask| self.read(builder, mask, loops, point))
    }

    fn read(&self, builder: &mut Builder<'_>, tensor: Value, loops: &[Value], channel: Value) -> Value {
        let mut indices = vec![loops[0], channel];
        indices.extend(&loops[2 + self.kernel.len()..]);
        let element = builder.body.value_type(tensor).element().clone();
        builder.value_from(tensor::Extract { tensor, indices: &indices }, element, [])
    }
}

/// The coordinate of a kernel point on an axis, in elements.
fn coordinate(s: &mut Scalars<'_, '_>, window: &WindowAttributes, loops: &[Value], axis: usize, moved: Value) -> Value {
    let rank = window.kernel.len();
    let (step, place) = (loops[2 + axis], loops[2 + rank + axis]);
    let [stride, dilation, pad] =
        [window.strides[axis], window.dilations[axis], window.pads[axis]].map(|number| s.like(number as f64, place));
    let start = s.mul(place, stride);
    let start = s.sub(start, pad);
    let along = s.mul(step, dilation);
    let unbent = s.add(start, along);
    let unbent = as_f32(s.builder, unbent);
    s.add(unbent, moved)
}

/// The elements on both sides of a coordinate; outside they are zero.
fn taps(s: &mut Scalars<'_, '_>, coordinate: Value, axis: &grid_sample::Axis) -> Vec<Tap> {
    let floor = s.same(math::FLOOR, &[coordinate]);
    let (fraction, one) = (s.sub(coordinate, floor), s.like(1.0, coordinate));
    let (rest, next) = (s.sub(one, fraction), s.add(floor, one));
    vec![grid_sample::tap(s, floor, Some(rest), axis), grid_sample::tap(s, next, Some(fraction), axis)]
}
