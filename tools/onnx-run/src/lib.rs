//! `onnx-run` as a function: compiles an ONNX model in process and runs it.

mod arguments;
mod bench;
mod digest;
mod files;
mod hints;
mod inputs;
mod npy;
mod npz;
mod profile;
mod random;
mod show;
mod test_data;
mod train;

use std::ffi::OsString;
use std::fmt::Write;
use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::Arc;

use clap::Parser;
use commandline::{Drafts, Failure, Progress, guard, print, warn};
use driver::{Arithmetic, Backend, Cache, Compiler, EngineKind, ImportOptions, Options, Reporter, Session, Value};
use indexmap::IndexMap;

use arguments::{Arguments, BackendName, EngineName};
use bench::FirstStep;
use random::Random;

/// Reads an array, or those of an archive: for fuzzing.
///
/// # Errors
/// If it cannot be read.
#[doc(hidden)]
pub fn read_arrays(path: &std::path::Path) -> Result<(), String> {
    match files::extension(path) {
        "npz" => files::read_archive(path).map(drop),
        _ => files::read_tensor(path).map(drop),
    }
}

/// Runs `onnx-run` with a command line, the program's name first; returns the exit code. A command line that is wrong, or
/// asks for help, ends the process.
pub fn main(command_line: impl IntoIterator<Item = OsString>) -> i32 {
    let first_step = FirstStep::now();
    let arguments = Arguments::parse_from(command_line);
    guard(|| match (arguments.completions, &arguments.model) {
        (Some(shell), _) => commandline::write_binary(&commandline::completions::<Arguments>(shell)),
        (None, Some(model)) => run(&arguments, model, first_step),
        (None, None) => Err(Failure::usage("the model is missing")),
    })
}

fn run(arguments: &Arguments, path: &Path, first_step: FirstStep) -> Result<(), Failure> {
    arguments.check()?;
    let processors = std::thread::available_parallelism().map_or(1, |count| count.get());
    if arguments.threads > processors as u64 && !arguments.quiet {
        warn(&format!("warning: --threads {}: {processors} threads run, one per processor", arguments.threads));
    }
    if let Some(folder) = &arguments.cache {
        Cache::at(folder.clone())
            .check()
            .map_err(|why| Failure::usage(format!("--cache {}: {why}", folder.display())))?;
    }
    let progress = Progress::new();
    let options = Options { observer: progress.observer(), ..options(arguments) };
    let compiler = Compiler::new(options);
    if let Some(steps) = arguments.train {
        return train::run(arguments, &compiler, path, steps);
    }
    let compiled = compiler.compile_file(path);
    // an input without a shape gets that of its value
    let stated = if compiled.is_err() { compiler.unranked_inputs(path) } else { None };
    let signature = match (&compiled, &stated) {
        (Ok(model), _) => &model.signature,
        (Err(_), Some((signature, _))) => signature,
        (Err(errors), None) => return Err(errors.clone().into()),
    };
    let mut given = match arguments.test_data {
        Some(_) => IndexMap::new(),
        None => inputs::read(signature, &arguments.input, arguments.inputs.as_deref())?,
    };
    let open = stated.as_ref().map(|(_, open)| open.clone());
    let shapes = inputs::shapes(&compiler, path, (signature, open), &given);
    let mut model = match shapes.is_empty() {
        true => compiled?,
        false => compiler.compile_file_with(path, &ImportOptions { shapes: shapes.clone(), ..Default::default() })?,
    };
    let options = ImportOptions { shapes, ..inputs::overrides(&model.signature, &mut given)? };
    if !options.constants.is_empty() {
        if path == Path::new("-") {
            return Err(Failure::usage("inputs with a default value can be overridden only if the model is in a file"));
        }
        model = compiler.compile_file_with(path, &options)?;
    }
    drop(progress);
    // the process ends with the session: freeing memory piece by piece would only take time
    let mut session = ManuallyDrop::new(Session::new(Arc::new(model)));
    let result = use_model(arguments, path, &mut session, &given, first_step);
    // the process must not end before
    session.model().finish_cache_write()?;
    result
}

