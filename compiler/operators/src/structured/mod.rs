//! The graph level to the structured level: each ONNX operator becomes index maps and a scalar body.
//!
//! A function is lowered into a new body, operation by operation. Extents are the symbolic dimensions of shape
//! inference; each distinct one becomes one `index` value, so that equal extents are equal values.
//!
//! Invariants
//! - Integers are signless below this level; the source's types state whether an operand was unsigned.
//! - A size that depends only on the inputs' extents is computed in the entry block before everything else.

pub(crate) mod block_quantized;
pub(crate) mod bytes;
pub(crate) mod calls;
pub(crate) mod channel_blocks;
pub(crate) mod contraction;
pub(crate) mod convolution;
pub(crate) mod data_dependent_sizes;
pub mod dims;
pub mod elementwise;
pub(crate) mod extreme;
pub(crate) mod gather;
mod grouped;
mod known;
pub(crate) mod reduction;
pub(crate) mod repetition;
pub(crate) mod sampling;
pub mod scalars;
pub(crate) mod slicing;
pub(crate) mod strings;
pub(crate) mod transposed_convolution;
pub(crate) mod window;

use crate::shape::{Condition, ShapeAnalysis, Stated};
use crate::table;
use dialects::arith::CmpIPredicate;
use dialects::onnx::views::{self, ScatterReduction, View};
use dialects::onnx::{CONSTANT, NO_VALUE, OnnxOp, YIELD};
use dialects::{OpCode, OpCodes, arith, func, linalg, scf, tensor};
use ir::{
    AffineExpr, AffineMap, Attribute, Attributes, Block, Body, Builder, Diagnostic, DimExpr, IndexMap, IndexSet,
    Location, Module, Op, Signedness, Type, Value,
};

use dialects::linalg::generic::{Input, Iterator, build_generic, parallel};
use dialects::rt::attributes::{ARGUMENT, CONDITIONS, ORIGIN, STRINGS};
use dialects::rt::routines::handle_type;

const NO_LOWERING: &str = "this operator has no lowering yet";

/// Why an operator cannot be lowered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The missing feature, as the end of a sentence.
    pub reason: String,
    /// Whether the node is invalid instead, for a reason that is only found now.
    is_invalid: bool,
}

impl Unsupported {
    /// An operator that cannot be lowered because of `reason`.
    pub fn new(reason: impl Into<String>) -> Unsupported {
        Unsupported { reason: reason.into(), is_invalid: false }
    }

    /// A node that breaks a condition of its operator.
    pub fn invalid(reason: impl Into<String>) -> Unsupported {
        Unsupported { reason: reason.into(), is_invalid: true }
    }

    fn diagnostic(&self, location: Location, operator: &str) -> Diagnostic {
        let name = operator.strip_prefix("onnx.").unwrap_or(operator);
        match self.is_invalid {
            true => Diagnostic::input(location, format!("{name}: {}", self.reason)).breaks("operator-conditions"),
            false => Diagnostic::unsupported(location, format!("{operator} is not supported: {}", self.reason)),
        }
    }
}

/// Lowering of one function.
pub struct Lowering<'a> {
    /// The function at the graph level.
    pub source: &'a Body,
    /// Its shapes.
    pub shapes: &'a ShapeAnalysis,
    /// The function being built.
    pub body: Body,
    /// The block that operations are appended to.
    pub at: Block,
    location: Location,
    /// The operator being lowered.
    operator: String,
    values: IndexMap<Value, Value>,
    blocked: IndexMap<Value, Value>,
    grouped: IndexMap<Value, grouped::Grouped>,
    dims: IndexMap<DimExpr, Value>,
    /// Conditions on extents that have been asserted.
    checked: IndexSet<Condition>,
    /// An extent that was used before its definition.
    undefined: Option<String>,
    /// The strings of the model, by index; the first is empty.
    strings: IndexSet<String>,
    /// The unsupported operators so far.
    errors: Vec<Diagnostic>,
    entry: Block,
    /// The last of the operations at the beginning of the entry block that compute sizes from input extents.
    sizes: Option<Op>,
}

