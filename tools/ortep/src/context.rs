//! `EPContext` nodes: a part's model, which a later session compiles, or finds in the cache, without dividing a graph again.
//!
//! The model of a part, with its weights, is an attribute of the node or a file next to the model that has the node.

use std::path::{Component, Path, PathBuf};

use data::Blob;
use ort_sys::OrtNode;
use proto::{AttributeProto, NodeProto};

use crate::api::{AttributeValue, Ort};
use crate::options::{Context, NAME};
use crate::part::{Part, Source};
use crate::read::Scope;
use crate::status::{Failure, Result};

/// Whether a node is an `EPContext` of this provider.
pub(crate) fn is_own(node: &NodeProto) -> bool {
    let source = attribute(node, "source").and_then(|attribute| attribute.s.as_deref());
    node.op_type == "EPContext" && source == Some(NAME.as_bytes())
}

fn attribute<'n>(node: &'n NodeProto, name: &str) -> Option<&'n AttributeProto> {
    node.attribute.iter().find(|attribute| attribute.name == name)
}

impl Context {
    /// The model of a part that a node has.
    pub(crate) fn read(&self, scope: &Scope<'_>, node: &NodeProto) -> Result<Source> {
        let wrong = |what: String| Failure::invalid(format!("{}: {what}", node.name));
        let content = attribute(node, "ep_cache_context").and_then(|attribute| attribute.s.clone());
        let content = content.ok_or_else(|| wrong("the node has no attribute ep_cache_context".into()))?;
        if attribute(node, "embed_mode").and_then(|attribute| attribute.i) == Some(1) {
            return Ok(Source::Bytes(Blob::copy_of(&content)));
        }
        let name = String::from_utf8_lossy(&content).into_owned();
        let is_plain = Path::new(&name).components().all(|component| matches!(component, Component::Normal(_)));
        if !is_plain {
            return Err(wrong(format!("ep_cache_context is a file next to the model, not '{name}'")));
        }
        let file = self.folder(&scope.model_path).join(name);
        let unreadable = |error| wrong(format!("{}: the file cannot be read: {error}", file.display()));
        Blob::map_file(&file).map(Source::Bytes).map_err(unreadable)
    }

    /// The node for a part that was compiled.
    pub(crate) fn write(
        &self,
        ort: Ort,
        name: &str,
        part: &Part,
        source: &Source,
        model_path: &Path,
    ) -> Result<*mut OrtNode> {
        let Source::Bytes(model) = source else {
            return Err(Failure::refused(format!("{name}: a part with external data of a gigabyte has no EPContext")));
        };
        let content = match self.is_embedded {
            true => model.bytes().to_vec(),
            false => self.store(name, model, model_path)?.into_bytes(),
        };
        let text = |text: &str| AttributeValue::Bytes(text.as_bytes().to_vec());
        let attributes = [
            ("main_context", AttributeValue::Int(1)),
            ("embed_mode", AttributeValue::Int(self.is_embedded.into())),
            ("ep_cache_context", AttributeValue::Bytes(content)),
            ("source", text(NAME)),
            ("partition_name", text(name)),
            ("ep_sdk_version", text(env!("CARGO_PKG_VERSION"))),
        ];
        let attributes = attributes.iter().map(|(name, value)| ort.attribute(name, value)).collect::<Result<_>>()?;
        ort.context_node(name, &part.inputs, &part.outputs, attributes)
    }

    /// Writes a model next to the `EPContext` model; returns the name of the file.
    fn store(&self, name: &str, model: &Blob, model_path: &Path) -> Result<String> {
        let of = self.file.as_deref().unwrap_or(model_path).file_stem().unwrap_or_default().to_string_lossy();
        let name = format!("{of}.{name}.onnxc").replace('/', "_");
        let file = self.folder(model_path).join(&name);
        let unwritable = |error| Failure::new(format!("{}: the file cannot be written: {error}", file.display()));
        std::fs::write(&file, model.bytes()).map_err(unwritable)?;
        Ok(name)
    }

    /// The folder of the `EPContext` model.
    fn folder(&self, model_path: &Path) -> PathBuf {
        let file = if self.is_written { self.file.as_deref() } else { None };
        let known = file.or_else(|| Some(model_path).filter(|path| !path.as_os_str().is_empty()));
        known.or(self.file.as_deref()).and_then(Path::parent).map(Path::to_path_buf).unwrap_or_default()
    }
}
