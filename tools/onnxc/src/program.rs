//! The functions of an object: running a model and, if requested, training it.

use codegen_llvm::{Interface, Training};
use commandline::Failure;
use driver::{ErrorClass, Signature, Trace, type_name};
use ir::Module;

use crate::header::{interface, merged};

/// A module at the low level, and its signature.
pub(crate) type Part = (Module, Signature);

/// All parts as one.
pub(crate) struct Whole {
    pub(crate) module: Module,
    pub(crate) interface: Interface,
    /// The signature of a run.
    pub(crate) signature: Signature,
    /// The signature of a training step.
    pub(crate) step: Option<Signature>,
    pub(crate) trace: Trace,
}

/// The parts of an object.
pub(crate) struct Program {
    pub(crate) inference: Part,
    /// The trace of each node, if requested.
    pub(crate) trace: Trace,
    /// The initialization, and a step.
    pub(crate) training: Option<[Part; 2]>,
}

impl Program {
    /// Refuses models without a C interface.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let parts = std::iter::once(&self.inference).chain(self.training.iter().flatten());
        for port in parts.flat_map(|(_, signature)| &signature.inputs) {
            if port.is_container() {
                let what = type_name(&port.element);
                let message = format!("input '{}': C programs can pass tensors only, and this is {what}", port.name);
                return Err(Failure::new(ErrorClass::Unsupported, message));
            }
            if port.default.as_ref().is_some_and(|default| default.element.byte_width().is_none()) {
                let message = format!("'{}': an object holds no strings as values of inputs", port.name);
                return Err(Failure::new(ErrorClass::Unsupported, message));
            }
        }
        Ok(())
    }

    /// Refuses inputs that a program cannot read from files.
    pub(crate) fn check_files(&self) -> Result<(), Failure> {
        let (_, signature) = &self.inference;
        match signature.inputs.iter().find(|port| type_name(&port.element) == "string") {
            Some(port) => {
                let message = format!("input '{}': programs read no strings; --emit lib passes them", port.name);
                Err(Failure::new(ErrorClass::Unsupported, message))
            }
            None => Ok(()),
        }
    }

    /// One module of all parts, with the interface whose symbols begin with `name`.
    pub(crate) fn join(self, name: &str, required_level: i64) -> Whole {
        let (mut module, signature) = self.inference;
        let mut whole = interface(&mut module, &signature, name, required_level);
        let mut step_signature = None;
        if let Some([initialize, step]) = self.training {
            let mut join = |(mut part, signature): Part, prefix: &str| {
                let own = interface(&mut part, &signature, name, required_level);
                driver::merge(&mut module, part, prefix);
                (merged(own, prefix), signature)
            };
            let (mut initialize, first) = join(initialize, "training_initialize_");
            let (mut step, second) = join(step, "training_step_");
            step.messages.extend(initialize.messages.iter().cloned());
            // tensors have one type in C
            let rank = whole.max_rank.max(initialize.max_rank).max(step.max_rank);
            (whole.max_rank, initialize.max_rank, step.max_rank) = (rank, rank, rank);
            initialize.variables = first.outputs.len();
            whole.training = Some(Box::new(Training { initialize, step }));
            step_signature = Some(second);
        }
        Whole { module, interface: whole, signature, step: step_signature, trace: self.trace }
    }
}
