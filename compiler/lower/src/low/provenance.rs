//! The memory that a buffer or an address belongs to, found from its definition.

use dialects::{OpCodes, arith, cf, func, memref, rt};
use ir::{Body, IndexMap, Op, Type, Value, ValueDefinition};

use super::scope::callee;

/// The most values that are followed from a buffer, which bounds the recursion.
const MOST_STEPS: usize = 1000;

/// Where a buffer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Origin {
    /// A table of words.
    Words,
    /// A buffer with stated bounds: elements and the bytes of each.
    Stated { buffer: Value, bounds: Op, count: Value, width: i64, number: i64 },
    /// A view of a number of elements.
    Counted { buffer: Value, count: Value, width: i64 },
    /// Memory that the runtime allocated.
    Sized { buffer: Value, bytes: Value },
    /// Stack memory or a global.
    Static { buffer: Value, bytes: i64 },
}

impl Origin {
    /// The buffer at its beginning.
    pub(super) fn buffer(self) -> Option<Value> {
        match self {
            Origin::Words => None,
            Origin::Stated { buffer, .. }
            | Origin::Counted { buffer, .. }
            | Origin::Sized { buffer, .. }
            | Origin::Static { buffer, .. } => Some(buffer),
        }
    }
}

/// The values that branches pass to each argument of a block.
pub(super) struct Incoming(IndexMap<Value, Vec<Value>>);

impl Incoming {
    pub(super) fn of(body: &Body) -> Incoming {
        let mut incoming: IndexMap<Value, Vec<Value>> = IndexMap::default();
        for op in body.walk_all() {
            if !matches!(body.code(op), Some(cf::BR | cf::COND_BR | cf::SWITCH)) {
                continue;
            }
            let passed = cf::successor_operands(body, op);
            for (&block, values) in body.op(op).successors().iter().zip(passed) {
                for (&argument, value) in body.arguments(block).iter().zip(values) {
                    incoming.entry(argument).or_default().push(value);
                }
            }
        }
        Incoming(incoming)
    }
}

/// What is known about a function's memory.
pub(super) struct Provenance {
    pub(super) incoming: Incoming,
    pub(super) is_host: bool,
    /// The message of a failed check in the function's own memory.
    pub(super) number: i64,
}

/// An origin, unless none is known.
#[derive(Clone, Copy)]
enum Found {
    One(Origin),
    Unknown,
    /// What is being looked for already.
    Cycle,
}

impl Provenance {
    /// The origin of a buffer or an address; `None` if it is not known, or not one.
    pub(super) fn origin(&self, body: &Body, value: Value) -> Option<Origin> {
        match self.find(body, value, &mut IndexMap::default()) {
            Found::One(origin) => Some(origin),
            Found::Unknown | Found::Cycle => None,
        }
    }

    /// `known` has what was found before, and what is being looked for.
    fn find(&self, body: &Body, value: Value, known: &mut IndexMap<Value, Found>) -> Found {
        if let Some(&found) = known.get(&value) {
            return found;
        }
        if known.len() == MOST_STEPS {
            return Found::Unknown;
        }
        known.insert(value, Found::Cycle);
        let found = match (stated(body, value), body.definition(value)) {
            (Some(stated), _) => Found::One(stated),
            (None, ValueDefinition::Argument { block, .. }) if body.entry() == Some(block) => {
                let is_words = body.value_type(value) == &Type::memref([None], Type::I64);
                if is_words { Found::One(Origin::Words) } else { Found::Unknown }
            }
            (None, ValueDefinition::Argument { .. }) => {
                let passed = self.incoming.0.get(&value).cloned().unwrap_or_default();
                self.only(body, &passed, known)
            }
            (None, ValueDefinition::Result { op, .. }) => self.of_result(body, op, value, known),
        };
        known.insert(value, found);
        found
    }

    fn of_result(&self, body: &Body, op: Op, value: Value, known: &mut IndexMap<Value, Found>) -> Found {
        let operands = body.op(op).operands();
        let found = |origin: Option<Origin>| origin.map_or(Found::Unknown, Found::One);
        match body.code(op) {
            Some(rt::ADDRESS | rt::BUFFER | memref::CAST) => self.find(body, operands[0], known),
            Some(memref::VIEW) => {
                found(width_of(body, value).map(|width| Origin::Counted { buffer: value, count: operands[2], width }))
            }
            Some(memref::ALLOCA | memref::GET_GLOBAL) => {
                found(static_bytes(body, value).map(|bytes| Origin::Static { buffer: value, bytes }))
            }
            Some(arith::ADDI) => match [operands[0], operands[1]].map(|operand| self.find(body, operand, known)) {
                [Found::One(origin), _] | [_, Found::One(origin)] => Found::One(origin),
                [Found::Cycle, _] | [_, Found::Cycle] => Found::Cycle,
                [Found::Unknown, Found::Unknown] => Found::Unknown,
            },
            Some(arith::SUBI) => self.find(body, operands[0], known),
            Some(arith::SELECT) => self.only(body, &operands[1..], known),
            Some(func::CALL) => {
                let bytes = match callee(body, op) {
                    Some("rt_arena" | "rt_allocate") => operands.get(1),
                    Some("rt_output") => operands.get(2),
                    Some("rt_scratch") => operands.first(),
                    _ => None,
                };
                found(bytes.map(|&bytes| Origin::Sized { buffer: value, bytes }))
            }
            _ => Found::Unknown,
        }
    }

    /// The origin that all of several values have.
    fn only(&self, body: &Body, values: &[Value], known: &mut IndexMap<Value, Found>) -> Found {
        let mut found = Found::Cycle;
        for &value in values {
            found = match (found, self.find(body, value, known)) {
                (found, Found::Cycle) => found,
                (Found::Cycle, one) => one,
                (Found::One(a), Found::One(b)) if a == b => Found::One(a),
                _ => return Found::Unknown,
            };
        }
        found
    }
}

/// The bounds that are stated for a buffer.
fn stated(body: &Body, buffer: Value) -> Option<Origin> {
    let bounds = body.uses(buffer).iter().find(|user| user.index == 0 && body.is(user.op, rt::BOUNDS))?.op;
    let count = *body.op(bounds).operands().get(2)?;
    let number = body.op(bounds).attributes.integer("number")?;
    Some(Origin::Stated { buffer, bounds, count, width: width_of(body, buffer)?, number })
}

/// Bytes of an element.
fn width_of(body: &Body, buffer: Value) -> Option<i64> {
    body.value_type(buffer).element().byte_width().map(|width| width as i64)
}

fn static_bytes(body: &Body, buffer: Value) -> Option<i64> {
    let count: i64 = body.value_type(buffer).static_shape()?.iter().product();
    count.checked_mul(width_of(body, buffer)?)
}
