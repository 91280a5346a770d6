//! Tests the error bound of rules that move terms and factors into weights, against computations with twice the digits.

use driver::Tensor;
use ir::{Blob, Module, Type, parse_module};

use super::bounds::{Numbers, ROUNDING, ROUNDINGS};
use super::elementwise::{right_side, run};
use crate::pattern::{Names, Pattern};
use crate::rules::{Compiled, RULES};

/// The number of operands that each rule is tried with.
const TRIALS: usize = 10;
/// Operators that sum products.
const PRODUCTS: &[&str] = &["Conv", "ConvTranspose", "Gemm", "MatMul"];

/// The first of [`PRODUCTS`] in an expression.
fn product(expression: &Pattern) -> Option<&str> {
    match expression {
        Pattern::Variable(_) | Pattern::Number(_) | Pattern::Absent => None,
        Pattern::Named(_, inner) => product(inner),
        Pattern::Op { operator, operands, .. } => {
            let name = RULES.operators[*operator].as_str();
            PRODUCTS.contains(&name).then_some(name).or_else(|| operands.iter().find_map(product))
        }
    }
}

/// The extents of the variable `name` next to a product; `None` for a name that such rules do not use.
fn extents(product: &str, name: &str) -> Option<&'static [i64]> {
    Some(match (product, name) {
        ("Conv" | "ConvTranspose", "x") => &[1, 2, 5, 5],
        ("Conv", "w") => &[3, 2, 3, 3],
        ("ConvTranspose", "w") => &[2, 3, 3, 3],
        (_, "b") => &[3],
        ("Conv" | "ConvTranspose", "c") => &[3, 1, 1],
        (_, "x") => &[4, 6],
        (_, "a") => &[6, 3],
        (_, "c") => &[3],
        _ => return None,
    })
}

/// The left side of a rule as a function of `x`, as text.
struct Writer<'a> {
    product: &'a str,
    names: &'a Names,
    element: &'a str,
    /// The value of each variable, by number.
    constants: &'a [Vec<f64>],
    text: String,
    count: usize,
}

