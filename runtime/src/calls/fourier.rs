//! Fourier transforms of any length, in f64.
//!
//! A length with small prime factors is factored (Cooley and Tukey 1965, in Stockham's order, which needs no
//! permutation). Any other length becomes a convolution with a chirp, computed by transforms whose length is a power of
//! two (Bluestein 1970). An even number of real samples is transformed as half as many complex ones.

use std::f64::consts::TAU;
use std::sync::{Arc, Mutex, PoisonError};

use super::element::{Element, Generic};
use super::parallel::for_each_chunk;
use super::{Call, Failure, Outcome, Output, Tensor, around};
use crate::stop::{Looks, looking};

/// The minimum number of elements that a thread transforms.
const SHARE: usize = 1 << 14;
/// Transforms that are cached for later calls.
const KEPT: usize = 8;
/// The longest transform that is cached.
const LONGEST_KEPT: usize = 1 << 16;
/// Scalar operations of a root of unity.
const ROOT: usize = 32;

/// Real and imaginary part.
type Complex = [f64; 2];

const ZERO: Complex = [0.0; 2];

fn product([a, b]: Complex, [c, d]: Complex) -> Complex {
    [a * c - b * d, a * d + b * c]
}

fn conjugate([a, b]: Complex) -> Complex {
    [a, -b]
}

/// `exp(-2πi · part / whole)`
fn root(part: usize, whole: usize) -> Complex {
    let (sine, cosine) = libm::sincos(TAU * (part as f64 / whole as f64));
    [cosine, -sine]
}

/// One pass of a transform.
struct Pass {
    /// How many transforms are combined.
    radix: usize,
    /// The twiddle factors of each position, for all inputs but the first.
    turns: Vec<Complex>,
    /// The roots of unity of the radix.
    roots: Vec<Complex>,
}

/// A transform of a length with small prime factors.
struct Composite {
    passes: Vec<Pass>,
}

impl Composite {
    /// None if the length has a prime factor that is not among [`Composite::FACTORS`].
    fn new(length: usize) -> Option<Composite> {
        let mut passes = Vec::new();
        let mut rest = length;
        for radix in Composite::FACTORS {
            while rest > 1 && rest.is_multiple_of(radix) {
                let turns = (0..rest / radix).flat_map(|place| (1..radix).map(move |part| root(place * part, rest)));
                let turns = turns.inspect(looking(ROOT));
                let roots = (0..radix).map(|part| root(part, radix)).collect();
                passes.push(Pass { radix, turns: turns.collect(), roots });
                rest /= radix;
            }
        }
        (rest <= 1).then_some(Composite { passes })
    }

    const FACTORS: [usize; 7] = [4, 2, 3, 5, 7, 11, 13];

    /// Transforms `numbers` in place; `work` has the same length, and its contents afterwards are unspecified.
    fn run(&self, numbers: &mut [Complex], work: &mut [Complex]) {
        let mut stride = 1;
        let (mut from, mut to) = (&mut *numbers, &mut *work);
        for pass in &self.passes {
            match pass.radix {
                2 => pass.run::<2>(from, to, stride),
                3 => pass.run::<3>(from, to, stride),
                4 => pass.run::<4>(from, to, stride),
                5 => pass.run::<5>(from, to, stride),
                7 => pass.run::<7>(from, to, stride),
                11 => pass.run::<11>(from, to, stride),
                _ => pass.run::<13>(from, to, stride),
            }
            stride *= pass.radix;
            std::mem::swap(&mut from, &mut to);
        }
        if self.passes.len() % 2 == 1 {
            numbers.copy_from_slice(work);
        }
    }
}

impl Pass {
    fn run<const R: usize>(&self, from: &[Complex], to: &mut [Complex], stride: usize) {
        let roots: &[Complex; R] = self.roots.first_chunk().expect("each sample has a root");
        let turns = self.turns.chunks_exact(R - 1);
        let part = from.len() / R;
        let parts: [&[Complex]; R] = std::array::from_fn(|index| &from[index * part..][..part]);
        if stride == 1 {
            for ((place, to), turns) in to.chunks_exact_mut(R).enumerate().zip(turns).inspect(looking(4 * R)) {
                let joined = joined(parts.map(|part| part[place]), roots);
                to[0] = joined[0];
                for index in 1..R {
                    to[index] = product(joined[index], turns[index - 1]);
                }
            }
            return;
        }
        let work = 4 * R * stride;
        for ((place, to), turns) in to.chunks_exact_mut(R * stride).enumerate().zip(turns).inspect(looking(work)) {
            let parts = parts.map(|part| &part[place * stride..][..stride]);
            let turns: &[Complex] = &turns[..R - 1];
            let mut rest = to;
            let to: [&mut [Complex]; R] = std::array::from_fn(|_| {
                let (first, after) = std::mem::take(&mut rest).split_at_mut(stride);
                rest = after;
                first
            });
            for at in 0..stride {
                let joined = joined(parts.map(|part| part[at]), roots);
                to[0][at] = joined[0];
                for index in 1..R {
                    to[index][at] = product(joined[index], turns[index - 1]);
                }
            }
        }
    }
}

