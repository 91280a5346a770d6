//! Attributes: compile-time facts about operations.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use crate::affine::AffineMap;
use crate::constants::DenseElements;
use crate::types::Type;

/// The longest list of numbers that is printed as an array of attributes. The lists of a tree ensemble have millions of
/// entries; a dense array takes 8 bytes for each.
const READABLE: usize = 64;

/// An immutable compile-time value.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Attribute {
    /// `unit`
    Unit,
    /// `true` or `false`
    Bool(bool),
    /// `4 : i64`
    Integer(i64, Type),
    /// `1.0 : f32`; the bits of the value as `f64`, so that equality and hashing are exact.
    Float(u64, Type),
    /// `"text"`; any bytes, escaped if they are not printable.
    String(Arc<str>),
    /// `[a, b]`
    Array(Arc<[Attribute]>),
    /// `array<i64: 1, 2>`; the element type is an integer or float type; floats are kept as `f64` bits.
    DenseArray(Type, Arc<[i64]>),
    /// `{a = 1}`
    Dictionary(Arc<Attributes>),
    /// A type.
    Type(Type),
    /// `affine_map<(d0) -> (d0)>`
    AffineMap(Arc<AffineMap>),
    /// `dense<…> : tensor<…>` or `dense_resource<key> : tensor<…>`
    Dense(Arc<DenseElements>),
    /// `@symbol` or `@a::@b`
    Symbol(Arc<[Arc<str>]>),
    /// `#dialect.text`, such as `#linalg.iterator_type<parallel>`, or `#dialect<text>`: dialect and text, as written.
    Dialect(Arc<str>, Arc<str>),
}

/// A dictionary of named attributes, kept sorted by name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Attributes(Vec<(Cow<'static, str>, Attribute)>);

impl Attribute {
    /// An `i64` attribute.
    pub fn i64(value: i64) -> Attribute {
        Attribute::Integer(value, Type::I64)
    }

    /// An `index` attribute.
    pub fn index(value: i64) -> Attribute {
        Attribute::Integer(value, Type::Index)
    }

    /// An `f32` attribute.
    pub fn f32(value: f32) -> Attribute {
        Attribute::float(value as f64, Type::F32)
    }

