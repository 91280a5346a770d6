//! The row of an operator: everything ONNX says about it, in one place.

use dialects::onnx::views::Reader;
use dialects::onnx::{OnnxOp, schema};
use ir::{Body, Op, Type, Value};

use crate::graph::{Derivative, Emitter, Node, Problem};
use crate::shape;
use crate::structured::elementwise::Element;
use crate::structured::scalars::Scalars;
use crate::structured::{Lowering, Unsupported};
use crate::types::without_shape;

/// What an operator does to its operands, as far as others have to know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Every element of the result follows from the elements at the same place, after broadcasting.
    Elementwise,
    /// The same, but elements are only converted to another type, or handed on.
    Conversion,
    /// Elements change places; none is computed.
    Movement,
    /// Axes are folded away, or folded and spread again.
    Reduction,
    /// Sums of products.
    Contraction,
    /// Anything else.
    Opaque,
}

/// Brings a node from just before a version to that version, or from any form of the newest version to one form.
pub type Step = fn(&mut Node, &mut Emitter) -> Result<(), Problem>;

/// The type of result number so-and-so, as far as operands and attributes decide it; tensors come without shape.
pub type TypeRule = fn(&Reader<'_>, usize) -> Option<Type>;

/// The operator's result for one element of each operand.
pub type ScalarBody = fn(&mut Scalars<'_, '_>, &Element<'_>) -> Value;

/// The elements of the only result as far as they follow from those of the operands, in integers of any width; the
/// result's extents are given.
pub type ElementRule = fn(&shape::Node<'_, '_>, &[usize]) -> Option<shape::Elements>;

/// The number in every element of the result, when each operand is one number throughout.
#[derive(Clone, Copy, Debug)]
pub enum Uniform {
    /// That of the first operand: elements only change places.
    Kept,
    /// Computed from all, in `f64`.
    Computed(fn(&[f64]) -> f64),
}

/// How many axes an operand has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rank {
    /// So many.
    Exactly(usize),
    /// So many or more.
    AtLeast(usize),
    /// So many or fewer.
    AtMost(usize),
}

impl Rank {
    /// Whether it is such a number.
    pub fn takes(self, rank: usize) -> bool {
        match self {
            Rank::Exactly(expected) => rank == expected,
            Rank::AtLeast(least) => rank >= least,
            Rank::AtMost(most) => rank <= most,
        }
    }
}

impl std::fmt::Display for Rank {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Rank::Exactly(rank) => write!(f, "rank {rank}"),
            Rank::AtLeast(rank) => write!(f, "rank {rank} or more"),
            Rank::AtMost(rank) => write!(f, "rank {rank} or less"),
        }
    }
}

/// What an operator says about the number of axes of one operand: what it takes, and how many the operand has more than
/// the first result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Demand {
    /// What it takes.
    pub rank: Option<Rank>,
    /// The rank of the operand less that of the first result.
    pub beyond_result: Option<isize>,
    /// The first result has at least so many axes, whatever the operand has.
    pub least_of_result: usize,
}

impl Demand {
    /// The operand has as many axes as the first result.
    pub const SAME: Demand = Demand { rank: None, beyond_result: Some(0), least_of_result: 0 };

    /// As many axes as the first result, among them one that is numbered as in an attribute.
    pub fn with_axis(axis: i64) -> Demand {
        let least = if axis < 0 { axis.unsigned_abs() as usize } else { axis as usize + 1 };
        Demand { rank: Some(Rank::AtLeast(least)), ..Demand::SAME }
    }
}

