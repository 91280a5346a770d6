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

/// The result of parsing.
pub(crate) type Parsed<T> = Result<T, Box<Diagnostic>>;

/// Marks an index of an attribute that is an operand instead.
const DYNAMIC: i64 = i64::MIN;

/// ` {attributes} %a, %b : i32, f32`, or the attributes alone if there are no values.
pub(crate) fn print_values(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    printer.attribute_dictionary(body, op, &[]);
    let operands = body.op(op).operands();
    if !operands.is_empty() {
        printer.text(" ");
        printer.values(operands);
        printer.text(" : ");
        printer.types(&types(body, operands));
    }
}

/// Parses the output of [`print_values`].
pub(crate) fn parse_values(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    parser.attribute_dictionary()?;
    let values = parser.operands()?;
    let types = if values.is_empty() { vec![] } else { parser.punctuation(':').and_then(|()| parser.types())? };
    let operands = paired(parser, values, types)?;
    parser.finish(&operands, vec![])
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

/// The types of some values.
pub(crate) fn types(body: &Body, values: &[Value]) -> Vec<Type> {
    values.iter().map(|&value| body.value_type(value).clone()).collect()
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
    let mut values = values.iter();
    printer.text("[");
    for (at, &number) in numbers.iter().enumerate() {
        if at > 0 {
            printer.text(", ");
        }
        match values.next_if_dynamic(number) {
            Some(&value) => printer.value(value),
            None => printer.text(&number.to_string()),
        }
    }
    printer.text("]");
}

/// The next value for a number that is marked as dynamic.
trait NextIfDynamic<'v> {
    fn next_if_dynamic(&mut self, number: i64) -> Option<&'v Value>;
}

impl<'v> NextIfDynamic<'v> for std::slice::Iter<'v, Value> {
    fn next_if_dynamic(&mut self, number: i64) -> Option<&'v Value> {
        if number == DYNAMIC { self.next() } else { None }
    }
}

/// Parses the output of [`print_mixed`].
pub(crate) fn parse_mixed<'a>(parser: &mut OpParser<'_, 'a>) -> Parsed<(Vec<i64>, Vec<Operand<'a>>)> {
    parser.punctuation('[')?;
    let (mut numbers, mut values) = (vec![], vec![]);
    while !parser.eat(']') {
        if parser.is_operand() {
            values.push(parser.operand()?);
            numbers.push(DYNAMIC);
        } else {
            numbers.push(parser.integer()?);
        }
        if !parser.is(']') {
            parser.punctuation(',')?;
        }
    }
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

/// ` fastmath<reassoc>`, if the operation has flags.
pub(crate) fn print_fastmath(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    if let Some(Attribute::Dialect(_, text)) = body.attribute(op, "fastmath") {
        printer.text(&format!(" {text}"));
    }
}
