//! Tokenizer: the tokens of texts, padded to the number in the longest row.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::View;
use dialects::onnx::views::microsoft;
use ir::Op;

use crate::operator::{Operator, Rank};
use crate::shape::{Answer, Node};
use crate::structured::calls::Argument::{Index, Tensor};
use crate::structured::strings::texts;
use crate::structured::{Lowering, Unsupported};

pub(crate) const TOKENIZER: Operator = Operator {
    shapes: Some(shapes),
    ranks: &[(0, Rank::AtMost(2)), (0, Rank::AtLeast(1))],
    lower: Some(lower),
    ..Operator::of(OnnxOp::MicrosoftTokenizer)
};

/// How texts are split; the numbers are those of the routine.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Characters = 0,
    /// Patterns match separators.
    Separators = 1,
    /// A pattern matches tokens.
    Tokens = 2,
}

fn mode(node: &microsoft::Tokenizer) -> Result<Mode, &'static str> {
    if node.mincharnum < 1 {
        return Err("mincharnum is not positive");
    }
    let mode = match (node.separators.as_deref(), node.tokenexp.as_deref()) {
        (Some([]), _) => return Err("its list of separators is empty"),
        (Some([only]), _) if only.is_empty() => Mode::Characters,
        (Some(_), _) => Mode::Separators,
        (None, Some(".")) => Mode::Characters,
        (None, Some("")) => return Err("tokenexp is empty"),
        (None, Some(_)) => Mode::Tokens,
        (None, None) => return Err("it has neither separators nor tokenexp"),
    };
    match mode == Mode::Characters && node.mincharnum > 1 {
        true => Err("mincharnum is larger than 1, and its tokens are characters"),
        false => Ok(mode),
    }
}

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let tokenizer: microsoft::Tokenizer = node.view();
    mode(&tokenizer)?;
    let Some(shape) = node.shape_of(tokenizer.x) else { return Ok(vec![]) };
    let tokens = node.fresh(0, shape.len());
    Ok(vec![Some([shape.as_slice(), &[tokens]].concat())])
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = microsoft::Tokenizer::of(lowering.source, op);
    let mode = mode(&node).map_err(Unsupported::new)?;
    let patterns = match node.separators {
        Some(separators) => texts(&separators),
        None => texts(&[node.tokenexp.unwrap_or_default().into()]),
    };
    let patterns = lowering.vector(&patterns);
    let pad = lowering.string(&node.pad_value);
    let numbers = [mode as i64, node.mincharnum, i64::from(node.mark != 0), pad];
    let [mode, least, mark, pad] = numbers.map(|number| Index(lowering.index(number)));
    lowering.call(op, "tokenize_strings", &[Tensor(node.x), patterns, mode, least, mark, pad])
}
