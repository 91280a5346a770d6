//! Sliding windows, for Conv and the pools.

use dialects::rt::attributes::ORIGIN;
use dialects::{arith, tensor};
use std::ops::Range;
use std::sync::Arc;

use dialects::onnx::views::AutoPad;
use ir::{AffineExpr, Attribute, Attributes, Builder, DimExpr, Value};

use super::Lowering;
use super::channel_blocks::loop_index;
use super::reduction::Shaped;
use super::scalars::{Comparison, Scalars};
use crate::nn::Sliding;

/// The window of a convolution or pool, one entry per spatial axis.
#[derive(Clone, Debug)]
pub(crate) struct Window {
    /// Extents of the kernel.
    pub kernel: Vec<DimExpr>,
    /// Distances between neighbouring windows.
    pub strides: Vec<i64>,
    /// Distances between neighbouring kernel elements.
    pub dilations: Vec<i64>,
    /// Padding before and after; negative padding crops.
    pub pads: Vec<[DimExpr; 2]>,
}

/// The extent of a dilated kernel: from its first element to its last.
pub(crate) fn reach(kernel: &DimExpr, dilation: i64) -> DimExpr {
    kernel.sub(&DimExpr::ONE).mul(&DimExpr::Constant(dilation)).add(&DimExpr::ONE)
}

impl Window {
    /// The window that an operator's attributes describe, from `input` to `output`.
    pub(crate) fn new(sliding: &Sliding, kernel: &[DimExpr], input: &[DimExpr], output: &[DimExpr]) -> Window {
        let rank = kernel.len();
        let list = |given: &Option<Arc<[i64]>>, default: i64, length: usize| {
            given.as_deref().map_or_else(|| vec![default; length], <[i64]>::to_vec)
        };
        let (strides, dilations) = (list(&sliding.strides, 1, rank), list(&sliding.dilations, 1, rank));
        let explicit = list(&sliding.pads, 0, 2 * rank);
        let mut window = Window { kernel: kernel.to_vec(), strides, dilations, pads: vec![] };
        window.pads = (0..rank)
            .map(|axis| match sliding.auto_pad {
                AutoPad::SameUpper | AutoPad::SameLower => {
                    let total = DimExpr::max(&window.end(axis, &output[axis]).sub(&input[axis]), &DimExpr::ZERO);
                    let less = total.floor_div(&DimExpr::Constant(2));
                    let more = total.sub(&less);
                    if sliding.auto_pad == AutoPad::SameUpper { [less, more] } else { [more, less] }
                }
                AutoPad::Valid => [DimExpr::ZERO, DimExpr::ZERO],
                AutoPad::Notset => [explicit[axis].into(), explicit[rank + axis].into()],
            })
            .collect();
        window
    }

    /// The extent of the window on an axis.
    pub(crate) fn reach(&self, axis: usize) -> DimExpr {
        reach(&self.kernel[axis], self.dilations[axis])
    }

    /// The end of the last of `places` windows on an axis.
    pub(crate) fn end(&self, axis: usize, places: &DimExpr) -> DimExpr {
        let steps = places.sub(&DimExpr::ONE).mul(&DimExpr::Constant(self.strides[axis]));
        steps.add(&self.reach(axis))
    }

    /// Number of spatial axes.
    pub(crate) fn rank(&self) -> usize {
        self.kernel.len()
    }

    /// Whether every output element only reads the input element with the same index.
    pub(crate) fn is_pointwise(&self) -> bool {
        let ones = |list: &[i64]| list.iter().all(|&entry| entry == 1);
        self.kernel.iter().all(|extent| *extent == DimExpr::ONE)
            && ones(&self.strides)
            && self.pads.iter().flatten().all(|pad| *pad == DimExpr::ZERO)
    }

