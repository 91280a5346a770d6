//! Kernel information: the node of a kernel of a custom operator.

use std::ffi::{c_char, c_int};
use std::sync::Arc;

use onnxc::{Attribute, CustomNode, Dimension, ElementType, NodeValue};
use ort_sys::{ONNXTensorElementDataType, OrtErrorCode, OrtKernelInfo, OrtLogger, OrtTypeInfo, OrtValue};

use crate::env::Logging;
use crate::memory::Allocator;
use crate::raw::{Out, Released, Space, Text};
use crate::status::{Result, Status};
use crate::tensor_info::TensorInfo;
use crate::type_info::TypeInfo;
use crate::value::Value;

/// Element type and extents of an output.
pub(crate) type Output = (ElementType, Option<Vec<Dimension>>);

/// The node of a kernel. Clones share it.
#[derive(Clone)]
pub(crate) struct KernelInfo {
    node: Arc<Node>,
    pub(crate) logging: Arc<Logging>,
}

struct Node {
    node: CustomNode,
    domain: String,
    operator: String,
    since: i64,
    constants: Vec<Option<Value>>,
    outputs: Vec<Output>,
}

handles! { KernelInfo => OrtKernelInfo }

impl KernelInfo {
    /// The information for a node that calls the operator with a domain and a name.
    pub(crate) fn new(
        node: &CustomNode,
        [domain, operator]: [&str; 2],
        since: i64,
        outputs: Vec<Output>,
        logging: Arc<Logging>,
    ) -> Result<KernelInfo> {
        let constant = |input: &Option<NodeValue>| input.as_ref().and_then(NodeValue::constant).cloned();
        let constants = node.inputs().iter().map(|input| constant(input).map(Value::of_tensor).transpose());
        let node = Node {
            node: node.clone(),
            domain: domain.to_string(),
            operator: operator.to_string(),
            since,
            constants: constants.collect::<Result<_>>()?,
            outputs,
        };
        Ok(KernelInfo { node: Arc::new(node), logging })
    }

    fn node(&self) -> &CustomNode {
        &self.node.node
    }

    /// The value of an attribute, if it has the type that the function selects.
    fn attribute<'a, T>(&'a self, name: &str, select: impl FnOnce(&'a Attribute) -> Option<T>) -> Result<T> {
        let fail = |what: &str| Status::new(OrtErrorCode::ORT_FAIL, format!("attribute '{name}' {what}"));
        let value = self.node().attribute(name).ok_or_else(|| fail("does not exist"))?;
        select(value).ok_or_else(|| fail("has another type"))
    }

    fn input(&self, index: usize) -> Result<Option<&NodeValue>> {
        at(self.node().inputs(), index, "input").map(Option::as_ref)
    }

    fn output(&self, index: usize) -> Result<Option<&NodeValue>> {
        at(self.node().outputs(), index, "output").map(Option::as_ref)
    }
}

/// An element of a list.
fn at<'a, T>(list: &'a [T], index: usize, what: &str) -> Result<&'a T> {
    let outside = || Status::invalid(format!("{what} index {index} is out of range: the node has {}", list.len()));
    list.get(index).ok_or_else(outside)
}

fn name(value: Option<&NodeValue>) -> &[u8] {
    value.map_or("", NodeValue::name).as_bytes()
}

