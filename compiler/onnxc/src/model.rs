//! Models before compilation.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use driver::Diagnostic;

use crate::{Error, ErrorKind, Result};

/// A model, read from protobuf, protobuf's JSON or text format, or ONNX's textual syntax.
///
/// ```no_run
/// # fn main() -> Result<(), onnxc::Error> {
/// let model = onnxc::Model::load("model.onnx")?;
/// println!("made by {}", model.metadata().producer_name);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Model {
    pub(crate) inner: proto::Model,
    /// The file that it was loaded from.
    pub(crate) path: Option<PathBuf>,
}

/// The metadata of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Metadata {
    /// The tool that made it.
    pub producer_name: String,
    /// The version of that tool.
    pub producer_version: String,
    /// The domain of the model, a reverse domain name.
    pub domain: String,
    /// The name of its graph.
    pub graph_name: String,
    /// What people wrote about the model.
    pub description: String,
    /// What people wrote about its graph.
    pub graph_description: String,
    /// The version of the model.
    pub version: i64,
    /// The version of the ONNX format.
    pub ir_version: i64,
    /// Versions of operator sets by their domains; ONNX's own is `""`.
    pub operator_sets: BTreeMap<String, i64>,
    /// Further properties.
    pub properties: BTreeMap<String, String>,
}

impl Model {
    /// Reads a model file. Its weights stay in the file, which is mapped; external data is read from its directory.
    ///
    /// # Errors
    /// If the file cannot be read or is not a model.
    pub fn load(path: impl AsRef<Path>) -> Result<Model> {
        let path = path.as_ref();
        let inner = proto::Model::load(path).map_err(|damage| Error::of_model(vec![damage]))?;
        Ok(Model { inner, path: Some(path.to_path_buf()) })
    }

    /// Decodes a model that is in memory. It cannot have external data.
    ///
    /// # Errors
    /// If the bytes are not a model.
    pub fn from_bytes(bytes: impl AsRef<[u8]>) -> Result<Model> {
        let inner = proto::Model::from_bytes(bytes.as_ref()).map_err(|damage| Error::of_model(vec![damage]))?;
        Ok(Model { inner, path: None })
    }

    /// Reads a model to the end of a reader. It cannot have external data.
    ///
    /// # Errors
    /// If reading fails, or what was read is not a model.
    pub fn from_reader(mut reader: impl Read) -> Result<Model> {
        let mut bytes = Vec::new();
        reader
            .read_to_end(&mut bytes)
            .map_err(|error| Error::new(ErrorKind::InvalidModel, format!("the model cannot be read: {error}")))?;
        Model::from_bytes(bytes)
    }

    /// Reads external data from a directory. By default, a model that was loaded from a file uses that file's
    /// directory.
    pub fn with_external_data_in(mut self, directory: impl Into<PathBuf>) -> Model {
        self.inner.directory = Some(directory.into());
        self.path = None;
        self
    }

    /// The metadata of the model.
    pub fn metadata(&self) -> Metadata {
        let model = &self.inner.proto;
        let graph = model.graph.as_ref();
        Metadata {
            producer_name: model.producer_name.clone(),
            producer_version: model.producer_version.clone(),
            domain: model.domain.clone(),
            graph_name: graph.map(|graph| graph.name.clone()).unwrap_or_default(),
            description: model.doc_string.clone(),
            graph_description: graph.map(|graph| graph.doc_string.clone()).unwrap_or_default(),
            version: model.model_version,
            ir_version: model.ir_version,
            operator_sets: model.opset_import.iter().map(|set| (set.domain.clone(), set.version)).collect(),
            properties: model.metadata_props.iter().map(|entry| (entry.key.clone(), entry.value.clone())).collect(),
        }
    }

    /// Checks the model against the rules of the ONNX documents; an empty list means that it breaks none of them.
    ///
    /// ```
    /// # fn main() -> Result<(), onnxc::Error> {
    /// let text = r#"<ir_version: 10, opset_import: ["": 21]>
    ///     g (float[2] x) => (float[3] y) { y = Relu(x) }"#;
    /// let problems = onnxc::Model::from_bytes(text)?.check();
    /// assert!(problems.iter().any(|problem| problem.rule.is_some()));
    /// # Ok(())
    /// # }
    /// ```
    pub fn check(&self) -> Vec<crate::Problem> {
        let findings = driver::check_model(&self.inner, driver::Profile::Onnx, &[]);
        findings.into_iter().map(|finding| crate::Problem::from(Diagnostic::from(finding))).collect()
    }
}
