//! What each fuzz target does with its bytes: it panics if the code under test is wrong.
//!
//! The same functions run on the checked-in corpora in `tests/tests/fuzzed.rs`.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use data::Blob;
use ir::pass::{PassManager, PassRegistry, Pipeline, Timings};
use ir::{ErrorClass, Module, PrintOptions, Registry};
use proto::Model;

/// The longest input: longer ones find nothing else.
const LONGEST: usize = 1 << 16;

/// A model in any format: it is read, checked and imported.
pub fn model(bytes: &[u8]) {
    if bytes.len() > LONGEST {
        return;
    }
    let options = import::Options::default();
    if let Err(errors) = import::import_bytes(bytes, None, &options) {
        refuse_internal(&errors, &[]);
    }
}

/// A model in ONNX's textual syntax.
pub fn text(bytes: &[u8]) {
    if std::str::from_utf8(bytes).is_err() || !bytes.starts_with(b"<") || bytes.len() > LONGEST {
        return;
    }
    let Ok(parsed) = Model::from_bytes(bytes) else { return };
    if let Err(errors) = import::import_model(&parsed, &import::Options::default()) {
        refuse_internal(&errors, &[]);
    }
}

/// A model in protobuf's JSON or text format, which a first byte chooses.
pub fn json(bytes: &[u8]) {
    if bytes.len() < LONGEST && matches!(bytes.first(), Some(b'{' | b' ' | b'a'..=b'z')) {
        drop(Model::from_bytes(bytes));
    }
}

/// A module: what is printed is read back and printed identically.
pub fn mlir(bytes: &[u8]) {
    let Some(module) = module_of(bytes) else { return };
    let options = PrintOptions::default();
    let text = ir::print_module(&module, &options);
    let again = ir::parse_module(&text, "again", Some(operations()));
    let again = again.unwrap_or_else(|errors| panic!("what is printed is not read back: {errors:?}\n{text}"));
    assert_eq!(ir::print_module(&again, &options), text, "what is printed is printed differently");
}

/// The pass pipelines that `passes` runs on modules.
const PIPELINES: [&str; 16] = [
    "canonicalize,cse",
    "infer-shapes",
    "optimize",
    "optimize{strict-fp=true}",
    "decompose",
    "decompose,onnx-to-linalg",
    "specialize-ranks,optimize,decompose,onnx-to-linalg",
    "use-halves,use-transposes,use-relayouts",
    "outline-kernels,outline-initialization,build-kernels",
    "use-tables,fold-constants,use-winograd",
    "outline-initialization",
    "lower-to-low",
    "call-contractions,flatten-buffers,widen-narrow-types",
    "expand-math",
    "outline-parallel,carry-indices,unroll-loops,lower-control-flow,guard-host,simplify",
    "number-assertions{bounds=true},flatten-buffers,outline-parallel,lower-control-flow,check-accesses,simplify",
];

/// A pipeline, chosen by the first byte, on a module: the passes neither panic nor leave an invalid module.
pub fn passes(bytes: &[u8]) {
    let Some((&first, bytes)) = bytes.split_first() else { return };
    let Some(mut module) = module_of(bytes) else { return };
    if ir::verify(&module, operations()).is_err() {
        return;
    }
    let text = PIPELINES[usize::from(first) % PIPELINES.len()];
    let pipeline = Pipeline::parse(text, pass_registry()).unwrap_or_else(|errors| panic!("{text}: {errors:?}"));
    let manager = PassManager { verify_each: true, ..PassManager::new(operations()) };
    if let Err(errors) = manager.run(&mut module, &pipeline, &mut Timings::default()) {
        // a pass may refuse a module that no earlier pass writes, in words
        let found: Vec<&str> = errors.iter().map(|error| &*error.message).collect();
        let is_fault = |text: &&&str| text.contains("panicked");
        let fault = found.iter().find(is_fault).or(errors.iter().find(|error| is_blamed(error)).and(found.first()));
        assert!(fault.is_none(), "{text}: {found:?}");
    }
}

/// Whether a pass left an invalid module.
fn is_blamed(error: &ir::Diagnostic) -> bool {
    error.notes.iter().any(|note| note.contains("after pass"))
}

/// An array in a file, whose kind the first byte chooses.
pub fn arrays(bytes: &[u8]) {
    let Some((&first, bytes)) = bytes.split_first() else { return };
    let ending = ["npy", "npz", "pb"][usize::from(first) % 3];
    let path = scratch_file(ending);
    let written = std::fs::File::create(&path).and_then(|mut file| file.write_all(bytes));
    written.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    drop(onnx_run::read_arrays(&path));
}

/// An encoded picture.
pub fn pictures(bytes: &[u8]) {
    if bytes.len() < LONGEST {
        runtime::calls::decode_picture(bytes);
    }
}

/// An entry of the cache.
pub fn entries(bytes: &[u8]) {
    let (entry, file) = (Blob::copy_of(bytes), Blob::copy_of(&[0; 64]));
    drop(engine::cache::entry::Entry::decode(&entry, &file, |decoder| {
        let (name, words) = (decoder.head.text()?, decoder.head.texts()?);
        Some((name, words, decoder.blob()))
    }));
}

/// An object file: it is linked, or refused.
pub fn objects(bytes: &[u8]) {
    let symbols = BTreeMap::from([("rt_arena".to_string(), 1 << 20), ("rt_output".to_string(), 1 << 20)]);
    if let Ok(loaded) = loader::load(&[bytes], &symbols) {
        loaded.function("main_graph");
    }
}

fn module_of(bytes: &[u8]) -> Option<Module> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.len() < LONGEST)?;
    ir::parse_module(text, "fuzzed", Some(operations())).ok()
}

/// An error of the compiler, as opposed to one of its input, is a finding.
fn refuse_internal(errors: &[ir::Diagnostic], allowed: &[&str]) {
    let is_internal = |error: &&ir::Diagnostic| {
        error.class == ErrorClass::Internal && !allowed.iter().any(|text| error.message.contains(text))
    };
    if let Some(error) = errors.iter().find(is_internal) {
        panic!("internal error: {error}");
    }
}

/// A file of this process, in memory where the system allows that.
fn scratch_file(ending: &str) -> PathBuf {
    let memory = Path::new("/dev/shm");
    let folder = if memory.is_dir() { memory.to_path_buf() } else { std::env::temp_dir() };
    folder.join(format!("onnxc-fuzz-{}.{ending}", std::process::id()))
}

fn operations() -> &'static Registry {
    static OPERATIONS: OnceLock<Registry> = OnceLock::new();
    OPERATIONS.get_or_init(dialects::registry)
}

fn pass_registry() -> &'static PassRegistry {
    static PASSES: OnceLock<PassRegistry> = OnceLock::new();
    PASSES.get_or_init(driver::passes::registry)
}
