//! An object, the generated header and the runtime's static library, linked by `cc` into a program that runs.

use std::path::{Path, PathBuf};
use std::process::Command;

use driver::Signature;
use driver::testdata::{DataSet, read_data_set};
use tests::conformance::repository;
use tests::linked::{build, run};
use tests::node::{model, node, tensor_type, value_info, write};
use tests::npy;
use tests::scratch;
use tests::worker::onnxc;

const MODEL: &str = "squeezenet_seeded";

/// Reads the input from a file and prints the output's elements.
const PROGRAM: &str = r#"
#include <stdio.h>
#include "model.h"

int main(int count, char **arguments) {
    static float image[3 * 224 * 224];
    FILE *file = count > 1 ? fopen(arguments[1], "rb") : NULL;
    if (!file || fread(image, sizeof image, 1, file) != 1) return 2;
    model_session session = {0};
    model_tensor input = {image, {1, 3, 224, 224}}, output;
    if (model_run(&session, &input, &output)) return 1;
    for (int index = 0; index < 1000; index++) printf("%.9g\n", ((float *)output.data)[index]);
    model_free(&output);
    model_close(&session);
    return 0;
}
"#;

/// Splits texts at points, and prints how many parts there are and the parts.
const SPLITS: &str = r#"
#include <stdio.h>
#include "model.h"

int main(void) {
    const char *texts[] = {"hello.world", "ONNX"};
    model_session session = {0};
    model_tensor input = {texts, {2}}, outputs[2];
    for (int round = 0; round < 2; round++) {
        if (model_initialize() || model_run(&session, &input, outputs)) return 1;
        const char **parts = (const char **)outputs[0].data;
        for (int index = 0; index < outputs[0].shape[0] * outputs[0].shape[1]; index++) printf("[%s]", parts[index]);
        for (int index = 0; index < 2; index++) printf("%d", (int)((int64_t *)outputs[1].data)[index]);
        model_free(&outputs[0]);
        model_free(&outputs[1]);
    }
    model_close(&session);
    return 0;
}
"#;

/// Runs a session on several threads at once, and passes inputs with a wrong element type: only runs that return
/// success write an output, and each of those is correct.
const SHARED: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include "model.h"

static model_session session;
static long wrong, refused;

static void *work(void *unused) {
    float values[3] = {1, 2, 3};
    for (int round = 0; round < 20000; round++) {
        model_tensor input = {values, {3}, model_float32}, output;
        int64_t status = model_run(&session, &input, &output);
        if (status) {
            __sync_fetch_and_add(&refused, 1);
            if (status != -6) __sync_fetch_and_add(&wrong, 1);
            continue;
        }
        if (((float *)output.data)[2] != 6 || output.element_type != model_float32) __sync_fetch_and_add(&wrong, 1);
        model_free(&output);
    }
    return unused;
}

int main(void) {
    float values[3] = {1, 2, 3};
    model_tensor input = {values, {3}, model_int64}, output;
    printf("%s\n", model_message(model_run(&session, &input, &output)));
    pthread_t threads[4];
    for (int thread = 0; thread < 4; thread++) pthread_create(&threads[thread], NULL, work, NULL);
    for (int thread = 0; thread < 4; thread++) pthread_join(threads[thread], NULL);
    printf("%ld wrong, %s\n", wrong, model_message(-6));
    model_close(&session);
    return 0;
}
"#;

#[test]
fn a_session_is_for_one_thread_at_a_time_and_tensors_have_types() {
    let port = value_info("x0", Some(tensor_type(1, &[Some(3)])));
    let mut double = node("Add", 1, 1, vec![]);
    double.input = vec!["x0".into(), "x0".into()];
    let model = write(&model("", 17, double, &[port]), "shared-session");
    let program = build(compiler(), &model, &[], SHARED, "shared-session");
    let printed = String::from_utf8(run(&mut Command::new(&program))).expect("text");
    let expected = "input 'x0': the model takes float32 [3]\n0 wrong, another thread uses the session: each thread needs its own\n";
    assert_eq!(printed, expected);
}

/// Runs a model before and after its initialization.
const EARLY: &str = r#"
#include <stdio.h>
#include "model.h"

int main(void) {
    float x[6] = {1, 1, 1, 1, 1, 1}, y[8];
    const void *inputs[] = {x};
    void *outputs[] = {y};
    printf("%ld ", (long)model_run(inputs, outputs));
    printf("%ld ", (long)model_initialize(NULL, NULL));
    printf("%ld ", (long)model_run(inputs, outputs));
    printf("%g\n", y[0]);
    return 0;
}
"#;

#[test]
fn a_run_before_the_initialization_that_it_needs_is_refused() {
    let folder = scratch::folder("early");
    let path = folder.join("m.onnxtxt");
    let text = "<ir_version: 10, opset_import: [\"\": 18]>
        g (float[2,3] x) => (float[2,4] y) <float[3,4] w = {1,2,3,4,5,6,7,8,9,10,11,12}> { y = MatMul (x, w) }";
    std::fs::write(&path, text).expect("the folder takes files");
    let program = build(compiler(), &path, &["--profile", "sonnx"], EARLY, "early-program");
    assert_eq!(String::from_utf8(run(&mut Command::new(&program))).expect("text"), "-2 0 0 15\n");
}

