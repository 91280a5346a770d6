//! The command line. `lib.rs` makes the options of the compiler from it.

use std::path::PathBuf;

use clap::{ArgGroup, Parser, ValueEnum};
use commandline::{Failure, Shell, count, dimension, expect_one_value, shape, tolerance};
use driver::{Extraction, Part};

const EXAMPLES: &str = "\
Examples:
  onnx-run model.onnx --input picture.npy                 the one input of a model
  onnx-run model.onnx --input ids=ids.npy --random        one input, random values for the others
  onnx-run model.onnx --inputs all.npz --save out.npz     inputs and outputs by name
  onnx-run model.onnx --random --bench --dim batch=8      latency at a batch of 8
  onnx-run model.onnx --input x=x.npy --input w=w.npy     also an input with a default value
  onnx-run model.onnx --train 100 --inputs batch.npz      steps of training, if the model defines them
  onnx-run model.onnx --test-data folder                  compare with the expected outputs
  cat model.onnx | onnx-run - --random                    a model from the standard input";

/// Compile an ONNX model and run it.
#[derive(Parser, Debug)]
#[command(name = "onnx-run", version, after_help = EXAMPLES)]
#[command(group(ArgGroup::new("measurement").args(["bench", "profile"])))]
pub(crate) struct Arguments {
    /// The model; - is standard input
    #[arg(required_unless_present = "completions")]
    pub(crate) model: Option<PathBuf>,
    /// An input from a .npy, .npz or .pb file, or for a list of uint8 the bytes of any other; a single input needs no name. An input with a default may be given
    /// another value. A sequence takes several of these, a .npz file or a folder; a map takes a .npz file with keys and
    /// values; an optional without a value is NAME=
    #[arg(long = "input", value_name = "NAME=FILE")]
    pub(crate) input: Vec<String>,
    /// All inputs, by name, from a .npz file or a folder
    #[arg(long, value_name = "FILE.npz|DIR")]
    pub(crate) inputs: Option<PathBuf>,
    /// Use random values, of extents that the model accepts, for the inputs that are not given
    #[arg(long)]
    pub(crate) random: bool,
    /// The seed of random values
    #[arg(long, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub(crate) seed: Option<u64>,
    /// The extent of a named dimension, fixed before compilation
    #[arg(long = "dim", value_name = "NAME=N", value_parser = dimension)]
    pub(crate) dims: Vec<(String, i64)>,
    /// The shape of an input, fixed before compilation
    #[arg(long = "shape", value_name = "NAME=NxN", value_parser = shape)]
    pub(crate) shapes: Vec<(String, Vec<i64>)>,
    /// The outputs to compute, by name; also results of nodes inside the graph
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) outputs: Vec<String>,
    /// No warnings and no notes
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Train the model: initialise it, take steps on the inputs, and print the outputs of the last one and the
    /// variables
    #[arg(long, value_name = "STEPS", conflicts_with_all = ["measurement", "test_data"])]
    #[arg(value_parser = clap::value_parser!(u64).range(1..), allow_negative_numbers = true)]
    pub(crate) train: Option<u64>,
    /// An operator-set document, whose functions the model may call if it imports their domain
    #[arg(long = "operators", value_name = "FILE")]
    pub(crate) operator_sets: Vec<PathBuf>,
    /// Save the outputs instead of printing them; a .npy file takes one output
    #[arg(long, value_name = "FILE.npz|FILE.npy|DIR")]
    pub(crate) save: Option<PathBuf>,
    /// Print a SHA-256 digest of each output instead of its elements; equal digests are equal bits
    #[arg(long, conflicts_with_all = ["save", "measurement", "test_data"])]
    pub(crate) hash: bool,
    /// The code generator
    #[arg(long, value_enum, default_value_t = BackendName::Auto)]
    pub(crate) backend: BackendName,
    /// How the code is built
    #[arg(long, value_enum, default_value_t = EngineName::Fast)]
    pub(crate) engine: EngineName,
    /// Threads to run on; 0 means all
    #[arg(long, default_value_t = 0, value_name = "N", value_parser = count, allow_negative_numbers = true)]
    pub(crate) threads: u64,
    /// The folder of compiled models, for warm starts; by default in the user's cache folder
    #[arg(long, value_name = "DIR")]
    pub(crate) cache: Option<PathBuf>,
    /// Compile the model again, and do not write to the cache
    #[arg(long, conflicts_with = "cache")]
    pub(crate) no_cache: bool,
    /// Refuse a model that breaks any rule of ONNX, even if it can be run
    #[arg(long)]
    pub(crate) strict: bool,
    /// Only use rewrites that keep every bit of the results
    #[arg(long)]
    pub(crate) strict_fp: bool,
    /// Use one order of floating-point operations for all processors: the same bits everywhere
    #[arg(long)]
    pub(crate) fixed_fp: bool,
    /// Check each access of memory against the bounds of its buffer; a failure ends the run with the node and the byte
    #[arg(long)]
    pub(crate) sanitize: bool,
    /// Compile without a feature of the compiler, to measure its benefit
    #[arg(long, value_name = "PART", value_delimiter = ',', value_parser = part)]
    pub(crate) without: Vec<Part>,
    /// Which of the equal graphs is compiled, for tests: the cheapest, the costliest, or one by random costs of a seed
    #[arg(long, value_name = "HOW", default_value = "cheapest", hide = true)]
    pub(crate) extract: Extraction,
    /// Print which rewrites of the graph matched, which were chosen, and what the cost model expects to save
    #[arg(long)]
    pub(crate) explain: bool,
    /// Measure instead of printing the outputs
    #[arg(long, conflicts_with = "save")]
    pub(crate) bench: bool,
    /// Runs to measure, with --bench and --profile
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..), allow_negative_numbers = true)]
    pub(crate) runs: Option<u64>,
    /// Print the measurements of --bench or --profile as JSON
    #[arg(long)]
    pub(crate) json: bool,
    /// Print the time of each kernel call and the nodes in it, instead of the outputs
    #[arg(long, conflicts_with = "save")]
    pub(crate) profile: bool,
    /// Run the test data sets of a folder and compare the outputs
    #[arg(long, value_name = "DIR", conflicts_with_all = ["measurement", "save", "random", "input", "inputs"])]
    pub(crate) test_data: Option<PathBuf>,
    /// Relative tolerance of --test-data; that of the element type by default
    #[arg(long, value_name = "X", value_parser = tolerance, allow_negative_numbers = true)]
    pub(crate) rtol: Option<f64>,
    /// Absolute tolerance of --test-data; that of the element type by default
    #[arg(long, value_name = "X", value_parser = tolerance, allow_negative_numbers = true)]
    pub(crate) atol: Option<f64>,
    /// Print the module after a stage of compilation (see --timings for their names)
    #[arg(long, value_name = "STAGE")]
    pub(crate) print_after: Vec<String>,
    /// Print how long each stage of compilation took
    #[arg(long)]
    pub(crate) timings: bool,
    /// Print the shell completions of this command line
    #[arg(long, value_name = "SHELL", exclusive = true)]
    pub(crate) completions: Option<Shell>,
}

