//! Reverse-mode differentiation: from the adjoints of an operation's results, which are the derivatives of a sum by
//! their elements, to those of its operands.

use std::collections::{HashMap, HashSet};

use dialects::onnx::views::View;
use ir::{Attribute, DimExpr, IndexMap, Op, Type, Value};

use super::{Emitter, Problem};
use crate::operator::{Kind, Operator};
use crate::table;
use crate::types::without_shape;

/// Returns the adjoints of the operands; absent ones are zero. Adjoints of results are present if they matter.
pub type Derivative = fn(&mut Emitter, &Differential<'_>) -> Result<Vec<Option<Value>>, Problem>;

/// An operation to be differentiated.
#[derive(Debug)]
pub struct Differential<'a> {
    /// The operation.
    pub op: Op,
    /// The adjoints of its results.
    pub adjoints: &'a [Option<Value>],
}

impl Differential<'_> {
    /// The view of the operation.
    pub(crate) fn view<V: View>(&self, emit: &Emitter) -> V {
        V::of(&emit.body, self.op)
    }

    /// Operands, first result and its adjoint, for operations of one result.
    pub(crate) fn parts<const COUNT: usize>(&self, emit: &Emitter) -> ([Value; COUNT], Value, Value) {
        let operation = emit.body.op(self.op);
        let operands = operation.operands()[..COUNT].try_into().expect("the schema fixes the number of operands");
        (operands, operation.results()[0], self.adjoints[0].expect("an operation that matters has an adjoint"))
    }
}

impl Emitter {
    /// The derivative of an operator of one operand: `slope` returns the derivative of the result by the operand, from
    /// both.
    pub(crate) fn chained(
        &mut self,
        differential: &Differential<'_>,
        slope: impl FnOnce(&mut Emitter, Value, Value) -> Value,
    ) -> Result<Vec<Option<Value>>, Problem> {
        let ([x], y, adjoint) = differential.parts(self);
        let slope = slope(self, x, y);
        Ok(vec![Some(self.plain("Mul", &[adjoint, slope]))])
    }

    /// Sums the adjoint of a broadcast result to the operand's shape.
    pub(crate) fn gathered_up(&mut self, adjoint: Value, operand: Value) -> Result<Value, Problem> {
        let unknown = || Problem::unsupported("is differentiated after an operand of unknown rank");
        let (from, to) = (self.shape(adjoint).ok_or_else(unknown)?, self.shape(operand).ok_or_else(unknown)?);
        if from == to {
            return Ok(adjoint);
        }
        let leading = from.len() - to.len().min(from.len());
        let mut axes: Vec<i64> = (0..leading as i64).collect();
        for (axis, (from, to)) in from[leading..].iter().zip(&to).enumerate() {
            match (from == to, to == &DimExpr::ONE) {
                (true, _) => {}
                (false, true) => axes.push((leading + axis) as i64),
                (false, false) => {
                    return Err(Problem::unsupported("is differentiated through extents that may be broadcast"));
                }
            }
        }
        let axes = self.integers(&axes);
        let sum = self.op("ReduceSum", &[adjoint, axes], [("keepdims", Attribute::i64(1))]);
        Ok(self.reshaped_like(sum, operand))
    }

    /// A value, reshaped like another tensor.
    pub(crate) fn reshaped_like(&mut self, value: Value, other: Value) -> Value {
        let shape = self.plain("Shape", &[other]);
        self.op("Reshape", &[value, shape], [("allowzero", Attribute::i64(1))])
    }

    /// A uniform tensor with the shape and type of another.
    pub(crate) fn filled_like(&mut self, number: f64, other: Value) -> Value {
        let (shape, number) = (self.plain("Shape", &[other]), self.number_like(number, other));
        self.plain("Expand", &[number, shape])
    }
}

