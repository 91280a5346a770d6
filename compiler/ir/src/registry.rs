//! Operation definitions: one declarative row per operation, which verifier, folding and documentation use.

use std::fmt;

use crate::IndexMap;

use crate::assembly::{Assembly, ParseFunction, PrintFunction, ValueNames, groups};
use crate::attributes::Attribute;
use crate::body::{Body, Op, Value};
use crate::module::SymbolTable;
use crate::rewrite::RewriteFunction;

/// The allowed number of operands, results, regions or successors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arity {
    /// At least this many.
    pub min: u16,
    /// At most this many; `u16::MAX` is unbounded.
    pub max: u16,
}

impl fmt::Display for Arity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.min, self.max) {
            (min, max) if min == max => write!(f, "{min}"),
            (min, u16::MAX) => write!(f, "at least {min}"),
            (min, max) => write!(f, "{min} to {max}"),
        }
    }
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

/// A property of an operation that does not depend on its context.
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
    /// No effect on memory, but undefined for some operands: may be removed and merged, but not executed speculatively.
    NoMemoryEffect,
    /// Only reads memory: may be removed when its results are unused.
    ReadsMemory,
    /// Has the effects of the operations in its regions, and writes the buffers among its operands.
    RecursiveEffects,
}

/// The kind of an attribute.
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
    /// Array of floats, or dense float array.
    Floats,
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
    /// Its kind.
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

/// An operation-specific check; the error describes the problem without the operation's name.
pub type VerifyFunction = fn(&Body, Op) -> Result<(), String>;

/// A check of an operation's symbol references in its module.
pub type VerifySymbolsFunction = fn(&SymbolTable<'_>, &Body, Op) -> Result<(), String>;

/// A local simplification, or `None`.
pub type FoldFunction = fn(&Body, Op) -> Option<Vec<Folded>>;

/// The definition of the operations of one name.
#[derive(Clone, Debug)]
pub struct OpDefinition {
    /// `dialect.name`
    pub name: &'static str,
    /// One sentence for the documentation.
    pub summary: &'static str,
    /// Operand count.
    pub operands: Arity,
    /// Operands by name, as far as the row names them: `value, base, indices...: index`. A name with dots is any number of
    /// operands, at most one in a row. Types are those of the custom form (see [`crate::assembly`]).
    pub operand_names: &'static str,
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
    /// The operation-specific check, run after structure and traits.
    pub verify: Option<VerifyFunction>,
    /// The check of symbol references.
    pub verify_symbols: Option<VerifySymbolsFunction>,
    /// Local simplification without new operations other than constants: one entry per result.
    pub fold: Option<FoldFunction>,
    /// Simplification that needs new operations or changes regions.
    pub canonicalize: Option<RewriteFunction>,
    /// The custom form; operations without one have the generic form alone.
    pub assembly: Option<Assembly>,
    /// What values are called in the custom form.
    pub value_names: ValueNames,
}

impl AttributeDefinition {
    /// An attribute the operation is invalid without.
    pub const fn required(name: &'static str, kind: AttributeKind) -> AttributeDefinition {
        AttributeDefinition { name, kind, required: true }
    }

    /// An attribute that may be left out.
    pub const fn optional(name: &'static str, kind: AttributeKind) -> AttributeDefinition {
        AttributeDefinition { name, kind, required: false }
    }
}

impl AttributeKind {
    /// Whether `attribute` is of this kind.
    pub fn allows(self, attribute: &Attribute) -> bool {
        match self {
            AttributeKind::Any => true,
            AttributeKind::Integer => attribute.as_integer().is_some(),
            AttributeKind::Float => attribute.as_float().is_some(),
            AttributeKind::String => attribute.as_str().is_some(),
            AttributeKind::Integers => attribute.as_integers().is_some(),
            AttributeKind::Floats => attribute.as_floats().is_some(),
            AttributeKind::Array => attribute.as_array().is_some(),
            AttributeKind::Type => attribute.as_type().is_some(),
            AttributeKind::Symbol => attribute.as_symbol().is_some(),
            AttributeKind::AffineMap => attribute.as_affine_map().is_some(),
            AttributeKind::Dense => attribute.as_dense().is_some(),
            AttributeKind::Unit => *attribute == Attribute::Unit,
        }
    }

    /// Its name in diagnostics.
    pub fn describe(self) -> &'static str {
        match self {
            AttributeKind::Any => "any attribute",
            AttributeKind::Integer => "an integer",
            AttributeKind::Float => "a float",
            AttributeKind::String => "a string",
            AttributeKind::Integers => "an array of integers",
            AttributeKind::Floats => "an array of floats",
            AttributeKind::Array => "an array",
            AttributeKind::Type => "a type",
            AttributeKind::Symbol => "a symbol",
            AttributeKind::AffineMap => "an affine map",
            AttributeKind::Dense => "a dense constant",
            AttributeKind::Unit => "a unit attribute",
        }
    }
}

