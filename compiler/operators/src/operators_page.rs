//! Generates docs/src/using/operators.md from the rows, and compares it with the file.

use std::fmt::Write;

use dialects::onnx::schema::{self, Schema};

use crate::table;

const HEAD: &str = "# Supported operators

Written from the rows of `compiler/operators` by `UPDATE=1 cargo test -p onnxc-operators support`; a test keeps it up to date. Every
version of an operator is read and upgraded to its newest version. *How* is its implementation: a scalar expression for each
element, a separate lowering, a composition of other operators, or a replacement by others when it is read.
";

const CHOICES: &str = "
## What the documents leave open

Where the documents do not specify a result, or ONNX's reference evaluator and ONNX Runtime differ, results are these:

- **Truth values** (`keepdims`, `transA`, `exclusive`, …): any integer but 0 is true, in every operator. `onnxc check` reports
  those that are neither 0 nor 1 (`attribute-flag`).
- **ArgMax, ArgMin**: NaN is the extreme of an axis that has one, the first or the last NaN, as in the reference evaluator and in
  NumPy. ONNX Runtime passes over a NaN that is not the first element. The index for an axis without elements is 0.
- **Clip** is `Min(max, Max(min, x))`, as its page specifies: a bound that is NaN makes every result NaN, as in the reference evaluator;
  in ONNX Runtime it is not a bound. Bounds are scalars.
- **DequantizeLinear** of `int32`: the difference from the zero point wraps around in `int32`, as in ONNX Runtime.
- **LSTM, GRU, RNN**: `clip` bounds the inputs of activations, as the pages specify: the gates before theirs, and of an LSTM not the
  cell. So does ONNX Runtime; the reference evaluator ignores `clip`. No bound follows from a `clip` that is not positive.
- **Pad**: negative pads crop first. `reflect` and `wrap` then repeat what is left as often as the pads need, as `numpy.pad` does;
  ONNX Runtime refuses `reflect` pads that are not smaller than the axis.
- **Range** of a number that is NaN is empty.
- **Reshape**: an extent of -1 next to extents of 0 that are copied from an empty input is 0; ONNX Runtime refuses it.
- **STFT** of a signal that is shorter than a frame has no frame.
- **NonMaxSuppression** selects no box whose score is NaN.
- **ConvTranspose**, `SAME_UPPER` with negative padding: of an odd number of zeros that extend the result, one more comes last.
- **Tree ensembles**: a leaf may have several votes for one target, and each counts, as in the reference evaluator. ONNX Runtime
  counts one of them if there is a single target.
- **TensorScatter**, mode `linear`: rows that do not fit into the cache are a run-time error. So are sequences that are longer than
  the cache of a **GroupQueryAttention**.
- **Complex numbers** are moved by every operator whose page lists them, compared with zero by NonZero, and added and
  multiplied by the scatters. Col2Im, GridSample, Resize, Unique, and the scatters with `max` and `min` are not supported for them.
";

const DOMAINS: [&str; 6] =
    ["ai.onnx", "ai.onnx.ml", "ai.onnx.preview", "ai.onnx.preview.training", "com.microsoft", "com.microsoft.nchwc"];

#[test]
fn support_matches_the_rows() {
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/src/using/operators.md");
    let text = document();
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&path, &text).expect("the source tree can be written");
    }
    let found = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(found == text, "docs/src/using/operators.md differs from the rows; UPDATE=1 regenerates it");
}

fn document() -> String {
    let mut text = HEAD.to_string();
    for domain in DOMAINS {
        let operators: Vec<&Schema> = schema::all_newest().filter(|schema| schema.domain == domain).collect();
        let (compiled, missing): (Vec<&Schema>, Vec<&Schema>) =
            operators.iter().partition(|schema| how(schema).is_some());
        write!(text, "\n## {domain}: {} of {}\n\n", compiled.len(), operators.len()).expect("text grows");
        text += "| operator | versions | how |\n|---|---|---|\n";
        for schema in compiled {
            let how = how(schema).expect("it is compiled");
            writeln!(text, "| {} | {} | {how} |", schema.name, versions(schema)).expect("text grows");
        }
        if !missing.is_empty() {
            let names: Vec<&str> = missing.iter().map(|schema| schema.name).collect();
            write!(text, "\nNot compiled yet: {}.\n", names.join(", ")).expect("text grows");
        }
    }
    text + CHOICES
}

fn versions(schema: &Schema) -> String {
    let all = schema::versions(schema.domain, schema.name);
    all.map(|version| version.since.to_string()).collect::<Vec<_>>().join(", ")
}

/// How an operator is compiled, if it is.
fn how(schema: &Schema) -> Option<&'static str> {
    let name = schema.op_name();
    match table::row_of(&name) {
        Some(row) if row.compose.is_some() => Some("composition"),
        Some(row) if row.lower.is_some() => Some("lowering"),
        Some(row) if row.scalar.is_some() => Some("scalar"),
        Some(row) if row.normalize.is_some() => Some("replacement"),
        _ => None,
    }
}
