//! Checks every access of generated code against the bounds of its buffer, for `--sanitize`.
//!
//! An access outside of its buffer sets the run's status and ends its function before the access. The bounds are those
//! that `rt.bounds` states, and those of memory that the function allocates or views. Exempt are tables of words that
//! generated code and the runtime exchange, whose layout one pass writes on both sides.
//!
//! What micro-kernels access is compared before each call. Other functions of the runtime check their own accesses.

mod calls;

use dialects::arith::CmpIPredicate;
use dialects::rt::attributes::NUMBER;
use dialects::{OpCodes, arith, func, memref, rt, vector};
use ir::{Attribute, Block, Body, Builder, Diagnostic, IndexMap, Module, Op, Result, Type, Value};

use self::calls::{call_table, refuse_calls};
use super::declare::declare_runtime;
use super::provenance::{Incoming, Origin, Provenance};
use super::scope::{definitions, expect_no_regions, leave_unless, status_word, table_argument, with_body};

/// The largest distance of accesses that are checked together.
const NEAR: i64 = 1 << 32;

/// Inserts the checks, and removes `rt.bounds`.
pub(super) fn check_accesses(module: &mut Module) -> Result<()> {
    for op in definitions(module) {
        let number = module.body.op_mut(op).attributes.remove(NUMBER).and_then(|number| number.as_integer());
        with_body(module, op, |_, body| check_body(body, number))?;
    }
    declare_runtime(module)
}

fn check_body(body: &mut Body, host: Option<i64>) -> Result<()> {
    expect_no_regions(body)?;
    let ops = body.walk_all();
    let bounds: Vec<Op> = ops.iter().copied().filter(|&op| body.is(op, rt::BOUNDS)).collect();
    let entry = body.entry().expect("the function has a body");
    let (status, number) = match (host, bounds.first()) {
        (Some(number), _) => {
            let table = table_argument(body)?;
            (status_word(&mut Builder::at_start(body, entry), table), number)
        }
        (None, Some(&first)) => {
            (rt::Bounds::of(body, first).status, body.op(first).attributes.integer("number").unwrap_or(1))
        }
        (None, None) => return refuse_calls(body, &ops),
    };
    let provenance = Provenance { incoming: Incoming::of(body), is_host: host.is_some(), number };
    let failed = failure_block(body, status, host.is_some());
    let mut checker = Checker { body, provenance, roots: IndexMap::default(), limits: IndexMap::default(), failed };
    let mut groups: IndexMap<Place, Group> = IndexMap::default();
    let mut calls = Vec::new();
    for &op in &ops {
        checker.collect(op, &mut groups)?;
        calls.extend(checker.kernel_call(op)?);
    }
    let table = call_table(checker.body, &calls);
    let mut checks: IndexMap<Op, Vec<Check>> = IndexMap::default();
    for (place, group) in groups {
        checks.entry(group.first).or_default().push(Check { place, group });
    }
    // from the end, so that each block is split once for each check
    for op in ops.into_iter().rev() {
        if checker.body.is(op, memref::VIEW) {
            checker.view(op)?;
        }
        if let (Some(call), Some(table)) = (calls.pop_if(|call| call.op == op), table) {
            checker.require_call(&call, table);
        }
        for check in checks.get(&op).into_iter().flatten() {
            checker.require(check);
        }
    }
    body.erase_all(&bounds);
    Ok(())
}

/// A block that reports a failed check and returns. Its arguments are the number of the message, the offset and the
/// length of the access, and the size of the buffer, in bytes.
fn failure_block(body: &mut Body, status: Value, is_host: bool) -> Block {
    let block = body.add_block(body.root(), &[Type::I64, Type::Index, Type::Index, Type::Index]);
    let arguments = body.arguments(block).to_vec();
    let mut builder = Builder::at_end(body, block);
    let context = builder.value(rt::ADDRESS, &[status], Type::Index, []);
    let operands: Vec<Value> = std::iter::once(context).chain(arguments.iter().copied()).collect();
    builder.create(func::CALL, &operands, &[], [("callee", Attribute::symbol("rt_out_of_bounds"))]);
    let results = if is_host { &arguments[..1] } else { &[] };
    builder.create(func::RETURN, results, &[], []);
    block
}

