//! Affine expressions and maps: the index algebra of `linalg` and of memref layouts.

use std::fmt;
use std::sync::Arc;

/// An expression over dimensions `d0…`, symbols `s0…` and integers.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum AffineExpr {
    /// `dN`
    Dim(u32),
    /// `sN`
    Symbol(u32),
    /// An integer.
    Constant(i64),
    /// `a + b`
    Add(Arc<AffineExpr>, Arc<AffineExpr>),
    /// `a * b`
    Mul(Arc<AffineExpr>, Arc<AffineExpr>),
    /// `a mod b`
    Mod(Arc<AffineExpr>, Arc<AffineExpr>),
    /// `a floordiv b`
    FloorDiv(Arc<AffineExpr>, Arc<AffineExpr>),
    /// `a ceildiv b`
    CeilDiv(Arc<AffineExpr>, Arc<AffineExpr>),
}

/// `affine_map<(d0, d1)[s0] -> (results)>`
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct AffineMap {
    /// Number of dimensions.
    pub dims: u32,
    /// Number of symbols.
    pub symbols: u32,
    /// Result expressions.
    pub results: Vec<AffineExpr>,
}

impl AffineExpr {
    /// `self + other`, with constants folded and put on the right.
    #[expect(clippy::should_implement_trait, reason = "upstream's name, and it folds")]
    pub fn add(self, other: AffineExpr) -> AffineExpr {
        match (self, other) {
            (AffineExpr::Constant(a), AffineExpr::Constant(b)) if a.checked_add(b).is_some() => {
                AffineExpr::Constant(a + b)
            }
            (AffineExpr::Constant(0), e) | (e, AffineExpr::Constant(0)) => e,
            (AffineExpr::Add(a, b), AffineExpr::Constant(c)) if matches!(*b, AffineExpr::Constant(k) if k.checked_add(c).is_some()) => {
                (*a).clone().add((*b).clone().add(AffineExpr::Constant(c)))
            }
            (a @ AffineExpr::Constant(_), b) => AffineExpr::Add(Arc::new(b), Arc::new(a)),
            (a, b) => AffineExpr::Add(Arc::new(a), Arc::new(b)),
        }
    }

    /// `self * other`, with constants folded and put on the right.
    #[expect(clippy::should_implement_trait, reason = "upstream's name, and it folds")]
    pub fn mul(self, other: AffineExpr) -> AffineExpr {
        match (self, other) {
            (AffineExpr::Constant(a), AffineExpr::Constant(b)) if a.checked_mul(b).is_some() => {
                AffineExpr::Constant(a * b)
            }
            (AffineExpr::Constant(0), _) | (_, AffineExpr::Constant(0)) => AffineExpr::Constant(0),
            (AffineExpr::Constant(1), e) | (e, AffineExpr::Constant(1)) => e,
            // a product of two constants that overflows stays as it is
            (a @ AffineExpr::Constant(_), b) if !matches!(b, AffineExpr::Constant(_)) => b.mul(a),
            (AffineExpr::Mul(a, b), AffineExpr::Constant(c)) if matches!(*b, AffineExpr::Constant(k) if k.checked_mul(c).is_some()) =>
            {
                let AffineExpr::Constant(k) = *b else { unreachable!("just matched") };
                (*a).clone().mul(AffineExpr::Constant(k * c))
            }
            (a, b) => AffineExpr::Mul(Arc::new(a), Arc::new(b)),
        }
    }

    /// `self floordiv divisor` for a positive constant divisor.
    pub fn floor_div(self, divisor: i64) -> AffineExpr {
        match self {
            e if divisor == 1 => e,
            AffineExpr::Constant(a) => AffineExpr::Constant(a.div_euclid(divisor)),
            e => AffineExpr::FloorDiv(Arc::new(e), Arc::new(AffineExpr::Constant(divisor))),
        }
    }

    /// `self mod divisor` for a positive constant divisor.
    pub fn modulo(self, divisor: i64) -> AffineExpr {
        match self {
            _ if divisor == 1 => AffineExpr::Constant(0),
            AffineExpr::Constant(a) => AffineExpr::Constant(a.rem_euclid(divisor)),
            e => AffineExpr::Mod(Arc::new(e), Arc::new(AffineExpr::Constant(divisor))),
        }
    }

