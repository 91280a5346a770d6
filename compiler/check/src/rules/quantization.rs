//! Quantization annotations.

use proto::{GraphProto, StringStringEntryProto};
use rustc_hash::FxHashSet;

use crate::repeats::repeats;
use crate::{Finder, Part, Rule, Step, Visit, violation};

const ANNOTATION: &str = "onnx.proto, TensorAnnotation";

/// The parameters that the documents define.
const KEYS: [&str; 2] = ["SCALE_TENSOR", "ZERO_POINT_TENSOR"];

pub(super) const RULES: &[Rule] = &[
    violation(
        "quantization-tensor",
        ANNOTATION,
        "An annotation describes a value of its graph.",
        Finder::Graph(tensor),
    ),
    violation("quantization-unique", ANNOTATION, "A value has one annotation.", Finder::Graph(unique)),
    violation(
        "quantization-key",
        ANNOTATION,
        "The parameters of an annotation are SCALE_TENSOR and ZERO_POINT_TENSOR.",
        Finder::Graph(key),
    ),
    violation(
        "quantization-key-unique",
        ANNOTATION,
        "An annotation has each parameter once.",
        Finder::Graph(key_unique),
    ),
    violation(
        "quantization-parameter",
        ANNOTATION,
        "A parameter of an annotation is a value of its graph.",
        Finder::Graph(parameter),
    ),
];

fn is_value(visit: &Visit<'_, '_>, name: &str) -> bool {
    visit.walk.names().is_some_and(|names| names.get(name).is_some())
}

fn tensor(visit: &mut Visit<'_, '_>, graph: &GraphProto) {
    for (index, annotation) in graph.quantization_annotation.iter().enumerate() {
        if !is_value(visit, &annotation.tensor_name) {
            let step = Step::number(Part::Annotation, index, &annotation.tensor_name);
            visit.found_at(&[step], || "is of no value of the graph".into());
        }
    }
}

fn unique(visit: &mut Visit<'_, '_>, graph: &GraphProto) {
    let annotations = &graph.quantization_annotation;
    for (index, _) in repeats(annotations, |annotation| &annotation.tensor_name) {
        let step = Step::number(Part::Annotation, index, &annotations[index].tensor_name);
        visit.found_at(&[step], || "is of a value that has one already".into());
    }
}

/// Reports the invalid entries of annotations.
fn entries<'m>(
    visit: &mut Visit<'_, 'm>,
    graph: &'m GraphProto,
    mut problem: impl FnMut(&Visit<'_, 'm>, usize, &'m StringStringEntryProto) -> Option<String>,
) {
    for (index, annotation) in graph.quantization_annotation.iter().enumerate() {
        for entry in &annotation.quant_parameter_tensor_names {
            if let Some(message) = problem(visit, index, entry) {
                let steps = [
                    Step::number(Part::Annotation, index, &annotation.tensor_name),
                    Step::named(Part::Key, &entry.key),
                ];
                visit.found_at(&steps, || message);
            }
        }
    }
}

fn key<'m>(visit: &mut Visit<'_, 'm>, graph: &'m GraphProto) {
    entries(visit, graph, |_, _, entry| {
        (!KEYS.contains(&&*entry.key)).then(|| format!("is not a known key; the keys are {}", KEYS.join(" and ")))
    });
}

fn key_unique<'m>(visit: &mut Visit<'_, 'm>, graph: &'m GraphProto) {
    let mut known = FxHashSet::default();
    entries(visit, graph, |_, index, entry| (!known.insert((index, &entry.key))).then(|| "occurs twice".to_string()));
}

fn parameter<'m>(visit: &mut Visit<'_, 'm>, graph: &'m GraphProto) {
    entries(visit, graph, |visit, _, entry| {
        (!is_value(visit, &entry.value)).then(|| format!("is '{}', which is not a value of the graph", entry.value))
    });
}
