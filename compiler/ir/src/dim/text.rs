//! The text of symbolic extents: `N*4+1`, `floordiv(N+1, 2)`, `max(N, M)`.

use std::fmt;

use super::DimExpr;

impl fmt::Display for DimExpr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            DimExpr::Constant(value) => write!(f, "{value}"),
            DimExpr::Symbol(name) if is_identifier(name) => f.write_str(name),
            DimExpr::Symbol(name) => write!(f, "\"{name}\""),
            DimExpr::Sum(terms) => {
                for (at, term) in terms.iter().enumerate() {
                    let text = term.to_string();
                    let negative = matches!(term, DimExpr::Constant(value) if *value < 0);
                    f.write_str(if at == 0 || negative { "" } else { "+" })?;
                    f.write_str(&text)?;
                }
                Ok(())
            }
            DimExpr::Product(factors) => match &factors[0] {
                DimExpr::Constant(coefficient) => write!(f, "{}*{coefficient}", list(&factors[1..], "*")),
                _ => f.write_str(&list(factors, "*")),
            },
            DimExpr::FloorDiv(a, b) => write!(f, "floordiv({a}, {b})"),
            DimExpr::CeilDiv(a, b) => write!(f, "ceildiv({a}, {b})"),
            DimExpr::Mod(a, b) => write!(f, "mod({a}, {b})"),
            DimExpr::Max(parts) => write!(f, "max({})", list(parts, ", ")),
            DimExpr::Min(parts) => write!(f, "min({})", list(parts, ", ")),
            DimExpr::Broadcast(parts) => write!(f, "broadcast({})", list(parts, ", ")),
        }
    }
}

fn list(parts: &[DimExpr], separator: &str) -> String {
    parts.iter().map(DimExpr::to_string).collect::<Vec<_>>().join(separator)
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(is_identifier_start) && name.chars().all(is_identifier_part)
}

fn is_identifier_start(c: char) -> bool {
    c.is_alphabetic() || matches!(c, '_' | '.' | ':' | '@' | '$')
}

fn is_identifier_part(c: char) -> bool {
    is_identifier_start(c) || c.is_ascii_digit()
}

impl DimExpr {
    /// Reads the text form; `/` and `//` are accepted for `floordiv`, `%` for `mod`. `None` when it is malformed.
    pub fn parse(text: &str) -> Option<DimExpr> {
        let mut reader = Reader { rest: text };
        let expression = reader.sum()?;
        reader.peek().is_none().then_some(expression)
    }
}

struct Reader<'a> {
    rest: &'a str,
}

impl Reader<'_> {
    fn peek(&mut self) -> Option<char> {
        self.rest = self.rest.trim_start();
        self.rest.chars().next()
    }

    fn accept(&mut self, token: &str) -> bool {
        self.peek();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn sum(&mut self) -> Option<DimExpr> {
        let mut total = self.product()?;
        loop {
            if self.accept("+") {
                total = total.add(&self.product()?);
            } else if self.accept("-") {
                total = total.sub(&self.product()?);
            } else {
                return Some(total);
            }
        }
    }

    fn product(&mut self) -> Option<DimExpr> {
        let mut total = self.atom()?;
        loop {
            if self.accept("*") {
                total = total.mul(&self.atom()?);
            } else if self.accept("//") || self.accept("/") {
                total = total.floor_div(&self.atom()?);
            } else if self.accept("%") {
                total = total.modulo(&self.atom()?);
            } else {
                return Some(total);
            }
        }
    }

    fn atom(&mut self) -> Option<DimExpr> {
        match self.peek()? {
            '-' => {
                self.accept("-");
                Some(self.atom()?.mul(&DimExpr::Constant(-1)))
            }
            '(' => {
                self.accept("(");
                let inner = self.sum()?;
                self.accept(")").then_some(inner)
            }
            '"' => {
                let (name, rest) = self.rest[1..].split_once('"')?;
                self.rest = rest;
                Some(DimExpr::symbol(name))
            }
            digit if digit.is_ascii_digit() => self.take(|c| c.is_ascii_digit()).parse().ok().map(DimExpr::Constant),
            start if is_identifier_start(start) => {
                let name = self.take(is_identifier_part);
                if self.accept("(") { self.call(&name) } else { Some(DimExpr::symbol(&name)) }
            }
            _ => None,
        }
    }

    fn take(&mut self, accept: fn(char) -> bool) -> String {
        let end = self.rest.find(|c| !accept(c)).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.to_string()
    }

    /// The arguments after an opening parenthesis, folded by the function called `name`.
    fn call(&mut self, name: &str) -> Option<DimExpr> {
        let join = match name {
            "floordiv" => DimExpr::floor_div,
            "ceildiv" => DimExpr::ceil_div,
            "mod" => DimExpr::modulo,
            "max" => DimExpr::max,
            "min" => DimExpr::min,
            "broadcast" => DimExpr::broadcast,
            _ => return None,
        };
        let mut total = self.sum()?;
        while self.accept(",") {
            total = join(&total, &self.sum()?);
        }
        self.accept(")").then_some(total)
    }
}
