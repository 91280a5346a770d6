//! Reductions: Reduce*, Softmax and its kin, ArgMax and ArgMin.

use ir::{AffineExpr, AffineMap, Attribute, DimExpr, FloatType, Op, Type, Value};

use super::blocked::loop_index;
use super::scalars::{Comparison, Scalars};
use super::{Lowering, Unsupported};
use dialects::linalg::generic::{Input, Iterator};

/// How the elements of a reduction are combined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Combine {
    /// Sum.
    Add,
    /// Product.
    Mul,
    /// Largest.
    Max,
    /// Smallest.
    Min,
}

impl Combine {
    /// The element that changes nothing.
    pub(crate) fn neutral(self, element: &Type, unsigned: bool) -> Attribute {
        let width = element.bit_width().unwrap_or(64);
        let signed_min = i64::MIN >> (64 - width);
        match (self, element) {
            (Combine::Add, Type::Float(_)) => Attribute::float(0.0, element.clone()),
            (Combine::Mul, Type::Float(_)) => Attribute::float(1.0, element.clone()),
            (Combine::Max, Type::Float(_)) => Attribute::float(f64::NEG_INFINITY, element.clone()),
            (Combine::Min, Type::Float(_)) => Attribute::float(f64::INFINITY, element.clone()),
            (Combine::Max, t) if *t == Type::I1 => Attribute::Bool(false),
            (Combine::Min, t) if *t == Type::I1 => Attribute::Bool(true),
            (Combine::Add, _) => Attribute::Integer(0, element.clone()),
            (Combine::Mul, _) => Attribute::Integer(1, element.clone()),
            (Combine::Max, _) => Attribute::Integer(if unsigned { 0 } else { signed_min }, element.clone()),
            (Combine::Min, _) => Attribute::Integer(if unsigned { -1 } else { !signed_min }, element.clone()),
        }
    }

    /// The two elements combined.
    pub(crate) fn apply(self, s: &mut Scalars<'_, '_>, a: Value, b: Value) -> Value {
        let truth = *s.builder.body.value_type(a) == Type::I1;
        match self {
            Combine::Add => s.add(a, b),
            Combine::Mul => s.mul(a, b),
            Combine::Max if truth => s.same("arith.ori", &[a, b]),
            Combine::Min if truth => s.same("arith.andi", &[a, b]),
            Combine::Max => s.max(a, b),
            Combine::Min => s.min(a, b),
        }
    }
}

/// How the elements of a reduction are combined, and the type they have meanwhile.
#[derive(Clone, Debug)]
pub(crate) struct Fold {
    combine: Combine,
    element: Type,
    unsigned: bool,
}

impl Fold {
    /// Combines elements of a type.
    pub(crate) fn new(combine: Combine, element: Type, unsigned: bool) -> Fold {
        Fold { combine, element, unsigned }
    }
}

/// A tensor below the graph level with its symbolic shape.
#[derive(Clone, Debug)]
pub struct Shaped {
    /// The tensor.
    pub value: Value,
    /// Its shape.
    pub shape: Vec<DimExpr>,
}

