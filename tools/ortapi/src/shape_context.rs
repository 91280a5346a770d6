//! Contexts of shape inference of custom operators.

use std::ffi::c_int;
use std::sync::{Mutex, PoisonError};

use onnxc::{CustomNode, Dimension, ElementType, NodeValue};
use ort_sys::{ONNXTensorElementDataType, OrtErrorCode, OrtOpAttr, OrtTensorTypeAndShapeInfo};

use crate::element;
use crate::operator_attribute::OperatorAttribute;
use crate::raw::{Out, Text, lent};
use crate::status::Status;
use crate::tensor_info::TensorInfo;

/// What shape inference of a node reads and writes.
pub(crate) struct ShapeContext {
    inputs: Vec<TensorInfo>,
    attributes: Vec<OperatorAttribute>,
    outputs: Mutex<Vec<Option<TensorInfo>>>,
}

handles! { ShapeContext => OrtShapeInferContext }

impl ShapeContext {
    pub(crate) fn new(node: &CustomNode) -> ShapeContext {
        let undefined = ONNXTensorElementDataType::ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
        let input = |input: &Option<NodeValue>| match input.as_ref().map(|input| (input.element_type(), input.shape()))
        {
            Some((Some(element), shape)) => TensorInfo::of_type(element, shape),
            _ => TensorInfo::of_parts(undefined, None),
        };
        ShapeContext {
            inputs: node.inputs().iter().map(input).collect(),
            attributes: node.attributes().map(|(name, value)| OperatorAttribute::new(name, value)).collect(),
            outputs: Mutex::new(vec![None; node.outputs().len()]),
        }
    }

    /// Element type and extents of each output that the operator set.
    #[expect(clippy::type_complexity, reason = "it is a list of optional pairs")]
    pub(crate) fn take(&mut self) -> Vec<Option<(Option<ElementType>, Option<Vec<Dimension>>)>> {
        let outputs = self.outputs.get_mut().unwrap_or_else(PoisonError::into_inner);
        let parts = |info: TensorInfo| (element::of_number(info.element() as c_int).ok(), info.dimensions());
        outputs.drain(..).map(|info| info.map(parts)).collect()
    }
}

entries! {
    /// Returns the number of inputs, also missing ones.
    fn ShapeInferContext_GetInputCount(context: &ShapeContext, out: Out<usize>) { out.set(context.inputs.len()) }

    /// Returns type and shape of an input, which are valid during shape inference.
    fn ShapeInferContext_GetInputTypeShape(
        context: &ShapeContext, index: usize, info: Out<*mut OrtTensorTypeAndShapeInfo>,
    ) {
        let outside = || Status::invalid(format!("input {index} is out of range: there are {}", context.inputs.len()));
        info.set(lent(context.inputs.get(index).ok_or_else(outside)?).cast_mut())
    }

    /// Returns an attribute, which is valid during shape inference.
    fn ShapeInferContext_GetAttribute(context: &ShapeContext, attr_name: Text<'_>, attr: Out<*const OrtOpAttr>) {
        let own = context.attributes.iter().find(|attribute| attribute.is_named(attr_name.0));
        let missing = || Status::new(OrtErrorCode::ORT_FAIL, format!("attribute '{}' does not exist", attr_name.0));
        attr.lend(Some(own.ok_or_else(missing)?))
    }

    /// Sets type and shape of an output. A name of a dimension is that of a dimension of the model.
    fn ShapeInferContext_SetOutputTypeShape(
        context: &ShapeContext, index: usize, info: &TensorInfo,
    ) {
        let mut outputs = context.outputs.lock().unwrap_or_else(PoisonError::into_inner);
        // the node may omit outputs at the end
        if let Some(output) = outputs.get_mut(index) {
            *output = Some(info.clone());
        }
        Ok(())
    }
}
