//! SVMRegressor and SVMClassifier: weighted sums of a row's kernel products with support vectors.

use dialects::onnx::OnnxOp;
use dialects::onnx::views::ml::{SVMClassifier, SVMRegressor};
use dialects::onnx::views::{KernelType, PostTransform, View};
use ir::{Attribute, DimExpr, Op, Type, Value};

use super::coupling::coupled;
use super::linear::scores;
use super::scores::{Labels, both_scores, column, transformed};
use super::{expect_features, features, float_constant, rows};
use crate::graph::{Emitter, Problem};
use crate::operator::Operator;
use crate::shape::{Answer, Node};

pub(crate) const SVM_REGRESSOR: Operator = Operator {
    shapes: Some(|node| {
        let regressor: SVMRegressor = node.view();
        let Some(shape) = node.shape_of(regressor.x) else { return Ok(vec![]) };
        let vectors = regressor.support_vectors.as_ref().map_or(0, Vec::len);
        expect_features(node, regressor.x, vectors, regressor.n_supports.max(0) as usize)?;
        Ok(vec![Some(vec![rows(&shape)?, DimExpr::ONE])])
    }),
    compose: Some(regress),
    ..Operator::of(OnnxOp::MlSVMRegressor)
};

pub(crate) const SVM_CLASSIFIER: Operator = Operator {
    types: Some(|node, index| {
        let classifier = SVMClassifier::read(node);
        Some(if index == 0 { labels(&classifier).tensor() } else { Type::unranked_tensor(Type::F32) })
    }),
    shapes: Some(classifier_shapes),
    compose: Some(classify),
    ..Operator::of(OnnxOp::MlSVMClassifier)
};

/// A kernel function.
struct Kernel {
    r#type: KernelType,
    gamma: f64,
    offset: f64,
    degree: f64,
}

impl Kernel {
    fn of(r#type: KernelType, parameters: Option<&[f32]>) -> Kernel {
        let parameter = |index: usize| parameters.and_then(|all| all.get(index)).map_or(0.0, |&number| number as f64);
        Kernel { r#type, gamma: parameter(0), offset: parameter(1), degree: parameter(2) }
    }

    /// The kernel products of each row of `x` with each of `count` vectors.
    fn products(&self, emit: &mut Emitter, x: Value, vectors: &[f32], count: usize) -> Result<Value, Problem> {
        let width = vectors.len() / count;
        if width * count != vectors.len() {
            return Err(Problem::input(format!("has {} coefficients for {count} support vectors", vectors.len())));
        }
        let vectors = float_constant(emit, &[count as i64, width as i64], vectors);
        if self.r#type == KernelType::Rbf {
            let rows = emit.unsqueeze(x, &[1]);
            let difference = emit.plain("Sub", &[rows, vectors]);
            let square = emit.plain("Mul", &[difference, difference]);
            let distance = total(emit, square, false);
            let gamma = emit.number_like(-self.gamma, x);
            let scaled = emit.plain("Mul", &[distance, gamma]);
            return Ok(emit.plain("Exp", &[scaled]));
        }
        let products = emit.op("Gemm", &[x, vectors], [("transB", Attribute::i64(1))]);
        if self.r#type == KernelType::Linear {
            return Ok(products);
        }
        let (gamma, offset) = (emit.number_like(self.gamma, x), emit.number_like(self.offset, x));
        let scaled = emit.plain("Mul", &[products, gamma]);
        let moved = emit.plain("Add", &[scaled, offset]);
        Ok(match self.r#type {
            KernelType::Sigmoid => emit.plain("Tanh", &[moved]),
            _ => {
                let degree = emit.number_like(self.degree, x);
                emit.plain("Pow", &[moved, degree])
            }
        })
    }
}

/// Sums along the last axis.
pub(super) fn total(emit: &mut Emitter, value: Value, keeps_axis: bool) -> Value {
    let axes = emit.integers(&[-1]);
    emit.op("ReduceSum", &[value, axes], [("keepdims", Attribute::i64(keeps_axis as i64))])
}

