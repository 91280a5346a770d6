//! Reading and writing model files.

use std::path::{Path, PathBuf};

use data::Blob;
use prost::Message;

use crate::damage::Damage;
use crate::messages::{ModelProto, TensorProto};
use crate::operator_set::OperatorSetProto;
use crate::{foreign, form};

/// A decoded model, and the owner of its tensors' bytes.
#[derive(Clone, Debug)]
pub struct Model {
    /// The decoded message.
    pub proto: ModelProto,
    /// The file that the message's byte fields are views of; `None` for a model built in memory.
    pub source: Option<Blob>,
    /// The folder that external data is read from; `None` forbids external data.
    pub directory: Option<PathBuf>,
}

impl Model {
    /// Maps and decodes a model file, in protobuf or in any of its texts. External data is read from the same
    /// directory.
    pub fn load(path: &Path) -> Result<Model, Damage> {
        let blob = Blob::map_file(path).map_err(|error| Damage::of(path, format!("cannot read the model: {error}")))?;
        Model::of_file(path, blob)
    }

    /// Decodes a model file that is already mapped.
    pub fn of_file(path: &Path, blob: Blob) -> Result<Model, Damage> {
        let mut model = Model::from_blob(blob).map_err(|damage| Damage::of(path, damage.message))?;
        model.directory = Some(path.parent().map(Path::to_path_buf).unwrap_or_default());
        Ok(model)
    }

    /// Decodes a model held in memory; there is no external data.
    pub fn from_bytes(bytes: &[u8]) -> Result<Model, Damage> {
        Model::from_blob(Blob::copy_of(bytes))
    }

    /// Decodes a model from bytes that its tensors share.
    pub fn from_blob(blob: Blob) -> Result<Model, Damage> {
        let bad = |message: String| Damage { file: None, message };
        if blob.bytes().is_empty() {
            return Err(bad("not an ONNX model: the file is empty".into()));
        }
        if let Some(what) = foreign::description(blob.bytes()) {
            return Err(bad(format!("not an ONNX model but {what}")));
        }
        let is_table = !form::is_text(blob.bytes()) && foreign::is_table(blob.bytes());
        if OperatorSetProto::is_start(blob.bytes()) {
            return Err(
                bad("an operator-set document, not a model: pass it along with a model that imports it".into()),
            );
        }
        let (proto, source) = form::read::<ModelProto>(blob).map_err(|error| match is_table {
            true => {
                bad("not an ONNX model but a table of comma-separated values: save it as .npy and pass it with --input"
                    .into())
            }
            false => bad(format!("not an ONNX model, or damaged: {error}")),
        })?;
        if proto.graph.is_none() {
            return Err(bad("not an ONNX model: it has no graph".into()));
        }
        Ok(Model { proto, source, directory: None })
    }

    /// A model built in memory.
    pub fn from_proto(proto: ModelProto) -> Model {
        Model { proto, source: None, directory: None }
    }

    /// The initializer of the graph with a name.
    pub fn initializer_mut(&mut self, name: &str) -> Option<&mut TensorProto> {
        self.proto.graph.as_mut()?.initializer.iter_mut().find(|initializer| initializer.name == name)
    }
}

/// A document in one of ONNX's formats.
#[derive(Clone, Debug)]
pub enum Document {
    /// A model.
    Model(Box<Model>),
    /// An operator set that models import.
    OperatorSet(OperatorSetProto),
}

impl Document {
    /// Reads a document in memory; a model has no external data in this case.
    pub fn from_bytes(bytes: &[u8]) -> Result<Document, Damage> {
        let blob = Blob::copy_of(bytes);
        match OperatorSetProto::is_blob(&blob) {
            true => OperatorSetProto::from_blob(blob).map(Document::OperatorSet),
            false => Model::from_blob(blob).map(|model| Document::Model(Box::new(model))),
        }
    }

    /// Reads a file, in protobuf or in any of the text formats.
    pub fn load(path: &Path) -> Result<Document, Damage> {
        match OperatorSetProto::is_file(path) {
            true => OperatorSetProto::load(path).map(Document::OperatorSet),
            false => Model::load(path).map(|model| Document::Model(Box::new(model))),
        }
    }
}

/// Writes a model, with all tensors inside the file.
pub fn save(proto: &ModelProto, path: &Path) -> Result<(), Damage> {
    let damage = |error| Damage::of(path, format!("cannot write the model: {error}"));
    std::fs::write(path, proto.encode_to_vec()).map_err(damage)
}
