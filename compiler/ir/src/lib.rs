//! The intermediate representation: MLIR's structure in plain Rust data.
//!
//! A [`Module`] owns a [`Body`]; a body is an arena of operations, blocks, regions and values addressed by `u32` ids.
//! Every operation that is isolated from above (`func.func`) owns a separate body, so that functions can be moved
//! between threads and rewritten in parallel.
//!
//! Invariants
//! - Ids are only meaningful together with the body that created them.
//! - Use lists always mirror operand lists; every mutation goes through [`Body`]'s methods.
//! - [`Type`], [`Attribute`] and [`Location`] are immutable values compared by content.

pub mod affine;
mod arena;
pub mod assembly;
pub mod attributes;
pub mod body;
pub mod builder;
pub mod clone;
pub mod collections;
pub mod constants;
pub mod conversion;
pub mod diagnostics;
pub mod dim;
pub mod dominance;
pub mod effects;
pub mod expected;
mod layout;
pub mod location;
pub mod module;
pub mod op_name;
pub mod operands;
pub mod parse;
pub mod pass;
pub mod print;
pub mod registry;
pub mod rewrite;
pub mod structure;
pub mod transforms;
pub mod types;
pub mod verify;

pub use affine::{AffineExpr, AffineMap};
pub use attributes::{Attribute, Attributes};
pub use body::{Block, Body, Op, Operation, Region, Use, Value, ValueDefinition};
pub use builder::Builder;
pub use collections::{IndexMap, IndexSet};
pub use constants::DenseElements;
pub use data::{Blob, floats};
pub use diagnostics::{Diagnostic, ErrorClass, Result, Severity};
pub use dim::DimExpr;
pub use effects::{constant_float, constant_integer, constant_value};
pub use layout::Ops;
pub use location::Location;
pub use module::{FunctionView, Module, SymbolTable};
pub use op_name::{DefinedName, OpName};
pub use operands::{OperandList, Operands};
pub use parse::{OpParser, Operand, parse_attribute, parse_module, parse_type};
pub use print::{OpPrinter, PrintOptions, print_assembly, print_body, print_module, print_module_as, print_op};
pub use registry::{Arity, AttributeDefinition, AttributeKind, Folded, OpDefinition, Registry, Trait};
pub use structure::{structural_hash, structurally_equal};
pub use types::{
    FloatType, FunctionType, IntegerType, MemRefLayout, MemRefType, Shape, Signedness, TensorType, Type, VectorType,
    is_addressable,
};
pub use verify::verify;
