//! Byte lookup tables.
//!
//! Quantised models have chains of elementwise operations on int8: dequantise, apply an activation, quantise again. If
//! all other operands of such a chain are constants, it has 256 results. They are computed when the model is
//! initialised, and looked up.

use dialects::{Dialect, OpCode, OpCodes, arith, linalg, tensor};
use ir::{
    AffineExpr, AffineMap, Attribute, Block, Body, Builder, IndexMap, IndexSet, Location, Module, Op, Type, Use, Value,
};

use crate::extents::empty_like;
use crate::fuse::cost;
use crate::known::captured;
use crate::outline::{all_blocks, remove_dead};
use dialects::linalg::generic::{Generic, Input, build_generic, parallel};

/// The minimum number of scalar operations of a chain, as counted by fusion, for which a lookup is cheaper.
const STEPS: usize = 16;
/// The minimum number of elements, if static, that justifies a table.
const ELEMENTS: i64 = 1024;
/// The number of values of a byte.
const BYTES: i64 = 256;

/// Replaces long chains of the function `name` by lookups.
pub(crate) fn use_tables(module: &mut Module, name: &str) {
    let Some((host, mut body)) = module.take_function(name) else { return };
    let mut known = IndexSet::default();
    let blocks = all_blocks(&body);
    let has_bytes = blocks.iter().any(|&block| has_bytes(&body, block));
    for block in blocks.into_iter().filter(|_| has_bytes) {
        let ops = body.ops(block).to_vec();
        known.extend(known_values(&body, &ops, &known));
        let chains = Chains::of(&body, &ops, &known);
        let mut is_changed = false;
        for end in chains.ends(&body) {
            let members = chains.members(&body, end);
            let steps: usize = members.iter().map(|member| cost(&body, member)).sum();
            if steps >= STEPS {
                let found = look_up(&mut body, end, chains.bytes[&end], &members);
                // other tables are built from the original chain
                for reader in chains.readers(&body, end) {
                    body.set_operand(reader.op, reader.index as usize, found);
                }
                is_changed = true;
            }
        }
        if is_changed {
            remove_dead(&mut body, block);
        }
    }
    module.body.set_isolated(host, body);
}

/// Whether a block has an int8 or uint8 tensor, as an argument or a result.
fn has_bytes(body: &Body, block: Block) -> bool {
    let results = body.ops(block).flat_map(|op| body.op(op).results());
    body.arguments(block).iter().chain(results).any(|&value| *body.value_type(value).element() == Type::I8)
}

/// The values that these operations compute from constants alone, given other known values.
fn known_values(body: &Body, ops: &[Op], outer: &IndexSet<Value>) -> IndexSet<Value> {
    let mut known: IndexSet<Value> = IndexSet::default();
    for &op in ops {
        let is_pure = ["arith.", "tensor.", "linalg."].iter().any(|dialect| body.name(op).starts_with(dialect));
        let is_known = |value: Value| outer.contains(&value) || known.contains(&value);
        let mut read = body.op(op).operands().iter().copied().chain(captured(body, op));
        if is_pure && read.all(is_known) {
            known.extend(body.op(op).results());
        }
    }
    known
}

/// The elementwise functions of one byte among the operations of a block.
struct Chains {
    /// For each result the int8 or uint8 tensor that it is computed from, in program order.
    bytes: IndexMap<Value, Value>,
}

impl Chains {
    fn of(body: &Body, ops: &[Op], known: &IndexSet<Value>) -> Chains {
        let mut bytes: IndexMap<Value, Value> = IndexMap::default();
        for &op in ops {
            let origin_of = |&input: &Value| {
                let is_byte = *body.value_type(input).element() == Type::I8;
                bytes.get(&input).copied().or(is_byte.then_some(input))
            };
            if !body.op(op).operands().iter().any(|input| origin_of(input).is_some()) {
                continue;
            }
            let Some(generic) = Generic::of(body, op) else { continue };
            let Some(varying) = varying_inputs(body, &generic, known) else { continue };
            let mut origins = varying.iter().map(origin_of);
            if let Some(Some(origin)) = origins.next()
                && origins.all(|other| other == Some(origin))
                && !known.contains(&origin)
            {
                bytes.insert(body.result(op, 0), origin);
            }
        }
        Chains { bytes }
    }

