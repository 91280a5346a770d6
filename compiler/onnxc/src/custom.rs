//! Operators that the caller implements.

use std::fmt;
use std::sync::Arc;

use driver::{Diagnostic, Location};
use proto::AttributeProto;

use crate::inputs::view_of;
use crate::{Dimension, ElementType, Error, Result, Tensor, TensorView};

/// An operator that is not ONNX's, which the caller implements. [`Builder::custom_operator`](crate::Builder::custom_operator) registers
/// it; models call it by domain and name in their graph, but not inside bodies of If, Loop and Scan or functions.
///
/// ```
/// # fn main() -> Result<(), onnxc::Error> {
/// use onnxc::{CustomOperator, ElementType, Extents, Tensor};
/// let twice = CustomOperator::new("my.ops", "Twice", 1, |call| {
///     let x = call.input(0)?;
///     let doubled: Vec<f32> = x.to_vec::<f32>()?.iter().map(|value| 2.0 * value).collect();
///     Ok(vec![Tensor::from_slice(&x.shape(), &doubled)?])
/// })
/// .output(ElementType::F32, Extents::SameAs(0));
/// let text = r#"<ir_version: 10, opset_import: ["": 21, "my.ops": 1]>
///     g (float[N] x) => (float[N] y) { n = Neg(x)  t = my.ops.Twice(n)  y = Relu(t) }"#;
/// let compiler = onnxc::Compiler::builder().custom_operator(twice).build();
/// let mut session = compiler.compile(&onnxc::Model::from_bytes(text)?)?.session();
/// let x = Tensor::from_slice(&[2], &[1.0f32, -2.0])?;
/// assert_eq!(session.run([("x", &x)])?["y"].as_slice::<f32>()?, [0.0, 4.0]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct CustomOperator {
    pub(crate) domain: String,
    pub(crate) name: String,
    pub(crate) since: i64,
    pub(crate) outputs: Vec<(ElementType, Extents)>,
    function: Arc<Function>,
}

/// Computes the outputs of a call.
type Function = dyn Fn(&CustomCall<'_>) -> Result<Vec<Tensor>> + Send + Sync;

/// The rule for the extents of an output of a [`CustomOperator`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Extents {
    /// Those of an input.
    SameAs(usize),
    /// A list, outermost first. The names of dimensions have no meaning.
    List(Vec<Dimension>),
}

/// A call of a [`CustomOperator`].
pub struct CustomCall<'a> {
    pub(crate) inputs: Vec<Option<driver::Input<'a>>>,
    pub(crate) attributes: &'a [AttributeProto],
}

impl CustomOperator {
    /// An operator since a version of its domain. The function computes the outputs of a call; several threads may call it.
    pub fn new(
        domain: impl Into<String>,
        name: impl Into<String>,
        since: i64,
        function: impl Fn(&CustomCall<'_>) -> Result<Vec<Tensor>> + Send + Sync + 'static,
    ) -> CustomOperator {
        let (domain, name) = (domain.into(), name.into());
        CustomOperator { domain, name, since, outputs: Vec::new(), function: Arc::new(function) }
    }

    /// Adds an output.
    pub fn output(mut self, element: ElementType, extents: Extents) -> CustomOperator {
        self.outputs.push((element, extents));
        self
    }

    /// Calls the function and checks what it returns. `node` is the name of the node.
    pub(crate) fn call(&self, node: &str, call: &CustomCall<'_>) -> driver::Result<Vec<driver::Value>> {
        let location = || Location::name(node);
        let outputs = (self.function)(call).map_err(|error| {
            let problems = error.problems().iter().map(|problem| Diagnostic::input(location(), problem.to_string()));
            problems.collect::<Vec<_>>()
        })?;
        let wrong = |what: String| Diagnostic::input(location(), format!("{self} returned {what}"));
        if outputs.len() != self.outputs.len() {
            return Err(wrong(format!("{} outputs, expected {}", outputs.len(), self.outputs.len())).into());
        }
        for (at, (output, (element, extents))) in outputs.iter().zip(&self.outputs).enumerate() {
            if output.element_type() != *element || !extents.fit(&output.inner().shape, call) {
                let found = format!("{output:?} as output {at}, expected {element} with the extents {extents}");
                return Err(wrong(found).into());
            }
        }
        Ok(outputs.into_iter().map(|output| output.inner().clone().into()).collect())
    }
}

impl Extents {
    /// Whether a shape follows the rule.
    fn fit(&self, shape: &[i64], call: &CustomCall<'_>) -> bool {
        match self {
            Extents::SameAs(input) => {
                let input = call.inputs.get(*input).copied().flatten();
                input.and_then(|input| input.tensor().map(|(_, extents)| extents == shape)).unwrap_or(false)
            }
            Extents::List(list) => {
                let fits = |(extent, rule): (&i64, &Dimension)| match rule {
                    Dimension::Fixed(fixed) => usize::try_from(*extent) == Ok(*fixed),
                    Dimension::Named(_) | Dimension::Unknown => true,
                };
                list.len() == shape.len() && shape.iter().zip(list).all(fits)
            }
        }
    }
}

impl CustomCall<'_> {
    /// The number of inputs, also missing ones.
    pub fn input_count(&self) -> usize {
        self.inputs.len()
    }

    /// Whether an input is given.
    pub fn has_input(&self, index: usize) -> bool {
        self.inputs.get(index).is_some_and(Option::is_some)
    }

    /// An input: a tensor of numbers or booleans.
    ///
    /// # Errors
    /// If the input is missing, or is something else.
    pub fn input(&self, index: usize) -> Result<TensorView<'_>> {
        let missing = || Error::input(format!("input {index} is missing"));
        let view = view_of(self.inputs.get(index).copied().flatten().ok_or_else(missing)?);
        view.ok_or_else(|| Error::input(format!("input {index} is not a tensor of numbers or booleans")))
    }

    /// The value of an attribute of type `INT`.
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.attribute(name)?.i
    }

    /// The value of an attribute of type `FLOAT`.
    pub fn float(&self, name: &str) -> Option<f32> {
        self.attribute(name)?.f
    }

    /// The value of an attribute of type `STRING`, if it is UTF-8.
    pub fn string(&self, name: &str) -> Option<&str> {
        std::str::from_utf8(self.attribute(name)?.s.as_ref()?).ok()
    }

    fn attribute(&self, name: &str) -> Option<&AttributeProto> {
        self.attributes.iter().find(|attribute| attribute.name == name)
    }
}

/// Domain and name, as in `my.ops.Twice`.
impl fmt::Display for CustomOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.domain, self.name)
    }
}

impl fmt::Debug for CustomOperator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CustomOperator").field("name", &self.to_string()).field("outputs", &self.outputs).finish()
    }
}

/// As in `[2, ?]`, or `those of input 0`.
impl fmt::Display for Extents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Extents::SameAs(input) => write!(f, "those of input {input}"),
            Extents::List(list) => {
                let texts: Vec<String> = list.iter().map(Dimension::to_string).collect();
                write!(f, "[{}]", texts.join(", "))
            }
        }
    }
}
