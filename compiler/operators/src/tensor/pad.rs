//! Pad: pads or crops a tensor.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, PadMode, View};
use dialects::{arith, tensor};
use ir::{DimExpr, Op, Type, Value};

use crate::graph::{self, Emitter, Problem};
use crate::operator::{Kind, Operator, Rank};
use crate::shape::{Answer, Node, expect_distinct};
use crate::structured::channel_blocks::loop_index;
use crate::structured::data_dependent_sizes::{AxisList, within_limit};
use crate::structured::gather::from_front;
use crate::structured::reduction::Shaped;
use crate::structured::scalars::{Comparison, Scalars};
use crate::structured::{Lowering, Unsupported};

pub(crate) const PAD: Operator = Operator {
    kind: Kind::Movement,
    upgrades: &[(2, pads_renamed), (11, pads_to_inputs)],
    ranks: &[(1, Rank::Exactly(1)), (3, Rank::Exactly(1))],
    shapes: Some(shapes),
    lower: Some(lower),
    ..Operator::of(OnnxOp::Pad)
};

/// `paddings` is called `pads`.
fn pads_renamed(node: &mut graph::Node, _: &mut Emitter) -> Result<(), Problem> {
    if let Some(pads) = node.attributes.remove("paddings") {
        node.attributes.set("pads", pads);
    }
    Ok(())
}

/// Pads and value become operands.
fn pads_to_inputs(node: &mut graph::Node, emit: &mut Emitter) -> Result<(), Problem> {
    node.integers_to_input("pads", 1, emit);
    node.float_to_input("value", 2, emit)
}

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let pad: views::Pad = node.view();
    let Some(mut shape) = node.shape_of(pad.data) else { return Ok(vec![]) };
    let axes: Vec<usize> = match node.axes_of(pad.axes, shape.len())? {
        Some(axes) => expect_distinct(&axes).map(|()| axes)?,
        None if pad.axes.is_some() => {
            return Ok(vec![Some((0..shape.len()).map(|axis| node.fresh(0, axis)).collect())]);
        }
        None => (0..shape.len()).collect(),
    };
    let pads = node.sizes_of(pad.pads).unwrap_or_else(|| vec![None; 2 * axes.len()]);
    if pads.len() != 2 * axes.len() {
        return Err(format!("{} pads for {} axes", pads.len(), axes.len()));
    }
    for (at, &axis) in axes.iter().enumerate() {
        shape[axis] = match (&pads[at], &pads[at + axes.len()]) {
            (Some(before), Some(after)) => shape[axis].add(before).add(after),
            _ => node.fresh(0, axis),
        };
    }
    Ok(vec![Some(shape)])
}

/// The padding before and after each axis.
struct Padding {
    low: Vec<Side>,
    high: Vec<Side>,
}

/// An end of an axis.
#[derive(Clone, Debug)]
enum Side {
    Known(DimExpr),
    Computed(Value),
}

impl Side {
    fn constant(&self) -> Option<i64> {
        match self {
            Side::Known(dim) => dim.as_constant(),
            Side::Computed(_) => None,
        }
    }

    fn value(&self, lowering: &mut Lowering<'_>) -> Value {
        match self {
            Side::Known(dim) => lowering.dim(dim),
            Side::Computed(value) => *value,
        }
    }
}

impl Padding {
    fn of(lowering: &mut Lowering<'_>, pad: &views::Pad, rank: usize) -> Result<Padding, Unsupported> {
        let pads = pad.pads;
        let list = match pad.axes {
            Some(_) => lowering.axis_list(pad.axes, pads, rank)?,
            None => AxisList::Known((0..rank).collect()),
        };
        let count = lowering.list_length(&list);
        let length = lowering.shape(pads).first().cloned().unwrap_or(DimExpr::ONE);
        let both = count.mul(&DimExpr::Constant(2));
        lowering.check_equal(&length, &both, "Pad needs two numbers for each axis");
        let known = lowering.shapes.known_value(pads).map(<[DimExpr]>::to_vec);
        let mut side = |offset: &DimExpr| -> Vec<Side> {
            (0..rank)
                .map(|axis| match (&list, &known) {
                    (AxisList::Known(axes), Some(known)) => {
                        let position = axes.iter().position(|&listed| listed == axis);
                        let offset = offset.as_constant().unwrap_or(0) as usize;
                        Side::Known(position.map_or(DimExpr::ZERO, |position| known[offset + position].clone()))
                    }
                    _ => Side::Computed(lowering.listed(&list, pads, offset, axis, rank)),
                })
                .collect()
        };
        Ok(Padding { low: side(&DimExpr::ZERO), high: side(&count) })
    }

