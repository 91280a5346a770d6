//! Positions in a model.

use std::fmt;

/// The kind of a step in a path. Findings are listed in the order of these kinds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[allow(missing_docs, reason = "the names are ONNX's")]
pub enum Part {
    OperatorSet,
    Operator,
    Import,
    Metadata,
    Configuration,
    Function,
    Training,
    Initialization,
    Algorithm,
    Graph,
    Input,
    Initializer,
    SparseInitializer,
    Node,
    Attribute,
    DeviceConfiguration,
    Output,
    ValueInfo,
    Annotation,
    Tensor,
    SparseTensor,
    Values,
    Indices,
    Type,
    Element,
    Key,
    Dimension,
    Binding,
    External,
}

impl Part {
    /// What the part is called in messages.
    pub fn name(self) -> &'static str {
        match self {
            Part::OperatorSet => "operator set",
            Part::Operator => "operator",
            Part::Import => "import",
            Part::Metadata => "metadata",
            Part::Configuration => "configuration",
            Part::Function => "function",
            Part::Training => "training",
            Part::Initialization => "initialization",
            Part::Algorithm => "algorithm",
            Part::Graph => "graph",
            Part::Input => "input",
            Part::Initializer => "initializer",
            Part::SparseInitializer => "sparse initializer",
            Part::Node => "node",
            Part::Attribute => "attribute",
            Part::DeviceConfiguration => "device configuration",
            Part::Output => "output",
            Part::ValueInfo => "value",
            Part::Annotation => "annotation",
            Part::Tensor => "tensor",
            Part::SparseTensor => "sparse tensor",
            Part::Values => "values",
            Part::Indices => "indices",
            Part::Type => "type",
            Part::Element => "element",
            Part::Key => "key",
            Part::Dimension => "dimension",
            Part::Binding => "binding",
            Part::External => "external data",
        }
    }
}

/// One step of a path: `node 3 'conv'`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Step<S> {
    /// The kind of the step.
    pub part: Part,
    /// Its index among those of its kind, from 0, if there may be several.
    pub index: Option<usize>,
    /// Its name; empty if it has none.
    pub name: S,
}

impl<'m> Step<&'m str> {
    /// A step to one of several parts.
    pub fn number(part: Part, index: usize, name: &'m str) -> Step<&'m str> {
        Step { part, index: Some(index), name }
    }

    /// A step to a part with a name.
    pub fn named(part: Part, name: &'m str) -> Step<&'m str> {
        Step { part, index: None, name }
    }
}

/// A path from the model to a part of it: `graph 'g' / node 3 'conv' / attribute 'pads'`.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Place {
    /// The path; empty for the model itself.
    pub steps: Vec<Step<String>>,
}

impl Place {
    /// The position at the end of a path.
    pub fn new(steps: &[Step<&str>]) -> Place {
        let own = |step: &Step<&str>| Step { part: step.part, index: step.index, name: step.name.to_string() };
        Place { steps: steps.iter().map(own).collect() }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.steps.is_empty() {
            return f.write_str("model");
        }
        for (at, step) in self.steps.iter().enumerate() {
            f.write_str(if at == 0 { "" } else { " / " })?;
            f.write_str(step.part.name())?;
            if let Some(index) = step.index {
                write!(f, " {index}")?;
            }
            if !step.name.is_empty() || (step.index.is_none() && step.part == Part::Graph) {
                write!(f, " '{}'", step.name)?;
            }
        }
        Ok(())
    }
}
