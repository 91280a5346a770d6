//! Graphs to blocks: names to values, nodes in an order in which they can be computed.

use dialects::onnx::schema::{self, Kind, Schema};
use dialects::onnx::views::Reader;
use dialects::onnx::{YIELD, check_choices, check_types, type_name};
use indexmap::{IndexMap, IndexSet};
use ir::{Attribute, Attributes, DenseElements, Diagnostic, ErrorClass, FunctionType, Location, Module, Type, Value};
use proto::{AttributeProto, FunctionProto, GraphProto, Model, NodeProto, OperatorSetIdProto, Tensors, ValueInfoProto};

use crate::attributes::{import_attribute, import_tensor, kind_of};
use crate::types::{Bindings, dimension_names, import_type, named_dimensions};
use crate::{MAIN, Options};
use operators::Bodies;
use operators::graph::{Emitter, Node, Problem, remove_dead};
use operators::types::{result_type, without_shape};

/// Functions may call each other this deep.
const CALL_DEPTH: usize = 64;

/// Inlining functions may not make more nodes than this.
const NODE_LIMIT: usize = 4_000_000;

/// The names of one graph.
#[derive(Default)]
struct Scope<'m> {
    values: IndexMap<&'m str, Value>,
    /// Types the graph declares for its values.
    types: IndexMap<&'m str, Type>,
}

/// What a function of the model sees: its own names, opsets and attributes.
#[derive(Default)]
struct Frame<'m> {
    /// Innermost graph last; a graph sees the ones around it.
    scopes: Vec<Scope<'m>>,
    opsets: IndexMap<&'m str, i64>,
    /// Attributes of the call, for attributes of nodes that refer to them.
    arguments: IndexMap<&'m str, &'m AttributeProto>,
    /// In front of the names of nodes: the calls that led here.
    prefix: String,
}

type FunctionKey<'m> = (&'m str, &'m str, &'m str);

struct Importer<'m> {
    emit: Emitter,
    frame: Frame<'m>,
    callers: Vec<FunctionKey<'m>>,
    functions: IndexMap<FunctionKey<'m>, &'m FunctionProto>,
    tensors: Tensors,
    options: &'m Options,
    node_count: usize,
    /// Name and operator of every node, if they are to be traced.
    read: Vec<Attribute>,
    /// Everything unsupported or wrong that does not keep the rest from being looked at.
    errors: Vec<Diagnostic>,
}

/// Imports a model whose IR version has been checked.
pub(crate) fn import(model: &Model, options: &Options) -> ir::Result<Module> {
    let graph = model.proto.graph.as_ref().expect("a loaded model has a graph");
    let importer = Importer {
        emit: Emitter::default(),
        frame: Frame { opsets: opsets(&model.proto.opset_import), ..Frame::default() },
        callers: vec![],
        functions: model.proto.functions.iter().map(|f| ((domain(&f.domain), &*f.name, &*f.overload), f)).collect(),
        tensors: Tensors::new(model),
        options,
        node_count: 0,
        read: vec![],
        errors: vec![],
    };
    importer.main(graph)
}

/// The version of each domain: of several, nodes are of the highest.
fn opsets(imports: &[OperatorSetIdProto]) -> IndexMap<&str, i64> {
    let mut opsets = IndexMap::new();
    for import in imports {
        let version = opsets.entry(domain(&import.domain)).or_insert(import.version);
        *version = import.version.max(*version);
    }
    opsets
}

/// The default domain has two spellings.
fn domain(text: &str) -> &str {
    if text.is_empty() { "ai.onnx" } else { text }
}

