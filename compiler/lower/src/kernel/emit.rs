//! The emitter: builds a kernel's loops and evaluates structured operations at points of them.
//!
//! A tensor value inside a kernel is either backed by a buffer, and read with loads, or computed where it is
//! needed by evaluating the body of the operation that defines it. Pure operations are value-numbered while they
//! are emitted, so evaluating the same element twice at one point costs nothing.
//!
//! Invariants
//! - Everything found in the value-number table dominates the current insertion point: entries made inside a loop
//!   are dropped when it is left.
//! - Constants and sizes are emitted in the entry block, before the first loop.

use ir::{
    AffineExpr, AffineMap, Attribute, Attributes, Blob, Block, Body, DenseElements, FloatType, IndexMap, Location, Op,
    OpName, Type, Value, ValueDefinition,
};

use super::lane::Lane;
use super::tile::Tile;
use dialects::linalg::generic::Generic;

/// What kernel emission needs to know about the code generator behind it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Width of the vectors to emit, in bits.
    pub vector_bits: u32,
    /// Whether vectors of any length and element type are accepted (LLVM), or only those of exactly
    /// `vector_bits` (Cranelift).
    pub flexible_vectors: bool,
    /// The order in which sums and products of floats are computed.
    pub order: Order,
}

/// The order in which a reduction combines floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// As many partial results side by side as vectors have lanes, combined at the end.
    #[default]
    Lanes,
    /// One element after the other, as the loops of the structured level run.
    Sequence,
}

impl Target {
    /// 128-bit vectors only.
    pub const CRANELIFT: Target = Target { vector_bits: 128, flexible_vectors: false, order: Order::Lanes };
    /// 512-bit vectors, split by LLVM where the processor has less.
    pub const LLVM: Target = Target { vector_bits: 512, flexible_vectors: true, order: Order::Lanes };
}

type Key = (OpName, Vec<Value>, Attributes, Option<Type>);

/// Builds one kernel function.
pub struct Emitter<'a> {
    /// The structured kernel: tensors and generic operations.
    pub source: &'a Body,
    /// The function being built.
    pub body: Body,
    /// Where the next operation goes.
    pub at: Block,
    /// Elements a vector iteration covers.
    pub lanes: usize,
    pub(super) target: &'a Target,
    entry: Block,
    entry_position: usize,
    buffers: IndexMap<Value, Value>,
    scalars: IndexMap<Value, Value>,
    constants: IndexMap<Value, i64>,
    hoisted: IndexMap<Key, Value>,
    numbers: IndexMap<Key, Value>,
    points: IndexMap<(Op, Vec<Option<Lane>>), Vec<Lane>>,
    pub(super) tile: Option<Tile>,
}

