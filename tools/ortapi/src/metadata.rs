//! Model metadata.

use std::ffi::c_char;

use onnxc::Metadata;

use crate::memory::Allocator;
use crate::raw::{Out, Released, Text};

/// Model metadata.
#[derive(Clone, Debug)]
pub(crate) struct ModelMetadata(pub(crate) Metadata);

handles! { ModelMetadata => OrtModelMetadata }

entries! {
    /// Returns the name of the tool that produced the model.
    fn ModelMetadataGetProducerName(model_metadata: &ModelMetadata, allocator: Allocator, value: Out<*mut c_char>) {
        value.set(allocator.copy_text(&model_metadata.0.producer_name)?)
    }

    /// Returns the name of the graph.
    fn ModelMetadataGetGraphName(model_metadata: &ModelMetadata, allocator: Allocator, value: Out<*mut c_char>) {
        value.set(allocator.copy_text(&model_metadata.0.graph_name)?)
    }

    /// Returns the domain of the model.
    fn ModelMetadataGetDomain(model_metadata: &ModelMetadata, allocator: Allocator, value: Out<*mut c_char>) {
        value.set(allocator.copy_text(&model_metadata.0.domain)?)
    }

    /// Returns the description of the model.
    fn ModelMetadataGetDescription(model_metadata: &ModelMetadata, allocator: Allocator, value: Out<*mut c_char>) {
        value.set(allocator.copy_text(&model_metadata.0.description)?)
    }

    /// Returns the description of the graph.
    fn ModelMetadataGetGraphDescription(model_metadata: &ModelMetadata, allocator: Allocator, value: Out<*mut c_char>) {
        value.set(allocator.copy_text(&model_metadata.0.graph_description)?)
    }

    /// Returns the version of the model.
    fn ModelMetadataGetVersion(model_metadata: &ModelMetadata, value: Out<i64>) { value.set(model_metadata.0.version) }

    /// Returns a custom property; null if there is none of this name.
    fn ModelMetadataLookupCustomMetadataMap(
        model_metadata: &ModelMetadata, allocator: Allocator, key: Text<'_>, value: Out<*mut c_char>,
    ) {
        match model_metadata.0.properties.get(key.0) {
            Some(property) => value.set(allocator.copy_text(property)?),
            None => value.set(std::ptr::null_mut()),
        }
    }

    /// Returns the names of all custom properties; null if there are none.
    fn ModelMetadataGetCustomMetadataMapKeys(
        model_metadata: &ModelMetadata, allocator: Allocator, keys: Out<*mut *mut c_char>, num_keys: Out<i64>,
    ) {
        let names: Vec<&String> = model_metadata.0.properties.keys().collect();
        let texts = names.iter().map(|name| allocator.copy_text(name)).collect::<Result<Vec<_>, _>>()?;
        num_keys.set(texts.len() as i64)?;
        keys.set(if texts.is_empty() { std::ptr::null_mut() } else { allocator.copy(&texts)? })
    }

    /// Releases metadata.
    fn ReleaseModelMetadata(_input: Released<ModelMetadata>) -> () {} else {}
}
