//! Operator-set documents: models call the functions of given sets.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use driver::{Compiler, ErrorClass, Options, Session, Tensor};
use proto::{Message, OperatorSetProto};
use tests::scratch;
use tests::worker::onnxc;

/// Four functions, one of which calls two others, and two of which are overloads of one name.
const FUNCTIONS: &str = "
    <ir_version: 10> none () => () {}
    <domain: \"shapes\", opset_import: [\"\": 18]> square (x) => (y) { y = Mul (x, x) }
    <domain: \"shapes\", opset_import: [\"\": 18], overload: \"halved\"> scaled (x) => (y) {
        half = Constant <value_float = 0.5> ()
        y = Mul (x, half)
    }
    <domain: \"shapes\", opset_import: [\"\": 18], overload: \"by\"> scaled <factor: float = 3> (x) => (y) {
        f = Constant <value_float: float = @factor> ()
        y = Mul (x, f)
    }
    <domain: \"shapes\", opset_import: [\"\": 18, \"shapes\": 2]> area (x) => (y) {
        s = shapes.square (x)
        y = shapes.scaled : halved (s)
    }
";

const MODEL: &str = "
    <ir_version: 10, opset_import: [\"\": 18, \"shapes\": 2]>
    g (float[2] x) => (float[2] y, float[2] z, float[2] w) {
        y = shapes.area (x)
        z = shapes.scaled : by <factor = 10.0> (x)
        w = shapes.scaled : by (x)
    }
";

fn document(version: i64) -> OperatorSetProto {
    OperatorSetProto {
        magic: proto::OPERATOR_SET_MAGIC.into(),
        ir_version: 10,
        domain: "shapes".into(),
        opset_version: version,
        functions: proto::parse_model(FUNCTIONS).expect("it is valid").functions,
        ..Default::default()
    }
}

fn write(name: &str, bytes: &[u8]) -> PathBuf {
    let path = scratch::folder(&format!("operator-sets-{name}")).join(name);
    std::fs::write(&path, bytes).expect("the folder can be written");
    path
}

fn run(sets: &[PathBuf], model: &Path) -> driver::Result<Vec<Tensor>> {
    let compiler = Compiler::new(Options { operator_sets: sets.to_vec(), ..Options::default() });
    let compiled = Arc::new(compiler.compile_file(model)?);
    Session::new(compiled).run(&[Tensor::from_f32(&[2], &[2.0, 4.0]).expect("two values")])
}

#[test]
fn models_call_functions_of_operator_sets() {
    let model = write("model.onnxtxt", MODEL.as_bytes());
    let (old, new) = (write("1.onnx", &document(1).encode_to_vec()), write("2.onnx", &document(2).encode_to_vec()));
    let outputs = run(&[old.clone(), new], &model).expect("it runs");
    let values: Vec<_> = outputs.iter().filter_map(Tensor::to_f64).collect();
    assert_eq!(values, [[2.0, 8.0], [20.0, 40.0], [6.0, 12.0]]);
    for (sets, class, message) in [
        (vec![], ErrorClass::Unsupported, "nor the operator sets provided"),
        (
            vec![old],
            ErrorClass::Input,
            "the model imports version 2 of shapes; the operator sets provided have version 1",
        ),
        (vec![model.clone()], ErrorClass::Input, "not an operator-set document"),
        (vec![write("m", &[])], ErrorClass::Input, "its magic is \"\", not \"ONNXOPSET\""),
    ] {
        let problems = run(&sets, &model).expect_err("it needs the set");
        assert!(problems[0].class == class && problems[0].message.contains(message), "{problems:?}");
    }
}

#[test]
fn a_missing_version_hides_nothing_else() {
    let text = MODEL.replace("z = shapes.scaled : by <factor = 10.0> (x)", "z = shapes.scaled : by <size = 10.0> (x)");
    let model = proto::Model::from_proto(proto::parse_model(&text).expect("it is valid"));
    let findings = driver::check_model(&model, driver::Profile::Onnx, &[document(1)]);
    let rules: Vec<&str> = findings.iter().map(|finding| finding.rule.id).collect();
    assert!(rules.contains(&"set-version-given") && rules.contains(&"call-attribute-declared"), "{rules:?}");
}

#[test]
fn an_operator_set_is_not_a_model() {
    let set = write("set.onnx", &document(2).encode_to_vec());
    let problems = run(&[], &set).expect_err("it is refused");
    assert!(problems[0].message.contains("an operator-set document, not a model"), "{problems:?}");
}

#[test]
fn the_tools_take_operator_sets() {
    let (model, set) = (write("tools.onnxtxt", MODEL.as_bytes()), write("tools.onnx", &document(2).encode_to_vec()));
    let onnxc = onnxc(Path::new(env!("CARGO_BIN_EXE_models")));
    for (tool, arguments, expected) in [
        ("onnx-run", &["--random"][..], "y: float32 [2]"),
        ("onnxc", &["--emit", "graph"], "onnx.Mul"),
        ("onnx-opt", &[], "onnx.Mul"),
    ] {
        let mut command = Command::new(onnxc.with_file_name(tool));
        let output = command.arg(&model).args(arguments).arg("--operators").arg(&set).output().expect("it starts");
        assert!(output.status.success(), "{tool}: {}", String::from_utf8_lossy(&output.stderr));
        assert!(String::from_utf8_lossy(&output.stdout).contains(expected), "{tool}");
    }
}
