//! Custom form of `linalg.generic`.

use ir::{Attribute, Body, Op, OpParser, OpPrinter, Operand, Type, Value};

use super::{Parsed, paired, parse_results, print_results, segments};
use crate::checks::types_of;

const SHOWN: [&str; 3] = ["indexing_maps", "iterator_types", "operandSegmentSizes"];

pub(crate) fn print_generic(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let operation = body.op(op);
    let groups = segments(body, op);
    let [inputs, outputs] = groups.as_slice() else { return };
    printer.text(" {indexing_maps = ");
    if let Some(maps) = body.attribute(op, "indexing_maps") {
        printer.attribute(maps);
    }
    let iterators = body.attribute(op, "iterator_types").and_then(Attribute::as_array).unwrap_or_default();
    let iterators: Vec<String> = iterators.iter().map(|iterator| format!("\"{}\"", iterator_name(iterator))).collect();
    printer.text(&format!(", iterator_types = [{}]}}", iterators.join(", ")));
    print_group(printer, body, "ins", inputs);
    print_group(printer, body, "outs", outputs);
    printer.attribute_dictionary_after(" attrs =  ", body, op, &SHOWN);
    printer.text(" ");
    printer.region(body, operation.regions()[0], true, true);
    print_results(printer, body, op);
}

/// `parallel` of `#linalg.iterator_type<parallel>`
fn iterator_name(iterator: &Attribute) -> &str {
    let Attribute::Dialect(_, text) = iterator else { return "?" };
    text.strip_prefix("iterator_type<").and_then(|text| text.strip_suffix('>')).unwrap_or("?")
}

fn print_group(printer: &mut OpPrinter<'_, '_>, body: &Body, name: &str, values: &[Value]) {
    if !values.is_empty() {
        printer.text(&format!(" {name}("));
        printer.values(values);
        printer.text(" : ");
        printer.types(&types_of(body, values));
        printer.text(")");
    }
}

pub(crate) fn parse_generic(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    parser.attribute_dictionary()?;
    let iterators = parser.attribute_of("iterator_types");
    let iterators: Vec<Attribute> = iterators
        .as_ref()
        .and_then(Attribute::as_array)
        .unwrap_or_default()
        .iter()
        .map(|iterator| match iterator.as_str() {
            Some(name) => Attribute::Dialect("linalg".into(), format!("iterator_type<{name}>").into()),
            None => iterator.clone(),
        })
        .collect();
    parser.set("iterator_types", Attribute::Array(iterators.into()));
    let inputs = parse_group(parser, "ins")?;
    let outputs = parse_group(parser, "outs")?;
    parser.set_segments(&[inputs.len(), outputs.len()]);
    if parser.eat_keyword("attrs") {
        parser.punctuation('=')?;
        parser.attribute_dictionary()?;
    }
    parser.region(&[])?;
    let results = parse_results(parser)?;
    parser.finish(&[inputs, outputs].concat(), results)
}

fn parse_group<'a>(parser: &mut OpParser<'_, 'a>, name: &str) -> Parsed<Vec<(Operand<'a>, Type)>> {
    if !parser.eat_keyword(name) {
        return Ok(vec![]);
    }
    parser.punctuation('(')?;
    let values = parser.operands()?;
    parser.punctuation(':')?;
    let of_values = parser.types()?;
    parser.punctuation(')')?;
    paired(parser, values, of_values)
}

/// `%in` for each input, `%out` for each output.
pub(crate) fn name_arguments(body: &Body, op: Op) -> Vec<&'static str> {
    let groups = segments(body, op);
    let [inputs, outputs] = groups.as_slice() else { return vec![] };
    inputs.iter().map(|_| "in").chain(outputs.iter().map(|_| "out")).collect()
}
