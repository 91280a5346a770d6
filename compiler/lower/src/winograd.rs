//! 3×3 convolutions by Winograd's algorithm.
//!
//! A convolution over blocked channels with constant weights becomes an `rt.winograd` with weights that a routine
//! transforms for F(4×4, 3×3) or F(2×2, 3×3) when the model is initialised. The results are those of the convolution up
//! to rounding errors, which are larger by about one decimal digit.

use abi::{FEWEST_TILES, TILE_SIZES, TILE_STEP, WINDOW, points};
use dialects::linalg::GROUP;
use dialects::linalg::generic::{Generic, Iterator};
use dialects::rt::attributes::{LAST_BLOCK, ORIGIN};
use dialects::{OpCode, OpCodes, arith, rt, tensor};

use dialects::rt::winograd::WINOGRAD_POINTS;
use ir::pass::Choice;
use ir::{AffineExpr, AffineMap, Attribute, Body, Builder, DenseElements, Module, Op, Type, Value};

use crate::constant_relayouts::zeros_around;
use crate::extents::empty_like;
use crate::kernel::winograd::TILES;
use crate::known::depends_on_constants_alone;
use crate::outline::{all_blocks, remove_dead};

/// The minimum number of output channels: each costs as much as the transform of nine kernels' worth of products.
const OUTPUTS: i64 = 32;
/// The maximum product of channel numbers for each of [`TILE_SIZES`]: transformed weights are about twice and four
/// times as large.
const PRODUCTS: [i64; 2] = [1 << 20, 1 << 17];
/// The estimate of dynamic numbers of rows and columns.
const PIXELS: i64 = 56;
/// The cost of reading a weight from memory, in multiplications.
const READ: u128 = 8;
/// The cost of transforming a value at a point, in either direction, in multiplications.
const TRANSFORM: u128 = 4;

/// The cost of writing a weight, or its transform, to fresh memory, in multiplications.
const LAY_OUT: u128 = 150;
/// The cost of compiling an additional kernel, in multiplications.
const COMPILE: u128 = 50_000_000;

/// How often the compiled code runs, which has to amortise transformed weights and optimised code.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Runs {
    /// The first run only, for convolutions with static rows or columns.
    One,
    /// Any number of runs.
    #[default]
    Many,
}

impl Choice for Runs {
    const CHOICES: &'static [(&'static str, Runs)] = &[("one", Runs::One), ("many", Runs::Many)];
}

/// Replaces the convolutions of the function `name`.
pub(crate) fn use_winograd(module: &mut Module, name: &str, runs: Runs) {
    let Some((host, mut body)) = module.take_function(name) else { return };
    for block in all_blocks(&body) {
        let mut is_changed = false;
        for op in body.ops(block).to_vec() {
            if let Some(convolution) = Convolution::of(&body, op, runs) {
                convolution.replace(&mut body);
                is_changed = true;
            }
        }
        if is_changed {
            // the padding of operands, and initial values from a broadcast bias
            remove_dead(&mut body, block);
        }
    }
    module.body.set_isolated(host, body);
}

/// A convolution that can be replaced.
struct Convolution {
    op: Op,
    /// The operand before zero padding.
    x: Value,
    /// `[groups, blocks, 3, 3, 16, 16]`
    weights: Value,
    /// The output tile size.
    size: usize,
    /// Channel groups of the result and of the operand.
    groups: [i64; 2],
    bias: Option<Value>,
    pads: [i64; 2],
}

impl Convolution {
    fn of(body: &Body, op: Op, runs: Runs) -> Option<Convolution> {
        let generic = Generic::reducing(body, op)?;
        let &[padded, weights] = &generic.inputs[..] else { return None };
        let is_f32 = |value: Value| *body.value_type(value).element() == Type::F32;
        let &[outputs, inputs, 3, 3, GROUP, GROUP] = &body.value_type(weights).static_shape()?[..] else { return None };
        let is_sum = generic.maps == convolution_maps()
            && generic.iterators[..5].iter().all(|kind| *kind == Iterator::Parallel)
            && adds_products(body, &generic);
        let channels = [outputs, inputs].map(|groups| groups * GROUP);
        let result = body.value_type(body.result(op, 0)).shape()?;
        let size = tile_size([0, 2, 3].map(|axis| result[axis]), channels, runs)?;
        let fits = is_sum && is_f32(padded) && is_f32(weights) && depends_on_constants_alone(body, weights);
        if !fits || body.op(op).attributes.get(LAST_BLOCK).is_some() {
            return None;
        }
        let (x, pads) = without_zeros(body, padded);
        let bias = start_of(body, generic.inits[0])?;
        Some(Convolution { op, x, weights, size, groups: [outputs, inputs], bias, pads })
    }