impl Lowering<'_> {
    /// A source value with its shape.
    pub fn shaped(&mut self, value: Value) -> Shaped {
        Shaped { shape: self.shape(value), value: self.value(value) }
    }

    /// Combines the elements along `axes`, which keep extent 1 in the result when `keep` is set. `prepare` maps each
    /// element first; the result has the type of what it returns.
    pub(crate) fn reduce(
        &mut self,
        input: &Shaped,
        axes: &[usize],
        keep: bool,
        fold: Fold,
        prepare: impl FnOnce(&mut Scalars<'_, '_>, Value) -> Value,
    ) -> Shaped {
        let rank = input.shape.len();
        let mut shape = Vec::new();
        let mut results = Vec::new();
        for (axis, dim) in input.shape.iter().enumerate() {
            if !axes.contains(&axis) {
                shape.push(dim.clone());
                results.push(AffineExpr::Dim(axis as u32));
            } else if keep {
                shape.push(DimExpr::Constant(1));
                results.push(AffineExpr::Constant(0));
            }
        }
        let Fold { combine, element, unsigned } = fold;
        let neutral = combine.neutral(&element, unsigned);
        let start = self.builder().constant(neutral, element.clone());
        let inputs = [Input { value: input.value, map: AffineMap::identity(rank) }];
        if axes.is_empty() {
            let value = self.pointwise(&inputs, &shape, element, |builder, e| {
                let mut s = Scalars { builder, unsigned };
                let prepared = prepare(&mut s, e[0]);
                combine.apply(&mut s, start, prepared)
            });
            return Shaped { value, shape };
        }
        let init = self.pointwise(&[], &shape, element, |_, _| start);
        let iterators: Vec<Iterator> =
            (0..rank).map(|axis| if axes.contains(&axis) { Iterator::Reduction } else { Iterator::Parallel }).collect();
        let value = self.generic_onto(&inputs, init, AffineMap::new(rank as u32, results), &iterators, |builder, e| {
            let mut s = Scalars { builder, unsigned };
            let prepared = prepare(&mut s, e[0]);
            combine.apply(&mut s, e[1], prepared)
        });
        Shaped { value, shape }
    }

    /// An elementwise computation on lowered tensors, broadcast to `shape`.
    pub fn map(
        &mut self,
        inputs: &[&Shaped],
        shape: &[DimExpr],
        element: Type,
        body: impl FnOnce(&mut Scalars<'_, '_>, &[Value]) -> Value,
    ) -> Shaped {
        let inputs: Vec<Input> =
            inputs.iter().map(|input| self.broadcast_input(input.value, &input.shape, shape)).collect();
        let value = self.pointwise(&inputs, shape, element, |builder, elements| {
            body(&mut Scalars { builder, unsigned: false }, elements)
        });
        Shaped { value, shape: shape.to_vec() }
    }

    /// A tensor with its elements in another float type.
    pub fn in_type(&mut self, tensor: &Shaped, element: &Type) -> Shaped {
        if self.body.value_type(tensor.value).element() == element {
            return tensor.clone();
        }
        self.map(&[tensor], &tensor.shape, element.clone(), |s, e| s.cast(e[0], element, false, false))
    }

    /// The number of elements along `axes`, as a scalar of the given type.
    pub fn count(&mut self, shape: &[DimExpr], axes: &[usize], element: &Type) -> Value {
        let product = DimExpr::product(axes.iter().map(|&axis| &shape[axis]));
        if let Some(count) = product.as_constant() {
            return self.number(count as f64, element);
        }
        let count = self.dim(&product);
        let count = self.builder().value("arith.index_cast", &[count], Type::I64, []);
        match element {
            Type::Float(_) => self.builder().value("arith.sitofp", &[count], element.clone(), []),
            t if *t == Type::I64 => count,
            t => self.builder().value("arith.trunci", &[count], t.clone(), []),
        }
    }
}

/// Axis numbers counted from the front; negative ones count from the back.
pub(super) fn normalize_axis(axis: i64, rank: usize) -> Result<usize, Unsupported> {
    let normalized = if axis < 0 { axis + rank as i64 } else { axis };
    match usize::try_from(normalized) {
        Ok(axis) if axis < rank.max(1) => Ok(axis),
        _ => Err(Unsupported::new(format!("axis {axis} is outside a tensor of rank {rank}"))),
    }
}

/// The type sums are kept in: half precision accumulates in f32.
pub(super) fn accumulator(element: &Type) -> Type {
    match element {
        Type::Float(FloatType::F16 | FloatType::BF16) => Type::F32,
        other => other.clone(),
    }
}

