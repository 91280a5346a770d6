//! File formats of models, and files that are not models.

use std::path::PathBuf;
use std::process::Command;

use driver::{Compiler, ErrorClass};
use import::Options;
use proto::Message;
use tests::scratch;

fn folder(name: &str) -> PathBuf {
    scratch::folder(&format!("files-{name}"))
}

fn refused(path: &std::path::Path, message: &str) {
    let problems = Compiler::default().compile_file(path).map(drop).expect_err("it is refused");
    let found = &problems[0];
    assert!(found.class == ErrorClass::Input && found.message.contains(message), "{found}");
}

#[test]
fn a_folder_is_no_model() {
    refused(&folder("model"), "cannot read the model: it is a folder");
}

#[test]
fn data_are_read_from_files_alone() {
    let folder = folder("data");
    let pipe = folder.join("pipe");
    assert!(Command::new("mkfifo").arg(&pipe).status().is_ok_and(|status| status.success()));
    std::fs::create_dir_all(folder.join("folder")).expect("it takes folders");
    for (location, message) in [("pipe", "is not a regular file"), ("folder", "is a folder"), ("gone", "No such file")]
    {
        let text = format!(
            "<ir_version: 10, opset_import: [\"\": 18]>
             g (float[2] x) => (float[2] y) <float[2] w = [\"location\": \"{location}\"]> {{ y = Add (x, w) }}"
        );
        let model = proto::parse_model(&text).expect("it is valid");
        let path = folder.join("model.onnx");
        std::fs::write(&path, model.encode_to_vec()).expect("it takes files");
        refused(&path, message);
    }
    std::fs::remove_dir_all(&folder).expect("it was there");
}

/// A model whose functions call each other, `depth` of them in a row.
fn chain(depth: usize) -> String {
    let mut text = String::from(
        "<ir_version: 10, opset_import: [\"\": 18, \"f\": 1]> g (float[2] x) => (float[2] y) { y = f.f0 (x) }\n",
    );
    for number in 1..depth {
        text += &format!(
            "<domain: \"f\", opset_import: [\"f\": 1]> f{} (x) => (y) {{ y = f.f{number} (x) }}\n",
            number - 1
        );
    }
    text + &format!("<domain: \"f\", opset_import: [\"\": 18]> f{} (x) => (y) {{ y = Neg (x) }}", depth - 1)
}

#[test]
fn functions_call_each_other_deep() {
    for depth in [2, 100, 1000] {
        let module = import::import_bytes(chain(depth).as_bytes(), None, &Options::default()).expect("it is valid");
        let text = ir::print_module(&module, &ir::PrintOptions::default());
        assert!(text.contains("onnx.Neg"), "{text}");
    }
    let problems = import::import_bytes(chain(1001).as_bytes(), None, &Options::default()).expect_err("it is too deep");
    assert!(problems[0].message.contains("more than 1000 others in a row"), "{problems:?}");
}