    fn replace(&self, body: &mut Body) {
        let result = body.result(self.op, 0);
        let r#type = body.value_type(result).clone();
        let destination = empty_like(body, result, self.op);
        let location = body.op(self.op).location.clone();
        let origin = body.attribute(self.op, ORIGIN).cloned();
        let mut builder = Builder::before(body, self.op).with_location(location);
        let [outputs, inputs] = self.groups;
        let points = Type::tensor([points(self.size) as i64, outputs, inputs * GROUP, GROUP].map(Some), Type::F32);
        let room = builder.value_from(tensor::Empty { sizes: &[] }, points.clone(), []);
        let kind = operators::types::element_number(&Type::F32).expect("float is an element type");
        let routine =
            [("routine", Attribute::string(WINOGRAD_POINTS)), ("kinds", Attribute::i64_dense_array(&[kind, kind]))];
        let points = builder.value(rt::CALL, &[self.weights, room], points, routine);
        let bias = self.bias.unwrap_or_else(|| {
            let zeros = Type::tensor([Some(outputs), Some(GROUP)], Type::F32);
            let splat = DenseElements::splat(zeros.clone(), &0f32.to_le_bytes());
            builder.constant(Attribute::dense(splat), zeros)
        });
        let operands = [self.x, points, bias, destination];
        let attributes = [("pads", Attribute::i64_dense_array(&self.pads)), ("size", Attribute::i64(self.size as i64))];
        let value = builder.value(rt::WINOGRAD, &operands, r#type, attributes);
        let made = builder.body.defining_op(value).expect("just made");
        if let Some(origin) = origin {
            builder.body.op_mut(made).attributes.set(ORIGIN, origin);
        }
        body.replace_all_uses(result, value);
        body.erase(self.op);
    }
}

/// The fastest tile size for a convolution, if there is one: for the given numbers of images, rows and columns, and
/// channels of the result and of the operand.
fn tile_size([images, height, width]: [Option<i64>; 3], channels: [i64; 2], runs: Runs) -> Option<usize> {
    let [outputs, inputs] = channels;
    let products = outputs.checked_mul(inputs)?;
    if runs == Runs::One && [height, width] == [None, None] {
        return None;
    }
    // wide enough for all extents in models
    let [images, height, width] =
        [images.unwrap_or(1), height.unwrap_or(PIXELS), width.unwrap_or(PIXELS)].map(|extent| extent.max(0) as u128);
    let (weights, channels) = (products as u128, (outputs + inputs) as u128);
    let (laid_out, compiled) = match runs {
        Runs::One => (LAY_OUT, COMPILE),
        Runs::Many => (0, 0),
    };
    let direct = (WINDOW * WINDOW) as u128 * (images * height * width + READ + laid_out) * weights;
    let cost = |size: usize| {
        let (all, whole) =
            ([height, width].map(|e| e.div_ceil(size as u128)), [height, width].map(|e| e / size as u128));
        let at_point = |[down, across]: [u128; 2]| {
            let rows = (down * across).next_multiple_of(TILE_STEP as u128).max(FEWEST_TILES as u128);
            // all weights are read again for every few tiles
            let reads = rows.div_ceil(TILES as u128);
            images * ((rows + reads * READ) * weights + rows * TRANSFORM * channels) + laid_out * weights
        };
        // only full tiles are multiplied at the points of the last row and column
        let others = (size + WINDOW - 2) as u128;
        let edges = at_point([all[0], whole[1]]) + at_point([whole[0], all[1]]);
        others * others * at_point(all) + others * edges + at_point(whole) + compiled
    };
    let sizes = TILE_SIZES.into_iter().zip(PRODUCTS);
    let sizes = sizes.filter(|(_, most)| outputs >= OUTPUTS && products <= *most);
    sizes.map(|(size, _)| (cost(size), size)).min().filter(|&(cost, _)| cost < direct).map(|(_, size)| size)
}

/// The maps of a convolution over the last two axes before the channels of a block.
///
/// `y[n, g, h, w, c] += x[n, b, h + i, w + j, d] * weights[g, b, i, j, d, c]`
fn convolution_maps() -> Vec<AffineMap> {
    let dim = AffineExpr::Dim;
    let [n, g, h, w, c, b, i, j, d] = [0, 1, 2, 3, 4, 5, 6, 7, 8].map(dim);
    let x = vec![n.clone(), b.clone(), h.clone().add(i.clone()), w.clone().add(j.clone()), d.clone()];
    let weights = vec![g.clone(), b, i, j, d, c.clone()];
    [x, weights, vec![n, g, h, w, c]].map(|subscripts| AffineMap::new(9, subscripts)).to_vec()
}

/// Whether a body is `sum + x * weight`.
fn adds_products(body: &Body, generic: &Generic) -> bool {
    let arguments = body.arguments(generic.block);
    let is = |value: Value, code: OpCode, operands: [Value; 2]| {
        let op = body.defining_op(value).filter(|&op| body.is(op, code));
        let found = op.map(|op| body.op(op).operands());
        found.is_some_and(|found| found == operands || found == [operands[1], operands[0]])
    };
    let sum = generic.yields(body)[0];
    let Some(op) = body.defining_op(sum) else { return false };
    let product =
        body.op(op).operands().iter().copied().find(|&operand| is(operand, arith::MULF, [arguments[0], arguments[1]]));
    product.is_some_and(|product| is(sum, arith::ADDF, [arguments[2], product]))
}

/// The tensor before zero padding at the top and left, and the numbers of rows and columns of padding.
fn without_zeros(body: &Body, padded: Value) -> (Value, [i64; 2]) {
    let none = (padded, [0, 0]);
    let Some(op) = body.defining_op(padded).filter(|&op| body.is(op, tensor::PAD)) else { return none };
    let Some([low, high]) = zeros_around(body, op) else { return none };
    let is_around = [&low, &high].iter().all(|pads| pads.len() == 5 && [0, 1, 4].iter().all(|&axis| pads[axis] == 0));
    let fits = is_around && (0..=2).contains(&low[2]) && (0..=2).contains(&low[3]);
    if fits { (tensor::Pad::of(body, op).source, [low[2], low[3]]) } else { none }
}

/// The initial value of sums: zero, or one value per channel. `None` for anything else.
fn start_of(body: &Body, init: Value) -> Option<Option<Value>> {
    let generic = Generic::defining(body, init)?;
    let yielded = generic.yields(body)[0];
    if ir::constant_float(body, yielded) == Some(0.0) {
        return Some(None);
    }
    let is_bias = generic.inputs.len() == 1
        && body.arguments(generic.block)[0] == yielded
        && generic.maps[0] == AffineMap::select(5, &[1, 4])
        && generic.output_map(0).is_identity();
    is_bias.then(|| Some(generic.inputs[0]))
}
