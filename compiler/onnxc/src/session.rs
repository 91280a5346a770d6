//! Runs of a compiled model.

use std::ops::Index;
use std::sync::Arc;
use std::time::{Duration, Instant};

use driver::{Due, KernelTime, Stop};
use smallvec::SmallVec;

use crate::compiler::Code;
use crate::{CompiledModel, ElementType, Error, ErrorKind, Input, OutputBuffer, Port, Result, Value};

/// Runs a compiled model, one run at a time. Scratch memory is kept between runs.
///
/// ```
/// # fn main() -> Result<(), onnxc::Error> {
/// # let text = r#"<ir_version: 10, opset_import: ["": 21]>
/// #     add (float[N] a, float[N] b) => (float[N] sum) { sum = Add(a, b) }"#;
/// # let compiled = onnxc::Compiler::new().compile(&onnxc::Model::from_bytes(text)?)?;
/// let mut session = compiled.session();
/// let a = onnxc::Tensor::from_slice(&[2], &[1.0f32, 2.0])?;
/// let b = onnxc::Tensor::from_slice(&[2], &[10.0f32, 20.0])?;
/// let outputs = session.run([("a", &a), ("b", &b)])?;
/// assert_eq!(outputs["sum"].as_slice::<f32>()?, [11.0, 22.0]);
/// # Ok(())
/// # }
/// ```
pub struct Session {
    model: CompiledModel,
    /// One for each compiled part, in order.
    parts: Vec<driver::Session>,
}

/// Limits of one run.
///
/// ```
/// # fn main() -> Result<(), onnxc::Error> {
/// # let text = r#"<ir_version: 10, opset_import: ["": 21]>
/// #     negate (float[N] x) => (float[N] y) { y = Neg(x) }"#;
/// # let mut session = onnxc::Compiler::new().compile(&onnxc::Model::from_bytes(text)?)?.session();
/// use std::time::Duration;
/// let options = onnxc::RunOptions::new().deadline(Duration::from_secs(5));
/// let x = onnxc::Tensor::from_slice(&[1], &[1.0f32])?;
/// let outputs = session.run_with([("x", &x)], &options)?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct RunOptions {
    deadline: Option<Duration>,
    cancel: Option<Cancel>,
}

impl RunOptions {
    /// No limits.
    pub fn new() -> RunOptions {
        RunOptions::default()
    }

    /// Ends the run with [`ErrorKind::DeadlineExceeded`] if it takes longer than this.
    pub fn deadline(self, after: Duration) -> RunOptions {
        RunOptions { deadline: Some(after), ..self }
    }

    /// Ends the run with [`ErrorKind::Cancelled`] if another thread calls [`Cancel::cancel`].
    pub fn cancel(self, cancel: &Cancel) -> RunOptions {
        RunOptions { cancel: Some(cancel.clone()), ..self }
    }
}

/// Ends runs from another thread. Clones end the same runs.
///
/// ```
/// # fn main() -> Result<(), onnxc::Error> {
/// # let text = r#"<ir_version: 10, opset_import: ["": 21]>
/// #     negate (float[N] x) => (float[N] y) { y = Neg(x) }"#;
/// # let mut session = onnxc::Compiler::new().compile(&onnxc::Model::from_bytes(text)?)?.session();
/// let cancel = onnxc::Cancel::new();
/// cancel.cancel(); // usually on another thread, on a clone
/// let x = onnxc::Tensor::from_slice(&[1], &[1.0f32])?;
/// let ended = session.run_with([("x", &x)], &onnxc::RunOptions::new().cancel(&cancel));
/// assert_eq!(ended.unwrap_err().kind(), onnxc::ErrorKind::Cancelled);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Cancel(Arc<Stop>);

impl Cancel {
    /// One that has not been used.
    pub fn new() -> Cancel {
        Cancel::default()
    }

    /// Ends the runs that have it among their options, including those that start later.
    pub fn cancel(&self) {
        self.0.request();
    }
}

/// The outputs of a run, in the model's order. Indexing by a name or a position panics if there is no such output; [`Outputs::get`] does
/// not.
#[derive(Clone, Debug, PartialEq)]
pub struct Outputs {
    names: Arc<[String]>,
    values: Vec<Value>,
}

impl Outputs {
    /// The output with a name.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.values.get(self.names.iter().position(|known| known == name)?)
    }

    /// Names and values, in the model's order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.names.iter().map(String::as_str).zip(&self.values)
    }

    /// The values, in the model's order.
    pub fn into_values(self) -> Vec<Value> {
        self.values
    }

    /// The number of outputs.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Whether the model has no outputs.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }
}

