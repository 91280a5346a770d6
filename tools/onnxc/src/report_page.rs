//! `onnxc check --report`: a page about a model, its restrictions and its code. It depends on neither the machine nor
//! the date, so that it has the same bytes everywhere.

use std::path::Path;

use commandline::Failure;
use dialects::{OpCode, math};
use driver::{
    Arithmetic, Backend, Compiler, Evidence, Finding, Options, Processor, Profile, Reporter, VectorRegisters, rules,
};
use ir::{FloatType, PrintOptions, Type};
use sha2::{Digest, Sha256};
#[cfg(feature = "llvm")]
use {driver::Signature, ir::Module};

use crate::check::Arguments;
use crate::page::{row, table};

/// The name of functions in code that is only analysed.
const NAME: &str = "model";

/// The page about a model and its findings.
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
        Ok(code) => code_section(&code),
        Err(failure) => {
            let rows: Vec<String> = failure.lines.iter().map(|line| row(&[line])).collect();
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

/// Facts about the code under a profile.
struct Code {
    evidence: Evidence,
    /// Stack bytes, and what they include.
    stack: (Option<u64>, &'static str),
    /// A digest of the code, and what it covers.
    hash: (String, &'static str),
    /// Whether it is for the safety profile.
    is_static: bool,
}

/// Compiles the model under the profile.
fn code(arguments: &Arguments, model: &Path, profile: Profile) -> Result<Code, Failure> {
    let is_static = profile > Profile::Onnx;
    let options = Options {
        backend: Backend::Llvm,
        // code that does not depend on this machine
        processor: if is_static { Processor::Unknown } else { Processor::Vectors(VectorRegisters::X86_128) },
        arithmetic: if is_static { Arithmetic::Fixed } else { Arithmetic::Strict },
        freestanding: is_static.then(|| NAME.to_string()),
        dims: arguments.dims.iter().cloned().collect(),
        shapes: arguments.shapes.iter().cloned().collect(),
        operator_sets: arguments.operator_sets.clone(),
        rules: profile,
        reporter: Reporter::standard_error(),
        ..Options::default()
    };
    let (module, signature, evidence) = Compiler::new(options).evidence_file(model)?;
    #[cfg(feature = "llvm")]
    if is_static {
        return of_object(module, signature, evidence);
    }
    drop(signature);
    let hash = hash(ir::print_module(&module, &PrintOptions::brief()).as_bytes());
    Ok(Code {
        stack: (evidence.stack(), "Stack that functions allocate, without the code generator's spill slots, bytes"),
        hash: (hash, "SHA-256 of the code at the low level, without constants"),
        evidence,
        is_static,
    })
}

/// Facts about the object for any x86-64 processor.
#[cfg(feature = "llvm")]
fn of_object(module: Module, signature: Signature, evidence: Evidence) -> Result<Code, Failure> {
    let object = crate::native::static_object(module, signature, NAME)?;
    let stack = crate::footprint::Footprint::of(&object)?.and_then(|footprint| footprint.stack);
    Ok(Code {
        stack: (stack, "Stack of the object's functions, bytes"),
        hash: (hash(&object), "SHA-256 of the object, by --name model --target x86_64-unknown-linux-gnu --cpu x86-64"),
        evidence,
        is_static: true,
    })
}

fn code_section(code: &Code) -> String {
    let Code { evidence, stack, hash, .. } = code;
    let number = |number: Option<u64>| number.map_or("data-dependent".to_string(), |number| number.to_string());
    let bounds = [
        row(&["Constants, bytes", &evidence.constants.to_string()]),
        row(&["Memory that runs write, bytes", &evidence.memory.to_string()]),
        row(&[stack.1, &number(stack.0)]),
        row(&["Calls inside one another", &number(evidence.depth())]),
        row(&[hash.1, &hash.0]),
    ];
    let iterations: Vec<String> =
        evidence.iterations.iter().map(|(name, &count)| row(&[name, &number(count)])).collect();
    let errors: Vec<String> = evidence
        .elementary
        .iter()
        .map(|(function, element)| {
            let text = match bound(*function, element, code.is_static) {
                Some(bound) => format!("{bound} units in the last place"),
                None if EXACT.contains(function) => "rounded as IEEE 754 specifies".to_string(),
                None => "as exact as the runtime's".to_string(),
            };
            row(&[function.name(), &element.to_string(), &text])
        })
        .collect();
    format!(
        "<h2>Errors</h2>\n<p>Sums, differences, products, quotients and square roots are rounded once each, as IEEE 754 says. A sum of n \
         terms is at most n − 1 roundings of the sum of their sizes from the true value. Elementary functions; those on float16 and bfloat16 are computed in float32 and rounded once more:</p>\n{}\
         <h2>Bounds of a run</h2>\n{}<h2>Iterations in the worst case</h2>\n{}",
        table(&["Function", "Type", "Error at most"], &errors),
        table(&["", ""], &bounds),
        table(&["Function", "Iterations of its loops, with those it calls"], &iterations),
    )
}

/// The stated error bound of a function, if it has one.
fn bound(code: OpCode, element: &Type, is_static: bool) -> Option<f64> {
    let Type::Float(format) = element else { return None };
    let defined = driver::FIXED_ERROR_BOUNDS.iter().filter(|_| is_static);
    let defined = defined.map(|&(code, format, bound)| ((code, format), bound));
    let expanded = driver::ERROR_BOUNDS.iter().map(|&(code, bound)| ((code, FloatType::F32), bound));
    let is_half = format.width() < 32;
    let format = if is_half { FloatType::F32 } else { *format };
    let bound = defined.chain(expanded).find(|(known, _)| *known == (code, format)).map(|(_, bound)| bound)?;
    Some(if is_half { driver::HALF_ERROR_BOUND } else { bound })
}

/// Functions that are one operation of IEEE 754.
const EXACT: [OpCode; 9] = [
    math::ABSF,
    math::CEIL,
    math::COPYSIGN,
    math::FMA,
    math::FLOOR,
    math::ROUND,
    math::ROUNDEVEN,
    math::SQRT,
    math::TRUNC,
];

fn hash(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}
