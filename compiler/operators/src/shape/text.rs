//! Operators on strings and files, and the scalars that sequences and optionals give.

use ir::DimExpr;

use super::node::Node;
use super::{Answer, Rule};

pub(super) fn rule(name: &str) -> Option<Rule> {
    Some(match name {
        "RegexFullMatch" => super::math::like_first,
        "StringNormalizer" => normalize,
        "StringSplit" => split,
        "TfIdfVectorizer" => count_terms,
        "ImageDecoder" => |node| Ok(vec![Some((0..3).map(|axis| node.fresh(0, axis)).collect())]),
        "SequenceLength" | "OptionalHasElement" => |_| Ok(vec![Some(vec![])]),
        _ => return None,
    })
}

/// Stop words are dropped, so the count is only known when there are none.
fn normalize(node: &mut Node<'_, '_>) -> Answer {
    let Some(mut shape) = node.shape(0) else { return Ok(vec![]) };
    let drops = node.attribute("stopwords").is_some();
    if let (true, Some(axis)) = (drops, shape.len().checked_sub(1)) {
        shape[axis] = node.fresh(0, axis);
    }
    Ok(vec![Some(shape)])
}

fn split(node: &mut Node<'_, '_>) -> Answer {
    let Some(shape) = node.shape(0) else { return Ok(vec![]) };
    let parts = node.fresh(0, shape.len());
    Ok(vec![Some([shape.as_slice(), &[parts]].concat()), Some(shape)])
}

fn count_terms(node: &mut Node<'_, '_>) -> Answer {
    let Some(shape) = node.shape(0) else { return Ok(vec![]) };
    let columns = node.integers("ngram_indexes").and_then(|columns| columns.into_iter().max());
    let columns = DimExpr::Constant(columns.ok_or("it has no ngram_indexes")? + 1);
    let rows = &shape[..shape.len().saturating_sub(1)];
    Ok(vec![Some([rows, &[columns]].concat())])
}
