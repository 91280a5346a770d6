//! Upstream's `mlir-opt`, which must read our textual IR.

use std::io::Write;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use driver::{Backend, Level, Options, pipeline};
use ir::pass::Timings;
use ir::{Module, PrintOptions};

/// Versions to look for, the best first.
const VERSIONS: [&str; 5] = ["mlir-opt-22", "mlir-opt-21", "mlir-opt-20", "mlir-opt-19", "mlir-opt-18"];

/// The newest available `mlir-opt`, up to the version whose syntax we print; prints which, once.
pub fn mlir_opt() -> Option<&'static str> {
    static FOUND: OnceLock<Option<&'static str>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let runs =
            |name: &&str| Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success());
        let found = VERSIONS.iter().copied().chain(["mlir-opt"]).find(runs);
        match found {
            Some(name) => println!("upstream is {name}"),
            None => crate::skip("mlir-opt was not found; ./x setup installs it"),
        }
        found
    })
}

/// Runs upstream on a module, and compares what it prints with our custom form of it where it is of the version whose
/// syntax we print.
pub fn read(program: &str, module: &Module) -> Result<(), String> {
    let printed = reprinted(program, module)?;
    if program != VERSIONS[0] {
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
    let mut child = Command::new(program)
        .arg("--allow-unregistered-dialect")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| format!("{program}: {error}"))?;
    let mut input = child.stdin.take().expect("the standard input is piped");
    // it reads everything before it writes; if it ends early it reports why
    let _ = input.write_all(text.as_bytes());
    drop(input);
    let output = child.wait_with_output().map_err(|error| format!("{program}: {error}"))?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(shortened(&String::from_utf8_lossy(&output.stderr))),
    }
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
