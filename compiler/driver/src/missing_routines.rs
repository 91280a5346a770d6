//! Routines that the runtime of this build is without.

use dialects::rt::routines::Routine;
use ir::{Diagnostic, Module, Result};

/// Refuses a module at the structured level that calls one.
pub(crate) fn refuse(module: &Module) -> Result<()> {
    let omitted: Vec<_> = runtime::calls::omitted().collect();
    if omitted.is_empty() {
        return Ok(());
    }
    let bodies = module.functions().map(|function| function.body);
    let calls = bodies.flat_map(|body| body.walk_all().into_iter().map(move |op| (body, op)));
    let refused = calls.filter_map(|(body, op)| {
        let routine = Routine::of(body, op)?;
        let (_, feature) = omitted.iter().find(|(name, _)| *name == routine.name)?;
        let message = format!("the routine '{}' is not in this build: it needs the feature '{feature}'", routine.name);
        Some(Diagnostic::unsupported(body.op(op).location.clone(), message))
    });
    let refused: Vec<Diagnostic> = refused.collect();
    if refused.is_empty() { Ok(()) } else { Err(refused) }
}
