//! `predict_onnxruntime`: `predict` by ONNX Runtime, to compare with. The model has one input, of float32 and two axes; the output has
//! one number in a row. The environment variable `ORT_DYLIB_PATH` names ONNX Runtime's library.

use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use datafusion::arrow::array::{Array, ArrayRef, AsArray, Float32Array, Int64Array};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::{DataType, Field, FieldRef, Float32Type};
use datafusion::common::{DataFusionError, Result, ScalarValue, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};
use ort::environment::Environment;
use ort::session::{OutputSelector, RunOptions, Session};
use ort::value::{TensorElementType, TensorRef, ValueType};

/// Rows that are interleaved at a time, so that they stay in the cache.
const BLOCK: usize = 64;

static ENVIRONMENT: LazyLock<Result<Environment, String>> = LazyLock::new(|| {
    let path = std::env::var("ORT_DYLIB_PATH").map_err(|_| "ORT_DYLIB_PATH is not set".to_string())?;
    let builder = ort::init_from(path).map_err(|error| error.to_string())?;
    builder.with_name("predict").build().map_err(|error| error.to_string())
});

/// The function `predict_onnxruntime`.
pub(crate) fn predict_onnxruntime() -> ScalarUDF {
    ScalarUDF::from(Reference { signature: Signature::variadic_any(Volatility::Immutable), idle: Mutex::default() })
}

/// The function with its idle sessions, by path and output.
struct Reference {
    signature: Signature,
    idle: Mutex<HashMap<String, Vec<Session>>>,
}

impl fmt::Debug for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reference")
    }
}

impl PartialEq for Reference {
    fn eq(&self, _other: &Reference) -> bool {
        true
    }
}

impl Eq for Reference {}

impl Hash for Reference {
    fn hash<H: Hasher>(&self, _state: &mut H) {}
}

fn external(error: impl fmt::Display) -> DataFusionError {
    DataFusionError::External(format!("predict_onnxruntime: {error}").into())
}

/// The path and the output of a constant argument.
fn parts(argument: Option<&ScalarValue>) -> Result<(&str, Option<&str>)> {
    match argument.and_then(|value| value.try_as_str().flatten()) {
        Some(text) => Ok(text.split_once('#').map_or((text, None), |(path, output)| (path, Some(output)))),
        None => plan_err!("predict_onnxruntime: the first argument must be a constant string"),
    }
}

fn load(path: &str) -> Result<Session> {
    let environment = ENVIRONMENT.as_ref().map_err(external)?;
    let builder = Session::builder(environment).map_err(external)?;
    let mut builder = builder.with_intra_threads(1).map_err(external)?;
    builder.commit_from_file(path).map_err(external)
}

/// The name and the type of an output.
fn output<'s>(session: &'s Session, name: Option<&str>) -> Result<(&'s str, DataType)> {
    let Some(port) = session.outputs().iter().find(|port| name.is_none_or(|name| port.name() == name)) else {
        return plan_err!("predict_onnxruntime: the model does not have this output");
    };
    match port.dtype() {
        ValueType::Tensor { ty: TensorElementType::Int64, .. } => Ok((port.name(), DataType::Int64)),
        ValueType::Tensor { ty: TensorElementType::Float32, .. } => Ok((port.name(), DataType::Float32)),
        other => plan_err!("predict_onnxruntime: the output is {other:?}, not a tensor of float32 or int64"),
    }
}

/// The rows of columns.
fn interleaved(columns: &[ArrayRef], rows: usize) -> Result<Vec<f32>> {
    let columns = columns.iter().map(|column| Ok(cast(column, &DataType::Float32)?)).collect::<Result<Vec<_>>>()?;
    let columns: Vec<&[f32]> =
        columns.iter().map(|column| &column.as_primitive::<Float32Type>().values()[..]).collect();
    let mut elements = vec![0.0; rows * columns.len()];
    for (block, first) in elements.chunks_mut(BLOCK * columns.len()).zip((0..).step_by(BLOCK)) {
        for (at, column) in columns.iter().enumerate() {
            let block = block.chunks_exact_mut(columns.len());
            block.zip(&column[first..]).for_each(|(row, element)| row[at] = *element);
        }
    }
    Ok(elements)
}

/// The output of a run, as a column.
fn run(session: &mut Session, name: Option<&str>, columns: &[ArrayRef], rows: usize) -> Result<ArrayRef> {
    let elements = interleaved(columns, rows)?;
    let (name, r#type) = output(session, name)?;
    let name = name.to_string();
    let x = TensorRef::from_array_view(([rows, columns.len()], &elements[..])).map_err(external)?;
    let options = RunOptions::new().map_err(external)?.with_outputs(OutputSelector::no_default().with(&name));
    let outputs = session.run_with_options(ort::inputs![x], &options).map_err(external)?;
    let array: ArrayRef = match r#type {
        DataType::Int64 => {
            let elements = outputs[0].try_extract_tensor::<i64>().map_err(external)?.1;
            Arc::new(Int64Array::from(elements.to_vec()))
        }
        _ => {
            let elements = outputs[0].try_extract_tensor::<f32>().map_err(external)?.1;
            Arc::new(Float32Array::from(elements.to_vec()))
        }
    };
    match array.len() == rows {
        true => Ok(array),
        false => Err(external("the output does not have one number in a row")),
    }
}

impl ScalarUDFImpl for Reference {
    fn name(&self) -> &str {
        "predict_onnxruntime"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        plan_err!("predict_onnxruntime: the type follows from the model")
    }

    fn return_field_from_args(&self, arguments: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let (path, name) = parts(arguments.scalar_arguments.first().copied().flatten())?;
        let r#type = output(&load(path)?, name)?.1;
        Ok(Arc::new(Field::new(self.name(), r#type, false)))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let Some((ColumnarValue::Scalar(constant), columns)) = arguments.args.split_first() else {
            return plan_err!("predict_onnxruntime: the first argument must be a constant string");
        };
        let (path, name) = parts(Some(constant))?;
        let columns = columns.iter().map(|column| column.to_array(arguments.number_rows));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let session = idle().get_mut(path).and_then(Vec::pop);
        let mut session = session.map_or_else(|| load(path), Ok)?;
        let array = run(&mut session, name, &columns, arguments.number_rows);
        idle().entry(path.to_string()).or_default().push(session);
        Ok(ColumnarValue::Array(array?))
    }
}
