//! Rewrites loops over vectors with elementary functions to use row micro-kernels, piece by piece: the operand of a
//! function is materialised in a row buffer for a whole piece, the runtime applies the function with the widest vectors
//! of the processor, and the rest of the loop's body continues with the results.
//!
//! A function of the results of other functions is in a later stage; values that several stages need are computed in
//! each of them. Loading elements before the stores of earlier iterations is valid, because kernels write no element
//! that another iteration reads.

mod pieces;

use abi::RowFunction;
use dialects::{OpCodes, arith, func, memref, rt, scf, vector};
use ir::pass::Choice;
use ir::transforms::remove_unread;
use ir::{Attribute, Block, Body, Builder, IndexMap, IndexSet, Module, Op, Type, Value, ValueDefinition};

use self::pieces::Piece;
use super::row_functions::{
    AddBytes, Applied, Channels, Factor, Function, Parameter, Requantize, applied_functions, scalar_arithmetic,
};
use super::scope::{definitions, enclosing_parallel_block, stack_memory, with_body};

/// Elements of a piece: few enough for all row buffers to stay in the L1 cache.
const PIECE: i64 = 512;
/// Shorter rows are not changed.
const SHORTEST: i64 = 32;

/// The row functions that the runtime computes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Functions {
    /// All.
    #[default]
    All,
    /// Only lookups in byte tables.
    Tables,
}

impl Choice for Functions {
    const CHOICES: &'static [(&'static str, Functions)] = &[("all", Functions::All), ("tables", Functions::Tables)];
}

/// Finds the loops of all functions and rewrites them.
pub(super) fn map_rows(module: &mut Module, functions: Functions) {
    for function in definitions(module) {
        with_body(module, function, |_, body| {
            for op in body.walk_all() {
                compute_before(body, op);
                match RowLoop::of(body, op, functions) {
                    Some(row) if !row.rows.is_empty() => row.rewrite(body),
                    Some(row) if functions == Functions::All => row.call_whole(body),
                    Some(_) | None => {}
                }
            }
        });
    }
}

/// Hoists loop-invariant operations out of a loop that only computes and stores, and removes unused ones. The
/// operations that remain [`varies`].
fn compute_before(body: &mut Body, op: Op) {
    let Some(block) = computing_block(body, op) else { return };
    remove_unread(body, block, is_movable);
    for inside in body.ops(block).to_vec() {
        if is_movable(body, inside) && !body.op(inside).operands().iter().any(|&value| varies(body, block, value)) {
            body.move_before(inside, op);
        }
    }
}

/// The body of a loop that only computes and stores.
fn computing_block(body: &Body, op: Op) -> Option<Block> {
    let &region = body.op(op).regions().first().filter(|_| body.is(op, scf::FOR))?;
    let block = *body.blocks(region).first()?;
    let (_, mut inside) = body.ops(block).split_last()?;
    inside.all(|op| is_movable(body, op) || is_store(body, op)).then_some(block)
}

/// A loop over vectors with row functions.
struct RowLoop {
    op: Op,
    block: Block,
    step: i64,
    /// In the order in which they can be computed.
    rows: Vec<Row>,
}

/// The row of one function's operands in every iteration of a piece.
struct Row {
    function: Function,
    from: Type,
    to: Type,
    /// The number of functions that are computed before.
    stage: usize,
    /// The operations whose results are contiguous in the row.
    ops: Vec<Op>,
    /// The operand vectors of each of them, for each operand of the function.
    operands: Vec<Vec<Value>>,
}

/// Where a row's function reads its operand.
enum Source {
    /// In memory, where this load reads it.
    Load(Op),
    /// In the result of another row's function.
    Row(usize),
    /// In a row buffer, which is computed first.
    Stored,
}

/// The buffers for the operands and the result of a row.
struct Memories {
    operands: Vec<Memory>,
    result: Memory,
}

/// A row buffer.
#[derive(Clone, Copy)]
struct Memory {
    buffer: Value,
    address: Value,
}

