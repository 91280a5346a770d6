//! Types.

use std::sync::Arc;

use crate::attributes::Attribute;
use crate::types::{
    DialectType, Extent, FloatType, FunctionType, IntegerType, MemRefLayout, MemRefType, Signedness, TensorType, Type,
    VectorType, is_addressable,
};

use super::lexer::Kind;
use super::{Parsed, Parser};

/// The widest integer type with values that we represent.
const MAX_INTEGER_WIDTH: u32 = 64;
/// The bits of two `f64`, which are moved as an integer.
const COMPLEX_WIDTH: u32 = 128;

impl Parser<'_> {
    pub(super) fn r#type(&mut self) -> Parsed<Type> {
        self.nested(|parser| match parser.token.kind {
            Kind::Punctuation(b'(') => parser.function_type().map(|function| Type::Function(Arc::new(function))),
            Kind::Exclamation => parser.dialect_type(),
            Kind::Bare => parser.builtin_type(),
            _ => Err(parser.expected("a type")),
        })
    }

    /// Whether the current token can only start a type.
    pub(super) fn starts_type(&self) -> bool {
        match self.token.kind {
            Kind::Punctuation(b'(') | Kind::Exclamation => true,
            Kind::Bare => {
                matches!(self.spelling(), "tensor" | "memref" | "vector" | "tuple" | "complex")
                    || scalar_type(self.spelling()).is_some()
            }
            _ => false,
        }
    }

    pub(super) fn function_type(&mut self) -> Parsed<FunctionType> {
        self.expect(b'(')?;
        let inputs = self.list_until(b')', Self::r#type)?;
        self.expect_kind(Kind::Arrow, "'->'")?;
        let results = if self.eat(b'(') { self.list_until(b')', Self::r#type)? } else { vec![self.r#type()?] };
        Ok(FunctionType { inputs, results })
    }

    fn dialect_type(&mut self) -> Parsed<Type> {
        let (start, name) = (self.token.start, &self.spelling()[1..]);
        self.advance();
        let Some((dialect, name)) = name.split_once('.') else {
            return self
                .type_aliases
                .get(name)
                .cloned()
                .ok_or_else(|| self.error_at(start, format!("undefined type alias '!{name}'")));
        };
        self.expect_namespace(start, dialect)?;
        let parameters = if self.eat(b'<') { self.list_until(b'>', Self::r#type)? } else { vec![] };
        Ok(Type::Dialect(Arc::new(DialectType { dialect: dialect.into(), name: name.into(), parameters })))
    }

    fn builtin_type(&mut self) -> Parsed<Type> {
        let (start, name) = (self.token.start, self.spelling());
        match name {
            "tensor" => self.container(Self::tensor),
            "memref" => self.container(Self::memref),
            "vector" => self.container(Self::vector),
            "tuple" => {
                self.advance();
                self.expect(b'<')?;
                Ok(Type::Tuple(self.list_until(b'>', Self::r#type)?.into()))
            }
            "complex" => self.container(|parser| match parser.r#type()? {
                Type::Float(format) => Ok(Type::Complex(format)),
                other => Err(parser.error_at(start, format!("complex takes a float type, found {other}"))),
            }),
            _ => {
                let Some(r#type) = scalar_type(name) else { return Err(self.expected("a type")) };
                if let Type::Integer(integer) = r#type
                    && !(1..=MAX_INTEGER_WIDTH).contains(&integer.width)
                    && integer.width != COMPLEX_WIDTH
                {
                    let message =
                        format!("integer types have 1 to {MAX_INTEGER_WIDTH} bits, or {COMPLEX_WIDTH}, found '{name}'");
                    return Err(self.error_at(start, message));
                }
                self.advance();
                Ok(r#type)
            }
        }
    }

    /// `keyword<…>`
    fn container(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<Type>) -> Parsed<Type> {
        self.advance();
        self.expect(b'<')?;
        let r#type = parse(self)?;
        self.expect(b'>')?;
        Ok(r#type)
    }

    fn expect_addressable(&self, start: usize, shape: &[Extent], element: &Type) -> Parsed<()> {
        match is_addressable(shape.iter().copied(), element) {
            true => Ok(()),
            false => Err(self.error_at(start, "values of this type are too large to address")),
        }
    }

    fn tensor(&mut self) -> Parsed<Type> {
        let start = self.token.start;
        let shape = if self.eat(b'*') {
            self.times()?;
            None
        } else {
            Some(self.shape()?)
        };
        let element = self.r#type()?;
        self.expect_addressable(start, shape.as_deref().unwrap_or_default(), &element)?;
        let encoding = if self.eat(b',') { Some(self.attribute()?) } else { None };
        Ok(Type::Tensor(Arc::new(TensorType { shape, element, encoding })))
    }

    fn vector(&mut self) -> Parsed<Type> {
        let start = self.token.start;
        if self.is(b'[') {
            return Err(self.error_here("scalable vectors are not supported"));
        }
        let shape = self.shape()?;
        let element = self.r#type()?;
        self.expect_addressable(start, &shape, &element)?;
        let shape: Option<Vec<i64>> = shape.into_iter().collect();
        let shape = shape.ok_or_else(|| self.error_at(start, "a vector's extents are static"))?;
        Ok(Type::Vector(Arc::new(VectorType { shape, element })))
    }

    fn memref(&mut self) -> Parsed<Type> {
        if self.is(b'*') {
            return Err(self.error_here("unranked memrefs are not supported"));
        }
        let (start, shape) = (self.token.start, self.shape()?);
        let element = self.r#type()?;
        self.expect_addressable(start, &shape, &element)?;
        let (mut layout, mut memory_space) = (MemRefLayout::Identity, None);
        let mut at = 0;
        while self.eat(b',') {
            if at == 0 && self.is_keyword("strided") {
                layout = self.strided(shape.len())?;
            } else {
                match self.attribute()? {
                    Attribute::AffineMap(map) if at == 0 && map.is_identity() => {}
                    Attribute::AffineMap(map) if at == 0 => layout = MemRefLayout::Affine((*map).clone()),
                    other if memory_space.is_none() => memory_space = Some(other),
                    _ => return Err(self.error_here("a memref has one layout and one memory space")),
                }
            }
            at += 1;
        }
        Ok(Type::MemRef(Arc::new(MemRefType { shape, element, layout, memory_space })))
    }

    /// `strided<[s, s], offset: o>`
    fn strided(&mut self, rank: usize) -> Parsed<MemRefLayout> {
        let start = self.token.start;
        self.advance();
        self.expect(b'<')?;
        self.expect(b'[')?;
        let strides = self.list_until(b']', Self::extent)?;
        if strides.len() != rank {
            let message = format!("a memref of rank {rank} has {rank} strides, found {}", strides.len());
            return Err(self.error_at(start, message));
        }
        let mut offset = Some(0);
        if self.eat(b',') {
            self.expect_keyword("offset")?;
            self.expect(b':')?;
            offset = self.extent()?;
        }
        self.expect(b'>')?;
        Ok(MemRefLayout::Strided { strides, offset })
    }

    /// `?` or an integer.
    fn extent(&mut self) -> Parsed<Extent> {
        if self.eat(b'?') { Ok(None) } else { self.signed_integer().map(Some) }
    }

    /// `2x?x`: the extents before an element type.
    fn shape(&mut self) -> Parsed<Vec<Extent>> {
        let mut shape = Vec::new();
        loop {
            if self.eat(b'?') {
                shape.push(None);
            } else if self.token.kind == Kind::Integer {
                shape.push(Some(self.dimension()?));
            } else {
                return Ok(shape);
            }
            self.times()?;
        }
    }

    fn dimension(&mut self) -> Parsed<i64> {
        let (start, spelling) = (self.token.start, self.spelling());
        // `0x4xf32` starts with the extent 0, not with a hexadecimal number
        if spelling.starts_with("0x") {
            self.restart_at(start + 1);
            return Ok(0);
        }
        let value = spelling.parse().map_err(|_| self.error_here(format!("extent {spelling} is too large")))?;
        self.advance();
        Ok(value)
    }

    /// The `x` between extents, which is part of the token after it.
    fn times(&mut self) -> Parsed<()> {
        if self.token.kind != Kind::Bare || !self.spelling().starts_with('x') || self.token.start != self.last_end {
            return Err(self.expected("'x' after an extent"));
        }
        self.restart_at(self.token.start + 1);
        Ok(())
    }
}

/// Types written as one word.
fn scalar_type(name: &str) -> Option<Type> {
    match name {
        "none" => return Some(Type::None),
        "index" => return Some(Type::Index),
        _ => {}
    }
    if let Some(format) = FloatType::ALL.into_iter().find(|format| format.keyword() == name) {
        return Some(Type::Float(format));
    }
    let (signedness, width) = match name.as_bytes() {
        [b's', b'i', ..] => (Signedness::Signed, &name[2..]),
        [b'u', b'i', ..] => (Signedness::Unsigned, &name[2..]),
        [b'i', ..] => (Signedness::Signless, &name[1..]),
        _ => return None,
    };
    let plain = !width.is_empty() && width.bytes().all(|b| b.is_ascii_digit());
    let width = plain.then(|| width.parse().ok()).flatten()?;
    Some(Type::Integer(IntegerType { width, signedness }))
}
