//! The emitter: builds a kernel's operations and loops.
//!
//! Pure operations are value-numbered while they are emitted, so that evaluating the same element twice at one point
//! costs nothing.
//!
//! Invariants
//! - All entries of the value-number table dominate the current insertion point: entries from inside a loop are dropped
//!   at its end.
//! - Constants and sizes are emitted in the entry block, before the first loop.

use dialects::rt::attributes::WORK;
use dialects::{OpCode, OpCodes, arith, linalg, memref, scf, tensor};
use ir::pass::Choice;
use ir::{Attribute, Attributes, Block, Body, IndexMap, Location, Op, OpName, Operands, Type, Value, ValueDefinition};

use super::column_tables::Tables;
use super::lane::Lane;
use super::transposed_tiles::Tile;
use super::vectors::lane_count;
use dialects::linalg::generic::Generic;

/// Properties of the code generator that kernel emission depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// Width of the vectors to emit, in bits.
    pub vector_bits: u32,
    /// Whether vectors of any length and element type are supported (LLVM), or only those of exactly `vector_bits`
    /// (Cranelift).
    pub flexible_vectors: bool,
    /// Whether the runtime has wider vectors, so that it reduces rows of floats.
    pub narrow: bool,
    /// Whether the runtime performs data movement, too: this reduces compile time.
    pub calls_moves: bool,
    /// The order in which sums and products of floats are computed.
    pub order: Order,
}

/// The order in which a reduction combines floats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Order {
    /// One partial result per vector lane, combined at the end.
    #[default]
    Lanes,
    /// Element by element, in the order of the loops at the structured level.
    Sequence,
}

impl Choice for Order {
    const CHOICES: &'static [(&'static str, Order)] = &[("lanes", Order::Lanes), ("sequence", Order::Sequence)];
}

impl Target {
    /// 128-bit vectors only.
    pub const CRANELIFT: Target =
        Target { vector_bits: 128, flexible_vectors: false, narrow: true, calls_moves: false, order: Order::Lanes };
    /// 512-bit vectors, which LLVM splits for narrower processors.
    pub const LLVM: Target =
        Target { vector_bits: 512, flexible_vectors: true, narrow: false, calls_moves: false, order: Order::Lanes };
}

type Key = (OpName, Vec<Value>, Attributes, Option<Type>);

/// Builds one kernel function.
pub struct Emitter<'a> {
    /// The structured kernel: tensors and generic operations.
    pub source: &'a Body,
    /// The function being built.
    pub body: Body,
    /// The block that operations are appended to.
    pub at: Block,
    /// Elements per vector iteration.
    pub lanes: usize,
    pub(super) target: &'a Target,
    entry: Block,
    hoisted_last: Option<Op>,
    buffers: IndexMap<Value, Value>,
    scalars: IndexMap<Value, Value>,
    constants: IndexMap<Value, i64>,
    hoisted: IndexMap<Key, Value>,
    numbers: IndexMap<Key, Value>,
    points: IndexMap<(Op, Vec<Option<Lane>>), Vec<Lane>>,
    pub(super) tile: Option<Tile>,
    pub(super) tables: Option<Tables>,
    /// A comparison that is only used by selects, and its value in the code that is being emitted.
    pub(super) decided: Option<(Op, bool)>,
}

