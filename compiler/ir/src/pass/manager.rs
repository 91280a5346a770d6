//! Runs pipelines.

use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;

use super::{Pipeline, Statistics, Step, Timings};
use crate::attributes::quote;
use crate::diagnostics::{Diagnostic, Result};
use crate::location::Location;
use crate::module::Module;
use crate::print::{PrintOptions, print_module, print_module_as};
use crate::registry::Registry;
use crate::verify::verify;

/// The passes that an option applies to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Filter {
    /// No pass.
    #[default]
    None,
    /// All passes.
    All,
    /// These passes.
    Named(Vec<String>),
}

impl Filter {
    /// Whether it includes the pass.
    pub fn matches(&self, pass: &str) -> bool {
        match self {
            Filter::None => false,
            Filter::All => true,
            Filter::Named(names) => names.iter().any(|name| name == pass),
        }
    }
}

/// Options for running pipelines.
pub struct PassManager<'a> {
    /// The known operations.
    pub registry: &'a Registry,
    /// Whether the module is verified before the first and after each pass.
    pub verify_each: bool,
    /// Passes before which the module is printed.
    pub print_before: Filter,
    /// Passes after which the module is printed.
    pub print_after: Filter,
    /// Whether modules are only printed after passes that changed them.
    pub print_only_changed: bool,
    /// Whether the module is printed after a pass that failed.
    pub print_after_failure: bool,
    /// The folder for printed modules, one file for each, instead of the sink.
    pub print_tree: Option<PathBuf>,
    /// Whether to print what the passes counted, after the last one that ran.
    pub print_statistics: bool,
    /// How modules are printed.
    pub print_options: PrintOptions,
    /// The receiver of printed modules and statistics.
    pub sink: Box<dyn Fn(&str) + 'a>,
    /// The file for the module before the pass that failed, and the rest of the pipeline. Keeping a copy of the module
    /// costs time and memory, so there is none by default.
    pub reproducer: Option<PathBuf>,
}