impl Writer<'_> {
    fn line(&mut self, definition: &str) -> String {
        let name = format!("%v{}", self.count);
        self.count += 1;
        self.text.push_str(&format!("  {name} = {definition}\n"));
        name
    }

    /// The name, type and extents of an expression.
    fn write(&mut self, expression: &Pattern) -> (String, String, Vec<i64>) {
        let typed = |extents: &[i64]| {
            let extents: String = extents.iter().map(|extent| format!("{extent}x")).collect();
            format!("tensor<{extents}{}>", self.element)
        };
        match expression {
            Pattern::Variable(variable) => {
                let name = self.names.variables()[*variable];
                let numbers = &self.constants[*variable];
                if name == "x" {
                    let extents = extents(self.product, name).expect("x has a shape").to_vec();
                    return ("%x".to_string(), typed(&extents), extents);
                }
                // a factor of all elements of an operand is a scalar
                let extents = if numbers.len() == 1 { &[] } else { extents(self.product, name).expect("it is known") };
                let r#type = typed(extents);
                let text = format!(
                    "\"onnx.Constant\"() {{value = dense<{}> : {type}}} : () -> {type}",
                    nested(numbers, extents)
                );
                (self.line(&text), r#type, extents.to_vec())
            }
            Pattern::Number(_) => unreachable!("rules of products have no numbers"),
            Pattern::Absent => ("%none".to_string(), "none".to_string(), vec![]),
            Pattern::Named(_, inner) => self.write(inner),
            Pattern::Op { operator, operands, .. } => {
                let operator = RULES.operators[*operator].as_str();
                let operands: Vec<_> = operands.iter().map(|operand| self.write(operand)).collect();
                let extents = match operator {
                    "Conv" => vec![1, 3, 3, 3],
                    "ConvTranspose" => vec![1, 3, 7, 7],
                    "Gemm" | "MatMul" => vec![4, 3],
                    _ => operands[0].2.clone(),
                };
                let dims: String = extents.iter().map(|extent| format!("{extent}x")).collect();
                let r#type = format!("tensor<{dims}{}>", self.element);
                let names: Vec<&str> = operands.iter().map(|(name, ..)| name.as_str()).collect();
                let types: Vec<&str> = operands.iter().map(|(_, r#type, _)| r#type.as_str()).collect();
                let text = format!("\"onnx.{operator}\"({}) : ({}) -> {type}", names.join(", "), types.join(", "));
                (self.line(&text), r#type, extents)
            }
        }
    }
}

/// Numbers as a literal of these extents.
fn nested(numbers: &[f64], extents: &[i64]) -> String {
    let Some((_, inner)) = extents.split_first() else { return format!("{:?}", numbers[0]) };
    let size = inner.iter().product::<i64>() as usize;
    let parts: Vec<String> = numbers.chunks(size).map(|part| nested(part, inner)).collect();
    format!("[{}]", parts.join(", "))
}

fn left_side(rule: &Compiled, product: &str, element: &str, constants: &[Vec<f64>]) -> Module {
    let mut writer = Writer { product, names: rule.names(), element, constants, text: String::new(), count: 0 };
    let (result, r#type, _) = writer.write(&rule.from);
    let (_, x, _) =
        writer.write(&Pattern::Variable(rule.names().variables().iter().position(|&n| n == "x").expect("x")));
    let text = format!(
        "\"func.func\"() ({{\n^bb0(%x: {x}):\n  %none = \"onnx.NoValue\"() : () -> none\n{}  \"func.return\"({result}) : \
         ({type}) -> ()\n}}) {{sym_name = \"main_graph\", function_type = ({x}) -> {type}}} : () -> ()",
        writer.text
    );
    parse_module(&text, "test", None).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]))
}

fn results(module: Module, x: &[f64], extents: &[i64], is_double: bool) -> Vec<f64> {
    let bytes: Vec<u8> = match is_double {
        true => x.iter().flat_map(|number| number.to_le_bytes()).collect(),
        false => x.iter().flat_map(|number| (*number as f32).to_le_bytes()).collect(),
    };
    let element = if is_double { Type::F64 } else { Type::F32 };
    let x =
        Tensor::new(element, extents.to_vec(), Blob::copy_of(&bytes)).expect("the number of bytes matches the shape");
    run(module, &[x]).to_f64().expect("they are floats")
}

/// The difference between the two sides of a rule, in roundings of the sum of all terms' magnitudes.
fn roundings(rule: &Compiled, product: &str, constants: &[Vec<f64>], x: &[f64]) -> Option<f64> {
    let of = |element: &str, constants: &[Vec<f64>]| left_side(rule, product, element, constants);
    let extents = extents(product, "x").expect("x has a shape");
    let sizes = |numbers: &[f64]| -> Vec<f64> { numbers.iter().map(|number| number.abs()).collect() };
    let right = results(right_side(rule, of("f32", constants))?, x, extents, false);
    let left = results(of("f32", constants), x, extents, false);
    let exact = results(of("f64", constants), x, extents, true);
    let constants: Vec<Vec<f64>> = constants.iter().map(|numbers| sizes(numbers)).collect();
    let terms = results(of("f64", &constants), &sizes(x), extents, true);
    let apart = (0..exact.len())
        .map(|at| (left[at] - right[at]).abs().max((right[at] - exact[at]).abs()) / (terms[at] * ROUNDING));
    Some(apart.fold(0.0, f64::max))
}

#[test]
fn sums_and_factors_in_weights_lose_little() {
    let mut numbers = Numbers(7);
    let mut silent = Vec::new();
    for rule in &RULES.all {
        let Some(product) = product(&rule.from) else { continue };
        let names = rule.names().variables();
        if names.iter().any(|name| extents(product, name).is_none()) {
            continue;
        }
        let mut applied = 0;
        for trial in 0..TRIALS {
            let count = |name: &str| {
                // factors of an operand's rows must be scalars
                let is_one = name == "c" && (trial % 2 == 1 || rule.rule.name.starts_with("mul-"));
                if is_one { 1 } else { extents(product, name).expect("it is known").iter().product() }
            };
            let mut floats =
                |name: &&str| -> Vec<f64> { (0..count(name)).map(|_| f64::from(numbers.float(10))).collect() };
            let constants: Vec<Vec<f64>> = names.iter().map(&mut floats).collect();
            let x = constants[names.iter().position(|&name| name == "x").expect("rules of products have x")].clone();
            let Some(lost) = roundings(rule, product, &constants, &x) else { continue };
            assert!(lost <= ROUNDINGS, "{} with {constants:?}: {lost} roundings", rule.rule.name);
            applied += 1;
        }
        if applied == 0 {
            silent.push(rule.rule.name);
        }
    }
    assert!(silent.is_empty(), "rules that never apply here: {silent:?}");
}
