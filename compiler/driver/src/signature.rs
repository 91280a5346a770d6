//! The inputs and outputs of a model.

use ir::{Attribute, Diagnostic, FunctionView, IndexMap, IndexSet, Location, Result, Type};
use operators::shape::dimension_names;
use operators::types::map_types;

use crate::tensor::{Tensor, array_type, byte_count, shape_text, type_name};
use crate::value::{Input, Value};

/// The inputs and outputs of a model, in order.
#[derive(Clone, Debug, Default)]
pub struct Signature {
    /// The inputs.
    pub inputs: Vec<Port>,
    /// The outputs.
    pub outputs: Vec<Port>,
    /// Inputs with a default that the model was compiled for; other values are import options.
    pub optional: Vec<Port>,
    /// The names that the model gives to extents of its outputs, whether or not they are found at compile time.
    pub stated: Vec<StatedExtent>,
}

/// The name that a model gives to an extent of an output.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StatedExtent {
    /// The index of the output.
    pub output: usize,
    /// The axis.
    pub axis: usize,
    /// The name.
    pub name: String,
}

/// One input or output.
#[derive(Clone, Debug)]
pub struct Port {
    /// Its name in the model.
    pub name: String,
    /// Its element type.
    pub element: Type,
    /// Its extents.
    pub shape: Vec<Extent>,
    /// The default of an input.
    pub default: Option<Tensor>,
    /// Whether it is a variable of the model's training.
    pub is_variable: bool,
}

/// The kind of a port's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Container {
    /// One tensor.
    Tensor,
    /// A list of values.
    Sequence,
    /// A value or nothing.
    Optional,
    /// Keys and values.
    Map,
}

/// The extent of a dimension, as far as it is known at compile time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Extent {
    /// This extent.
    Fixed(i64),
    /// The same extent wherever the name appears.
    Named(String),
    /// Any extent.
    Any,
}

impl std::fmt::Display for Extent {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Extent::Fixed(extent) => write!(f, "{extent}"),
            Extent::Named(name) => f.write_str(name),
            Extent::Any => f.write_str("?"),
        }
    }
}

