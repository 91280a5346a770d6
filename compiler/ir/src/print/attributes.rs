//! The text of attributes.

use std::fmt::{self, Display, Formatter};

use crate::IndexMap;
use crate::affine::AffineMap;
use crate::attributes::{Attribute, Attributes, quote};
use crate::constants::DenseElements;
use crate::floats;
use crate::parse::is_pretty_body;
use crate::types::Type;

use super::resources::Resources;

/// Inline constants with more elements are printed as one hexadecimal string.
const HEX_LARGER_THAN: usize = 100;

impl Display for Attribute {
    /// The text form, without the bytes of resources.
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        AttributePrinter::default().attribute(self, &mut text);
        f.write_str(&text)
    }
}

impl Display for Attributes {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Attribute::Dictionary(self.clone().into()).fmt(f)
    }
}

/// Whether `name` can be printed without quotes.
pub(crate) fn is_bare_identifier(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.'))
}

fn symbol(path: &[std::sync::Arc<str>]) -> String {
    path.iter().map(|name| symbol_name(name)).collect::<Vec<_>>().join("::")
}

/// The 64 bits of an integer attribute, interpreted by its type.
fn integer(value: i64, r#type: &Type) -> String {
    match r#type {
        Type::Integer(integer) if integer.width == 1 => (value & 1 == 1).to_string(),
        Type::Integer(integer) if integer.signedness == crate::types::Signedness::Unsigned => {
            (value as u64).to_string()
        }
        _ => value.to_string(),
    }
}

fn float(bits: u64, r#type: &Type) -> String {
    let Type::Float(format) = r#type else { panic!("a float attribute has a float type, not {type}") };
    floats::format_float(f64::from_bits(bits), *format)
}

/// Prints attributes and records the resources they refer to.
#[derive(Default)]
pub(super) struct AttributePrinter {
    pub(super) elide_larger_than: Option<usize>,
    pub(super) resources: Resources,
    /// The affine maps printed so far, by alias, where there are aliases.
    pub(super) aliases: Option<IndexMap<AffineMap, ()>>,
}

/// The alias of the map with this number: `#map`, `#map1`, …
pub(super) fn map_alias(number: usize) -> String {
    if number == 0 { "#map".to_string() } else { format!("#map{number}") }
}

/// `@name`
pub(super) fn symbol_name(name: &str) -> String {
    if is_bare_identifier(name) { format!("@{name}") } else { format!("@{}", quote(name)) }
}

impl AttributePrinter {
    pub(super) fn dictionary(&mut self, attributes: &Attributes, out: &mut String) {
        self.entries(attributes.iter(), out);
    }

