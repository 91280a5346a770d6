//! Programs of LLVM and MLIR: `mlir-opt`, which must read our textual IR, and `FileCheck`.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use driver::{Backend, Level, Options, pipeline};
use ir::pass::Timings;
use ir::{Module, PrintOptions};

/// Versions to look for, the best first.
const VERSIONS: [&str; 5] = ["22", "21", "20", "19", "18"];

/// The newest available `mlir-opt`, up to the version whose syntax we print; prints which, once.
pub fn mlir_opt() -> Option<&'static str> {
    static FOUND: OnceLock<Option<String>> = OnceLock::new();
    let find = || newest("mlir-opt").inspect(|name| println!("upstream is {name}"));
    FOUND.get_or_init(find).as_deref()
}

/// The newest available `FileCheck`.
pub fn file_check() -> Option<&'static str> {
    static FOUND: OnceLock<Option<String>> = OnceLock::new();
    FOUND.get_or_init(|| newest("FileCheck")).as_deref()
}

/// The newest version of a tool that can be run.
fn newest(tool: &str) -> Option<String> {
    let runs = |name: &String| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
    let versions = VERSIONS.iter().map(|version| format!("{tool}-{version}"));
    let found = versions.chain([tool.to_string()]).find(runs);
    if found.is_none() {
        crate::skip(&format!("{tool} was not found; ./x setup installs it"));
    }
    found
}

/// What a program prints that reads this text from its standard input.
///
/// # Errors
/// What it reports, if it fails or cannot be started.
pub fn pipe(command: &mut Command, text: &str) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let failed = |error: std::io::Error| format!("{program}: {error}");
    let streams = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = streams.spawn().map_err(failed)?;
    let mut input = child.stdin.take().expect("the standard input is piped");
    // it reads everything before it writes; if it ends early it reports why
    let _ = input.write_all(text.as_bytes());
    drop(input);
    let output = child.wait_with_output().map_err(failed)?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(String::from_utf8_lossy(&output.stderr).into_owned()),
    }
}

/// Runs upstream on a module, and compares what it prints with our custom form of it where it is of the version whose
/// syntax we print.
pub fn read(program: &str, module: &Module) -> Result<(), String> {
    let printed = reprinted(program, module)?;
    if !program.ends_with(VERSIONS[0]) {
        return Ok(());
    }
    // the program ends its output with an empty line
    let ours = ir::print_assembly(module, &dialects::registry(), &PrintOptions::brief()) + "\n";
    match ours.lines().zip(printed.lines()).find(|(ours, theirs)| ours != theirs) {
        None if ours.len() == printed.len() => Ok(()),
        None => Err("one of the texts is longer".to_string()),
        Some((ours, theirs)) => Err(shortened(&format!("we print {ours}\nupstream {theirs}"))),
    }
}

/// What upstream prints after it has read the generic form of a module.
fn reprinted(program: &str, module: &Module) -> Result<String, String> {
    // large constants are printed as references without contents: upstream checks their types anyway
    let options = PrintOptions { print_locations: true, generic: true, ..PrintOptions::brief() };
    let text = ir::print_module_as(module, &dialects::registry(), &options);
    pipe(Command::new(program).arg("--allow-unregistered-dialect"), &text).map_err(|errors| shortened(&errors))
}

/// The first lines of a message.
fn shortened(text: &str) -> String {
    text.lines().take(5).map(|line| line.chars().take(300).collect::<String>() + "\n").collect()
}

/// Runs upstream on a module of the graph level at every lower level, for both back ends.
pub fn read_all_levels(program: &str, graph: &Module) -> Result<(), String> {
    let message = |errors: Vec<ir::Diagnostic>| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    for backend in [Backend::Cranelift, Backend::Llvm] {
        let options = Options { backend, ..Options::default() };
        let mut module = graph.clone();
        let steps = [
            (Level::Structured, pipeline::graph(&options)),
            (Level::Kernel, pipeline::kernels(&options, pipeline::Prepared::ByCode)),
            (Level::Low, pipeline::low(&options)),
        ];
        for (level, pipeline) in steps {
            pipeline::run(&mut module, &pipeline, &options, &mut Timings::default()).map_err(message)?;
            dialects::levels::verify_level(&module, level).map_err(message)?;
            read(program, &module).map_err(|problem| format!("{level} level, {backend:?}: {problem}"))?;
        }
    }
    Ok(())
}
