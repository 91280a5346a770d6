//! The command-line tools: their output, errors and temporary files.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use proto::{DataType, Dimension, DimensionValue, Message, ModelProto, TypeProto, TypeValue};
use tests::node::{int, model, node, tensor_type, value_info, write};
use tests::scratch;
use tests::worker::onnxc;

const FLOAT: i32 = 1;
const INT64: i32 = 7;

fn tool(name: &str) -> Command {
    Command::new(onnxc(Path::new(env!("CARGO_BIN_EXE_models"))).with_file_name(name))
}

fn run(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// The output of a tool that must succeed.
fn stdout(command: &mut Command) -> String {
    let output = run(command);
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// The exit code and the errors of a tool that must fail.
fn failure(command: &mut Command) -> (i32, String) {
    let output = run(command);
    assert!(!output.status.success(), "{command:?} succeeds");
    (output.status.code().unwrap_or(-1), errors(&output))
}

/// The errors of a tool, without warnings about rules that the models of these tests break: they are minimal.
fn errors(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let lines = said.split_inclusive('\n').filter(|line| !line.starts_with("warning: the model breaks rules"));
    lines.collect()
}

fn fails(command: &mut Command, code: i32, message: &str) {
    let (found, text) = failure(command);
    assert!(found == code && text.contains(message), "{command:?}: {found}, {text}");
    assert!(text.starts_with("error: "), "{text}");
}

fn folder(name: &str) -> PathBuf {
    scratch::folder(&format!("command-line-{name}"))
}

/// A type with named extents.
fn named(element: i32, extents: &[&str]) -> TypeProto {
    let mut r#type = tensor_type(element, &vec![None; extents.len()]);
    if let Some(TypeValue::Tensor(tensor)) = &mut r#type.value {
        for (dim, name) in tensor.shape.iter_mut().flat_map(|shape| &mut shape.dim).zip(extents) {
            *dim = Dimension { value: Some(DimensionValue::Param(name.to_string())), ..Default::default() };
        }
    }
    r#type
}

/// `y0 = x0 + x1`, elementwise, of extent `N`.
fn sum(element: i32) -> ModelProto {
    let port = |name| value_info(name, Some(named(element, &["N"])));
    model("", 17, node("Add", 2, 1, vec![]), &[port("x0"), port("x1")])
}

/// `y0` is the transpose of `x0`, of extents `A` and `B`.
fn transposed() -> ModelProto {
    model("", 17, node("Transpose", 1, 1, vec![]), &[value_info("x0", Some(named(FLOAT, &["A", "B"])))])
}

/// A `.npy` file.
fn npy(path: &Path, element: &str, shape: &[usize], data: &[u8]) -> String {
    std::fs::write(path, tests::npy::file(element, shape, data)).expect("the folder takes files");
    path.display().to_string()
}

#[test]
fn numbers_are_printed_exactly() {
    let folder = folder("numbers");
    let (integers, floats) = (write(&sum(INT64), "sum-int64"), write(&sum(FLOAT), "sum-float"));
    let large = npy(&folder.join("large.npy"), "<i8", &[1], &(1i64 << 53).to_le_bytes());
    let one = npy(&folder.join("one.npy"), ">i8", &[1], &1i64.to_be_bytes());
    let arguments = [format!("--input=x0={large}"), format!("--input=x1={one}")];
    assert_eq!(stdout(tool("onnx-run").arg(&integers).args(arguments)), "y0: int64 [1] [9007199254740993]\n");
    let x =
        npy(&folder.join("x.npy"), ">f4", &[2], &[0.001_570_684_3f32.to_be_bytes(), 1e-40f32.to_be_bytes()].concat());
    let zero = npy(&folder.join("zero.npy"), "<f4", &[2], &[0; 8]);
    let arguments = [format!("--input=x0={x}"), format!("--input=x1={zero}")];
    assert_eq!(stdout(tool("onnx-run").arg(&floats).args(arguments)), "y0: float32 [2] [0.0015706843, 1e-40]\n");
}

/// The tool and a compiled program print complex numbers alike, and write what they read.
#[test]
fn complex_numbers_are_read_printed_and_written() {
    let folder = folder("complex");
    let single = [0.5f32, -0.0, -3.5, 2.0].map(f32::to_le_bytes).concat();
    let double = [0.5f64, -0.0, -3.5, 2.0].map(f64::to_le_bytes).concat();
    for (name, element, descriptor, bytes) in
        [("complex64", DataType::Complex64, "<c8", &single), ("complex128", DataType::Complex128, "<c16", &double)]
    {
        let port = value_info("x0", Some(named(element as i32, &["N"])));
        let model = write(&model("", 17, node("Identity", 1, 1, vec![]), &[port]), name);
        let x = npy(&folder.join("x0.npy"), descriptor, &[2], bytes);
        let expected = format!("y0: {name} [2] [0.5-0.0i, -3.5+2.0i]\n");
        assert_eq!(stdout(tool("onnx-run").arg(&model).args(["--input", &x])), expected);
        let saved = folder.join("y0.npy");
        stdout(tool("onnx-run").arg(&model).args(["--input", &x, "--save"]).arg(&saved));
        assert!(std::fs::read(&saved).expect("it was written").ends_with(bytes));
        let program = folder.join(name);
        stdout(tool("onnxc").arg(&model).args(["--emit", "exe", "-o"]).arg(&program));
        assert_eq!(stdout(Command::new(&program).arg(&x)), expected);
    }
}

/// The extents that an array's head states may multiply to anything.
#[test]
fn a_compiled_program_refuses_arrays_with_odd_heads() {
    let folder = folder("heads");
    let port = value_info("x0", Some(named(FLOAT, &["N", "M"])));
    let program = folder.join("neg");
    let model = write(&model("", 17, node("Neg", 1, 1, vec![]), &[port]), "neg-matrix");
    stdout(tool("onnxc").arg(&model).args(["--emit", "exe", "-o"]).arg(&program));
    let x = folder.join("x.npy");
    let run = |element: &str, shape: [usize; 2]| {
        let x = npy(&x, element, &shape, &[0; 8]);
        failure(Command::new(&program).arg(x))
    };
    for (element, shape, message) in [
        ("<f4", [1 << 62, 4], "has a shape that no memory holds"),
        ("<f4", [0, i64::MAX as usize], "has a shape that no memory holds"),
        ("<f4", [2, 3], "ends too early"),
        (">f4", [1, 2], "has elements in big-endian order"),
    ] {
        let (code, text) = run(element, shape);
        assert!(code == 1 && text.contains(message), "{shape:?}: {code}, {text}");
    }
    let mut bytes = tests::npy::file("<f4", &[1, 2], &[0; 8]);
    let at = bytes.iter().position(|&byte| byte == b')').expect("a head has a shape");
    bytes[at] = b'}';
    std::fs::write(&x, bytes).expect("the folder takes files");
    assert!(failure(Command::new(&program).arg(&x)).1.contains("has a damaged header"));
}

#[test]
fn one_input_needs_no_name_and_one_output_no_folder() {
    let folder = folder("habits");
    let model =
        write(&model("", 17, node("Neg", 1, 1, vec![]), &[value_info("x0", Some(named(FLOAT, &["N"])))]), "neg");
    let x = npy(&folder.join("x.npy"), "<f4", &[2], &[1f32.to_le_bytes(), 2f32.to_le_bytes()].concat());
    let saved = folder.join("y.npy");
    let arguments = ["--input", &x, "--save", saved.to_str().expect("a path")];
    assert_eq!(stdout(tool("onnx-run").arg(&model).args(arguments)), "");
    let again = ["--input", saved.to_str().expect("a path")];
    assert_eq!(stdout(tool("onnx-run").arg(&model).args(again)), "y0: float32 [2] [1.0, 2.0]\n");
    let mut piped = tool("onnx-run");
    let piped = piped.arg("-").args(again).stdin(std::fs::File::open(&model).expect("it was written"));
    assert_eq!(stdout(piped), "y0: float32 [2] [1.0, 2.0]\n");
}

/// A text model in a file.
fn text(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the folder takes files");
    path
}

#[test]
fn a_list_of_bytes_is_any_file() {
    let folder = folder("bytes");
    let model = text(
        &folder,
        "m.onnxtxt",
        "<ir_version: 10, opset_import: [\"\": 20]> g (uint8[n] x) => (uint8[n] y) { y = Identity (x) }",
    );
    let picture = folder.join("photo.png");
    std::fs::write(&picture, [0x89, b'P', b'N', b'G']).expect("the folder takes files");
    let array = npy(&folder.join("array"), "|u1", &[2], &[3, 4]);
    let shown = |file: &str| stdout(tool("onnx-run").arg(&model).args(["--no-cache", "--input", file]));
    assert_eq!(shown(&format!("x={}", picture.display())), "y: uint8 [4] [137, 80, 78, 71]\n");
    assert_eq!(shown(&array), "y: uint8 [2] [3, 4]\n");
}

#[test]
fn elements_that_numpy_does_not_have_are_numbers_or_bits() {
    let folder = folder("narrow");
    for (element, descriptor, data, expected) in [
        ("int4", "<f4", [1f32, -3.0, 7.0].map(f32::to_le_bytes).concat(), "[1.0, -3.0, 7.0]"),
        ("int4", "|i1", vec![1, 253, 7], "[1.0, -3.0, 7.0]"),
        ("int4", "|u1", vec![1, 13, 7], "[1.0, -3.0, 7.0]"),
        ("int4", "|V1", vec![1, 253, 7], "[1.0, -3.0, 7.0]"),
        ("uint4", "<f4", [1f32, 15.0, 7.0].map(f32::to_le_bytes).concat(), "[1.0, 15.0, 7.0]"),
        ("uint4", "|u1", vec![1, 15, 7], "[1.0, 15.0, 7.0]"),
        ("bfloat16", "<f8", [1f64, -3.0, 7.0].map(f64::to_le_bytes).concat(), "[1.0, -3.0, 7.0]"),
        ("bfloat16", "<u2", [0x3f80u16, 0xc040, 0x40e0].map(u16::to_le_bytes).concat(), "[1.0, -3.0, 7.0]"),
        ("float8e4m3fn", "<f4", [1f32, -3.0, 7.0].map(f32::to_le_bytes).concat(), "[1.0, -3.0, 7.0]"),
        ("float8e5m2", "|u1", vec![0x3c, 0xc2, 0x47], "[1.0, -3.0, 7.0]"),
        ("float4e2m1", "<f4", [1f32, -3.0, 6.0].map(f32::to_le_bytes).concat(), "[1.0, -3.0, 6.0]"),
        ("float4e2m1", "|u1", vec![2, 13, 7], "[1.0, -3.0, 6.0]"),
    ] {
        let model = text(
            &folder,
            "m.onnxtxt",
            &format!(
                "<ir_version: 11, opset_import: [\"\": 23]> g ({element}[n] x) => (float[n] y) {{ y = Cast <to = 1> (x) }}"
            ),
        );
        let x = npy(&folder.join("x.npy"), descriptor, &[3], &data);
        let shown = stdout(tool("onnx-run").arg(&model).args(["--no-cache", "--input", &x]));
        assert_eq!(shown, format!("y: float32 [3] {expected}\n"), "{element} from {descriptor}");
    }
}

#[test]
fn saved_sequences_are_inputs() {
    let folder = folder("sequences");
    let construct = text(
        &folder,
        "construct.onnxtxt",
        "<ir_version: 10, opset_import: [\"\": 18]> g (float[n] x) => (seq(float[n]) s) { s = SequenceConstruct (x, x, x) }",
    );
    let read = text(
        &folder,
        "read.onnxtxt",
        "<ir_version: 10, opset_import: [\"\": 18]> g (seq(float[n]) s) => (float[m] y) { y = ConcatFromSequence <axis = 0> (s) }",
    );
    let x = npy(&folder.join("x.npy"), "<f4", &[1], &2f32.to_le_bytes());
    for saved in ["folder", "archive.npz"].map(|name| folder.join(name)) {
        stdout(tool("onnx-run").arg(&construct).args(["--no-cache", "--input", &x, "--save"]).arg(&saved));
        let shown = stdout(tool("onnx-run").arg(&read).args(["--no-cache", "--inputs"]).arg(&saved));
        assert_eq!(shown, "y: float32 [3] [2.0, 2.0, 2.0]\n");
    }
}

#[test]
fn options_without_effect_are_refused() {
    let model = write(&sum(FLOAT), "refused");
    let onnx_run = |arguments: &[&str]| {
        let mut command = tool("onnx-run");
        command.arg(&model).args(arguments);
        command
    };
    fails(&mut onnx_run(&["--random", "--dim", "M=3"]), 2, "the model has no dimension 'M'; it names N");
    fails(&mut onnx_run(&["--random", "--print-after", "optimise"]), 2, "'optimise' is not a stage");
    fails(&mut onnx_run(&["--random", "--save", "y.npz", "--bench"]), 2, "--save");
    fails(&mut onnx_run(&["--random", "--json"]), 2, "--bench");
    fails(&mut onnx_run(&["--bench", "--test-data", "."]), 2, "--test-data");
    fails(&mut onnx_run(&["--random", "--save", "y.txt"]), 2, "y.txt: outputs are not saved as .txt");
    fails(&mut onnx_run(&["--input", "y=a.npy"]), 2, "input 'y': the model has no input of this name; it has x0, x1");
    fails(&mut onnx_run(&["--input", "a.npy"]), 2, "it does not name its input");
    fails(&mut onnx_run(&[]), 1, "input 'x0': it is missing; the model expects float32 [N]");
    fails(
        tool("onnxc").arg(&model).args(["--emit", "lib", "-o", "a.so", "--name", "1x"]),
        2,
        "it is not a C identifier",
    );
    fails(tool("onnxc").arg(&model).args(["--emit", "linalg", "--name", "x"]), 2, "--name");
    fails(tool("onnxc").arg(&model).args(["--emit", "lib"]), 2, "-o FILE");
    fails(tool("onnxc").arg(&model).args(["--emit", "graph", "--dim", "M=3"]), 2, "the model has no dimension 'M'");
    fails(tool("onnx-opt").arg(&model).args(["--print-ir-after", "csee"]), 2, "'csee' is not a pass");
    let other = folder("other").join("other.mlir");
    std::fs::write(&other, OTHER).expect("the folder takes files");
    fails(tool("onnx-opt").arg(&other).arg("--pass-pipeline=onnx-to-linalg"), 1, "no function @main_graph");
}

const OTHER: &str = r#""builtin.module"() ({
  "func.func"() <{function_type = () -> (), sym_name = "other"}> ({
    "func.return"() : () -> ()
  }) : () -> ()
}) : () -> ()
"#;

