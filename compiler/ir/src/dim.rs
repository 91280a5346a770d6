//! Symbolic extents: integer expressions over named dimensions, kept in a normal form so that equal polynomials compare
//! equal.
//!
//! Symbols stand for extents and are taken to be at least zero; divisors are taken to be positive.

mod text;

use std::collections::BTreeMap;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

/// An extent as an expression of named dimensions. Build it with the methods below, never with the variants, so that it
/// stays in normal form.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DimExpr {
    /// A number.
    Constant(i64),
    /// A named dimension.
    Symbol(Arc<str>),
    /// At least two terms, sorted, none of them a sum; a constant term comes last.
    Sum(Arc<[DimExpr]>),
    /// At least two factors, sorted, none of them a sum or product; a constant coefficient comes first.
    Product(Arc<[DimExpr]>),
    /// Quotient rounded towards minus infinity.
    FloorDiv(Arc<DimExpr>, Arc<DimExpr>),
    /// Quotient rounded towards plus infinity; by a constant it is written as a [`DimExpr::FloorDiv`].
    CeilDiv(Arc<DimExpr>, Arc<DimExpr>),
    /// The remainder of the floor division.
    Mod(Arc<DimExpr>, Arc<DimExpr>),
    /// The largest of at least two.
    Max(Arc<[DimExpr]>),
    /// The smallest of at least two.
    Min(Arc<[DimExpr]>),
    /// The extent at least two extents broadcast to, none of them a constant.
    Broadcast(Arc<[DimExpr]>),
}

/// Coefficients of monomials; a monomial is the sorted list of its factors. No coefficient is zero.
type Polynomial = BTreeMap<Vec<DimExpr>, i64>;

/// The number of levels of an expression that are part of its hash: strides make expressions deep, and few levels
/// distinguish them.
const HASHED: usize = 3;
/// The number of terms after which a polynomial division is abandoned.
const DIVISION_STEPS: usize = 64;

impl From<i64> for DimExpr {
    fn from(value: i64) -> DimExpr {
        DimExpr::Constant(value)
    }
}

impl Hash for DimExpr {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.hash_within(HASHED, state);
    }
}

impl DimExpr {
    /// Zero.
    pub const ZERO: DimExpr = DimExpr::Constant(0);
    /// One.
    pub const ONE: DimExpr = DimExpr::Constant(1);

    /// A named dimension.
    pub fn symbol(name: &str) -> DimExpr {
        DimExpr::Symbol(name.into())
    }

    /// The number, if it is one.
    pub fn as_constant(&self) -> Option<i64> {
        match self {
            DimExpr::Constant(value) => Some(*value),
            _ => None,
        }
    }

    /// The name, if it is a plain named dimension.
    pub fn as_symbol(&self) -> Option<&Arc<str>> {
        match self {
            DimExpr::Symbol(name) => Some(name),
            _ => None,
        }
    }

    /// `self + other`
    pub fn add(&self, other: &DimExpr) -> DimExpr {
        match (self, other) {
            (DimExpr::Constant(a), DimExpr::Constant(b)) => return DimExpr::Constant(a.saturating_add(*b)),
            (DimExpr::Constant(0), dim) | (dim, DimExpr::Constant(0)) => return dim.clone(),
            _ => {}
        }
        let mut sum = self.polynomial();
        for (monomial, coefficient) in other.polynomial() {
            add_term(&mut sum, monomial, coefficient);
        }
        from_polynomial(sum)
    }

    /// `self - other`
    pub fn sub(&self, other: &DimExpr) -> DimExpr {
        self.add(&other.mul(&DimExpr::Constant(-1)))
    }

    /// `self * other`
    pub fn mul(&self, other: &DimExpr) -> DimExpr {
        match (self, other) {
            (DimExpr::Constant(a), DimExpr::Constant(b)) => return DimExpr::Constant(a.saturating_mul(*b)),
            (DimExpr::Constant(1), dim) | (dim, DimExpr::Constant(1)) => return dim.clone(),
            _ => {}
        }
        from_polynomial(multiply(&self.polynomial(), &other.polynomial()))
    }

