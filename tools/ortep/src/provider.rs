//! The provider of a session: chooses nodes and compiles them.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use driver::{CompiledModel, Compiler, partition};
use ort_sys::{OrtLogger, OrtLoggingLevel, OrtNode};

use crate::api::{Graph, Node, Ort};
use crate::context;
use crate::kernel::Kernel;
use crate::options::{Context, Settings};
use crate::part::{Part, Source};
use crate::read::{Scope, named};
use crate::status::{Failure, Result, text};

/// How often a graph is divided again because nodes turned out not to be supported.
const ROUNDS: usize = 16;

/// The provider of a session.
pub(crate) struct Provider {
    ort: Ort,
    logger: *const OrtLogger,
    compiler: Compiler,
    context: Context,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The parts of the graph that ONNX Runtime asked about last.
    found: Vec<Found>,
    /// Models by the hash of what was compiled: ONNX Runtime asks about a graph twice if it has functions.
    compiled: Vec<(u128, Arc<CompiledModel>)>,
}

/// A compiled part.
struct Found {
    part: Part,
    model: Arc<CompiledModel>,
    source: Source,
}

/// A compiled part as ONNX Runtime runs it, and its `EPContext` node if that is wanted.
pub(crate) struct Compiled {
    pub(crate) kernel: Kernel,
    pub(crate) context: Option<*mut OrtNode>,
}

impl Provider {
    /// For a session with these settings.
    pub(crate) fn new(ort: Ort, logger: *const OrtLogger, settings: Settings) -> Provider {
        let Settings { options, context } = settings;
        Provider { ort, logger, compiler: Compiler::new(options), context, state: Mutex::default() }
    }

