//! Custom forms of `cf`.

use ir::{Attribute, Body, Op, OpParser, OpPrinter, Type};

use super::{Parsed, numbers, segments};

pub(crate) fn print_branch(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    printer.text(" ");
    printer.successor(body, body.op(op).successors()[0], body.op(op).operands());
    printer.attribute_dictionary(body, op, &[]);
}

pub(crate) fn parse_branch(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    let (block, operands) = parser.successor()?;
    parser.set_successors(&[block]);
    parser.attribute_dictionary()?;
    parser.finish(&operands, vec![])
}

pub(crate) fn print_conditional(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let groups = segments(body, op);
    let [condition, yes, no] = groups.as_slice() else { return };
    printer.text(" ");
    printer.values(condition);
    for (&block, operands) in body.op(op).successors().iter().zip([yes, no]) {
        printer.text(", ");
        printer.successor(body, block, operands);
    }
    printer.attribute_dictionary(body, op, &["operandSegmentSizes"]);
}

pub(crate) fn parse_conditional(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    let condition = parser.operand()?;
    parser.punctuation(',')?;
    let (yes, of_yes) = parser.successor()?;
    parser.punctuation(',')?;
    let (no, of_no) = parser.successor()?;
    parser.set_successors(&[yes, no]);
    parser.attribute_dictionary()?;
    parser.set_segments(&[1, of_yes.len(), of_no.len()]);
    let operands: Vec<_> = std::iter::once((condition, Type::I1)).chain(of_yes).chain(of_no).collect();
    parser.finish(&operands, vec![])
}

pub(crate) fn print_switch(printer: &mut OpPrinter<'_, '_>, body: &Body, op: Op) {
    let operation = body.op(op);
    let flag = operation.operands()[0];
    printer.text(" ");
    printer.value(flag);
    printer.text(" : ");
    printer.r#type(body.value_type(flag));
    printer.text(", [");
    let values = body.attribute(op, "case_values").and_then(Attribute::as_dense);
    let counts = numbers(body, op, "case_operand_segments");
    let of_cases: i64 = counts.iter().sum();
    let mut rest = &operation.operands()[1..];
    let of_default = rest.len().saturating_sub(of_cases as usize);
    let sizes = std::iter::once(of_default).chain(counts.iter().map(|&count| count as usize));
    for (at, (&block, size)) in operation.successors().iter().zip(sizes).enumerate() {
        let (operands, others) = rest.split_at(size.min(rest.len()));
        rest = others;
        let label = match at.checked_sub(1) {
            None => "default".to_string(),
            Some(case) => values.and_then(|values| values.integer(case)).unwrap_or(0).to_string(),
        };
        printer.text(if at == 0 { "" } else { "," });
        printer.new_line(1);
        printer.text(&format!("{label}: "));
        printer.successor(body, block, operands);
    }
    printer.new_line(0);
    printer.text("]");
    printer.attribute_dictionary(body, op, &["case_values", "case_operand_segments", "operandSegmentSizes"]);
}

pub(crate) fn parse_switch(parser: &mut OpParser<'_, '_>) -> Parsed<()> {
    let flag = parser.operand()?;
    parser.punctuation(':')?;
    let r#type = parser.r#type()?;
    parser.punctuation(',')?;
    parser.punctuation('[')?;
    parser.keyword("default")?;
    parser.punctuation(':')?;
    let (block, of_default) = parser.successor()?;
    let (mut blocks, mut operands) = (vec![block], vec![(flag, r#type.clone())]);
    let (mut values, mut counts) = (vec![], vec![]);
    operands.extend(of_default.iter().cloned());
    while parser.eat(',') {
        values.push(parser.integer()?);
        parser.punctuation(':')?;
        let (block, of_case) = parser.successor()?;
        blocks.push(block);
        counts.push(of_case.len() as i64);
        operands.extend(of_case);
    }
    parser.punctuation(']')?;
    parser.attribute_dictionary()?;
    parser.set_successors(&blocks);
    let of_cases = operands.len() - 1 - of_default.len();
    parser.set_segments(&[1, of_default.len(), of_cases]);
    parser.set("case_operand_segments", Attribute::DenseArray(Type::I32, counts.into()));
    if !values.is_empty() {
        let of_values = Type::vector(&[values.len() as i64], r#type);
        let elements = ir::DenseElements::of_integers(of_values, &values);
        let elements = elements.ok_or_else(|| parser.error("a case does not fit into the type of the flag"))?;
        parser.set("case_values", Attribute::dense(elements));
    }
    parser.finish(&operands, vec![])
}
