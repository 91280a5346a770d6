//! Functions of one byte: what makes numbers of quantized weights has 256 results, and its sums are sums of bytes.

use ir::{Body, DenseElements, IndexMap, Type, Use, Value};

use super::column::{Column, evaluate_block};
use super::{captured_numbers, small_constant};
use dialects::linalg::generic::Generic;
use operators::points::{points, strides};

/// Values of a byte.
const BYTES: usize = 256;
/// Most elements that are looked up.
const LOOKED_UP: usize = 1 << 14;
/// Most bytes that are added up. Their sums fit in 32 bits.
const ADDED_UP: usize = 1 << 20;
/// Most bytes whose sum fits in 16 bits.
const RUNS: usize = 257;

/// What an operation without reduction makes of constant bytes.
pub(super) fn look_up(body: &Body, generic: &Generic) -> Option<Vec<DenseElements>> {
    let &[result] = body.op(generic.op).results() else { return None };
    let r#type = body.value_type(result);
    let count = r#type.static_shape()?.iter().product::<i64>() as usize;
    // bytes become bytes on their way to where they are packed
    if count > LOOKED_UP || *r#type.element() == Type::I8 {
        return None;
    }
    let (bytes, table) = function_of(body, generic)?;
    // what is made of it is looked up at once
    let goes_on = |reader: &Use| body.op(reader.op).results().iter().any(|&next| function(body, next).is_some());
    if body.uses(result).iter().all(goes_on) {
        return None;
    }
    let found = table.at(bytes.data.bytes().iter().map(|&byte| usize::from(byte)));
    Some(vec![found.write(r#type)?])
}

/// The constant bytes that a tensor is made of element by element, and what it has for each byte.
fn function(body: &Body, value: Value) -> Option<(&DenseElements, Column)> {
    if let Some(elements) = ir::constant_value(body, value).and_then(|value| value.as_dense()) {
        let is_bytes = *elements.r#type.element() == Type::I8 && !elements.splat && elements.is_available();
        let identity = (0..BYTES).map(|byte| i64::from(byte as u8 as i8)).collect();
        return is_bytes.then_some((elements, Column::Integers(identity)));
    }
    function_of(body, &Generic::defining(body, value)?)
}

/// The same for the only result of an operation.
fn function_of<'b>(body: &'b Body, generic: &Generic) -> Option<(&'b DenseElements, Column)> {
    let [yielded] = *generic.yields(body) else { return None };
    if generic.is_reduction() || !generic.output_map(0).is_identity() {
        return None;
    }
    let (bytes, columns) = block(body, generic)?;
    Some((bytes, columns.get(&yielded)?.spread(BYTES)))
}

/// What the values of a block are for each byte, where one operand is a function of constant bytes and all others are single
/// numbers. Results so far are zero.
fn block<'b>(body: &'b Body, generic: &Generic) -> Option<(&'b DenseElements, IndexMap<Value, Column>)> {
    if body.ops(generic.block).iter().any(|&op| body.name(op) == "linalg.index") {
        return None;
    }
    let (arguments, results) = body.arguments(generic.block).split_at(generic.inputs.len());
    let mut numbers = Vec::new();
    let mut varying = None;
    for ((&input, map), &argument) in generic.inputs.iter().zip(&generic.maps).zip(arguments) {
        if body.uses(argument).is_empty() {
            continue;
        }
        match small_constant(body, input).filter(|constant| is_one_number(constant)) {
            Some(number) => numbers.push((argument, number)),
            None if varying.is_none() && map.is_identity() => varying = Some((argument, input)),
            None => return None,
        }
    }
    let (argument, input) = varying?;
    let (bytes, column) = function(body, input)?;
    let mut columns: IndexMap<Value, Column> = captured_numbers(body, generic).collect();
    columns.extend(results.iter().map(|&result| (result, Column::Integers(vec![0]))));
    columns.insert(argument, column.rounded(body.value_type(argument))?);
    for (argument, number) in numbers {
        columns.insert(argument, Column::first(&number)?.rounded(body.value_type(argument))?);
    }
    evaluate_block(body, generic.block, &[BYTES as i64], &mut columns)?;
    Some((bytes, columns))
}

/// Whether all elements are the same, bit for bit.
fn is_one_number(constant: &DenseElements) -> bool {
    let width = constant.r#type.element().byte_width().unwrap_or(1);
    let mut elements = constant.data.bytes().chunks_exact(width);
    let first = elements.next();
    first.is_some() && elements.all(|element| Some(element) == first)
}

