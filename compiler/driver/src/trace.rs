//! The trace matrix: the operations that each node is lowered to, and the nodes that each symbol of the object
//! computes.
//!
//! Operations have the names of their nodes as locations, at every level down to the host function's calls. Kernels
//! have none: they belong to the nodes of the calls that reach them.

use dialects::{OpCodes, func, memref, tensor};
use std::collections::VecDeque;
use std::sync::Arc;

use ir::{Attribute, Body, FunctionView, IndexMap, IndexSet, Location, Module, Op};

use crate::options::{INITIALIZE, MAIN};
use dialects::rt::attributes::{GONE, KERNEL, NODES};

/// The levels at which the module is examined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Traced {
    Graph,
    Rewritten,
    Structured,
    Kernel,
    Low,
}

/// Operations by name, with their counts.
pub type Operations = IndexMap<String, usize>;

/// A node of the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TracedNode {
    /// Its operator; if several nodes have the name, all of theirs.
    pub operators: Vec<String>,
    /// Its operations at the graph level, after import.
    pub graph: Operations,
    /// Its operations after the rewrites.
    pub rewritten: Operations,
    /// Its operations at the structured level.
    pub structured: Operations,
    /// Its operations in the host function.
    pub kernel: Operations,
    /// The rules that matched the operations that are gone.
    pub rules: Vec<String>,
    /// The nodes of equivalent operations that remain.
    pub instead: Vec<String>,
    /// Functions and data that belong to it, in the order of the module.
    pub symbols: Vec<String>,
}

/// A function or a global of the module.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symbol {
    /// The nodes that it belongs to.
    pub nodes: Vec<Arc<str>>,
    /// The reason for its existence.
    pub reason: &'static str,
}

/// The trace of each node.
#[derive(Clone, Debug, Default)]
pub struct Trace {
    /// The nodes in the order of the model, by name.
    pub nodes: IndexMap<Arc<str>, TracedNode>,
    /// Functions and globals of the low level.
    pub symbols: IndexMap<String, Symbol>,
}

impl TracedNode {
    /// Why no symbol of an object belongs to the node, if that is so.
    pub fn reason(&self) -> String {
        if self.graph.is_empty() {
            return "the importer removed it: its result is its operand, it is unused, or it is a call of a function that was \
                    inlined"
                .to_string();
        }
        if self.rewritten.is_empty() {
            return match (&*self.rules.join(", "), &*self.instead.join(", ")) {
                ("", "") => "nothing reads it".to_string(),
                ("", equal) => format!("merged with {equal}, which is equal"),
                (rules, "") => format!("among the operations rewritten by {rules}"),
                (rules, instead) => format!("rewritten by {rules}; replaced by {instead}"),
            };
        }
        let is_view =
            self.structured.contains_key(tensor::RESHAPE.name()) || self.structured.contains_key(tensor::CAST.name());
        let reason = match (self.structured.is_empty(), is_view) {
            (true, _) => "its result is its operand, or known while compiling",
            (false, true) => "its result is its operand's memory under another shape",
            (false, false) => "its result is known while compiling",
        };
        reason.to_string()
    }
}

impl Trace {
    /// Records the module at a level.
    pub(crate) fn look(&mut self, stage: Traced, module: &mut Module) {
        match stage {
            Traced::Graph => {
                let nodes = module.attributes.remove(NODES);
                for entry in lists(nodes.as_ref()) {
                    let [name, operator] =
                        [0, 1].map(|at| entry.get(at).and_then(Attribute::as_str).unwrap_or_default());
                    self.nodes.entry(name.into()).or_default().operators.push(operator.to_string());
                }
                self.count(module, |node| &mut node.graph);
            }
            Traced::Rewritten => {
                let gone = module.attributes.remove(GONE);
                self.note_rules(gone.as_ref());
                self.count(module, |node| &mut node.rewritten);
            }
            Traced::Structured => self.count(module, |node| &mut node.structured),
            Traced::Kernel => {
                self.count(module, |node| &mut node.kernel);
                self.note_hosts(module);
            }
            Traced::Low => self.note_symbols(module),
        }
    }

    /// Counts the operations of each node.
    fn count(&mut self, module: &Module, of: fn(&mut TracedNode) -> &mut Operations) {
        for function in module.functions() {
            for op in function.body.walk_all() {
                let operation = function.body.op(op);
                for node in operation.location.names() {
                    if let Some(traced) = self.nodes.get_mut(&node) {
                        *of(traced).entry(operation.name.as_str().to_string()).or_default() += 1;
                    }
                }
            }
        }
    }

