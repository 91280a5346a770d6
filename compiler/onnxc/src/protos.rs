//! Conversions from and to types of protobuf, for models with custom operators.

use driver::{Extent, Options, Port, Tensor};
use proto::{DimensionValue, TensorProto, TensorShapeProto, TensorValue, Tensors, TypeProto, TypeTensor, TypeValue};

use crate::divided::unsupported;
use crate::{Dimension, ElementType};

/// A tensor of a model. The error describes what is wrong with it.
pub(crate) fn tensor_of(tensors: &mut Tensors, proto: &TensorProto) -> Result<Tensor, String> {
    let element = driver::element_type(proto.data_type).ok_or("has an unknown element type")?;
    Ok(match tensors.value(proto)? {
        TensorValue::Dense(dense) => Tensor { element, shape: dense.shape, data: dense.data },
        TensorValue::Strings(shape, texts) => {
            let r#type = driver::Type::static_tensor(&shape, element.clone());
            Tensor { element, data: driver::DenseElements::from_strings(r#type, &texts).data, shape }
        }
    })
}

/// Element type and extents of a tensor type, as far as they are known.
pub(crate) fn tensor_parts(r#type: &TypeProto) -> (Option<ElementType>, Option<Vec<Dimension>>) {
    let Some(TypeValue::Tensor(tensor)) = &r#type.value else { return (None, None) };
    let dimension = |dim: &proto::Dimension| match &dim.value {
        Some(DimensionValue::Value(extent)) => usize::try_from(*extent).map_or(Dimension::Unknown, Dimension::Fixed),
        Some(DimensionValue::Param(name)) if !name.is_empty() => Dimension::Named(name.clone()),
        Some(DimensionValue::Param(_)) | None => Dimension::Unknown,
    };
    let shape = tensor.shape.as_ref().map(|shape| shape.dim.iter().map(dimension).collect());
    (ElementType::from_onnx_number(tensor.elem_type), shape)
}

/// The shape of a constant.
pub(crate) fn shape_of(tensor: &TensorProto) -> TensorShapeProto {
    let dim = tensor.dims.iter().map(|&extent| value(Some(DimensionValue::Value(extent))));
    TensorShapeProto { dim: dim.collect() }
}

fn value(value: Option<DimensionValue>) -> proto::Dimension {
    proto::Dimension { value, ..proto::Dimension::default() }
}

/// An extent as protobuf.
pub(crate) fn dimension(extent: &Dimension) -> proto::Dimension {
    value(match extent {
        Dimension::Fixed(extent) => Some(DimensionValue::Value(i64::try_from(*extent).unwrap_or(i64::MAX))),
        Dimension::Named(name) => Some(DimensionValue::Param(name.clone())),
        Dimension::Unknown => None,
    })
}

/// The type of a tensor as protobuf.
pub(crate) fn tensor_type(elem_type: i32, shape: Option<TensorShapeProto>) -> TypeProto {
    let value = Some(TypeValue::Tensor(TypeTensor { elem_type, shape }));
    TypeProto { value, ..TypeProto::default() }
}

/// A type with the extents that the options fix.
pub(crate) fn fixed(mut r#type: TypeProto, options: &Options) -> TypeProto {
    if let Some(TypeValue::Tensor(tensor)) = &mut r#type.value {
        for dim in tensor.shape.iter_mut().flat_map(|shape| &mut shape.dim) {
            if let Some(DimensionValue::Param(name)) = &dim.value
                && let Some(extent) = options.dims.get(name)
            {
                dim.value = Some(DimensionValue::Value(*extent));
            }
        }
    }
    r#type
}

/// The type of an output of a part.
pub(crate) fn type_of(port: &Port) -> driver::Result<TypeProto> {
    if port.is_container() {
        return Err(unsupported(&format!(
            "value '{}' between a custom operator and others is not a tensor",
            port.name
        )));
    }
    let dim = |extent: &Extent| {
        value(match extent {
            Extent::Fixed(extent) => Some(DimensionValue::Value(*extent)),
            Extent::Named(name) => Some(DimensionValue::Param(name.clone())),
            Extent::Any => None,
        })
    };
    let shape = TensorShapeProto { dim: port.shape.iter().map(dim).collect() };
    Ok(tensor_type(ElementType::of(&port.element).onnx_number(), Some(shape)))
}

/// The port of a type.
pub(crate) fn port_of(name: &str, r#type: Option<&TypeProto>) -> driver::Result<Port> {
    let tensor = match r#type.and_then(|r#type| r#type.value.as_ref()) {
        Some(TypeValue::Tensor(tensor)) => Some(tensor),
        _ => None,
    };
    let known = tensor.and_then(|tensor| Some((driver::element_type(tensor.elem_type)?, tensor.shape.as_ref()?)));
    let unknown = || {
        let needed = "which models with custom operators need; declare its type and shape";
        unsupported(&format!("'{name}' is not a tensor of known rank, {needed}"))
    };
    let (element, shape) = known.ok_or_else(unknown)?;
    let extent = |dim: &proto::Dimension| match &dim.value {
        Some(DimensionValue::Value(extent)) => Extent::Fixed(*extent),
        Some(DimensionValue::Param(name)) => Extent::Named(name.clone()),
        None => Extent::Any,
    };
    let shape = shape.dim.iter().map(extent).collect();
    Ok(Port { name: name.to_string(), element, shape, default: None, is_variable: false })
}
