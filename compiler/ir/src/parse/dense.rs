//! `dense<…> : type` and `dense_resource<key> : type`

use std::sync::Arc;

use crate::attributes::Attribute;
use data::Blob;

use crate::constants::DenseElements;
use crate::floats;
use crate::types::Type;

use super::lexer::Kind;
use super::resources::decode_hex;
use super::{Parsed, Parser};

/// The maximum size of a constant in bytes, so that no size computation overflows.
const MAX_BYTES: i64 = 1 << 46;

/// The elements read so far and the shape of their brackets.
#[derive(Default)]
struct Elements {
    bytes: Vec<u8>,
    strings: Vec<String>,
    count: usize,
}

impl Parser<'_> {
    pub(super) fn dense(&mut self) -> Parsed<Attribute> {
        self.advance();
        let body = self.token;
        self.expect(b'<')?;
        while !self.is(b'>') {
            if matches!(self.token.kind, Kind::End | Kind::Bad(_)) {
                return Err(self.expected("'>'"));
            }
            self.advance();
        }
        self.advance();
        let r#type = self.constant_type()?;
        let (end, last_end) = (self.token, self.last_end);
        self.restart_at(body.end);
        let elements = self.dense_body(r#type)?;
        self.expect(b'>')?;
        (self.token, self.last_end) = (end, last_end);
        Ok(Attribute::dense(elements))
    }

    pub(super) fn dense_resource(&mut self) -> Parsed<Attribute> {
        self.advance();
        self.expect(b'<')?;
        let key = self.resource_key()?;
        self.expect(b'>')?;
        let r#type = self.constant_type()?;
        let data = self.resources.get(&key).cloned().unwrap_or_else(|| Blob::copy_of(&[]));
        let elements = DenseElements { r#type, data, splat: false, key: Some(Arc::from(key)) };
        let width = elements.r#type.element().byte_width();
        let splat = width == Some(elements.data.bytes().len()) && elements.element_count() != 1;
        Ok(Attribute::dense(DenseElements { splat, ..elements }))
    }

    /// `: type` of a constant: a tensor or vector of static shape.
    fn constant_type(&mut self) -> Parsed<Type> {
        let implied = self.implied_type.take();
        if implied.is_none() {
            self.expect(b':')?;
        }
        let start = self.token.start;
        let r#type = implied.map_or_else(|| self.r#type(), Ok)?;
        let shape = match &r#type {
            Type::Tensor(_) | Type::Vector(_) => r#type.static_shape(),
            _ => None,
        };
        let Some(shape) = shape else {
            return Err(
                self.error_at(start, format!("a constant has a tensor or vector type of static shape, found {type}"))
            );
        };
        let element = r#type.element();
        let width = match element {
            Type::Dialect(_) => 1,
            _ => element.byte_width().ok_or_else(|| {
                self.error_at(start, format!("the elements of a constant are numbers or strings, found {element}"))
            })?,
        };
        let size = shape.iter().try_fold(width as i64, |size, &extent| size.checked_mul(extent));
        if size.is_none_or(|size| size > MAX_BYTES) {
            return Err(self.error_at(start, format!("a constant of type {type} is too large")));
        }
        Ok(r#type)
    }

    fn dense_body(&mut self, r#type: Type) -> Parsed<DenseElements> {
        let start = self.token.start;
        let shape = r#type.static_shape().expect("checked by constant_type");
        let count = shape.iter().product::<i64>() as usize;
        if self.is(b'>') {
            return match count {
                0 => Ok(DenseElements::new(r#type, Blob::copy_of(&[]))),
                _ => Err(self.expected("elements")),
            };
        }
        let is_text = matches!(r#type.element(), Type::Dialect(_));
        if self.token.kind == Kind::String && !is_text {
            return self.dense_hex(r#type, count);
        }
        let mut elements = Elements::default();
        let splat = !self.is(b'[');
        if splat {
            self.dense_element(r#type.element(), &mut elements)?;
        } else {
            self.dense_list(&shape, r#type.element(), &mut elements)?;
        }
        let expected = if splat { 1 } else { count };
        if elements.count != expected {
            return Err(self.error_at(start, format!("{type} has {expected} elements, found {}", elements.count)));
        }
        if is_text {
            return Ok(DenseElements::from_strings(r#type, &elements.strings));
        }
        let splat = splat && count != 1;
        Ok(DenseElements { splat, ..DenseElements::new(r#type, Blob::copy_of(&elements.bytes)) })
    }

    /// `[…]` with one entry for each index of the outermost of `shape`'s dimensions.
    fn dense_list(&mut self, shape: &[i64], element: &Type, elements: &mut Elements) -> Parsed<()> {
        let start = self.token.start;
        let Some((&extent, inner)) = shape.split_first() else {
            return self.dense_element(element, elements);
        };
        self.nested(|parser| {
            parser.expect(b'[')?;
            let entries = parser.list_until(b']', |parser| parser.dense_list(inner, element, elements))?;
            if entries.len() as i64 != extent {
                let message = format!("expected {extent} entries in this dimension, found {}", entries.len());
                return Err(parser.error_at(start, message));
            }
            Ok(())
        })
    }

    fn dense_element(&mut self, r#type: &Type, elements: &mut Elements) -> Parsed<()> {
        elements.count += 1;
        match r#type {
            Type::Dialect(_) => elements.strings.push(self.string()?),
            Type::Complex(format) => {
                self.expect(b'(')?;
                self.scalar_bytes(&Type::Float(*format), &mut elements.bytes)?;
                self.expect(b',')?;
                self.scalar_bytes(&Type::Float(*format), &mut elements.bytes)?;
                self.expect(b')')?;
            }
            _ => self.scalar_bytes(r#type, &mut elements.bytes)?,
        }
        Ok(())
    }

    fn scalar_bytes(&mut self, r#type: &Type, bytes: &mut Vec<u8>) -> Parsed<()> {
        let width = r#type.byte_width().expect("checked by constant_type");
        let start = self.token.start;
        let word = if *r#type == Type::I1 && self.token.kind == Kind::Bare {
            match self.spelling() {
                "true" | "false" => {
                    let value = self.is_keyword("true");
                    self.advance();
                    value as u64
                }
                _ => return Err(self.expected("true or false")),
            }
        } else {
            let negative = self.eat(b'-');
            let (kind, spelling) = (self.token.kind, self.spelling());
            if !matches!(kind, Kind::Integer | Kind::Float) {
                return Err(self.expected("a number"));
            }
            self.advance();
            match r#type {
                Type::Float(format) => {
                    floats::encode(self.float_literal(start, negative, kind, spelling, *format)?, *format)
                }
                Type::Integer(kind_of_type) if kind == Kind::Integer => {
                    let value = self.integer_literal(start, negative, spelling, r#type)?;
                    if kind_of_type.width == 1 { value as u64 & 1 } else { value as u64 }
                }
                _ if kind == Kind::Integer => self.integer_literal(start, negative, spelling, r#type)? as u64,
                _ => return Err(self.error_at(start, format!("{spelling} is not a value of type {type}"))),
            }
        };
        bytes.extend(&i128::from(word as i64).to_le_bytes()[..width]);
        Ok(())
    }

    /// `"0x…"`: all elements, or a single one for a splat.
    fn dense_hex(&mut self, r#type: Type, count: usize) -> Parsed<DenseElements> {
        let start = self.token.start;
        let spelling = self.expect_kind(Kind::String, "bytes")?;
        let Some(data) = decode_hex(&spelling[1..spelling.len() - 1]) else {
            return Err(self.error_at(start, "expected whole bytes as \"0x…\""));
        };
        let width = r#type.element().byte_width().expect("checked by constant_type");
        let length = data.bytes().len();
        if *r#type.element() == Type::I1 && length == count.div_ceil(8) && count > 1 {
            let bits: Vec<u8> = (0..count).map(|at| data.bytes()[at / 8] >> (at % 8) & 1).collect();
            return Ok(DenseElements::new(r#type, Blob::copy_of(&bits)));
        }
        if length != width && length != width * count {
            return Err(self.error_at(start, format!("{type} takes {} bytes, found {length}", width * count)));
        }
        let splat = length == width && count != 1;
        Ok(DenseElements { splat, ..DenseElements::new(r#type, data) })
    }
}
