//! Einsum: the equation becomes the index maps of one operation. Since 12.

use dialects::linalg::generic::{Input, Iterator};
use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View};
use ir::{AffineExpr, AffineMap, DimExpr, IndexMap, Op};

use crate::operator::{Kind, Operator};
use crate::shape::{Answer, Node, Shape};
use crate::structured::reduction::{Shaped, accumulator};
use crate::structured::scalars::Scalars;
use crate::structured::{Lowering, Unsupported};

pub(crate) const EINSUM: Operator =
    Operator { kind: Kind::Contraction, shapes: Some(shapes), lower: Some(lower), ..Operator::of(OnnxOp::Einsum) };

/// The terms of the operands and that of the result.
fn parse(equation: &str) -> (Vec<String>, String) {
    let equation: String = equation.chars().filter(|c| !c.is_whitespace()).collect();
    let (terms, output) = match equation.split_once("->") {
        Some((terms, output)) => (terms, output.to_string()),
        None => (&*equation, implicit_output(&equation)),
    };
    (terms.split(',').map(str::to_string).collect(), output)
}

/// The extent of every label, and the extents of the ellipsis.
#[derive(Default)]
struct Labels {
    extents: IndexMap<char, DimExpr>,
    rest: Shape,
}

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let einsum: views::Einsum = node.view();
    let (terms, output) = parse(&einsum.equation);
    if terms.len() != einsum.inputs.len() {
        return Err(format!("{} terms for {} operands", terms.len(), einsum.inputs.len()));
    }
    let mut labels = Labels::default();
    for (term, &input) in terms.iter().zip(&einsum.inputs) {
        match node.shape_of(input) {
            Some(shape) => labels.read(node, term, &shape)?,
            None => return Ok(vec![]),
        }
    }
    labels.shape(&output).map(|shape| vec![Some(shape)])
}

/// Labels that occur once, in alphabetical order, after the ellipsis if there is one.
fn implicit_output(inputs: &str) -> String {
    let letters = || inputs.chars().filter(|c| c.is_alphabetic());
    let mut once: Vec<char> = letters().filter(|&c| letters().filter(|&other| other == c).count() == 1).collect();
    once.sort_unstable();
    let ellipsis = if inputs.contains("...") { "..." } else { "" };
    ellipsis.chars().chain(once).collect()
}

impl Labels {
    fn read(&mut self, node: &mut Node<'_, '_>, term: &str, shape: &[DimExpr]) -> Result<(), String> {
        let (front, back) = term.split_once("...").unwrap_or((term, ""));
        let named = front.chars().count() + back.chars().count();
        let after = shape.len().checked_sub(named).filter(|&after| after == 0 || term.contains("..."));
        let Some(after) = after else {
            return Err(format!("term '{term}' does not describe rank {}", shape.len()));
        };
        let middle = front.chars().count();
        self.rest = node.broadcast(&self.rest, &shape[middle..middle + after])?;
        let named = shape[..middle].iter().chain(&shape[middle + after..]);
        for (label, extent) in front.chars().chain(back.chars()).zip(named) {
            let joined = match self.extents.get(&label) {
                None => extent.clone(),
                Some(known) => {
                    node.broadcast_extent(known, extent).map_err(|reason| format!("label '{label}': {reason}"))?
                }
            };
            self.extents.insert(label, joined);
        }
        Ok(())
    }

    fn shape(&self, output: &str) -> Result<Shape, String> {
        let letters = || output.chars().filter(|&c| c != '.');
        if let Some(label) = letters().find(|&c| letters().filter(|&other| other == c).count() > 1) {
            return Err(format!("label '{label}' occurs more than once in the result"));
        }
        let (front, back) = output.split_once("...").unwrap_or((output, ""));
        let extent = |label: char| {
            self.extents.get(&label).cloned().ok_or_else(|| format!("label '{label}' occurs in no operand"))
        };
        let mut shape = front.chars().map(extent).collect::<Result<Shape, _>>()?;
        if output.contains("...") {
            shape.extend(self.rest.iter().cloned());
        }
        for label in back.chars() {
            shape.push(extent(label)?);
        }
        Ok(shape)
    }
}

/// A loop: a letter, or an axis of the ellipsis counted from the back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Label {
    Letter(char),
    Rest(usize),
}

