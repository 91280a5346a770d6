//! The rules, one file per family.

mod arity;
mod attributes;
mod devices;
mod external;
mod functions;
mod inference;
mod initializers;
mod metadata;
mod model;
mod names;
mod operator_sets;
mod opsets;
mod quantization;
mod scopes;
mod sonnx;
mod sparse;
mod tensors;
mod training;
mod types;
mod values;
mod versions;

use crate::Profile;
pub use crate::Rule;
pub use attributes::attribute_kind;

/// The families in the order in which they are listed.
const FAMILIES: &[(&str, &[Rule])] = &[
    ("Models", model::RULES),
    ("Names", names::RULES),
    ("Scopes", scopes::RULES),
    ("Types", types::RULES),
    ("Operator sets", opsets::RULES),
    ("Operator-set documents", operator_sets::RULES),
    ("Inputs and outputs of nodes", arity::RULES),
    ("Attributes", attributes::RULES),
    ("Values of attributes", values::RULES),
    ("Types and shapes of nodes", inference::RULES),
    ("Functions", functions::RULES),
    ("Initializers", initializers::RULES),
    ("Tensors", tensors::RULES),
    ("External data", external::RULES),
    ("Sparse tensors", sparse::RULES),
    ("Quantization", quantization::RULES),
    ("Devices", devices::RULES),
    ("Training", training::RULES),
    ("Metadata", metadata::RULES),
    ("IR versions", versions::RULES),
    ("SONNX", sonnx::RULES),
];

/// Every rule.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().flat_map(|(_, rules)| rules.iter())
}

/// The families: the title of each, and its rules.
pub fn families() -> impl Iterator<Item = (&'static str, &'static [Rule])> {
    FAMILIES.iter().copied()
}

/// The rules of a profile.
pub fn of(profile: Profile) -> impl Iterator<Item = &'static Rule> {
    all().filter(move |rule| rule.profile <= profile)
}

/// A rule by its identifier.
pub fn by_id(id: &str) -> Option<&'static Rule> {
    all().find(|rule| rule.id == id)
}
