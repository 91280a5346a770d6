//! Matrix products.

use ir::{DimExpr, IndexMap};

use super::node::Node;
use super::{Answer, Rule, Shape};

pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "Einsum" => einsum,
        _ => return None,
    })
}

/// An extent for every label, and the extents behind the ellipsis.
#[derive(Default)]
struct Labels {
    extents: IndexMap<char, DimExpr>,
    rest: Shape,
}

fn einsum(node: &mut Node<'_, '_>) -> Answer {
    let Some(equation) = node.text("equation") else { return Ok(vec![]) };
    let equation: String = equation.chars().filter(|c| !c.is_whitespace()).collect();
    let (inputs, output) = match equation.split_once("->") {
        Some((inputs, output)) => (inputs.to_string(), output.to_string()),
        None => (equation.clone(), implicit_output(&equation)),
    };
    let mut labels = Labels::default();
    for (index, term) in inputs.split(',').enumerate() {
        match node.shape(index) {
            Some(shape) => labels.read(node, term, &shape)?,
            None => return Ok(vec![]),
        }
    }
    labels.shape(&output).map(|shape| vec![Some(shape)])
}

/// Labels that occur once, in order of the alphabet, behind the ellipsis if there is one.
pub fn implicit_output(inputs: &str) -> String {
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
        let behind = shape.len().checked_sub(named).filter(|&behind| behind == 0 || term.contains("..."));
        let Some(behind) = behind else {
            return Err(format!("term '{term}' does not describe rank {}", shape.len()));
        };
        let middle = front.chars().count();
        self.rest = node.broadcast(&self.rest, &shape[middle..middle + behind])?;
        let named = shape[..middle].iter().chain(&shape[middle + behind..]);
        for (label, extent) in front.chars().chain(back.chars()).zip(named) {
            let joined = match self.extents.get(&label) {
                Some(DimExpr::Constant(1)) | None => extent.clone(),
                Some(known) if *extent == DimExpr::ONE => known.clone(),
                Some(known) => node.unify(known, extent).map_err(|reason| format!("label '{label}': {reason}"))?,
            };
            self.extents.insert(label, joined);
        }
        Ok(())
    }

    fn shape(&self, output: &str) -> Result<Shape, String> {
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