    /// The sum of all; zero for none.
    pub fn sum<'a>(terms: impl IntoIterator<Item = &'a DimExpr>) -> DimExpr {
        terms.into_iter().fold(DimExpr::ZERO, |sum, term| sum.add(term))
    }

    /// The product of all; one for none.
    pub fn product<'a>(factors: impl IntoIterator<Item = &'a DimExpr>) -> DimExpr {
        factors.into_iter().fold(DimExpr::ONE, |product, factor| product.mul(factor))
    }

    /// `self / other` if it is provably exact.
    pub fn divide_exactly(&self, other: &DimExpr) -> Option<DimExpr> {
        divide(self.polynomial(), &other.polynomial()).map(from_polynomial)
    }

    /// `floor(self / other)`
    pub fn floor_div(&self, other: &DimExpr) -> DimExpr {
        if *other == DimExpr::ONE {
            return self.clone();
        }
        if let (DimExpr::Constant(a), DimExpr::Constant(b)) = (self, other)
            && *b != 0
        {
            return DimExpr::Constant(floor_quotient(*a, *b));
        }
        let (quotient, rest) = self.split_multiples(other);
        if rest == DimExpr::ZERO {
            return quotient;
        }
        let fraction = match (&rest, other) {
            (DimExpr::Constant(a), DimExpr::Constant(b)) if *b > 0 => DimExpr::Constant(floor_quotient(*a, *b)),
            (DimExpr::FloorDiv(inner, by), DimExpr::Constant(outer)) if *outer > 0 => match &**by {
                DimExpr::Constant(divisor) if *divisor > 0 => {
                    return quotient.add(&inner.floor_div(&DimExpr::Constant(divisor.saturating_mul(*outer))));
                }
                _ => DimExpr::FloorDiv(rest.into(), other.clone().into()),
            },
            (_, DimExpr::Constant(divisor)) => match rest.common_factor(*divisor) {
                1 => DimExpr::FloorDiv(rest.into(), other.clone().into()),
                factor => {
                    let shrunk = rest.divide_exactly(&DimExpr::Constant(factor)).unwrap_or(rest);
                    return quotient.add(&shrunk.floor_div(&DimExpr::Constant(divisor / factor)));
                }
            },
            _ => DimExpr::FloorDiv(rest.into(), other.clone().into()),
        };
        quotient.add(&fraction)
    }

    /// `ceil(self / other)`
    pub fn ceil_div(&self, other: &DimExpr) -> DimExpr {
        if let DimExpr::Constant(divisor) = other
            && *divisor > 0
        {
            return self.add(&DimExpr::Constant(divisor - 1)).floor_div(other);
        }
        let (quotient, rest) = self.split_multiples(other);
        match rest {
            DimExpr::Constant(0) => quotient,
            rest => quotient.add(&DimExpr::CeilDiv(rest.into(), other.clone().into())),
        }
    }

    /// `self - other * floor(self / other)`
    pub fn modulo(&self, other: &DimExpr) -> DimExpr {
        let (_, rest) = self.split_multiples(other);
        match (&rest, other) {
            (DimExpr::Constant(0), _) => DimExpr::ZERO,
            (DimExpr::Constant(a), DimExpr::Constant(b)) if *b != 0 => {
                DimExpr::Constant(a.wrapping_sub(b.wrapping_mul(floor_quotient(*a, *b))))
            }
            _ => DimExpr::Mod(rest.into(), other.clone().into()),
        }
    }

    /// The larger one.
    pub fn max(&self, other: &DimExpr) -> DimExpr {
        extreme(self, other, true)
    }

    /// The smaller one.
    pub fn min(&self, other: &DimExpr) -> DimExpr {
        extreme(self, other, false)
    }

    /// The extent both broadcast to: 1 yields the other, a constant takes precedence over a symbol.
    pub fn broadcast(&self, other: &DimExpr) -> DimExpr {
        if let Some(constant) = [self, other].into_iter().find(|dim| matches!(dim, DimExpr::Constant(c) if *c != 1)) {
            return constant.clone();
        }
        fn parts_of(dim: &DimExpr) -> &[DimExpr] {
            match dim {
                DimExpr::Constant(_) => &[],
                DimExpr::Broadcast(parts) => parts,
                dim => std::slice::from_ref(dim),
            }
        }
        let mut parts: Vec<DimExpr> = parts_of(self).to_vec();
        for part in parts_of(other) {
            if !parts.contains(part) {
                parts.push(part.clone());
            }
        }
        drop_bounded(&mut parts);
        from_parts(parts, DimExpr::Broadcast).unwrap_or(DimExpr::ONE)
    }

    /// Whether it is at least zero for all values of the symbols.
    pub fn is_nonnegative(&self) -> bool {
        match self {
            DimExpr::Constant(value) => *value >= 0,
            DimExpr::Symbol(_) | DimExpr::Mod(..) | DimExpr::Broadcast(_) => true,
            DimExpr::Max(parts) => parts.iter().any(DimExpr::is_nonnegative),
            DimExpr::Sum(parts) => {
                parts.iter().all(DimExpr::is_nonnegative)
                    || self.without_quotient().is_some_and(|dim| dim.is_nonnegative())
            }
            DimExpr::Product(parts) | DimExpr::Min(parts) => parts.iter().all(DimExpr::is_nonnegative),
            DimExpr::FloorDiv(a, b) | DimExpr::CeilDiv(a, b) => a.is_nonnegative() && b.is_nonnegative(),
        }
    }

    /// Whether all coefficients are small enough that saturating arithmetic has not truncated any.
    pub fn is_exact(&self) -> bool {
        if let DimExpr::Symbol(_) = self {
            return true;
        }
        self.polynomial().values().all(|coefficient| coefficient.unsigned_abs() < i64::MAX as u64)
    }

    /// `a + rest * by` of a sum `floor(a / by) + rest`, which has the same sign.
    fn without_quotient(&self) -> Option<DimExpr> {
        let DimExpr::Sum(parts) = self else { return None };
        let quotient =
            parts.iter().find(|part| matches!(part, DimExpr::FloorDiv(_, by) if by.as_constant() > Some(0)))?;
        let DimExpr::FloorDiv(a, by) = quotient else { return None };
        Some(a.add(&self.sub(quotient).mul(by)))
    }

    /// Whether all symbols in it satisfy a test.
    pub fn all_symbols(&self, test: &mut dyn FnMut(&Arc<str>) -> bool) -> bool {
        match self {
            DimExpr::Constant(_) => true,
            DimExpr::Symbol(name) => test(name),
            DimExpr::Sum(parts)
            | DimExpr::Product(parts)
            | DimExpr::Max(parts)
            | DimExpr::Min(parts)
            | DimExpr::Broadcast(parts) => parts.iter().all(|part| part.all_symbols(test)),
            DimExpr::FloorDiv(a, b) | DimExpr::CeilDiv(a, b) | DimExpr::Mod(a, b) => {
                a.all_symbols(test) && b.all_symbols(test)
            }
        }
    }

    fn hash_within<H: Hasher>(&self, levels: usize, state: &mut H) {
        std::mem::discriminant(self).hash(state);
        let Some(below) = levels.checked_sub(1) else { return };
        match self {
            DimExpr::Constant(value) => value.hash(state),
            DimExpr::Symbol(name) => name.hash(state),
            DimExpr::Sum(parts)
            | DimExpr::Product(parts)
            | DimExpr::Max(parts)
            | DimExpr::Min(parts)
            | DimExpr::Broadcast(parts) => {
                parts.len().hash(state);
                parts.iter().for_each(|part| part.hash_within(below, state));
            }
            DimExpr::FloorDiv(a, b) | DimExpr::CeilDiv(a, b) | DimExpr::Mod(a, b) => {
                a.hash_within(below, state);
                b.hash_within(below, state);
            }
        }
    }

    fn polynomial(&self) -> Polynomial {
        match self {
            DimExpr::Constant(0) => Polynomial::new(),
            DimExpr::Constant(value) => Polynomial::from([(vec![], *value)]),
            DimExpr::Sum(terms) => terms.iter().map(DimExpr::monomial).collect(),
            _ => Polynomial::from([self.monomial()]),
        }
    }

    /// Factors and coefficient of a term.
    fn monomial(&self) -> (Vec<DimExpr>, i64) {
        match self {
            DimExpr::Constant(value) => (vec![], *value),
            DimExpr::Product(factors) => match &factors[0] {
                DimExpr::Constant(coefficient) => (factors[1..].to_vec(), *coefficient),
                _ => (factors.to_vec(), 1),
            },
            other => (vec![other.clone()], 1),
        }
    }

    /// The sum of the terms that `divisor` divides, divided by it, and the remaining terms.
    fn split_multiples(&self, divisor: &DimExpr) -> (DimExpr, DimExpr) {
        if let Some(quotient) = self.divide_exactly(divisor) {
            return (quotient, DimExpr::ZERO);
        }
        let by = divisor.polynomial();
        let (mut quotient, mut rest) = (Polynomial::new(), Polynomial::new());
        for (monomial, coefficient) in self.polynomial() {
            match (divide(Polynomial::from([(monomial.clone(), coefficient)]), &by), divisor) {
                (Some(part), _) => part.into_iter().for_each(|(m, c)| add_term(&mut quotient, m, c)),
                (None, DimExpr::Constant(by)) if monomial.is_empty() && *by > 0 => {
                    add_term(&mut quotient, vec![], floor_quotient(coefficient, *by));
                    let multiple = by.wrapping_mul(floor_quotient(coefficient, *by));
                    add_term(&mut rest, vec![], coefficient.wrapping_sub(multiple));
                }
                (None, _) => add_term(&mut rest, monomial, coefficient),
            }
        }
        (from_polynomial(quotient), from_polynomial(rest))
    }

    /// The greatest common divisor of all coefficients and `with`.
    fn common_factor(&self, with: i64) -> i64 {
        self.polynomial().values().fold(with.saturating_abs(), |factor, &c| greatest_common_divisor(factor, c)).max(1)
    }
}

