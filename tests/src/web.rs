//! Models as packages for npm, which Node.js runs.

use std::io::{Error, Result};
use std::path::{Path, PathBuf};
use std::process::Command;

use driver::{Blob, Tensor, type_name};
use serde_json::{Value, json};

use crate::conformance::repository;
use crate::profile::{Given, Model, Prepared, prepare};

/// How models ended.
#[derive(Debug, Default)]
pub struct Report {
    /// Models with the expected outputs.
    pub right: usize,
    /// Models that are not compiled: they need a runtime, or have tensors of types that JavaScript has no arrays for.
    pub refused: usize,
    /// The problems.
    pub problems: Vec<String>,
}

/// The linker of the Rust toolchain, which every machine that runs these tests has.
pub fn linker() -> PathBuf {
    let printed = Command::new("rustc").args(["--print", "sysroot"]).output().expect("rustc is on the path");
    let sysroot = String::from_utf8(printed.stdout).expect("a path");
    let host = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    Path::new(sysroot.trim()).join("lib/rustlib").join(host).join("bin/gcc-ld/wasm-ld")
}

/// Makes a package of each model in a separate folder of `scratch`, runs them, and compares the outputs with the expected ones.
/// `None` without Node.js.
pub fn run_packages(onnxc: &Path, models: &[Model], scratch: &Path) -> Result<Option<Report>> {
    let mut report = Report::default();
    let mut made = Vec::new();
    let linker = linker();
    for (number, model) in models.iter().enumerate() {
        let folder = scratch.join(number.to_string());
        std::fs::create_dir_all(&folder)?;
        let Some(prepared) = prepare(model, &folder.join("input")) else {
            report.refused += 1;
            continue;
        };
        let mut command = Command::new(onnxc);
        command.arg(model.folder.join("model.onnx")).args(["--emit", "npm", "--name", "net", "--quiet"]);
        prepared.shapes.iter().for_each(|shape| _ = command.arg("--shape").arg(shape));
        let output = command.arg("-o").arg(&folder).env("WASM_LD", &linker).output()?;
        match output.status.code() {
            Some(0) => made.push((prepared, folder)),
            Some(3) => report.refused += 1,
            _ => report.problems.push(format!("{}: {}", prepared.name(), String::from_utf8_lossy(&output.stderr))),
        }
    }
    let list = scratch.join("cases.json");
    std::fs::write(&list, Value::from_iter(made.iter().map(|(model, folder)| described(model, folder))).to_string())?;
    let Ok(ran) = Command::new("node").arg(repository().join("tests/web/cases.mjs")).arg(&list).output() else {
        return Ok(None);
    };
    if !ran.status.success() {
        return Err(Error::other(String::from_utf8_lossy(&ran.stderr).into_owned()));
    }
    for ((model, folder), error) in made.iter().zip(String::from_utf8_lossy(&ran.stdout).lines()) {
        let wrong = match error {
            "" => given(model, folder)?.wrong(model),
            error => Some(error.to_string()),
        };
        match wrong {
            None => report.right += 1,
            Some(wrong) => report.problems.push(format!("{}: {wrong}", model.name())),
        }
    }
    Ok(Some(report))
}

fn output_file(folder: &Path, number: usize) -> PathBuf {
    folder.join(format!("output.{number}"))
}

fn described(model: &Prepared<'_>, folder: &Path) -> Value {
    let inputs = model.inputs.iter().zip(&model.values).map(|(file, value)| {
        let tensor = value.as_tensor().expect("all inputs are tensors");
        json!({ "type": type_name(&tensor.element), "shape": tensor.shape, "file": file })
    });
    let outputs = (0..model.outputs.len()).map(|number| output_file(folder, number));
    json!({ "folder": folder, "inputs": inputs.collect::<Vec<_>>(), "outputs": outputs.collect::<Vec<_>>() })
}

/// The outputs that the script wrote.
fn given(model: &Prepared<'_>, folder: &Path) -> Result<Given> {
    let output = |(number, expected): (usize, &Tensor)| {
        let bytes = std::fs::read(output_file(folder, number))?;
        Tensor::new(expected.element.clone(), expected.shape.clone(), Blob::copy_of(&bytes))
            .ok_or_else(|| Error::other(format!("{}: output {number} has another size", model.name())))
    };
    let outputs = model.outputs.iter().enumerate().map(output).collect::<Result<_>>()?;
    Ok(Given { code: "0".to_string(), outputs })
}
