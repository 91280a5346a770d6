//! Random programs of operations on lanes: what code generators do with several operations together.

use dialects::{OpCode, arith, math};
use engine::CodeGenerator;
use ir::{Module, Type, Value};

use crate::loops::add_function;
use crate::numbers::{elements, mixed};
use crate::operations::{Case, cases, with_constants};
use crate::{ELEMENTS, Function, LANES, check};

const PROGRAMS: u64 = 400;
/// Operations of a program.
const LENGTH: u64 = 12;

/// Whether the result of an operation does not depend on the bits of NaNs, which operations leave unspecified.
fn is_specified(case: &Case) -> bool {
    case.code != math::COPYSIGN && (case.code != arith::BITCAST || !case.operands[0].is_float())
}

/// Operations, each of which has an operand of the type of the result before it.
fn program(seed: u64, cases: &[Case]) -> Vec<&Case> {
    let mut program: Vec<&Case> = Vec::new();
    for at in 0..LENGTH {
        let reads = |case: &&Case| program.last().is_none_or(|last| case.operands.contains(&last.result));
        let candidates: Vec<&Case> = cases.iter().filter(reads).collect();
        // comparisons have many predicates, and are not chosen more often
        let mut codes: Vec<OpCode> = candidates.iter().map(|case| case.code).collect();
        codes.sort_unstable();
        codes.dedup();
        let code = codes[mixed(seed, at) as usize % codes.len()];
        let candidates: Vec<&Case> = candidates.into_iter().filter(|case| case.code == code).collect();
        program.push(candidates[mixed(at, seed) as usize % candidates.len()]);
    }
    program
}

/// The operands of an operation: the last values of their types, but for some.
fn operands(case: &Case, values: &[(usize, Value)], seed: u64) -> Vec<Value> {
    let operand = |(place, element): (u64, &Type)| {
        let kind = kind(element);
        let known: Vec<Value> = values.iter().filter(|(other, _)| *other == kind).map(|&(_, value)| value).collect();
        let random = mixed(seed, place) as usize;
        known[if random.is_multiple_of(4) { random / 4 % known.len() } else { known.len() - 1 }]
    };
    (0..).zip(&case.operands).map(operand).collect()
}

/// The index of a type among [`ELEMENTS`].
fn kind(element: &Type) -> usize {
    ELEMENTS.iter().position(|known| known == element).expect("cases have these types")
}

fn check_programs(generator: CodeGenerator) {
    let all = cases();
    let constant = with_constants(&all);
    let cases: Vec<Case> = all.into_iter().chain(constant).filter(is_specified).collect();
    let (mut module, mut functions) = (Module::new(), Vec::new());
    for seed in 0..PROGRAMS {
        let program = program(seed, &cases);
        let (name, lanes) = (format!("f{seed}"), LANES[seed as usize % LANES.len()]);
        let result = &program[program.len() - 1].result;
        add_function(&mut module, &name, (&ELEMENTS, result), lanes, |builder, inputs| {
            let mut values: Vec<(usize, Value)> = inputs.iter().copied().enumerate().collect();
            for (at, case) in (0..).zip(&program) {
                let operands = operands(case, &values, mixed(at, !seed));
                values.push((kind(&case.result), case.build(builder, &operands, lanes)));
            }
            values[values.len() - 1].1
        });
        let text: Vec<String> = program.iter().map(|case| case.to_string()).collect();
        functions.push(Function {
            name,
            text: format!("program {seed}, {lanes} lanes: {}", text.join("; ")),
            inputs: (0..).zip(&ELEMENTS).map(|(place, element)| elements(element, place % 2, 2)).collect(),
            result: result.clone(),
        });
    }
    check(&module, &functions, generator);
}

#[test]
fn programs_on_cranelift() {
    check_programs(CodeGenerator::Cranelift);
}

#[test]
fn programs_on_llvm() {
    check_programs(CodeGenerator::Llvm);
}
