//! The command line, and what follows from it. `emit.rs` makes the options of the compiler from it.

use std::collections::BTreeMap;
use std::io::IsTerminal;
use std::path::{Path, PathBuf};

use clap::{Parser, Subcommand, ValueEnum};
use commandline::{Failure, Shell, dimension, shape};
use driver::{Arithmetic, Processor, VectorRegisters};

use crate::check::{self, ProfileName};
use crate::inspect;
#[cfg(feature = "llvm")]
use crate::{target, web};

/// The greatest bound of a dimension, so that products of two do not overflow.
const GREATEST_BOUND: i64 = 1 << 31;

/// What `--dim` states of a dimension.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dimension {
    /// Its extent.
    Fixed(i64),
    /// Its greatest extent.
    AtMost(i64),
}

const EXAMPLES: &str = "\
Examples:
  onnxc model.onnx -o model.o --name net                  an object, whose functions are net_run, net_close, …
  onnxc model.onnx --emit header -o net.h --name net      the C header of it
  onnxc model.onnx --emit lib -o libnet.so --name net     a self-contained library
  onnxc model.onnx --emit package -o net --name net       a folder for CMake, pkg-config, C and C++
  onnxc model.onnx -o model.o --training                  also net_training_initialize and net_training_step
  onnxc model.onnx --emit exe -o net                      a program that runs the model on .npy files
  onnxc model.onnx --emit npm -o net                      a package with a module of WebAssembly for browsers and Node.js
  onnxc model.onnx -o model.o --cpu native                for this machine's CPU alone
  onnxc model.onnx --emit onnx -o simple.onnx             the model, simplified
  onnxc model.onnx --emit kernels | less                  the model at the kernel level
  onnxc inspect net.o                                     the flash, RAM and stack of an object without a runtime
  onnxc check model.onnx                                  report broken rules of ONNX";

