//! Errors with the row that they are about.

use std::error::Error;
use std::fmt;

use datafusion::common::DataFusionError;

/// An error of one row. [`RowError::of`] finds it in an error of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowError {
    /// The row, from 0, in its batch.
    pub row: usize,
    /// What is wrong with it.
    pub message: String,
    /// Whether a column is null that must not be.
    pub is_null: bool,
}

impl RowError {
    pub(crate) fn new(row: usize, message: String) -> RowError {
        RowError { row, message, is_null: false }
    }

    pub(crate) fn null(row: usize, column: &str) -> RowError {
        RowError { row, message: format!("column '{column}' is null"), is_null: true }
    }

    /// The error of a row that an error of a query comes from, if any.
    pub fn of(error: &DataFusionError) -> Option<&RowError> {
        match error.find_root() {
            DataFusionError::External(error) => error.downcast_ref(),
            _ => None,
        }
    }
}

impl fmt::Display for RowError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hint = if self.is_null { "; coalesce replaces nulls" } else { "" };
        write!(f, "predict: row {} of the batch: {}{hint}", self.row, self.message)
    }
}

impl Error for RowError {}

impl From<RowError> for DataFusionError {
    fn from(error: RowError) -> DataFusionError {
        DataFusionError::External(Box::new(error))
    }
}

/// An error of the library as one of a query.
pub(crate) fn external(error: onnxc::Error) -> DataFusionError {
    DataFusionError::External(Box::new(error))
}
