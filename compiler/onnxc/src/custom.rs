//! Operators that the caller implements.

use std::fmt;
use std::sync::Arc;

use crate::inputs::view_of;
use crate::{Attribute, CustomNode, Dimension, ElementType, Error, Result, Tensor, TensorView};

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
    outputs: Vec<(ElementType, Extents)>,
    create: Arc<Create>,
}

/// Creates the kernel of a node. The outputs are those of the operator.
type Create = dyn Fn(&CustomNode, &[(ElementType, Extents)]) -> Result<CustomKernel> + Send + Sync;

/// Computes the outputs of a call.
type Function = dyn Fn(&CustomCall<'_>) -> Result<Vec<Option<Tensor>>> + Send + Sync;

/// What a [`CustomOperator`] does for one node; see [`CustomOperator::per_node`].
#[derive(Clone)]
pub struct CustomKernel {
    pub(crate) outputs: Vec<(ElementType, Extents)>,
    function: Arc<Function>,
}

/// The rule for the extents of an output of a [`CustomOperator`].
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Extents {
    /// Those of an input.
    SameAs(usize),
    /// A list, outermost first. A name is that of a dimension of the model: the extent is the same wherever the name appears.
    List(Vec<Dimension>),
    /// Those that the model declares for the output, as an output of the graph or in `value_info`. Without a declaration the rank is
    /// unknown, which is an error if other nodes need it.
    Declared,
}

/// A call of a [`CustomOperator`].
pub struct CustomCall<'a> {
    pub(crate) inputs: Vec<Option<driver::Input<'a>>>,
    pub(crate) node: &'a CustomNode,
}

impl CustomOperator {
    /// An operator since a version of its domain. The function computes the outputs of a call; several threads may call it.
    pub fn new(
        domain: impl Into<String>,
        name: impl Into<String>,
        since: i64,
        function: impl Fn(&CustomCall<'_>) -> Result<Vec<Tensor>> + Send + Sync + 'static,
    ) -> CustomOperator {
        let function: Arc<Function> = Arc::new(move |call| Ok(function(call)?.into_iter().map(Some).collect()));
        let create = move |_: &CustomNode, outputs: &[(ElementType, Extents)]| {
            Ok(CustomKernel { outputs: outputs.to_vec(), function: function.clone() })
        };
        CustomOperator::of(domain.into(), name.into(), since, Arc::new(create))
    }

    /// An operator with a kernel for each node that calls it, which a function creates when a model with the node is compiled. The kernel
    /// is dropped with the compiled model and its sessions.
    ///
    /// ```
    /// # fn main() -> Result<(), onnxc::Error> {
    /// use onnxc::{Attribute, CustomKernel, CustomOperator, Error, Extents, Tensor};
    /// let shift = CustomOperator::per_node("my.ops", "Shift", 1, |node| {
    ///     let Some(&Attribute::Float(by)) = node.attribute("by") else { return Err(Error::custom("'by' is missing")) };
    ///     let element = node.outputs()[0].as_ref().and_then(|output| output.element_type());
    ///     let element = element.ok_or_else(|| Error::custom("the model must declare the type of the output"))?;
    ///     let kernel = CustomKernel::new(move |call| {
    ///         let x = call.input(0)?;
    ///         let shifted: Vec<f32> = x.to_vec::<f32>()?.iter().map(|value| value + by).collect();
    ///         Ok(vec![Some(Tensor::from_slice(&x.shape(), &shifted)?)])
    ///     });
    ///     Ok(kernel.output(element, Extents::Declared))
    /// });
    /// let text = r#"<ir_version: 10, opset_import: ["": 21, "my.ops": 1]>
    ///     g (float[N] x) => (float[N] y) { y = my.ops.Shift <by = 0.5> (x) }"#;
    /// let compiler = onnxc::Compiler::builder().custom_operator(shift).build();
    /// let x = Tensor::from_slice(&[1], &[1.0f32])?;
    /// let outputs = compiler.compile(&onnxc::Model::from_bytes(text)?)?.session().run([("x", &x)])?;
    /// assert_eq!(outputs["y"].as_slice::<f32>()?, [1.5]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn per_node(
        domain: impl Into<String>,
        name: impl Into<String>,
        since: i64,
        create: impl Fn(&CustomNode) -> Result<CustomKernel> + Send + Sync + 'static,
    ) -> CustomOperator {
        let create = move |node: &CustomNode, outputs: &[(ElementType, Extents)]| {
            let kernel = create(node)?;
            Ok(if kernel.outputs.is_empty() { CustomKernel { outputs: outputs.to_vec(), ..kernel } } else { kernel })
        };
        CustomOperator::of(domain.into(), name.into(), since, Arc::new(create))
    }

