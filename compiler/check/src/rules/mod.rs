//! The rules, a file for each family.

mod initializers;
mod model;
mod names;
mod scopes;
mod types;

use crate::Profile;
pub use crate::Rule;

/// The families in the order in which they are listed.
const FAMILIES: &[(&str, &[Rule])] = &[
    ("Models", model::RULES),
    ("Names", names::RULES),
    ("Scopes", scopes::RULES),
    ("Types", types::RULES),
    ("Initializers", initializers::RULES),
];

/// Every rule.
pub fn all() -> impl Iterator<Item = &'static Rule> {
    FAMILIES.iter().flat_map(|(_, rules)| rules.iter())
}

/// The families: what each is called, and its rules.
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
