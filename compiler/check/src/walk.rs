//! The walk over a model that feeds the rules.

use dialects::onnx::schema::{self, Schema};
use proto::{
    AttributeProto, FunctionProto, GraphProto, Model, ModelProto, NodeProto, OperatorSetIdProto, OperatorSetProto,
    SparseTensorProto, StringStringEntryProto, TensorProto, TensorShapeProto, TrainingInfoProto, TypeProto, TypeValue,
    ValueInfoProto,
};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::files::{ExternalFile, Files};
use crate::names::{Names, Reading};
use crate::{Find, Finder, Findings, Level, Part, Place, Profile, Rule, Step, rules};

/// Checks a model against the rules of a profile. Findings below the level `keep` are only counted.
pub fn check(model: &Model, profile: Profile, keep: Level) -> Findings {
    let mut walker = Walker {
        finders: Finders::new(model.proto.ir_version, profile),
        walk: Walk::new(model),
        findings: Findings::new(keep),
    };
    walker.model(model);
    walker.findings
}

/// Checks an operator-set document, alone, against the rules of a profile.
pub fn check_operator_set(set: &OperatorSetProto, profile: Profile, keep: Level) -> Findings {
    // its functions are visible to each other as those of a model are
    let of_set = |function: &FunctionProto| FunctionProto { domain: canonical(&set.domain).into(), ..function.clone() };
    let import = OperatorSetIdProto { domain: set.domain.clone(), version: set.opset_version };
    let model = Model::from_proto(ModelProto {
        // operator sets are newer than these versions
        ir_version: set.ir_version.max(3),
        functions: set.functions.iter().map(of_set).collect(),
        opset_import: vec![import],
        ..Default::default()
    });
    let mut walker = Walker {
        finders: Finders::new(set.ir_version, profile),
        walk: Walk::new(&model),
        findings: Findings::new(keep),
    };
    walker.operator_set(set, &model.proto.functions);
    walker.findings
}

/// The callee of a node.
#[derive(Clone, Copy, Debug)]
pub enum Operator<'m> {
    /// A function of the model.
    Function(&'m FunctionProto),
    /// An operator of ONNX, in the version that the model imports.
    Schema(&'static Schema),
    /// An unknown operator.
    Unknown,
}

/// Domain, name and overload of a function.
pub(crate) type FunctionKey<'m> = (&'m str, &'m str, &'m str);

/// The context of the part that a rule examines.
pub struct Walk<'m> {
    /// The model.
    pub model: &'m Model,
    /// The current function, if the walk is inside one.
    pub function: Option<&'m FunctionProto>,
    /// The current node, or the one that contains the current graph.
    pub node: Option<&'m NodeProto>,
    /// The callee of that node.
    pub operator: Operator<'m>,
    functions: FxHashMap<FunctionKey<'m>, &'m FunctionProto>,
    model_opsets: FxHashMap<&'m str, i64>,
    opsets: FxHashMap<&'m str, i64>,
    /// Innermost graph last.
    scopes: Vec<Names<'m>>,
    /// The enclosing graphs, outermost first, outside of functions.
    open: Vec<&'m GraphProto>,
    /// The names of their outputs.
    outputs: Vec<FxHashSet<&'m str>>,
    /// The names of the graphs so far.
    graphs: FxHashSet<&'m str>,
    path: Vec<Step<&'m str>>,
    files: Files<'m>,
}

impl<'m> Walk<'m> {
    fn new(model: &'m Model) -> Walk<'m> {
        let mut functions = FxHashMap::default();
        for function in &model.proto.functions {
            functions.entry(key_of(function)).or_insert(function);
        }
        Walk {
            model,
            function: None,
            node: None,
            operator: Operator::Unknown,
            functions,
            model_opsets: model_opsets(&model.proto),
            opsets: model_opsets(&model.proto),
            scopes: vec![],
            open: vec![],
            outputs: vec![],
            graphs: FxHashSet::default(),
            path: vec![],
            files: Files::default(),
        }
    }

    /// The message of the model.
    pub fn proto(&self) -> &'m ModelProto {
        &self.model.proto
    }

    /// The model's IR version.
    pub fn version(&self) -> i64 {
        self.model.proto.ir_version
    }

    /// The kind of the current part.
    pub fn part(&self) -> Option<Part> {
        self.path.last().map(|step| step.part)
    }

