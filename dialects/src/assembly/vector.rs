//! Custom forms of `vector`.

use ir::{Attribute, Body, Op, OpParser, OpPrinter, Type};

use super::{Parsed, dense, indices, numbers, parse_mixed, print_mixed};

const POSITION: &str = "static_position";

/// `%v[0] : f32 from vector<4xf32>`
pub(crate) fn print_extract(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let &[source, ref dynamic @ ..] = body.op(op).operands() else { return };
    printer.text(" ");
    printer.value(source);
    print_mixed(printer, &numbers(body, op, POSITION), dynamic);
    printer.attribute_dictionary(body, op, &[POSITION]);
    printer.text(" : ");
    printer.r#type(body.value_type(body.result(op, 0)));
    printer.text(" from ");
    printer.r#type(body.value_type(source));
}

pub(crate) fn parse_extract(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    let source = parser.operand()?;
    let (position, dynamic) = parse_mixed(parser)?;
    parser.set(POSITION, dense(&position));
    parser.attribute_dictionary()?;
    parser.punctuation(':')?;
    let result = parser.r#type()?;
    parser.keyword("from")?;
    let from = parser.r#type()?;
    let operands: Vec<_> = std::iter::once((source, from)).chain(indices(dynamic)).collect();
    parser.finish(&operands, vec![result])
}

/// `%x, %v [0] : f32 into vector<4xf32>`
pub(crate) fn print_insert(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let &[value, target, ref dynamic @ ..] = body.op(op).operands() else { return };
    printer.text(" ");
    printer.values(&[value, target]);
    printer.text(" ");
    print_mixed(printer, &numbers(body, op, POSITION), dynamic);
    printer.attribute_dictionary(body, op, &[POSITION]);
    printer.text(" : ");
    printer.r#type(body.value_type(value));
    printer.text(" into ");
    printer.r#type(body.value_type(target));
}

pub(crate) fn parse_insert(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    let value = parser.operand()?;
    parser.punctuation(',')?;
    let target = parser.operand()?;
    let (position, dynamic) = parse_mixed(parser)?;
    parser.set(POSITION, dense(&position));
    parser.attribute_dictionary()?;
    parser.punctuation(':')?;
    let of_value = parser.r#type()?;
    parser.keyword("into")?;
    let of_target = parser.r#type()?;
    let operands: Vec<_> =
        [(value, of_value), (target, of_target.clone())].into_iter().chain(indices(dynamic)).collect();
    parser.finish(&operands, vec![of_target])
}

/// `<add>, %v, %acc fastmath<reassoc> : vector<4xf32> into f32`
pub(crate) fn print_reduction(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let operation = body.op(op);
    let kind = crate::vector::combining_kind(body.attribute(op, "kind")).unwrap_or("?");
    printer.text(&format!(" <{kind}>, "));
    printer.values(operation.operands());
    printer.fastmath(body, op);
    printer.attribute_dictionary(body, op, &["kind", "fastmath"]);
    printer.text(" : ");
    printer.r#type(body.value_type(body.operand(op, 0)));
    printer.text(" into ");
    printer.r#type(body.value_type(body.result(op, 0)));
}

pub(crate) fn parse_reduction(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    parser.punctuation('<')?;
    let kind = parser.bare("a kind of reduction")?;
    parser.punctuation('>')?;
    parser.punctuation(',')?;
    parser.set("kind", Attribute::Dialect("vector".into(), format!("kind<{kind}>").into()));
    let values = parser.operands()?;
    parser.fastmath()?;
    parser.attribute_dictionary()?;
    parser.punctuation(':')?;
    let from = parser.r#type()?;
    parser.keyword("into")?;
    let to = parser.r#type()?;
    let type_at = |at: usize| if at == 0 { from.clone() } else { to.clone() };
    let operands: Vec<_> = values.into_iter().enumerate().map(|(at, value)| (value, type_at(at))).collect();
    parser.finish(&operands, vec![to])
}

/// `%a, %b [0, 4] : vector<4xf32>, vector<4xf32>`
pub(crate) fn print_shuffle(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let operands = body.op(op).operands();
    printer.text(" ");
    printer.values(operands);
    printer.text(" ");
    print_mixed(printer, &numbers(body, op, "mask"), &[]);
    printer.attribute_dictionary(body, op, &["mask"]);
    printer.text(" : ");
    printer.types(&crate::checks::types_of(body, operands));
}

pub(crate) fn parse_shuffle(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    let values = parser.operands()?;
    let mask = parser.integers()?;
    parser.set("mask", dense(&mask));
    parser.attribute_dictionary()?;
    parser.punctuation(':')?;
    let of_values = parser.types()?;
    let element = of_values.first().map_or(Type::F32, |r#type| r#type.element().clone());
    let operands = super::paired(parser, values, of_values)?;
    parser.finish(&operands, vec![Type::vector(&[mask.len() as i64], element)])
}
