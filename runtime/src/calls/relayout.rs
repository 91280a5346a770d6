//! Affine relayouts: transpositions, packing of rows and columns, slices and zero padding, alone or composed.
//!
//! `result[d] = tensor[A d + b]`, or zero where that is out of bounds, with one row of `b | A` for each axis of the
//! tensor. Contiguous nested loops over the result are merged. If neighbours in the tensor are apart in the result,
//! they are transposed in registers.

mod block;

use super::parallel::for_each_chunk;
use super::{Call, Outcome, Tensor};
use block::{Block, Factors, Nothing, QUAD, Scales, Way, copy_row, visit};
pub(crate) use block::{Loop, Place};

/// The maximum rank.
const AXES: usize = abi::RELAYOUT_AXES;
/// Bytes of the result that a thread writes per chunk: bounds of the target size.
const CHUNK: std::ops::RangeInclusive<usize> = 1 << 15..=1 << 19;
const CHUNKS: usize = 8;
/// A run absorbs another loop while it has fewer elements than this.
const RUN: usize = 256;
/// Rows with shorter runs than this are copied one by one.
const SHORTEST_RUN: usize = 4;
/// A run that would be longer than this absorbs no loop.
const LONGEST_RUN: usize = 4096;

pub(super) fn relayout(call: &mut Call<'_>) -> Outcome {
    let (tensor, map, flips) = (call.tensor(), call.tensor(), call.index());
    let output = call.output();
    let moves = Moves::of(&tensor, &map.elements(), None, &output.extents);
    moves.run_in_words(&tensor, flips as u8, output.bytes);
    Ok(())
}

pub(super) fn scaled_relayout(call: &mut Call<'_>) -> Outcome {
    let (tensor, map) = (call.tensor(), call.tensor());
    let (scales, scales_map) = (call.tensor(), call.tensor());
    let output = call.output();
    let moves = Moves::of(&tensor, &map.elements(), Some((&scales, &scales_map.elements())), &output.extents);
    moves.run::<4, _>(tensor.bytes, output.bytes, &Scales(&scales.elements()));
    Ok(())
}

/// An affine map from the result to a tensor.
#[derive(Clone, Debug)]
pub(crate) struct Moves {
    /// Loops over the result's axes, outer ones first.
    loops: Vec<Loop>,
    start: Place,
    /// The tensor's extents; axes after its last have extent 1.
    extents: [i64; AXES],
}

