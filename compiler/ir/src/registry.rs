//! Operation definitions: one declarative row an operation, from which verifier, folding and documentation read.

use indexmap::IndexMap;

use crate::attributes::Attribute;
use crate::body::{Body, Op, Value};

/// How many operands, results, regions or successors an operation takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arity {
    /// At least this many.
    pub min: u16,
    /// At most this many; `u16::MAX` is unbounded.
    pub max: u16,
}

impl Arity {
    /// Exactly `n`.
    pub const fn exactly(n: u16) -> Arity {
        Arity { min: n, max: n }
    }

    /// `n` or more.
    pub const fn at_least(n: u16) -> Arity {
        Arity { min: n, max: u16::MAX }
    }

    /// Between `min` and `max`, both included.
    pub const fn between(min: u16, max: u16) -> Arity {
        Arity { min, max }
    }

    /// Whether `n` is allowed.
    pub fn allows(self, n: usize) -> bool {
        n >= self.min as usize && (self.max == u16::MAX || n <= self.max as usize)
    }
}

/// A property an operation has wherever it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trait {
    /// No effect and no dependence on memory: may be removed, merged and moved.
    Pure,
    /// Operands may be swapped.
    Commutative,
    /// Ends a block.
    Terminator,
    /// Regions see no value defined outside; the operation owns a [`Body`].
    IsolatedFromAbove,
    /// Its regions have one block each.
    SingleBlock,
    /// Its regions' blocks need no terminator.
    NoTerminator,
    /// All operands and results have one type.
    SameOperandsAndResultType,
    /// All operands have one type.
    SameTypeOperands,
    /// Defines a symbol by its `sym_name` attribute.
    Symbol,
    /// A constant: no operands, a `value` attribute.
    ConstantLike,
    /// Applies to scalars and, lane by lane, to vectors and tensors.
    Elementwise,
}

/// The shape of attribute an operation expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeKind {
    /// Anything.
    Any,
    /// Integer or boolean.
    Integer,
    /// Float.
    Float,
    /// String.
    String,
    /// Array of integers, or dense integer array.
    Integers,
    /// Array.
    Array,
    /// Type.
    Type,
    /// Symbol reference.
    Symbol,
    /// Affine map.
    AffineMap,
    /// Dense constant.
    Dense,
    /// Unit.
    Unit,
}

/// One attribute in an operation's definition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AttributeDefinition {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub kind: AttributeKind,
    /// Whether the operation is invalid without it.
    pub required: bool,
}

/// What a fold returns for each result: an existing value or a constant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Folded {
    /// Replace the result by this value.
    Value(Value),
    /// Replace the result by a constant with this `value` attribute.
    Constant(Attribute),
}

/// An operation's own check; the error says what is wrong without naming the operation.
pub type VerifyFunction = fn(&Body, Op) -> Result<(), String>;

/// A local simplification; `None` when there is none.
pub type FoldFunction = fn(&Body, Op) -> Option<Vec<Folded>>;

/// Everything that is the same for all operations of one name.
#[derive(Clone, Debug)]
pub struct OpDefinition {
    /// `dialect.name`
    pub name: &'static str,
    /// One sentence for the documentation.
    pub summary: &'static str,
    /// Operand count.
    pub operands: Arity,
    /// Result count.
    pub results: Arity,
    /// Region count.
    pub regions: Arity,
    /// Successor count.
    pub successors: Arity,
    /// Known attributes; others are allowed as discardable ones.
    pub attributes: &'static [AttributeDefinition],
    /// Traits.
    pub traits: &'static [Trait],
    /// The operation's own check, run after structure and traits.
    pub verify: Option<VerifyFunction>,
    /// Local simplification without new operations other than constants: one entry a result.
    pub fold: Option<FoldFunction>,
}

impl OpDefinition {
    /// A definition without regions, successors, attributes, traits or functions, to be refined by struct update.
    pub const fn new(name: &'static str, summary: &'static str, operands: Arity, results: Arity) -> OpDefinition {
        OpDefinition {
            name,
            summary,
            operands,
            results,
            regions: Arity::exactly(0),
            successors: Arity::exactly(0),
            attributes: &[],
            traits: &[],
            verify: None,
            fold: None,
        }
    }

    /// Whether the operation has the trait.
    pub fn has(&self, wanted: Trait) -> bool {
        self.traits.contains(&wanted)
    }
}

/// The operations a tool knows, by name. Plain data: built once, passed by reference.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    definitions: IndexMap<&'static str, OpDefinition>,
}

impl Registry {
    /// Adds the operations of a dialect; a second definition of one name is a bug.
    pub fn extend(&mut self, definitions: impl IntoIterator<Item = OpDefinition>) {
        for definition in definitions {
            let name = definition.name;
            assert!(self.definitions.insert(name, definition).is_none(), "operation {name} is defined twice");
        }
    }

    /// The definition of `name`.
    pub fn get(&self, name: &str) -> Option<&OpDefinition> {
        self.definitions.get(name)
    }

    /// Whether `name` is known to have the trait.
    pub fn has_trait(&self, name: &str, wanted: Trait) -> bool {
        self.get(name).is_some_and(|definition| definition.has(wanted))
    }

    /// All definitions in the order of registration.
    pub fn iter(&self) -> impl Iterator<Item = &OpDefinition> {
        self.definitions.values()
    }
}
