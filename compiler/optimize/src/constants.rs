//! Constants: their values, and constants that rules build.
//!
//! Small constants that rules combine are evaluated immediately; operations on larger ones become expressions in the
//! graph, which the compiler evaluates before the first run.

use std::rc::Rc;

use dialects::onnx::CONSTANT;
use egg::Id;
use ir::{Blob, DenseElements, DimExpr, Type};
use operators::{Uniform, literal, row_of};

use crate::graph::Graph;
use crate::language::Node;

/// The maximum number of operations between a constant and the literals that it is computed from.
const DEPTH: usize = 8;

impl Graph<'_> {
    /// The elements of a small constant of floats, a single one if they are equal, computed from nearby literals.
    pub(crate) fn numbers(&self, class: Id) -> Option<Rc<[f64]>> {
        self.numbers_within(class, DEPTH)
    }

    /// The same from literals that are at most `depth` operations away.
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

    /// The constant of a node.
    pub(crate) fn literal(&self, node: &Node) -> Option<&DenseElements> {
        let value = self.body.op(node.op()?).attributes.get("value")?;
        value.as_dense().map(|dense| &**dense)
    }

    /// The same for one node of a class.
    fn numbers_of(&self, node: &Node, depth: usize) -> Option<Rc<[f64]>> {
        let op = node.op()?;
        if let Some(dense) = self.literal(node) {
            return literal_numbers(dense);
        }
        let row = row_of(self.body.name(op))?;
        let operand = |at: usize| self.numbers_within(node.children[at], depth.checked_sub(1)?);
        match row.uniform? {
            Uniform::Kept => operand(0),
            Uniform::Computed(compute) => {
                let operands: Vec<Rc<[f64]>> = (0..node.children.len()).map(operand).collect::<Option<_>>()?;
                literal::elementwise(compute, &operands).map(Rc::from)
            }
        }
    }
}

impl Graph<'_> {
    /// Adds a uniform value to the graph as a constant.
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

    /// A splat constant.
    pub(crate) fn splat(&mut self, number: f64, shape: &[i64], element: &Type) -> Option<Id> {
        self.constant(literal::filled(number, shape, element)?)
    }

    /// A list of `int64`.
    pub(crate) fn integer_list(&mut self, numbers: &[i64]) -> Option<Id> {
        let bytes: Vec<u8> = numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
        let r#type = Type::static_tensor(&[numbers.len() as i64], Type::I64);
        self.constant(DenseElements::new(r#type, Blob::copy_of(&bytes)))
    }

    /// A class as a term.
    pub(crate) fn term(&self, class: Id) -> Term {
        self.small_literal(class).map_or(Term::Class(class), |literal| Term::Literal(literal.clone()))
    }

    /// An operation on terms: its value if it is small, or a node.
    pub(crate) fn combine<const N: usize>(&mut self, name: &str, terms: [&Term; N]) -> Option<Term> {
        let literals: Vec<&DenseElements> = terms.iter().filter_map(|term| term.literal()).collect();
        if literals.len() == N
            && let Some(literal) = literal::computed(&["onnx.", name].concat(), &literals)
        {
            return Some(Term::Literal(literal));
        }
        let operands: Vec<Id> = terms.into_iter().map(|term| self.place(term.clone())).collect::<Option<_>>()?;
        self.op(name, &operands, []).map(Term::Class)
    }

    /// A term, reshaped.
    pub(crate) fn shaped(&mut self, term: &Term, shape: &[i64]) -> Option<Term> {
        match term {
            Term::Literal(literal) => Some(Term::Literal(literal::reshaped(literal, shape))),
            Term::Class(class) => self.reshape(*class, shape).map(Term::Class),
        }
    }

    /// The class of a term, which is added to the graph.
    pub(crate) fn place(&mut self, term: Term) -> Option<Id> {
        match term {
            Term::Class(class) => Some(class),
            Term::Literal(literal) => self.constant(literal),
        }
    }

    /// The elements of a small term, a single one if they are equal.
    pub(crate) fn numbers_of_term(&self, term: &Term) -> Option<Rc<[f64]>> {
        match term {
            Term::Class(class) => self.numbers(*class),
            Term::Literal(literal) => literal_numbers(literal),
        }
    }

    /// The value of an operation on small literals.
    pub(crate) fn computed(&self, name: &str, operands: &[Id]) -> Option<DenseElements> {
        let literals: Vec<&DenseElements> =
            operands.iter().map(|&operand| self.small_literal(operand)).collect::<Option<_>>()?;
        literal::computed(name, &literals)
    }

    /// A small literal, reshaped.
    pub(crate) fn reshaped(&mut self, class: Id, shape: &[i64]) -> Option<Id> {
        let literal = literal::reshaped(self.small_literal(class)?, shape);
        self.constant(literal)
    }

    /// The elements of a class that is a small literal.
    fn small_literal(&self, class: Id) -> Option<&DenseElements> {
        let literals =
            self.egraph[class].nodes.iter().filter_map(Node::op).filter(|&op| self.body.name(op) == CONSTANT);
        let mut dense = literals.filter_map(|op| self.body.op(op).attributes.get("value")?.as_dense());
        dense.find(|dense| literal::is_small(dense)).map(|dense| &**dense)
    }
}

/// An intermediate constant of a rule: it is added to the graph only when something reads it there.
#[derive(Clone)]
pub(crate) enum Term {
    /// A class of the graph.
    Class(Id),
    /// A small literal.
    Literal(DenseElements),
}

impl Term {
    /// A scalar.
    pub(crate) fn number(number: f64, element: &Type) -> Option<Term> {
        literal::filled(number, &[], element).map(Term::Literal)
    }

    fn literal(&self) -> Option<&DenseElements> {
        match self {
            Term::Class(_) => None,
            Term::Literal(literal) => Some(literal),
        }
    }
}

/// The elements of a literal of floats, a single one if they are equal.
fn literal_numbers(literal: &DenseElements) -> Option<Rc<[f64]>> {
    match literal.is_splat() {
        true => Some([literal.float(0)?].into()),
        false => literal.floats().map(Rc::from),
    }
}

/// Whether a tensor of this shape is small.
fn is_small(shape: &[DimExpr]) -> bool {
    let count =
        shape.iter().try_fold(1usize, |count, extent| count.checked_mul(usize::try_from(extent.as_constant()?).ok()?));
    count.is_some_and(|count| count <= literal::ELEMENTS)
}
