//! Blocks to `GraphProto`: values become names.

use dialects::onnx::schema::{self, Schema};
use dialects::onnx::{CONSTANT, NO_VALUE, OnnxOp};
use import::DEFAULT;
use indexmap::IndexSet;
use ir::{Attribute, Attributes, Block, Body, Diagnostic, FunctionView, IndexMap, Location, Op, Type, Value};
use operators::shape::dimension_names;
use proto::{GraphProto, NodeProto, TensorProto, ValueInfoProto};

use crate::attributes::{export_attribute, graph_attribute};
use crate::gradient::name_values;
use crate::names::Names;
use crate::tensors::export_tensor;
use crate::types::value_info;
use crate::versions::required;

/// The versions of the operator sets that a model uses, by domain.
pub(crate) type OperatorSets = IndexMap<&'static str, i64>;

/// The graph of a function, and its operator sets.
pub(crate) fn export(function: &FunctionView<'_>, location: &Location) -> ir::Result<(GraphProto, OperatorSets)> {
    let body = function.body;
    let block = body.entry().expect("the main function has a body");
    let mut exporter = Exporter {
        body,
        names: Names::default(),
        values: IndexMap::default(),
        sets: OperatorSets::from_iter([("", 1)]),
    };
    let inputs = ports(function.attributes, "arg_attrs");
    let outputs = ports(function.attributes, "res_attrs");
    for port in inputs.iter().chain(&outputs) {
        exporter.names.reserve(port.str("onnx.name").unwrap_or_default());
    }
    let mut graph = GraphProto { name: text_of(location), ..GraphProto::default() };
    for (&argument, port) in body.arguments(block).iter().zip(&inputs) {
        let info = exporter.port(port, argument);
        if let Some(default) = port.get(DEFAULT).and_then(Attribute::as_dense) {
            graph.initializer.extend(export_tensor(default, &info.name));
        }
        exporter.values.insert(argument, info.name.clone());
        graph.input.push(info);
    }
    let end = body.terminator(block).expect("a function returns");
    let named = |(&value, port): (&Value, &Attributes)| exporter.port(port, value);
    let outputs = body.op(end).operands().iter().zip(&outputs).map(named).collect();
    exporter.block(block, outputs, &mut graph)?;
    Ok((graph, exporter.sets))
}

/// The attributes of a function's inputs or outputs.
fn ports(attributes: &Attributes, list: &str) -> Vec<Attributes> {
    let dictionary = |port: &Attribute| match port {
        Attribute::Dictionary(attributes) => (**attributes).clone(),
        _ => Attributes::new(),
    };
    attributes.get(list).and_then(Attribute::as_array).unwrap_or_default().iter().map(dictionary).collect()
}

fn text_of(location: &Location) -> String {
    location.names().first().map_or_else(|| import::MAIN.to_string(), |name| name.to_string())
}

struct Exporter<'a> {
    body: &'a Body,
    names: Names,
    /// The names of values; those of omitted ones are empty.
    values: IndexMap<Value, String>,
    sets: OperatorSets,
}