#[test]
fn terminals_are_not_shown_objects() {
    let model = write(&sum(FLOAT), "terminal");
    let compiler = tool("onnxc").get_program().to_string_lossy().into_owned();
    // `script` provides a terminal
    let mut script = Command::new("script");
    let output = run(script.args(["-qec", &format!("{compiler} {} --emit obj", model.display()), "/dev/null"]));
    assert_eq!(output.status.code(), Some(2));
    let shown = String::from_utf8_lossy(&output.stdout);
    assert!(shown.contains("an object is not printed to a terminal: name a file with -o FILE"), "{shown}");
}

#[test]
fn targets_that_make_no_sense_are_refused_before_anything_is_written() {
    let model = write(&sum(FLOAT), "targets");
    let target = folder("targets").join("model.o");
    for (arguments, message) in [
        (&["--cpu", "foo"][..], "--cpu foo: LLVM does not know this CPU"),
        (&["--cpu", "help"], "haswell, "),
        (&["--cpu", "i386"], "--cpu i386: "),
        (&["--target", "aarch64-unknown-linux-gnu", "--cpu", "haswell"], "LLVM does not know this CPU"),
        (&["--target", "aarch64-unknown-linux-gnu", "--cpu", "native"], "this machine's CPU does not fit"),
        (&["--target", "nonsense"], "--target nonsense: "),
    ] {
        let mut command = tool("onnxc");
        fails(command.arg(&model).args(arguments).arg("-o").arg(&target), 2, message);
        assert!(!target.exists(), "{arguments:?}");
    }
    for arguments in [&["--target", "aarch64-unknown-linux-gnu"][..], &["--cpu", "x86-64-v3"], &["--cpu", "haswell"]] {
        stdout(tool("onnxc").arg(&model).args(arguments).arg("-o").arg(&target));
    }
}