/// The memory that a buffer is in.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Root {
    buffer: Value,
    /// Its address.
    start: Value,
    /// Its size.
    bytes: Value,
    /// The message of a failed check.
    number: i64,
    /// The operation after which all of them are known.
    known: Op,
}

/// The place of accesses that are checked together: one block reaches all of them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Place {
    block: Block,
    buffer: Value,
    /// What their indices are constant distances from.
    base: Option<Value>,
    /// The bytes of an element.
    width: i64,
    /// The number of lanes that are accessed.
    mask: Option<Value>,
}

/// Accesses that are checked together.
#[derive(Clone, Copy)]
struct Group {
    first: Op,
    root: Root,
    /// The distances of the first element, and of the one after the last.
    low: i64,
    high: i64,
}

struct Check {
    place: Place,
    group: Group,
}

struct Checker<'b> {
    body: &'b mut Body,
    provenance: Provenance,
    roots: IndexMap<Value, Option<Root>>,
    /// The first offset at which an access of a length does not fit, by address and length.
    limits: IndexMap<(Value, i64), Value>,
    failed: Block,
}

/// An access of consecutive elements.
struct Access<'b> {
    buffer: Value,
    indices: &'b [Value],
    /// What is loaded or stored.
    held: Value,
    mask: Option<Value>,
}

impl<'b> Access<'b> {
    fn of(body: &'b Body, op: Op) -> Option<Access<'b>> {
        let loaded = || body.result(op, 0);
        Some(match body.code(op)? {
            memref::LOAD => {
                let memref::Load { memref: buffer, indices } = memref::Load::of(body, op);
                Access { buffer, indices, held: loaded(), mask: None }
            }
            memref::STORE => {
                let memref::Store { value: held, memref: buffer, indices } = memref::Store::of(body, op);
                Access { buffer, indices, held, mask: None }
            }
            vector::LOAD => {
                let vector::Load { base: buffer, indices } = vector::Load::of(body, op);
                Access { buffer, indices, held: loaded(), mask: None }
            }
            vector::STORE => {
                let vector::Store { value: held, base: buffer, indices } = vector::Store::of(body, op);
                Access { buffer, indices, held, mask: None }
            }
            vector::MASKEDLOAD => {
                let vector::Maskedload { base: buffer, indices, mask, .. } = vector::Maskedload::of(body, op);
                Access { buffer, indices, held: loaded(), mask: Some(mask) }
            }
            vector::MASKEDSTORE => {
                let vector::Maskedstore { base: buffer, indices, mask, value: held } =
                    vector::Maskedstore::of(body, op);
                Access { buffer, indices, held, mask: Some(mask) }
            }
            _ => return None,
        })
    }
}

impl Checker<'_> {
    /// Adds the access of an operation, if it is one, to those that are checked together.
    fn collect(&mut self, op: Op, groups: &mut IndexMap<Place, Group>) -> Result<()> {
        let Some(Access { buffer, indices, held, mask }) = Access::of(self.body, op) else {
            return if self.body.is(op, vector::GATHER) { Err(self.unchecked(op)) } else { Ok(()) };
        };
        let &[index] = indices else { return Err(self.unchecked(op)) };
        let held = self.body.value_type(held).clone();
        let Some(width) = held.element().byte_width().map(|width| width as i64) else {
            return Err(self.unchecked(op));
        };
        let lanes: i64 = held.as_vector().map_or(1, |vector| vector.shape.iter().product());
        let (mask, count) = match mask {
            Some(mask) => self.masked(mask, lanes).ok_or_else(|| self.unchecked(op))?,
            None => (None, lanes),
        };
        let Some(root) = self.root(op, buffer)? else { return Ok(()) };
        let block = self.body.op(op).parent().expect("the operation is attached");
        let (base, first) = if mask.is_some() { (Some(index), 0) } else { self.base_of(index) };
        if count > 0 {
            let place = Place { block, buffer, base, width, mask };
            let group = groups.entry(place).or_insert(Group { first: op, root, low: first, high: first + count });
            (group.low, group.high) = (group.low.min(first), group.high.max(first + count));
        }
        Ok(())
    }