fn compiler() -> &'static Path {
    onnxc(Path::new(env!("CARGO_BIN_EXE_models")))
}

fn data_set(folder: &Path) -> DataSet {
    let module = import::import_file(&folder.join("model.onnx"), &import::Options::default()).expect("a model");
    let signature = Signature::of(module.function(import::MAIN).expect("the importer makes it"));
    read_data_set(&folder.join("test_data_set_0"), &signature).expect("its data")
}

#[test]
fn an_object_is_linked_into_a_program() {
    let folder = repository().join("target/models").join(MODEL);
    if !folder.join("model.onnx").exists() {
        tests::skip(&format!("{} was not found", folder.display()));
        return;
    }
    let data = data_set(&folder);
    let program = build(compiler(), &folder.join("model.onnx"), &[], PROGRAM, "link");
    let input = program.with_file_name("input.bin");
    std::fs::write(&input, data.inputs[0].as_tensor().expect("a tensor").data.bytes()).expect("the folder takes files");
    let printed = String::from_utf8(run(Command::new(&program).arg(&input))).expect("numbers");
    let actual: Vec<f32> = printed.lines().map(|line| line.parse().expect("a number")).collect();
    let bytes = data.outputs[0].as_tensor().expect("a tensor").data.bytes().chunks_exact(4);
    let expected: Vec<f32> = bytes.map(|b| f32::from_le_bytes(b.try_into().expect("4 bytes"))).collect();
    assert_eq!(actual.len(), expected.len());
    let near = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-4 + 1e-3 * b.abs();
    assert!(actual.iter().zip(&expected).all(near));
}

/// Libraries of two small models in a separate folder.
fn libraries(name: &str) -> PathBuf {
    let folder = scratch::folder(name);
    let port = |name: &str| value_info(name, Some(tensor_type(1, &[None, Some(3)])));
    for (library, operator) in [("net", "Add"), ("other", "Mul")] {
        let model = model("", 17, node(operator, 2, 1, vec![]), &[port("x0"), port("x1")]);
        let model = write(&model, &format!("{name}-{library}"));
        for (emit, file) in [("lib", format!("lib{library}.so")), ("header", format!("{library}.h"))] {
            let mut command = Command::new(onnxc(Path::new(env!("CARGO_BIN_EXE_models"))));
            run(command.arg(&model).args(["--name", library, "--emit", emit, "-o"]).arg(folder.join(file)));
        }
    }
    folder
}

fn text_of(command: &mut Command) -> String {
    String::from_utf8(run(command)).expect("text")
}

#[test]
fn a_library_shows_its_interface_and_nothing_else() {
    let folder = libraries("exports");
    let symbols = text_of(Command::new("nm").current_dir(&folder).args(["-D", "--defined-only", "libnet.so"]));
    let mut names: Vec<&str> = symbols.lines().filter_map(|line| line.split(' ').nth(2)).collect();
    names.sort();
    let expected = ["close", "free", "initialize", "input", "message", "output", "run", "run_in_place", "set_threads"];
    assert_eq!(names, expected.map(|function| format!("net_{function}")));
    let dynamic = text_of(Command::new("readelf").current_dir(&folder).args(["-d", "libnet.so"]));
    assert!(dynamic.contains("Library soname: [libnet.so]"), "{dynamic}");
}

#[test]
fn examples_run() {
    let folder = libraries("examples");
    let example = |name: &str| repository().join("examples").join(name);
    let flags = ["-std=gnu99", "-Wall", "-Wextra", "-Werror"];
    let linked = ["-I.", "-L.", "-lnet", "-Wl,-rpath,.", "-o", "linked"];
    run(Command::new("cc").current_dir(&folder).args(flags).arg(example("linked.c")).args(linked));
    assert_eq!(text_of(Command::new("./linked").current_dir(&folder)), "y0: float32\n");
    run(Command::new("cc").current_dir(&folder).args(flags).arg(example("loaded.c")).args(["-ldl", "-o", "loaded"]));
    let both = ["./libnet.so", "net", "./libother.so", "other"];
    let printed = text_of(Command::new("./loaded").current_dir(&folder).arg("1000").args(both));
    let (outputs, grown) = printed.split_once("grown by ").expect("it reports its growth");
    assert_eq!(outputs, "net y0: float32 [1, 3]\nother y0: float32 [1, 3]\n");
    let kilobytes: i64 = grown.split(' ').next().and_then(|number| number.parse().ok()).expect("a number");
    assert!(kilobytes < 1024, "{printed}");
    match std::env::var_os("PYTHON") {
        Some(python) => {
            let printed = text_of(
                Command::new(python).current_dir(&folder).arg(example("loaded.py")).args(["./libnet.so", "net"]),
            );
            assert_eq!(printed, "y0: float32 [1, 3]\n");
        }
        None => tests::skip("PYTHON does not name a Python with NumPy"),
    }
}

