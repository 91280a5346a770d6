//! Custom forms of `tensor`.

use ir::{Attribute, Body, Op, OpParser, OpPrinter};

use super::{Parsed, dense, indices, numbers, paired, parse_mixed, print_mixed, segments};
use crate::checks::types_of;

const SHOWN_BY_PAD: [&str; 4] = ["static_low", "static_high", "operandSegmentSizes", "nofold"];

pub(crate) fn print_pad(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let groups = segments(body, op);
    let [source, low, high] = groups.as_slice() else { return };
    printer.text(" ");
    printer.values(source);
    if body.attribute(op, "nofold").is_some() {
        printer.text(" nofold");
    }
    printer.text(" low");
    print_mixed(printer, &numbers(body, op, "static_low"), low);
    printer.text(" high");
    print_mixed(printer, &numbers(body, op, "static_high"), high);
    printer.text(" ");
    printer.region(body, body.op(op).regions()[0], true, true);
    printer.attribute_dictionary(body, op, &SHOWN_BY_PAD);
    printer.text(" : ");
    printer.r#type(body.value_type(source[0]));
    printer.text(" to ");
    printer.r#type(body.value_type(body.result(op, 0)));
}

pub(crate) fn parse_pad(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    let source = parser.operand()?;
    if parser.eat_keyword("nofold") {
        parser.set("nofold", Attribute::Unit);
    }
    parser.keyword("low")?;
    let (low, of_low) = parse_mixed(parser)?;
    parser.keyword("high")?;
    let (high, of_high) = parse_mixed(parser)?;
    parser.set("static_low", dense(&low));
    parser.set("static_high", dense(&high));
    parser.set_segments(&[1, of_low.len(), of_high.len()]);
    parser.region(&[])?;
    parser.attribute_dictionary()?;
    parser.punctuation(':')?;
    let from = parser.r#type()?;
    parser.keyword("to")?;
    let to = parser.r#type()?;
    let operands: Vec<_> = std::iter::once((source, from)).chain(indices([of_low, of_high].concat())).collect();
    parser.finish(&operands, vec![to])
}

pub(crate) fn print_concat(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let operation = body.op(op);
    printer.text(&format!(" dim({}) ", operation.attributes.integer("dim").unwrap_or(0)));
    printer.values(operation.operands());
    printer.attribute_dictionary(body, op, &["dim"]);
    printer.text(" : ");
    printer.function_type(body, operation.operands(), operation.results());
}

pub(crate) fn parse_concat(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    parser.keyword("dim")?;
    parser.punctuation('(')?;
    let dim = parser.integer()?;
    parser.set("dim", Attribute::i64(dim));
    parser.punctuation(')')?;
    let values = parser.operands()?;
    parser.attribute_dictionary()?;
    parser.punctuation(':')?;
    let function = parser.function_type()?;
    let operands = paired(parser, values, function.inputs)?;
    parser.finish(&operands, function.results)
}

/// `%s(%shape) : (t, t) -> t`
pub(crate) fn print_reshape(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let operation = body.op(op);
    let &[source, shape] = operation.operands() else { return };
    printer.text(" ");
    printer.value(source);
    printer.text("(");
    printer.value(shape);
    printer.text(")");
    printer.attribute_dictionary(body, op, &[]);
    printer.text(" : ");
    printer.function_type(body, operation.operands(), operation.results());
}

pub(crate) fn parse_reshape(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    let source = parser.operand()?;
    parser.punctuation('(')?;
    let shape = parser.operand()?;
    parser.punctuation(')')?;
    parser.attribute_dictionary()?;
    parser.punctuation(':')?;
    let function = parser.function_type()?;
    let operands = paired(parser, vec![source, shape], function.inputs)?;
    parser.finish(&operands, function.results)
}

/// `%a, %b : tensor<2xindex>`, of `tensor` and of `vector`.
pub(crate) fn print_from_elements(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    printer.text(" ");
    printer.values(body.op(op).operands());
    printer.attribute_dictionary(body, op, &[]);
    printer.text(" : ");
    printer.types(&types_of(body, body.op(op).results()));
}

pub(crate) fn parse_from_elements(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    let values = parser.operands()?;
    parser.attribute_dictionary()?;
    parser.punctuation(':')?;
    let result = parser.r#type()?;
    let element = result.element().clone();
    let operands: Vec<_> = values.into_iter().map(|value| (value, element.clone())).collect();
    parser.finish(&operands, vec![result])
}
