//! Gather and its kin: elements picked by data.
//!
//! Indices are brought into bounds where they are used, so that no address leaves its buffer. Whether all of them were
//! in bounds is a reduction of its own, asserted by the host function.

use ir::{AffineExpr, AffineMap, DimExpr, Op, Type, Value};

use super::blocked::loop_index;
use super::reduction::{Combine, Fold, Shaped, normalize_axis};
use super::scalars::{Comparison, Scalars};
use super::{Lowering, Unsupported};
use dialects::linalg::generic::Input;

/// Lowers an operator that picks elements by index.
pub(super) fn lower(lowering: &mut Lowering<'_>, op: Op, name: &str) -> Result<(), Unsupported> {
    match name {
        "Gather" => gather(lowering, op),
        "GatherElements" => gather_elements(lowering, op),
        "GatherND" => gather_nd(lowering, op),
        _ => one_hot(lowering, op),
    }
}

/// Inside a body: an index as ONNX means it (negative counts from the end), brought into `[0, extent)`.
fn bounded(s: &mut Scalars<'_, '_>, index: Value, extent: Value) -> Value {
    let index = as_index(s, index);
    let (zero, one) = (s.number(0.0, &Type::Index), s.number(1.0, &Type::Index));
    let negative = s.compare(Comparison::Less, index, zero);
    let from_end = s.add(index, extent);
    let position = s.select(negative, from_end, index);
    let last = s.sub(extent, one);
    let capped = s.min(position, last);
    s.max(capped, zero)
}

pub(super) fn as_index(s: &mut Scalars<'_, '_>, value: Value) -> Value {
    if *s.builder.body.value_type(value) == Type::Index {
        return value;
    }
    s.builder.value("arith.index_cast", &[value], Type::Index, [])
}

/// Asserts on the host that every element of `indices` lies in `[-extent, extent)`.
pub(super) fn assert_bounds(lowering: &mut Lowering<'_>, source: Value, extent: &DimExpr, name: &str) {
    let known = lowering.shapes.known_value(source).map(<[DimExpr]>::to_vec);
    let inside = |index: &DimExpr| match (index.as_constant(), extent.as_constant()) {
        (Some(index), Some(extent)) => index >= -extent && index < extent,
        _ => false,
    };
    if known.is_some_and(|known| known.iter().all(inside)) {
        return;
    }
    let indices = lowering.shaped(source);
    assert_component(lowering, &indices, extent, name);
}

fn gather(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let (data, indices, result) = (operation.operands()[0], operation.operands()[1], operation.results()[0]);
    let input = lowering.shaped(data);
    let axis = normalize_axis(operation.attributes.integer("axis").unwrap_or(0), input.shape.len())?;
    assert_bounds(lowering, indices, &input.shape[axis], "Gather");
    let output = lowering.shape(result);
    let picked = lowering.shape(indices).len();
    let element = lowering.element(result);
    if let Some([index]) = lowering.known_integers(indices).as_deref() {
        // one known element: a slice
        let rank = output.len() as u32;
        let extent = input.shape[axis].as_constant();
        if let Some(position) = if *index >= 0 { Some(*index) } else { extent.map(|extent| extent + index) } {
            let results = (0..input.shape.len())
                .map(|d| match d.cmp(&axis) {
                    std::cmp::Ordering::Less => AffineExpr::Dim(d as u32),
                    std::cmp::Ordering::Equal => AffineExpr::Constant(position),
                    std::cmp::Ordering::Greater => AffineExpr::Dim((d + picked - 1) as u32),
                })
                .collect();
            let map = AffineMap::new(rank, results);
            let value = lowering.pointwise(&[Input { value: input.value, map }], &output, element, |_, e| e[0]);
            lowering.bind(result, value);
            return Ok(());
        }
    }
    let index_tensor = lowering.value(indices);
    let limit = lowering.dim(&input.shape[axis]);
    let rank = output.len();
    let index_map = AffineMap::select(rank, &(axis..axis + picked).collect::<Vec<_>>());
    let inputs = [Input { value: index_tensor, map: index_map }];
    let value = lowering.pointwise(&inputs, &output, element.clone(), |builder, e| {
        let position = bounded(&mut Scalars { builder, unsigned: false }, e[0], limit);
        let mut operands = vec![input.value];
        for d in 0..input.shape.len() {
            operands.push(match d.cmp(&axis) {
                std::cmp::Ordering::Less => loop_index(builder, d),
                std::cmp::Ordering::Equal => position,
                std::cmp::Ordering::Greater => loop_index(builder, d + picked - 1),
            });
        }
        builder.value("tensor.extract", &operands, element, [])
    });
    lowering.bind(result, value);
    Ok(())
}