/// The folder that `--emit package` writes for a model that adds two inputs.
fn package(name: &str) -> PathBuf {
    let folder = scratch::folder(name).join("net");
    let port = |name: &str| value_info(name, Some(tensor_type(1, &[None, Some(3)])));
    let model = write(&model("", 17, node("Add", 2, 1, vec![]), &[port("x0"), port("x1")]), name);
    run(Command::new(compiler()).arg(&model).args(["--name", "net", "--emit", "package", "-o"]).arg(&folder));
    folder
}

const PACKAGED: &str = "11 22 33 [1, 3]\ninput 'x0': the model takes float32 [?, 3]\n";

const SCORED: &str = "[2, 3] [0.0900, 0.2447, 0.6652, 0.3333, 0.3333, 0.3333]\n[2, 1] [2, 0]\n\
    the output has no elements of type f64\ninput 0 has 1 extents, the model takes 2\n\
    input 'logits': the model takes float32 [N, 3]\n";

#[test]
fn a_build_script_compiles_a_model_into_a_crate() {
    let manifest = repository().join("examples/build/Cargo.toml");
    let mut command = Command::new(env!("CARGO"));
    command.args(["run", "-q", "--offline", "--manifest-path"]).arg(manifest);
    let target = scratch::folder("build-script");
    assert_eq!(text_of(command.env("ONNXC", compiler()).env("CARGO_TARGET_DIR", target)), SCORED);
}

/// Compilers' warnings that headers are free of.
const STRICT: [&str; 5] = ["-Wall", "-Wextra", "-pedantic", "-Wconversion", "-Werror"];

#[test]
fn a_package_is_found_by_pkg_config() {
    let folder = package("pkg-config");
    let flags = |options: &[&str]| {
        let mut command = Command::new("pkg-config");
        text_of(command.env("PKG_CONFIG_PATH", folder.join("lib/pkgconfig")).args(options).arg("net"))
    };
    let example = repository().join("examples/package/main.cpp");
    for (program, options, rpath) in [
        ("shared", &["--cflags", "--libs"][..], "-Wl,-rpath,net/lib"),
        ("static", &["--cflags", "--libs", "--static"], "-static"),
    ] {
        let flags = flags(options);
        let mut command = Command::new("c++");
        command.current_dir(folder.join("..")).arg("-std=c++17").args(STRICT).arg(&example).arg("-o").arg(program);
        run(command.args(flags.split_whitespace()).arg(rpath));
        assert_eq!(text_of(Command::new(format!("./{program}")).current_dir(folder.join(".."))), PACKAGED);
    }
    let signature: serde_json::Value =
        serde_json::from_slice(&std::fs::read(folder.join("signature.json")).expect("it was written")).expect("JSON");
    assert_eq!(signature["inputs"][1]["name"], "x1");
    assert_eq!(signature["outputs"][0]["shape"], serde_json::json!([null, 3]));
}

/// The C++ and the Rust interface of a package load the file of its weights.
#[test]
fn a_package_loads_its_weights() {
    let folder = scratch::folder("package-weights");
    let weight = |row: usize, column: usize| (row * 32 + column) % 7;
    let numbers: Vec<String> = (0..64 * 32).map(|at| weight(at / 32, at % 32).to_string()).collect();
    let text = format!(
        r#"<ir_version: 10, opset_import: ["" : 17]>
        g (float[n, 64] x) => (float[n, 32] y) <float[64, 32] w = {{{}}}> {{ y = MatMul(x, w) }}"#,
        numbers.join(", ")
    );
    let expected = (0..64).map(|row| weight(row, 0)).sum::<usize>();
    std::fs::write(folder.join("m.onnxtxt"), text).expect("the folder takes files");
    let mut command = Command::new(compiler());
    command.current_dir(&folder).args(["m.onnxtxt", "--name", "net", "--emit", "package", "-o", "net"]);
    run(command.args(["--weights", "net/share/net.weights"]));
    let cpp = r#"#include <cstdio>
#include <vector>
#include <net.hpp>
int main() {
    net::session session;
    const std::vector<float> x(64, 1);
    try { net::load_weights("none"); } catch (const net::error &error) { std::puts(error.what()); }
    net::load_weights("net/share/net.weights");
    const net::outputs outputs = session.run({net::input(x, {1, 64})});
    std::printf("%g\n", static_cast<double>(outputs[0].as<float>()[0]));
}
"#;
    std::fs::write(folder.join("main.cpp"), cpp).expect("the folder takes files");
    let rust = r#"mod net { include!("net/src/net.rs"); }
fn main() {
    net::load_weights(c"none").unwrap_err();
    net::load_weights(c"net/share/net.weights").unwrap();
    let input = net::Input::new(&[1.0f32; 64], &[1, 64]).unwrap();
    println!("{}", net::Session::new().run([input]).unwrap()[0].as_slice::<f32>().unwrap()[0]);
}
"#;
    std::fs::write(folder.join("main.rs"), rust).expect("the folder takes files");
    let libraries = ["-lnet", "-Wl,-rpath,net/lib"];
    let mut command = Command::new("c++");
    command.current_dir(&folder).arg("-std=c++17").args(STRICT).args(["-Inet/include", "main.cpp", "-o", "cpp"]);
    run(command.arg("-Lnet/lib").args(libraries));
    let said = text_of(Command::new("./cpp").current_dir(&folder));
    assert!(
        said.starts_with("the file of weights cannot be read") && said.ends_with(&format!("\n{expected}\n")),
        "{said}"
    );
    let mut command = Command::new("rustc");
    command.current_dir(&folder).args(["--edition", "2024", "-A", "dead_code", "main.rs", "-o", "rust"]);
    run(command.args(["-L", "net/lib", "-l", "dylib=net", "-C", "link-arg=-Wl,-rpath,net/lib"]));
    assert_eq!(text_of(Command::new("./rust").current_dir(&folder)), format!("{expected}\n"));
}

