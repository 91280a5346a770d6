//! Models with custom operators: compiled parts, and calls of the operators between them.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use driver::{Diagnostic, ImportOptions, Input, Location, Options, Output, Signature, Stop, Tensor, Value, partition};
use proto::{
    GraphProto, ModelProto, NodeProto, TensorProto, TensorShapeProto, Tensors, TypeProto, TypeValue, ValueInfoProto,
};

use crate::custom::{CustomCall, CustomKernel, CustomOperator, Extents};
use crate::protos::{dimension, fixed, port_of, shape_of, tensor_of, tensor_parts, tensor_type, type_of};
use crate::{Attribute, CustomNode, Error, ErrorKind, NodeValue, Result};

/// A model whose graph calls custom operators. Each value has a slot; the inputs have the first ones.
pub(crate) struct Divided {
    pub(crate) signature: Signature,
    pub(crate) steps: Vec<Step>,
    constants: Vec<(usize, Value)>,
    slots: usize,
    outputs: Vec<usize>,
}

/// A step of a run.
pub(crate) enum Step {
    /// A compiled part.
    Part { model: Arc<driver::CompiledModel>, inputs: Vec<usize>, outputs: Vec<usize> },
    /// A call of a custom operator.
    Call {
        operator: Arc<CustomOperator>,
        node: Box<CustomNode>,
        kernel: CustomKernel,
        place: Location,
        inputs: Vec<Option<usize>>,
        outputs: Vec<Option<usize>>,
    },
}

/// The registered operator that a node calls.
fn called<'o>(
    node: &NodeProto,
    model: &ModelProto,
    operators: &'o [Arc<CustomOperator>],
) -> Option<&'o Arc<CustomOperator>> {
    let version = model.opset_import.iter().find(|set| set.domain == node.domain)?.version;
    let named = operators.iter().filter(|operator| operator.domain == node.domain && operator.name == node.op_type);
    named.filter(|operator| operator.since <= version).max_by_key(|operator| operator.since)
}

/// Whether the graph of a model calls one of the operators.
pub(crate) fn is_called(model: &ModelProto, operators: &[Arc<CustomOperator>]) -> bool {
    let mut nodes = model.graph.iter().flat_map(|graph| &graph.node);
    nodes.any(|node| called(node, model, operators).is_some())
}

/// Checks that bodies of nodes and functions of a model call none of the operators.
pub(crate) fn check(model: &ModelProto, operators: &[Arc<CustomOperator>]) -> driver::Result<()> {
    let functions = model.functions.iter().flat_map(|function| &function.node);
    let mut open: Vec<&NodeProto> = functions.collect();
    model.graph.iter().flat_map(|graph| &graph.node).for_each(|node| open.extend(inner(node)));
    while let Some(node) = open.pop() {
        let is_named =
            |operator: &&Arc<CustomOperator>| operator.domain == node.domain && operator.name == node.op_type;
        if let Some(operator) = operators.iter().find(is_named) {
            let text = format!(
                "{operator} is called in a body or a function; the graph of the model may call custom operators"
            );
            return Err(Diagnostic::unsupported(place(node), text).into());
        }
        open.extend(inner(node));
    }
    Ok(())
}

/// The position of a node in messages.
fn place(node: &NodeProto) -> Location {
    Location::name(if node.name.is_empty() { &node.op_type } else { &node.name })
}

/// The bodies of a node.
fn bodies(node: &NodeProto) -> impl Iterator<Item = &GraphProto> {
    node.attribute.iter().flat_map(|attribute| attribute.g.as_deref().into_iter().chain(&attribute.graphs))
}

/// The nodes in the bodies of a node.
fn inner(node: &NodeProto) -> impl Iterator<Item = &NodeProto> {
    bodies(node).flat_map(|body| &body.node)
}