    /// All padding, if it is constant and none is negative.
    fn constants(&self) -> Option<Vec<[i64; 2]>> {
        let sides = self.low.iter().zip(&self.high);
        let pads: Vec<[i64; 2]> =
            sides.map(|(low, high)| Some([low.constant()?, high.constant()?])).collect::<Option<_>>()?;
        pads.iter().flatten().all(|&pad| pad >= 0).then_some(pads)
    }

    /// The padding of the last axis on both sides, if it is constant and positive.
    fn grows_at_end(&self) -> Option<[i64; 2]> {
        let pads = [self.low.last()?.constant()?, self.high.last()?.constant()?];
        (pads != [0, 0] && pads.iter().all(|&pad| pad >= 0)).then_some(pads)
    }

    fn touches(&self, axis: usize) -> bool {
        self.low[axis].constant() != Some(0) || self.high[axis].constant() != Some(0)
    }

    /// Whether both sides of an axis are known not to crop it.
    fn only_grows(&self, axis: usize) -> bool {
        [&self.low[axis], &self.high[axis]].iter().all(|side| side.constant().is_some_and(|pad| pad >= 0))
    }

    /// Whether both sides are constant and less than the extent, so that each padded element is mirrored at most once.
    fn mirrors_once(&self, axis: usize, extent: &DimExpr) -> bool {
        let Some(extent) = extent.as_constant() else { return false };
        [&self.low[axis], &self.high[axis]]
            .iter()
            .all(|side| matches!(side.constant(), Some(pad) if (0..extent).contains(&pad)))
    }
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let pad = views::Pad::of(lowering.source, op);
    let (x, result) = (pad.data, lowering.source.op(op).results()[0]);
    let rank = lowering.shape(x).len();
    let padding = Padding::of(lowering, &pad, rank)?;
    let element = lowering.element(x);
    let fill = fill_value(lowering, pad.constant_value, &element);
    match padding.constants().filter(|_| pad.mode == PadMode::Constant) {
        Some(pads) => pad_statically(lowering, x, result, &pads, fill),
        None => pad_by_position(lowering, op, [x, result], &padding, pad.mode, fill)?,
    }
    Ok(())
}

/// Constant padding with fill value, in the layout of the operand.
fn pad_statically(lowering: &mut Lowering<'_>, x: Value, result: Value, pads: &[[i64; 2]], fill: Value) {
    if lowering.is_blocked(x) && pads.len() >= 3 && pads[1] == [0, 0] {
        let blocked = lowering.blocked(x);
        let pads: Vec<[i64; 2]> = pads.iter().copied().chain([[0, 0]]).collect();
        let value = lowering.pad(&blocked, &pads, fill).value;
        lowering.bind_blocked(result, value);
    } else {
        let plain = lowering.shaped(x);
        let value = lowering.pad(&plain, pads, fill).value;
        lowering.bind(result, value);
    }
}

/// A run of consecutive elements of the result along its last axis, by source.
#[derive(Clone, Copy, PartialEq)]
enum Run {
    /// From arbitrary positions.
    Whole,
    /// Padding before the operand.
    Before,
    /// Consecutive elements of the operand.
    Within,
    /// Padding after the operand.
    After,
}

/// The operand of a padding whose elements come from positions of the operand.
struct Padded<'a> {
    input: Shaped,
    padding: &'a Padding,
    mode: PadMode,
    fill: Value,
    /// The padding before each axis, and the operand's extents.
    lows: Vec<Value>,
    extents: Vec<Value>,
    /// What negative padding leaves of each axis.
    kept: Vec<Kept>,
}

/// The elements of an axis that negative padding leaves. Reflect and wrap repeat only these, as `numpy.pad` of the
/// cropped tensor does.
#[derive(Clone, Copy)]
struct Kept {
    /// The first one's position; `None` if it is 0.
    start: Option<Value>,
    extent: Value,
}

