//! A model's training information (`TrainingInfoProto`) as functions whose state is passed through: the variables,
//! which are the initializers that bindings name, are the last arguments and the last results.
//!
//! A step runs every algorithm in turn, each after the nodes of the inference graph; all bindings of an algorithm are
//! assigned together, before the next algorithm reads them.

use indexmap::IndexMap;
use ir::{Attribute, Attributes, DenseElements, Diagnostic, ErrorClass, Location, Module, Value};
use proto::{GraphProto, ModelProto, StringStringEntryProto, TrainingInfoProto};

use crate::graph::{Importer, initialized};
use crate::ports::{Inputs, dictionary};
use crate::{DEFAULT, Entry, STATE};

/// The variables of a model, in order, with their initial values.
type State<'m> = IndexMap<&'m str, DenseElements>;

impl<'m> Importer<'_, 'm> {
    /// The function of a trainable model.
    pub(crate) fn train(self, model: &'m ModelProto, entry: Entry) -> ir::Result<Module> {
        if model.training_info.is_empty() {
            let message = "the model has no training information";
            return Err(Diagnostic::error(ErrorClass::Usage, Location::Unknown, message).into());
        }
        let graph = model.graph.as_ref().expect("a loaded model has a graph");
        match entry {
            Entry::Inference | Entry::TrainedInference => self.trained_inference(model, graph),
            Entry::TrainingInitialization => self.initialization(model, graph),
            Entry::TrainingStep => self.step(model, graph),
        }
    }

    /// The inference graph, whose variables are arguments.
    fn trained_inference(mut self, model: &'m ModelProto, graph: &'m GraphProto) -> ir::Result<Module> {
        let state = self.initial_state(model, graph)?;
        self.enter(graph)?;
        let mut inputs = self.main_inputs(graph)?;
        for (name, value) in self.variables(&state, &mut inputs) {
            self.define(name, value);
        }
        self.initializers(graph)?;
        self.nodes(&graph.node)?;
        let results = self.outputs(graph)?.into_iter().zip(&graph.output);
        let results = results.map(|(value, output)| (value, self.port(output))).collect();
        self.finish_function(&graph.name, inputs, results)
    }

    /// All initializations in turn.
    fn initialization(mut self, model: &'m ModelProto, graph: &'m GraphProto) -> ir::Result<Module> {
        let state = self.initial_state(model, graph)?;
        let mut current: IndexMap<&str, Value> = IndexMap::new();
        for (&name, elements) in &state {
            self.emit.location = Location::name(name);
            current.insert(name, self.emit.constant(elements.clone()));
        }
        for info in &model.training_info {
            let Some(initialization) = &info.initialization else { continue };
            self.enter(initialization)?;
            self.initializers(initialization)?;
            self.nodes(&initialization.node)?;
            let bound = self.bound(&info.initialization_binding, &state)?;
            current.extend(bound);
            self.leave();
        }
        let results = current.iter().map(|(name, &value)| (value, variable(name))).collect();
        self.finish_function(&graph.name, Inputs::default(), results)
    }

    /// All algorithms in turn.
    fn step(mut self, model: &'m ModelProto, graph: &'m GraphProto) -> ir::Result<Module> {
        let state = self.initial_state(model, graph)?;
        self.enter(graph)?;
        let mut inputs = self.main_inputs(graph)?;
        let constants = initialized(graph);
        for algorithm in model.training_info.iter().filter_map(|info| info.algorithm.as_ref()) {
            let own = initialized(algorithm);
            let is_new = |name: &str| !constants.contains(name) && !own.contains(name) && !state.contains_key(name);
            for input in algorithm.input.iter().filter(|input| is_new(&input.name)) {
                // algorithms may share an input
                if self.find(&input.name).is_none() {
                    let attributes = self.argument(input)?;
                    inputs.arguments.push(dictionary(attributes));
                }
            }
        }
        let arguments = self.leave();
        let mut current: IndexMap<&str, Value> = self.variables(&state, &mut inputs).into_iter().collect();
        let mut outputs: IndexMap<&str, (Value, Attributes)> = IndexMap::new();
        for info in &model.training_info {
            self.enter(graph)?;
            for (&name, &value) in arguments.values.iter().chain(&current) {
                self.define(name, value);
            }
            self.initializers(graph)?;
            self.nodes(&graph.node)?;
            for (value, output) in self.outputs(graph)?.into_iter().zip(&graph.output) {
                outputs.insert(&output.name, (value, self.port(output)));
            }
            current = self.algorithm(info, &state, current, &mut outputs)?;
            self.leave();
        }
        let states = current.iter().map(|(name, &value)| (value, variable(name)));
        let results = outputs.into_values().chain(states).collect();
        self.finish_function(&graph.name, inputs, results)
    }

    /// One algorithm after the inference graph: the new values of the variables.
    fn algorithm(
        &mut self,
        info: &'m TrainingInfoProto,
        state: &State<'m>,
        mut current: IndexMap<&'m str, Value>,
        outputs: &mut IndexMap<&'m str, (Value, Attributes)>,
    ) -> ir::Result<IndexMap<&'m str, Value>> {
        if let Some(algorithm) = &info.algorithm {
            self.declare(algorithm)?;
            self.initializers(algorithm)?;
            self.nodes(&algorithm.node)?;
            for (value, output) in self.outputs(algorithm)?.into_iter().zip(&algorithm.output) {
                outputs.insert(&output.name, (value, self.port(output)));
            }
        }
        current.extend(self.bound(&info.update_binding, state)?);
        Ok(current)
    }

    /// The initializers that bindings name: those of the inference graph and of the algorithm that has the bindings.
    fn initial_state(&mut self, model: &'m ModelProto, graph: &'m GraphProto) -> ir::Result<State<'m>> {
        let shared = initialized(graph);
        let mut state = State::new();
        for info in &model.training_info {
            let own = info.algorithm.as_ref().map(|algorithm| (algorithm, initialized(algorithm)));
            for binding in info.initialization_binding.iter().chain(&info.update_binding) {
                let name = &*binding.key;
                let holder = match &own {
                    Some((algorithm, own)) if own.contains(name) => algorithm,
                    _ if shared.contains(name) => graph,
                    _ => {
                        let message = "a training binding assigns to it, but it is not an initializer";
                        return Err(Diagnostic::input(Location::name(name), message).into());
                    }
                };
                if !state.contains_key(name) {
                    let value = self.initial_value(holder, name)?;
                    state.insert(name, value);
                }
            }
        }
        Ok(state)
    }

    /// Makes the variables arguments.
    fn variables(&mut self, state: &State<'m>, inputs: &mut Inputs) -> Vec<(&'m str, Value)> {
        let argument = |(&name, elements): (&&'m str, &DenseElements)| {
            let said = variable(name).with(DEFAULT, Attribute::dense(elements.clone()));
            inputs.arguments.push(dictionary(said));
            (name, self.emit.body.add_argument(self.emit.block, elements.r#type.clone()))
        };
        state.iter().map(argument).collect()
    }

    /// The values that bindings assign, checked against the types of the variables.
    fn bound(&self, bindings: &'m [StringStringEntryProto], state: &State<'m>) -> ir::Result<Vec<(&'m str, Value)>> {
        let bound = |binding: &'m StringStringEntryProto| {
            let name = &*binding.key;
            let missing =
                || Diagnostic::input(Location::name(name), "the training assigns a value that does not exist");
            let value = self.find(&binding.value).ok_or_else(missing)?;
            let (expected, found) = (&state[name].r#type, self.emit.body.value_type(value));
            let differs = |found: ir::Shape| {
                let expected = expected.shape().unwrap_or_default();
                let is_other = |(a, b): (&Option<i64>, &Option<i64>)| a.is_some() && b.is_some() && a != b;
                found.len() != expected.len() || found.iter().zip(&expected).any(is_other)
            };
            if value != self.emit.none && (expected.element() != found.element() || found.shape().is_some_and(differs))
            {
                let message =
                    format!("is {expected}, but the training assigns \"{}\", which is {found}", binding.value);
                return Err(Diagnostic::input(Location::name(name), message).into());
            }
            Ok((name, value))
        };
        bindings.iter().map(bound).collect()
    }
}

/// The attributes of a variable.
fn variable(name: &str) -> Attributes {
    [("onnx.name", Attribute::string(name)), (STATE, Attribute::Unit)].into()
}
