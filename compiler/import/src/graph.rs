//! Converts graphs to blocks: names become values, and nodes are brought into topological order. Their inputs and outputs: `ports.rs`.

use std::sync::Arc;

use dialects::onnx::schema::{self, Kind, Schema};
use dialects::onnx::views::Reader;
use dialects::onnx::{YIELD, check_choices, check_numbers, check_types, type_name};
use indexmap::{IndexMap, IndexSet};
use ir::{Attribute, Attributes, DenseElements, Diagnostic, ErrorClass, Location, Module, Type, Value};
use proto::{
    AttributeProto, FunctionProto, GraphProto, Model, ModelProto, NodeProto, OperatorSetIdProto, SparseTensorProto,
    Tensors, ValueInfoProto,
};

use crate::attributes::{import_attribute, kind_of};
use crate::ort_nchwc_block::Block;
use crate::tensors::{import_sparse, import_tensor};
use crate::trace::Trace;
use crate::types::{import_type, named_dimensions};
use crate::{Entry, Options};
use check::{Part, Step};
use operators::Bodies;
use operators::graph::{Emitter, Node, Problem};
use operators::shape::warn;
use operators::types::{result_type, without_shape};

/// The maximum depth of function calls: the names of nodes grow with every call.
const CALL_DEPTH: usize = 1000;

/// The names of one graph.
#[derive(Default)]
pub(crate) struct Scope<'m> {
    pub(crate) values: IndexMap<&'m str, Value>,
    /// Types that the graph declares for its values.
    types: IndexMap<&'m str, Type>,
}

/// The names, opsets and attributes that are visible in a function of the model.
#[derive(Default)]
struct Frame<'m> {
    /// Innermost graph last; a graph sees the names of the enclosing ones.
    scopes: Vec<Scope<'m>>,
    opsets: IndexMap<&'m str, i64>,
    /// Attributes of the call, for nodes that refer to them.
    arguments: IndexMap<&'m str, Argument<'m>>,
    /// The prefix of node names: the calls that led here.
    prefix: String,
}

/// An attribute of a node, or of a call.
#[derive(Clone)]
struct Argument<'m> {
    attribute: &'m AttributeProto,
    /// What a graph that a call passes may refer to; a graph of the node itself refers to what is visible at the node.
    seen: Option<Arc<Seen<'m>>>,
}

/// What is visible to the nodes of a graph where it is written.
struct Seen<'m> {
    values: IndexMap<&'m str, Value>,
    opsets: IndexMap<&'m str, i64>,
    arguments: IndexMap<&'m str, Argument<'m>>,
}

/// A graph attribute, and what is visible to it if that differs from its node.
type HeldGraph<'m> = (&'m GraphProto, Option<Arc<Seen<'m>>>);

type FunctionKey<'m> = (&'m str, &'m str, &'m str);

/// Nodes that are being imported.
struct Activation<'m> {
    nodes: &'m [NodeProto],
    /// The nodes that remain.
    rest: std::vec::IntoIter<usize>,
    /// The call whose function contains them; `None` for a graph's own nodes.
    call: Option<Call<'m>>,
    /// The length of the path to their graph or function, if paths are recorded.
    outside: usize,
}

/// A function call that is being inlined.
struct Call<'m> {
    function: &'m FunctionProto,
    node: &'m NodeProto,
    location: Location,
    /// The scope of the caller.
    caller: Frame<'m>,
}

pub(crate) struct Importer<'i, 'm> {
    /// The positions in the model, if they are recorded.
    pub(crate) trace: &'i mut Option<Trace<'m>>,
    pub(crate) emit: Emitter,
    frame: Frame<'m>,
    /// The depth of function calls.
    depth: usize,
    /// The functions of the model, in its order.
    functions: IndexMap<FunctionKey<'m>, &'m FunctionProto>,
    pub(crate) tensors: Tensors,
    pub(crate) options: &'m Options,
    /// Name and operator of every node, if they are listed.
    pub(crate) listed: Vec<Attribute>,
    /// All errors that do not end the import.
    pub(crate) errors: Vec<Diagnostic>,
}

/// Imports a checked model.
pub(crate) fn import(model: &Model, options: &Options) -> ir::Result<Module> {
    import_with(model, options, &mut None)
}

/// Imports a checked model, and records the position of each value in it.
pub(crate) fn import_traced<'m>(model: &'m Model, options: &'m Options, trace: &mut Trace<'m>) -> ir::Result<Module> {
    let mut own = Some(std::mem::take(trace));
    let module = import_with(model, options, &mut own);
    *trace = own.unwrap_or_default();
    module
}

