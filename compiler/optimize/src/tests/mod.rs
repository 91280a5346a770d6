//! Tests of the equations: each case is an expression and its optimised form.
//!
//! Expressions have the syntax of patterns; [`PRELUDE`] defines the arguments and constants. A uniform constant prints
//! as its value, any other constant computation as `constant`.

mod bounds;
mod elementwise;
mod products;
mod strict;

use ir::{Body, Module, Value, parse_module};

use crate::language::short_name;
use crate::pattern::{Names, Pattern, Reader};
use crate::{Options, optimize};

/// Names, types and definitions.
const PRELUDE: &[(&str, &str, &str)] = &[
    ("x", "tensor<?x?x64xf32>", ""),
    ("y", "tensor<?x?x64xf32>", ""),
    ("matrix", "tensor<?x4xf32>", ""),
    ("image", "tensor<1x2x8x8xf32>", ""),
    ("flag", "tensor<?x?x64xi1>", ""),
    ("last", "tensor<1xi64>", "dense<-1>"),
    ("first", "tensor<1xi64>", "dense<0>"),
    ("front", "tensor<2xi64>", "dense<[0, 0]>"),
    ("pixels", "tensor<3xi64>", "dense<[1, 2, 64]>"),
    ("image_shape", "tensor<4xi64>", "dense<[1, 2, 8, 8]>"),
    ("ones", "tensor<4xi64>", "dense<1>"),
    ("ones_of_one", "tensor<1xi64>", "dense<1>"),
    ("zeros", "tensor<8xi64>", "dense<0>"),
    ("nothing", "tensor<0xi64>", "dense<[]>"),
    ("far", "tensor<1xi64>", "dense<9223372036854775807>"),
    ("weights", "tensor<3x2x1x1xf32>", "dense<[[[[1.0]], [[2.0]]], [[[3.0]], [[4.0]]], [[[5.0]], [[6.0]]]]>"),
    ("turned", "tensor<2x3x1x1xf32>", "dense<[[[[1.0]], [[2.0]], [[3.0]]], [[[4.0]], [[5.0]], [[6.0]]]]>"),
    ("columns", "tensor<4x3xf32>", "dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0], [1.0, 1.0, 2.0]]>"),
    ("three", "tensor<3xf32>", "dense<[1.0, 2.0, 3.0]>"),
    ("other_three", "tensor<3xf32>", "dense<[4.0, 2.0, 7.0]>"),
    ("channels", "tensor<3x1x1xf32>", "dense<[[[1.0]], [[2.0]], [[3.0]]]>"),
    ("row", "tensor<64xf32>", "dense_resource<row>"),
    ("other_row", "tensor<64xf32>", "dense_resource<other_row>"),
];

struct Writer {
    text: String,
    count: usize,
}