#[test]
fn a_package_is_found_by_cmake() {
    let cmake = std::env::var_os("PYTHON").map(|python| Path::new(&python).with_file_name("cmake"));
    let Some(cmake) = cmake.filter(|cmake| cmake.exists()) else {
        tests::skip("cmake is not next to the Python of PYTHON");
        return;
    };
    let folder = package("cmake");
    let build = folder.with_file_name("build");
    let prefix = format!("-DCMAKE_PREFIX_PATH={}", folder.display());
    run(Command::new(&cmake).arg("-S").arg(repository().join("examples/package")).arg("-B").arg(&build).arg(prefix));
    run(Command::new(&cmake).arg("--build").arg(&build));
    for program in ["static", "shared"] {
        assert_eq!(text_of(&mut Command::new(build.join(program))), PACKAGED);
    }
}

#[test]
fn a_program_takes_inputs_by_name_and_measures_itself() {
    let folder = scratch::folder("program-inputs");
    let port = |name: &str| value_info(name, Some(tensor_type(1, &[None, Some(3)])));
    let model = write(&model("", 17, node("Sub", 2, 1, vec![]), &[port("x0"), port("x1")]), "program-inputs");
    let program = folder.join("program");
    run(Command::new(compiler()).arg(&model).args(["--emit", "exe", "-o"]).arg(&program));
    for (name, value) in [("a.pb", 5.0f32), ("b.pb", 3.0)] {
        let tensor =
            proto::TensorProto { data_type: 1, dims: vec![1, 3], float_data: vec![value; 3], ..Default::default() };
        std::fs::write(folder.join(name), proto::Message::encode_to_vec(&tensor)).expect("the folder takes files");
    }
    let text = |arguments: &[&str]| text_of(Command::new(&program).current_dir(&folder).args(arguments));
    assert_eq!(text(&["a.pb", "b.pb"]), "y0: float32 [1, 3] [2.0, 2.0, 2.0]\n");
    assert_eq!(text(&["x1=a.pb", "b.pb"]), "y0: float32 [1, 3] [-2.0, -2.0, -2.0]\n");
    let measured = text(&["a.pb", "b.pb", "--bench", "3"]);
    assert!(measured.starts_with("latency of 3 runs: median "), "{measured}");
    let wrong = Command::new(&program).current_dir(&folder).args(["a.pb"]).output().expect("it starts");
    assert_eq!(wrong.status.code(), Some(2));
}

#[test]
fn headers_are_free_of_warnings() {
    let folder = package("warnings");
    let program = "#include <net.h>\nint main(void) { return (int)net_initialize(); }\n";
    for (compiler, standard, file) in [("cc", "-std=c99", "main.c"), ("c++", "-std=c++17", "main.cpp")] {
        let path = folder.join(file);
        std::fs::write(&path, program).expect("the folder takes files");
        run(Command::new(compiler)
            .arg(standard)
            .args(STRICT)
            .arg("-fsyntax-only")
            .arg("-I")
            .arg(folder.join("include"))
            .arg(path));
    }
}

#[test]
fn runs_initialize_models_and_say_which_input_is_wrong() {
    let port = value_info("x0", Some(tensor_type(1, &[None, Some(3)])));
    let mut model = model("", 17, node("MatMul", 2, 1, vec![]), &[port]);
    // weights that are packed before the first run
    let weights = proto::TensorProto {
        name: "x1".into(),
        data_type: 1,
        dims: vec![3, 20],
        float_data: vec![0.5; 60],
        ..Default::default()
    };
    model.graph.as_mut().expect("a graph").initializer.push(weights);
    let program = build(compiler(), &write(&model, "initialize"), &[], WRONG, "link-initialize");
    let header = std::fs::read_to_string(program.with_file_name("model.h")).expect("it was written");
    // the extent of the output is that of the input
    assert!(header.contains("output 0: y0: float32 [x0_0, 20]"), "{header}");
    assert_eq!(text_of(&mut Command::new(program)), "1.5\ninput 'x0': the model takes float32 [x0_0, 3]\n");
}