fn greatest_common_divisor(a: i64, b: i64) -> i64 {
    if b == 0 { a.saturating_abs() } else { greatest_common_divisor(b, a.wrapping_rem(b)) }
}

fn floor_quotient(a: i64, b: i64) -> i64 {
    let quotient = a.wrapping_div(b);
    if a.wrapping_rem(b) != 0 && (a < 0) != (b < 0) { quotient - 1 } else { quotient }
}

fn add_term(sum: &mut Polynomial, monomial: Vec<DimExpr>, coefficient: i64) {
    let total = sum.get(&monomial).copied().unwrap_or(0).saturating_add(coefficient);
    if total == 0 {
        sum.remove(&monomial);
    } else {
        sum.insert(monomial, total);
    }
}

fn multiply(a: &Polynomial, b: &Polynomial) -> Polynomial {
    let mut product = Polynomial::new();
    for (left, left_coefficient) in a {
        for (right, right_coefficient) in b {
            let mut factors = [left.as_slice(), right.as_slice()].concat();
            factors.sort();
            add_term(&mut product, factors, left_coefficient.saturating_mul(*right_coefficient));
        }
    }
    product
}

/// Exact division; `None` if there is a remainder. A quotient is correct because its product has been subtracted
/// completely.
fn divide(mut dividend: Polynomial, divisor: &Polynomial) -> Option<Polynomial> {
    let (lead, lead_coefficient) = leading_term(divisor)?;
    let mut quotient = Polynomial::new();
    for _ in 0..DIVISION_STEPS {
        let Some((monomial, coefficient)) = leading_term(&dividend) else {
            return Some(quotient);
        };
        if coefficient.wrapping_rem(lead_coefficient) != 0 {
            return None;
        }
        let factors = remove_factors(&monomial, &lead)?;
        let term = Polynomial::from([(factors, coefficient.wrapping_div(lead_coefficient))]);
        for (product, by) in multiply(&term, divisor) {
            add_term(&mut dividend, product, by.saturating_neg());
        }
        term.into_iter().for_each(|(m, c)| add_term(&mut quotient, m, c));
    }
    None
}

