//! The interpreter of the low level against both code generators, bit for bit but for the bits of NaNs.

mod folds;
mod lanes;
mod loops;
mod numbers;
mod operations;
mod programs;
mod suite;

use std::path::Path;
use std::sync::Arc;

use engine::{Built, CodeGenerator, Engine, Lowering, PlainEngine, Settings};
use ir::pass::Timings;
use ir::{FloatType, Module, Type};
use tests::interpreted::{InterpreterEngine, first_difference};
use tests::worker::onnxc;

/// The types of elements.
static ELEMENTS: [Type; 10] = [
    Type::I1,
    Type::I8,
    Type::I16,
    Type::I32,
    Type::I64,
    Type::Index,
    Type::F16,
    Type::Float(FloatType::BF16),
    Type::F32,
    Type::F64,
];
/// The number of elements of buffers; a multiple of each number of lanes.
const COUNT: usize = 1200;
/// Vectors of the widths of registers, narrower and wider ones; 1 is a scalar.
const LANES: [usize; 5] = [1, 2, 3, 4, 16];

/// A function `@name(%table) -> 0`: the table has the addresses of buffers with the inputs and of one for the results.
struct Function {
    name: String,
    /// What it tests.
    text: String,
    inputs: Vec<Vec<u8>>,
    /// The type of the results.
    result: Type,
}

/// For modules that are at the low level.
struct Lowered;

impl Lowering for Lowered {
    fn lower_module(&self, _: &mut Module, _: &mut Timings) -> ir::Result<()> {
        Ok(())
    }

    fn lower_partition(&self, _: &mut Module) -> ir::Result<()> {
        Ok(())
    }
}

fn build(engine: &dyn Engine, module: &Module, generator: CodeGenerator) -> Built {
    let program = Path::new(env!("CARGO_BIN_EXE_conformance"));
    let settings = Settings {
        generator,
        lowering: Arc::new(Lowered),
        workers: 2,
        helper: (generator == CodeGenerator::Llvm).then(|| onnxc(program).to_path_buf()),
        is_complete: true,
        shares_functions: false,
    };
    let built = engine.build(&mut module.clone(), &settings, &Arc::default(), &mut Timings::default());
    built.unwrap_or_else(|errors| panic!("{}", errors[0]))
}

/// The results of a function: the bytes of the last buffer.
fn run(built: &Built, function: &Function) -> Vec<u8> {
    let mut output = vec![0; COUNT * function.result.byte_width().expect("elements have a width")];
    let mut table: Vec<i64> = function.inputs.iter().map(|input| input.as_ptr().expose_provenance() as i64).collect();
    table.push(output.as_mut_ptr().expose_provenance() as i64);
    let entry = built.code.entry(&function.name).expect("it is defined");
    entry.call(&mut table, 1);
    if let Some(errors) = built.code.failure() {
        panic!("{}", errors[0]);
    }
    output
}

/// Compares the results of a module's functions, interpreted and compiled.
fn check(module: &Module, functions: &[Function], generator: CodeGenerator) {
    compare(functions, &interpreted(module), &build(&PlainEngine, module, generator));
}

fn interpreted(module: &Module) -> Built {
    build(&InterpreterEngine { limit: u64::MAX }, module, CodeGenerator::Cranelift)
}

fn compare(functions: &[Function], one: &Built, other: &Built) {
    let differences: Vec<String> = functions
        .iter()
        .filter_map(|function| {
            let [expected, found] = [one, other].map(|built| run(built, function));
            let at = first_difference(&function.result, &expected, &found)?;
            let inputs: Vec<String> = function.inputs.iter().map(|input| element(input, at)).collect();
            let (expected, found) = (element(&expected, at), element(&found, at));
            Some(format!("{} of {}: {expected}, found {found}", function.text, inputs.join(", ")))
        })
        .collect();
    assert!(differences.is_empty(), "{} differences:\n{}", differences.len(), differences.join("\n"));
}

/// An element of a buffer in hexadecimal.
fn element(buffer: &[u8], at: usize) -> String {
    let width = buffer.len() / COUNT;
    buffer[at * width..][..width].iter().rev().map(|byte| format!("{byte:02x}")).collect()
}