fn import_with<'m>(model: &'m Model, options: &'m Options, trace: &mut Option<Trace<'m>>) -> ir::Result<Module> {
    let graph = model.proto.graph.as_ref().expect("a loaded model has a graph");
    let block = Block::of(graph);
    let mut emit = Emitter::default();
    emit.channel_block = block.map(|block| block.channels);
    let importer = Importer {
        trace,
        emit,
        frame: Frame { opsets: model_opsets(&model.proto), ..Frame::default() },
        depth: 0,
        functions: model.proto.functions.iter().map(|f| ((domain(&f.domain), &*f.name, &*f.overload), f)).collect(),
        tensors: Tensors::new(model),
        options,
        listed: vec![],
        errors: vec![],
    };
    let mut module = match options.entry {
        Entry::Inference => importer.main(graph)?,
        entry => importer.train(&model.proto, entry)?,
    };
    if let Some(block) = block.filter(|block| !block.is_known) {
        warn(&mut module.attributes, &[block.warning()]);
    }
    Ok(module)
}

/// Operator sets came with IR version 3; before that, there was only the first version of ONNX's own.
fn model_opsets(model: &ModelProto) -> IndexMap<&str, i64> {
    let mut imports = opsets(&model.opset_import);
    if model.ir_version < 3 {
        imports.entry(domain("")).or_insert(1);
    }
    imports
}

/// If a domain is imported in several versions, the highest applies.
pub(crate) fn opsets(imports: &[OperatorSetIdProto]) -> IndexMap<&str, i64> {
    let mut highest = IndexMap::new();
    for import in imports {
        let version = highest.entry(domain(&import.domain)).or_insert(import.version);
        *version = import.version.max(*version);
    }
    highest
}

/// The default domain has two spellings.
pub(crate) fn domain(text: &str) -> &str {
    if text.is_empty() { "ai.onnx" } else { text }
}

