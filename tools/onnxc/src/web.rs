//! Modules of WebAssembly, and packages of them for npm.

mod data;

use std::path::Path;
use std::process::Command;

use codegen_llvm::Interface;
use commandline::{Drafts, Failure, cannot_write};
use dialects::rt::attributes::OUTPUT_BYTES;
use driver::{ErrorClass, Signature, type_name};
use ir::{Module, Type};
use serde_json::json;

use crate::arguments::Arguments;
use crate::linker::program_in;
use crate::package::of_signature;
use data::separate;

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
    let given = program_in("WASM_LD");
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

/// Refuses tensors whose elements no array of JavaScript has.
pub(crate) fn check_types(signature: &Signature) -> Result<(), Failure> {
    let is_in_array = |element: &Type| match element {
        Type::Complex(_) => false,
        element => element.bit_width().is_some_and(|bits| bits == 1 || bits >= 8),
    };
    match signature.inputs.iter().chain(&signature.outputs).find(|port| !is_in_array(&port.element)) {
        None => Ok(()),
        Some(port) => {
            let what = type_name(&port.element);
            let message =
                format!("'{}': JavaScript has no arrays of {what}, but --emit wasm makes a module", port.name);
            Err(Failure::new(ErrorClass::Unsupported, message))
        }
    }
}

/// The least bytes of data that are worth a separate file.
const LEAST_DATA: usize = 1 << 16;

/// The modules of a package, and their data if that is in a file.
struct Modules {
    plain: Vec<u8>,
    /// With fused multiply-adds; empty if there is none.
    relaxed: Vec<u8>,
    /// The addresses and the lengths of the data in the file.
    places: Vec<[usize; 2]>,
    data: Vec<u8>,
}

impl Modules {
    /// Separates data that the modules have in common. The memory has it once, and not once more in a compiled module.
    fn of([plain, relaxed]: [Vec<u8>; 2]) -> Result<Modules, Failure> {
        let damaged = |error| Failure::new(ErrorClass::Internal, format!("the linker's module is damaged: {error}"));
        let of = |module: &[u8]| separate(module).map_err(damaged);
        let whole = |plain, relaxed| Modules { plain, relaxed, places: vec![], data: vec![] };
        let Some(first) = of(&plain)? else { return Ok(whole(plain, relaxed)) };
        let second = if relaxed.is_empty() { None } else { of(&relaxed)? };
        let is_common = relaxed.is_empty() || second.as_ref().is_some_and(|second| second.data == first.data);
        let data: Vec<u8> = first.data.iter().flat_map(|(_, bytes)| bytes).copied().collect();
        if !is_common || data.len() < LEAST_DATA {
            return Ok(whole(plain, relaxed));
        }
        let places = first.data.iter().map(|(address, bytes)| [*address as usize, bytes.len()]).collect();
        let relaxed = second.map(|second| second.module).unwrap_or_default();
        Ok(Modules { plain: first.module, relaxed, places, data })
    }
}

/// Writes the files of a package: modules, their data, the JavaScript module, its types, and `package.json`. `modules` are the one for
/// every page and the one with fused multiply-adds, which may be empty.
pub(crate) fn write_package(
    arguments: &Arguments,
    interface: &Interface,
    signature: &Signature,
    module: &Module,
    modules: [Vec<u8>; 2],
    drafts: &Drafts,
) -> Result<(), Failure> {
    let name = &interface.name;
    let Modules { plain, relaxed, places, data } = Modules::of(modules)?;
    let mut described = of_signature(name, signature);
    described["messages"] = json!(interface.messages);
    // as pairs, because keys of objects that are numbers change their places
    described["dimensions"] = json!(arguments.bounds().into_iter().collect::<Vec<_>>());
    described["outputBytes"] = json!(*module.attributes.integers(OUTPUT_BYTES).unwrap_or_default());
    described["data"] = json!(places);
    let script = include_str!("web/index.mjs")
        .replace("@SIGNATURE@", &described.to_string())
        .replace("@RELAXED@", &(!relaxed.is_empty()).to_string())
        .replace("@NAME@", name);
    let binaries = [(".wasm", plain), (".relaxed.wasm", relaxed), (".data", data)];
    let binaries = binaries.into_iter().filter(|(_, bytes)| !bytes.is_empty());
    let binaries: Vec<(String, Vec<u8>)> = binaries.map(|(end, bytes)| (format!("{name}{end}"), bytes)).collect();
    let files = ["index.mjs", "index.d.ts"].into_iter().chain(binaries.iter().map(|(file, _)| &**file));
    let files = json!(files.collect::<Vec<_>>()).to_string();
    // the conditions of exports are tried in their order, which a map does not keep
    let package = include_str!("web/package.json").replace("@NAME@", name).replace("@FILES@", &files);
    let texts =
        [("index.mjs", script), ("index.d.ts", include_str!("web/index.d.ts").to_string()), ("package.json", package)];
    let folder = &arguments.output;
    std::fs::create_dir_all(folder).map_err(|error| cannot_write(folder, &error))?;
    let texts = texts.into_iter().map(|(file, text)| (file.to_string(), text.into_bytes()));
    texts.chain(binaries).try_for_each(|(file, bytes)| drafts.file(&folder.join(file))?.write(&bytes))
}
