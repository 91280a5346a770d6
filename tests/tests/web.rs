//! A package for npm: its JavaScript module runs the model in Node.js.

use std::path::{Path, PathBuf};
use std::process::Command;

use tests::scratch;
use tests::worker::onnxc;

/// An integer that is one too large ends the run with a message.
const MODEL: &str = r#"<ir_version: 10, opset_import: ["": 21]>
g (float[2,3] x, int64[2] rows) => (float[2,4] y, int64[2] twice) <float[3,4] w = {1,0,0,1, 0,1,0,1, 0,0,1,1}> {
    picked = Gather (x, rows)
    y = MatMul (picked, w)
    twice = Add (rows, rows)
}"#;

const SCRIPT: &str = r#"
import { InferenceSession, Tensor } from './net/index.mjs';
const session = await InferenceSession.create();
const feeds = (rows) => ({ x: new Tensor('float32', [1, 2, 3, 4, 5, 6], [2, 3]), rows: new Tensor('int64', rows) });
console.log(session.inputNames.join(), session.outputNames.join());
for (const rows of [[1n, 0n], [0n, -1n]]) {
    const { y, twice } = await session.run(feeds(rows));
    console.log(y.type, y.dims.join('x'), y.data.join(), twice.data.join());
}
console.log(Object.keys(await session.run(feeds([0n, 0n]), ['twice'])).join());
const refused = async (run) => run().then(() => 'fine', (error) => error.message);
console.log(await refused(() => session.run(feeds([0n, 2n]))));
console.log(await refused(() => session.run({})));
console.log(await refused(() => session.run({ ...feeds([0n, 0n]), x: new Tensor('float32', [1], [1]) })));
"#;

const PRINTED: &str = "\
x,rows y,twice
float32 2x4 4,5,6,15,1,2,3,6 2,0
float32 2x4 1,2,3,6,4,5,6,15 0,-2
twice
Gather_0: Gather: an index of Gather is out of bounds
input 'x' is missing
input 'x' has shape [1], not [2,3]
";

/// The linker of the Rust toolchain, which every machine that runs these tests has.
fn linker() -> PathBuf {
    let printed = Command::new("rustc").args(["--print", "sysroot"]).output().expect("rustc is on the path");
    let sysroot = String::from_utf8(printed.stdout).expect("a path");
    let host = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
    Path::new(sysroot.trim()).join("lib/rustlib").join(host).join("bin/gcc-ld/wasm-ld")
}

#[test]
fn a_package_runs_in_node() {
    let program = std::env::current_exe().expect("a test is a program");
    let sibling = program.parent().and_then(Path::parent).expect("it is in deps").join("onnxc");
    let folder = scratch::folder("web");
    let model = folder.join("model.onnxtxt");
    std::fs::write(&model, MODEL).expect("the folder can be written");
    let package = |name: &str, options: &[&str]| {
        let mut command = Command::new(onnxc(&sibling));
        command.arg(&model).args(["--emit", "npm", "--name", "net"]).args(options).arg("-o").arg(folder.join(name));
        let made = command.env("WASM_LD", linker()).output().expect("onnxc starts");
        assert!(made.status.success(), "{}", String::from_utf8_lossy(&made.stderr));
        let bytes = |file: &str| std::fs::read(folder.join(name).join(file)).ok();
        (bytes("net.wasm"), bytes("net.relaxed.wasm"))
    };
    let (plain, relaxed) = package("net", &[]);
    assert!(plain.is_some() && relaxed.is_some() && plain != relaxed, "the second module fuses multiply-adds");
    let described = std::fs::read_to_string(folder.join("net/package.json")).expect("it was written");
    let at = |condition: &str| described.find(condition).unwrap_or_else(|| panic!("{condition}: {described}"));
    assert!(at("\"types\":") < at("\"default\":"), "TypeScript takes the first condition that it knows");
    let parsed: serde_json::Value = serde_json::from_str(&described).expect("JSON");
    assert_eq!(parsed["files"].as_array().map(Vec::len), Some(4));
    let (fixed, relaxed) = package("fixed", &["--fixed-fp"]);
    assert!(fixed.is_some() && relaxed.is_none(), "its results are those of other processors");
    std::fs::write(folder.join("run.mjs"), SCRIPT).expect("the folder can be written");
    let Ok(run) = Command::new("node").arg(folder.join("run.mjs")).output() else {
        return tests::skip("node is missing");
    };
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    assert_eq!(String::from_utf8_lossy(&run.stdout), PRINTED);
}
