//! Element type and shape of a tensor.

use std::ffi::{CString, c_char};

use onnxc::Dimension;
use ort_sys::{ONNXTensorElementDataType, OrtErrorCode, OrtTensorTypeAndShapeInfo};

use crate::element;
use crate::raw::{Enum, List, Out, Released, Space};
use crate::status::{Result, Status, c_text};

/// Element type and shape of a tensor.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TensorInfo {
    element: ONNXTensorElementDataType,
    /// Extents; -1 if unknown. `None` if the rank is unknown.
    shape: Option<Vec<i64>>,
    /// Symbolic names of the extents; empty if there is none.
    names: Vec<CString>,
}

handles! { TensorInfo => OrtTensorTypeAndShapeInfo }

impl TensorInfo {
    /// Element type and shape of a value.
    pub(crate) fn of_value(element: ONNXTensorElementDataType, shape: &[i64]) -> TensorInfo {
        TensorInfo::of_parts(element, Some(shape))
    }

    /// An element type, and extents if the rank is known.
    pub(crate) fn of_parts(element: ONNXTensorElementDataType, shape: Option<&[i64]>) -> TensorInfo {
        let names = vec![CString::default(); shape.unwrap_or_default().len()];
        TensorInfo { element, shape: shape.map(<[i64]>::to_vec), names }
    }

    /// Element type and shape of an input or an output.
    pub(crate) fn of_type(element: onnxc::ElementType, shape: Option<&[Dimension]>) -> TensorInfo {
        let extent = |dimension: &Dimension| match dimension {
            Dimension::Fixed(extent) => i64::try_from(*extent).unwrap_or(-1),
            _ => -1,
        };
        let name = |dimension: &Dimension| match dimension {
            Dimension::Named(name) => c_text(name),
            _ => CString::default(),
        };
        TensorInfo {
            element: element::code(element),
            shape: shape.map(|shape| shape.iter().map(extent).collect()),
            names: shape.unwrap_or_default().iter().map(name).collect(),
        }
    }

    /// The extents as the compiler represents them; `None` if the rank is unknown.
    pub(crate) fn dimensions(&self) -> Option<Vec<Dimension>> {
        let dimension = |(&extent, name): (&i64, &CString)| match (usize::try_from(extent), name.to_str()) {
            (_, Ok(name)) if !name.is_empty() => Dimension::Named(name.to_string()),
            (Ok(extent), _) => Dimension::Fixed(extent),
            (Err(_), _) => Dimension::Unknown,
        };
        Some(self.shape.as_ref()?.iter().zip(&self.names).map(dimension).collect())
    }

    /// The element type.
    pub(crate) fn element(&self) -> ONNXTensorElementDataType {
        self.element
    }

    fn extents(&self) -> &[i64] {
        self.shape.as_deref().unwrap_or_default()
    }

    /// The number of elements; an error if an extent is unknown.
    fn count(&self) -> Result<usize> {
        let extents = self.extents();
        let count = extents.iter().try_fold(1usize, |count, &extent| count.checked_mul(usize::try_from(extent).ok()?));
        let unknown = || format!("the shape {extents:?} does not have a known number of elements");
        count.ok_or_else(|| Status::new(OrtErrorCode::ORT_FAIL, unknown()))
    }

    fn set_names(&mut self, names: &[&str]) -> Result<()> {
        if names.len() != self.extents().len() {
            return Err(Status::invalid(format!("{} names for {} dimensions", names.len(), self.extents().len())));
        }
        self.names = names.iter().copied().map(c_text).collect();
        Ok(())
    }
}

entries! {
    /// Creates one with an undefined element type and rank 0.
    fn CreateTensorTypeAndShapeInfo(out: Out<*mut OrtTensorTypeAndShapeInfo>) {
        out.give(TensorInfo::of_value(ONNXTensorElementDataType::ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED, &[]))
    }

    /// Sets the element type.
    fn SetTensorElementType(info: &mut TensorInfo, type_: Enum<ONNXTensorElementDataType>) {
        info.element = element::code_of_number(type_.0);
        Ok(())
    }

    /// Sets the extents.
    fn SetDimensions(info: &mut TensorInfo, dim_values: List<'_, i64>, dim_count: usize) {
        *info = TensorInfo::of_value(info.element, dim_values.read(dim_count)?);
        Ok(())
    }

    /// Sets the symbolic names of all extents.
    fn SetSymbolicDimensions(info: &mut TensorInfo, dim_params: Space<'_, *const c_char>, dim_params_length: usize) {
        info.set_names(&dim_params.texts(dim_params_length)?)
    }

    /// Returns the element type.
    fn GetTensorElementType(info: &TensorInfo, out: Out<ONNXTensorElementDataType>) { out.set(info.element) }

    /// Returns the rank.
    fn GetDimensionsCount(info: &TensorInfo, out: Out<usize>) { out.set(info.extents().len()) }

    /// Returns the extents, at most `dim_values_length`.
    fn GetDimensions(info: &TensorInfo, dim_values: Space<'_, i64>, dim_values_length: usize) {
        let extents = info.extents();
        dim_values.write(&extents[..extents.len().min(dim_values_length)])
    }

    /// Returns the symbolic names of the extents, which are valid as long as `info`.
    fn GetSymbolicDimensions(info: &TensorInfo, dim_params: Space<'_, *const c_char>, dim_params_length: usize) {
        let names: Vec<*const c_char> = info.names.iter().take(dim_params_length).map(|name| name.as_ptr()).collect();
        dim_params.write(&names)
    }

    /// Returns the number of elements.
    fn GetTensorShapeElementCount(info: &TensorInfo, out: Out<usize>) { out.set(info.count()?) }

    /// Returns whether the rank is known.
    fn TensorTypeAndShape_HasShape(info: &TensorInfo) -> bool { info.shape.is_some() } else { false }

    /// Releases one.
    fn ReleaseTensorTypeAndShapeInfo(_input: Released<TensorInfo>) -> () {} else {}
}
