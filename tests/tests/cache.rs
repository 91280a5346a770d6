//! The cache of compiled models: its results are those of a compilation, whatever happens to its folder.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use driver::{Backend, Cache, CompiledModel, Compiler, Options, Session, Tensor};
use proto::Message;
use tests::worker::onnxc;

/// Weights in the file, packed weights, and folded constants.
const MODEL: &str = "
    <ir_version: 10, opset_import: [\"\": 18]>
    g (float[N, 40] x) => (float[N, 24] y)
    <float[40, 24] w = {MATRIX}, float[24] b = {BIAS}>
    {
        two = Constant <value_float = SCALE> ()
        c = Mul (b, two)
        m = MatMul (x, w)
        s = Add (m, c)
        y = Softmax (s)
    }
";

/// The folder of a test: a model and a cache.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Scratch {
        let path = std::env::temp_dir().join(format!("onnx-cache-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).expect("the temporary folder takes folders");
        let scratch = Scratch(path);
        scratch.write_model("2.0");
        scratch
    }

    /// Writes the model, and waits until its file is old enough to be cached.
    fn write_model(&self, scale: &str) {
        let numbers = |count: usize| {
            let texts: Vec<String> =
                (0..count).map(|at| format!("{:?}", (at * 37 % 101) as f32 / 64.0 - 0.75)).collect();
            texts.join(", ")
        };
        let text = MODEL.replace("MATRIX", &numbers(40 * 24)).replace("BIAS", &numbers(24)).replace("SCALE", scale);
        let mut model = proto::parse_model(&text).unwrap_or_else(|error| panic!("{error:?}"));
        // raw bytes, because those are mapped
        for tensor in model.graph.iter_mut().flat_map(|graph| &mut graph.initializer) {
            let bytes: Vec<u8> = tensor.float_data.iter().flat_map(|number| number.to_le_bytes()).collect();
            (tensor.float_data, tensor.raw_data) = (vec![], Some(bytes.into()));
        }
        std::fs::write(self.model(), model.encode_to_vec()).expect("it is the test's own");
        std::thread::sleep(Duration::from_millis(150));
    }

    fn model(&self) -> PathBuf {
        self.0.join("model.onnx")
    }

    fn cache(&self) -> PathBuf {
        self.0.join("cache")
    }

    fn options(&self) -> Options {
        Options { cache: Some(Cache::at(self.cache())), backend: Backend::Cranelift, ..Options::default() }
    }

    fn compile(&self, options: Options) -> Arc<CompiledModel> {
        let compiled =
            Compiler::new(options).compile_file(&self.model()).unwrap_or_else(|errors| panic!("{}", errors[0]));
        compiled.finish_cache_write().expect("a failed cache write is not an error");
        Arc::new(compiled)
    }

    /// The cached files of models.
    fn entries(&self) -> Vec<PathBuf> {
        let files = self.cache().read_dir().expect("it was made").map(|entry| entry.expect("it can be read").path());
        files.filter(|path| !path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("hash-"))).collect()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn run(model: &Arc<CompiledModel>) -> Vec<u8> {
    let x: Vec<f32> = (0..3 * 40).map(|at| (at % 13) as f32 / 7.0 - 0.8).collect();
    let x = Tensor::from_f32(&[3, 40], &x).expect("the number of values matches the shape");
    let outputs = Session::new(model.clone()).run(&[x]).unwrap_or_else(|errors| panic!("{}", errors[0]));
    outputs[0].data.bytes().to_vec()
}

fn was_found(model: &CompiledModel) -> bool {
    !model.timings.0.iter().any(|(stage, _)| *stage == "import")
}

#[test]
fn what_is_found_is_what_was_kept() {
    let scratch = Scratch::new("found");
    let first = scratch.compile(scratch.options());
    let expected = run(&first);
    assert!(!was_found(&first) && scratch.entries().len() == 1);
    let second = scratch.compile(scratch.options());
    assert!(was_found(&second));
    assert_eq!(run(&second), expected);
    assert_eq!(format!("{:?}", second.signature), format!("{:?}", first.signature));
    // optimised code replaces the baseline code
    second.settle().expect("it is compiled again");
    assert_eq!(run(&second), expected);
    let third = scratch.compile(scratch.options());
    assert!(was_found(&third) && scratch.entries().len() == 1);
    assert_eq!(run(&third), expected);
}

#[test]
fn models_in_memory_are_cached_by_their_bytes() {
    let scratch = Scratch::new("memory");
    let compile = || {
        let bytes = std::fs::read(scratch.model()).expect("it was written");
        // shape inference names the extents of outputs, whatever the model states
        let compiler = Compiler::new(Options { ties: true, ..scratch.options() });
        let compiled = compiler.compile_bytes(driver::Blob::copy_of(&bytes));
        let compiled = compiled.unwrap_or_else(|errors| panic!("{}", errors[0]));
        compiled.finish_cache_write().expect("a failed cache write is not an error");
        Arc::new(compiled)
    };
    let first = compile();
    let expected = run(&first);
    assert!(!was_found(&first) && scratch.entries().len() == 1);
    let second = compile();
    assert!(was_found(&second) && run(&second) == expected);
    assert_eq!(second.signature.outputs[0].shape, [driver::Extent::Named("N".into()), driver::Extent::Fixed(24)]);
    second.settle().expect("it is compiled again");
    assert_eq!(run(&second), expected);
    scratch.write_model("3.0");
    let other = compile();
    assert!(!was_found(&other) && run(&other) != expected);
}

#[test]
fn weights_stay_in_the_file_of_the_model() {
    let scratch = Scratch::new("weights");
    scratch.compile(scratch.options());
    let model = std::fs::read(scratch.model()).expect("it was written");
    let model = proto::Model::from_bytes(&model).unwrap_or_else(|error| panic!("{error}"));
    let graph = model.proto.graph.as_ref().expect("it has one");
    let weights = graph.initializer[0].raw_data.as_ref().expect("they are bytes");
    let entries = scratch.entries();
    let entry = std::fs::read(&entries[0]).expect("it was written");
    assert!(!entry.windows(weights.len()).any(|bytes| bytes == &weights[..]));
}

#[test]
fn other_models_and_other_options_are_others() {
    let scratch = Scratch::new("others");
    let expected = run(&scratch.compile(scratch.options()));
    let fixed = Options { arithmetic: driver::Arithmetic::Fixed, ..scratch.options() };
    assert!(!was_found(&scratch.compile(fixed)) && scratch.entries().len() == 2);
    assert!(!was_found(&scratch.compile(Options { cache: None, ..scratch.options() })));
    scratch.write_model("3.0");
    let other = scratch.compile(scratch.options());
    assert!(!was_found(&other) && run(&other) != expected);
    scratch.write_model("2.0");
    let again = scratch.compile(scratch.options());
    assert!(was_found(&again) && run(&again) == expected);
}

#[test]
fn damaged_entries_are_replaced() {
    let scratch = Scratch::new("damaged");
    let expected = run(&scratch.compile(scratch.options()));
    let path = scratch.entries().remove(0);
    let bytes = std::fs::read(&path).expect("it was written");
    for damaged in [bytes[..bytes.len() / 2].to_vec(), vec![], [&bytes[..200], b"x", &bytes[201..]].concat()] {
        std::fs::write(&path, damaged).expect("it is the test's own");
        let compiled = scratch.compile(scratch.options());
        assert!(!was_found(&compiled) && run(&compiled) == expected);
        assert!(std::fs::read(&path).is_ok_and(|again| again == bytes));
    }
}

#[test]
fn a_folder_that_cannot_be_used_is_no_error() {
    use std::os::unix::fs::PermissionsExt;
    let scratch = Scratch::new("unusable");
    let set = |mode| std::fs::set_permissions(scratch.cache(), PermissionsExt::from_mode(mode)).expect("own");
    let expected = run(&scratch.compile(scratch.options()));
    // others may list it
    set(0o755);
    assert!(!was_found(&scratch.compile(scratch.options())));
    // existing entries are still found
    set(0o500);
    let found = scratch.compile(scratch.options());
    assert!(was_found(&found) && run(&found) == expected);
    set(0o700);
    let nowhere = Options { cache: Some(Cache::at(scratch.model().join("below"))), ..scratch.options() };
    assert_eq!(run(&scratch.compile(nowhere)), expected);
}

#[test]
fn another_process_makes_llvms_code() {
    let scratch = Scratch::new("successor");
    let onnx_run = onnxc(Path::new(env!("CARGO_BIN_EXE_models"))).with_file_name("onnx-run");
    let settle = |arguments: &[&str]| {
        let mut command = Command::new(&onnx_run);
        command.arg(scratch.model()).args(["--random", "--dim", "N=3", "--bench", "--runs", "2"]).args(arguments);
        let output = command.output().expect("it starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    settle(&["--no-cache"]);
    assert!(!scratch.cache().exists());
    settle(&["--cache", scratch.cache().to_str().expect("it is text")]);
    let entries = scratch.entries();
    let mut kinds: Vec<_> = entries.iter().filter_map(|path| path.file_name()?.to_str()?.split('-').next()).collect();
    kinds.sort();
    assert_eq!(kinds, ["cranelift", "llvm"]);
}

#[test]
fn fifty_processes_share_a_folder() {
    let scratch = Scratch::new("processes");
    let onnx_run = onnxc(Path::new(env!("CARGO_BIN_EXE_models"))).with_file_name("onnx-run");
    let command = |more: &[&str]| {
        let mut command = Command::new(&onnx_run);
        command.arg(scratch.model()).args(["--random", "--timings", "--cache"]).arg(scratch.cache()).args(more);
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        command
    };
    let texts = |output: std::process::Output| {
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).expect("text"))
    };
    let children: Vec<_> = (0..50).map(|_| command(&[]).spawn().expect("it starts")).collect();
    let outputs: Vec<String> = children
        .into_iter()
        .map(|child| texts(child.wait_with_output().expect("it ends")).into_iter().next().expect("two"))
        .collect();
    let [found, timings] = texts(command(&[]).output().expect("it starts"));
    assert!(outputs.iter().all(|output| *output == found), "{outputs:?}");
    assert!(timings.contains("cache ") && !timings.contains("import "), "{timings}");
    assert_eq!(scratch.entries().len(), 1);
    // LLVM's code has a separate entry, which is preferred if the back end is not chosen
    let [llvm, _] = texts(command(&["--backend", "llvm"]).output().expect("it starts"));
    let [open, timings] = texts(command(&[]).output().expect("it starts"));
    assert!(open == llvm && !timings.contains("import ") && scratch.entries().len() == 2, "{timings}");
    // the user's folder is not changed
    let mut without = Command::new(&onnx_run);
    without.arg(scratch.model()).args(["--random", "--no-cache"]).env("XDG_CACHE_HOME", scratch.0.join("home"));
    texts(without.output().expect("it starts"));
    assert!(!scratch.0.join("home").exists());
}
