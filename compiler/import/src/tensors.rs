//! Converts tensors to constants, which share the bytes of the model.

use ir::DenseElements;
use proto::{SparseTensorProto, TensorProto, TensorValue, Tensors};

/// A tensor's contents as a constant.
pub(crate) fn import_tensor(tensor: &TensorProto, tensors: &mut Tensors) -> Result<DenseElements, String> {
    tensors.value(tensor).map(|value| constant(value, &tensor.name))
}

/// A sparse tensor's contents as a constant, which is dense.
pub(crate) fn import_sparse(tensor: &SparseTensorProto, tensors: &mut Tensors) -> Result<DenseElements, String> {
    let name = tensor.values.as_ref().map_or("", |values| &values.name);
    tensors.sparse_value(tensor).map(|value| constant(value, name))
}

fn constant(value: TensorValue, name: &str) -> DenseElements {
    let is_text = matches!(value, TensorValue::Strings(..));
    let elements = operators::elements::constant(value);
    if is_text { elements } else { named(elements, name) }
}

/// Makes constants with more elements than fit in a line of text print by name.
fn named(elements: DenseElements, name: &str) -> DenseElements {
    const INLINE: usize = 16;
    let name = if name.is_empty() { "constant" } else { name };
    let key = (elements.element_count() > INLINE).then(|| name.into());
    DenseElements { key, ..elements }
}
