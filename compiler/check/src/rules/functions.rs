//! Functions of the model.

use proto::{FunctionProto, Model, NodeProto};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::repeats::repeats;
use crate::walk::{FunctionKey, canonical, key_of};
use crate::{Finder, Part, Rule, Step, Visit, error, violation};

const FUNCTIONS: &str = "onnx.proto, ModelProto.functions";
const MESSAGE: &str = "onnx.proto, FunctionProto";

/// The maximum number of nodes after inlining.
const NODE_LIMIT: u64 = 4_000_000;

pub(super) const RULES: &[Rule] = &[
    error("function-named", MESSAGE, "A function has a name.", Finder::Function(named)),
    error("function-domain", MESSAGE, "A function has a domain.", Finder::Function(domain)),
    error(
        "function-unique",
        FUNCTIONS,
        "No two functions have the same domain, name and overload.",
        Finder::Functions(unique),
    ),
    error(
        "function-not-recursive",
        FUNCTIONS,
        "No function calls itself, directly or through others.",
        Finder::Functions(not_recursive),
    ),
    error(
        "function-expansion",
        FUNCTIONS,
        "A model stays within the size limit when its functions are inlined.",
        Finder::Model(expansion),
    ),
    error(
        "function-input-unique",
        MESSAGE,
        "No two inputs of a function have the same name.",
        Finder::Function(input_unique),
    ),
    error(
        "function-output-unique",
        MESSAGE,
        "No two outputs of a function have the same name.",
        Finder::Function(output_unique),
    ),
    error(
        "function-attribute-unique",
        "onnx.proto, FunctionProto.attribute_proto",
        "An attribute of a function is declared once, with or without a default.",
        Finder::Function(attribute_unique),
    ),
    error(
        "function-port-named",
        MESSAGE,
        "The inputs and outputs of a function have names.",
        Finder::Function(port_named),
    ),
    violation(
        "function-value-unique",
        "onnx.proto, FunctionProto.value_info",
        "The type of each value of a function is stated at most once.",
        Finder::Function(value_unique),
    ),
];

fn named(visit: &mut Visit<'_, '_>, function: &FunctionProto) {
    visit.expect(!function.name.is_empty(), || "has no name".into());
}

fn domain(visit: &mut Visit<'_, '_>, function: &FunctionProto) {
    visit.expect(!function.domain.is_empty(), || "has no domain".into());
}

fn unique<'m>(visit: &mut Visit<'_, 'm>, functions: &'m [FunctionProto]) {
    let mut known: FxHashMap<FunctionKey<'_>, usize> = FxHashMap::default();
    for (index, function) in functions.iter().enumerate() {
        if let Some(first) = known.insert(key_of(function), index) {
            let step = Step::number(Part::Function, index, &function.name);
            visit.found_at(&[step], || format!("is the same as function {first} by domain, name and overload"));
        }
    }
}

/// The functions that a list of nodes calls, also inside its graphs, once for each call.
fn calls<'m>(nodes: &'m [NodeProto], functions: &FxHashMap<FunctionKey<'m>, usize>) -> (Vec<usize>, u64) {
    let (mut calls, mut count) = (vec![], 0);
    let mut lists = vec![nodes];
    while let Some(nodes) = lists.pop() {
        for node in nodes {
            count += 1;
            calls.extend(functions.get(&(canonical(&node.domain), &*node.op_type, &*node.overload)));
            let graphs =
                node.attribute.iter().flat_map(|attribute| attribute.g.as_deref().into_iter().chain(&attribute.graphs));
            lists.extend(graphs.map(|graph| &graph.node[..]));
        }
    }
    (calls, count)
}

/// The functions in an order in which each comes after those that it calls, with the number of nodes that each expands
/// to; and those that call themselves.
struct CallGraph {
    calls: Vec<(Vec<usize>, u64)>,
    sizes: Vec<u64>,
    recursive: FxHashSet<usize>,
}

