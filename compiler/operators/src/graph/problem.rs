//! Why a node cannot be imported; `import/src/graph.rs` turns it into a diagnostic of the node.

use ir::ErrorClass;

/// Why a node cannot be imported.
#[derive(Debug)]
pub struct Problem {
    /// Its class.
    pub class: ErrorClass,
    /// The broken rule.
    pub rule: Option<&'static str>,
    /// The problem, as the end of a sentence that starts with the operator.
    pub message: String,
}

impl Problem {
    /// An invalid model.
    pub fn input(message: impl Into<String>) -> Problem {
        Problem::broken("operator-conditions", message)
    }

    /// A model that breaks a rule, given by its identifier.
    pub fn broken(rule: &'static str, message: impl Into<String>) -> Problem {
        Problem { class: ErrorClass::Input, rule: Some(rule), message: message.into() }
    }

    /// A valid model that is not supported.
    pub fn unsupported(message: impl Into<String>) -> Problem {
        Problem { class: ErrorClass::Unsupported, rule: None, message: message.into() }
    }
}
