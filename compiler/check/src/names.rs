//! The names of values, and their definitions.

use proto::{FunctionProto, GraphProto, NodeProto};
use rustc_hash::FxHashMap;

use crate::Part;

/// The definition of a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition {
    /// An input, an initializer, a sparse one, or a node.
    pub by: Part,
    /// Its index among those of its kind.
    pub index: usize,
    /// The index of the node's output.
    pub output: usize,
}

/// What a name refers to where it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// Its definition.
    pub definition: Definition,
    /// Whether the definition comes after the node that reads it.
    pub late: bool,
    /// The number of graphs between the reader and the definition.
    pub outwards: usize,
}

/// The definition of a name.
#[derive(Clone, Copy, Debug)]
struct Entry {
    first: Definition,
    /// Whether it is an input with an initializer as its default.
    has_default: bool,
}

/// The values of one graph or function.
#[derive(Debug, Default)]
pub(crate) struct Names<'m> {
    defined: FxHashMap<&'m str, Entry>,
    /// Further definitions of names that are already defined.
    pub(crate) again: Vec<(&'m str, Definition)>,
    /// The index of the current node.
    pub(crate) at: usize,
    /// Whether all nodes so far come after those whose outputs they read.
    pub(crate) is_ordered: bool,
}

impl<'m> Names<'m> {
    pub(crate) fn of_graph(graph: &'m GraphProto) -> Names<'m> {
        let mut names = Names::default();
        names.defined.reserve(graph.input.len() + graph.initializer.len() + graph.node.len());
        names.define_all(Part::Input, graph.input.iter().map(|input| &*input.name));
        names.define_all(Part::Initializer, graph.initializer.iter().map(|tensor| &*tensor.name));
        let sparse = graph.sparse_initializer.iter().map(|sparse| sparse.values.as_ref().map_or("", |v| &*v.name));
        names.define_all(Part::SparseInitializer, sparse);
        names.nodes(&graph.node);
        names
    }

    pub(crate) fn of_function(function: &'m FunctionProto) -> Names<'m> {
        let mut names = Names::default();
        names.define_all(Part::Input, function.input.iter().map(String::as_str));
        names.nodes(&function.node);
        names
    }

    /// The definition of a name.
    pub(crate) fn get(&self, name: &str) -> Option<Definition> {
        self.defined.get(name).map(|entry| entry.first)
    }

    /// Whether a name is an input with an initializer as its default.
    pub(crate) fn has_default(&self, name: &str) -> bool {
        self.defined.get(name).is_some_and(|entry| entry.has_default)
    }

    /// Whether a definition is a node that the walk has not reached yet.
    pub(crate) fn is_late(&self, definition: Definition) -> bool {
        definition.by == Part::Node && definition.index >= self.at
    }

    fn nodes(&mut self, nodes: &'m [NodeProto]) {
        for (index, node) in nodes.iter().enumerate() {
            for (output, name) in node.output.iter().enumerate() {
                self.define(name, Definition { by: Part::Node, index, output });
            }
        }
    }

    fn define_all(&mut self, by: Part, names: impl Iterator<Item = &'m str>) {
        names.enumerate().for_each(|(index, name)| self.define(name, Definition { by, index, output: 0 }));
    }

    /// Adds a definition. An empty name defines nothing.
    fn define(&mut self, name: &'m str, definition: Definition) {
        if name.is_empty() {
            return;
        }
        match self.defined.get_mut(name) {
            None => {
                self.defined.insert(name, Entry { first: definition, has_default: false });
            }
            Some(entry) if entry.first.by == Part::Input && is_constant(definition.by) && !entry.has_default => {
                entry.has_default = true;
            }
            Some(_) => self.again.push((name, definition)),
        }
    }
}

fn is_constant(part: Part) -> bool {
    matches!(part, Part::Initializer | Part::SparseInitializer)
}