impl CallGraph {
    fn of(functions: &[FunctionProto]) -> CallGraph {
        let keys = functions.iter().enumerate().map(|(index, function)| (key_of(function), index));
        let keys: FxHashMap<FunctionKey<'_>, usize> = keys.collect();
        let calls = functions.iter().map(|function| calls(&function.node, &keys)).collect();
        let mut graph = CallGraph { calls, sizes: vec![0; functions.len()], recursive: FxHashSet::default() };
        let mut done = vec![false; functions.len()];
        for root in 0..functions.len() {
            graph.visit(root, &mut done);
        }
        graph
    }

    /// A depth-first search with an explicit stack: each entry is a function and the number of its calls that are done.
    fn visit(&mut self, root: usize, done: &mut [bool]) {
        let mut stack = if done[root] { vec![] } else { vec![(root, 0)] };
        let mut open: FxHashSet<usize> = stack.iter().map(|&(function, _)| function).collect();
        while let Some((function, at)) = stack.pop() {
            let (calls, own) = &self.calls[function];
            match calls.get(at) {
                Some(&callee) => {
                    stack.push((function, at + 1));
                    if open.contains(&callee) {
                        self.recursive.insert(callee);
                    } else if !done[callee] {
                        open.insert(callee);
                        stack.push((callee, 0));
                    }
                }
                None => {
                    let inner = calls.iter().map(|&callee| self.sizes[callee]);
                    self.sizes[function] = inner.fold(*own, u64::saturating_add);
                    done[function] = true;
                    open.remove(&function);
                }
            }
        }
    }
}

fn not_recursive<'m>(visit: &mut Visit<'_, 'm>, functions: &'m [FunctionProto]) {
    let graph = CallGraph::of(functions);
    for (index, function) in functions.iter().enumerate() {
        if graph.recursive.contains(&index) {
            visit.found_at(&[Step::number(Part::Function, index, &function.name)], || "calls itself".into());
        }
    }
}

fn expansion<'m>(visit: &mut Visit<'_, 'm>, model: &'m Model) {
    if model.proto.functions.is_empty() {
        return;
    }
    let graph = CallGraph::of(&model.proto.functions);
    let keys = model.proto.functions.iter().enumerate().map(|(index, function)| (key_of(function), index)).collect();
    let nodes = model.proto.graph.as_ref().map_or(&[][..], |graph| &graph.node[..]);
    let (calls, own) = calls(nodes, &keys);
    let size = calls.iter().map(|&callee| graph.sizes[callee]).fold(own, u64::saturating_add);
    visit.expect(size <= NODE_LIMIT || !graph.recursive.is_empty(), || {
        format!("has {size} nodes when its functions are inlined; at most {NODE_LIMIT} are accepted")
    });
}

/// Reports duplicate names in a list.
fn names_unique<'m>(visit: &mut Visit<'_, 'm>, part: Part, names: impl Iterator<Item = &'m str>) {
    let names: Vec<&str> = names.collect();
    for (index, _) in repeats(&names, |name| name) {
        visit.found_at(&[Step::number(part, index, names[index])], || "occurs twice".into());
    }
}

fn input_unique<'m>(visit: &mut Visit<'_, 'm>, function: &'m FunctionProto) {
    names_unique(visit, Part::Input, function.input.iter().map(String::as_str));
}

fn output_unique<'m>(visit: &mut Visit<'_, 'm>, function: &'m FunctionProto) {
    names_unique(visit, Part::Output, function.output.iter().map(String::as_str));
}

fn attribute_unique<'m>(visit: &mut Visit<'_, 'm>, function: &'m FunctionProto) {
    let names = function.attribute.iter().chain(function.attribute_proto.iter().map(|attribute| &attribute.name));
    names_unique(visit, Part::Attribute, names.map(String::as_str));
}

fn value_unique<'m>(visit: &mut Visit<'_, 'm>, function: &'m FunctionProto) {
    names_unique(visit, Part::ValueInfo, function.value_info.iter().map(|value| &*value.name));
}

fn port_named(visit: &mut Visit<'_, '_>, function: &FunctionProto) {
    for (part, names) in [(Part::Input, &function.input), (Part::Output, &function.output)] {
        for (index, _) in names.iter().enumerate().filter(|(_, name)| name.is_empty()) {
            visit.found_at(&[Step::number(part, index, "")], || "has no name".into());
        }
    }
}
