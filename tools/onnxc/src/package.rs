//! `--emit package`: a folder with what build systems need of a model.

use std::fs;
use std::path::Path;

use commandline::{Drafts, Failure, cannot_write};
use driver::{Extent, Port, Signature, type_name};
use serde_json::{Value, json};

/// A C++ header, a CMake configuration and a pkg-config file, with `@NAME@` for the model's name.
const TEXTS: [(&str, &str); 3] = [
    ("include/@NAME@.hpp", include_str!("model.hpp")),
    ("lib/cmake/@NAME@/@NAME@Config.cmake", include_str!("package.cmake")),
    ("lib/pkgconfig/@NAME@.pc", include_str!("package.pc")),
];

/// Writes everything but the libraries: headers, build files and `signature.json`.
pub(crate) fn write_texts(
    folder: &Path,
    name: &str,
    header: &str,
    signature: &Signature,
    drafts: &Drafts,
) -> Result<(), Failure> {
    let fill = |text: &str| {
        let text = text.replace("@GUARD@", &name.to_uppercase()).replace("@VERSION@", env!("CARGO_PKG_VERSION"));
        text.replace("@NAME@", name)
    };
    let mut files: Vec<(String, String)> = TEXTS.iter().map(|(path, text)| (fill(path), fill(text))).collect();
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
