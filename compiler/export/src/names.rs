//! Unique names for values and nodes.

use indexmap::IndexSet;

/// The names that are in use. A name is unique in the whole model, graphs of attributes included.
#[derive(Default)]
pub(crate) struct Names(IndexSet<String>);

impl Names {
    /// Takes a name as it is.
    pub(crate) fn reserve(&mut self, name: &str) {
        self.0.insert(name.to_string());
    }

    /// A name that begins with `wanted` and that nothing else has.
    pub(crate) fn unique(&mut self, wanted: &str) -> String {
        let numbered = (1..).map(|number| format!("{wanted}_{number}"));
        let free = std::iter::once(wanted.to_string()).chain(numbered).find(|name| !self.0.contains(name));
        let name = free.expect("numbers do not end");
        self.reserve(&name);
        name
    }
}
