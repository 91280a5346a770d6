//! Strided data movement: each axis of a result is a loop with strides in both tensors.

use abi::{MOVE_AXIS_WORDS, MOVE_WORDS, PAD_AXIS_WORDS, PAD_WORDS};

use crate::calls::relayout::{Loop, Moves, Place};

/// Moves elements, from the first source element to the first destination element on: a descriptor of [`MOVE_WORDS`],
/// then [`MOVE_AXIS_WORDS`] for each axis, outer axes first.
///
/// # Safety
/// The descriptor has these words; the tensors have all elements that it addresses, and do not overlap.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_move(table: *const i64, from: *const u8, to: *mut u8) {
    // SAFETY: promised by the caller.
    let (head, axes) = unsafe { words::<MOVE_WORDS, MOVE_AXIS_WORDS>(table) };
    let [width, _] = *head;
    if axes.iter().any(|&[extent, ..]| extent <= 0) {
        return;
    }
    let reach = |sign: i64| axes.iter().map(|[extent, step, _]| (extent - 1) * (sign * step).max(0)).sum::<i64>();
    let (before, after) = (reach(-1), reach(1));
    let last = axes.iter().map(|[extent, _, step]| (extent - 1) * step).sum::<i64>();
    let [from_count, to_count] = [before + after + 1, last + 1].map(|count| (count * width) as usize);
    let from = from.wrapping_offset((-before * width) as isize);
    // SAFETY: promised by the caller.
    let (from, to) =
        unsafe { (std::slice::from_raw_parts(from, from_count), std::slice::from_raw_parts_mut(to, to_count)) };
    let loops = axes.iter().map(|&[extent, step, to]| {
        let step = Place { from: step, ..Place::default() };
        Loop { extent: extent as usize, step, to: to as usize }
    });
    Moves::inside(&loops.collect::<Vec<_>>(), before).run_often(width as usize, from, to);
}

/// Fills the padding around the middle of a tensor: a descriptor of [`PAD_WORDS`], then [`PAD_AXIS_WORDS`] for each
/// axis, outer axes first.
///
/// # Safety
/// The descriptor has these words, and the tensor all elements.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_pad(table: *const i64, to: *mut u8) {
    // SAFETY: promised by the caller.
    let (head, axes) = unsafe { words::<PAD_WORDS, PAD_AXIS_WORDS>(table) };
    let [width, filling, _] = *head;
    let count = axes.iter().map(|[.., whole]| whole).product::<i64>() * width;
    // SAFETY: promised by the caller.
    let to = unsafe { std::slice::from_raw_parts_mut(to, count.max(0) as usize) };
    match width {
        1 => fill_around::<1>(to, axes, filling),
        2 => fill_around::<2>(to, axes, filling),
        4 => fill_around::<4>(to, axes, filling),
        _ => fill_around::<8>(to, axes, filling),
    }
}

/// The head of a descriptor and its axes, whose number is the head's last word.
///
/// # Safety
/// The descriptor has these words.
unsafe fn words<'t, const HEAD: usize, const AXIS: usize>(table: *const i64) -> (&'t [i64; HEAD], &'t [[i64; AXIS]]) {
    // SAFETY: promised by the caller.
    unsafe {
        let head = &*table.cast::<[i64; HEAD]>();
        (head, std::slice::from_raw_parts(table.add(HEAD).cast(), head[HEAD - 1] as usize))
    }
}

/// The fill value is in the low bytes of a word.
fn fill_around<const WIDTH: usize>(to: &mut [u8], axes: &[[i64; PAD_AXIS_WORDS]], filling: i64) {
    let filling = *filling.to_ne_bytes().first_chunk::<WIDTH>().expect("words are as wide as the widest elements");
    let last = axes.iter().rposition(|[_, extent, whole]| extent != whole).map_or(0, |last| last + 1);
    let (padded, inner) = axes.split_at(last);
    let step = inner.iter().map(|&[.., whole]| whole as usize).product();
    fill_outside(to.as_chunks_mut::<WIDTH>().0, padded, step, filling);
}

/// Fills outside of the middle; `step` elements are contiguous.
fn fill_outside<T: Copy>(to: &mut [T], axes: &[[i64; PAD_AXIS_WORDS]], step: usize, filling: T) {
    let Some((&[low, extent, _], inner)) = axes.split_first() else { return };
    let row = inner.iter().map(|&[.., whole]| whole as usize).product::<usize>() * step;
    let (front, rest) = to.split_at_mut(low as usize * row);
    let (middle, after) = rest.split_at_mut(extent as usize * row);
    fill(front, filling);
    fill(after, filling);
    if !inner.is_empty() {
        middle.chunks_exact_mut(row.max(1)).for_each(|row| fill_outside(row, inner, step, filling));
    }
}

