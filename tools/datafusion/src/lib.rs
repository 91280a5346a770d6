//! The function `predict` of DataFusion: models on the columns of tables, in SQL and in data frames.
//!
//! `predict('model.onnx', a, b, c)` is the first output of a model on the rows of the columns `a`, `b` and `c`;
//! `predict('model.onnx#scores', …)` is its output `scores`. The path is a constant.
//!
//! - An input of shape `[N]` or `[N, 1]` takes one column. An input of shape `[N, K]` takes K columns, or a column of lists of K
//!   elements. If K is not fixed, the last input takes all remaining columns.
//! - Values are converted to the element type of the input as by SQL's `CAST`; dictionaries are decoded. A column that has the
//!   type of the input and is its only column is read in place.
//! - Nulls are an error; `coalesce(a, 0)` replaces them. An error names the column and the row in its batch: [`RowError`].
//! - An output with one element in a row is a column of its elements, one with K elements is a column of lists.
//!
//! Each model is compiled once for each function that [`predict`] returns, and not again if its file changes. A run has one thread,
//! as DataFusion has a thread for each partition.
//!
//! ```no_run
//! # use datafusion::prelude::*;
//! # async fn score() -> datafusion::error::Result<()> {
//! let context = SessionContext::new();
//! context.register_udf(onnxc_datafusion::predict());
//! context.register_parquet("flowers", "flowers.parquet", ParquetReadOptions::default()).await?;
//! context.sql("SELECT id, predict('iris.onnx', width, length) AS kind FROM flowers").await?.show().await?;
//! # Ok(())
//! # }
//! ```

mod columns;
mod error;
mod model;

use std::collections::HashMap;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::datatypes::{DataType, Field, FieldRef};
use datafusion::common::{Result, ScalarValue, plan_err};
use datafusion::logical_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl, Signature, Volatility,
};

pub use error::RowError;
use model::{Batch, TableModel};

const PATH_EXPECTED: &str = "predict: the first argument must be a constant string, the path of a model";

/// The function `predict`, for `SessionContext::register_udf`.
pub fn predict() -> ScalarUDF {
    ScalarUDF::from(Predict::default())
}

/// The function with the models that it has compiled, by path and output.
struct Predict {
    signature: Signature,
    models: Mutex<HashMap<String, Arc<TableModel>>>,
}

impl Default for Predict {
    fn default() -> Predict {
        Predict { signature: Signature::variadic_any(Volatility::Immutable), models: Mutex::default() }
    }
}

impl fmt::Debug for Predict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Predict")
    }
}

/// All are equal: the path determines the model.
impl PartialEq for Predict {
    fn eq(&self, _other: &Predict) -> bool {
        true
    }
}

impl Eq for Predict {}

impl Hash for Predict {
    fn hash<H: Hasher>(&self, _state: &mut H) {}
}

impl Predict {
    /// The model of a path with an optional output.
    fn model(&self, path: &str) -> Result<Arc<TableModel>> {
        let mut models = self.models.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(model) = models.get(path) {
            return Ok(model.clone());
        }
        let model = Arc::new(TableModel::load(path)?);
        models.insert(path.to_string(), model.clone());
        Ok(model)
    }
}

/// The path among constant arguments.
fn path(argument: Option<&ScalarValue>) -> Result<&str> {
    match argument.and_then(|value| value.try_as_str().flatten()) {
        Some(path) => Ok(path),
        None => plan_err!("{PATH_EXPECTED}"),
    }
}

impl ScalarUDFImpl for Predict {
    fn name(&self) -> &str {
        "predict"
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _arguments: &[DataType]) -> Result<DataType> {
        plan_err!("predict: the type follows from the model")
    }

    fn return_field_from_args(&self, arguments: ReturnFieldArgs<'_>) -> Result<FieldRef> {
        let model = self.model(path(arguments.scalar_arguments.first().copied().flatten())?)?;
        let fields = arguments.arg_fields.get(1..).unwrap_or_default();
        let (names, types) = names_and_types(fields);
        model.check_columns(&types, &names)?;
        Ok(Arc::new(Field::new(self.name(), model.output_type().clone(), false)))
    }

    fn invoke_with_args(&self, arguments: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let Some((ColumnarValue::Scalar(constant), columns)) = arguments.args.split_first() else {
            return plan_err!("{PATH_EXPECTED}");
        };
        let model = self.model(path(Some(constant))?)?;
        let columns = columns.iter().map(|column| column.to_array(arguments.number_rows));
        let columns = columns.collect::<Result<Vec<_>>>()?;
        let (names, _) = names_and_types(arguments.arg_fields.get(1..).unwrap_or_default());
        let batch = Batch { columns: &columns, names: &names, rows: arguments.number_rows };
        Ok(ColumnarValue::Array(model.predict(batch)?))
    }
}

fn names_and_types(fields: &[FieldRef]) -> (Vec<&str>, Vec<&DataType>) {
    fields.iter().map(|field| (field.name().as_str(), field.data_type())).unzip()
}