/// Lowers `ReduceSum`, `ReduceMean`, `ReduceMax` and the others.
pub(super) fn lower_reduce(lowering: &mut Lowering<'_>, op: Op, name: &str) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let (operand, result) = (operation.operands()[0], operation.results()[0]);
    let (input, axes, keep) = match reduced_axes(lowering, op)? {
        Some(reduced) => reduced,
        None => {
            let input = lowering.value(operand);
            lowering.bind(result, input);
            return Ok(());
        }
    };
    let element = lowering.element(operand);
    let unsigned = lowering.is_unsigned(operand);
    let wide = accumulator(&element);
    let to_wide = {
        let wide = wide.clone();
        move |s: &mut Scalars<'_, '_>, x: Value| s.cast(x, &wide, unsigned, unsigned)
    };
    let square = |s: &mut Scalars<'_, '_>, x: Value| s.mul(x, x);
    let magnitude = |s: &mut Scalars<'_, '_>, x: Value| match s.builder.body.value_type(x).is_float() {
        true => s.same("math.absf", &[x]),
        false if unsigned => x,
        false => s.same("math.absi", &[x]),
    };
    let reduced = match name {
        "ReduceSum" | "ReduceMean" | "ReduceLogSum" => {
            lowering.reduce(&input, &axes, keep, Fold::new(Combine::Add, wide.clone(), unsigned), to_wide)
        }
        "ReduceProd" => lowering.reduce(&input, &axes, keep, Fold::new(Combine::Mul, wide.clone(), unsigned), to_wide),
        "ReduceMax" => lowering.reduce(&input, &axes, keep, Fold::new(Combine::Max, wide.clone(), unsigned), to_wide),
        "ReduceMin" => lowering.reduce(&input, &axes, keep, Fold::new(Combine::Min, wide.clone(), unsigned), to_wide),
        "ReduceL1" => lowering.reduce(&input, &axes, keep, Fold::new(Combine::Add, wide.clone(), unsigned), |s, x| {
            let x = to_wide(s, x);
            magnitude(s, x)
        }),
        "ReduceL2" | "ReduceSumSquare" => {
            lowering.reduce(&input, &axes, keep, Fold::new(Combine::Add, wide.clone(), unsigned), |s, x| {
                let x = to_wide(s, x);
                square(s, x)
            })
        }
        "ReduceLogSumExp" => log_sum_exp(lowering, &input, &axes, keep, &wide, to_wide),
        _ => return Err(Unsupported::new("there is no lowering for this reduction")),
    };
    let count = (name == "ReduceMean").then(|| lowering.count(&input.shape, &axes, &wide));
    let (shape, output) = (reduced.shape.clone(), lowering.shape(result));
    let finished = lowering.map(&[&reduced], &shape, element.clone(), |s, x| {
        s.unsigned = unsigned;
        let value = match name {
            "ReduceMean" => s.div(x[0], count.expect("the count of a mean")),
            "ReduceL2" => square_root(s, x[0]),
            "ReduceLogSum" => s.same("math.log", &[x[0]]),
            _ => x[0],
        };
        s.cast(value, &element, unsigned, unsigned)
    });
    let value = if shape == output { finished.value } else { lowering.reshape(finished.value, &output) };
    lowering.bind(result, value);
    Ok(())
}

/// The tensor to reduce, the axes to reduce it along and whether they stay; `None` when it is left as it is.
fn reduced_axes(lowering: &mut Lowering<'_>, op: Op) -> Result<Option<(Shaped, Vec<usize>, bool)>, Unsupported> {
    let attributes = lowering.source.op(op).attributes.clone();
    let input = lowering.shaped(lowering.source.op(op).operands()[0]);
    let rank = input.shape.len();
    let keep = attributes.integer("keepdims") != Some(0);
    let idle = attributes.integer("noop_with_empty_axes") == Some(1);
    let given = match lowering.operand(op, 1) {
        Some(axes) => lowering.known_integers(axes),
        None => Some(attributes.integers("axes").unwrap_or_default()),
    };
    let Some(given) = given else { return masked_axes(lowering, op, &input, idle).map(Some) };
    if given.is_empty() && idle {
        return Ok(None);
    }
    let mut axes: Vec<usize> = given.iter().map(|&axis| normalize_axis(axis, rank)).collect::<Result<_, _>>()?;
    if axes.is_empty() {
        axes = (0..rank).collect();
    }
    Ok(Some((input, axes, keep)))
}

/// Axes that only data tell: every extent is split into a part that stays and a part that is reduced, one of them 1.
fn masked_axes(
    lowering: &mut Lowering<'_>,
    op: Op,
    input: &Shaped,
    idle: bool,
) -> Result<(Shaped, Vec<usize>, bool), Unsupported> {
    let result = lowering.source.op(op).results()[0];
    let rank = input.shape.len();
    let list = lowering.axis_list(op, 1, lowering.source.op(op).operands()[0], rank)?;
    let count = lowering.list_length(&list);
    let (count, zero, one) = (lowering.dim(&count), lowering.index(0), lowering.index(1));
    let everything = lowering.scalars(|s| match idle {
        true => s.number(0.0, &Type::I1),
        false => s.compare(Comparison::Equal, count, zero),
    });
    let mut shape = Vec::new();
    let mut kept: Vec<(Value, Value)> = Vec::new();
    for (axis, dim) in input.shape.iter().enumerate() {
        let listed = lowering.is_listed(&list, axis, rank);
        let extent = lowering.dim(dim);
        let (stays, [outer, inner]) = lowering.scalars(|s| {
            let reduced = s.same("arith.ori", &[listed, everything]);
            let parts = [s.select(reduced, one, extent), s.select(reduced, extent, one)];
            (s.not(reduced), parts)
        });
        shape.extend([lowering.named_dim(outer), lowering.named_dim(inner)]);
        kept.push((stays, outer));
    }
    settle_kept(lowering, op, result, &kept);
    let value = lowering.reshape(input.value, &shape);
    Ok((Shaped { value, shape }, (0..rank).map(|axis| 2 * axis + 1).collect(), false))
}

