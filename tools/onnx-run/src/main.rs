//! Compiles an ONNX model in process and runs it.

mod bench;
mod files;
mod inputs;
mod test_data;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;

use clap::{Parser, ValueEnum};
use driver::testdata::Tolerance;
use driver::{Backend, Compiler, Diagnostic, ErrorClass, Options, Session, Tensor, type_name};

/// Compilation makes and drops many small values; the system's allocator would take a third of its time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Compile an ONNX model and run it.
#[derive(Parser, Debug)]
#[command(version)]
struct Arguments {
    /// The model
    model: PathBuf,
    /// An input from a .npy, .npz or .pb file
    #[arg(long = "input", value_name = "NAME=FILE", value_parser = pair)]
    input: Vec<(String, String)>,
    /// All inputs, by name, from a .npz file or a folder
    #[arg(long, value_name = "FILE.npz|DIR")]
    inputs: Option<PathBuf>,
    /// Random values for the inputs that are not given
    #[arg(long)]
    random: bool,
    /// Where random values start
    #[arg(long, default_value_t = 0, value_name = "N")]
    seed: u64,
    /// The extent of a named dimension, fixed before compilation
    #[arg(long = "dim", value_name = "NAME=N", value_parser = pair)]
    dims: Vec<(String, String)>,
    /// Save the outputs instead of printing them
    #[arg(long, value_name = "FILE.npz|DIR")]
    save: Option<PathBuf>,
    /// The code generator
    #[arg(long, value_enum, default_value_t = BackendName::Cranelift)]
    backend: BackendName,
    /// Threads to compile and run on; 0 means all there are
    #[arg(long, default_value_t = 0, value_name = "N")]
    threads: usize,
    /// Only rewrites whose results are the same bit for bit
    #[arg(long)]
    strict_fp: bool,
    /// Tell which rewrites of the graph were found, which were chosen, and what they should save
    #[arg(long)]
    explain: bool,
    /// Measure instead of printing the outputs
    #[arg(long)]
    bench: bool,
    /// Runs to measure, with --bench and --profile
    #[arg(long, default_value_t = 20, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    runs: u64,
    /// Print measurements as JSON
    #[arg(long)]
    json: bool,
    /// Print the time of each kernel call and the nodes in it, instead of the outputs
    #[arg(long)]
    profile: bool,
    /// Run the test data sets of a folder and compare the outputs
    #[arg(long, value_name = "DIR")]
    test_data: Option<PathBuf>,
    /// Relative tolerance of --test-data
    #[arg(long, default_value_t = 1e-3, value_name = "X")]
    rtol: f64,
    /// Absolute tolerance of --test-data
    #[arg(long, default_value_t = 1e-7, value_name = "X")]
    atol: f64,
    /// Print the module behind a stage of compilation (see --timings for their names)
    #[arg(long, value_name = "STAGE")]
    print_after: Vec<String>,
    /// Print how long each stage of compilation took
    #[arg(long)]
    timings: bool,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum BackendName {
    Cranelift,
    Llvm,
}

fn pair(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once('=').ok_or("expected NAME=VALUE")?;
    Ok((name.to_string(), value.to_string()))
}

/// Why the tool ends without success.
pub(crate) struct Failure {
    /// The exit code.
    pub(crate) code: i32,
    /// What to tell the user, a line each.
    pub(crate) lines: Vec<String>,
}

impl From<Vec<Diagnostic>> for Failure {
    fn from(diagnostics: Vec<Diagnostic>) -> Failure {
        let code = diagnostics.iter().map(|d| d.class).max().unwrap_or(ErrorClass::Internal).exit_code();
        Failure { code, lines: diagnostics.iter().map(ToString::to_string).collect() }
    }
}

impl From<String> for Failure {
    fn from(message: String) -> Failure {
        Failure { code: ErrorClass::Input.exit_code(), lines: vec![format!("error: {message}")] }
    }
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let result = std::panic::catch_unwind(|| run(&arguments));
    let failure = match result {
        Ok(Ok(())) => return ExitCode::SUCCESS,
        Ok(Err(failure)) => failure,
        Err(_) => Failure {
            code: ErrorClass::Internal.exit_code(),
            lines: vec!["error: this is a bug of the compiler, not of the model".into()],
        },
    };
    for line in failure.lines {
        eprintln!("{line}");
    }
    ExitCode::from(failure.code as u8)
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let start = std::time::Instant::now();
    let progress = progress::Progress::new();
    let options = Options { observer: progress.observer(), ..options(arguments)? };
    let dims = options.dims.clone();
    let model = Compiler::new(options).compile_file(&arguments.model)?;
    drop(progress);
    if arguments.timings {
        for (stage, time) in &model.timings.0 {
            eprintln!("{stage:20} {:9.3} ms", time.as_secs_f64() * 1e3);
        }
    }
    if arguments.profile || arguments.test_data.is_some() {
        model.settle()?;
    }
    let mut session = Session::new(Arc::new(model));
    if let Some(folder) = &arguments.test_data {
        let tolerance = Tolerance { relative: arguments.rtol, absolute: arguments.atol };
        return test_data::run(&mut session, folder, tolerance);
    }
    let given = inputs::read(&arguments.input, arguments.inputs.as_deref())?;
    let mut random = inputs::Random::new(arguments.seed, dims);
    let signature = &session.model().signature;
    let inputs = inputs::arrange(signature, given, arguments.random.then_some(&mut random))?;
    let outputs = session.run(&inputs)?;
    let first_result = start.elapsed();
    if arguments.profile {
        for _ in 1..arguments.runs {
            session.run(&inputs)?;
        }
        print!("{}", bench::profile(&session.profile(), arguments.runs));
        return Ok(());
    }
    if arguments.bench {
        let report = bench::measure(&mut session, &inputs, arguments.runs, first_result)?;
        println!("{}", if arguments.json { report.json() } else { report.text() });
    } else {
        let names = session.model().signature.outputs.iter().map(|port| port.name.clone());
        let named: Vec<(String, Tensor)> = names.zip(outputs).collect();
        match &arguments.save {
            Some(path) => files::save(path, &named)?,
            None => named.iter().for_each(|(name, tensor)| print(name, tensor)),
        }
    }
    Ok(())
}

fn options(arguments: &Arguments) -> Result<Options, Failure> {
    let mut dims = std::collections::BTreeMap::new();
    for (name, extent) in &arguments.dims {
        let extent = extent.parse::<i64>().ok().filter(|&extent| extent >= 0);
        let extent = extent.ok_or_else(|| Failure {
            code: ErrorClass::Usage.exit_code(),
            lines: vec![format!("error: the extent of {name} must be a number")],
        })?;
        dims.insert(name.clone(), extent);
    }
    let backend = match arguments.backend {
        BackendName::Cranelift => Backend::Cranelift,
        BackendName::Llvm => Backend::Llvm,
    };
    Ok(Options {
        backend,
        threads: arguments.threads,
        dims,
        strict_fp: arguments.strict_fp,
        explain: arguments.explain,
        profile: arguments.profile,
        print_after: arguments.print_after.clone(),
        ..Options::default()
    })
}

/// Name, type, shape and the first values of an output.
fn print(name: &str, tensor: &Tensor) {
    const SHOWN: usize = 8;
    let count = tensor.element_count();
    let first: Vec<String> = match (tensor.elements().strings(), tensor.to_f64()) {
        (Some(strings), _) => strings.iter().take(SHOWN).map(|text| format!("{text:?}")).collect(),
        (None, Some(numbers)) => numbers.iter().take(SHOWN).map(|number| format!("{number}")).collect(),
        (None, None) => vec![],
    };
    let more = if count > SHOWN { ", …" } else { "" };
    println!("{name}: {} {:?} [{}{more}]", type_name(&tensor.element), tensor.shape, first.join(", "));
}