/// Lowers the function `name` of a module to the structured level.
pub fn lower_function(module: &mut Module, name: &str) -> ir::Result<()> {
    let Some((op, source)) = module.take_function(name) else { return Ok(()) };
    let attributes = module.body.op(op).attributes.clone();
    let shapes = crate::shape::analyse(&source, &attributes, &IndexMap::default())?;
    let stated = module.attributes.remove(CONDITIONS);
    let stated = stated.as_ref().and_then(Attribute::as_array).unwrap_or_default();
    let (body, strings) = Lowering::run(&source, &shapes, stated.iter().filter_map(Stated::of_attribute).collect())?;
    module.body.set_isolated(op, body);
    if strings.len() > 1 {
        let strings = strings.iter().skip(1).map(|text| Attribute::string(text)).collect();
        module.attributes.set(STRINGS, Attribute::Array(strings));
    }
    module.update_function_type(op);
    Ok(())
}

impl<'a> Lowering<'a> {
    fn run(source: &'a Body, shapes: &'a ShapeAnalysis, stated: Vec<Stated>) -> ir::Result<(Body, IndexSet<String>)> {
        let old_entry = source.entry().expect("a graph function has a body");
        let mut body = Body::new();
        let entry = body.add_block(body.root(), &[]);
        let mut lowering = Lowering {
            source,
            shapes,
            body,
            at: entry,
            location: Location::Unknown,
            operator: String::new(),
            values: IndexMap::default(),
            blocked: IndexMap::default(),
            grouped: IndexMap::default(),
            dims: IndexMap::default(),
            checked: IndexSet::default(),
            undefined: None,
            strings: IndexSet::from_iter([String::new()]),
            errors: Vec::new(),
            entry,
            sizes: None,
        };
        for &argument in source.arguments(old_entry) {
            let r#type = lowering.lowered_type(argument);
            let new = lowering.body.add_argument(entry, r#type);
            lowering.values.insert(argument, new);
        }
        stated.into_iter().for_each(|stated| lowering.check_stated(stated));
        lowering.block(old_entry);
        let end = source.terminator(old_entry).expect("a function returns");
        // an argument may be returned unchanged
        if let Err(unsupported) = lowering.check_types(end) {
            let message = format!("an output is not supported: {}", unsupported.reason);
            lowering.errors.push(Diagnostic::unsupported(source.op(end).location.clone(), message));
        }
        if !lowering.errors.is_empty() {
            return Err(lowering.errors);
        }
        let results: Vec<Value> = source.op(end).operands().iter().map(|&v| lowering.value(v)).collect();
        lowering.emit(func::RETURN, &results, &[], []);
        Ok((lowering.body, lowering.strings))
    }

    /// Lowers every operation of a block but its terminator, collecting unsupported ones.
    pub(crate) fn block(&mut self, block: Block) {
        let outer = (self.location.clone(), self.operator.clone());
        for op in self.source.ops(block) {
            let name = self.source.name(op);
            if self.source.is(op, func::RETURN) || matches!(name, YIELD | NO_VALUE) {
                continue;
            }
            let operator = name.strip_prefix("onnx.").unwrap_or(name);
            self.location = self.source.op(op).location.clone();
            self.operator = operator.to_string();
            let lost = self.source.op(op).operands().iter().any(|&operand| self.is_lost(operand));
            let outcome = match lost {
                true if is_lowered(name) => Ok(()),
                true => Err(Unsupported::new(NO_LOWERING)),
                false => self.operation(op),
            };
            let undefined = self.undefined.take().filter(|_| outcome.is_ok());
            let outcome = undefined.map_or(outcome, |extent| {
                Err(Unsupported::new(format!("the extent {extent} depends on the contents of a tensor")))
            });
            if let Err(unsupported) = &outcome {
                self.errors.push(unsupported.diagnostic(self.source.op(op).location.clone(), name));
            }
            if lost || outcome.is_err() {
                self.bind_placeholders(op);
            }
        }
        (self.location, self.operator) = outer;
    }

    /// Whether a value is missing because its operator is unsupported, which has been reported.
    pub(crate) fn is_lost(&self, value: Value) -> bool {
        !self.is_bound(value) && *self.source.value_type(value) != Type::None
    }

    /// Continues after an unsupported operator, so that all of them are reported.
    pub(crate) fn bind_placeholders(&mut self, op: Op) {
        for &result in self.source.op(op).results() {
            if let (false, Some(shape)) = (self.is_bound(result), self.shapes.shape(result)) {
                let shape = shape.to_vec();
                let element = self.element(result);
                for dim in &shape {
                    if self.is_own_symbol(dim, result) {
                        let nothing = self.index(0);
                        self.define_dim(dim, nothing);
                    }
                }
                let value = self.empty(&shape, element);
                self.values.insert(result, value);
            }
        }
    }

    fn operation(&mut self, op: Op) -> Result<(), Unsupported> {
        self.check_types(op)?;
        let operation = self.source.op(op);
        if operation.results().iter().any(|&result| self.is_unranked(result)) {
            return Err(Unsupported::new("the rank of its result is not known"));
        }
        if operation.operands().iter().any(|&operand| self.is_unranked(operand)) {
            return Err(Unsupported::new("the rank of an operand is not known"));
        }
        self.check_requirements(op);
        if self.bind_known(op) {
            return Ok(());
        }
        let row = table::row_of(self.source.name(op));
        match row.map(|row| (row.lower, row.scalar)) {
            Some((Some(lower), _)) => lower(self, op),
            Some((None, Some(_))) => {
                elementwise::lower(self, op);
                Ok(())
            }
            _ => Err(Unsupported::new(NO_LOWERING)),
        }
    }

    /// Whether a value is a tensor of unknown rank.
    fn is_unranked(&self, value: Value) -> bool {
        self.source.value_type(value).as_tensor().is_some() && self.shapes.shape(value).is_none()
    }

    /// Refuses operators that compute with elements other than numbers.
    fn check_types(&self, op: Op) -> Result<(), Unsupported> {
        let operation = self.source.op(op);
        for &value in operation.operands().iter().chain(operation.results()) {
            match self.source.value_type(value) {
                Type::None => {}
                Type::Tensor(tensor) if matches!(tensor.element, Type::Integer(_) | Type::Float(_)) => {}
                Type::Tensor(tensor) if matches!(tensor.element, Type::Complex(_)) => {
                    if computes_with_elements(self.source, op) {
                        return Err(Unsupported::new("complex numbers are only moved, not computed with"));
                    }
                }
                Type::Tensor(tensor) if is_string(&tensor.element) => {}
                Type::Tensor(_) => return Err(Unsupported::new("its element type is not compiled")),
                container if is_container(container) => {}
                other => return Err(Unsupported::new(format!("values of type {other} are not compiled"))),
            }
        }
        Ok(())
    }

    // ---- types and values

    /// The element type of a source value below the graph level: integers are signless.
    pub fn element(&self, value: Value) -> Type {
        signless(self.source.value_type(value).element())
    }

    /// Whether a source value's elements are unsigned integers.
    pub fn is_unsigned(&self, value: Value) -> bool {
        self.source.value_type(value).element().is_unsigned()
    }

    /// Whether an operand is present.
    pub fn is_present(&self, value: Value) -> bool {
        !matches!(self.source.value_type(value), Type::None)
    }

    /// Operand `index` of an operation, if present.
    pub fn operand(&self, op: Op, index: usize) -> Option<Value> {
        self.source.op(op).operands().get(index).copied().filter(|&value| self.is_present(value))
    }

    /// The shape of a source value.
    pub fn shape(&self, value: Value) -> Vec<DimExpr> {
        self.shapes.shape(value).map(<[DimExpr]>::to_vec).unwrap_or_default()
    }

    /// The contents of a small integer operand, if every element is a known constant.
    pub fn known_integers(&self, value: Value) -> Option<Vec<i64>> {
        self.shapes.known_value(value)?.iter().map(DimExpr::as_constant).collect()
    }

    /// A ranked tensor type with a symbolic shape.
    pub fn tensor(&self, shape: &[DimExpr], element: Type) -> Type {
        Type::tensor(shape.iter().map(DimExpr::as_constant).collect::<Vec<_>>(), element)
    }

    /// The type of a value below the graph level.
    pub(crate) fn lowered_type(&self, value: Value) -> Type {
        if is_container(self.source.value_type(value)) {
            return handle_type();
        }
        self.tensor(&self.shape(value), self.element(value))
    }

    /// The lowered value of a source value, in plain layout.
    pub fn value(&mut self, value: Value) -> Value {
        if let Some(&plain) = self.values.get(&value) {
            return plain;
        }
        let plain = match self.ungroup(value) {
            Some(plain) => plain,
            None => {
                let blocked = *self.blocked.get(&value).expect("operands are lowered before their readers");
                let shape = self.shape(value);
                self.unpack(blocked, &shape)
            }
        };
        self.values.insert(value, plain);
        plain
    }

    /// Runs `build` in another block; values that it creates are not visible after it.
    pub fn nested<T>(&mut self, block: Block, build: impl FnOnce(&mut Self) -> T) -> T {
        let outer = self.at;
        let known = (self.values.len(), self.blocked.len(), self.grouped.len(), self.dims.clone());
        let checked = self.checked.len();
        self.at = block;
        let result = build(self);
        self.at = outer;
        self.values.truncate(known.0);
        self.blocked.truncate(known.1);
        self.grouped.truncate(known.2);
        self.checked.truncate(checked);
        let dims = std::mem::take(&mut self.dims);
        self.dims = dims.into_iter().filter(|(dim, _)| known.3.contains_key(dim) || self.only_inputs(dim)).collect();
        result
    }

    pub(crate) fn is_bound(&self, value: Value) -> bool {
        self.values.contains_key(&value) || self.blocked.contains_key(&value) || self.grouped.contains_key(&value)
    }

    /// Records the lowered value of a result.
    pub fn bind(&mut self, result: Value, value: Value) {
        self.values.insert(result, value);
    }

    // ---- building

    /// A builder at the insertion point.
    pub fn builder(&mut self) -> Builder<'_> {
        Builder::at_end(&mut self.body, self.at).with_location(self.location.clone())
    }

