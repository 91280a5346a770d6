//! Code without a runtime.

use dialects::rt::attributes::GREATEST_EXTENTS;
use ir::{Attribute, Diagnostic, Location, Module, Result};
use lower::low::dispatch::detect_level;
use lower::low::{self, EntryShapes, check_freestanding};

use crate::options::Options;
use crate::options::{INITIALIZE, MAIN};
use crate::signature::{Extent, Port, Signature};

/// Refuses inputs whose extents are neither fixed nor bounded if memory is to be static.
pub(crate) fn check_inputs(signature: &Signature, options: &Options) -> Result<()> {
    match options.freestanding {
        Some(_) => Ok(shapes(signature, options).map(|_| ())?),
        None => Ok(()),
    }
}

/// States the greatest extents of the inputs in a module of the structured level, if some are bounded.
pub(crate) fn bound_extents(module: &mut Module, signature: &Signature, options: &Options) -> Result<()> {
    if options.freestanding.is_none() || options.bounds.is_empty() {
        return Ok(());
    }
    let shapes = shapes(signature, options)?;
    let greatest = |extent: &low::Extent| match *extent {
        low::Extent::Fixed(extent) => extent,
        low::Extent::Dimension(number) => shapes.greatest[number],
    };
    let input = |shape: &Vec<low::Extent>| Attribute::i64_array(&shape.iter().map(greatest).collect::<Vec<_>>());
    let inputs = Attribute::Array(shapes.inputs.iter().map(input).collect());
    if let Some(main) = module.symbol(MAIN) {
        module.body.op_mut(main).attributes.set(GREATEST_EXTENTS, inputs);
    }
    Ok(())
}

/// Adds the exported C functions to a module of the kernel level, for code without a runtime.
pub(crate) fn add_entry_points(module: &mut Module, signature: &Signature, options: &Options) -> Result<()> {
    let Some(name) = &options.freestanding else { return Ok(()) };
    let initialize = module.symbol(INITIALIZE).map(|_| INITIALIZE);
    low::add_entry_points(module, name, initialize, MAIN, &shapes(signature, options)?);
    if options.has_versions() { detect_level(module, &format!("{name}_initialize")) } else { Ok(()) }
}

/// Refuses a module of the low level that needs a runtime, for code without one.
pub(crate) fn check(module: &Module, options: &Options) -> Result<()> {
    if options.freestanding.is_some() { check_freestanding(module) } else { Ok(()) }
}

/// The shapes that a run is called with; its dimensions are those of the bounds, in their order.
fn shapes(signature: &Signature, options: &Options) -> Result<EntryShapes, Diagnostic> {
    let inputs = signature.inputs.iter().map(|port| shape(port, options)).collect::<Result<_, _>>()?;
    let output_ranks = signature.outputs.iter().map(rank).collect::<Result<_, _>>()?;
    Ok(EntryShapes { inputs, output_ranks, greatest: options.bounds.values().copied().collect() })
}

fn refused(port: &Port, why: &str) -> Diagnostic {
    let message = format!("'{}': {why}, and code without a runtime has static memory", port.name);
    Diagnostic::unsupported(Location::Unknown, message)
}

fn rank(port: &Port) -> Result<usize, Diagnostic> {
    match port.is_container() {
        true => Err(refused(port, "a sequence or an optional has no size")),
        false => Ok(port.shape.len()),
    }
}

fn shape(port: &Port, options: &Options) -> Result<Vec<low::Extent>, Diagnostic> {
    rank(port)?;
    let extent = |extent: &Extent| match extent {
        Extent::Fixed(extent) => Ok(low::Extent::Fixed(*extent)),
        Extent::Named(name) => match options.bounds.keys().position(|bounded| bounded == name) {
            Some(number) => Ok(low::Extent::Dimension(number)),
            None => Err(refused(port, &format!("the extent '{name}' is neither fixed nor bounded"))
                .with_note(format!("fix it with --dim {name}=N, or bound it with --dim '{name}<=N'"))),
        },
        Extent::Any => {
            let note = format!("fix it with --shape {}=NxN…", port.name);
            Err(refused(port, "an extent is not fixed").with_note(note))
        }
    };
    port.shape.iter().map(extent).collect()
}