impl Moves {
    /// The moves of an affine map and a map of scale factors to a result of these extents.
    fn of(tensor: &Tensor<'_>, map: &[i64], scales: Option<(&Tensor<'_>, &[i64])>, extents: &[usize]) -> Moves {
        assert!(tensor.extents.len() <= AXES, "relayouts are of few axes");
        // column 0 is the start
        let columns = extents.len() + 1;
        let strides = strides(&tensor.extents);
        let column = |at: usize| {
            let mut place = Place::default();
            for (axis, row) in map.chunks_exact(columns).enumerate() {
                place.subscripts[axis] = row[at];
                place.from += row[at] * strides[axis];
            }
            if let Some((scales, map)) = scales {
                let strides = self::strides(&scales.extents);
                place.factor = map.chunks_exact(columns).zip(strides).map(|(row, stride)| row[at] * stride).sum();
            }
            place
        };
        let places: Vec<Place> = (0..columns).map(column).collect();
        let mut to: usize = extents.iter().product();
        let axes = extents.iter().zip(&places[1..]).map(|(&extent, &step)| {
            to /= extent.max(1);
            Loop { extent, step, to }
        });
        let axes: Vec<Loop> = axes.collect();
        let mut all = [1; AXES];
        all.iter_mut().zip(&tensor.extents).for_each(|(to, &extent)| *to = extent as i64);
        Moves { loops: joined(&axes), start: places[0], extents: all }
    }

    /// Moves whose elements are all inside the tensor, starting at element `start`.
    pub(crate) fn inside(axes: &[Loop], start: i64) -> Moves {
        let mut moves =
            Moves { loops: joined(axes), start: Place { from: start, ..Place::default() }, extents: [1; AXES] };
        // the tensor's contiguous elements are along its first axis, so that they may be moved together
        if let Some(lanes) = moves.loops.last_mut().filter(|lanes| lanes.step.from == 1) {
            lanes.step.subscripts[0] = 1;
            moves.extents[0] = lanes.extent as i64;
        }
        moves
    }

    /// Moves elements of any width, several at a time where they are contiguous.
    fn run_in_words(self, tensor: &Tensor<'_>, flips: u8, to: &mut [u8]) {
        let (moves, width) = match tensor.kind.width() {
            // few constants are this wide, and the code would be part of every program
            8 => (self.in_halves(tensor.extents.len().saturating_sub(1)), 4),
            width => self.in_words(width),
        };
        moves.run_of_width(width, tensor.bytes, to, &Nothing::<false>);
        if flips != 0 {
            for_each_chunk(to, *CHUNK.start(), |_, part| part.iter_mut().for_each(|byte| *byte ^= flips));
        }
    }

    /// Moves elements of one, two or four bytes.
    fn run_of_width<F>(&self, width: usize, from: &[u8], to: &mut [u8], factors: &F)
    where
        F: Factors<1> + Factors<2> + Factors<4>,
    {
        match width {
            1 => self.run::<1, _>(from, to, factors),
            2 => self.run::<2, _>(from, to, factors),
            _ => self.run::<4, _>(from, to, factors),
        }
    }

    /// Moves elements of `width` bytes in every run of a model.
    pub(crate) fn run_often(self, width: usize, from: &[u8], to: &mut [u8]) {
        if width == 8 {
            return self.run::<8, _>(from, to, &Nothing::<true>);
        }
        let (moves, width) = self.in_words(width);
        moves.run_of_width(width, from, to, &Nothing::<true>);
    }

    fn run<const WIDTH: usize, F: Factors<WIDTH>>(&self, from: &[u8], to: &mut [u8], factors: &F) {
        let (from, to) = (from.as_chunks::<WIDTH>().0, to.as_chunks_mut::<WIDTH>().0);
        let chunk = (to.len() * WIDTH / CHUNKS).clamp(*CHUNK.start(), *CHUNK.end());
        let rows = (chunk / WIDTH / self.loops[0].to.max(1)).max(1);
        for_each_chunk(to, rows * self.loops[0].to, |chunk, part| {
            // the last chunk may be shorter
            let part_of = self.part(chunk * rows, part.len().div_ceil(self.loops[0].to));
            part_of.fill(from, part, factors);
        });
    }

    /// The part that covers `count` indices of the outermost loop.
    fn part(&self, first: usize, count: usize) -> Moves {
        let mut part = self.clone();
        part.start = self.start.after(first as i64, &self.loops[0].step);
        part.loops[0].extent = count;
        part
    }

    /// Treats each element as two words of half its width that are contiguous along the tensor's last axis.
    fn in_halves(mut self, axis: usize) -> Moves {
        self.extents[axis] *= 2;
        for place in self.loops.iter_mut().map(|at| &mut at.step).chain([&mut self.start]) {
            place.subscripts[axis] *= 2;
            place.from *= 2;
        }
        self.loops.iter_mut().for_each(|at| at.to *= 2);
        let mut step = Place { from: 1, ..Place::default() };
        step.subscripts[axis] = 1;
        self.loops.push(Loop { extent: 2, step, to: 1 });
        self
    }

    /// Treats contiguous elements as words of at most four bytes, and returns the width of those: iterations of the
    /// last loop that are contiguous in the tensor.
    fn in_words(mut self, width: usize) -> (Moves, usize) {
        let (lanes, others) = self.loops.split_last().expect("there is a loop");
        let words = lanes.extent as i64;
        let axis = lanes.step.subscripts.iter().position(|&step| step != 0).unwrap_or(0);
        let mut on_end = Place { from: 1, ..Place::default() };
        on_end.subscripts[axis] = 1;
        let is_whole = |place: &Place| place.subscripts[axis] % words == 0 && place.from % words == 0;
        let fits = (2..=4 / width as i64).contains(&words)
            && words.count_ones() == 1
            && lanes.step == on_end
            && !others.is_empty()
            && self.extents[axis] % words == 0
            && others.iter().all(|at| at.to as i64 % words == 0)
            && others.iter().map(|at| &at.step).chain([&self.start]).all(is_whole);
        if !fits {
            return (self, width);
        }
        self.loops.pop();
        for place in self.loops.iter_mut().map(|at| &mut at.step).chain([&mut self.start]) {
            place.subscripts[axis] /= words;
            place.from /= words;
        }
        self.extents[axis] /= words;
        self.loops.iter_mut().for_each(|at| at.to /= words as usize);
        end_in_neighbours(&mut self.loops);
        (self, width * words as usize)
    }

    fn fill<const WIDTH: usize, F: Factors<WIDTH>>(&self, from: &[[u8; WIDTH]], to: &mut [[u8; WIDTH]], factors: &F) {
        let block = self.block();
        let is_whole = self.has_all(&self.loops, self.start);
        visit(&block.outer, 0, self.start, &mut |at, start| match is_whole {
            true => block.fill(from, &mut to[at..], start, factors),
            false => self.fill_inside(&block, from, &mut to[at..], start, factors),
        });
    }

    /// Fills a block with the elements inside the tensor, and zeros.
    fn fill_inside<const WIDTH: usize, F: Factors<WIDTH>>(
        &self,
        block: &Block,
        from: &[[u8; WIDTH]],
        to: &mut [[u8; WIDTH]],
        start: Place,
        factors: &F,
    ) {
        let loops: Vec<Loop> = block.inner.iter().chain([&block.lanes]).copied().collect();
        if self.has_all(&loops, start) {
            return block.fill(from, to, start, factors);
        }
        if let ([outermost, inner @ ..], Way::Rows) = (&block.inner[..], &block.way) {
            let inner = Block { outer: vec![], inner: inner.to_vec(), lanes: block.lanes, way: Way::Rows };
            return visit(&[*outermost], 0, start, &mut |at, start| {
                self.fill_inside(&inner, from, &mut to[at..], start, factors);
            });
        }
        visit(&block.inner, 0, start, &mut |at, start| {
            let range = self.range(&block.lanes, start);
            let row = &mut to[at..at + block.lanes.extent];
            row[..range.start].fill([0; WIDTH]);
            row[range.end..].fill([0; WIDTH]);
            let start = start.after(range.start as i64, &block.lanes.step);
            copy_row(from, &mut row[range], [start.from, start.factor], &block.lanes.step, factors);
        });
    }

    /// Selects the loops that form a block.
    fn block(&self) -> Block {
        let (&lanes, others) = self.loops.split_last().expect("there is a loop");
        let mut runs: Vec<Loop> = Vec::new();
        let mut length = 1;
        // the outermost loop of a part may have a single iteration
        let can_run = |at: &Loop| at.step.factor == 0 && at.extent > 1;
        while length < RUN && lanes.step.from > 1 && lanes.extent > 1 {
            let Some(next) = others.iter().find(|at| at.step.from == length as i64 && can_run(at)) else { break };
            // the destination of each element of a run is listed
            if length > 1 && length * next.extent > LONGEST_RUN {
                break;
            }
            length *= next.extent;
            runs.push(*next);
        }
        if length < SHORTEST_RUN {
            let (outer, inner) = others.split_at(others.len().saturating_sub(2));
            return Block { outer: outer.to_vec(), inner: inner.to_vec(), lanes, way: Way::Rows };
        }
        let mut run = vec![0];
        for next in &runs {
            run = (0..next.extent).flat_map(|at| run.iter().map(move |place| place + at * next.to)).collect();
        }
        // loops with small strides last, so that memory after a run of the tensor is read soon
        let mut outer: Vec<Loop> = Vec::new();
        for at in others.iter().filter(|at| runs.iter().all(|next| next.to != at.to)) {
            let place = outer.iter().position(|other| other.step.from < at.step.from).unwrap_or(outer.len());
            outer.insert(place, *at);
        }
        let is_dense = run.iter().enumerate().all(|(at, &place)| place == at * QUAD);
        let way = if lanes.extent == QUAD && is_dense { Way::Quads(run.len()) } else { Way::Columns(run) };
        Block { outer, inner: runs, lanes, way }
    }

    /// Whether all elements that some loops visit from a position on are inside the tensor.
    fn has_all(&self, loops: &[Loop], start: Place) -> bool {
        (0..AXES).all(|axis| {
            let (mut least, mut most) = (start.subscripts[axis], start.subscripts[axis]);
            for at in loops {
                let reach = at.step.subscripts[axis] * (at.extent as i64 - 1);
                if reach < 0 {
                    least += reach;
                } else {
                    most += reach;
                }
            }
            least >= 0 && most < self.extents[axis]
        })
    }

    /// The indices of a loop that are inside the tensor.
    fn range(&self, lanes: &Loop, start: Place) -> std::ops::Range<usize> {
        let mut range = 0..lanes.extent as i64;
        for ((at, step), extent) in start.subscripts.into_iter().zip(lanes.step.subscripts).zip(self.extents) {
            // at + i step >= 0 and at + i step < extent
            let least = -at.div_euclid(step.max(1));
            let inside = match step {
                0 if (0..extent).contains(&at) => continue,
                0 => 0..0,
                1.. => least..(extent - at - 1).div_euclid(step) + 1,
                ..0 => (at - extent).div_euclid(-step) + 1..at.div_euclid(-step) + 1,
            };
            range = range.start.max(inside.start)..range.end.min(inside.end);
        }
        let end = range.end.max(0);
        range.start.min(end) as usize..end as usize
    }
}

