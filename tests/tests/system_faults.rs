//! Faults of the system: no thread starts, the disk is full, a model's file is replaced, signals interrupt calls.
//! Runs give their results or an error, and nothing partial is left.

#![allow(unsafe_code, reason = "timers and signal handlers have no safe interface")]

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use driver::{Cache, CompiledModel, Compiler, Options, Session, Tensor};
use tests::scratch;
use tests::worker::onnxc;

const MODEL: &str = r#"<ir_version: 10, opset_import: ["": 21]>
g (float[N,64] x) => (float[N,64] y) <float[64] w = {WEIGHTS}> {
    shape = Constant <value_ints = [64, 64]> ()
    m = ConstantOfShape <value = float[1] {0.25}> (shape)
    s = Mul (x, w)
    e = Exp (s)
    t = MatMul (e, m)
    z = Add (t, e)
    y = Softmax (z)
}"#;

/// More than a process may address.
const STACK: &str = "140737488355328";

fn tool(name: &str) -> PathBuf {
    onnxc(Path::new(env!("CARGO_BIN_EXE_models"))).with_file_name(name)
}

/// A folder with the model, whose weights are all `weight`.
fn folder(name: &str, weight: f32) -> PathBuf {
    let folder = scratch::folder(name);
    std::fs::write(folder.join("m.onnxtxt"), text(weight)).expect("the folder takes files");
    folder
}

fn text(weight: f32) -> String {
    MODEL.replace("WEIGHTS", &vec![weight.to_string(); 64].join(", "))
}

fn compiled(path: &Path, options: Options) -> Arc<CompiledModel> {
    let model = Compiler::new(Options { threads: 2, workers: 2, ..options }).compile_file(path);
    Arc::new(model.unwrap_or_else(|errors| panic!("{}", errors[0])))
}

fn run(session: &mut Session) -> Vec<f64> {
    let numbers: Vec<f32> = (0..64 * 500).map(|at| (at % 23) as f32 / 23.0).collect();
    let x = Tensor::from_f32(&[500, 64], &numbers).expect("it has that size");
    let outputs = session.run(&[x]).unwrap_or_else(|errors| panic!("{}", errors[0]));
    outputs[0].to_f64().expect("numbers")
}

fn said(output: &Output) -> String {
    format!("{:?}: {}", output.status, String::from_utf8_lossy(&output.stderr))
}

#[test]
fn runs_need_no_second_thread() {
    let folder = folder("faults-threads", 0.5);
    let mut found = Vec::new();
    for stack in ["", STACK] {
        for backend in ["cranelift", "llvm"] {
            let mut command = Command::new(tool("onnx-run"));
            command.args(["m.onnxtxt", "--random", "--hash", "--no-cache", "--threads", "2", "--dim", "N=500"]);
            // a thread whose stack is larger than the address space does not start
            if !stack.is_empty() {
                command.env("RUST_MIN_STACK", stack);
            }
            let output = command.args(["--backend", backend]).current_dir(&folder).output().expect("it starts");
            assert!(output.status.success(), "{backend}: {}", said(&output));
            found.push(output.stdout);
        }
    }
    assert_eq!(found[..2], found[2..], "the number of threads does not change a bit");
    let mut command = Command::new(tool("onnxc"));
    command.args(["m.onnxtxt", "--emit", "obj", "-o", "m.o"]).env("RUST_MIN_STACK", STACK);
    let output = command.current_dir(&folder).output().expect("it starts");
    assert!(output.status.success() && folder.join("m.o").exists(), "{}", said(&output));
}

