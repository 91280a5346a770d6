//! Training information.

use proto::{GraphProto, Model, StringStringEntryProto, TrainingInfoProto};
use rustc_hash::FxHashSet;

use crate::{Finder, Part, Rule, Step, Visit, error};

const TRAINING: &str = "onnx.proto, TrainingInfoProto";
const UPDATE: &str = "onnx.proto, TrainingInfoProto.update_binding";
const INITIALIZATION: &str = "onnx.proto, TrainingInfoProto.initialization_binding";

pub(super) const RULES: &[Rule] = &[
    error("training-update-unique", UPDATE, "A variable is updated once in a step.", Finder::Model(update_unique)),
    error(
        "training-update-variable",
        UPDATE,
        "An updated variable is an initializer of the model's graph or of the algorithm.",
        Finder::Training(update_variable),
    ),
    error(
        "training-update-value",
        UPDATE,
        "The new value of a variable is an output of the algorithm or of the model's graph.",
        Finder::Training(update_value),
    ),
    error(
        "training-variable-no-input",
        UPDATE,
        "An updated variable is not an input: the caller does not set it.",
        Finder::Training(variable_no_input),
    ),
    error(
        "training-initialization-variable",
        INITIALIZATION,
        "An initialized variable is an initializer of the model's graph or of the algorithm.",
        Finder::Training(initialization_variable),
    ),
    error(
        "training-initialization-value",
        INITIALIZATION,
        "The initial value of a variable is an output of the initialization.",
        Finder::Training(initialization_value),
    ),
    error(
        "training-initialization-unique",
        INITIALIZATION,
        "A variable is initialized once.",
        Finder::Training(initialization_unique),
    ),
    error(
        "training-initialization-no-input",
        "onnx.proto, TrainingInfoProto.initialization",
        "The initialization has no inputs.",
        Finder::Training(no_input),
    ),
    error(
        "training-combined",
        TRAINING,
        "Names of the algorithm differ from those of the model's graph: in a step, both are one graph.",
        Finder::Graph(combined),
    ),
];

fn is_initializer(graph: Option<&GraphProto>, name: &str) -> bool {
    let sparse = |graph: &GraphProto| {
        graph.sparse_initializer.iter().any(|sparse| sparse.values.as_ref().is_some_and(|values| values.name == name))
    };
    graph.is_some_and(|graph| graph.initializer.iter().any(|tensor| tensor.name == name) || sparse(graph))
}

fn is_output(graph: Option<&GraphProto>, name: &str) -> bool {
    graph.is_some_and(|graph| graph.output.iter().any(|output| output.name == name))
}

/// Reports invalid bindings.
fn bindings(
    visit: &mut Visit<'_, '_>,
    bindings: &[StringStringEntryProto],
    mut holds: impl FnMut(&StringStringEntryProto) -> bool,
    message: fn(&StringStringEntryProto) -> String,
) {
    for (index, binding) in bindings.iter().enumerate() {
        if !holds(binding) {
            visit.found_at(&[Step::number(Part::Binding, index, &binding.key)], || message(binding));
        }
    }
}

fn update_unique(visit: &mut Visit<'_, '_>, model: &Model) {
    let mut known = FxHashSet::default();
    for (at, training) in model.proto.training_info.iter().enumerate() {
        for (index, binding) in training.update_binding.iter().enumerate() {
            if !known.insert(&binding.key) {
                let steps = [Step::number(Part::Training, at, ""), Step::number(Part::Binding, index, &binding.key)];
                visit.found_at(&steps, || "is updated already".into());
            }
        }
    }
}

fn update_variable(visit: &mut Visit<'_, '_>, training: &TrainingInfoProto) {
    let graph = visit.walk.proto().graph.as_ref();
    let holds = |binding: &StringStringEntryProto| {
        is_initializer(graph, &binding.key) || is_initializer(training.algorithm.as_ref(), &binding.key)
    };
    bindings(visit, &training.update_binding, holds, |binding| format!("'{}' is not an initializer", binding.key));
}

fn update_value(visit: &mut Visit<'_, '_>, training: &TrainingInfoProto) {
    let graph = visit.walk.proto().graph.as_ref();
    let holds = |binding: &StringStringEntryProto| {
        is_output(graph, &binding.value) || is_output(training.algorithm.as_ref(), &binding.value)
    };
    bindings(visit, &training.update_binding, holds, |binding| format!("'{}' is not an output", binding.value));
}

fn variable_no_input(visit: &mut Visit<'_, '_>, training: &TrainingInfoProto) {
    let graphs = [visit.walk.proto().graph.as_ref(), training.algorithm.as_ref()];
    let is_input =
        |name: &str| graphs.into_iter().flatten().any(|graph| graph.input.iter().any(|input| input.name == name));
    let holds = |binding: &StringStringEntryProto| !is_input(&binding.key);
    bindings(visit, &training.update_binding, holds, |binding| format!("'{}' is also an input", binding.key));
}

fn initialization_variable(visit: &mut Visit<'_, '_>, training: &TrainingInfoProto) {
    let graph = visit.walk.proto().graph.as_ref();
    let holds = |binding: &StringStringEntryProto| {
        is_initializer(graph, &binding.key) || is_initializer(training.algorithm.as_ref(), &binding.key)
    };
    bindings(visit, &training.initialization_binding, holds, |binding| {
        format!("'{}' is not an initializer", binding.key)
    });
}

fn initialization_value(visit: &mut Visit<'_, '_>, training: &TrainingInfoProto) {
    let holds = |binding: &StringStringEntryProto| is_output(training.initialization.as_ref(), &binding.value);
    bindings(visit, &training.initialization_binding, holds, |binding| {
        format!("'{}' is not an output of the initialization", binding.value)
    });
}

fn initialization_unique(visit: &mut Visit<'_, '_>, training: &TrainingInfoProto) {
    let mut known = FxHashSet::default();
    let holds = |binding: &StringStringEntryProto| known.insert(binding.key.clone());
    bindings(visit, &training.initialization_binding, holds, |_| "is initialized already".into());
}

fn no_input(visit: &mut Visit<'_, '_>, training: &TrainingInfoProto) {
    let Some(graph) = &training.initialization else { return };
    for (index, input) in graph.input.iter().enumerate() {
        let steps = [Step::named(Part::Initialization, &graph.name), Step::number(Part::Input, index, &input.name)];
        visit.found_at(&steps, || "is an input, but the initialization has no inputs".into());
    }
}

fn combined<'m>(visit: &mut Visit<'_, 'm>, graph: &'m GraphProto) {
    if visit.walk.part() == Some(Part::Algorithm) {
        super::scopes::names_around(visit, graph, |name| format!("'{name}' is also a value of the model's graph"));
    }
}
