//! Custom forms of `builtin`.

use ir::{Body, Op, OpParser, OpPrinter};

use super::{Parsed, parse_symbol_name, typed};
use crate::checks::types_of;

/// `@name attributes {…} { … }`
pub(crate) fn print_module(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let Some(inner) = body.op(op).isolated() else { return };
    if let Some(name) = body.op(op).attributes.str("sym_name") {
        printer.text(" ");
        printer.symbol(name);
    }
    printer.attribute_dictionary_after(" attributes ", body, op, &["sym_name"]);
    printer.isolated_region(inner, "builtin", |_| ());
}

pub(crate) fn parse_module(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    if parser.is_symbol() {
        parse_symbol_name(parser)?;
    }
    if parser.eat_keyword("attributes") {
        parser.attribute_dictionary()?;
    }
    parser.isolated_region(&[], "builtin")
}

/// `%a, %b : t, t to t`
pub(crate) fn print_cast(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let operation = body.op(op);
    if !operation.operands().is_empty() {
        printer.text(" ");
        printer.values(operation.operands());
        printer.text(" : ");
        printer.types(&types_of(body, operation.operands()));
    }
    printer.text(" to ");
    printer.types(&types_of(body, operation.results()));
    printer.attribute_dictionary(body, op, &[]);
}

pub(crate) fn parse_cast(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    let values = parser.operands()?;
    let operands = typed(parser, values)?;
    parser.keyword("to")?;
    let results = parser.types()?;
    parser.attribute_dictionary()?;
    parser.finish(&operands, results)
}