fn leading_term(polynomial: &Polynomial) -> Option<(Vec<DimExpr>, i64)> {
    let (monomial, coefficient) = polynomial.iter().max_by_key(|(monomial, _)| (monomial.len(), *monomial))?;
    Some((monomial.clone(), *coefficient))
}

fn remove_factors(from: &[DimExpr], factors: &[DimExpr]) -> Option<Vec<DimExpr>> {
    let mut left = from.to_vec();
    for factor in factors {
        left.remove(left.iter().position(|candidate| candidate == factor)?);
    }
    Some(left)
}

fn from_polynomial(mut polynomial: Polynomial) -> DimExpr {
    let constant = polynomial.remove(&Vec::new());
    let mut terms: Vec<DimExpr> = polynomial.into_iter().map(|(m, c)| from_monomial(m, c)).collect();
    terms.extend(constant.map(DimExpr::Constant));
    match terms.len() {
        0 => DimExpr::ZERO,
        1 => terms.remove(0),
        _ => DimExpr::Sum(terms.into()),
    }
}

fn from_monomial(mut factors: Vec<DimExpr>, coefficient: i64) -> DimExpr {
    if coefficient != 1 {
        factors.insert(0, DimExpr::Constant(coefficient));
    }
    if factors.len() == 1 { factors.remove(0) } else { DimExpr::Product(factors.into()) }
}