    /// The kind of the part that contains the current one.
    pub fn holder(&self) -> Option<Part> {
        self.path.iter().rev().nth(1).map(|step| step.part)
    }

    /// Whether the current graph is neither nested nor inside a function.
    pub fn is_main(&self) -> bool {
        self.scopes.len() == 1 && self.function.is_none()
    }

    /// What a name refers to at the current position.
    pub fn find(&self, name: &str) -> Option<Reading> {
        let mut scopes = self.scopes.iter().rev().enumerate();
        scopes.find_map(|(outwards, names)| {
            let definition = names.get(name)?;
            Some(Reading { definition, late: names.is_late(definition), outwards })
        })
    }

    /// What is known about the file with a tensor's data.
    pub(crate) fn file(&self, tensor: &TensorProto) -> Option<&ExternalFile> {
        self.files.get(tensor)
    }

    /// The names of the current graph or function.
    pub(crate) fn names(&self) -> Option<&Names<'m>> {
        self.scopes.last()
    }

    /// The current graph, unless the current part is a function.
    pub fn graph(&self) -> Option<&'m GraphProto> {
        self.open.last().copied()
    }

    /// Whether a value is an output of the current graph.
    pub fn is_output(&self, name: &str) -> bool {
        self.outputs.last().is_some_and(|outputs| outputs.contains(name))
    }

    /// Whether the current graph belongs to an attribute.
    pub fn is_subgraph(&self) -> bool {
        self.holder() == Some(Part::Attribute)
    }

    /// Whether the walk has reached a graph of that name.
    pub fn has_met_graph(&self, name: &str) -> bool {
        !name.is_empty() && self.graphs.contains(name)
    }

    /// Whether the current graph is nested, or inside a function.
    pub fn is_nested(&self) -> bool {
        self.scopes.len() > 1
    }

    /// Whether an enclosing graph defines a name before the current graph.
    pub fn is_visible_around(&self, name: &str) -> bool {
        let around = self.scopes.iter().rev().skip(1);
        !name.is_empty()
            && around.filter_map(|names| Some((names, names.get(name)?))).any(|(names, d)| !names.is_late(d))
    }

    /// The version of a domain that applies to the current nodes.
    pub fn opset(&self, domain: &str) -> Option<i64> {
        self.opsets.get(canonical(domain)).copied()
    }

    /// The version of a domain that the model imports; a function may import another.
    pub fn model_opset(&self, domain: &str) -> Option<i64> {
        self.model_opsets.get(canonical(domain)).copied()
    }

    /// A function of the model.
    pub fn function_of(&self, node: &NodeProto) -> Option<&'m FunctionProto> {
        if self.functions.is_empty() {
            return None;
        }
        self.functions.get(&(canonical(&node.domain), &*node.op_type, &*node.overload)).copied()
    }

    /// The callee of a node at the current position.
    pub fn operator_of(&self, node: &NodeProto) -> Operator<'m> {
        if let Some(function) = self.function_of(node) {
            return Operator::Function(function);
        }
        let schema = self.opset(&node.domain).and_then(|opset| schema::lookup(&node.domain, &node.op_type, opset));
        schema.map_or(Operator::Unknown, Operator::Schema)
    }

    /// The current position.
    pub fn place(&self) -> Place {
        Place::new(&self.path)
    }
}

/// The default domain has two spellings.
pub(crate) fn canonical(domain: &str) -> &str {
    if domain.is_empty() { "ai.onnx" } else { domain }
}

/// The key of a function.
pub(crate) fn key_of(function: &FunctionProto) -> FunctionKey<'_> {
    (canonical(&function.domain), &function.name, &function.overload)
}

/// Operator sets came with IR version 3; before that, there was only the first version of ONNX's own.
fn model_opsets(model: &ModelProto) -> FxHashMap<&str, i64> {
    let mut opsets = highest(&model.opset_import);
    if model.ir_version < 3 {
        opsets.entry(canonical("")).or_insert(1);
    }
    opsets
}

/// The imported version of each domain: the highest if there are several.
pub(crate) fn highest(imports: &[OperatorSetIdProto]) -> FxHashMap<&str, i64> {
    let mut opsets = FxHashMap::default();
    for import in imports {
        let version = opsets.entry(canonical(&import.domain)).or_insert(import.version);
        *version = import.version.max(*version);
    }
    opsets
}

