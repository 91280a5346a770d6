//! Comparing outputs with expected ones.

use driver::{Tensor, type_name};

/// How far floats may be off: `|found - expected| <= atol + rtol * |expected|`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tolerance {
    /// Relative part.
    pub(crate) rtol: f64,
    /// Absolute part.
    pub(crate) atol: f64,
}

/// The largest errors of an output that is right.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Errors {
    /// Largest absolute error.
    pub(crate) absolute: f64,
    /// Elements of the output.
    pub(crate) count: usize,
}

/// Compares an output; the error says what is wrong first.
pub(crate) fn compare(found: &Tensor, expected: &Tensor, tolerance: Tolerance) -> Result<Errors, String> {
    if found.element != expected.element {
        return Err(format!("expected {}, found {}", type_name(&expected.element), type_name(&found.element)));
    }
    if found.shape != expected.shape {
        return Err(format!("expected shape {:?}, found {:?}", expected.shape, found.shape));
    }
    let (Some(a), Some(b)) = (found.to_f64(), expected.to_f64()) else { return compare_strings(found, expected) };
    let exact = !expected.element.is_float();
    let mut errors = Errors { absolute: 0.0, count: a.len() };
    let (mut wrong, mut first, mut worst) = (0, None, 0.0f64);
    for (index, (&found, &expected)) in a.iter().zip(&b).enumerate() {
        if found == expected || found.is_nan() && expected.is_nan() {
            continue;
        }
        let error = (found - expected).abs();
        errors.absolute = errors.absolute.max(error);
        let allowed = if exact { 0.0 } else { tolerance.atol + tolerance.rtol * expected.abs() };
        if error.is_nan() || error > allowed {
            wrong += 1;
            worst = worst.max(error);
            first.get_or_insert((index, found, expected));
        }
    }
    match first {
        None => Ok(errors),
        Some((index, found, expected)) => Err(format!(
            "{wrong} of {} elements are wrong, the worst by {worst:.3e}; the first is element {index}: expected {expected}, found {found}",
            a.len()
        )),
    }
}

fn compare_strings(found: &Tensor, expected: &Tensor) -> Result<Errors, String> {
    match (found.elements().strings(), expected.elements().strings()) {
        (Some(a), Some(b)) => match a.iter().zip(&b).position(|(a, b)| a != b) {
            None => Ok(Errors { absolute: 0.0, count: a.len() }),
            Some(at) => Err(format!("element {at}: expected {:?}, found {:?}", b[at], a[at])),
        },
        _ => Err(format!("{} cannot be compared", type_name(&found.element))),
    }
}
