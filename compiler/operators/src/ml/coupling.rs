//! Class probabilities from pairwise probabilities.
//!
//! Wu, Lin and Weng, "Probability estimates for multi-class classification by pairwise coupling" (2004), the second
//! method: the probabilities `p` minimise `pᵀ Q p` under `Σ p = 1`. They are found by coordinate descent, in which a
//! row of the batch stops as soon as it has converged.

use ir::{Attribute, Type, Value};

use super::float_constant;
use super::support_vectors::{pairs, total};
use crate::graph::{Emitter, Scan};

/// The maximum number of sweeps over the coordinates.
const MOST_SWEEPS: usize = 100;

/// `[rows, classes]` from `first_wins`, `[rows, pairs]`: the probability of the first class of each pair.
pub(super) fn coupled(emit: &mut Emitter, first_wins: Value, classes: usize) -> Value {
    let k = classes as i64;
    let q = quadratic_form(emit, first_wins, classes);
    let unit = unit_matrix(emit, classes);
    let lines = emit.transpose(q, &[1, 0, 2]);
    // every row starts with equal probabilities
    let first = column_like(emit, first_wins, 1.0 / classes as f64);
    let ones = float_constant(emit, &[1, k], &vec![1.0; classes]);
    let start = emit.plain("Mul", &[first, ones]);
    let results = emit.repeat(MOST_SWEEPS.max(classes) as i64, &[start], |emit, states| {
        let p = states[0];
        let stood = emit.unsqueeze(p, &[-1]);
        let product = emit.plain("MatMul", &[q, stood]);
        let axes = emit.integers(&[-1]);
        let qp = emit.plain("Squeeze", &[product, axes]);
        let weighted = emit.plain("Mul", &[p, qp]);
        let pqp = total(emit, weighted, true);
        let difference = emit.plain("Sub", &[qp, pqp]);
        let distance = emit.plain("Abs", &[difference]);
        let error = emit.op("ReduceMax", &[distance, axes], [("keepdims", Attribute::i64(1))]);
        let bound = emit.number_like(0.005 / classes as f64, p);
        let rests = emit.plain("Less", &[error, bound]);
        // until all rows have converged
        let moves = emit.plain("Not", &[rests]);
        let moves = emit.convert(moves, &Type::I32);
        let any = emit.op("ReduceMax", &[moves], [("keepdims", Attribute::i64(0))]);
        let goes_on = emit.convert(any, &Type::I1);
        let inner = Scan { states: &[p, qp, pqp], inputs: &[lines, unit], backwards: false };
        let next = emit.scan(&inner, |emit, states, elements| (improve(emit, states, elements, rests), vec![]));
        (goes_on, vec![next[0]])
    });
    results[0]
}

/// A step along one coordinate: `p`, `Q p` and `pᵀ Q p` after it.
fn improve(emit: &mut Emitter, states: &[Value], elements: &[Value], rests: Value) -> Vec<Value> {
    let [p, qp, pqp, line, unit] = [states[0], states[1], states[2], elements[0], elements[1]];
    let [own, diagonal] = [qp, line].map(|vector| {
        let chosen = emit.plain("Mul", &[vector, unit]);
        total(emit, chosen, true)
    });
    let gap = emit.plain("Sub", &[pqp, own]);
    let step = emit.plain("Div", &[gap, diagonal]);
    let (zero, one) = (emit.number_like(0.0, p), emit.number_like(1.0, p));
    let step = emit.plain("Where", &[rests, zero, step]);
    let scale = emit.plain("Add", &[step, one]);
    let moved = |emit: &mut Emitter, vector: Value, by: Value| {
        let by = emit.plain("Mul", &[step, by]);
        let sum = emit.plain("Add", &[vector, by]);
        emit.plain("Div", &[sum, scale])
    };
    let (next_p, next_qp) = (moved(emit, p, unit), moved(emit, qp, line));
    let curved = emit.plain("Mul", &[step, diagonal]);
    let doubled = emit.plain("Add", &[own, own]);
    let slope = emit.plain("Add", &[curved, doubled]);
    let next_pqp = moved(emit, pqp, slope);
    let next_pqp = emit.plain("Div", &[next_pqp, scale]);
    vec![next_p, next_qp, next_pqp]
}

/// `Q`, `[rows, classes, classes]`: the sums of the others' squared probabilities on the diagonal, `-r_ij r_ji`
/// elsewhere.
fn quadratic_form(emit: &mut Emitter, first_wins: Value, classes: usize) -> Value {
    let k = classes as i64;
    let (least, most) = (emit.number_like(1e-7, first_wins), emit.number_like(1.0 - 1e-7, first_wins));
    let first = emit.plain("Clip", &[first_wins, least, most]);
    let one = emit.number_like(1.0, first);
    let second = emit.plain("Sub", &[one, first]);
    let zero = column_like(emit, first, 0.0);
    let all = emit.op("Concat", &[first, second, zero], [("axis", Attribute::i64(1))]);
    // the index in `all` of the probability of one class against another
    let pair_count = classes * (classes - 1) / 2;
    let mut places = vec![2 * pair_count as i64; classes * classes];
    for (pair, (one, other)) in pairs(classes).enumerate() {
        places[one * classes + other] = pair as i64;
        places[other * classes + one] = (pair_count + pair) as i64;
    }
    let places = emit.integers(&places);
    let cells = emit.op("Gather", &[all, places], [("axis", Attribute::i64(1))]);
    let shape = emit.integers(&[-1, k, k]);
    let wins = emit.plain("Reshape", &[cells, shape]);
    let losses = emit.transpose(wins, &[0, 2, 1]);
    let squares = emit.plain("Mul", &[losses, losses]);
    let diagonal = total(emit, squares, true);
    let unit = unit_matrix(emit, classes);
    let diagonal = emit.plain("Mul", &[diagonal, unit]);
    let products = emit.plain("Mul", &[losses, wins]);
    emit.plain("Sub", &[diagonal, products])
}

fn unit_matrix(emit: &mut Emitter, classes: usize) -> Value {
    let cells = (0..classes * classes).map(|at| f32::from(u8::from(at % (classes + 1) == 0)));
    float_constant(emit, &[classes as i64, classes as i64], &cells.collect::<Vec<_>>())
}

/// A uniform `[rows, 1]`.
fn column_like(emit: &mut Emitter, matrix: Value, number: f64) -> Value {
    let (start, end) = (emit.integers(&[0]), emit.integers(&[1]));
    let column = emit.slice(matrix, start, end, 1);
    let zero = emit.number_like(0.0, matrix);
    // numbers between 0 and 1, so that no product is NaN
    let zeros = emit.plain("Mul", &[column, zero]);
    let number = emit.number_like(number, matrix);
    emit.plain("Add", &[zeros, number])
}