    /// An index as a value, if it is not a constant, and a distance from that in the same block or outside of it.
    fn base_of(&self, index: Value) -> (Option<Value>, i64) {
        if let Some(index) = ir::constant_integer(self.body, index) {
            return (None, index);
        }
        let sum = self.body.defining_op(index).filter(|&op| self.body.is(op, arith::ADDI));
        let [base, distance] = match sum.map(|op| self.body.op(op).operands()) {
            Some(&[base, distance]) => [base, distance],
            _ => return (Some(index), 0),
        };
        let near = |value: Value| ir::constant_integer(self.body, value).filter(|at| (1 - NEAR..NEAR).contains(at));
        match (near(base), near(distance)) {
            (None, Some(distance)) => (Some(base), distance),
            (Some(base), None) => (Some(distance), base),
            _ => (Some(index), 0),
        }
    }

    /// The number of lanes of a masked access: as a value if it is not known, and the most.
    fn masked(&self, mask: Value, lanes: i64) -> Option<(Option<Value>, i64)> {
        let made_by = self.body.defining_op(mask)?;
        match self.body.code(made_by) {
            Some(vector::CREATE_MASK) => Some((Some(self.body.sole_operand(made_by)), lanes)),
            Some(vector::CONSTANT_MASK) => {
                Some((None, *self.body.op(made_by).attributes.integers("mask_dim_sizes")?.first()?))
            }
            _ => None,
        }
    }

    /// Checks that a view is inside of its buffer, if the size of that is known.
    fn view(&mut self, op: Op) -> Result<()> {
        let memref::View { source: base, shift, .. } = memref::View::of(self.body, op);
        let Some(around) = self.root_if_known(base) else { return Ok(()) };
        let Some(own) = self.root(op, self.body.result(op, 0))? else { return Ok(()) };
        let mut builder = Builder::after(self.body, own.known);
        let (one, zero) = (builder.constant_index(1), builder.constant_index(0));
        let room = builder.value(arith::SUBI, &[around.bytes, own.bytes], Type::Index, []);
        let room = builder.value(arith::ADDI, &[room, one], Type::Index, []);
        let limit = builder.value(arith::MAXSI, &[room, zero], Type::Index, []);
        let fits = builder.value(arith::CMPI, &[shift, limit], Type::I1, [CmpIPredicate::Ult.attribute()]);
        let number = builder.constant(Attribute::i64(self.provenance.number), Type::I64);
        let last = self.body.defining_op(number).expect("just made");
        self.leave_unless(last, fits, [number, shift, own.bytes, around.bytes]);
        Ok(())
    }

    /// Checks accesses that are checked together, before the first of them.
    fn require(&mut self, Check { place, group }: &Check) {
        let (width, root) = (place.width, group.root);
        let bytes = (group.high - group.low) * width;
        let limit = if place.mask.is_none() { Some(self.limit(root, bytes)) } else { None };
        let mut builder = Builder::before(self.body, group.first);
        let [low, scale, length] = [group.low, width, bytes].map(|number| builder.constant_index(number));
        let index = match place.base {
            Some(base) if group.low == 0 => base,
            Some(base) => builder.value(arith::ADDI, &[base, low], Type::Index, []),
            None => low,
        };
        let mut offset = builder.value(arith::MULI, &[index, scale], Type::Index, []);
        if root.buffer != place.buffer {
            let address = builder.value(rt::ADDRESS, &[place.buffer], Type::Index, []);
            let from = builder.value(arith::SUBI, &[address, root.start], Type::Index, []);
            offset = builder.value(arith::ADDI, &[from, offset], Type::Index, []);
        }
        let fits = match (limit, place.mask) {
            (Some(limit), _) => {
                builder.value(arith::CMPI, &[offset, limit], Type::I1, [CmpIPredicate::Ult.attribute()])
            }
            (None, mask) => masked_fits(&mut builder, root, offset, (mask.unwrap_or(low), group.high, width)),
        };
        let number = builder.constant(Attribute::i64(root.number), Type::I64);
        let last = self.body.defining_op(number).expect("just made");
        self.leave_unless(last, fits, [number, offset, length, root.bytes]);
    }