/// What is demanded of operand number so-and-so.
pub type DemandRule = fn(&shape::Reading<'_>, usize) -> Demand;

/// How types go into the bodies of an operator and come out of them.
#[derive(Clone, Copy, Debug)]
pub struct Bodies {
    /// The types of a body's arguments, from those of the operands.
    pub arguments: fn(&[Type]) -> Vec<Type>,
    /// The type of result number so-and-so, from what a body yields.
    pub result: fn(&[Type], usize) -> Option<Type>,
}

impl Bodies {
    /// Bodies take what the operator takes and yield what it gives.
    pub const PLAIN: Bodies = Bodies {
        arguments: |operands| operands.iter().map(without_shape).collect(),
        result: |yields, index| yields.get(index).cloned(),
    };
}

/// Builds the structured form of an operation.
pub type Lower = fn(&mut Lowering<'_>, Op) -> Result<(), Unsupported>;

/// Builds the results of an operation from other operators; those that are missing at the end are absent.
pub type Compose = fn(&mut Emitter, Op) -> Result<Vec<Option<Value>>, Problem>;

/// How much arithmetic an operator does.
#[derive(Clone, Copy, Debug)]
pub enum Cost {
    /// None, and no bytes move: the result is another view of the operand, or known without it.
    View,
    /// So many operations for each element of the result.
    PerElement(f64),
    /// The same, from the extents of the operands and of the result, unknown ones estimated.
    Products(fn(&[Vec<f64>], &[f64]) -> f64),
}

/// Everything ONNX says about one operator.
pub struct Operator {
    /// Which one.
    pub operator: OnnxOp,
    /// What it does to its operands.
    pub kind: Kind,
    /// Steps from older forms, oldest first: the version each leads to, and the step. A version that only allows more
    /// types, or says more clearly what was meant, needs none.
    pub upgrades: &'static [(i64, Step)],
    /// The name it had before, with the steps from there.
    pub formerly: Option<(&'static str, &'static [(i64, Step)])>,
    /// Brings the newest form to one spelling, where it allows several.
    pub normalize: Option<Step>,
    /// Types of results that the schema's constraints do not tie to an operand.
    pub types: Option<TypeRule>,
    /// Operands whose number of axes the standard fixes, where the shape rule does not ask for it.
    pub ranks: &'static [(usize, Rank)],
    /// What else it demands of the number of axes of an operand, which may be all there is to know it by.
    pub demands: Option<DemandRule>,
    /// Shapes of the results.
    pub shapes: Option<shape::Rule>,
    /// Elements known before a run, of which later shapes are made.
    pub elements: Option<ElementRule>,
    /// What becomes of operands that are one number throughout.
    pub uniform: Option<Uniform>,
    /// Whether the order of its two operands does not matter.
    pub commutative: bool,
    /// Why equal operands may give different results, if they may.
    pub undetermined: Option<&'static str>,
    /// What goes into its bodies, if it has any.
    pub bodies: Bodies,
    /// The scalar computation of an elementwise operator.
    pub scalar: Option<ScalarBody>,
    /// How it becomes structured operations; elementwise operators with a scalar body need nothing.
    pub lower: Option<Lower>,
    /// How it is composed of other operators, by its definition in the standard.
    pub compose: Option<Compose>,
    /// Which operations need no composition, where others do; without it, all that have a lowering.
    pub lowers: Option<fn(&Body, Op) -> bool>,
    /// Attributes that name values of the model. Those become operands behind the others, and the composition is built
    /// in front of all rewrites.
    pub names: &'static [&'static str],
    /// How adjoints pass through it.
    pub derivative: Option<Derivative>,
    /// What it costs, for the choice between equal graphs.
    pub cost: Cost,
}

impl Operator {
    /// An operator of which nothing is known but its schema.
    pub const fn of(operator: OnnxOp) -> Operator {
        Operator {
            operator,
            kind: Kind::Opaque,
            upgrades: &[],
            formerly: None,
            normalize: None,
            types: None,
            ranks: &[],
            demands: None,
            shapes: None,
            elements: None,
            uniform: None,
            commutative: false,
            undetermined: None,
            bodies: Bodies::PLAIN,
            scalar: None,
            lower: None,
            compose: None,
            lowers: None,
            names: &[],
            derivative: None,
            cost: Cost::PerElement(10.0),
        }
    }

    /// An operator with one scalar expression for all elements, its operands broadcast together.
    pub const fn elementwise(operator: OnnxOp, scalar: ScalarBody) -> Operator {
        Operator {
            kind: Kind::Elementwise,
            shapes: Some(shape::broadcast_operands),
            scalar: Some(scalar),
            ..Operator::of(operator)
        }
    }

    /// Whether an operation becomes structured operations without being taken apart.
    pub(crate) fn lowers(&self, body: &Body, op: Op) -> bool {
        let has_lowering = self.lower.is_some() || self.scalar.is_some();
        has_lowering && self.lowers.is_none_or(|lowers| lowers(body, op))
    }

    /// Whether the operator is none of ONNX.
    pub(crate) fn is_foreign(&self) -> bool {
        schema::of_operation(self.operator.name()).is_some_and(|schema| !schema.domain.starts_with("ai.onnx"))
    }

    /// An operator in whose place others are read.
    pub const fn read_as(operator: OnnxOp, step: Step) -> Operator {
        Operator { normalize: Some(step), ..Operator::of(operator) }
    }

    /// The same row with a rule for elements known before a run.
    pub const fn knowing(self, elements: ElementRule) -> Operator {
        Operator { elements: Some(elements), ..self }
    }

    /// The same row with what it computes of numbers that fill its operands.
    pub const fn uniform(self, compute: fn(&[f64]) -> f64) -> Operator {
        Operator { uniform: Some(Uniform::Computed(compute)), ..self }
    }

    /// The same row of an operator whose operands may change places.
    pub const fn commutative(self) -> Operator {
        Operator { commutative: true, ..self }
    }

    /// The same row with a rule for adjoints.
    pub const fn differentiated(self, derivative: Derivative) -> Operator {
        Operator { derivative: Some(derivative), ..self }
    }

    /// The same row with the operations for one element of its result.
    pub const fn costing(self, operations: f64) -> Operator {
        Operator { cost: Cost::PerElement(operations), ..self }
    }
}
