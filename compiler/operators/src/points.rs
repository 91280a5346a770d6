//! The elements of a tensor that loops read, as indices in row-major order. The last loop is the fastest.

use ir::AffineMap;

/// A walk of loops with known extents over the elements of a tensor.
pub(crate) struct Walk<'a> {
    /// The element of the first point of the loops.
    start: i64,
    /// The stride of each loop.
    strides: Vec<i64>,
    extents: &'a [i64],
}

/// The element of a tensor that each point of a loop nest reads; `None` if that is not linear, or out of bounds.
pub fn places(map: &AffineMap, shape: &[i64], extents: &[i64]) -> Option<Vec<usize>> {
    Some(Walk::of(map, shape, extents)?.places())
}

impl Walk<'_> {
    /// `None` as for [`places`].
    pub(crate) fn of<'a>(map: &AffineMap, shape: &[i64], extents: &'a [i64]) -> Option<Walk<'a>> {
        let (mut start, mut strides, mut elements) = (0, vec![0; extents.len()], 1);
        for (subscript, &extent) in map.results.iter().zip(shape).rev() {
            let (coefficients, constant) = subscript.as_linear(map.dims)?;
            // the stride may be any number if the loop has one iteration
            let reach = |sign: i128| -> i128 {
                let last = |(&c, &extent): (&i64, &i64)| sign * (sign * i128::from(c)).max(0) * i128::from(extent - 1);
                i128::from(constant) + coefficients.iter().zip(extents).map(last).sum::<i128>()
            };
            if reach(-1) < 0 || reach(1) >= i128::from(extent) {
                return None;
            }
            start += constant * elements;
            strides.iter_mut().zip(coefficients).for_each(|(stride, c)| *stride += c.wrapping_mul(elements));
            elements *= extent;
        }
        Some(Walk { start, strides, extents })
    }

    /// Whether all `count` elements of a tensor are read in order.
    pub(crate) fn is_whole(&self, count: usize) -> bool {
        let mut elements = 1;
        let is_in_order = self.strides.iter().zip(self.extents).rev().all(|(&stride, &extent)| {
            let in_order = extent == 1 || stride == elements;
            elements *= extent;
            in_order
        });
        is_in_order && self.start == 0 && elements == count as i64
    }

    /// The element that each point reads.
    pub(crate) fn places(&self) -> Vec<usize> {
        let mut places = vec![self.start as usize];
        for (&extent, &stride) in self.extents.iter().zip(&self.strides).filter(|(extent, _)| **extent != 1) {
            let (extent, stride) = (extent.max(0) as usize, stride as usize);
            let mut next = Vec::with_capacity(places.len() * extent);
            for &place in &places {
                match stride {
                    0 => next.extend(std::iter::repeat_n(place, extent)),
                    // a negative stride wraps around
                    _ => next.extend((0..extent).map(|at| place.wrapping_add(at.wrapping_mul(stride)))),
                }
            }
            places = next;
        }
        places
    }
}