/// An output of [`Session::run_partly_into`].
#[derive(Clone, Debug, PartialEq)]
pub enum Output {
    /// A value without a buffer of the caller.
    Value(Value),
    /// A tensor whose elements were written to the caller's buffer.
    Written {
        /// Its extents, outermost first.
        shape: Vec<usize>,
    },
}

impl Index<&str> for Outputs {
    type Output = Value;

    fn index(&self, name: &str) -> &Value {
        self.get(name).unwrap_or_else(|| panic!("no output '{name}', there are {:?}", self.names))
    }
}

impl Index<usize> for Outputs {
    type Output = Value;

    fn index(&self, index: usize) -> &Value {
        &self.values[index]
    }
}

impl Session {
    pub(crate) fn new(model: &CompiledModel) -> Session {
        let parts = match &model.code {
            Code::Whole(model) => vec![driver::Session::new(model.clone())],
            Code::Divided(divided) => divided.sessions(),
        };
        Session { model: model.clone(), parts }
    }

    /// The model that it runs.
    pub fn model(&self) -> &CompiledModel {
        &self.model
    }

    /// Runs the model on inputs by name. Inputs with a default may be left out.
    ///
    /// # Errors
    /// If an input is missing, unknown, or of another type or shape than the model takes, or the run fails on these inputs.
    pub fn run<'a, N: AsRef<str>, I: Into<Input<'a>>>(
        &mut self,
        inputs: impl IntoIterator<Item = (N, I)>,
    ) -> Result<Outputs> {
        self.run_with(inputs, &RunOptions::new())
    }

    /// The same, within limits.
    ///
    /// # Errors
    /// As [`Session::run`], and when a limit ends the run.
    pub fn run_with<'a, N: AsRef<str>, I: Into<Input<'a>>>(
        &mut self,
        inputs: impl IntoIterator<Item = (N, I)>,
        options: &RunOptions,
    ) -> Result<Outputs> {
        let outputs = self.execute(collected(inputs), &mut [], options)?;
        let values = outputs.into_iter().filter_map(|output| match output {
            driver::Output::Value(value) => Some(Value::of(value)),
            driver::Output::Written { .. } => None,
        });
        Ok(Outputs { names: self.model.output_names.clone(), values: values.collect() })
    }

    /// Runs the model and writes outputs to memory of the caller: the shape of each of `outputs`, in their order. An output that has
    /// fewer bytes than its buffer leaves the rest as it is.
    ///
    /// ```
    /// # fn main() -> Result<(), onnxc::Error> {
    /// # let text = r#"<ir_version: 10, opset_import: ["": 21]>
    /// #     negate (float[N] x) => (float[N] y) { y = Neg(x) }"#;
    /// # let mut session = onnxc::Compiler::new().compile(&onnxc::Model::from_bytes(text)?)?.session();
    /// let x = onnxc::Tensor::from_slice(&[2], &[1.0f32, 2.0])?;
    /// let mut y = [0.0f32; 2];
    /// let shapes = session.run_into([("x", &x)], [("y", y.as_mut_slice())], &onnxc::RunOptions::new())?;
    /// assert_eq!((y, &shapes[0][..]), ([-1.0, -2.0], &[2][..]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Session::run_with`], and if a buffer is too small or its elements have another type.
    pub fn run_into<'a, 'b, N: AsRef<str>, I: Into<Input<'a>>, M: AsRef<str>, O: Into<OutputBuffer<'b>>>(
        &mut self,
        inputs: impl IntoIterator<Item = (N, I)>,
        outputs: impl IntoIterator<Item = (M, O)>,
        options: &RunOptions,
    ) -> Result<Vec<Vec<usize>>> {
        let (mut lent, positions) = self.lend(outputs)?;
        let written = self.execute(collected(inputs), &mut lent, options)?;
        Ok(positions.into_iter().map(|at| extents(&written[at])).collect())
    }

