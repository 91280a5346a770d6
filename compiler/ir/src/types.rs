//! Types: a closed set of builtin types plus dialect types such as `!onnx.String`.
//!
//! Types are immutable and compared by content; the payload of a large type is shared, so a clone is cheap.

use std::sync::Arc;

pub use data::floats::FloatType;

use crate::affine::AffineMap;
use crate::attributes::Attribute;

/// The extent of one dimension: `None` is dynamic (printed `?`).
pub type Extent = Option<i64>;

/// The extents of a type. They cannot be compared: a dynamic extent may be any extent, so that equality of two lists
/// implies nothing about two values. [`Type::has_same_extents`] asks whether extents are provably equal.
///
/// ```compile_fail
/// let matrix = ir::Type::tensor([None, Some(4)], ir::Type::F32);
/// assert!(matrix.shape() == matrix.shape());
/// ```
#[derive(Clone, Debug, Default)]
pub struct Shape(Vec<Extent>);

impl std::ops::Deref for Shape {
    type Target = [Extent];

    fn deref(&self) -> &[Extent] {
        &self.0
    }
}

impl From<Shape> for Vec<Extent> {
    fn from(shape: Shape) -> Vec<Extent> {
        shape.0
    }
}

impl<'a> IntoIterator for &'a Shape {
    type Item = &'a Extent;
    type IntoIter = std::slice::Iter<'a, Extent>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}

impl IntoIterator for Shape {
    type Item = Extent;
    type IntoIter = std::vec::IntoIter<Extent>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// Any type a value can have.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// `none`: the type of an absent optional operand.
    None,
    /// `index`: sizes and offsets; 64 bits wide on every target we have.
    Index,
    /// `i32`, `si8`, `ui8`: integers of any width.
    Integer(IntegerType),
    /// `f32` and similar ones.
    Float(FloatType),
    /// `complex<f32>`.
    Complex(FloatType),
    /// `tensor<2x?xf32>`, `tensor<*xf32>`.
    Tensor(Arc<TensorType>),
    /// `memref<2x?xf32, strided<[?, 1]>>`.
    MemRef(Arc<MemRefType>),
    /// `vector<16xf32>`.
    Vector(Arc<VectorType>),
    /// `(i32) -> f32`.
    Function(Arc<FunctionType>),
    /// `tuple<i32, f32>`.
    Tuple(Arc<[Type]>),
    /// `!dialect.name<parameters>`.
    Dialect(Arc<DialectType>),
}

/// An integer's width in bits and the meaning of its top bit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct IntegerType {
    /// Width in bits.
    pub width: u32,
    /// Whether the type itself says how to read the top bit.
    pub signedness: Signedness,
}

/// The meaning of an integer type's top bit. From the structured level down all integers are signless.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signedness {
    /// `i8`: the operation decides.
    Signless,
    /// `si8`.
    Signed,
    /// `ui8`.
    Unsigned,
}

/// A value-semantic array. `shape == None` is an unranked tensor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorType {
    /// Extents, outermost first; `None` when the rank is unknown.
    pub shape: Option<Vec<Extent>>,
    /// Element type.
    pub element: Type,
    /// Encoding attribute, printed after the element type.
    pub encoding: Option<Attribute>,
}

/// How a memref's indices become an offset, counted in elements.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum MemRefLayout {
    /// Row major, dense, offset 0.
    Identity,
    /// `strided<[s0, s1], offset: o>`; `None` is dynamic.
    Strided {
        /// One stride per dimension, in elements.
        strides: Vec<Extent>,
        /// Offset of the first element, in elements.
        offset: Extent,
    },
    /// Any other affine layout.
    Affine(AffineMap),
}

/// A buffer with a shape and a layout.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MemRefType {
    /// Extents, outermost first.
    pub shape: Vec<Extent>,
    /// Element type.
    pub element: Type,
    /// Index to offset mapping.
    pub layout: MemRefLayout,
    /// Memory space attribute, if any.
    pub memory_space: Option<Attribute>,
}

/// A fixed-size vector.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct VectorType {
    /// Extents; a rank-0 vector has none.
    pub shape: Vec<i64>,
    /// Element type.
    pub element: Type,
}

/// Argument and result types of a function.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Default)]
pub struct FunctionType {
    /// Argument types.
    pub inputs: Vec<Type>,
    /// Result types.
    pub results: Vec<Type>,
}

