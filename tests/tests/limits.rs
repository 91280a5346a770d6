//! Models that need too much memory or time: each of `tests/limits` ends with a result or an error, in time, in a
//! process with a limited address space, and so do input files that state more data than they contain.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use tests::conformance::repository;
use tests::scratch;
use tests::worker::onnxc;

/// The limit of the address space in kilobytes.
const SPACE: u64 = 4 << 20;
/// The time limit of a model, for a development build on a busy machine.
const TIME: Duration = Duration::from_secs(60);

fn tool(name: &str) -> PathBuf {
    onnxc(Path::new(env!("CARGO_BIN_EXE_models"))).with_file_name(name)
}

/// Runs a command line, in which `$TOOL` is a tool, within the limits.
fn run(tool: &Path, line: &str, folder: &Path) -> Output {
    let mut command = Command::new("bash");
    command.args(["-c", &format!("ulimit -v {SPACE}; exec timeout {} {line}", TIME.as_secs())]);
    command.env("TOOL", tool).env("RUST_BACKTRACE", "0").current_dir(folder).output().expect("there is bash")
}

fn ends_well(output: &Output) -> Result<(), String> {
    let said = String::from_utf8_lossy(&output.stderr);
    match (output.status.code(), output.status.signal()) {
        (Some(0), _) => Ok(()),
        (Some(1 | 3), _) if said.lines().any(|line| line.starts_with("error: ")) => Ok(()),
        status => Err(format!("{status:?}: {said}")),
    }
}

#[test]
fn models_ask_before_they_take() {
    let tool = tool("onnx-run");
    let folder = repository().join("tests/limits");
    let mut models: Vec<PathBuf> =
        folder.read_dir().expect("it is there").flatten().map(|entry| entry.path()).collect();
    models.sort();
    let mut problems = Vec::new();
    for model in models {
        for backend in ["cranelift", "llvm"] {
            let begin = Instant::now();
            let line = format!("\"$TOOL\" {} --random --no-cache --backend {backend}", model.display());
            let found = ends_well(&run(&tool, &line, &folder));
            let found = found.map_err(|problem| format!("{} on {backend}: {problem}", model.display()));
            problems.extend(found.err());
            assert!(begin.elapsed() < TIME, "{} takes too long", model.display());
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}

#[test]
fn a_file_that_is_cut_short_while_it_is_mapped_is_an_error() {
    let folder = scratch::folder("limits-cut");
    let text = "<ir_version: 10, opset_import: [\"\": 21]>
        g (float[4] x) => (float[4000000] y) <float[4000000] w = [\"location\": \"w.bin\"], int64[1] s = {4000000}> {
          z = Slice (x, s, s) t = ReduceSum (x) y = Add (w, t)
        }";
    std::fs::write(folder.join("m.onnxtxt"), text).expect("the folder takes files");
    let data = folder.join("w.bin");
    std::fs::write(&data, vec![0u8; 16_000_000]).expect("the folder takes files");
    let program = tool("onnx-run");
    let mut child = Command::new(program)
        .args(["m.onnxtxt", "--random", "--bench", "--runs", "1000000", "--no-cache", "--backend", "cranelift"])
        .current_dir(&folder)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("it starts");
    std::thread::sleep(Duration::from_millis(2000));
    std::fs::File::options().write(true).open(&data).and_then(|file| file.set_len(0)).expect("it can be cut");
    let deadline = Instant::now() + TIME;
    while child.try_wait().expect("it is ours").is_none() {
        if Instant::now() > deadline {
            child.kill().expect("it is ours");
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    let output = child.wait_with_output().expect("it has ended");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.code() == Some(1) && said.contains("cut short"), "{:?}: {said}", output.status);
}
