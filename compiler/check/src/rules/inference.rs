//! The rules that need types and shapes: the importer and shape inference check them, and report them by name.

use crate::{Finder, Rule, error, violation};

const NODES: &str = "IR, Nodes";
const PAGE: &str = "the operator's page";
const SHAPES: &str = "IR, Static tensor shapes";

pub(super) const RULES: &[Rule] = &[
    error(
        "operator-types",
        NODES,
        "The types of a node's inputs are such as its operator takes, and the same where it ties them.",
        Finder::Inference,
    ),
    error(
        "operator-shapes",
        PAGE,
        "The shapes of a node's inputs fit each other and its attributes.",
        Finder::Inference,
    ),
    error("operator-conditions", PAGE, "What an operator demands beside types and shapes holds.", Finder::Inference),
    error(
        "operator-bodies",
        PAGE,
        "The graphs of a node take and give what the node does: branches the same types, bodies what goes round.",
        Finder::Inference,
    ),
    error(
        "activation-known",
        PAGE,
        "The activations of a recurrent layer are functions that its page lists.",
        Finder::Inference,
    ),
    error(
        "activation-count",
        PAGE,
        "A recurrent layer has as many activations as its directions take, or none.",
        Finder::Inference,
    ),
    violation(
        "reduction-of-nothing",
        PAGE,
        "No value is made of an axis without elements, where the operator does not say which that would be.",
        Finder::Inference,
    ),
    error(
        "value-addressable",
        "IR, Tensor Definition",
        "A value has a size that a machine can address.",
        Finder::Inference,
    ),
    error(
        "value-named-defined",
        PAGE,
        "A value that an attribute names is one that is computed before the node.",
        Finder::Inference,
    ),
    error("value-type-declared", "IR, Graphs", "A value is of the type that is stated for it.", Finder::Inference),
    violation(
        "value-shape-declared",
        SHAPES,
        "A value has the rank and the extents that are stated for it.",
        Finder::Inference,
    ),
    violation(
        "symbol-one-extent",
        SHAPES,
        "Where a name stands for an extent it stands for the same number in the whole model.",
        Finder::Inference,
    ),
];