impl Exporter<'_> {
    /// Name and type of an input or output.
    fn port(&self, port: &Attributes, value: Value) -> ValueInfoProto {
        let dimensions = dimension_names(port.str("onnx.dim_params").unwrap_or_default());
        value_info(port.str("onnx.name").unwrap_or_default(), self.body.value_type(value), &dimensions)
    }

    /// Adds a block's operations to a graph, whose outputs are the operands of its terminator.
    fn block(&mut self, block: Block, outputs: Vec<ValueInfoProto>, graph: &mut GraphProto) -> ir::Result<()> {
        let Some((end, operations)) = self.body.ops(block).split_last() else { return Ok(()) };
        let results = self.body.op(end).operands().to_vec();
        let own = self.name_outputs(block, &results, &outputs);
        for op in operations {
            self.operation(op, graph)?;
        }
        for ((&value, info), is_named) in results.iter().zip(&outputs).zip(own) {
            // an output is a result of a node of the graph, and of one output
            if !is_named {
                graph.node.push(self.copy(value, &info.name));
            }
        }
        graph.output = outputs;
        Ok(())
    }

    /// Gives the results of a block's nodes the names of outputs; returns which outputs have such a result.
    fn name_outputs(&mut self, block: Block, results: &[Value], outputs: &[ValueInfoProto]) -> Vec<bool> {
        let mut seen = IndexSet::new();
        let is_own = |&value: &Value| {
            let defining = self.body.defining_op(value);
            let node =
                defining.filter(|&op| self.body.op(op).parent() == Some(block) && self.body.name(op) != CONSTANT);
            node.is_some_and(|op| self.body.name(op) != NO_VALUE) && seen.insert(value)
        };
        let own: Vec<bool> = results.iter().map(is_own).collect();
        for ((&value, info), _) in results.iter().zip(outputs).zip(&own).filter(|(_, own)| **own) {
            self.values.insert(value, info.name.clone());
        }
        own
    }

    fn copy(&mut self, value: Value, name: &str) -> NodeProto {
        let types = [self.body.value_type(value).clone()];
        let operator = OnnxOp::Identity.name().trim_start_matches("onnx.");
        let version = schema::newest("", operator).map(|schema| required(schema, &types, &types, &Attributes::new()));
        self.require("", version.unwrap_or(1));
        NodeProto {
            op_type: operator.into(),
            name: self.names.unique(&format!("{name}_copy")),
            input: vec![self.values.get(&value).cloned().unwrap_or_default()],
            output: vec![name.into()],
            ..NodeProto::default()
        }
    }

    fn require(&mut self, domain: &'static str, version: i64) {
        let known = self.sets.entry(domain).or_insert(version);
        *known = version.max(*known);
    }

    fn operation(&mut self, op: Op, graph: &mut GraphProto) -> ir::Result<()> {
        let operation = self.body.op(op);
        match self.body.name(op) {
            NO_VALUE => _ = self.values.insert(self.body.result(op, 0), String::new()),
            CONSTANT if operation.attributes.get("value").is_some() => {
                let tensor = self.constant(op)?;
                graph.initializer.push(tensor);
            }
            _ => {
                let node = self.node(op, graph)?;
                graph.node.push(node);
            }
        }
        Ok(())
    }

    fn constant(&mut self, op: Op) -> ir::Result<TensorProto> {
        let operation = self.body.op(op);
        let elements = operation.attributes.get("value").and_then(Attribute::as_dense);
        let wanted = elements.and_then(|elements| elements.key.as_deref()).map(str::to_string);
        let name = self.names.unique(&wanted.unwrap_or_else(|| place(&operation.location, "constant")));
        let tensor = elements.and_then(|elements| export_tensor(elements, &name));
        self.values.insert(self.body.result(op, 0), name);
        tensor.ok_or_else(|| vec![Diagnostic::input(operation.location.clone(), "the constant has no contents")])
    }

    fn node(&mut self, op: Op, graph: &mut GraphProto) -> ir::Result<NodeProto> {
        let operation = self.body.op(op);
        let name = self.body.name(op);
        let unknown = |what: String| vec![Diagnostic::unsupported(operation.location.clone(), what)];
        let schema =
            schema::of_operation(name).ok_or_else(|| unknown(format!("'{name}' is not an operator of ONNX")))?;
        let domain = if schema.domain == "ai.onnx" { "" } else { schema.domain };
        let types = |values: &[Value]| values.iter().map(|&v| self.body.value_type(v).clone()).collect::<Vec<_>>();
        let (operands, results) = (types(operation.operands()), types(operation.results()));
        self.require(domain, required(schema, &operands, &results, &operation.attributes));
        let node_name = self.names.unique(&place(&operation.location, schema.name));
        let mut node = NodeProto {
            op_type: schema.name.into(),
            domain: domain.into(),
            input: operation.operands().iter().map(|value| self.values[value].clone()).collect(),
            attribute: self.attributes(op, schema)?,
            ..NodeProto::default()
        };
        node.output = operation.results().iter().map(|&value| self.result(value, &node_name, graph)).collect();
        if OnnxOp::of(self.body, op) == Some(OnnxOp::TrainingGradient) {
            name_values(&mut node);
        }
        [&mut node.input, &mut node.output].into_iter().for_each(trim);
        node.name = node_name;
        Ok(node)
    }

    /// The name of a node's result; its type is recorded. A result of type `none` is omitted.
    fn result(&mut self, value: Value, node: &str, graph: &mut GraphProto) -> String {
        let r#type = self.body.value_type(value);
        if *r#type == Type::None {
            return String::new();
        }
        if let Some(known) = self.values.get(&value) {
            return known.clone();
        }
        let name = self.names.unique(&format!("{node}_output"));
        graph.value_info.push(value_info(&name, r#type, &IndexMap::default()));
        self.values.insert(value, name.clone());
        name
    }

    fn attributes(&mut self, op: Op, schema: &'static Schema) -> ir::Result<Vec<proto::AttributeProto>> {
        let operation = self.body.op(op);
        let mut attributes = Vec::new();
        for (name, value) in operation.attributes.iter() {
            let known = schema.attribute(name).and_then(|known| export_attribute(name, known.kind, value));
            match known {
                Some(attribute) => attributes.push(attribute),
                // attributes of other dialects have a dot in their names
                None if name.contains('.') => {}
                None => {
                    let what = format!("attribute '{name}' of '{}' is not one of ONNX", self.body.name(op));
                    return Err(Diagnostic::unsupported(operation.location.clone(), what).into());
                }
            }
        }
        for (name, &region) in schema.regions().zip(operation.regions()) {
            if let Some(&block) = self.body.blocks(region).first() {
                let graph = self.region(name, block)?;
                attributes.push(graph_attribute(name, graph));
            }
        }
        Ok(attributes)
    }

    fn region(&mut self, name: &str, block: Block) -> ir::Result<GraphProto> {
        let mut graph = GraphProto { name: name.into(), ..GraphProto::default() };
        for (number, &argument) in self.body.arguments(block).iter().enumerate() {
            let unique = self.names.unique(&format!("{name}_input_{number}"));
            graph.input.push(value_info(&unique, self.body.value_type(argument), &IndexMap::default()));
            self.values.insert(argument, unique);
        }
        let end = self.body.terminator(block).expect("a region yields");
        let results = self.body.op(end).operands().to_vec();
        let outputs = results.iter().enumerate().map(|(number, &value)| {
            let unique = self.names.unique(&format!("{name}_output_{number}"));
            value_info(&unique, self.body.value_type(value), &IndexMap::default())
        });
        let outputs = outputs.collect();
        self.block(block, outputs, &mut graph)?;
        Ok(graph)
    }
}

/// The first node of a location, or a default.
fn place(location: &Location, default: &str) -> String {
    location
        .names()
        .first()
        .filter(|name| !name.is_empty())
        .map_or_else(|| default.to_string(), |name| name.to_string())
}

/// Removes omitted values at the end.
fn trim(names: &mut Vec<String>) {
    while names.last().is_some_and(String::is_empty) {
        names.pop();
    }
}
