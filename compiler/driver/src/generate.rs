//! From the kernel level to code, with either code generator.

use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

use codegen_cranelift::Tier;
use ir::{Diagnostic, IndexSet, Location, Module, Result};

use crate::code::Code;
use crate::compiler::Compiler;
use crate::globals::Globals;
use crate::parts;
use crate::pipeline::{self, Timings};
use crate::progress::Stage;
use crate::tiers::{Recipe, Unlinked, compile};
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
    /// Takes a module from the kernel level to the low level, in as many parts as there are workers.
    pub(crate) fn lower_parts(&self, module: &mut Module, timings: &mut Timings) -> Result<Vec<Module>> {
        let (whole, each) = pipeline::low_steps(&self.options);
        pipeline::run(module, &whole, &self.options, timings)?;
        let mut parts = parts::split(module, self.options.workers);
        timings.measure("lower-to-low", || {
            let lower = |part: &mut Module| pipeline::run(part, &each, &self.options, &mut Timings::default());
            std::thread::scope(|scope| {
                let (first, rest) = parts.split_first_mut().expect("a module has a part");
                let helpers: Vec<_> = rest.iter_mut().map(|part| scope.spawn(move || lower(part))).collect();
                let mine = lower(first);
                helpers.into_iter().fold(mine, |all, helper| all.and(helper.join().expect("passes do not panic")))
            })
        })?;
        let mut known = IndexSet::default();
        parts.iter_mut().for_each(|part| parts::keep_first_definitions(part, &mut known));
        Ok(parts)
    }

    /// Quick code, and what better code can be made from.
    pub(crate) fn cranelift_code(
        &self,
        module: &mut Module,
        cancelled: &Arc<AtomicBool>,
        timings: &mut Timings,
    ) -> Result<Made> {
        let parts = self.lower_parts(module, timings)?;
        self.enter(Stage::Generate);
        let mut globals = Globals::default();
        timings.measure("weights", || std::iter::once(&*module).chain(&parts).for_each(|module| globals.add(module)));
        timings.measure("codegen", || {
            let workers = self.options.workers;
            let unlinked = compile(&parts, workers, Tier::Quick, cancelled)?;
            // where constants lie that were computed meanwhile
            let recipe = Recipe { parts, symbols: globals.symbols(), workers };
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
            let parts = parts::split(module, self.options.workers * worker::PARTS);
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
