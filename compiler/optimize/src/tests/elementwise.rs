//! Evaluates both sides of the equations between elementwise operators: exact ones have equal bits for all numbers,
//! others are close for ordinary numbers.

use std::sync::Arc;

use driver::{Compiler, Session, Tensor};
use egg::Id;
use ir::{Blob, FloatType, IndexMap, IndexSet, Module, Op, Type, floats, parse_module};

use crate::MAIN;
use crate::graph::{Graph, is_literal};
use crate::pattern::Pattern;
use crate::rules::{Compiled, Kind, Match, RULES};

/// Elements of every argument.
pub(super) const COUNT: usize = 256;
/// The number of arguments that a rule is tried with for each type.
const PLACES: usize = 2;
/// Operators in rules that are not elementwise, but take the operands of elementwise ones.
const ROWS: &[&str] = &["LayerNormalization", "LogSoftmax", "RMSNormalization", "Softmax"];
/// The values of a variable: a separate argument, a number, or a constant of many numbers.
const CANDIDATES: &[&str] = &["argument", "0.5", "3.0", "-2.0", "0.0", "row"];
const TYPES: &[&str] = &["f32", "f64", "f16", "bf16", "i8", "i32", "i64", "ui8", "i1"];

/// A function of one expression as text.
struct Writer {
    /// The value of each variable.
    chosen: Vec<&'static str>,
    lines: Vec<String>,
}

impl Writer {
    fn line(&mut self, definition: &str) -> String {
        let name = format!("%v{}", self.lines.len());
        self.lines.push(format!("  {name} = {definition}"));
        name
    }