/// Runs a model from several threads at once without initialising it, and then on an input of a wrong shape.
const WRONG: &str = r#"
#include <pthread.h>
#include <stdio.h>
#include "model.h"

static float values[3] = {1, 1, 1};

static void *compute(void *result) {
    model_session session = {0};
    model_tensor input = {values, {1, 3}}, output;
    if (model_run(&session, &input, &output)) return 0;
    *(float *)result = ((float *)output.data)[19];
    model_free(&output);
    model_close(&session);
    return 0;
}

int main(void) {
    pthread_t threads[8];
    float results[8] = {0};
    for (int i = 0; i < 8; i++) pthread_create(&threads[i], 0, compute, &results[i]);
    for (int i = 0; i < 8; i++) pthread_join(threads[i], 0);
    for (int i = 1; i < 8; i++) {
        if (results[i] != results[0]) return 1;
    }
    printf("%g\n", results[0]);
    model_session session = {0};
    model_tensor wrong = {values, {3, 1}}, output;
    printf("%s\n", model_message(model_run(&session, &wrong, &output)));
    model_close(&session);
    return 0;
}
"#;

#[test]
fn a_generated_program_says_what_it_takes() {
    let folder = libraries("program");
    let port = value_info("x/0", Some(tensor_type(7, &[Some(2)])));
    let mut negate = node("Neg", 1, 1, vec![]);
    negate.input = vec!["x/0".into()];
    negate.output = vec!["y/0".into()];
    let model = write(&model("", 17, negate, &[port]), "program");
    let mut command = Command::new(onnxc(Path::new(env!("CARGO_BIN_EXE_models"))));
    run(command.arg(&model).args(["--emit", "exe", "-o"]).arg(folder.join("program")));
    let program = |arguments: &[&str]| {
        let mut command = Command::new("./program");
        command.current_dir(&folder).args(arguments);
        command
    };
    assert!(text_of(&mut program(&["--help"])).contains("input 'x/0': the model takes int64 [2]"));
    let file = |values: &[i64]| {
        let data: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
        npy::file("<i8", &[values.len()], &data)
    };
    let write = |name: &str, bytes: Vec<u8>| std::fs::write(folder.join(name), bytes).expect("the folder takes files");
    write("x.npy", file(&[(1 << 53) + 1, -3]));
    write("long.npy", file(&[1, 2, 3]));
    assert_eq!(text_of(&mut program(&["x.npy"])), "y/0: int64 [2] [-9007199254740993, 3]\n");
    assert_eq!(text_of(&mut program(&["x.npy", "-o", "results"])), "");
    assert!(folder.join("results/y%2F0.npy").exists());
    for (arguments, message) in [
        (&["long.npy"][..], "input 'x/0': the model takes int64 [2]"),
        (&["absent.npy"], "error: absent.npy: No such file"),
        (&[], "error: the model takes 1 inputs, found 0"),
    ] {
        let output = program(arguments).output().expect("it starts");
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(!output.status.success() && said.contains(message), "{said}");
    }
}

#[test]
fn programs_run_on_any_processor_that_they_are_for() {
    let folder = scratch::folder("processors");
    // a convolution, an elementary function, a sum: the kinds of code in which processors differ
    let model = repository().join("target/conformance/node/test_softmax_large_number/model.onnx");
    if !model.exists() || Command::new("qemu-x86_64").arg("--version").output().is_err() {
        tests::skip(&format!("qemu-x86_64 or {} was not found", model.display()));
        return;
    }
    let input = folder.join("x.npy");
    let values = [0.0, 1.0, 2.0, 3.0, 10000.0, 10001.0, 10002.0, 10003.0];
    std::fs::write(&input, npy::floats(&[2, 4], &values)).expect("the folder takes files");
    let program = |cpu: &[&str], name: &str| {
        let mut command = Command::new(onnxc(Path::new(env!("CARGO_BIN_EXE_models"))));
        run(command.arg(&model).args(cpu).args(["--emit", "exe", "-o"]).arg(folder.join(name)));
        folder.join(name)
    };
    let on = |processor: &str, program: &Path| {
        let mut command = Command::new("qemu-x86_64");
        command.args(["-cpu", processor]).arg(program).arg(&input).output().expect("it starts")
    };
    let portable = program(&[], "portable");
    for processor in ["Nehalem", "Haswell"] {
        let output = on(processor, &portable);
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        assert!(printed.starts_with("y: float32 [2, 4] [0.032058"), "{processor}: {printed}");
    }
    let newer = program(&["--cpu", "x86-64-v3"], "newer");
    for (processor, program) in [("core2duo", &portable), ("Nehalem", &newer)] {
        let said = String::from_utf8_lossy(&on(processor, program).stderr).into_owned();
        assert!(said.contains("error: this processor lacks instructions"), "{processor}: {said}");
    }
}

