//! `onnx-opt` as a function, so that tests run it in process.

mod arguments;
mod chunks;

use std::cell::RefCell;
use std::ffi::OsString;
use std::io::{ErrorKind, Read, Write};
use std::path::Path;

use clap::Parser;
use commandline::Drafts;
use ir::pass::{Filter, OptionDescription, PassManager, PassRegistry, Pipeline, Timings};
use ir::{Body, Diagnostic, ErrorClass, Location, Module, PrintOptions, Registry, Result, expected};

use arguments::Arguments;

/// Runs `onnx-opt`; returns the exit code: 0, or 1 for an invalid input, 2 for an invalid command line, 3 for
/// unsupported features, 70 for a bug of ours.
pub fn run<I, T>(arguments: I, input: &mut dyn Read, output: &mut dyn Write, errors: &mut dyn Write) -> i32
where
    I: IntoIterator<Item = T>,
    T: Into<OsString> + Clone,
{
    let passes = driver::passes::registry();
    let (arguments, chosen) = split_passes(arguments.into_iter().map(Into::into), &passes);
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(message) => {
            let _ = if message.use_stderr() { write!(errors, "{message}") } else { write!(output, "{message}") };
            return message.exit_code();
        }
    };
    if let Some(shell) = arguments.completions {
        // the output may be closed
        let _ = output.write_all(&commandline::completions::<Arguments>(shell));
        return 0;
    }
    let tool = Tool { operations: dialects::registry(), passes, chosen, errors: RefCell::new(errors), arguments };
    let outcome = if tool.arguments.list_passes { tool.list_passes(output) } else { tool.transform(input, output) };
    outcome.map_or_else(|found| tool.report(&found), |()| 0)
}

/// Takes the passes that are given as options (`--canonicalize`, `--fuse="a=1 b=2"`) out of a command line; the second is
/// the pipeline of them.
fn split_passes(arguments: impl Iterator<Item = OsString>, passes: &PassRegistry) -> (Vec<OsString>, Vec<String>) {
    let mut chosen = vec![];
    let pass_of = |argument: &OsString| {
        let text = argument.to_str()?.strip_prefix("--")?;
        let (name, options) = text.split_once('=').map_or((text, None), |(name, options)| (name, Some(options)));
        passes.get(name).map(drop).or_else(|| passes.pipeline(name).map(drop))?;
        Some(options.map_or(name.to_string(), |options| format!("{name}{{{options}}}")))
    };
    let rest = arguments.filter(|argument| match pass_of(argument) {
        Some(pass) => {
            chosen.push(pass);
            false
        }
        None => true,
    });
    (rest.collect(), chosen)
}

struct Tool<'a, 'w> {
    arguments: Arguments,
    /// The passes given as options, in order.
    chosen: Vec<String>,
    operations: Registry,
    passes: PassRegistry,
    errors: RefCell<&'a mut (dyn Write + 'w)>,
}

/// An input module, or the errors of reading it.
struct Input {
    /// Its source text; empty for a model.
    text: String,
    module: Result<Module>,
    /// The pipeline in a reproducer.
    pipeline: Option<String>,
}

impl Tool<'_, '_> {
    /// Processes the input and writes the complete result to the output file.
    fn transform(&self, input: &mut dyn Read, output: &mut dyn Write) -> Result<()> {
        self.check_names()?;
        let target = &self.arguments.output;
        if target == Path::new("-") {
            return self.run(input, output);
        }
        let mut text = Vec::new();
        self.run(input, &mut text)?;
        let written = Drafts::watch().file(target).and_then(|draft| draft.write(&text));
        written.map_err(|failure| failure.statements().map(wrong).collect())
    }

    /// Refuses to print after passes that do not exist.
    fn check_names(&self) -> Result<()> {
        let mut names = self.arguments.print_ir_before.iter().chain(&self.arguments.print_ir_after);
        match names.find(|name| self.passes.get(name).is_none()) {
            None => Ok(()),
            Some(unknown) => {
                let message = format!("'{unknown}' is not a pass to print the module before or after");
                Err(Diagnostic::error(ErrorClass::Usage, Location::Unknown, message).into())
            }
        }
    }