impl RowLoop {
    fn of(body: &Body, op: Op, functions: Functions) -> Option<RowLoop> {
        let block = computing_block(body, op)?;
        let &[low, high, step, ..] = body.op(op).operands() else { return None };
        let constant = |value| ir::constant_integer(body, value);
        let step = constant(step).filter(|&step| step > 0 && PIECE % step == 0)?;
        if let (Some(low), Some(high)) = (constant(low), constant(high))
            && high.saturating_sub(low) < SHORTEST
        {
            return None;
        }
        Some(RowLoop { op, block, step, rows: find_rows(body, block, step, functions) })
    }

    /// Replaces a loop that only copies a row, or computes it from one and scalars, by a call.
    fn call_whole(&self, body: &mut Body) {
        let Some(store) = self.only_store(body) else { return };
        let value = vector::Store::of(body, store).value;
        if let Some(load) = self.row_load(body, value) {
            return self.copy_whole(body, load, store);
        }
        let Some(op) = body.defining_op(value).filter(|&op| body.op(op).parent() == Some(self.block)) else { return };
        let Some(applied) = scalar_arithmetic(body, self.block, op, &|value| !self.varies(body, value)) else { return };
        let &[operand] = applied.operands.as_slice() else { return };
        let Some(load) = self.row_load(body, operand) else { return };
        let Applied { function, from, to, .. } = applied;
        let row = Row { function, from, to, stage: 0, ops: vec![op], operands: vec![vec![operand]] };
        let &[begin, end, ..] = body.op(self.op).operands() else { return };
        let mut builder = Builder::before(body, self.op);
        let piece = Piece { row: self, memories: &[], begin, end, count: end };
        let [from, to] = [(load, 0), (store, 1)].map(|(access, buffer)| piece.address(&mut builder, access, buffer));
        let count = builder.value(arith::SUBI, &[end, begin], Type::Index, []);
        row.call(&mut builder, &[from], to, count);
        body.erase(self.op);
    }

    fn copy_whole(&self, body: &mut Body, load: Op, store: Op) {
        let &[low, high, ..] = body.op(self.op).operands() else { return };
        let element = body.value_type(vector::Load::of(body, load).base).element();
        let Some(width) = element.byte_width().filter(|_| *element != Type::I1) else { return };
        let mut builder = Builder::before(body, self.op);
        let piece = Piece { row: self, memories: &[], begin: low, end: high, count: high };
        let [from, to] = [(load, 0), (store, 1)].map(|(access, buffer)| piece.address(&mut builder, access, buffer));
        let (count, width) =
            (builder.value(arith::SUBI, &[high, low], Type::Index, []), builder.constant_index(width as i64));
        let bytes = builder.value(arith::MULI, &[count, width], Type::Index, []);
        builder.create(func::CALL, &[from, to, bytes], &[], [("callee", Attribute::symbol("rt_copy_row"))]);
        body.erase(self.op);
    }

    fn rewrite(&self, body: &mut Body) {
        let scf::For { lower_bound, upper_bound, init_args, .. } = scf::For::of(body, self.op);
        let init_args = init_args.to_vec();
        let results = body.op(self.op).results().to_vec();
        let types: Vec<Type> = results.iter().map(|&result| body.value_type(result).clone()).collect();
        let home = enclosing_parallel_block(body, self.op).or(body.entry()).expect("a loop is inside a block");
        let destination = self.destination(body);
        let memories: Vec<Memories> = self.rows.iter().map(|row| row.memories(body, home)).collect();

        let mut builder = Builder::before(body, self.op);
        let piece = builder.constant_index(PIECE);
        let bounds = scf::For { lower_bound, upper_bound, step: piece, init_args: &init_args };
        let around = builder.create_from(bounds, &types, []);
        let arguments: Vec<Type> = std::iter::once(Type::Index).chain(types.iter().cloned()).collect();
        let (_, block) = builder.region_with_block(around, &arguments);
        let arguments = builder.body.arguments(block).to_vec();
        let results = builder.within(block, |builder| {
            let rest = builder.value(arith::SUBI, &[upper_bound, arguments[0]], Type::Index, []);
            let count = builder.value(arith::MINSI, &[rest, piece], Type::Index, []);
            let end = builder.value(arith::ADDI, &[arguments[0], count], Type::Index, []);
            let piece = Piece { row: self, memories: &memories, begin: arguments[0], end, count };
            piece.build(builder, &arguments[1..], destination)
        });
        builder.within(block, |builder| builder.create(scf::YIELD, &results, &[], []));
        let new = body.op(around).results().to_vec();
        body.replace(self.op, &new);
    }