/// The maximum size of a program without its model's weights: above all micro-kernels for three instruction sets, and the
/// standard library's printer of backtraces.
const PROGRAM_BYTES: u64 = 765_000;

#[test]
fn a_program_is_small_and_starts_soon() {
    let model = repository().join("target/models").join(MODEL).join("model.onnx");
    if !model.exists() {
        tests::skip(&format!("{} was not found", model.display()));
        return;
    }
    let folder = scratch::folder("program-size");
    let program = folder.join("program");
    let compiler = onnxc(Path::new(env!("CARGO_BIN_EXE_models")));
    run(Command::new(compiler).arg(&model).args(["--emit", "exe", "-o"]).arg(&program));
    run(Command::new("strip").arg(&program));
    let weights = std::fs::metadata(&model).expect("it is there").len();
    let own = std::fs::metadata(&program).expect("it was made").len().saturating_sub(weights);
    assert!(own < PROGRAM_BYTES, "{own} bytes");
    let Some(python) = std::env::var_os("PYTHON") else { return };
    let input = folder.join("x.npy");
    std::fs::write(&input, npy::floats(&[1, 3, 224, 224], &vec![0.0; 3 * 224 * 224])).expect("the folder takes files");
    let script = "import sys, numpy, onnxruntime; session = onnxruntime.InferenceSession(sys.argv[1]); \
                  session.run(None, {session.get_inputs()[0].name: numpy.load(sys.argv[2])})";
    // the fastest of a few runs, to exclude the first reads from disk and other load
    let fastest = |command: &mut dyn FnMut() -> Command| {
        let time = |command: &mut Command| {
            let start = std::time::Instant::now();
            run(command);
            start.elapsed()
        };
        (0..5).map(|_| time(&mut command())).min().expect("there are some")
    };
    let ours = fastest(&mut || {
        let mut command = Command::new(&program);
        command.arg(&input);
        command
    });
    let theirs = fastest(&mut || {
        let mut command = Command::new(&python);
        command.args(["-c", script]).arg(&model).arg(&input);
        command
    });
    assert!(5 * ours < theirs, "{ours:?}, ONNX Runtime {theirs:?}");
}

#[test]
fn c_programs_give_and_take_strings() {
    let model = repository().join("target/conformance/node/test_string_split_basic/model.onnx");
    if !model.exists() {
        tests::skip(&format!("{} was not found", model.display()));
        return;
    }
    let printed = run(&mut Command::new(build(compiler(), &model, &[], SPLITS, "link-strings")));
    let once = "[hello][world][ONNX][]21";
    assert_eq!(String::from_utf8_lossy(&printed), once.repeat(2));
}

/// Prints a sequence of maps and an optional, from one session several times.
const VALUES: &str = r#"
#include <stdio.h>
#include "model.h"

int main(void) {
    float x[] = {0.25f, 0.75f, 1, 0};
    model_session session = {0};
    model_tensor input = {x, {2, 2}}, outputs[2];
    for (int round = 0; round < 2; round++) {
        if (model_run(&session, &input, outputs)) return 1;
        const model_value *rows = (const model_value *)outputs[0].data;
        if (outputs[0].element_type || rows->kind != model_is_sequence) return 2;
        for (int64_t row = 0; row < rows->count; row++) {
            const model_value *keys = rows->values[row].values, *values = keys + 1;
            if (rows->values[row].kind != model_is_map || values->element_type != model_float32) return 3;
            for (int64_t at = 0; at < keys->shape[0]; at++) {
                printf("%s %g ", ((const char *const *)keys->data)[at], ((const float *)values->data)[at]);
            }
        }
        const model_value *some = (const model_value *)outputs[1].data;
        if (some->kind != model_is_optional || some->count != 1 || some->values->rank != 2) return 4;
        printf("%g ", ((const float *)some->values->data)[3]);
        model_free(&outputs[0]);
        model_free(&outputs[1]);
    }
    printf("%s", model_output(0)->type);
    model_close(&session);
    return 0;
}
"#;

