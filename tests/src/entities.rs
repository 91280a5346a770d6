//! Models as text with the inputs and expected outputs of a run in comments: `# input: float[2] x = {1, 2}`, `# output:
//! float[2] y = {2, 3}`, or `# error 1: words of the message` with the exit code. Models in one file are separated by
//! lines of `# -----`. `# overridable: w` names an input with a default that remains an input.

use std::path::Path;
use std::sync::Arc;

use driver::testdata::{Tolerance, compare, tensor_value};
use driver::{Compiler, Session, Tensor, Value};
use proto::Model;

/// Runs every model of a file.
pub fn run_file(path: &Path) -> datatest_stable::Result<()> {
    let text = std::fs::read_to_string(path)?;
    for (number, chunk) in text.split("# -----\n").enumerate() {
        run_model(chunk).map_err(|problem| format!("model {number}: {problem}"))?;
    }
    Ok(())
}

/// The texts after a word in the comments.
fn directives<'t>(text: &'t str, word: &str) -> impl Iterator<Item = &'t str> {
    text.lines().filter_map(move |line| line.strip_prefix("# ")?.strip_prefix(word))
}

fn tensors(text: &str, word: &str) -> Result<Vec<(String, Tensor)>, String> {
    let mut tensors = Vec::new();
    for line in directives(text, word) {
        for tensor in proto::parse_tensors(line)? {
            tensors.push((tensor.name.clone(), tensor_value(&tensor)?));
        }
    }
    Ok(tensors)
}

fn run_model(text: &str) -> Result<(), String> {
    let inputs = tensors(text, "input:")?;
    let outputs = tensors(text, "output:")?;
    match (outcome(text, &inputs), directives(text, "error ").next()) {
        (Ok(found), None) if outputs.is_empty() => Err(format!("no outputs are expected, but it has {found:?}")),
        (Ok(found), None) => outputs.iter().try_for_each(|(name, expected)| {
            let actual =
                found.iter().find(|(given, _)| given == name).ok_or(format!("output {name} does not exist"))?;
            let tolerance = Tolerance::of(&expected.element);
            compare(&actual.1, &Value::Tensor(expected.clone()), tolerance).map_err(|what| format!("{name}: {what}"))
        }),
        (Err(found), Some(expected)) => {
            let (code, message) = expected.split_once(": ").ok_or("an error has a code and a message")?;
            match found
                .iter()
                .any(|problem| problem.class.exit_code().to_string() == code && problem.to_string().contains(message))
            {
                true => Ok(()),
                false => Err(format!("expected the error {expected}, found {found:?}")),
            }
        }
        (Ok(_), Some(expected)) => Err(format!("it runs, in spite of {expected}")),
        (Err(found), None) => Err(format!("it fails: {found:?}")),
    }
}

fn outcome(text: &str, inputs: &[(String, Tensor)]) -> driver::Result<Vec<(String, Value)>> {
    let model = Model::from_bytes(text.as_bytes()).map_err(import::damaged)?;
    let overridable = directives(text, "overridable:").map(|name| name.trim().to_string()).collect();
    let mut options = import::Options { overridable, ..Default::default() };
    let compile = |options: &import::Options| {
        Compiler::default().compile_graph(import::import_model(&model, options)?).map(Arc::new)
    };
    let mut compiled = compile(&options)?;
    let is_optional = |name: &str| compiled.signature.optional.iter().any(|port| port.name == name);
    let others = inputs.iter().filter(|(name, _)| is_optional(name));
    options.constants = others.map(|(name, tensor)| (name.clone(), tensor.elements())).collect();
    if !options.constants.is_empty() {
        compiled = compile(&options)?;
    }
    let values = inputs.iter().map(|(name, tensor)| (name.clone(), Value::Tensor(tensor.clone()))).collect();
    let outputs = Session::new(compiled.clone()).run_named(&values)?;
    Ok(compiled.signature.outputs.iter().map(|port| port.name.clone()).zip(outputs).collect())
}