fn gather_elements(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let (data, indices, result) = (operation.operands()[0], operation.operands()[1], operation.results()[0]);
    let input = lowering.shaped(data);
    let rank = input.shape.len();
    let axis = normalize_axis(operation.attributes.integer("axis").unwrap_or(0), rank)?;
    assert_bounds(lowering, indices, &input.shape[axis], "GatherElements");
    let output = lowering.shape(result);
    let element = lowering.element(result);
    let limits: Vec<Value> = input.shape.iter().map(|dim| lowering.dim(dim)).collect();
    let inputs = [Input { value: lowering.value(indices), map: AffineMap::identity(rank) }];
    let value = lowering.pointwise(&inputs, &output, element.clone(), |builder, e| {
        let mut operands = vec![input.value];
        for (d, &limit) in limits.iter().enumerate() {
            let here = if d == axis { e[0] } else { loop_index(builder, d) };
            operands.push(bounded(&mut Scalars { builder, unsigned: false }, here, limit));
        }
        builder.value("tensor.extract", &operands, element, [])
    });
    lowering.bind(result, value);
    Ok(())
}

fn gather_nd(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let (data, indices, result) = (operation.operands()[0], operation.operands()[1], operation.results()[0]);
    let batch = operation.attributes.integer("batch_dims").unwrap_or(0) as usize;
    let input = lowering.shaped(data);
    let picks = lowering.shaped(indices);
    let (rank, index_rank) = (input.shape.len(), picks.shape.len());
    let depth = picks.shape[index_rank - 1]
        .as_constant()
        .ok_or_else(|| Unsupported::new("the length of its index tuples is not known"))?;
    let depth = depth as usize;
    let output = lowering.shape(result);
    let element = lowering.element(result);
    for component in 0..depth {
        let part = component_of(lowering, &picks, component);
        assert_component(lowering, &part, &input.shape[batch + component], "GatherND");
    }
    let limits: Vec<Value> = input.shape.iter().map(|dim| lowering.dim(dim)).collect();
    let out_rank = output.len();
    let value = lowering.pointwise(&[], &output, element.clone(), |builder, _| {
        let mut operands = vec![input.value];
        operands.extend((0..batch).map(|d| loop_index(builder, d)));
        for component in 0..depth {
            let mut at = vec![picks.value];
            at.extend((0..index_rank - 1).map(|d| loop_index(builder, d)));
            at.push(builder.constant_index(component as i64));
            let index_element = builder.body.value_type(picks.value).element().clone();
            let index = builder.value("tensor.extract", &at, index_element, []);
            operands.push(bounded(&mut Scalars { builder, unsigned: false }, index, limits[batch + component]));
        }
        let inner = rank - batch - depth;
        operands.extend((out_rank - inner..out_rank).map(|d| loop_index(builder, d)));
        builder.value("tensor.extract", &operands, element, [])
    });
    lowering.bind(result, value);
    Ok(())
}

/// One component of every index tuple.
pub(super) fn component_of(lowering: &mut Lowering<'_>, picks: &Shaped, component: usize) -> Shaped {
    let outer = picks.shape.len() - 1;
    let shape = picks.shape[..outer].to_vec();
    let mut results: Vec<AffineExpr> = (0..outer as u32).map(AffineExpr::Dim).collect();
    results.push(AffineExpr::Constant(component as i64));
    let map = AffineMap::new(outer as u32, results);
    let element = lowering.body.value_type(picks.value).element().clone();
    let value = lowering.pointwise(&[Input { value: picks.value, map }], &shape, element, |_, e| e[0]);
    Shaped { value, shape }
}

