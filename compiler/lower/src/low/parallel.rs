//! Parallel loops to functions that the runtime calls on ranges of iterations.
//!
//! What a loop body reads from outside travels in an environment: a table of words on the caller's stack. Constants
//! are repeated in the body instead. A loop too short to be shared out becomes an ordinary loop.

use ir::{Attribute, Attributes, Body, Builder, FunctionType, Location, Module, Op, Result, Type, Value};

use super::dispatch::LEVEL;
use super::scope::{definitions, name_of, stack_table, table_type, with_body};
use crate::outline::ELEMENTS;
use ir::clone::{Mapping, clone_op};

/// Outlines every `scf.parallel` without reductions.
pub(super) fn outline_parallel(module: &mut Module) -> Result<()> {
    let mut pending = definitions(module);
    while let Some(function) = pending.pop() {
        let stem = name_of(module, function).to_string();
        let mut bodies = Vec::new();
        with_body(module, function, |_, body| {
            while let Some(op) = body.walk_all().into_iter().find(|&op| body.name(op) == "scf.parallel") {
                let parallel = Loop::of(body, op);
                if parallel.is_short(body) {
                    parallel.serialise(body);
                } else {
                    let name = format!("{stem}_loop_{}", bodies.len());
                    bodies.push((name.clone(), parallel.outline(body, &name)));
                }
            }
        });
        // what is visited often is now in the loops' functions
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

/// Makes every `scf.parallel` an ordinary loop.
pub(super) fn serialise_parallel(module: &mut Module) -> Result<()> {
    for function in definitions(module) {
        with_body(module, function, |_, body| {
            for op in body.walk_all().into_iter().filter(|&op| body.name(op) == "scf.parallel").collect::<Vec<_>>() {
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
    grain: i64,
}

impl Loop {
    fn of(body: &Body, op: Op) -> Loop {
        let operation = body.op(op);
        let &[low, high, step] = operation.operands() else {
            unreachable!("kernels have parallel loops of one dimension")
        };
        let grain = operation.attributes.integer("rt.grain").unwrap_or(1).max(1);
        Loop { op, low, high, step, grain }
    }

    fn is_short(&self, body: &Body) -> bool {
        let constant = |value| ir::constant_integer(body, value);
        match (constant(self.low), constant(self.high), constant(self.step)) {
            (Some(low), Some(high), Some(step)) => (high - low) <= self.grain.saturating_mul(step),
            _ => false,
        }
    }

    fn block(&self, body: &Body) -> ir::Block {
        body.blocks(body.op(self.op).regions()[0])[0]
    }

    /// The same loop as `scf.for`.
    fn serialise(&self, body: &mut Body) {
        let block = self.block(body);
        let serial = Builder::before(body, self.op).create("scf.for", &[self.low, self.high, self.step], &[], []);
        let region = body.add_region(serial);
        body.detach_block(block);
        body.insert_block(region, 0, block);
        let end = body.terminator(block).expect("a parallel loop ends in scf.reduce");
        body.erase(end);
        Builder::at_end(body, block).create("scf.yield", &[], &[], []);
        body.erase(self.op);
    }

    /// Replaces the loop by a call of the runtime and returns the body of the function to call.
    fn outline(&self, body: &mut Body, name: &str) -> Body {
        let (function, captured) = self.function(body);
        let entry = body.entry().expect("the function has a body");
        let words: usize = captured.iter().map(|&value| words_of(body.value_type(value))).sum();
        let table = stack_table(&mut Builder::at_start(body, entry), words.max(1));
        let mut builder = Builder::before(body, self.op);
        let mut at = 0;
        for value in captured {
            at += store_words(&mut builder, table, at, value);
        }
        let count = self.count(&mut builder);
        let grain = builder.constant_index(self.grain);
        builder.create("rt.parallel_for", &[table, count, grain], &[], [("callee", Attribute::symbol(name))]);
        body.erase(self.op);
        function
    }

    /// `(high - low + step - 1) / step`
    fn count(&self, builder: &mut Builder<'_>) -> Value {
        let one = builder.constant_index(1);
        let length = builder.value("arith.subi", &[self.high, self.low], Type::Index, []);
        let less = builder.value("arith.subi", &[self.step, one], Type::Index, []);
        let padded = builder.value("arith.addi", &[length, less], Type::Index, []);
        builder.value("arith.divui", &[padded, self.step], Type::Index, [])
    }

    /// The body function, and what it reads from its environment, in order.
    fn function(&self, body: &Body) -> (Body, Vec<Value>) {
        let mut function = Body::new();
        let entry = function.add_block(function.root(), &[table_type(), Type::Index, Type::Index]);
        let &[table, begin, end] = function.arguments(entry) else { unreachable!("just made") };
        let serial = function.create_op("scf.for", &[], &[], Attributes::new(), body.op(self.op).location.clone());
        let region = function.add_region(serial);
        let inner = function.add_block(region, &[Type::Index]);
        let mut environment = Environment { source: body, table, entry, captured: vec![], words: 0 };
        let mut mapping = Mapping::default();
        let counter = function.arguments(inner)[0];
        let low = environment.bring(&mut function, &mut mapping, self.low);
        let step = environment.bring(&mut function, &mut mapping, self.step);
        let mut builder = Builder::at_end(&mut function, inner);
        let index = match [self.low, self.step].map(|value| ir::constant_integer(body, value)) {
            [Some(0), Some(1)] => counter,
            _ => {
                let scaled = builder.value("arith.muli", &[counter, step], Type::Index, []);
                builder.value("arith.addi", &[scaled, low], Type::Index, [])
            }
        };
        let source = self.block(body);
        mapping.insert(body.arguments(source)[0], index);
        for &op in body.ops(source) {
            if body.name(op) != "scf.reduce" {
                let mut outside = |function: &mut Body, value: Value| environment.load(function, value);
                clone_op(body, op, &mut function, inner, &mut mapping, &mut outside);
            }
        }
        Builder::at_end(&mut function, inner).create("scf.yield", &[], &[], []);
        let mut builder = Builder::at_end(&mut function, entry);
        let one = builder.constant_index(1);
        builder.create("func.return", &[], &[], []);
        let at = function.ops(entry).len() - 1;
        function.insert(entry, at, serial);
        function.set_operands(serial, &[begin, end, one]);
        (function, environment.captured)
    }
}

/// The reading side of an environment.
struct Environment<'b> {
    source: &'b Body,
    table: Value,
    entry: ir::Block,
    captured: Vec<Value>,
    words: usize,
}

impl Environment<'_> {
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

    /// Appends to the entry block what makes a value of the outer function known in the body function.
    fn load(&mut self, function: &mut Body, value: Value) -> Value {
        let r#type = self.source.value_type(value).clone();
        if let Some(op) = self.source.defining_op(value).filter(|&op| self.source.name(op) == "arith.constant") {
            let attributes = self.source.op(op).attributes.clone();
            return Builder::at_end(function, self.entry).value("arith.constant", &[], r#type, attributes);
        }
        let at = self.words;
        self.words += words_of(&r#type);
        self.captured.push(value);
        load_words(&mut Builder::at_end(function, self.entry), self.table, at, &r#type)
    }
}

/// The words a value takes in an environment.
fn words_of(r#type: &Type) -> usize {
    match r#type {
        Type::Vector(vector) => {
            let bytes = vector.element.byte_width().unwrap_or(8) * vector.shape.iter().product::<i64>() as usize;
            bytes.div_ceil(8)
        }
        _ => 1,
    }
}

/// Stores a value as words from `at` on; returns how many.
fn store_words(builder: &mut Builder<'_>, table: Value, at: usize, value: Value) -> usize {
    let r#type = builder.body.value_type(value).clone();
    if let Type::Vector(_) = r#type {
        let place = vector_place(builder, table, at, &r#type);
        let zero = builder.constant_index(0);
        builder.create("vector.store", &[value, place, zero], &[], []);
    } else {
        let word = to_word(builder, value, &r#type);
        let at = builder.constant_index(at as i64);
        builder.create("memref.store", &[word, table, at], &[], []);
    }
    words_of(&r#type)
}

fn load_words(builder: &mut Builder<'_>, table: Value, at: usize, r#type: &Type) -> Value {
    if let Type::Vector(_) = r#type {
        let place = vector_place(builder, table, at, r#type);
        let zero = builder.constant_index(0);
        return builder.value("vector.load", &[place, zero], r#type.clone(), []);
    }
    let at = builder.constant_index(at as i64);
    let word = builder.value("memref.load", &[table, at], Type::I64, []);
    from_word(builder, word, r#type)
}

/// The words from `at` on as a buffer of a vector's elements.
fn vector_place(builder: &mut Builder<'_>, table: Value, at: usize, vector: &Type) -> Value {
    let base = builder.value("rt.address", &[table], Type::Index, []);
    let offset = builder.constant_index(at as i64 * 8);
    let address = builder.value("arith.addi", &[base, offset], Type::Index, []);
    builder.value("rt.buffer", &[address], Type::memref(vec![None], vector.element().clone()), [])
}

fn to_word(builder: &mut Builder<'_>, value: Value, r#type: &Type) -> Value {
    match r#type {
        Type::MemRef(_) => {
            let address = builder.value("rt.address", &[value], Type::Index, []);
            builder.value("arith.index_cast", &[address], Type::I64, [])
        }
        Type::Index => builder.value("arith.index_cast", &[value], Type::I64, []),
        Type::Float(float) => {
            let bits = Type::integer(float.width());
            let value = builder.value("arith.bitcast", &[value], bits.clone(), []);
            to_word(builder, value, &bits)
        }
        Type::Integer(integer) if integer.width < 64 => builder.value("arith.extui", &[value], Type::I64, []),
        _ => value,
    }
}

fn from_word(builder: &mut Builder<'_>, word: Value, r#type: &Type) -> Value {
    match r#type {
        Type::MemRef(_) => {
            let address = builder.value("arith.index_cast", &[word], Type::Index, []);
            builder.value("rt.buffer", &[address], r#type.clone(), [])
        }
        Type::Index => builder.value("arith.index_cast", &[word], Type::Index, []),
        Type::Float(float) => {
            let bits = from_word(builder, word, &Type::integer(float.width()));
            builder.value("arith.bitcast", &[bits], r#type.clone(), [])
        }
        Type::Integer(integer) if integer.width < 64 => builder.value("arith.trunci", &[word], r#type.clone(), []),
        _ => word,
    }
}