    /// The window without kernel elements at its ends that only read padding, and its beginning in the kernel on each
    /// axis.
    pub(crate) fn seeing(&self, input: &[DimExpr], output: &[DimExpr]) -> (Window, Vec<i64>) {
        let mut window = self.clone();
        let mut first = vec![0; self.rank()];
        for axis in 0..self.rank() {
            let Some(taps) = self.taps_that_see(axis, &input[axis], &output[axis]) else { continue };
            let [low, high] = &self.pads[axis];
            let cut = |count: i64| DimExpr::Constant(count * self.dilations[axis]);
            let after = self.kernel[axis].sub(&DimExpr::Constant(taps.end));
            window.pads[axis] =
                [low.sub(&cut(taps.start)), high.sub(&after.mul(&DimExpr::Constant(self.dilations[axis])))];
            window.kernel[axis] = DimExpr::Constant(taps.end - taps.start);
            first[axis] = taps.start;
        }
        (window, first)
    }

    /// The kernel elements of an axis from the first to the last that some window has inside the operand, if that is
    /// known and there are any.
    fn taps_that_see(&self, axis: usize, input: &DimExpr, output: &DimExpr) -> Option<Range<i64>> {
        let numbers = [&self.kernel[axis], input, output, &self.pads[axis][0]].map(DimExpr::as_constant);
        let [Some(kernel), Some(extent), Some(places), Some(low)] = numbers else { return None };
        let stride = self.strides[axis];
        let sees = |&tap: &i64| {
            let first = tap * self.dilations[axis] - low;
            // the first position that is not before the operand
            let place = ((-first).max(0) + stride - 1) / stride;
            place < places && first + place * stride < extent
        };
        let mut taps = (0..kernel).filter(sees);
        let start = taps.next()?;
        Some(start..taps.next_back().unwrap_or(start) + 1)
    }

    /// `output * stride + kernel * dilation` for one axis, given its two loops.
    pub(crate) fn subscript(&self, axis: usize, output: usize, kernel: usize) -> AffineExpr {
        let term = |dim: usize, factor: i64| AffineExpr::Dim(dim as u32).mul(AffineExpr::Constant(factor));
        let along = term(output, self.strides[axis]);
        if self.kernel[axis] == DimExpr::ONE { along } else { along.add(term(kernel, self.dilations[axis])) }
    }

    /// The input with padding, spatial axes starting at `first`.
    pub(crate) fn pad(&self, lowering: &mut Lowering<'_>, input: &Shaped, first: usize, fill: Value) -> Shaped {
        let mut pads = vec![[DimExpr::ZERO, DimExpr::ZERO]; input.shape.len()];
        pads[first..first + self.rank()].clone_from_slice(&self.pads);
        lowering.pad_or_cut(input, &pads, fill)
    }
}

