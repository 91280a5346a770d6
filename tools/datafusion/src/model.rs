//! A compiled model with the columns that its inputs take.

use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use datafusion::arrow::array::{ArrayRef, new_empty_array};
use datafusion::arrow::compute::can_cast_types;
use datafusion::arrow::datatypes::{DataType, Field};
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::common::{Result, exec_err, plan_err};
use onnxc::{Builder, CompiledModel, Compiler, Dimension, ErrorKind, Model, Port, Session, Value};

use crate::columns::{self, Operand, column_type};
use crate::error::{RowError, external};

/// The columns of a row that an error shows.
const SHOWN: usize = 8;

/// A model, one of its outputs, and its idle sessions.
pub(crate) struct TableModel {
    path: String,
    /// It has all inputs of the model, but computes only the output.
    model: CompiledModel,
    output: Port,
    output_type: DataType,
    idle: Mutex<Vec<Session>>,
}

/// The columns of a batch with their names.
#[derive(Clone, Copy)]
pub(crate) struct Batch<'a> {
    pub(crate) columns: &'a [ArrayRef],
    pub(crate) names: &'a [&'a str],
    pub(crate) rows: usize,
}

impl TableModel {
    /// Compiles the model of `PATH` or `PATH#OUTPUT`.
    pub(crate) fn load(text: &str) -> Result<TableModel> {
        let (path, output) = match text.rsplit_once('#') {
            Some((path, output)) if !Path::new(text).exists() => (path, Some(output)),
            _ => (text, None),
        };
        let model = Model::load(path).map_err(external)?;
        let whole = compiler().build().compile(&model).map_err(external)?;
        let outputs = whole.outputs();
        let Some(port) = outputs.iter().find(|port| output.is_none_or(|name| port.name() == name)) else {
            let names: Vec<&str> = outputs.iter().map(Port::name).collect();
            return plan_err!("predict: {text}: the outputs of the model are {}", names.join(", "));
        };
        let (output, output_type) = (port.clone(), output_type(path, port)?);
        let model = match outputs.len() {
            1 => whole,
            _ => compiler().outputs([output.name()]).build().compile(&model).map_err(external)?,
        };
        Ok(TableModel { path: path.to_string(), model, output, output_type, idle: Mutex::default() })
    }

    /// The type of the column of the output.
    pub(crate) fn output_type(&self) -> &DataType {
        &self.output_type
    }

    /// The inputs that columns are for.
    fn inputs(&self) -> impl Iterator<Item = &Port> {
        self.model.inputs().iter().filter(|port| port.default().is_none())
    }

    /// The columns of each input, as ranges.
    fn ranges(&self, columns: &[&DataType]) -> Result<Vec<Range<usize>>> {
        let count = self.inputs().count();
        let (mut ranges, mut next) = (Vec::new(), 0);
        for (at, port) in self.inputs().enumerate() {
            let remaining = columns.get(next..).unwrap_or_default();
            let width = self.width(port, remaining, at + 1 == count)?;
            ranges.push(next..next + width);
            next += width;
        }
        if next != columns.len() {
            return plan_err!("predict: {}: the model takes {next} columns, not {}", self.path, columns.len());
        }
        Ok(ranges)
    }

    /// The number of columns that an input takes of the remaining ones.
    fn width(&self, port: &Port, remaining: &[&DataType], is_last: bool) -> Result<usize> {
        let is_list = remaining.first().is_some_and(|column| element_of(column).is_some());
        let problem = match port.shape() {
            [_] if is_list => "has one axis, so it does not take lists".to_string(),
            [_] => return Ok(1),
            [_, _] if is_list => return Ok(1),
            [_, Dimension::Fixed(width)] => return Ok(*width),
            [_, _] if is_last => return Ok(remaining.len()),
            [_, _] => "is not the last and has any number of columns, so it takes a list".to_string(),
            shape => format!("has {} axes, not 1 or 2", shape.len()),
        };
        plan_err!("predict: {}: input '{}' {problem}", self.path, port.name())
    }

    /// Checks the number and types of columns.
    pub(crate) fn check_columns(&self, columns: &[&DataType], names: &[&str]) -> Result<()> {
        let ranges = self.ranges(columns)?;
        for (port, range) in self.inputs().zip(ranges) {
            if let Some(Dimension::Fixed(extent)) = port.shape().first() {
                let name = port.name();
                return plan_err!("predict: {}: input '{name}' has {extent} rows, not any number", self.path);
            }
            let Some(target) = port.element_type().and_then(column_type) else {
                return plan_err!("predict: {}: input '{}' is not a tensor that columns hold", self.path, port.name());
            };
            for at in range {
                let found = element_of(columns[at]).unwrap_or(columns[at]);
                if !can_cast_types(found, &target) {
                    let port = port.name();
                    return plan_err!("predict: column '{}' is {found}, input '{port}' takes {target}", names[at]);
                }
            }
        }
        Ok(())
    }

