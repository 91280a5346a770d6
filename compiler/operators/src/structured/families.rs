//! Which file lowers which operator.

use ir::Op;

use crate::table;

use super::{
    Lowering, Unsupported, control_flow, einsum, elementwise, grid_sample, loops, padding, resize, scatter, sequences,
    slicing, strings,
};

/// Lowers an operation whose operator has the given name.
pub(crate) type Lower = fn(&mut Lowering<'_>, Op, &str) -> Result<(), Unsupported>;

/// How an operator is lowered, if it is.
pub(crate) fn lowering_of(name: &str) -> Option<Lower> {
    if let Some(row) = table::row_of(&format!("onnx.{name}")) {
        return match (row.lower, row.scalar) {
            (Some(_), _) => Some(|lowering, op, name| {
                let row = table::row_of(&format!("onnx.{name}")).expect("it was just looked up");
                row.lower.expect("it was just looked up")(lowering, op)
            }),
            (None, Some(_)) => Some(|lowering, op, _| {
                elementwise::lower(lowering, op);
                Ok(())
            }),
            (None, None) => None,
        };
    }
    Some(match name {
        "NoValue" => |_, _, _| Ok(()),
        "If" => |lowering, op, _| control_flow::lower_if(lowering, op),
        "Loop" => |lowering, op, _| loops::lower_loop(lowering, op),
        "Scan" => |lowering, op, _| loops::lower_scan(lowering, op),
        "Slice" | "Split" => slicing::lower,
        "Pad" => |lowering, op, _| padding::lower(lowering, op),
        "TensorScatter" => |lowering, op, _| scatter::tensor_scatter(lowering, op),
        "ReverseSequence" => |lowering, op, _| scatter::reverse_sequence(lowering, op),
        "StringConcat" => |lowering, op, _| strings::concat(lowering, op),
        "StringNormalizer" => |lowering, op, _| strings::normalize(lowering, op),
        "StringSplit" => |lowering, op, _| strings::split(lowering, op),
        "RegexFullMatch" => |lowering, op, _| strings::full_match(lowering, op),
        "TfIdfVectorizer" => |lowering, op, _| strings::count_terms(lowering, op),
        "SequenceEmpty" | "SequenceConstruct" | "SequenceInsert" | "SequenceErase" | "SequenceAt"
        | "SequenceLength" | "SplitToSequence" | "ConcatFromSequence" => sequences::lower_sequence,
        "Optional" | "OptionalHasElement" | "OptionalGetElement" => sequences::lower_optional,
        "SequenceMap" => |lowering, op, _| sequences::lower_map(lowering, op),
        "Einsum" => |lowering, op, _| einsum::lower(lowering, op),
        "GridSample" => |lowering, op, _| grid_sample::lower(lowering, op),
        "Resize" => |lowering, op, _| resize::lower(lowering, op),
        _ => return None,
    })
}