impl Kept {
    fn of(lowering: &mut Lowering<'_>, [low, extent, high]: [Value; 3]) -> Kept {
        lowering.scalars(|s| {
            let zero = s.number(0.0, &Type::Index);
            let [start, end] = [low, high].map(|pad| {
                let negated = s.sub(zero, pad);
                s.max(negated, zero)
            });
            let rest = s.sub(extent, start);
            Kept { start: Some(start), extent: s.sub(rest, end) }
        })
    }
}

/// Each element from its position in the operand. If the padding of the last axis is constant, the operand's own
/// elements are a separate run, which is copied.
fn pad_by_position(
    lowering: &mut Lowering<'_>,
    op: Op,
    [x, result]: [Value; 2],
    padding: &Padding,
    mode: PadMode,
    fill: Value,
) -> Result<(), Unsupported> {
    let input = lowering.shaped(x);
    let mut lows = Vec::new();
    let mut extents = Vec::new();
    let mut kept = Vec::new();
    for axis in 0..input.shape.len() {
        let (low, high) = (padding.low[axis].value(lowering), padding.high[axis].value(lowering));
        let extent = lowering.dim(&input.shape[axis]);
        let own = match mode == PadMode::Constant || padding.only_grows(axis) {
            true => Kept { start: None, extent },
            false => Kept::of(lowering, [low, extent, high]),
        };
        if padding.touches(axis) {
            let padded = settle_padded(lowering, result, axis, [low, extent, high]);
            if mode != PadMode::Constant {
                lowering.check_source(own.extent, padded);
            }
        }
        lows.push(low);
        extents.push(extent);
        kept.push(own);
    }
    lowering.check_size(op)?;
    let output = lowering.shape(result);
    let padded = Padded { input, padding, mode, fill, lows, extents, kept };
    let read = |lowering: &mut Lowering<'_>| match padding.grows_at_end() {
        Some([low, high]) => {
            let last = output.len() - 1;
            let inner = padded.input.shape[last].clone();
            let runs = [(Run::Before, low.into()), (Run::Within, inner), (Run::After, high.into())];
            let mut shape = output.clone();
            let mut pieces = Vec::new();
            for (run, extent) in runs.into_iter().filter(|(_, extent)| *extent != DimExpr::ZERO) {
                shape[last] = extent;
                pieces.push(padded.run(lowering, run, &shape));
            }
            lowering.concat(&pieces, &output, last)
        }
        None => padded.run(lowering, Run::Whole, &output),
    };
    let value = match mode {
        PadMode::Constant => {
            let grown = padded.input.shape.iter().enumerate().filter(|&(axis, _)| padding.touches(axis));
            let extents: Vec<DimExpr> = grown.map(|(_, extent)| extent.clone()).collect();
            lowering.unless_empty(&extents, &output, fill, read)
        }
        PadMode::Edge | PadMode::Reflect | PadMode::Wrap => read(lowering),
    };
    lowering.bind(result, value);
    Ok(())
}