/// A classifier with probabilities in the form of scikit-learn's converter, and an optional.
const VALUE_MODEL: &str = "<ir_version: 8, opset_import: [\"\": 18, \"ai.onnx.ml\": 3]>
    g (float[2, 2] x) => (seq(map(string, float)) y, optional(float[2, 2]) z) {
        y = ai.onnx.ml.ZipMap <classlabels_strings = [\"cat\", \"dog\"]> (x)
        w = Neg (x)
        z = Optional (w)
    }";

#[test]
fn outputs_are_sequences_maps_and_optionals() {
    let model = write(&proto::parse_model(VALUE_MODEL).expect("it is valid"), "values");
    let printed = text_of(&mut Command::new(build(compiler(), &model, &[], VALUES, "link-values")));
    let once = "cat 0.25 dog 0.75 cat 1 dog 0 -0 ";
    assert_eq!(printed, once.repeat(2) + "sequence of map of string to float32");
}

#[test]
fn a_generated_program_prints_what_is_no_tensor() {
    let folder = scratch::folder("link-values-program");
    let model = write(&proto::parse_model(VALUE_MODEL).expect("it is valid"), "values");
    let program = folder.join("program");
    let compiler = onnxc(Path::new(env!("CARGO_BIN_EXE_models")));
    run(Command::new(compiler).arg(&model).args(["--emit", "exe", "-o"]).arg(&program));
    let input = folder.join("x.npy");
    std::fs::write(&input, npy::floats(&[2, 2], &[0.25, 0.75, 1.0, 0.0])).expect("the folder takes files");
    let printed = text_of(Command::new(&program).arg(&input));
    assert!(printed.starts_with("y: sequence of 2\n  0: map of 2 {\"cat\": 0.25, \"dog\": 0.75}\n"), "{printed}");
    assert!(printed.ends_with("z: float32 [2, 2] [-0.25, -0.75, -1.0, -0.0]\n"), "{printed}");
}

/// Runs a model without a value for its second input, then with one.
const OPTIONAL: &str = r#"
#include <stdio.h>
#include "model.h"

int main(void) {
    float x[] = {10, 20}, w[] = {5, 6};
    model_session session = {0};
    for (int given = 0; given < 2; given++) {
        model_tensor inputs[] = {{x, {2}}, {given ? w : NULL, {2}}}, output;
        if (model_run(&session, inputs, &output)) return 1;
        for (int index = 0; index < 2; index++) printf("%g ", ((float *)output.data)[index]);
        model_free(&output);
    }
    model_close(&session);
    printf("%g", ((const float *)model_input(1)->initial)[1]);
    return model_input(0)->initial != NULL;
}
"#;

#[test]
fn an_input_with_a_value_of_its_own_need_not_be_given() {
    let text = "<ir_version: 8, opset_import: [\"\": 18]>
        g (float[2] x, float[2] w = {1, 2}) => (float[2] y) { y = Add (x, w) }";
    let model = write(&proto::parse_model(text).expect("it is valid"), "optional");
    let program = build(compiler(), &model, &["--overridable", "w"], OPTIONAL, "link-optional");
    assert_eq!(text_of(&mut Command::new(program)), "11 22 15 26 2");
}

/// Writes two rows into a cache in place, and one into a copy of it.
const CACHE: &str = r#"
#include <stdio.h>
#include "model.h"

int main(void) {
    float cache[] = {1, 2, 3, 4}, row[] = {9};
    model_session session = {0};
    model_tensor output;
    for (int64_t place = 0; place < 3; place++) {
        model_tensor inputs[] = {{cache, {1, 4}}, {row, {1, 1}}, {&place, {1}}};
        if ((place < 2 ? model_run_in_place : model_run)(&session, inputs, &output)) return 1;
        if ((output.data == cache) != (place < 2)) return 2;
    }
    for (int index = 0; index < 4; index++) printf("%g ", cache[index]);
    for (int index = 0; index < 4; index++) printf("%g ", ((float *)output.data)[index]);
    model_free(&output);
    model_close(&session);
    return 0;
}
"#;

#[test]
fn an_output_takes_the_place_of_an_input() {
    let text = "<ir_version: 11, opset_import: [\"\": 24]>
        g (float[1, 4] c, float[1, 1] u, int64[1] p) => (float[1, 4] y) { y = TensorScatter <axis = 1> (c, u, p) }";
    let model = write(&proto::parse_model(text).expect("it is valid"), "cache");
    let program = build(compiler(), &model, &[], CACHE, "link-cache");
    assert_eq!(text_of(&mut Command::new(program)), "9 9 3 4 9 9 9 4 ");
}

/// A model and its input as a file; doubles its input.
fn doubling(folder: &Path) -> (PathBuf, PathBuf) {
    let (model, input) = (folder.join("m.onnxtxt"), folder.join("x.npy"));
    let text = "<ir_version: 10, opset_import: [\"\": 18]> g (float[3] x) => (float[3] y) { y = Add (x, x) }";
    std::fs::write(&model, text).expect("the folder takes files");
    std::fs::write(&input, npy::floats(&[3], &[1.0, 2.0, 3.0])).expect("the folder takes files");
    (model, input)
}

/// A program for another target; `None` if this machine has no linker or no runtime for it.
fn foreign_program(model: &Path, arguments: &[&str], program: &Path) -> Option<()> {
    let mut command = Command::new(compiler());
    let made = command.arg(model).args(["--emit", "exe"]).args(arguments).arg("-o").arg(program).output();
    let made = made.expect("onnxc starts");
    let said = String::from_utf8_lossy(&made.stderr);
    if !made.status.success()
        && ["no linker was found", "was not found in the folder"].iter().any(|why| said.contains(why))
    {
        eprintln!("skipped: {said}");
        return None;
    }
    assert!(made.status.success(), "{said}");
    Some(())
}

#[test]
fn a_static_program_runs_in_an_empty_root() {
    let folder = scratch::folder("static");
    let (model, _) = doubling(&folder);
    let program = folder.join("program");
    let Some(()) = foreign_program(&model, &["--static"], &program) else { return };
    let bytes = std::fs::read(&program).expect("it was written");
    let file = object::File::parse(&*bytes).expect("a program");
    let is_dynamic = object::Object::dynamic_symbols(&file).any(|symbol| object::ObjectSymbol::is_undefined(&symbol));
    assert!(!is_dynamic, "it needs libraries");
    let sections = object::Object::sections(&file)
        .filter_map(|section| Some(object::ObjectSection::name(&section).ok()?.to_string()));
    let extra: Vec<String> = sections.filter(|name| name.starts_with(".debug") || name == ".symtab").collect();
    assert!(extra.is_empty(), "it runs without {extra:?}");
    assert!(bytes.len() < 900_000, "{} bytes, of which the model has a few hundred", bytes.len());
    let run = Command::new("chroot").arg(&folder).args(["/program", "x=/x.npy"]).output().expect("chroot starts");
    let said = String::from_utf8_lossy(&run.stderr);
    if said.contains("Operation not permitted") {
        return tests::skip(&said);
    }
    assert!(run.status.success(), "{said}");
    assert!(String::from_utf8_lossy(&run.stdout).contains('6'), "{}", String::from_utf8_lossy(&run.stdout));
}

#[test]
fn a_program_for_another_processor_runs() {
    let folder = scratch::folder("foreign");
    let (model, input) = doubling(&folder);
    for triple in ["aarch64-unknown-linux-musl", "aarch64-unknown-linux-gnu"] {
        let program = folder.join(triple);
        let options = ["--target", triple, "--static"];
        let options = if triple.ends_with("musl") { &options[..] } else { &options[..2] };
        let Some(()) = foreign_program(&model, options, &program) else { continue };
        let Ok(run) = Command::new("qemu-aarch64").arg(&program).arg(format!("x={}", input.display())).output() else {
            return tests::skip("qemu-aarch64 is missing");
        };
        let said = String::from_utf8_lossy(&run.stderr);
        if said.contains("ld-linux-aarch64") {
            // the C library of the target is not installed
            continue;
        }
        assert!(run.status.success(), "{triple}: {said}");
        assert!(String::from_utf8_lossy(&run.stdout).contains('6'), "{}", String::from_utf8_lossy(&run.stdout));
    }
}

/// A program finds the file of its weights in its folder, and refuses that of another model.
#[test]
fn weights_are_in_a_file_of_their_own() {
    let folder = scratch::folder("weights");
    let build = |name: &str, step: usize| {
        let numbers: Vec<String> = (0..64 * 32).map(|at| format!("{}", at * step % 7)).collect();
        let text = format!(
            r#"<ir_version: 10, opset_import: ["" : 17]>
g (float[n, 64] x) => (float[n, 32] y) <float[64, 32] w = {{{}}}> {{ y = MatMul(x, w) }}"#,
            numbers.join(", ")
        );
        let model = folder.join(name).with_extension("onnxtxt");
        std::fs::write(&model, text).expect("the folder takes files");
        let (program, weights) = (folder.join(name), folder.join(name).with_extension("weights"));
        run(Command::new(compiler())
            .arg(&model)
            .args(["--emit", "exe", "-o"])
            .arg(&program)
            .arg("--weights")
            .arg(&weights));
        run(Command::new(compiler())
            .arg(&model)
            .args(["--emit", "exe", "-o"])
            .arg(folder.join(format!("{name}-whole"))));
        program
    };
    let (one, other) = (build("one", 3), build("other", 5));
    let tensor =
        proto::TensorProto { data_type: 1, dims: vec![1, 64], float_data: vec![1.0; 64], ..Default::default() };
    let input = folder.join("x.pb");
    std::fs::write(&input, proto::Message::encode_to_vec(&tensor)).expect("the folder takes files");
    let text = |program: &Path| text_of(Command::new(program).arg(&input));
    assert_eq!(text(&one), text(&folder.join("one-whole")));
    assert_ne!(text(&one), text(&other));
    let bytes = std::fs::metadata(one.with_extension("weights")).expect("it was written").len();
    assert!((64 * 32 * 4..64 * 32 * 4 + 256).contains(&bytes), "{bytes}");
    let refused = || {
        let output = Command::new(&one).arg(&input).output().expect("it starts");
        assert_eq!(output.status.code(), Some(1));
        assert!(String::from_utf8_lossy(&output.stderr).contains("the file of weights cannot be read"));
    };
    std::fs::copy(other.with_extension("weights"), one.with_extension("weights")).expect("the folder takes files");
    refused();
    std::fs::remove_file(one.with_extension("weights")).expect("it exists");
    refused();
}