impl Signature {
    /// The signature of a function at the graph or structured level.
    pub fn of(function: FunctionView<'_>) -> Signature {
        let ports = |types: &[Type], attributes: &str, stem: &str| {
            let attributes = function.attributes.get(attributes).and_then(Attribute::as_array).unwrap_or_default();
            types
                .iter()
                .enumerate()
                .map(|(index, r#type)| Port::of(r#type, attributes.get(index), format!("{stem}{index}")))
                .collect()
        };
        let outputs = ports(&function.r#type.results, "res_attrs", "output");
        Signature {
            inputs: ports(&function.r#type.inputs, "arg_attrs", "input"),
            stated: stated(&outputs),
            outputs,
            optional: optional(function),
        }
    }

    /// The input of that name, also one with a default.
    pub fn input(&self, name: &str) -> Option<&Port> {
        self.inputs.iter().chain(&self.optional).find(|port| port.name == name)
    }

    /// Names extents of outputs by the inputs' extents that they are equal to, as found by shape inference at the graph
    /// level.
    pub(crate) fn tie(&mut self, function: FunctionView<'_>) -> Result<()> {
        let body = function.body;
        let Some(entry) = body.entry() else { return Ok(()) };
        let shapes = operators::shape::analyse(body, function.attributes, &IndexMap::default())?;
        let results = body.terminator(entry).map_or(&[][..], |op| body.op(op).operands());
        for (port, &result) in self.outputs.iter_mut().zip(results) {
            let dims = shapes.shape(result).unwrap_or_default();
            port.shape.resize(dims.len().max(port.shape.len()), Extent::Any);
            for (extent, dim) in port.shape.iter_mut().zip(dims) {
                let places = self.inputs.iter_mut().zip(body.arguments(entry)).flat_map(|(input, &argument)| {
                    input.shape.iter_mut().zip(shapes.shape(argument).unwrap_or_default())
                });
                let same = places.into_iter().find(|(own, other)| !matches!(own, Extent::Fixed(_)) && dim == *other);
                if let (Extent::Any | Extent::Named(_), Some((own, other))) = (&*extent, same) {
                    if *own == Extent::Any {
                        *own = Extent::Named(other.to_string());
                    }
                    *extent = own.clone();
                }
            }
        }
        Ok(())
    }

    /// Adopts the extents that lowering has found.
    pub(crate) fn refine(&mut self, function: FunctionView<'_>) {
        let refine = |ports: &mut [Port], types: &[Type]| {
            for (port, shape) in ports.iter_mut().zip(types.iter().map(Type::shape)) {
                let shape = shape.unwrap_or_default();
                port.shape.resize(shape.len(), Extent::Any);
                for (known, found) in port.shape.iter_mut().zip(shape) {
                    if let Some(extent) = found {
                        *known = Extent::Fixed(extent);
                    }
                }
            }
        };
        refine(&mut self.inputs, &function.r#type.inputs);
        refine(&mut self.outputs, &function.r#type.results);
    }

    /// The values that inputs give to dynamic extents: `N = 1, the shape of 'x' is [1, 3]`.
    pub fn open_extents(&self, inputs: &[Input<'_>]) -> Option<String> {
        let mut open: IndexSet<String> = IndexSet::default();
        for (port, input) in self.inputs.iter().zip(inputs) {
            let Some((_, shape)) = input.tensor() else { continue };
            for (extent, actual) in port.shape.iter().zip(shape) {
                if let Extent::Named(name) = extent {
                    open.insert(format!("{name} = {actual}"));
                }
            }
            if port.shape.contains(&Extent::Any) {
                open.insert(format!("the shape of '{}' is {shape:?}", port.name));
            }
        }
        (!open.is_empty()).then(|| open.into_iter().collect::<Vec<_>>().join(", "))
    }

    /// Checks the inputs of a run; returns the first error.
    pub fn check(&self, inputs: &[Input<'_>]) -> Result<()> {
        if inputs.len() != self.inputs.len() {
            let names: Vec<&str> = self.inputs.iter().map(|port| port.name.as_str()).collect();
            let message =
                format!("the model takes {} inputs ({}), found {}", names.len(), names.join(", "), inputs.len());
            return Err(wrong(message).into());
        }
        let mut known: IndexMap<&str, (i64, &str)> = IndexMap::default();
        for (port, input) in self.inputs.iter().zip(inputs) {
            match *input {
                Input::Value(value) => port.check_value(value, &mut known)?,
                Input::Elements { element, shape, bytes } if !port.is_container() => {
                    port.check(element, shape, &mut known)?;
                    port.check_length(bytes.len(), shape)?;
                }
                Input::Elements { .. } => return Err(port.is_not("a tensor").into()),
            }
        }
        Ok(())
    }
}

impl Signature {
    /// The message for a named extent that has two values in this run (`symbol-one-extent`); `extent` returns those of
    /// outputs by output and axis.
    pub(crate) fn contradiction(
        &self,
        inputs: &[Input<'_>],
        extent: impl Fn(usize, usize) -> Option<i64>,
    ) -> Option<String> {
        if self.stated.is_empty() {
            return None;
        }
        let mut known: IndexMap<&str, (i64, &str)> = IndexMap::default();
        for (port, input) in self.inputs.iter().zip(inputs) {
            let shape = input.tensor().map_or(&[][..], |(_, shape)| shape);
            for (extent, &actual) in port.shape.iter().zip(shape) {
                if let Extent::Named(name) = extent {
                    known.entry(name).or_insert((actual, &port.name));
                }
            }
        }
        self.stated.iter().find_map(|StatedExtent { output, axis, name }| {
            let actual = extent(*output, *axis)?;
            let output = &self.outputs[*output].name;
            let (first, place) = *known.entry(name).or_insert((actual, output));
            (first != actual).then(|| {
                format!("output '{output}': '{name}' is {actual} here, but {first} in '{place}' [symbol-one-extent]")
            })
        })
    }
}

fn stated(outputs: &[Port]) -> Vec<StatedExtent> {
    let of_port = |(output, port): (usize, &Port)| {
        let named = |(axis, extent): (usize, &Extent)| match extent {
            Extent::Named(name) => Some(StatedExtent { output, axis, name: name.clone() }),
            Extent::Fixed(_) | Extent::Any => None,
        };
        port.shape.iter().enumerate().filter_map(named).collect::<Vec<_>>()
    };
    outputs.iter().enumerate().flat_map(of_port).collect()
}

/// The inputs of a function that became constants.
fn optional(function: FunctionView<'_>) -> Vec<Port> {
    let said = function.attributes.get(import::OPTIONAL_INPUTS).and_then(Attribute::as_array).unwrap_or_default();
    let port = |said: &Attribute| {
        let Attribute::Dictionary(own) = said else { return None };
        Some(Port::of(own.get("type").and_then(Attribute::as_type)?, Some(said), String::new()))
    };
    said.iter().filter_map(port).collect()
}

fn wrong(message: String) -> Diagnostic {
    Diagnostic::input(Location::Unknown, message)
}

impl Port {
    fn of(r#type: &Type, attributes: Option<&Attribute>, default: String) -> Port {
        let attributes = match attributes {
            Some(Attribute::Dictionary(attributes)) => Some(attributes),
            _ => None,
        };
        let name = attributes.and_then(|attributes| attributes.str("onnx.name")).map_or(default, str::to_string);
        let mut shape: Vec<Extent> = r#type
            .shape()
            .unwrap_or_default()
            .into_iter()
            .map(|extent| extent.map_or(Extent::Any, Extent::Fixed))
            .collect();
        let names = attributes.and_then(|attributes| attributes.str("onnx.dim_params")).unwrap_or_default();
        for (axis, name) in dimension_names(names) {
            if let Some(extent @ Extent::Any) = shape.get_mut(axis) {
                *extent = Extent::Named(name);
            }
        }
        let default = attributes.and_then(|attributes| attributes.get(import::DEFAULT)).and_then(Attribute::as_dense);
        Port {
            name,
            element: r#type.element().clone(),
            shape,
            default: default.and_then(|elements| Tensor::from_elements(elements)),
            is_variable: attributes.is_some_and(|attributes| attributes.get(import::STATE).is_some()),
        }
    }

    /// `float32 [N, 3]`, or `sequence of float32`
    pub fn describe(&self) -> String {
        let name = type_name(&self.element);
        if self.is_container() { name } else { format!("{name} {}", shape_text(&self.shape)) }
    }

    /// The kind of its value.
    pub fn container(&self) -> Container {
        match &self.element {
            Type::Dialect(dialect) if &*dialect.name == "Seq" => Container::Sequence,
            Type::Dialect(dialect) if &*dialect.name == "Opt" => Container::Optional,
            Type::Dialect(dialect) if &*dialect.name == "Map" => Container::Map,
            _ => Container::Tensor,
        }
    }

    /// Whether it is a sequence, an optional or a map.
    pub fn is_container(&self) -> bool {
        self.container() != Container::Tensor
    }

    /// Checks that the tensors of a sequence have the declared element type.
    fn check_elements(&self, values: &[Value]) -> Result<()> {
        let Type::Dialect(dialect) = &self.element else { return Ok(()) };
        let Some(element) = dialect.parameters.first().filter(|held| held.as_tensor().is_some()).map(Type::element)
        else {
            return Ok(());
        };
        let other = values.iter().position(|value| value.as_tensor().is_some_and(|tensor| tensor.element != *element));
        other.and_then(|at| Some((at, values[at].as_tensor()?))).map_or(Ok(()), |(at, tensor)| {
            let (expected, found) = (type_name(element), type_name(&tensor.element));
            Err(wrong(format!("input '{}': element {at} must be {expected}, found {found}", self.name)).into())
        })
    }

    /// Whether two lists are the keys and values of a map of this type.
    fn is_map_of(&self, keys: &Tensor, values: &Tensor) -> bool {
        let types = map_types(&self.element);
        let fits = types.is_some_and(|(key, value)| keys.element == *key && values.element == *value.element());
        fits && keys.shape.len() == 1 && keys.shape == values.shape
    }

    fn check_value<'s>(&'s self, value: &Value, known: &mut IndexMap<&'s str, (i64, &'s str)>) -> Result<()> {
        match (self.container(), value) {
            (Container::Sequence, Value::Sequence(values)) => self.check_elements(values),
            (Container::Optional, Value::Optional(_)) => Ok(()),
            (Container::Tensor, Value::Tensor(tensor)) => self.check(&tensor.element, &tensor.shape, known),
            (Container::Map, Value::Map { keys, values }) if self.is_map_of(keys, values) => Ok(()),
            _ => Err(self.is_not(value.kind()).into()),
        }
    }

    fn is_not(&self, found: &str) -> Diagnostic {
        wrong(format!("input '{}' must be {}, found {found}", self.name, type_name(&self.element)))
    }

    /// Whether a shape matches the port, as far as its extents are fixed. A scalar is any tensor of one element, as in ONNX Runtime.
    fn fits(&self, shape: &[i64]) -> bool {
        if self.shape.is_empty() {
            return shape.iter().all(|&extent| extent == 1);
        }
        let fits = |(extent, actual): (&Extent, &i64)| !matches!(extent, Extent::Fixed(fixed) if fixed != actual);
        shape.len() == self.shape.len() && self.shape.iter().zip(shape).all(fits)
    }

    /// Checks that a tensor of numbers has this many bytes.
    fn check_length(&self, found: usize, shape: &[i64]) -> Result<()> {
        (byte_count(&self.element, shape) == Some(found)).then_some(()).ok_or_else(|| {
            let r#type = format!("{} {}", type_name(&self.element), shape_text(shape));
            wrong(format!("input '{}': {found} bytes are not a {type}", self.name)).into()
        })
    }

    /// How to convert a tensor to one that the port takes, for common mistakes.
    fn advice(&self, element: &Type, shape: &[i64]) -> Option<String> {
        if *element != self.element {
            let (element, array) = (&self.element, array_type(&self.element));
            let package = array.split('.').next().filter(|package| *package == "ml_dtypes").unwrap_or("NumPy");
            return (element.is_integer() || element.is_float())
                .then(|| format!("{package} converts it: x.astype({array})"));
        }
        if self.fits(&[&[1], shape].concat()) {
            return Some("an outermost axis of extent 1 is missing, NumPy adds it: x[None]".to_string());
        }
        let [n, a, b, c] = *<&[i64; 4]>::try_from(shape).ok()?;
        [([n, c, a, b], "last", "0, 3, 1, 2"), ([n, b, c, a], "second", "0, 2, 3, 1")]
            .iter()
            .find(|(moved, ..)| self.fits(moved))
            .map(|(_, place, axes)| {
                format!("its channels are on the {place} axis; in NumPy, x.transpose({axes}) moves them")
            })
    }

    fn check<'s>(&'s self, element: &Type, shape: &[i64], known: &mut IndexMap<&'s str, (i64, &'s str)>) -> Result<()> {
        let found = || format!("{} {}", type_name(element), shape_text(shape));
        let expected = || format!("input '{}' must be {}, found {}", self.name, self.describe(), found());
        if *element != self.element || !self.fits(shape) {
            let error = wrong(expected());
            return Err(match self.advice(element, shape) {
                Some(advice) => error.with_note(advice).into(),
                None => error.into(),
            });
        }
        for (extent, &actual) in self.shape.iter().zip(shape) {
            match extent {
                Extent::Named(name) => {
                    let (bound, by) = *known.entry(name).or_insert((actual, &self.name));
                    if bound != actual {
                        let message = format!("{}, but input '{by}' has {name} = {bound}", expected());
                        return Err(wrong(message).into());
                    }
                }
                Extent::Fixed(_) | Extent::Any => {}
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(name: &str, extent: Extent) -> Port {
        Port { name: name.into(), element: Type::F32, shape: vec![extent], default: None, is_variable: false }
    }

    fn value(extent: i64) -> Value {
        let zeros = vec![0.0; extent as usize];
        Tensor::from_f32(&[extent], &zeros).expect("the number of values matches the shape").into()
    }

    #[test]
    fn a_scalar_is_any_tensor_of_one_element() {
        let scalar = Port { shape: vec![], ..port("x", Extent::Any) };
        let fits = |shape: &[i64]| scalar.check(&Type::F32, shape, &mut IndexMap::default()).is_ok();
        assert!(fits(&[]) && fits(&[1]) && fits(&[1, 1]));
        assert!(!fits(&[2]) && !fits(&[1, 0]));
        assert!(port("x", Extent::Fixed(1)).check(&Type::F32, &[], &mut IndexMap::default()).is_err());
    }

    #[test]
    fn a_name_has_one_number_in_a_run() {
        let named = |name: &str| port(name, Extent::Named("N".into()));
        let mut signature = Signature { inputs: vec![named("x")], outputs: vec![named("y")], ..Default::default() };
        signature.stated = stated(&signature.outputs);
        // extents found at compile time do not change the declared ones
        signature.outputs[0].shape[0] = Extent::Fixed(4);
        let contradiction =
            |input: i64, output: i64| signature.contradiction(&[Input::Value(&value(input))], |_, _| Some(output));
        assert_eq!(contradiction(4, 4), None);
        let message = contradiction(2, 4);
        assert_eq!(message.as_deref(), Some("output 'y': 'N' is 4 here, but 2 in 'x' [symbol-one-extent]"));
    }
}
