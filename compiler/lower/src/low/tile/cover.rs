//! Covers extents with pieces of a few sizes.

use dialects::{OpCode, OpCodes, arith};
use ir::{Body, Value};

use super::code::Code;

/// The possible values of an extent, if there are few.
pub(super) type Choices = Option<Vec<i64>>;

/// The maximum number of possible values.
const CHOICES: usize = 4;

/// The possible values of a tile's extent: kernels compute them from constants, products, and `min(total - i·tile,
/// tile)` for the `i` at which a tile begins.
pub(super) fn choices(body: &Body, extent: Value) -> Choices {
    if let Some(number) = ir::constant_integer(body, extent) {
        return Some(vec![number]);
    }
    let op = body.defining_op(extent)?;
    let found = match (body.code(op), body.op(op).operands()) {
        (Some(arith::MULI), &[a, b]) => {
            let (a, b) = (choices(body, a)?, choices(body, b)?);
            a.iter().flat_map(|x| b.iter().map(move |y| x * y)).collect()
        }
        (Some(arith::MINSI), &[left, tile]) => remainders(body, left, tile).or_else(|| remainders(body, tile, left))?,
        _ => return None,
    };
    Some(distinct(found)).filter(|found| found.len() <= CHOICES)
}

/// The possible values of `min(total - i·tile, tile)`.
fn remainders(body: &Body, left: Value, tile: Value) -> Choices {
    let tile = ir::constant_integer(body, tile).filter(|&tile| tile > 0)?;
    let operands = |value: Value, code: OpCode| {
        let op = body.defining_op(value).filter(|&op| body.is(op, code))?;
        <[Value; 2]>::try_from(body.op(op).operands()).ok()
    };
    let [total, begin] = operands(left, arith::SUBI)?;
    let total = ir::constant_integer(body, total)?;
    let steps_by_tile = tile == 1
        || operands(begin, arith::MULI)?.iter().any(|&factor| ir::constant_integer(body, factor) == Some(tile));
    let last = total % tile;
    steps_by_tile.then(|| if last == 0 { vec![tile] } else { vec![tile.min(total), last] })
}

/// In descending order, without duplicates.
fn distinct(mut numbers: Vec<i64>) -> Vec<i64> {
    numbers.sort_unstable_by(|a, b| b.cmp(a));
    numbers.dedup();
    numbers
}

/// The sizes of the pieces that an extent is covered with, in descending order: pieces of the largest size, then for
/// each possible value one piece for the remainder.
pub(super) fn sizes(choices: &[i64], largest: i64) -> Vec<i64> {
    let whole = choices.iter().filter(|&&choice| choice >= largest).map(|_| largest);
    let rests = choices.iter().map(|choice| choice % largest).filter(|&rest| rest > 0);
    distinct(whole.chain(rests).collect())
}

/// Covers `[0, extent)` with pieces, as many of each size as fit. Returns the end of the pieces.
pub(super) fn cover(
    code: &mut Code<'_>,
    extent: Value,
    sizes: &[i64],
    mut piece: impl FnMut(&mut Code<'_>, Value, i64),
) -> Value {
    cover_ranges(code, extent, sizes, |code, range, size| each(code, range, size, |code, at| piece(code, at, size)))
}

/// The same, with the range of all pieces of a size at once.
pub(super) fn cover_ranges(
    code: &mut Code<'_>,
    extent: Value,
    sizes: &[i64],
    mut pieces: impl FnMut(&mut Code<'_>, (Value, Value), i64),
) -> Value {
    let mut first = code.index(0);
    for &size in sizes {
        let left = code.sub(extent, first);
        let divisor = code.index(size);
        let rest = code.rem(left, divisor);
        let end = code.sub(extent, rest);
        pieces(code, (first, end), size);
        first = end;
    }
    first
}

/// Each piece of a range.
pub(super) fn each(
    code: &mut Code<'_>,
    (first, end): (Value, Value),
    size: i64,
    piece: impl FnOnce(&mut Code<'_>, Value),
) {
    code.for_loop((first, end, size), vec![], |code, at, _| {
        piece(code, at);
        vec![]
    });
}
