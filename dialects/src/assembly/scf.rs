//! Custom forms of `scf`.

use ir::{Body, Op, OpParser, OpPrinter, Operand, Type, Value};

use super::{Parsed, paired, parse_results, print_results, segments, typed};
use crate::checks::types_of;

const SEGMENTS: &str = "operandSegmentSizes";

/// ` -> (i32, f32)` or nothing.
fn print_result_types(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let results = body.op(op).results();
    if !results.is_empty() {
        printer.text(" -> (");
        printer.types(&types_of(body, results));
        printer.text(")");
    }
}

/// `%a = %b, %c = %d`
fn print_bound(printer: &mut OpPrinter<'_, '_>, names: &[Value], values: &[Value]) {
    for (at, (&name, &value)) in names.iter().zip(values).enumerate() {
        printer.text(if at > 0 { ", " } else { "" });
        printer.value(name);
        printer.text(" = ");
        printer.value(value);
    }
}

/// `(%a = %b, %c = %d)`
fn parse_bound<'a>(parser: &mut OpParser<'_, 'a>) -> Parsed<(Vec<Operand<'a>>, Vec<Operand<'a>>)> {
    parser.punctuation('(')?;
    let bound = parser.list_until(')', |parser| {
        let name = parser.operand()?;
        parser.punctuation('=')?;
        Ok((name, parser.operand()?))
    })?;
    Ok(bound.into_iter().unzip())
}

pub(crate) fn print_for(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let operation = body.op(op);
    let &[low, high, step, ref carried @ ..] = operation.operands() else { return };
    let region = operation.regions()[0];
    let &[counter, ref arguments @ ..] = body.arguments(body.blocks(region)[0]) else { return };
    printer.text(" ");
    printer.value(counter);
    printer.text(" = ");
    printer.value(low);
    printer.text(" to ");
    printer.value(high);
    printer.text(" step ");
    printer.value(step);
    if !carried.is_empty() {
        printer.text(" iter_args(");
        print_bound(printer, arguments, carried);
        printer.text(")");
        print_result_types(printer, body, op);
    }
    printer.text(" ");
    let r#type = body.value_type(counter);
    if *r#type != Type::Index {
        printer.text(" : ");
        printer.r#type(r#type);
        printer.text(" ");
    }
    printer.region(body, region, false, !carried.is_empty());
    printer.attribute_dictionary(body, op, &[]);
}