    /// The output for the rows of a batch.
    pub(crate) fn predict(&self, batch: Batch<'_>) -> Result<ArrayRef> {
        if batch.rows == 0 {
            return Ok(new_empty_array(&self.output_type));
        }
        let operands = self.operands(batch)?;
        let value = self.run(&operands).map_err(|error| match self.refused_row(batch, &error) {
            Some(row) => RowError::new(row, self.refusal(batch, row, &error)).into(),
            None => external(error),
        })?;
        let Some(Value::Tensor(tensor)) = value else {
            return exec_err!("predict: {}: output '{}' is not a tensor", self.path, self.output.name());
        };
        let width = match self.output_type {
            DataType::FixedSizeList(_, width) => Some(width as usize),
            DataType::List(_) => None,
            _ => Some(1),
        };
        let is_expected = width.is_none_or(|width| tensor.len() == batch.rows * width);
        if tensor.shape().first() != Some(&batch.rows) || !is_expected {
            let shape = tensor.shape();
            return exec_err!("predict: {}: the output has the shape {shape:?} for {} rows", self.path, batch.rows);
        }
        columns::column(tensor, &self.output_type)
    }

    /// The inputs of a run.
    fn operands(&self, batch: Batch<'_>) -> Result<Vec<(&str, Operand)>> {
        let types: Vec<&DataType> = batch.columns.iter().map(|column| column.data_type()).collect();
        let ranges = self.ranges(&types)?;
        let operands = self.inputs().zip(ranges).map(|(port, range)| {
            let elements = range.map(|at| columns::elements(port, &batch.columns[at], batch.names[at]));
            Ok((port.name(), Operand::new(port, &elements.collect::<Result<Vec<_>>>()?, batch.rows)?))
        });
        operands.collect()
    }

    /// The output of a run.
    fn run(&self, operands: &[(&str, Operand)]) -> onnxc::Result<Option<Value>> {
        let inputs = operands.iter().map(|(name, operand)| Ok((*name, operand.input()?)));
        let inputs = inputs.collect::<onnxc::Result<Vec<_>>>()?;
        let outputs = self.with_session(|session| session.run(inputs))?;
        Ok(outputs.into_values().into_iter().next())
    }

    /// The first row that the model refuses if it is alone, by bisection; `None` if the error is not about a row.
    fn refused_row(&self, batch: Batch<'_>, error: &onnxc::Error) -> Option<usize> {
        if error.kind() != ErrorKind::InvalidInput {
            return None;
        }
        let is_refused = |start: usize, length: usize| {
            let columns: Vec<ArrayRef> = batch.columns.iter().map(|column| column.slice(start, length)).collect();
            let operands = self.operands(Batch { columns: &columns, rows: length, ..batch });
            operands.is_ok_and(|operands| self.run(&operands).is_err())
        };
        let (mut start, mut length) = (0, batch.rows);
        while length > 1 {
            let half = length / 2;
            (start, length) = if is_refused(start, half) { (start, half) } else { (start + half, length - half) };
        }
        is_refused(start, 1).then_some(start)
    }

    /// The message for a row that the model refuses, without notes, which are about the whole batch.
    fn refusal(&self, batch: Batch<'_>, row: usize, error: &onnxc::Error) -> String {
        let problems = error.problems().iter().map(|problem| problem.message.as_str());
        format!("{}: {}: {}", self.path, shown(batch, row), problems.collect::<Vec<_>>().join("; "))
    }

    /// Calls a function with exclusive access to a session.
    fn with_session<T>(&self, f: impl FnOnce(&mut Session) -> T) -> T {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut session = idle.unwrap_or_else(|| self.model.session());
        let result = f(&mut session);
        self.idle.lock().unwrap_or_else(PoisonError::into_inner).push(session);
        result
    }
}

/// The query has a thread for each partition, so a run has one.
fn compiler() -> Builder {
    Compiler::builder().threads(1)
}

/// The type of the column of an output.
fn output_type(path: &str, port: &Port) -> Result<DataType> {
    let Some(element) = port.element_type().and_then(column_type) else {
        return plan_err!("predict: {path}: output '{}' is not a tensor that columns hold", port.name());
    };
    let field = |element| Arc::new(Field::new_list_field(element, false));
    match port.shape() {
        [_] | [_, Dimension::Fixed(1)] => Ok(element),
        [_, Dimension::Fixed(width)] if i32::try_from(*width).is_ok() => {
            Ok(DataType::FixedSizeList(field(element), *width as i32))
        }
        [_, _] => Ok(DataType::List(field(element))),
        shape => plan_err!("predict: {path}: output '{}' has {} axes, not 1 or 2", port.name(), shape.len()),
    }
}

/// The type of the elements of lists.
fn element_of(column: &DataType) -> Option<&DataType> {
    match column {
        DataType::List(field) | DataType::LargeList(field) | DataType::FixedSizeList(field, _) => {
            Some(field.data_type())
        }
        _ => None,
    }
}

/// The first values of a row, with the names of their columns.
fn shown(batch: Batch<'_>, row: usize) -> String {
    let value = |column: &ArrayRef| array_value_to_string(column, row).unwrap_or_default();
    let cells = batch.names.iter().zip(batch.columns).map(|(name, column)| format!("{name} = {}", value(column)));
    let mut cells: Vec<String> = cells.take(SHOWN).collect();
    if batch.columns.len() > SHOWN {
        cells.push("…".into());
    }
    cells.join(", ")
}
