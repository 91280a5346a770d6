//! The formats of files with ONNX messages, recognised by how they begin.

use data::Blob;
use prost::Message;
use prost::bytes::{Buf, Bytes};

use crate::messages::ModelProto;
use crate::operator_set::OperatorSetProto;
use crate::{syntax, text_formats};

/// The format of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Protobuf.
    Binary,
    /// ONNX's textual syntax, which only covers models.
    Syntax,
    /// Protobuf's JSON.
    Json,
    /// Protobuf's text format.
    TextFormat,
}

impl Form {
    /// No message of ONNX begins with the bytes that texts begin with: they would be the tags of other fields.
    fn of(bytes: &[u8]) -> Form {
        let start = bytes.trim_ascii_start();
        match start.first() {
            // a line feed is also the tag of an operator set's first field
            _ if OperatorSetProto::is_start(bytes) => Form::Binary,
            Some(b'{') => Form::Json,
            Some(b'<') => Form::Syntax,
            Some(b'#') => {
                let line = start.iter().position(|&byte| byte == b'\n').unwrap_or(start.len() - 1);
                Form::of(&start[line + 1..])
            }
            Some(b'"') => Form::Syntax,
            Some(first) if first.is_ascii_alphabetic() || *first == b'_' => {
                let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                let rest = start.iter().position(|byte| !is_word(byte)).map_or(&[][..], |end| &start[end..]);
                match rest.trim_ascii_start().first() {
                    Some(b'(') => Form::Syntax,
                    Some(b':' | b'{' | b'<') => Form::TextFormat,
                    _ => Form::Binary,
                }
            }
            _ => Form::Binary,
        }
    }
}

/// Whether a file is a message as text.
pub(crate) fn is_text(bytes: &[u8]) -> bool {
    !matches!(Form::of(bytes), Form::Binary)
}

/// A message that can be the root of a file.
pub(crate) trait Root: Message + Default {
    /// Its name in protobuf.
    const NAME: &str;

    /// Reads ONNX's textual syntax.
    fn parse(text: &str) -> Result<Self, String>;
}

impl Root for ModelProto {
    const NAME: &str = "onnx.ModelProto";

    fn parse(text: &str) -> Result<ModelProto, String> {
        syntax::parse_model(text)
    }
}

impl Root for OperatorSetProto {
    const NAME: &str = "onnx.OperatorSetProto";

    fn parse(_: &str) -> Result<OperatorSetProto, String> {
        Err("the textual syntax has models alone".into())
    }
}

/// The part of a file that remains to be decoded. Byte fields become views of the file.
struct Rest<'f> {
    bytes: &'f [u8],
    file: &'f Bytes,
}

impl Buf for Rest<'_> {
    fn remaining(&self) -> usize {
        self.bytes.len()
    }

    fn chunk(&self) -> &[u8] {
        self.bytes
    }

    fn advance(&mut self, count: usize) {
        self.bytes = &self.bytes[count..];
    }

    fn copy_to_bytes(&mut self, count: usize) -> Bytes {
        let (window, rest) = self.bytes.split_at(count);
        self.bytes = rest;
        self.file.slice_ref(window)
    }
}

/// Lets [`Bytes`] keep a blob alive and slice it without a copy.
struct BlobBytes(Blob);

impl AsRef<[u8]> for BlobBytes {
    fn as_ref(&self) -> &[u8] {
        self.0.bytes()
    }
}

/// Decodes the message in a file, and returns the bytes that its `bytes` fields are views of.
pub(crate) fn read<M: Root>(blob: Blob) -> Result<(M, Option<Blob>), String> {
    let text = |blob: &Blob| String::from_utf8(blob.bytes().to_vec()).map_err(|_| "the text is not UTF-8".to_string());
    let binary = match Form::of(blob.bytes()) {
        Form::Binary => blob,
        Form::Syntax => return M::parse(&text(&blob)?).map(|message| (message, None)),
        Form::Json => Blob::copy_of(&text_formats::from_json(M::NAME, &text(&blob)?)?),
        Form::TextFormat => Blob::copy_of(&text_formats::from_text_format(M::NAME, &text(&blob)?)?),
    };
    let file = Bytes::from_owner(BlobBytes(binary.clone()));
    let message = M::decode(Rest { bytes: &file, file: &file }).map_err(|error| error.to_string())?;
    Ok((message, Some(binary)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_tell_what_they_are_written_in() {
        let cases: [(&[u8], Form); 10] = [
            (b"<ir_version: 8> g () => () {}", Form::Syntax),
            (b"# a comment\n\n  g (float x) => () {}", Form::Syntax),
            (b"\"a graph\" () => () {}", Form::Syntax),
            (b"{\"irVersion\": \"8\"}", Form::Json),
            (b"ir_version: 8", Form::TextFormat),
            (b"# a comment\ngraph {", Form::TextFormat),
            (b"#", Form::Binary),
            (b"", Form::Binary),
            (&[8, 10, b':', b'{'], Form::Binary),
            (b"\n\x09ONNXOPSET", Form::Binary),
        ];
        for (bytes, form) in cases {
            assert_eq!(Form::of(bytes), form, "{bytes:?}");
        }
    }

    #[test]
    fn all_forms_of_a_model_say_the_same() {
        let texts = [
            "<ir_version: 8, opset_import: [\"\": 18]> g (float[N] x) => () { y = A <s = \"t\"> (x) }",
            "ir_version: 8 opset_import { domain: \"\" version: 18 } graph { name: \"g\"
             input { name: \"x\" type { tensor_type { elem_type: 1 shape { dim { dim_param: \"N\" } } } } }
             node { input: \"x\" output: \"y\" op_type: \"A\" attribute { name: \"s\" s: \"t\" type: STRING } } }",
            r#"{"irVersion": "8", "opsetImport": [{"domain": "", "version": 18}], "graph": {"name": "g",
             "input": [{"name": "x", "type": {"tensorType": {"elemType": 1, "shape": {"dim": [{"dimParam": "N"}]}}}}],
             "node": [{"input": ["x"], "output": ["y"], "opType": "A",
                       "attribute": [{"name": "s", "s": "dA==", "type": "STRING"}]}]}}"#,
        ];
        let models = texts.map(|text| read::<ModelProto>(Blob::copy_of(text.as_bytes())).expect("it is valid").0);
        assert_eq!(models[0], models[1]);
        assert_eq!(models[0], models[2]);
    }

    #[test]
    fn mistakes_in_texts_are_reported() {
        for (text, message) in
            [("ir_version: x", "expected"), ("{\"colour\": 1}", "colour"), ("{\"ir_version\": 1", "EOF")]
        {
            let problem = read::<ModelProto>(Blob::copy_of(text.as_bytes())).expect_err("it is not a model");
            assert!(problem.contains(message), "{text}: {problem}");
        }
    }
}