/// The labels of a term, whose ellipsis represents `rest` axes.
fn labels(term: &str, rest: usize) -> Vec<Label> {
    let (front, back) = term.split_once("...").unwrap_or((term, ""));
    let middle = if term.contains("...") { rest } else { 0 };
    let letters = |text: &str| text.chars().map(Label::Letter).collect::<Vec<_>>();
    [letters(front), (0..middle).rev().map(Label::Rest).collect(), letters(back)].concat()
}

/// An operand and the labels of its axes.
type Term = (Vec<Label>, Shaped);

/// Moves the axis of a label to the end of an operand.
fn move_last(lowering: &mut Lowering<'_>, (labels, operand): &mut Term, label: Label) {
    let rank = labels.len();
    let places: Vec<usize> = (0..rank).filter(|&axis| labels[axis] == label).collect();
    let [axis] = places[..] else { return };
    if axis + 1 == rank {
        return;
    }
    labels[axis..].rotate_left(1);
    operand.shape[axis..].rotate_left(1);
    // axis `a` of the operand is axis `inverse[a]` of the result
    let inverse: Vec<usize> = (0..rank).map(|a| if a == axis { rank - 1 } else { a - usize::from(a > axis) }).collect();
    let element = lowering.body.value_type(operand.value).element().clone();
    let input = Input { value: operand.value, map: AffineMap::select(rank, &inverse) };
    operand.value = lowering.pointwise(&[input], &operand.shape, element, |_, e| e[0]);
}

/// Gives the operands of a matrix product its layout: columns of the result are contiguous in the operand that has them,
/// and the reduction in the other one.
fn lay_out(lowering: &mut Lowering<'_>, [first, second]: [&mut Term; 2], output: &[Label]) {
    let Some(&column) = output.last() else { return };
    let (left, right) = match (first.0.contains(&column), second.0.contains(&column)) {
        (true, false) => (second, first),
        (false, true) => (first, second),
        (true, true) | (false, false) => return,
    };
    let is_reduced = |label: &Label| !output.contains(label) && right.0.contains(label);
    let reduced = left.0.iter().copied().rfind(is_reduced);
    move_last(lowering, right, column);
    if let Some(label) = reduced {
        move_last(lowering, left, label);
    }
}

/// Products of elements of all operands, summed over labels that the result lacks.
fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let einsum = views::Einsum::of(lowering.source, op);
    let result = lowering.source.op(op).results()[0];
    let (terms, output) = parse(&einsum.equation);
    let operands: Vec<Shaped> = einsum.inputs.iter().map(|&operand| lowering.shaped(operand)).collect();
    let named = |term: &str| term.chars().filter(|c| c.is_alphabetic()).count();
    let mut terms: Vec<Term> = terms
        .iter()
        .zip(operands)
        .map(|(term, operand)| (labels(term, operand.shape.len() - named(term)), operand))
        .collect();
    let shape = lowering.shape(result);
    let output = labels(&output, shape.len() - named(&output));
    let mut extents: IndexMap<Label, DimExpr> = output.iter().copied().zip(shape.iter().cloned()).collect();
    for (labels, operand) in &terms {
        for (&label, extent) in labels.iter().zip(&operand.shape) {
            if !output.contains(&label) {
                let joined = extents.get(&label).map_or_else(|| extent.clone(), |known| known.broadcast(extent));
                extents.insert(label, joined);
            }
        }
    }
    let element = lowering.element(result);
    let work = accumulator(&element);
    if let [first, second] = &mut terms[..] {
        lay_out(lowering, [first, second], &output);
    }
    let mut inputs = Vec::new();
    for (labels, operand) in &terms {
        let places: Vec<usize> = labels.iter().filter_map(|label| extents.get_index_of(label)).collect();
        let whole: Shape = places.iter().map(|&place| extents[place].clone()).collect();
        // along its own axes, which are the loops of their labels
        let Input { value, map } = lowering.broadcast_input(operand.value, &operand.shape, &whole);
        let loops: Vec<AffineExpr> = places.into_iter().map(|place| AffineExpr::Dim(place as u32)).collect();
        let map = map.results.iter().map(|subscript| subscript.substitute(&loops, &[])).collect();
        inputs.push(Input { value, map: AffineMap::new(extents.len() as u32, map) });
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