#[test]
fn errors_of_a_run_name_the_node_and_the_extents() {
    let folder = folder("errors");
    let port = |name: &str, extent: &str| value_info(name, Some(named(FLOAT, &[extent, "C"])));
    let concat = node("Concat", 2, 1, vec![int("axis", 0)]);
    let mut model = model("", 17, concat, &[port("x0", "A"), port("x1", "B")]);
    let inputs = &mut model.graph.as_mut().expect("a graph").input;
    inputs[1].r#type = Some(named(FLOAT, &["B", "D"]));
    let model = write(&model, "concat");
    let matrix = |name: &str, shape: &[usize]| npy(&folder.join(name), "<f4", shape, &[0; 24]);
    let (a, b) = (matrix("a.npy", &[2, 3]), matrix("b.npy", &[3, 2]));
    let (code, text) =
        failure(tool("onnx-run").arg(&model).args([format!("--input=x0={a}"), format!("--input=x1={b}")]));
    assert_eq!(code, 1, "{text}");
    assert!(text.starts_with("error: node: Concat: "), "{text}");
    assert!(text.contains("in this run A = 2, C = 3, B = 3, D = 2"), "{text}");
}

#[test]
fn random_inputs_are_of_extents_that_the_model_accepts() {
    let port = value_info("x0", Some(named(FLOAT, &["N", "C", "L"])));
    let pool = node("MaxPool", 1, 1, vec![tests::node::ints("kernel_shape", &[7])]);
    let model = write(&model("", 17, pool, &[port]), "pool");
    let output = run(tool("onnx-run").arg(&model).arg("--random"));
    assert!(output.status.success());
    let (printed, said) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(printed.starts_with("y0: float32 [1, 1, 15994] "), "{printed}");
    assert!(
        said.contains("random inputs: N = 1, C = 1, L = 16000\n  note: 'x0' is treated as a sound: MaxPool"),
        "{said}"
    );
    fails(tool("onnx-run").arg(&model).args(["--random", "--dim", "L=30000000000"]), 1, "of memory are needed");
}

