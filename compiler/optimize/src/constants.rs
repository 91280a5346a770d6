//! Constants: what is known of them, and those that rules make.
//!
//! Small constants that rules combine are computed at once; what is made of larger ones is an expression like any other, which the
//! compiler runs ahead of the first run.

use std::rc::Rc;

use dialects::onnx::CONSTANT;
use egg::Id;
use ir::{Blob, DenseElements, DimExpr, FloatType, Type};
use operators::{Uniform, row_of};

use crate::graph::Graph;
use crate::language::Node;
use crate::scalar;

/// Elements of a small constant, at most.
const ELEMENTS: usize = 1 << 13;
/// Operations between a constant and the literals it is made of, at most.
const DEPTH: usize = 8;

impl Graph<'_> {
    /// The elements of a small constant of floats, one for all where they are the same, computed from literals that are near.
    pub(crate) fn numbers(&self, class: Id) -> Option<Rc<[f64]>> {
        self.numbers_within(class, DEPTH)
    }

    /// The same from literals at most `depth` operations away.
    fn numbers_within(&self, class: Id, depth: usize) -> Option<Rc<[f64]>> {
        let fact = self.data(class);
        if let Some(known) = fact.numbers.get() {
            return Some(known.clone());
        }
        if !fact.constant || !fact.shape.as_deref().is_some_and(is_small) {
            return None;
        }
        if let Some(number) = fact.scalar {
            return Some([number].into());
        }
        let numbers = self.egraph[class].nodes.iter().find_map(|node| self.numbers_of(node, depth))?;
        Some(fact.numbers.get_or_init(|| numbers).clone())
    }

    /// The same of one node of a class.
    fn numbers_of(&self, node: &Node, depth: usize) -> Option<Rc<[f64]>> {
        let op = node.op()?;
        if let Some(dense) = self.body.op(op).attributes.get("value").and_then(ir::Attribute::as_dense) {
            return literal_numbers(dense);
        }
        let row = row_of(self.body.name(op))?;
        let operand = |at: usize| self.numbers_within(node.children[at], depth.checked_sub(1)?);
        match row.uniform? {
            Uniform::Kept => operand(0),
            Uniform::Computed(compute) => {
                let operands: Vec<Rc<[f64]>> = (0..node.children.len()).map(operand).collect::<Option<_>>()?;
                elementwise(compute, &operands).map(Rc::from)
            }
        }
    }
}

impl Graph<'_> {
    /// Writes a uniform value as a constant.
    pub(crate) fn settle(&mut self, class: Id) -> Option<Id> {
        let fact = self.data(class);
        let shape = fact.shape.as_ref()?;
        let extents = || shape.iter().map(DimExpr::as_constant).collect::<Option<Vec<i64>>>();
        let Some((number, extents)) = fact.scalar.and_then(|number| Some((number, extents()?))) else {
            return Some(class);
        };
        let element = fact.element.clone();
        let Some(constant) = self.splat(number, &extents, &element) else { return Some(class) };
        self.egraph.union(class, constant);
        Some(constant)
    }

    /// A constant that is the same number everywhere.
    pub(crate) fn splat(&mut self, number: f64, shape: &[i64], element: &Type) -> Option<Id> {
        self.constant(filled(number, shape, element)?)
    }

    /// A list of `int64`.
    pub(crate) fn integer_list(&mut self, numbers: &[i64]) -> Option<Id> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let r#type = Type::static_tensor(&[numbers.len() as i64], Type::I64);
        self.constant(DenseElements::new(r#type, Blob::copy_of(&bytes)))
    }

    /// A class as what rules compute with.
    pub(crate) fn term(&self, class: Id) -> Term {
        self.small_literal(class).map_or(Term::Class(class), |literal| Term::Literal(literal.clone()))
    }

    /// An operation on terms: what they are computed to be, or a node.
    pub(crate) fn combine<const N: usize>(&mut self, name: &str, terms: [&Term; N]) -> Option<Term> {
        let literals: Vec<&DenseElements> = terms.iter().filter_map(|term| term.literal()).collect();
        if literals.len() == N
            && let Some(literal) = function(&["onnx.", name].concat()).and_then(|function| apply(function, &literals))
        {
            return Some(Term::Literal(literal));
        }
        let operands: Vec<Id> = terms.into_iter().map(|term| self.place(term.clone())).collect::<Option<_>>()?;
        self.op(name, &operands, []).map(Term::Class)
    }

    /// A term under another shape.
    pub(crate) fn shaped(&mut self, term: &Term, shape: &[i64]) -> Option<Term> {
        match term {
            Term::Literal(literal) => Some(Term::Literal(reshaped(literal, shape))),
            Term::Class(class) => self.reshape(*class, shape).map(Term::Class),
        }
    }

    /// The class of a term, which is a node from now on.
    pub(crate) fn place(&mut self, term: Term) -> Option<Id> {
        match term {
            Term::Class(class) => Some(class),
            Term::Literal(literal) => self.constant(literal),
        }
    }

    /// The elements of a small term, one for all where they are the same.
    pub(crate) fn numbers_of_term(&self, term: &Term) -> Option<Rc<[f64]>> {
        match term {
            Term::Class(class) => self.numbers(*class),
            Term::Literal(literal) => literal_numbers(literal),
        }
    }

    /// An operation on small literals.
    pub(crate) fn computed(&self, name: &str, operands: &[Id]) -> Option<DenseElements> {
        let function = function(name)?;
        let literals: Vec<&DenseElements> =
            operands.iter().map(|&operand| self.small_literal(operand)).collect::<Option<_>>()?;
        apply(function, &literals)
    }

    /// A small literal under another shape.
    pub(crate) fn reshaped(&mut self, class: Id, shape: &[i64]) -> Option<Id> {
        let literal = reshaped(self.small_literal(class)?, shape);
        self.constant(literal)
    }

    /// The elements of a class that is a literal of few of them.
    fn small_literal(&self, class: Id) -> Option<&DenseElements> {
        let literals =
            self.egraph[class].nodes.iter().filter_map(Node::op).filter(|&op| self.body.name(op) == CONSTANT);
        let mut dense = literals.filter_map(|op| self.body.op(op).attributes.get("value")?.as_dense());
        dense
            .find(|dense| dense.is_available() && (1..=ELEMENTS).contains(&dense.element_count()))
            .map(|dense| &**dense)
    }
}

