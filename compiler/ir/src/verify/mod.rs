//! The verifier: the invariants that every pass may rely on and must preserve.
//!
//! Checked in this order; all errors are collected, but an operation with an invalid structure is not checked further.
//!
//! Structure
//! - Regions nest at most [`MAX_REGION_DEPTH`] deep.
//! - Successors are in the operation's own region and are not its entry block.
//! - A terminator is the last operation of its block. A block of a region ends in one, unless the region's operation is
//!   `NoTerminator` or unknown. An unknown operation counts as a terminator.
//! - `operandSegmentSizes` are not negative and add up to the number of operands.
//! - A dialect that has definitions has no other operations; whole dialects may be unknown.
//!
//! Dominance
//! - A value is defined before it is used: earlier in the block, in a block that dominates, or by an operation or block
//!   of an enclosing region. Blocks that cannot be reached are not checked. The module's own region is a graph.
//! - Nothing crosses the border of an isolated operation: its values are in another arena.
//!
//! Definition
//! - Traits hold; the numbers of operands, results, regions and successors match the definition's arities; required
//!   attributes are present and have the right kind; the operation-specific check passes.
//!
//! Symbols
//! - `sym_name` is unique in the module; the checks of symbol references pass.

mod definition;
mod dominance;
mod structure;

pub(crate) use definition::is_well_formed;

use crate::IndexMap;

use crate::body::{Body, Op};
use crate::diagnostics::{Diagnostic, Result};
use crate::module::{Module, SymbolTable};
use crate::op_name;
use crate::registry::Registry;

/// The maximum nesting of regions, counted from the arena's root.
pub const MAX_REGION_DEPTH: usize = 256;

/// Checks a whole module and returns every error.
pub fn verify(module: &Module, registry: &Registry) -> Result<()> {
    let mut verifier = Verifier { symbols: SymbolTable::of(module), registry, errors: vec![] };
    verifier.unique_symbols();
    let mut bodies = vec![(&module.body, true)];
    while let Some((body, is_graph)) = bodies.pop() {
        verifier.body(body, is_graph);
        let isolated = body.walk_all().into_iter().rev();
        let inner = isolated.filter_map(|op| Some((body.op(op).isolated()?, body.op(op).name == op_name::MODULE)));
        bodies.extend(inner);
    }
    if verifier.errors.is_empty() { Ok(()) } else { Err(verifier.errors) }
}

struct Verifier<'a> {
    symbols: SymbolTable<'a>,
    registry: &'a Registry,
    errors: Vec<Diagnostic>,
}

impl Verifier<'_> {
    /// `'d.op' op message` at the operation.
    fn report(&mut self, body: &Body, op: Op, message: impl std::fmt::Display) {
        let operation = body.op(op);
        let message = format!("'{}' op {message}", operation.name);
        self.errors.push(Diagnostic::input(operation.location.clone(), message));
    }

    fn body(&mut self, body: &Body, is_graph: bool) {
        let before = self.errors.len();
        self.structure(body, is_graph);
        if self.errors.len() > before {
            return;
        }
        if !is_graph {
            self.dominance(body);
        }
        for op in body.walk_all() {
            self.definition(body, op);
        }
    }

    fn unique_symbols(&mut self) {
        let mut known: IndexMap<&str, Op> = IndexMap::default();
        let module = self.symbols.module;
        for op in module.ops() {
            let Some(name) = module.body.op(op).attributes.str("sym_name") else { continue };
            if let Some(&first) = known.get(name) {
                self.report(&module.body, op, format!("redefines symbol @{name}"));
                let note = format!("first defined at {}", module.body.op(first).location);
                let error = self.errors.last_mut().expect("just reported");
                error.notes.push(note);
            } else {
                known.insert(name, op);
            }
        }
    }
}
