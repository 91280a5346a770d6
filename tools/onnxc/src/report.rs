//! `onnxc check --report`: what is known of a model, its restrictions and its code, as one page. It holds nothing of the machine or
//! of the day, so that it has the same bytes everywhere.

use std::path::Path;

use commandline::Failure;
use driver::{
    Arithmetic, Backend, Compiler, Diagnostic, Evidence, Finding, Options, Processor, Profile, VectorRegisters, rules,
};
use ir::PrintOptions;
use sha2::{Digest, Sha256};

use crate::check::Arguments;
use crate::page::{row, table};

/// The name of functions in code that is only looked at.
const NAME: &str = "model";

/// The page about a model and what was found in it.
pub(crate) fn report(arguments: &Arguments, model: &Path, found: &[Finding]) -> Result<String, Failure> {
    let bytes = std::fs::read(model).map_err(|error| Failure::input(format!("{}: {error}", model.display())))?;
    let file = model.file_name().unwrap_or_default().to_string_lossy();
    let profile = arguments.profile.profile(arguments.sonnx_captures);
    let mut options = vec![format!("--profile {}", profile.name())];
    options.extend((profile == Profile::SonnxWithCaptures).then(|| "--sonnx-captures".to_string()));
    options.extend(arguments.dims.iter().map(|(name, extent)| format!("--dim {name}={extent}")));
    options.extend(arguments.shapes.iter().map(|(name, shape)| {
        let extents: Vec<String> = shape.iter().map(i64::to_string).collect();
        format!("--shape {name}={}", extents.join("x"))
    }));
    let facts = [
        row(&["Model", &file]),
        row(&["SHA-256 of the model", &hash(&bytes)]),
        row(&["Compiler", concat!("onnxc ", env!("CARGO_PKG_VERSION"))]),
        row(&["Options", &options.join(" ")]),
    ];
    let findings: Vec<String> = found
        .iter()
        .map(|finding| row(&[finding.rule.id, finding.rule.level.name(), &finding.place.to_string(), &finding.message]))
        .collect();
    let restrictions: Vec<String> = rules::of(profile)
        .filter(|rule| rule.profile > Profile::Onnx)
        .map(|rule| {
            let broken = found.iter().filter(|finding| finding.rule.id == rule.id).count();
            let verdict = if broken == 0 { "met".to_string() } else { format!("broken {broken} times") };
            row(&[rule.id, rule.sentence, rule.source, &verdict])
        })
        .collect();
    let code = match code(arguments, model, profile) {
        Ok((evidence, text)) => code_section(&evidence, &text),
        Err(errors) => {
            let rows: Vec<String> = errors.iter().map(|error| row(&[&error.to_string()])).collect();
            format!("<h2>Code</h2>\n<p>The model is not compiled under these options.</p>\n{}", table(&["Why"], &rows))
        }
    };
    let body = format!(
        "<h1>Report</h1>\n{}<h2>Findings</h2>\n{}<h2>Restrictions</h2>\n{}{code}",
        table(&["", ""], &facts),
        table(&["Rule", "Level", "Place", "What is there"], &findings),
        table(&["Rule", "What is demanded", "Document", ""], &restrictions),
    );
    Ok(crate::page::page("Report", &body))
}

/// Bounds of the code under the profile, and its text at the low level.
fn code(arguments: &Arguments, model: &Path, profile: Profile) -> Result<(Evidence, String), Vec<Diagnostic>> {
    let is_static = profile > Profile::Onnx;
    let options = Options {
        backend: Backend::Llvm,
        // code that no machine is looked at for
        processor: Processor::Vectors(VectorRegisters::X86_128),
        arithmetic: if is_static { Arithmetic::Fixed } else { Arithmetic::Ordered },
        freestanding: is_static.then(|| NAME.to_string()),
        dims: arguments.dims.iter().cloned().collect(),
        shapes: arguments.shapes.iter().cloned().collect(),
        rules: profile,
        ..Options::default()
    };
    let (module, _, evidence) = Compiler::new(options).evidence_file(model)?;
    Ok((evidence, ir::print_module(&module, &PrintOptions::brief())))
}

fn code_section(evidence: &Evidence, text: &str) -> String {
    let number = |number: Option<u64>| number.map_or("data tell".to_string(), |number| number.to_string());
    let bounds = [
        row(&["Constants, bytes", &evidence.constants.to_string()]),
        row(&["Memory that runs write, bytes", &evidence.memory.to_string()]),
        row(&[
            "Stack that functions ask for, without what the code generator keeps there, bytes",
            &number(evidence.stack),
        ]),
        row(&["Calls inside one another", &number(evidence.depth)]),
        row(&["SHA-256 of the code at the low level, without constants", &hash(text.as_bytes())]),
    ];
    let iterations: Vec<String> =
        evidence.iterations.iter().map(|(name, &count)| row(&[name, &number(count)])).collect();
    let bound = |name: &str| driver::ERROR_BOUNDS.iter().find(|(known, _)| *known == name).map(|(_, bound)| *bound);
    let is_exact = |name: &str| EXACT.contains(&name);
    let errors: Vec<String> = evidence
        .elementary
        .iter()
        .map(|name| {
            let text = match bound(name) {
                Some(bound) => format!("{bound} units in the last place"),
                None if is_exact(name) => "rounded as IEEE 754 says".to_string(),
                None => "as exact as the runtime's".to_string(),
            };
            row(&[name, &text])
        })
        .collect();
    format!(
        "<h2>Errors</h2>\n<p>Sums, differences, products, quotients and square roots are rounded once each, as IEEE 754 says. A sum of n \
         terms is at most n − 1 roundings of the sum of their sizes from the true value. Elementary functions on float32:</p>\n{}\
         <h2>Bounds of a run</h2>\n{}<h2>Iterations in the worst case</h2>\n{}",
        table(&["Function", "Error at most"], &errors),
        table(&["", ""], &bounds),
        table(&["Function", "Iterations of its loops, with those it calls"], &iterations),
    )
}

/// What is one operation of IEEE 754.
const EXACT: [&str; 9] = [
    "math.absf",
    "math.ceil",
    "math.copysign",
    "math.fma",
    "math.floor",
    "math.round",
    "math.roundeven",
    "math.sqrt",
    "math.trunc",
];

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