impl<'a> Emitter<'a> {
    /// An emitter for `source`, whose new function takes a memref for each tensor argument and the scalar arguments as
    /// they are. Returns it and the new arguments.
    pub fn new(source: &'a Body, target: &'a Target) -> (Emitter<'a>, Vec<Value>) {
        let mut body = Body::new();
        let as_memref = |r#type: &Type| match r#type {
            Type::Tensor(tensor) => Type::memref(tensor.shape.clone().unwrap_or_default(), tensor.element.clone()),
            other => other.clone(),
        };
        let arguments = source.arguments(source.entry().expect("a kernel has a body")).to_vec();
        let types: Vec<Type> = arguments.iter().map(|&a| as_memref(source.value_type(a))).collect();
        let entry = body.add_block(body.root(), &types);
        let new_arguments = body.arguments(entry).to_vec();
        let mut emitter = Emitter {
            source,
            lanes: lane_count(source, target),
            body,
            at: entry,
            target,
            entry,
            entry_position: 0,
            buffers: IndexMap::default(),
            scalars: IndexMap::default(),
            constants: IndexMap::default(),
            hoisted: IndexMap::default(),
            numbers: IndexMap::default(),
            points: IndexMap::default(),
            tile: None,
        };
        for (&old, &new) in arguments.iter().zip(&new_arguments) {
            match source.value_type(old) {
                Type::Tensor(_) => emitter.buffers.insert(old, new),
                _ => emitter.scalars.insert(old, new),
            };
        }
        (emitter, new_arguments)
    }

    /// Declares that `tensor` can be read from `buffer` from here on.
    pub fn bind_buffer(&mut self, tensor: Value, buffer: Value) {
        self.buffers.insert(tensor, buffer);
        self.points.clear();
    }

    /// Like [`Emitter::bind_buffer`], inside a loop: what was evaluated before stays valid.
    pub fn bind_row_buffer(&mut self, tensor: Value, buffer: Value) {
        self.buffers.insert(tensor, buffer);
    }

    /// Undoes [`Emitter::bind_row_buffer`] when the loop is left.
    pub fn unbind_buffer(&mut self, tensor: Value) {
        self.buffers.shift_remove(&tensor);
    }

    /// The buffer of a tensor, if it has one.
    pub fn buffer(&self, tensor: Value) -> Option<Value> {
        self.buffers.get(&tensor).copied()
    }

    // ---- operations

    /// Emits an operation with effects, never merged with another.
    pub fn effect(
        &mut self,
        name: &'static str,
        operands: &[Value],
        results: &[Type],
        attributes: impl Into<Attributes>,
    ) -> Op {
        let op = self.body.create_op(name, operands, results, attributes.into(), Location::Unknown);
        self.body.append(self.at, op);
        op
    }

    /// Emits a pure operation with one result, or finds the equal one that dominates this place.
    pub fn pure(
        &mut self,
        name: impl Into<OpName>,
        operands: &[Value],
        result: Type,
        attributes: impl Into<Attributes>,
    ) -> Value {
        let (name, attributes) = (name.into(), attributes.into());
        let key = (name.clone(), operands.to_vec(), attributes.clone(), Some(result.clone()));
        if let Some(&value) = self.numbers.get(&key) {
            return value;
        }
        let op = self.body.create_op(name, operands, &[result], attributes, Location::Unknown);
        self.body.append(self.at, op);
        let value = self.body.result(op, 0);
        self.numbers.insert(key, value);
        value
    }

    /// Emits a pure operation without operands in the entry block, before every loop.
    fn hoist(&mut self, name: &'static str, operands: &[Value], result: Type, attributes: Attributes) -> Value {
        let key = (OpName::from(name), operands.to_vec(), attributes.clone(), Some(result.clone()));
        if let Some(&value) = self.hoisted.get(&key) {
            return value;
        }
        let op = self.body.create_op(name, operands, &[result], attributes, Location::Unknown);
        self.body.insert(self.entry, self.entry_position, op);
        self.entry_position += 1;
        let value = self.body.result(op, 0);
        self.hoisted.insert(key, value);
        value
    }

    /// An `index` constant.
    pub fn index(&mut self, value: i64) -> Value {
        let constant =
            self.hoist("arith.constant", &[], Type::Index, Attributes::from([("value", Attribute::index(value))]));
        self.constants.insert(constant, value);
        constant
    }

    /// A scalar constant.
    pub fn constant(&mut self, value: Attribute, r#type: Type) -> Value {
        self.hoist("arith.constant", &[], r#type, Attributes::from([("value", value)]))
    }

    /// The value of an index constant made by this emitter.
    pub fn constant_value(&self, value: Value) -> Option<i64> {
        self.constants.get(&value).copied()
    }

    /// `a + b` on indices, folded.
    pub fn add(&mut self, a: Value, b: Value) -> Value {
        match (self.constant_value(a), self.constant_value(b)) {
            (Some(x), Some(y)) => self.index(x + y),
            (Some(0), _) => b,
            (_, Some(0)) => a,
            _ => self.pure("arith.addi", &[a, b], Type::Index, []),
        }
    }

    /// `a - b` on indices, folded.
    pub fn sub(&mut self, a: Value, b: Value) -> Value {
        match (self.constant_value(a), self.constant_value(b)) {
            (Some(x), Some(y)) => self.index(x - y),
            (_, Some(0)) => a,
            _ => self.pure("arith.subi", &[a, b], Type::Index, []),
        }
    }

    /// `a * b` on indices, folded.
    pub fn mul(&mut self, a: Value, b: Value) -> Value {
        match (self.constant_value(a), self.constant_value(b)) {
            // a tensor without elements may have extents of any size
            (Some(x), Some(y)) => self.index(x.wrapping_mul(y)),
            (Some(1), _) => b,
            (_, Some(1)) => a,
            (Some(0), _) => a,
            (_, Some(0)) => b,
            _ => self.pure("arith.muli", &[a, b], Type::Index, []),
        }
    }

    /// `a / b` on non-negative indices, folded.
    pub fn div(&mut self, a: Value, b: Value) -> Value {
        match (self.constant_value(a), self.constant_value(b)) {
            (Some(x), Some(y)) if y != 0 => self.index(x / y),
            (_, Some(1)) => a,
            _ => match self.divided_row(a, b) {
                Some([quotient, _]) => quotient,
                None => self.pure("arith.divui", &[a, b], Type::Index, []),
            },
        }
    }

    /// `a % b` on non-negative indices, folded.
    pub fn rem(&mut self, a: Value, b: Value) -> Value {
        match (self.constant_value(a), self.constant_value(b)) {
            (Some(x), Some(y)) if y != 0 => self.index(x % y),
            (_, Some(1)) => self.index(0),
            _ => match self.divided_row(a, b) {
                Some([_, remainder]) => remainder,
                None => self.pure("arith.remui", &[a, b], Type::Index, []),
            },
        }
    }

    /// `min(a, b)` on indices, folded.
    pub fn min(&mut self, a: Value, b: Value) -> Value {
        match (self.constant_value(a), self.constant_value(b)) {
            (Some(x), Some(y)) => self.index(x.min(y)),
            _ if a == b => a,
            _ => self.pure("arith.minsi", &[a, b], Type::Index, []),
        }
    }

    // ---- control flow

    fn scoped<T>(&mut self, block: Block, build: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.at;
        let (numbers, points) = (self.numbers.len(), self.points.len());
        self.at = block;
        let result = build(self);
        self.at = outer;
        self.numbers.truncate(numbers);
        self.points.truncate(points);
        result
    }

    /// `scf.for` from `low` to `high` in steps of `step`, carrying values. `build` gets the induction variable and
    /// the carried values and returns the next ones.
    pub fn for_loop(
        &mut self,
        low: Value,
        high: Value,
        step: i64,
        carried: &[Value],
        build: impl FnOnce(&mut Self, Value, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        let step = self.index(step);
        let operands: Vec<Value> = [low, high, step].iter().chain(carried).copied().collect();
        let types: Vec<Type> = carried.iter().map(|&v| self.body.value_type(v).clone()).collect();
        let op = self.effect("scf.for", &operands, &types, []);
        let region = self.body.add_region(op);
        let argument_types: Vec<Type> = std::iter::once(Type::Index).chain(types).collect();
        let block = self.body.add_block(region, &argument_types);
        let arguments = self.body.arguments(block).to_vec();
        self.scoped(block, |emitter| {
            let next = build(emitter, arguments[0], &arguments[1..]);
            emitter.effect("scf.yield", &next, &[], []);
        });
        self.body.op(op).results().to_vec()
    }

    /// `scf.parallel` over `[0, count)`. `work` estimates the scalar operations of one iteration.
    pub fn parallel_loop(&mut self, count: Value, work: i64, build: impl FnOnce(&mut Self, Value)) {
        /// Scalar operations worth handing to another thread: about ten microseconds of them.
        const GRAIN_WORK: i64 = 32_768;
        let grain = (GRAIN_WORK / work.max(1)).max(1);
        let (zero, one) = (self.index(0), self.index(1));
        let attributes = Attributes::from([
            ("operandSegmentSizes", Attribute::i32_dense_array(&[1, 1, 1, 0])),
            ("rt.grain", Attribute::index(grain)),
        ]);
        let op = self.effect("scf.parallel", &[zero, count, one], &[], attributes);
        let region = self.body.add_region(op);
        let block = self.body.add_block(region, &[Type::Index]);
        let index = self.body.arguments(block)[0];
        self.scoped(block, |emitter| {
            build(emitter, index);
            emitter.effect("scf.reduce", &[], &[], []);
        });
    }

    /// `scf.if` without results.
    pub fn if_then(&mut self, condition: Value, build: impl FnOnce(&mut Self)) {
        let op = self.effect("scf.if", &[condition], &[], []);
        let then = self.body.add_region(op);
        self.body.add_region(op);
        let block = self.body.add_block(then, &[]);
        self.scoped(block, |emitter| {
            build(emitter);
            emitter.effect("scf.yield", &[], &[], []);
        });
    }

    // ---- sizes and scalars

    /// The new function's value for a scalar of the source kernel.
    pub fn scalar(&mut self, value: Value) -> Value {
        if let Some(&known) = self.scalars.get(&value) {
            return known;
        }
        let op = match self.source.definition(value) {
            ValueDefinition::Result { op, .. } => op,
            ValueDefinition::Argument { .. } => unreachable!("scalar arguments are bound"),
        };
        let operation = self.source.op(op);
        let r#type = self.source.value_type(value).clone();
        let new = match operation.name.as_str() {
            "arith.constant" => {
                let attribute = operation.attributes.get("value").expect("a constant has a value").clone();
                match (&attribute, &r#type) {
                    (Attribute::Integer(number, _), Type::Index) => self.index(*number),
                    _ => self.constant(attribute, r#type),
                }
            }
            "tensor.dim" => {
                let axis = self.source_constant(operation.operands()[1]).expect("tensor.dim of a constant axis");
                self.extent(operation.operands()[0], axis as usize)
            }
            _ => {
                let operands: Vec<Value> = operation.operands().to_vec();
                let operands: Vec<Value> = operands.into_iter().map(|o| self.scalar(o)).collect();
                let (name, attributes) = (operation.name.as_str().to_string(), operation.attributes.clone());
                let new = self.body.create_op(name, &operands, &[r#type], attributes, Location::Unknown);
                self.body.insert(self.entry, self.entry_position, new);
                self.entry_position += 1;
                self.body.result(new, 0)
            }
        };
        self.scalars.insert(value, new);
        new
    }

    /// The value of an index constant of the source kernel.
    pub fn source_constant(&self, value: Value) -> Option<i64> {
        let op = self.source.defining_op(value)?;
        (self.source.name(op) == "arith.constant").then(|| self.source.op(op).attributes.integer("value")).flatten()
    }

    /// The extent of a dimension of a source tensor.
    pub fn extent(&mut self, tensor: Value, axis: usize) -> Value {
        let shape = self.source.value_type(tensor).shape().expect("kernel tensors are ranked");
        if let Some(extent) = shape[axis] {
            return self.index(extent);
        }
        if let ValueDefinition::Result { op, index } = self.source.definition(tensor) {
            let operation = self.source.op(op);
            match operation.name.as_str() {
                "tensor.empty" => {
                    let position = shape[..axis].iter().filter(|extent| extent.is_none()).count();
                    return self.scalar(operation.operands()[position]);
                }
                "linalg.generic" => {
                    let generic = Generic::of(self.source, op).expect("a generic decodes");
                    return self.extent(generic.inits[index as usize], axis);
                }
                _ => {}
            }
        }
        let buffer = self.buffer(tensor).expect("a tensor without definition has a buffer");
        self.buffer_extent(buffer, axis)
    }

    /// The extent of a dimension of a buffer of the new function.
    pub fn buffer_extent(&mut self, buffer: Value, axis: usize) -> Value {
        let shape = self.body.value_type(buffer).shape().expect("buffers are ranked");
        match shape[axis] {
            Some(extent) => self.index(extent),
            None => {
                let axis = self.index(axis as i64);
                self.hoist("memref.dim", &[buffer, axis], Type::Index, Attributes::new())
            }
        }
    }

    /// The extent of one loop of a generic operation.
    pub fn loop_extent(&mut self, generic: &Generic, dim: usize) -> Value {
        let (operand, axis) = generic.extent_sources()[dim].expect("every loop indexes some operand directly");
        self.extent(generic.operand(operand), axis)
    }

    // ---- evaluation

    /// The element of a source tensor at the given subscripts.
    pub fn evaluate(&mut self, tensor: Value, subscripts: &[Lane]) -> Lane {
        if let Some(buffer) = self.buffer(tensor) {
            return self.load(buffer, subscripts);
        }
        let ValueDefinition::Result { op, index } = self.source.definition(tensor) else {
            unreachable!("tensor arguments have buffers");
        };
        if let Some(generic) = Generic::of(self.source, op) {
            let point = domain_point(&generic, index as usize, subscripts);
            let results = match generic.is_reduction() {
                true => self.evaluate_reduction(&generic, point),
                false => self.evaluate_elementwise(generic, point),
            };
            return results[index as usize].clone();
        }
        let operation = self.source.op(op);
        match operation.name.as_str() {
            "arith.constant" => {
                let dense = operation.attributes.get("value").and_then(Attribute::as_dense).expect("a dense constant");
                let element = dense.r#type.element().clone();
                let attribute = dense.element_attribute(0);
                Lane::Uniform(self.constant(attribute, element))
            }
            name => unreachable!("{name} is not evaluated element by element"),
        }
    }

    /// The results of an operation without reduction loops. What it reads is evaluated first, so that evaluation does
    /// not recurse over the kernel.
    fn evaluate_elementwise(&mut self, generic: Generic, point: Vec<Option<Lane>>) -> Vec<Lane> {
        let mut pending = vec![(generic.clone(), point.clone(), false)];
        while let Some((generic, point, ready)) = pending.pop() {
            if ready {
                self.evaluate_body(&generic, &point, None);
            } else if self.known_point(&generic, &point).is_none() {
                let below = self.elementwise_inputs(&generic, &point);
                pending.push((generic, point, true));
                pending.extend(below.into_iter().rev().map(|(generic, point)| (generic, point, false)));
            }
        }
        self.evaluate_body(&generic, &point, None)
    }

    /// The operations without reduction loops and buffers that a body reads at a point, and at which points.
    fn elementwise_inputs(&mut self, generic: &Generic, point: &[Option<Lane>]) -> Vec<(Generic, Vec<Option<Lane>>)> {
        let source = self.source;
        let arguments = source.arguments(generic.block);
        let mut found = Vec::new();
        for ((&input, map), &argument) in generic.inputs.iter().zip(&generic.maps).zip(arguments) {
            if source.uses(argument).is_empty() || self.buffer(input).is_some() {
                continue;
            }
            let ValueDefinition::Result { index, .. } = source.definition(input) else { continue };
            let Some(below) = Generic::defining(source, input).filter(|below| !below.is_reduction()) else { continue };
            let subscripts: Vec<Lane> = map.results.iter().map(|e| self.affine(e, point)).collect();
            let point = domain_point(&below, index as usize, &subscripts);
            found.push((below, point));
        }
        found
    }

    /// The results of a generic's body at a point of its loops. `accumulators` are the output block arguments.
    pub fn evaluate_body(
        &mut self,
        generic: &Generic,
        point: &[Option<Lane>],
        accumulators: Option<&[Lane]>,
    ) -> Vec<Lane> {
        let key = (generic.op, point.to_vec());
        if accumulators.is_none()
            && let Some(known) = self.points.get(&key)
        {
            return known.clone();
        }
        let source = self.source;
        let mut values: IndexMap<Value, Lane> = IndexMap::default();
        let arguments = source.arguments(generic.block);
        for (index, &input) in generic.inputs.iter().enumerate() {
            if source.uses(arguments[index]).is_empty() {
                continue;
            }
            let lane = match source.value_type(input) {
                Type::Tensor(_) => {
                    let subscripts: Vec<Lane> =
                        generic.maps[index].results.iter().map(|e| self.affine(e, point)).collect();
                    self.evaluate(input, &subscripts)
                }
                _ => Lane::Uniform(self.scalar(input)),
            };
            values.insert(arguments[index], lane);
        }
        for (index, lane) in accumulators.unwrap_or_default().iter().enumerate() {
            values.insert(arguments[generic.inputs.len() + index], lane.clone());
        }
        for &op in source.ops(generic.block) {
            if source.name(op) != "linalg.yield" {
                self.evaluate_op(op, point, &mut values);
            }
        }
        let results: Vec<Lane> = generic.yields(source).iter().map(|&v| self.body_value(v, &values)).collect();
        if accumulators.is_none() {
            self.points.insert(key, results.clone());
        }
        results
    }

    /// The results a generic was already found to have at a point.
    pub fn known_point(&self, generic: &Generic, point: &[Option<Lane>]) -> Option<Vec<Lane>> {
        self.points.get(&(generic.op, point.to_vec())).cloned()
    }

    /// Records the results of a generic at a point, for as long as the loop that is being built.
    pub fn remember_point(&mut self, generic: &Generic, point: Vec<Option<Lane>>, results: Vec<Lane>) {
        self.points.insert((generic.op, point), results);
    }

    fn body_value(&mut self, value: Value, values: &IndexMap<Value, Lane>) -> Lane {
        match values.get(&value) {
            Some(lane) => lane.clone(),
            None => Lane::Uniform(self.scalar(value)),
        }
    }

    fn evaluate_op(&mut self, op: Op, point: &[Option<Lane>], values: &mut IndexMap<Value, Lane>) {
        let operation = self.source.op(op);
        let lanes = |emitter: &mut Self, values: &IndexMap<Value, Lane>, operands: &[Value]| {
            operands.iter().map(|&v| emitter.body_value(v, values)).collect::<Vec<_>>()
        };
        match operation.name.as_str() {
            "linalg.index" => {
                let dim = operation.attributes.integer("dim").expect("linalg.index has a dimension") as usize;
                let lane = point[dim].clone().expect("the loop is open");
                values.insert(operation.results()[0], lane);
            }
            "tensor.extract" => {
                let subscripts = lanes(self, values, &operation.operands()[1..]);
                let lane = self.evaluate(operation.operands()[0], &subscripts);
                values.insert(operation.results()[0], lane);
            }
            "arith.constant" => {
                let lane = Lane::Uniform(self.scalar(operation.results()[0]));
                values.insert(operation.results()[0], lane);
            }
            "cf.assert" => {
                let condition = lanes(self, values, operation.operands());
                for scalar in self.scalars_of(&condition[0]) {
                    self.effect("cf.assert", &[scalar], &[], operation.attributes.clone());
                }
            }
            _ => {
                let operands = lanes(self, values, operation.operands());
                let result = self.source.value_type(operation.results()[0]).clone();
                let lane = self.elementwise(&operation.name, &operands, result, &operation.attributes);
                values.insert(operation.results()[0], lane);
            }
        }
    }

    /// An elementwise operation applied lane by lane, as a vector operation where the target has one.
    pub fn elementwise(&mut self, name: &OpName, operands: &[Lane], result: Type, attributes: &Attributes) -> Lane {
        if operands.iter().all(|lane| !lane.varies()) {
            let scalars: Vec<Value> = operands.iter().filter_map(Lane::uniform).collect();
            return Lane::Uniform(self.pure(name.clone(), &scalars, result, attributes.clone()));
        }
        if let Some(iota) = self.iota_op(name, operands, &result, attributes) {
            return iota;
        }
        let is_vector = |lane: &Lane| matches!(lane, Lane::Vector(_)) || self.is_counted(lane, &result);
        let vector = operands.iter().any(is_vector)
            && self.vector_legal(&result)
            && operands.iter().all(|lane| self.vectorisable(lane));
        if vector {
            let scalar_condition = name.as_str() == "arith.select" && !operands[0].varies();
            let vectors: Vec<Value> = operands
                .iter()
                .enumerate()
                .map(|(index, lane)| match lane {
                    Lane::Uniform(value) if index == 0 && scalar_condition => *value,
                    lane => self.vector_of(lane),
                })
                .collect();
            let r#type = Type::vector(&[self.lanes as i64], result);
            return Lane::Vector(self.pure(name.clone(), &vectors, r#type, attributes.clone()));
        }
        let columns: Vec<Vec<Value>> = operands.iter().map(|lane| self.scalars_of(lane)).collect();
        let scalars = (0..self.lanes)
            .map(|lane| {
                let operands: Vec<Value> = columns.iter().map(|column| column[lane.min(column.len() - 1)]).collect();
                self.pure(name.clone(), &operands, result.clone(), attributes.clone())
            })
            .collect();
        Lane::Scalars(scalars)
    }

    /// Whether a lane is made a vector because the result is one, and not an integer that may become a subscript.
    fn is_counted(&self, lane: &Lane, result: &Type) -> bool {
        matches!(lane, Lane::Iota(base) if *self.body.value_type(*base) != Type::Index)
            && (result.is_float() || *result == Type::I1)
    }

    /// Integer operations that keep consecutive lanes consecutive.
    fn iota_op(&mut self, name: &OpName, operands: &[Lane], result: &Type, attributes: &Attributes) -> Option<Lane> {
        match (name.as_str(), operands) {
            ("arith.addi", [Lane::Iota(base), Lane::Uniform(offset)] | [Lane::Uniform(offset), Lane::Iota(base)]) => {
                let sum = match result {
                    Type::Index => self.add(*base, *offset),
                    _ => self.pure(name.clone(), &[*base, *offset], result.clone(), attributes.clone()),
                };
                Some(Lane::Iota(sum))
            }
            ("arith.subi", [Lane::Iota(base), Lane::Uniform(offset)]) => {
                Some(Lane::Iota(self.pure(name.clone(), &[*base, *offset], result.clone(), attributes.clone())))
            }
            ("arith.muli", [Lane::Iota(base), Lane::Uniform(factor)] | [Lane::Uniform(factor), Lane::Iota(base)])
                if *result == Type::Index && self.constant_value(*factor) == Some(2) =>
            {
                Some(Lane::EveryOther(self.mul(*base, *factor)))
            }
            (
                "arith.addi",
                [Lane::EveryOther(base), Lane::Uniform(offset)] | [Lane::Uniform(offset), Lane::EveryOther(base)],
            ) if *result == Type::Index => Some(Lane::EveryOther(self.add(*base, *offset))),
            ("arith.index_cast", [Lane::Iota(base)]) => {
                Some(Lane::Iota(self.pure(name.clone(), &[*base], result.clone(), attributes.clone())))
            }
            _ => None,
        }
    }

    /// Whether the target has a vector of `lanes` such elements.
    pub fn vector_legal(&self, element: &Type) -> bool {
        match element {
            Type::Index => false,
            Type::Integer(integer) if integer.width == 1 => true,
            other => {
                let bits = other.bit_width().unwrap_or(0) * self.lanes as u32;
                self.target.flexible_vectors || bits == self.target.vector_bits || self.is_packed(other)
            }
        }
    }

    /// Whether the target has whole registers of `lanes` such elements, in memory too.
    pub(super) fn is_whole(&self, element: &Type) -> bool {
        let packed = !self.target.flexible_vectors && self.is_packed(element);
        self.vector_legal(element) && !packed && *element != Type::I1
    }

    /// Whether these are elements of 8 or 16 bits that stand in for lanes of 32.
    fn is_packed(&self, element: &Type) -> bool {
        let stored = match element {
            Type::Integer(integer) => matches!(integer.width, 8 | 16),
            Type::Float(float) => matches!(float, FloatType::F16 | FloatType::BF16),
            _ => false,
        };
        stored && self.lanes as u32 * 32 == self.target.vector_bits
    }

    pub(super) fn vectorisable(&self, lane: &Lane) -> bool {
        let element = match lane {
            Lane::Uniform(value) | Lane::Iota(value) | Lane::EveryOther(value) | Lane::Vector(value) => {
                self.body.value_type(*value).element()
            }
            Lane::Scalars(values) => self.body.value_type(values[0]),
        };
        let mask_from_scalars = *element == Type::I1
            && !self.target.flexible_vectors
            && !matches!(lane, Lane::Vector(_) | Lane::Uniform(_));
        self.vector_legal(element) && !mask_from_scalars
    }

    /// A lane as a vector value.
    pub fn vector_of(&mut self, lane: &Lane) -> Value {
        let lanes = self.lanes as i64;
        match lane {
            Lane::Vector(value) => *value,
            Lane::Uniform(value) => {
                let r#type = Type::vector(&[lanes], self.body.value_type(*value).clone());
                self.pure("vector.broadcast", &[*value], r#type, [])
            }
            Lane::Iota(base) if *self.body.value_type(*base) != Type::Index => {
                let element = self.body.value_type(*base).clone();
                let width = element.byte_width().expect("integers have a width");
                let r#type = Type::vector(&[lanes], element);
                let bytes: Vec<u8> = (0..lanes).flat_map(|lane| lane.to_le_bytes().into_iter().take(width)).collect();
                let numbers = DenseElements::new(r#type.clone(), Blob::copy_of(&bytes));
                let numbers = self.constant(Attribute::dense(numbers), r#type.clone());
                let first = self.pure("vector.broadcast", &[*base], r#type.clone(), []);
                self.pure("arith.addi", &[first, numbers], r#type, [])
            }
            Lane::Iota(_) | Lane::EveryOther(_) | Lane::Scalars(_) => {
                let scalars = self.scalars_of(lane);
                let r#type = Type::vector(&[lanes], self.body.value_type(scalars[0]).clone());
                self.pure("vector.from_elements", &scalars, r#type, [])
            }
        }
    }

    /// A lane as scalars: one for all lanes, or one a lane.
    pub fn scalars_of(&mut self, lane: &Lane) -> Vec<Value> {
        match lane {
            Lane::Uniform(value) => vec![*value],
            Lane::Scalars(values) => values.clone(),
            Lane::Iota(base) => {
                let r#type = self.body.value_type(*base).clone();
                (0..self.lanes as i64)
                    .map(|offset| match &r#type {
                        Type::Index => {
                            let offset = self.index(offset);
                            self.add(*base, offset)
                        }
                        integer => {
                            let offset = self.constant(Attribute::Integer(offset, integer.clone()), integer.clone());
                            self.pure("arith.addi", &[*base, offset], integer.clone(), [])
                        }
                    })
                    .collect()
            }
            Lane::EveryOther(base) => (0..self.lanes as i64)
                .map(|lane| {
                    let offset = self.index(2 * lane);
                    self.add(*base, offset)
                })
                .collect(),
            Lane::Vector(value) => {
                let element = self.body.value_type(*value).element().clone();
                (0..self.lanes as i64)
                    .map(|lane| {
                        let position = Attributes::from([("static_position", Attribute::i64_dense_array(&[lane]))]);
                        self.pure("vector.extract", &[*value], element.clone(), position)
                    })
                    .collect()
            }
        }
    }

    /// An affine expression at a point of the loops.
    pub fn affine(&mut self, expression: &AffineExpr, point: &[Option<Lane>]) -> Lane {
        let binary = |emitter: &mut Self, name: &'static str, a: &AffineExpr, b: &AffineExpr| {
            let operands = [emitter.affine(a, point), emitter.affine(b, point)];
            match (name, &operands) {
                ("arith.addi", [Lane::Uniform(a), Lane::Uniform(b)]) => Lane::Uniform(emitter.add(*a, *b)),
                ("arith.muli", [Lane::Uniform(a), Lane::Uniform(b)]) => Lane::Uniform(emitter.mul(*a, *b)),
                ("arith.divui", [Lane::Uniform(a), Lane::Uniform(b)]) => Lane::Uniform(emitter.div(*a, *b)),
                ("arith.remui", [Lane::Uniform(a), Lane::Uniform(b)]) => Lane::Uniform(emitter.rem(*a, *b)),
                _ => emitter.elementwise(&OpName::from(name), &operands, Type::Index, &Attributes::new()),
            }
        };
        match expression {
            AffineExpr::Dim(dim) => point[*dim as usize].clone().expect("the loop is open"),
            AffineExpr::Constant(value) => Lane::Uniform(self.index(*value)),
            AffineExpr::Add(a, b) => binary(self, "arith.addi", a, b),
            AffineExpr::Mul(a, b) => binary(self, "arith.muli", a, b),
            AffineExpr::FloorDiv(a, b) => binary(self, "arith.divui", a, b),
            AffineExpr::Mod(a, b) => binary(self, "arith.remui", a, b),
            AffineExpr::Symbol(_) | AffineExpr::CeilDiv(..) => unreachable!("lowerings make no such maps"),
        }
    }
}

/// Elements a vector covers in this kernel: as many 32-bit ones as fit, or 64-bit ones where it has no others, or bytes where
/// those are all it reads, computes and writes, side by side.
fn lane_count(source: &Body, target: &Target) -> usize {
    let (mut narrow, mut wide, mut bytes) = (false, false, true);
    for op in source.walk_all() {
        let operation = source.op(op);
        for &value in operation.operands().iter().chain(operation.results()) {
            let r#type = source.value_type(value);
            bytes &= r#type.element().bit_width().is_some_and(|bits| bits == 1 || bits == 8);
            if let Type::Tensor(tensor) = r#type {
                match tensor.element.bit_width() {
                    Some(64) => wide = true,
                    _ => narrow = true,
                }
            }
        }
    }
    let bits = match bytes && source.walk_all().into_iter().all(|op| is_side_by_side(source, op)) {
        true => 8,
        false if wide && !narrow => 64,
        false => 32,
    };
    (target.vector_bits / bits) as usize
}

/// Whether neighbours in the result of a generic operation are made of neighbours in its operands.
fn is_side_by_side(source: &Body, op: Op) -> bool {
    let Some(generic) = Generic::of(source, op) else { return true };
    let Some(last) = generic.rank().checked_sub(1) else { return true };
    let along = |map: &AffineMap| match map.results.split_last() {
        Some((inner, outer)) => {
            let last = last as u32;
            (*inner == AffineExpr::Dim(last) || !inner.uses_dim(last)) && outer.iter().all(|e| !e.uses_dim(last))
        }
        None => true,
    };
    !generic.is_reduction() && generic.maps.iter().all(along)
}

/// The loop indices at which output `index` of `generic` is written to `subscripts`; reduction loops stay open.
fn domain_point(generic: &Generic, index: usize, subscripts: &[Lane]) -> Vec<Option<Lane>> {
    let mut point = vec![None; generic.rank()];
    for (expression, subscript) in generic.output_map(index).results.iter().zip(subscripts) {
        if let AffineExpr::Dim(dim) = expression {
            point[*dim as usize] = Some(subscript.clone());
        }
    }
    point
}