impl Writer {
    fn line(&mut self, definition: &str, r#type: &str) -> (String, String) {
        let name = format!("%t{}", self.count);
        self.count += 1;
        self.text.push_str(&format!("  {name} = {definition}\n"));
        (name, r#type.to_string())
    }

    /// The name and type of an expression's value.
    fn write(&mut self, expression: &Pattern, names: &Names) -> (String, String) {
        match expression {
            Pattern::Variable(variable) => {
                let (name, r#type, _) =
                    PRELUDE.iter().find(|(name, ..)| *name == names.variables()[*variable]).expect("it is defined");
                (format!("%{name}"), r#type.to_string())
            }
            Pattern::Number(number) => {
                let value = ir::attributes::Attribute::f32(*number as f32).as_float().expect("it is a float");
                let text =
                    format!(r#""onnx.Constant"() {{value = dense<{value:.12}> : tensor<f32>}} : () -> tensor<f32>"#);
                self.line(&text, "tensor<f32>")
            }
            Pattern::Absent => ("%none".to_string(), "none".to_string()),
            Pattern::Named(_, inner) => self.write(inner, names),
            Pattern::Op { operator, operands, attributes, .. } => {
                let operator = &names.operators[*operator];
                let operands: Vec<_> = operands.iter().map(|operand| self.write(operand, names)).collect();
                let join = |part: fn(&(String, String)) -> &String| {
                    operands.iter().map(|operand| part(operand).as_str()).collect::<Vec<_>>().join(", ")
                };
                let texts: Vec<String> = attributes
                    .iter()
                    .map(|(name, value)| match (value.as_integer(), value.as_float()) {
                        (Some(number), _) => format!("{name} = {number} : i64"),
                        (_, Some(number)) => format!("{name} = {number:.12} : f32"),
                        // the letters of a permutation are its axes
                        _ if name == "perm" => {
                            let axes: Vec<String> = value.as_str().unwrap_or_default()[1..]
                                .chars()
                                .map(|axis| format!("{axis} : i64"))
                                .collect();
                            format!("{name} = [{}]", axes.join(", "))
                        }
                        _ => format!("{name} = \"{}\"", value.as_str().unwrap_or_default()),
                    })
                    .collect();
                let to = attributes.iter().find(|(name, _)| name == "to").and_then(|(_, value)| value.as_integer());
                let element = match to {
                    Some(6) => "i32",
                    Some(11) => "f64",
                    _ if operands[0].1.ends_with("xi1>") && operator != "Where" => "i1",
                    _ => "f32",
                };
                let r#type = format!("tensor<*x{element}>");
                let text = format!(
                    "\"onnx.{operator}\"({}) {{{}}} : ({}) -> {}",
                    join(|operand| &operand.0),
                    texts.join(", "),
                    join(|operand| &operand.1),
                    r#type
                );
                self.line(&text, &r#type)
            }
        }
    }
}

fn module_of(expressions: &[&str]) -> Module {
    let mut writer = Writer { text: String::new(), count: 0 };
    let arguments: Vec<_> = PRELUDE.iter().filter(|(.., value)| value.is_empty()).collect();
    for (name, r#type, value) in PRELUDE.iter().filter(|(.., value)| !value.is_empty()) {
        let definition = format!("  %{name} = \"onnx.Constant\"() {{value = {value} : {type}}} : () -> {type}\n");
        writer.text.push_str(&definition);
    }
    let mut returned = Vec::new();
    for expression in expressions {
        let mut names = Names::default();
        let pattern = Reader::read(expression, &mut names);
        returned.push(writer.write(&pattern, &names));
    }
    let list = |parts: Vec<String>| parts.join(", ");
    let text = format!(
        "\"func.func\"() ({{\n^bb0({}):\n  %none = \"onnx.NoValue\"() : () -> none\n{}  \"func.return\"({}) : ({}) -> ()\n}}) \
         {{sym_name = \"main_graph\", function_type = ({}) -> ()}} : () -> ()",
        list(arguments.iter().map(|(name, r#type, _)| format!("%{name}: {type}")).collect()),
        writer.text,
        list(returned.iter().map(|(name, _)| name.clone()).collect()),
        list(returned.iter().map(|(_, r#type)| r#type.clone()).collect()),
        list(arguments.iter().map(|(_, r#type, _)| r#type.to_string()).collect()),
    );
    parse_module(&text, "test", None).unwrap_or_else(|errors| panic!("{}\n{text}", errors[0]))
}

/// The optimised results, as expressions.
fn results(module: &Module) -> Vec<String> {
    let main = module.function("main_graph").expect("there is a main");
    let entry = main.body.entry().expect("main has a body");
    let end = main.body.terminator(entry).expect("main returns");
    main.body.op(end).operands().iter().map(|&value| print(main.body, value)).collect()
}

fn print(body: &Body, value: Value) -> String {
    let Some(op) = body.defining_op(value) else {
        let entry = body.entry().expect("main has a body");
        let at = body.arguments(entry).iter().position(|&argument| argument == value).expect("it is an argument");
        return PRELUDE[at].0.to_string();
    };
    let name = short_name(body, op);
    if name == "NoValue" {
        return "_".to_string();
    }
    if is_constant(body, value) {
        let dense = ir::constant_value(body, value).and_then(ir::Attribute::as_dense);
        let number = dense.filter(|dense| dense.is_splat() && dense.is_available()).and_then(|dense| dense.float(0));
        return number.map_or("constant".to_string(), |number| number.to_string());
    }
    let mut operands: Vec<String> = body.op(op).operands().iter().map(|&operand| print(body, operand)).collect();
    if operands.last().is_some_and(|last| last == "_") {
        operands.pop();
    }
    format!("{name}({})", operands.join(", "))
}

fn is_constant(body: &Body, value: Value) -> bool {
    body.defining_op(value).is_some_and(|op| body.op(op).operands().iter().all(|&operand| is_constant(body, operand)))
}

fn optimized(expressions: &[&str], options: &Options) -> Vec<String> {
    let mut module = module_of(expressions);
    optimize(&mut module, options).expect("the cases are valid");
    results(&module)
}

fn check(cases: &[(&str, &str)]) {
    for (before, after) in cases {
        assert_eq!(optimized(&[before], &Options::default())[0], *after, "{before}");
    }
}

#[test]
fn arithmetic() {
    check(&[
        ("Add(x, 0)", "x"),
        ("Sub(x, 0)", "x"),
        ("Mul(1, x)", "x"),
        ("Div(x, 1)", "x"),
        ("Sub(0, x)", "Neg(x)"),
        ("Pow(x, 2)", "Mul(x, x)"),
        ("Pow(Abs(x), 0.5)", "Sqrt(Abs(x))"),
        ("Div(x, 8)", "Mul(x, 0.125)"),
        ("Add(Add(x, 2), 3)", "Add(x, 5)"),
        ("Mul(Mul(x, 2), 3)", "Mul(x, 6)"),
        ("Sub(Add(x, 2), 3)", "Add(x, -1)"),
        ("Div(1, Sqrt(x))", "Reciprocal(Sqrt(x))"),
        ("Sum(x, y)", "Add(x, y)"),
    ]);
}

#[test]
fn activations() {
    check(&[
        ("Max(x, 0)", "Relu(x)"),
        ("Clip(x, 0, _)", "Relu(x)"),
        ("Mul(x, Sigmoid(x))", "Swish(x)"),
        ("Mul(x, Div(Clip(Add(x, 3), 0, 6), 6))", "HardSwish(x)"),
        ("Div(Mul(x, Clip(Add(x, 3), 0, 6)), 6)", "HardSwish(x)"),
        ("Mul(HardSigmoid(x){alpha=0.16666667, beta=0.5}, x)", "HardSwish(x)"),
        ("Div(Clip(Add(x, 3), 0, 6), 6)", "HardSigmoid(x)"),
        ("Mul(Mul(x, Add(Erf(Div(x, 1.4142135)), 1)), 0.5)", "Gelu(x)"),
        ("Mul(Mul(x, 0.5), Add(1, Erf(Mul(x, 0.70710677))))", "Gelu(x)"),
        ("Mul(Mul(0.5, x), Add(1, Tanh(Mul(0.7978846, Add(x, Mul(0.044715, Pow(x, 3)))))))", "Gelu(x)"),
        ("Log(Add(Exp(x), 1))", "Softplus(x)"),
        ("Max(x, Mul(x, 0.25))", "LeakyRelu(x)"),
        ("Div(Exp(Sub(x, ReduceMax(x, last))), ReduceSum(Exp(Sub(x, ReduceMax(x, last))), last))", "Softmax(x)"),
    ]);
}

#[test]
fn shapes() {
    check(&[
        ("Identity(x)", "x"),
        ("Transpose(Transpose(x){perm=p021}){perm=p021}", "x"),
        ("Reshape(Reshape(image, pixels), image_shape)", "image"),
        ("Unsqueeze(Squeeze(image, first), first)", "image"),
        ("Relu(Squeeze(Unsqueeze(x, first), first))", "Relu(x)"),
        ("Concat(x){axis=1}", "x"),
        ("Slice(x, first, far, first)", "x"),
        ("Slice(Relu(x), first, far, first)", "Relu(x)"),
    ]);
}

#[test]
fn contraction() {
    check(&[
        ("Add(Conv(image, weights), channels)", "Conv(image, constant, constant)"),
        ("Mul(Conv(image, weights, three), channels)", "Conv(image, constant, constant)"),
        ("Add(Mul(ConvTranspose(image, turned), channels), channels)", "ConvTranspose(image, constant, constant)"),
        (
            "Relu(BatchNormalization(Conv(image, weights), three, three, other_three, three))",
            "Relu(Conv(image, constant, constant))",
        ),
        (
            "BatchNormalization(Conv(image, weights, three), three, three, other_three, three)",
            "Conv(image, constant, constant)",
        ),
        (
            "BatchNormalization(ConvTranspose(image, turned, three), three, three, other_three, three)",
            "ConvTranspose(image, constant, constant)",
        ),
        ("Add(MatMul(matrix, columns), three)", "Gemm(matrix, constant, constant)"),
        ("Mul(Gemm(matrix, columns, three), other_three)", "Gemm(matrix, constant, constant)"),
        ("BatchNormalization(Gemm(matrix, columns), three, three, three, three)", "Gemm(matrix, constant, constant)"),
    ]);
}

#[test]
fn normalizations() {
    check(&[
        (
            "Add(Mul(Div(Sub(x, ReduceMean(x, last)), Sqrt(Add(ReduceMean(Pow(Sub(x, ReduceMean(x, last)), 2), last), 0.00001))), row), other_row)",
            "LayerNormalization(x, constant, constant)",
        ),
        (
            "Mul(row, Mul(x, Reciprocal(Sqrt(Add(ReduceMean(Pow(x, 2), last), 0.00001)))))",
            "RMSNormalization(x, constant)",
        ),
        ("Mul(row, Div(x, Sqrt(Add(0.00001, ReduceMean(Mul(x, x), last)))))", "RMSNormalization(x, constant)"),
    ]);
}

#[test]
fn strict_floating_point_keeps_what_rounds_differently() {
    let strict = Options { strict_fp: true, ..Options::default() };
    assert_eq!(optimized(&["Mul(Mul(x, 2), 3)"], &strict), ["Mul(Mul(x, 2), 3)"]);
    assert_eq!(optimized(&["Mul(Mul(x, 2), 1)"], &strict), ["Mul(x, 2)"]);
}

/// `max(-1, -0)` is -0, and `-0 - -0` is 0.
#[test]
fn rules_for_zero_do_not_hold_for_minus_zero() {
    let strict = Options { strict_fp: true, ..Options::default() };
    for expression in ["Max(x, -0)", "Clip(x, -0, _)", "Sub(x, -0)"] {
        assert_eq!(optimized(&[expression], &strict)[0], results(&module_of(&[expression]))[0]);
    }
}

/// Constants are combined only if little is lost: neither in a larger one nor by overflow.
#[test]
fn constants_are_combined_only_where_little_is_lost() {
    for expression in [
        "Sub(Add(x, 12582912), 12582912)",
        "Add(Sub(x, 100000000), 100000001)",
        "Mul(Mul(x, 1e30), 1e30)",
        "Mul(Mul(x, 1e-30), 1e30)",
        "Div(x, 1e-39)",
        "Mul(MatMul(matrix, columns), 1e30)",
    ] {
        assert_eq!(optimized(&[expression], &Options::default())[0], results(&module_of(&[expression]))[0]);
    }
    check(&[("Sub(Add(x, 2), 3)", "Add(x, -1)")]);
}

#[test]
fn exact_rules_round_as_often_as_what_they_replace() {
    let strict = Options { strict_fp: true, ..Options::default() };
    for (element, fires) in [("f32", true), ("f16", false), ("bf16", false)] {
        let text = format!(
            r#""func.func"() ({{
^bb0(%x: tensor<4x{element}>):
  %one = "onnx.Constant"() {{value = dense<1.0> : tensor<{element}>}} : () -> tensor<{element}>
  %magnitude = "onnx.Abs"(%x) : (tensor<4x{element}>) -> tensor<4x{element}>
  %sum = "onnx.Add"(%magnitude, %one) : (tensor<4x{element}>, tensor<{element}>) -> tensor<4x{element}>
  %sign = "onnx.Div"(%x, %sum) : (tensor<4x{element}>, tensor<4x{element}>) -> tensor<4x{element}>
  "func.return"(%sign) : (tensor<4x{element}>) -> ()
}}) {{sym_name = "main_graph", function_type = (tensor<4x{element}>) -> tensor<4x{element}>}} : () -> ()"#
        );
        for (options, fires) in [(&strict, fires), (&Options::default(), true)] {
            let mut module = parse_module(&text, "test", None).expect("parses");
            optimize(&mut module, options).expect("is right");
            assert_eq!(ir::print_module(&module, &ir::PrintOptions::default()).contains("onnx.Softsign"), fires);
        }
    }
}

#[test]
fn equal_subexpressions_are_one() {
    let mut module = module_of(&["Add(Sigmoid(x), Exp(y))", "Mul(Sigmoid(x), Exp(y))"]);
    let report = optimize(&mut module, &Options::default()).expect("the case is valid");
    assert_eq!((report.operations_before, report.operations_after), (6, 4));
}

/// Alone, the convolution is cheapest with the factor in its weights; if the unscaled result is needed as well, nothing
/// is gained.
#[test]
fn shared_parts_are_counted_once() {
    let scaled = "Conv(Mul(image, 3), weights)";
    assert_eq!(optimized(&[scaled], &Options::default()), ["Conv(image, constant)"]);
    let both = optimized(&[scaled, "Exp(Mul(image, 3))"], &Options::default());
    assert_eq!(both, ["Conv(Mul(image, 3), constant)", "Exp(Mul(image, 3))"]);
}

#[test]
fn large_graphs_are_taken_in_pieces() {
    let mut module = module_of(&["Identity(x)"]);
    let function = module.symbol("main_graph").expect("there is a main");
    let body = module.function_body_mut(function).expect("main has a body");
    let entry = body.entry().expect("main has a body");
    let end = body.terminator(entry).expect("main returns");
    for _ in 1..2 * crate::WINDOW + 2 {
        let value = body.operand(end, 0);
        let r#type = body.value_type(value).clone();
        let same = ir::Builder::before(body, end).value("onnx.Identity", &[value], r#type, []);
        body.set_operand(end, 0, same);
    }
    let report = optimize(&mut module, &Options::default()).expect("the case is valid");
    assert_eq!(results(&module), ["x"]);
    assert_eq!((report.operations_before, report.operations_after), (2 * crate::WINDOW + 2, 0));
}

#[test]
fn windows_end_where_few_values_cross() {
    let sizes = |expression: &str, largest: usize| -> Vec<usize> {
        let module = module_of(&[expression]);
        let body = module.function("main_graph").expect("there is a main").body;
        let entry = body.entry().expect("main has a body");
        let operators: Vec<ir::Op> = body.ops(entry).filter(|&op| !body.op(op).operands().is_empty()).collect();
        let (_, operators) = operators.split_last().expect("main returns");
        crate::graph_windows::windows(body, operators, largest).iter().map(|window| window.len()).collect()
    };
    assert_eq!(sizes("Add(Sigmoid(Neg(x)), Exp(y))", 3), [2, 2]);
    assert_eq!(sizes("Neg(Add(Sigmoid(x), Exp(y)))", 3), [3, 1]);
    assert_eq!(sizes("Neg(Add(Sigmoid(x), Exp(y)))", 4), [4]);
}

#[test]
fn reports_say_why_a_search_stopped() {
    let stop = |options: &Options| {
        let report = optimize(&mut module_of(&["Mul(Mul(Mul(x, 2), 3), 4)"]), options).expect("the case is valid");
        report.searches.iter().map(|search| search.stop).collect::<Vec<_>>()
    };
    assert_eq!(stop(&Options::default()), [crate::Stop::Saturated]);
    assert_eq!(stop(&Options { node_limit: 1, ..Options::default() }), [crate::Stop::Size]);
}

#[test]
fn results_are_the_same_every_time() {
    let text = |_| {
        let mut module = module_of(&["Mul(Mul(x, 0.5), Add(Erf(Div(x, 1.4142135)), 1))", "Relu(Max(x, 0))"]);
        optimize(&mut module, &Options::default()).expect("the case is valid");
        ir::print_module(&module, &ir::PrintOptions::brief())
    };
    let texts: Vec<String> = (0..3).map(text).collect();
    assert!(texts.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn every_rule_reads() {
    let names: ir::IndexSet<&str> = crate::rules::RULES.all.iter().map(|rule| rule.rule.name).collect();
    assert_eq!(names.len(), crate::rules::RULES.all.len(), "names of rules are unique");
}