    /// The readers of a result that are not such functions.
    fn readers(&self, body: &Body, value: Value) -> Vec<Use> {
        let is_member = |op: Op| body.op(op).results().first().is_some_and(|result| self.bytes.contains_key(result));
        body.uses(value).iter().filter(|reader| !is_member(reader.op)).copied().collect()
    }

    /// Results with other readers.
    fn ends(&self, body: &Body) -> Vec<Value> {
        let is_end = |value: &Value| !self.readers(body, *value).is_empty();
        let is_large = |value: &Value| {
            let shape = body.value_type(*value).static_shape();
            shape.is_none_or(|shape| shape.iter().product::<i64>() >= ELEMENTS)
        };
        self.bytes.keys().copied().filter(|end| is_end(end) && is_large(end)).collect()
    }

    /// The operations from the bytes to a result, in order.
    fn members(&self, body: &Body, end: Value) -> Vec<Generic> {
        let mut found: IndexMap<Op, Generic> = IndexMap::default();
        let mut pending = vec![end];
        while let Some(value) = pending.pop() {
            let Some(generic) = Generic::defining(body, value).filter(|_| self.bytes.contains_key(&value)) else {
                continue;
            };
            pending.extend(&generic.inputs);
            found.insert(generic.op, generic);
        }
        let mut members: Vec<Generic> = found.into_values().collect();
        members.sort_by_key(|member| self.bytes.get_index_of(&body.result(member.op, 0)));
        members
    }
}

/// The inputs of an elementwise operation that vary between elements, if all others are constant scalars.
fn varying_inputs(body: &Body, generic: &Generic, known: &IndexSet<Value>) -> Option<Vec<Value>> {
    let is_elementwise = !generic.is_reduction() && generic.output_map(0).is_identity() && !generic.is_partial;
    if !is_elementwise || generic.inits.len() != 1 {
        return None;
    }
    let mut varying = vec![];
    for (&input, map) in generic.inputs.iter().zip(&generic.maps) {
        match known.contains(&input) && single_element(body, input, map).is_some() {
            true => {}
            false if map.is_identity() && generic.rank() > 0 => varying.push(input),
            false => return None,
        }
    }
    let is_scalar = |op: Op| {
        let is = |code: OpCode| code == linalg::YIELD || matches!(code.dialect(), Dialect::Arith | Dialect::Math);
        body.code(op).is_some_and(is)
    };
    let is_closed =
        body.ops(generic.block).all(is_scalar) && captured(body, generic.op).all(|value| known.contains(&value));
    is_closed.then_some(varying)
}

