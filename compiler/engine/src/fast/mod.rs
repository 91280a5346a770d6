//! Fast start: everything that only exists to shorten the time to the first result.

mod awaits;
pub mod background;
pub mod baseline;
mod ondemand;
mod panics;
mod stubs;
#[cfg(test)]
mod tests;
mod text;
pub mod tiers;

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use codegen_cranelift::{Generator, Tier};
use ir::pass::Timings;
use ir::{Module, Result};

use crate::code::Code;
use crate::fast::baseline::{BaselineCode, Making};
use crate::fast::tiers::{Recipe, Unlinked};
use crate::globals::{Globals, Place};
use crate::plain::{load, lower_module};
use crate::{Built, CodeGenerator, Engine, PlainEngine, Settings};

/// Baseline code that is compiled while it runs; an optimised tier may follow.
#[derive(Clone, Copy, Debug)]
pub struct FastStart;

impl Engine for FastStart {
    fn build(
        &self,
        module: &mut Module,
        settings: &Settings,
        cancelled: &Arc<AtomicBool>,
        timings: &mut Timings,
    ) -> Result<Built> {
        match settings.generator {
            CodeGenerator::Cranelift => baseline(module, settings, cancelled, timings),
            CodeGenerator::Llvm => PlainEngine.build(module, settings, cancelled, timings),
        }
    }
}

/// Baseline code, which is compiled in the background, and the input of the optimised tier.
fn baseline(
    module: &mut Module,
    settings: &Settings,
    cancelled: &Arc<AtomicBool>,
    timings: &mut Timings,
) -> Result<Built> {
    let mut globals = lower_module(module, settings, timings)?;
    timings.measure("codegen", || {
        let making = Making::begin(module, places(&mut globals), settings, cancelled)?;
        let parts = making.parts().clone();
        let memory = BaselineCode::memory(settings);
        if memory.is_none() || settings.is_complete {
            parts.finish()?;
        }
        let code = match memory {
            Some(memory) => Code::Baseline(BaselineCode::of(making, memory)?),
            None => load(&[parts.relocatable()?.0.object()?], &parts.symbols()?)?,
        };
        let workers = settings.workers;
        let recipe = {
            let parts = parts.clone();
            move || Ok(Recipe { symbols: parts.symbols()?, parts: parts.modules()?, workers })
        };
        Ok(Built { globals, code, unlinked: Unlinked::Baseline(parts), recipe: Some(Box::new(recipe)) })
    })
}

/// The locations of all symbols that code refers to, with those that only baseline code has.
fn places(globals: &mut Globals) -> HashMap<String, Place> {
    let mut places = globals.places();
    places.extend(awaits::symbols().map(|(name, address)| (name, Place::Address(address))));
    places
}

/// The addresses of all symbols that stored code refers to: after the first run there is nothing left to wait for.
pub fn symbols(globals: &mut Globals) -> Result<BTreeMap<String, usize>> {
    let mut symbols = globals.symbols()?;
    symbols.extend(awaits::symbols());
    Ok(symbols)
}

/// Initialises data of the code generator that every compilation needs.
pub fn read_tables() {
    // an unknown processor is reported when code is generated
    drop(Generator::new(Tier::Quick, Arc::default()));
}
