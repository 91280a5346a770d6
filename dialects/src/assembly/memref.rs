//! Custom forms of `memref`.

use ir::{Attribute, Body, Op, OpParser, OpPrinter, Type};

use super::{Parsed, dense, indices, numbers, parse_mixed, parse_symbol_name, print_mixed, segments};

const SHOWN_BY_GLOBAL: [&str; 5] = ["sym_name", "sym_visibility", "type", "initial_value", "constant"];

pub(crate) fn print_allocation(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let groups = segments(body, op);
    let [sizes, symbols] = groups.as_slice() else { return };
    printer.text("(");
    printer.values(sizes);
    printer.text(")");
    if !symbols.is_empty() {
        printer.text("[");
        printer.values(symbols);
        printer.text("]");
    }
    printer.attribute_dictionary(body, op, &["operandSegmentSizes"]);
    printer.text(" : ");
    printer.r#type(body.value_type(body.result(op, 0)));
}

pub(crate) fn parse_allocation(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    parser.punctuation('(')?;
    let sizes = parser.operands()?;
    parser.punctuation(')')?;
    let mut symbols = vec![];
    if parser.eat('[') {
        symbols = parser.operands()?;
        parser.punctuation(']')?;
    }
    parser.set_segments(&[sizes.len(), symbols.len()]);
    parser.attribute_dictionary()?;
    parser.punctuation(':')?;
    let result = parser.r#type()?;
    let operands: Vec<_> = indices([sizes, symbols].concat()).collect();
    parser.finish(&operands, vec![result])
}

pub(crate) fn print_global(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let attributes = &body.op(op).attributes;
    if let Some(visibility) = attributes.str("sym_visibility") {
        printer.text(" ");
        printer.string(visibility);
    }
    if attributes.get("constant").is_some() {
        printer.text(" constant");
    }
    printer.text(" ");
    printer.symbol(attributes.str("sym_name").unwrap_or_default());
    printer.text(" : ");
    if let Some(r#type) = attributes.get("type").and_then(Attribute::as_type) {
        printer.r#type(r#type);
    }
    match attributes.get("initial_value") {
        None => {}
        Some(Attribute::Unit) => printer.text(" = uninitialized"),
        Some(value) => {
            printer.text(" = ");
            printer.attribute_without_type(value);
        }
    }
    printer.attribute_dictionary(body, op, &SHOWN_BY_GLOBAL);
}

pub(crate) fn parse_global(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    if parser.is_string() {
        let visibility = parser.string()?;
        parser.set("sym_visibility", Attribute::string(&visibility));
    }
    if parser.eat_keyword("constant") {
        parser.set("constant", Attribute::Unit);
    }
    parse_symbol_name(parser)?;
    parser.punctuation(':')?;
    let r#type = parser.r#type()?;
    parser.set("type", Attribute::Type(r#type.clone()));
    if parser.eat('=') {
        let value = match parser.eat_keyword("uninitialized") {
            true => Attribute::Unit,
            false => {
                let shape = r#type.static_shape().ok_or_else(|| parser.error("a global has static extents"))?;
                parser.attribute_of_type(&Type::tensor(
                    shape.into_iter().map(Some).collect::<Vec<_>>(),
                    r#type.element().clone(),
                ))?
            }
        };
        parser.set("initial_value", value);
    }
    parser.attribute_dictionary()?;
    parser.finish(&[], vec![])
}

const SLICE: [&str; 4] = ["operandSegmentSizes", "static_offsets", "static_sizes", "static_strides"];

/// `%m[0, %a] [4, 4] [1, 1] : t to t`, of `memref` and of `tensor`.
pub(crate) fn print_slice(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let groups = segments(body, op);
    let [source, offsets, sizes, strides] = groups.as_slice() else { return };
    printer.text(" ");
    printer.values(source);
    for (at, (name, values)) in SLICE[1..].iter().zip([offsets, sizes, strides]).enumerate() {
        printer.text(if at > 0 { " " } else { "" });
        print_mixed(printer, &numbers(body, op, name), values);
    }
    printer.attribute_dictionary(body, op, &SLICE);
    printer.text(" : ");
    printer.r#type(body.value_type(source[0]));
    printer.text(" to ");
    printer.r#type(body.value_type(body.result(op, 0)));
}

pub(crate) fn parse_slice(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    let source = parser.operand()?;
    let (mut sizes, mut values) = (vec![1], vec![]);
    for name in &SLICE[1..] {
        let (numbers, dynamic) = parse_mixed(parser)?;
        parser.set(name, dense(&numbers));
        sizes.push(dynamic.len());
        values.extend(dynamic);
    }
    parser.set_segments(&sizes);
    parser.attribute_dictionary()?;
    parser.punctuation(':')?;
    let from = parser.r#type()?;
    parser.keyword("to")?;
    let to = parser.r#type()?;
    let operands: Vec<_> = std::iter::once((source, from)).chain(indices(values)).collect();
    parser.finish(&operands, vec![to])
}
