//! Generates the views from the schemas and compares them with the files.

use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::Path;

use super::super::schema::{self, AttributeSchema, Kind, Mode, Schema};

const HEADER: &str = "// Generated from the schemas; UPDATE=1 cargo test -p onnxc-dialects regenerates it.\n\
    #![allow(missing_docs, reason = \"the names are ONNX's\")]\n";

/// The domains with operators, and the files of their views.
const DOMAINS: [(&str, &str, &str); 6] = [
    ("ai.onnx", "onnx", ""),
    ("ai.onnx.ml", "ml", "Ml"),
    ("ai.onnx.preview", "preview", "Preview"),
    ("ai.onnx.preview.training", "training", "Training"),
    ("com.microsoft", "microsoft", "Microsoft"),
    ("com.microsoft.nchwc", "nchwc", "Nchwc"),
];

#[test]
fn views_are_generated() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/onnx");
    check(&folder.join("names.rs"), &names());
    check(&folder.join("views/enumerations.rs"), &enumerations());
    for (domain, file, _) in DOMAINS {
        check(&folder.join(format!("views/{file}.rs")), &views(domain));
    }
}

fn check(path: &Path, text: &str) {
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(path, text).expect("the source tree can be written");
    }
    let found = std::fs::read_to_string(path).unwrap_or_default();
    assert!(found == text, "{} differs from the schemas; UPDATE=1 regenerates it", path.display());
}

/// The enum of operators, in the order of their operations' names.
fn names() -> String {
    let mut operators: Vec<(String, String)> =
        schema::all_newest().map(|schema| (schema.op_name(), variant(schema))).collect();
    operators.sort();
    let mut text = HEADER.to_string();
    text +=
        "\n/// An operator, in its newest form.\n#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]\n";
    text += "pub enum OnnxOp {\n";
    operators.iter().for_each(|(_, variant)| writeln!(text, "    {variant},").expect("text grows"));
    text += "}\n\n/// The operators with the names of their operations, sorted by name.\n";
    writeln!(text, "pub(super) const OPERATORS: [(&str, OnnxOp); {}] = [", operators.len()).expect("text grows");
    for (name, variant) in &operators {
        writeln!(text, "    (\"{name}\", OnnxOp::{variant}),").expect("text grows");
    }
    text + "];\n"
}

fn variant(schema: &Schema) -> String {
    let domain = DOMAINS.iter().find(|(domain, ..)| *domain == schema.domain);
    let (.., prefix) = domain.expect("every domain of the tables is listed");
    format!("{prefix}{}", schema.name)
}

fn enumerations() -> String {
    let used: BTreeSet<&str> =
        schema::all_newest().flat_map(|schema| &schema.attributes).filter_map(|a| a.enumeration).collect();
    let mut text = format!("{HEADER}\nuse super::Enumeration;\n");
    for name in used {
        let choices = schema::choices(name);
        let variants: Vec<String> = choices.iter().map(|choice| camel(choice)).collect();
        let arms: Vec<String> = choices
            .iter()
            .zip(&variants)
            .map(|(choice, variant)| format!("\"{choice}\" => {name}::{variant}"))
            .collect();
        write!(
            text,
            "\n#[derive(Clone, Copy, Debug, PartialEq, Eq)]\npub enum {name} {{ {} }}\n\
             impl Enumeration for {name} {{\n    fn parse(text: &str) -> Option<Self> {{\n        \
             Some(match text {{ {}, _ => return None }})\n    }}\n}}\n",
            variants.join(", "),
            arms.join(", "),
        )
        .expect("text grows");
    }
    text
}

/// `SAME_UPPER` and `half_pixel` as names of variants.
fn camel(text: &str) -> String {
    let keep = !text.contains('_') && text.chars().any(char::is_lowercase) && text.starts_with(char::is_uppercase);
    let word = |word: &str| {
        let (first, rest) = word.split_at(1);
        first.to_uppercase() + &if keep { rest.to_string() } else { rest.to_lowercase() }
    };
    text.split('_').map(word).collect()
}

fn views(domain: &str) -> String {
    let schemas: Vec<&Schema> = schema::all_newest().filter(|schema| schema.domain == domain).collect();
    let bodies: String = schemas.iter().map(|schema| view(schema)).collect();
    let mut text = format!("{HEADER}\n");
    if bodies.contains("Arc<") {
        text += "use std::sync::Arc;\n\n";
    }
    let used = |candidates: &[&str]| {
        let found: Vec<&str> = candidates.iter().copied().filter(|name| bodies.contains(&format!("{name}>"))).collect();
        found.into_iter().chain(["Value"]).collect::<Vec<_>>().join(", ")
    };
    writeln!(text, "use ir::{{{}}};\n", used(&["DenseElements", "Type"])).expect("text grows");
    let required = if bodies.contains("required(") { ", required" } else { "" };
    writeln!(text, "use super::super::OnnxOp;\nuse super::{{Reader, View{required}}};").expect("text grows");
    let enumerations: BTreeSet<&str> =
        schemas.iter().flat_map(|schema| &schema.attributes).filter_map(|a| a.enumeration).collect();
    if !enumerations.is_empty() {
        let names = enumerations.into_iter().collect::<Vec<_>>().join(", ");
        writeln!(text, "use super::enumerations::{{{names}}};").expect("text grows");
    }
    text + &bodies
}

