//! Attributes.

use std::sync::Arc;

use crate::attributes::{Attribute, Attributes};
use crate::floats;
use crate::types::{FloatType, IntegerType, Signedness, Type};

use super::lexer::{Kind, matching_end};
use super::{Parsed, Parser};

impl Parser<'_> {
    pub(super) fn attribute(&mut self) -> Parsed<Attribute> {
        self.nested(|parser| match parser.token.kind {
            Kind::Punctuation(b'[') => {
                parser.advance();
                Ok(Attribute::Array(parser.list_until(b']', Self::attribute)?.into()))
            }
            Kind::Punctuation(b'{') => Ok(Attribute::Dictionary(Arc::new(parser.dictionary()?))),
            Kind::Punctuation(b'-') | Kind::Integer | Kind::Float => parser.number(),
            Kind::String => Ok(Attribute::String(parser.string()?.into())),
            Kind::At => parser.symbol_reference(),
            Kind::Hash => parser.hash_attribute(),
            Kind::Bare => parser.keyword_attribute(),
            _ if parser.starts_type() => parser.r#type().map(Attribute::Type),
            _ => Err(parser.expected("an attribute")),
        })
    }

    /// `{a = 1, b, "c d" = 2}`
    pub(super) fn dictionary(&mut self) -> Parsed<Attributes> {
        let mut attributes = Attributes::new();
        self.dictionary_into(&mut attributes)?;
        Ok(attributes)
    }

    /// Adds the entries of a dictionary; a duplicate name is an error.
    pub(super) fn dictionary_into(&mut self, attributes: &mut Attributes) -> Parsed<()> {
        self.expect(b'{')?;
        self.list_until(b'}', |parser| {
            let start = parser.token.start;
            let name = match parser.token.kind {
                Kind::String => parser.string()?,
                _ => parser.expect_kind(Kind::Bare, "an attribute's name")?.to_string(),
            };
            if attributes.get(&name).is_some() {
                return Err(parser.error_at(start, format!("attribute '{name}' is given twice")));
            }
            let value = if parser.eat(b'=') { parser.attribute()? } else { Attribute::Unit };
            attributes.set(name, value);
            Ok(())
        })?;
        Ok(())
    }

    fn keyword_attribute(&mut self) -> Parsed<Attribute> {
        let constant = match self.spelling() {
            "true" => Attribute::Bool(true),
            "false" => Attribute::Bool(false),
            "unit" => Attribute::Unit,
            "affine_map" => {
                self.advance();
                self.expect(b'<')?;
                let map = self.affine_map()?;
                self.expect(b'>')?;
                return Ok(Attribute::affine_map(map));
            }
            "array" => return self.dense_array(),
            "dense" => return self.dense(),
            "dense_resource" => return self.dense_resource(),
            "affine_set" | "sparse" | "distinct" | "opaque" | "loc" | "strided" => {
                return Err(self.error_here(format!("'{}' attributes are not supported", self.spelling())));
            }
            _ if self.starts_type() => return self.r#type().map(Attribute::Type),
            _ => return Err(self.expected("an attribute")),
        };
        self.advance();
        Ok(constant)
    }

    /// `@a::@"b c"`
    fn symbol_reference(&mut self) -> Parsed<Attribute> {
        let mut path: Vec<Arc<str>> = Vec::new();
        loop {
            let (start, spelling) = (self.token.start, self.expect_kind(Kind::At, "a symbol")?);
            let name = match spelling[1..].strip_prefix('"') {
                Some(_) => self.unescape(&spelling[1..], start)?,
                None => spelling[1..].to_string(),
            };
            path.push(name.into());
            if self.token.kind != Kind::ColonColon {
                return Ok(Attribute::Symbol(path.into()));
            }
            self.advance();
        }
    }

    /// `#alias`, `#dialect.name<text>` or `#dialect<name<text>>`.
    fn hash_attribute(&mut self) -> Parsed<Attribute> {
        let (start, name) = (self.token.start, &self.spelling()[1..]);
        let opens_body = self.text.as_bytes().get(self.token.end) == Some(&b'<');
        let Some((dialect, name)) = name.split_once('.') else {
            if opens_body {
                self.expect_namespace(start, name)?;
                let body = self.balanced_text()?;
                return Ok(Attribute::Dialect(name.into(), body[1..body.len() - 1].into()));
            }
            self.advance();
            let alias = self.attribute_aliases.get(name).cloned();
            return alias.ok_or_else(|| self.error_at(start, format!("undefined attribute alias '#{name}'")));
        };
        self.expect_namespace(start, dialect)?;
        let body = if opens_body {
            self.balanced_text()?
        } else {
            self.advance();
            ""
        };
        Ok(Attribute::Dialect(dialect.into(), format!("{name}{body}").into()))
    }

    /// Refuses what is not a name of a dialect, as upstream does: `[A-Za-z_][A-Za-z0-9_$]*`.
    pub(super) fn expect_namespace(&self, start: usize, name: &str) -> Parsed<()> {
        let is_first = |first: char| first.is_ascii_alphabetic() || first == '_';
        let is_name = name.starts_with(is_first) && name.chars().all(|c| c.is_ascii_alphanumeric() || "_$".contains(c));
        if is_name { Ok(()) } else { Err(self.error_at(start, format!("invalid dialect namespace '{name}'"))) }
    }

    /// The text from the `<` directly after the current token to the matching `>`, both included.
    fn balanced_text(&mut self) -> Parsed<&'_ str> {
        let (text, start) = (self.text, self.token.end);
        let end = matching_end(text, start).map_err(|unmatched| match unmatched.kind {
            Kind::Punctuation(close) => self.error_at(unmatched.start, format!("unbalanced '{}'", close as char)),
            _ => self.error_at(start, "expected a matching '>'"),
        })?;
        self.restart_at(end);
        Ok(&text[start..end])
    }

    // ---- numbers

    /// An integer or float with an optional type.
    fn number(&mut self) -> Parsed<Attribute> {
        let start = self.token.start;
        let negative = self.eat(b'-');
        let (kind, spelling) = (self.token.kind, self.spelling());
        if !matches!(kind, Kind::Integer | Kind::Float) {
            return Err(self.expected("a number"));
        }
        self.advance();
        let default = if kind == Kind::Integer { Type::I64 } else { Type::F64 };
        let r#type = if self.eat(b':') { self.r#type()? } else { default };
        match &r#type {
            Type::Float(format) => {
                let value = self.float_literal(start, negative, kind, spelling, *format)?;
                Ok(Attribute::float(value, r#type))
            }
            Type::Index | Type::Integer(_) if kind == Kind::Integer => {
                let value = self.integer_literal(start, negative, spelling, &r#type)?;
                Ok(if r#type == Type::I1 { Attribute::Bool(value != 0) } else { Attribute::Integer(value, r#type) })
            }
            _ => Err(self.error_at(start, format!("{spelling} is not a value of type {type}"))),
        }
    }

    /// The bits of an integer, which must fit its type.
    pub(super) fn integer_literal(&self, start: usize, negative: bool, spelling: &str, r#type: &Type) -> Parsed<i64> {
        let out_of_range = || {
            let sign = if negative { "-" } else { "" };
            self.error_at(start, format!("{sign}{spelling} does not fit {type}"))
        };
        let magnitude = match spelling.strip_prefix("0x") {
            Some(digits) => i128::from_str_radix(digits, 16),
            None => spelling.parse::<i128>(),
        };
        let value = magnitude.map(|m| if negative { -m } else { m }).map_err(|_| out_of_range())?;
        let kind = match r#type {
            // wider ones are bits without arithmetic
            Type::Integer(kind) if kind.width <= i64::BITS => *kind,
            _ => IntegerType { width: 64, signedness: Signedness::Signed },
        };
        let (signed_min, signed_max) = (-(1i128 << (kind.width - 1)), (1i128 << (kind.width - 1)) - 1);
        let unsigned_max = (1i128 << kind.width) - 1;
        let (min, max) = match kind.signedness {
            Signedness::Signless => (signed_min, unsigned_max),
            Signedness::Signed => (signed_min, signed_max),
            Signedness::Unsigned => (0, unsigned_max),
        };
        if !(min..=max).contains(&value) {
            return Err(out_of_range());
        }
        let wrapped = if kind.signedness == Signedness::Signless && value > signed_max {
            value - (1i128 << kind.width)
        } else {
            value
        };
        Ok(wrapped as i64)
    }

    /// A float, written as one or as its bits in hexadecimal.
    pub(super) fn float_literal(
        &self,
        start: usize,
        negative: bool,
        kind: Kind,
        spelling: &str,
        format: FloatType,
    ) -> Parsed<f64> {
        if let Some(digits) = spelling.strip_prefix("0x") {
            let bits = u64::from_str_radix(digits, 16)
                .ok()
                .filter(|bits| !negative && (format.width() == 64 || bits >> format.width() == 0));
            let bits = bits.ok_or_else(|| {
                self.error_at(start, format!("{spelling} is not {} bits of a {}", format.width(), format.keyword()))
            })?;
            return Ok(floats::decode(bits, format));
        }
        if kind == Kind::Integer {
            let message = format!("a {} is written with a decimal point, found {spelling}", format.keyword());
            return Err(self.error_at(start, message));
        }
        let magnitude: f64 = spelling.parse().expect("the lexer accepts what Rust reads as a float");
        let value = if negative { -magnitude } else { magnitude };
        Ok(floats::decode(floats::encode(value, format), format))
    }

    /// An `i64` with an optional sign.
    pub(super) fn signed_integer(&mut self) -> Parsed<i64> {
        let start = self.token.start;
        let negative = self.eat(b'-');
        let spelling = self.expect_kind(Kind::Integer, "an integer")?;
        self.integer_literal(start, negative, spelling, &Type::Index)
    }

    /// `array<i64: 1, 2>`
    fn dense_array(&mut self) -> Parsed<Attribute> {
        self.advance();
        self.expect(b'<')?;
        let start = self.token.start;
        let element = self.r#type()?;
        if !element.is_integer() && !element.is_float() {
            return Err(self.error_at(start, format!("an array's elements are integers or floats, found {element}")));
        }
        let values = if self.eat(b':') {
            self.list_until(b'>', |parser| parser.dense_array_element(&element))?
        } else {
            self.expect(b'>')?;
            vec![]
        };
        Ok(Attribute::DenseArray(element, values.into()))
    }

    fn dense_array_element(&mut self, element: &Type) -> Parsed<i64> {
        let start = self.token.start;
        if *element == Type::I1 && (self.is_keyword("true") || self.is_keyword("false")) {
            let value = self.is_keyword("true");
            self.advance();
            return Ok(value as i64);
        }
        let negative = self.eat(b'-');
        let (kind, spelling) = (self.token.kind, self.spelling());
        if !matches!(kind, Kind::Integer | Kind::Float) {
            return Err(self.expected("a number"));
        }
        self.advance();
        match element {
            Type::Float(format) => {
                let value = self.float_literal(start, negative, kind, spelling, *format)?;
                Ok(value.to_bits() as i64)
            }
            _ if kind == Kind::Integer => self.integer_literal(start, negative, spelling, element),
            _ => Err(self.error_at(start, format!("{spelling} is not a value of type {element}"))),
        }
    }

    // ---- strings

    /// A string literal's value.
    pub(super) fn string(&mut self) -> Parsed<String> {
        let start = self.token.start;
        let spelling = self.expect_kind(Kind::String, "a string")?;
        self.unescape(spelling, start)
    }

    /// The value of a literal with its quotes: `\n`, `\t`, `\"`, `\\` and two hexadecimal digits.
    fn unescape(&self, spelling: &str, start: usize) -> Parsed<String> {
        let mut bytes = Vec::with_capacity(spelling.len());
        let mut rest = spelling.as_bytes()[1..spelling.len() - 1].iter().copied();
        let hex = |digit: Option<u8>| digit.and_then(|digit| (digit as char).to_digit(16));
        while let Some(byte) = rest.next() {
            if byte != b'\\' {
                bytes.push(byte);
                continue;
            }
            match rest.next() {
                Some(plain @ (b'"' | b'\\')) => bytes.push(plain),
                Some(b'n') => bytes.push(b'\n'),
                Some(b't') => bytes.push(b'\t'),
                first => match (hex(first), hex(rest.next())) {
                    (Some(high), Some(low)) => bytes.push((high * 16 + low) as u8),
                    _ => return Err(self.error_at(start, "unknown escape in a string")),
                },
            }
        }
        String::from_utf8(bytes).map_err(|_| self.error_at(start, "a string must be UTF-8"))
    }
}