impl Lowering<'_> {
    /// A tensor padded with zeros at the end of some axes, so that their extents are multiples of the given numbers.
    pub fn in_whole(&mut self, tensor: &Shaped, axes: &[(usize, i64)]) -> Shaped {
        let mut whole = tensor.shape.clone();
        for &(axis, by) in axes {
            whole[axis] = whole[axis].ceil_div(&DimExpr::Constant(by)).mul(&DimExpr::Constant(by));
        }
        if whole == tensor.shape {
            return tensor.clone();
        }
        if let Some(padded) = self.known_padded(tensor, &whole) {
            return padded;
        }
        let after = |(whole, extent): (&DimExpr, &DimExpr)| [DimExpr::ZERO, whole.sub(extent)];
        let pads: Vec<[DimExpr; 2]> = whole.iter().zip(&tensor.shape).map(after).collect();
        let element = self.body.value_type(tensor.value).element().clone();
        let zero = self.number(0.0, &element);
        self.pad_or_cut(tensor, &pads, zero)
    }

    /// A tensor, padded or cropped; `pads` as for `pad`, negative to crop.
    pub fn pad_or_cut(&mut self, input: &Shaped, pads: &[[DimExpr; 2]], fill: Value) -> Shaped {
        let number = |dim: &DimExpr| dim.as_constant().filter(|&pad| pad >= 0);
        let known: Option<Vec<[i64; 2]>> = pads.iter().map(|[low, high]| Some([number(low)?, number(high)?])).collect();
        match known {
            Some(known) => self.pad(input, &known, fill),
            None => self.shift(input, pads, fill),
        }
    }

    /// Every element from its position in the operand, or `fill` if it has none there.
    fn shift(&mut self, input: &Shaped, pads: &[[DimExpr; 2]], fill: Value) -> Shaped {
        let shape: Vec<DimExpr> =
            input.shape.iter().zip(pads).map(|(dim, [low, high])| dim.add(low).add(high)).collect();
        let element = self.body.value_type(input.value).element().clone();
        let moved = |[low, high]: &[DimExpr; 2]| *low != DimExpr::ZERO || *high != DimExpr::ZERO;
        let axes: Vec<Option<[Value; 2]>> = (pads.iter().zip(&input.shape))
            .map(|(pad, dim)| moved(pad).then(|| [self.dim(&pad[0]), self.dim(dim)]))
            .collect();
        let read = |lowering: &mut Lowering<'_>| {
            lowering.pointwise(&[], &shape, element.clone(), |builder, _| {
                let mut indices = Vec::with_capacity(axes.len());
                let mut inside: Option<Value> = None;
                for (axis, moved) in axes.iter().enumerate() {
                    let index = loop_index(builder, axis);
                    let Some([low, extent]) = *moved else {
                        indices.push(index);
                        continue;
                    };
                    let mut s = Scalars { builder, unsigned: false };
                    let (zero, one) = (s.number(0.0, &ir::Type::Index), s.number(1.0, &ir::Type::Index));
                    let (place, last) = (s.sub(index, low), s.sub(extent, one));
                    let capped = s.min(place, last);
                    let clamped = s.max(capped, zero);
                    let here = s.compare(Comparison::Equal, place, clamped);
                    inside = Some(inside.map_or(here, |all| s.same(arith::ANDI, &[all, here])));
                    indices.push(clamped);
                }
                let extract = tensor::Extract { tensor: input.value, indices: &indices };
                let value = builder.value_from(extract, element.clone(), []);
                let inside = inside.expect("some axis is padded or cut");
                Scalars { builder, unsigned: false }.select(inside, value, fill)
            })
        };
        let grown = axes.iter().zip(&input.shape).filter(|(axis, _)| axis.is_some());
        let extents: Vec<DimExpr> = grown.map(|(_, extent)| extent.clone()).collect();
        let value = self.unless_empty(&extents, &shape, fill, read);
        Shaped { value, shape }
    }

    /// `tensor.pad` with a scalar; `pads` has the padding before and after every axis, none negative.
    pub fn pad(&mut self, input: &Shaped, pads: &[[i64; 2]], fill: Value) -> Shaped {
        if pads.iter().flatten().all(|&pad| pad == 0) {
            return input.clone();
        }
        let shape: Vec<DimExpr> =
            input.shape.iter().zip(pads).map(|(dim, [low, high])| dim.add(&DimExpr::Constant(low + high))).collect();
        let element = self.body.value_type(input.value).element().clone();
        let r#type = self.tensor(&shape, element);
        let side = |side: usize| Attribute::i64_dense_array(&pads.iter().map(|pad| pad[side]).collect::<Vec<_>>());
        let attributes = Attributes::from([
            ("operandSegmentSizes", Attribute::i32_dense_array(&[1, 0, 0])),
            ("static_low", side(0)),
            ("static_high", side(1)),
            (ORIGIN, Attribute::string("pad")),
        ]);
        let op = self.builder().create_from(tensor::Pad { source: input.value, bounds: &[] }, &[r#type], attributes);
        let indices = vec![ir::Type::Index; shape.len()];
        let at = self.at;
        let mut builder = Builder::at_end(&mut self.body, at);
        let (_, block) = builder.region_with_block(op, &indices);
        builder.within(block, |inner| {
            inner.create(tensor::YIELD, &[fill], &[], []);
        });
        Shaped { value: self.body.result(op, 0), shape }
    }
}