    /// Replaces dimensions and symbols by expressions.
    pub fn substitute(&self, dims: &[AffineExpr], symbols: &[AffineExpr]) -> AffineExpr {
        let go = |e: &Arc<AffineExpr>| e.substitute(dims, symbols);
        match self {
            AffineExpr::Dim(d) => dims[*d as usize].clone(),
            AffineExpr::Symbol(s) => symbols[*s as usize].clone(),
            AffineExpr::Constant(_) => self.clone(),
            AffineExpr::Add(a, b) => go(a).add(go(b)),
            AffineExpr::Mul(a, b) => go(a).mul(go(b)),
            AffineExpr::Mod(a, b) => match go(b) {
                AffineExpr::Constant(c) if c > 0 => go(a).modulo(c),
                b => AffineExpr::Mod(Arc::new(go(a)), Arc::new(b)),
            },
            AffineExpr::FloorDiv(a, b) => match go(b) {
                AffineExpr::Constant(c) if c > 0 => go(a).floor_div(c),
                b => AffineExpr::FloorDiv(Arc::new(go(a)), Arc::new(b)),
            },
            AffineExpr::CeilDiv(a, b) => AffineExpr::CeilDiv(Arc::new(go(a)), Arc::new(go(b))),
        }
    }

    /// Whether dimension `dim` occurs.
    pub fn uses_dim(&self, dim: u32) -> bool {
        match self {
            AffineExpr::Dim(d) => *d == dim,
            AffineExpr::Symbol(_) | AffineExpr::Constant(_) => false,
            AffineExpr::Add(a, b)
            | AffineExpr::Mul(a, b)
            | AffineExpr::Mod(a, b)
            | AffineExpr::FloorDiv(a, b)
            | AffineExpr::CeilDiv(a, b) => a.uses_dim(dim) || b.uses_dim(dim),
        }
    }

    /// The value at integer points.
    pub fn evaluate(&self, dims: &[i64], symbols: &[i64]) -> i64 {
        let go = |e: &Arc<AffineExpr>| e.evaluate(dims, symbols);
        match self {
            AffineExpr::Dim(d) => dims[*d as usize],
            AffineExpr::Symbol(s) => symbols[*s as usize],
            AffineExpr::Constant(c) => *c,
            AffineExpr::Add(a, b) => go(a) + go(b),
            AffineExpr::Mul(a, b) => go(a) * go(b),
            AffineExpr::Mod(a, b) => go(a).rem_euclid(go(b)),
            AffineExpr::FloorDiv(a, b) => go(a).div_euclid(go(b)),
            AffineExpr::CeilDiv(a, b) => -(-go(a)).div_euclid(go(b)),
        }
    }

    /// The expression as `Σ coefficient[d]·d + constant` when it is linear in the dimensions, has no
    /// symbols, and its numbers fit.
    pub fn as_linear(&self, dims: u32) -> Option<(Vec<i64>, i64)> {
        match self {
            AffineExpr::Dim(d) => {
                let mut coefficients = vec![0; dims as usize];
                coefficients[*d as usize] = 1;
                Some((coefficients, 0))
            }
            AffineExpr::Constant(c) => Some((vec![0; dims as usize], *c)),
            AffineExpr::Add(a, b) => {
                let ((ca, ka), (cb, kb)) = (a.as_linear(dims)?, b.as_linear(dims)?);
                let sums: Option<Vec<i64>> = ca.iter().zip(&cb).map(|(x, y)| x.checked_add(*y)).collect();
                Some((sums?, ka.checked_add(kb)?))
            }
            AffineExpr::Mul(a, b) => {
                let ((ca, ka), (cb, kb)) = (a.as_linear(dims)?, b.as_linear(dims)?);
                let is_constant = |coefficients: &[i64]| coefficients.iter().all(|&c| c == 0);
                let (coefficients, factor) = match (is_constant(&ca), is_constant(&cb)) {
                    (_, true) => (ca, kb),
                    (true, false) => (cb, ka),
                    (false, false) => return None,
                };
                let products: Option<Vec<i64>> = coefficients.iter().map(|c| c.checked_mul(factor)).collect();
                Some((products?, ka.checked_mul(kb)?))
            }
            AffineExpr::Symbol(_) | AffineExpr::Mod(..) | AffineExpr::FloorDiv(..) | AffineExpr::CeilDiv(..) => None,
        }
    }
}

impl AffineMap {
    /// A map without symbols.
    pub fn new(dims: u32, results: Vec<AffineExpr>) -> AffineMap {
        AffineMap { dims, symbols: 0, results }
    }

    /// `(d0, …) -> (d0, …)`
    pub fn identity(rank: usize) -> AffineMap {
        AffineMap::new(rank as u32, (0..rank as u32).map(AffineExpr::Dim).collect())
    }

    /// `(d0, …) -> (d_p0, d_p1, …)`: each result is one dimension.
    pub fn select(dims: usize, picks: &[usize]) -> AffineMap {
        AffineMap::new(dims as u32, picks.iter().map(|&p| AffineExpr::Dim(p as u32)).collect())
    }