fn sum([a, b]: Complex, [c, d]: Complex) -> Complex {
    [a + c, b + d]
}

fn difference([a, b]: Complex, [c, d]: Complex) -> Complex {
    [a - c, b - d]
}

/// The transform of `R` values; `roots` are the R-th roots of unity.
#[inline(always)]
fn joined<const R: usize>(x: [Complex; R], roots: &[Complex; R]) -> [Complex; R] {
    let mut y = [ZERO; R];
    match R {
        2 => (y[0], y[1]) = (sum(x[0], x[1]), difference(x[0], x[1])),
        4 => {
            let (a, b) = (sum(x[0], x[2]), difference(x[0], x[2]));
            let (c, [d, e]) = (sum(x[1], x[3]), difference(x[1], x[3]));
            // by -i
            let turned = [e, -d];
            (y[0], y[1], y[2], y[3]) = (sum(a, c), sum(b, turned), difference(a, c), difference(b, turned));
        }
        // the terms of the first sum are the same but for the signs at both ends
        _ => {
            y[0] = x[1..].iter().fold(x[0], |all, &number| sum(all, number));
            for frequency in 1..=R / 2 {
                let (mut even, mut odd) = (x[0], ZERO);
                for index in 1..=R / 2 {
                    let [cosine, sine] = roots[frequency * index % R];
                    let [a, b] = sum(x[index], x[R - index]);
                    let [c, d] = difference(x[index], x[R - index]);
                    even = sum(even, [cosine * a, cosine * b]);
                    odd = sum(odd, [-sine * d, sine * c]);
                }
                y[frequency] = sum(even, odd);
                y[R - frequency] = difference(even, odd);
            }
        }
    }
    y
}

/// Bluestein's algorithm: a transform of any length as a convolution.
struct Chirp {
    /// `exp(-πi k² / length)`
    factors: Vec<Complex>,
    /// The transform of the conjugate factors, on both sides of zero.
    kernel: Vec<Complex>,
    inner: Composite,
}

impl Chirp {
    fn new(length: usize) -> Chirp {
        let whole = 2 * length;
        // k² modulo the period, each from its predecessor: (k + 1)² = k² + 2k + 1
        let squares = (0..length).scan(0, |square, k| {
            let this = *square;
            *square = (this + 2 * k + 1) % whole;
            Some(this)
        });
        let factors: Vec<Complex> = squares.inspect(looking(ROOT)).map(|square| root(square, whole)).collect();
        let room = whole.next_power_of_two();
        let inner = Composite::new(room).expect("a power of two has small factors");
        let mut kernel = vec![ZERO; room];
        for (k, &factor) in factors.iter().enumerate() {
            kernel[k] = conjugate(factor);
            kernel[(room - k) % room] = conjugate(factor);
        }
        inner.run(&mut kernel, &mut vec![ZERO; room]);
        Chirp { factors, kernel, inner }
    }

    fn run(&self, numbers: &mut [Complex], work: &mut [Complex]) {
        let room = self.kernel.len();
        let (convolved, work) = work.split_at_mut(room);
        convolved.fill(ZERO);
        for ((target, &number), &factor) in convolved.iter_mut().zip(&*numbers).zip(&self.factors) {
            *target = product(number, factor);
        }
        self.inner.run(convolved, work);
        // the inverse transform is the conjugate of the transform of the conjugates
        for (number, &factor) in convolved.iter_mut().zip(&self.kernel) {
            *number = conjugate(product(*number, factor));
        }
        self.inner.run(convolved, work);
        for ((number, &convolved), &factor) in numbers.iter_mut().zip(&*convolved).zip(&self.factors) {
            let [real, imaginary] = product(conjugate(convolved), factor);
            *number = [real / room as f64, imaginary / room as f64];
        }
    }
}

/// A transform of one length, for many rows.
enum Transform {
    Composite(Composite, usize),
    Chirp(Chirp),
}

