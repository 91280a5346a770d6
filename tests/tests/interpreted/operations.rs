//! Operations that work lane by lane: each row that is legal at the low level, with all types that it allows.

use dialects::arith::{CmpFPredicate, CmpIPredicate};
use dialects::levels::Level;
use dialects::{OpCode, arith};
use engine::CodeGenerator;
use ir::{Attributes, Builder, Module, Type, Value};

use crate::loops::{add_function, constant, typed};
use crate::numbers::{constants, elements};
use crate::{ELEMENTS, Function, LANES, check};

/// An operation on elements of some types.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) code: OpCode,
    attributes: Attributes,
    pub(crate) operands: Vec<Type>,
    pub(crate) result: Type,
    /// The operand that is the same constant in all elements, and its bits.
    constant: Option<(usize, u64)>,
}

impl std::fmt::Display for Case {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let types: Vec<String> = self.operands.iter().map(Type::to_string).collect();
        write!(f, "{}", self.code.name())?;
        self.attributes
            .iter()
            .try_for_each(|(name, value)| write!(f, " {name} {}", value.as_integer().unwrap_or(-1)))?;
        write!(f, " ({}) -> {}", types.join(", "), self.result)?;
        self.constant.map_or(Ok(()), |(at, bits)| write!(f, ", operand {at} is the constant {bits:#x}"))
    }
}

/// The attributes that an operation may have.
fn attributes(code: OpCode) -> Vec<Attributes> {
    match code {
        arith::CMPI => CmpIPredicate::ALL.iter().map(|predicate| Attributes::from([predicate.attribute()])).collect(),
        arith::CMPF => CmpFPredicate::ALL.iter().map(|predicate| Attributes::from([predicate.attribute()])).collect(),
        _ => vec![Attributes::new()],
    }
}

/// Every operation that works lane by lane, with every type.
pub(crate) fn cases() -> Vec<Case> {
    let registry = dialects::registry();
    let mut cases = Vec::new();
    for code in OpCode::all().filter(|code| Level::Low.legality().allows(code.name())) {
        let row = registry.get(code.name()).expect("each code has a row");
        let count = (1..=3).find(|&count| row.operands.allows(count));
        let Some(count) = count.filter(|_| row.has(ir::Trait::Elementwise)) else { continue };
        for (from, to) in ELEMENTS.iter().flat_map(|from| ELEMENTS.iter().map(move |to| (from, to))) {
            let mut operands = vec![from.clone(); count];
            if code == arith::SELECT {
                operands[0] = Type::I1;
            }
            for attributes in attributes(code) {
                let (operands, result) = (operands.clone(), to.clone());
                cases.push(Case { code, attributes, operands, result, constant: None });
            }
        }
    }
    let is_valid = |case: &Case| {
        let mut module = Module::new();
        case.add_to(&mut module, "main", 1);
        ir::verify(&module, &registry).is_ok()
    };
    cases.retain(is_valid);
    cases
}

/// The same operations of two operands with a constant in place of one.
pub(crate) fn with_constants(cases: &[Case]) -> Vec<Case> {
    let binary = cases.iter().filter(|case| case.operands.len() == 2 && case.code.name() != "arith.cmpf");
    let all = binary.flat_map(|case| {
        let constants = constants(&case.operands[0]);
        let places = constants.into_iter().flat_map(|bits| [(0, bits), (1, bits)]);
        places.map(|constant| Case { constant: Some(constant), ..case.clone() })
    });
    all.collect()
}

impl Case {
    /// The operation on some values, with its constant.
    pub(crate) fn build(&self, builder: &mut Builder<'_>, operands: &[Value], lanes: usize) -> Value {
        let mut operands = operands.to_vec();
        if let Some((place, bits)) = self.constant {
            operands[place] = constant(builder, &self.operands[place], lanes, bits);
        }
        builder.value(self.code, &operands, typed(&self.result, lanes), self.attributes.clone())
    }

    fn add_to(&self, module: &mut Module, name: &str, lanes: usize) {
        let types = (&*self.operands, &self.result);
        add_function(module, name, types, lanes, |builder, operands| self.build(builder, operands, lanes));
    }
}

/// Cases as functions, for every number of lanes.
fn functions(cases: &[Case]) -> (Module, Vec<Function>) {
    let (mut module, mut functions) = (Module::new(), Vec::new());
    for (case, lanes) in cases.iter().flat_map(|case| LANES.map(|lanes| (case, lanes))) {
        let name = format!("f{}", functions.len());
        case.add_to(&mut module, &name, lanes);
        let count = case.operands.len();
        let inputs = case.operands.iter().enumerate().map(|(place, element)| elements(element, place, count));
        functions.push(Function {
            name,
            text: format!("{case}, {lanes} lanes"),
            inputs: inputs.collect(),
            result: case.result.clone(),
        });
    }
    (module, functions)
}

fn check_cases(cases: &[Case], generator: CodeGenerator) {
    let (module, functions) = functions(cases);
    check(&module, &functions, generator);
}

#[test]
fn operations_on_cranelift() {
    let cases = cases();
    assert!(cases.len() > 300, "the rows of the dialects are not where they were");
    check_cases(&cases, CodeGenerator::Cranelift);
}

#[test]
fn operations_on_llvm() {
    check_cases(&cases(), CodeGenerator::Llvm);
}

fn check_constants(step: usize, generator: CodeGenerator) {
    let cases: Vec<Case> = with_constants(&cases()).into_iter().step_by(step).collect();
    check_cases(&cases, generator);
}

#[test]
fn some_operations_with_constants_on_cranelift() {
    check_constants(3, CodeGenerator::Cranelift);
}

#[test]
fn some_operations_with_constants_on_llvm() {
    check_constants(11, CodeGenerator::Llvm);
}

#[test]
#[ignore = "takes minutes"]
fn operations_with_constants() {
    check_constants(1, CodeGenerator::Cranelift);
    check_constants(1, CodeGenerator::Llvm);
}
