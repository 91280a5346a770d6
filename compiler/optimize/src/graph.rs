//! A window of a function as an e-graph.
//!
//! Every e-node refers to an operation of the function's body. Operations that rules build are detached; chosen ones
//! are attached at the end, the others erased.

use dialects::onnx::schema;
use dialects::onnx::views::Reader;
use dialects::onnx::{CONSTANT, NO_VALUE};
use egg::Id;
use ir::{Attribute, Attributes, Body, DenseElements, DimExpr, IndexMap, Location, Op, Type, Value};
use operators::shape::ShapeAnalysis;
use operators::types::result_type;

use crate::cost::count;
use crate::language::{EGraph, Fact, Facts, Node, Source, Symbols, short_name};
use crate::scalar;

/// A window of a function as an e-graph.
pub(crate) struct Graph<'a> {
    pub(crate) body: &'a mut Body,
    pub(crate) shapes: &'a mut ShapeAnalysis,
    pub(crate) egraph: EGraph,
    pub(crate) symbols: Symbols,
    classes: IndexMap<Value, Id>,
    /// Operations of the window and those that rules built, each with its position in the original order.
    pub(crate) places: IndexMap<Op, usize>,
    /// Position and location of new operations.
    pub(crate) place: usize,
    pub(crate) location: Location,
}

