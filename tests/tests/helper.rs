//! `onnxc` as the helper process of programs for this machine's processor and for another one.

use std::path::Path;
use std::process::{Command, Stdio};

use object::{Architecture, Object};

use driver::{read_framed, write_framed};
use engine::worker::conventions;
use tests::worker::onnxc;

const MODULE: &str = r#"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: f32):
    %y = "arith.addf"(%x, %x) : (f32, f32) -> f32
    "func.return"(%y) : (f32) -> ()
  }) {sym_name = "twice", function_type = (f32) -> f32} : () -> ()
}) : () -> ()
"#;

fn helper(role: &str, target: &str) -> Command {
    let mut command = Command::new(onnxc(Path::new(env!("CARGO_BIN_EXE_models"))));
    command.args([role, "--target", target, "--conventions", &conventions()]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

#[test]
fn a_worker_compiles_for_the_program_that_starts_it() {
    let own = if cfg!(target_arch = "aarch64") { Architecture::Aarch64 } else { Architecture::X86_64 };
    let here = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    let others =
        [("aarch64-unknown-linux-gnu", Architecture::Aarch64), ("x86_64-unknown-linux-gnu", Architecture::X86_64)];
    for (target, architecture) in others.into_iter().chain([(&*here, own)]) {
        let mut process = helper("--worker", target).spawn().expect("onnxc starts");
        write_framed(process.stdin.as_mut().expect("piped"), MODULE.as_bytes()).expect("it reads");
        let bytes = read_framed(process.stdout.as_mut().expect("piped")).expect("it writes").expect("an object");
        assert_eq!(object::File::parse(&*bytes).expect("an object").architecture(), architecture, "{target}");
        drop(process.stdin.take());
        assert!(process.wait().is_ok_and(|status| status.success()));
    }
}

#[test]
fn whole_models_are_compiled_for_its_own_processor_only() {
    let output = helper("--successor", "riscv64gc-unknown-linux-gnu").output().expect("onnxc starts");
    assert_eq!(output.status.code(), Some(3));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("the target of the program that starts it, riscv64gc-unknown-linux-gnu"), "{said}");
}