/// What a rule makes of constants on the way to what it builds: no node of the graph before something reads it there.
#[derive(Clone)]
pub(crate) enum Term {
    /// A class of the graph.
    Class(Id),
    /// Few elements.
    Literal(DenseElements),
}

impl Term {
    /// One number without axes.
    pub(crate) fn number(number: f64, element: &Type) -> Option<Term> {
        filled(number, &[], element).map(Term::Literal)
    }

    fn literal(&self) -> Option<&DenseElements> {
        match self {
            Term::Class(_) => None,
            Term::Literal(literal) => Some(literal),
        }
    }
}

/// The elements of a literal of floats, one for all where they are the same.
fn literal_numbers(literal: &DenseElements) -> Option<Rc<[f64]>> {
    match literal.is_splat() {
        true => Some([literal.float(0)?].into()),
        false => literal.floats().map(Rc::from),
    }
}

fn reshaped(literal: &DenseElements, shape: &[i64]) -> DenseElements {
    let r#type = Type::static_tensor(shape, literal.r#type.element().clone());
    DenseElements { r#type, key: None, ..literal.clone() }
}

/// What an elementwise operation computes of numbers.
fn function(name: &str) -> Option<fn(&[f64]) -> f64> {
    match row_of(name)?.uniform? {
        Uniform::Computed(compute) => Some(compute),
        Uniform::Kept => None,
    }
}

/// A literal that is the same number everywhere.
fn filled(number: f64, shape: &[i64], element: &Type) -> Option<DenseElements> {
    let bytes = scalar::bytes(number, element)?;
    Some(DenseElements::splat(Type::static_tensor(shape, element.clone()), &bytes))
}

/// A function of literals, element by element, of which each is rounded as the operation rounds it: numbers of at most
/// 24 bits that are computed with 53 and rounded again are rounded once (Figueroa, When is double rounding innocuous?, 1995).
fn apply(function: fn(&[f64]) -> f64, literals: &[&DenseElements]) -> Option<DenseElements> {
    let r#type = literals.iter().max_by_key(|literal| literal.element_count())?.r#type.clone();
    let Type::Float(format) = *r#type.element() else { return None };
    let rank = r#type.rank()?;
    let fits = |literal: &&DenseElements| {
        let own = &literal.r#type;
        own.element() == r#type.element()
            && (*own == r#type || (literal.element_count() == 1 && own.rank() <= Some(rank)))
    };
    if format == FloatType::F64 || !literals.iter().all(fits) {
        return None;
    }
    let numbers: Vec<Vec<f64>> = literals.iter().map(|literal| literal.floats()).collect::<Option<_>>()?;
    let results = elementwise(function, &numbers)?;
    let is_uniform = results.iter().all(|number| number.to_bits() == results[0].to_bits());
    match is_uniform {
        true => Some(DenseElements::splat(r#type.clone(), &scalar::bytes(results[0], r#type.element())?)),
        false => DenseElements::of_floats(r#type, &results),
    }
}

/// A function of one or two operands, element by element.
fn elementwise(compute: fn(&[f64]) -> f64, operands: &[impl AsRef<[f64]>]) -> Option<Vec<f64>> {
    match operands {
        [a] => Some(a.as_ref().iter().map(|&number| compute(&[number])).collect()),
        [a, b] => pairwise(a.as_ref(), b.as_ref(), |a, b| compute(&[a, b])),
        _ => None,
    }
}

/// A function of each two elements; one element stands beside all.
pub(crate) fn pairwise(a: &[f64], b: &[f64], of: impl Fn(f64, f64) -> f64) -> Option<Vec<f64>> {
    match (a, b) {
        _ if a.len() == b.len() => Some(a.iter().zip(b).map(|(&a, &b)| of(a, b)).collect()),
        (&[a], [_, ..]) => Some(b.iter().map(|&b| of(a, b)).collect()),
        ([_, ..], &[b]) => Some(a.iter().map(|&a| of(a, b)).collect()),
        _ => None,
    }
}

/// Whether a tensor of this shape has few elements.
fn is_small(shape: &[DimExpr]) -> bool {
    let count =
        shape.iter().try_fold(1usize, |count, extent| count.checked_mul(usize::try_from(extent.as_constant()?).ok()?));
    count.is_some_and(|count| count <= ELEMENTS)
}
