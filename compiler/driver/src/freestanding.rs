//! Code without a runtime.

use ir::{Diagnostic, Location, Module, Result};
use lower::low::dispatch::detect_level;
use lower::low::{Shapes, check_freestanding};

use crate::options::Options;
use crate::options::{INITIALIZE, MAIN};
use crate::signature::{Extent, Port, Signature};

/// Refuses inputs with dynamic extents if memory is to be static.
pub(crate) fn check_inputs(signature: &Signature, options: &Options) -> Result<()> {
    match options.freestanding {
        Some(_) => Ok(static_shapes(&signature.inputs).map(|_| ())?),
        None => Ok(()),
    }
}

/// Adds the exported C functions to a module of the kernel level, for code without a runtime.
pub(crate) fn add_entry_points(module: &mut Module, signature: &Signature, options: &Options) -> Result<()> {
    let Some(name) = &options.freestanding else { return Ok(()) };
    let shapes = Shapes { inputs: static_shapes(&signature.inputs)?, outputs: static_shapes(&signature.outputs)? };
    let initialize = module.symbol(INITIALIZE).map(|_| INITIALIZE);
    lower::low::add_entry_points(module, name, initialize, MAIN, &shapes);
    if options.has_versions() { detect_level(module, &format!("{name}_initialize")) } else { Ok(()) }
}

/// Refuses a module of the low level that needs a runtime, for code without one.
pub(crate) fn check(module: &Module, options: &Options) -> Result<()> {
    if options.freestanding.is_some() { check_freestanding(module) } else { Ok(()) }
}

fn static_shapes(ports: &[Port]) -> Result<Vec<Vec<i64>>, Diagnostic> {
    ports.iter().map(static_shape).collect()
}

fn static_shape(port: &Port) -> Result<Vec<i64>, Diagnostic> {
    let refused = |why: &str| {
        let message = format!("'{}': {why}, and code without a runtime has static memory", port.name);
        Diagnostic::unsupported(Location::Unknown, message)
    };
    if port.is_container() {
        return Err(refused("a sequence or an optional has no size"));
    }
    let number = |extent: &Extent| match extent {
        Extent::Fixed(extent) => Ok(*extent),
        Extent::Named(name) => {
            Err(refused(&format!("the extent '{name}' is not fixed")).with_note(format!("fix it with --dim {name}=N")))
        }
        Extent::Any => {
            Err(refused("an extent is not fixed").with_note(format!("fix it with --shape {}=NxN…", port.name)))
        }
    };
    port.shape.iter().map(number).collect()
}
