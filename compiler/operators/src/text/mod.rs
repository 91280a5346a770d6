//! Operators on strings.

mod concat;
mod normalizer;
mod regex_full_match;
mod split;
mod tf_idf_vectorizer;

use crate::operator::Operator;

pub(crate) const OPERATORS: &[&Operator] = &[
    &concat::STRING_CONCAT,
    &normalizer::STRING_NORMALIZER,
    &regex_full_match::REGEX_FULL_MATCH,
    &split::STRING_SPLIT,
    &tf_idf_vectorizer::TF_IDF_VECTORIZER,
];