    /// Runs the model and writes some outputs to the caller's memory. Returns all outputs, in the model's order. If an output is smaller
    /// than its buffer, the rest of the buffer is unchanged.
    ///
    /// ```
    /// # fn main() -> Result<(), onnxc::Error> {
    /// # let text = r#"<ir_version: 10, opset_import: ["": 21]>
    /// #     g (float[N] x) => (float[N] y, float[N] z) { y = Neg(x)  z = Abs(x) }"#;
    /// # let mut session = onnxc::Compiler::new().compile(&onnxc::Model::from_bytes(text)?)?.session();
    /// let x = onnxc::Tensor::from_slice(&[2], &[1.0f32, -2.0])?;
    /// let mut z = [0.0f32; 2];
    /// let outputs = session.run_partly_into([("x", &x)], [("z", z.as_mut_slice())], &onnxc::RunOptions::new())?;
    /// assert!(matches!(&outputs[0], onnxc::Output::Value(y) if y.as_slice::<f32>()? == [-1.0, 2.0]));
    /// assert_eq!((&outputs[1], z), (&onnxc::Output::Written { shape: vec![2] }, [1.0, 2.0]));
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Session::run_into`].
    pub fn run_partly_into<'a, 'b, N: AsRef<str>, I: Into<Input<'a>>, M: AsRef<str>, O: Into<OutputBuffer<'b>>>(
        &mut self,
        inputs: impl IntoIterator<Item = (N, I)>,
        outputs: impl IntoIterator<Item = (M, O)>,
        options: &RunOptions,
    ) -> Result<Vec<Output>> {
        let (mut lent, _) = self.lend(outputs)?;
        let outputs = self.execute(collected(inputs), &mut lent, options)?.into_iter().map(|output| match output {
            written @ driver::Output::Written { .. } => Output::Written { shape: extents(&written) },
            driver::Output::Value(value) => Output::Value(Value::of(value)),
        });
        Ok(outputs.collect())
    }

    /// Runs the model on inputs in the model's order, and writes all outputs, in the model's order, to memory of the caller. If a model
    /// has fixed extents, no strings, one thread and aligned inputs, and [is optimised](CompiledModel::wait_until_optimized), then no run
    /// after the first one allocates memory or calls the system. An output that has fewer bytes than its buffer leaves the rest as it is.
    ///
    /// ```
    /// # fn main() -> Result<(), onnxc::Error> {
    /// # let text = r#"<ir_version: 10, opset_import: ["": 21]>
    /// #     negate (float[2] x) => (float[2] y) { y = Neg(x) }"#;
    /// let compiler = onnxc::Compiler::builder().threads(1).build();
    /// let mut session = compiler.compile(&onnxc::Model::from_bytes(text)?)?.session();
    /// let (x, mut y) = ([1.0f32, 2.0], [0.0f32; 2]);
    /// let inputs = [onnxc::TensorView::from_slice(&[2], &x)?.into()];
    /// for _ in 0..1000 {
    ///     session.run_in_order(&inputs, &mut [y.as_mut_slice().into()])?;
    /// }
    /// assert_eq!(y, [-1.0, -2.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If there are not as many inputs or buffers as the model has inputs or outputs, one has another type, an input has another shape
    /// than the model takes, a buffer is too small, or the run fails on these inputs.
    pub fn run_in_order(&mut self, inputs: &[Input<'_>], outputs: &mut [OutputBuffer<'_>]) -> Result<()> {
        check_count("inputs", self.model.inputs.len(), inputs.len())?;
        check_count("outputs", self.model.outputs.len(), outputs.len())?;
        for (port, buffer) in self.model.outputs.iter().zip(&*outputs) {
            check_element(port, buffer.element)?;
        }
        let inputs: SmallVec<[driver::Input<'_>; 16]> = inputs.iter().map(Input::inner).collect();
        match &self.model.code {
            Code::Whole(_) => {
                let mut lent: SmallVec<[&mut [u8]; 16]> = outputs.iter_mut().map(|buffer| &mut *buffer.bytes).collect();
                self.parts[0].run_into(&inputs, &mut lent).map_err(Error::of_run)
            }
            Code::Divided(divided) => {
                let mut lent: Vec<_> = outputs.iter_mut().map(|buffer| Some(&mut *buffer.bytes)).collect();
                divided.run(&mut self.parts, &inputs, &mut lent, None).map(drop)
            }
        }
    }

    /// The time of each kernel call in all runs so far, of all sessions of the model; empty unless the model was compiled with
    /// [`Builder::profile`](crate::Builder::profile).
    pub fn profile(&self) -> Vec<KernelTime> {
        self.parts.iter().flat_map(driver::Session::profile).collect()
    }

    /// The buffers in the order of the model's outputs, and the index of the output of each buffer.
    #[expect(clippy::type_complexity, reason = "it is a pair of lists")]
    fn lend<'b, M: AsRef<str>, O: Into<OutputBuffer<'b>>>(
        &self,
        outputs: impl IntoIterator<Item = (M, O)>,
    ) -> Result<(Vec<Option<&'b mut [u8]>>, Vec<usize>)> {
        let mut lent: Vec<Option<&mut [u8]>> = self.model.output_names.iter().map(|_| None).collect();
        let mut positions = Vec::new();
        for (name, buffer) in outputs {
            let (name, OutputBuffer { element, bytes }) = (name.as_ref(), buffer.into());
            let known = self.model.outputs.iter().position(|port| port.name() == name);
            let at = known.ok_or_else(|| Error::input(format!("the model has no output '{name}'")))?;
            check_element(&self.model.outputs[at], element)?;
            if lent[at].replace(bytes).is_some() {
                return Err(Error::input(format!("output '{name}' has two buffers")));
            }
            positions.push(at);
        }
        Ok((lent, positions))
    }

    fn execute(
        &mut self,
        given: Vec<(String, Input<'_>)>,
        lent: &mut [Option<&mut [u8]>],
        options: &RunOptions,
    ) -> Result<Vec<driver::Output>> {
        let code = self.model.code.clone();
        let ports = &code.signature().inputs;
        if let Some((name, _)) = given.iter().find(|(name, _)| !ports.iter().any(|port| port.name == *name)) {
            let names: Vec<&str> = ports.iter().map(|port| port.name.as_str()).collect();
            return Err(Error::input(format!("the model has no input '{name}', its inputs are {}", names.join(", "))));
        }
        if let Some(at) = (1..given.len()).find(|&at| given[..at].iter().any(|(name, _)| *name == given[at].0)) {
            return Err(Error::input(format!("input '{}' is given twice", given[at].0)));
        }
        let defaults: Vec<Option<driver::Value>> =
            ports.iter().map(|port| port.default.clone().map(driver::Value::Tensor)).collect();
        let mut inputs = Vec::new();
        for (port, default) in ports.iter().zip(&defaults) {
            let own = given.iter().find(|(name, _)| *name == port.name).map(|(_, input)| input.inner());
            let input = own.or_else(|| default.as_ref().map(driver::Input::Value));
            inputs.push(input.ok_or_else(|| Error::input(format!("input '{}' is missing", port.name)))?);
        }
        let limit = options.deadline.and_then(|after| Instant::now().checked_add(after));
        let stop = match (&options.cancel, limit) {
            (None, None) => None,
            (cancel, limit) => Some(Stop::new(limit).or(cancel.as_ref().map(|cancel| cancel.0.clone()))),
        };
        let outputs = match &code {
            Code::Whole(_) => self.parts[0].run_with(&inputs, lent, stop.as_ref()).map_err(Error::of_run),
            Code::Divided(divided) => divided.run(&mut self.parts, &inputs, lent, stop.as_ref()),
        };
        outputs.map_err(|error| match stop.as_ref().and_then(Stop::due) {
            Some(Due::Requested) => error.of_kind(ErrorKind::Cancelled),
            Some(Due::Deadline) => error.of_kind(ErrorKind::DeadlineExceeded),
            None => error,
        })
    }
}

fn check_count(what: &str, expected: usize, found: usize) -> Result<()> {
    match expected == found {
        true => Ok(()),
        false => Err(Error::input(format!("the model has {expected} {what}, not {found}"))),
    }
}

/// Checks the type of a buffer's elements.
fn check_element(output: &Port, element: ElementType) -> Result<()> {
    let expected = output.element_type();
    if expected == Some(element) {
        return Ok(());
    }
    let expected = expected.map_or("not a tensor".to_string(), |expected| expected.to_string());
    Err(Error::input(format!("output '{}' is {expected}, the buffer is for {element}", output.name())))
}

/// The extents of a tensor.
fn extents(output: &driver::Output) -> Vec<usize> {
    let shape = output.shape().unwrap_or_default();
    shape.iter().map(|&extent| usize::try_from(extent).unwrap_or(0)).collect()
}

fn collected<'a, N: AsRef<str>, I: Into<Input<'a>>>(
    inputs: impl IntoIterator<Item = (N, I)>,
) -> Vec<(String, Input<'a>)> {
    inputs.into_iter().map(|(name, input)| (name.as_ref().to_string(), input.into())).collect()
}