/// A type owned by a dialect: `!onnx.Seq<tensor<*xf32>>`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DialectType {
    /// Dialect namespace, `onnx`.
    pub dialect: Arc<str>,
    /// Name inside the dialect, `Seq`.
    pub name: Arc<str>,
    /// Type parameters in angle brackets.
    pub parameters: Vec<Type>,
}

impl Type {
    /// `i1`
    pub const I1: Type = Type::integer(1);
    /// `i8`
    pub const I8: Type = Type::integer(8);
    /// `i16`
    pub const I16: Type = Type::integer(16);
    /// `i32`
    pub const I32: Type = Type::integer(32);
    /// `i64`
    pub const I64: Type = Type::integer(64);
    /// `f32`
    pub const F32: Type = Type::Float(FloatType::F32);
    /// `f64`
    pub const F64: Type = Type::Float(FloatType::F64);
    /// `f16`
    pub const F16: Type = Type::Float(FloatType::F16);

    /// A signless integer.
    pub const fn integer(width: u32) -> Type {
        Type::Integer(IntegerType { width, signedness: Signedness::Signless })
    }

    /// `ui8` and similar ones.
    pub const fn unsigned(width: u32) -> Type {
        Type::Integer(IntegerType { width, signedness: Signedness::Unsigned })
    }

    /// A ranked tensor without encoding.
    pub fn tensor(shape: impl Into<Vec<Extent>>, element: Type) -> Type {
        Type::Tensor(Arc::new(TensorType { shape: Some(shape.into()), element, encoding: None }))
    }

    /// A ranked tensor of static shape.
    pub fn static_tensor(shape: &[i64], element: Type) -> Type {
        Type::tensor(shape.iter().map(|&extent| Some(extent)).collect::<Vec<_>>(), element)
    }

    /// `tensor<*xT>`.
    pub fn unranked_tensor(element: Type) -> Type {
        Type::Tensor(Arc::new(TensorType { shape: None, element, encoding: None }))
    }

    /// A dense row-major memref.
    pub fn memref(shape: impl Into<Vec<Extent>>, element: Type) -> Type {
        Type::MemRef(Arc::new(MemRefType {
            shape: shape.into(),
            element,
            layout: MemRefLayout::Identity,
            memory_space: None,
        }))
    }

    /// A memref with strides; `None` is dynamic.
    pub fn strided_memref(shape: impl Into<Vec<Extent>>, element: Type, strides: Vec<Extent>, offset: Extent) -> Type {
        Type::MemRef(Arc::new(MemRefType {
            shape: shape.into(),
            element,
            layout: MemRefLayout::Strided { strides, offset },
            memory_space: None,
        }))
    }

    /// A vector.
    pub fn vector(shape: &[i64], element: Type) -> Type {
        Type::Vector(Arc::new(VectorType { shape: shape.to_vec(), element }))
    }

    /// A function type.
    pub fn function(inputs: Vec<Type>, results: Vec<Type>) -> Type {
        Type::Function(Arc::new(FunctionType { inputs, results }))
    }

    /// A dialect type without parameters.
    pub fn dialect(dialect: &str, name: &str, parameters: Vec<Type>) -> Type {
        Type::Dialect(Arc::new(DialectType { dialect: dialect.into(), name: name.into(), parameters }))
    }

    /// The tensor payload, if this is a tensor.
    pub fn as_tensor(&self) -> Option<&TensorType> {
        match self {
            Type::Tensor(tensor) => Some(tensor),
            _ => None,
        }
    }

    /// The memref payload, if this is a memref.
    pub fn as_memref(&self) -> Option<&MemRefType> {
        match self {
            Type::MemRef(memref) => Some(memref),
            _ => None,
        }
    }

    /// The vector payload, if this is a vector.
    pub fn as_vector(&self) -> Option<&VectorType> {
        match self {
            Type::Vector(vector) => Some(vector),
            _ => None,
        }
    }

    /// The function payload, if this is a function type.
    pub fn as_function(&self) -> Option<&FunctionType> {
        match self {
            Type::Function(function) => Some(function),
            _ => None,
        }
    }

    /// The extents of a ranked tensor, memref or (as static extents) vector.
    pub fn shape(&self) -> Option<Shape> {
        match self {
            Type::Tensor(tensor) => tensor.shape.clone().map(Shape),
            Type::MemRef(memref) => Some(Shape(memref.shape.clone())),
            Type::Vector(vector) => Some(Shape(vector.shape.iter().map(|&extent| Some(extent)).collect())),
            _ => None,
        }
    }