    /// `{name = value, …}`
    pub(super) fn entries<'e>(&mut self, entries: impl Iterator<Item = (&'e str, &'e Attribute)>, out: &mut String) {
        out.push('{');
        for (at, (name, value)) in entries.enumerate() {
            if at > 0 {
                out.push_str(", ");
            }
            if is_bare_identifier(name) {
                out.push_str(name);
            } else {
                out.push_str(&quote(name));
            }
            if *value != Attribute::Unit {
                out.push_str(" = ");
                self.attribute(value, out);
            }
        }
        out.push('}');
    }

    pub(super) fn attribute(&mut self, attribute: &Attribute, out: &mut String) {
        match attribute {
            Attribute::Integer(_, Type::Integer(i)) if i.width == 1 => self.elided(attribute, out),
            Attribute::Integer(_, r#type) | Attribute::Float(_, r#type) => {
                self.elided(attribute, out);
                out.push_str(&format!(" : {type}"));
            }
            _ => self.elided(attribute, out),
        }
    }

    /// An attribute where the type `i64` is implied.
    fn inside_array(&mut self, attribute: &Attribute, out: &mut String) {
        match attribute {
            Attribute::Integer(_, Type::I64) => self.elided(attribute, out),
            _ => self.attribute(attribute, out),
        }
    }

    /// An attribute without its type, where numbers have one.
    pub(super) fn elided(&mut self, attribute: &Attribute, out: &mut String) {
        match attribute {
            Attribute::Unit => out.push_str("unit"),
            Attribute::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Attribute::Integer(value, r#type) => out.push_str(&integer(*value, r#type)),
            Attribute::Float(bits, r#type) => out.push_str(&float(*bits, r#type)),
            Attribute::String(text) => out.push_str(&quote(text)),
            Attribute::Array(elements) => {
                out.push('[');
                for (at, element) in elements.iter().enumerate() {
                    if at > 0 {
                        out.push_str(", ");
                    }
                    self.inside_array(element, out);
                }
                out.push(']');
            }
            Attribute::DenseArray(element, values) => out.push_str(&dense_array(element, values)),
            Attribute::Dictionary(attributes) => self.dictionary(attributes, out),
            Attribute::Type(r#type) => out.push_str(&r#type.to_string()),
            Attribute::AffineMap(map) => match &mut self.aliases {
                Some(aliases) => out.push_str(&map_alias(aliases.insert_full((**map).clone(), ()).0)),
                None => out.push_str(&format!("affine_map<{map}>")),
            },
            Attribute::Dense(elements) => self.dense(elements, out),
            Attribute::Symbol(path) => out.push_str(&symbol(path)),
            Attribute::Dialect(dialect, text) if is_pretty_body(text) => out.push_str(&format!("#{dialect}.{text}")),
            Attribute::Dialect(dialect, text) => out.push_str(&format!("#{dialect}<{text}>")),
        }
    }

    fn dense(&mut self, elements: &DenseElements, out: &mut String) {
        self.dense_value(elements, out);
        out.push_str(&format!(" : {}", elements.r#type));
    }

    /// A constant without its type.
    pub(super) fn dense_value(&mut self, elements: &DenseElements, out: &mut String) {
        if let Some(key) = &elements.key {
            let key = self.resources.name(key, &elements.data);
            let key = if is_bare_identifier(&key) { key.to_string() } else { quote(&key) };
            out.push_str(&format!("dense_resource<{key}>"));
        } else if self.elide_larger_than.is_some_and(|limit| !elements.splat && elements.element_count() > limit) {
            out.push_str("dense_resource<__elided__>");
        } else {
            out.push_str("dense<");
            dense_elements(elements, out);
            out.push('>');
        }
    }
}

fn dense_array(element: &Type, values: &[i64]) -> String {
    let one = |&value: &i64| match element {
        Type::Float(_) => float(value as u64, element),
        _ => integer(value, element),
    };
    match values {
        [] => format!("array<{element}>"),
        _ => format!("array<{element}: {}>", values.iter().map(one).collect::<Vec<_>>().join(", ")),
    }
}

fn dense_elements(elements: &DenseElements, out: &mut String) {
    let shape = elements.r#type.static_shape().expect("constants have a static shape");
    let count = elements.element_count();
    if count == 0 {
        return;
    }
    let strings = elements.strings();
    let element = |index: usize| match &strings {
        Some(strings) => quote(&strings[if elements.splat { 0 } else { index }]),
        None => dense_element(elements.r#type.element(), elements.element_bytes(index)),
    };
    // upstream prints a repeated element once
    if elements.splat || shape.is_empty() || strings.is_none() && repeats(elements) {
        out.push_str(&element(0));
    } else if strings.is_none()
        && (count > HEX_LARGER_THAN || is_wide(elements))
        && *elements.r#type.element() != Type::I1
    {
        out.push_str("\"0x");
        super::resources::push_hex(elements.data.bytes(), out);
        out.push('"');
    } else {
        nested(&shape, count, &element, out);
    }
}

/// Whether elements are integers wider than a word.
fn is_wide(elements: &DenseElements) -> bool {
    matches!(elements.r#type.element(), Type::Integer(_)) && !elements.has_scalar_attributes()
}

/// Whether all elements are equal, bit for bit.
fn repeats(elements: &DenseElements) -> bool {
    let width = elements.r#type.element().byte_width().unwrap_or(1);
    let mut elements = elements.data.bytes().chunks_exact(width);
    let first = elements.next();
    elements.all(|element| Some(element) == first)
}

/// `[[a, b], [c, d]]`: a bracket opens at every index that starts a row and closes at every one that ends it.
fn nested(shape: &[i64], count: usize, element: &dyn Fn(usize) -> String, out: &mut String) {
    let mut row_lengths = Vec::new();
    let mut length = 1usize;
    for &extent in shape.iter().rev() {
        length *= extent as usize;
        row_lengths.push(length);
    }
    for index in 0..count {
        if index > 0 {
            out.push_str(", ");
        }
        let starts = row_lengths.iter().filter(|&&length| index % length == 0).count();
        let ends = row_lengths.iter().filter(|&&length| (index + 1) % length == 0).count();
        out.extend(std::iter::repeat_n('[', starts));
        out.push_str(&element(index));
        out.extend(std::iter::repeat_n(']', ends));
    }
}

fn dense_element(r#type: &Type, bytes: &[u8]) -> String {
    if let (Type::Integer(_), 9..) = (r#type, bytes.len()) {
        let mut text = "\"0x".to_string();
        super::resources::push_hex(bytes, &mut text);
        return text + "\"";
    }
    let mut raw = [0u8; 8];
    let word = |bytes: &[u8], raw: &mut [u8; 8]| {
        raw[..bytes.len()].copy_from_slice(bytes);
        u64::from_le_bytes(*raw)
    };
    match r#type {
        Type::Float(format) => floats::format_float(floats::decode(word(bytes, &mut raw), *format), *format),
        Type::Complex(format) => {
            let (real, imaginary) = bytes.split_at(bytes.len() / 2);
            let part = |bytes: &[u8]| floats::format_float(floats::decode(word(bytes, &mut [0; 8]), *format), *format);
            format!("({},{})", part(real), part(imaginary))
        }
        Type::Integer(kind) if kind.width > 1 && kind.signedness != crate::types::Signedness::Unsigned => {
            let unused = 64 - kind.width.min(64);
            integer((word(bytes, &mut raw) << unused) as i64 >> unused, r#type)
        }
        _ => integer(word(bytes, &mut raw) as i64, r#type),
    }
}