impl Transform {
    fn new(length: usize) -> Transform {
        match Composite::new(length) {
            Some(transform) => Transform::Composite(transform, length),
            None => Transform::Chirp(Chirp::new(length)),
        }
    }

    /// The transform of a length, cached if it is short.
    fn of(length: usize) -> Arc<Transform> {
        static LATEST: Mutex<Vec<(usize, Arc<Transform>)>> = Mutex::new(Vec::new());
        let latest = || LATEST.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, transform)) = latest().iter().find(|(known, _)| *known == length) {
            return transform.clone();
        }
        let transform = Arc::new(Transform::new(length));
        if length <= LONGEST_KEPT {
            let mut latest = latest();
            if latest.len() >= KEPT {
                latest.remove(0);
            }
            latest.push((length, transform.clone()));
        }
        transform
    }

    /// The number of elements of scratch memory that a run needs.
    fn room(&self) -> usize {
        match self {
            Transform::Composite(_, length) => *length,
            Transform::Chirp(transform) => 2 * transform.kernel.len(),
        }
    }

    fn forwards(&self, numbers: &mut [Complex], work: &mut [Complex]) {
        match self {
            Transform::Composite(transform, _) => transform.run(numbers, work),
            Transform::Chirp(transform) => transform.run(numbers, work),
        }
    }

    fn backwards(&self, numbers: &mut [Complex], work: &mut [Complex]) {
        numbers.iter_mut().for_each(|number| *number = conjugate(*number));
        self.forwards(numbers, work);
        let count = numbers.len() as f64;
        numbers.iter_mut().for_each(|[real, imaginary]| [*real, *imaginary] = [*real / count, -*imaginary / count]);
    }
}

/// Recovers the first `half + 1` frequencies of real samples from the transform of `half` complex numbers, each made of
/// two consecutive samples. `roots` are those of the number of samples.
fn unpack(numbers: &mut Vec<Complex>, roots: &[Complex]) {
    let half = numbers.len();
    numbers.push(numbers[0]);
    for place in 0..=half / 2 {
        let (a, b) = (numbers[place], conjugate(numbers[half - place]));
        let (even, odd) = (sum(a, b), difference(a, b));
        // by -i and the root
        let turned = product([odd[1], -odd[0]], roots[place]);
        let (low, high) = (sum(even, turned), conjugate(difference(even, turned)));
        numbers[place] = [low[0] / 2.0, low[1] / 2.0];
        numbers[half - place] = [high[0] / 2.0, high[1] / 2.0];
    }
}

/// Completes the frequencies of real samples: the first half determines the others; the first and the middle one are
/// real.
fn mirror(frequencies: &mut [Complex]) {
    let length = frequencies.len();
    frequencies[0][1] = 0.0;
    for place in 1..=length / 2 {
        if 2 * place == length {
            frequencies[place][1] = 0.0;
        }
        frequencies[length - place] = conjugate(frequencies[place]);
    }
}

struct Rows<'s, 'c> {
    input: &'s Tensor<'c>,
    output: &'s mut Output<'c>,
    axis: usize,
    length: usize,
    inverse: bool,
}

/// The layout of rows in the tensors.
#[derive(Clone, Copy)]
struct Layout {
    /// Elements of a row; those after the length are not read.
    extent: usize,
    /// The requested frequencies of a row.
    bins: usize,
    /// The number of interleaved rows.
    inner: usize,
    /// Elements of a value: 1 if real, 2 if complex.
    parts: usize,
    result_parts: usize,
}

/// The data that all rows share.
struct Plan {
    transform: Arc<Transform>,
    length: usize,
    inverse: bool,
    /// The roots of unity for unpacking, if pairs of real samples are transformed.
    roots: Option<Vec<Complex>>,
}

impl Plan {
    fn new(layout: Layout, length: usize, inverse: bool) -> Plan {
        let are_pairs =
            [layout.parts, layout.result_parts] == [1, 2] && !inverse && length.is_multiple_of(2) && length > 2;
        let roots = are_pairs.then(|| (0..=length / 4).map(|part| root(part, length)).collect());
        Plan { transform: Transform::of(if are_pairs { length / 2 } else { length }), length, inverse, roots }
    }