/// The subscripts of the only element of an operand that is read.
fn single_element(body: &Body, input: Value, map: &AffineMap) -> Option<Vec<AffineExpr>> {
    let r#type = body.value_type(input);
    let subscript = |(axis, e): (usize, &AffineExpr)| match e {
        AffineExpr::Constant(_) => Some(e.clone()),
        _ => (r#type.extent(axis) == Some(1)).then_some(AffineExpr::Constant(0)),
    };
    map.results.iter().enumerate().map(subscript).collect()
}

/// The lookup of a result in a table, indexed by its bytes.
fn look_up(body: &mut Body, end: Value, bytes: Value, members: &[Generic]) -> Value {
    let op = body.defining_op(end).expect("a chain ends in an operation");
    let location = Location::fuse(members.iter().map(|member| body.op(member.op).location.clone()));
    let element = body.value_type(end).element().clone();
    let result = empty_like(body, end, op);
    let rank = body.value_type(end).rank().expect("structured tensors are ranked");
    let mut builder = Builder::before(body, op).with_location(location);
    let table = table(&mut builder, bytes, members, &element);
    let identity = AffineMap::identity(rank);
    let [from, to] = [bytes, result].map(|value| Input { value, map: identity.clone() });
    let found = build_generic(&mut builder, &[from], &[to], &parallel(rank), |builder, e| {
        let index = builder.value(arith::INDEX_CASTUI, &[e[0]], Type::Index, []);
        vec![builder.value_from(tensor::Extract { tensor: table, indices: &[index] }, element, [])]
    });
    found[0]
}

/// Whether an operation is a lookup in a byte table.
pub(crate) fn looks_up(body: &Body, generic: &Generic) -> bool {
    let is_found = |op: Op| {
        let index = body.op(op).operands().get(1).and_then(|&index| body.defining_op(index));
        let byte = index.filter(|&index| body.is(index, arith::INDEX_CASTUI)).map(|index| body.sole_operand(index));
        body.is(op, tensor::EXTRACT) && byte.is_some_and(|byte| *body.value_type(byte) == Type::I8)
    };
    body.ops(generic.block).any(is_found)
}

/// The results of a chain for all bytes.
fn table(builder: &mut Builder<'_>, bytes: Value, members: &[Generic], element: &Type) -> Value {
    // the arguments of bodies for constant scalars, and those
    let (arguments, singles): (Vec<Value>, Vec<Input>) =
        members.iter().flat_map(|member| known_arguments(builder.body, member)).unzip();
    let r#type = Type::tensor([Some(BYTES)], element.clone());
    let empty = builder.value_from(tensor::Empty { sizes: &[] }, r#type, []);
    let output = Input { value: empty, map: AffineMap::identity(1) };
    let results = build_generic(builder, &singles, &[output], &parallel(1), |builder, e| {
        let index = builder.value(linalg::INDEX, &[], Type::Index, [("dim", Attribute::i64(0))]);
        let word = builder.value(arith::INDEX_CAST, &[index], Type::I32, []);
        let byte = builder.value(arith::TRUNCI, &[word], Type::I8, []);
        let mut scalars: IndexMap<Value, Value> = arguments.into_iter().zip(e.iter().copied()).collect();
        scalars.insert(bytes, byte);
        let mut last = byte;
        for member in members {
            last = evaluate(builder, member, &mut scalars);
            scalars.insert(builder.body.result(member.op, 0), last);
        }
        vec![last]
    });
    results[0]
}

/// The arguments of an operation's body for single elements of operands, with those.
fn known_arguments(body: &Body, member: &Generic) -> Vec<(Value, Input)> {
    let operands = member.inputs.iter().zip(&member.maps).zip(body.arguments(member.block));
    let single = |((&value, map), &argument): ((&Value, &AffineMap), &Value)| {
        let subscripts = single_element(body, value, map)?;
        Some((argument, Input { value, map: AffineMap::new(1, subscripts) }))
    };
    operands.filter_map(single).collect()
}

/// A copy of an operation's body, given scalars for its constant arguments and for its other inputs.
fn evaluate(builder: &mut Builder<'_>, member: &Generic, scalars: &mut IndexMap<Value, Value>) -> Value {
    let arguments = builder.body.arguments(member.block).to_vec();
    for (argument, input) in arguments.into_iter().zip(&member.inputs) {
        if let Some(&scalar) = scalars.get(input) {
            scalars.insert(argument, scalar);
        }
    }
    for op in builder.body.ops(member.block).to_vec() {
        let operation = builder.body.op(op);
        let operands: Vec<Value> =
            operation.operands().iter().map(|value| scalars.get(value).copied().unwrap_or(*value)).collect();
        let Some(&result) = operation.results().first() else { return operands[0] };
        let (name, attributes) = (operation.name.clone(), operation.attributes.clone());
        let r#type = builder.body.value_type(result).clone();
        let new = builder.value(name, &operands, r#type, attributes);
        scalars.insert(result, new);
    }
    unreachable!("a body ends in a yield")
}