#[test]
fn a_result_that_memory_does_not_hold_is_an_error_of_the_run() {
    let ports = [value_info("x0", Some(named(FLOAT, &["A", "K"]))), value_info("x1", Some(named(FLOAT, &["K", "B"])))];
    let model = write(&model("", 17, node("MatMul", 2, 1, vec![]), &ports), "large");
    let arguments = ["--random", "--dim", "K=1", "--dim", "A=400000", "--dim", "B=400000"];
    fails(tool("onnx-run").arg(&model).args(arguments), 1, "more memory than is available");
}

#[test]
fn a_broken_pipe_ends_quietly() {
    let model = write(&transposed(), "pipe");
    let programs: [(&str, &[&str]); 3] = [
        ("onnx-opt", &["--pass-pipeline=canonicalize"]),
        ("onnxc", &["--emit", "kernels"]),
        ("onnx-run", &["--random", "--print-after", "import"]),
    ];
    for (program, arguments) in programs {
        let mut child = tool(program)
            .arg(&model)
            .args(arguments)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it starts");
        drop(child.stdout.take());
        if program == "onnx-run" {
            drop(child.stderr.take());
        }
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(0), "{program}: {}", String::from_utf8_lossy(&output.stderr));
        let said = errors(&output);
        assert!(said.is_empty(), "{program}: {said}");
    }
}

