//! The equations, in families.
//!
//! Every rule is an equation `from = to`: a match of `from` may be replaced by `to`. A rule applies only if both sides
//! have the same shape and element type; `when` adds further conditions.

mod activation;
mod arithmetic;
mod bounds;
mod contraction;
mod heads;
mod normalization;
mod quantization;
mod shape;

use std::sync::LazyLock;

use egg::Id;
use ir::{Attribute, Attributes, DimExpr, FloatType, IndexSet, Type};

use crate::graph::Graph;
use crate::pattern::{Bindings, Names, Pattern, Reader};

/// How exact an equation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// The same bits.
    Exact,
    /// Equal in real arithmetic: rounded differently, within bounds.
    Reassoc,
}

/// One equation.
pub(crate) struct Rule {
    pub(crate) name: &'static str,
    pub(crate) kind: Kind,
    from: &'static str,
    to: To,
    when: fn(&Match<'_, '_>) -> bool,
}

enum To {
    Text(&'static str),
    Code(fn(&mut Match<'_, '_>) -> Option<Id>),
}

const fn exact(name: &'static str, from: &'static str, to: &'static str) -> Rule {
    Rule { name, kind: Kind::Exact, from, to: To::Text(to), when: |_| true }
}

const fn reassoc(name: &'static str, from: &'static str, to: &'static str) -> Rule {
    Rule { name, kind: Kind::Reassoc, from, to: To::Text(to), when: |_| true }
}

/// An exact rule with a computed right side.
const fn exact_by(name: &'static str, from: &'static str, to: fn(&mut Match<'_, '_>) -> Option<Id>) -> Rule {
    Rule { name, kind: Kind::Exact, from, to: To::Code(to), when: |_| true }
}

/// A rule that rounds differently, with a computed right side.
const fn reassoc_by(name: &'static str, from: &'static str, to: fn(&mut Match<'_, '_>) -> Option<Id>) -> Rule {
    Rule { name, kind: Kind::Reassoc, from, to: To::Code(to), when: |_| true }
}

impl Rule {
    /// The same rule under a condition.
    const fn when(mut self, when: fn(&Match<'_, '_>) -> bool) -> Rule {
        self.when = when;
        self
    }
}

/// A parsed rule.
pub(crate) struct Compiled {
    pub(crate) rule: &'static Rule,
    /// The name of its family.
    pub(crate) family: &'static str,
    pub(crate) from: Pattern,
    /// The depth of the left side in operations.
    pub(crate) depth: usize,
    to: Option<Pattern>,
    names: Names,
}

#[cfg(test)]
impl Compiled {
    /// Its names; operators are numbered for all rules together.
    pub(crate) fn names(&self) -> &Names {
        &self.names
    }
}

/// All rules, and the operators in them.
pub(crate) struct Rules {
    /// In the order in which they are tried.
    pub(crate) all: Vec<Compiled>,
    pub(crate) operators: IndexSet<String>,
    /// The maximum depth of a left side.
    pub(crate) depth: usize,
    /// For each operator, the rules with that root.
    by_root: Vec<Vec<usize>>,
}

/// The families, by name, in the order in which they are tried.
const FAMILIES: [(&str, &[Rule]); 7] = [
    ("arithmetic", arithmetic::RULES),
    ("activation", activation::RULES),
    ("shape", shape::RULES),
    ("contraction", contraction::RULES),
    ("heads", heads::RULES),
    ("normalization", normalization::RULES),
    ("quantization", quantization::RULES),
];

/// The names of the families of rules.
pub fn families() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().map(|(name, _)| *name)
}

/// All rules.
pub(crate) static RULES: LazyLock<Rules> = LazyLock::new(|| {
    let mut operators = IndexSet::default();
    let rules = FAMILIES.iter().flat_map(|(family, rules)| rules.iter().map(move |rule| (*family, rule)));
    let all: Vec<Compiled> = rules.map(|(family, rule)| compile(family, rule, &mut operators)).collect();
    let mut by_root = vec![Vec::new(); operators.len()];
    for (number, rule) in all.iter().enumerate() {
        if let Pattern::Op { operator, .. } = rule.from {
            by_root[operator].push(number);
        }
    }
    let depth = all.iter().map(|rule| rule.depth).max().unwrap_or(0);
    Rules { all, operators, depth, by_root }
});

impl Rules {
    /// The rules with the operator at the root of their left side.
    pub(crate) fn rooted_at(&self, operator: u32) -> &[usize] {
        self.by_root.get(operator as usize).map_or(&[], Vec::as_slice)
    }
}

