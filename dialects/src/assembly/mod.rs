//! Custom forms that a format cannot express: pairs of functions that print and parse.

pub(crate) mod arith;
pub(crate) mod builtin;
pub(crate) mod cf;
pub(crate) mod func;
pub(crate) mod linalg;
pub(crate) mod memref;
pub(crate) mod ml_program;
pub(crate) mod scf;
pub(crate) mod tensor;
pub(crate) mod vector;

use ir::{Attribute, Body, Diagnostic, Op, OpParser, OpPrinter, Operand, Type, Value};

use crate::checks::types_of;
use crate::shape_ops::DYNAMIC;

/// The result of parsing.
pub(crate) type Parsed<T> = Result<T, Box<Diagnostic>>;

/// ` {attributes} %a, %b : i32, f32`, or the attributes alone if there are no values.
pub(crate) fn print_values(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    printer.attribute_dictionary(body, op, &[]);
    let operands = body.op(op).operands();
    if !operands.is_empty() {
        printer.text(" ");
        printer.values(operands);
        printer.text(" : ");
        printer.types(&types_of(body, operands));
    }
}

/// Parses the output of [`print_values`].
pub(crate) fn parse_values(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    parser.attribute_dictionary()?;
    let values = parser.operands()?;
    let operands = typed(parser, values)?;
    parser.finish(&operands, vec![])
}

/// `: i32, f32` after values, of which there may be none.
pub(crate) fn typed<'a>(parser: &mut OpParser<'_, 'a>, values: Vec<Operand<'a>>) -> Parsed<Vec<(Operand<'a>, Type)>> {
    if values.is_empty() {
        return Ok(vec![]);
    }
    parser.punctuation(':')?;
    let types = parser.types()?;
    paired(parser, values, types)
}

/// Values paired with the same number of types.
pub(crate) fn paired<'a>(
    parser: &OpParser<'_, 'a>,
    values: Vec<Operand<'a>>,
    types: Vec<Type>,
) -> Parsed<Vec<(Operand<'a>, Type)>> {
    if values.len() != types.len() {
        return Err(parser.error(format!("expected {} types, found {}", values.len(), types.len())));
    }
    Ok(values.into_iter().zip(types).collect())
}

/// The operands in the groups of `operandSegmentSizes`.
pub(crate) fn segments(body: &Body, op: Op) -> Vec<&[Value]> {
    let operation = body.op(op);
    let sizes = operation.attributes.integers("operandSegmentSizes").unwrap_or_default();
    let mut rest = operation.operands();
    let mut groups = vec![];
    for &size in sizes.iter() {
        let (group, others) = rest.split_at((size as usize).min(rest.len()));
        groups.push(group);
        rest = others;
    }
    groups
}

/// `[0, %a]`: numbers of an attribute, and operands for those that are marked as dynamic.
pub(crate) fn print_mixed(printer: &mut OpPrinter<'_, '_>, numbers: &[i64], values: &[Value]) {
    let mut values = values.iter().peekable();
    printer.text("[");
    for (at, &number) in numbers.iter().enumerate() {
        if at > 0 {
            printer.text(", ");
        }
        match values.next_if(|_| number == DYNAMIC) {
            Some(&value) => printer.value(value),
            None => printer.text(&number.to_string()),
        }
    }
    printer.text("]");
}

/// Parses the output of [`print_mixed`].
pub(crate) fn parse_mixed<'a>(parser: &mut OpParser<'_, 'a>) -> Parsed<(Vec<i64>, Vec<Operand<'a>>)> {
    parser.punctuation('[')?;
    let mut values = vec![];
    let numbers = parser.list_until(']', |parser| {
        if !parser.is_operand() {
            return parser.integer();
        }
        values.push(parser.operand()?);
        Ok(DYNAMIC)
    })?;
    Ok((numbers, values))
}

/// The numbers of a dense array attribute.
pub(crate) fn numbers(body: &Body, op: Op, name: &str) -> Vec<i64> {
    body.op(op).attributes.integers(name).map_or(vec![], |numbers| numbers.to_vec())
}

/// A dense array attribute.
pub(crate) fn dense(numbers: &[i64]) -> Attribute {
    Attribute::i64_dense_array(numbers)
}

/// Every value with the type `index`.
pub(crate) fn indices<'a>(values: Vec<Operand<'a>>) -> impl Iterator<Item = (Operand<'a>, Type)> {
    values.into_iter().map(|value| (value, Type::Index))
}

/// ` -> t` or ` -> (t, t)`; nothing without results.
pub(crate) fn print_results(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    match types_of(body, body.op(op).results()).as_slice() {
        [] => {}
        [one] => {
            printer.text(" -> ");
            printer.r#type(one);
        }
        many => {
            printer.text(" -> (");
            printer.types(many);
            printer.text(")");
        }
    }
}

/// `-> t`, `-> (t, t)` or nothing.
pub(crate) fn parse_results(parser: &mut OpParser<'_, '_>) -> Parsed<Vec<Type>> {
    if !parser.eat_arrow() {
        return Ok(vec![]);
    }
    if !parser.eat('(') {
        return Ok(vec![parser.r#type()?]);
    }
    parser.list_until(')', OpParser::r#type)
}

/// `private`, if it comes next, as the visibility of the symbol.
pub(crate) fn parse_visibility(parser: &mut OpParser<'_, '_>) {
    for visibility in ["private", "public", "nested"] {
        if parser.eat_keyword(visibility) {
            parser.set("sym_visibility", Attribute::string(visibility));
        }
    }
}

/// `@name`, as the name of the symbol.
pub(crate) fn parse_symbol_name(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    let name = parser.symbol()?;
    parser.set("sym_name", Attribute::string(name.as_symbol().unwrap_or_default()));
    Ok(())
}