/// The default number of measured runs.
const RUNS: u64 = 20;

impl Arguments {
    /// Refuses options that would be ignored. (The parser does not check a `requires` that meets a conflict.)
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let is_measured = self.bench || self.profile;
        let rules = [
            (self.rtol.is_some(), self.test_data.is_some(), "--rtol: it is for --test-data"),
            (self.atol.is_some(), self.test_data.is_some(), "--atol: it is for --test-data"),
            (self.json, is_measured, "--json: it is for --bench and --profile"),
            (self.runs.is_some(), is_measured, "--runs: it is for --bench and --profile"),
            (self.seed.is_some(), self.random, "--seed: it is for --random"),
        ];
        expect_one_value("--dim", &self.dims)?;
        expect_one_value("--shape", &self.shapes)?;
        match rules.into_iter().find(|(is_given, is_used, _)| *is_given && !is_used) {
            Some((_, _, message)) => Err(Failure::usage(message)),
            None => Ok(()),
        }
    }

    /// Runs to measure.
    pub(crate) fn runs(&self) -> u64 {
        self.runs.unwrap_or(RUNS)
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum BackendName {
    /// Cranelift's code first, LLVM's for a model that keeps running, if onnxc is in the same directory
    Auto,
    /// Code within milliseconds
    Cranelift,
    /// Faster code, after seconds
    Llvm,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
pub(crate) enum EngineName {
    /// Compiles while the model runs, replaces code of models that keep running, and uses the cache
    Fast,
    /// Compiles everything before the first run
    Plain,
}

/// The feature of the compiler with that name.
fn part(name: &str) -> Result<Part, String> {
    let known = Part::ALL.map(Part::name).join(", ");
    Part::of(name).ok_or_else(|| format!("the parts that can be left out are {known}"))
}
