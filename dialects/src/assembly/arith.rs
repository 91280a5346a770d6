//! Custom forms of `arith`.

use ir::{Attribute, Body, Op, OpParser, OpPrinter, Type};

use super::Parsed;

pub(crate) fn print_constant(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    printer.attribute_dictionary(body, op, &["value"]);
    printer.text(" ");
    if let Some(value) = body.attribute(op, "value") {
        printer.attribute(value);
    }
}

pub(crate) fn parse_constant(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    parser.attribute_dictionary()?;
    let value = parser.attribute()?;
    let r#type = match &value {
        Attribute::Integer(_, r#type) | Attribute::Float(_, r#type) => r#type.clone(),
        Attribute::Bool(_) => Type::I1,
        Attribute::Dense(elements) => elements.r#type.clone(),
        _ => return Err(parser.error("expected a constant with a type")),
    };
    parser.set("value", value);
    parser.finish(&[], vec![r#type])
}

/// `%c0`, `%c0_i32`, `%true`, `%cst`
pub(crate) fn name_constant(body: &Body, op: Op) -> Vec<String> {
    let name = match body.attribute(op, "value") {
        Some(Attribute::Bool(value)) => value.to_string(),
        Some(Attribute::Integer(value, Type::Integer(kind))) if kind.width == 1 => (value & 1 == 1).to_string(),
        Some(Attribute::Integer(value, Type::Index)) => format!("c{value}"),
        Some(Attribute::Integer(value, r#type)) => format!("c{value}_{type}"),
        _ => "cst".to_string(),
    };
    vec![name]
}

pub(crate) fn print_select(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let operands = body.op(op).operands();
    printer.text(" ");
    printer.values(operands);
    printer.attribute_dictionary(body, op, &[]);
    printer.text(" : ");
    let condition = body.value_type(operands[0]);
    if *condition != Type::I1 {
        printer.r#type(condition);
        printer.text(", ");
    }
    printer.r#type(body.value_type(operands[1]));
}

pub(crate) fn parse_select(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    let values = parser.operands()?;
    let &[condition, first, second] = values.as_slice() else {
        return Err(parser.error(format!("expected three operands before this, found {}", values.len())));
    };
    parser.attribute_dictionary()?;
    parser.punctuation(':')?;
    let types = parser.types()?;
    let (of_condition, of_values) = match types.as_slice() {
        [one] => (Type::I1, one.clone()),
        [of_condition, of_values] => (of_condition.clone(), of_values.clone()),
        _ => return Err(parser.error("expected one or two types before this")),
    };
    let operands = [(condition, of_condition), (first, of_values.clone()), (second, of_values.clone())];
    parser.finish(&operands, vec![of_values])
}
