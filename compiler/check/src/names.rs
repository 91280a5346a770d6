//! The names of values, and what defines them.

use proto::{FunctionProto, GraphProto, NodeProto};
use rustc_hash::FxHashMap;

use crate::Part;

/// What gives a value its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Definition {
    /// An input, an initializer, a sparse one, or a node.
    pub by: Part,
    /// Its number among its like.
    pub index: usize,
    /// The number of the output, of a node.
    pub output: usize,
}

/// What a name stands for where it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reading {
    /// What defines it.
    pub definition: Definition,
    /// Whether that comes only behind the node that reads it.
    pub late: bool,
    /// How many graphs around the reader's own it is defined in.
    pub outwards: usize,
}

/// What a name has been given to.
#[derive(Clone, Copy, Debug)]
struct Entry {
    first: Definition,
    /// Whether it is an input that an initializer gives a default.
    has_default: bool,
}

/// The values of one graph or function.
#[derive(Debug, Default)]
pub(crate) struct Names<'m> {
    defined: FxHashMap<&'m str, Entry>,
    /// Further definitions of names that have one.
    pub(crate) again: Vec<(&'m str, Definition)>,
    /// The node that is being looked at.
    pub(crate) at: usize,
    /// Whether the nodes that were looked at stand behind those whose outputs they read.
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

    /// What defines a name.
    pub(crate) fn get(&self, name: &str) -> Option<Definition> {
        self.defined.get(name).map(|entry| entry.first)
    }

    /// Whether a name is an input that an initializer gives a default.
    pub(crate) fn has_default(&self, name: &str) -> bool {
        self.defined.get(name).is_some_and(|entry| entry.has_default)
    }

    /// What defines a name, unless that is a node that has not been looked at yet.
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

    /// An empty name is no name.
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
