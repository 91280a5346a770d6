//! `affine_map<(d0)[s0] -> (d0 + s0)>`

use std::sync::Arc;

use crate::affine::{AffineExpr, AffineMap};

use super::lexer::Kind;
use super::{Parsed, Parser};

/// The maximum number of terms of a map: expressions are trees, and a long sum is a deep one.
const MAX_TERMS: usize = 512;

/// The names of a map's dimensions and symbols, and the number of terms that are left.
struct Scope<'a> {
    dims: Vec<&'a str>,
    symbols: Vec<&'a str>,
    terms_left: usize,
}

impl<'a> Parser<'a> {
    /// The inside of the angle brackets.
    pub(super) fn affine_map(&mut self) -> Parsed<AffineMap> {
        let name = |parser: &mut Self| parser.expect_kind(Kind::Bare, "a dimension's name");
        self.expect(b'(')?;
        let dims = self.list_until(b')', name)?;
        let symbols = if self.eat(b'[') { self.list_until(b']', name)? } else { vec![] };
        self.expect_kind(Kind::Arrow, "'->'")?;
        self.expect(b'(')?;
        let mut scope = Scope { dims, symbols, terms_left: MAX_TERMS };
        let results = self.list_until(b')', |parser| parser.affine_sum(&mut scope))?;
        Ok(AffineMap { dims: scope.dims.len() as u32, symbols: scope.symbols.len() as u32, results })
    }

    fn affine_sum(&mut self, scope: &mut Scope<'a>) -> Parsed<AffineExpr> {
        let mut sum = self.affine_product(scope)?;
        loop {
            if self.eat(b'+') {
                sum = sum.add(self.affine_product(scope)?);
            } else if self.eat(b'-') {
                sum = sum.add(AffineExpr::Constant(-1).mul(self.affine_product(scope)?));
            } else {
                return Ok(sum);
            }
        }
    }

    fn affine_product(&mut self, scope: &mut Scope<'a>) -> Parsed<AffineExpr> {
        let mut product = self.affine_operand(scope)?;
        loop {
            let start = self.token.start;
            if self.eat(b'*') {
                product = product.mul(self.affine_operand(scope)?);
            } else if self.eat_keyword("mod") {
                let divisor = self.affine_divisor(start, scope)?;
                product = AffineExpr::Mod(Arc::new(product), Arc::new(divisor));
            } else if self.eat_keyword("floordiv") {
                let divisor = self.affine_divisor(start, scope)?;
                product = AffineExpr::FloorDiv(Arc::new(product), Arc::new(divisor));
            } else if self.eat_keyword("ceildiv") {
                let divisor = self.affine_divisor(start, scope)?;
                product = AffineExpr::CeilDiv(Arc::new(product), Arc::new(divisor));
            } else {
                return Ok(product);
            }
        }
    }

    fn affine_divisor(&mut self, start: usize, scope: &mut Scope<'a>) -> Parsed<AffineExpr> {
        match self.affine_operand(scope)? {
            AffineExpr::Constant(c) if c <= 0 => Err(self.error_at(start, format!("division by {c}"))),
            divisor => Ok(divisor),
        }
    }

    fn affine_operand(&mut self, scope: &mut Scope<'a>) -> Parsed<AffineExpr> {
        let Some(left) = scope.terms_left.checked_sub(1) else {
            return Err(self.error_here(format!("an affine map has at most {MAX_TERMS} terms")));
        };
        scope.terms_left = left;
        match self.token.kind {
            Kind::Punctuation(b'(') => self.nested(|parser| {
                parser.advance();
                let inner = parser.affine_sum(scope)?;
                parser.expect(b')')?;
                Ok(inner)
            }),
            Kind::Punctuation(b'-') => {
                if next_is_integer(self) {
                    return self.signed_integer().map(AffineExpr::Constant);
                }
                self.advance();
                self.nested(|parser| Ok(AffineExpr::Constant(-1).mul(parser.affine_operand(scope)?)))
            }
            Kind::Integer => self.signed_integer().map(AffineExpr::Constant),
            Kind::Bare => self.affine_name(scope),
            _ => Err(self.expected("an affine expression")),
        }
    }

    fn affine_name(&mut self, scope: &Scope<'a>) -> Parsed<AffineExpr> {
        let name = self.spelling();
        let position = |names: &[&str]| names.iter().position(|&known| known == name);
        let expression = match (position(&scope.dims), position(&scope.symbols)) {
            (Some(dim), _) => AffineExpr::Dim(dim as u32),
            (None, Some(symbol)) => AffineExpr::Symbol(symbol as u32),
            (None, None) => return Err(self.error_here(format!("'{name}' is neither a dimension nor a symbol"))),
        };
        self.advance();
        Ok(expression)
    }
}

fn next_is_integer(parser: &Parser<'_>) -> bool {
    super::next_token(parser.text, parser.token.end).kind == Kind::Integer
}