impl<'m> Importer<'m> {
    fn main(mut self, graph: &'m GraphProto) -> ir::Result<Module> {
        self.check_opsets();
        self.check_dimensions(graph);
        self.enter(graph)?;
        let inputs = self.main_inputs(graph)?;
        self.initializers(graph)?;
        self.nodes(&graph.node)?;
        let results = self.outputs(graph)?;
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        self.emit.location = Location::Unknown;
        self.emit.create("func.return".into(), &results, &[], Attributes::new());
        let mut body = self.emit.body;
        remove_dead(&mut body);
        let types = |values: &[Value]| values.iter().map(|&value| body.value_type(value).clone()).collect::<Vec<_>>();
        let entry = body.entry().expect("a function has a block");
        let r#type = FunctionType { inputs: types(body.arguments(entry)), results: types(&results) };
        let bindings = &self.options.dimensions;
        let outputs: Vec<&ValueInfoProto> = graph.output.iter().collect();
        let attributes = Attributes::new()
            .with("arg_attrs", value_attributes(&inputs, bindings))
            .with("res_attrs", value_attributes(&outputs, bindings));
        let mut module = Module::new();
        let name = if graph.name.is_empty() { MAIN } else { &graph.name };
        module.add_function(MAIN, r#type, attributes, body, Location::name(name));
        if self.options.trace {
            module.attributes.set(crate::NODES, Attribute::Array(self.read.into()));
        }
        ir::verify(&module, &dialects::registry())?;
        Ok(module)
    }

    /// Extents are for dimensions that the model names.
    fn check_dimensions(&mut self, graph: &GraphProto) {
        let infos = graph.input.iter().chain(&graph.output).chain(&graph.value_info);
        let known: IndexSet<&str> = infos.flat_map(|info| named_dimensions(info.r#type.as_ref())).collect();
        let unknown = self.options.dimensions.keys().filter(|name| !known.contains(&***name));
        for name in unknown {
            let names = known.iter().copied().collect::<Vec<_>>().join(", ");
            let names = if known.is_empty() { "it names none".to_string() } else { format!("it names {names}") };
            let message = format!("the model has no dimension '{name}'; {names}");
            self.errors.push(Diagnostic::error(ErrorClass::Usage, Location::Unknown, message));
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

    /// Inputs without initializer become arguments; those the caller fixes become constants.
    fn main_inputs(&mut self, graph: &'m GraphProto) -> ir::Result<Vec<&'m ValueInfoProto>> {
        let constants: IndexSet<&str> = graph
            .initializer
            .iter()
            .map(|tensor| &*tensor.name)
            .chain(graph.sparse_initializer.iter().filter_map(|s| s.values.as_ref()).map(|tensor| &*tensor.name))
            .collect();
        let mut inputs = Vec::new();
        for input in graph.input.iter().filter(|input| !constants.contains(&*input.name)) {
            let location = Location::name(&input.name);
            if let Some(elements) = self.options.constants.get(&input.name) {
                self.emit.location = location;
                let value = self.emit.constant(DenseElements { key: Some((&*input.name).into()), ..elements.clone() });
                self.define(&input.name, value);
                continue;
            }
            let stated = self.declared_type(input)?;
            let r#type = stated.ok_or_else(|| Diagnostic::input(location, "input has no type"))?;
            let r#type = match self.options.shapes.get(&input.name) {
                Some(shape) => Type::tensor(shape.clone(), r#type.element().clone()),
                None => r#type,
            };
            let value = self.emit.body.add_argument(self.emit.block, r#type);
            self.define(&input.name, value);
            inputs.push(input);
        }
        Ok(inputs)
    }

    // ---- graphs

    /// Opens a scope with the types a graph declares.
    fn enter(&mut self, graph: &'m GraphProto) -> ir::Result<()> {
        let mut scope = Scope::default();
        for info in graph.input.iter().chain(&graph.value_info).chain(&graph.output) {
            if let Some(r#type) = self.declared_type(info)? {
                scope.types.insert(&info.name, self.options.still_holds(r#type));
            }
        }
        self.frame.scopes.push(scope);
        Ok(())
    }

    fn declared_type(&self, info: &ValueInfoProto) -> ir::Result<Option<Type>> {
        let r#type = import_type(info.r#type.as_ref(), &self.options.dimensions);
        r#type.map_err(|what| {
            let class = if what.ends_with("not supported") { ErrorClass::Unsupported } else { ErrorClass::Input };
            vec![Diagnostic::error(class, Location::name(&info.name), what)]
        })
    }

    fn initializers(&mut self, graph: &'m GraphProto) -> ir::Result<()> {
        for tensor in &graph.initializer {
            let elements = import_tensor(tensor, &mut self.tensors);
            self.initializer(&tensor.name, elements)?;
        }
        for sparse in &graph.sparse_initializer {
            let name = sparse.values.as_ref().map_or("", |values| &values.name);
            let elements = self.tensors.sparse_value(sparse);
            self.initializer(name, elements)?;
        }
        Ok(())
    }

    fn initializer(&mut self, name: &'m str, elements: Result<DenseElements, String>) -> ir::Result<()> {
        self.emit.location = Location::name(name);
        let elements =
            elements.map_err(|what| Diagnostic::input(self.emit.location.clone(), format!("initializer {what}")))?;
        let value = self.emit.constant(elements);
        self.check_declared(name, value)?;
        self.define(name, value);
        Ok(())
    }

    /// Every name is defined once (`value-assigned-once` and its like).
    fn define(&mut self, name: &'m str, value: Value) {
        self.frame.scopes.last_mut().expect("a graph is open").values.insert(name, value);
    }

    /// The value of a name that a node or an output reads (`read-defined`, `output-defined`).
    fn read(&self, name: &str) -> Value {
        self.find(name).expect("the checked model defines it")
    }

    fn find(&self, name: &str) -> Option<Value> {
        self.frame.scopes.iter().rev().find_map(|scope| scope.values.get(name)).copied()
    }

    fn outputs(&mut self, graph: &'m GraphProto) -> ir::Result<Vec<Value>> {
        let output = |output: &ValueInfoProto| {
            let value = self.read(&output.name);
            self.check_declared(&output.name, value)?;
            Ok(value)
        };
        graph.output.iter().map(output).collect()
    }

    /// Elements are of the type that the graph declares for them.
    fn check_declared(&self, name: &str, value: Value) -> ir::Result<()> {
        let scope = self.frame.scopes.last().expect("a graph is open");
        let Some(declared) = scope.types.get(name) else { return Ok(()) };
        let (found, declared) = (type_name(self.emit.body.value_type(value)), type_name(declared));
        // behind a node that was reported stands nothing
        if value == self.emit.none || found == declared {
            return Ok(());
        }
        let [found, declared] = [found, declared].map(Option::unwrap_or_default);
        let message = format!("is of {found}, but declared as of {declared}");
        Err(Diagnostic::input(Location::name(name), message).into())
    }

    /// A graph held by an attribute, as a region's block. Arguments without declared type get the one in `expected`.
    fn region(&mut self, op: ir::Op, graph: &'m GraphProto, expected: &[Type]) -> ir::Result<Vec<Value>> {
        let region = self.emit.body.add_region(op);
        let block = self.emit.body.add_block(region, &[]);
        let outer = (std::mem::replace(&mut self.emit.block, block), self.emit.location.clone());
        self.enter(graph)?;
        for (index, input) in graph.input.iter().enumerate() {
            let r#type = self.declared_type(input)?.or_else(|| expected.get(index).cloned());
            let r#type = r#type.ok_or_else(|| Diagnostic::input(Location::name(&input.name), "input has no type"))?;
            let value = self.emit.body.add_argument(block, r#type);
            self.define(&input.name, value);
        }
        self.initializers(graph)?;
        self.nodes(&graph.node)?;
        let results = self.outputs(graph)?;
        self.emit.location = outer.1;
        self.emit.create(YIELD.into(), &results, &[], Attributes::new());
        self.emit.block = outer.0;
        self.frame.scopes.pop();
        Ok(results)
    }

    // ---- nodes

    fn nodes(&mut self, nodes: &'m [NodeProto]) -> ir::Result<()> {
        // there is an order: `nodes-acyclic`
        for index in check::order::schedule(nodes).expect("the checked model has no cycle") {
            let node = &nodes[index];
            let name = node_name(index, node);
            let location = Location::name(&format!("{}{name}", self.frame.prefix));
            self.emit.location = location.clone();
            if self.options.trace {
                let texts = [&*format!("{}{name}", self.frame.prefix), &*node.op_type];
                self.read.push(Attribute::Array(texts.map(Attribute::string).into()));
            }
            self.node_count += 1;
            if self.node_count > NODE_LIMIT {
                let message = format!("the model's functions expand to more than {NODE_LIMIT} nodes");
                return Err(Diagnostic::unsupported(location, message).into());
            }
            self.node(node, &name)?;
        }
        Ok(())
    }

    fn node(&mut self, proto: &'m NodeProto, name: &str) -> ir::Result<()> {
        let operands = self.operands(proto);
        let key = (domain(&proto.domain), &*proto.op_type, &*proto.overload);
        let results = match self.functions.get(&key).copied() {
            Some(function) => self.call(key, function, proto, operands, name)?,
            None => match self.operator(proto, operands) {
                Ok(results) => results?,
                Err(problem) => {
                    self.report(proto, problem);
                    vec![self.emit.none; proto.output.len()]
                }
            },
        };
        for (output, value) in proto.output.iter().zip(results) {
            if !output.is_empty() {
                self.define(output, value);
            }
        }
        Ok(())
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
        self.errors.push(Diagnostic::error(problem.class, self.emit.location.clone(), message));
    }

    /// The node's inputs.
    fn operands(&self, proto: &NodeProto) -> Vec<Value> {
        let value = |name: &String| if name.is_empty() { self.emit.none } else { self.read(name) };
        proto.input.iter().map(value).collect()
    }

    /// One operator. Outer errors are about this node alone; inner ones end the import.
    fn operator(&mut self, proto: &'m NodeProto, operands: Vec<Value>) -> Result<ir::Result<Vec<Value>>, Problem> {
        // an operand is absent behind a node that was reported; its readers would only add noise
        let placeholder = proto.input.iter().zip(&operands).any(|(name, &v)| !name.is_empty() && v == self.emit.none);
        if placeholder && !self.errors.is_empty() {
            return Ok(Ok(vec![self.emit.none; proto.output.len()]));
        }
        let schema = self.schema(proto)?;
        let (attributes, graphs) = self.attributes(proto, schema)?;
        check_counts(schema, &operands, proto.output.len(), self.emit.none)?;
        let types: Vec<Type> = operands.iter().map(|&v| self.emit.body.value_type(v).clone()).collect();
        check_types(schema, &types, &[]).map_err(Problem::input)?;
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

    /// The values that an operator names in its attributes.
    fn named(&self, schema: &Schema, attributes: &Attributes) -> Result<Vec<Value>, Problem> {
        let names = operators::row_of(&schema.op_name()).map_or(&[][..], |row| row.names);
        let lists = names.iter().filter_map(|name| attributes.get(name));
        let texts = lists.flat_map(|list| list.as_array().unwrap_or(std::slice::from_ref(list)));
        let value = |text: &Attribute| {
            let name = text.as_str().unwrap_or_default();
            let value = self.find(name);
            value.ok_or_else(|| Problem::input(format!("names \"{name}\", which nothing before it defines")))
        };
        texts.map(value).collect()
    }

    fn schema(&self, proto: &NodeProto) -> Result<&'static Schema, Problem> {
        let domain = domain(&proto.domain);
        if !schema::has_domain(domain) {
            return Err(Problem::unsupported(
                "is not an operator of ONNX, and the model has no function of that name".to_string(),
            ));
        }
        let opset = self.frame.opsets.get(domain);
        let opset =
            *opset.ok_or_else(|| Problem::input(format!("is of domain {domain}, of which no opset is imported")))?;
        match schema::lookup(domain, &proto.op_type, opset) {
            Some(schema) if schema.deprecated => {
                Err(Problem::unsupported(format!("was removed from ONNX in opset {}", schema.since)))
            }
            Some(schema) => Ok(schema),
            None => Err(Problem::unsupported(match schema::versions(domain, &proto.op_type).first() {
                Some(first) => format!("came with opset {}", first.since),
                None => "is not an operator of ONNX".to_string(),
            })),
        }
    }

    /// The node's attributes by value, and its graphs in the order of their regions.
    fn attributes(
        &mut self,
        proto: &'m NodeProto,
        schema: &Schema,
    ) -> Result<(Attributes, Vec<Option<&'m GraphProto>>), Problem> {
        let mut attributes = Attributes::new();
        let mut graphs: IndexMap<&str, &GraphProto> = IndexMap::new();
        for own in &proto.attribute {
            let name = &*own.name;
            let Some(attribute) = self.resolve(own) else { continue };
            let known = schema.attribute(name);
            let known = known.ok_or_else(|| Problem::input(format!("has no attribute \"{name}\"")))?;
            let kind = kind_of(attribute).unwrap_or(known.kind);
            if kind != known.kind {
                let message = format!("has attribute \"{name}\" of kind {kind:?}, but it must be {:?}", known.kind);
                return Err(Problem::input(message));
            }
            if kind == Kind::Graph {
                let graph = attribute.g.as_deref();
                graphs.insert(name, graph.ok_or_else(|| Problem::input(format!("has no graph in \"{name}\"")))?);
                continue;
            }
            let value = import_attribute(attribute, kind, &mut self.tensors);
            attributes
                .set(name, value.map_err(|what| Problem::input(format!("has attribute \"{name}\", which {what}")))?);
        }
        for required in schema.attributes.iter().filter(|attribute| attribute.required) {
            if attributes.get(required.name).is_none() && !graphs.contains_key(required.name) {
                return Err(Problem::input(format!("lacks attribute \"{}\"", required.name)));
            }
        }
        Ok((attributes, schema.regions().map(|name| graphs.get(name).copied()).collect()))
    }

    /// The attribute itself, or the attribute of the call it refers to, if the call has one.
    fn resolve(&self, attribute: &'m AttributeProto) -> Option<&'m AttributeProto> {
        match &*attribute.ref_attr_name {
            "" => Some(attribute),
            name => self.frame.arguments.get(name).copied(),
        }
    }

    /// Builds the operation in its newest form.
    fn create(
        &mut self,
        mut node: Node,
        graphs: Vec<Option<&'m GraphProto>>,
    ) -> Result<ir::Result<Vec<Value>>, Problem> {
        let schema = schema::newest(node.domain, &node.name)
            .ok_or_else(|| Problem::unsupported("has no form in the newest opset, and no operator takes its place"))?;
        let types: Vec<Type> = node.operands.iter().map(|&v| self.emit.body.value_type(v).clone()).collect();
        let operator = schema.op_name();
        remove_empty_choices(schema, &mut node.attributes);
        // one of many outputs is computed like the others, whether or not it has a name
        for (index, read) in node.outputs.iter_mut().enumerate() {
            *read |= schema.output(index).is_some_and(schema::Parameter::is_variadic);
        }
        check_choices(schema, &node.attributes).map_err(Problem::input)?;
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
        for graph in graphs {
            let Some(graph) = graph else {
                self.emit.body.add_region(op);
                continue;
            };
            match self.region(op, graph, &expected) {
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

    /// Inlines a function of the model.
    fn call(
        &mut self,
        key: FunctionKey<'m>,
        function: &'m FunctionProto,
        proto: &'m NodeProto,
        operands: Vec<Value>,
        name: &str,
    ) -> ir::Result<Vec<Value>> {
        let location = self.emit.location.clone();
        let bad = |message: String| Err(Diagnostic::input(location.clone(), message).into());
        if self.callers.contains(&key) || self.callers.len() >= CALL_DEPTH {
            return bad(format!("function {} calls itself, or calls are nested too deep", function.name));
        }
        if operands.len() > function.input.len() || proto.output.len() > function.output.len() {
            return bad(format!("function {} has fewer inputs or outputs than the node that calls it", function.name));
        }
        let mut arguments: IndexMap<&str, &AttributeProto> =
            function.attribute_proto.iter().map(|attribute| (&*attribute.name, attribute)).collect();
        for own in &proto.attribute {
            if let Some(attribute) = self.resolve(own) {
                arguments.insert(&own.name, attribute);
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
        let outer = std::mem::replace(&mut self.frame, frame);
        self.callers.push(key);
        self.nodes(&function.node)?;
        let results = function.output.iter().map(|output| self.read(output)).collect();
        self.callers.pop();
        self.frame = outer;
        self.emit.location = location;
        Ok(results)
    }
}

fn value_attributes(values: &[&ValueInfoProto], bindings: &Bindings) -> Attribute {
    let one = |value: &&ValueInfoProto| {
        let mut attributes: Attributes = [("onnx.name", Attribute::string(&value.name))].into();
        if let Some(names) = dimension_names(value.r#type.as_ref(), bindings) {
            attributes.set("onnx.dim_params", Attribute::string(&names));
        }
        Attribute::Dictionary(attributes.into())
    };
    Attribute::Array(values.iter().map(one).collect())
}

/// Some exporters write an empty text for what they leave to its default.
fn remove_empty_choices(schema: &Schema, attributes: &mut Attributes) {
    for known in schema.attributes.iter().filter(|known| known.enumeration.is_some()) {
        if attributes.str(known.name) == Some("") {
            attributes.remove(known.name);
        }
    }
}

fn node_name(index: usize, node: &NodeProto) -> String {
    if node.name.is_empty() { format!("{}_{index}", node.op_type) } else { node.name.clone() }
}

fn check_counts(schema: &Schema, operands: &[Value], outputs: usize, none: Value) -> Result<(), Problem> {
    let check = |what: &str, count: usize, (minimum, maximum): (usize, usize)| {
        if (minimum..=maximum).contains(&count) {
            return Ok(());
        }
        let expected = match maximum {
            _ if minimum == maximum => format!("{minimum}"),
            usize::MAX => format!("at least {minimum}"),
            _ => format!("{minimum} to {maximum}"),
        };
        Err(Problem::input(format!("has {count} {what}, but it takes {expected}")))
    };
    check("inputs", operands.len(), schema.input_count())?;
    check("outputs", outputs, schema.output_count())?;
    for (index, &operand) in operands.iter().enumerate() {
        if let Some(input) = schema.input(index).filter(|input| operand == none && input.mode == schema::Mode::Single) {
            return Err(Problem::input(format!("lacks its input \"{}\"", input.name)));
        }
    }
    Ok(())
}

/// The type of an output: what the operator gives, with the shape the model declares.
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
            Err(Problem::input(format!(
                "gives elements of type {}, but output {index} is declared with {}",
                inferred.element(),
                declared.element
            )))
        }
        (Some(inferred), _) => Ok(inferred),
        (None, Some(declared)) => Ok(declared),
        (None, None) => Err(Problem::unsupported(format!("has output {index}, whose type cannot be inferred"))),
    }
}
