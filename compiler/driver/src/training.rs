//! Training of models with training information.

use std::path::Path;
use std::sync::Arc;

use import::Entry;
use ir::{Diagnostic, Location, Result};

use crate::compiler::Compiler;
use crate::session::Session;
use crate::signature::{Port, Signature};
use crate::tensor::Tensor;
use crate::value::Value;

/// A model with its variables. Inference and training are compiled separately, and pass the variables on.
pub struct Trainer {
    inference: Session,
    initialization: Session,
    step: Session,
    variables: Vec<Tensor>,
}

impl Trainer {
    /// Compiles a model file with training information. The variables have the values of its initializers.
    pub fn compile_file(compiler: &Compiler, path: &Path, options: &import::Options) -> Result<Trainer> {
        let session = |entry| {
            let options = import::Options { entry, ..options.clone() };
            Ok::<Session, Vec<Diagnostic>>(Session::new(Arc::new(compiler.compile_file_with(path, &options)?)))
        };
        let step = session(Entry::TrainingStep)?;
        let defaults = step.model().signature.inputs.iter().filter(|port| port.is_variable);
        let variables = defaults.filter_map(|port| port.default.clone()).collect();
        let (inference, initialization) = (session(Entry::TrainedInference)?, session(Entry::TrainingInitialization)?);
        Ok(Trainer { inference, initialization, step, variables })
    }

    /// The signature of inference; its last inputs are the variables.
    pub fn signature(&self) -> &Signature {
        &self.inference.model().signature
    }

    /// The signature of a step; its last inputs and outputs are the variables.
    pub fn step_signature(&self) -> &Signature {
        &self.step.model().signature
    }

    /// A session that runs steps on given variables, and changes none.
    pub fn step_session(&mut self) -> &mut Session {
        &mut self.step
    }

    /// The variables, by name, with their current values.
    pub fn variables(&self) -> impl Iterator<Item = (&str, &Tensor)> {
        let ports = self.signature().inputs.iter().filter(|port| port.is_variable);
        ports.map(|port| port.name.as_str()).zip(&self.variables)
    }

    /// Gives the variables their initial values.
    pub fn initialize(&mut self) -> Result<()> {
        let outputs = self.initialization.run_values(&[])?;
        self.assign(outputs)
    }

    /// Takes one step. Inputs and outputs are those of its signature without the variables.
    pub fn step(&mut self, inputs: &[Value]) -> Result<Vec<Value>> {
        let mut outputs = self.step.run_values(&self.with_variables(inputs))?;
        let variables = outputs.split_off(outputs.len() - self.variables.len());
        self.assign(variables)?;
        Ok(outputs)
    }

    /// Runs the model with the current variables. Inputs are those of its signature without the variables.
    pub fn infer(&mut self, inputs: &[Value]) -> Result<Vec<Value>> {
        self.inference.run_values(&self.with_variables(inputs))
    }

    fn with_variables(&self, inputs: &[Value]) -> Vec<Value> {
        inputs.iter().cloned().chain(self.variables.iter().cloned().map(Value::Tensor)).collect()
    }

    /// Assigns all variables together, unless one would change its shape.
    fn assign(&mut self, values: Vec<Value>) -> Result<()> {
        let ports = self.step.model().signature.inputs.iter().filter(|port| port.is_variable);
        let assigned = ports.zip(&self.variables).zip(values).map(|((port, old), value)| match value {
            Value::Tensor(new) if new.shape == old.shape => Ok(new),
            _ => Err(reshaped(port)),
        });
        self.variables = assigned.collect::<std::result::Result<_, _>>()?;
        Ok(())
    }
}

fn reshaped(port: &Port) -> Diagnostic {
    let message = format!("training assigns a value of another shape to '{}', which is {}", port.name, port.describe());
    Diagnostic::input(Location::Unknown, message)
}