/// The context of a rule's function, and where its findings go.
pub struct Visit<'w, 'm> {
    /// The context.
    pub walk: &'w Walk<'m>,
    rule: &'static Rule,
    findings: &'w mut Findings,
}

impl<'m> Visit<'_, 'm> {
    /// Reports that the current part breaks the rule. The message states what was found, and what would be right.
    pub fn found(&mut self, message: impl FnOnce() -> String) {
        self.found_at(&[], message);
    }

    /// Reports that a part of the current one breaks the rule.
    pub fn found_at(&mut self, steps: &[Step<&str>], message: impl FnOnce() -> String) {
        let walk = self.walk;
        self.findings.add(self.rule, || {
            let mut place = walk.place();
            place.steps.extend(Place::new(steps).steps);
            (place, message())
        });
    }

    /// Reports that the current part breaks the rule, unless a condition holds.
    pub fn expect(&mut self, holds: bool, message: impl FnOnce() -> String) {
        if !holds {
            self.found(message);
        }
    }
}

type Rows<F> = Vec<(&'static Rule, F)>;

/// The applicable rules, by the part that they examine.
#[derive(Default)]
struct Finders {
    model: Rows<Find<Model>>,
    operator_set: Rows<Find<OperatorSetProto>>,
    functions: Rows<Find<[FunctionProto]>>,
    imports: Rows<Find<[OperatorSetIdProto]>>,
    function: Rows<Find<FunctionProto>>,
    graph: Rows<Find<GraphProto>>,
    nodes: Rows<Find<[NodeProto]>>,
    node: Rows<Find<NodeProto>>,
    operator: Rows<for<'w, 'm> fn(&mut Visit<'w, 'm>, &'m NodeProto, &'static Schema)>,
    call: Rows<for<'w, 'm> fn(&mut Visit<'w, 'm>, &'m NodeProto, &'m FunctionProto)>,
    read: Rows<for<'w, 'm> fn(&mut Visit<'w, 'm>, &'m str, Option<Reading>)>,
    attribute: Rows<Find<AttributeProto>>,
    value: Rows<Find<ValueInfoProto>>,
    r#type: Rows<Find<TypeProto>>,
    dimension: Rows<Find<proto::Dimension>>,
    element: Rows<for<'w, 'm> fn(&mut Visit<'w, 'm>, i32)>,
    tensor: Rows<Find<TensorProto>>,
    sparse: Rows<Find<SparseTensorProto>>,
    training: Rows<Find<TrainingInfoProto>>,
    properties: Rows<Find<[StringStringEntryProto]>>,
    documentation: Rows<Find<str>>,
    name: Rows<Find<str>>,
}

impl Finders {
    fn new(version: i64, profile: Profile) -> Finders {
        let mut finders = Finders::default();
        for rule in rules::all().filter(|rule| rule.holds(version, profile)) {
            match rule.finder {
                Finder::Model(find) => finders.model.push((rule, find)),
                Finder::OperatorSet(find) => finders.operator_set.push((rule, find)),
                Finder::Functions(find) => finders.functions.push((rule, find)),
                Finder::Imports(find) => finders.imports.push((rule, find)),
                Finder::Function(find) => finders.function.push((rule, find)),
                Finder::Graph(find) => finders.graph.push((rule, find)),
                Finder::Nodes(find) => finders.nodes.push((rule, find)),
                Finder::Node(find) => finders.node.push((rule, find)),
                Finder::Operator(find) => finders.operator.push((rule, find)),
                Finder::Call(find) => finders.call.push((rule, find)),
                Finder::Read(find) => finders.read.push((rule, find)),
                Finder::Attribute(find) => finders.attribute.push((rule, find)),
                Finder::Value(find) => finders.value.push((rule, find)),
                Finder::Type(find) => finders.r#type.push((rule, find)),
                Finder::Dimension(find) => finders.dimension.push((rule, find)),
                Finder::Element(find) => finders.element.push((rule, find)),
                Finder::Tensor(find) => finders.tensor.push((rule, find)),
                Finder::Sparse(find) => finders.sparse.push((rule, find)),
                Finder::Training(find) => finders.training.push((rule, find)),
                Finder::Properties(find) => finders.properties.push((rule, find)),
                Finder::Documentation(find) => finders.documentation.push((rule, find)),
                Finder::Name(find) => finders.name.push((rule, find)),
                Finder::Inference => {}
            }
        }
        finders
    }
}

struct Walker<'m> {
    finders: Finders,
    walk: Walk<'m>,
    findings: Findings,
}

impl<'m> Walker<'m> {
    /// Passes a part to all rules that examine such parts.
    fn show<T: ?Sized>(&mut self, rows: fn(&Finders) -> &Rows<Find<T>>, thing: &'m T) {
        for &(rule, find) in rows(&self.finders) {
            find(&mut Visit { walk: &self.walk, rule, findings: &mut self.findings }, thing);
        }
    }

    /// Descends to a part of the current one.
    fn inside(&mut self, step: Step<&'m str>, go: impl FnOnce(&mut Self)) {
        self.walk.path.push(step);
        go(self);
        self.walk.path.pop();
    }

    fn model(&mut self, model: &'m Model) {
        let proto = &model.proto;
        self.show(|f| &f.model, model);
        self.show(|f| &f.imports, &proto.opset_import[..]);
        self.properties(&proto.metadata_props);
        self.documentation(&proto.doc_string);
        self.functions(&proto.functions);
        if let Some(graph) = &proto.graph {
            self.inside(Step::named(Part::Graph, &graph.name), |walker| walker.graph(graph));
        }
        for (index, training) in proto.training_info.iter().enumerate() {
            self.inside(Step::number(Part::Training, index, ""), |walker| walker.training(training));
        }
    }

    fn operator_set(&mut self, set: &'m OperatorSetProto, functions: &'m [FunctionProto]) {
        self.inside(Step::named(Part::OperatorSet, &set.domain), |walker| {
            walker.show(|f| &f.operator_set, set);
            walker.documentation(&set.doc_string);
            for (index, operator) in set.operator.iter().enumerate() {
                let step = Step::number(Part::Operator, index, &operator.op_type);
                walker.inside(step, |walker| walker.documentation(&operator.doc_string));
            }
            walker.functions(functions);
        });
    }

    fn functions(&mut self, functions: &'m [FunctionProto]) {
        self.show(|f| &f.functions, functions);
        for (index, function) in functions.iter().enumerate() {
            self.inside(Step::number(Part::Function, index, &function.name), |walker| walker.function(function));
        }
    }

    /// The graph of a training step may read what the model's graph defines.
    fn training(&mut self, training: &'m TrainingInfoProto) {
        self.show(|f| &f.training, training);
        if let Some(graph) = &training.initialization {
            self.inside(Step::named(Part::Initialization, &graph.name), |walker| walker.graph(graph));
        }
        if let Some(graph) = &training.algorithm {
            let mut names = self.walk.proto().graph.as_ref().map(Names::of_graph).unwrap_or_default();
            names.at = usize::MAX;
            self.walk.scopes.push(names);
            self.inside(Step::named(Part::Algorithm, &graph.name), |walker| walker.graph(graph));
            self.walk.scopes.pop();
        }
    }

    fn function(&mut self, function: &'m FunctionProto) {
        self.walk.function = Some(function);
        // domains that the function does not import have the model's versions
        let mut opsets = self.walk.opsets.clone();
        opsets.extend(highest(&function.opset_import));
        let outer = std::mem::replace(&mut self.walk.opsets, opsets);
        self.walk.scopes.push(Names::of_function(function));
        self.show(|f| &f.function, function);
        self.show(|f| &f.imports, &function.opset_import[..]);
        self.properties(&function.metadata_props);
        self.documentation(&function.doc_string);
        self.name(&function.name);
        for (index, name) in function.input.iter().enumerate() {
            self.inside(Step::number(Part::Input, index, name), |walker| walker.name(name));
        }
        for attribute in &function.attribute_proto {
            self.inside(Step::named(Part::Attribute, &attribute.name), |walker| walker.attribute(attribute));
        }
        self.nodes(&function.node);
        for (index, name) in function.output.iter().enumerate() {
            self.read(Part::Output, index, name);
        }
        for (index, value) in function.value_info.iter().enumerate() {
            self.value(Part::ValueInfo, index, value);
        }
        self.walk.scopes.pop();
        self.walk.opsets = outer;
        self.walk.function = None;
    }

    fn graph(&mut self, graph: &'m GraphProto) {
        self.walk.scopes.push(Names::of_graph(graph));
        self.walk.open.push(graph);
        self.walk.outputs.push(graph.output.iter().map(|output| &*output.name).collect());
        self.show(|f| &f.graph, graph);
        self.walk.graphs.insert(&graph.name);
        self.properties(&graph.metadata_props);
        self.documentation(&graph.doc_string);
        self.name(&graph.name);
        for (index, value) in graph.input.iter().enumerate() {
            self.value(Part::Input, index, value);
        }
        for (index, tensor) in graph.initializer.iter().enumerate() {
            self.inside(Step::number(Part::Initializer, index, &tensor.name), |walker| {
                if !walker.walk.names().is_some_and(|names| names.has_default(&tensor.name)) {
                    walker.name(&tensor.name);
                }
                walker.tensor(tensor);
            });
        }
        for (index, sparse) in graph.sparse_initializer.iter().enumerate() {
            let name = sparse.values.as_ref().map_or("", |values| &values.name);
            self.inside(Step::number(Part::SparseInitializer, index, name), |walker| walker.sparse(sparse));
        }
        self.nodes(&graph.node);
        for (index, value) in graph.output.iter().enumerate() {
            self.value(Part::Output, index, value);
            self.read(Part::Output, index, &value.name);
        }
        for (index, value) in graph.value_info.iter().enumerate() {
            self.value(Part::ValueInfo, index, value);
        }
        self.walk.outputs.pop();
        self.walk.open.pop();
        self.walk.scopes.pop();
    }

    fn nodes(&mut self, nodes: &'m [NodeProto]) {
        self.scope().is_ordered = true;
        for (index, node) in nodes.iter().enumerate() {
            self.scope().at = index;
            self.inside(Step::number(Part::Node, index, &node.name), |walker| walker.node(node));
        }
        self.scope().at = nodes.len();
        self.show(|f| &f.nodes, nodes);
    }

    fn scope(&mut self) -> &mut Names<'m> {
        self.walk.scopes.last_mut().expect("a graph or a function is open")
    }

    fn node(&mut self, node: &'m NodeProto) {
        let operator = self.walk.operator_of(node);
        let outer = (self.walk.node.replace(node), std::mem::replace(&mut self.walk.operator, operator));
        self.show(|f| &f.node, node);
        match operator {
            Operator::Schema(schema) => {
                for &(rule, find) in &self.finders.operator {
                    find(&mut Visit { walk: &self.walk, rule, findings: &mut self.findings }, node, schema);
                }
            }
            Operator::Function(function) => {
                for &(rule, find) in &self.finders.call {
                    find(&mut Visit { walk: &self.walk, rule, findings: &mut self.findings }, node, function);
                }
            }
            Operator::Unknown => {}
        }
        self.name(&node.name);
        for (index, name) in node.input.iter().enumerate() {
            self.read(Part::Input, index, name);
        }
        for attribute in &node.attribute {
            self.inside(Step::named(Part::Attribute, &attribute.name), |walker| walker.attribute(attribute));
        }
        for (index, name) in node.output.iter().enumerate() {
            self.inside(Step::number(Part::Output, index, name), |walker| walker.name(name));
        }
        self.properties(&node.metadata_props);
        self.documentation(&node.doc_string);
        (self.walk.node, self.walk.operator) = outer;
    }

    fn read(&mut self, part: Part, index: usize, name: &'m str) {
        if name.is_empty() {
            return;
        }
        let reading = self.walk.find(name);
        if let Some(late) = reading.filter(|reading| reading.late) {
            let own = self.walk.scopes.len() - 1;
            self.walk.scopes[own - late.outwards].is_ordered = false;
        }
        self.inside(Step::number(part, index, name), |walker| {
            for &(rule, find) in &walker.finders.read {
                find(&mut Visit { walk: &walker.walk, rule, findings: &mut walker.findings }, name, reading);
            }
        });
    }

    fn attribute(&mut self, attribute: &'m AttributeProto) {
        self.show(|f| &f.attribute, attribute);
        self.name(&attribute.name);
        self.documentation(&attribute.doc_string);
        if let Some(tensor) = &attribute.t {
            self.inside(Step::named(Part::Tensor, &tensor.name), |walker| walker.tensor(tensor));
        }
        for (index, tensor) in attribute.tensors.iter().enumerate() {
            self.inside(Step::number(Part::Tensor, index, &tensor.name), |walker| walker.tensor(tensor));
        }
        if let Some(sparse) = &attribute.sparse_tensor {
            self.inside(Step::named(Part::SparseTensor, ""), |walker| walker.sparse(sparse));
        }
        for (index, sparse) in attribute.sparse_tensors.iter().enumerate() {
            self.inside(Step::number(Part::SparseTensor, index, ""), |walker| walker.sparse(sparse));
        }
        if let Some(r#type) = &attribute.tp {
            self.inside(Step::named(Part::Type, ""), |walker| walker.r#type(r#type));
        }
        for (index, r#type) in attribute.type_protos.iter().enumerate() {
            self.inside(Step::number(Part::Type, index, ""), |walker| walker.r#type(r#type));
        }
        if let Some(graph) = &attribute.g {
            self.inside(Step::named(Part::Graph, &graph.name), |walker| walker.graph(graph));
        }
        for (index, graph) in attribute.graphs.iter().enumerate() {
            self.inside(Step::number(Part::Graph, index, &graph.name), |walker| walker.graph(graph));
        }
    }

    fn value(&mut self, part: Part, index: usize, value: &'m ValueInfoProto) {
        self.inside(Step::number(part, index, &value.name), |walker| {
            walker.show(|f| &f.value, value);
            walker.properties(&value.metadata_props);
            walker.documentation(&value.doc_string);
            if part == Part::Input {
                walker.name(&value.name);
            }
            if let Some(r#type) = &value.r#type {
                walker.r#type(r#type);
            }
        });
    }

    fn r#type(&mut self, r#type: &'m TypeProto) {
        self.show(|f| &f.r#type, r#type);
        let inner = match &r#type.value {
            Some(TypeValue::Tensor(tensor)) => {
                self.show_element(tensor.elem_type);
                return self.shape(tensor.shape.as_ref());
            }
            Some(TypeValue::SparseTensor(tensor)) => {
                self.show_element(tensor.elem_type);
                return self.shape(tensor.shape.as_ref());
            }
            Some(TypeValue::Sequence(sequence)) => &sequence.elem_type,
            Some(TypeValue::Optional(optional)) => &optional.elem_type,
            Some(TypeValue::Map(map)) => &map.value_type,
            Some(TypeValue::Opaque(_)) | None => return,
        };
        if let Some(inner) = inner {
            self.inside(Step::named(Part::Element, ""), |walker| walker.r#type(inner));
        }
    }

    fn shape(&mut self, shape: Option<&'m TensorShapeProto>) {
        for (axis, dimension) in shape.iter().flat_map(|shape| &shape.dim).enumerate() {
            let name = match &dimension.value {
                Some(proto::DimensionValue::Param(name)) => name,
                _ => "",
            };
            self.inside(Step::number(Part::Dimension, axis, name), |walker| {
                walker.show(|f| &f.dimension, dimension);
                walker.name(name);
            });
        }
    }

    fn tensor(&mut self, tensor: &'m TensorProto) {
        if let Some(folder) = self.walk.model.directory.as_ref().filter(|_| tensor.data_location != 0) {
            self.walk.files.meet(folder, tensor);
        }
        self.show(|f| &f.tensor, tensor);
        self.show_element(tensor.data_type);
        self.properties(&tensor.metadata_props);
        self.documentation(&tensor.doc_string);
    }

    fn sparse(&mut self, sparse: &'m SparseTensorProto) {
        self.show(|f| &f.sparse, sparse);
        if let Some(values) = &sparse.values {
            self.inside(Step::named(Part::Values, ""), |walker| walker.tensor(values));
        }
        if let Some(indices) = &sparse.indices {
            self.inside(Step::named(Part::Indices, ""), |walker| walker.tensor(indices));
        }
    }

    fn show_element(&mut self, number: i32) {
        for &(rule, find) in &self.finders.element {
            find(&mut Visit { walk: &self.walk, rule, findings: &mut self.findings }, number);
        }
    }

    fn properties(&mut self, entries: &'m [StringStringEntryProto]) {
        if !entries.is_empty() {
            self.show(|f| &f.properties, entries);
        }
    }

    fn documentation(&mut self, text: &'m str) {
        if !text.is_empty() {
            self.show(|f| &f.documentation, text);
        }
    }

    fn name(&mut self, name: &'m str) {
        if !name.is_empty() {
            self.show(|f| &f.name, name);
        }
    }
}