impl<'a> PassManager<'a> {
    /// A manager that neither verifies nor prints.
    pub fn new(registry: &'a Registry) -> PassManager<'a> {
        PassManager {
            registry,
            verify_each: false,
            print_before: Filter::None,
            print_after: Filter::None,
            print_only_changed: false,
            print_after_failure: false,
            print_tree: None,
            print_statistics: false,
            print_options: PrintOptions::brief(),
            sink: Box::new(|text| drop(write!(std::io::stderr(), "{text}"))),
            reproducer: None,
        }
    }

    /// Runs every pass in order and records the times; ends at the first that fails.
    pub fn run(&self, module: &mut Module, pipeline: &Pipeline, timings: &mut Timings) -> Result<()> {
        let counted: Vec<Statistics> = pipeline.steps.iter().map(|step| Statistics::of(step.pass)).collect();
        let outcome = self.run_steps(module, pipeline, timings, &counted);
        if self.print_statistics {
            (self.sink)(&statistics_report(pipeline, &counted));
        }
        outcome
    }

    fn run_steps(
        &self,
        module: &mut Module,
        pipeline: &Pipeline,
        timings: &mut Timings,
        counted: &[Statistics],
    ) -> Result<()> {
        if self.verify_each {
            verify(module, self.registry)?;
        }
        for (at, step) in pipeline.steps.iter().enumerate() {
            let before = self.reproducer.is_some().then(|| module.clone());
            if self.print_before.matches(step.pass.name()) {
                self.print("Before", at, step, &self.text(module))?;
            }
            let old = (self.print_only_changed && self.prints_after(step)).then(|| self.text(module));
            if let Err(errors) = self.step(module, step, timings, &counted[at]) {
                if self.print_after_failure {
                    self.print("After Failed", at, step, &self.text(module))?;
                }
                let rest = pipeline.from_step(at);
                return Err(before.map_or(errors.clone(), |before| self.reproduce(errors, &before, &rest)));
            }
            if self.prints_after(step) {
                let new = self.text(module);
                if old.is_none_or(|old| old != new) {
                    self.print("After", at, step, &new)?;
                }
            }
        }
        Ok(())
    }

    fn step(&self, module: &mut Module, step: &Step, timings: &mut Timings, statistics: &Statistics) -> Result<()> {
        let name = step.pass.name();
        let run = || step.run(module, self.registry, statistics);
        let outcome = timings.measure(name, || catch_unwind(AssertUnwindSafe(run)));
        outcome.unwrap_or_else(|payload| {
            if let Some(shortage) = limits::of_panic(&*payload) {
                return Err(Diagnostic::from(shortage).into());
            }
            let text = payload.downcast_ref::<String>().map(String::as_str);
            let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
            Err(Diagnostic::internal(Location::Unknown, format!("pass '{name}' panicked: {text}")).into())
        })?;
        if self.verify_each { self.verify_after(module, name) } else { Ok(()) }
    }

    /// Reports a pass that leaves an invalid module as a bug, whatever the module was.
    fn verify_after(&self, module: &Module, pass: &str) -> Result<()> {
        verify(module, self.registry).map_err(|errors| {
            let blame = |error: Diagnostic| {
                Diagnostic { class: crate::ErrorClass::Internal, ..error }.with_note(format!("after pass '{pass}'"))
            };
            errors.into_iter().map(blame).collect()
        })
    }

    /// Whether the module is to be printed after a pass; where only changes are printed, after all unless some are named.
    fn prints_after(&self, step: &Step) -> bool {
        self.print_after.matches(step.pass.name()) || self.print_only_changed && self.print_after == Filter::None
    }

    fn text(&self, module: &Module) -> String {
        print_module_as(module, self.registry, &self.print_options)
    }

    /// Prints a module to the sink, or to a file `NUMBER_PASS_WHEN.mlir` of the folder for it.
    fn print(&self, when: &str, at: usize, step: &Step, text: &str) -> Result<()> {
        let name = step.pass.name();
        let Some(folder) = &self.print_tree else {
            (self.sink)(&format!("// -----// IR Dump {when} {name} //----- //\n{text}\n"));
            return Ok(());
        };
        let file = folder.join(format!("{at}_{name}_{}.mlir", when.to_lowercase().replace(' ', "_")));
        let written = std::fs::create_dir_all(folder).and_then(|()| std::fs::write(&file, text));
        written.map_err(|error| {
            let message = format!("{}: {error}", file.display());
            vec![Diagnostic::input(Location::Unknown, message)]
        })
    }

    /// Writes the reproducer and names it in the first error.
    fn reproduce(&self, mut errors: Vec<Diagnostic>, before: &Module, rest: &Pipeline) -> Vec<Diagnostic> {
        let Some(path) = &self.reproducer else { return errors };
        let note = match std::fs::write(path, reproducer_text(before, rest)) {
            Ok(()) => format!("run onnx-opt --run-reproducer {} to see this again", path.display()),
            Err(error) => format!("no reproducer: {}: {error}", path.display()),
        };
        if let Some(first) = errors.first_mut() {
            first.notes.push(note);
        }
        errors
    }
}

/// The passes that count something, in order, with what they counted.
fn statistics_report(pipeline: &Pipeline, counted: &[Statistics]) -> String {
    let rule = format!("===-{}-===\n", "-".repeat(73));
    let passes = pipeline.steps.iter().zip(counted).filter(|(step, _)| !step.pass.statistics().is_empty());
    let rows = passes.map(|(step, counted)| format!("{}\n{counted}", step.pass.name()));
    let title = "... Pass statistics report ...";
    [rule.clone(), format!("{title:^80}").trim_end().to_string() + "\n", rule].into_iter().chain(rows).collect()
}

/// A module and the pipeline that fails on it, as one file.
fn reproducer_text(module: &Module, pipeline: &Pipeline) -> String {
    let options = PrintOptions { print_locations: true, ..PrintOptions::default() };
    let text = print_module(module, &options);
    let pipeline = quote(&pipeline.to_string());
    format!(
        "{text}\n{{-#\n  external_resources: {{\n    mlir_reproducer: {{\n      pipeline: {pipeline}\n    }}\n  }}\n#-}}\n"
    )
}