/// Compile an ONNX model.
#[derive(Parser, Debug)]
#[command(name = "onnxc", version, after_help = EXAMPLES)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    /// The model; - is standard input
    #[arg(required_unless_present_any = ["worker", "successor", "probe", "completions", "print_targets"])]
    pub(crate) model: Option<PathBuf>,
    /// The output file; - is standard output
    #[arg(short, long, default_value = "-", value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// The kind of output
    #[arg(long, value_enum, default_value_t = Emit::Obj)]
    pub(crate) emit: Emit,
    /// The target triple; this machine's by default
    #[arg(long, value_name = "TRIPLE")]
    pub(crate) target: Option<String>,
    /// Link a program with nothing but itself: with musl, unless --target names another C library
    #[arg(long = "static")]
    pub(crate) is_static: bool,
    /// Print the targets, and what can be made for each of them here
    #[arg(long, exclusive = true)]
    pub(crate) print_targets: bool,
    /// The CPU as LLVM names it, or native for this machine's; by default any x86-64-v2 or better, with kernels for v3
    /// and v4 that are chosen when the model is initialised
    #[arg(long, value_name = "NAME")]
    pub(crate) cpu: Option<String>,
    /// The prefix of the symbols of an object or library; by default the model's file name
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
    /// The optimisation level
    #[arg(short = 'O', default_value_t = 2, value_name = "LEVEL", value_parser = clap::value_parser!(u8).range(0..=3))]
    pub(crate) optimization: u8,
    /// The extent of a named dimension, fixed before compilation; NAME<=N is the greatest extent, for code with static memory
    /// (--freestanding, --emit wasm, npm), where each run is passed its own
    #[arg(long = "dim", value_name = "NAME=N", value_parser = dimension_or_bound)]
    pub(crate) dims: Vec<(String, Dimension)>,
    /// An input with a default that remains an input; others become constants
    #[arg(long, value_name = "NAME")]
    pub(crate) overridable: Vec<String>,
    /// Also compile the training functions, if the model has training information: NAME_training_initialize and
    /// NAME_training_step
    #[arg(long)]
    pub(crate) training: bool,
    /// An operator-set document, whose functions the model may call if it imports their domain
    #[arg(long = "operators", value_name = "FILE")]
    pub(crate) operator_sets: Vec<PathBuf>,
    /// The shape of an input, fixed before compilation
    #[arg(long = "shape", value_name = "NAME=NxN", value_parser = shape)]
    pub(crate) shapes: Vec<(String, Vec<i64>)>,
    /// The outputs to compute, by name; also results of nodes inside the graph
    #[arg(long, value_name = "NAME", value_delimiter = ',')]
    pub(crate) outputs: Vec<String>,
    /// No warnings
    #[arg(long, short)]
    pub(crate) quiet: bool,
    /// Refuse a model that breaks any rule of ONNX, even if it can be run
    #[arg(long)]
    pub(crate) strict: bool,
    /// Only use rewrites that keep every bit of the results
    #[arg(long)]
    pub(crate) strict_fp: bool,
    /// Compute in one order on every processor, so that results are the same bit for bit
    #[arg(long, conflicts_with = "strict_fp")]
    pub(crate) fixed_fp: bool,
    /// Check each access of memory against the bounds of its buffer; a failure ends the run with a message that names the
    /// node
    #[arg(long)]
    pub(crate) sanitize: bool,

    /// Keep the large constants in a file, which the model reads when it is loaded, instead of in the object, library or program
    #[arg(long, value_name = "FILE")]
    pub(crate) weights: Option<PathBuf>,
    /// An object without a runtime, heap and threads, which needs nothing but memcpy and memset; all shapes must be
    /// fixed or bounded
    #[arg(long)]
    pub(crate) freestanding: bool,
    /// Let a module of WebAssembly fuse multiply-adds where the processor does; --emit npm writes such a module next to the
    /// other one, for pages that can run it
    #[arg(long, conflicts_with = "fixed_fp")]
    pub(crate) relaxed_simd: bool,
    /// The rules of a profile: sonnx is for certified code, which is also --fixed-fp and --freestanding
    #[arg(long, value_enum, default_value_t = ProfileName::Onnx)]
    pub(crate) profile: ProfileName,
    /// Under the profile sonnx, accept graphs in attributes that read values of enclosing graphs
    #[arg(long)]
    pub(crate) sonnx_captures: bool,
    /// The file for the map from nodes to parts of the object and back; a page if the name ends in .html, else JSON
    #[arg(long, value_name = "FILE", conflicts_with = "training")]
    pub(crate) trace_matrix: Vec<PathBuf>,
    /// Threads to compile on; 0 means all
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub(crate) threads: usize,
    /// Compile modules of the low level from standard input to objects on standard output
    #[arg(long, hide = true)]
    pub(crate) worker: bool,
    /// Compile the model that is requested on standard input, and write its cache entry to standard output
    #[arg(long, hide = true)]
    pub(crate) successor: bool,
    /// How the program that starts this one expects code to meet its runtime
    #[arg(long, hide = true)]
    pub(crate) conventions: Option<String>,
    /// Compile nothing for the target, and print LLVM's messages
    #[arg(long, hide = true)]
    pub(crate) probe: bool,
    /// Print the shell completions of this command line
    #[arg(long, value_name = "SHELL", exclusive = true)]
    pub(crate) completions: Option<Shell>,
}

/// The subcommands.
#[derive(Subcommand, Debug)]
pub(crate) enum Command {
    /// Report where a model breaks the rules of ONNX
    Check(check::Arguments),
    /// Print a model's inputs, outputs and metadata, or the memory that an object takes
    Inspect(inspect::Arguments),
}

