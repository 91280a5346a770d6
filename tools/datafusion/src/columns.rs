//! Columns as inputs of models, and outputs as columns.

use std::sync::Arc;

use datafusion::arrow::array::{
    Array, ArrayData, ArrayRef, AsArray, BooleanArray, FixedSizeListArray, GenericListArray, ListArray,
    OffsetSizeTrait, StringArray, make_array,
};
use datafusion::arrow::buffer::{Buffer, MutableBuffer, OffsetBuffer};
use datafusion::arrow::compute::cast;
use datafusion::arrow::datatypes::DataType;
use datafusion::arrow::util::display::array_value_to_string;
use datafusion::common::{Result, exec_err};
use onnxc::{ElementType, Input, Port, Tensor, TensorView};

use crate::error::{RowError, external};

/// Rows that are interleaved at a time, so that they stay in the cache.
const BLOCK: usize = 64;

/// The elements of a column, in the order of its rows.
pub(crate) struct Elements {
    values: Values,
    /// The number of elements in a row.
    width: usize,
}

enum Values {
    /// As tensors have them.
    Bytes(Buffer),
    Strings(StringArray),
}

/// An input of a run, which owns its elements or shares them with a column.
pub(crate) enum Operand {
    Elements(ElementType, Vec<usize>, Buffer),
    Strings(Tensor),
}

/// The type of columns with such elements.
pub(crate) fn column_type(element: ElementType) -> Option<DataType> {
    match element {
        ElementType::F16 => Some(DataType::Float16),
        ElementType::F32 => Some(DataType::Float32),
        ElementType::F64 => Some(DataType::Float64),
        ElementType::I8 => Some(DataType::Int8),
        ElementType::I16 => Some(DataType::Int16),
        ElementType::I32 => Some(DataType::Int32),
        ElementType::I64 => Some(DataType::Int64),
        ElementType::U8 => Some(DataType::UInt8),
        ElementType::U16 => Some(DataType::UInt16),
        ElementType::U32 => Some(DataType::UInt32),
        ElementType::U64 => Some(DataType::UInt64),
        ElementType::Bool => Some(DataType::Boolean),
        ElementType::String => Some(DataType::Utf8),
        _ => None,
    }
}

/// The elements of a column, cast to the type of an input. `name` is the column's in messages.
pub(crate) fn elements(port: &Port, column: &ArrayRef, name: &str) -> Result<Elements> {
    let Some(target) = port.element_type().and_then(column_type) else {
        return exec_err!("predict: input '{}' is not a tensor that columns hold", port.name());
    };
    if let Some(row) = first_null(column) {
        return Err(RowError::null(row, name).into());
    }
    let (values, width) = flattened(column, name)?;
    if let Some(at) = first_null(&values) {
        return Err(RowError::null(at / width, name).into());
    }
    let typed = cast(&values, &target)?;
    if let Some(at) = first_null(&typed) {
        let (value, port) = (array_value_to_string(&values, at)?, port.name());
        let message = format!("column '{name}' is {value}, which is not {target}, the type of input '{port}'");
        return Err(RowError::new(at / width, message).into());
    }
    Ok(Elements { values: stored(&typed, &target), width })
}

/// The first null of an array, also of a dictionary with nulls among its values.
fn first_null(array: &ArrayRef) -> Option<usize> {
    array.logical_nulls().and_then(|nulls| nulls.iter().position(|is_valid| !is_valid))
}

/// The elements of an array without nulls; those of fixed width stay where they are.
fn stored(array: &ArrayRef, element: &DataType) -> Values {
    match element {
        DataType::Utf8 => Values::Strings(array.as_string().clone()),
        DataType::Boolean => {
            Values::Bytes(array.as_boolean().values().iter().map(u8::from).collect::<Vec<u8>>().into())
        }
        _ => {
            let (data, width) = (array.to_data(), element.primitive_width().unwrap_or(1));
            Values::Bytes(data.buffers()[0].slice_with_length(data.offset() * width, data.len() * width))
        }
    }
}