/// One struct, and the code that reads it.
fn view(schema: &Schema) -> String {
    let name = schema.name;
    let mut fields = Vec::new();
    let mut reads = Vec::new();
    let mut taken = BTreeSet::new();
    for (index, input) in schema.inputs.iter().enumerate() {
        let field = field_name(input.name);
        taken.insert(field.clone());
        let (r#type, read) = match input.mode {
            Mode::Single => ("Value", format!("node.operand({index})")),
            Mode::Optional => ("Option<Value>", format!("node.optional({index})")),
            Mode::Variadic | Mode::Mixed => ("Vec<Value>", format!("node.variadic({index})")),
        };
        fields.push(format!("pub {field}: {type}"));
        reads.push(format!("{field}: {read}"));
    }
    for attribute in schema.attributes.iter().filter(|attribute| attribute.kind != Kind::Graph) {
        let mut field = field_name(attribute.name);
        if !taken.insert(field.clone()) {
            field += "_attribute";
        }
        let (r#type, read) = attribute_field(attribute);
        fields.push(format!("pub {field}: {type}"));
        reads.push(format!("{field}: {read}"));
    }
    let parameter = if reads.is_empty() { "_" } else { "node" };
    let body = if reads.is_empty() { format!("{name} {{}}") } else { format!("{name} {{ {} }}", reads.join(", ")) };
    let fields = if fields.is_empty() { String::new() } else { format!(" {} ", fields.join(", ")) };
    format!(
        "\n#[derive(Clone, Debug)]\npub struct {name} {{{fields}}}\nimpl View for {name} {{\n    \
         const OPERATOR: OnnxOp = OnnxOp::{};\n    fn read({parameter}: &Reader<'_>) -> Self {{ {body} }}\n}}\n",
        variant(schema),
    )
}

/// An attribute's type, and the expression that reads it.
fn attribute_field(attribute: &AttributeSchema) -> (String, String) {
    let (r#type, method) = match (attribute.enumeration, attribute.kind) {
        (Some(enumeration), _) => (enumeration, "choice"),
        (None, Kind::Float) => ("f64", "float"),
        (None, Kind::Floats) => ("Vec<f32>", "floats"),
        (None, Kind::Int) => ("i64", "integer"),
        (None, Kind::Ints) => ("Arc<[i64]>", "integers"),
        (None, Kind::String) => ("String", "string"),
        (None, Kind::Strings) => ("Vec<Arc<str>>", "strings"),
        (None, Kind::Tensor | Kind::SparseTensor) => ("Arc<DenseElements>", "tensor"),
        (None, Kind::TypeProto) => ("Type", "element_type"),
        (None, Kind::Graph) => unreachable!("graphs are regions"),
    };
    let read = format!("node.{method}(\"{}\")", attribute.name);
    match (attribute.default, attribute.required) {
        (Some(default), _) => (r#type.into(), with_default(&read, r#type, attribute, default)),
        (None, true) => (r#type.into(), format!("required({read})")),
        (None, false) => (format!("Option<{type}>"), read),
    }
}

fn with_default(read: &str, r#type: &str, attribute: &AttributeSchema, default: &str) -> String {
    match (attribute.enumeration, attribute.kind) {
        (Some(_), _) => format!("{read}.unwrap_or({type}::{})", camel(default)),
        (None, Kind::Float) => {
            let number = f64::from(default.parse::<f32>().expect("a default is a number"));
            format!("{read}.unwrap_or({number:?})")
        }
        (None, Kind::Int) => format!("{read}.unwrap_or({default})"),
        (None, Kind::String) => format!("{read}.unwrap_or_else(|| \"{default}\".into())"),
        (None, Kind::Ints) => format!("{read}.unwrap_or_else(|| [{}].into())", default.replace(',', ", ")),
        (None, Kind::Strings) => format!("{read}.unwrap_or_else(|| vec![{}])", quoted(default)),
        (None, Kind::Floats) => format!("{read}.unwrap_or_else(|| vec![{default}])"),
        // ONNX's defaults of tensors are handled by the operator
        (None, _) => format!("required({read})"),
    }
}

fn quoted(default: &str) -> String {
    default.split(',').map(|text| format!("\"{text}\".into()")).collect::<Vec<_>>().join(", ")
}

/// `axisData`, `X`, `past key` as names of fields.
fn field_name(name: &str) -> String {
    let mut field = String::new();
    let mut before = '_';
    for letter in name.chars() {
        if letter.is_uppercase() && before.is_lowercase() {
            field.push('_');
        }
        field.extend(letter.to_lowercase());
        before = letter;
    }
    if matches!(&*field, "type" | "mod" | "ref" | "where" | "else" | "in" | "as") {
        format!("r#{field}")
    } else {
        field
    }
}