/// The outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Emit {
    /// An object file
    Obj,
    /// A shared library
    Lib,
    /// A static library with the runtime inside
    Staticlib,
    /// A folder with both libraries, headers for C and C++, signature.json, and files for CMake and pkg-config
    Package,
    /// A program that runs the model on files
    Exe,
    /// The C header of the object or library
    Header,
    /// A module of WebAssembly, without imports
    Wasm,
    /// A folder with a module of WebAssembly and a JavaScript module around it, as a package for npm
    Npm,
    /// LLVM IR
    LlvmIr,
    /// Assembly
    Asm,
    /// The graph level as MLIR, for reading
    Graph,
    /// The model after exact rewrites, as an ONNX model
    Onnx,
    /// The structured level as MLIR
    Linalg,
    /// The kernel level as MLIR
    Kernels,
    /// The low level as MLIR
    Loops,
    /// Cranelift IR
    Clif,
}

/// The default level: all processors made in the last fifteen years have it.
#[cfg(feature = "llvm")]
pub(crate) const BASELINE: i64 = 2;

/// The target of static programs.
pub(crate) const STATIC_TARGET: &str =
    if cfg!(target_arch = "aarch64") { "aarch64-unknown-linux-musl" } else { "x86_64-unknown-linux-musl" };

/// The name of the model in a program.
pub(crate) const PROGRAM: &str = "model";

impl Arguments {
    /// Whether code is for any x86-64-v2 or better.
    pub(crate) fn is_portable(&self) -> bool {
        self.cpu.is_none() && self.target().map_or(cfg!(target_arch = "x86_64"), |t| t.starts_with("x86_64"))
    }

    /// The level that a CPU's name states: x86-64-v3.
    pub(crate) fn named_level(&self) -> Option<i64> {
        self.cpu.as_deref()?.strip_prefix("x86-64-v")?.parse().ok()
    }

    pub(crate) fn arithmetic(&self) -> Arithmetic {
        match (self.fixed_fp || self.profile == ProfileName::Sonnx, self.strict_fp) {
            (true, _) => Arithmetic::Fixed,
            (false, true) => Arithmetic::Strict,
            (false, false) => Arithmetic::Reassociated,
        }
    }

    /// The extents of dimensions that are fixed.
    pub(crate) fn fixed(&self) -> impl Iterator<Item = (String, i64)> {
        self.dims.iter().filter_map(|(name, dimension)| match *dimension {
            Dimension::Fixed(extent) => Some((name.clone(), extent)),
            Dimension::AtMost(_) => None,
        })
    }

    /// The greatest extents of dimensions that runs are passed.
    pub(crate) fn bounds(&self) -> BTreeMap<String, i64> {
        let bound = |(name, dimension): &(String, Dimension)| match *dimension {
            Dimension::Fixed(_) => None,
            Dimension::AtMost(greatest) => Some((name.clone(), greatest)),
        };
        self.dims.iter().filter_map(bound).collect()
    }

    /// The prefix of exported functions, for code without a runtime.
    pub(crate) fn freestanding(&self) -> Option<String> {
        self.is_freestanding().then(|| self.symbols())
    }

    /// Whether code has no runtime.
    pub(crate) fn is_freestanding(&self) -> bool {
        self.freestanding || self.profile == ProfileName::Sonnx || self.is_web()
    }

