//! Modules and models that are made smaller while something about them stays.

use std::process::Command;

use ir::PrintOptions;
use proto::{Message, Model};
use tests::conformance::repository;
use tests::reduce::reduce;
use tests::scratch;

const MODULE: &str = r#"
func.func @other(%x: tensor<4xf32>) -> tensor<4xf32> {
  func.return %x : tensor<4xf32>
}
func.func @main(%x: tensor<2x8xf32>, %unread: tensor<f32>) -> (tensor<2x8xf32>, tensor<2x8xf32>) {
  %w = "onnx.Constant"() {value = dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0]> : tensor<8xf32>} : () -> tensor<8xf32>
  %a = "onnx.Tanh"(%x) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %b = "onnx.Add"(%a, %w) : (tensor<2x8xf32>, tensor<8xf32>) -> tensor<2x8xf32>
  %c = "onnx.Elu"(%b) {alpha = 2.0 : f32} : (tensor<2x8xf32>) -> tensor<2x8xf32>
  %d = "onnx.Exp"(%c) : (tensor<2x8xf32>) -> tensor<2x8xf32>
  func.return %d, %a : tensor<2x8xf32>, tensor<2x8xf32>
}
"#;

/// The lines of the reduced module.
fn reduced(fails: impl FnMut(&str) -> bool) -> Vec<String> {
    let text = reduce(MODULE, fails).expect("it fails");
    let module = ir::parse_module(&text, "reduced", Some(&dialects::registry())).expect("it is a module");
    let text = ir::print_module(&module, &PrintOptions::default());
    text.lines().map(|line| line.trim().to_owned()).collect()
}

#[test]
fn what_does_not_matter_goes() {
    let lines = reduced(|text| text.contains("onnx.Elu"));
    let expected = [
        r#""builtin.module"() ({"#,
        r#""func.func"() ({"#,
        "^bb0(%arg0: tensor<1x1xf32>):",
        r#"%0 = "onnx.Elu"(%arg0) : (tensor<1x1xf32>) -> tensor<1x1xf32>"#,
        r#""func.return"() : () -> ()"#,
        r#"}) {function_type = (tensor<1x1xf32>) -> (), sym_name = "main"} : () -> ()"#,
        "}) : () -> ()",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn what_matters_stays() {
    let lines = reduced(|text| text.contains("alpha") && text.contains("onnx.Add") && text.contains("x8xf32"));
    let all = lines.join("\n");
    assert!(all.contains("alpha") && all.contains("onnx.Add") && all.contains("<1x8xf32>"), "{all}");
    assert!(!all.contains("onnx.Exp") && !all.contains("onnx.Tanh") && !all.contains("@other"), "{all}");
}

#[test]
fn a_module_that_does_not_fail_is_refused() {
    assert!(reduce(MODULE, |_| false).is_err());
    assert!(reduce("module {", |_| true).is_err());
}

const GRAPH: &str = r#"<ir_version: 10, opset_import: ["": 21]>
g (float[2,8] x) => (float[2,8] y, float[2,8] z) <float[8] w = {1, 2, 3, 4, 5, 6, 7, 8}> {
    a = Tanh (x)
    b = Add (a, w)
    y = Elu <alpha = 2.0> (b)
    z = Exp (y)
}"#;

/// `tests/fuzz/reduce.py` on a model, until a word of it goes; the operators that are left.
fn left(name: &str, word: &str) -> Option<Vec<String>> {
    let folder = scratch::folder(name);
    let model = Model::from_bytes(GRAPH.as_bytes()).expect("it is a model");
    let path = folder.join("model.onnx");
    std::fs::write(&path, model.proto.encode_to_vec()).expect("the folder takes files");
    let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
    let mut command = Command::new(&python);
    command.arg(repository().join("tests/fuzz/reduce.py")).arg(&path).args([
        "sh",
        "-c",
        &format!("! grep -q {word} {{}}"),
    ]);
    if !command.status().is_ok_and(|status| status.success()) {
        tests::skip(&format!("`{python} tests/fuzz/reduce.py` does not run"));
        return None;
    }
    let smaller = Model::load(&folder.join("model.reduced.onnx")).expect("it is a model");
    let graph = smaller.proto.graph.expect("a model has a graph");
    Some(graph.node.iter().map(|node| format!("{}{}", node.op_type, node.attribute.len())).collect())
}

#[test]
fn models_become_smaller() {
    if let Some(operators) = left("reduce-operator", "Elu") {
        assert_eq!(operators, ["Elu0"]);
    }
    if let Some(operators) = left("reduce-attribute", "alpha") {
        assert_eq!(operators, ["Elu1"]);
    }
}