#[test]
fn nothing_partial_is_left_on_a_full_disk() {
    let folder = folder("faults-disk", 0.5);
    // no file may have more than 512 bytes, and there is no signal for that
    let limited = |line: &str| {
        let mut command = Command::new("bash");
        command.args(["-c", &format!("trap '' XFSZ; ulimit -f 1; {line}")]);
        command.env("RUN", tool("onnx-run")).env("ONNXC", tool("onnxc")).current_dir(&folder).stdin(Stdio::null());
        command.output().expect("there is bash")
    };
    let cached = limited("\"$RUN\" m.onnxtxt --random --dim N=3 --cache cache");
    assert!(cached.status.success(), "a cache that cannot be written is not an error: {}", said(&cached));
    let entries = folder.join("cache").read_dir().map_or(0, |entries| {
        entries.flatten().filter(|entry| !entry.file_name().to_string_lossy().starts_with("hash-")).count()
    });
    assert_eq!(entries, 0, "no partial entry exists");
    for (line, file) in [
        ("\"$RUN\" m.onnxtxt --random --dim N=300 --no-cache --save y.npy", "y.npy"),
        ("\"$ONNXC\" m.onnxtxt --emit obj -o m.o", "m.o"),
    ] {
        let output = limited(line);
        assert_eq!(output.status.code(), Some(1), "{line}: {}", said(&output));
        // LLVM writes objects, and its own message
        let has_message = String::from_utf8_lossy(&output.stderr).to_lowercase().contains("error: ");
        assert!(has_message, "{line}: {}", said(&output));
        assert!(!folder.join(file).exists(), "{line} leaves {file}");
    }
    let left: Vec<_> = folder.read_dir().expect("it is there").flatten().map(|entry| entry.file_name()).collect();
    assert!(left.len() <= 2, "only the model and the cache's folder are left: {left:?}");
}

#[test]
fn a_model_whose_file_is_replaced_stays_what_it_was() {
    let folder = folder("faults-replaced", 0.5);
    let (path, other) = (folder.join("m.onnxtxt"), folder.join("other"));
    let cache = || Options { cache: Some(Cache::at(folder.join("cache"))), ..Options::default() };
    let mut session = Session::new(compiled(&path, cache()));
    let before = run(&mut session);
    std::fs::write(&other, text(0.75)).expect("the folder takes files");
    std::fs::rename(&other, &path).expect("it can be replaced");
    assert_eq!(run(&mut session), before);
    let new = run(&mut Session::new(compiled(&path, cache())));
    assert_ne!(new, before, "the new file is another model");
    assert_eq!(run(&mut Session::new(compiled(&path, Options::default()))), new);
}

/// The number of signals that were handled.
static HANDLED: AtomicUsize = AtomicUsize::new(0);

extern "C" fn count_signal(_: libc::c_int) {
    HANDLED.fetch_add(1, Ordering::Relaxed);
}

/// Interrupts the threads of this process every millisecond while `work` runs; calls are not restarted.
fn interrupted<T>(work: impl FnOnce() -> T) -> T {
    let every = |microseconds| {
        let interval = libc::timeval { tv_sec: 0, tv_usec: microseconds };
        let timer = libc::itimerval { it_interval: interval, it_value: interval };
        // SAFETY: the timer is a valid structure, and the old one is not asked for.
        unsafe { libc::setitimer(libc::ITIMER_REAL, &raw const timer, std::ptr::null_mut()) };
    };
    // SAFETY: all bits zero is a valid structure, and the handler only changes an atomic.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = count_signal as *const () as usize;
        libc::sigaction(libc::SIGALRM, &raw const action, std::ptr::null_mut());
    }
    every(1000);
    let result = work();
    every(0);
    result
}

#[test]
fn signals_do_not_disturb_compilations_and_runs() {
    let folder = folder("faults-signals", 0.5);
    let path = folder.join("m.onnxtxt");
    for backend in [driver::Backend::Cranelift, driver::Backend::Llvm] {
        let helper = Some(tool("onnxc"));
        let options = Options { backend, helper, ..Options::default() };
        let quiet = run(&mut Session::new(compiled(&path, options.clone())));
        let disturbed = interrupted(|| run(&mut Session::new(compiled(&path, options))));
        assert_eq!(disturbed, quiet, "{backend:?}");
    }
    assert!(HANDLED.load(Ordering::Relaxed) > 0);
}