    /// The only store of a loop, of consecutive vectors.
    fn only_store(&self, body: &Body) -> Option<Op> {
        let (_, inside) = body.ops(self.block).split_last()?;
        let mut effects = inside.filter(|&op| is_store(body, op));
        let (store, None) = (effects.next()?, effects.next()) else { return None };
        if !body.is(store, vector::STORE) {
            return None;
        }
        let vector::Store { value, base, indices } = vector::Store::of(body, store);
        let is_row =
            self.is_whole(body, value) && self.is_consecutive(body, *indices.first()?) && !self.varies(body, base);
        (is_row && body.op(self.op).results().is_empty()).then_some(store)
    }

    /// The load of consecutive vectors that a value is.
    fn row_load(&self, body: &Body, value: Value) -> Option<Op> {
        let load = body.defining_op(value).filter(|&load| body.is(load, vector::LOAD))?;
        let vector::Load { base, indices } = vector::Load::of(body, load);
        let is_row = body.op(load).parent() == Some(self.block)
            && self.is_whole(body, value)
            && self.is_consecutive(body, *indices.first()?)
            && !self.varies(body, base);
        is_row.then_some(load)
    }

    /// Whether a vector has an element for each step of the counter.
    fn is_whole(&self, body: &Body, value: Value) -> bool {
        body.value_type(value).as_vector().is_some_and(|vector| vector.shape == [self.step])
    }

    /// The only remaining use of the last row, a store, so that the row can be computed in its destination.
    fn destination(&self, body: &Body) -> Option<Op> {
        let store = self.only_store(body)?;
        let last = self.rows.last()?;
        (last.ops == [body.defining_op(vector::Store::of(body, store).value)?]).then_some(store)
    }

    /// Where a row's function reads one of its operands.
    fn source(&self, body: &Body, operand: &[Value]) -> Source {
        let gives = |other: &Row| other.ops.iter().map(|&op| body.result(op, 0)).eq(operand.iter().copied());
        if let Some(other) = self.rows.iter().position(gives) {
            return Source::Row(other);
        }
        match operand {
            &[operand] => self.row_load(body, operand).map_or(Source::Stored, Source::Load),
            _ => Source::Stored,
        }
    }

    fn counter(&self, body: &Body) -> Value {
        body.arguments(self.block)[0]
    }

    fn varies(&self, body: &Body, value: Value) -> bool {
        varies(body, self.block, value)
    }

    /// Whether an index increases like the loop's counter.
    fn is_consecutive(&self, body: &Body, index: Value) -> bool {
        let Some(growth) = self.growth(body, index) else { return false };
        match growth.group {
            None => growth.counter == 1,
            Some(width) => growth.counter == 0 && growth.channel == 1 && growth.place == width,
        }
    }

    /// The dependence of an index on the counter, if it is linear.
    fn growth(&self, body: &Body, index: Value) -> Option<Growth> {
        if !self.varies(body, index) {
            return Some(Growth::default());
        }
        if index == self.counter(body) {
            return Some(Growth { counter: 1, ..Growth::default() });
        }
        let op = body.defining_op(index)?;
        let &[a, b] = body.op(op).operands() else { return None };
        let group = || ir::constant_integer(body, b).filter(|_| a == self.counter(body));
        match body.code(op) {
            Some(arith::ADDI) => self.growth(body, a)?.plus(self.growth(body, b)?),
            Some(arith::MULI) => match (ir::constant_integer(body, a), ir::constant_integer(body, b)) {
                (_, Some(factor)) => self.growth(body, a)?.times(factor),
                (Some(factor), _) => self.growth(body, b)?.times(factor),
                (None, None) => None,
            },
            Some(arith::DIVUI) => Some(Growth { place: 1, group: Some(group()?), ..Growth::default() }),
            Some(arith::REMUI) => Some(Growth { channel: 1, group: Some(group()?), ..Growth::default() }),
            _ => None,
        }
    }
}