/// The values of a column of lists of equal length, or of another column; and that length, or 1.
fn flattened(column: &ArrayRef, name: &str) -> Result<(ArrayRef, usize)> {
    match column.data_type() {
        DataType::FixedSizeList(_, _) => {
            let lists = column.as_fixed_size_list();
            let width = lists.value_length() as usize;
            Ok((lists.values().slice(lists.value_offset(0) as usize, lists.len() * width), width))
        }
        DataType::List(_) => of_lists(column.as_list::<i32>(), name),
        DataType::LargeList(_) => of_lists(column.as_list::<i64>(), name),
        _ => Ok((column.clone(), 1)),
    }
}

fn of_lists<O: OffsetSizeTrait>(lists: &GenericListArray<O>, name: &str) -> Result<(ArrayRef, usize)> {
    let offsets = lists.value_offsets();
    let mut lengths = offsets.windows(2).map(|pair| (pair[1] - pair[0]).as_usize());
    let width = lists.value_length(0).as_usize();
    if let Some(row) = lengths.position(|length| length != width) {
        let message = format!("column '{name}' has lists of different lengths, {width} elements in the first row");
        return Err(RowError::new(row, message).into());
    }
    Ok((lists.values().slice(offsets[0].as_usize(), lists.len() * width), width))
}

impl Operand {
    /// The input of the elements of one or more columns; those of one column stay where they are.
    pub(crate) fn new(port: &Port, columns: &[Elements], rows: usize) -> Result<Operand> {
        let width = columns.iter().map(|column| column.width).sum();
        let shape = if port.shape().len() == 1 { vec![rows] } else { vec![rows, width] };
        let mut bytes = Vec::new();
        let mut strings = Vec::new();
        for Elements { values, width } in columns {
            match values {
                Values::Bytes(column) => bytes.push((column, column.len() / rows)),
                Values::Strings(column) => strings.push((column, *width)),
            }
        }
        let element = port.element_type().unwrap_or(ElementType::F32);
        match (&bytes[..], &strings[..]) {
            ([(column, _)], []) => Ok(Operand::Elements(element, shape, (*column).clone())),
            (columns, []) => Ok(Operand::Elements(element, shape, interleaved(columns, rows))),
            (_, columns) => Ok(Operand::Strings(tensor_of(columns, &shape, rows)?)),
        }
    }

    /// The input, with its elements in place.
    pub(crate) fn input(&self) -> onnxc::Result<Input<'_>> {
        match self {
            Operand::Elements(element, shape, bytes) => TensorView::from_bytes(*element, shape, bytes).map(Input::from),
            Operand::Strings(tensor) => Ok(Input::from(tensor)),
        }
    }
}

/// The rows of columns with the numbers of bytes in a row of each.
fn interleaved(columns: &[(&Buffer, usize)], rows: usize) -> Buffer {
    let stride: usize = columns.iter().map(|(_, width)| width).sum();
    let mut bytes = MutableBuffer::from_len_zeroed(rows * stride);
    for first in (0..rows).step_by(BLOCK) {
        let block = &mut bytes[first * stride..rows.min(first + BLOCK) * stride];
        let mut at = 0;
        for (column, width) in columns {
            let column = &column[first * width..];
            match width {
                0 => {}
                // with constants, these are loops over words
                4 => scatter(block, stride, at, column, 4),
                8 => scatter(block, stride, at, column, 8),
                _ => scatter(block, stride, at, column, *width),
            }
            at += width;
        }
    }
    bytes.into()
}

/// Writes elements of a width to a column of a block of rows.
#[inline(always)]
fn scatter(block: &mut [u8], stride: usize, at: usize, column: &[u8], width: usize) {
    for (row, element) in block.chunks_exact_mut(stride).zip(column.chunks_exact(width)) {
        row[at..at + width].copy_from_slice(element);
    }
}

/// The rows of columns of strings with the numbers of strings in a row of each.
fn tensor_of(columns: &[(&StringArray, usize)], shape: &[usize], rows: usize) -> Result<Tensor> {
    let row = |row: usize| {
        columns.iter().flat_map(move |(column, width)| (row * width..(row + 1) * width).map(move |at| column.value(at)))
    };
    let strings: Vec<&str> = (0..rows).flat_map(row).collect();
    Tensor::from_strings(shape, &strings).map_err(external)
}