    /// Whether this is `(d0, …) -> (d0, …)`.
    pub fn is_identity(&self) -> bool {
        self.dims as usize == self.results.len()
            && self.results.iter().enumerate().all(|(i, e)| *e == AffineExpr::Dim(i as u32))
    }

    /// The picked dimension of each result, when every result is one dimension and none repeats.
    pub fn as_projected_permutation(&self) -> Option<Vec<usize>> {
        let mut picks = Vec::new();
        for result in &self.results {
            match result {
                AffineExpr::Dim(d) if !picks.contains(&(*d as usize)) => picks.push(*d as usize),
                _ => return None,
            }
        }
        Some(picks)
    }

    /// `self ∘ inner`: `self` applied to the results of `inner`.
    pub fn compose(&self, inner: &AffineMap) -> AffineMap {
        AffineMap {
            dims: inner.dims,
            symbols: inner.symbols,
            results: self.results.iter().map(|e| e.substitute(&inner.results, &[])).collect(),
        }
    }
}

/// What surrounds a printed expression: whether it needs parentheses.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Enclosing {
    /// A sum or nothing: no parentheses.
    Weak,
    /// A product, a quotient or a remainder: every binary expression is parenthesized.
    Strong,
}

impl fmt::Display for AffineExpr {
    /// As upstream prints: `d0 * -1` is `-d0`, and the addition of a negative constant or product is a subtraction.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.print(Enclosing::Weak, f)
    }
}

impl AffineExpr {
    fn print(&self, enclosing: Enclosing, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            AffineExpr::Dim(d) => write!(f, "d{d}"),
            AffineExpr::Symbol(s) => write!(f, "s{s}"),
            AffineExpr::Constant(c) => write!(f, "{c}"),
            _ if enclosing == Enclosing::Strong => {
                f.write_str("(")?;
                self.print(Enclosing::Weak, f)?;
                f.write_str(")")
            }
            AffineExpr::Add(a, b) => print_sum(a, b, f),
            AffineExpr::Mul(a, b) if matches!(**b, AffineExpr::Constant(-1)) => {
                f.write_str("-")?;
                a.print(Enclosing::Strong, f)
            }
            AffineExpr::Mul(a, b) => print_binary(a, "*", b, f),
            AffineExpr::Mod(a, b) => print_binary(a, "mod", b, f),
            AffineExpr::FloorDiv(a, b) => print_binary(a, "floordiv", b, f),
            AffineExpr::CeilDiv(a, b) => print_binary(a, "ceildiv", b, f),
        }
    }
}

fn print_binary(a: &AffineExpr, operator: &str, b: &AffineExpr, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    a.print(Enclosing::Strong, f)?;
    write!(f, " {operator} ")?;
    b.print(Enclosing::Strong, f)
}

fn print_sum(a: &AffineExpr, b: &AffineExpr, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    a.print(Enclosing::Weak, f)?;
    let Some((factor, by)) = subtrahend(b) else {
        f.write_str(" + ")?;
        return b.print(Enclosing::Weak, f);
    };
    f.write_str(" - ")?;
    match (factor, by) {
        (None, by) => write!(f, "{by}"),
        (Some(factor), 1) => {
            let sum = matches!(factor, AffineExpr::Add(..));
            factor.print(if sum { Enclosing::Strong } else { Enclosing::Weak }, f)
        }
        (Some(factor), by) => {
            factor.print(Enclosing::Strong, f)?;
            write!(f, " * {by}")
        }
    }
}

/// `(factor, c)` of `factor * -c`, or `(none, c)` of `-c`, for positive `c`.
fn subtrahend(term: &AffineExpr) -> Option<(Option<&AffineExpr>, i64)> {
    let (factor, constant) = match term {
        AffineExpr::Constant(c) => (None, *c),
        AffineExpr::Mul(factor, c) => match **c {
            AffineExpr::Constant(c) => (Some(&**factor), c),
            _ => return None,
        },
        _ => return None,
    };
    let positive = constant.checked_neg().filter(|&c| c > 0)?;
    Some((factor, positive))
}

impl fmt::Display for AffineMap {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let list = |prefix: &str, n: u32| (0..n).map(|i| format!("{prefix}{i}")).collect::<Vec<_>>().join(", ");
        write!(f, "({})", list("d", self.dims))?;
        if self.symbols > 0 {
            write!(f, "[{}]", list("s", self.symbols))?;
        }
        let results = self.results.iter().map(AffineExpr::to_string).collect::<Vec<_>>().join(", ");
        write!(f, " -> ({results})")
    }
}