/// Compiles a model that calls custom operators.
pub(crate) fn compile(
    options: &Options,
    import: &ImportOptions,
    model: &proto::Model,
    operators: &[Arc<CustomOperator>],
) -> Result<Divided> {
    let no_graph = || Error::of_model(invalid("the model has no graph".into()).into());
    let graph = model.proto.graph.as_ref().ok_or_else(no_graph)?;
    if !options.shapes.is_empty()
        || !options.outputs.is_empty()
        || options.profile
        || *import != ImportOptions::default()
    {
        let refused =
            unsupported("models with custom operators have no options for inputs and outputs, and no profile");
        return Err(Error::of_model(refused));
    }
    let mut division = Division::new(options, model, graph);
    for (at, unit) in division.units(operators) {
        match unit {
            Unit::Part(nodes) => division.part(&nodes).map_err(Error::of_model)?,
            Unit::Call(operator) => division.call(&graph.node[at], operator)?,
        }
    }
    division.finish().map_err(Error::of_model)
}

/// A part, or a call of a custom operator.
enum Unit {
    Part(Vec<usize>),
    Call(Arc<CustomOperator>),
}

/// What is known of a model while its parts are compiled in order.
struct Division<'m> {
    options: Options,
    compiler: driver::Compiler,
    model: &'m proto::Model,
    graph: &'m GraphProto,
    initializers: BTreeMap<&'m str, &'m TensorProto>,
    inputs: Vec<&'m ValueInfoProto>,
    types: BTreeMap<&'m str, TypeProto>,
    slots: BTreeMap<&'m str, usize>,
    tensors: Tensors,
    steps: Vec<Step>,
    constants: Vec<(usize, Value)>,
}