    /// The extent of one dimension of a ranked tensor, memref or vector, if it is static.
    pub fn extent(&self, dimension: usize) -> Extent {
        match self {
            Type::Tensor(tensor) => tensor.shape.as_ref()?[dimension],
            Type::MemRef(memref) => memref.shape[dimension],
            Type::Vector(vector) => Some(vector.shape[dimension]),
            _ => None,
        }
    }

    /// Whether a value of this type and one of the other have the same elements and provably the same extents. Equal
    /// types do not imply equal extents: a dynamic extent may be any extent.
    pub fn has_same_extents(&self, other: &Type) -> bool {
        self == other && self.static_shape().is_some()
    }

    /// The extents if all are static.
    pub fn static_shape(&self) -> Option<Vec<i64>> {
        self.shape()?.into_iter().collect()
    }

    /// The rank of a ranked tensor, memref or vector.
    pub fn rank(&self) -> Option<usize> {
        match self {
            Type::Tensor(tensor) => tensor.shape.as_ref().map(Vec::len),
            Type::MemRef(memref) => Some(memref.shape.len()),
            Type::Vector(vector) => Some(vector.shape.len()),
            _ => None,
        }
    }

    /// The element type of a tensor, memref or vector; any other type is its own element type.
    pub fn element(&self) -> &Type {
        match self {
            Type::Tensor(tensor) => &tensor.element,
            Type::MemRef(memref) => &memref.element,
            Type::Vector(vector) => &vector.element,
            other => other,
        }
    }

    /// The same container with another element type.
    pub fn with_element(&self, element: Type) -> Type {
        match self {
            Type::Tensor(tensor) => Type::Tensor(Arc::new(TensorType { element, ..(**tensor).clone() })),
            Type::MemRef(memref) => Type::MemRef(Arc::new(MemRefType { element, ..(**memref).clone() })),
            Type::Vector(vector) => Type::Vector(Arc::new(VectorType { element, ..(**vector).clone() })),
            _ => element,
        }
    }

    /// The bits of one element: 64 for `index`, `None` for other non-numeric types.
    pub fn bit_width(&self) -> Option<u32> {
        match self {
            Type::Index => Some(64),
            Type::Integer(integer) => Some(integer.width),
            Type::Float(float) => Some(float.width()),
            Type::Complex(float) => Some(2 * float.width()),
            _ => None,
        }
    }

    /// The bytes of one element in memory; sub-byte elements (also `i1`) take one byte each.
    pub fn byte_width(&self) -> Option<usize> {
        self.bit_width().map(|bits| bits.div_ceil(8) as usize)
    }

    /// Whether this is an integer of any width and signedness (not `index`).
    pub fn is_integer(&self) -> bool {
        matches!(self, Type::Integer(_))
    }

    /// Whether this is a floating-point type.
    pub fn is_float(&self) -> bool {
        matches!(self, Type::Float(_))
    }

    /// Whether this is an unsigned integer type, or `i1`.
    pub fn is_unsigned(&self) -> bool {
        matches!(self, Type::Integer(integer) if integer.signedness == Signedness::Unsigned || integer.width == 1)
    }
}

/// More bytes than the virtual addresses of any processor.
const BEYOND_MEMORY: i64 = 1 << 57;

/// Whether a machine could address a value of this shape, as far as its extents are known. An extent of zero counts as one, so that the
/// product of any extents of an addressable shape fits an `i64`.
pub fn is_addressable(shape: impl IntoIterator<Item = Extent>, element: &Type) -> bool {
    let bytes = element.byte_width().unwrap_or(1) as i64;
    let known = shape.into_iter().flatten().map(|extent| extent.max(1));
    known.fold(bytes, i64::saturating_mul) < BEYOND_MEMORY
}

impl MemRefType {
    /// Strides in elements, outermost first; `None` entries are dynamic. `None` as a whole for affine layouts.
    pub fn strides(&self) -> Option<Vec<Extent>> {
        match &self.layout {
            MemRefLayout::Identity => {
                let mut strides = vec![Some(1); self.shape.len()];
                for axis in (0..self.shape.len().saturating_sub(1)).rev() {
                    strides[axis] = match (strides[axis + 1], self.shape[axis + 1]) {
                        (Some(stride), Some(extent)) => Some(stride * extent),
                        _ => None,
                    };
                }
                Some(strides)
            }
            MemRefLayout::Strided { strides, .. } => Some(strides.clone()),
            MemRefLayout::Affine(_) => None,
        }
    }
}