/// The coefficients of a loop's counter in an index, and of its quotient and remainder by the width of a group.
#[derive(Clone, Copy, Default)]
struct Growth {
    counter: i64,
    place: i64,
    channel: i64,
    group: Option<i64>,
}

impl Growth {
    fn plus(self, other: Growth) -> Option<Growth> {
        let group = self.group.or(other.group);
        let is_same = [self.group, other.group].into_iter().flatten().all(|width| Some(width) == group);
        is_same.then_some(Growth {
            counter: self.counter.checked_add(other.counter)?,
            place: self.place.checked_add(other.place)?,
            channel: self.channel.checked_add(other.channel)?,
            group,
        })
    }

    fn times(self, factor: i64) -> Option<Growth> {
        Some(Growth {
            counter: self.counter.checked_mul(factor)?,
            place: self.place.checked_mul(factor)?,
            channel: self.channel.checked_mul(factor)?,
            group: self.group,
        })
    }
}

/// Whether a value varies in the loop with this body, out of which all invariant operations were hoisted.
fn varies(body: &Body, inside: Block, value: Value) -> bool {
    match body.definition(value) {
        ValueDefinition::Argument { block, .. } => block == inside,
        ValueDefinition::Result { op, .. } => body.op(op).parent() == Some(inside),
    }
}

/// Whether an operation only computes one value, from memory or other values.
fn is_movable(body: &Body, op: Op) -> bool {
    let name = &body.op(op).name;
    let is_computed = matches!(name.dialect(), "arith" | "math" | "vector") || *name == memref::LOAD;
    is_computed && !is_store(body, op) && body.op(op).regions().is_empty() && body.op(op).results().len() == 1
}

fn is_store(body: &Body, op: Op) -> bool {
    matches!(body.code(op), Some(memref::STORE | vector::STORE | vector::MASKEDSTORE))
}

/// The row functions in a loop's body that do not depend on loop-carried values.
fn find_rows(body: &Body, block: Block, step: i64, functions: Functions) -> Vec<Row> {
    let carried: IndexSet<Value> = body.arguments(block)[1..].iter().copied().collect();
    let mut applied = applied_functions(body, block, &|value| !varies(body, block, value));
    applied.retain(|_, applied| functions == Functions::All || matches!(applied.function, Function::LookUp(_)));
    // the number of nested functions up to a value of the block
    let mut stages: IndexMap<Value, usize> = IndexMap::default();
    let mut rows: Vec<Row> = Vec::new();
    for op in body.ops(block) {
        let operands = body.op(op).operands();
        let is_known = |value: &Value| {
            let inside = body.defining_op(*value).is_some_and(|op| body.op(op).parent() == Some(block));
            !carried.contains(value) && (!inside || stages.contains_key(value))
        };
        if !is_movable(body, op) || !operands.iter().all(is_known) {
            continue;
        }
        let stage = |values: &[Value]| values.iter().filter_map(|value| stages.get(value)).copied().max().unwrap_or(0);
        let result = body.result(op, 0);
        let lanes = body.value_type(result).as_vector().map_or(1, |vector| vector.shape[0]);
        // vectors across the loop do not form a row
        let Some(Applied { function, from, to, operands: applied_to, .. }) =
            applied.swap_remove(&op).filter(|_| step % lanes == 0)
        else {
            stages.insert(result, stage(operands));
            continue;
        };
        let stage = stage(&applied_to);
        stages.insert(result, stage + 1);
        let is_open = |row: &&mut Row| {
            let is_same = (&row.function, row.stage) == (&function, stage);
            is_same && (row.ops.len() as i64) < step / lanes
        };
        match rows.iter_mut().find(is_open) {
            Some(row) => {
                row.ops.push(op);
                for (row, operand) in row.operands.iter_mut().zip(applied_to) {
                    row.push(operand);
                }
            }
            None => {
                let (ops, operands) = (vec![op], applied_to.into_iter().map(|operand| vec![operand]).collect());
                rows.push(Row { function, from, to, stage, ops, operands });
            }
        }
    }
    rows.sort_by_key(|row| row.stage);
    rows
}