impl<'m> Division<'m> {
    fn new(options: &Options, model: &'m proto::Model, graph: &'m GraphProto) -> Division<'m> {
        let initializers: BTreeMap<&str, &TensorProto> =
            graph.initializer.iter().map(|tensor| (&*tensor.name, tensor)).collect();
        let inputs: Vec<_> = graph.input.iter().filter(|port| !initializers.contains_key(&*port.name)).collect();
        let options = Options { ties: true, ..options.clone() };
        let types = inputs.iter().map(|port| (&*port.name, fixed(port.r#type.clone().unwrap_or_default(), &options)));
        Division {
            types: types.collect(),
            slots: inputs.iter().enumerate().map(|(at, port)| (&*port.name, at)).collect(),
            compiler: driver::Compiler::new(Options { dims: BTreeMap::new(), ..options.clone() }),
            options,
            tensors: Tensors::new(model),
            model,
            graph,
            initializers,
            inputs,
            steps: Vec::new(),
            constants: Vec::new(),
        }
    }

    /// The parts and the calls in an order in which values are defined before they are read, with the first node of each.
    fn units(&self, operators: &[Arc<CustomOperator>]) -> Vec<(usize, Unit)> {
        let nodes = &self.graph.node;
        let makers: BTreeMap<&str, usize> =
            nodes.iter().enumerate().flat_map(|(at, node)| node.output.iter().map(move |name| (&**name, at))).collect();
        let producers: Vec<Vec<usize>> = nodes
            .iter()
            .enumerate()
            // the importer reports nodes that are not in topological order
            .map(|(at, node)| {
                reads(node).iter().filter_map(|name| makers.get(name).copied()).filter(|&by| by < at).collect()
            })
            .collect();
        let calls: Vec<_> = nodes.iter().map(|node| called(node, &self.model.proto, operators)).collect();
        let is_taken: Vec<bool> = calls.iter().map(Option::is_none).collect();
        let parts = partition::parts(&producers, &is_taken).into_iter().map(|nodes| (nodes[0], Unit::Part(nodes)));
        let calls = calls.iter().enumerate().filter_map(|(at, call)| Some((at, Unit::Call((*call)?.clone()))));
        let mut open: Vec<(usize, Unit)> = parts.chain(calls).collect();
        open.sort_by_key(|(at, _)| *at);
        let mut done = vec![false; nodes.len()];
        let mut ordered = Vec::new();
        while !open.is_empty() {
            let own = |(at, unit): &(usize, Unit)| match unit {
                Unit::Part(nodes) => nodes.clone(),
                Unit::Call(_) => vec![*at],
            };
            let is_ready = |unit: &(usize, Unit)| {
                let own = own(unit);
                own.iter().flat_map(|&node| &producers[node]).all(|by| done[*by] || own.contains(by))
            };
            // parts form no cycle
            let next = open.iter().position(is_ready).unwrap_or(0);
            let unit = open.remove(next);
            own(&unit).into_iter().for_each(|node| done[node] = true);
            ordered.push(unit);
        }
        ordered
    }

    /// The slot of a value that an earlier step defines, or a constant.
    fn slot(&mut self, name: &'m str) -> driver::Result<usize> {
        if let Some(&slot) = self.slots.get(name) {
            return Ok(slot);
        }
        let undefined = || invalid(format!("value '{name}' is not defined before it is read"));
        let proto = *self.initializers.get(name).ok_or_else(undefined)?;
        let tensor = tensor_of(&mut self.tensors, proto);
        let tensor = tensor.map_err(|what| invalid(format!("initializer '{name}' {what}")))?;
        let slot = self.define(name);
        self.constants.push((slot, tensor.into()));
        Ok(slot)
    }

    /// A slot for a new value.
    fn define(&mut self, name: &'m str) -> usize {
        let slot = self.slots.len();
        self.slots.insert(name, slot);
        slot
    }

    /// Compiles a part.
    fn part(&mut self, nodes: &[usize]) -> driver::Result<()> {
        let graph = self.graph;
        let own: BTreeSet<usize> = nodes.iter().copied().collect();
        let made: Vec<&str> = nodes.iter().flat_map(|&node| &graph.node[node].output).map(|name| &**name).collect();
        let read: BTreeSet<&str> = nodes.iter().flat_map(|&node| reads(&graph.node[node])).collect();
        let others = graph.node.iter().enumerate().filter(|(at, _)| !own.contains(at));
        let wanted: BTreeSet<&str> =
            others.flat_map(|(_, node)| reads(node)).chain(graph.output.iter().map(|port| &*port.name)).collect();
        let outputs: Vec<&str> = made.iter().copied().filter(|name| wanted.contains(name)).collect();
        let inputs: Vec<&str> =
            read.iter().copied().filter(|name| self.types.contains_key(name) && !made.contains(name)).collect();
        if outputs.is_empty() {
            return Ok(());
        }
        let port = |name: &&str| ValueInfoProto {
            name: name.to_string(),
            r#type: self.types.get(name).cloned(),
            ..ValueInfoProto::default()
        };
        let declared = |name: &&str| ValueInfoProto {
            name: name.to_string(),
            r#type: self.declared(name).cloned(),
            ..ValueInfoProto::default()
        };
        let initializer = read.iter().filter_map(|name| self.initializers.get(name)).map(|tensor| (*tensor).clone());
        let part = GraphProto {
            node: nodes.iter().map(|&node| graph.node[node].clone()).collect(),
            initializer: initializer.collect(),
            input: inputs.iter().map(port).collect(),
            output: outputs.iter().map(declared).collect(),
            name: graph.name.clone(),
            sparse_initializer: graph.sparse_initializer.clone(),
            ..GraphProto::default()
        };
        let proto = ModelProto { graph: Some(part), ..self.without_graph() };
        let model = proto::Model { proto, source: self.model.source.clone(), directory: self.model.directory.clone() };
        let compiled = Arc::new(self.compiler.compile_model(&model, None, &ImportOptions::default())?);
        for (name, port) in outputs.iter().zip(&compiled.signature.outputs) {
            self.types.insert(name, type_of(port)?);
        }
        let inputs = inputs.into_iter().map(|name| self.slot(name)).collect::<driver::Result<_>>()?;
        let outputs = outputs.into_iter().map(|name| self.define(name)).collect();
        self.steps.push(Step::Part { model: compiled, inputs, outputs });
        Ok(())
    }

    /// The model's other fields.
    fn without_graph(&self) -> ModelProto {
        let ModelProto { ir_version, opset_import, functions, .. } = &self.model.proto;
        ModelProto {
            ir_version: *ir_version,
            opset_import: opset_import.clone(),
            functions: functions.clone(),
            ..ModelProto::default()
        }
    }

    /// The type that the model declares for a value.
    fn declared(&self, name: &str) -> Option<&'m TypeProto> {
        let graph = self.graph;
        graph.output.iter().chain(&graph.value_info).find(|port| port.name == name)?.r#type.as_ref()
    }

    /// Adds a call of a custom operator.
    fn call(&mut self, node: &'m NodeProto, operator: Arc<CustomOperator>) -> Result<()> {
        let place = place(node);
        let slot = |name: &'m String| (!name.is_empty()).then(|| self.slot(name)).transpose();
        let inputs = node.input.iter().map(slot).collect::<driver::Result<Vec<_>>>().map_err(Error::of_model)?;
        let seen = self.node(node, &inputs).map_err(Error::of_model)?;
        let kernel = operator.kernel(&seen).map_err(|error| of_node(error, &place))?;
        if node.output.len() > kernel.outputs.len() {
            let text = format!("{operator} has {} outputs, not {}", kernel.outputs.len(), node.output.len());
            return Err(Error::of_model(Diagnostic::input(place, text).into()));
        }
        let mut outputs = Vec::new();
        for (name, (element, extents)) in node.output.iter().zip(&kernel.outputs) {
            if name.is_empty() {
                outputs.push(None);
                continue;
            }
            let shape = self.extents(node, name, extents, &operator).map_err(Error::of_model)?;
            self.types.insert(name, fixed(tensor_type(element.onnx_number(), shape), &self.options));
            outputs.push(Some(self.define(name)));
        }
        self.steps.push(Step::Call { operator, node: Box::new(seen), kernel, place, inputs, outputs });
        Ok(())
    }

    /// The extents of an output of a call; `None` if its rank is unknown.
    fn extents(
        &self,
        node: &NodeProto,
        name: &str,
        rule: &Extents,
        operator: &CustomOperator,
    ) -> driver::Result<Option<TensorShapeProto>> {
        match rule {
            Extents::SameAs(input) => {
                let of = node.input.get(*input).and_then(|name| self.shape(name));
                let missing =
                    format!("{operator}: the shape of output '{name}' is that of input {input}, whose rank is unknown");
                Ok(Some(of.ok_or_else(|| Diagnostic::unsupported(place(node), missing))?))
            }
            Extents::List(list) => Ok(Some(TensorShapeProto { dim: list.iter().map(dimension).collect() })),
            Extents::Declared => Ok(match self.declared(name).and_then(|declared| declared.value.as_ref()) {
                Some(TypeValue::Tensor(tensor)) => tensor.shape.clone(),
                _ => None,
            }),
        }
    }

    /// A node that calls a custom operator, as the operator sees it.
    fn node(&mut self, node: &'m NodeProto, inputs: &[Option<usize>]) -> driver::Result<CustomNode> {
        let mut attributes = Vec::new();
        for proto in &node.attribute {
            let value = Attribute::of(proto, &mut self.tensors);
            let value =
                value.map_err(|what| Diagnostic::input(place(node), format!("attribute '{}' {what}", proto.name)))?;
            attributes.extend(value.map(|value| (proto.name.clone(), value)));
        }
        let input = |(name, slot): (&String, &Option<usize>)| slot.map(|slot| self.input(name, slot));
        let output = |name: &String| {
            let declared = self.declared(name).map(|declared| fixed(declared.clone(), &self.options));
            let (element, shape) = declared.as_ref().map_or((None, None), tensor_parts);
            (!name.is_empty()).then(|| NodeValue { name: name.clone(), element, shape, constant: None })
        };
        let sets = &self.model.proto.opset_import;
        Ok(CustomNode {
            name: node.name.clone(),
            version: sets.iter().find(|set| set.domain == node.domain).map_or(1, |set| set.version),
            inputs: node.input.iter().zip(inputs).map(input).collect(),
            outputs: node.output.iter().map(output).collect(),
            attributes,
        })
    }

    /// An input of a node that calls a custom operator.
    fn input(&self, name: &str, slot: usize) -> NodeValue {
        let name = name.to_string();
        let constant = self.constants.iter().find(|(known, _)| *known == slot).and_then(|(_, value)| value.as_tensor());
        match constant.cloned().map(crate::Tensor::of) {
            Some(tensor) => {
                let shape = tensor.shape().iter().map(|&extent| crate::Dimension::Fixed(extent)).collect();
                NodeValue { name, element: Some(tensor.element_type()), shape: Some(shape), constant: Some(tensor) }
            }
            None => {
                let (element, shape) = self.types.get(&*name).map_or((None, None), tensor_parts);
                NodeValue { name, element, shape, constant: None }
            }
        }
    }

    /// The shape of a value, if its rank is known.
    fn shape(&self, name: &str) -> Option<TensorShapeProto> {
        if let Some(tensor) = self.initializers.get(name) {
            return Some(shape_of(tensor));
        }
        match self.types.get(name)?.value.as_ref()? {
            TypeValue::Tensor(tensor) => tensor.shape.clone(),
            _ => None,
        }
    }

    fn finish(mut self) -> driver::Result<Divided> {
        let outputs = self.graph.output.iter().map(|port| self.slot(&port.name)).collect::<driver::Result<Vec<_>>>()?;
        let port = |name: &String| {
            let constant = self.initializers.get(&**name).map(|tensor| tensor_type(tensor.data_type, self.shape(name)));
            port_of(name, self.types.get(&**name).or(constant.as_ref()))
        };
        let signature = Signature {
            inputs: self.inputs.iter().map(|input| port(&input.name)).collect::<driver::Result<_>>()?,
            outputs: self.graph.output.iter().map(|output| port(&output.name)).collect::<driver::Result<_>>()?,
            ..Signature::default()
        };
        let Division { steps, constants, slots, .. } = self;
        Ok(Divided { signature, steps, constants, slots: slots.len(), outputs })
    }
}

impl Divided {
    /// A session for each part, in order.
    pub(crate) fn sessions(&self) -> Vec<driver::Session> {
        let models = self.steps.iter().filter_map(|step| match step {
            Step::Part { model, .. } => Some(model.clone()),
            Step::Call { .. } => None,
        });
        models.map(driver::Session::new).collect()
    }