#[test]
fn results_are_whole_or_not_there() {
    let folder = folder("whole");
    let model = write(&transposed(), "whole");
    let target = folder.join("out.mlir");
    std::fs::write(&target, "before").expect("the folder takes files");
    let before = || std::fs::read_to_string(&target).expect("it is there");
    failure(tool("onnx-opt").arg("no-such.mlir").arg("-o").arg(&target));
    assert_eq!(before(), "before");
    assert_eq!(stdout(tool("onnx-opt").arg(&model).arg("-o").arg(&target)), "");
    assert!(before().contains("onnx.Transpose"));
    assert_eq!(std::fs::read_dir(&folder).expect("it is there").count(), 1);
}

#[test]
fn an_interrupted_compilation_leaves_nothing() {
    let folder = folder("interrupted");
    let target = folder.join("model.so");
    // it is interrupted while it waits for a compiler that never answers
    let compiler = folder.join("cc");
    std::fs::write(&compiler, "#!/bin/sh\nexec sleep 600\n").expect("the folder takes files");
    assert!(Command::new("chmod").arg("+x").arg(&compiler).status().expect("there is chmod").success());
    let scratch = folder.join("tmp");
    std::fs::create_dir_all(&scratch).expect("the folder takes folders");
    let mut child = tool("onnxc")
        .arg("-")
        .args(["--emit", "lib", "-o"])
        .arg(&target)
        .env("CC", &compiler)
        .env("TMPDIR", &scratch)
        .stdin(Stdio::piped())
        .spawn()
        .expect("it starts");
    let bytes = sum(FLOAT).encode_to_vec();
    child.stdin.take().expect("it is piped").write_all(&bytes).expect("it reads");
    let entries = |path: &Path| std::fs::read_dir(path).expect("it is there").count();
    let deadline = std::time::Instant::now() + std::time::Duration::from_secs(60);
    while entries(&scratch) == 0 {
        assert!(std::time::Instant::now() < deadline, "it never comes to linking");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("there is kill").success());
    assert!(!child.wait().expect("it ends").success());
    assert_eq!((entries(&scratch), target.exists()), (0, false));
    let hidden = std::fs::read_dir(&folder).expect("it is there").flatten();
    assert!(hidden.map(|entry| entry.file_name()).all(|name| !name.to_string_lossy().starts_with('.')));
}

#[test]
fn help_has_examples_and_shells_their_completions() {
    for program in ["onnx-run", "onnxc", "onnx-opt"] {
        assert!(stdout(tool(program).arg("--help")).contains("Examples:"), "{program}");
        for shell in ["bash", "zsh", "fish"] {
            let script = stdout(tool(program).args(["--completions", shell]));
            assert!(script.contains(program), "{program}: {script}");
        }
    }
}
