//! The inputs and outputs of a model's function, and the names of their dimensions (`onnx.dim_params`).

use dialects::func;
use dialects::rt::attributes::NODES;
use indexmap::IndexSet;
use ir::types::Extent;
use ir::{Attribute, Attributes, DenseElements, Diagnostic, ErrorClass, FunctionType, Location, Module, Type, Value};
use operators::graph::remove_dead;
use proto::{GraphProto, ValueInfoProto};

use crate::graph::{Importer, initialized, sparse_name};
use crate::tensors::{import_sparse, import_tensor};
use crate::types::dimension_names;
use crate::{DEFAULT, MAIN, OPTIONAL_INPUTS};

/// The inputs of a model.
#[derive(Default)]
pub(crate) struct Inputs {
    /// The attributes of each argument.
    pub(crate) arguments: Vec<Attribute>,
    /// The inputs that have a default and are not arguments.
    pub(crate) optional: Vec<Attribute>,
}

impl<'m> Importer<'_, 'm> {
    /// Inputs without initializer become arguments, as do those that are to remain inputs; those that the caller fixes
    /// become constants.
    pub(crate) fn main_inputs(&mut self, graph: &'m GraphProto) -> ir::Result<Inputs> {
        let constants = initialized(graph);
        self.check_overridable(graph, &constants)?;
        let mut inputs = Inputs::default();
        for input in &graph.input {
            let is_optional = constants.contains(&*input.name);
            if let Some(elements) = self.options.constants.get(&input.name) {
                self.check_given(input, &elements.r#type)?;
                self.emit.location = Location::name(&input.name);
                let value = self.emit.constant(DenseElements { key: Some((&*input.name).into()), ..elements.clone() });
                self.define(&input.name, value);
            } else if !is_optional {
                let attributes = self.argument(input)?;
                inputs.arguments.push(dictionary(attributes));
            } else if self.options.overridable.contains(&input.name) {
                let default = self.initial_value(graph, &input.name)?;
                let attributes = self.argument(input)?.with(DEFAULT, Attribute::dense(default));
                inputs.arguments.push(dictionary(attributes));
            } else if let Some(declared) = self.declared_type(input)? {
                inputs.optional.push(dictionary(self.port(input).with("type", Attribute::Type(declared))));
            }
        }
        Ok(inputs)
    }

    /// Makes an input an argument; returns its attributes.
    pub(crate) fn argument(&mut self, input: &'m ValueInfoProto) -> ir::Result<Attributes> {
        let missing = || Diagnostic::input(Location::name(&input.name), "input has no type");
        let r#type = self.declared_type(input)?.ok_or_else(missing)?;
        let r#type = match self.options.shapes.get(&input.name) {
            Some(shape) => Type::tensor(shape.clone(), r#type.element().clone()),
            None => r#type,
        };
        let value = self.emit.body.add_argument(self.emit.block, r#type);
        self.define(&input.name, value);
        Ok(self.port(input))
    }

    /// The value of a graph's initializer.
    pub(crate) fn initial_value(&mut self, graph: &'m GraphProto, name: &str) -> ir::Result<DenseElements> {
        let dense = graph.initializer.iter().find(|tensor| tensor.name == name);
        let elements = match dense {
            Some(tensor) => import_tensor(tensor, &mut self.tensors),
            None => {
                let sparse = graph.sparse_initializer.iter().find(|sparse| sparse_name(sparse) == name);
                import_sparse(sparse.expect("the graph has such an initializer"), &mut self.tensors)
            }
        };
        elements.map_err(|what| Diagnostic::input(Location::name(name), format!("initializer {what}")).into())
    }

    /// Reports inputs without a default that are to be overridable.
    fn check_overridable(&self, graph: &GraphProto, constants: &IndexSet<&str>) -> ir::Result<()> {
        let inputs = graph.input.iter().map(|input| &*input.name);
        let optional: IndexSet<&str> = inputs.filter(|name| constants.contains(name)).collect();
        let Some(unknown) = self.options.overridable.iter().find(|name| !optional.contains(&***name)) else {
            return Ok(());
        };
        let names = optional.into_iter().collect::<Vec<_>>().join(", ");
        let names = if names.is_empty() { "it has none".to_string() } else { format!("it has {names}") };
        let message = format!("'{unknown}' is not an input of the model with a default value; {names}");
        Err(Diagnostic::error(ErrorClass::Usage, Location::Unknown, message).into())
    }

    /// Checks a value from the caller against the type that the model declares.
    fn check_given(&self, input: &ValueInfoProto, given: &Type) -> ir::Result<()> {
        let Some(declared) = self.declared_type(input)? else { return Ok(()) };
        let fits = declared.shape().zip(given.shape()).is_none_or(|(declared, given)| {
            let is_open = |(declared, given): (&Extent, &Extent)| declared.is_none() || declared == given;
            declared.len() == given.len() && declared.iter().zip(&given).all(is_open)
        });
        if fits && declared.element() == given.element() {
            return Ok(());
        }
        let message = format!("input must be {declared}, found {given}");
        Err(Diagnostic::input(Location::name(&input.name), message).into())
    }

    /// The attributes of an input or output: its name, and the names of its dimensions.
    pub(crate) fn port(&self, value: &ValueInfoProto) -> Attributes {
        let mut attributes: Attributes = [("onnx.name", Attribute::string(&value.name))].into();
        if let Some(names) = dimension_names(value.r#type.as_ref(), &self.options.dimensions) {
            attributes.set("onnx.dim_params", Attribute::string(&names));
        }
        attributes
    }

    /// Ends the function with its results and their attributes.
    pub(crate) fn finish_function(
        mut self,
        name: &str,
        inputs: Inputs,
        results: Vec<(Value, Attributes)>,
    ) -> ir::Result<Module> {
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        let (results, said): (Vec<Value>, Vec<Attributes>) = results.into_iter().unzip();
        self.emit.location = Location::Unknown;
        self.emit.create(func::RETURN, &results, &[], Attributes::new());
        let mut body = self.emit.body;
        // values without readers are checked, too
        if self.trace.is_none() {
            remove_dead(&mut body);
        }
        let types = |values: &[Value]| values.iter().map(|&value| body.value_type(value).clone()).collect::<Vec<_>>();
        let entry = body.entry().expect("a function has a block");
        let r#type = FunctionType { inputs: types(body.arguments(entry)), results: types(&results) };
        let mut attributes = Attributes::new()
            .with("arg_attrs", Attribute::Array(inputs.arguments.into()))
            .with("res_attrs", Attribute::Array(said.into_iter().map(dictionary).collect()));
        if !inputs.optional.is_empty() {
            attributes.set(OPTIONAL_INPUTS, Attribute::Array(inputs.optional.into()));
        }
        let mut module = Module::new();
        let name = if name.is_empty() { MAIN } else { name };
        module.add_function(MAIN, r#type, attributes, body, Location::name(name));
        if self.options.list_nodes {
            module.attributes.set(NODES, Attribute::Array(self.listed.into()));
        }
        let files = self.tensors.files().map(Attribute::string).collect::<Vec<_>>();
        if !files.is_empty() {
            module.attributes.set(crate::FILES, Attribute::Array(files.into()));
        }
        let fits = ir::verify(&module, &dialects::registry());
        fits.map_err(|errors| errors.into_iter().map(of_bodies).collect::<Vec<_>>())?;
        Ok(module)
    }
}

/// The verifier's error as one about the model: it names the operator as ONNX does.
fn of_bodies(mut error: Diagnostic) -> Diagnostic {
    if let Some((operator, problem)) = error.message.strip_prefix("'onnx.").and_then(|rest| rest.split_once("' op ")) {
        error.message = format!("{operator} {problem}");
    }
    error.breaks("operator-bodies")
}

pub(crate) fn dictionary(attributes: Attributes) -> Attribute {
    Attribute::Dictionary(attributes.into())
}
