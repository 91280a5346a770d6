//! Checks whether a model, or an operator set, conforms to the ONNX documents.
//!
//! A [`Rule`] is a row: what a document demands, in which IR versions, how bad it is to break it, and the function that
//! finds where it is broken. One walk over the model ([`check`]) feeds all rules, so that checking is linear in the
//! model's size. What needs types and shapes is found by the importer and by shape inference, which run anyway; such
//! rows have [`Finder::Inference`], and report the rule by its identifier.
//!
//! To add a rule: a row in the file of its family in `rules`, and in `tests/check` a model that only it finds and one
//! nearby that passes.

mod files;
mod findings;
mod names;
pub mod order;
mod place;
mod repeats;
pub mod rules;
mod walk;

pub use findings::{Finding, Findings, unreadable};
pub use place::{Part, Place, Step};
pub use rules::attribute_kind;
pub use walk::{Operator, Visit, Walk, check, check_operator_set};

use dialects::onnx::schema::Schema;
use proto::{
    AttributeProto, FunctionProto, GraphProto, Model, NodeProto, OperatorSetIdProto, OperatorSetProto,
    SparseTensorProto, StringStringEntryProto, TensorProto, TrainingInfoProto, TypeProto, ValueInfoProto,
};

pub use names::{Definition, Reading};

/// How bad it is to break a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Level {
    /// Worth a change, but no document forbids it.
    Advice,
    /// The documents forbid it, yet common tools take it and agree on what it means.
    Violation,
    /// No tool can run the model, or its meaning is unclear.
    Error,
}

impl Level {
    /// The level's name.
    pub fn name(self) -> &'static str {
        match self {
            Level::Advice => "advice",
            Level::Violation => "violation",
            Level::Error => "error",
        }
    }
}

/// The set of rules that a model must keep.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Profile {
    /// The rules of ONNX.
    #[default]
    Onnx,
    /// Those and the restrictions of SONNX, the safety profile, except for captures: the document leaves open whether
    /// graphs in attributes may read values of the enclosing graphs.
    SonnxWithCaptures,
    /// Those and all restrictions of SONNX.
    Sonnx,
}

impl Profile {
    /// The profile's name.
    pub fn name(self) -> &'static str {
        match self {
            Profile::Onnx => "onnx",
            Profile::SonnxWithCaptures | Profile::Sonnx => "sonnx",
        }
    }
}

/// A rule of the documents.
#[derive(Debug)]
pub struct Rule {
    /// The rule's identifier: `values-unique`.
    pub id: &'static str,
    /// Document and section.
    pub source: &'static str,
    /// The demand, in our words.
    pub sentence: &'static str,
    /// The first and the last IR version it holds for.
    pub versions: (i64, i64),
    /// How bad it is to break it.
    pub level: Level,
    /// The narrowest profile it belongs to.
    pub profile: Profile,
    /// The function that finds violations.
    pub finder: Finder,
}

/// A function that examines one part of a model.
pub type Find<T> = for<'w, 'm> fn(&mut Visit<'w, 'm>, &'m T);

/// The function that finds violations, by the part that it examines. [`Visit`] gives it the context.
#[derive(Clone, Copy, Debug)]
pub enum Finder {
    /// The model as a whole.
    Model(Find<Model>),
    /// An operator-set document as a whole.
    OperatorSet(Find<OperatorSetProto>),
    /// The functions of a model, or of an operator set.
    Functions(Find<[FunctionProto]>),
    /// The operator sets imported by the model, or by a function.
    Imports(Find<[OperatorSetIdProto]>),
    /// A function of the model.
    Function(Find<FunctionProto>),
    /// A graph, at any level.
    Graph(Find<GraphProto>),
    /// The nodes of a graph or a function, as a list.
    Nodes(Find<[NodeProto]>),
    /// A node.
    Node(Find<NodeProto>),
    /// A node whose operator is known.
    Operator(for<'w, 'm> fn(&mut Visit<'w, 'm>, &'m NodeProto, &'static Schema)),
    /// A node that calls a function of the model.
    Call(for<'w, 'm> fn(&mut Visit<'w, 'm>, &'m NodeProto, &'m FunctionProto)),
    /// A name that a node or an output reads, with its definition.
    Read(for<'w, 'm> fn(&mut Visit<'w, 'm>, &'m str, Option<Reading>)),
    /// An attribute of a node, or an attribute default of a function.
    Attribute(Find<AttributeProto>),
    /// A declared input, output or other value.
    Value(Find<ValueInfoProto>),
    /// A type, also one inside another.
    Type(Find<TypeProto>),
    /// An extent of a type.
    Dimension(Find<proto::Dimension>),
    /// An element type, of a tensor or of a tensor type.
    Element(for<'w, 'm> fn(&mut Visit<'w, 'm>, i32)),
    /// A tensor: an initializer, an attribute, or part of a sparse one.
    Tensor(Find<TensorProto>),
    /// A sparse tensor.
    Sparse(Find<SparseTensorProto>),
    /// A training step.
    Training(Find<TrainingInfoProto>),
    /// Metadata.
    Properties(Find<[StringStringEntryProto]>),
    /// Documentation.
    Documentation(Find<str>),
    /// A name where it is introduced.
    Name(Find<str>),
    /// The importer or shape inference, which name the rule by its identifier.
    Inference,
}

/// The newest IR version.
pub const NEWEST: i64 = 14;

impl Rule {
    const fn new(level: Level, id: &'static str, source: &'static str, sentence: &'static str, finder: Finder) -> Rule {
        Rule { id, source, sentence, versions: (i64::MIN, i64::MAX), level, profile: Profile::Onnx, finder }
    }

    /// A rule from an IR version on.
    const fn from(self, first: i64) -> Rule {
        Rule { versions: (first, self.versions.1), ..self }
    }

    /// A rule up to an IR version.
    const fn until(self, last: i64) -> Rule {
        Rule { versions: (1, last), ..self }
    }

    /// A rule of a profile.
    const fn of(self, profile: Profile) -> Rule {
        Rule { profile, ..self }
    }

    /// Whether a model of an IR version must keep the rule.
    fn holds(&self, version: i64, profile: Profile) -> bool {
        (self.versions.0..=self.versions.1).contains(&version) && self.profile <= profile
    }

    /// The IR versions the rule holds for, as text: `all`, `4–`, `–3`, `6–8`.
    pub fn versions_text(&self) -> String {
        match self.versions {
            (i64::MIN, i64::MAX) => "all".into(),
            (first, i64::MAX) => format!("{first}–"),
            (1, last) => format!("–{last}"),
            (first, last) => format!("{first}–{last}"),
        }
    }
}

/// A rule that a model must keep to be usable.
pub(crate) const fn error(id: &'static str, source: &'static str, sentence: &'static str, finder: Finder) -> Rule {
    Rule::new(Level::Error, id, source, sentence, finder)
}

/// A rule that common tools do not enforce.
pub(crate) const fn violation(id: &'static str, source: &'static str, sentence: &'static str, finder: Finder) -> Rule {
    Rule::new(Level::Violation, id, source, sentence, finder)
}

/// A recommendation.
pub(crate) const fn advice(id: &'static str, source: &'static str, sentence: &'static str, finder: Finder) -> Rule {
    Rule::new(Level::Advice, id, source, sentence, finder)
}