/// Says what the extents of a reduction's result are: those of all axes, or of the axes that stay.
fn settle_kept(lowering: &mut Lowering<'_>, op: Op, result: Value, kept: &[(Value, Value)]) {
    let (zero, one) = (lowering.index(0), lowering.index(1));
    if lowering.source.op(op).attributes.integer("keepdims") != Some(0) {
        for (axis, &(_, extent)) in kept.iter().enumerate() {
            lowering.settle(result, axis, extent);
        }
        return;
    }
    let places = lowering.shape(result).len();
    let mut next = zero;
    let mut extents = vec![one; places];
    for &(stays, extent) in kept {
        for (place, found) in extents.iter_mut().enumerate() {
            let place = lowering.index(place as i64);
            *found = lowering.scalars(|s| {
                let here = s.compare(Comparison::Equal, next, place);
                let here = s.same("arith.andi", &[here, stays]);
                s.select(here, extent, *found)
            });
        }
        next = lowering.scalars(|s| {
            let more = s.add(next, one);
            s.select(stays, more, next)
        });
    }
    let places = lowering.index(places as i64);
    let fits = lowering.scalars(|s| s.compare(Comparison::Equal, next, places));
    lowering.check(fits, "the axes of a reduction are not as many as its result's rank says");
    for (axis, extent) in extents.into_iter().enumerate() {
        lowering.settle(result, axis, extent);
    }
}