impl<'m> Importer<'_, 'm> {
    fn main(mut self, graph: &'m GraphProto) -> ir::Result<Module> {
        self.check_opsets();
        self.check_dimensions(graph);
        self.check_shapes(graph);
        self.step_in(Step::named(Part::Graph, &graph.name));
        self.enter(graph)?;
        let inputs = self.main_inputs(graph)?;
        self.initializers(graph)?;
        self.nodes(&graph.node)?;
        let results = self.outputs(graph)?.into_iter().zip(&graph.output);
        let results = results.map(|(value, output)| (value, self.port(output))).collect();
        self.finish_function(&graph.name, inputs, results)
    }

    /// Reports extents and bounds for dimensions that the model does not name.
    fn check_dimensions(&mut self, graph: &GraphProto) {
        let infos = graph.input.iter().chain(&graph.output).chain(&graph.value_info);
        let known: IndexSet<&str> =
            infos.flat_map(|info| named_dimensions(info.r#type.as_ref())).map(|(_, name)| name).collect();
        let stated = self.options.dimensions.keys().chain(&self.options.bounded);
        let unknown = stated.filter(|name| !known.contains(&***name));
        for name in unknown {
            let names = known.iter().copied().collect::<Vec<_>>().join(", ");
            let names = if known.is_empty() { "it names none".to_string() } else { format!("it names {names}") };
            let message = format!("--dim {name}=…: the model has no dimension '{name}'; {names}");
            self.errors.push(Diagnostic::error(ErrorClass::Usage, Location::Unknown, message));
        }
    }

    /// Reports shapes for inputs that the model does not have, and extents that contradict those of dimensions.
    fn check_shapes(&mut self, graph: &GraphProto) {
        let known: IndexSet<&str> = graph.input.iter().map(|input| &*input.name).collect();
        for name in self.options.shapes.keys().filter(|name| !known.contains(&***name)) {
            let names = known.iter().copied().collect::<Vec<_>>().join(", ");
            let message = format!("--shape {name}=…: the model has no input of this name; it has {names}");
            self.errors.push(Diagnostic::error(ErrorClass::Usage, Location::Unknown, message));
        }
        for input in &graph.input {
            let Some(shape) = self.options.shapes.get(&input.name) else { continue };
            for (axis, name) in named_dimensions(input.r#type.as_ref()) {
                let given = shape.get(axis).copied().flatten();
                let stated = self.options.dimensions.get(name).copied();
                if let Some((given, stated)) = given.zip(stated).filter(|(given, stated)| given != stated) {
                    let input = &input.name;
                    let message = format!(
                        "--dim {name}={stated}: --shape {input}=… has {given} at axis {axis}, which is '{name}'"
                    );
                    self.errors.push(Diagnostic::error(ErrorClass::Usage, Location::Unknown, message));
                }
            }
        }
    }

    fn check_opsets(&mut self) {
        for (&name, &version) in &self.frame.opsets {
            if let Some(newest) = schema::newest_opset(name).filter(|&newest| version > newest) {
                let message = format!("the model imports opset {version} of {name}; the newest known is {newest}");
                self.errors.push(Diagnostic::unsupported(Location::Unknown, message));
            }
        }
    }

    // ---- positions

    fn step_in(&mut self, step: Step<&'m str>) {
        self.trace.iter_mut().for_each(|trace| trace.enter(step));
    }

    /// The location of a part that is being imported: its name, or its path if paths are recorded.
    fn location(&mut self, step: Step<&'m str>) -> Location {
        match self.trace {
            Some(trace) => trace.location(&[step]),
            None => Location::name(step.name),
        }
    }

    /// Records a type that the model states, if paths are recorded.
    fn state(&mut self, part: Part, index: usize, info: &'m ValueInfoProto) {
        let value = self.frame.scopes.last().and_then(|scope| scope.values.get(&*info.name)).copied();
        let (Some(value), Some(r#type)) = (value.filter(|&value| value != self.emit.none), &info.r#type) else {
            return;
        };
        self.trace.iter_mut().for_each(|trace| trace.state(value, Step::number(part, index, &info.name), r#type));
    }

    /// Records the types that a graph states for its values.
    fn state_all(&mut self, graph: &'m GraphProto) {
        if self.trace.is_some() {
            graph.output.iter().enumerate().for_each(|(index, info)| self.state(Part::Output, index, info));
            graph.value_info.iter().enumerate().for_each(|(index, info)| self.state(Part::ValueInfo, index, info));
        }
    }

    // ---- graphs

    /// Opens a scope with the types a graph declares.
    pub(crate) fn enter(&mut self, graph: &'m GraphProto) -> ir::Result<()> {
        self.frame.scopes.push(Scope::default());
        self.declare(graph)
    }

    /// Adds the types a graph declares to the scope.
    pub(crate) fn declare(&mut self, graph: &'m GraphProto) -> ir::Result<()> {
        for info in graph.input.iter().chain(&graph.value_info).chain(&graph.output) {
            if let Some(r#type) = self.declared_type(info)? {
                let r#type = self.options.still_holds(r#type);
                self.scope().types.insert(&info.name, r#type);
            }
        }
        Ok(())
    }

    pub(crate) fn leave(&mut self) -> Scope<'m> {
        self.frame.scopes.pop().expect("a graph is open")
    }

    fn scope(&mut self) -> &mut Scope<'m> {
        self.frame.scopes.last_mut().expect("a graph is open")
    }

    pub(crate) fn declared_type(&self, info: &ValueInfoProto) -> ir::Result<Option<Type>> {
        let r#type = import_type(info.r#type.as_ref(), &self.options.dimensions);
        r#type.map_err(|what| vec![Diagnostic::error(what.class, Location::name(&info.name), what.message)])
    }

    /// The initializers of a graph, except those whose value a caller has given.
    pub(crate) fn initializers(&mut self, graph: &'m GraphProto) -> ir::Result<()> {
        let given = self.scope().values.len();
        let is_given = |scope: &Scope<'_>, name: &str| scope.values.get_index_of(name).is_some_and(|at| at < given);
        for (index, tensor) in graph.initializer.iter().enumerate() {
            if !is_given(self.scope(), &tensor.name) {
                let elements = import_tensor(tensor, &mut self.tensors);
                self.initializer(Step::number(Part::Initializer, index, &tensor.name), elements)?;
            }
        }
        for (index, sparse) in graph.sparse_initializer.iter().enumerate() {
            if !is_given(self.scope(), sparse_name(sparse)) {
                let elements = import_sparse(sparse, &mut self.tensors);
                self.initializer(Step::number(Part::SparseInitializer, index, sparse_name(sparse)), elements)?;
            }
        }
        Ok(())
    }

    fn initializer(&mut self, step: Step<&'m str>, elements: Result<DenseElements, String>) -> ir::Result<()> {
        let name = step.name;
        self.emit.location = self.location(step);
        let elements =
            elements.map_err(|what| Diagnostic::input(self.emit.location.clone(), format!("initializer {what}")))?;
        let value = self.emit.constant(elements);
        self.check_declared(name, value)?;
        self.define(name, value);
        Ok(())
    }

    /// Defines a name. Every name is defined once (`value-assigned-once` and similar rules).
    pub(crate) fn define(&mut self, name: &'m str, value: Value) {
        self.scope().values.insert(name, value);
    }

    /// The value of a name that a node or an output reads (`read-defined`, `output-defined`).
    fn read(&self, name: &str) -> Value {
        self.find(name).expect("the checked model defines it")
    }

    pub(crate) fn find(&self, name: &str) -> Option<Value> {
        self.frame.scopes.iter().rev().find_map(|scope| scope.values.get(name)).copied()
    }

    pub(crate) fn outputs(&mut self, graph: &'m GraphProto) -> ir::Result<Vec<Value>> {
        let output = |(index, output): (usize, &'m ValueInfoProto)| {
            let value = self.read(&output.name);
            self.emit.location = self.location(Step::number(Part::Output, index, &output.name));
            self.check_declared(&output.name, value)?;
            Ok(value)
        };
        let outputs = graph.output.iter().enumerate().map(output).collect();
        self.state_all(graph);
        outputs
    }

    /// Checks a value's element type against the type that the graph declares.
    fn check_declared(&self, name: &str, value: Value) -> ir::Result<()> {
        let scope = self.frame.scopes.last().expect("a graph is open");
        let Some(declared) = scope.types.get(name) else { return Ok(()) };
        let (found, declared) = (type_name(self.emit.body.value_type(value)), type_name(declared));
        // a node that was reported has no results
        if value == self.emit.none || found == declared {
            return Ok(());
        }
        let [found, declared] = [found, declared].map(Option::unwrap_or_default);
        let message = format!("is of {found}, but declared as of {declared}");
        Err(Diagnostic::input(self.emit.location.clone(), message).breaks("value-type-declared").into())
    }

    /// A graph held by an attribute, as a region's block. Arguments without declared type get the one in `expected`.
    /// Inputs with an initializer, as in IR version 3, become constants and not arguments.
    fn region(&mut self, op: ir::Op, graph: &'m GraphProto, expected: &[Type]) -> ir::Result<Vec<Value>> {
        let region = self.emit.body.add_region(op);
        let block = self.emit.body.add_block(region, &[]);
        let outer = (std::mem::replace(&mut self.emit.block, block), self.emit.location.clone());
        self.enter(graph)?;
        let constants = initialized(graph);
        let arguments = graph.input.iter().filter(|input| !constants.contains(&*input.name));
        for (index, input) in arguments.enumerate() {
            let r#type = self.declared_type(input)?.or_else(|| expected.get(index).cloned());
            let r#type = r#type.ok_or_else(|| Diagnostic::input(Location::name(&input.name), "input has no type"))?;
            let value = self.emit.body.add_argument(block, r#type);
            self.define(&input.name, value);
        }
        self.initializers(graph)?;
        self.nodes(&graph.node)?;
        let results = self.outputs(graph)?;
        self.emit.location = outer.1;
        self.emit.create(YIELD, &results, &[], Attributes::new());
        self.emit.block = outer.0;
        self.leave();
        Ok(results)
    }

    // ---- nodes

    /// The nodes of a graph, with function calls inlined.
    pub(crate) fn nodes(&mut self, nodes: &'m [NodeProto]) -> ir::Result<()> {
        let mut stack = vec![self.activation(nodes, None)];
        let outside = stack[0].outside;
        while let Some(mut top) = stack.pop() {
            self.trace.iter_mut().for_each(|trace| trace.return_to(top.outside));
            let Some(index) = top.rest.next() else {
                if let Some(call) = top.call {
                    self.finish(call);
                }
                continue;
            };
            let node = &top.nodes[index];
            self.step_in(Step::number(Part::Node, index, &node.name));
            stack.push(top);
            if let Some(body) = self.node(node, &node_name(index, node))? {
                stack.push(body);
            }
        }
        self.trace.iter_mut().for_each(|trace| trace.return_to(outside));
        Ok(())
    }

    fn activation(&mut self, nodes: &'m [NodeProto], call: Option<Call<'m>>) -> Activation<'m> {
        // an order exists: `nodes-acyclic`
        let order = check::order::schedule(nodes).expect("the checked model has no cycle");
        let outside = self.trace.as_ref().map_or(0, Trace::depth);
        Activation { nodes, rest: order.into_iter(), call, outside }
    }

    /// Imports one node; returns the function's nodes if it is a call.
    fn node(&mut self, proto: &'m NodeProto, name: &str) -> ir::Result<Option<Activation<'m>>> {
        self.emit.location = match self.trace {
            Some(trace) => trace.location(&[]),
            None => Location::name(&format!("{}{name}", self.frame.prefix)),
        };
        if self.options.list_nodes {
            let texts = [&*format!("{}{name}", self.frame.prefix), &*proto.op_type];
            self.listed.push(Attribute::Array(texts.map(Attribute::string).into()));
        }
        let operands = self.operands(proto);
        let key = (domain(&proto.domain), &*proto.op_type, &*proto.overload);
        if let Some((number, _, &function)) = self.functions.get_full(&key) {
            if let Some(trace) = self.trace {
                let step = Step::number(Part::Function, number, &function.name);
                trace.call(self.emit.location.clone(), step);
            }
            return self.call(function, proto, operands, name).map(Some);
        }
        let results = match self.operator(proto, operands) {
            Ok(results) => results?,
            Err(problem) => {
                self.report(proto, problem);
                vec![self.emit.none; proto.output.len()]
            }
        };
        self.define_outputs(proto, results);
        Ok(None)
    }

    fn define_outputs(&mut self, proto: &'m NodeProto, results: Vec<Value>) {
        for (output, value) in proto.output.iter().zip(results) {
            if !output.is_empty() {
                self.define(output, value);
            }
        }
    }

    fn report(&mut self, proto: &NodeProto, problem: Problem) {
        let mut operator = proto.op_type.clone();
        if domain(&proto.domain) != "ai.onnx" {
            operator = format!("{}.{operator}", proto.domain);
        }
        if let Some(opset) = self.frame.opsets.get(domain(&proto.domain)) {
            operator = format!("{operator} (opset {opset})");
        }
        let message = format!("{operator} {}", problem.message);
        let diagnostic = Diagnostic::error(problem.class, self.emit.location.clone(), message);
        self.errors.push(Diagnostic { rule: problem.rule, ..diagnostic });
    }

    /// The node's inputs.
    fn operands(&self, proto: &NodeProto) -> Vec<Value> {
        let value = |name: &String| if name.is_empty() { self.emit.none } else { self.read(name) };
        proto.input.iter().map(value).collect()
    }

    /// Imports one operator. Outer errors are about this node alone; inner ones end the import.
    fn operator(&mut self, proto: &'m NodeProto, mut operands: Vec<Value>) -> Result<ir::Result<Vec<Value>>, Problem> {
        // an operand is missing after a node that was reported; reporting its readers would only add noise
        let placeholder = proto.input.iter().zip(&operands).any(|(name, &v)| !name.is_empty() && v == self.emit.none);
        if placeholder && !self.errors.is_empty() {
            // an unknown operator is reported nevertheless
            self.schema(proto)?;
            return Ok(Ok(vec![self.emit.none; proto.output.len()]));
        }
        // a node without outputs computes nothing
        if proto.output.is_empty() {
            return Ok(Ok(vec![]));
        }
        let schema = self.schema(proto)?;
        let (attributes, graphs) = self.attributes(proto, schema)?;
        remove_omitted(schema, &mut operands, self.emit.none)?;
        check_given(schema, &operands, self.emit.none)?;
        let types: Vec<Type> = operands.iter().map(|&v| self.emit.body.value_type(v).clone()).collect();
        check_types(schema, &types, &[]).map_err(|what| Problem::broken("operator-types", what))?;
        let outputs = proto.output.iter().map(|name| !name.is_empty()).collect();
        let scope = self.frame.scopes.last().expect("a graph is open");
        let declared = proto.output.iter().map(|name| scope.types.get(&**name).cloned()).collect();
        let named = self.named(schema, &attributes)?;
        let name = proto.op_type.clone();
        let mut node = Node {
            domain: schema.domain,
            name,
            operands,
            attributes,
            outputs,
            named,
            declared,
            results: None,
            finish: None,
        };
        operators::upgrade::upgrade(&mut node, schema.since, &mut self.emit)?;
        match node.results.take() {
            Some(results) => Ok(Ok(results)),
            None => {
                let finish = node.finish.take();
                let results = self.create(node, graphs)?;
                Ok(match finish {
                    Some(finish) => results.map(|results| finish(&mut self.emit, results)),
                    None => results,
                })
            }
        }
    }

    /// The values that an operator refers to by name in its attributes.
    fn named(&self, schema: &Schema, attributes: &Attributes) -> Result<Vec<Value>, Problem> {
        let names = operators::row_of(&schema.op_name()).map_or(&[][..], |row| row.names);
        let lists = names.iter().filter_map(|name| attributes.get(name));
        let texts = lists.flat_map(|list| list.as_array().unwrap_or(std::slice::from_ref(list)));
        let value = |text: &Attribute| {
            let name = text.as_str().unwrap_or_default();
            let value = self.find(name);
            value.ok_or_else(|| {
                Problem::broken("value-named-defined", format!("names \"{name}\", which nothing before it defines"))
            })
        };
        texts.map(value).collect()
    }

    fn schema(&self, proto: &NodeProto) -> Result<&'static Schema, Problem> {
        let domain = domain(&proto.domain);
        let opset = self.frame.opsets.get(domain).copied();
        let known = opset.and_then(|opset| schema::lookup(domain, &proto.op_type, opset));
        known.ok_or_else(|| match (schema::has_domain(domain), opset) {
            // versions that are too new have a different error
            (true, Some(opset)) => Problem::unsupported(format!("is of opset {opset}, which is not known")),
            _ => Problem::unsupported(
                "is not an operator of ONNX, and neither the model nor the operator sets provided have a function of that \
                 name",
            ),
        })
    }

    /// The node's attributes by value, and its graphs in the order of their regions.
    fn attributes(
        &mut self,
        proto: &'m NodeProto,
        schema: &Schema,
    ) -> Result<(Attributes, Vec<Option<HeldGraph<'m>>>), Problem> {
        let mut attributes = Attributes::new();
        let mut graphs: IndexMap<&str, HeldGraph<'m>> = IndexMap::new();
        for own in &proto.attribute {
            let name = &*own.name;
            let Some(Argument { attribute, seen }) = self.resolve(own) else { continue };
            let known = schema.attribute(name).expect("the checked model has declared attributes");
            let kind = kind_of(attribute).unwrap_or(known.kind);
            // a call may pass attributes of another type than the function's nodes take
            if kind != known.kind {
                let message = format!("has attribute \"{name}\" of kind {kind:?}, but it must be {:?}", known.kind);
                return Err(Problem::broken("attribute-type-right", message));
            }
            if kind == Kind::Graph {
                let graph = attribute.g.as_deref().expect("the checked model has a graph there");
                graphs.insert(name, (graph, seen));
                continue;
            }
            let value = import_attribute(attribute, kind, &mut self.tensors);
            let value = value.map_err(|what| Problem::input(format!("has attribute \"{name}\", which {what}")))?;
            if value.as_integer().is_some_and(|number| known.is_left_out(number)) {
                continue;
            }
            // any number but 0 is true, for every operator
            let value = match value.as_integer().filter(|_| known.is_flag()) {
                Some(number) => Attribute::i64(i64::from(number != 0)),
                None => value,
            };
            attributes.set(known.name, value);
        }
        for required in schema.attributes.iter().filter(|attribute| attribute.required) {
            if attributes.get(required.name).is_none() && !graphs.contains_key(required.name) {
                // a call may omit attributes that the function's nodes require
                let message = format!("lacks attribute \"{}\"", required.name);
                return Err(Problem::broken("attribute-required", message));
            }
        }
        Ok((attributes, schema.regions().map(|name| graphs.get(name).cloned()).collect()))
    }

    /// The attribute itself, or the attribute of the call that it refers to, if the call has one.
    fn resolve(&self, attribute: &'m AttributeProto) -> Option<Argument<'m>> {
        match &*attribute.ref_attr_name {
            "" => Some(Argument { attribute, seen: None }),
            name => self.frame.arguments.get(name).cloned(),
        }
    }

    /// What is visible to the graphs of the current node.
    fn seen(&self) -> Seen<'m> {
        let scopes = self.frame.scopes.iter();
        let values = scopes.flat_map(|scope| scope.values.iter().map(|(&name, &value)| (name, value))).collect();
        Seen { values, opsets: self.frame.opsets.clone(), arguments: self.frame.arguments.clone() }
    }

    /// Runs `work` with the scope of another position.
    fn seeing<T>(&mut self, seen: Option<Arc<Seen<'m>>>, work: impl FnOnce(&mut Self) -> T) -> T {
        let Some(seen) = seen else { return work(self) };
        let frame = Frame {
            scopes: vec![Scope { values: seen.values.clone(), ..Scope::default() }],
            opsets: seen.opsets.clone(),
            arguments: seen.arguments.clone(),
            prefix: self.frame.prefix.clone(),
        };
        let own = std::mem::replace(&mut self.frame, frame);
        let result = work(self);
        self.frame = own;
        result
    }

    /// Builds the operation in its newest form.
    fn create(
        &mut self,
        mut node: Node,
        graphs: Vec<Option<HeldGraph<'m>>>,
    ) -> Result<ir::Result<Vec<Value>>, Problem> {
        let schema = schema::newest(node.domain, &node.name)
            .ok_or_else(|| Problem::unsupported("has no equivalent in the newest opset"))?;
        let types: Vec<Type> = node.operands.iter().map(|&v| self.emit.body.value_type(v).clone()).collect();
        let operator = schema.op_name();
        remove_empty_choices(schema, &mut node.attributes);
        // one of several outputs is computed like the others, whether or not it has a name
        for (index, read) in node.outputs.iter_mut().enumerate() {
            *read |= schema.output(index).is_some_and(schema::Parameter::is_variadic);
        }
        check_choices(schema, &node.attributes).map_err(|what| Problem::broken("attribute-choice", what))?;
        check_numbers(schema, &node.attributes).map_err(Problem::unsupported)?;
        if graphs.is_empty() {
            let results = (0..node.outputs.len())
                .map(|index| {
                    let body = &self.emit.body;
                    let reader = Reader { body, operands: &node.operands, attributes: &node.attributes };
                    output_type(&node, index, result_type(schema, index, &reader))
                })
                .collect::<Result<Vec<_>, _>>()?;
            let op = self.emit.create(operator, &node.operands, &results, node.attributes);
            return Ok(Ok(self.emit.body.op(op).results().to_vec()));
        }
        let op = self.emit.create(operator, &node.operands, &[], node.attributes.clone());
        let bodies = operators::row_of(&schema.op_name()).map_or(Bodies::PLAIN, |row| row.bodies);
        let expected = (bodies.arguments)(&types);
        let mut yields = Vec::new();
        for (attribute, graph) in schema.regions().zip(graphs) {
            let Some((graph, seen)) = graph else {
                self.emit.body.add_region(op);
                continue;
            };
            let outside = self.trace.as_ref().map_or(0, Trace::depth);
            self.step_in(Step::named(Part::Attribute, attribute));
            self.step_in(Step::named(Part::Graph, &graph.name));
            let results = self.seeing(seen, |importer| importer.region(op, graph, &expected));
            self.trace.iter_mut().for_each(|trace| trace.return_to(outside));
            match results {
                Ok(values) if yields.is_empty() => yields = values,
                Ok(_) => {}
                Err(errors) => return Ok(Err(errors)),
            }
        }
        let yields: Vec<Type> = yields.iter().map(|&v| without_shape(self.emit.body.value_type(v))).collect();
        let mut results = Vec::new();
        for index in 0..node.outputs.len() {
            let reader = Reader { body: &self.emit.body, operands: &node.operands, attributes: &node.attributes };
            let r#type = result_type(schema, index, &reader).or_else(|| (bodies.result)(&yields, index));
            let r#type = output_type(&node, index, r#type)?;
            results.push(self.emit.body.add_result(op, r#type));
        }
        Ok(Ok(results))
    }

    // ---- functions

    /// Begins to inline a function of the model.
    fn call(
        &mut self,
        function: &'m FunctionProto,
        proto: &'m NodeProto,
        operands: Vec<Value>,
        name: &str,
    ) -> ir::Result<Activation<'m>> {
        let location = self.emit.location.clone();
        if self.depth >= CALL_DEPTH {
            let message = format!("function {} is called by more than {CALL_DEPTH} others in a row", function.name);
            return Err(Diagnostic::unsupported(location, message).into());
        }
        let default = |attribute: &'m AttributeProto| (&*attribute.name, Argument { attribute, seen: None });
        let mut arguments: IndexMap<&str, Argument<'m>> = function.attribute_proto.iter().map(default).collect();
        let mut here = None;
        for own in &proto.attribute {
            if let Some(mut argument) = self.resolve(own) {
                if argument.attribute.g.is_some() && argument.seen.is_none() {
                    argument.seen = Some(here.get_or_insert_with(|| Arc::new(self.seen())).clone());
                }
                arguments.insert(&own.name, argument);
            }
        }
        let mut scope = Scope::default();
        for (index, input) in function.input.iter().enumerate() {
            scope.values.insert(input, operands.get(index).copied().unwrap_or(self.emit.none));
        }
        let mut imports = self.frame.opsets.clone();
        imports.extend(opsets(&function.opset_import));
        let prefix = format!("{}{name}/", self.frame.prefix);
        let frame = Frame { scopes: vec![scope], opsets: imports, arguments, prefix };
        let caller = std::mem::replace(&mut self.frame, frame);
        self.depth += 1;
        Ok(self.activation(&function.node, Some(Call { function, node: proto, location, caller })))
    }

    /// Ends a call: the function's outputs become those of the calling node.
    fn finish(&mut self, call: Call<'m>) {
        let results = call.function.output.iter().map(|output| self.read(output)).collect();
        if self.trace.is_some() {
            let infos = call.function.value_info.iter().enumerate();
            infos.for_each(|(index, info)| self.state(Part::ValueInfo, index, info));
        }
        self.trace.iter_mut().for_each(Trace::return_from_call);
        self.depth -= 1;
        self.frame = call.caller;
        self.emit.location = call.location;
        self.define_outputs(call.node, results);
    }
}

/// The names of a graph's initializers.
pub(crate) fn initialized(graph: &GraphProto) -> IndexSet<&str> {
    let dense = graph.initializer.iter().map(|tensor| &*tensor.name);
    dense.chain(graph.sparse_initializer.iter().map(sparse_name)).collect()
}

pub(crate) fn sparse_name(sparse: &SparseTensorProto) -> &str {
    sparse.values.as_ref().map_or("", |values| &values.name)
}

/// Some exporters write an empty string for an attribute that has its default.
fn remove_empty_choices(schema: &Schema, attributes: &mut Attributes) {
    for known in schema.attributes.iter().filter(|known| known.enumeration.is_some()) {
        if attributes.str(known.name) == Some("") {
            attributes.remove(known.name);
        }
    }
}

pub(crate) fn node_name(index: usize, node: &NodeProto) -> String {
    if node.name.is_empty() { format!("{}_{index}", node.op_type) } else { node.name.clone() }
}

/// Removes variadic operands without a name (`input-variadic-named`).
fn remove_omitted(schema: &Schema, operands: &mut Vec<Value>, none: Value) -> Result<(), Problem> {
    let Some(many) = schema.inputs.last().filter(|input| input.mode == schema::Mode::Variadic) else { return Ok(()) };
    let (first, given) = (schema.inputs.len() - 1, operands.len());
    let mut index = 0..;
    operands.retain(|&operand| index.next().is_none_or(|index| index < first) || operand != none);
    match operands.len() < given && operands.len() < first + many.minimum as usize {
        true => Err(Problem::broken("input-variadic-named", format!("lacks its input \"{}\"", many.name))),
        false => Ok(()),
    }
}

/// Checks that a call gives the operands that the function's nodes require.
fn check_given(schema: &Schema, operands: &[Value], none: Value) -> Result<(), Problem> {
    let mut absent = operands.iter().enumerate().filter(|&(_, &operand)| operand == none);
    let needed = absent.find_map(|(index, _)| schema.input(index).filter(|input| input.mode == schema::Mode::Single));
    match needed {
        Some(input) => Err(Problem::broken("input-not-omitted", format!("lacks its input \"{}\"", input.name))),
        None => Ok(()),
    }
}

/// The type of an output: the inferred one, with the shape that the model declares.
fn output_type(node: &Node, index: usize, inferred: Option<Type>) -> Result<Type, Problem> {
    if !node.outputs[index] {
        return Ok(Type::None);
    }
    match (inferred, node.declared[index].clone()) {
        // a constant's own type is exact
        (Some(inferred), Some(declared)) if declared.element() == inferred.element() => {
            Ok(if inferred.rank().is_some() { inferred } else { declared })
        }
        (Some(inferred), Some(Type::Tensor(declared))) if inferred.as_tensor().is_some() => {
            let (found, declared) = (inferred.element(), &declared.element);
            let message = format!("has elements of type {found}, but output {index} is declared with {declared}");
            Err(Problem::broken("value-type-declared", message))
        }
        (Some(inferred), _) => Ok(inferred),
        (None, Some(declared)) => Ok(declared),
        (None, None) => Err(Problem::unsupported(format!("has output {index}, whose type cannot be inferred"))),
    }
}
