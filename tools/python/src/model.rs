//! Models: metadata and checking.

use std::collections::BTreeMap;

use driver::ImportOptions;
use proto::{Message, Model};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use crate::errors::{Doing, NoSuchFile, exception, wrong};
use crate::values::tensor;

/// A model from a path, or from its bytes.
pub(crate) fn load(path: Option<&str>, bytes: Option<&[u8]>) -> PyResult<Model> {
    if let Some(bytes) = bytes {
        return Model::from_bytes(bytes).map_err(|damage| exception(&[driver::damaged(damage)], Doing::Reading));
    }
    let path = path.unwrap_or_default();
    if !std::path::Path::new(path).exists() {
        return Err(NoSuchFile::new_err(format!("{path}: the file does not exist")));
    }
    Model::load(std::path::Path::new(path)).map_err(|damage| exception(&[driver::damaged(damage)], Doing::Reading))
}

/// Replaces the values of initializers. They have the element types of the model.
pub(crate) fn replace_initializers(model: &mut Model, values: &[(String, Bound<'_, PyAny>)]) -> PyResult<()> {
    for (name, value) in values {
        let own = model.initializer_mut(name);
        let own = own.ok_or_else(|| wrong(format!("the model has no initializer '{name}'")))?;
        let element = driver::element_type(own.data_type);
        let element = element.ok_or_else(|| wrong(format!("the element type of initializer '{name}' is not known")))?;
        let tensor = tensor(value, &element, name)?;
        if tensor.shape != own.dims {
            let (found, expected) = (&tensor.shape, &own.dims);
            return Err(wrong(format!("initializer '{name}' has the shape {expected:?}, and its new value {found:?}")));
        }
        let elements = tensor.elements();
        *own = export::export_tensor(&elements, name)
            .ok_or_else(|| wrong(format!("the value of initializer '{name}' cannot be read")))?;
    }
    Ok(())
}

/// All findings of a model: level, rule, place, and message of each.
#[pyfunction]
#[pyo3(signature = (path=None, bytes=None))]
pub(crate) fn check(
    py: Python<'_>,
    path: Option<&str>,
    bytes: Option<&[u8]>,
) -> PyResult<Vec<(String, String, String, String)>> {
    let model = load(path, bytes)?;
    let findings = py.detach(|| driver::check_model(&model, driver::Profile::Onnx, &[]));
    let row = |finding: driver::Finding| {
        let level = format!("{:?}", finding.rule.level).to_lowercase();
        (level, finding.rule.id.to_string(), finding.place.to_string(), finding.message)
    };
    Ok(findings.into_iter().map(row).collect())
}

/// The simplified model, as the bytes of a `ModelProto`.
#[pyfunction]
#[pyo3(signature = (path=None, bytes=None, *, dims=None, shapes=None))]
pub(crate) fn simplify<'py>(
    py: Python<'py>,
    path: Option<&str>,
    bytes: Option<&[u8]>,
    dims: Option<BTreeMap<String, i64>>,
    shapes: Option<BTreeMap<String, Vec<Option<i64>>>>,
) -> PyResult<Bound<'py, PyBytes>> {
    let model = load(path, bytes)?;
    let options = ImportOptions {
        dimensions: dims.into_iter().flatten().collect(),
        shapes: shapes.into_iter().flatten().collect(),
        ..ImportOptions::default()
    };
    simplified(py, &model, &options)
}

pub(crate) fn simplified<'py>(
    py: Python<'py>,
    model: &Model,
    options: &ImportOptions,
) -> PyResult<Bound<'py, PyBytes>> {
    let simplified = py.detach(|| export::simplify(model, options).map(|model| model.encode_to_vec()));
    let simplified = simplified.map_err(|diagnostics| exception(&diagnostics, Doing::Compiling))?;
    Ok(PyBytes::new(py, &simplified))
}

/// The metadata of a model, as a dict.
#[pyfunction]
#[pyo3(signature = (path=None, bytes=None))]
pub(crate) fn metadata<'py>(py: Python<'py>, path: Option<&str>, bytes: Option<&[u8]>) -> PyResult<Bound<'py, PyDict>> {
    metadata_of(py, &load(path, bytes)?)
}

pub(crate) fn metadata_of<'py>(py: Python<'py>, model: &Model) -> PyResult<Bound<'py, PyDict>> {
    let model = &model.proto;
    let facts = PyDict::new(py);
    facts.set_item("producer_name", &model.producer_name)?;
    facts.set_item("producer_version", &model.producer_version)?;
    facts.set_item("domain", &model.domain)?;
    facts.set_item("description", &model.doc_string)?;
    facts.set_item("version", model.model_version)?;
    facts.set_item("ir_version", model.ir_version)?;
    let graph = model.graph.as_ref();
    facts.set_item("graph_name", graph.map_or("", |graph| &graph.name))?;
    facts.set_item("graph_description", graph.map_or("", |graph| &graph.doc_string))?;
    let properties = PyDict::new(py);
    model.metadata_props.iter().try_for_each(|entry| properties.set_item(&entry.key, &entry.value))?;
    facts.set_item("custom_metadata_map", properties)?;
    let sets = PyDict::new(py);
    model.opset_import.iter().try_for_each(|set| sets.set_item(&set.domain, set.version))?;
    facts.set_item("opset_import", sets)?;
    Ok(facts)
}
