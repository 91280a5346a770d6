//! The text of types.

use std::fmt::{self, Display, Formatter, Write};

use crate::attributes::Attribute;
use crate::types::{
    Extent, FunctionType, IntegerType, MemRefLayout, MemRefType, Signedness, TensorType, Type, VectorType,
};

impl Display for IntegerType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let prefix = match self.signedness {
            Signedness::Signless => "i",
            Signedness::Signed => "si",
            Signedness::Unsigned => "ui",
        };
        write!(f, "{prefix}{}", self.width)
    }
}

impl Display for Type {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Type::None => f.write_str("none"),
            Type::Index => f.write_str("index"),
            Type::Integer(integer) => integer.fmt(f),
            Type::Float(float) => f.write_str(float.keyword()),
            Type::Complex(float) => write!(f, "complex<{}>", float.keyword()),
            Type::Tensor(tensor) => tensor.fmt(f),
            Type::MemRef(memref) => memref.fmt(f),
            Type::Vector(vector) => vector.fmt(f),
            Type::Function(function) => function.fmt(f),
            Type::Tuple(elements) => write!(f, "tuple<{}>", list(elements)),
            Type::Dialect(dialect) if dialect.parameters.is_empty() => {
                write!(f, "!{}.{}", dialect.dialect, dialect.name)
            }
            Type::Dialect(dialect) => {
                write!(f, "!{}.{}<{}>", dialect.dialect, dialect.name, list(&dialect.parameters))
            }
        }
    }
}

fn list(types: &[Type]) -> String {
    types.iter().map(Type::to_string).collect::<Vec<_>>().join(", ")
}

fn extent(extent: Extent) -> String {
    extent.map_or("?".to_string(), |extent| extent.to_string())
}

fn shape(f: &mut Formatter<'_>, shape: &[Extent]) -> fmt::Result {
    shape.iter().try_for_each(|&e| write!(f, "{}x", extent(e)))
}

fn trailing(f: &mut Formatter<'_>, attribute: &Option<Attribute>) -> fmt::Result {
    attribute.iter().try_for_each(|attribute| write!(f, ", {attribute}"))
}

impl Display for TensorType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("tensor<")?;
        match &self.shape {
            Some(extents) => shape(f, extents)?,
            None => f.write_str("*x")?,
        }
        self.element.fmt(f)?;
        trailing(f, &self.encoding)?;
        f.write_char('>')
    }
}

impl Display for MemRefType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("memref<")?;
        shape(f, &self.shape)?;
        self.element.fmt(f)?;
        match &self.layout {
            MemRefLayout::Identity => {}
            MemRefLayout::Strided { strides, offset } => {
                let strides = strides.iter().map(|&s| extent(s)).collect::<Vec<_>>().join(", ");
                write!(f, ", strided<[{strides}]")?;
                if *offset != Some(0) {
                    write!(f, ", offset: {}", extent(*offset))?;
                }
                f.write_char('>')?;
            }
            MemRefLayout::Affine(map) => write!(f, ", affine_map<{map}>")?,
        }
        trailing(f, &self.memory_space)?;
        f.write_char('>')
    }
}

impl Display for VectorType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("vector<")?;
        self.shape.iter().try_for_each(|e| write!(f, "{e}x"))?;
        write!(f, "{}>", self.element)
    }
}

impl Display for FunctionType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "({}) -> ", list(&self.inputs))?;
        match &self.results[..] {
            // a function type as the only result would be read as a second arrow
            [one] if one.as_function().is_none() => one.fmt(f),
            many => write!(f, "({})", list(many)),
        }
    }
}