    fn run(&self, input: &mut dyn Read, output: &mut dyn Write) -> Result<()> {
        let mut problems = Vec::new();
        for (at, input) in self.inputs(input)?.into_iter().enumerate() {
            let expected = expected::expectations(&input.text);
            let outcome = self.process(input);
            if self.arguments.verify_diagnostics {
                let found = outcome.err().unwrap_or_default();
                let unexpected = expected::compare(&self.arguments.file_name(), &expected, &found).err();
                problems.extend(unexpected.into_iter().flatten().map(|problem| wrong(&problem)));
                continue;
            }
            match outcome {
                Ok(text) => self.write(output, &text, at)?,
                Err(found) => problems.extend(found),
            }
        }
        if problems.is_empty() { Ok(()) } else { Err(problems) }
    }

    fn write(&self, output: &mut dyn Write, text: &str, at: usize) -> Result<()> {
        let separator = if at > 0 { "// -----\n" } else { "" };
        // the custom form ends as upstream's tool ends it
        let end = if self.arguments.generic { "" } else { "\n" };
        match write!(output, "{separator}{text}{end}") {
            Err(error) if error.kind() != ErrorKind::BrokenPipe => {
                Err(vec![wrong(&format!("standard output: {error}"))])
            }
            // the output may be closed
            _ => Ok(()),
        }
    }

    /// The text of a module after the pipeline.
    fn process(&self, input: Input) -> Result<String> {
        let mut module = input.module?;
        if !self.arguments.allow_unregistered_dialect {
            self.refuse_unregistered(&module.body)?;
        }
        if !self.arguments.no_verify {
            ir::verify(&module, &self.operations)?;
        }
        let given = self.arguments.pass_pipeline.clone();
        if given.is_some() && !self.chosen.is_empty() {
            let message = "--pass-pipeline and passes as options exclude each other";
            return Err(Diagnostic::error(ErrorClass::Usage, Location::Unknown, message).into());
        }
        let chosen = (!self.chosen.is_empty()).then(|| self.chosen.join(","));
        let text = given.or(chosen).or(input.pipeline).unwrap_or_default();
        let pipeline = Pipeline::parse(&text, &self.passes)?;
        if self.arguments.dump_pass_pipeline {
            let _ = writeln!(self.errors.borrow_mut(), "Pass Manager with {} passes:\n{pipeline}", pipeline.len());
        }
        let mut timings = Timings::default();
        let outcome = self.manager().run(&mut module, &pipeline, &mut timings);
        if self.arguments.timing {
            let _ = write!(self.errors.borrow_mut(), "{timings}");
        }
        outcome.map(|()| ir::print_module_as(&module, &self.operations, &self.print_options()))
    }

    /// An error for each operation of an unknown dialect.
    fn refuse_unregistered(&self, body: &Body) -> Result<()> {
        let mut refused = vec![];
        let mut bodies = vec![body];
        while let Some(body) = bodies.pop() {
            for op in body.walk_all() {
                let operation = body.op(op);
                bodies.extend(operation.isolated());
                let dialect = operation.name.dialect();
                if !self.operations.has_dialect(dialect) {
                    let message = format!("'{}' is an operation of the unknown dialect '{dialect}'", operation.name);
                    let note = "--allow-unregistered-dialect accepts it".to_string();
                    refused.push(Diagnostic::input(operation.location.clone(), message).with_note(note));
                }
            }
        }
        if refused.is_empty() { Ok(()) } else { Err(refused) }
    }