    fn note_rules(&mut self, gone: Option<&Attribute>) {
        let texts = |list: Option<&Attribute>| -> Vec<String> {
            let list = list.and_then(Attribute::as_array).unwrap_or_default();
            list.iter().filter_map(|text| text.as_str().map(str::to_string)).collect()
        };
        for entry in lists(gone) {
            let (rules, instead) = (texts(entry.get(1)), texts(entry.get(2)));
            for node in texts(entry.first()) {
                if let Some(traced) = self.nodes.get_mut(&*node) {
                    extend(&mut traced.rules, rules.clone());
                    extend(&mut traced.instead, instead.clone());
                }
            }
        }
    }

    /// Operations of a node that are not calls belong to the host function.
    fn note_hosts(&mut self, module: &Module) {
        for host in [MAIN, INITIALIZE] {
            let Some(function) = module.function(host) else { continue };
            let own = function.body.walk_all().into_iter().filter(|&op| !function.body.is(op, func::CALL));
            let locations: Vec<Location> = own.map(|op| function.body.op(op).location.clone()).collect();
            locations.iter().for_each(|location| self.add(host, location));
        }
    }

    /// Functions belong to the nodes of the operations that refer to them, or of the functions that contain those.
    fn note_symbols(&mut self, module: &Module) {
        let mut readers: IndexMap<String, IndexSet<String>> = IndexMap::default();
        for function in module.functions().filter(|function| function.body.entry().is_some()) {
            let symbol = self.symbols.entry(function.name.to_string()).or_default();
            symbol.reason = reason_of_function(&function);
            for op in function.body.walk_all() {
                for name in named_symbols(function.body, op) {
                    self.add(&name, &function.body.op(op).location);
                    readers.entry(name).or_default().insert(function.name.to_string());
                }
            }
        }
        for op in module.ops() {
            let operation = module.body.op(op);
            if let Some(name) = operation.attributes.str("sym_name").filter(|_| operation.name == memref::GLOBAL) {
                self.add(name, &operation.location);
                self.symbols[name].reason = reason_of_global(operation.attributes.get("constant").is_some(), name);
            }
        }
        let mut pending: VecDeque<String> = readers.keys().cloned().collect();
        while let Some(name) = pending.pop_front() {
            let around: Vec<Arc<str>> = readers[&name]
                .iter()
                .filter(|reader| !matches!(reader.as_str(), MAIN | INITIALIZE))
                .flat_map(|reader| self.symbols[reader].nodes.clone())
                .collect();
            let symbol = self.symbols.entry(name.clone()).or_default();
            let before = symbol.nodes.len();
            extend(&mut symbol.nodes, around);
            if symbol.nodes.len() > before {
                let called = readers.iter().filter(|(_, readers)| readers.contains(&name)).map(|(called, _)| called);
                pending.extend(called.cloned());
            }
        }
        self.symbols.retain(|_, symbol| !symbol.reason.is_empty());
        for (name, symbol) in &self.symbols {
            for node in &symbol.nodes {
                if let Some(traced) = self.nodes.get_mut(node) {
                    traced.symbols.push(name.clone());
                }
            }
        }
    }

    fn add(&mut self, symbol: &str, location: &Location) {
        let names = location.names().into_iter().filter(|name| self.nodes.contains_key(name)).collect();
        extend(&mut self.symbols.entry(symbol.to_string()).or_default().nodes, names);
    }
}

/// The lists in a list.
fn lists(list: Option<&Attribute>) -> Vec<&[Attribute]> {
    let entries = list.and_then(Attribute::as_array).unwrap_or_default();
    entries.iter().filter_map(Attribute::as_array).collect()
}

/// Adds items that are missing.
fn extend<T: PartialEq>(list: &mut Vec<T>, more: Vec<T>) {
    for one in more {
        if !list.contains(&one) {
            list.push(one);
        }
    }
}

/// The symbols that an operation refers to.
fn named_symbols(body: &Body, op: Op) -> Vec<String> {
    let attributes = &body.op(op).attributes;
    let named = ["callee", "name"].into_iter().filter_map(|key| attributes.get(key)?.as_symbol());
    named.map(str::to_string).collect()
}

fn reason_of_function(function: &FunctionView<'_>) -> &'static str {
    let is_private = function.attributes.str("sym_visibility") == Some("private");
    match function.name {
        MAIN => "the host function: calls the kernels in order, computes sizes and passes buffers",
        INITIALIZE => "the host function that computes the values that depend on constants alone",
        _ if function.attributes.get(KERNEL).is_some() => "a kernel",
        _ if is_private => "a loop of a kernel, or a kernel for one level of processors",
        _ => "an entry point: runs a host function on the caller's buffers",
    }
}

fn reason_of_global(is_constant: bool, name: &str) -> &'static str {
    match is_constant {
        true => "a constant of the model",
        false if name.starts_with("folded") => "folded: computed from constants at compile time",
        false => "memory of runs",
    }
}
