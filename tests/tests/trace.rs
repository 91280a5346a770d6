//! The trace matrix is complete: every node has symbols in the object or a reason for having none, and every part of
//! the object has a node or a reason.

use std::path::{Path, PathBuf};
use std::process::Command;

use proto::{GraphProto, Model};
use serde_json::Value;
use sha2::{Digest, Sha256};
use tests::conformance::repository;
use tests::worker::onnxc;

/// Models and the shapes of their inputs.
const MODELS: [(&str, &[&str]); 3] = [
    ("ppocr_cls", &["x=1x3x48x192"]),
    ("magika", &["bytes=1x2048"]),
    ("silero_vad_op18", &["input=1x576", "state=2x1x128"]),
];

fn list<'v>(value: &'v Value, key: &str) -> &'v [Value] {
    value[key].as_array().map(Vec::as_slice).unwrap_or_default()
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

fn matrix(model: &Path, name: &str, options: &[&str]) -> Value {
    let program = std::env::current_exe().expect("a test is a program");
    let sibling = program.parent().and_then(Path::parent).expect("it is in deps").join("onnxc");
    let folder = repository().join("target/trace");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let [object, json, page] = ["o", "json", "html"].map(|extension| folder.join(format!("{name}.{extension}")));
    let mut command = Command::new(onnxc(&sibling));
    command.arg(model).arg("-o").arg(object).args(options);
    command.arg("--trace-matrix").arg(&json).arg("--trace-matrix").arg(&page);
    let output = command.output().expect("onnxc starts");
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
    let matrix: Value = serde_json::from_slice(&std::fs::read(json).expect("it is written")).expect("it is JSON");
    let page = std::fs::read_to_string(page).expect("it is written");
    let rows = list(&matrix, "nodes").len() + list(&matrix, "symbols").len() + list(&matrix, "sections").len();
    assert_eq!(page.matches("<tr").count(), rows + 3, "{name}: a row for each, and three heads");
    matrix
}

/// The problems of a matrix.
fn gaps(matrix: &Value) -> Vec<String> {
    let mut gaps = Vec::new();
    let (nodes, symbols) = (list(matrix, "nodes"), list(matrix, "symbols"));
    for node in nodes {
        let (name, places) = (text(node, "node"), list(node, "symbols"));
        if places.is_empty() == text(node, "reason").is_empty() {
            gaps.push(format!("node {name} is in the object, or says why not"));
        }
        for place in places {
            let there = symbols
                .iter()
                .find(|symbol| ["symbol", "section", "offset", "size"].iter().all(|key| symbol[key] == place[key]));
            if !there.is_some_and(|symbol| list(symbol, "nodes").iter().any(|back| back == name)) {
                gaps.push(format!("node {name} is for {}, but not the other way round", text(place, "symbol")));
            }
        }
    }
    for symbol in symbols {
        let name = text(symbol, "symbol");
        if text(symbol, "reason").is_empty() {
            gaps.push(format!("{name} is there without a reason"));
        }
        if text(symbol, "reason") == "a kernel" && list(symbol, "nodes").is_empty() {
            gaps.push(format!("the kernel {name} is for no node"));
        }
        for node in list(symbol, "nodes") {
            let known = nodes.iter().find(|known| known["node"] == *node);
            if !known.is_some_and(|known| list(known, "symbols").iter().any(|place| text(place, "symbol") == name)) {
                gaps.push(format!("{name} is for node {node}, but not the other way round"));
            }
        }
    }
    for section in list(matrix, "sections") {
        if text(section, "reason").is_empty() {
            gaps.push(format!("section {} has bytes without a reason", text(section, "section")));
        }
        let name = &section["section"];
        let end =
            |symbol: &Value| symbol["offset"].as_u64().zip(symbol["size"].as_u64()).map(|(start, size)| start + size);
        let inside = symbols.iter().filter(|symbol| symbol["section"] == *name);
        if inside.filter_map(end).any(|end| end > section["size"].as_u64().unwrap_or_default()) {
            gaps.push(format!("a symbol ends after section {name}"));
        }
    }
    gaps
}

/// The nodes of a graph and of the graphs in it.
fn count(graph: &GraphProto) -> usize {
    let inner = |attribute: &proto::AttributeProto| attribute.g.iter().map(|graph| count(graph)).sum::<usize>();
    graph.node.iter().map(|node| 1 + node.attribute.iter().map(inner).sum::<usize>()).sum()
}

fn closes(model: &Path, name: &str, options: &[&str]) {
    let matrix = matrix(model, name, options);
    let gaps = gaps(&matrix);
    assert!(gaps.is_empty(), "{name}:\n{}", gaps.join("\n"));
    let graph = Model::load(model).expect("it is a model").proto.graph.clone().expect("it has a graph");
    let nodes = list(&matrix, "nodes").iter().map(|node| list(node, "operators").len());
    assert_eq!(nodes.sum::<usize>(), count(&graph), "{name}: every node has a row");
}

#[test]
fn the_matrix_of_models_closes() {
    for (name, shapes) in MODELS {
        let model: PathBuf = repository().join("target/models").join(name).join("model.onnx");
        if !model.is_file() {
            eprintln!("{name} is not there");
            continue;
        }
        let shapes = shapes.iter().flat_map(|shape| ["--shape", shape]);
        let options: Vec<&str> = ["--profile", "sonnx"].into_iter().chain(shapes).collect();
        closes(&model, name, &options);
    }
}

#[test]
fn the_matrix_of_ordinary_objects_closes() {
    for case in ["test_gelu_default_1", "test_if", "test_loop11", "test_lstm_defaults"] {
        let model = repository().join("target/conformance/node").join(case).join("model.onnx");
        if model.is_file() {
            closes(&model, case, &[]);
        }
    }
}

#[test]
fn the_matrix_of_an_object_with_versions_and_without_a_runtime_closes() {
    let model = repository().join("target/conformance/node/test_gelu_default_1/model.onnx");
    if model.is_file() {
        closes(&model, "versions", &["--freestanding", "--target", "x86_64-unknown-linux-gnu"]);
    }
}

#[test]
fn reports_are_the_same_wherever_they_are_written() {
    let model = repository().join("target/conformance/node/test_gelu_default_1/model.onnx");
    if !model.is_file() {
        return;
    }
    let program = std::env::current_exe().expect("a test is a program");
    let sibling = program.parent().and_then(Path::parent).expect("it is in deps").join("onnxc");
    let folder = repository().join("target/trace");
    std::fs::create_dir_all(&folder).expect("the folder can be made");
    let report = |name: &str| {
        let path = folder.join(name);
        let mut command = Command::new(onnxc(&sibling));
        command.arg("check").arg(&model).args(["--profile", "sonnx", "--report"]).arg(&path);
        let output = command.output().expect("onnxc starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        std::fs::read_to_string(path).expect("it is written")
    };
    let page = report("one.html");
    assert_eq!(page, report("two.html"));
    // the object that the page describes
    let object = folder.join("reported.o");
    let mut command = Command::new(onnxc(&sibling));
    command.arg(&model).args(["--profile", "sonnx", "--name", "model", "--cpu", "x86-64", "-o"]).arg(&object);
    command.args(["--target", "x86_64-unknown-linux-gnu"]);
    assert!(command.status().expect("onnxc starts").success());
    let bytes = std::fs::read(&object).expect("it is written");
    let digest: String = Sha256::digest(&bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(page.contains(&digest), "the page has the object's digest");
    for part in ["SHA-256 of the model", "sonnx-r3", "math.erf", "Iterations in the worst case", "main_graph"] {
        assert!(page.contains(part), "{part}");
    }
}
