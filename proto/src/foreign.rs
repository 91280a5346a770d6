//! Recognises files of other formats that are mistaken for models, by how they begin, and says what to do with them.

/// The format of a file that is not ONNX, and what to do; `None` if it may be a model.
pub(crate) fn description(bytes: &[u8]) -> Option<&'static str> {
    KNOWN.iter().find(|known| (known.is)(bytes)).map(|known| known.what)
}

struct Known {
    is: fn(&[u8]) -> bool,
    what: &'static str,
}

/// The known formats; the first one that matches is reported.
const KNOWN: [Known; 15] = [
    Known {
        is: |bytes| bytes.starts_with(b"version https://git-lfs"),
        what: "a pointer of git-lfs, not the file itself: run git lfs pull",
    },
    Known {
        is: |bytes| is_zip(bytes) && has(bytes, b"data.pkl"),
        what: "a PyTorch checkpoint: export the model with torch.onnx.export",
    },
    Known {
        is: |bytes| is_zip(bytes) && has(bytes, b".npy"),
        what: "a .npz archive of arrays: pass it with --inputs after the model",
    },
    Known { is: |bytes| is_zip(bytes) && has(bytes, b".onnx"), what: "a zip archive with a model: unpack it" },
    Known {
        is: |bytes| is_zip(bytes) && has(bytes, b".mlmodel"),
        what: "a Core ML package: convert the original model with its framework's exporter to ONNX",
    },
    Known { is: is_zip, what: "a zip archive: unpack it and pass the .onnx file in it" },
    Known { is: |bytes| bytes.starts_with(b"\x1f\x8b"), what: "a file that gzip compressed: run gunzip on it" },
    Known {
        is: |bytes| bytes.get(..2).is_some_and(|start| start == b"\x80\x02" || start == b"\x80\x04"),
        what: "a Python pickle (.pt, .pkl): export the model with torch.onnx.export or skl2onnx",
    },
    Known {
        is: |bytes| bytes.get(4..8) == Some(b"TFL3"),
        what: "a TensorFlow Lite model: convert it with python -m tf2onnx.convert --tflite",
    },
    Known {
        is: |bytes| bytes.get(4..8) == Some(b"ORTM"),
        what: "ONNX Runtime's own format (.ort), which only that runtime reads: pass the .onnx file that it was made from",
    },
    Known {
        is: is_safetensors,
        what: "weights without a graph (.safetensors): export the model with optimum-cli export onnx or torch.onnx.export",
    },
    Known {
        is: |bytes| bytes.starts_with(b"\x89HDF"),
        what: "a Keras model in HDF5: convert it with python -m tf2onnx.convert --keras",
    },
    Known { is: |bytes| bytes.starts_with(b"\x93NUMPY"), what: "a .npy array: pass it with --input after the model" },
    Known {
        is: |bytes| {
            let start = bytes.trim_ascii_start();
            let start = start.get(..15).unwrap_or(start).to_ascii_lowercase();
            start.starts_with(b"<!doctype") || start.starts_with(b"<html") || start.starts_with(b"<?xml")
        },
        what: "a web page or XML: a download may have failed, or needs a login; download it again",
    },
    Known { is: is_mlir, what: "a module in MLIR's syntax: onnx-opt runs passes on it" },
];

/// Whether a table follows a header line.
pub(crate) fn is_table(bytes: &[u8]) -> bool {
    let line = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let is_text = |byte: &u8| (0x20..0x7f).contains(byte) || *byte == b'\r' || *byte == b'\t';
    line.len() < 4096 && line.contains(&b',') && line.iter().all(is_text)
}

fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

/// Whether the first line that is neither a comment nor an alias begins a module or a function.
fn is_mlir(bytes: &[u8]) -> bool {
    let mut lines = bytes.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_start);
    let skipped =
        |line: &&[u8]| [&b"//"[..], b"#", b"!"].iter().any(|start| line.starts_with(start)) || line.is_empty();
    let first = lines.find(|line| !skipped(line)).unwrap_or_default();
    let begins = |word: &[u8]| first.strip_prefix(word).is_some_and(|rest| rest.starts_with(b" "));
    [&b"module"[..], b"func.func", b"\"builtin.module\"()"].into_iter().any(begins)
}

/// Whether a header is an eight-byte length and JSON.
fn is_safetensors(bytes: &[u8]) -> bool {
    let length = bytes.first_chunk::<8>().map(|length| u64::from_le_bytes(*length));
    length.is_some_and(|length| length > 1 && length < bytes.len() as u64) && bytes.get(8..10) == Some(b"{\"")
}

/// Whether a text occurs among the names of an archive's first or last files.
fn has(bytes: &[u8], text: &[u8]) -> bool {
    const LOOKED_AT: usize = 1 << 16;
    let first = &bytes[..bytes.len().min(LOOKED_AT)];
    let last = &bytes[bytes.len().saturating_sub(LOOKED_AT)..];
    [first, last].iter().any(|part| part.windows(text.len()).any(|window| window == text))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_named_and_models_are_not() {
        let safetensors = [&20u64.to_le_bytes()[..], b"{\"a\":{\"dtype\":\"F32\"}}"].concat();
        let cases: [(&[u8], &str); 10] = [
            (b"version https://git-lfs.github.com/spec/v1\n", "git-lfs"),
            (b"PK\x03\x04....archive/data.pkl", "PyTorch"),
            (b"PK\x03\x04....", "zip"),
            (b"\x1f\x8b\x08", "gzip"),
            (b"\x1c\0\0\0TFL3", "TensorFlow Lite"),
            (b"\x1c\0\0\0ORTM", "ONNX Runtime's own"),
            (&safetensors, ".safetensors"),
            (b"\n<!DOCTYPE html><html>", "web page"),
            (b"\x93NUMPY\x01\0", ".npy"),
            (b"// a note\n#map = affine_map<() -> ()>\nmodule {", "onnx-opt"),
        ];
        for (bytes, part) in cases {
            assert!(description(bytes).is_some_and(|what| what.contains(part)), "{part}");
        }
        // an IR version, a producer, and a graph in ONNX's syntax
        for bytes in [&b"\x08\x0a\x12\x07pytorch"[..], b"<ir_version: 10>", b""] {
            assert_eq!(description(bytes), None);
        }
        assert!(is_table(b"a,b,c\n1,2,3\n") && !is_table(b"\x08\x0a,"));
    }
}