    /// The first offset at which an access of `bytes` bytes does not fit, not below 0.
    fn limit(&mut self, root: Root, bytes: i64) -> Value {
        if let Some(&known) = self.limits.get(&(root.start, bytes)) {
            return known;
        }
        let mut builder = Builder::after(self.body, root.known);
        let (less, zero) = (builder.constant_index(bytes - 1), builder.constant_index(0));
        let room = builder.value(arith::SUBI, &[root.bytes, less], Type::Index, []);
        let limit = builder.value(arith::MAXSI, &[room, zero], Type::Index, []);
        self.limits.insert((root.start, bytes), limit);
        limit
    }

    /// The memory of a buffer; `None` for a table of words, and in a host function for what its caller allocated.
    fn root(&mut self, op: Op, buffer: Value) -> Result<Option<Root>> {
        match self.provenance.origin(self.body, buffer) {
            Some(Origin::Words) => Ok(None),
            Some(origin) => Ok(self.memory(origin)),
            None if self.provenance.is_host => Ok(None),
            None => Err(self.unchecked(op)),
        }
    }

    fn root_if_known(&mut self, buffer: Value) -> Option<Root> {
        self.provenance.origin(self.body, buffer).and_then(|origin| self.memory(origin))
    }

    /// The address and the size of an origin, computed once.
    fn memory(&mut self, origin: Origin) -> Option<Root> {
        let buffer = origin.buffer()?;
        if let Some(known) = self.roots.get(&buffer) {
            return *known;
        }
        let (after, number) = match origin {
            Origin::Words => return None,
            Origin::Stated { bounds, number, .. } => (bounds, number),
            Origin::Counted { .. } | Origin::Sized { .. } | Origin::Static { .. } => {
                (self.body.defining_op(buffer)?, self.provenance.number)
            }
        };
        let mut builder = Builder::after(self.body, after);
        let bytes = match origin {
            Origin::Words => return None,
            Origin::Stated { count, width, .. } | Origin::Counted { count, width, .. } => {
                let width = builder.constant_index(width);
                builder.value(arith::MULI, &[count, width], Type::Index, [])
            }
            Origin::Sized { bytes, .. } => bytes,
            Origin::Static { bytes, .. } => builder.constant_index(bytes),
        };
        // with a separate last operation
        let none = builder.constant_index(0);
        let address = match builder.body.value_type(buffer) {
            Type::Index => buffer,
            _ => builder.value(rt::ADDRESS, &[buffer], Type::Index, []),
        };
        let start = builder.value(arith::ADDI, &[address, none], Type::Index, []);
        let known = builder.body.defining_op(start).expect("just made");
        let root = Some(Root { buffer, start, bytes, number, known });
        self.roots.insert(buffer, root);
        root
    }

    /// After `op`: continues if `condition` holds, otherwise reports a failed check.
    fn leave_unless(&mut self, op: Op, condition: Value, report: [Value; 4]) {
        leave_unless(self.body, op, condition, &report, self.failed);
    }

    fn unchecked(&self, op: Op) -> Vec<Diagnostic> {
        let location = self.body.op(op).location.clone();
        let message = format!("{} accesses a buffer whose bounds are unknown", self.body.name(op));
        Diagnostic::internal(location, message).into()
    }
}

/// Whether the first `count` lanes fit at an offset, or there are none.
fn masked_fits(
    builder: &mut Builder<'_>,
    root: Root,
    offset: Value,
    (count, lanes, width): (Value, i64, i64),
) -> Value {
    let [zero, one, lanes, width] = [0, 1, lanes, width].map(|number| builder.constant_index(number));
    let some = builder.value(arith::MINSI, &[count, lanes], Type::Index, []);
    let some = builder.value(arith::MAXSI, &[some, zero], Type::Index, []);
    let bytes = builder.value(arith::MULI, &[some, width], Type::Index, []);
    let room = builder.value(arith::SUBI, &[root.bytes, bytes], Type::Index, []);
    let room = builder.value(arith::ADDI, &[room, one], Type::Index, []);
    let limit = builder.value(arith::MAXSI, &[room, zero], Type::Index, []);
    let fits = builder.value(arith::CMPI, &[offset, limit], Type::I1, [CmpIPredicate::Ult.attribute()]);
    let none = builder.value(arith::CMPI, &[some, zero], Type::I1, [CmpIPredicate::Eq.attribute()]);
    builder.value(arith::ORI, &[fits, none], Type::I1, [])
}
