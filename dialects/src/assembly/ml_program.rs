//! Custom form of `ml_program.global`.

use ir::{Attribute, Body, Op, OpParser, OpPrinter};

use super::{Parsed, parse_symbol_name, parse_visibility};

const SHOWN: [&str; 5] = ["sym_name", "sym_visibility", "type", "value", "is_mutable"];

/// `private mutable @name(value) : type`
pub(crate) fn print_global(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let attributes = &body.op(op).attributes;
    printer.text(" ");
    if let Some(visibility) = attributes.str("sym_visibility") {
        printer.text(visibility);
        printer.text(" ");
    }
    if attributes.get("is_mutable").is_some() {
        printer.text("mutable ");
    }
    printer.symbol(attributes.str("sym_name").unwrap_or_default());
    if let Some(value) = attributes.get("value") {
        printer.text("(");
        printer.attribute(value);
        printer.text(")");
    }
    printer.text(" : ");
    if let Some(r#type) = attributes.get("type").and_then(Attribute::as_type) {
        printer.r#type(r#type);
    }
    printer.attribute_dictionary(body, op, &SHOWN);
}

pub(crate) fn parse_global(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    parse_visibility(parser);
    if parser.eat_keyword("mutable") {
        parser.set("is_mutable", Attribute::Unit);
    }
    parse_symbol_name(parser)?;
    if parser.eat('(') {
        let value = parser.attribute()?;
        parser.set("value", value);
        parser.punctuation(')')?;
    }
    parser.punctuation(':')?;
    let r#type = parser.r#type()?;
    parser.set("type", Attribute::Type(r#type));
    parser.attribute_dictionary()?;
    parser.finish(&[], vec![])
}