impl Row {
    /// Buffers for the operands and the result of the function: the result reuses the first operand's if they have the
    /// same type.
    fn memories(&self, body: &mut Body, home: Block) -> Memories {
        let mut memory = |element: &Type| {
            let mut builder = Builder::at_start(body, home);
            let buffer = stack_memory(&mut builder, PIECE, element.clone());
            let address = builder.value(rt::ADDRESS, &[buffer], Type::Index, []);
            Memory { buffer, address }
        };
        let operands: Vec<Memory> = self.operands.iter().map(|_| memory(&self.from)).collect();
        let result = if self.from == self.to { operands[0] } else { memory(&self.to) };
        Memories { operands, result }
    }

    /// Emits the runtime call, from some addresses to another.
    fn call(&self, builder: &mut Builder<'_>, from: &[Value], to: Value, count: Value) {
        let rows = || from.iter().copied().chain([to, count]);
        let (callee, operands) = match &self.function {
            Function::Map(function, parameters) => {
                let mut operands = vec![builder.constant_index(*function as i64)];
                operands.extend(rows());
                let none = Parameter::Number(0.0);
                let parameters = (0..RowFunction::PARAMETERS).map(|at| parameters.get(at).unwrap_or(&none));
                operands.extend(parameters.map(|parameter| parameter.value(builder)));
                ("rt_map_row", operands)
            }
            Function::LookUp(table) => {
                let table = builder.value(rt::ADDRESS, &[*table], Type::Index, []);
                let width = self.to.byte_width().expect("elements of tables have a width");
                let operands = [table, builder.constant_index(width as i64)];
                ("rt_look_up_row", operands.into_iter().chain(rows()).collect())
            }
            Function::Requantize(Requantize { addends, factor, round }) => {
                let is_float = builder.constant_index((self.from == Type::F32).into());
                let (factors, factor) = match factor {
                    Factor::Each(channels) => (Some(channels), &Parameter::Number(0.0)),
                    Factor::Same(factor) => (None, factor),
                };
                let mut operands: Vec<Value> = [is_float].into_iter().chain(rows()).collect();
                operands.extend([addends.as_ref(), factors].map(|channels| match channels {
                    Some(Channels { buffer, first }) => address_of(builder, *buffer, *first),
                    None => builder.constant_index(0),
                }));
                operands.extend([factor].into_iter().chain(round).map(|parameter| parameter.value(builder)));
                ("rt_requantize_row", operands)
            }
            Function::AddBytes(AddBytes { addends, quantize }) => {
                let signs = addends.iter().map(|addend| builder.constant_index(addend.is_signed.into()));
                let mut operands: Vec<Value> = signs.collect();
                operands.extend(rows());
                let parameters = addends.iter().flat_map(|addend| &addend.parameters).chain(quantize);
                operands.extend(parameters.map(|parameter| parameter.value(builder)));
                ("rt_add_bytes_row", operands)
            }
        };
        builder.create(func::CALL, &operands, &[], [("callee", Attribute::symbol(callee))]);
    }

    /// The position in the row of an operation's vector.
    fn place(&self, builder: &mut Builder<'_>, offset: Value, at: usize) -> Value {
        let lanes = builder.body.value_type(builder.body.result(self.ops[at], 0)).as_vector().map_or(1, |v| v.shape[0]);
        let at = builder.constant_index(at as i64 * lanes);
        builder.value(arith::ADDI, &[offset, at], Type::Index, [])
    }
}

impl Parameter {
    fn value(&self, builder: &mut Builder<'_>) -> Value {
        match self {
            Parameter::Scalar(value) => *value,
            Parameter::Number(number) => {
                builder.value(arith::CONSTANT, &[], Type::F32, [("value", Attribute::float(*number, Type::F32))])
            }
        }
    }
}

/// The address of an element of a buffer, by default the first.
fn address_of(builder: &mut Builder<'_>, buffer: Value, index: Option<Value>) -> Value {
    let start = builder.value(rt::ADDRESS, &[buffer], Type::Index, []);
    let Some(index) = index else { return start };
    let width = builder.body.value_type(buffer).element().byte_width().expect("elements of rows have a width");
    let width = builder.constant_index(width as i64);
    let bytes = builder.value(arith::MULI, &[index, width], Type::Index, []);
    builder.value(arith::ADDI, &[start, bytes], Type::Index, [])
}