    /// The option that asks for code without a runtime.
    pub(crate) fn freestanding_option(&self) -> &'static str {
        match (self.freestanding, self.profile) {
            (true, _) => "--freestanding",
            (false, ProfileName::Sonnx) => "--profile sonnx",
            (false, ProfileName::Onnx) => "--emit wasm",
        }
    }

    /// Whether the output is a module of WebAssembly.
    pub(crate) fn is_web(&self) -> bool {
        matches!(self.emit, Emit::Wasm | Emit::Npm)
    }

    /// The target triple, if it is not this machine's.
    pub(crate) fn target(&self) -> Option<&str> {
        #[cfg(feature = "llvm")]
        if self.is_web() {
            return Some(web::TARGET);
        }
        let is_static = self.is_static && self.target.is_none();
        if is_static { Some(STATIC_TARGET) } else { self.target.as_deref() }
    }

    /// The kind of output that the file's extension suggests, if it differs.
    pub(crate) fn better_emit(&self) -> Option<&'static str> {
        let ending = self.output.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        match (ending, self.emit) {
            ("a", emit) if emit != Emit::Staticlib => Some("--emit staticlib makes a static library"),
            ("so" | "dylib" | "dll", emit) if emit != Emit::Lib => Some("--emit lib makes a shared library"),
            ("o" | "obj", emit) if emit != Emit::Obj => Some("--emit obj makes an object"),
            ("h" | "hpp", emit) if emit != Emit::Header => Some("--emit header makes a header"),
            ("wasm", emit) if emit != Emit::Wasm => Some("--emit wasm makes a module of WebAssembly"),
            ("onnx", emit) if emit != Emit::Onnx => Some("--emit onnx makes an ONNX model"),
            _ => None,
        }
    }

    /// The prefix of symbols.
    pub(crate) fn symbols(&self) -> String {
        match (&self.name, self.emit) {
            (_, Emit::Exe) => PROGRAM.to_string(),
            (Some(name), _) => name.clone(),
            (None, _) => symbol(self.model.as_deref().unwrap_or(Path::new(PROGRAM))),
        }
    }

    pub(crate) fn processor(&self) -> Processor {
        match (self.is_portable(), self.cpu.as_deref(), self.named_level()) {
            // the tests of certified code cover one version
            (true, _, _) if self.profile != ProfileName::Sonnx => Processor::AnyX86,
            (false, Some("native"), _) => Processor::of_this_machine(),
            (false, _, Some(3)) => Processor::Vectors(VectorRegisters::X86_256),
            (false, _, Some(4)) => Processor::Vectors(VectorRegisters::X86_512),
            _ if self.is_freestanding() => {
                self.target().and_then(VectorRegisters::of_target).map_or(Processor::Unknown, Processor::Vectors)
            }
            _ => Processor::Unknown,
        }
    }

    /// The CPU as LLVM names it, and the level that its code requires; 0 if that is not known.
    #[cfg(feature = "llvm")]
    pub(crate) fn cpu(&self) -> (Option<String>, i64) {
        match (self.is_portable(), self.cpu.as_deref()) {
            (true, _) => (Some(format!("x86-64-v{BASELINE}")), BASELINE),
            (false, Some("native")) => (Some("native".into()), driver::processor_level()),
            (false, cpu) => (cpu.map(str::to_string), self.named_level().unwrap_or(0)),
        }
    }

    /// Refuses options that would be ignored, or would fail after the compilation.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let is_file = self.output != Path::new("-");
        if let Some(better) = self.better_emit() {
            let name = self.output.display();
            return Err(Failure::usage(format!("-o {name}: that is the name of another kind of file; {better}")));
        }
        match self.emit {
            Emit::Obj if !is_file && std::io::stdout().is_terminal() => {
                return Err(Failure::usage("an object is not printed to a terminal: name a file with -o FILE"));
            }
            Emit::Lib | Emit::Staticlib | Emit::Package | Emit::Exe | Emit::Wasm | Emit::Npm if !is_file => {
                return Err(Failure::usage("libraries, programs and packages need a file name: -o FILE"));
            }
            Emit::Wasm | Emit::Npm if self.target.is_some() || self.cpu.is_some() => {
                return Err(Failure::usage("--target and --cpu: WebAssembly is the target of --emit wasm and npm"));
            }
            emit if self.relaxed_simd && emit != Emit::Wasm => {
                return Err(Failure::usage("--relaxed-simd: it is for modules of WebAssembly: --emit wasm"));
            }
            _ if !self.trace_matrix.is_empty() && (self.emit != Emit::Obj || !is_file) => {
                return Err(Failure::usage("--trace-matrix: the object must be in a file: --emit obj -o FILE"));
            }
            _ if self.training && self.profile == ProfileName::Sonnx => {
                return Err(Failure::usage("--profile sonnx: its document does not cover training"));
            }
            Emit::Lib | Emit::Staticlib | Emit::Package | Emit::Exe | Emit::Clif if self.is_freestanding() => {
                let option = self.freestanding_option();
                return Err(Failure::usage(format!(
                    "{option}: it is for objects, which are linked with nothing of ours"
                )));
            }
            emit if self.is_static && emit != Emit::Exe => {
                return Err(Failure::usage("--static: only programs are linked so: --emit exe"));
            }
            _ => {}
        }
        let has_symbols = self.is_web()
            || matches!(
                self.emit,
                Emit::Obj | Emit::Lib | Emit::Staticlib | Emit::Package | Emit::Header | Emit::LlvmIr | Emit::Asm
            );
        if self.training && !self.trace_matrix.is_empty() {
            return Err(Failure::usage("--trace-matrix: it cannot be combined with --training"));
        }
        if self.training && !has_symbols {
            return Err(Failure::usage("--training: only objects, libraries and headers have more than one function"));
        }
        if self.weights.is_some() {
            let takes =
                matches!(self.emit, Emit::Obj | Emit::Lib | Emit::Staticlib | Emit::Package | Emit::Exe | Emit::Header);
            if !takes || self.is_freestanding() {
                return Err(Failure::usage(
                    "--weights: it is for objects, libraries, packages and programs with the runtime",
                ));
            }
        }
        if let Some((name, _)) = self.bounds().first_key_value()
            && (!self.is_freestanding() || self.profile == ProfileName::Sonnx)
        {
            return Err(Failure::usage(format!(
                "--dim '{name}<=…': bounds are for code with static memory, which --freestanding and --emit wasm or npm make; \
                 --profile sonnx has fixed extents"
            )));
        }
        if self.is_freestanding() && self.sanitize {
            let option = self.freestanding_option();
            return Err(Failure::usage(format!(
                "--sanitize: the runtime reports failed checks, and {option} is without it"
            )));
        }
        if self.is_freestanding() && (self.training || !self.overridable.is_empty()) {
            let option = self.freestanding_option();
            return Err(Failure::usage(format!("{option}: such code has neither variables nor optional inputs")));
        }
        match &self.name {
            Some(_) if !has_symbols => {
                Err(Failure::usage("--name: only objects, libraries and headers have symbols to name"))
            }
            Some(name) if !is_identifier(name) => Err(Failure::usage(format!(
                "--name {name}: it is not a C identifier, which consists of letters, digits and _, and does not begin with a digit"
            ))),
            _ => Ok(()),
        }?;
        #[cfg(feature = "llvm")]
        if has_symbols || self.emit == Emit::Exe {
            target::check(self)?;
        }
        Ok(())
    }
}

/// `NAME=N` or `NAME<=N` of `--dim`.
fn dimension_or_bound(text: &str) -> Result<(String, Dimension), String> {
    match text.split_once("<=") {
        Some((name, greatest)) => {
            let greatest = greatest.parse().ok().filter(|greatest| (0..=GREATEST_BOUND).contains(greatest));
            let problem = || format!("expected a number from 0 to {GREATEST_BOUND} after <=");
            Ok((name.to_string(), Dimension::AtMost(greatest.ok_or_else(problem)?)))
        }
        None => dimension(text).map(|(name, extent)| (name, Dimension::Fixed(extent))),
    }
}

/// A C identifier from a file's name.
fn symbol(path: &Path) -> String {
    if path == Path::new("-") {
        return PROGRAM.to_string();
    }
    let name = identifier(&path.file_stem().unwrap_or_default().to_string_lossy());
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("{PROGRAM}_{name}") }
}

/// A text as a part of a C identifier.
pub(crate) fn identifier(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

/// Whether a text is a valid C identifier.
fn is_identifier(text: &str) -> bool {
    let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    text.chars().all(is_word) && text.starts_with(|c: char| is_word(c) && !c.is_ascii_digit())
}
