//! Custom forms of `func`.

use ir::{Attribute, Attributes, Body, FunctionType, Op, OpParser, OpPrinter, Type};

use super::{Parsed, paired, parse_symbol_name, parse_visibility};

/// The attributes that a function's signature shows.
const SIGNATURE: [&str; 5] = ["sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs"];

pub(crate) fn print_function(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let operation = body.op(op);
    printer.text(" ");
    if let Some(visibility) = operation.attributes.str("sym_visibility") {
        printer.text(visibility);
        printer.text(" ");
    }
    printer.symbol(operation.attributes.str("sym_name").unwrap_or_default());
    let function = operation.attributes.get("function_type").and_then(Attribute::as_type).and_then(Type::as_function);
    let (Some(function), Some(inner)) = (function, operation.isolated()) else { return };
    let argument_attributes = operation.attributes.get("arg_attrs").and_then(Attribute::as_array).unwrap_or_default();
    printer.isolated_region(inner, "func", |printer| {
        let arguments = inner.entry().map(|entry| inner.arguments(entry));
        printer.text("(");
        for (at, r#type) in function.inputs.iter().enumerate() {
            if at > 0 {
                printer.text(", ");
            }
            if let Some(&argument) = arguments.and_then(|arguments| arguments.get(at)) {
                printer.value(argument);
                printer.text(": ");
            }
            printer.r#type(r#type);
            print_attributes(printer, argument_attributes.get(at));
        }
        printer.text(")");
        let results = operation.attributes.get("res_attrs").and_then(Attribute::as_array).unwrap_or_default();
        print_results(printer, &function.results, results);
        printer.attribute_dictionary_after(" attributes ", body, op, &SIGNATURE);
    });
}

/// ` -> t` or ` -> (t {attributes}, t)`
fn print_results(printer: &mut OpPrinter<'_, '_>, types: &[Type], attributes: &[Attribute]) {
    let has_attributes = |at: usize| {
        attributes.get(at).is_some_and(|one| matches!(one, Attribute::Dictionary(entries) if !entries.is_empty()))
    };
    match types {
        [] => return,
        [one] if !has_attributes(0) && one.as_function().is_none() => {
            printer.text(" -> ");
            return printer.r#type(one);
        }
        _ => printer.text(" -> ("),
    }
    for (at, r#type) in types.iter().enumerate() {
        if at > 0 {
            printer.text(", ");
        }
        printer.r#type(r#type);
        print_attributes(printer, attributes.get(at));
    }
    printer.text(")");
}

fn print_attributes(printer: &mut OpPrinter<'_, '_>, attributes: Option<&Attribute>) {
    if let Some(Attribute::Dictionary(attributes)) = attributes {
        printer.dictionary(attributes);
    }
}

pub(crate) fn parse_function(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    parse_visibility(parser);
    parse_symbol_name(parser)?;
    parser.punctuation('(')?;
    let (mut arguments, mut inputs) = (vec![], vec![]);
    let argument_attributes = parser.list_until(')', |parser| {
        if parser.is_operand() {
            arguments.push(parser.operand()?);
            parser.punctuation(':')?;
        }
        inputs.push(parser.r#type()?);
        parser.dictionary()
    })?;
    let (mut results, mut result_attributes) = (vec![], vec![]);
    if parser.eat_arrow() {
        if parser.eat('(') {
            result_attributes = parser.list_until(')', |parser| {
                results.push(parser.r#type()?);
                parser.dictionary()
            })?;
        } else {
            results.push(parser.r#type()?);
        }
    }
    set_dictionaries(parser, "arg_attrs", argument_attributes);
    set_dictionaries(parser, "res_attrs", result_attributes);
    let function = FunctionType { inputs: inputs.clone(), results };
    parser.set("function_type", Attribute::Type(Type::Function(function.into())));
    if parser.eat_keyword("attributes") {
        parser.attribute_dictionary()?;
    }
    let is_defined = !arguments.is_empty();
    let arguments = if is_defined { paired(parser, arguments, inputs)? } else { vec![] };
    parser.isolated_region(&arguments, "func")
}

fn set_dictionaries(parser: &mut OpParser<'_, '_>, name: &str, entries: Vec<Attributes>) {
    if entries.iter().any(|entry| !entry.is_empty()) {
        let entries: Vec<Attribute> = entries.into_iter().map(|entry| Attribute::Dictionary(entry.into())).collect();
        parser.set(name, Attribute::Array(entries.into()));
    }
}

pub(crate) fn print_call(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let operation = body.op(op);
    printer.text(" ");
    printer.symbol(body.attribute(op, "callee").and_then(Attribute::as_symbol).unwrap_or_default());
    printer.text("(");
    printer.values(operation.operands());
    printer.text(")");
    printer.attribute_dictionary(body, op, &["callee"]);
    printer.text(" : ");
    printer.function_type(body, operation.operands(), operation.results());
}

pub(crate) fn parse_call(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    let callee = parser.symbol()?;
    parser.set("callee", callee);
    parser.punctuation('(')?;
    let values = parser.operands()?;
    parser.punctuation(')')?;
    parser.attribute_dictionary()?;
    parser.punctuation(':')?;
    let function = parser.function_type()?;
    let operands = paired(parser, values, function.inputs)?;
    parser.finish(&operands, function.results)
}
