//! From the kernel level to machine code, with either code generator.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use ir::{Diagnostic, IndexSet, Location, Module, Result};

use crate::baseline::{BaselineCode, Making};
use crate::code::Code;
use crate::compiler::Compiler;
use crate::globals::Globals;
use crate::options::MAIN;
use crate::partition::{self, PARTS};
use crate::pipeline::{self, Timings};
use crate::progress::Stage;
use crate::tiers::{Recipe, Unlinked};
use crate::worker;

/// The output of a back end.
pub(crate) struct Made {
    pub(crate) globals: Globals,
    pub(crate) code: Code,
    pub(crate) unlinked: Unlinked,
    /// Prepares the input of the optimised tier.
    pub(crate) recipe: Option<Box<dyn FnOnce() -> Result<Recipe> + Send>>,
}

impl Compiler {
    /// Lowers a module from the kernel level to the low level, in partitions.
    pub(crate) fn lower_parts(&self, module: &mut Module, timings: &mut Timings) -> Result<Vec<Module>> {
        let (whole, each) = pipeline::low_steps(&self.options);
        pipeline::run(module, &whole, &self.options, timings)?;
        let workers = self.options.workers;
        let mut parts = partition::split(module, workers * PARTS);
        let known = Mutex::new(IndexSet::default());
        let lower = |part: &mut Module| {
            pipeline::run(part, &each, &self.options, &mut Timings::default())?;
            partition::keep_first_definitions(part, &mut known.lock().unwrap_or_else(PoisonError::into_inner));
            Ok(())
        };
        timings.measure("lower-to-low", || partition::for_each(&mut parts, workers, lower))?;
        Ok(parts)
    }

    /// Baseline code, and the input of the optimised tier. The code that a run reaches first is ready when this
    /// returns, the rest is compiled in the background.
    pub(crate) fn cranelift_code(
        &self,
        module: &mut Module,
        cancelled: &Arc<AtomicBool>,
        timings: &mut Timings,
    ) -> Result<Made> {
        let (whole, each) = pipeline::low_steps(&self.options);
        pipeline::run(module, &whole, &self.options, timings)?;
        self.enter(Stage::Generate);
        let mut globals = Globals::default();
        timings.measure("weights", || globals.add(module)).map_err(constants_do_not_fit)?;
        timings.measure("codegen", || {
            let making = Making::begin(module, globals.places(), &self.options, each, cancelled)?;
            let parts = making.parts().clone();
            let memory = BaselineCode::memory(&self.options);
            // measured times of kernels must be those of their runs only, and printed code must be complete
            if memory.is_none() || self.options.profile || !self.options.print_after.is_empty() {
                parts.finish()?;
            }
            let code = match memory {
                Some(memory) => Code::First(BaselineCode::of(making, memory)?),
                None => Code::Cranelift(Box::new(parts.relocatable()?.0.link(&parts.symbols()?)?)),
            };
            code.function(MAIN)?;
            let workers = self.options.workers;
            let recipe = {
                let parts = parts.clone();
                move || Ok(Recipe { symbols: parts.symbols()?, parts: parts.modules()?, workers })
            };
            Ok(Made { globals, code, unlinked: Unlinked::Cranelift(parts), recipe: Some(Box::new(recipe)) })
        })
    }

    /// Code of the LLVM back end.
    pub(crate) fn llvm_code(
        &self,
        module: &mut Module,
        cancelled: &Arc<AtomicBool>,
        timings: &mut Timings,
    ) -> Result<Made> {
        let (whole, each) = pipeline::low_steps(&self.options);
        pipeline::run(module, &whole, &self.options, timings)?;
        self.enter(Stage::Generate);
        let mut globals = Globals::default();
        timings.measure("weights", || globals.add(module)).map_err(constants_do_not_fit)?;
        timings.measure("codegen", || {
            let parts = partition::split(module, self.options.workers * PARTS);
            let shared = Mutex::new((&mut globals, IndexSet::default()));
            let lower = |part: &mut Module| {
                pipeline::run(part, &each, &self.options, &mut Timings::default())?;
                let (globals, known) = &mut *shared.lock().unwrap_or_else(PoisonError::into_inner);
                partition::keep_first_definitions(part, known);
                Ok(globals.add(part).map_err(constants_do_not_fit)?)
            };
            let objects =
                worker::compile(parts, self.options.workers, self.options.helper.as_deref(), &lower, cancelled)?;
            let code = loader::load(&objects, &globals.symbols())
                .map_err(|error| Diagnostic::internal(Location::Unknown, &*error))?;
            Ok(Made { globals, code: Code::Objects(code), unlinked: Unlinked::Llvm(objects), recipe: None })
        })
    }
}

/// The error of a shortage when the memory of constants is requested.
fn constants_do_not_fit(shortage: limits::Shortage) -> Diagnostic {
    Diagnostic::input(Location::Unknown, format!("the constants and the values computed from them alone: {shortage}"))
}
