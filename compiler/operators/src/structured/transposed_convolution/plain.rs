//! ConvTranspose with weights whose shape is not static: a convolution of stride 1 over the operand with zeros between its
//! elements, with mirrored weights.
//!
//! `y[t] = Σ_k a[t + k * dilation - before] * w[K - 1 - k]`, where `a[i * stride] = x[i]`, `a` is 0 elsewhere, and
//! `before = (K - 1) * dilation - low` for `low` positions of the full result that come before the needed ones.

use ir::{AffineMap, DimExpr, Op};

use super::super::convolution::{Convolution, plain_sum};
use super::super::reduction::Shaped;
use super::super::slicing::{Axis, select};
use super::super::window::Window;
use super::super::{Lowering, Unsupported};
use super::{lists, transposed_padding};
use crate::nn;
use dialects::linalg::generic::Input;

/// Lowers `ConvTranspose` with weights in the type of the sums.
pub(super) fn lower(
    lowering: &mut Lowering<'_>,
    op: Op,
    transposed: &nn::Transposed,
    weights: &Shaped,
) -> Result<(), Unsupported> {
    let result = lowering.source.op(op).results()[0];
    let element = lowering.element(result);
    let (input, output) = (lowering.shaped(transposed.x), lowering.shape(result));
    let kernel = weights.shape[2..].to_vec();
    let (strides, dilations) = lists(transposed, kernel.len());
    let low = transposed_padding(transposed, &kernel, &strides, &dilations, &input.shape[2..], &output[2..]);
    let spread = spread(lowering, &input, &strides);
    let pads = (0..kernel.len()).map(|axis| {
        let reach = kernel[axis].sub(&DimExpr::ONE).mul(&dilations[axis].into());
        [reach.sub(&low[axis]), output[2 + axis].add(&low[axis]).sub(&spread.shape[2 + axis])]
    });
    let pads = pads.collect();
    let window = Window { strides: vec![1; kernel.len()], dilations, pads, kernel };
    let weights = mirrored(lowering, weights, transposed.groups);
    let bias = transposed.bias.map(|bias| lowering.shaped(bias));
    let convolution = Convolution { weights, bias, groups: transposed.groups, window, element, bytes: None };
    let value = plain_sum(lowering, &spread, &convolution, &output);
    lowering.bind(result, value);
    Ok(())
}

/// The operand `[N, C, E…]` with `stride - 1` zeros after each element of a spatial axis: `[N, C, E * stride…]`.
fn spread(lowering: &mut Lowering<'_>, input: &Shaped, strides: &[i64]) -> Shaped {
    let mut shape = input.shape[..2].to_vec();
    shape.extend(input.shape[2..].iter().flat_map(|extent| [extent.clone(), DimExpr::ONE]));
    let apart = Shaped { value: lowering.reshape(input.value, &shape), shape };
    let gaps: Vec<(usize, i64)> = strides.iter().enumerate().map(|(axis, &stride)| (3 + 2 * axis, stride)).collect();
    let apart = lowering.in_whole(&apart, &gaps);
    let extents = input.shape[2..].iter().zip(strides).map(|(extent, &stride)| extent.mul(&stride.into()));
    let shape: Vec<DimExpr> = input.shape[..2].iter().cloned().chain(extents).collect();
    Shaped { value: lowering.reshape(apart.value, &shape), shape }
}

/// Weights `[C, O / groups, K…]` as those of a convolution, `[O, C / groups, K…]`, with their kernel elements mirrored.
fn mirrored(lowering: &mut Lowering<'_>, weights: &Shaped, groups: i64) -> Shaped {
    let groups = DimExpr::Constant(groups);
    let (inputs, outputs, kernel) = (weights.shape[0].floor_div(&groups), &weights.shape[1], &weights.shape[2..]);
    let last = |extent: &DimExpr| Axis::Known { start: extent.sub(&DimExpr::ONE), step: -1 };
    let plan: Vec<Axis> = [Axis::whole(), Axis::whole()].into_iter().chain(kernel.iter().map(last)).collect();
    let value = select(lowering, weights, &plan, &weights.shape);
    let with_kernel = |first: &[&DimExpr]| -> Vec<DimExpr> { first.iter().copied().chain(kernel).cloned().collect() };
    let value = lowering.reshape(value, &with_kernel(&[&groups, &inputs, outputs]));
    let shape = with_kernel(&[&groups, outputs, &inputs]);
    let axes: Vec<usize> = [0, 2, 1].into_iter().chain(3..shape.len()).collect();
    let element = lowering.body.value_type(value).element().clone();
    let input = Input { value, map: AffineMap::select(shape.len(), &axes) };
    let value = lowering.pointwise(&[input], &shape, element, |_, e| e[0]);
    let shape = with_kernel(&[&groups.mul(outputs), &inputs]);
    Shaped { value: lowering.reshape(value, &shape), shape }
}