    fn manager(&self) -> PassManager<'_> {
        let filter = |all: bool, names: &[String]| match (all, names) {
            (true, _) => Filter::All,
            (false, []) => Filter::None,
            (false, names) => Filter::Named(names.to_vec()),
        };
        PassManager {
            verify_each: self.arguments.verify_each && !self.arguments.no_verify,
            print_only_changed: self.arguments.print_ir_after_change,
            print_after_failure: self.arguments.print_ir_after_failure,
            print_tree: self.arguments.print_ir_tree.clone(),
            print_before: filter(self.arguments.print_ir_before_all, &self.arguments.print_ir_before),
            print_after: filter(self.arguments.print_ir_after_all, &self.arguments.print_ir_after),
            print_statistics: self.arguments.statistics,
            print_options: self.print_options(),
            reproducer: self.arguments.reproducer.clone(),
            sink: Box::new(|text| drop(write!(self.errors.borrow_mut(), "{text}"))),
            ..PassManager::new(&self.operations)
        }
    }

    fn print_options(&self) -> PrintOptions {
        PrintOptions {
            print_locations: self.arguments.print_locations,
            print_resources: !self.arguments.elide_constants,
            elide_elements_larger_than: self.arguments.elide_constants.then_some(16),
            generic: self.arguments.generic,
        }
    }

    fn inputs(&self, input: &mut dyn Read) -> Result<Vec<Input>> {
        let path = self.arguments.input.as_deref().filter(|path| *path != Path::new("-"));
        if let Some(path) = path.filter(|path| import::is_model_name(path)) {
            let dimensions = self.arguments.dim.iter().cloned().collect();
            let sets = self
                .arguments
                .operator_sets
                .iter()
                .map(|path| import::OperatorSetProto::load(path).map_err(import::damaged));
            let operator_sets = sets.collect::<std::result::Result<_, _>>()?;
            let options = import::Options { dimensions, operator_sets, metadata: true, ..import::Options::default() };
            let module = import::import_file(path, &options);
            return Ok(vec![Input { text: String::new(), module, pipeline: None }]);
        }
        let mut bytes = Vec::new();
        let read = match path {
            Some(path) => std::fs::read(path).map(|contents| bytes = contents),
            None => input.read_to_end(&mut bytes).map(|_| ()),
        };
        read.map_err(|error| vec![wrong(&format!("{}: {error}", self.arguments.file_name()))])?;
        let text = String::from_utf8(bytes)
            .map_err(|_| vec![wrong(&format!("{}: the text is not UTF-8", self.arguments.file_name()))])?;
        let chunks = if self.arguments.split_input_file { chunks::split(&text) } else { vec![text] };
        chunks.into_iter().map(|text| self.parse(text)).collect()
    }

    fn parse(&self, text: String) -> Result<Input> {
        let name = self.arguments.file_name();
        let pipeline = match self.arguments.run_reproducer {
            true => {
                let found = ir::parse::parse_reproducer(&text, &name)?;
                let missing =
                    || wrong(&format!("{name}: it is not a reproducer, which ends with the pipeline that failed"));
                Some(found.ok_or_else(missing)?.pipeline)
            }
            false => None,
        };
        let module = ir::parse_module(&text, &name, Some(&self.operations));
        Ok(Input { text, module, pipeline })
    }

    fn list_passes(&self, output: &mut dyn Write) -> Result<()> {
        let mut text = String::from("Passes\n");
        for pass in self.passes.passes() {
            text.push_str(&format!("  {:<20} {} [{}]\n", pass.name(), pass.summary(), pass.anchor()));
            for OptionDescription { name, summary, allowed, text: default } in pass.options().describe() {
                text.push_str(&format!("      {name}={allowed} (default {default}): {summary}\n"));
            }
        }
        text.push_str("Pipelines\n");
        for pipeline in self.passes.pipelines() {
            let passes = pipeline.passes.join(",");
            text.push_str(&format!("  {:<20} {}\n      {passes}\n", pipeline.name, pipeline.summary));
        }
        self.write(output, &text, 0)
    }

    /// Prints errors; returns the exit code of the worst.
    fn report(&self, found: &[Diagnostic]) -> i32 {
        for diagnostic in found {
            let _ = writeln!(self.errors.borrow_mut(), "{diagnostic}");
        }
        found.iter().map(|diagnostic| diagnostic.class).max().unwrap_or(ErrorClass::Internal).exit_code()
    }
}

fn wrong(message: &str) -> Diagnostic {
    Diagnostic::input(Location::Unknown, message)
}
