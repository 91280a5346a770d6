//! The scores of classifiers: post transforms, and the best class.

use std::collections::HashSet;
use std::sync::Arc;

use dialects::onnx::views::PostTransform;
use ir::{Attribute, Blob, DenseElements, Type, Value};

use crate::graph::Emitter;

/// The labels of classes, integers or texts.
#[derive(Clone, Debug)]
pub(super) enum Labels {
    Integers(Arc<[i64]>),
    Strings(Vec<Arc<str>>),
}

impl Labels {
    /// The list that is present.
    pub(super) fn of(integers: Option<Arc<[i64]>>, strings: Option<Vec<Arc<str>>>) -> Labels {
        match strings.filter(|strings| !strings.is_empty()) {
            Some(strings) => Labels::Strings(strings),
            None => Labels::Integers(integers.unwrap_or_default()),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Labels::Integers(labels) => labels.len(),
            Labels::Strings(labels) => labels.len(),
        }
    }

    /// Whether a label occurs twice.
    pub(super) fn repeat(&self) -> bool {
        let distinct = match self {
            Labels::Integers(labels) => labels.iter().collect::<HashSet<_>>().len(),
            Labels::Strings(labels) => labels.iter().collect::<HashSet<_>>().len(),
        };
        distinct < self.len()
    }

    /// The type of a tensor of labels.
    pub(super) fn tensor(&self) -> Type {
        Type::unranked_tensor(self.element())
    }

    pub(super) fn element(&self) -> Type {
        match self {
            Labels::Integers(_) => Type::I64,
            Labels::Strings(_) => Type::dialect("onnx", "String", vec![]),
        }
    }

    /// The labels as a list.
    pub(super) fn elements(&self) -> DenseElements {
        let r#type = Type::static_tensor(&[self.len() as i64], self.element());
        match self {
            Labels::Integers(labels) => {
                let bytes: Vec<u8> = labels.iter().flat_map(|label| label.to_le_bytes()).collect();
                DenseElements::new(r#type, Blob::copy_of(&bytes))
            }
            Labels::Strings(labels) => DenseElements::from_strings(r#type, labels),
        }
    }

    /// The labels of class indices.
    pub(super) fn choose(&self, emit: &mut Emitter, classes: Value) -> Value {
        let labels = emit.constant(self.elements());
        emit.op("Gather", &[labels, classes], [("axis", Attribute::i64(0))])
    }

    /// The label of the highest score in each row.
    pub(super) fn best(&self, emit: &mut Emitter, scores: Value) -> Value {
        let options = [("axis", Attribute::i64(1)), ("keepdims", Attribute::i64(0))];
        let classes = emit.op("ArgMax", &[scores], options);
        self.choose(emit, classes)
    }

    /// The second label if the score is above a threshold, otherwise the first; scores are a list.
    pub(super) fn by_threshold(&self, emit: &mut Emitter, scores: Value, threshold: f64) -> Value {
        let threshold = emit.number_like(threshold, scores);
        let above = emit.plain("Greater", &[scores, threshold]);
        let classes = emit.convert(above, &Type::I64);
        self.choose(emit, classes)
    }
}

/// Column `column` of a matrix, as a list.
pub(super) fn column(emit: &mut Emitter, matrix: Value, column: i64) -> Value {
    let column = emit.integer(column);
    emit.op("Gather", &[matrix, column], [("axis", Attribute::i64(1))])
}

/// A matrix with two columns.
pub(super) fn columns(emit: &mut Emitter, first: Value, second: Value) -> Value {
    let (first, second) = (emit.unsqueeze(first, &[1]), emit.unsqueeze(second, &[1]));
    emit.op("Concat", &[first, second], [("axis", Attribute::i64(1))])
}

/// The scores of two classes from that of the second: the difference from 1, or the negative if scores are signed.
pub(super) fn both_scores(emit: &mut Emitter, score: Value, signed: bool, transform: PostTransform) -> Value {
    let opposite = emit.plain("Neg", &[score]);
    let opposite = match signed || transform == PostTransform::Logistic {
        true => opposite,
        false => {
            let one = emit.number_like(1.0, score);
            emit.plain("Add", &[one, opposite])
        }
    };
    let scores = columns(emit, opposite, score);
    match transform {
        PostTransform::Logistic | PostTransform::Probit => transformed(emit, scores, transform),
        // two scores that follow from one are not normalized together
        PostTransform::None | PostTransform::Softmax | PostTransform::SoftmaxZero => scores,
    }
}

/// The scores after a post transform, `[rows, classes]`.
pub(super) fn transformed(emit: &mut Emitter, scores: Value, transform: PostTransform) -> Value {
    match transform {
        PostTransform::None => scores,
        PostTransform::Softmax => emit.op("Softmax", &[scores], [("axis", Attribute::i64(1))]),
        PostTransform::Logistic => emit.plain("Sigmoid", &[scores]),
        PostTransform::SoftmaxZero => softmax_of_others(emit, scores),
        PostTransform::Probit => probit(emit, scores),
    }
}

/// Softmax of the scores that are not zero; zeros stay zeros.
fn softmax_of_others(emit: &mut Emitter, scores: Value) -> Value {
    let axes = emit.integers(&[1]);
    let most = emit.op("ReduceMax", &[scores, axes], [("keepdims", Attribute::i64(1))]);
    let shifted = emit.plain("Sub", &[scores, most]);
    let powers = emit.plain("Exp", &[shifted]);
    let size = emit.plain("Abs", &[scores]);
    let tiny = emit.number_like(1e-7, scores);
    let out = emit.plain("LessOrEqual", &[size, tiny]);
    let zero = emit.number_like(0.0, scores);
    let powers = emit.plain("Where", &[out, zero, powers]);
    let sum = emit.op("ReduceSum", &[powers, axes], [("keepdims", Attribute::i64(1))]);
    emit.plain("Div", &[powers, sum])
}

/// The quantile of the normal distribution, by Winitzki's approximation of the inverse error function, as in ONNX
/// Runtime.
fn probit(emit: &mut Emitter, scores: Value) -> Value {
    const A: f64 = 0.147;
    let number = |emit: &mut Emitter, value: f64| emit.number_like(value, scores);
    let (one, two, half) = (number(emit, 1.0), number(emit, 2.0), number(emit, 0.5));
    let doubled = emit.plain("Mul", &[scores, two]);
    let x = emit.plain("Sub", &[doubled, one]);
    let (below, above) = (emit.plain("Sub", &[one, x]), emit.plain("Add", &[one, x]));
    let product = emit.plain("Mul", &[below, above]);
    let logarithm = emit.plain("Log", &[product]);
    let (first, scale) = (number(emit, 2.0 / (std::f64::consts::PI * A)), number(emit, 1.0 / A));
    let halved = emit.plain("Mul", &[logarithm, half]);
    let center = emit.plain("Add", &[first, halved]);
    let square = emit.plain("Mul", &[center, center]);
    let scaled = emit.plain("Mul", &[logarithm, scale]);
    let difference = emit.plain("Sub", &[square, scaled]);
    let root = emit.plain("Sqrt", &[difference]);
    let difference = emit.plain("Sub", &[root, center]);
    let root = emit.plain("Sqrt", &[difference]);
    let (sign, scale) = (emit.plain("Sign", &[x]), number(emit, std::f64::consts::SQRT_2));
    let signed = emit.plain("Mul", &[root, sign]);
    emit.plain("Mul", &[signed, scale])
}
