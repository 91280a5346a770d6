//! Flattens buffers with shapes: an element is accessed by one linear index, extents are separate values.
//!
//! A kernel has one additional `index` argument for each dynamic dimension of its buffers, after the others.

use dialects::arith::CmpIPredicate;
use dialects::rt::attributes::NUMBER;
use dialects::{OpCodes, arith, cf, func, memref, rt, vector};
use ir::{
    Attribute, Block, Body, Builder, DenseElements, Diagnostic, IndexMap, IndexSet, Module, Op, Result, Type, Value,
    ValueDefinition,
};

use super::scope::{callee, definitions, is_kernel, kernel_names, with_body};

/// Makes every buffer flat and dense.
pub(super) fn flatten_buffers(module: &mut Module) -> Result<()> {
    let functions = definitions(module);
    let kernels = kernel_names(module);
    for &op in &functions {
        let kernel = is_kernel(module, op);
        let bounds = module.body.op(op).attributes.integer(NUMBER);
        with_body(module, op, |_, body| Flattener::new(&kernels, body, kernel, bounds).run())?;
    }
    for op in functions {
        module.update_function_type(op);
    }
    flatten_globals(module);
    Ok(())
}

/// One dimension for every global and its initial value.
fn flatten_globals(module: &mut Module) {
    for op in module.ops().to_vec() {
        let attributes = &mut module.body.op_mut(op).attributes;
        let Some(shape) = attributes.get("type").and_then(Attribute::as_type).and_then(Type::static_shape) else {
            continue;
        };
        let count: i64 = shape.iter().product();
        let element = attributes.get("type").and_then(Attribute::as_type).expect("just read").element().clone();
        if let Some(Attribute::Dense(elements)) = attributes.get("initial_value").cloned() {
            let r#type = Type::static_tensor(&[count], element.clone());
            attributes.set("initial_value", Attribute::dense(DenseElements { r#type, ..(*elements).clone() }));
        }
        attributes.set("type", Attribute::Type(Type::memref([Some(count)], element)));
    }
}

/// `memref<?xT>` for a buffer of any shape.
fn flat(r#type: &Type) -> Type {
    Type::memref(vec![None], r#type.element().clone())
}

fn dynamic_dimensions(r#type: &Type) -> usize {
    r#type.as_memref().map_or(0, |memref| memref.shape.iter().filter(|extent| extent.is_none()).count())
}

struct Flattener<'m> {
    /// The names of all kernels.
    kernels: &'m IndexSet<String>,
    body: &'m mut Body,
    /// In a host function with checks: the message of a failed one.
    bounds: Option<i64>,
    /// The dynamic extents of each buffer, outermost first.
    extents: IndexMap<Value, Vec<Value>>,
    /// The original type of each buffer.
    types: IndexMap<Value, Type>,
    /// The stride of each axis of an argument, computed on first use.
    strides: IndexMap<Value, Vec<Value>>,
    /// The loop depth of each value, computed on first use.
    depths: IndexMap<Value, usize>,
    /// Constants at the beginning of the entry block.
    constants: IndexMap<i64, Value>,
    /// The first operation after them.
    first: Op,
    /// Operations that are not used any more.
    dead: Vec<Op>,
}

impl<'m> Flattener<'m> {
    fn new(kernels: &'m IndexSet<String>, body: &'m mut Body, kernel: bool, bounds: Option<i64>) -> Flattener<'m> {
        let entry = body.entry().expect("only functions with a body are flattened");
        let first = body.first_op(entry).expect("a body has an end");
        let (extents, types, constants) = (IndexMap::default(), IndexMap::default(), IndexMap::default());
        let (strides, depths, dead) = (IndexMap::default(), IndexMap::default(), vec![]);
        let mut flattener =
            Flattener { kernels, body, bounds, extents, types, strides, depths, constants, first, dead };
        flattener.arguments(kernel);
        flattener
    }

    fn arguments(&mut self, kernel: bool) {
        let entry = self.body.entry().expect("only functions with a body are flattened");
        for argument in self.body.arguments(entry).to_vec() {
            let r#type = self.body.value_type(argument).clone();
            if r#type.as_memref().is_none() {
                continue;
            }
            let count = if kernel { dynamic_dimensions(&r#type) } else { 0 };
            let extents = (0..count).map(|_| self.body.add_argument(entry, Type::Index)).collect();
            self.bind(argument, r#type, extents);
        }
    }

    fn bind(&mut self, buffer: Value, r#type: Type, extents: Vec<Value>) {
        self.body.set_value_type(buffer, flat(&r#type));
        self.types.insert(buffer, r#type);
        self.extents.insert(buffer, extents);
    }

    fn run(mut self) -> Result<()> {
        let ops = self.body.walk_all();
        for &op in &ops {
            self.op(op)?;
        }
        for op in ops {
            if self.body.is(op, memref::GET_GLOBAL) {
                self.global(op);
            }
        }
        self.body.erase_all(&self.dead);
        Ok(())
    }

    /// The address of a global has the global's static type.
    fn global(&mut self, op: Op) {
        let result = self.body.result(op, 0);
        let count = self.types[&result].static_shape().expect("globals are static").iter().product();
        let attributes = self.body.op(op).attributes.clone();
        let element = self.types[&result].element().clone();
        let mut builder = Builder::before(self.body, op);
        let global = builder.value(memref::GET_GLOBAL, &[], Type::memref([Some(count)], element.clone()), attributes);
        let buffer = builder.value(memref::CAST, &[global], Type::memref([None], element), []);
        self.body.replace(op, &[buffer]);
    }

    fn constant(&mut self, value: i64) -> Value {
        if let Some(&known) = self.constants.get(&value) {
            return known;
        }
        let entry = self.body.entry().expect("only functions with a body are flattened");
        let new = Builder::at_start(self.body, entry).constant_index(value);
        self.constants.insert(value, new);
        new
    }

    fn op(&mut self, op: Op) -> Result<()> {
        match self.body.code(op) {
            Some(memref::LOAD | vector::LOAD) => self.access(op, 0, 0)?,
            Some(memref::STORE | vector::STORE) => self.access(op, 1, 0)?,
            Some(vector::MASKEDLOAD | vector::MASKEDSTORE) => self.access(op, 0, 2)?,
            Some(vector::GATHER) => self.access(op, 0, 3)?,
            Some(memref::DIM) => self.dim(op)?,
            Some(func::CALL) => self.call(op),
            Some(rt::BOUNDS) => self.count(op)?,
            Some(memref::ALLOCA | memref::ALLOC) => {
                let result = self.body.result(op, 0);
                let r#type = self.body.value_type(result).clone();
                if dynamic_dimensions(&r#type) > 0 {
                    return Err(self.unexpected(op));
                }
                let count: i64 = r#type.static_shape().unwrap_or_default().iter().product();
                self.bind(result, r#type.clone(), vec![]);
                self.body.set_value_type(result, Type::memref(vec![Some(count)], r#type.element().clone()));
            }
            _ => self.view(op)?,
        }
        Ok(())
    }

    /// The dynamic extents of a cast buffer: those of the operand, and constants that its type has.
    fn cast_extents(&mut self, op: Op, operand: Value, result: &Type) -> Result<Vec<Value>> {
        let mut dynamic = self.extents.get(&operand).cloned().unwrap_or_default().into_iter();
        let known = self.types.get(&operand).and_then(Type::shape).unwrap_or_default();
        let mut extents = Vec::new();
        for (from, to) in known.into_iter().zip(result.shape().unwrap_or_default()) {
            let own = if from.is_none() { dynamic.next() } else { None };
            if let (Some(own), Some(extent), Some(number)) = (own, to, self.bounds) {
                self.expect_extent(op, own, extent, number);
            }
            if to.is_none() {
                let known = from.map(|number| Builder::before(self.body, op).constant_index(number));
                extents.push(own.or(known).ok_or_else(|| self.unexpected(op))?);
            }
        }
        Ok(extents)
    }

    /// Asserts that a dynamic extent is the one that a cast states.
    fn expect_extent(&mut self, op: Op, own: Value, extent: i64, number: i64) {
        let mut builder = Builder::before(self.body, op);
        let extent = builder.constant_index(extent);
        let is_equal = builder.value(arith::CMPI, &[own, extent], Type::I1, [CmpIPredicate::Eq.attribute()]);
        let message = ("msg", Attribute::string("an extent is not the one that a cast states"));
        builder.create(cf::ASSERT, &[is_equal], &[], [message, (NUMBER, Attribute::i64(number))]);
    }

    /// Operations that create a buffer from something else.
    fn view(&mut self, op: Op) -> Result<()> {
        let results: Vec<Value> = self.body.op(op).results().to_vec();
        for result in results {
            let r#type = self.body.value_type(result).clone();
            if r#type.as_memref().is_none() {
                continue;
            }
            let operands = self.body.op(op).operands().to_vec();
            let extents = match self.body.code(op) {
                Some(memref::VIEW) => {
                    let sizes = operands[2..].to_vec();
                    let bytes = self.element_count(op, &r#type, &sizes);
                    self.body.set_operands(op, &[operands[0], operands[1], bytes]);
                    sizes
                }
                Some(memref::GET_GLOBAL | rt::BUFFER) => vec![],
                Some(memref::CAST) => self.cast_extents(op, operands[0], &r#type)?,
                _ => return Err(self.unexpected(op)),
            };
            self.bind(result, r#type, extents);
        }
        Ok(())
    }

    /// The number of elements of a view.
    fn element_count(&mut self, op: Op, r#type: &Type, sizes: &[Value]) -> Value {
        let known = self.constant(r#type.shape().unwrap_or_default().into_iter().flatten().product());
        if sizes.is_empty() {
            return known;
        }
        let mut builder = Builder::before(self.body, op);
        sizes.iter().fold(known, |total, &size| builder.value(arith::MULI, &[total, size], Type::Index, []))
    }

    /// Adds the number of elements of a buffer to its bounds.
    fn count(&mut self, op: Op) -> Result<()> {
        let &[buffer, status, ..] = self.body.op(op).operands() else { return Err(self.unexpected(op)) };
        let r#type = self.types.get(&buffer).cloned().unwrap_or_else(|| self.body.value_type(buffer).clone());
        let extents = self.extents.get(&buffer).cloned().unwrap_or_default();
        if extents.len() != dynamic_dimensions(&r#type) {
            return Err(self.unexpected(op));
        }
        let count = self.element_count(op, &r#type, &extents);
        self.body.set_operands(op, &[buffer, status, count]);
        Ok(())
    }

    fn unexpected(&self, op: Op) -> Vec<Diagnostic> {
        let location = self.body.op(op).location.clone();
        Diagnostic::internal(location, format!("{} has no flat form", self.body.name(op))).into()
    }

    /// Linearises the indices of an access: those after operand `buffer`, except the last `after` operands.
    fn access(&mut self, op: Op, buffer: usize, after: usize) -> Result<()> {
        let operands = self.body.op(op).operands().to_vec();
        let base = operands[buffer];
        let r#type = self.types.get(&base).cloned().unwrap_or_else(|| self.body.value_type(base).clone());
        let rank = r#type.rank().unwrap_or(0);
        debug_assert!(operands.len() >= buffer + 1 + rank + after);
        let (indices, rest) = operands[buffer + 1..].split_at(rank);
        let linear = self.linear_index(op, base, &r#type, indices).ok_or_else(|| self.unexpected(op))?;
        let new: Vec<Value> = operands[..=buffer].iter().copied().chain([linear]).chain(rest.iter().copied()).collect();
        self.body.set_operands(op, &new);
        Ok(())
    }

    /// `None` if an extent of the buffer is unknown, as those of arguments of a function that is not a kernel are.
    fn linear_index(&mut self, op: Op, base: Value, r#type: &Type, indices: &[Value]) -> Option<Value> {
        let shape = r#type.shape()?;
        let Some((&first, inner)) = indices.split_first() else { return Some(self.constant(0)) };
        if inner.is_empty() {
            return Some(first);
        }
        let is_argument = matches!(self.body.definition(base), ValueDefinition::Argument { .. });
        if is_argument && shape[1..].iter().any(Option::is_none) && self.is_inside(indices) {
            let strides = self.strides_of(base, &shape)?;
            return Some(self.sum_of_steps(op, indices, &strides));
        }
        let extents = self.inner_extents(base, &shape)?;
        let mut builder = Builder::before(self.body, op);
        let index = inner.iter().zip(extents).fold(first, |outer, (&index, extent)| {
            let scaled = builder.value(arith::MULI, &[outer, extent], Type::Index, []);
            builder.value(arith::ADDI, &[scaled, index], Type::Index, [])
        });
        Some(index)
    }

    /// Whether an index before the last depends on as many loops as any: then its product with the following extents is
    /// in the innermost loop.
    fn is_inside(&mut self, indices: &[Value]) -> bool {
        let (last, outer) = indices.split_last().expect("there are several");
        let deepest = outer.iter().map(|&index| self.depth(index)).max().unwrap_or(0);
        deepest > 0 && deepest >= self.depth(*last)
    }

    /// The depth of the loops that a value depends on, wherever the arithmetic for it is.
    fn depth(&mut self, value: Value) -> usize {
        if let Some(&known) = self.depths.get(&value) {
            return known;
        }
        let within = |body: &Body, around| std::iter::successors(around, |&op| body.parent_op(op)).count();
        let depth = match self.body.definition(value) {
            ValueDefinition::Argument { block, .. } => within(self.body, self.around(block)),
            ValueDefinition::Result { op, .. } if self.body.name(op).starts_with("arith.") => {
                let operands = self.body.op(op).operands().to_vec();
                operands.into_iter().map(|operand| self.depth(operand)).max().unwrap_or(0)
            }
            ValueDefinition::Result { op, .. } => within(self.body, self.body.parent_op(op)),
        };
        self.depths.insert(value, depth);
        depth
    }

    /// The operation that contains a block.
    fn around(&self, block: Block) -> Option<Op> {
        self.body.region_parent(self.body.block_region(block)?)
    }

    /// The sum of each addend of each index times the stride of its axis. Terms that depend on fewer loops are added
    /// first, so that they can be hoisted.
    fn sum_of_steps(&mut self, op: Op, indices: &[Value], strides: &[Value]) -> Value {
        let mut steps: Vec<(Value, Value)> = Vec::new();
        for (&index, &stride) in indices.iter().zip(strides) {
            steps.extend(self.addends(index).into_iter().map(|addend| (addend, stride)));
        }
        steps.sort_by_cached_key(|&(addend, _)| self.depth(addend));
        let one = *strides.last().expect("there are several axes");
        let mut builder = Builder::before(self.body, op);
        let steps = steps.into_iter().map(|(addend, stride)| match stride == one {
            true => addend,
            false => builder.value(arith::MULI, &[addend, stride], Type::Index, []),
        });
        let steps: Vec<Value> = steps.collect();
        let sum = |sum, step| builder.value(arith::ADDI, &[sum, step], Type::Index, []);
        steps.into_iter().reduce(sum).expect("there are several axes")
    }

    /// The addends of an index.
    fn addends(&self, index: Value) -> Vec<Value> {
        match self.body.defining_op(index).filter(|&op| self.body.is(op, arith::ADDI)) {
            Some(sum) => self.body.op(sum).operands().iter().flat_map(|&operand| self.addends(operand)).collect(),
            None => vec![index],
        }
    }

    /// The extents of a buffer but the outermost, in order.
    fn inner_extents(&mut self, buffer: Value, shape: &[Option<i64>]) -> Option<Vec<Value>> {
        let mut dynamic = self.extents.get(&buffer).cloned().unwrap_or_default().into_iter();
        let extents: Vec<Option<Value>> = shape
            .iter()
            .map(|extent| match extent {
                Some(extent) => Some(self.constant(*extent)),
                None => dynamic.next(),
            })
            .collect();
        extents.into_iter().skip(1).collect()
    }

    /// The stride of each axis of an argument.
    fn strides_of(&mut self, argument: Value, shape: &[Option<i64>]) -> Option<Vec<Value>> {
        if let Some(known) = self.strides.get(&argument) {
            return Some(known.clone());
        }
        let mut inner = self.inner_extents(argument, shape)?.into_iter().rev();
        let mut strides = vec![self.constant(1)];
        strides.extend(inner.next());
        for extent in inner {
            let last = *strides.last().expect("there is one");
            let mut builder = Builder::before(self.body, self.first);
            strides.push(builder.value(arith::MULI, &[last, extent], Type::Index, []));
        }
        strides.reverse();
        self.strides.insert(argument, strides.clone());
        Some(strides)
    }

    fn dim(&mut self, op: Op) -> Result<()> {
        let memref::Dim { source: buffer, index: axis } = memref::Dim::of(self.body, op);
        let shape = self.types.get(&buffer).and_then(Type::shape).unwrap_or_default();
        let axis = ir::constant_integer(self.body, axis).and_then(|axis| usize::try_from(axis).ok());
        let Some((axis, extent)) = axis.and_then(|axis| Some((axis, *shape.get(axis)?))) else {
            return Err(self.unexpected(op));
        };
        let new = match extent {
            Some(extent) => self.constant(extent),
            None => {
                let position = shape[..axis].iter().filter(|extent| extent.is_none()).count();
                let known = self.extents.get(&buffer).and_then(|extents| extents.get(position));
                *known.ok_or_else(|| self.unexpected(op))?
            }
        };
        self.body.replace_all_uses(self.body.result(op, 0), new);
        self.dead.push(op);
        Ok(())
    }

    /// Passes the dynamic extents of buffers to kernels; results of runtime symbols are flat already.
    fn call(&mut self, op: Op) {
        if callee(self.body, op).is_some_and(|name| self.kernels.contains(name)) {
            let mut operands = self.body.op(op).operands().to_vec();
            let extents: Vec<Value> =
                operands.iter().filter_map(|operand| self.extents.get(operand)).flatten().copied().collect();
            operands.extend(extents);
            self.body.set_operands(op, &operands);
        }
        for result in self.body.op(op).results().to_vec() {
            let r#type = self.body.value_type(result).clone();
            if r#type.as_memref().is_some() {
                self.bind(result, r#type, vec![]);
            }
        }
    }
}