/// Runs a model as the command line asks.
fn use_model(
    arguments: &Arguments,
    path: &Path,
    session: &mut Session,
    given: &IndexMap<String, Value>,
    first_step: FirstStep,
) -> Result<(), Failure> {
    if arguments.timings {
        for (stage, time) in &session.model().timings.0 {
            warn(&format!("{stage:20} {:9.3} ms", time.as_secs_f64() * 1e3));
        }
    }
    // an explicitly chosen back end is tested with its best code
    let is_chosen = !matches!(arguments.backend, BackendName::Auto);
    if arguments.profile || (arguments.test_data.is_some() && is_chosen) {
        session.model().settle()?;
    }
    if let Some(folder) = &arguments.test_data {
        return test_data::run(session, folder, arguments.rtol, arguments.atol);
    }
    if let Some(target) = &arguments.save {
        files::check_target(target, session.model().signature.outputs.len())?;
    }
    let random = arguments.random.then(|| Random::of(arguments, path));
    let (inputs, outputs) = random::run(session, given, random)?;
    let first_result = first_step.elapsed();
    if arguments.profile {
        let before = session.profile();
        for _ in 0..arguments.runs() {
            session.run_values(&inputs)?;
        }
        let kernels = profile::between(&before, &session.profile());
        return print(&match arguments.json {
            true => profile::json(&kernels, arguments.runs()),
            false => profile::report(&kernels, arguments.runs()),
        });
    }
    if arguments.bench {
        let report = bench::measure(session, &inputs, arguments.runs(), first_step, first_result)?;
        return print(&format!("{}\n", if arguments.json { report.json() } else { report.text() }));
    }
    let names = session.model().signature.outputs.iter().map(|port| port.name.clone());
    tell(arguments, &names.zip(outputs).collect::<Vec<_>>())
}

/// Prints outputs, or saves them.
fn tell(arguments: &Arguments, named: &[(String, Value)]) -> Result<(), Failure> {
    match &arguments.save {
        Some(path) => files::save(path, named, &Drafts::watch()),
        None => print(&named.iter().fold(String::new(), |mut text, (name, value)| {
            let _ = match arguments.hash {
                true => writeln!(text, "{name}: {}", digest::digest(value)),
                false => writeln!(text, "{}", show::value(name, value)),
            };
            text
        })),
    }
}

fn options(arguments: &Arguments) -> Options {
    Options {
        backend: match arguments.backend {
            BackendName::Auto => Backend::Auto,
            BackendName::Cranelift => Backend::Cranelift,
            BackendName::Llvm => Backend::Llvm,
        },
        engine: match arguments.engine {
            EngineName::Fast => EngineKind::FastStart,
            EngineName::Plain => EngineKind::Plain,
        },
        threads: usize::try_from(arguments.threads).unwrap_or(usize::MAX),
        operator_sets: arguments.operator_sets.clone(),
        dims: arguments.dims.iter().cloned().collect(),
        shapes: arguments.shapes.iter().cloned().collect(),
        outputs: arguments.outputs.clone(),
        reporter: if arguments.quiet { Reporter::default() } else { Reporter::standard_error() },
        arithmetic: match (arguments.fixed_fp, arguments.strict_fp) {
            (true, _) => Arithmetic::Fixed,
            (false, true) => Arithmetic::Strict,
            (false, false) => Arithmetic::Reassociated,
        },
        cache: match (&arguments.cache, arguments.no_cache) {
            (_, true) => None,
            (Some(folder), false) => Some(Cache::at(folder.clone())),
            (None, false) => Cache::of_user(),
        },
        without: arguments.without.clone(),
        refuse_violations: arguments.strict,
        extraction: arguments.extract,
        explain: arguments.explain,
        profile: arguments.profile,
        sanitize: arguments.sanitize,
        print_after: arguments.print_after.clone(),
        ..Options::default()
    }
}
