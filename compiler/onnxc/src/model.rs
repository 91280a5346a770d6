//! Models before compilation.

use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

use driver::Diagnostic;
use proto::{Bytes, TensorProto};

use crate::{ElementType, Error, ErrorKind, Result, Tensor};

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
        let inner = proto::Model::load(path).map_err(|damage| Error::of_model(vec![driver::damaged(damage)]))?;
        Ok(Model { inner, path: Some(path.to_path_buf()) })
    }

    /// Decodes a model that is in memory. It cannot have external data.
    ///
    /// # Errors
    /// If the bytes are not a model.
    pub fn from_bytes(bytes: impl AsRef<[u8]>) -> Result<Model> {
        let inner = proto::Model::from_bytes(bytes.as_ref())
            .map_err(|damage| Error::of_model(vec![driver::damaged(damage)]))?;
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

    /// Replaces the value of an initializer.
    ///
    /// ```
    /// # fn main() -> Result<(), onnxc::Error> {
    /// let text = r#"<ir_version: 10, opset_import: ["": 21]>
    ///     scale (float[N] x) => (float[N] y) <float factor = {2}> { y = Mul(x, factor) }"#;
    /// let model = onnxc::Model::from_bytes(text)?.with_initializer("factor", &onnxc::Tensor::scalar(5.0f32))?;
    /// let x = onnxc::Tensor::from_slice(&[1], &[3.0f32])?;
    /// let outputs = onnxc::Compiler::new().compile(&model)?.session().run([("x", &x)])?;
    /// assert_eq!(outputs["y"].as_slice::<f32>()?, [15.0]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// If there is no initializer of this name, or for elements of less than a byte.
    pub fn with_initializer(mut self, name: &str, value: &Tensor) -> Result<Model> {
        let own = self.inner.initializer_mut(name);
        let own = own.ok_or_else(|| Error::input(format!("the model has no initializer '{name}'")))?;
        *own = encoded(name, value)?;
        // the cache identifies models by their files
        self.path = None;
        Ok(self)
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

/// A tensor as protobuf.
fn encoded(name: &str, value: &Tensor) -> Result<TensorProto> {
    let element = value.element_type();
    let mut proto = TensorProto {
        name: name.to_string(),
        dims: value.shape().iter().map(|&extent| i64::try_from(extent).unwrap_or(i64::MAX)).collect(),
        data_type: element.onnx_number(),
        ..TensorProto::default()
    };
    match element {
        ElementType::String => proto.string_data = value.to_strings()?.into_iter().map(Bytes::from).collect(),
        // float8; protobuf packs narrower elements
        ElementType::Narrow(number) if !(17..=20).contains(&number) && number != 24 => {
            let message = format!("initializer '{name}': values of the type {element} are not supported");
            return Err(Error::new(ErrorKind::Unsupported, message));
        }
        _ => proto.raw_data = Some(Bytes::copy_from_slice(value.as_bytes())),
    }
    Ok(proto)
}