    /// Emits an operation at the insertion point.
    pub fn emit(
        &mut self,
        code: OpCode,
        operands: &[Value],
        results: &[Type],
        attributes: impl Into<Attributes>,
    ) -> Op {
        self.builder().create(code, operands, results, attributes)
    }

    /// `tensor.empty` of a symbolic shape.
    pub fn empty(&mut self, shape: &[DimExpr], element: Type) -> Value {
        let sizes: Vec<Value> =
            shape.iter().filter(|dim| dim.as_constant().is_none()).map(|dim| self.dim(dim)).collect();
        let r#type = self.tensor(shape, element);
        self.builder().value_from(tensor::Empty { sizes: &sizes }, r#type, [])
    }

    /// A `linalg.generic` over a fresh result of the given shape.
    pub fn generic(
        &mut self,
        inputs: &[Input],
        shape: &[DimExpr],
        element: Type,
        output_map: AffineMap,
        iterators: &[Iterator],
        body: impl FnOnce(&mut Builder<'_>, &[Value]) -> Value,
    ) -> Value {
        let init = self.empty(shape, element);
        self.generic_onto(inputs, init, output_map, iterators, body)
    }

    /// A `linalg.generic` whose result starts from `init`.
    pub fn generic_onto(
        &mut self,
        inputs: &[Input],
        init: Value,
        output_map: AffineMap,
        iterators: &[Iterator],
        body: impl FnOnce(&mut Builder<'_>, &[Value]) -> Value,
    ) -> Value {
        let body = |builder: &mut Builder<'_>, elements: &[Value]| vec![body(builder, elements)];
        self.generic_onto_all(inputs, &[init], output_map, iterators, body)[0]
    }

    /// A `linalg.generic` with one result for each of `inits`, its initial values, all written by the same map.
    pub fn generic_onto_all(
        &mut self,
        inputs: &[Input],
        inits: &[Value],
        output_map: AffineMap,
        iterators: &[Iterator],
        body: impl FnOnce(&mut Builder<'_>, &[Value]) -> Vec<Value>,
    ) -> Vec<Value> {
        let origin = self.operator.to_lowercase();
        let mut builder = self.builder();
        let outputs: Vec<Input> = inits.iter().map(|&value| Input { value, map: output_map.clone() }).collect();
        let results = build_generic(&mut builder, inputs, &outputs, iterators, body);
        let op = self.body.defining_op(results[0]).expect("a generic defines its results");
        self.body.op_mut(op).attributes.set(ORIGIN, Attribute::string(&origin));
        results
    }

    /// A parallel `linalg.generic` with an identity output map.
    pub fn pointwise(
        &mut self,
        inputs: &[Input],
        shape: &[DimExpr],
        element: Type,
        body: impl FnOnce(&mut Builder<'_>, &[Value]) -> Value,
    ) -> Value {
        let rank = shape.len();
        // the result's previous contents are not an operand
        let own = |builder: &mut Builder<'_>, elements: &[Value]| body(builder, &elements[..inputs.len()]);
        self.generic(inputs, shape, element, AffineMap::identity(rank), &parallel(rank), own)
    }

    /// Binds `result` to an elementwise computation with multidirectional broadcasting, in the layout of the operands.
    /// Omitted operands reach `body` as `None`.
    pub fn broadcast(
        &mut self,
        operands: &[Value],
        result: Value,
        body: impl FnOnce(&mut Builder<'_>, &[Option<Value>]) -> Value,
    ) {
        let shape = self.shape(result);
        let element = self.element(result);
        let is_present: Vec<bool> = operands.iter().map(|&value| self.is_present(value)).collect();
        let call = |builder: &mut Builder<'_>, elements: &[Value]| {
            let mut next = elements.iter().copied();
            let arguments: Vec<Option<Value>> =
                is_present.iter().map(|&present| if present { next.next() } else { None }).collect();
            body(builder, &arguments)
        };
        let present: Vec<Value> = operands.iter().copied().filter(|&value| self.is_present(value)).collect();
        if let Some(groups) = self.groups_of(&present, result)
            && let Some((operands, shape)) = self.grouped_operands(&present, result, groups)
        {
            let inputs: Vec<Input> =
                operands.iter().map(|operand| self.broadcast_input(operand.value, &operand.shape, &shape)).collect();
            let value = self.pointwise(&inputs, &shape, element, call);
            self.bind_grouped(result, value, groups);
            return;
        }
        if let Some(inputs) = self.blocked_operands(operands, result) {
            let shape = channel_blocks::blocked_shape(&shape);
            let value = self.pointwise(&inputs, &shape, element, call);
            self.bind_blocked(result, value);
            return;
        }
        let inputs: Vec<Input> = present
            .into_iter()
            .map(|value| {
                let from = self.shape(value);
                let value = self.value(value);
                self.broadcast_input(value, &from, &shape)
            })
            .collect();
        let value = self.pointwise(&inputs, &shape, element, call);
        self.bind(result, value);
    }

    /// How a tensor of shape `from` is read by loops over `to`: extents of 1 are repeated.
    ///
    /// A dimension that may or may not be 1 is repeated at run time if necessary.
    pub fn broadcast_input(&mut self, value: Value, from: &[DimExpr], to: &[DimExpr]) -> Input {
        let one = DimExpr::Constant(1);
        let shift = to.len() - from.len();
        let undecided = from.iter().enumerate().any(|(axis, dim)| *dim != one && *dim != to[shift + axis]);
        let value = if undecided { self.expand_undecided(value, from, &to[shift..]) } else { value };
        let results = from
            .iter()
            .enumerate()
            .map(|(axis, dim)| match *dim == one && to[shift + axis] != one {
                true => AffineExpr::Constant(0),
                false => AffineExpr::Dim((shift + axis) as u32),
            })
            .collect();
        Input { value, map: AffineMap::new(to.len() as u32, results) }
    }

    /// The tensor itself if its extents are those of the result at run time, else one whose dimensions of extent 1 are
    /// repeated.
    fn expand_undecided(&mut self, value: Value, from: &[DimExpr], to: &[DimExpr]) -> Value {
        let one = DimExpr::Constant(1);
        let shape: Vec<DimExpr> =
            from.iter().zip(to).map(|(from, to)| if *from == one { one.clone() } else { to.clone() }).collect();
        let differ =
            |(from, to): (&DimExpr, &DimExpr)| from != to && from.as_constant().is_some() && to.as_constant().is_some();
        if from.iter().zip(&shape).any(differ) {
            return self.repeated(value, from, &shape);
        }
        let mut is_whole = self.builder().constant(Attribute::Integer(1, Type::I1), Type::I1);
        for (from, to) in from.iter().zip(&shape).filter(|(from, to)| from != to) {
            let extents = [self.dim(from), self.dim(to)];
            let equal = self.builder().value(arith::CMPI, &extents, Type::I1, [CmpIPredicate::Eq.attribute()]);
            is_whole = self.builder().value(arith::ANDI, &[is_whole, equal], Type::I1, []);
        }
        let r#type = self.tensor(&shape, self.body.value_type(value).element().clone());
        self.choose(is_whole, &r#type, |lowering, is_whole| match is_whole {
            true if *lowering.body.value_type(value) == r#type => value,
            true => lowering.builder().value(tensor::CAST, &[value], r#type.clone(), []),
            false => lowering.repeated(value, from, &shape),
        })
    }

    /// A tensor of one type, built by `branch` for either value of a run-time condition.
    fn choose(
        &mut self,
        condition: Value,
        r#type: &Type,
        mut branch: impl FnMut(&mut Lowering<'_>, bool) -> Value,
    ) -> Value {
        let choice = self.emit(scf::IF, &[condition], std::slice::from_ref(r#type), []);
        for holds in [true, false] {
            let region = self.body.add_region(choice);
            let block = self.body.add_block(region, &[]);
            self.nested(block, |lowering| {
                let chosen = branch(lowering, holds);
                lowering.emit(scf::YIELD, &[chosen], &[], []);
            });
        }
        self.body.result(choice, 0)
    }

    /// The result of `read` on a tensor with these extents, or a tensor of `fill` if one of them is 0 at run time: then
    /// there is no element to read.
    pub(crate) fn unless_empty(
        &mut self,
        extents: &[DimExpr],
        shape: &[DimExpr],
        fill: Value,
        mut read: impl FnMut(&mut Lowering<'_>) -> Value,
    ) -> Value {
        let uncertain = |dim: &&DimExpr| dim.as_constant().is_none_or(|extent| extent < 1);
        let uncertain: Vec<Value> = extents.iter().filter(uncertain).map(|dim| self.dim(dim)).collect();
        let some = self.scalars(|s| {
            let zero = s.number(0.0, &Type::Index);
            let some = uncertain.into_iter().map(|extent| s.compare(scalars::Comparison::Greater, extent, zero));
            some.collect::<Vec<_>>().into_iter().reduce(|all, some| s.same(arith::ANDI, &[all, some]))
        });
        let Some(some) = some else { return read(self) };
        let element = self.body.value_type(fill).clone();
        let r#type = self.tensor(shape, element.clone());
        self.choose(some, &r#type, |lowering, some| match some {
            true => read(lowering),
            false => lowering.pointwise(&[], shape, element.clone(), |_, _| fill),
        })
    }

    /// Repeats dimensions whose extent is 1 at run time: element `min(index, extent - 1)`.
    fn repeated(&mut self, value: Value, from: &[DimExpr], shape: &[DimExpr]) -> Value {
        let one = DimExpr::Constant(1);
        let limits: Vec<Option<Value>> =
            from.iter().zip(shape).map(|(from, to)| (from != to).then(|| self.dim(&from.sub(&one)))).collect();
        let element = self.body.value_type(value).element().clone();
        self.pointwise(&[], shape, element.clone(), |builder, _| {
            let mut indices = Vec::with_capacity(limits.len());
            for (axis, limit) in limits.iter().enumerate() {
                let index = builder.value(linalg::INDEX, &[], Type::Index, [("dim", Attribute::i64(axis as i64))]);
                indices.push(match limit {
                    Some(limit) => builder.value(arith::MINSI, &[index, *limit], Type::Index, []),
                    None => index,
                });
            }
            builder.value_from(tensor::Extract { tensor: value, indices: &indices }, element, [])
        })
    }

    /// Binds a result to a uniform tensor.
    pub fn fill(&mut self, result: Value, number: f64) {
        let shape = self.shape(result);
        let element = self.element(result);
        let value = self.filled(&shape, element, number);
        self.bind(result, value);
    }

    /// A uniform tensor.
    pub fn filled(&mut self, shape: &[DimExpr], element: Type, number: f64) -> Value {
        let scalar = self.number(number, &element);
        self.pointwise(&[], shape, element, |_, _| scalar)
    }

    /// A scalar constant.
    pub fn number(&mut self, value: f64, r#type: &Type) -> Value {
        let mut builder = self.builder();
        scalars::Scalars { builder: &mut builder, unsigned: false }.number(value, r#type)
    }

    /// An `index` constant.
    pub fn index(&mut self, value: i64) -> Value {
        self.builder().constant_index(value)
    }

    /// An index constant that kernels take as an argument.
    pub(crate) fn kernel_argument(&mut self, value: i64) -> Value {
        let attributes = [("value", Attribute::Integer(value, Type::Index)), (ARGUMENT, Attribute::Unit)];
        self.builder().value(arith::CONSTANT, &[], Type::Index, attributes)
    }

    /// The same elements in row-major order with another shape.
    pub fn reshape(&mut self, value: Value, shape: &[DimExpr]) -> Value {
        let r#type = self.tensor(shape, self.body.value_type(value).element().clone());
        if self.body.value_type(value).has_same_extents(&r#type) {
            return value;
        }
        if let Some(constant) = known::reshaped(&self.body, value, &r#type) {
            return self.builder().value(arith::CONSTANT, &[], r#type, [("value", constant)]);
        }
        // a reshape of a reshape reads the operand of the first
        let reshaped = self.body.defining_op(value).filter(|&op| self.body.is(op, tensor::RESHAPE));
        let value = reshaped.map_or(value, |op| tensor::Reshape::of(&self.body, op).source);
        let extents: Vec<Value> = shape.iter().map(|dim| self.dim(dim)).collect();
        let mut builder = self.builder();
        let shape_type = Type::static_tensor(&[shape.len() as i64], Type::Index);
        let shape = builder.value(tensor::FROM_ELEMENTS, &extents, shape_type, []);
        builder.value_from(tensor::Reshape { source: value, shape }, r#type, [])
    }

    /// The extent of an axis, read from the tensor itself: kernels that only differ in it can be shared.
    pub(crate) fn extent(&mut self, tensor: Value, axis: usize) -> Value {
        let axis = self.index(axis as i64);
        self.builder().value_from(tensor::Dim { source: tensor, index: axis }, Type::Index, [])
    }

    /// `tensor.concat` along an axis.
    pub fn concat(&mut self, operands: &[Value], shape: &[DimExpr], axis: usize) -> Value {
        let element = self.body.value_type(operands[0]).element().clone();
        let r#type = self.tensor(shape, element);
        let attributes =
            Attributes::from([("dim", Attribute::i64(axis as i64)), (ORIGIN, Attribute::string("concat"))]);
        let op = self.emit(tensor::CONCAT, operands, &[r#type], attributes);
        self.body.result(op, 0)
    }

    /// Whether `dim` is a symbol for an extent of `result` itself.
    pub fn is_own_symbol(&self, dim: &DimExpr, result: Value) -> bool {
        use crate::shape::SymbolSource;
        dim.as_symbol().is_some_and(|symbol| {
            matches!(self.shapes.sources.get(symbol), Some(SymbolSource::Result { value, .. }) if *value == result)
        })
    }

    /// The `index` value of a symbolic dimension.
    pub fn dim(&mut self, dim: &DimExpr) -> Value {
        dims::materialize(self, dim)
    }
}

/// Whether operations of a name are lowered here.
pub(crate) fn is_lowered(name: &str) -> bool {
    table::row_of(name).is_some_and(|row| row.lower.is_some() || row.scalar.is_some())
}

/// Whether a type is a sequence, an optional or a map.
pub(crate) fn is_container(r#type: &Type) -> bool {
    matches!(r#type, Type::Dialect(dialect) if matches!(&*dialect.name, "Seq" | "Opt" | "Map"))
}

/// Whether an element type is string.
pub(crate) fn is_string(element: &Type) -> bool {
    matches!(element, Type::Dialect(dialect) if &*dialect.name == "String")
}

/// Whether an operator that the documents define for complex numbers does more than move or compare them with zero.
fn computes_with_elements(source: &Body, op: Op) -> bool {
    match OnnxOp::of(source, op) {
        Some(OnnxOp::Col2Im | OnnxOp::GridSample | OnnxOp::Resize | OnnxOp::Unique) => true,
        Some(OnnxOp::RandomNormalLike | OnnxOp::RandomUniformLike) => {
            source.op(op).results().iter().any(|&value| matches!(source.value_type(value).element(), Type::Complex(_)))
        }
        Some(OnnxOp::ScatterElements) => orders(views::ScatterElements::of(source, op).reduction),
        Some(OnnxOp::ScatterND) => orders(views::ScatterND::of(source, op).reduction),
        _ => false,
    }
}

/// Whether a reduction is a minimum or maximum.
fn orders(reduction: ScatterReduction) -> bool {
    matches!(reduction, ScatterReduction::Max | ScatterReduction::Min)
}

/// An integer type without signedness; strings as indices; complex numbers as bits; other types unchanged.
pub(crate) fn signless(element: &Type) -> Type {
    match element {
        string if is_string(string) => Type::I64,
        Type::Complex(part) => Type::integer(2 * part.width()),
        Type::Integer(integer) if integer.signedness != Signedness::Signless => Type::integer(integer.width),
        other => other.clone(),
    }
}