fn regress(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let regressor = SVMRegressor::of(&emit.body, op);
    let coefficients = regressor.coefficients.unwrap_or_default();
    let intercepts = regressor.rho.unwrap_or_default();
    let intercept = &intercepts[..1.min(intercepts.len())];
    let mut x = features(emit, regressor.x)?;
    if regressor.n_supports > 0 {
        let kernel = Kernel::of(regressor.kernel_type, regressor.kernel_params.as_deref());
        let vectors = regressor.support_vectors.unwrap_or_default();
        x = kernel.products(emit, x, &vectors, regressor.n_supports as usize)?;
    }
    let mut result = scores(emit, x, &coefficients, intercept, 1)?;
    if regressor.one_class != 0 {
        let (zero, one, minus) = (emit.number_like(0.0, x), emit.number_like(1.0, x), emit.number_like(-1.0, x));
        let inside = emit.plain("Greater", &[result, zero]);
        result = emit.plain("Where", &[inside, one, minus]);
    }
    Ok(vec![Some(transformed(emit, result, regressor.post_transform))])
}

fn labels(classifier: &SVMClassifier) -> Labels {
    Labels::of(classifier.classlabels_ints.clone(), classifier.classlabels_strings.clone())
}

/// Whether classes are compared pairwise; otherwise each has a row of coefficients.
fn is_pairwise(classifier: &SVMClassifier) -> bool {
    classifier.vectors_per_class.as_ref().is_some_and(|counts| counts.iter().any(|&count| count > 0))
}

fn has_probabilities(classifier: &SVMClassifier) -> bool {
    classifier.prob_a.as_ref().is_some_and(|numbers| !numbers.is_empty())
}

fn classifier_shapes(node: &mut Node<'_, '_>) -> Answer {
    let classifier: SVMClassifier = node.view();
    let classes = labels(&classifier).len();
    let columns = match is_pairwise(&classifier) && !has_probabilities(&classifier) {
        true if classes > 2 => classes * (classes - 1) / 2,
        true => 2,
        false => classes,
    };
    let Some(shape) = node.shape_of(classifier.x) else { return Ok(vec![]) };
    let rows = rows(&shape)?;
    let counts = classifier.vectors_per_class.as_deref().unwrap_or_default();
    let (numbers, count) = match is_pairwise(&classifier) {
        true => (&classifier.support_vectors, counts.iter().map(|&count| count.max(0) as usize).sum()),
        false => (&classifier.coefficients, classes),
    };
    expect_features(node, classifier.x, numbers.as_ref().map_or(0, Vec::len), count)?;
    Ok(vec![Some(vec![rows.clone()]), Some(vec![rows, DimExpr::Constant(columns as i64)])])
}

fn classify(emit: &mut Emitter, op: Op) -> Result<Vec<Option<Value>>, Problem> {
    let classifier = SVMClassifier::of(&emit.body, op);
    let labels = labels(&classifier);
    let x = features(emit, classifier.x)?;
    let (label, scores) = match is_pairwise(&classifier) {
        true => by_pairs(emit, &classifier, &labels, x)?,
        false => by_rows(emit, &classifier, &labels, x)?,
    };
    Ok(vec![Some(label), Some(scores)])
}

/// Each class has coefficients; they share one intercept.
fn by_rows(
    emit: &mut Emitter,
    classifier: &SVMClassifier,
    labels: &Labels,
    x: Value,
) -> Result<(Value, Value), Problem> {
    let coefficients = classifier.coefficients.as_deref().unwrap_or_default();
    let intercept = classifier.rho.as_ref().and_then(|all| all.first()).copied().unwrap_or(0.0);
    let intercepts = vec![intercept; labels.len()];
    let scores = scores(emit, x, coefficients, &intercepts, labels.len() as i64)?;
    let label = match labels.len() {
        2 if !has_probabilities(classifier) => {
            // the second class wins if a score is high enough
            let all_positive = coefficients.iter().all(|&number| number >= 0.0);
            let axes = emit.integers(&[1]);
            let most = emit.op("ReduceMax", &[scores, axes], [("keepdims", Attribute::i64(0))]);
            let (compare, bound) = if all_positive { ("GreaterOrEqual", 0.5) } else { ("Greater", 0.0) };
            let bound = emit.number_like(bound, scores);
            let high = emit.plain(compare, &[most, bound]);
            let options = [("axis", Attribute::i64(1)), ("keepdims", Attribute::i64(0))];
            let best = emit.op("ArgMax", &[scores], options);
            let one = emit.integer(1);
            let class = emit.plain("Where", &[high, one, best]);
            labels.choose(emit, class)
        }
        _ => labels.best(emit, scores),
    };
    Ok((label, transformed(emit, scores, classifier.post_transform)))
}

/// The pairs of classes in the order of their scores.
pub(super) fn pairs(classes: usize) -> impl Iterator<Item = (usize, usize)> {
    (0..classes).flat_map(move |first| (first + 1..classes).map(move |second| (first, second)))
}

