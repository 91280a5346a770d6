//! TfIdfVectorizer: the frequencies of n-grams. Since 9.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::{self, View, WeightingMode};
use ir::{DimExpr, Op};

use crate::operator::Operator;
use crate::shape::{Answer, Node};
use crate::structured::calls::Argument::{Index, Tensor};
use crate::structured::strings::{floats, integers, texts};
use crate::structured::{Lowering, Unsupported};

pub(crate) const TF_IDF_VECTORIZER: Operator =
    Operator { shapes: Some(shapes), lower: Some(lower), ..Operator::of(OnnxOp::TfIdfVectorizer) };

fn shapes(node: &mut Node<'_, '_>) -> Answer {
    let vectorizer: views::TfIdfVectorizer = node.view();
    let Some(shape) = node.shape_of(vectorizer.x) else { return Ok(vec![]) };
    let columns = vectorizer.ngram_indexes.iter().max();
    let columns = DimExpr::Constant(columns.ok_or("it has no ngram_indexes")? + 1);
    let rows = &shape[..shape.len().saturating_sub(1)];
    Ok(vec![Some([rows, &[columns]].concat())])
}

fn lower(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::TfIdfVectorizer::of(lowering.source, op);
    let pool = match (&node.pool_strings, &node.pool_int64s) {
        (Some(strings), _) => texts(strings),
        (None, Some(numbers)) => integers(numbers),
        (None, None) => return Err(Unsupported::invalid("it has no pool of terms")),
    };
    let weights = node.weights.unwrap_or_else(|| vec![1.0; node.ngram_indexes.len()]);
    let pool = lowering.vector(&pool);
    let starts = lowering.vector(&integers(&node.ngram_counts));
    let columns = lowering.vector(&integers(&node.ngram_indexes));
    let weights = lowering.vector(&floats(&weights));
    let mode = match node.mode {
        WeightingMode::Tf => 0,
        WeightingMode::Idf => 1,
        WeightingMode::Tfidf => 2,
    };
    let numbers = [node.min_gram_length, node.max_gram_length, node.max_skip_count, mode];
    let [shortest, longest, skips, mode] = numbers.map(|number| Index(lowering.index(number)));
    lowering.call(op, "count_terms", &[Tensor(node.x), pool, starts, columns, weights, shortest, longest, skips, mode])
}
