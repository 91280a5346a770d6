//! Every version of every operator is compiled without a panic; errors are allowed.

use std::panic::{AssertUnwindSafe, catch_unwind};

use dialects::levels::Level;
use dialects::onnx::schema::{self, AttributeSchema, Kind, Mode, Parameter, Schema};
use driver::{Compiler, ErrorClass, Options};
use proto::{AttributeProto, GraphProto, ModelProto, NodeProto, TypeProto, TypeValue};
use tests::node::{int, model, node, string, tensor_type, value_info, write};

/// How a node is filled in.
#[derive(Clone, Copy, Debug)]
struct Variant {
    rank: usize,
    /// Whether optional operands and results are present.
    full: bool,
    /// Which of a constraint's types is used.
    r#type: usize,
}

const VARIANTS: &[Variant] = &[
    Variant { rank: 4, full: false, r#type: 0 },
    Variant { rank: 2, full: true, r#type: 0 },
    Variant { rank: 1, full: false, r#type: 1 },
    Variant { rank: 3, full: true, r#type: 2 },
    Variant { rank: 0, full: true, r#type: 3 },
];

/// The types that most operators are tested with come first.
const PREFERRED: &[&str] = &["float", "int64", "float16", "string", "bool", "double", "uint8"];

fn type_of(schema: &Schema, parameter: &Parameter, variant: Variant) -> TypeProto {
    let allowed = schema.allowed_types(parameter);
    let mut names: Vec<&str> = PREFERRED.iter().copied().filter(|name| allowed.contains(name)).collect();
    names.extend(allowed.iter().filter(|name| !PREFERRED.contains(name)));
    type_by_name(names[variant.r#type % names.len()], variant.rank)
}

fn type_by_name(name: &str, rank: usize) -> TypeProto {
    let inner = |name: &str| Some(Box::new(type_by_name(name, rank)));
    let number = |name: &str| (1..30).find(|&number| proto::type_name(number) == name).unwrap_or(1);
    let value = match name.split_once(':') {
        Some(("seq", element)) => TypeValue::Sequence(proto::TypeSequence { elem_type: inner(element) }.into()),
        Some(("optional", element)) => TypeValue::Optional(proto::TypeOptional { elem_type: inner(element) }.into()),
        Some((_, pair)) => {
            let (key, value) = pair.split_once(',').unwrap_or(("int64", "float"));
            TypeValue::Map(proto::TypeMap { key_type: number(key), value_type: inner(value) }.into())
        }
        None => return tensor_type(number(name), &vec![Some(2); rank]),
    };
    TypeProto { value: Some(value), ..Default::default() }
}

fn attribute(schema: &AttributeSchema, rank: usize) -> AttributeProto {
    let name = schema.name.to_string();
    let empty = AttributeProto { name: name.clone(), ..Default::default() };
    match schema.kind {
        Kind::Int => int(&name, 1),
        Kind::Ints => AttributeProto { ints: vec![1; rank.max(1)], r#type: Some(7), ..empty },
        Kind::Float => AttributeProto { f: Some(1.0), r#type: Some(1), ..empty },
        Kind::Floats => AttributeProto { floats: vec![1.0; rank.max(1)], r#type: Some(6), ..empty },
        Kind::String => string(&name, "x"),
        Kind::Strings => {
            AttributeProto { strings: vec!["x".to_string().into_bytes().into()], r#type: Some(8), ..empty }
        }
        Kind::Tensor | Kind::SparseTensor => {
            let tensor =
                proto::TensorProto { dims: vec![1], data_type: 1, float_data: vec![1.0], ..Default::default() };
            AttributeProto { t: Some(tensor), r#type: Some(4), ..empty }
        }
        Kind::TypeProto => AttributeProto { tp: Some(tensor_type(1, &[])), r#type: Some(13), ..empty },
        Kind::Graph => {
            let names = ["x0", "x1"];
            let output = names.iter().map(|name| value_info(name, None)).collect();
            AttributeProto { g: Some(Box::new(GraphProto { output, ..Default::default() })), r#type: Some(5), ..empty }
        }
    }
}

/// The number of values of a parameter.
fn count(parameter: &Parameter, full: bool) -> usize {
    match parameter.mode {
        Mode::Single => 1,
        Mode::Optional => usize::from(full),
        Mode::Variadic | Mode::Mixed => usize::from(parameter.minimum).max(if full { 2 } else { 1 }),
    }
}

fn build(schema: &Schema, variant: Variant) -> ModelProto {
    let types: Vec<TypeProto> = schema
        .inputs
        .iter()
        .flat_map(|input| vec![type_of(schema, input, variant); count(input, variant.full)])
        .collect();
    let outputs = schema.outputs.iter().map(|output| count(output, variant.full)).sum();
    let given = schema.attributes.iter().filter(|a| a.required || variant.full && a.default.is_none());
    let attributes = given.map(|a| attribute(a, variant.rank)).collect();
    let one = NodeProto { domain: schema.domain.into(), ..node(schema.name, types.len(), outputs, attributes) };
    let inputs: Vec<_> =
        types.into_iter().enumerate().map(|(at, r#type)| value_info(&format!("x{at}"), Some(r#type))).collect();
    model(schema.domain, schema.since, one, &inputs)
}

#[test]
fn no_version_of_an_operator_makes_the_compiler_panic() {
    let compiler = Compiler::new(Options { threads: 1, ..Options::default() });
    let mut problems = Vec::new();
    for schema in schema::all_versions() {
        for &variant in VARIANTS {
            let path = write(&build(schema, variant), &format!("schema-{}-{}", schema.name, schema.since));
            let lowered = catch_unwind(AssertUnwindSafe(|| compiler.lower_file(&path, Level::Low).map(drop)));
            std::fs::remove_file(path).expect("it was just written");
            let what = format!("{} of {} {}, {variant:?}", schema.name, schema.domain, schema.since);
            match lowered {
                Err(_) => problems.push(format!("{what}: panics")),
                Ok(Err(errors)) if errors.iter().any(|error| error.class == ErrorClass::Internal) => {
                    problems.push(format!("{what}: {}", errors[0]));
                }
                Ok(_) => {}
            }
        }
    }
    assert!(problems.is_empty(), "{} problems\n{}", problems.len(), problems.join("\n"));
}