    /// A float attribute of the given type.
    pub fn float(value: f64, r#type: Type) -> Attribute {
        Attribute::Float(value.to_bits(), r#type)
    }

    /// A string attribute.
    pub fn string(value: &str) -> Attribute {
        Attribute::String(value.into())
    }

    /// `@name`
    pub fn symbol(name: &str) -> Attribute {
        Attribute::Symbol([Arc::from(name)].into())
    }

    /// `[1 : i64, 2 : i64]`: the form of ONNX attributes of kind INTS.
    pub fn i64_array(values: &[i64]) -> Attribute {
        Attribute::Array(values.iter().map(|&v| Attribute::i64(v)).collect())
    }

    /// `array<i32: …>`: operand segment sizes.
    pub fn i32_dense_array(values: &[i64]) -> Attribute {
        Attribute::DenseArray(Type::I32, values.into())
    }

    /// `array<i64: …>`
    pub fn i64_dense_array(values: &[i64]) -> Attribute {
        Attribute::DenseArray(Type::I64, values.into())
    }

    /// A list of integers: as [`Attribute::i64_array`] while it is readable, as a dense array if it is longer.
    pub fn integer_list(values: &[i64]) -> Attribute {
        if values.len() <= READABLE { Attribute::i64_array(values) } else { Attribute::i64_dense_array(values) }
    }

    /// A list of floats: as an array of attributes while it is readable, as a dense array if it is longer.
    pub fn float_list(values: &[f32]) -> Attribute {
        if values.len() <= READABLE {
            return Attribute::Array(values.iter().map(|&value| Attribute::f32(value)).collect());
        }
        Attribute::DenseArray(Type::F32, values.iter().map(|&value| f64::from(value).to_bits() as i64).collect())
    }

    /// An affine map.
    pub fn affine_map(map: AffineMap) -> Attribute {
        Attribute::AffineMap(Arc::new(map))
    }

    /// A dense constant.
    pub fn dense(elements: DenseElements) -> Attribute {
        Attribute::Dense(Arc::new(elements))
    }

    /// The value of an integer or boolean attribute.
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Attribute::Integer(value, _) => Some(*value),
            Attribute::Bool(value) => Some(*value as i64),
            _ => None,
        }
    }

    /// The value of a float attribute.
    pub fn as_float(&self) -> Option<f64> {
        match self {
            Attribute::Float(bits, _) => Some(f64::from_bits(*bits)),
            _ => None,
        }
    }

    /// The text of a string attribute.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Attribute::String(text) => Some(text),
            _ => None,
        }
    }

    /// The last component of a symbol reference.
    pub fn as_symbol(&self) -> Option<&str> {
        match self {
            Attribute::Symbol(path) => path.last().map(|name| &**name),
            _ => None,
        }
    }

    /// The elements of an array.
    pub fn as_array(&self) -> Option<&[Attribute]> {
        match self {
            Attribute::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// The integers of an array of integer attributes or of a dense integer array.
    pub fn as_integers(&self) -> Option<Arc<[i64]>> {
        match self {
            Attribute::Array(elements) => elements.iter().map(Attribute::as_integer).collect(),
            Attribute::DenseArray(element, values) if !element.is_float() => Some(values.clone()),
            _ => None,
        }
    }

    /// The floats of an array of float attributes or of a dense float array.
    pub fn as_floats(&self) -> Option<Vec<f64>> {
        match self {
            Attribute::Array(elements) => elements.iter().map(Attribute::as_float).collect(),
            Attribute::DenseArray(element, bits) if element.is_float() => {
                Some(bits.iter().map(|&bits| f64::from_bits(bits as u64)).collect())
            }
            _ => None,
        }
    }

    /// A type attribute's type.
    pub fn as_type(&self) -> Option<&Type> {
        match self {
            Attribute::Type(r#type) => Some(r#type),
            _ => None,
        }
    }

    /// An affine map attribute's map.
    pub fn as_affine_map(&self) -> Option<&AffineMap> {
        match self {
            Attribute::AffineMap(map) => Some(map),
            _ => None,
        }
    }

    /// A dense constant.
    pub fn as_dense(&self) -> Option<&Arc<DenseElements>> {
        match self {
            Attribute::Dense(elements) => Some(elements),
            _ => None,
        }
    }
}

impl Attributes {
    /// An empty dictionary.
    pub fn new() -> Attributes {
        Attributes::default()
    }

    /// The attribute called `name`.
    pub fn get(&self, name: &str) -> Option<&Attribute> {
        // dictionaries are short, and most names have different lengths
        self.0.iter().find(|(key, _)| key == name).map(|(_, value)| value)
    }

    /// Adds or replaces an attribute.
    pub fn set(&mut self, name: impl Into<Cow<'static, str>>, value: Attribute) {
        let name = name.into();
        match self.0.binary_search_by(|(key, _)| key.cmp(&name)) {
            Ok(at) => self.0[at].1 = value,
            Err(at) => self.0.insert(at, (name, value)),
        }
    }

    /// Removes an attribute and returns it.
    pub fn remove(&mut self, name: &str) -> Option<Attribute> {
        let at = self.0.iter().position(|(key, _)| key == name)?;
        Some(self.0.remove(at).1)
    }

    /// The same dictionary with one more attribute.
    pub fn with(mut self, name: impl Into<Cow<'static, str>>, value: Attribute) -> Attributes {
        self.set(name, value);
        self
    }

    /// All attributes, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Attribute)> {
        self.0.iter().map(|(name, value)| (&**name, value))
    }

    /// Whether there are no attributes.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of attributes.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// An integer attribute's value.
    pub fn integer(&self, name: &str) -> Option<i64> {
        self.get(name)?.as_integer()
    }

    /// A float attribute's value.
    pub fn float(&self, name: &str) -> Option<f64> {
        self.get(name)?.as_float()
    }

    /// A string attribute's text.
    pub fn str(&self, name: &str) -> Option<&str> {
        self.get(name)?.as_str()
    }

    /// An integer array's values.
    pub fn integers(&self, name: &str) -> Option<Arc<[i64]>> {
        self.get(name)?.as_integers()
    }
}

impl<const N: usize> From<[(&'static str, Attribute); N]> for Attributes {
    fn from(entries: [(&'static str, Attribute); N]) -> Self {
        let mut attributes = Attributes(Vec::with_capacity(N));
        for (name, value) in entries {
            attributes.set(name, value);
        }
        attributes
    }
}

/// `text` in double quotes with MLIR's escapes: `\\`, and two hex digits for quotes and for what is not printable ASCII.
pub fn quote(text: &str) -> String {
    let mut quoted = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'\\' => quoted.push_str("\\\\"),
            b'"' => quoted.push_str("\\22"),
            0x20..=0x7e => quoted.push(byte as char),
            _ => fmt::Write::write_fmt(&mut quoted, format_args!("\\{byte:02X}")).expect("writing to a string"),
        }
    }
    quoted.push('"');
    quoted
}
