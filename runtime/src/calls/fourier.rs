//! Fourier transforms of any length, in f64.
//!
//! Lengths that are powers of two are halved until nothing is left to do (Cooley and Tukey 1965); a transform of any
//! other length is a convolution with a chirp, which transforms of a power of two compute (Bluestein 1970).

use std::f64::consts::TAU;

use super::element::{Element, Generic};
use super::{Call, Failure, Outcome, Output, Tensor, around};

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

/// A transform of a length that is a power of two.
struct Halving {
    /// The roots of unity of the length, the first half of them.
    roots: Vec<Complex>,
}

impl Halving {
    fn new(length: usize) -> Halving {
        Halving { roots: (0..length / 2).map(|part| root(part, length)).collect() }
    }

    fn run(&self, numbers: &mut [Complex]) {
        let length = numbers.len();
        if length < 2 {
            return;
        }
        let unused = usize::BITS - length.trailing_zeros();
        for place in 0..length {
            let mirrored = place.reverse_bits() >> unused;
            if place < mirrored {
                numbers.swap(place, mirrored);
            }
        }
        let mut half = 1;
        while half < length {
            let stride = length / (2 * half);
            for block in numbers.chunks_exact_mut(2 * half) {
                let (even, odd) = block.split_at_mut(half);
                for ((even, odd), &root) in even.iter_mut().zip(odd).zip(self.roots.iter().step_by(stride)) {
                    let turned = product(*odd, root);
                    *odd = [even[0] - turned[0], even[1] - turned[1]];
                    *even = [even[0] + turned[0], even[1] + turned[1]];
                }
            }
            half *= 2;
        }
    }
}

/// The convolution that a transform of any length is.
struct Chirp {
    /// `exp(-πi k² / length)`
    factors: Vec<Complex>,
    /// The transform of the conjugate factors, ahead of zero and behind it.
    kernel: Vec<Complex>,
    inner: Halving,
}

impl Chirp {
    fn new(length: usize) -> Chirp {
        let whole = 2 * length;
        // k² modulo the period, each from the one before: (k + 1)² = k² + 2k + 1
        let squares = (0..length).scan(0, |square, k| {
            let this = *square;
            *square = (this + 2 * k + 1) % whole;
            Some(this)
        });
        let factors: Vec<Complex> = squares.map(|square| root(square, whole)).collect();
        let room = whole.next_power_of_two();
        let inner = Halving::new(room);
        let mut kernel = vec![ZERO; room];
        for (k, &factor) in factors.iter().enumerate() {
            kernel[k] = conjugate(factor);
            kernel[(room - k) % room] = conjugate(factor);
        }
        inner.run(&mut kernel);
        Chirp { factors, kernel, inner }
    }

    fn run(&self, numbers: &mut [Complex]) {
        let room = self.kernel.len();
        let mut work: Vec<Complex> =
            numbers.iter().zip(&self.factors).map(|(&number, &factor)| product(number, factor)).collect();
        work.resize(room, ZERO);
        self.inner.run(&mut work);
        // the inverse transform is the transform of conjugates
        for (number, &factor) in work.iter_mut().zip(&self.kernel) {
            *number = conjugate(product(*number, factor));
        }
        self.inner.run(&mut work);
        for ((number, &convolved), &factor) in numbers.iter_mut().zip(&work).zip(&self.factors) {
            let [real, imaginary] = product(conjugate(convolved), factor);
            *number = [real / room as f64, imaginary / room as f64];
        }
    }
}

/// A transform of one length, ready to run on many rows.
enum Transform {
    Halving(Halving),
    Chirp(Chirp),
}

impl Transform {
    fn new(length: usize) -> Transform {
        if length.is_power_of_two() {
            Transform::Halving(Halving::new(length))
        } else {
            Transform::Chirp(Chirp::new(length))
        }
    }