impl<'a> Graph<'a> {
    /// The e-graph of a list of operations in order.
    pub(crate) fn new(body: &'a mut Body, shapes: &'a mut ShapeAnalysis, ops: &[Op]) -> Graph<'a> {
        let mut graph = Graph {
            body,
            shapes,
            egraph: EGraph::new(Facts::default()),
            symbols: Symbols::of_rules(),
            classes: IndexMap::default(),
            places: IndexMap::default(),
            place: 0,
            location: Location::Unknown,
        };
        for (place, &op) in ops.iter().enumerate() {
            graph.places.insert(op, place);
            graph.insert(op);
        }
        graph.egraph.rebuild();
        graph
    }

    /// The class of a value; values from outside of the window are constants or leaves.
    pub(crate) fn class(&mut self, value: Value) -> Id {
        if let Some(&class) = self.classes.get(&value) {
            return self.egraph.find(class);
        }
        match self.body.defining_op(value) {
            Some(op) if is_literal(self.body, op) => self.insert(op),
            _ => {
                let operator = self.symbols.name("leaf");
                let node = Node { operator, attributes: value.as_u32(), children: vec![], source: Source::Leaf(value) };
                let fact = self.fact(value, None, false);
                self.add(value, node, fact);
            }
        }
        self.classes[&value]
    }

    /// The class of a value of the window.
    pub(crate) fn known_class(&self, value: Value) -> Option<Id> {
        self.classes.get(&value).map(|&class| self.egraph.find(class))
    }

    /// The cost of an operation of a class.
    pub(crate) fn cost_of(&self, class: Id, op: Op) -> f64 {
        let node = self.egraph[class].nodes.iter().find(|node| node.op() == Some(op));
        node.map_or(0.0, |node| crate::cost::of(self, class, node))
    }

    fn add(&mut self, value: Value, node: Node, fact: Fact) -> Id {
        self.egraph.analysis.next = Some(fact);
        let class = self.egraph.add(node);
        self.egraph.analysis.next = None;
        self.classes.insert(value, class);
        class
    }

    fn fact(&self, value: Value, scalar: Option<f64>, constant: bool) -> Fact {
        let shape = self.shapes.shape(value);
        Fact {
            value: Some(value),
            count: count(shape),
            shape: shape.map(<[DimExpr]>::to_vec),
            element: self.body.value_type(value).element().clone(),
            scalar,
            constant,
            ..Fact::default()
        }
    }

    /// Adds an operation whose operands are known classes or from outside.
    fn insert(&mut self, op: Op) {
        let is_pure = is_pure(self.body, op);
        let attributes = match is_pure {
            true => self.symbols.attributes(&self.body.op(op).attributes),
            // unique: no dictionary has this number
            false => u32::MAX - op.as_u32(),
        };
        self.insert_as(op, attributes, is_pure);
    }

    /// Adds an operation with the number of its attributes. Operations that rules build are always pure.
    fn insert_as(&mut self, op: Op, attributes: u32, is_pure: bool) {
        let children: Vec<Id> = self.inputs(op).into_iter().map(|value| self.class(value)).collect();
        let operator = self.symbols.name(short_name(self.body, op));
        let facts: Vec<&Fact> = children.iter().map(|&child| self.data(child)).collect();
        let constant = is_pure && facts.iter().all(|fact| fact.constant);
        let scalar = match is_pure {
            true => scalar::evaluate(self.body.name(op), &self.body.op(op).attributes, &facts),
            false => None,
        };
        let node = Node { operator, attributes, children, source: Source::Op(op) };
        let results = self.body.op(op).results().to_vec();
        if let [result] = results[..] {
            let fact = self.fact(result, scalar, constant);
            self.add(result, node, fact);
            return;
        }
        self.egraph.analysis.next = Some(Fact { constant, ..Fact::default() });
        let tuple = self.egraph.add(node);
        self.egraph.analysis.next = None;
        for (index, &result) in results.iter().enumerate() {
            let operator = self.symbols.name("result");
            let index = index as u32;
            let node = Node { operator, attributes: index, children: vec![tuple], source: Source::Result(index) };
            let fact = self.fact(result, None, constant);
            self.add(result, node, fact);
        }
    }

    /// The number of operations that do not depend on constants alone.
    pub(crate) fn count_running(&self, ops: &[Op]) -> usize {
        let running = |op: &&Op| {
            let result = self.body.op(**op).results().first();
            !result.and_then(|&result| self.known_class(result)).is_some_and(|class| self.data(class).constant)
        };
        ops.iter().filter(running).count()
    }

    /// The inputs of an operation: its operands, then the values that its regions capture, without duplicates.
    pub(crate) fn inputs(&self, op: Op) -> Vec<Value> {
        let mut inputs = self.body.op(op).operands().to_vec();
        inputs.extend(captured(self.body, op));
        inputs
    }

    /// The facts about a class.
    pub(crate) fn data(&self, class: Id) -> &Fact {
        &self.egraph[class].data
    }

    /// The elements of a small integer class.
    pub(crate) fn integers(&self, class: Id) -> Option<Vec<i64>> {
        let known = self.shapes.known_value(self.data(class).value?)?;
        known.iter().map(DimExpr::as_constant).collect()
    }

    // ---- building

    /// An operation with one result on classes. `None` if its shape is contradictory.
    pub(crate) fn op(&mut self, name: &str, operands: &[Id], attributes: impl Into<Attributes>) -> Option<Id> {
        let attributes = attributes.into();
        let values: Option<Vec<Value>> = operands.iter().map(|&operand| self.data(operand).value).collect();
        let values = values?;
        let full = ["onnx.", name].concat();
        if let Some(literal) = self.computed(&full, operands) {
            return self.constant(literal);
        }
        let number = self.symbols.attributes(&attributes);
        if let Some(class) = self.known_node(name, operands, number) {
            return Some(class);
        }
        let reader = Reader { body: self.body, operands: &values, attributes: &attributes };
        let r#type = result_type(schema::of_operation(&full)?, 0, &reader)?;
        let op = self.body.create_op(full, &values, &[r#type], attributes, self.location.clone());
        self.places.insert(op, self.place);
        self.shapes.infer(self.body, op).ok()?;
        let result = self.body.result(op, 0);
        let r#type = self.shapes.tensor_type(result)?;
        self.body.set_value_type(result, r#type);
        self.insert_as(op, number, true);
        let class = self.classes[&result];
        self.settle(class)
    }

    /// The class of an existing operation, by its name and the number of its attribute dictionary.
    fn known_node(&mut self, name: &str, operands: &[Id], attributes: u32) -> Option<Id> {
        let operator = self.symbols.name(name.strip_prefix("onnx.").unwrap_or(name));
        let children = operands.iter().map(|&operand| self.egraph.find(operand)).collect();
        let node = Node { operator, attributes, children, source: Source::Result(0) };
        self.egraph.lookup(node)
    }

    /// A literal.
    pub(crate) fn constant(&mut self, elements: DenseElements) -> Option<Id> {
        let r#type = elements.r#type.clone();
        let attributes = Attributes::from([("value", Attribute::dense(elements))]);
        let number = self.symbols.attributes(&attributes);
        if let Some(class) = self.known_node(CONSTANT, &[], number) {
            return Some(class);
        }
        let op = self.body.create_op(CONSTANT, &[], &[r#type], attributes, self.location.clone());
        self.places.insert(op, self.place);
        self.shapes.infer(self.body, op).ok()?;
        self.insert_as(op, number, true);
        Some(self.classes[&self.body.result(op, 0)])
    }

    /// The value of an omitted operand.
    pub(crate) fn absent(&mut self) -> Option<Id> {
        let number = self.symbols.attributes(&Attributes::new());
        if let Some(class) = self.known_node(NO_VALUE, &[], number) {
            return Some(class);
        }
        let op = self.body.create_op(NO_VALUE, &[], &[Type::None], Attributes::new(), Location::Unknown);
        self.places.insert(op, 0);
        self.insert_as(op, number, true);
        Some(self.classes[&self.body.result(op, 0)])
    }
}

/// Values from outside that the regions of an operation read.
pub(crate) fn captured(body: &Body, op: Op) -> Vec<Value> {
    if body.op(op).regions().is_empty() {
        return vec![];
    }
    let mut found = ir::IndexSet::default();
    let inner: Vec<Op> = body.op(op).regions().iter().flat_map(|&region| body.walk(region)).collect();
    let level = body.op(op).parent();
    for nested in inner {
        for &operand in body.op(nested).operands() {
            let block = match body.definition(operand) {
                ir::ValueDefinition::Result { op, .. } => body.op(op).parent(),
                ir::ValueDefinition::Argument { block, .. } => Some(block),
            };
            if block == level {
                found.insert(operand);
            }
        }
    }
    found.into_iter().collect()
}

/// Whether an operation is a constant or an omitted operand.
pub(crate) fn is_literal(body: &Body, op: Op) -> bool {
    matches!(body.name(op), CONSTANT | NO_VALUE)
}

/// Whether equal operands always give equal results, without effects hidden in regions.
fn is_pure(body: &Body, op: Op) -> bool {
    let name = body.name(op);
    body.op(op).name.dialect() == "onnx" && !dialects::onnx::is_random(name) && body.op(op).regions().is_empty()
}