fn compile(family: &'static str, rule: &'static Rule, operators: &mut IndexSet<String>) -> Compiled {
    let mut names = Names::with_operators(std::mem::take(operators));
    let from = Reader::read(rule.from, &mut names);
    let to = match rule.to {
        To::Text(text) => Some(Reader::read(text, &mut names)),
        To::Code(_) => None,
    };
    *operators = std::mem::take(&mut names.operators);
    Compiled { rule, family, depth: from.depth(), from, to, names }
}

/// A match of a rule's left side.
pub(crate) struct Match<'m, 'g> {
    pub(crate) graph: &'m mut Graph<'g>,
    rule: &'m Compiled,
    root: Id,
    bindings: &'m Bindings,
}

impl<'m, 'g> Match<'m, 'g> {
    pub(crate) fn new(graph: &'m mut Graph<'g>, rule: &'m Compiled, root: Id, bindings: &'m Bindings) -> Self {
        Match { graph, rule, root, bindings }
    }

    /// The right side, if the condition holds. An operation that checks sizes in a run stays: with a right side that
    /// lacks it, a run would succeed that must fail.
    pub(crate) fn rewrite(&mut self) -> Option<Id> {
        let checks_sizes = self.bindings.ops.iter().any(|&op| self.graph.shapes.checks_sizes(op));
        if checks_sizes || !(self.rule.rule.when)(self) {
            return None;
        }
        match &self.rule.rule.to {
            To::Code(build) => build(self),
            To::Text(_) => {
                let element = self.graph.data(self.root).element.clone();
                self.graph.build(self.rule.to.as_ref()?, self.bindings, &element)
            }
        }
    }

    // ---- reading

    /// The class of a variable.
    fn get(&self, name: &str) -> Id {
        self.bindings.variables[self.rule.names.variable(name)].expect("the left side binds it")
    }

    /// The attributes of a named operation.
    fn attributes(&self, label: &str) -> Attributes {
        let op = self.bindings.labels[self.rule.names.label(label)].expect("the left side binds it");
        self.graph.body.op(op).attributes.clone()
    }

    fn shape(&self, name: &str) -> Option<&[DimExpr]> {
        self.graph.data(self.get(name)).shape.as_deref()
    }

    fn root_shape(&self) -> Option<&[DimExpr]> {
        self.graph.data(self.root).shape.as_deref()
    }

    fn root_element(&self) -> &Type {
        &self.graph.data(self.root).element
    }

    fn rank(&self, name: &str) -> Option<usize> {
        self.shape(name).map(<[DimExpr]>::len)
    }

    /// The extents of a variable, if all are static.
    fn extents(&self, name: &str) -> Option<Vec<i64>> {
        self.shape(name)?.iter().map(DimExpr::as_constant).collect()
    }

    fn element(&self, name: &str) -> Type {
        self.graph.data(self.get(name)).element.clone()
    }

    fn is_float(&self, name: &str) -> bool {
        self.element(name).is_float()
    }

    /// Whether floats are computed in their own type: narrower ones are computed in `f32` and rounded by each operator,
    /// so that two operators round twice where one rounds once.
    fn rounds_as_it_computes(&self, name: &str) -> bool {
        matches!(self.element(name), Type::Float(FloatType::F32 | FloatType::F64))
    }

    /// The value of a uniform variable.
    fn scalar(&self, name: &str) -> Option<f64> {
        self.graph.data(self.get(name)).scalar
    }

    fn is_constant(&self, name: &str) -> bool {
        self.graph.data(self.get(name)).constant
    }

    /// The elements of a small integer tensor.
    fn integers(&self, name: &str) -> Option<Vec<i64>> {
        self.graph.integers(self.get(name))
    }

    /// A constant as an attribute of an operator on `x`. Attributes are `f32`, so that a double must be exact.
    fn float_attribute(&self, number: f64) -> Option<Attribute> {
        let held = number as f32;
        (self.element("x") != Type::F64 || f64::from(held) == number).then(|| Attribute::f32(held))
    }

    // ---- building

    fn op(&mut self, name: &str, operands: &[Id], attributes: impl Into<Attributes>) -> Option<Id> {
        self.graph.op(name, operands, attributes)
    }

    /// The root's elements as a reshape of `class`, if the shape can be expressed.
    fn reshape_to_root(&mut self, class: Id) -> Option<Id> {
        let shape = self.root_shape()?.to_vec();
        if self.graph.data(class).shape.as_deref() == Some(&shape) {
            return Some(class);
        }
        let dynamic = shape.iter().filter(|dim| dim.as_constant().is_none()).count();
        let numbers: Vec<i64> = shape.iter().map(|dim| dim.as_constant().unwrap_or(-1)).collect();
        // a zero copies an extent of the operand, and -1 cannot be inferred in its presence
        if dynamic > 1 || numbers.contains(&0) {
            return None;
        }
        let target = self.graph.integer_list(&numbers)?;
        self.op("Reshape", &[class, target], [])
    }
}