/// Sums of whole numbers.
pub(super) fn sums(body: &Body, generic: &Generic) -> Option<Vec<DenseElements>> {
    let ([yielded], [init]) = (generic.yields(body), &*generic.inits) else { return None };
    let so_far = *body.arguments(generic.block).last()?;
    let sum = body.defining_op(*yielded).filter(|&op| body.name(op) == "arith.addi")?;
    if !body.op(sum).operands().contains(&so_far) || body.uses(so_far).len() != 1 {
        return None;
    }
    let sums = small_constant(body, *init)?;
    let (bytes, columns) = block(body, generic)?;
    let Column::Integers(table) = columns.get(yielded)?.spread(BYTES) else { return None };
    let extents = generic.extents(body).into_iter().collect::<Option<Vec<i64>>>()?;
    let all = bytes.data.bytes();
    if all.len() > ADDED_UP || all.len() as i64 != extents.iter().product::<i64>() {
        return None;
    }
    let (start, steps) = strides(generic.output_map(0), &sums.r#type.static_shape()?, &extents)?;
    // the axes at the end that are all summed, or none of them
    let last = generic.iterators.last()?;
    let inner = generic.iterators.iter().rev().take_while(|iterator| *iterator == last).count();
    let (outer, inner) = extents.split_at(extents.len() - inner);
    let (outer_steps, inner_steps) = steps.split_at(outer.len());
    let runs = Runs { bytes: all, starts: points(start, outer_steps, outer), within: points(0, inner_steps, inner) };
    let added = runs.sums(sums.element_count(), &table);
    let totals = sums.integers()?.into_iter().zip(added).map(|(total, added)| total + added).collect();
    let r#type = body.value_type(body.result(generic.op, 0));
    Some(vec![Column::Integers(totals).rounded(r#type.element())?.write(r#type)?])
}

/// Bytes in runs of one length, and to which sum each belongs.
struct Runs<'b> {
    bytes: &'b [u8],
    /// The first sum of each run.
    starts: Vec<usize>,
    /// For each byte of a run how far behind that its sum is: all in one, or one after the other, in most cases.
    within: Vec<usize>,
}

impl Runs<'_> {
    fn each(&self) -> impl Iterator<Item = (&[u8], usize)> {
        self.bytes.chunks_exact(self.within.len().max(1)).zip(self.starts.iter().copied())
    }

    /// So many sums of what a table has for bytes.
    fn sums(&self, count: usize, table: &[i64]) -> Vec<i64> {
        match linear(table) {
            Some(Linear { flipped, start, step }) => {
                let each = (self.bytes.len() / count.max(1)) as i64;
                let sums = self.sums_of_bytes(count, flipped);
                sums.into_iter().map(|sum| start * each + step * i64::from(sum)).collect()
            }
            None => {
                let mut sums = vec![0; count];
                for (run, start) in self.each() {
                    run.iter().zip(&self.within).for_each(|(&byte, at)| sums[start + at] += table[usize::from(byte)]);
                }
                sums
            }
        }
    }

    /// So many sums of the bytes themselves, which are few enough for 32 bits.
    fn sums_of_bytes(&self, count: usize, flipped: u8) -> Vec<u32> {
        let number = |&byte: &u8| u32::from(byte ^ flipped);
        let is_one = self.within.iter().all(|&at| at == 0);
        if !is_one && self.within.iter().enumerate().all(|(index, &at)| at == index) {
            return self.sums_side_by_side(count, flipped);
        }
        let mut sums = vec![0; count];
        for (run, start) in self.each() {
            if is_one {
                sums[start] += run.iter().map(number).sum::<u32>();
            } else {
                run.iter().zip(&self.within).for_each(|(byte, at)| sums[start + at] += number(byte));
            }
        }
        sums
    }

    /// The same where each byte of a run has a sum of its own. As many runs as can be are added up in 16 bits first.
    fn sums_side_by_side(&self, count: usize, flipped: u8) -> Vec<u32> {
        let mut sums = vec![0; count];
        let mut few = vec![0u16; self.within.len()];
        let mut runs = self.bytes.chunks_exact(self.within.len());
        for starts in self.starts.chunk_by(|a, b| a == b).flat_map(|starts| starts.chunks(RUNS)) {
            few.fill(0);
            for run in runs.by_ref().take(starts.len()) {
                few.iter_mut().zip(run).for_each(|(sum, &byte)| *sum += u16::from(byte ^ flipped));
            }
            sums[starts[0]..].iter_mut().zip(&few).for_each(|(sum, &few)| *sum += u32::from(few));
        }
        sums
    }
}

/// `start + step · (byte ^ flipped)`
struct Linear {
    flipped: u8,
    start: i64,
    step: i64,
}

/// A table whose numbers are evenly spaced, in the order of bytes with or without a sign.
fn linear(table: &[i64]) -> Option<Linear> {
    let of = |flipped: u8| {
        let at = |byte: u8| table[usize::from(byte ^ flipped)];
        let (start, step) = (at(0), at(1) - at(0));
        (0..=u8::MAX).all(|byte| at(byte) == start + step * i64::from(byte)).then_some(Linear { flipped, start, step })
    };
    of(0).or_else(|| of(0x80))
}

#[cfg(test)]
mod tests {
    use ir::{DenseElements, Module};

    use super::linear;
    use crate::evaluate_constants::evaluate_constants;

    const ROWS: usize = 3;
    const COLUMNS: usize = 2000;

    fn bytes() -> Vec<u8> {
        (0..ROWS * COLUMNS).map(|at| (at * at % 251) as u8).collect()
    }

    /// What a function of those bytes, `%b`, returns as `%y`.
    fn evaluated(operations: &str, result: &str) -> DenseElements {
        let hex: String = bytes().iter().map(|byte| format!("{byte:02X}")).collect();
        let text = format!(
            r#""builtin.module"() ({{
                "func.func"() ({{
                  %b = "arith.constant"() {{value = dense<"0x{hex}"> : tensor<3x2000xi8>}} : () -> tensor<3x2000xi8>
                  {operations}
                  "func.return"(%y) : ({result}) -> ()
                }}) {{sym_name = "main_graph", function_type = () -> {result}}} : () -> ()
            }}) : () -> ()"#
        );
        let mut module = ir::parse_module(&text, "test", None).expect("the module is as it should be");
        evaluate_constants(&mut module, "main_graph");
        returned(&module).expect("a constant is returned")
    }

    fn returned(module: &Module) -> Option<DenseElements> {
        let main = module.function("main_graph")?.body;
        let end = *main.ops(main.entry()?).last()?;
        ir::constant_value(main, main.operand(end, 0))?.as_dense().map(|elements| DenseElements::clone(elements))
    }

    /// Sums of bytes that moved by 128, plus 5.
    fn sums(along: &str, iterators: &str, result: &str) -> Vec<i64> {
        let iterators = iterators.split(' ').map(|kind| format!("#linalg.iterator_type<{kind}>")).collect::<Vec<_>>();
        let operations = format!(
            r#"%five = "arith.constant"() {{value = dense<5> : {result}}} : () -> {result}
            %e = "tensor.empty"() : () -> tensor<3x2000xi8>
            %m = "linalg.generic"(%b, %e) ({{
            ^bb0(%in: i8, %out: i8):
              %flip = "arith.constant"() {{value = -128 : i8}} : () -> i8
              %moved = "arith.xori"(%in, %flip) : (i8, i8) -> i8
              "linalg.yield"(%moved) : (i8) -> ()
            }}) {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>}} : (tensor<3x2000xi8>, tensor<3x2000xi8>) -> tensor<3x2000xi8>
            %y = "linalg.generic"(%m, %five) ({{
            ^bb0(%in: i8, %sum: i32):
              %wide = "arith.extsi"(%in) : (i8) -> i32
              %next = "arith.addi"(%sum, %wide) : (i32, i32) -> i32
              "linalg.yield"(%next) : (i32) -> ()
            }}) {{indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ({along})>], iterator_types = [{}], operandSegmentSizes = array<i32: 1, 1>}} : (tensor<3x2000xi8>, {result}) -> {result}"#,
            iterators.join(", ")
        );
        evaluated(&operations, result).integers().expect("integers")
    }

    #[test]
    fn rows_and_columns_are_added_up() {
        let moved: Vec<i64> = bytes().iter().map(|byte| i64::from((byte ^ 0x80) as i8)).collect();
        let rows: Vec<i64> = moved.chunks(COLUMNS).map(|row| row.iter().sum::<i64>() + 5).collect();
        assert_eq!(sums("d0", "parallel reduction", "tensor<3xi32>"), rows);
        let column = |at: usize| (0..ROWS).map(|row| moved[row * COLUMNS + at]).sum::<i64>() + 5;
        let columns: Vec<i64> = (0..COLUMNS).map(column).collect();
        assert_eq!(sums("d1", "reduction parallel", "tensor<2000xi32>"), columns);
    }

    #[test]
    fn many_elements_are_looked_up() {
        let operations = r#"%e = "tensor.empty"() : () -> tensor<3x2000xf32>
            %zeros = "arith.constant"() {value = dense<[[3], [3], [3]]> : tensor<3x1xi8>} : () -> tensor<3x1xi8>
            %y = "linalg.generic"(%b, %zeros, %e) ({
            ^bb0(%in: i8, %zero: i8, %out: f32):
              %x = "arith.uitofp"(%in) : (i8) -> f32
              %z = "arith.sitofp"(%zero) : (i8) -> f32
              %difference = "arith.subf"(%x, %z) : (f32, f32) -> f32
              "linalg.yield"(%difference) : (f32) -> ()
            }) {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>} : (tensor<3x2000xi8>, tensor<3x1xi8>, tensor<3x2000xf32>) -> tensor<3x2000xf32>"#;
        let expected: Vec<f64> = bytes().iter().map(|&byte| f64::from(byte) - 3.0).collect();
        assert_eq!(evaluated(operations, "tensor<3x2000xf32>").floats().expect("floats"), expected);
    }

    #[test]
    fn only_evenly_spaced_tables_are_linear() {
        let table = |number: fn(u8) -> i64| (0..=u8::MAX).map(number).collect::<Vec<_>>();
        assert!(linear(&table(|byte| i64::from(byte) * 3 - 7)).is_some_and(|found| found.flipped == 0));
        assert!(linear(&table(|byte| i64::from(byte as i8))).is_some_and(|found| found.flipped == 0x80));
        assert!(linear(&table(|byte| i64::from(byte / 2))).is_none());
    }
}
