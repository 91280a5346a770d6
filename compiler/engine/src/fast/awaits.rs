//! Inserts waits into host functions for weights that are still being prepared when a run begins.
//!
//! Prepared weights become ready in chunks, in the order in which a run needs them ([`crate::prepare_constants`]). Before its
//! first use of a chunk, a host function calls a function that returns once the chunk is ready, and does nothing from
//! then on.
//!
//! Invariant: code that reads a chunk runs after the call for it. Kernels receive the addresses of weights from host
//! functions.

use dialects::{OpCodes, func, memref};
use ir::{Attribute, Attributes, Blob, Body, Builder, FunctionType, IndexMap, Location, Module, Op, Value};

use crate::partition::is_host;
use crate::prepare_constants::PARTS;

/// The prefix of the names of waiting functions, before a number.
const AWAIT: &str = "rt_await_";

/// The name of waiting function `number`.
pub(crate) fn name(number: usize) -> String {
    format!("{AWAIT}{number}")
}

/// Whether a name is that of a waiting function.
pub(crate) fn is_one(name: &str) -> bool {
    name.starts_with(AWAIT)
}

/// All waiting functions, in the form that waits for nothing.
pub(crate) fn symbols() -> impl Iterator<Item = (String, usize)> {
    (0..=PARTS).map(|number| (name(number), nothing_to_wait_for()))
}

/// The address of a function that does nothing.
pub(crate) fn nothing_to_wait_for() -> usize {
    extern "C" fn nothing() {}
    (nothing as *const ()).expose_provenance()
}

/// Inserts waits into the host functions of a module at the kernel level; returns some bytes of each chunk, in the
/// order of the functions' numbers.
pub(crate) fn insert(module: &mut Module) -> Vec<Blob> {
    let pending: IndexMap<String, Blob> = module.ops().filter_map(|op| pending(module, op)).collect();
    let mut pieces = IndexMap::default();
    if pending.is_empty() {
        return vec![];
    }
    let hosts: Vec<Op> = module.functions().filter(is_host).map(|function| function.op).collect();
    for host in hosts {
        let mut body = module.body.take_isolated(host).expect("a function owns its body");
        insert_into(&mut body, &pending, &mut pieces);
        module.body.set_isolated(host, body);
    }
    assert!(pieces.len() <= PARTS + 1, "weights are prepared in {PARTS} parts and a rest");
    for number in 0..pieces.len() {
        let private = Attributes::from([("sym_visibility", Attribute::string("private"))]);
        let r#type = FunctionType { inputs: vec![], results: vec![] };
        module.add_function(&name(number), r#type, private, Body::new(), Location::Unknown);
    }
    pieces.into_values().collect()
}

/// A global whose bytes are still being computed.
fn pending(module: &Module, op: Op) -> Option<(String, Blob)> {
    let attributes = &module.body.op(op).attributes;
    let bytes = &attributes.get("initial_value")?.as_dense()?.data;
    bytes.piece()?;
    Some((attributes.str("sym_name")?.to_string(), bytes.clone()))
}

/// Inserts the wait into the function's entry block, which dominates all later uses.
fn insert_into(body: &mut Body, pending: &IndexMap<String, Blob>, pieces: &mut IndexMap<usize, Blob>) {
    let entry = body.entry().expect("the function has a body");
    let mut awaited = Vec::new();
    for op in body.ops(entry).to_vec() {
        let inside = body.op(op).regions().iter().flat_map(|&region| body.walk(region));
        let users: Vec<Op> = inside.chain([op]).collect();
        for blob in users.iter().flat_map(|&user| used(body, user, pending)).cloned().collect::<Vec<_>>() {
            let piece = blob.piece().expect("only such are pending");
            let (number, _) = pieces.insert_full(piece, blob);
            if !awaited.contains(&number) {
                awaited.push(number);
                let callee = Attribute::symbol(&name(number));
                Builder::before(body, op).create(func::CALL, &[], &[], [("callee", callee)]);
            }
        }
    }
}

/// The pending constants that an operation uses.
fn used<'a>(body: &'a Body, op: Op, pending: &'a IndexMap<String, Blob>) -> impl Iterator<Item = &'a Blob> {
    body.op(op).operands().iter().filter_map(move |&value: &Value| {
        let global = body.defining_op(value).filter(|&op| body.is(op, memref::GET_GLOBAL))?;
        pending.get(body.attribute(global, "name")?.as_symbol()?)
    })
}
