//! `onnxc inspect` prints the metadata of a model and of its parts.

use std::path::Path;
use std::process::Command;

use object::ObjectSymbol;
use proto::{ModelProto, StringStringEntryProto};
use tests::linked::run;
use tests::node::write;
use tests::scratch;
use tests::worker::onnxc;

fn metadata(key: &str, value: &str) -> Vec<StringStringEntryProto> {
    vec![StringStringEntryProto { key: key.into(), value: value.into() }]
}

/// A model with metadata in every part.
fn model() -> ModelProto {
    let text = "
        <ir_version: 10, opset_import: [\"\": 18, \"org.example\": 2], producer_name: \"hand\", producer_version: \"1.0\",
         domain: \"org.example\", model_version: 281483566645249, doc_string: \"two lines\nof text\",
         metadata_props: [\"licence\": \"none\"]>
        net (float[N, 2] x, float[2] w = {1, 2}) => (float[N, 2] y) <float[2] b = {3, 4}> {
            [scale] s = Mul (x, w)
            y = org.example.Shift (s, b)
        }
        <domain: \"org.example\", opset_import: [\"\": 18], doc_string: \"moves\"> Shift (x, b) => (y) { [add] y = Add (x, b) }
    ";
    let mut model = proto::parse_model(text).expect("it is valid");
    model.functions[0].metadata_props = metadata("kind", "linear");
    model.functions[0].node[0].doc_string = "inner".into();
    let graph = model.graph.as_mut().expect("there is a graph");
    graph.doc_string = "a network".into();
    graph.metadata_props = metadata("stage", "test");
    graph.node[0].metadata_props = metadata("scope", "layer 1");
    graph.input[0].doc_string = "a batch".into();
    graph.initializer[1].metadata_props = metadata("trained", "yes");
    model
}

const EXPECTED: &str = "\
IR version: 10
producer: hand
producer version: 1.0
domain: org.example
model version: 281483566645249
semantic version: 1.2.1
documentation: two lines
  of text
operators of ai.onnx: 18
operators of org.example: 2
input: x: float32 [N, 2]
optional input: w: float32 [2]
output: y: float32 [N, 2]
metadata licence: none
graph net, documentation: a network
graph net, stage: test
function org.example.Shift, documentation: moves
function org.example.Shift, kind: linear
node scale, scope: layer 1
node org.example.Shift/add, documentation: inner
value x, documentation: a batch
value b, trained: yes
";

#[test]
fn all_parts_are_heard() {
    let path = write(&model(), "inspect");
    let onnxc = onnxc(Path::new(env!("CARGO_BIN_EXE_models")));
    let text = String::from_utf8(run(Command::new(onnxc).arg("inspect").arg(&path))).expect("text");
    assert_eq!(text, EXPECTED);
}

/// The numbers of an object are in `inspect`, in its header and in a symbol.
#[test]
fn an_object_states_its_memory() {
    let text = "<ir_version: 10, opset_import: [\"\": 21]> g (float[64] x) => (float[4] y) {
        extents = Constant <value_ints = [64, 4]> ()
        w = ConstantOfShape <value = float[1] {0.5}> (extents)
        e = Exp (x)
        t = MatMul (e, w)
        y = Softmax (t)
    }";
    let folder = scratch::folder("inspect-object");
    let onnxc = onnxc(Path::new(env!("CARGO_BIN_EXE_models")));
    let model = write(&proto::parse_model(text).expect("it is valid"), "inspect-object-model");
    let output = |arguments: &[&str]| String::from_utf8(run(Command::new(onnxc).args(arguments))).expect("text");
    for target in ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu", "riscv32imc-unknown-none-elf"] {
        let (object, header) = (folder.join(format!("{target}.o")), folder.join(format!("{target}.h")));
        for (kind, file) in [("obj", &object), ("header", &header)] {
            let mut command = Command::new(onnxc);
            command.arg(&model).args(["--freestanding", "--target", target, "--name", "net", "--emit", kind, "-o"]);
            run(command.arg(file));
        }
        let said = output(&["inspect", &object.to_string_lossy()]);
        let header = std::fs::read_to_string(&header).expect("it was written");
        let number = |line: &str| {
            let found = said.lines().find_map(|said| said.strip_prefix(line)?.split(' ').next()?.parse::<u64>().ok());
            found.unwrap_or_else(|| panic!("{line}: {said}"))
        };
        let [flash, ram, stack] = ["flash: ", "RAM: ", "stack: "].map(number);
        for (name, bytes) in [("flash", flash), ("ram", ram), ("stack", stack)] {
            assert!(header.contains(&format!("#define net_{name}_bytes {bytes}\n")), "{target}: {header}");
        }
        assert!(flash > 64 && ram > 64 && stack > 32, "{target}: {said}");
        assert!(said.contains("functions: net_initialize, net_run\n"), "{said}");
        let bytes = std::fs::read(&object).expect("it was written");
        let file = object::File::parse(&*bytes).expect("an object");
        let symbol = object::Object::symbols(&file).find(|symbol| symbol.name() == Ok("net_stack_bytes"));
        assert_eq!(symbol.map(|symbol| symbol.address()), Some(stack), "{target}");
    }
}

/// A model that is not compiled can be read from a pipe, too.
#[test]
fn models_that_are_not_compiled_come_through_a_pipe() {
    let text =
        "<ir_version: 10, opset_import: [\"\": 18, \"my\": 1]> g (float[2] x) => (float[2] y) { y = my.Custom (x) }";
    let path = write(&proto::parse_model(text).expect("it is valid"), "inspect-pipe");
    let onnxc = onnxc(Path::new(env!("CARGO_BIN_EXE_models")));
    let from_file = run(Command::new(onnxc).arg("inspect").arg(&path));
    let pipe = std::fs::File::open(&path).expect("it was written");
    let from_pipe = run(Command::new(onnxc).args(["inspect", "-"]).stdin(pipe));
    assert_eq!(String::from_utf8_lossy(&from_pipe), String::from_utf8_lossy(&from_file));
    assert!(from_pipe.starts_with(b"IR version: 10\n"));
}

#[test]
fn what_nodes_say_is_there_at_every_level() {
    let path = write(&model(), "inspect-levels");
    let onnxc = onnxc(Path::new(env!("CARGO_BIN_EXE_models")));
    for level in ["graph", "linalg", "kernels", "loops"] {
        let text = String::from_utf8(run(Command::new(onnxc).arg(&path).args(["--emit", level]))).expect("text");
        assert!(text.contains(r#"[["scope", "layer 1"]]"#), "{level}");
    }
}
