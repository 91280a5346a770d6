//! All that an object can do: run a model and, where that is asked for, train it.

use codegen_llvm::{Interface, Training};
use commandline::Failure;
use driver::{ErrorClass, Signature, Trace, type_name};
use ir::Module;

use crate::header::{interface, merged};

/// A module at the low level, and what it takes and gives.
pub(crate) type Part = (Module, Signature);

/// All parts as one.
pub(crate) struct Whole {
    pub(crate) module: Module,
    pub(crate) interface: Interface,
    /// What a run takes and gives.
    pub(crate) signature: Signature,
    /// What a step of training takes and gives.
    pub(crate) step: Option<Signature>,
    pub(crate) trace: Trace,
}

/// The parts of an object.
pub(crate) struct Program {
    pub(crate) inference: Part,
    /// What became of each node of it, where that is asked for.
    pub(crate) trace: Trace,
    /// The initialization, and a step.
    pub(crate) training: Option<[Part; 2]>,
}

impl Program {
    /// Refuses what C has no interface for.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        let parts = std::iter::once(&self.inference).chain(self.training.iter().flatten());
        for port in parts.flat_map(|(_, signature)| &signature.inputs) {
            if port.is_container() {
                let what = type_name(&port.element);
                let message = format!("input '{}': C programs give tensors only, and this is {what}", port.name);
                return Err(Failure::new(ErrorClass::Unsupported, message));
            }
            if port.default.as_ref().is_some_and(|default| default.element.byte_width().is_none()) {
                let message = format!("'{}': an object holds no strings as values of inputs", port.name);
                return Err(Failure::new(ErrorClass::Unsupported, message));
            }
        }
        Ok(())
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
            // a tensor of C is one for all
            let rank = whole.max_rank.max(initialize.max_rank).max(step.max_rank);
            (whole.max_rank, initialize.max_rank, step.max_rank) = (rank, rank, rank);
            initialize.variables = first.outputs.len();
            whole.training = Some(Box::new(Training { initialize, step }));
            step_signature = Some(second);
        }
        Whole { module, interface: whole, signature, step: step_signature, trace: self.trace }
    }
}
