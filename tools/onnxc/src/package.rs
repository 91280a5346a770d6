//! `--emit package`: a folder with what build systems need of a model.

use std::fs;
use std::path::Path;

use codegen_llvm::Interface;
use commandline::{Drafts, Failure, cannot_write};
use driver::{Extent, Port, Signature, type_name};
use serde_json::{Value, json};

/// A C++ header, a Rust module, a CMake configuration and a pkg-config file, with `@NAME@` for the model's name, each with the
/// part in place of `@WEIGHTS@` for models with weights in a separate file.
const TEXTS: [(&str, &str, &str); 4] = [
    ("include/@NAME@.hpp", include_str!("model.hpp"), include_str!("weights.hpp")),
    ("src/@NAME@.rs", include_str!("model.rs.in"), include_str!("weights.rs.in")),
    ("lib/cmake/@NAME@/@NAME@Config.cmake", include_str!("package.cmake"), ""),
    ("lib/pkgconfig/@NAME@.pc", include_str!("package.pc"), ""),
];

/// Writes everything but the libraries: headers, build files and `signature.json`.
pub(crate) fn write_texts(
    folder: &Path,
    interface: &Interface,
    header: &str,
    signature: &Signature,
    drafts: &Drafts,
) -> Result<(), Failure> {
    let name = &interface.name;
    let inputs = signature.inputs.iter().filter(|port| !port.is_variable).count();
    let outputs = signature.outputs.iter().filter(|port| !port.is_variable).count();
    let ranks = signature.inputs.iter().chain(&signature.outputs).map(|port| port.shape.len());
    let numbers = [("@INPUTS@", inputs), ("@OUTPUTS@", outputs), ("@RANK@", ranks.max().unwrap_or(0).max(1))];
    let fill = |text: &str| {
        let text = text.replace("@GUARD@", &name.to_uppercase()).replace("@VERSION@", env!("CARGO_PKG_VERSION"));
        let fill = |text: String, (key, number): &(&str, usize)| text.replace(key, &number.to_string());
        numbers.iter().fold(text.replace("@NAME@", name), fill)
    };
    let texts = TEXTS.iter().map(|(path, text, weights)| {
        let weights = if interface.loads_weights { weights } else { "" };
        (fill(path), fill(&text.replace("@WEIGHTS@", weights)))
    });
    let mut files: Vec<(String, String)> = texts.collect();
    files.push((format!("include/{name}.h"), header.to_string()));
    files.push(("signature.json".to_string(), format!("{:#}\n", of_signature(name, signature))));
    for (path, text) in files {
        let path = folder.join(path);
        let parent = path.parent().unwrap_or(folder);
        fs::create_dir_all(parent).map_err(|error| cannot_write(parent, &error))?;
        drafts.file(&path)?.write(text.as_bytes())?;
    }
    Ok(())
}

/// The inputs and outputs of a model: an extent is a number, a name, or null if it is dynamic.
pub(crate) fn of_signature(name: &str, signature: &Signature) -> Value {
    let extent = |extent: &Extent| match extent {
        Extent::Fixed(extent) => json!(extent),
        Extent::Named(name) => json!(name),
        Extent::Any => Value::Null,
    };
    let port = |port: &Port| {
        json!({
            "name": port.name,
            "type": type_name(&port.element),
            "shape": port.shape.iter().map(extent).collect::<Vec<_>>(),
            "optional": port.default.is_some(),
        })
    };
    let ports = |ports: &[Port]| ports.iter().filter(|port| !port.is_variable).map(port).collect::<Vec<_>>();
    json!({ "name": name, "inputs": ports(&signature.inputs), "outputs": ports(&signature.outputs) })
}