/// Each pair of classes has a score, and the class that wins the most pairs is the best.
fn by_pairs(
    emit: &mut Emitter,
    classifier: &SVMClassifier,
    labels: &Labels,
    x: Value,
) -> Result<(Value, Value), Problem> {
    let kernel = Kernel::of(classifier.kernel_type, classifier.kernel_params.as_deref());
    let classes = labels.len();
    let counts = classifier.vectors_per_class.as_deref().unwrap_or_default();
    let counts: Vec<usize> = counts.iter().map(|&count| count.max(0) as usize).collect();
    let count = counts.iter().sum();
    let weights = pair_weights(classifier, &counts, classes)?;
    let vectors = classifier.support_vectors.as_deref().unwrap_or_default();
    let products = kernel.products(emit, x, vectors, count)?;
    let pair_count = classes * (classes - 1) / 2;
    let intercepts = classifier.rho.as_deref().and_then(|all| all.get(..pair_count));
    let intercepts = intercepts.ok_or_else(|| Problem::input("has fewer intercepts than pairs of classes"))?;
    let scores = scores(emit, products, &weights, intercepts, pair_count as i64)?;
    let label = most_won(emit, scores, labels);
    let transform = classifier.post_transform;
    let scores = match (&classifier.prob_a, &classifier.prob_b) {
        (Some(slopes), Some(offsets)) if !slopes.is_empty() => {
            if slopes.len() < pair_count || offsets.len() < pair_count {
                return Err(Problem::input("has fewer probabilities than pairs of classes"));
            }
            let slopes = float_constant(emit, &[pair_count as i64], &slopes[..pair_count]);
            let offsets = float_constant(emit, &[pair_count as i64], &offsets[..pair_count]);
            let scaled = emit.plain("Mul", &[scores, slopes]);
            let moved = emit.plain("Add", &[scaled, offsets]);
            let opposite = emit.plain("Neg", &[moved]);
            let first_wins = emit.plain("Sigmoid", &[opposite]);
            let probabilities = coupled(emit, first_wins, classes);
            transformed(emit, probabilities, transform)
        }
        _ if classes > 2 => transformed(emit, scores, transform),
        _ => {
            let score = column(emit, scores, 0);
            both_scores(emit, score, transform == PostTransform::None, transform)
        }
    };
    Ok((label, scores))
}

/// A row of weights for each pair of classes: those of the first class's vectors against the second, and the reverse.
fn pair_weights(classifier: &SVMClassifier, counts: &[usize], classes: usize) -> Result<Vec<f32>, Problem> {
    let coefficients = classifier.coefficients.as_deref().unwrap_or_default();
    let total: usize = counts.iter().sum();
    if classes < 2 || counts.len() != classes || coefficients.len() < (classes - 1) * total {
        return Err(Problem::input(format!(
            "has {} coefficients and {} support vectors for {classes} classes",
            coefficients.len(),
            counts.len()
        )));
    }
    let starts: Vec<usize> = counts
        .iter()
        .scan(0, |next, count| {
            let start = *next;
            *next += count;
            Some(start)
        })
        .collect();
    let mut weights = Vec::new();
    for (first, second) in pairs(classes) {
        let mut row = vec![0.0; total];
        for (class, line) in [(first, second - 1), (second, first)] {
            let own = starts[class]..starts[class] + counts[class];
            row[own.clone()].copy_from_slice(&coefficients[line * total..][own]);
        }
        weights.extend(row);
    }
    Ok(weights)
}

/// The labels of the classes that win the most pairs.
fn most_won(emit: &mut Emitter, scores: Value, labels: &Labels) -> Value {
    let classes = labels.len();
    let mut wins = [vec![], vec![]];
    for (first, second) in pairs(classes) {
        wins[0].extend((0..classes).map(|class| f32::from(u8::from(class == first))));
        wins[1].extend((0..classes).map(|class| f32::from(u8::from(class == second))));
    }
    let zero = emit.number_like(0.0, scores);
    let first_wins = emit.plain("Greater", &[scores, zero]);
    let second_wins = emit.plain("Not", &[first_wins]);
    let pair_count = (wins[0].len() / classes) as i64;
    let [for_first, for_second] = [(first_wins, &wins[0]), (second_wins, &wins[1])].map(|(won, wins)| {
        let won = emit.convert(won, &Type::F32);
        let wins = float_constant(emit, &[pair_count, classes as i64], wins);
        emit.plain("MatMul", &[won, wins])
    });
    let votes = emit.plain("Add", &[for_first, for_second]);
    labels.best(emit, votes)
}
