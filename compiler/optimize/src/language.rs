//! E-nodes: an operator, its attributes and its operands' classes.

use std::cell::OnceCell;
use std::cmp::Ordering;
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use egg::{DidMerge, Id, Language};
use ir::{Attribute, Attributes, Body, DimExpr, IndexSet, Op, Type, Value};

use crate::cost;
use crate::rules::RULES;

/// Lists with more elements are long: those of a tree ensemble have millions.
const LONG: usize = 64;

/// The e-graph of a window.
pub(crate) type EGraph = egg::EGraph<Node, Facts>;

/// An operation, a result of one with several results, or a value from outside the window.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    /// Number of the operator's name in [`Symbols`].
    pub(crate) operator: u32,
    /// Number of the attribute dictionary in [`Symbols`]; for a leaf, its value.
    pub(crate) attributes: u32,
    pub(crate) children: Vec<Id>,
    /// The operation of this node; equal nodes may have different ones.
    pub(crate) source: Source,
}

/// The value of a node in the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Source {
    /// An operation of the window, attached or not.
    Op(Op),
    /// A result of the operation of the only child.
    Result(u32),
    /// A value from outside.
    Leaf(Value),
}

impl Node {
    fn key(&self) -> (u32, u32, &[Id]) {
        (self.operator, self.attributes, &self.children)
    }

    /// The operation that it refers to.
    pub(crate) fn op(&self) -> Option<Op> {
        match self.source {
            Source::Op(op) => Some(op),
            _ => None,
        }
    }
}

impl PartialEq for Node {
    fn eq(&self, other: &Self) -> bool {
        self.key() == other.key()
    }
}

impl Eq for Node {}

impl Hash for Node {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.key().hash(state);
    }
}

impl PartialOrd for Node {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Node {
    fn cmp(&self, other: &Self) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl Language for Node {
    type Discriminant = u32;

    fn discriminant(&self) -> u32 {
        self.operator
    }

    fn matches(&self, other: &Self) -> bool {
        (self.operator, self.attributes, self.children.len())
            == (other.operator, other.attributes, other.children.len())
    }

    fn children(&self) -> &[Id] {
        &self.children
    }

    fn children_mut(&mut self) -> &mut [Id] {
        &mut self.children
    }
}

/// Names and attribute dictionaries by number.
#[derive(Debug)]
pub(crate) struct Symbols {
    names: IndexSet<String>,
    /// Whether the operator of each name is commutative.
    commutative: Vec<bool>,
    attributes: IndexSet<Dictionary>,
}

/// Attributes as a key. The hash of a long list only covers its length.
#[derive(Debug, PartialEq, Eq)]
struct Dictionary(Attributes);

impl Hash for Dictionary {
    fn hash<H: Hasher>(&self, state: &mut H) {
        for (name, value) in self.0.iter() {
            name.hash(state);
            match value {
                Attribute::Array(list) if list.len() > LONG => list.len().hash(state),
                Attribute::DenseArray(_, list) if list.len() > LONG => list.len().hash(state),
                value => value.hash(state),
            }
        }
    }
}

impl Symbols {
    /// The names in rules first, with the numbers that rules use.
    pub(crate) fn of_rules() -> Symbols {
        let names = RULES.operators.clone();
        let commutative = names.iter().map(|name| is_commutative(name)).collect();
        Symbols { names, commutative, attributes: IndexSet::default() }
    }

    /// The name with a number.
    pub(crate) fn text(&self, number: usize) -> &str {
        &self.names[number]
    }

    pub(crate) fn name(&mut self, name: &str) -> u32 {
        match self.names.get_index_of(name) {
            Some(number) => number as u32,
            None => {
                self.commutative.push(is_commutative(name));
                self.names.insert_full(name.to_string()).0 as u32
            }
        }
    }

    /// Whether the operands of the operator with this number may be swapped.
    pub(crate) fn is_commutative(&self, operator: u32) -> bool {
        self.commutative[operator as usize]
    }

    pub(crate) fn attributes(&mut self, attributes: &Attributes) -> u32 {
        self.attributes.insert_full(Dictionary(attributes.clone())).0 as u32
    }
}

/// Whether an operator, named as in rules, is commutative.
fn is_commutative(name: &str) -> bool {
    operators::row_of(&format!("onnx.{name}")).is_some_and(|row| row.commutative)
}

/// A set of operators as a bit mask, in which several operators may share a bit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Operators(u128);

impl Operators {
    fn of(operator: u32) -> Operators {
        Operators(1 << (operator % u128::BITS))
    }

    fn or(self, other: Operators) -> Operators {
        Operators(self.0 | other.0)
    }

    /// Whether an operator may be in the set. There are no false negatives.
    pub(crate) fn may_have(self, operator: u32) -> bool {
        self.0 & Operators::of(operator).0 != 0
    }
}

/// The facts about a class.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    /// The operators of its nodes.
    pub(crate) operators: Operators,
    /// A value of the class, whichever came first.
    pub(crate) value: Option<Value>,
    pub(crate) shape: Option<Vec<DimExpr>>,
    /// The estimated number of elements.
    pub(crate) count: f64,
    pub(crate) element: Type,
    /// The value of all elements, if they are known to be equal.
    pub(crate) scalar: Option<f64>,
    /// Whether it depends on constants alone.
    pub(crate) constant: bool,
    /// The elements of a small constant, computed on first use.
    pub(crate) numbers: OnceCell<Rc<[f64]>>,
}

impl Fact {
    /// Whether it is an omitted operand.
    pub(crate) fn is_absent(&self) -> bool {
        self.element == Type::None && self.value.is_some()
    }
}

impl Default for Fact {
    fn default() -> Self {
        Fact {
            operators: Operators::default(),
            value: None,
            shape: None,
            count: cost::count(None),
            element: Type::None,
            scalar: None,
            constant: false,
            numbers: OnceCell::new(),
        }
    }
}

/// The analysis: facts are computed outside and passed with the node.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    pub(crate) next: Option<Fact>,
    /// Classes that are new or were merged.
    pub(crate) changed: Vec<Id>,
}

impl egg::Analysis<Node> for Facts {
    type Data = Fact;

    fn make(egraph: &mut EGraph, node: &Node, _: Id) -> Fact {
        Fact { operators: Operators::of(node.operator), ..egraph.analysis.next.take().unwrap_or_default() }
    }

    fn modify(egraph: &mut EGraph, class: Id) {
        egraph.analysis.changed.push(class);
    }

    fn merge(&mut self, a: &mut Fact, b: Fact) -> DidMerge {
        a.operators = a.operators.or(b.operators);
        a.value = a.value.or(b.value);
        if a.shape.is_none() {
            (a.shape, a.count) = (b.shape, b.count);
        }
        if a.element == Type::None {
            a.element = b.element;
        }
        a.scalar = a.scalar.or(b.scalar);
        a.constant |= b.constant;
        if a.numbers.get().is_none() {
            a.numbers = b.numbers;
        }
        DidMerge(false, false)
    }
}

/// An operator's name without its dialect.
pub(crate) fn short_name(body: &Body, op: Op) -> &str {
    let name = body.name(op);
    name.strip_prefix("onnx.").unwrap_or(name)
}
