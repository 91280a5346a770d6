//! The rules that need types and shapes: the importer and shape inference check them, and report them by name.

use crate::{Finder, Rule, error, violation};

const NODES: &str = "IR, Nodes";
const PAGE: &str = "the operator's page";
const SHAPES: &str = "IR, Static tensor shapes";

pub(super) const RULES: &[Rule] = &[
    error(
        "operator-types",
        NODES,
        "The types of a node's inputs meet the type constraints of its operator.",
        Finder::Inference,
    ),
    error(
        "operator-shapes",
        PAGE,
        "The shapes of a node's inputs match each other and its attributes.",
        Finder::Inference,
    ),
    error(
        "operator-conditions",
        PAGE,
        "The operator's other conditions, besides those on types and shapes, are met.",
        Finder::Inference,
    ),
    error(
        "operator-bodies",
        PAGE,
        "The subgraphs of a node match it: the branches yield the same types, a loop's body the types of the loop-carried values.",
        Finder::Inference,
    ),
    error(
        "activation-known",
        PAGE,
        "The activations of a recurrent layer are functions that its documentation lists.",
        Finder::Inference,
    ),
    error(
        "activation-count",
        PAGE,
        "A recurrent layer has the number of activations that its directions need, or none.",
        Finder::Inference,
    ),
    violation(
        "reduction-of-nothing",
        PAGE,
        "No axis without elements is reduced if the operator does not define the result.",
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
    error("value-type-declared", "IR, Graphs", "A value has the type that is stated for it.", Finder::Inference),
    violation(
        "value-shape-declared",
        SHAPES,
        "A value has the rank and the extents that are stated for it.",
        Finder::Inference,
    ),
    violation(
        "symbol-one-extent",
        SHAPES,
        "A symbolic dimension has the same value in the whole model.",
        Finder::Inference,
    ),
];
