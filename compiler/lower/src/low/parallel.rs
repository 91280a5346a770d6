//! Outlines parallel loops into functions that the runtime calls on ranges of iterations.
//!
//! Values that a loop body reads from outside are passed in an environment: a table of words on the caller's stack.
//! Constants are duplicated in the body instead. A loop that is too short to be shared becomes an ordinary loop.

use dialects::rt::words::{self, WORD_BYTES, pack};
use dialects::{OpCodes, arith, func, memref, rt, scf, vector};
use ir::{Attribute, Attributes, Body, Builder, FunctionType, IndexSet, Location, Module, Op, Result, Type, Value};

use super::scope::{definitions, name_of, stack_table, table_type, with_body};
use dialects::rt::attributes::{ELEMENTS, LEVEL, WORK};
use ir::clone::{Mapping, clone_op};

/// The largest number of operations between a buffer with bounds and an address that is computed from it.
const DEEPEST: usize = 8;

/// Outlines every `scf.parallel` without reductions.
pub(super) fn outline_parallel(module: &mut Module) -> Result<()> {
    let mut pending = definitions(module);
    while let Some(function) = pending.pop() {
        let stem = name_of(module, function).to_string();
        let mut bodies = Vec::new();
        with_body(module, function, |_, body| {
            while let Some(op) = body.walk_all().into_iter().find(|&op| body.is(op, scf::PARALLEL)) {
                let parallel = Loop::of(body, op);
                if parallel.is_short(body) {
                    parallel.serialise(body);
                } else {
                    let name = format!("{stem}_loop_{}", bodies.len());
                    bodies.push((name.clone(), parallel.outline(body, &name)));
                }
            }
        });
        // the hot code is now in the loops' functions
        let attributes = &mut module.body.op_mut(function).attributes;
        let elements = if bodies.is_empty() { None } else { attributes.remove(ELEMENTS) };
        let level = attributes.get(LEVEL).cloned();
        for (name, body) in bodies {
            let inputs = vec![table_type(), Type::Index, Type::Index];
            let r#type = FunctionType { inputs, results: vec![] };
            let mut attributes = Attributes::from([("sym_visibility", Attribute::string("private"))]);
            elements.iter().for_each(|elements| attributes.set(ELEMENTS, elements.clone()));
            level.iter().for_each(|level| attributes.set(LEVEL, level.clone()));
            pending.push(module.add_function(&name, r#type, attributes, body, Location::Unknown));
        }
    }
    Ok(())
}

/// Turns every `scf.parallel` into an ordinary loop.
pub(super) fn serialise_parallel(module: &mut Module) -> Result<()> {
    for function in definitions(module) {
        with_body(module, function, |_, body| {
            for op in body.walk_all().into_iter().filter(|&op| body.is(op, scf::PARALLEL)).collect::<Vec<_>>() {
                Loop::of(body, op).serialise(body);
            }
        });
    }
    Ok(())
}

/// A parallel loop of one dimension.
struct Loop {
    op: Op,
    low: Value,
    high: Value,
    step: Value,
    /// Estimated scalar operations of an iteration.
    work: i64,
}

impl Loop {
    fn of(body: &Body, op: Op) -> Loop {
        let operation = body.op(op);
        let &[low, high, step] = operation.operands() else {
            unreachable!("kernels have parallel loops of one dimension")
        };
        let work = operation.attributes.integer(WORK).unwrap_or(abi::GRAIN).max(1);
        Loop { op, low, high, step, work }
    }

    fn is_short(&self, body: &Body) -> bool {
        scf::iterations(body, [self.low, self.high, self.step])
            .is_some_and(|count| count <= 1 || count.saturating_mul(self.work) < 2 * abi::GRAIN)
    }

    fn block(&self, body: &Body) -> ir::Block {
        body.blocks(body.op(self.op).regions()[0])[0]
    }

    /// The same loop as `scf.for`.
    fn serialise(&self, body: &mut Body) {
        let block = self.block(body);
        let bounds = scf::For { lower_bound: self.low, upper_bound: self.high, step: self.step, init_args: &[] };
        let serial = Builder::before(body, self.op).create_from(bounds, &[], []);
        let region = body.add_region(serial);
        body.detach_block(block);
        body.insert_block(region, 0, block);
        let end = body.terminator(block).expect("a parallel loop ends in scf.reduce");
        body.erase(end);
        Builder::at_end(body, block).create(scf::YIELD, &[], &[], []);
        body.erase(self.op);
    }

    /// Replaces the loop by a call of the runtime and returns the body of the called function.
    fn outline(&self, body: &mut Body, name: &str) -> Body {
        let (function, captured) = self.function(body);
        let entry = body.entry().expect("the function has a body");
        let environment = stack_table(&mut Builder::at_start(body, entry), captured.words.max(1));
        let mut builder = Builder::before(body, self.op);
        captured.write(&mut builder, environment);
        let count = self.count(&mut builder);
        let work = builder.constant_index(self.work);
        let callee = [("callee", Attribute::symbol(name))];
        builder.create_from(rt::ParallelFor { environment, count, work }, &[], callee);
        body.erase(self.op);
        function
    }

    /// `(high - low + step - 1) / step`
    fn count(&self, builder: &mut Builder<'_>) -> Value {
        let one = builder.constant_index(1);
        let length = builder.value(arith::SUBI, &[self.high, self.low], Type::Index, []);
        let less = builder.value(arith::SUBI, &[self.step, one], Type::Index, []);
        let padded = builder.value(arith::ADDI, &[length, less], Type::Index, []);
        builder.value(arith::DIVUI, &[padded, self.step], Type::Index, [])
    }

    /// The body function, and the values in its environment.
    fn function(&self, body: &Body) -> (Body, Captured) {
        let mut function = Body::new();
        let entry = function.add_block(function.root(), &[table_type(), Type::Index, Type::Index]);
        let &[table, begin, end] = function.arguments(entry) else { unreachable!("just made") };
        let inner = function.create_block(&[Type::Index]);
        let mut environment = Environment::new(body, &mut function, table, entry);
        let mut mapping = Mapping::default();
        let counter = function.arguments(inner)[0];
        let low = environment.bring(&mut function, &mut mapping, self.low);
        let step = environment.bring(&mut function, &mut mapping, self.step);
        let mut builder = Builder::at_end(&mut function, inner);
        let index = match [self.low, self.step].map(|value| ir::constant_integer(body, value)) {
            [Some(0), Some(1)] => counter,
            _ => {
                let scaled = builder.value(arith::MULI, &[counter, step], Type::Index, []);
                builder.value(arith::ADDI, &[scaled, low], Type::Index, [])
            }
        };
        let source = self.block(body);
        mapping.insert(body.arguments(source)[0], index);
        for op in body.ops(source) {
            if !body.is(op, scf::REDUCE) {
                let mut outside = |function: &mut Body, value: Value| environment.load(function, value);
                clone_op(body, op, &mut function, inner, &mut mapping, &mut outside);
            }
        }
        Builder::at_end(&mut function, inner).create(scf::YIELD, &[], &[], []);
        environment.bring_bounds(&mut function, &mut mapping);
        let step = Builder::at_end(&mut function, entry).constant_index(1);
        let bounds = scf::For { lower_bound: begin, upper_bound: end, step, init_args: &[] };
        let mut builder = Builder::at_end(&mut function, entry).with_location(body.op(self.op).location.clone());
        let serial = builder.create_from(bounds, &[], []);
        let region = function.add_region(serial);
        function.insert_block(region, 0, inner);
        Builder::at_end(&mut function, entry).create(func::RETURN, &[], &[], []);
        let captured = environment.finish(&mut function);
        (function, captured)
    }
}

/// The values in an environment.
#[derive(Default)]
struct Captured {
    /// Scalars, and the first word of each.
    scalars: Vec<(i64, Value)>,
    /// Vectors, and the first word of each.
    vectors: Vec<(i64, Value)>,
    words: usize,
}

impl Captured {
    /// Writes everything to the table.
    fn write(&self, builder: &mut Builder<'_>, table: Value) {
        if !self.scalars.is_empty() {
            pack(builder, table, &self.scalars);
        }
        for &(at, value) in &self.vectors {
            let r#type = builder.body.value_type(value).clone();
            let place = vector_place(builder, table, at, &r#type);
            let zero = builder.constant_index(0);
            builder.create_from(vector::Store { value, base: place, indices: &[zero] }, &[], []);
        }
    }
}

/// The reading side of an environment.
struct Environment<'b> {
    source: &'b Body,
    table: Value,
    entry: ir::Block,
    /// The operation that reads the captured scalars.
    unpack: Op,
    captured: Captured,
    /// Whether the outer function states bounds.
    has_bounds: bool,
    /// Operands of the addresses that the body function repeats.
    repeated: Mapping,
}

impl<'b> Environment<'b> {
    fn new(source: &'b Body, function: &mut Body, table: Value, entry: ir::Block) -> Environment<'b> {
        let unpack = Builder::at_end(function, entry).create(rt::UNPACK, &[table], &[], words::attributes(&[]));
        let has_bounds = source.walk_all().into_iter().any(|op| source.is(op, rt::BOUNDS));
        let (captured, repeated) = (Captured::default(), Mapping::default());
        Environment { source, table, entry, unpack, captured, has_bounds, repeated }
    }

    fn bring(&mut self, function: &mut Body, mapping: &mut Mapping, value: Value) -> Value {
        match mapping.get(&value) {
            Some(&known) => known,
            None => {
                let new = self.load(function, value);
                mapping.insert(value, new);
                new
            }
        }
    }

    /// The operation that makes an address or a buffer from one whose bounds are checked. The body function repeats it,
    /// so that the bounds are known there.
    fn checked_address(&self, value: Value, depth: usize) -> Option<Op> {
        let op = self.source.defining_op(value).filter(|_| self.has_bounds && depth < DEEPEST)?;
        let is_bounds = |user: &ir::Use| user.index == 0 && self.source.is(user.op, rt::BOUNDS);
        let is_checked = |operand: &Value| {
            self.source.uses(*operand).iter().any(is_bounds) || self.checked_address(*operand, depth + 1).is_some()
        };
        let is_address = matches!(self.source.code(op), Some(rt::ADDRESS | rt::BUFFER | memref::CAST | arith::ADDI));
        (is_address && self.source.op(op).operands().iter().any(is_checked)).then_some(op)
    }

    /// The same value each time.
    fn load_once(&mut self, function: &mut Body, value: Value) -> Value {
        if let Some(&known) = self.repeated.get(&value) {
            return known;
        }
        let new = self.load(function, value);
        self.repeated.insert(value, new);
        new
    }

    /// Makes a value of the outer function available in the body function: its entry block reads it.
    fn load(&mut self, function: &mut Body, value: Value) -> Value {
        let r#type = self.source.value_type(value).clone();
        if let Some(op) = self.source.defining_op(value).filter(|&op| self.source.is(op, arith::CONSTANT)) {
            let attributes = self.source.op(op).attributes.clone();
            return Builder::at_end(function, self.entry).value(arith::CONSTANT, &[], r#type, attributes);
        }
        if let Some(op) = self.checked_address(value, 0) {
            let operation = self.source.op(op);
            let operands: Vec<Value> =
                operation.operands().iter().map(|&operand| self.load_once(function, operand)).collect();
            return Builder::at_end(function, self.entry).value(operation.name.clone(), &operands, r#type, []);
        }
        let at = self.captured.words as i64;
        self.captured.words += words_of(&r#type);
        if let Type::Vector(_) = r#type {
            self.captured.vectors.push((at, value));
            let mut builder = Builder::at_end(function, self.entry);
            let place = vector_place(&mut builder, self.table, at, &r#type);
            let zero = builder.constant_index(0);
            return builder.value_from(vector::Load { base: place, indices: &[zero] }, r#type, []);
        }
        self.captured.scalars.push((at, value));
        function.add_result(self.unpack, r#type)
    }

    /// Repeats the bounds of captured buffers, and those of the status word, in the body function.
    fn bring_bounds(&mut self, function: &mut Body, mapping: &mut Mapping) {
        let bounds = self.source.walk_all().into_iter().filter(|&op| self.source.is(op, rt::BOUNDS));
        for op in bounds.collect::<Vec<_>>() {
            let operation = self.source.op(op);
            let rt::Bounds { buffer, status, count } = rt::Bounds::of(self.source, op);
            if status == buffer {
                self.bring(function, mapping, buffer);
            }
            let copies: IndexSet<Value> =
                [mapping.get(&buffer), self.repeated.get(&buffer)].into_iter().flatten().copied().collect();
            for copy in copies {
                let status = self.bring(function, mapping, status);
                let count: Vec<Value> = count.iter().map(|&operand| self.bring(function, mapping, operand)).collect();
                let bounds = rt::Bounds { buffer: copy, status, count: &count };
                Builder::at_end(function, self.entry).create_from(bounds, &[], operation.attributes.clone());
            }
        }
    }

    fn finish(self, function: &mut Body) -> Captured {
        let numbers: Vec<i64> = self.captured.scalars.iter().map(|&(word, _)| word).collect();
        function.op_mut(self.unpack).attributes = words::attributes(&numbers);
        self.captured
    }
}

/// The words of a value in an environment.
fn words_of(r#type: &Type) -> usize {
    match r#type {
        Type::Vector(vector) => {
            let bytes = vector.element.byte_width().unwrap_or(8) * vector.shape.iter().product::<i64>() as usize;
            bytes.div_ceil(WORD_BYTES as usize)
        }
        // complex numbers may take two words
        scalar => scalar.byte_width().map_or(1, |bytes| bytes.div_ceil(WORD_BYTES as usize)),
    }
}

/// The words from `at` on as a buffer of a vector's elements.
fn vector_place(builder: &mut Builder<'_>, table: Value, at: i64, vector: &Type) -> Value {
    let base = builder.value(rt::ADDRESS, &[table], Type::Index, []);
    let offset = builder.constant_index(at * WORD_BYTES);
    let address = builder.value(arith::ADDI, &[base, offset], Type::Index, []);
    builder.value(rt::BUFFER, &[address], Type::memref(vec![None], vector.element().clone()), [])
}