/// Asserts on the host that every element of `indices` lies in `[-extent, extent)`.
pub(super) fn assert_component(lowering: &mut Lowering<'_>, indices: &Shaped, extent: &DimExpr, name: &str) {
    let limit = lowering.dim(extent);
    let axes: Vec<usize> = (0..indices.shape.len()).collect();
    let verdict = lowering.reduce(indices, &axes, false, Fold::new(Combine::Min, Type::I1, false), |s, x| {
        let index = as_index(s, x);
        let zero = s.number(0.0, &Type::Index);
        let low = s.sub(zero, limit);
        let above = s.compare(Comparison::GreaterOrEqual, index, low);
        let below = s.compare(Comparison::Less, index, limit);
        s.same("arith.andi", &[above, below])
    });
    let truth = lowering.builder().value("tensor.extract", &[verdict.value], Type::I1, []);
    lowering.check(truth, format!("an index of {name} is out of bounds"));
}

/// `y[…, d, …] = index == d ? on : off`; indices outside `[-depth, depth)` give rows of `off`.
fn one_hot(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let (indices, depth, values, result) =
        (operation.operands()[0], operation.operands()[1], operation.operands()[2], operation.results()[0]);
    let output = lowering.shape(result);
    let rank = output.len();
    let axis = normalize_axis(operation.attributes.integer("axis").unwrap_or(-1), rank)?;
    let element = lowering.element(result);
    let extent = lowering.scalar_index(depth);
    lowering.settle(result, axis, extent);
    let limit = lowering.dim(&output[axis]);
    let table = lowering.value(values);
    let outer: Vec<usize> = (0..rank).filter(|&d| d != axis).collect();
    let inputs = [
        Input { value: lowering.value(indices), map: AffineMap::select(rank, &outer) },
        Input { value: table, map: AffineMap::new(rank as u32, vec![AffineExpr::Constant(0)]) },
        Input { value: table, map: AffineMap::new(rank as u32, vec![AffineExpr::Constant(1)]) },
    ];
    let value = lowering.pointwise(&inputs, &output, element, |builder, e| {
        let mut s = Scalars { builder, unsigned: false };
        let index = s.cast(e[0], &Type::I64, false, false);
        let index = as_index(&mut s, index);
        let zero = s.number(0.0, &Type::Index);
        let negative = s.compare(Comparison::Less, index, zero);
        let from_end = s.add(index, limit);
        let position = s.select(negative, from_end, index);
        let here = loop_index(s.builder, axis);
        let hit = s.compare(Comparison::Equal, position, here);
        s.select(hit, e[2], e[1])
    });
    lowering.bind(result, value);
    Ok(())
}

impl Lowering<'_> {
    /// The only element of a source tensor as an `index` value.
    pub fn scalar_index(&mut self, source: Value) -> Value {
        if let Some([only]) = self.shapes.known_value(source).map(<[DimExpr]>::to_vec).as_deref() {
            return self.dim(only);
        }
        let loaded = self.only_element(source);
        self.scalars(|s| {
            let integer = s.cast(loaded, &Type::I64, false, false);
            as_index(s, integer)
        })
    }

    /// The only element of a source tensor.
    pub fn only_element(&mut self, source: Value) -> Value {
        let shape = self.shape(source);
        let (rank, count) = (shape.len(), DimExpr::product(&shape));
        self.check_equal(&count, &DimExpr::ONE, "an operand is one number, but does not have one element");
        let tensor = self.value(source);
        let zero = self.index(0);
        let element = self.body.value_type(tensor).element().clone();
        let operands: Vec<Value> = std::iter::once(tensor).chain(std::iter::repeat_n(zero, rank)).collect();
        self.builder().value("tensor.extract", &operands, element, [])
    }
}
