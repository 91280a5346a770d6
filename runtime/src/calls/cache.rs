//! TensorScatter: writes a run of rows into each sequence of a cache.

use super::parallel::for_each_chunk;
use super::{Call, Failure, Outcome, around};

const NO_FIT: Failure = Failure::Reason(1);
const OUTSIDE: Failure = Failure::Reason(2);

/// The rows of one sequence: where the first one goes, and whether those beyond the end wrap around.
#[derive(Clone, Copy)]
struct Run {
    start: i64,
    is_circular: bool,
}

impl Run {
    /// Writes rows of `row` bytes at indices that exist unless they wrap around.
    fn write(self, line: &mut [u8], update: &[u8], row: usize) {
        let (room, count) = ((line.len() / row) as i64, (update.len() / row) as i64);
        let mut copy = |from: i64, to: i64, rows: i64| {
            let [from, to, bytes] = [from, to, rows].map(|rows| rows as usize * row);
            line[to..to + bytes].copy_from_slice(&update[from..from + bytes]);
        };
        if self.is_circular {
            let mut from = 0;
            while from < count && room > 0 {
                let to = self.start.wrapping_add(from).rem_euclid(room);
                let rows = (count - from).min(room - to);
                copy(from, to, rows);
                from += rows;
            }
        } else if count > 0 {
            copy(0, self.start, count);
        }
    }
}

pub(super) fn write_rows(call: &mut Call<'_>) -> Outcome {
    let (mut cache, update, starts) = (call.tensor(), call.tensor(), call.tensor());
    let (axis, is_circular) = (call.index() as usize, call.flag());
    let (output, is_there) = call.output_over(&mut cache);
    let extents = &output.extents;
    let fits = |other: &[usize]| {
        other.len() == extents.len() && (0..extents.len()).all(|at| at == axis || other[at] == extents[at])
    };
    let starts = starts.elements::<i64>();
    let batch = extents.first().copied().unwrap_or(0);
    let has_room = fits(&cache.extents) && fits(&update.extents) && cache.extents[axis] <= extents[axis];
    if !has_room || (is_there && cache.extents != *extents) || (starts.len() != 1 && starts.len() != batch) {
        return Err(NO_FIT);
    }
    let [lines, room, size] = around(extents, axis);
    let row = size * output.kind.width();
    let (own, new) = (cache.extents[axis] * row, update.extents[axis] * row);
    // only rows that wrap around go beyond the end
    let after = (room as i64).saturating_sub((new / row.max(1)) as i64);
    if !is_circular && new > 0 && batch > 0 && starts.iter().any(|start| !(0..=after).contains(start)) {
        return Err(OUTSIDE);
    }
    if output.bytes.is_empty() {
        return Ok(());
    }
    for_each_chunk(output.bytes, room * row, |number, line| {
        if !is_there {
            let (kept, rest) = line.split_at_mut(own);
            kept.copy_from_slice(&cache.bytes[number * own..][..own]);
            rest.fill(0);
        }
        let start = starts[if starts.len() == 1 { 0 } else { number * batch / lines }];
        Run { start, is_circular }.write(line, &update.bytes[number * new..][..new], row);
    });
    Ok(())
}
