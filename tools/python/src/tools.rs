//! The command-line tools, in the code that the module has anyway: the package installs scripts that call them.

use std::ffi::OsString;

use pyo3::prelude::*;

use crate::errors::wrong;

/// Runs the tool `onnxc`, `onnx-run` or `onnx-opt` with a command line, the program's name first; returns the exit code. A
/// command line that is wrong, or asks for help, ends the process.
#[pyfunction]
pub(crate) fn tool(py: Python<'_>, name: &str, command_line: Vec<OsString>) -> PyResult<i32> {
    let main = match name {
        "onnxc" => onnxc_tool::main,
        "onnx-run" => onnx_run::main,
        "onnx-opt" => onnx_opt,
        other => return Err(wrong(format!("the tools are onnxc, onnx-run and onnx-opt, not {other}"))),
    };
    Ok(py.detach(|| main(command_line)))
}

fn onnx_opt(command_line: Vec<OsString>) -> i32 {
    onnx_opt::run(command_line, &mut std::io::stdin(), &mut std::io::stdout(), &mut std::io::stderr())
}