    /// Transforms the rows from `first` on into `results`; `first` is 0 if rows are interleaved.
    fn run<T: Element>(&self, layout: Layout, elements: &[T], first: usize, rows: usize, results: &mut [T]) {
        let Layout { extent, bins, inner, parts, result_parts } = layout;
        let mut numbers = Vec::with_capacity(self.length + 1);
        let mut work = vec![ZERO; self.transform.room()];
        let mut looks = Looks::new();
        for number in 0..rows {
            looks.pass(16 * self.length);
            let (row, column) = ((first + number) / inner, (first + number) % inner);
            let part = |place: usize, part: usize| match place < extent && part < parts {
                true => elements[((row * extent + place) * inner + column) * parts + part].to_f64(),
                false => 0.0,
            };
            numbers.clear();
            match &self.roots {
                Some(roots) => {
                    numbers.extend((0..self.length / 2).map(|pair| [part(2 * pair, 0), part(2 * pair + 1, 0)]));
                    self.transform.forwards(&mut numbers, &mut work);
                    unpack(&mut numbers, roots);
                    for place in numbers.len()..bins {
                        numbers.push(conjugate(numbers[self.length - place]));
                    }
                }
                None => {
                    numbers.extend((0..self.length).map(|place| [part(place, 0), part(place, 1)]));
                    if result_parts == 1 {
                        mirror(&mut numbers);
                    }
                    match self.inverse {
                        true => self.transform.backwards(&mut numbers, &mut work),
                        false => self.transform.forwards(&mut numbers, &mut work),
                    }
                }
            }
            for (place, number) in numbers.iter().take(bins).enumerate() {
                let at = (((row - first) * bins + place) * inner + column) * result_parts;
                for (result, &part) in results[at..at + result_parts].iter_mut().zip(number) {
                    *result = T::of_f64(part);
                }
            }
        }
    }
}

impl Generic for Rows<'_, '_> {
    type Result = ();

    fn run<T: Element>(self) {
        let last = self.input.extents.len() - 1;
        let (parts, result_parts) = (self.input.extents[last], self.output.extents[last]);
        let [outer, extent, inner] = around(&self.input.extents[..last], self.axis);
        let bins = self.output.extents[self.axis];
        let layout = Layout { extent, bins, inner, parts, result_parts };
        let plan = Plan::new(layout, self.length, self.inverse);
        let (elements, results) = (self.input.elements::<T>(), self.output.elements::<T>());
        if inner > 1 {
            return plan.run(layout, &elements, 0, outer * inner, results);
        }
        let rows = SHARE.div_ceil(self.length.max(1));
        let row = bins * result_parts;
        for_each_chunk(results, rows * row, |chunk, results| {
            plan.run(layout, &elements, chunk * rows, results.len() / row, results);
        });
    }
}

pub(super) fn fourier(call: &mut Call<'_>) -> Outcome {
    let (input, axis, length, inverse) = (call.tensor(), call.index() as usize, call.index() as usize, call.flag());
    let mut output = call.output();
    if input.extents.last().is_none_or(|&parts| !(1..=2).contains(&parts)) {
        return Err(Failure::Reason(1));
    }
    // the size of all buffers of a transform
    let room = length.checked_next_power_of_two().and_then(|room| room.checked_mul(32)).ok_or(Failure::Memory)?;
    Vec::<Complex>::new().try_reserve_exact(room).map_err(|_| Failure::Memory)?;
    if !output.bytes.is_empty() {
        input.kind.dispatch(Rows { input: &input, output: &mut output, axis, length, inverse });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::sampled;

    #[test]
    fn transforms_of_any_length_are_sums_over_roots_of_unity() {
        for length in sampled([1, 2, 3, 6, 8, 10, 17, 26, 35, 64, 77, 100, 257, 400], 5) {
            let numbers: Vec<Complex> =
                (0..length).map(|at| [(at * at % 7) as f64 - 3.0, (at * 5 % 11) as f64 / 8.0]).collect();
            let mut transformed = numbers.clone();
            let transform = Transform::new(length);
            let mut work = vec![ZERO; transform.room()];
            transform.forwards(&mut transformed, &mut work);
            for (frequency, found) in transformed.iter().enumerate() {
                let terms =
                    numbers.iter().enumerate().map(|(at, &x)| product(x, root(frequency * at % length, length)));
                let sum = terms.fold(ZERO, |sum, term| [sum[0] + term[0], sum[1] + term[1]]);
                assert!((sum[0] - found[0]).abs() + (sum[1] - found[1]).abs() < 1e-11, "{length}: {sum:?} {found:?}");
            }
            transform.backwards(&mut transformed, &mut work);
            for (a, b) in transformed.iter().zip(&numbers) {
                assert!((a[0] - b[0]).abs() + (a[1] - b[1]).abs() < 1e-12, "{length}: {a:?} {b:?}");
            }
        }
    }
}
