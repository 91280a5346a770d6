//! The plain engine: lower everything, compile everything, link.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use codegen_cranelift::Tier;
use ir::pass::Timings;
use ir::{Diagnostic, IndexSet, Location, Module, Result};

use crate::code::Code;
use crate::fast::tiers::{CodeTier, Unlinked};
use crate::globals::Globals;
use crate::partition::{self, PARTS};
use crate::{Built, CodeGenerator, Engine, Settings, worker};

/// Code that is complete and optimised before it runs, and stays as it is.
#[derive(Clone, Copy, Debug)]
pub struct PlainEngine;

impl Engine for PlainEngine {
    fn build(
        &self,
        module: &mut Module,
        settings: &Settings,
        cancelled: &Arc<AtomicBool>,
        timings: &mut Timings,
    ) -> Result<Built> {
        let mut globals = lower_module(module, settings, timings)?;
        timings.measure("codegen", || {
            let parts = partition::split(module, settings.workers * PARTS);
            let objects = match settings.generator {
                CodeGenerator::Cranelift => cranelift_objects(parts, settings, &mut globals, cancelled)?,
                CodeGenerator::Llvm => llvm_objects(parts, settings, &mut globals, cancelled)?,
            };
            let code = load(&objects, &globals.symbols()?)?;
            let tier = match settings.generator {
                CodeGenerator::Cranelift => CodeTier::Optimised,
                CodeGenerator::Llvm => CodeTier::Llvm,
            };
            Ok(Built { globals, code, unlinked: Unlinked::Objects(tier, objects), recipe: None })
        })
    }
}

/// Runs the passes on the whole module, and reserves the memory of its globals.
pub(crate) fn lower_module(module: &mut Module, settings: &Settings, timings: &mut Timings) -> Result<Globals> {
    settings.lowering.lower_module(module, timings)?;
    let mut globals = Globals::default();
    timings.measure("weights", || globals.add(module)).map_err(constants_do_not_fit)?;
    Ok(globals)
}

/// Lowers a module from the kernel level to the low level, in partitions.
pub fn lower_again(module: &mut Module, settings: &Settings, timings: &mut Timings) -> Result<Vec<Module>> {
    settings.lowering.lower_module(module, timings)?;
    let mut parts = partition::split(module, settings.workers * PARTS);
    let known = Mutex::new(IndexSet::default());
    let lower = |part: &mut Module| {
        settings.lowering.lower_partition(part)?;
        partition::keep_first_definitions(part, &mut known.lock().unwrap_or_else(PoisonError::into_inner));
        Ok(())
    };
    timings.measure("lower-to-low", || partition::for_each(&mut parts, settings.workers, lower))?;
    Ok(parts)
}

/// Links object files in memory.
pub fn load<T: AsRef<[u8]>>(objects: &[T], symbols: &BTreeMap<String, usize>) -> Result<Code> {
    let code = loader::load(objects, symbols).map_err(|error| Diagnostic::internal(Location::Unknown, &*error))?;
    Ok(Code::Objects(code))
}

fn cranelift_objects(
    mut parts: Vec<Module>,
    settings: &Settings,
    globals: &mut Globals,
    cancelled: &Arc<AtomicBool>,
) -> Result<Vec<Vec<u8>>> {
    let lower = lower_into(settings, globals);
    partition::for_each(&mut parts, settings.workers, lower)?;
    let options = codegen_cranelift::Options {
        threads: settings.workers,
        tier: Tier::Optimised,
        cancelled: cancelled.clone(),
        ..Default::default()
    };
    Ok(vec![codegen_cranelift::relocatable(&parts, &options)?.object()?])
}

fn llvm_objects(
    parts: Vec<Module>,
    settings: &Settings,
    globals: &mut Globals,
    cancelled: &AtomicBool,
) -> Result<Vec<Vec<u8>>> {
    let lower = lower_into(settings, globals);
    worker::compile(parts, settings.workers, settings.helper.as_deref(), &lower, cancelled)
}

/// Lowers partitions, on several threads, and adds the constants that passes create.
fn lower_into(settings: &Settings, globals: &mut Globals) -> impl Fn(&mut Module) -> Result<()> + Sync {
    let shared = Mutex::new((globals, IndexSet::default()));
    move |part: &mut Module| {
        settings.lowering.lower_partition(part)?;
        let (globals, known) = &mut *shared.lock().unwrap_or_else(PoisonError::into_inner);
        partition::keep_first_definitions(part, known);
        Ok(globals.add(part).map_err(constants_do_not_fit)?)
    }
}

/// The error of a shortage when the memory of constants is requested.
pub(crate) fn constants_do_not_fit(shortage: limits::Shortage) -> Diagnostic {
    Diagnostic::input(Location::Unknown, format!("the constants and the values computed from them alone: {shortage}"))
}
