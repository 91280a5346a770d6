//! The files of a table, and errors with their positions.

use std::fmt::Display;
use std::path::{Path, PathBuf};

use commandline::Failure;
use datafusion::common::{DataFusionError, Result};
use datafusion::prelude::{CsvReadOptions, DataFrame, ParquetReadOptions, SessionConfig, SessionContext};
use onnxc_datafusion::RowError;

/// One file of a table.
pub(crate) struct Source {
    path: PathBuf,
    /// The rows that have been written.
    pub(crate) rows: usize,
}

/// A context that reads files in order, with the types that they have.
pub(crate) fn context() -> SessionContext {
    let config = SessionConfig::new().with_target_partitions(1);
    SessionContext::new_with_config(config.set_bool("datafusion.execution.parquet.schema_force_view_types", false))
}

/// The file, or the visible files of a folder by their names.
pub(crate) fn sources(table: &Path) -> Result<Vec<Source>, Failure> {
    let cannot_read = |error: std::io::Error| Failure::input(format!("{}: cannot be read: {error}", table.display()));
    let mut paths = vec![table.to_path_buf()];
    if table.metadata().map_err(cannot_read)?.is_dir() {
        let entries = std::fs::read_dir(table).map_err(cannot_read)?;
        let entries = entries.map(|entry| entry.map(|entry| entry.path())).collect::<Result<Vec<_>, _>>();
        let is_visible = |path: &PathBuf| path.is_file() && !path.file_name().is_some_and(is_hidden);
        paths = entries.map_err(cannot_read)?.into_iter().filter(is_visible).collect();
        paths.sort();
    }
    match paths.is_empty() {
        true => Err(Failure::input(format!("{}: the folder has no files", table.display()))),
        false => Ok(paths.into_iter().map(|path| Source { path, rows: 0 }).collect()),
    }
}

/// Whether programs that write tables use such names for other files.
fn is_hidden(name: &std::ffi::OsStr) -> bool {
    name.as_encoded_bytes().first().is_some_and(|first| b"._".contains(first))
}

impl Source {
    pub(crate) async fn frame(&self, context: &SessionContext) -> Result<DataFrame> {
        let path = self.path.to_string_lossy().into_owned();
        match self.path.extension() {
            Some(extension) if extension == "csv" => context.read_csv(path, CsvReadOptions::new()).await,
            _ => {
                let any_name = ParquetReadOptions { file_extension: "", ..ParquetReadOptions::default() };
                context.read_parquet(path, any_name).await
            }
        }
    }

    /// The failure of a query, with the number of the row in the file.
    pub(crate) fn query_failure(&self, error: &DataFusionError) -> Failure {
        match RowError::of(error) {
            Some(RowError { row, message, is_null }) => {
                let hint = if *is_null { "; --fill replaces nulls" } else { "" };
                self.failure(&format!("row {}: {message}{hint}", self.rows + row))
            }
            None => self.failure(&format!("after row {}: {}", self.rows, error.message())),
        }
    }

    pub(crate) fn failure(&self, error: &dyn Display) -> Failure {
        Failure::input(format!("{}: {error}", self.path.display()))
    }
}