    fn forwards(&self, numbers: &mut [Complex]) {
        match self {
            Transform::Halving(transform) => transform.run(numbers),
            Transform::Chirp(transform) => transform.run(numbers),
        }
    }

    fn backwards(&self, numbers: &mut [Complex]) {
        numbers.iter_mut().for_each(|number| *number = conjugate(*number));
        self.forwards(numbers);
        let count = numbers.len() as f64;
        numbers.iter_mut().for_each(|[real, imaginary]| [*real, *imaginary] = [*real / count, -*imaginary / count]);
    }
}

/// Frequencies of real samples: the first half decides the others, and the mean and the middle one are real.
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

impl Generic for Rows<'_, '_> {
    type Result = ();

    fn run<T: Element>(self) {
        let last = self.input.extents.len() - 1;
        let (parts, result_parts) = (self.input.extents[last], self.output.extents[last]);
        let [outer, extent, inner] = around(&self.input.extents[..last], self.axis);
        let bins = self.output.extents[self.axis];
        let (elements, results) = (self.input.elements::<T>(), self.output.elements::<T>());
        let transform = Transform::new(self.length);
        let mut numbers = vec![ZERO; self.length];
        for row in 0..outer * inner {
            let (row, column) = (row / inner, row % inner);
            for (place, number) in numbers.iter_mut().enumerate() {
                let at = ((row * extent + place) * inner + column) * parts;
                let part =
                    |part: usize| if place < extent && part < parts { elements[at + part].to_f64() } else { 0.0 };
                *number = [part(0), part(1)];
            }
            if result_parts == 1 {
                mirror(&mut numbers);
            }
            match self.inverse {
                true => transform.backwards(&mut numbers),
                false => transform.forwards(&mut numbers),
            }
            for (place, number) in numbers.iter().take(bins).enumerate() {
                let at = ((row * bins + place) * inner + column) * result_parts;
                for (result, &part) in results[at..at + result_parts].iter_mut().zip(number) {
                    *result = T::of_f64(part);
                }
            }
        }
    }
}

pub(super) fn fourier(call: &mut Call<'_>) -> Outcome {
    let (input, axis, length, inverse) = (call.tensor(), call.index() as usize, call.index() as usize, call.flag());
    let mut output = call.output();
    if input.extents.last().is_none_or(|&parts| !(1..=2).contains(&parts)) {
        return Err(Failure::Reason(1));
    }
    // what all buffers of a transform take
    let room = length.checked_next_power_of_two().and_then(|room| room.checked_mul(8)).ok_or(Failure::Memory)?;
    Vec::<Complex>::new().try_reserve_exact(room).map_err(|_| Failure::Memory)?;
    if !output.bytes.is_empty() {
        input.kind.dispatch(Rows { input: &input, output: &mut output, axis, length, inverse });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transforms_of_any_length_are_sums_over_roots_of_unity() {
        for length in [1, 2, 3, 8, 10, 17, 64, 100, 257] {
            let numbers: Vec<Complex> =
                (0..length).map(|at| [(at * at % 7) as f64 - 3.0, (at * 5 % 11) as f64 / 8.0]).collect();
            let mut transformed = numbers.clone();
            let transform = Transform::new(length);
            transform.forwards(&mut transformed);
            for (frequency, found) in transformed.iter().enumerate() {
                let terms =
                    numbers.iter().enumerate().map(|(at, &x)| product(x, root(frequency * at % length, length)));
                let sum = terms.fold(ZERO, |sum, term| [sum[0] + term[0], sum[1] + term[1]]);
                assert!((sum[0] - found[0]).abs() + (sum[1] - found[1]).abs() < 1e-11, "{length}: {sum:?} {found:?}");
            }
            transform.backwards(&mut transformed);
            for (a, b) in transformed.iter().zip(&numbers) {
                assert!((a[0] - b[0]).abs() + (a[1] - b[1]).abs() < 1e-12, "{length}: {a:?} {b:?}");
            }
        }
    }
}
