//! Einsum: the equation is the index maps of one operation.

use ir::{AffineExpr, AffineMap, DimExpr, IndexMap, Op};

use super::reduction::{Shaped, accumulator};
use super::scalars::Scalars;
use super::{Lowering, Unsupported};
use dialects::linalg::generic::{Input, Iterator};

/// A loop: a letter, or an axis of the ellipsis counted from the back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Label {
    Letter(char),
    Rest(usize),
}

/// The labels of a term, whose ellipsis stands for `rest` axes.
fn labels(term: &str, rest: usize) -> Vec<Label> {
    let (front, back) = term.split_once("...").unwrap_or((term, ""));
    let middle = if term.contains("...") { rest } else { 0 };
    let letters = |text: &str| text.chars().map(Label::Letter).collect::<Vec<_>>();
    [letters(front), (0..middle).rev().map(Label::Rest).collect(), letters(back)].concat()
}

/// Lowers `Einsum`: products of elements of all operands, summed over labels the result has not.
pub(super) fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let result = operation.results()[0];
    let equation: String =
        operation.attributes.str("equation").unwrap_or_default().chars().filter(|c| !c.is_whitespace()).collect();
    let (terms, output) = match equation.split_once("->") {
        Some((terms, output)) => (terms, output.to_string()),
        None => (&*equation, crate::shape::implicit_output(&equation)),
    };
    let operands: Vec<Shaped> = operation.operands().iter().map(|&operand| lowering.shaped(operand)).collect();
    let named = |term: &str| term.chars().filter(|c| c.is_alphabetic()).count();
    let terms: Vec<(Vec<Label>, &Shaped)> = terms
        .split(',')
        .zip(&operands)
        .map(|(term, operand)| (labels(term, operand.shape.len() - named(term)), operand))
        .collect();
    let shape = lowering.shape(result);
    let output = labels(&output, shape.len() - named(&output));
    let mut extents: IndexMap<Label, DimExpr> = output.iter().copied().zip(shape.iter().cloned()).collect();
    for (labels, operand) in &terms {
        for (&label, extent) in labels.iter().zip(&operand.shape) {
            let known = extents.entry(label).or_insert(DimExpr::ONE);
            if *known == DimExpr::ONE {
                *known = extent.clone();
            }
        }
    }
    let element = lowering.element(result);
    let work = accumulator(&element);
    let mut inputs = Vec::new();
    for (labels, operand) in &terms {
        let mut map = Vec::new();
        for (label, extent) in labels.iter().zip(&operand.shape) {
            let position = extents.get_index_of(label).expect("every label has an extent");
            let repeats = *extent == DimExpr::ONE && extents[position] != DimExpr::ONE;
            if !repeats {
                lowering.check_equal(extent, &extents[position], "a label of Einsum stands for two extents");
            }
            map.push(if repeats { AffineExpr::Constant(0) } else { AffineExpr::Dim(position as u32) });
        }
        inputs.push(Input { value: operand.value, map: AffineMap::new(extents.len() as u32, map) });
    }
    let mut kinds = vec![Iterator::Parallel; extents.len()];
    kinds[output.len()..].fill(Iterator::Reduction);
    let sums_up = extents.len() > output.len();
    let order: Vec<usize> = (0..output.len()).collect();
    let init = lowering.filled(&shape, work.clone(), 0.0);
    let output = AffineMap::select(extents.len(), &order);
    let value = lowering.generic_onto(&inputs, init, output, &kinds, |builder, e| {
        let mut s = Scalars { builder, unsigned: false };
        let (sum, factors) = e.split_last().expect("the result has an element");
        let factors: Vec<_> = factors.iter().map(|&factor| s.cast(factor, &work, false, false)).collect();
        match factors.into_iter().reduce(|a, b| s.mul(a, b)) {
            Some(product) if sums_up => s.add(*sum, product),
            Some(product) => product,
            None => *sum,
        }
    });
    let sums = Shaped { value, shape };
    let value = lowering.map(&[&sums], &sums.shape, element.clone(), |s, e| s.cast(e[0], &element, false, false));
    lowering.bind(result, value.value);
    Ok(())
}