fn square_root(s: &mut Scalars<'_, '_>, x: Value) -> Value {
    let r#type = s.builder.body.value_type(x).clone();
    let wide = if r#type.is_float() { r#type.clone() } else { Type::F64 };
    let converted = s.cast(x, &wide, false, false);
    let root = s.same("math.sqrt", &[converted]);
    s.cast(root, &r#type, false, false)
}

/// `log(Σ exp(x)) = m + log(Σ exp(x - m))` with `m` the largest element, so that nothing overflows.
fn log_sum_exp(
    lowering: &mut Lowering<'_>,
    input: &Shaped,
    axes: &[usize],
    keep: bool,
    wide: &Type,
    to_wide: impl Fn(&mut Scalars<'_, '_>, Value) -> Value + Clone,
) -> Shaped {
    let largest = lowering.reduce(input, axes, true, Fold::new(Combine::Max, wide.clone(), false), to_wide.clone());
    let shifted = lowering.map(&[input, &largest], &input.shape, wide.clone(), |s, x| {
        let value = to_wide(s, x[0]);
        let difference = s.sub(value, x[1]);
        s.same("math.exp", &[difference])
    });
    let sum = lowering.reduce(&shifted, axes, true, Fold::new(Combine::Add, wide.clone(), false), |_, x| x);
    let kept = lowering.map(&[&sum, &largest], &sum.shape, wide.clone(), |s, x| {
        let logarithm = s.same("math.log", &[x[0]]);
        s.add(logarithm, x[1])
    });
    if keep {
        return kept;
    }
    let shape: Vec<DimExpr> =
        input.shape.iter().enumerate().filter(|(axis, _)| !axes.contains(axis)).map(|(_, dim)| dim.clone()).collect();
    let value = lowering.reshape(kept.value, &shape);
    Shaped { value, shape }
}

/// Lowers operators that work along one axis.
pub(super) fn lower_along_axis(lowering: &mut Lowering<'_>, op: Op, name: &str) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let (operand, result) = (operation.operands()[0], operation.results()[0]);
    let input = lowering.shaped(operand);
    let default = if name.starts_with("Arg") { 0 } else { -1 };
    let axis = normalize_axis(operation.attributes.integer("axis").unwrap_or(default), input.shape.len())?;
    let element = lowering.element(operand);
    match name {
        "Softmax" | "LogSoftmax" => {
            let value = softmax(lowering, &input, axis, &element, name == "LogSoftmax");
            lowering.bind(result, value);
            Ok(())
        }
        "ArgMax" | "ArgMin" => {
            let keep = operation.attributes.integer("keepdims") != Some(0);
            let last = operation.attributes.integer("select_last_index") == Some(1);
            let unsigned = lowering.is_unsigned(operand);
            let better = match (name == "ArgMax", last) {
                (true, false) => Comparison::Greater,
                (true, true) => Comparison::GreaterOrEqual,
                (false, false) => Comparison::Less,
                (false, true) => Comparison::LessOrEqual,
            };
            let index = arg_extreme(lowering, &input, axis, better, &element, unsigned);
            let shape = lowering.shape(result);
            let value = if keep { index.value } else { lowering.reshape(index.value, &shape) };
            lowering.bind(result, value);
            Ok(())
        }
        _ => {
            let index = arg_extreme(lowering, &input, axis, Comparison::Greater, &element, false);
            let shape = input.shape.clone();
            let hot = lowering.map(&[&index], &shape, element.clone(), |s, x| {
                let here = s.builder.value("linalg.index", &[], Type::Index, [("dim", Attribute::i64(axis as i64))]);
                let here = s.builder.value("arith.index_cast", &[here], Type::I64, []);
                let equal = s.compare(Comparison::Equal, here, x[0]);
                let (one, zero) = (s.number(1.0, &element), s.number(0.0, &element));
                s.select(equal, one, zero)
            });
            lowering.bind(result, hot.value);
            Ok(())
        }
    }
}

/// `exp(x - m) / Σ exp(x - m)`, or its logarithm `x - m - log Σ exp(x - m)`.
fn softmax(lowering: &mut Lowering<'_>, input: &Shaped, axis: usize, element: &Type, logarithm: bool) -> Value {
    let wide = accumulator(element);
    let cast = {
        let wide = wide.clone();
        move |s: &mut Scalars<'_, '_>, x: Value| s.cast(x, &wide, false, false)
    };
    let largest = lowering.reduce(input, &[axis], true, Fold::new(Combine::Max, wide.clone(), false), cast.clone());
    let shape = input.shape.clone();
    let exponentials = lowering.map(&[input, &largest], &shape, wide.clone(), |s, x| {
        let value = cast(s, x[0]);
        let shifted = s.sub(value, x[1]);
        s.same("math.exp", &[shifted])
    });
    let sum = lowering.reduce(&exponentials, &[axis], true, Fold::new(Combine::Add, wide, false), |_, x| x);
    let result = match logarithm {
        false => lowering.map(&[&exponentials, &sum], &shape, element.clone(), |s, x| {
            let quotient = s.div(x[0], x[1]);
            s.cast(quotient, element, false, false)
        }),
        true => lowering.map(&[input, &largest, &sum], &shape, element.clone(), |s, x| {
            let value = cast(s, x[0]);
            let shifted = s.sub(value, x[1]);
            let log = s.same("math.log", &[x[2]]);
            let difference = s.sub(shifted, log);
            s.cast(difference, element, false, false)
        }),
    };
    result.value
}

/// The index along an axis, which keeps extent 1, of the element that is `better` than all before it.
fn arg_extreme(
    lowering: &mut Lowering<'_>,
    input: &Shaped,
    axis: usize,
    better: Comparison,
    element: &Type,
    unsigned: bool,
) -> Shaped {
    let rank = input.shape.len();
    let mut shape = input.shape.clone();
    shape[axis] = DimExpr::Constant(1);
    let subscript = |d: usize| if d == axis { AffineExpr::Constant(0) } else { AffineExpr::Dim(d as u32) };
    let output = AffineMap::new(rank as u32, (0..rank).map(subscript).collect());
    let mut kinds = vec![Iterator::Parallel; rank];
    kinds[axis] = Iterator::Reduction;
    let starts = [element.clone(), Type::I64].map(|element| lowering.filled(&shape, element, 0.0));
    let inputs = [Input { value: input.value, map: AffineMap::identity(rank) }];
    let found = lowering.generic_onto_all(&inputs, &starts, output, &kinds, |builder, e| {
        let here = loop_index(builder, axis);
        let mut s = Scalars { builder, unsigned };
        let zero = s.number(0.0, &Type::Index);
        let first = s.compare(Comparison::Equal, here, zero);
        // nothing compares with NaN: it is the extreme where it comes first, and passed over elsewhere
        let better = s.compare(better, e[0], e[1]);
        let taken = s.same("arith.ori", &[first, better]);
        let here = s.builder.value("arith.index_cast", &[here], Type::I64, []);
        vec![s.select(taken, e[0], e[1]), s.select(taken, here, e[2])]
    });
    Shaped { value: found[1], shape }
}
