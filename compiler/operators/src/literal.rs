//! Small constants, evaluated as soon as an operation on them is built.
//!
//! Each element is rounded as by the operation: numbers of at most 24 bits that are computed with 53 bits and rounded
//! again are rounded correctly (Figueroa, When is double rounding innocuous?, 1995).

use ir::{AffineExpr, AffineMap, Blob, DenseElements, FloatType, Type};

use crate::operator::Uniform;
use crate::points::{Walk, places};
use crate::table::row_of;

/// The maximum number of elements of a small constant.
pub const ELEMENTS: usize = 1 << 14;

/// Whether a constant is small, and its contents are available.
pub fn is_small(literal: &DenseElements) -> bool {
    literal.is_available() && (1..=ELEMENTS).contains(&literal.element_count())
}

/// The value of an elementwise operation on small literals; `None` if an operand has to be broadcast, or a type is not
/// computed exactly.
pub fn computed(name: &str, literals: &[&DenseElements]) -> Option<DenseElements> {
    let Uniform::Computed(function) = row_of(name)?.uniform? else { return None };
    let r#type = literals.iter().max_by_key(|literal| literal.element_count())?.r#type.clone();
    let Type::Float(format) = *r#type.element() else { return None };
    let rank = r#type.rank()?;
    let fits = |literal: &&DenseElements| {
        let own = &literal.r#type;
        own.element() == r#type.element()
            && (*own == r#type || (literal.element_count() == 1 && own.rank() <= Some(rank)))
    };
    if format == FloatType::F64 || !literals.iter().all(fits) {
        return None;
    }
    let numbers: Vec<Vec<f64>> = literals.iter().map(|literal| literal.floats()).collect::<Option<_>>()?;
    let results = elementwise(function, &numbers)?;
    let is_uniform = results.iter().all(|number| number.to_bits() == results[0].to_bits());
    match is_uniform {
        true => Some(DenseElements::splat(r#type.clone(), &bytes(results[0], r#type.element())?)),
        false => DenseElements::of_floats(r#type, &results),
    }
}

/// A small literal converted to another element type; `None` if an element does not fit, or is not a number.
pub fn cast(literal: &DenseElements, element: &Type) -> Option<DenseElements> {
    let r#type = Type::static_tensor(&literal.r#type.static_shape()?, element.clone());
    let numbers: Vec<f64> = match literal.r#type.element() {
        Type::Float(FloatType::F32 | FloatType::F16 | FloatType::BF16) => literal.floats()?,
        Type::Integer(_) => literal.integers()?.into_iter().map(exact).collect::<Option<_>>()?,
        _ => return None,
    };
    match element {
        Type::Float(FloatType::F32) => DenseElements::of_floats(r#type, &numbers),
        Type::Integer(integer) if (8..=32).contains(&integer.width) => {
            let low = if element.is_unsigned() { 0.0 } else { -(ir::floats::power_of_two(integer.width as i32 - 1)) };
            let high = low + ir::floats::power_of_two(integer.width as i32) - 1.0;
            let whole = |number: &f64| Some(number.trunc()).filter(|whole| (low..=high).contains(whole));
            let wholes: Vec<i64> = numbers.iter().map(|number| Some(whole(number)? as i64)).collect::<Option<_>>()?;
            DenseElements::of_integers(r#type, &wholes)
        }
        _ => None,
    }
}

/// An integer as an exact float.
fn exact(number: i64) -> Option<f64> {
    (number.unsigned_abs() <= 1 << 53).then_some(number as f64)
}

/// A literal with another shape of the same size.
pub fn reshaped(literal: &DenseElements, shape: &[i64]) -> DenseElements {
    let r#type = Type::static_tensor(shape, literal.r#type.element().clone());
    DenseElements { r#type, key: None, ..literal.clone() }
}

/// The elements of a literal that loops read through a map, the last loop fastest; `None` as for [`places`].
pub fn read(literal: &DenseElements, map: &AffineMap, extents: &[i64]) -> Option<DenseElements> {
    let element = literal.r#type.element();
    let r#type = Type::static_tensor(extents, element.clone());
    let walk = Walk::of(map, &literal.r#type.static_shape()?, extents)?;
    if literal.is_splat() {
        return Some(DenseElements::splat(r#type, literal.element_bytes(0)));
    }
    if walk.is_whole(literal.element_count()) {
        return Some(DenseElements { r#type, key: None, ..literal.clone() });
    }
    let (all, places) = (literal.data.bytes(), walk.places());
    let data = match element.byte_width()? {
        1 => gathered::<1>(all, &places),
        2 => gathered::<2>(all, &places),
        4 => gathered::<4>(all, &places),
        8 => gathered::<8>(all, &places),
        16 => gathered::<16>(all, &places),
        _ => return None,
    };
    Some(DenseElements::new(r#type, data))
}

/// Elements of one width at some indices.
fn gathered<const WIDTH: usize>(all: &[u8], places: &[usize]) -> Blob {
    let (elements, _) = all.as_chunks::<WIDTH>();
    Blob::build(places.len() * WIDTH, |target| {
        target.as_chunks_mut::<WIDTH>().0.iter_mut().zip(places).for_each(|(to, &place)| *to = elements[place]);
    })
}

/// A literal padded with zeros: `low` of them before it along each axis, and the rest of the shape after it.
pub fn padded(literal: &DenseElements, low: &[i64], shape: &[i64]) -> Option<DenseElements> {
    let element = literal.r#type.element();
    let (extents, width) = (literal.r#type.static_shape()?, element.byte_width()?);
    // the destination of each of its elements
    let shift = (0..).zip(low).map(|(axis, &low)| AffineExpr::Dim(axis).add(AffineExpr::Constant(low)));
    let places = places(&AffineMap::new(extents.len() as u32, shift.collect()), shape, &extents)?;
    let count = usize::try_from(shape.iter().product::<i64>()).ok()?;
    let data = Blob::build(count * width, |target| {
        // a splat has one element's bytes
        for (bytes, place) in literal.data.bytes().chunks_exact(width).cycle().zip(places) {
            target[place * width..][..width].copy_from_slice(bytes);
        }
    });
    Some(DenseElements::new(Type::static_tensor(shape, element.clone()), data))
}

/// A literal with additional axes of extent 1, at these positions of the result.
pub(crate) fn unsqueezed(literal: &DenseElements, axes: &[i64]) -> Option<DenseElements> {
    let shape = literal.r#type.static_shape()?;
    let rank = (shape.len() + axes.len()) as i64;
    let axes: Vec<i64> = axes.iter().map(|&axis| if axis < 0 { axis + rank } else { axis }).collect();
    let mut extents = shape.iter();
    let extent = |axis| if axes.contains(&axis) { Some(1) } else { extents.next().copied() };
    let result: Vec<i64> = (0..rank).map(extent).collect::<Option<_>>()?;
    extents.next().is_none().then(|| reshaped(literal, &result))
}

/// A literal of integers: the lowest bits of each, as many as the type has, or the same value as a float.
pub fn of_integers(r#type: Type, numbers: &[i64]) -> Option<DenseElements> {
    match r#type.element() {
        Type::Float(_) if numbers.iter().any(|&number| exact(number).is_none()) => None,
        Type::Float(_) => DenseElements::of_whole_floats(r#type, numbers),
        _ => DenseElements::of_integers(r#type, numbers),
    }
}

/// A splat literal.
pub fn filled(number: f64, shape: &[i64], element: &Type) -> Option<DenseElements> {
    let bytes = bytes(number, element)?;
    Some(DenseElements::splat(Type::static_tensor(shape, element.clone()), &bytes))
}

/// An elementwise function of one or two operands.
pub fn elementwise(compute: fn(&[f64]) -> f64, operands: &[impl AsRef<[f64]>]) -> Option<Vec<f64>> {
    match operands {
        [a] => Some(a.as_ref().iter().map(|&number| compute(&[number])).collect()),
        [a, b] => pairwise(a.as_ref(), b.as_ref(), |a, b| compute(&[a, b])),
        _ => None,
    }
}

/// A function of pairs of elements; a single element is broadcast.
pub fn pairwise<A: Copy, B: Copy, T>(a: &[A], b: &[B], of: impl Fn(A, B) -> T) -> Option<Vec<T>> {
    match (a, b) {
        _ if a.len() == b.len() => Some(a.iter().zip(b).map(|(&a, &b)| of(a, b)).collect()),
        (&[a], b) => Some(b.iter().map(|&b| of(a, b)).collect()),
        (a, &[b]) => Some(a.iter().map(|&a| of(a, b)).collect()),
        _ => None,
    }
}

/// A number in the bytes of an element type.
fn bytes(number: f64, element: &Type) -> Option<Vec<u8>> {
    let width = element.byte_width()?;
    match element {
        Type::Float(format) => Some(ir::floats::encode(number, *format).to_le_bytes()[..width].to_vec()),
        Type::Integer(_) if number.fract() == 0.0 => Some((number as i64).to_le_bytes()[..width].to_vec()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(numbers: &[f64], element: Type) -> DenseElements {
        let r#type = Type::static_tensor(&[numbers.len() as i64], element);
        DenseElements::of_floats(r#type, numbers).expect("an element type of floats")
    }

    #[test]
    fn computes_as_the_operation_does() {
        let (a, b) = (list(&[0.1, 3.0, -2.5], Type::F32), list(&[0.7], Type::F32));
        let product = computed("onnx.Mul", &[&a, &b]).and_then(|product| product.floats());
        let expected: Vec<f64> = [0.1f32, 3.0, -2.5].iter().map(|&number| f64::from(number * 0.7f32)).collect();
        assert_eq!(product, Some(expected));
        assert_eq!(computed("onnx.Round", &[&a]).and_then(|rounded| rounded.floats()), Some(vec![0.0, 3.0, -2.0]));
        let pair = list(&[1.0, 2.0], Type::F32);
        assert!(computed("onnx.Mul", &[&a, &pair]).is_none(), "of no common shape");
        assert!(computed("onnx.MatMul", &[&a, &b]).is_none(), "not elementwise");
        assert!(computed("onnx.Mul", &[&list(&[1.0], Type::F64), &list(&[1.0], Type::F64)]).is_none());
    }

    #[test]
    fn takes_axes() {
        let numbers = list(&[1.0, 2.0], Type::F32);
        let shape = |axes: &[i64]| unsqueezed(&numbers, axes).and_then(|found| found.r#type.static_shape());
        assert_eq!(shape(&[1, -3]), Some(vec![1, 1, 2]));
        assert_eq!(shape(&[1, 2]), Some(vec![2, 1, 1]));
        assert_eq!(shape(&[0, 0]), None);
        assert_eq!(shape(&[5]), None);
    }

    #[test]
    fn converts_what_fits() {
        let floats = list(&[1.75, -3.5, 126.0], Type::F32);
        assert_eq!(cast(&floats, &Type::I32).and_then(|found| found.integers()), Some(vec![1, -3, 126]));
        assert_eq!(cast(&floats, &Type::I8).and_then(|found| found.integers()), Some(vec![1, -3, 126]));
        assert!(cast(&floats, &crate::elements::element(2).expect("uint8")).is_none(), "negative");
        assert!(cast(&list(&[f64::NAN], Type::F32), &Type::I32).is_none());
        let integers = DenseElements::from_i64(&[2], &[(1 << 24) + 1, -7]);
        let expected = f64::from(((1 << 24) + 1) as f32);
        assert_eq!(cast(&integers, &Type::F32).and_then(|found| found.floats()), Some(vec![expected, -7.0]));
        assert!(cast(&DenseElements::from_i64(&[1], &[i64::MAX]), &Type::F32).is_none());
    }
}