    fn of(domain: String, name: String, since: i64, create: Arc<Create>) -> CustomOperator {
        CustomOperator { domain, name, since, outputs: Vec::new(), create }
    }

    /// Adds an output. Outputs of a kernel replace those of the operator.
    pub fn output(mut self, element: ElementType, extents: Extents) -> CustomOperator {
        self.outputs.push((element, extents));
        self
    }

    /// The kernel of a node.
    pub(crate) fn kernel(&self, node: &CustomNode) -> Result<CustomKernel> {
        (self.create)(node, &self.outputs)
    }
}

impl CustomKernel {
    /// A kernel. The function computes the outputs of a call: `None` only for those that the node omits. Several threads may call it.
    pub fn new(
        function: impl Fn(&CustomCall<'_>) -> Result<Vec<Option<Tensor>>> + Send + Sync + 'static,
    ) -> CustomKernel {
        CustomKernel { outputs: Vec::new(), function: Arc::new(function) }
    }

    /// Adds an output.
    pub fn output(mut self, element: ElementType, extents: Extents) -> CustomKernel {
        self.outputs.push((element, extents));
        self
    }

    /// Calls the function and checks what it returns.
    pub(crate) fn call(&self, operator: &CustomOperator, call: &CustomCall<'_>) -> Result<Vec<Option<driver::Value>>> {
        let outputs = (self.function)(call)?;
        let wrong = |what: String| Err(Error::custom(format!("{operator} returned {what}")));
        if outputs.len() != self.outputs.len() {
            return wrong(format!("{} outputs, expected {}", outputs.len(), self.outputs.len()));
        }
        for (at, (output, (element, extents))) in outputs.iter().zip(&self.outputs).enumerate() {
            let is_read = call.node.outputs.get(at).is_some_and(Option::is_some);
            match output {
                Some(output) if output.element_type() != *element || !extents.fit(&output.inner().shape, call) => {
                    return wrong(format!("{output:?} as output {at}, expected {element} with the extents {extents}"));
                }
                None if is_read => return wrong(format!("nothing as output {at}")),
                Some(_) | None => {}
            }
        }
        Ok(outputs.into_iter().map(|output| output.map(|output| output.inner().clone().into())).collect())
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
            Extents::Declared => true,
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

    /// An input, which may be a tensor of strings.
    ///
    /// # Errors
    /// If the input is missing, or is not a tensor.
    pub fn tensor(&self, index: usize) -> Result<Tensor> {
        match self.inputs.get(index).copied().flatten() {
            Some(driver::Input::Value(driver::Value::Tensor(tensor))) => Ok(Tensor::of(tensor.clone())),
            Some(driver::Input::Elements { element, shape, bytes }) => {
                let data = driver::Blob::copy_of(bytes);
                Ok(Tensor::of(driver::Tensor { element: element.clone(), shape: shape.to_vec(), data }))
            }
            Some(driver::Input::Value(other)) => {
                Err(Error::input(format!("input {index} is {}, not a tensor", other.kind())))
            }
            None => Err(Error::input(format!("input {index} is missing"))),
        }
    }

    /// The node that calls the operator.
    pub fn node(&self) -> &CustomNode {
        self.node
    }

    /// The value of an attribute of type `INT`.
    pub fn integer(&self, name: &str) -> Option<i64> {
        match self.node.attribute(name)? {
            Attribute::Integer(value) => Some(*value),
            _ => None,
        }
    }

    /// The value of an attribute of type `FLOAT`.
    pub fn float(&self, name: &str) -> Option<f32> {
        match self.node.attribute(name)? {
            Attribute::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// The value of an attribute of type `STRING`, if it is UTF-8.
    pub fn string(&self, name: &str) -> Option<&str> {
        match self.node.attribute(name)? {
            Attribute::String(bytes) => std::str::from_utf8(bytes).ok(),
            _ => None,
        }
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

impl fmt::Debug for CustomKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CustomKernel").field("outputs", &self.outputs).finish()
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
            Extents::Declared => write!(f, "that the model declares"),
        }
    }
}
