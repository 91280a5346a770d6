//! Converts `TypeProto` to IR types, and collects the names of symbolic dimensions.

use indexmap::IndexMap;
use ir::Type;
use ir::types::Extent;
use operators::graph::Problem;
use operators::shape::is_dimension_name;
use operators::types::element_type;
use proto::{Dimension, DimensionValue, TensorShapeProto, TypeProto, TypeValue};

/// Extents given to symbolic dimensions by name.
pub(crate) type Bindings = IndexMap<String, i64>;

/// The IR type of an ONNX type; `None` if the model states no type.
pub(crate) fn import_type(proto: Option<&TypeProto>, bindings: &Bindings) -> Result<Option<Type>, Problem> {
    let Some(value) = proto.and_then(|proto| proto.value.as_ref()) else { return Ok(None) };
    let inner = |proto: &Option<Box<TypeProto>>| {
        let missing = || Problem::input("has a container type without element type");
        import_type(proto.as_deref(), bindings)?.ok_or_else(missing)
    };
    let element_type = |number| element_type(number).map_err(Problem::input);
    let r#type = match value {
        TypeValue::Tensor(tensor) if tensor.elem_type == 0 => return Ok(None),
        TypeValue::Tensor(tensor) => {
            let element = element_type(tensor.elem_type)?;
            match &tensor.shape {
                None => Type::unranked_tensor(element),
                Some(shape) => Type::tensor(extents(shape, bindings), element),
            }
        }
        TypeValue::Sequence(sequence) => Type::dialect("onnx", "Seq", vec![inner(&sequence.elem_type)?]),
        TypeValue::Optional(optional) => Type::dialect("onnx", "Opt", vec![inner(&optional.elem_type)?]),
        TypeValue::Map(map) => Type::dialect("onnx", "Map", vec![element_type(map.key_type)?, inner(&map.value_type)?]),
        TypeValue::SparseTensor(_) => {
            return Err(Problem::unsupported("has a sparse tensor type, which no operator accepts or produces"));
        }
        TypeValue::Opaque(_) => {
            return Err(Problem::unsupported("has an opaque type, which no operator accepts or produces"));
        }
    };
    Ok(Some(r#type))
}

fn extents(shape: &TensorShapeProto, bindings: &Bindings) -> Vec<Extent> {
    shape.dim.iter().map(|dimension| extent(dimension, bindings)).collect()
}

/// Some exporters write dynamic extents as negative ones.
fn extent(dimension: &Dimension, bindings: &Bindings) -> Extent {
    match &dimension.value {
        Some(DimensionValue::Value(value)) if *value >= 0 => Some(*value),
        Some(DimensionValue::Param(name)) => bindings.get(name).copied(),
        _ => None,
    }
}

/// `0:batch,1:seq`: the symbolic dimensions of a tensor type, if it has any.
pub(crate) fn dimension_names(proto: Option<&TypeProto>, bindings: &Bindings) -> Option<String> {
    let Some(TypeValue::Tensor(tensor)) = proto.and_then(|proto| proto.value.as_ref()) else { return None };
    let names: Vec<String> = tensor
        .shape
        .iter()
        .flat_map(|shape| shape.dim.iter().enumerate())
        .filter_map(|(axis, dimension)| match &dimension.value {
            Some(DimensionValue::Param(name)) if is_dimension_name(name) && !bindings.contains_key(name) => {
                Some(format!("{axis}:{}", name.replace('%', "%25").replace(',', "%2C")))
            }
            _ => None,
        })
        .collect();
    (!names.is_empty()).then(|| names.join(","))
}

/// The named dimensions of a tensor type, with their axes.
pub(crate) fn named_dimensions(proto: Option<&TypeProto>) -> Vec<(usize, &str)> {
    let Some(TypeValue::Tensor(tensor)) = proto.and_then(|proto| proto.value.as_ref()) else { return vec![] };
    let dimensions = tensor.shape.iter().flat_map(|shape| &shape.dim);
    dimensions
        .enumerate()
        .filter_map(|(axis, dimension)| match &dimension.value {
            Some(DimensionValue::Param(name)) => Some((axis, name.as_str())),
            _ => None,
        })
        .collect()
}
