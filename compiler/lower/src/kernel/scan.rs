//! `rt.scan`: what came before is carried along the middle dimension; columns run in vectors.

use ir::{Op, Value};

use super::emit::Emitter;
use super::lane::Lane;
use super::loops::delinearize;
use super::reduce::{alike, lane_values, refill};
use dialects::rt::Scan;

/// Columns of one parallel iteration at most.
const COLUMNS: i64 = 256;
/// The extent assumed for a dynamic dimension when work is estimated.
const ASSUMED_EXTENT: i64 = 64;

/// Emits a scan that writes `buffer`.
pub(super) fn emit_scan(emitter: &mut Emitter<'_>, root: Op, buffer: Value) {
    let scan = Scan::of(emitter.source, root);
    let [front, length, columns] = std::array::from_fn(|axis| emitter.extent(scan.input, axis));
    let most = emitter.index(COLUMNS);
    let (round, zero) = (emitter.index(COLUMNS - 1), emitter.index(0));
    let padded = emitter.add(columns, round);
    let chunks = emitter.div(padded, most);
    let count = emitter.mul(front, chunks);
    let known = |value: Value| emitter.constant_value(value).unwrap_or(ASSUMED_EXTENT);
    let work = known(length).saturating_mul(known(columns).min(COLUMNS));
    emitter.parallel_loop(count, work, |emitter, index| {
        let position = delinearize(emitter, index, &[front, chunks]);
        let low = emitter.mul(position[1], most);
        let end = emitter.add(low, most);
        let high = emitter.min(end, columns);
        let lanes = emitter.lanes as i64;
        let width = emitter.index(lanes);
        let span = emitter.sub(high, low);
        let tail = emitter.rem(span, width);
        let main = emitter.sub(high, tail);
        let walk = |emitter: &mut Emitter<'_>, from: Value, to: Value, step: i64| {
            emitter.for_loop(from, to, step, &[], |emitter, column, _| {
                let column = if step == 1 { Lane::Uniform(column) } else { Lane::Iota(column) };
                emit_column(emitter, &scan, buffer, (zero, length), (position[0], column));
                vec![]
            });
        };
        if emitter.constant_value(columns).is_none_or(|columns| columns >= lanes) {
            walk(emitter, low, main, lanes);
        }
        walk(emitter, main, high, 1);
    });
}

/// One walk along the middle dimension, for one column or a vector of them.
fn emit_column(
    emitter: &mut Emitter<'_>,
    scan: &Scan,
    buffer: Value,
    (zero, length): (Value, Value),
    (row, column): (Value, Lane),
) {
    let start = Lane::Uniform(emitter.scalar(scan.start));
    let start = if column.varies() { emitter.spread(&start) } else { start };
    let one = emitter.index(1);
    let last = emitter.sub(length, one);
    let carried = lane_values(&start);
    emitter.for_loop(zero, length, 1, &carried, |emitter, step, carried| {
        let at = if scan.reverse { emitter.sub(last, step) } else { step };
        let point = [Lane::Uniform(row), Lane::Uniform(at), column.clone()];
        let before = refill(std::slice::from_ref(&start), carried).remove(0);
        let element = emitter.evaluate(scan.input, &point);
        let combined = emitter.evaluate_block(scan.block, &[element, before.clone()]).remove(0);
        let next = alike(emitter, &combined, &before);
        emitter.store(if scan.exclusive { &before } else { &next }, buffer, &point);
        lane_values(&next)
    });
}
