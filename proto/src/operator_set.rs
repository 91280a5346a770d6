//! Operator-set documents (`onnx-operators.proto`): operators and functions that models import by their domain.

use std::path::Path;

use data::Blob;

use crate::damage::Damage;
use crate::form;
use crate::messages::FunctionProto;

/// `onnx.OperatorProto`
#[derive(Clone, PartialEq, prost::Message)]
pub struct OperatorProto {
    /// Field 1, `op_type`.
    #[prost(string, tag = "1")]
    pub op_type: String,
    /// Field 2, `since_version`.
    #[prost(int64, tag = "2")]
    pub since_version: i64,
    /// Field 3, `status`.
    #[prost(enumeration = "crate::OperatorStatus", tag = "3")]
    pub status: i32,
    /// Field 10, `doc_string`.
    #[prost(string, tag = "10")]
    pub doc_string: String,
}

/// `onnx.OperatorSetProto`
#[derive(Clone, PartialEq, prost::Message)]
pub struct OperatorSetProto {
    /// Field 1, `magic`.
    #[prost(string, tag = "1")]
    pub magic: String,
    /// Field 2, `ir_version`.
    #[prost(int64, tag = "2")]
    pub ir_version: i64,
    /// Field 3, `ir_version_prerelease`.
    #[prost(string, tag = "3")]
    pub ir_version_prerelease: String,
    /// Field 4, `domain`.
    #[prost(string, tag = "4")]
    pub domain: String,
    /// Field 5, `opset_version`.
    #[prost(int64, tag = "5")]
    pub opset_version: i64,
    /// Field 6, `doc_string`.
    #[prost(string, tag = "6")]
    pub doc_string: String,
    /// Field 7, `ir_build_metadata`.
    #[prost(string, tag = "7")]
    pub ir_build_metadata: String,
    /// Field 8, `operator`.
    #[prost(message, repeated, tag = "8")]
    pub operator: Vec<OperatorProto>,
    /// Field 9, `functions`.
    #[prost(message, repeated, tag = "9")]
    pub functions: Vec<FunctionProto>,
}

/// The first field of every operator-set document.
pub const MAGIC: &str = "ONNXOPSET";

impl OperatorSetProto {
    /// Reads a document, in protobuf, JSON or the text format.
    pub fn load(path: &Path) -> Result<OperatorSetProto, Damage> {
        let bad = |message: String| Damage::of(path, message);
        let blob = Blob::map_file(path).map_err(|error| bad(format!("cannot read the operator set: {error}")))?;
        OperatorSetProto::from_blob(blob).map_err(|damage| bad(damage.message))
    }

    /// Reads a document in memory.
    pub(crate) fn from_blob(blob: Blob) -> Result<OperatorSetProto, Damage> {
        let bad = |message: String| Damage { file: None, message };
        let (set, _) = form::read::<OperatorSetProto>(blob)
            .map_err(|error| bad(format!("not an operator-set document, or damaged: {error}")))?;
        if set.magic != MAGIC {
            return Err(bad(format!("not an operator-set document: its magic is \"{}\", not \"{MAGIC}\"", set.magic)));
        }
        Ok(set)
    }

    /// Whether a file is an operator-set document, possibly a damaged one.
    pub(crate) fn is_file(path: &Path) -> bool {
        Blob::map_file(path).is_ok_and(|blob| OperatorSetProto::is_blob(&blob))
    }

    pub(crate) fn is_blob(blob: &Blob) -> bool {
        let is_text = || form::is_text(blob.bytes()) && OperatorSetProto::from_blob(blob.clone()).is_ok();
        OperatorSetProto::is_start(blob.bytes()) || is_text()
    }

    /// Whether a file begins like an operator-set document.
    pub(crate) fn is_start(bytes: &[u8]) -> bool {
        bytes.get(2..).is_some_and(|rest| bytes[0] == 0x0a && rest.starts_with(MAGIC.as_bytes()))
    }
}