impl OpDefinition {
    /// A definition without regions, successors, attributes, traits or functions, to be refined by struct update.
    pub const fn new(name: &'static str, summary: &'static str, operands: Arity, results: Arity) -> OpDefinition {
        OpDefinition {
            name,
            summary,
            operands,
            operand_names: "",
            results,
            regions: Arity::exactly(0),
            successors: Arity::exactly(0),
            attributes: &[],
            traits: &[],
            verify: None,
            verify_symbols: None,
            fold: None,
            canonicalize: None,
            assembly: None,
            value_names: ValueNames { results: None, arguments: None },
        }
    }

    /// The same definition with traits.
    pub const fn with_traits(self, traits: &'static [Trait]) -> OpDefinition {
        OpDefinition { traits, ..self }
    }

    /// The same definition with attributes.
    pub const fn with_attributes(self, attributes: &'static [AttributeDefinition]) -> OpDefinition {
        OpDefinition { attributes, ..self }
    }

    /// The same definition with regions.
    pub const fn with_regions(self, regions: Arity) -> OpDefinition {
        OpDefinition { regions, ..self }
    }

    /// The same definition with successors.
    pub const fn with_successors(self, successors: Arity) -> OpDefinition {
        OpDefinition { successors, ..self }
    }

    /// The same definition with a specific check.
    pub const fn with_verify(self, verify: VerifyFunction) -> OpDefinition {
        OpDefinition { verify: Some(verify), ..self }
    }

    /// The same definition with a check of its symbol references.
    pub const fn with_verify_symbols(self, verify_symbols: VerifySymbolsFunction) -> OpDefinition {
        OpDefinition { verify_symbols: Some(verify_symbols), ..self }
    }

    /// The same definition with a fold.
    pub const fn with_fold(self, fold: FoldFunction) -> OpDefinition {
        OpDefinition { fold: Some(fold), ..self }
    }

    /// The same definition with a canonicalisation.
    pub const fn with_canonicalize(self, canonicalize: RewriteFunction) -> OpDefinition {
        OpDefinition { canonicalize: Some(canonicalize), ..self }
    }

    /// The same definition with names of operands.
    pub const fn with_operands(self, operand_names: &'static str) -> OpDefinition {
        OpDefinition { operand_names, ..self }
    }

    /// The same definition with an assembly format: names of operands and of results, and the text (see
    /// [`crate::assembly`]).
    pub const fn with_format(
        self,
        operand_names: &'static str,
        results: &'static str,
        format: &'static str,
    ) -> OpDefinition {
        OpDefinition { operand_names, assembly: Some(Assembly::Format { results, format }), ..self }
    }

    /// The same definition with functions that print and parse its custom form.
    pub const fn with_assembly(self, print: PrintFunction, parse: ParseFunction) -> OpDefinition {
        OpDefinition { assembly: Some(Assembly::Functions { print, parse }), ..self }
    }

    /// The same definition with names of results.
    pub const fn with_result_names(self, names: fn(&Body, Op) -> Vec<String>) -> OpDefinition {
        OpDefinition { value_names: ValueNames { results: Some(names), ..self.value_names }, ..self }
    }

    /// The same definition with names of the arguments of its region.
    pub const fn with_argument_names(self, names: fn(&Body, Op) -> Vec<&'static str>) -> OpDefinition {
        OpDefinition { value_names: ValueNames { arguments: Some(names), ..self.value_names }, ..self }
    }

