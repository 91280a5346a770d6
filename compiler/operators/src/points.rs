//! Which elements of a tensor loops read, by their numbers in row-major order. The last loop runs fastest.

use ir::AffineMap;

/// Whether the points of a space read elements one behind the other.
pub fn is_row_major(strides: &[i64], extents: &[i64]) -> bool {
    let mut elements = 1;
    strides.iter().zip(extents).rev().all(|(&stride, &extent)| {
        let in_order = extent == 1 || stride == elements;
        elements *= extent;
        in_order
    })
}

/// Which element of a tensor of a shape each point of a space reads; `None` where that is not linear, or leads outside.
pub fn places(map: &AffineMap, shape: &[i64], extents: &[i64]) -> Option<Vec<usize>> {
    let (start, strides) = strides(map, shape, extents)?;
    Some(points(start, &strides, extents))
}

/// The numbers of the elements that the points of a space read, given that of the first and how far apart they are.
pub fn points(start: i64, strides: &[i64], extents: &[i64]) -> Vec<usize> {
    let mut places = vec![start as usize];
    for (&extent, &stride) in extents.iter().zip(strides).filter(|(extent, _)| **extent != 1) {
        let (extent, stride) = (extent.max(0) as usize, stride as usize);
        let mut next = Vec::with_capacity(places.len() * extent);
        for &place in &places {
            match stride {
                0 => next.extend(std::iter::repeat_n(place, extent)),
                // a step back is one around
                _ => next.extend((0..extent).map(|at| place.wrapping_add(at.wrapping_mul(stride)))),
            }
        }
        places = next;
    }
    places
}

/// The element that the first point of a space reads, and how much further a step along each axis leads; `None` as for
/// [`places`].
pub fn strides(map: &AffineMap, shape: &[i64], extents: &[i64]) -> Option<(i64, Vec<i64>)> {
    let (mut start, mut strides, mut elements) = (0, vec![0; extents.len()], 1);
    for (subscript, &extent) in map.results.iter().zip(shape).rev() {
        let (coefficients, constant) = subscript.as_linear(map.dims)?;
        let reach = |sign: i64| -> i64 {
            let last = coefficients.iter().zip(extents).map(|(c, extent)| sign * (sign * c).max(0) * (extent - 1));
            constant + last.sum::<i64>()
        };
        if reach(-1) < 0 || reach(1) >= extent {
            return None;
        }
        start += constant * elements;
        strides.iter_mut().zip(coefficients).for_each(|(stride, c)| *stride += c * elements);
        elements *= extent;
    }
    Some((start, strides))
}
