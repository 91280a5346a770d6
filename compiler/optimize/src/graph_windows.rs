//! Divides graphs that are too large for an e-graph into windows, cut where few values cross: no equation is found
//! across a cut.

use ir::{Body, IndexMap, Op};

/// Divides operations of one block, in order, into windows of at most `largest` operations, and at least half as many
/// except for the last one.
pub(crate) fn windows<'o>(body: &Body, operators: &'o [Op], largest: usize) -> Vec<&'o [Op]> {
    if operators.len() <= largest {
        return vec![operators];
    }
    let crossing = values_crossing(body, operators);
    let mut all = Vec::new();
    let mut rest = operators;
    while rest.len() > largest {
        let first = operators.len() - rest.len();
        let narrowest = (largest.div_ceil(2)..=largest).rev().min_by_key(|&size| crossing[first + size]);
        let (window, after) = rest.split_at(narrowest.expect("windows are not empty"));
        all.push(window);
        rest = after;
    }
    all.push(rest);
    all
}

/// For each position before an operation, the number of values that are computed before it and read at it or later.
fn values_crossing(body: &Body, operators: &[Op]) -> Vec<usize> {
    let places: IndexMap<Op, usize> = operators.iter().enumerate().map(|(place, &op)| (op, place)).collect();
    // a reader in a region counts at the operation that owns it, and the terminator after everything
    let place_of = |reader: Op| {
        let mut around = std::iter::successors(Some(reader), |&op| body.parent_op(op));
        around.find_map(|op| places.get(&op).copied()).unwrap_or(operators.len())
    };
    let mut changes = vec![0i64; operators.len() + 2];
    for (place, &op) in operators.iter().enumerate() {
        for &result in body.op(op).results() {
            if let Some(last) = body.uses(result).iter().map(|reader| place_of(reader.op)).max() {
                changes[place + 1] += 1;
                changes[last + 1] -= 1;
            }
        }
    }
    let mut crossing = 0;
    let sum = |change: i64| {
        crossing += change;
        crossing as usize
    };
    changes.into_iter().map(sum).collect()
}