impl<'a> Emitter<'a> {
    /// An emitter for `source`, whose new function takes a memref for each tensor argument, and the scalar arguments
    /// unchanged. Returns it and the new arguments.
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
            hoisted_last: None,
            buffers: IndexMap::default(),
            scalars: IndexMap::default(),
            constants: IndexMap::default(),
            hoisted: IndexMap::default(),
            numbers: IndexMap::default(),
            points: IndexMap::default(),
            tile: None,
            tables: None,
            decided: None,
        };
        for (&old, &new) in arguments.iter().zip(&new_arguments) {
            match source.value_type(old) {
                Type::Tensor(_) => emitter.buffers.insert(old, new),
                _ => emitter.scalars.insert(old, new),
            };
        }
        (emitter, new_arguments)
    }

    /// Declares that `tensor` can be read from `buffer` from now on.
    pub fn bind_buffer(&mut self, tensor: Value, buffer: Value) {
        self.buffers.insert(tensor, buffer);
        self.points.clear();
    }

    /// Like [`Emitter::bind_buffer`], inside a loop: values that were evaluated before remain valid.
    pub fn bind_row_buffer(&mut self, tensor: Value, buffer: Value) {
        self.buffers.insert(tensor, buffer);
    }

    /// Reverts [`Emitter::bind_row_buffer`] at the end of the loop.
    pub fn unbind_buffer(&mut self, tensor: Value) {
        self.buffers.shift_remove(&tensor);
    }

    /// The buffer of a tensor, if it has one.
    pub fn buffer(&self, tensor: Value) -> Option<Value> {
        self.buffers.get(&tensor).copied()
    }

    /// Whether a buffer is an argument that the kernel only reads.
    pub(super) fn is_operand(&self, buffer: Value) -> bool {
        let source_entry = self.source.entry().expect("a kernel has a body");
        let results = self.source.terminator(source_entry).map_or(0, |end| self.source.op(end).operands().len());
        let arguments = self.body.arguments(self.entry);
        arguments[..arguments.len() - results].contains(&buffer)
    }

    // ---- operations

    /// Emits an operation with effects, which is never merged with another.
    pub fn effect(
        &mut self,
        name: impl Into<OpName>,
        operands: &[Value],
        results: &[Type],
        attributes: impl Into<Attributes>,
    ) -> Op {
        let op = self.body.create_op(name, operands, results, attributes.into(), Location::Unknown);
        self.body.append(self.at, op);
        op
    }

    /// [`Emitter::effect`] of the operation that has these operands.
    pub fn effect_from<O: Operands>(&mut self, operands: O, results: &[Type], attributes: impl Into<Attributes>) -> Op {
        self.effect(O::name(), &operands.list(), results, attributes)
    }

    /// Emits a pure operation with one result, or returns an equal one that dominates the insertion point.
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
        let value = self.round_later(&name, operands, &result).unwrap_or_else(|| {
            let op = self.body.create_op(name, operands, &[result], attributes, Location::Unknown);
            self.body.append(self.at, op);
            self.body.result(op, 0)
        });
        self.numbers.insert(key, value);
        value
    }

    /// [`Emitter::pure`] of the operation that has these operands.
    pub fn pure_from<O: Operands>(&mut self, operands: O, result: Type, attributes: impl Into<Attributes>) -> Value {
        self.pure(O::name(), &operands.list(), result, attributes)
    }

    /// Emits an operation in the entry block, before every loop; its operands must be available there.
    fn hoist(&mut self, name: OpName, operands: &[Value], result: Type, attributes: Attributes) -> Value {
        let key = (name.clone(), operands.to_vec(), attributes.clone(), Some(result.clone()));
        if let Some(&value) = self.hoisted.get(&key) {
            return value;
        }
        let op = self.body.create_op(name, operands, &[result], attributes, Location::Unknown);
        self.body.insert(self.entry, self.hoisted_last.replace(op), op);
        let value = self.body.result(op, 0);
        self.hoisted.insert(key, value);
        value
    }

    /// [`Emitter::hoist`] of the operation that has these operands, without attributes.
    pub(super) fn hoist_from<O: Operands>(&mut self, operands: O, result: Type) -> Value {
        self.hoist(O::name(), &operands.list(), result, Attributes::new())
    }

    /// An `index` constant.
    pub fn index(&mut self, value: i64) -> Value {
        let constant = self.constant(Attribute::index(value), Type::Index);
        self.constants.insert(constant, value);
        constant
    }

    /// A scalar constant.
    pub fn constant(&mut self, value: Attribute, r#type: Type) -> Value {
        self.hoist(arith::CONSTANT.into(), &[], r#type, Attributes::from([("value", value)]))
    }

    /// The value of an index constant of this emitter.
    pub fn constant_value(&self, value: Value) -> Option<i64> {
        self.constants.get(&value).copied()
    }

    /// `a + b` on indices, folded.
    pub fn add(&mut self, a: Value, b: Value) -> Value {
        match (self.constant_value(a), self.constant_value(b)) {
            (Some(x), Some(y)) => self.index(x + y),
            (Some(0), _) => b,
            (_, Some(0)) => a,
            _ => self.pure(arith::ADDI, &[a, b], Type::Index, []),
        }
    }

    /// `a - b` on indices, folded.
    pub fn sub(&mut self, a: Value, b: Value) -> Value {
        match (self.constant_value(a), self.constant_value(b)) {
            (Some(x), Some(y)) => self.index(x - y),
            (_, Some(0)) => a,
            _ if a == b => self.index(0),
            _ => self.pure(arith::SUBI, &[a, b], Type::Index, []),
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
            _ => self.pure(arith::MULI, &[a, b], Type::Index, []),
        }
    }

    /// The product of indices, folded.
    pub fn product(&mut self, indices: &[Value]) -> Value {
        indices.iter().fold(self.index(1), |product, &index| self.mul(product, index))
    }

    /// `a / b` on non-negative indices, folded.
    pub fn div(&mut self, a: Value, b: Value) -> Value {
        match (self.constant_value(a), self.constant_value(b)) {
            (Some(x), Some(y)) if y != 0 => self.index(x / y),
            (_, Some(1)) => a,
            _ => match self.divided_row(a, b) {
                Some([quotient, _]) => quotient,
                None => self.pure(arith::DIVUI, &[a, b], Type::Index, []),
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
                None => self.pure(arith::REMUI, &[a, b], Type::Index, []),
            },
        }
    }

    /// `min(a, b)` on indices, folded.
    pub fn min(&mut self, a: Value, b: Value) -> Value {
        match (self.constant_value(a), self.constant_value(b)) {
            (Some(x), Some(y)) => self.index(x.min(y)),
            _ if a == b => a,
            _ => self.pure(arith::MINSI, &[a, b], Type::Index, []),
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

    /// `scf.for` from `low` to `high` in steps of `step`, carrying values. `build` receives the induction variable and
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
        let types: Vec<Type> = carried.iter().map(|&v| self.body.value_type(v).clone()).collect();
        let bounds = scf::For { lower_bound: low, upper_bound: high, step, init_args: carried };
        let op = self.effect_from(bounds, &types, []);
        let region = self.body.add_region(op);
        let argument_types: Vec<Type> = std::iter::once(Type::Index).chain(types).collect();
        let block = self.body.add_block(region, &argument_types);
        let arguments = self.body.arguments(block).to_vec();
        self.scoped(block, |emitter| {
            let next = build(emitter, arguments[0], &arguments[1..]);
            emitter.effect(scf::YIELD, &next, &[], []);
        });
        self.body.op(op).results().to_vec()
    }

    /// `scf.parallel` over `[0, count)`. `work` estimates the scalar operations of one iteration.
    pub fn parallel_loop(&mut self, count: Value, work: i64, build: impl FnOnce(&mut Self, Value)) {
        let (zero, one) = (self.index(0), self.index(1));
        let attributes = Attributes::from([
            ("operandSegmentSizes", Attribute::i32_dense_array(&[1, 1, 1, 0])),
            (WORK, Attribute::index(work)),
        ]);
        let op = self.effect(scf::PARALLEL, &[zero, count, one], &[], attributes);
        let region = self.body.add_region(op);
        let block = self.body.add_block(region, &[Type::Index]);
        let index = self.body.arguments(block)[0];
        self.scoped(block, |emitter| {
            build(emitter, index);
            emitter.effect(scf::REDUCE, &[], &[], []);
        });
    }

    /// `scf.if` without results.
    pub fn if_then(&mut self, condition: Value, build: impl FnOnce(&mut Self)) {
        let op = self.effect(scf::IF, &[condition], &[], []);
        let then = self.body.add_region(op);
        self.body.add_region(op);
        let block = self.body.add_block(then, &[]);
        self.scoped(block, |emitter| {
            build(emitter);
            emitter.effect(scf::YIELD, &[], &[], []);
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
        let new = match OpCode::of_name(&operation.name) {
            Some(arith::CONSTANT) => {
                let attribute = operation.attributes.get("value").expect("a constant has a value").clone();
                match (&attribute, &r#type) {
                    (Attribute::Integer(number, _), Type::Index) => self.index(*number),
                    _ => self.constant(attribute, r#type),
                }
            }
            Some(tensor::DIM) => {
                let tensor::Dim { source, index } = tensor::Dim::of(self.source, op);
                let axis = self.source_constant(index).expect("tensor.dim of a constant axis");
                self.extent(source, axis as usize)
            }
            _ => {
                let operands: Vec<Value> = operation.operands().to_vec();
                let operands: Vec<Value> = operands.into_iter().map(|o| self.scalar(o)).collect();
                let (name, attributes) = (operation.name.as_str().to_string(), operation.attributes.clone());
                let new = self.body.create_op(name, &operands, &[r#type], attributes, Location::Unknown);
                self.body.insert(self.entry, self.hoisted_last.replace(new), new);
                self.body.result(new, 0)
            }
        };
        self.scalars.insert(value, new);
        new
    }

    /// The value of an index constant of the source kernel.
    pub fn source_constant(&self, value: Value) -> Option<i64> {
        let op = self.source.defining_op(value)?;
        (self.source.is(op, arith::CONSTANT)).then(|| self.source.op(op).attributes.integer("value")).flatten()
    }

    /// The extent of a dimension of a source tensor.
    pub fn extent(&mut self, tensor: Value, axis: usize) -> Value {
        let shape = self.source.value_type(tensor).shape().expect("kernel tensors are ranked");
        if let Some(extent) = shape[axis] {
            return self.index(extent);
        }
        if let ValueDefinition::Result { op, index } = self.source.definition(tensor) {
            let operation = self.source.op(op);
            match OpCode::of_name(&operation.name) {
                Some(tensor::EMPTY) => {
                    let position = shape[..axis].iter().filter(|extent| extent.is_none()).count();
                    return self.scalar(operation.operands()[position]);
                }
                Some(linalg::GENERIC) => {
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
                let index = self.index(axis as i64);
                self.hoist_from(memref::Dim { source: buffer, index }, Type::Index)
            }
        }
    }

    /// The extent of one loop of a generic operation.
    pub fn loop_extent(&mut self, generic: &Generic, dim: usize) -> Value {
        let (operand, axis) = generic.extent_sources()[dim].expect("every loop indexes some operand directly");
        self.extent(generic.operand(operand), axis)
    }

    // ---- points

    /// The results of a generic that was already evaluated at a point.
    pub fn known_point(&self, generic: &Generic, point: &[Option<Lane>]) -> Option<Vec<Lane>> {
        self.points.get(&(generic.op, point.to_vec())).cloned()
    }

    /// Records the results of a generic at a point, until the end of the current loop.
    pub fn remember_point(&mut self, generic: &Generic, point: Vec<Option<Lane>>, results: Vec<Lane>) {
        self.points.insert((generic.op, point), results);
    }
}