/// The derivative of operators that only move the elements of their first operand: applies the operator to element
/// indices, counted from 1, and sums adjoints at the indices that elements came from. Elements from nowhere have index
/// 0.
fn moved(emit: &mut Emitter, differential: &Differential<'_>) -> Result<Vec<Option<Value>>, Problem> {
    let op = differential.op;
    let operands = emit.body.op(op).operands().to_vec();
    let x = operands[0];
    let size = emit.plain("Size", &[x]);
    let one = emit.integer(1);
    let limit = emit.plain("Add", &[size, one]);
    let places = emit.plain("Range", &[one, limit, one]);
    let places = emit.reshaped_like(places, x);
    // the fill value has the type of the elements
    let element = emit.element(x);
    let is_fill =
        |emit: &Emitter, value: Value| emit.body.value_type(value).as_tensor().is_some_and(|t| t.element == element);
    let others: Vec<Value> =
        operands[1..].iter().map(|&other| if is_fill(emit, other) { emit.none } else { other }).collect();
    let moved = copy(emit, op, &[&[places], others.as_slice()].concat(), Some(&Type::I64));
    let list = emit.integers(&[-1]);
    let length = emit.plain("Reshape", &[limit, list]);
    let nothing = emit.number_like(0.0, x);
    let mut sum = emit.plain("Expand", &[nothing, length]);
    for (place, adjoint) in moved.into_iter().zip(differential.adjoints) {
        let Some(adjoint) = adjoint else { continue };
        let (place, adjoint) = (emit.plain("Reshape", &[place, list]), emit.plain("Reshape", &[*adjoint, list]));
        let add = [("axis", Attribute::i64(0)), ("reduction", Attribute::string("add"))];
        sum = emit.op("ScatterElements", &[sum, place, adjoint], add);
    }
    let start = emit.unsqueeze(one, &[0]);
    let own = emit.slice(sum, start, length, 0);
    Ok(vec![Some(emit.reshaped_like(own, x))])
}

/// Copies an operation with other operands, and with results of another element type if one is given.
fn copy(emit: &mut Emitter, op: Op, operands: &[Value], element: Option<&Type>) -> Vec<Value> {
    let operation = emit.body.op(op);
    let (name, attributes) = (emit.body.name(op).to_string(), operation.attributes.clone());
    let types: Vec<Type> = operation
        .results()
        .iter()
        .map(|&result| match (element, without_shape(emit.body.value_type(result))) {
            (Some(element), Type::Tensor(_)) => Type::unranked_tensor(element.clone()),
            (_, own) => own,
        })
        .collect();
    let copy = emit.create(name, operands, &types, attributes);
    emit.body.op(copy).results().to_vec()
}

fn derivative_of(row: &Operator) -> Option<Derivative> {
    row.derivative.or(match row.kind {
        Kind::Movement => Some(moved),
        _ => None,
    })
}

/// The operations between sources and a result, rebuilt on other values.
struct Tape {
    /// The replacements of values.
    values: IndexMap<Value, Value>,
    /// The values that depend on the sources.
    depends: HashSet<Value>,
    /// The operations that depend on the sources, in order.
    ops: Vec<Op>,
}

impl Tape {
    /// Rebuilds an operation; compositions without a derivative are decomposed.
    fn record(&mut self, emit: &mut Emitter, op: Op) -> Result<(), Problem> {
        let operands: Vec<Value> = emit.body.op(op).operands().to_vec();
        let operands: Vec<Value> = operands.into_iter().map(|v| self.values.get(&v).copied().unwrap_or(v)).collect();
        let results = emit.body.op(op).results().to_vec();
        if !operands.iter().any(|value| self.depends.contains(value)) {
            return Ok(());
        }
        if !emit.body.op(op).regions().is_empty() {
            let message = format!("cannot be taken through {}, which has bodies", emit.body.name(op));
            return Err(Problem::unsupported(message));
        }
        let copies = copy(emit, op, &operands, None);
        self.values.extend(results.into_iter().zip(copies.iter().copied()));
        let copy = emit.body.defining_op(copies[0]).expect("it was just built");
        self.enter(emit, copy)
    }

