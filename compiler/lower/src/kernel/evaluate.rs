//! Evaluates structured operations at points of a kernel's loops.
//!
//! A tensor value inside a kernel is either backed by a buffer, and read with loads, or computed where it is needed, by
//! evaluating the body of its defining operation.

use dialects::{OpCode, OpCodes, arith, cf, linalg, tensor};
use ir::{
    AffineExpr, Attribute, Attributes, Block, Body, IndexMap, IndexSet, Op, OpName, Type, Value, ValueDefinition,
};

use super::emit::Emitter;
use super::lane::Lane;
use dialects::linalg::generic::Generic;

impl Emitter<'_> {
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
        match OpCode::of_name(&operation.name) {
            Some(arith::CONSTANT) => {
                let dense = operation.attributes.get("value").and_then(Attribute::as_dense).expect("a dense constant");
                let element = dense.r#type.element().clone();
                let attribute = dense.element_attribute(0);
                Lane::Uniform(self.constant(attribute, element))
            }
            _ => unreachable!("{} is not evaluated element by element", operation.name),
        }
    }

    /// The results of an operation without reduction loops. Its operands are evaluated first, so that evaluation does
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

    /// The operations without reduction loops and buffers that a body reads at a point, and their points.
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
        if accumulators.is_none()
            && let Some(known) = self.known_point(generic, point)
        {
            return known;
        }
        let source = self.source;
        let mut values = self.read_inputs(generic, point, |argument| !source.uses(argument).is_empty());
        for (index, lane) in accumulators.unwrap_or_default().iter().enumerate() {
            values.insert(source.arguments(generic.block)[generic.inputs.len() + index], lane.clone());
        }
        values.extend(self.tabled(generic, point));
        for op in source.ops(generic.block) {
            if !source.is(op, linalg::YIELD) && self.is_computed(generic, op) {
                self.evaluate_op(op, point, &mut values);
            }
        }
        let results: Vec<Lane> = generic.yields(source).iter().map(|&v| self.body_value(v, &values)).collect();
        if accumulators.is_none() {
            self.remember_point(generic, point.to_vec(), results.clone());
        }
        results
    }

    /// A value of an operation's body at a point of its loops; only the loops that it depends on must be open.
    pub(super) fn evaluate_value(&mut self, generic: &Generic, point: &[Option<Lane>], value: Value) -> Lane {
        self.evaluate_values(generic, point, &[value]).remove(0)
    }

    /// The same for several values.
    pub(super) fn evaluate_values(&mut self, generic: &Generic, point: &[Option<Lane>], wanted: &[Value]) -> Vec<Lane> {
        let source = self.source;
        let slice = Slice::of(source, generic.block, wanted, |_| false);
        let mut values = self.read_inputs(generic, point, |argument| slice.arguments.contains(&argument));
        for op in source.ops(generic.block).filter(|op| slice.ops.contains(op)) {
            self.evaluate_op(op, point, &mut values);
        }
        wanted.iter().map(|&value| self.body_value(value, &values)).collect()
    }

    /// The inputs that a body reads at a point, for the requested arguments.
    fn read_inputs(
        &mut self,
        generic: &Generic,
        point: &[Option<Lane>],
        is_wanted: impl Fn(Value) -> bool,
    ) -> IndexMap<Value, Lane> {
        let source = self.source;
        let mut values: IndexMap<Value, Lane> = IndexMap::default();
        let arguments = source.arguments(generic.block);
        for (index, &input) in generic.inputs.iter().enumerate() {
            if !is_wanted(arguments[index]) {
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
        values
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
        match OpCode::of_name(&operation.name) {
            Some(arith::CMPI) if self.decided.is_some_and(|(decided, _)| decided == op) => {}
            Some(arith::SELECT) if self.decision(op).is_some() => {
                let taken = if self.decision(op) == Some(true) { 1 } else { 2 };
                let lane = self.body_value(operation.operands()[taken], values);
                values.insert(operation.results()[0], lane);
            }
            Some(linalg::INDEX) => {
                let dim = operation.attributes.integer("dim").expect("linalg.index has a dimension") as usize;
                let lane = point[dim].clone().expect("the loop is open");
                values.insert(operation.results()[0], lane);
            }
            Some(tensor::EXTRACT) => {
                let tensor::Extract { tensor, indices } = tensor::Extract::of(self.source, op);
                let subscripts = lanes(self, values, indices);
                let lane = self.evaluate(tensor, &subscripts);
                values.insert(operation.results()[0], lane);
            }
            Some(arith::CONSTANT) => {
                let lane = Lane::Uniform(self.scalar(operation.results()[0]));
                values.insert(operation.results()[0], lane);
            }
            Some(cf::ASSERT) => {
                let condition = lanes(self, values, operation.operands());
                for scalar in self.scalars_of(&condition[0]) {
                    self.effect(cf::ASSERT, &[scalar], &[], operation.attributes.clone());
                }
            }
            _ => {
                let operands = lanes(self, values, operation.operands());
                let result = self.source.value_type(operation.results()[0]).clone();
                let lane = match self.counted_mask(op, &operands) {
                    Some(mask) => mask,
                    None => self.elementwise(&operation.name, &operands, result, &operation.attributes),
                };
                values.insert(operation.results()[0], lane);
            }
        }
    }

    /// Whether a select takes its first value here, if that is known.
    fn decision(&self, select: Op) -> Option<bool> {
        let (compare, is_first) = self.decided?;
        (self.source.defining_op(arith::Select::of(self.source, select).condition) == Some(compare)).then_some(is_first)
    }

    /// An affine expression at a point of the loops.
    pub fn affine(&mut self, expression: &AffineExpr, point: &[Option<Lane>]) -> Lane {
        let binary = |emitter: &mut Self, code: OpCode, a: &AffineExpr, b: &AffineExpr| {
            let operands = [emitter.affine(a, point), emitter.affine(b, point)];
            match (code, &operands) {
                (arith::ADDI, [Lane::Uniform(a), Lane::Uniform(b)]) => Lane::Uniform(emitter.add(*a, *b)),
                (arith::MULI, [Lane::Uniform(a), Lane::Uniform(b)]) => Lane::Uniform(emitter.mul(*a, *b)),
                (arith::DIVUI, [Lane::Uniform(a), Lane::Uniform(b)]) => Lane::Uniform(emitter.div(*a, *b)),
                (arith::REMUI, [Lane::Uniform(a), Lane::Uniform(b)]) => Lane::Uniform(emitter.rem(*a, *b)),
                _ => emitter.elementwise(&OpName::from(code), &operands, Type::Index, &Attributes::new()),
            }
        };
        match expression {
            AffineExpr::Dim(dim) => point[*dim as usize].clone().expect("the loop is open"),
            AffineExpr::Constant(value) => Lane::Uniform(self.index(*value)),
            AffineExpr::Add(a, b) => binary(self, arith::ADDI, a, b),
            AffineExpr::Mul(a, b) => binary(self, arith::MULI, a, b),
            AffineExpr::FloorDiv(a, b) => binary(self, arith::DIVUI, a, b),
            AffineExpr::Mod(a, b) => binary(self, arith::REMUI, a, b),
            AffineExpr::Symbol(_) | AffineExpr::CeilDiv(..) => unreachable!("lowerings produce no such maps"),
        }
    }
}

/// The operations of a block that some values are computed from, up to known values.
pub(super) struct Slice {
    pub(super) ops: IndexSet<Op>,
    pub(super) arguments: IndexSet<Value>,
}

impl Slice {
    pub(super) fn of(source: &Body, block: Block, values: &[Value], is_known: impl Fn(Value) -> bool) -> Slice {
        let mut slice = Slice { ops: IndexSet::default(), arguments: IndexSet::default() };
        let mut pending = values.to_vec();
        while let Some(value) = pending.pop() {
            match source.definition(value) {
                _ if is_known(value) => {}
                ValueDefinition::Argument { block: own, .. } if own == block => {
                    slice.arguments.insert(value);
                }
                ValueDefinition::Result { op, .. } if source.op(op).parent() == Some(block) => {
                    if slice.ops.insert(op) {
                        pending.extend(source.op(op).operands());
                    }
                }
                ValueDefinition::Argument { .. } | ValueDefinition::Result { .. } => {}
            }
        }
        slice
    }
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