impl Padded<'_> {
    /// The elements of one run of the last axis.
    fn run(&self, lowering: &mut Lowering<'_>, run: Run, shape: &[DimExpr]) -> Value {
        let element = lowering.body.value_type(self.input.value).element().clone();
        let last = shape.len().wrapping_sub(1);
        lowering.pointwise(&[], shape, element.clone(), |builder, _| {
            let mut indices = Vec::with_capacity(shape.len());
            let mut outside: Option<Value> = None;
            for axis in 0..shape.len() {
                let index = loop_index(builder, axis);
                if !self.padding.touches(axis) || (axis == last && run == Run::Within) {
                    indices.push(index);
                    continue;
                }
                let mut s = Scalars { builder, unsigned: false };
                let position = match run {
                    Run::After if axis == last => s.add(index, self.extents[axis]),
                    _ => s.sub(index, self.lows[axis]),
                };
                let (source, is_outside) = self.source(&mut s, axis, position);
                indices.push(source);
                if let Some(is_outside) = is_outside {
                    outside = Some(outside.map_or(is_outside, |all| s.same(arith::ORI, &[all, is_outside])));
                }
            }
            let extract = tensor::Extract { tensor: self.input.value, indices: &indices };
            let value = builder.value_from(extract, element.clone(), []);
            match outside {
                Some(outside) => Scalars { builder, unsigned: false }.select(outside, self.fill, value),
                None => value,
            }
        })
    }

    /// The element at a position of the padded axis, in bounds, and for constant padding whether it is out of bounds.
    fn source(&self, s: &mut Scalars<'_, '_>, axis: usize, position: Value) -> (Value, Option<Value>) {
        let Kept { start, extent } = self.kept[axis];
        let own = start.map_or(position, |start| s.sub(position, start));
        let source = match self.mode {
            PadMode::Reflect if self.padding.mirrors_once(axis, &self.input.shape[axis]) => {
                mirrored_once(s, own, extent)
            }
            PadMode::Reflect => mirrored(s, own, extent),
            PadMode::Wrap => {
                let wrapped = wrapped(s, own, extent);
                clamp(s, wrapped, extent)
            }
            PadMode::Edge | PadMode::Constant => clamp(s, own, extent),
        };
        let outside = (self.mode == PadMode::Constant).then(|| {
            let inside = s.compare(Comparison::Equal, source, position);
            s.not(inside)
        });
        (start.map_or(source, |start| s.add(source, start)), outside)
    }
}

/// `low + extent + high`
fn settle_padded(lowering: &mut Lowering<'_>, result: Value, axis: usize, [low, extent, high]: [Value; 3]) -> Value {
    let padded = lowering.scalars(|s| {
        // a number beyond the limit gives an extent beyond it
        let [low, high] = [low, high].map(|pad| within_limit(s, pad));
        let grown = s.add(low, extent);
        s.add(grown, high)
    });
    lowering.settle(result, axis, padded);
    padded
}

/// The scalar a constant Pad fills with.
fn fill_value(lowering: &mut Lowering<'_>, value: Option<Value>, element: &Type) -> Value {
    let Some(value) = value else { return lowering.number(0.0, element) };
    let tensor = lowering.value(value);
    let constant =
        lowering.body.defining_op(tensor).and_then(|op| lowering.body.op(op).attributes.get("value").cloned());
    let constant = constant.as_ref().and_then(ir::Attribute::as_dense);
    if let Some(dense) = constant.filter(|dense| dense.has_scalar_attributes()) {
        let attribute = match dense.element_attribute(0) {
            ir::Attribute::Integer(number, _) => ir::Attribute::Integer(number, element.clone()),
            other => other,
        };
        return lowering.builder().constant(attribute, element.clone());
    }
    lowering.only_element(value)
}

fn clamp(s: &mut Scalars<'_, '_>, position: Value, extent: Value) -> Value {
    let (zero, one) = (s.number(0.0, &Type::Index), s.number(1.0, &Type::Index));
    let last = s.sub(extent, one);
    s.clamp(position, [zero, last])
}

/// `last - |last - |p||`, for `|p|` up to twice the last position.
fn mirrored_once(s: &mut Scalars<'_, '_>, position: Value, extent: Value) -> Value {
    let (zero, one) = (s.number(0.0, &Type::Index), s.number(1.0, &Type::Index));
    let last = s.sub(extent, one);
    let negated = s.sub(zero, position);
    let distance = s.max(position, negated);
    let beyond = s.sub(last, distance);
    let opposite = s.sub(zero, beyond);
    let magnitude = s.max(beyond, opposite);
    s.sub(last, magnitude)
}

/// `min(r, period - r)` of the remainder by the period `2 (extent - 1)`, which is 1 for a single element.
fn mirrored(s: &mut Scalars<'_, '_>, position: Value, extent: Value) -> Value {
    let one = s.number(1.0, &Type::Index);
    let last = s.sub(extent, one);
    let twice = s.add(last, last);
    let period = s.max(twice, one);
    let remainder = wrapped(s, position, period);
    let opposite = s.sub(period, remainder);
    s.min(remainder, opposite)
}

/// The remainder that is not negative.
fn wrapped(s: &mut Scalars<'_, '_>, position: Value, extent: Value) -> Value {
    let remainder = s.same(arith::REMSI, &[position, extent]);
    from_front(s, remainder, extent)
}