pub(crate) fn parse_for(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    let counter = parser.operand()?;
    parser.punctuation('=')?;
    let low = parser.operand()?;
    parser.keyword("to")?;
    let high = parser.operand()?;
    parser.keyword("step")?;
    let step = parser.operand()?;
    let (mut names, mut values) = (vec![], vec![]);
    if parser.eat_keyword("iter_args") {
        (names, values) = parse_bound(parser)?;
    }
    let results = parse_results(parser)?;
    let r#type = if parser.eat(':') { parser.r#type()? } else { Type::Index };
    let mut arguments = vec![(counter, r#type.clone())];
    arguments.extend(paired(parser, names, results.clone())?);
    let mut operands: Vec<_> = [low, high, step].map(|bound| (bound, r#type.clone())).to_vec();
    operands.extend(paired(parser, values, results.clone())?);
    let region = parser.region(&arguments)?;
    parser.ensure_terminator(region, crate::scf::YIELD);
    parser.attribute_dictionary()?;
    parser.finish(&operands, results)
}

pub(crate) fn print_if(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let operation = body.op(op);
    printer.text(" ");
    printer.values(operation.operands());
    print_result_types(printer, body, op);
    printer.text(" ");
    let has_results = !operation.results().is_empty();
    printer.region(body, operation.regions()[0], true, has_results);
    if let Some(&other) = operation.regions().get(1).filter(|&&other| !body.blocks(other).is_empty()) {
        printer.text(" else ");
        printer.region(body, other, true, has_results);
    }
    printer.attribute_dictionary(body, op, &[]);
}

pub(crate) fn parse_if(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    let condition = parser.operand()?;
    let results = parse_results(parser)?;
    let region = parser.region(&[])?;
    parser.ensure_terminator(region, crate::scf::YIELD);
    if parser.eat_keyword("else") {
        let region = parser.region(&[])?;
        parser.ensure_terminator(region, crate::scf::YIELD);
    } else {
        parser.empty_region();
    }
    parser.attribute_dictionary()?;
    parser.finish(&[(condition, Type::I1)], results)
}

pub(crate) fn print_while(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let operation = body.op(op);
    let &[before, after] = operation.regions() else { return };
    if !operation.operands().is_empty() {
        printer.text(" (");
        print_bound(printer, body.arguments(body.blocks(before)[0]), operation.operands());
        printer.text(")");
    }
    printer.text(" : ");
    printer.function_type(body, operation.operands(), operation.results());
    printer.text(" ");
    printer.region(body, before, false, true);
    printer.text(" do ");
    printer.region(body, after, true, true);
    printer.attribute_dictionary_after(" attributes ", body, op, &[]);
}

pub(crate) fn parse_while(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    let (mut names, mut values) = (vec![], vec![]);
    if parser.is('(') {
        (names, values) = parse_bound(parser)?;
    }
    parser.punctuation(':')?;
    let function = parser.function_type()?;
    let arguments = paired(parser, names, function.inputs.clone())?;
    let operands = paired(parser, values, function.inputs)?;
    parser.region(&arguments)?;
    parser.keyword("do")?;
    parser.region(&[])?;
    if parser.eat_keyword("attributes") {
        parser.attribute_dictionary()?;
    }
    parser.finish(&operands, function.results)
}

pub(crate) fn print_condition(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let &[condition, ref values @ ..] = body.op(op).operands() else { return };
    printer.text("(");
    printer.value(condition);
    printer.text(")");
    printer.attribute_dictionary(body, op, &[]);
    if !values.is_empty() {
        printer.text(" ");
        printer.values(values);
        printer.text(" : ");
        printer.types(&types_of(body, values));
    }
}

pub(crate) fn parse_condition(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    parser.punctuation('(')?;
    let condition = parser.operand()?;
    parser.punctuation(')')?;
    parser.attribute_dictionary()?;
    let values = parser.operands()?;
    let mut operands = vec![(condition, Type::I1)];
    operands.extend(typed(parser, values)?);
    parser.finish(&operands, vec![])
}

pub(crate) fn print_parallel(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let operation = body.op(op);
    let groups = segments(body, op);
    let [low, high, step, initial] = groups.as_slice() else { return };
    let region = operation.regions()[0];
    printer.text(" (");
    printer.values(body.arguments(body.blocks(region)[0]));
    printer.text(") = (");
    printer.values(low);
    printer.text(") to (");
    printer.values(high);
    printer.text(") step (");
    printer.values(step);
    printer.text(")");
    if !initial.is_empty() {
        printer.text(" init (");
        printer.values(initial);
        printer.text(")");
    }
    print_results(printer, body, op);
    printer.text(" ");
    printer.region(body, region, false, true);
    printer.attribute_dictionary(body, op, &[SEGMENTS]);
}

pub(crate) fn parse_parallel(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    let counters = parse_group(parser)?;
    parser.punctuation('=')?;
    let low = parse_group(parser)?;
    parser.keyword("to")?;
    let high = parse_group(parser)?;
    parser.keyword("step")?;
    let step = parse_group(parser)?;
    let initial = if parser.eat_keyword("init") { parse_group(parser)? } else { vec![] };
    let results = parse_results(parser)?;
    parser.set_segments(&[low.len(), high.len(), step.len(), initial.len()]);
    let mut operands: Vec<_> = super::indices([low, high, step].concat()).collect();
    operands.extend(paired(parser, initial, results.clone())?);
    let arguments: Vec<_> = super::indices(counters).collect();
    let region = parser.region(&arguments)?;
    parser.ensure_terminator(region, crate::scf::REDUCE);
    parser.attribute_dictionary()?;
    parser.finish(&operands, results)
}

/// `(%a, %b)`
fn parse_group<'a>(parser: &mut OpParser<'_, 'a>) -> Parsed<Vec<Operand<'a>>> {
    parser.punctuation('(')?;
    parser.list_until(')', OpParser::operand)
}

pub(crate) fn print_reduce(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let operation = body.op(op);
    if !operation.operands().is_empty() {
        printer.text("(");
        printer.values(operation.operands());
        printer.text(" : ");
        printer.types(&types_of(body, operation.operands()));
        printer.text(")");
    }
    printer.text(" ");
    for (at, &region) in operation.regions().iter().enumerate() {
        printer.text(if at > 0 { ", " } else { "" });
        printer.region(body, region, true, true);
    }
    printer.attribute_dictionary_after("", body, op, &[]);
}

pub(crate) fn parse_reduce(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    let mut operands = vec![];
    if parser.eat('(') {
        let values = parser.operands()?;
        parser.punctuation(':')?;
        let of_values = parser.types()?;
        parser.punctuation(')')?;
        operands = paired(parser, values, of_values)?;
        for at in 0..operands.len() {
            if at > 0 {
                parser.punctuation(',')?;
            }
            parser.region(&[])?;
        }
    }
    parser.attribute_dictionary()?;
    parser.finish(&operands, vec![])
}
