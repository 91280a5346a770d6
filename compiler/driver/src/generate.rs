//! From the kernel level to code, with either code generator.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use codegen_cranelift::{Generator, Tier};
use ir::{Diagnostic, IndexSet, Location, Module, Result};

use crate::code::Code;
use crate::compiler::Compiler;
use crate::globals::Globals;
use crate::parts::{self, PARTS};
use crate::pipeline::{self, Timings};
use crate::progress::Stage;
use crate::tiers::{Recipe, Unlinked};
use crate::worker;

/// What a back end makes of a module.
pub(crate) struct Made {
    pub(crate) globals: Globals,
    pub(crate) code: Code,
    pub(crate) unlinked: Unlinked,
    /// What better code can be made from.
    pub(crate) recipe: Option<Recipe>,
}

impl Compiler {
    /// Takes a module from the kernel level to the low level, in parts.
    pub(crate) fn lower_parts(&self, module: &mut Module, timings: &mut Timings) -> Result<Vec<Module>> {
        Ok(self.lower_parts_and("lower-to-low", module, timings, |_| Ok(()))?.0)
    }

    /// The same as a stage of some name, and does something with each part that is there; its results, too.
    fn lower_parts_and<T: Send>(
        &self,
        stage: &'static str,
        module: &mut Module,
        timings: &mut Timings,
        then: impl Fn(&Module) -> Result<T> + Sync,
    ) -> Result<(Vec<Module>, Vec<T>)> {
        let (whole, each) = pipeline::low_steps(&self.options);
        pipeline::run(module, &whole, &self.options, timings)?;
        let workers = self.options.workers;
        let mut parts = parts::split(module, workers * PARTS);
        let known = Mutex::new(IndexSet::default());
        let lower = |part: &mut Module| {
            pipeline::run(part, &each, &self.options, &mut Timings::default())?;
            parts::keep_first_definitions(part, &mut known.lock().unwrap_or_else(PoisonError::into_inner));
            then(part)
        };
        let done = timings.measure(stage, || parts::for_each(&mut parts, workers, lower))?;
        Ok((parts, done))
    }

    /// Quick code, and what better code can be made from. A part is compiled as soon as it is at the low level.
    pub(crate) fn cranelift_code(
        &self,
        module: &mut Module,
        cancelled: &Arc<AtomicBool>,
        timings: &mut Timings,
    ) -> Result<Made> {
        let generator = Generator::new(Tier::Quick, cancelled.clone())?;
        let (parts, functions) = self.lower_parts_and("codegen", module, timings, |part| generator.generate(part))?;
        self.enter(Stage::Generate);
        let mut globals = Globals::default();
        timings.measure("weights", || std::iter::once(&*module).chain(&parts).for_each(|module| globals.add(module)));
        timings.measure("link", || {
            let unlinked = generator.relocatable(functions);
            // where constants lie that were computed meanwhile
            let recipe = Recipe { parts, symbols: globals.symbols(), workers: self.options.workers };
            let code = Code::Cranelift(Box::new(unlinked.link(&recipe.symbols)?));
            Ok(Made { globals, code, unlinked: Unlinked::Cranelift(unlinked), recipe: Some(recipe) })
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
        timings.measure("weights", || globals.add(module));
        timings.measure("codegen", || {
            let parts = parts::split(module, self.options.workers * PARTS);
            let shared = Mutex::new((&mut globals, IndexSet::default()));
            let lower = |part: &mut Module| {
                pipeline::run(part, &each, &self.options, &mut Timings::default())?;
                let (globals, known) = &mut *shared.lock().unwrap_or_else(PoisonError::into_inner);
                parts::keep_first_definitions(part, known);
                globals.add(part);
                Ok(())
            };
            let objects = worker::compile(parts, self.options.workers, &lower, cancelled)?;
            let code = loader::load(&objects, &globals.symbols())
                .map_err(|error| Diagnostic::internal(Location::Unknown, &*error))?;
            Ok(Made { globals, code: Code::Objects(code), unlinked: Unlinked::Llvm(objects), recipe: None })
        })
    }
}