    /// The nodes of each part of a graph that is taken.
    pub(crate) fn capability<'a>(&self, graph: Graph<'a>) -> Result<Vec<Vec<Node<'a>>>> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.found.clear();
        if graph.parent()?.is_some() {
            // a body runs with its node: ONNX Runtime cannot infer the types of a node whose body has nodes of other providers
            return Ok(Vec::new());
        }
        let scope = Scope::of(graph)?;
        state.found = self.divide(&scope, &mut state.compiled);
        let handles = |found: &Found| found.part.nodes.iter().map(|&node| scope.nodes[node].handle).collect();
        let own = state.found.iter().map(handles);
        let contexts = scope.nodes.iter().filter(|node| node.message.as_ref().is_ok_and(context::is_own));
        Ok(own.chain(contexts.map(|node| vec![node.handle])).collect())
    }

    /// Divides a graph into parts that compile. Nodes that are not supported are left out, and the rest is divided again.
    fn divide(&self, scope: &Scope<'_>, compiled: &mut Vec<(u128, Arc<CompiledModel>)>) -> Vec<Found> {
        let producers = scope.producers();
        let is_readable = |node: &crate::read::ScopeNode<'_>| match &node.message {
            Ok(message) => !context::is_own(message),
            Err(failure) => {
                self.log(&failure.message);
                false
            }
        };
        let mut is_taken: Vec<bool> = scope.nodes.iter().map(is_readable).collect();
        let mut done: Vec<Found> = Vec::new();
        for _ in 0..ROUNDS {
            let mut left: BTreeMap<usize, String> = BTreeMap::new();
            let mut found = Vec::new();
            for nodes in partition::parts(&producers, &is_taken) {
                match done.iter().position(|done| done.part.nodes == nodes) {
                    Some(at) => found.push(done.swap_remove(at)),
                    None => match self.compile_part(scope, nodes, compiled) {
                        Ok(part) => found.push(part),
                        Err(refused) => left.extend(refused),
                    },
                }
            }
            done = found;
            if left.is_empty() {
                break;
            }
            for (node, reason) in left {
                self.log(&format!("left to ONNX Runtime: {reason}"));
                is_taken[node] = false;
            }
        }
        done
    }

    /// Compiles a part; otherwise returns the nodes that prevent it, with reasons.
    fn compile_part(
        &self,
        scope: &Scope<'_>,
        nodes: Vec<usize>,
        compiled: &mut Vec<(u128, Arc<CompiledModel>)>,
    ) -> Result<Found, Vec<(usize, String)>> {
        let part = Part::of(scope, nodes);
        let all = |nodes: &[usize], reason: &str| nodes.iter().map(|&node| (node, reason.to_string())).collect();
        let misfits = part.misfits(scope);
        if !misfits.is_empty() {
            return Err(all(&misfits, "a value has a type that is not passed to compiled code"));
        }
        if part.outputs.is_empty() {
            return Err(all(&part.nodes, "no value is used"));
        }
        let source = part.source(scope).map_err(|failure| all(&part.nodes, &failure.message))?;
        let hash = source.hash();
        if let Some((_, model)) = compiled.iter().find(|(known, _)| Some(*known) == hash) {
            return Ok(Found { part, model: model.clone(), source });
        }
        let model = source.compile(&self.compiler).map_err(|diagnostics| {
            let mut refused: Vec<(usize, String)> = Vec::new();
            for diagnostic in &diagnostics {
                let names = diagnostic.location.names();
                let is_named = |name: &str| names.iter().any(|known| **known == *name);
                let is_cause = |&&node: &&usize| scope.nodes[node].names().any(is_named);
                refused.extend(part.nodes.iter().filter(is_cause).map(|&node| (node, diagnostic.statement())));
            }
            if refused.is_empty() { all(&part.nodes, &text(&diagnostics)) } else { refused }
        })?;
        let model = Arc::new(model);
        compiled.extend(hash.map(|hash| (hash, model.clone())));
        Ok(Found { part, model, source })
    }

    /// The kernel of a node that replaces a part.
    pub(crate) fn compile(&self, graph: Graph<'_>, node: Node<'_>) -> Result<Compiled> {
        let (inputs, outputs) = (named(&node.inputs()?)?, named(&node.outputs()?)?);
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let fits = |found: &Found| {
            let Part { inputs: read, outputs: made, .. } = &found.part;
            read.iter().all(|name| inputs.contains(name)) && outputs.iter().all(|name| made.contains(name))
        };
        let found = match state.found.iter().position(fits) {
            Some(at) => state.found.swap_remove(at),
            None => self.found_again(graph)?,
        };
        if state.found.is_empty() {
            state.compiled.clear();
        }
        let is_loaded = matches!(&found.part.nodes[..], []);
        let context = (self.context.is_written && !is_loaded)
            .then(|| self.context.write(self.ort, &node.name()?, &found.part, &found.source, &graph.model_path()?));
        Ok(Compiled { kernel: Kernel::new(found.model, &inputs, &outputs)?, context: context.transpose()? })
    }

    /// The part that a graph of taken nodes is.
    fn found_again(&self, graph: Graph<'_>) -> Result<Found> {
        let scope = Scope::of(graph)?;
        let own = scope.nodes.first().and_then(|node| node.message.as_ref().ok()).filter(|node| context::is_own(node));
        let (part, source) = match own {
            Some(node) => {
                let part = Part { nodes: vec![], inputs: node.input.clone(), outputs: node.output.clone() };
                (part, self.context.read(&scope, node)?)
            }
            None => {
                let part = Part::of(&scope, (0..scope.nodes.len()).collect());
                let source = part.source(&scope)?;
                (part, source)
            }
        };
        let model = source.compile(&self.compiler).map_err(|diagnostics| Failure::of_compiling(&diagnostics))?;
        Ok(Found { part, model: Arc::new(model), source })
    }

    /// Writes to the session's log.
    fn log(&self, message: &str) {
        self.ort.log(self.logger, OrtLoggingLevel::ORT_LOGGING_LEVEL_INFO, message);
    }
}
