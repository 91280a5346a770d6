//! `--train`: training on the inputs of a command line.

use std::path::Path;

use commandline::Failure;
use driver::{Compiler, ImportOptions, Trainer, Value};

use crate::arguments::Arguments;
use crate::random::{self, Random};
use crate::{inputs, tell};

/// Takes steps from the initial state, all on the same inputs; prints the outputs of the last one, then the variables.
pub(crate) fn run(arguments: &Arguments, compiler: &Compiler, path: &Path, steps: u64) -> Result<(), Failure> {
    let mut trainer = Trainer::compile_file(compiler, path, &ImportOptions::default())?;
    trainer.initialize()?;
    let signature = trainer.step_signature().clone();
    let mut given = inputs::read(&signature, &arguments.input, arguments.inputs.as_deref())?;
    let first = trainer.variables().map(|(name, tensor)| (name.to_string(), Value::Tensor(tensor.clone())));
    given.extend(first.collect::<Vec<_>>());
    let random = arguments.random.then(|| Random::of(arguments, path));
    let (mut inputs, _) = random::run(trainer.step_session(), &given, random)?;
    let (variables, mut outputs) = (trainer.variables().count(), vec![]);
    inputs.truncate(inputs.len() - variables);
    for _ in 0..steps {
        outputs = trainer.step(&inputs)?;
    }
    let names = signature.outputs.iter().filter(|port| !port.is_variable).map(|port| port.name.clone());
    let mut named: Vec<(String, Value)> = names.zip(outputs).collect();
    named.extend(trainer.variables().map(|(name, tensor)| (name.to_string(), Value::Tensor(tensor.clone()))));
    tell(arguments, &named)
}
