//! Modules of WebAssembly, and packages of them for npm.

use std::path::Path;
use std::process::Command;

use codegen_llvm::Interface;
use commandline::{Drafts, Failure, cannot_write};
use dialects::rt::attributes::OUTPUT_BYTES;
use driver::{Arithmetic, Signature};
use ir::Module;
use serde_json::json;

use crate::arguments::Arguments;
use crate::package::of_signature;

/// The target of modules.
pub(crate) const TARGET: &str = "wasm32-unknown-unknown";

/// The feature of processors that may fuse multiply-adds.
pub(crate) const RELAXED: &str = "+relaxed-simd";

/// The names of LLVM's linker, and what else can be one.
const LINKERS: [&[&str]; 7] = [
    &["wasm-ld"],
    &["wasm-ld-22"],
    &["wasm-ld-21"],
    &["wasm-ld-20"],
    &["wasm-ld-19"],
    &["rust-lld", "-flavor", "wasm"],
    &["zig", "wasm-ld"],
];

/// Bytes of the stack; kernels keep tiles on it.
const STACK: u32 = 1 << 20;

/// Links an object to a module that imports nothing and exports the model's functions, its memory, and `__heap_base`, from
/// where on the memory is free.
pub(crate) fn link(object: &Path, target: &Path, exports: &[String]) -> Result<(), Failure> {
    let options = ["--no-entry", "--strip-all", "-O2", "--export=__heap_base"].map(str::to_string);
    let exports = exports.iter().map(|name| format!("--export={name}"));
    let arguments: Vec<String> =
        options.into_iter().chain(exports).chain(["-z".into(), format!("stack-size={STACK}")]).collect();
    let run = |program: &str, first: &[&str]| {
        Command::new(program).args(first).args(&arguments).arg(object).arg("-o").arg(target).output()
    };
    let given = std::env::var("WASM_LD").ok();
    let output = match &given {
        Some(program) => run(program, &[]).ok(),
        None => LINKERS.iter().find_map(|linker| run(linker[0], &linker[1..]).ok()),
    };
    let failed = |problem: &str| Failure::input(format!("linking a module of WebAssembly: {problem}"));
    let output = output.ok_or_else(|| match given {
        Some(program) => failed(&format!("{program}, which WASM_LD names, cannot be run")),
        None => failed("no linker was found; install lld or zig, or set WASM_LD to a wasm-ld"),
    })?;
    if output.status.success() { Ok(()) } else { Err(failed(&String::from_utf8_lossy(&output.stderr))) }
}

/// Writes the other files of a package: the JavaScript module, its types, and `package.json`.
pub(crate) fn write_package(
    arguments: &Arguments,
    interface: &Interface,
    signature: &Signature,
    module: &Module,
    drafts: &Drafts,
) -> Result<(), Failure> {
    let name = &interface.name;
    let mut described = of_signature(name, signature);
    described["messages"] = json!(interface.messages);
    // as pairs, because keys of objects that are numbers change their places
    described["dimensions"] = json!(arguments.bounds().into_iter().collect::<Vec<_>>());
    described["outputBytes"] = json!(*module.attributes.integers(OUTPUT_BYTES).unwrap_or_default());
    let is_relaxed = arguments.arithmetic() != Arithmetic::Fixed;
    let script = include_str!("web/index.mjs")
        .replace("@SIGNATURE@", &described.to_string())
        .replace("@RELAXED@", &is_relaxed.to_string())
        .replace("@NAME@", name);
    let modules =
        [format!("{name}.wasm"), format!("{name}.relaxed.wasm")].into_iter().take(1 + usize::from(is_relaxed));
    let files: Vec<String> = ["index.mjs", "index.d.ts"].map(str::to_string).into_iter().chain(modules).collect();
    // the conditions of exports are tried in their order, which a map does not keep
    let package =
        include_str!("web/package.json").replace("@NAME@", name).replace("@FILES@", &json!(files).to_string());
    let folder = &arguments.output;
    std::fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
    for (file, text) in
        [("index.mjs", script), ("index.d.ts", include_str!("web/index.d.ts").to_string()), ("package.json", package)]
    {
        drafts.file(&folder.join(file))?.write(text.as_bytes())?;
    }
    Ok(())
}