/// A single part is returned as it is; several are sorted and wrapped.
fn from_parts(mut parts: Vec<DimExpr>, wrap: fn(Arc<[DimExpr]>) -> DimExpr) -> Option<DimExpr> {
    parts.sort();
    match parts.len() {
        0 => None,
        1 => parts.pop(),
        _ => Some(wrap(parts.into())),
    }
}

/// Drops `min(N, 512)` if `N` is another part: they only broadcast if they are equal.
fn drop_bounded(parts: &mut Vec<DimExpr>) {
    if !parts.iter().any(|part| matches!(part, DimExpr::Min(_))) {
        return;
    }
    let all = parts.clone();
    parts.retain(|part| match part {
        DimExpr::Min(bounds) => {
            let (numbers, others): (Vec<_>, Vec<_>) = bounds.iter().partition(|bound| bound.as_constant().is_some());
            let proper = numbers.iter().all(|number| number.as_constant().is_some_and(|number| number > 1));
            !(proper && !numbers.is_empty() && matches!(others.as_slice(), [only] if all.contains(*only)))
        }
        _ => true,
    });
}

fn extreme(a: &DimExpr, b: &DimExpr, largest: bool) -> DimExpr {
    if let (DimExpr::Constant(a), DimExpr::Constant(b)) = (a, b) {
        return DimExpr::Constant(if largest { *a.max(b) } else { *a.min(b) });
    }
    let mut kept: Vec<DimExpr> = vec![];
    fn parts_of(dim: &DimExpr, largest: bool) -> &[DimExpr] {
        match dim {
            DimExpr::Max(parts) if largest => parts,
            DimExpr::Min(parts) if !largest => parts,
            dim => std::slice::from_ref(dim),
        }
    }
    for part in parts_of(a, largest).iter().chain(parts_of(b, largest)) {
        let beats = |x: &DimExpr, y: &DimExpr| {
            x == y || if largest { x.sub(y).is_nonnegative() } else { y.sub(x).is_nonnegative() }
        };
        if kept.iter().any(|other| beats(other, part)) {
            continue;
        }
        kept.retain(|other| !beats(part, other));
        kept.push(part.clone());
    }
    let wrap = if largest { DimExpr::Max } else { DimExpr::Min };
    from_parts(kept, wrap).unwrap_or(DimExpr::ZERO)
}

#[cfg(test)]
mod tests;