    fn constant(&mut self, value: &str, shape: &str, element: &str) -> Option<(String, String)> {
        let whole = value.strip_suffix(".0");
        let value = if element.contains('f') { value } else { whole.unwrap_or(value) };
        let negative = value.starts_with('-') && (element.starts_with('u') || element == "i1");
        let fits = element.contains('f') || value.starts_with('[') || value.parse::<i64>().is_ok();
        if !fits || negative || (element == "i1" && !["0", "1"].contains(&value)) {
            return None;
        }
        let value = match (element, value) {
            ("i1", "0") => "false",
            ("i1", "1") => "true",
            (_, value) => value,
        };
        let r#type = format!("tensor<{shape}{element}>");
        let text = format!("\"onnx.Constant\"() {{value = dense<{value}> : {type}}} : () -> {type}");
        Some((self.line(&text), r#type))
    }

    /// The name and type of an expression; `None` if it is invalid for this type.
    fn write(&mut self, expression: &Pattern, element: &str) -> Option<(String, String)> {
        match expression {
            Pattern::Variable(variable) => match self.chosen[*variable] {
                "argument" => Some((format!("%x{variable}"), format!("tensor<{COUNT}x{element}>"))),
                "row" if element == "i1" => None,
                "row" => {
                    let whole = !element.contains('f');
                    let number = |at: usize| {
                        if whole { format!("{}", at % 7) } else { format!("{:.2}", (at % 7) as f64 * 0.25 - 0.5) }
                    };
                    let numbers: Vec<String> = (0..COUNT).map(number).collect();
                    self.constant(&format!("[{}]", numbers.join(", ")), &format!("{COUNT}x"), element)
                }
                number => self.constant(number, "", element),
            },
            Pattern::Number(number) => self.constant(&format!("{number:?}"), "", element),
            Pattern::Absent => Some(("%none".to_string(), "none".to_string())),
            Pattern::Named(_, inner) => self.write(inner, element),
            Pattern::Op { operator, operands, .. } => {
                let operator = RULES.operators[*operator].clone();
                let of = |at: usize| if at == 0 && operator == "Where" { "i1" } else { element };
                let operands: Vec<_> = operands
                    .iter()
                    .enumerate()
                    .map(|(at, operand)| self.write(operand, of(at)))
                    .collect::<Option<_>>()?;
                let join =
                    |part: fn(&(String, String)) -> &str| operands.iter().map(part).collect::<Vec<_>>().join(", ");
                let r#type = format!("tensor<{COUNT}x{element}>");
                let text = format!("\"onnx.{operator}\"({}) : ({}) -> {type}", join(|o| &o.0), join(|o| &o.1));
                Some((self.line(&text), r#type))
            }
        }
    }
}

/// The left side of a rule as a function; `None` if it is invalid.
pub(super) fn left_side(rule: &Compiled, element: &str, chosen: &[&'static str]) -> Option<Module> {
    let mut writer = Writer { chosen: chosen.to_vec(), lines: vec![] };
    let (result, r#type) = writer.write(&rule.from, element)?;
    let arguments: Vec<usize> = (0..chosen.len()).filter(|&at| chosen[at] == "argument").collect();
    let element_of = |at: usize| match (writer.lines.join("\n").contains(&format!("Where\"(%x{at},")), element) {
        (true, _) => "i1",
        (false, element) => element,
    };
    let typed: Vec<(String, String)> =
        arguments.iter().map(|&at| (format!("%x{at}"), format!("tensor<{COUNT}x{}>", element_of(at)))).collect();
    let list = |parts: Vec<String>| parts.join(", ");
    let text = format!(
        "\"func.func\"() ({{\n^bb0({}):\n  %none = \"onnx.NoValue\"() : () -> none\n{}\n  \"func.return\"({result}) : ({type}) -> ()\n}}) {{sym_name = \"{MAIN}\", function_type = ({}) -> {type}}} : () -> ()",
        list(typed.iter().map(|(name, r#type)| format!("{name}: {type}")).collect()),
        writer.lines.join("\n"),
        list(typed.iter().map(|(_, r#type)| r#type.clone()).collect()),
    );
    let module = parse_module(&text, "test", None).ok()?;
    ir::verify(&module, &dialects::registry()).ok()?;
    Some(module)
}

/// The same function with the right side in place of the left; `None` if the rule does not apply.
pub(super) fn right_side(rule: &Compiled, mut module: Module) -> Option<Module> {
    let function = module.symbol(MAIN)?;
    let attributes = module.body.op(function).attributes.clone();
    let mut body = module.body.take_isolated(function)?;
    let mut shapes = operators::shape::analyse(&body, &attributes, &IndexMap::default()).ok()?;
    let entry = body.entry()?;
    let end = body.terminator(entry)?;
    let ops: Vec<Op> = body.ops(entry).filter(|&op| op != end && !is_literal(&body, op)).collect();
    let root = body.operand(end, 0);
    let mut graph = Graph::new(&mut body, &mut shapes, &ops);
    let class = graph.class(root);
    let mut found = Vec::new();
    for node in graph.egraph[class].nodes.clone() {
        graph.match_node(&rule.from, &node, &mut |bindings| found.push(bindings.clone()));
    }
    let known: IndexSet<Op> = graph.places.keys().copied().collect();
    let same = |graph: &Graph<'_>, id: Id| {
        let (a, b) = (graph.data(class), graph.data(id));
        a.shape == b.shape && a.element == b.element
    };
    let built = found.iter().find_map(|bindings| Match::new(&mut graph, rule, class, bindings).rewrite())?;
    let value = graph.data(built).value.filter(|_| same(&graph, built))?;
    let new: Vec<Op> = graph.places.keys().copied().filter(|op| !known.contains(op)).collect();
    let detached: Vec<Op> = new.into_iter().filter(|&op| body.op(op).parent().is_none()).collect();
    for op in detached {
        body.insert_before(op, end);
    }
    body.set_operands(end, &[value]);
    module.body.set_isolated(function, body);
    module.update_function_type(function);
    Some(module)
}

pub(super) fn run(mut module: Module, inputs: &[Tensor]) -> Tensor {
    operators::structured::lower_function(&mut module, MAIN).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let main = module.function(MAIN).expect("there is a main");
    // integers are signless at this level
    let elements = main.r#type.inputs.iter().map(|r#type| r#type.element().clone());
    let inputs: Vec<Tensor> =
        inputs.iter().cloned().zip(elements).map(|(tensor, element)| Tensor { element, ..tensor }).collect();
    let compiler = Compiler::new(driver::Options { threads: 1, ..driver::Options::default() });
    let compiled = compiler.compile_structured(module).unwrap_or_else(|errors| panic!("{}", errors[0]));
    Session::new(Arc::new(compiled)).run(&inputs).unwrap_or_else(|errors| panic!("{}", errors[0])).remove(0)
}

/// Numbers that are combined with each other in all ways: number `at` of argument `argument`.
fn number(argument: usize, at: usize, element: &Type, ordinary: bool) -> Vec<u8> {
    let special = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        1e-40,
        -1e-40,
        3e4,
        -6e4,
        0.3,
        -2.7,
        5e-324,
        1e300,
        2.0,
    ];
    let integers =
        [0, 1, -1, 2, -2, 3, 100, -100, 127, -128, i64::from(i32::MAX), i64::from(i32::MIN), i64::MAX, i64::MIN, 7, -9];
    let pick = if argument.is_multiple_of(2) { at % 16 } else { at / 16 % 16 };
    match element {
        Type::Float(format) if ordinary => {
            let size = 0.25 + (at * (7 + 4 * argument) % 101) as f64 / 40.0;
            floats::encode(if at.is_multiple_of(3) { -size } else { size }, *format).to_le_bytes()
                [..element.byte_width().unwrap_or(1)]
                .to_vec()
        }
        Type::Float(format) => {
            floats::encode(special[pick], *format).to_le_bytes()[..element.byte_width().unwrap_or(1)].to_vec()
        }
        Type::Integer(integer) if integer.width == 1 => vec![(pick % 2) as u8],
        _ if ordinary => {
            ((at * (3 + argument)) as i64 % 9 + 1).to_le_bytes()[..element.byte_width().unwrap_or(1)].to_vec()
        }
        _ => integers[pick].to_le_bytes()[..element.byte_width().unwrap_or(1)].to_vec(),
    }
}

fn inputs(module: &Module, ordinary: bool) -> Vec<Tensor> {
    let main = module.function(MAIN).expect("there is a main");
    let arguments = main.body.arguments(main.body.entry().expect("main has a body"));
    let tensor = |(argument, &value): (usize, &ir::Value)| {
        let element = main.body.value_type(value).element().clone();
        let bytes: Vec<u8> = (0..COUNT).flat_map(|at| number(argument, at, &element, ordinary)).collect();
        Tensor::new(element, vec![COUNT as i64], Blob::copy_of(&bytes)).expect("the number of bytes matches the shape")
    };
    arguments.iter().enumerate().map(tensor).collect()
}

/// The tolerance of a rule that rounds differently, relative to the magnitude.
fn tolerance(element: &Type) -> f64 {
    match element {
        Type::Float(FloatType::F64) => 1e-6,
        Type::Float(FloatType::F32) => 2e-5,
        Type::Float(FloatType::F16) => 1e-2,
        _ => 6e-2,
    }
}

/// The first difference between the two sides.
fn difference(kind: Kind, left: &Tensor, right: &Tensor) -> Option<String> {
    let width = left.element.byte_width().unwrap_or(1);
    let (a, b) = (left.to_f64()?, right.to_f64()?);
    (0..COUNT).find_map(|at| {
        let bits = |tensor: &Tensor| tensor.data.bytes()[at * width..][..width].to_vec();
        let both_nan = a[at].is_nan() && b[at].is_nan();
        let close = (a[at] - b[at]).abs() <= tolerance(&left.element) * (1.0 + a[at].abs());
        let fits = both_nan || bits(left) == bits(right) || (kind != Kind::Exact && close);
        (!fits).then(|| format!("element {at}: {} and {}", a[at], b[at]))
    })
}

pub(super) fn is_elementwise(pattern: &Pattern) -> bool {
    match pattern {
        Pattern::Variable(_) | Pattern::Number(_) | Pattern::Absent => true,
        Pattern::Named(_, inner) => is_elementwise(inner),
        Pattern::Op { operator, operands, .. } => {
            let name = &RULES.operators[*operator];
            let row = operators::row_of(&format!("onnx.{name}"));
            let elementwise = row.is_some_and(|row| row.kind == operators::Kind::Elementwise);
            (elementwise || ROWS.contains(&name.as_str())) && operands.iter().all(is_elementwise)
        }
    }
}

/// Every choice for some variables, the first one an argument.
fn choices(variables: usize) -> Vec<Vec<&'static str>> {
    (1..variables).fold(vec![vec![CANDIDATES[0]; variables.min(1)]], |all, _| {
        all.iter()
            .flat_map(|chosen| CANDIDATES.iter().map(|&candidate| [chosen.as_slice(), &[candidate]].concat()))
            .collect()
    })
}

#[test]
fn both_sides_are_equal_within_the_bound_of_the_rule() {
    let mut problems = Vec::new();
    let mut silent = Vec::new();
    for rule in RULES.all.iter().filter(|rule| is_elementwise(&rule.from)) {
        let name = rule.rule.name;
        let mut fired = 0;
        for element in TYPES {
            let mut places = 0;
            for chosen in choices(rule.names().variables().len()) {
                let Some(left) = left_side(rule, element, &chosen) else { continue };
                let Some(right) = left_side(rule, element, &chosen).and_then(|module| right_side(rule, module)) else {
                    continue;
                };
                let inputs = inputs(&left, rule.rule.kind != Kind::Exact);
                let (left, right) = (run(left, &inputs), run(right, &inputs));
                if let Some(difference) = difference(rule.rule.kind, &left, &right) {
                    problems.push(format!("{name} of {element}, {chosen:?}: {difference}"));
                }
                places += 1;
                if places == PLACES {
                    break;
                }
            }
            fired += places;
        }
        if fired == 0 {
            silent.push(name);
        }
    }
    assert!(problems.is_empty(), "{}\nnever apply: {silent:?}", problems.join("\n"));
    assert_eq!(silent, NEVER_APPLY, "rules that no expression here is the left side of");
}

/// Rules that need attributes, related or non-negative numbers, or a constant in place of the first argument.
const NEVER_APPLY: &[&str] = &["pow-half", "pow-minus-half", "where-known", "hard-sigmoid-mul", "hard-swish"];