/// Fills a slice, in lines: compilers turn a loop over elements into single stores.
fn fill<T: Copy>(to: &mut [T], filling: T) {
    const LINE: usize = 16;
    let line = [filling; LINE];
    let (lines, rest) = to.as_chunks_mut::<LINE>();
    lines.iter_mut().for_each(|to| *to = line);
    rest.copy_from_slice(&line[..rest.len()]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::is_long;

    /// Compares [`rt_move`] with the definition, for elements of every width.
    fn check(count: usize, start: usize, axes: &[[i64; MOVE_AXIS_WORDS]], room: usize) {
        if is_long(40 * room) {
            return;
        }
        check_width::<1>(count, start, axes, room);
        check_width::<2>(count, start, axes, room);
        check_width::<4>(count, start, axes, room);
        check_width::<8>(count, start, axes, room);
    }

    fn check_width<const WIDTH: usize>(count: usize, start: usize, axes: &[[i64; MOVE_AXIS_WORDS]], room: usize) {
        let numbered = |at: usize| std::array::from_fn(|byte| (at >> (8 * (byte % 3))) as u8);
        let source: Vec<[u8; WIDTH]> = (1..=count).map(numbered).collect();
        let mut expected = vec![[0xee; WIDTH]; room];
        let mut indices = vec![0; axes.len()];
        'all: loop {
            let place = |word: usize| axes.iter().zip(&indices).map(|(axis, index)| axis[word] * index).sum::<i64>();
            expected[place(2) as usize] = source[(start as i64 + place(1)) as usize];
            for axis in (0..axes.len()).rev() {
                indices[axis] += 1;
                if indices[axis] < axes[axis][0] {
                    continue 'all;
                }
                indices[axis] = 0;
            }
            break;
        }
        let mut found = vec![[0xee; WIDTH]; room];
        let from = source.as_flattened().as_ptr().wrapping_add(start * WIDTH);
        let mut table = vec![WIDTH as i64, axes.len() as i64];
        table.extend(axes.as_flattened());
        // SAFETY: both buffers contain all elements that the axes reach.
        unsafe { rt_move(table.as_ptr(), from, found.as_mut_ptr().cast()) };
        assert!(found == expected, "{axes:?} of {WIDTH} bytes");
    }

    #[test]
    fn moves() {
        // a matrix, transposed; a matrix into the middle of a larger one
        check(40 * 33, 0, &[[33, 1, 40], [40, 33, 1]], 33 * 40);
        check(30, 0, &[[5, 6, 9], [6, 1, 1]], 5 * 9);
        check(30, 0, &[[5, 6, 12], [4, 1, 1]], 5 * 12);
        // rows of a few bytes into the middle of longer ones
        check(6, 0, &[[3, 2, 16], [2, 1, 1]], 3 * 16);
        check(12, 0, &[[3, 4, 8], [4, 1, 1]], 3 * 8);
        // backwards, and repeated
        check(40, 39, &[[40, -1, 1]], 40);
        check(12, 9, &[[4, -3, 3], [3, 1, 1]], 12);
        check(5, 0, &[[7, 0, 5], [5, 1, 1]], 35);
        check(5, 0, &[[5, 1, 20], [20, 0, 1]], 100);
        // planes of few and many channels between them
        for channels in [2, 3, 4, 16, 20] {
            check(channels * 50, 0, &[[50, 1, channels as i64], [channels as i64, 50, 1]], channels * 50);
        }
        // a column of a wider matrix
        check(40, 0, &[[8, 5, 10], [5, 1, 2], [1, 1, 1]], 8 * 10);
        // one element, and none
        check(1, 0, &[], 1);
        check(4, 0, &[[1, 3, 5], [4, 1, 1]], 4);
        let empty = [4, 1, 0, 1, 1];
        // SAFETY: nothing is moved.
        unsafe { rt_move(empty.as_ptr(), std::ptr::null(), std::ptr::null_mut()) };
    }

    #[test]
    fn fillings() {
        for axes in [
            vec![[1, 3, 5], [0, 4, 4], [2, 2, 5], [0, 3, 3]],
            vec![[1, 1, 2]],
            vec![[0, 2, 2]],
            vec![[1, 0, 1], [0, 2, 2]],
        ] {
            let wholes: Vec<usize> = axes.iter().map(|&[.., whole]| whole as usize).collect();
            let count = wholes.iter().product();
            let mut found = vec![7.0f32; count];
            let head = [4, i64::from(0.5f32.to_bits()), axes.len() as i64];
            let table = [&head, axes.as_flattened()].concat();
            // SAFETY: the tensor has all elements.
            unsafe { rt_pad(table.as_ptr(), found.as_mut_ptr().cast()) };
            for (at, &number) in found.iter().enumerate() {
                let mut rest = at;
                let is_inside = axes.iter().rev().all(|&[low, extent, whole]| {
                    let index = (rest % whole as usize) as i64;
                    rest /= whole as usize;
                    (low..low + extent).contains(&index)
                });
                assert_eq!(number, if is_inside { 7.0 } else { 0.5 }, "{axes:?} at {at}");
            }
        }
    }
}
