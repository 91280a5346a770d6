//! The command line.

use std::path::PathBuf;

use clap::Parser;
use commandline::{Shell, dimension};

const EXAMPLES: &str = "\
Examples:
  onnx-opt model.onnx --elide-constants                      a model as MLIR
  onnx-opt model.onnx --pass-pipeline=optimize -o out.mlir   the graph after its rewrites
  onnx-opt in.mlir --canonicalize --cse                      passes on text
  onnx-opt in.mlir --pass-pipeline='canonicalize,cse'        the same
  onnx-opt --list-passes                                     list the passes";

/// Runs passes on textual IR or on an ONNX model, and prints the result.
#[derive(Debug, Parser)]
#[command(name = "onnx-opt", version, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// Textual IR, or a model if the name ends in .onnx; standard input if omitted or -
    pub(crate) input: Option<PathBuf>,
    /// The output file; - is standard output
    #[arg(short, long, default_value = "-", value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// Passes to run, such as builtin.module(func.func(canonicalize,cse),lower-to-low)
    #[arg(long, value_name = "PIPELINE")]
    pub(crate) pass_pipeline: Option<String>,
    /// Treat the parts between lines of "// -----" as separate inputs
    #[arg(long)]
    pub(crate) split_input_file: bool,
    /// Print nothing; check that errors are those of the comments "expected-error@+1 {{text}}"
    #[arg(long)]
    pub(crate) verify_diagnostics: bool,
    /// Print the module after each pass, to standard error
    #[arg(long, visible_alias = "mlir-print-ir-after-all")]
    pub(crate) print_ir_after_all: bool,
    /// Print the module before each pass, to standard error
    #[arg(long, visible_alias = "mlir-print-ir-before-all")]
    pub(crate) print_ir_before_all: bool,
    /// Print the module after these passes
    #[arg(long, value_name = "PASS", value_delimiter = ',', visible_alias = "mlir-print-ir-after")]
    pub(crate) print_ir_after: Vec<String>,
    /// Print the module before these passes
    #[arg(long, value_name = "PASS", value_delimiter = ',', visible_alias = "mlir-print-ir-before")]
    pub(crate) print_ir_before: Vec<String>,
    /// Of the modules to print after passes, only those that the pass changed
    #[arg(long = "mlir-print-ir-after-change")]
    pub(crate) print_ir_after_change: bool,
    /// Print the module after a pass that fails
    #[arg(long = "mlir-print-ir-after-failure")]
    pub(crate) print_ir_after_failure: bool,
    /// Write the modules that are printed before and after passes to files in this folder
    #[arg(long = "mlir-print-ir-tree-dir", value_name = "DIR")]
    pub(crate) print_ir_tree: Option<PathBuf>,
    /// Print the pipeline, to standard error
    #[arg(long)]
    pub(crate) dump_pass_pipeline: bool,
    /// Print how long each pass took, to standard error
    #[arg(long, visible_alias = "mlir-timing")]
    pub(crate) timing: bool,
    /// Print what the passes counted, to standard error
    #[arg(long = "mlir-pass-statistics")]
    pub(crate) statistics: bool,
    /// Accept operations of dialects that are not known
    #[arg(long)]
    pub(crate) allow_unregistered_dialect: bool,
    /// List passes, their options and named pipelines
    #[arg(long)]
    pub(crate) list_passes: bool,
    /// Do not verify, neither the input nor after each pass
    #[arg(long)]
    pub(crate) no_verify: bool,
    /// Whether to verify after each pass
    #[arg(long, value_name = "BOOL", default_value_t = true, action = clap::ArgAction::Set)]
    pub(crate) verify_each: bool,
    /// When a pass fails, write the module before it and the rest of the pipeline to this file
    #[arg(long, value_name = "FILE")]
    pub(crate) reproducer: Option<PathBuf>,
    /// Run the pipeline in the input, which is a reproducer
    #[arg(long)]
    pub(crate) run_reproducer: bool,
    /// Print the location of each operation
    #[arg(long, visible_alias = "mlir-print-debuginfo")]
    pub(crate) print_locations: bool,
    /// Print every operation in the generic form, "dialect.name"(…)
    #[arg(long = "mlir-print-op-generic", alias = "generic")]
    pub(crate) generic: bool,
    /// Omit the contents of large constants
    #[arg(long)]
    pub(crate) elide_constants: bool,
    /// Fix a named dimension of a model
    #[arg(long, value_name = "NAME=N", value_parser = dimension)]
    pub(crate) dim: Vec<(String, i64)>,
    /// An operator-set document, whose functions a model may call if it imports their domain
    #[arg(long = "operators", value_name = "FILE")]
    pub(crate) operator_sets: Vec<PathBuf>,
    /// Print the shell completions of this command line
    #[arg(long, value_name = "SHELL", exclusive = true)]
    pub(crate) completions: Option<Shell>,
}

impl Arguments {
    /// The input's name in messages.
    pub(crate) fn file_name(&self) -> String {
        match &self.input {
            Some(path) if path.as_os_str() != "-" => path.display().to_string(),
            _ => "<stdin>".to_string(),
        }
    }
}
