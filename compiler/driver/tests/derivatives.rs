//! Derivatives of operators, by each operand, against central differences.

mod graph;

use driver::Tensor;
use graph::session;
use ir::{Blob, Type};

/// An operator with operands and a result of f64.
struct Case {
    operator: &'static str,
    attributes: &'static str,
    operands: &'static [&'static [i64]],
    result: &'static [i64],
    domain: Domain,
    fixed: Option<Fixed>,
}

/// An operand that has no derivative.
struct Fixed {
    /// Its number among the operands of the operator.
    at: usize,
    definition: &'static str,
    r#type: &'static str,
}

/// The elements of the operands.
enum Domain {
    /// Positive and negative, none near zero.
    All,
    Positive,
}
use Domain::{All, Positive};

const fn case(
    operator: &'static str,
    attributes: &'static str,
    operands: &'static [&'static [i64]],
    result: &'static [i64],
    domain: Domain,
) -> Case {
    Case { operator, attributes, operands, result, domain, fixed: None }
}

impl Case {
    const fn with(self, fixed: Fixed) -> Case {
        Case { fixed: Some(fixed), ..self }
    }
}

const NO_AXES: Fixed = Fixed { at: 1, definition: "\"onnx.NoValue\"() : () -> none", r#type: "none" };
const CONDITION: Fixed = Fixed {
    at: 0,
    definition: "\"onnx.Constant\"() {value = dense<[true, false, true]> : tensor<3xi1>} : () -> tensor<3xi1>",
    r#type: "tensor<3xi1>",
};

const UNARY: &[&[i64]] = &[&[2, 3]];

/// At least one case for each operator that states its derivative.
const CASES: &[Case] = &[
    case("Abs", "", UNARY, &[2, 3], All),
    case("Add", "", &[&[2, 3], &[3]], &[2, 3], All),
    case("Cast", "to = 11 : si64", UNARY, &[2, 3], All),
    case("Concat", "axis = 1 : i64", &[&[2, 1], &[2, 2]], &[2, 3], All),
    case("Conv", "", &[&[1, 2, 5], &[3, 2, 3], &[3]], &[1, 3, 3], All),
    case(
        "Conv",
        "strides = [2, 1], dilations = [1, 2], pads = [1, 0, 0, 2], kernel_shape = [3, 2]",
        &[&[2, 2, 5, 4], &[3, 2, 3, 2], &[3]],
        &[2, 3, 2, 4],
        All,
    ),
    case("Cos", "", UNARY, &[2, 3], All),
    case("Div", "", &[&[2, 3], &[2, 1]], &[2, 3], All),
    case("Erf", "", UNARY, &[2, 3], All),
    case("Exp", "", UNARY, &[2, 3], All),
    case("Gemm", "alpha = 0.5 : f32, beta = 2.0 : f32", &[&[2, 3], &[3, 4], &[4]], &[2, 4], All),
    case("Gemm", "transA = 1 : i64, transB = 1 : i64", &[&[3, 2], &[4, 3], &[2, 1]], &[2, 4], All),
    case("LeakyRelu", "alpha = 0.25 : f32", UNARY, &[2, 3], All),
    case("Log", "", UNARY, &[2, 3], Positive),
    case("LogSoftmax", "axis = 1 : i64", UNARY, &[2, 3], All),
    case("MatMul", "", &[&[2, 3], &[3, 4]], &[2, 4], All),
    case("MatMul", "", &[&[2, 1, 2, 3], &[2, 3, 2]], &[2, 2, 2, 2], All),
    case("Mul", "", &[&[2, 1], &[2, 3]], &[2, 3], All),
    case("Neg", "", UNARY, &[2, 3], All),
    case("Pow", "", &[&[2, 3], &[3]], &[2, 3], Positive),
    case("Reciprocal", "", UNARY, &[2, 3], All),
    case("ReduceMean", "", UNARY, &[1, 1], All).with(NO_AXES),
    case("ReduceSum", "", UNARY, &[1, 1], All).with(NO_AXES),
    case("Relu", "", UNARY, &[2, 3], All),
    case("Sigmoid", "", UNARY, &[2, 3], All),
    case("Sin", "", UNARY, &[2, 3], All),
    case("Softmax", "axis = 0 : i64", UNARY, &[2, 3], All),
    case("Softplus", "", UNARY, &[2, 3], All),
    case("Sqrt", "", UNARY, &[2, 3], Positive),
    case("Sub", "", &[&[3], &[2, 3]], &[2, 3], All),
    case("Tanh", "", UNARY, &[2, 3], All),
    case("Where", "", &[&[2, 3], &[2, 1]], &[2, 3], All).with(CONDITION),
    // movements
    case("Transpose", "perm = [1, 0]", UNARY, &[3, 2], All),
    case("DepthToSpace", "blocksize = 2 : i64", &[&[1, 4, 1, 2]], &[1, 1, 2, 4], All),
];

/// Distinct numbers from 0.05 to 1.5, of both signs where the domain has them.
fn numbers(shape: &[i64], seed: usize, domain: &Domain) -> Vec<f64> {
    let count = shape.iter().product::<i64>() as usize;
    let number = |at: usize| ((at + seed) * 7 % 19) as f64;
    (0..count)
        .map(|at| match domain {
            All => (number(at) - 9.0 + 0.4) / 7.0,
            Positive => (number(at) + 1.0) / 14.0,
        })
        .collect()
}

fn tensor_type(shape: &[i64]) -> String {
    let extents: String = shape.iter().map(|extent| format!("{extent}x")).collect();
    format!("tensor<{extents}f64>")
}

/// The elements of a dense constant, nested.
fn nested(shape: &[i64], values: &[f64]) -> String {
    let [extent, inner @ ..] = shape else { return format!("{:?}", values[0]) };
    let parts: Vec<String> = values.chunks(values.len() / *extent as usize).map(|part| nested(inner, part)).collect();
    format!("[{}]", parts.join(", "))
}

fn constant(name: &str, shape: &[i64], values: &[f64]) -> String {
    let r#type = tensor_type(shape);
    format!("%{name} = \"onnx.Constant\"() {{value = dense<{}> : {type}}} : () -> {type}\n", nested(shape, values))
}

fn tensor(shape: &[i64], values: &[f64]) -> Tensor {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    Tensor::new(Type::F64, shape.to_vec(), Blob::copy_of(&bytes)).expect("the number of values matches the shape")
}

/// Compares the derivative of a weighted sum of the result by one operand.
fn check(case: &Case, by: usize) {
    let shape = case.operands[by];
    let mut names: Vec<String> =
        (0..case.operands.len()).map(|at| if at == by { "%x".into() } else { format!("%c{at}") }).collect();
    let values: Vec<Vec<f64>> =
        case.operands.iter().enumerate().map(|(at, shape)| numbers(shape, 5 * at, &case.domain)).collect();
    let (x, result) = (tensor_type(shape), tensor_type(case.result));
    let mut types: Vec<String> = case.operands.iter().map(|shape| tensor_type(shape)).collect();
    let mut before = constant("weights", case.result, &numbers(case.result, 3, &All));
    for (at, values) in values.iter().enumerate().filter(|&(at, _)| at != by) {
        before += &constant(&format!("c{at}"), case.operands[at], values);
    }
    if let Some(fixed) = &case.fixed {
        before += &format!("%fixed = {}\n", fixed.definition);
        names.insert(fixed.at, "%fixed".into());
        types.insert(fixed.at, fixed.r#type.into());
    }
    let (operands, types) = (names.join(", "), types.join(", "));
    before += &format!("%v = \"onnx.{}\"({operands}) {{{}}} : ({types}) -> {result}\n", case.operator, case.attributes);
    let product = format!("\"onnx.Mul\"(%v, %weights) : ({result}, {result}) -> {result}");
    let gradient = format!(
        r#""onnx.preview.training.Gradient"(%x, %x, %w) {{xs = ["x"], y = "w"}} : ({x}, {x}, {result}) -> {x}"#
    );
    let mut function = session(&format!("%x: {x}"), &before, &product, &result);
    let mut derivative = session(&format!("%x: {x}"), &format!("{before}%w = {product}\n"), &gradient, &x);
    let run = |session: &mut driver::Session, x: &[f64]| {
        let outputs = session.run(&[tensor(shape, x)]).unwrap_or_else(|errors| panic!("{}", errors[0]));
        outputs[0].to_f64().expect("numbers")
    };
    let found = run(&mut derivative, &values[by]);
    assert_eq!(found.len(), values[by].len());
    const STEP: f64 = 1e-5;
    for (at, found) in found.into_iter().enumerate() {
        let mut sum_at = |offset: f64| {
            let mut x = values[by].clone();
            x[at] += offset;
            run(&mut function, &x).iter().sum::<f64>()
        };
        let expected = (sum_at(STEP) - sum_at(-STEP)) / (2.0 * STEP);
        let what = format!("{} {{{}}} by operand {by}, element {at}", case.operator, case.attributes);
        assert!(
            (found - expected).abs() < 1e-6 * expected.abs().max(1.0),
            "{what}: {found} where {expected} is expected"
        );
    }
}

#[test]
fn derivatives_are_limits_of_differences() {
    for case in CASES {
        (0..case.operands.len()).for_each(|by| check(case, by));
    }
}

#[test]
fn every_derivative_has_a_case() {
    let own = operators::all().filter(|row| row.derivative.is_some()).map(|row| row.operator.name());
    let has_case = |name: &&str| CASES.iter().any(|case| name.strip_prefix("onnx.") == Some(case.operator));
    let missing: Vec<&str> = own.filter(|name| !has_case(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
