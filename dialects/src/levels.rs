//! The levels of the compiler, and the legal operations of each: one table for the verifier, tests and documentation.

use std::fmt;

use ir::pass::{Choice, Pass, PassDefinition, PassOption, PassOptions};
use ir::{Body, Diagnostic, FunctionView, MemRefLayout, Module, Op, Result, Type};

/// A level a module can be at, in the order of lowering.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// One operation per ONNX node.
    Graph,
    /// Index maps and scalar bodies on tensors.
    Structured,
    /// Loops over buffers.
    Kernel,
    /// Operations that code generators translate one to one.
    #[default]
    Low,
}

/// What is legal at a level.
#[derive(Clone, Copy, Debug)]
pub struct Legality {
    /// Dialects whose operations are legal.
    pub dialects: &'static [&'static str],
    /// Operations that are legal although their dialect is not.
    pub operations: &'static [&'static str],
    /// Operations that are illegal although their dialect is legal.
    pub except: &'static [&'static str],
    /// Whether values may be tensors.
    pub tensors: bool,
    /// Whether buffers must be bare addresses: one dimension of any extent, identity layout.
    pub flat_buffers: bool,
}

impl Level {
    /// The levels, in order.
    pub const ALL: [Level; 4] = [Level::Graph, Level::Structured, Level::Kernel, Level::Low];

    /// The level of that name.
    pub fn named(name: &str) -> Option<Level> {
        Level::ALL.into_iter().find(|level| level.name() == name)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        Level::CHOICES[self as usize].0
    }

    /// What is legal at this level.
    pub fn legality(self) -> &'static Legality {
        &TABLE[self as usize]
    }
}

impl Choice for Level {
    const CHOICES: &'static [(&'static str, Level)] =
        &[("graph", Level::Graph), ("structured", Level::Structured), ("kernel", Level::Kernel), ("low", Level::Low)];
}

impl fmt::Display for Level {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// By level.
const TABLE: [Legality; 4] = [
    Legality {
        dialects: &["builtin", "func", "onnx"],
        operations: &[],
        except: &[],
        tensors: true,
        flat_buffers: false,
    },
    Legality {
        dialects: &["builtin", "func", "linalg", "tensor", "arith", "math", "scf", "ml_program"],
        operations: &["cf.assert", "rt.append", "rt.call", "rt.winograd"],
        except: &[],
        tensors: true,
        flat_buffers: false,
    },
    Legality {
        dialects: &["builtin", "func", "scf", "vector", "memref", "arith", "math", "rt"],
        operations: &["cf.assert"],
        except: &["rt.append", "rt.call", "rt.winograd"],
        tensors: false,
        flat_buffers: false,
    },
    Legality {
        dialects: &["builtin", "func", "cf", "arith", "vector", "memref", "rt"],
        operations: &[
            "math.absf",
            "math.absi",
            "math.ceil",
            "math.copysign",
            "math.ctlz",
            "math.ctpop",
            "math.floor",
            "math.fma",
            "math.roundeven",
            "math.sqrt",
            "math.trunc",
        ],
        except: &[
            "arith.addui_extended",
            "arith.ceildivsi",
            "arith.ceildivui",
            "arith.floordivsi",
            "arith.mulsi_extended",
            "arith.mului_extended",
            "arith.remf",
            "builtin.unrealized_conversion_cast",
            "cf.assert",
            "memref.alloc",
            "memref.collapse_shape",
            "memref.copy",
            "memref.dealloc",
            "memref.dim",
            "memref.expand_shape",
            "memref.extract_aligned_pointer_as_index",
            "memref.reinterpret_cast",
            "memref.subview",
            "rt.append",
            "rt.bounds",
            "rt.call",
            "rt.contract",
            "rt.contract_blocks",
            "rt.depthwise",
            "rt.winograd",
            "rt.winograd_tiles",
            "vector.bitcast",
            "vector.shape_cast",
        ],
        tensors: false,
        flat_buffers: true,
    },
];

impl Legality {
    /// Whether operations of this name are legal.
    pub fn allows(&self, name: &str) -> bool {
        let dialect = name.split('.').next().unwrap_or_default();
        !self.except.contains(&name) && (self.dialects.contains(&dialect) || self.operations.contains(&name))
    }

    /// Whether values of this type are legal.
    pub fn allows_type(&self, r#type: &Type) -> bool {
        match r#type {
            Type::Tensor(_) => self.tensors,
            Type::MemRef(memref) if self.flat_buffers => {
                memref.shape.len() == 1 && memref.layout == MemRefLayout::Identity
            }
            _ => true,
        }
    }
}

/// The passes of this crate.
pub fn passes() -> [Pass; 1] {
    [&VERIFY_LEVEL]
}

/// [`verify_level`] as a pass.
pub static VERIFY_LEVEL: PassDefinition<VerifyOptions> = PassDefinition::on_module(
    "verify-level",
    "Fails unless every operation is legal at a level.",
    |module, context| verify_level(module, context.options.level),
);

/// Options of [`VERIFY_LEVEL`].
#[derive(Clone, Default)]
pub struct VerifyOptions {
    /// The level.
    pub level: Level,
}

impl PassOptions for VerifyOptions {
    const OPTIONS: &'static [PassOption<VerifyOptions>] =
        &[PassOption { name: "level", summary: "The level.", field: |options| &mut options.level }];
}

/// Checks that every operation and value of a module is legal at a level; every violation is an error.
pub fn verify_level(module: &Module, level: Level) -> Result<()> {
    let mut errors = Vec::new();
    check_body(&module.body, level, &mut errors);
    for FunctionView { body, .. } in module.functions() {
        check_body(body, level, &mut errors);
    }
    if errors.is_empty() { Ok(()) } else { Err(errors) }
}

fn check_body(body: &Body, level: Level, errors: &mut Vec<Diagnostic>) {
    errors.extend(body.walk_all().into_iter().filter_map(|op| check(body, op, level)));
}

fn check(body: &Body, op: Op, level: Level) -> Option<Diagnostic> {
    let operation = body.op(op);
    let legality = level.legality();
    let problem = if !legality.allows(operation.name.as_str()) {
        format!("'{}' op is not legal at the {level} level", operation.name)
    } else {
        let values = operation.operands().iter().chain(operation.results());
        let found = values.map(|&value| body.value_type(value)).find(|r#type| !legality.allows_type(r#type))?;
        format!("'{}' op has a value of type {found}, which is not legal at the {level} level", operation.name)
    };
    Some(Diagnostic::input(operation.location.clone(), problem))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::OpCode;
    use crate::{builtin, func, memref};

    #[test]
    fn low_operations_are_those_that_code_generators_translate() {
        for code in OpCode::all() {
            // code generators read these where they begin a module or a function
            let contains = matches!(code, builtin::MODULE | func::FUNC | memref::GLOBAL);
            let is_translated = contains || !matches!(code, crate::untranslated!());
            assert_eq!(Level::Low.legality().allows(code.name()), is_translated, "{}", code.name());
        }
    }
}
