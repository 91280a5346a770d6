//! Fork after use. The only test of its process: a thread of another one might hold a lock when it forks.

#![allow(unsafe_code, reason = "fork has no safe interface")]

use std::path::Path;
use std::sync::Arc;

use driver::{Compiler, Options, Session, Tensor};
use tests::scratch;

const MODEL: &str = r#"<ir_version: 10, opset_import: ["": 21]>
g (float[N,64] x) => (float[N,64] y) {
    shape = Constant <value_ints = [64, 64]> ()
    m = ConstantOfShape <value = float[1] {0.25}> (shape)
    e = Exp (x)
    t = MatMul (e, m)
    y = Softmax (t)
}"#;

fn session(path: &Path) -> Session {
    let options = Options { threads: 2, workers: 2, ..Options::default() };
    let model = Compiler::new(options).compile_file(path);
    Session::new(Arc::new(model.unwrap_or_else(|errors| panic!("{}", errors[0]))))
}

fn run(session: &mut Session) -> Vec<f64> {
    let numbers: Vec<f32> = (0..64 * 500).map(|at| (at % 23) as f32 / 23.0).collect();
    let x = Tensor::from_f32(&[500, 64], &numbers).expect("it has that size");
    let outputs = session.run(&[x]).unwrap_or_else(|errors| panic!("{}", errors[0]));
    outputs[0].to_f64().expect("numbers")
}

/// A child of a process whose threads have compiled and run, and which has none of them, compiles and runs.
#[test]
fn a_forked_process_compiles_and_runs() {
    let path = scratch::folder("fork").join("m.onnxtxt");
    std::fs::write(&path, MODEL).expect("the folder takes files");
    let mut used = session(&path);
    let expected = run(&mut used);
    used.model().settle().expect("it compiles");
    // SAFETY: the child only runs code of this project and of the standard library, and ends without destructors.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: a child that hangs is ended by a signal.
        unsafe { libc::alarm(60) };
        let again = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let old = run(&mut used) == expected;
            let new = run(&mut session(&path)) == expected;
            (old, new)
        }));
        let code = match again {
            Ok((true, true)) => 0,
            Ok((false, _)) => 2,
            Ok((_, false)) => 3,
            Err(_) => 4,
        };
        // SAFETY: ends the child at once.
        unsafe { libc::_exit(code) };
    }
    let mut status = 0;
    // SAFETY: the child is ours, and the status is writable.
    unsafe { libc::waitpid(child, &raw mut status, 0) };
    assert!(libc::WIFEXITED(status), "the child was ended by signal {}", libc::WTERMSIG(status));
    assert_eq!(libc::WEXITSTATUS(status), 0);
}