    /// Runs the steps.
    pub(crate) fn run(
        &self,
        sessions: &mut [driver::Session],
        given: &[Input<'_>],
        lent: &mut [Option<&mut [u8]>],
        stop: Option<&Stop>,
    ) -> Result<Vec<Output>> {
        let mut values: Vec<Option<Value>> = vec![None; self.slots];
        for (slot, value) in &self.constants {
            values[*slot] = Some(value.clone());
        }
        let mut sessions = sessions.iter_mut();
        for step in &self.steps {
            if stop.and_then(Stop::due).is_some() {
                return Err(Error::of_run(invalid("the run was ended".into()).into()));
            }
            step.run(&mut sessions, given, &mut values, stop)?;
        }
        self.results(given, &values, lent).map_err(Error::of_run)
    }

    /// The outputs of a run.
    fn results(
        &self,
        given: &[Input<'_>],
        values: &[Option<Value>],
        lent: &mut [Option<&mut [u8]>],
    ) -> driver::Result<Vec<Output>> {
        let mut outputs = Vec::new();
        for (at, &slot) in self.outputs.iter().enumerate() {
            let value = owned(read(given, values, slot)?);
            let memory = lent.get_mut(at).and_then(Option::as_deref_mut);
            outputs.push(written(value, memory, &self.signature.outputs[at].name)?);
        }
        Ok(outputs)
    }
}

impl Step {
    /// Runs the step: stores its outputs among the values.
    fn run<'s>(
        &self,
        sessions: &mut impl Iterator<Item = &'s mut driver::Session>,
        given: &[Input<'_>],
        values: &mut [Option<Value>],
        stop: Option<&Stop>,
    ) -> Result<()> {
        match self {
            Step::Part { inputs, outputs, .. } => {
                let session = sessions.next().ok_or_else(|| Error::of_run(lost("a session").into()))?;
                let inputs = inputs.iter().map(|&slot| read(given, values, slot)).collect::<driver::Result<Vec<_>>>();
                let made = inputs.and_then(|inputs| session.run_with(&inputs, &mut [], stop));
                for (&slot, output) in outputs.iter().zip(made.map_err(Error::of_run)?) {
                    if let Output::Value(value) = output {
                        values[slot] = Some(value);
                    }
                }
            }
            Step::Call { operator, node, kernel, place, inputs, outputs } => {
                let input = |slot: &Option<usize>| slot.map(|slot| read(given, values, slot)).transpose();
                let inputs = inputs.iter().map(input).collect::<driver::Result<_>>().map_err(Error::of_run)?;
                let made = kernel.call(operator, &CustomCall { inputs, node }).map_err(|error| error.at(place))?;
                for (slot, value) in outputs.iter().zip(made) {
                    if let Some(slot) = slot {
                        values[*slot] = value;
                    }
                }
            }
        }
        Ok(())
    }
}

/// An error of an operator when its kernel is created.
fn of_node(error: Error, place: &Location) -> Error {
    let error = error.at(place);
    if error.kind() == ErrorKind::InvalidInput { error.of_kind(ErrorKind::InvalidModel) } else { error }
}

/// The value in a slot.
fn read<'v>(given: &[Input<'v>], values: &'v [Option<Value>], slot: usize) -> driver::Result<Input<'v>> {
    match given.get(slot) {
        Some(input) => Ok(*input),
        None => Ok(Input::Value(values[slot].as_ref().ok_or_else(|| lost("a value"))?)),
    }
}

/// A value that outlives the inputs.
fn owned(input: Input<'_>) -> Value {
    match input {
        Input::Value(value) => value.clone(),
        Input::Elements { element, shape, bytes } => {
            Tensor { element: element.clone(), shape: shape.to_vec(), data: driver::Blob::copy_of(bytes) }.into()
        }
    }
}

/// An output, in the caller's memory if there is some.
fn written(value: Value, memory: Option<&mut [u8]>, name: &str) -> driver::Result<Output> {
    let (Some(memory), Some(tensor)) = (memory, value.as_tensor()) else { return Ok(Output::Value(value)) };
    let bytes = tensor.data.bytes();
    let room = memory.len();
    let Some(target) = memory.get_mut(..bytes.len()) else {
        let needed = bytes.len();
        return Err(
            invalid(format!("output '{name}' needs {needed} bytes, but the memory passed for it has {room}")).into()
        );
    };
    target.copy_from_slice(bytes);
    Ok(Output::Written { shape: tensor.shape.clone(), bytes: bytes.len() })
}

/// The values that a node reads, also in its bodies.
fn reads(node: &NodeProto) -> Vec<&str> {
    let mut names: Vec<&str> = Vec::new();
    let mut open: Vec<&NodeProto> = vec![node];
    while let Some(node) = open.pop() {
        names.extend(node.input.iter().map(|name| &**name).filter(|name| !name.is_empty()));
        names.extend(bodies(node).flat_map(|body| &body.output).map(|port| &*port.name));
        open.extend(inner(node));
    }
    names
}

fn invalid(message: String) -> Diagnostic {
    Diagnostic::input(Location::Unknown, message)
}

pub(crate) fn unsupported(message: &str) -> Vec<Diagnostic> {
    Diagnostic::unsupported(Location::Unknown, message).into()
}

fn lost(what: &str) -> Diagnostic {
    Diagnostic::internal(Location::Unknown, format!("{what} of a model with custom operators is missing"))
}