/// Loops over axes, outer ones first: contiguous ones are merged, and those with one iteration are dropped.
fn joined(axes: &[Loop]) -> Vec<Loop> {
    let mut loops: Vec<Loop> = Vec::new();
    for at in axes.iter().filter(|at| at.extent != 1) {
        match loops.last_mut() {
            // one step of the outer loop is where the inner one would continue
            Some(outer)
                if outer.step == Place::default().after(at.extent as i64, &at.step)
                    && outer.to == at.extent * at.to =>
            {
                *outer = Loop { extent: outer.extent * at.extent, ..*at };
            }
            _ => loops.push(*at),
        }
    }
    end_in_neighbours(&mut loops);
    loops
}

/// Moves the only loop over contiguous elements of the result to the end.
fn end_in_neighbours(loops: &mut Vec<Loop>) {
    if loops.last().is_none_or(|last| last.to != 1) {
        loops.push(Loop { extent: 1, step: Place::default(), to: 1 });
    }
}

/// The stride of each axis.
fn strides(extents: &[usize]) -> Vec<i64> {
    (1..=extents.len()).map(|axis| extents[axis..].iter().product::<usize>() as i64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calls::element::Kind;
    use crate::samples::is_long;

    /// The result by the definition.
    fn expected(
        source: &[f32],
        extents: &[usize],
        map: &[i64],
        to: &[usize],
        scale: impl Fn(&[i64]) -> f32,
    ) -> Vec<f32> {
        let count = to.iter().product::<usize>();
        let element = |at: usize| {
            let mut rest = at;
            let mut index = vec![1i64; to.len() + 1];
            for axis in (0..to.len()).rev() {
                index[axis + 1] = (rest % to[axis]) as i64;
                rest /= to[axis];
            }
            let mut place = 0;
            for (row, &extent) in map.chunks_exact(to.len() + 1).zip(extents) {
                let subscript: i64 = row.iter().zip(&index).map(|(c, index)| c * index).sum();
                if !(0..extent as i64).contains(&subscript) {
                    return 0.0;
                }
                place = place * extent + subscript as usize;
            }
            source[place] * scale(&index[1..])
        };
        (0..count).map(element).collect()
    }

    fn bytes_of(numbers: &[f32]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_ne_bytes()).collect()
    }

    fn check(extents: &[usize], map: &[i64], to: &[usize]) {
        if is_long(100 * to.iter().product::<usize>()) {
            return;
        }
        let source: Vec<f32> = (0..extents.iter().product::<usize>()).map(|at| at as f32 + 1.0).collect();
        // after one byte, where no element is aligned
        let mut bytes = vec![0];
        bytes.extend(bytes_of(&source));
        let tensor = Tensor { kind: Kind::F32, extents: extents.to_vec(), bytes: &bytes[1..] };
        let mut found = vec![0xff; to.iter().product::<usize>() * 4];
        Moves::of(&tensor, map, None, to).run::<4, _>(tensor.bytes, &mut found, &Nothing::<false>);
        assert!(found == bytes_of(&expected(&source, extents, map, to, |_| 1.0)), "{extents:?} by {map:?} to {to:?}");
        // single bytes, moved in words where possible
        let few: Vec<f32> = source.iter().map(|number| number % 251.0).collect();
        let bytes: Vec<u8> = few.iter().map(|&number| number as u8).collect();
        let small = Tensor { kind: Kind::U8, extents: extents.to_vec(), bytes: &bytes };
        let mut found_bytes = vec![0xff; to.iter().product::<usize>()];
        for flips in [0, 0x80] {
            Moves::of(&small, map, None, to).run_in_words(&small, flips, &mut found_bytes);
            let expected = expected(&few, extents, map, to, |_| 1.0);
            let bytes = expected.iter().map(|&number| number as u8 ^ flips);
            assert!(bytes.eq(found_bytes.iter().copied()), "bytes {extents:?} by {map:?} to {to:?}");
        }
        let words: Vec<u8> = few.iter().flat_map(|&number| (number as u64 * 0x1_0000_0001).to_ne_bytes()).collect();
        let large = Tensor { kind: Kind::I64, extents: extents.to_vec(), bytes: &words };
        let mut found_words = vec![0xff; 8 * to.iter().product::<usize>()];
        Moves::of(&large, map, None, to).run_in_words(&large, 0, &mut found_words);
        let words = expected(&few, extents, map, to, |_| 1.0).into_iter().map(|number| number as u64 * 0x1_0000_0001);
        assert!(words.flat_map(u64::to_ne_bytes).eq(found_words), "words {extents:?} by {map:?} to {to:?}");
        // one factor for each index of the first axis and of the last
        for (at, &count) in [0, to.len() - 1].iter().zip([to[0], to[to.len() - 1]].iter()) {
            let scales: Vec<f32> = (0..count).map(|at| (at % 5) as f32 - 1.0).collect();
            let bytes = bytes_of(&scales);
            let factors = Tensor { kind: Kind::F32, extents: vec![count], bytes: &bytes };
            let mut scales_map = vec![0; to.len() + 1];
            scales_map[at + 1] = 1;
            let moves = Moves::of(&tensor, map, Some((&factors, &scales_map)), to);
            moves.run::<4, _>(tensor.bytes, &mut found, &Scales(&scales));
            let expected = expected(&source, extents, map, to, |index| scales[index[*at] as usize]);
            assert!(found == bytes_of(&expected), "scaled {extents:?} by {map:?} to {to:?}");
        }
    }

    #[test]
    fn transpositions() {
        for (rows, columns) in [(1, 1), (3, 5), (16, 16), (40, 33), (300, 70)] {
            check(&[rows, columns], &[0, 0, 1, 0, 1, 0], &[columns, rows]);
        }
    }

    #[test]
    fn packs_of_columns() {
        // [group, k, lane] of [k, 16 group + lane], whole and not, and of the transposed matrix
        for (k, n) in [(1, 1), (7, 32), (65, 40), (9usize, 16usize)] {
            let groups = n.div_ceil(16);
            check(&[k, n], &[0, 0, 1, 0, 0, 16, 0, 1], &[groups, k, 16]);
            check(&[n, k], &[0, 16, 0, 1, 0, 0, 1, 0], &[groups, k, 16]);
        }
    }

    #[test]
    fn packs_of_windows() {
        // [16 o + lane, 16 c + channel, place]
        for (outputs, inputs) in [(32usize, 32usize), (24, 20), (16, 3)] {
            let map = [0, 16, 0, 0, 0, 1, 0, 0, 16, 0, 1, 0, 0, 0, 0, 1, 0, 0];
            check(&[outputs, inputs, 9], &map, &[outputs.div_ceil(16), inputs.div_ceil(16), 9, 16, 16]);
        }
    }

    #[test]
    fn borders_slices_and_mirrors() {
        check(&[5, 6], &[-1, 1, 0, -2, 0, 1], &[8, 9]);
        check(&[5, 6], &[1, 1, 0, 2, 0, 2], &[3, 2]);
        check(&[5, 40], &[4, -1, 0, 39, 0, -1], &[5, 40]);
        check(&[5, 40], &[6, -1, 0, 45, 0, -3], &[9, 20]);
        check(&[2, 3], &[0, 0, 0, 0, 0, 1], &[4, 3]);
    }

    #[test]
    fn parts_of_one_row_of_windows() {
        let map = [0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 0];
        check(&[16, 8, 3, 39], &map, &[3, 39, 8, 16]);
    }

    #[test]
    fn packs_of_windows_of_bytes() {
        // [16 o + lane, 16 c + 4 quad + within, place]
        for (outputs, inputs, places) in [(32usize, 32usize, 1usize), (32, 32, 9), (24, 20, 4), (16, 3, 1)] {
            let map = [0, 16, 0, 0, 0, 1, 0, 0, 0, 16, 0, 4, 0, 1, 0, 0, 0, 1, 0, 0, 0];
            let to = [outputs.div_ceil(16), inputs.div_ceil(16), places, 4, 16, 4];
            check(&[outputs, inputs, places], &map, &to);
        }
    }

    #[test]
    fn packs_of_quads() {
        // [group, quad, lane, within] of [4 quad + within, 16 group + lane]
        for (k, n) in [(4usize, 16usize), (20, 32), (7, 18)] {
            let map = [0, 0, 4, 0, 1, 0, 16, 0, 1, 0];
            check(&[k, n], &map, &[n.div_ceil(16), k.div_ceil(4), 16, 4]);
        }
    }
}