    /// The names of the operands in order; `true` for any number of them.
    pub fn named_operands(&self) -> Vec<(&'static str, bool)> {
        groups(self.operand_names).into_iter().map(|group| (group.name, group.is_variadic)).collect()
    }

    /// The part of the name before the first dot.
    pub fn dialect(&self) -> &'static str {
        self.name.split('.').next().unwrap_or("")
    }

    /// The kind of the attribute of this name, if the definition has it.
    pub fn attribute_kind(&self, name: &str) -> Option<AttributeKind> {
        self.attributes.iter().find(|attribute| attribute.name == name).map(|attribute| attribute.kind)
    }

    /// Whether the operation has the trait.
    pub fn has(&self, wanted: Trait) -> bool {
        self.traits.contains(&wanted)
    }
}

/// The known operations by name. Plain data: built once, passed by reference.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    definitions: IndexMap<&'static str, OpDefinition>,
    discardable: IndexMap<&'static str, AttributeDefinition>,
    large: Vec<LargeDialect>,
}

/// A large dialect, whose operations are only defined when they are first used.
#[derive(Clone, Debug)]
struct LargeDialect {
    name: &'static str,
    find: fn(&str) -> Option<&'static OpDefinition>,
    all: fn() -> Vec<&'static OpDefinition>,
}

/// Adds definitions by name; duplicate names are a bug.
fn define(known: &mut IndexMap<&'static str, OpDefinition>, definitions: impl IntoIterator<Item = OpDefinition>) {
    for definition in definitions {
        let name = definition.name;
        assert!(known.insert(name, definition).is_none(), "operation {name} is defined twice");
    }
}

impl Registry {
    /// Adds the operations of a dialect.
    pub fn extend(&mut self, definitions: impl IntoIterator<Item = OpDefinition>) {
        define(&mut self.definitions, definitions);
    }

    /// Adds the attributes of a dialect that operations of other dialects may carry.
    pub fn extend_discardable(&mut self, definitions: &[AttributeDefinition]) {
        self.discardable.extend(definitions.iter().map(|definition| (definition.name, *definition)));
    }

    /// What is wrong with an attribute `dialect.name` that an operation of another dialect carries, if anything is.
    /// Dialects that declare no such attributes allow any.
    pub fn check_discardable(&self, name: &str, value: &Attribute) -> Result<(), String> {
        let Some((dialect, _)) = name.split_once('.') else { return Ok(()) };
        let declares = |known: &&str| known.split('.').next() == Some(dialect);
        match self.discardable.get(name) {
            Some(definition) if definition.kind.allows(value) => Ok(()),
            Some(definition) => {
                Err(format!("attribute '{name}' must be {}, found {value}", definition.kind.describe()))
            }
            None if self.discardable.keys().any(declares) => {
                Err(format!("attribute '{name}' is not declared by dialect '{dialect}'"))
            }
            None => Ok(()),
        }
    }

    /// Adds a dialect whose operations are defined on first use: `find` returns the definition with a name, `all` every
    /// one.
    pub fn extend_on_demand(
        &mut self,
        dialect: &'static str,
        find: fn(&str) -> Option<&'static OpDefinition>,
        all: fn() -> Vec<&'static OpDefinition>,
    ) {
        self.large.push(LargeDialect { name: dialect, find, all });
    }

    /// The definition of `name`.
    pub fn get(&self, name: &str) -> Option<&OpDefinition> {
        self.definitions.get(name).or_else(|| {
            let dialect = name.split('.').next()?;
            (self.large.iter().find(|large| large.name == dialect)?.find)(name)
        })
    }

    /// Whether `name` is known to have the trait.
    pub fn has_trait(&self, name: &str, wanted: Trait) -> bool {
        self.get(name).is_some_and(|definition| definition.has(wanted))
    }

    /// Whether any operation of the dialect is known.
    pub fn has_dialect(&self, dialect: &str) -> bool {
        self.large.iter().any(|large| large.name == dialect)
            || self.definitions.values().any(|definition| definition.dialect() == dialect)
    }

    /// All definitions: those of large dialects last, else in the order of registration.
    pub fn iter(&self) -> impl Iterator<Item = &OpDefinition> {
        self.definitions.values().chain(self.large.iter().flat_map(|large| (large.all)()))
    }
}