entries! {
    /// Returns an attribute of type `FLOAT`.
    fn KernelInfoGetAttribute_float(info: &KernelInfo, name: Text<'_>, out: Out<f32>) {
        out.set(info.attribute(name.0, |value| if let Attribute::Float(value) = value { Some(*value) } else { None })?)
    }

    /// Returns an attribute of type `INT`.
    fn KernelInfoGetAttribute_int64(info: &KernelInfo, name: Text<'_>, out: Out<i64>) {
        out.set(info.attribute(name.0, |value| if let Attribute::Integer(value) = value { Some(*value) } else { None })?)
    }

    /// Returns an attribute of type `STRING`, or its size with the terminator if the memory is null.
    fn KernelInfoGetAttribute_string(
        info: &KernelInfo, name: Text<'_>, out: Space<'_, c_char>, size: Out<usize>,
    ) {
        let text = info.attribute(name.0, |value| if let Attribute::String(text) = value { Some(text) } else { None })?;
        out.fill_text(text, &size)
    }

    /// Returns an attribute of type `FLOATS`, or its length if the memory is null.
    fn KernelInfoGetAttributeArray_float(
        info: &KernelInfo, name: Text<'_>, out: Space<'_, f32>, size: Out<usize>,
    ) {
        let values = info.attribute(name.0, |value| if let Attribute::Floats(values) = value { Some(values) } else { None });
        out.fill(values?, &size)
    }

    /// Returns an attribute of type `INTS`, or its length if the memory is null.
    fn KernelInfoGetAttributeArray_int64(
        info: &KernelInfo, name: Text<'_>, out: Space<'_, i64>, size: Out<usize>,
    ) {
        let values = info.attribute(name.0, |value| if let Attribute::Integers(values) = value { Some(values) } else { None });
        out.fill(values?, &size)
    }

    /// Returns an attribute of type `STRINGS` in memory of the allocator; null if it is empty.
    fn KernelInfoGetAttributeArray_string(
        info: &KernelInfo, name: Text<'_>, allocator: Allocator, out: Out<*mut *mut c_char>, size: Out<usize>,
    ) {
        let values = info.attribute(name.0, |value| if let Attribute::Strings(values) = value { Some(values) } else { None });
        let copy = |text: &Vec<u8>| allocator.copy(&[text, &[0][..]].concat()).map(<*mut u8>::cast::<c_char>);
        let texts = values?.iter().map(copy).collect::<Result<Vec<_>>>()?;
        size.set(texts.len())?;
        out.set(if texts.is_empty() { std::ptr::null_mut() } else { allocator.copy(&texts)? })
    }

    /// Returns a copy of an attribute of type `TENSOR`.
    fn KernelInfoGetAttribute_tensor(
        info: &KernelInfo, name: Text<'_>, allocator: Allocator, out: Out<*mut OrtValue>,
    ) {
        let select = |value: &Attribute| if let Attribute::Tensor(tensor) = value { Some(tensor.clone()) } else { None };
        out.give(Value::of_tensor(info.attribute(name.0, select)?)?.copied(allocator)?)
    }

    /// Returns the number of inputs, also missing ones.
    fn KernelInfo_GetInputCount(info: &KernelInfo, out: Out<usize>) { out.set(info.node().inputs().len()) }

    /// Returns the number of outputs, also omitted ones.
    fn KernelInfo_GetOutputCount(info: &KernelInfo, out: Out<usize>) { out.set(info.node().outputs().len()) }

    /// Returns the name of an input, which is empty if the input is missing.
    fn KernelInfo_GetInputName(info: &KernelInfo, index: usize, out: Space<'_, c_char>, size: Out<usize>) {
        out.fill_text(name(info.input(index)?), &size)
    }

    /// Returns the name of an output, which is empty if the node omits it.
    fn KernelInfo_GetOutputName(info: &KernelInfo, index: usize, out: Space<'_, c_char>, size: Out<usize>) {
        out.fill_text(name(info.output(index)?), &size)
    }

    /// Returns the type of an input.
    fn KernelInfo_GetInputTypeInfo(info: &KernelInfo, index: usize, type_info: Out<*mut OrtTypeInfo>) {
        let undefined = ONNXTensorElementDataType::ONNX_TENSOR_ELEMENT_DATA_TYPE_UNDEFINED;
        let input = info.input(index)?;
        let tensor = match input.and_then(NodeValue::element_type) {
            Some(element) => TensorInfo::of_type(element, input.and_then(NodeValue::shape)),
            None => TensorInfo::of_parts(undefined, None),
        };
        type_info.give(TypeInfo::Tensor(tensor))
    }

    /// Returns the type of an output.
    fn KernelInfo_GetOutputTypeInfo(info: &KernelInfo, index: usize, type_info: Out<*mut OrtTypeInfo>) {
        let (element, shape) = at(&info.node.outputs, index, "output")?;
        type_info.give(TypeInfo::Tensor(TensorInfo::of_type(*element, shape.as_deref())))
    }

    /// Returns the name of the node.
    fn KernelInfo_GetNodeName(info: &KernelInfo, out: Space<'_, c_char>, size: Out<usize>) {
        out.fill_text(info.node().name().as_bytes(), &size)
    }

    /// Returns the domain of the operator.
    fn KernelInfo_GetOperatorDomain(info: &KernelInfo, out: Space<'_, c_char>, size: Out<usize>) {
        out.fill_text(info.node.domain.as_bytes(), &size)
    }

    /// Returns the name of the operator.
    fn KernelInfo_GetOperatorType(info: &KernelInfo, out: Space<'_, c_char>, size: Out<usize>) {
        out.fill_text(info.node.operator.as_bytes(), &size)
    }

    /// Returns the first version of the domain that has the operator.
    fn KernelInfo_GetOperatorSinceVersion(info: &KernelInfo, since_version: Out<i32>) {
        since_version.set(i32::try_from(info.node.since).unwrap_or(i32::MAX))
    }

    /// Returns the logger of the session.
    fn KernelInfo_GetLogger(info: &KernelInfo, logger: Out<*const OrtLogger>) { logger.lend(Some(&*info.logging)) }

    /// Returns an input that is an initializer, which is valid as long as the kernel.
    fn KernelInfoGetConstantInput_tensor(
        info: &KernelInfo, index: usize, is_constant: Out<c_int>, out: Out<*const OrtValue>,
    ) {
        let value = at(&info.node.constants, index, "input")?;
        is_constant.set(c_int::from(value.is_some()))?;
        out.lend(value.as_ref())
    }

    /// Copies kernel information.
    fn CopyKernelInfo(info: &KernelInfo, info_copy: Out<*mut OrtKernelInfo>) { info_copy.give(info.clone()) }

    /// Releases a copy.
    fn ReleaseKernelInfo(_input: Released<KernelInfo>) -> () {} else {}
}
