//! Strings: below the graph level an element is the number of a string in the table of the run, so that whatever moves or
//! compares elements needs nothing of its own. What reads or makes texts is a routine.

use dialects::onnx::views::{self, CaseChange, View, WeightingMode};
use ir::{Attribute, Blob, DenseElements, Op, Type, Value};

use super::calls::Argument::{self, Index, Lowered, Tensor};
use super::{Lowering, Unsupported, is_string, signless};
use crate::types::element_number;

impl Lowering<'_> {
    /// The number of a string of the model.
    fn string(&mut self, text: &str) -> i64 {
        self.strings.insert_full(text.to_string()).0 as i64
    }

    /// A constant tensor of strings.
    pub(crate) fn string_tensor(&mut self, texts: &[String], shape: &[i64]) -> Value {
        let numbers: Vec<i64> = texts.iter().map(|text| self.string(text)).collect();
        let count = shape.iter().product::<i64>() as usize;
        // all may be alike, and given once
        let bytes: Vec<u8> = numbers.iter().cycle().take(count).flat_map(|number| number.to_le_bytes()).collect();
        self.dense(DenseElements::new(Type::static_tensor(shape, Type::I64), Blob::copy_of(&bytes)))
    }

    fn dense(&mut self, elements: DenseElements) -> Value {
        let r#type = elements.r#type.clone();
        self.builder().constant(Attribute::dense(elements), r#type)
    }

    /// A constant vector as a routine takes it; its elements as the graph level has them.
    pub(crate) fn vector(&mut self, elements: &DenseElements) -> Argument {
        let element = elements.r#type.element();
        let kind = element_number(element).unwrap_or(0);
        let count = elements.element_count() as i64;
        let tensor = match elements.strings() {
            Some(texts) => self.string_tensor(&texts, &[count]),
            None => {
                let r#type = Type::static_tensor(&[count], signless(element));
                self.dense(DenseElements { r#type, ..elements.clone() })
            }
        };
        Lowered(tensor, kind)
    }
}

fn integers(values: &[i64]) -> DenseElements {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    DenseElements::new(Type::static_tensor(&[values.len() as i64], Type::I64), Blob::copy_of(&bytes))
}

fn floats(values: &[f32]) -> DenseElements {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    DenseElements::new(Type::static_tensor(&[values.len() as i64], Type::F32), Blob::copy_of(&bytes))
}

fn texts(values: &[String]) -> DenseElements {
    let r#type = Type::static_tensor(&[values.len() as i64], Type::dialect("onnx", "String", vec![]));
    DenseElements::from_strings(r#type, values)
}

/// Casts between strings and numbers; false for any other cast.
pub(crate) fn cast(lowering: &mut Lowering<'_>, op: Op, operand: Value) -> Result<bool, Unsupported> {
    let result = lowering.source.op(op).results()[0];
    let [from, to] = [operand, result].map(|value| is_string(lowering.source.value_type(value).element()));
    match (from, to) {
        (false, false) => return Ok(false),
        (true, true) => {
            let value = lowering.value(operand);
            lowering.bind(result, value);
        }
        (false, true) => lowering.call(op, "format_numbers", &[Tensor(operand)])?,
        (true, false) => lowering.call(op, "parse_numbers", &[Tensor(operand)])?,
    }
    Ok(true)
}

/// Lowers `StringConcat`.
pub(super) fn concat(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::StringConcat::of(lowering.source, op);
    let shape = lowering.shape(lowering.source.op(op).results()[0]);
    let kind = element_number(lowering.source.value_type(node.x).element()).unwrap_or(0);
    let [x, y] = [node.x, node.y].map(|operand| {
        let from = lowering.shape(operand);
        let value = lowering.value(operand);
        let input = lowering.broadcast_input(value, &from, &shape);
        Lowered(lowering.pointwise(&[input], &shape, Type::I64, |_, elements| elements[0]), kind)
    });
    lowering.call(op, "concat_strings", &[x, y])
}

/// Lowers `StringNormalizer`.
pub(super) fn normalize(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::StringNormalizer::of(lowering.source, op);
    let stopwords = lowering.vector(&texts(&node.stopwords.unwrap_or_default()));
    let case = lowering.index(match node.case_change_action {
        CaseChange::None => 0,
        CaseChange::Lower => 1,
        CaseChange::Upper => 2,
    });
    let sensitive = lowering.index(node.is_case_sensitive);
    lowering.call(op, "normalize_strings", &[Tensor(node.x), stopwords, Index(case), Index(sensitive)])
}

/// Lowers `StringSplit`.
pub(super) fn split(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::StringSplit::of(lowering.source, op);
    let delimiter = lowering.string(&node.delimiter.unwrap_or_default());
    let (delimiter, most) = (lowering.index(delimiter), lowering.index(node.maxsplit.unwrap_or(-1)));
    lowering.call(op, "split_strings", &[Tensor(node.x), Index(delimiter), Index(most)])
}

/// Lowers `RegexFullMatch`.
pub(super) fn full_match(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::RegexFullMatch::of(lowering.source, op);
    let pattern = lowering.string(&node.pattern.unwrap_or_default());
    let pattern = lowering.index(pattern);
    lowering.call(op, "match_strings", &[Tensor(node.x), Index(pattern)])
}

/// Lowers `TfIdfVectorizer`.
pub(super) fn count_terms(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::TfIdfVectorizer::of(lowering.source, op);
    let pool = match (&node.pool_strings, &node.pool_int64s) {
        (Some(strings), _) => texts(strings),
        (None, Some(numbers)) => integers(numbers),
        (None, None) => return Err(Unsupported::new("it has no pool of terms")),
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

/// Lowers `LabelEncoder`.
pub(crate) fn encode_labels(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let node = views::ml::LabelEncoder::of(lowering.source, op);
    let list = |strings: &Option<Vec<String>>, numbers: &Option<Vec<i64>>, reals: &Option<Vec<f32>>| match (
        strings, numbers, reals,
    ) {
        (Some(strings), _, _) => Some(texts(strings)),
        (None, Some(numbers), _) => Some(integers(numbers)),
        (None, None, Some(reals)) => Some(floats(reals)),
        (None, None, None) => None,
    };
    let keys = node.keys_tensor.map(|tensor| (*tensor).clone());
    let keys = keys.or_else(|| list(&node.keys_strings, &node.keys_int64s, &node.keys_floats));
    let values = node.values_tensor.map(|tensor| (*tensor).clone());
    let values = values.or_else(|| list(&node.values_strings, &node.values_int64s, &node.values_floats));
    let (Some(keys), Some(values)) = (keys, values) else {
        return Err(Unsupported::new("it has no keys or no values"));
    };
    let element = values.r#type.element();
    let default = match node.default_tensor {
        Some(tensor) => (*tensor).clone(),
        None if is_string(element) => texts(&[node.default_string]),
        None if element.is_integer() => integers(&[node.default_int64]),
        None => floats(&[node.default_float as f32]),
    };
    let [keys, values, default] = [keys, values, default].map(|elements| lowering.vector(&elements));
    lowering.call(op, "look_up", &[Tensor(node.x), keys, values, default])
}