    /// Adds an operation at the end of the block.
    fn enter(&mut self, emit: &mut Emitter, op: Op) -> Result<(), Problem> {
        let operation = emit.body.op(op);
        let (operands, results) = (operation.operands().to_vec(), operation.results().to_vec());
        let is_float = |value: &Value| {
            emit.body.value_type(*value).as_tensor().is_some_and(|tensor| matches!(tensor.element, Type::Float(_)))
        };
        let counts = operands.iter().any(|value| self.depends.contains(value)) && results.iter().any(is_float);
        if !counts {
            return Ok(());
        }
        let row = table::row_of(emit.body.name(op));
        let compose = row.filter(|row| derivative_of(row).is_none()).and_then(|row| row.compose);
        let Some(compose) = compose else {
            self.depends.extend(results.iter().copied().filter(is_float));
            self.ops.push(op);
            return Ok(());
        };
        let last = emit.body.terminator(emit.block);
        let composed = compose(emit, op)?;
        let parts = emit.body.ops_after(emit.block, last).to_vec();
        for part in parts {
            self.enter(emit, part)?;
        }
        let replaced: HashMap<Value, Value> =
            results.into_iter().zip(composed).filter_map(|(result, value)| Some((result, value?))).collect();
        for value in self.values.values_mut() {
            *value = replaced.get(value).copied().unwrap_or(*value);
        }
        Ok(())
    }
}

/// The derivatives of the sum of `y` by each element of `inputs`, which replace `sources`.
pub(crate) fn differentiate(
    emit: &mut Emitter,
    sources: &[Value],
    inputs: &[Value],
    y: Value,
) -> Result<Vec<Value>, Problem> {
    let values: IndexMap<Value, Value> = sources.iter().copied().zip(inputs.iter().copied()).collect();
    let mut tape = Tape { values, depends: inputs.iter().copied().collect(), ops: vec![] };
    for op in between(emit, sources, y) {
        tape.record(emit, op)?;
    }
    let y = tape.values.get(&y).copied().unwrap_or(y);
    let mut adjoints = HashMap::from([(y, emit.filled_like(1.0, y))]);
    for &op in tape.ops.iter().rev() {
        let results = emit.body.op(op).results().to_vec();
        let of_results: Vec<Option<Value>> = results.iter().map(|result| adjoints.get(result).copied()).collect();
        if of_results.iter().all(Option::is_none) {
            continue;
        }
        let name = emit.body.name(op).to_string();
        let derivative = table::row_of(&name).and_then(derivative_of);
        let derivative =
            derivative.ok_or_else(|| Problem::unsupported(format!("cannot be taken through {name} yet")))?;
        let operands = emit.body.op(op).operands().to_vec();
        let of_operands = derivative(emit, &Differential { op, adjoints: &of_results })?;
        for (operand, adjoint) in operands.into_iter().zip(of_operands) {
            let Some(adjoint) = adjoint.filter(|_| tape.depends.contains(&operand)) else { continue };
            let sum = match adjoints.get(&operand) {
                Some(&other) => emit.plain("Add", &[other, adjoint]),
                None => adjoint,
            };
            adjoints.insert(operand, sum);
        }
    }
    Ok(inputs
        .iter()
        .map(|input| adjoints.get(input).copied().unwrap_or_else(|| emit.filled_like(0.0, *input)))
        .collect())
}

/// The operations of the block between the sources and `y`, in order.
fn between(emit: &Emitter, sources: &[Value], y: Value) -> Vec<Op> {
    let mut needed = HashSet::from([y]);
    let mut ops = Vec::new();
    for op in emit.body.ops(emit.block).rev() {
        let operation = emit.body.op(op);
        if operation.results().iter().any(|result| needed.contains(result) && !sources.contains(result)) {
            needed.extend(operation.operands());
            ops.push(op);
        }
    }
    ops.reverse();
    ops
}