/// An output as a column of a type; elements of fixed width stay where they are.
pub(crate) fn column(tensor: Tensor, r#type: &DataType) -> Result<ArrayRef> {
    match r#type {
        DataType::FixedSizeList(field, width) => {
            let values = values(tensor, field.data_type())?;
            Ok(Arc::new(FixedSizeListArray::try_new(field.clone(), *width, values, None)?))
        }
        DataType::List(field) => {
            let [rows, width] = *tensor.shape() else { return exec_err!("predict: the output does not have two axes") };
            let offsets = OffsetBuffer::from_lengths(std::iter::repeat_n(width, rows));
            Ok(Arc::new(ListArray::try_new(field.clone(), offsets, values(tensor, field.data_type())?, None)?))
        }
        element => values(tensor, element),
    }
}

fn values(tensor: Tensor, element: &DataType) -> Result<ArrayRef> {
    match element {
        DataType::Utf8 => Ok(Arc::new(StringArray::from(tensor.to_strings().map_err(external)?))),
        DataType::Boolean => {
            Ok(Arc::new(tensor.as_bytes().iter().map(|&byte| Some(byte != 0)).collect::<BooleanArray>()))
        }
        _ => {
            let data = ArrayData::builder(element.clone()).len(tensor.len()).align_buffers(true);
            let buffer = Buffer::from(bytes::Bytes::from_owner(Owner(tensor)));
            Ok(make_array(data.add_buffer(buffer).build()?))
        }
    }
}

/// The bytes of a tensor, for arrays that share them.
struct Owner(Tensor);

impl AsRef<[u8]> for Owner {
    fn as_ref(&self) -> &[u8] {
        self.0.as_bytes()
    }
}

#[cfg(test)]
mod tests {
    use datafusion::arrow::array::Float32Array;
    use datafusion::arrow::datatypes::{Field, Float32Type};

    use super::*;

    const MODEL: &str =
        "<ir_version: 10, opset_import: [\"\": 21]> g (float[N, K] x) => (float[N, K] y) { y = Neg(x) }";

    /// The address of the elements that a run reads.
    fn address(column: &ArrayRef) -> *const u8 {
        let model = onnxc::Model::from_bytes(MODEL).expect("it is a model");
        let compiled = onnxc::Compiler::new().compile(&model).expect("it is valid");
        let port = &compiled.inputs()[0];
        let elements = elements(port, column, "a").expect("the column has no nulls");
        match Operand::new(port, &[elements], column.len()).expect("it is an input") {
            Operand::Elements(_, _, bytes) => bytes.as_ptr(),
            Operand::Strings(_) => panic!("it has float32 elements"),
        }
    }

    #[test]
    fn columns_of_the_type_of_an_input_are_read_in_place() {
        let values = Float32Array::from_iter_values((0..8u8).map(f32::from));
        let first: *const f32 = values.values().as_ptr();
        let field = Arc::new(Field::new_list_field(DataType::Float32, true));
        let lists = FixedSizeListArray::new(field.clone(), 2, Arc::new(values.clone()), None);
        let offsets = OffsetBuffer::from_lengths([2, 2, 2, 2]);
        let variable = ListArray::new(field, offsets, Arc::new(values.clone()), None);
        let columns: [(ArrayRef, usize); 3] =
            [(Arc::new(values.slice(2, 3)), 2), (Arc::new(lists.slice(1, 2)), 2), (Arc::new(variable.slice(3, 1)), 6)];
        for (column, start) in columns {
            assert_eq!(address(&column), first.wrapping_add(start).cast(), "{}", column.data_type());
        }
        let doubles: ArrayRef = cast(&values, &DataType::Float64).expect("floats can be cast");
        assert_ne!(address(&doubles), first.cast());
    }

    #[test]
    fn outputs_are_not_copied() {
        let tensor = Tensor::from_slice(&[2, 2], &[1.0f32, 2.0, 3.0, 4.0]).expect("it has four elements");
        let address = tensor.as_bytes().as_ptr();
        let field = Arc::new(Field::new_list_field(DataType::Float32, false));
        let lists = column(tensor, &DataType::FixedSizeList(field, 2)).expect("it has two rows");
        let values: *const f32 = lists.as_fixed_size_list().values().as_primitive::<Float32Type>().values().as_ptr();
        assert_eq!(values.cast(), address);
    }
}
