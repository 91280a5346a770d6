//! Attributes of `rt` that modules, functions and operations of other dialects carry.
//!
//! They hand what one pass knows to a later one, to the code generators or to the tools, which spell them by these
//! constants. The verifier accepts no other attribute of `rt`, and each only with its kind of value.

use ir::registry::{AttributeDefinition, AttributeKind};

/// On a function: it is a kernel.
pub const KERNEL: &str = "rt.kernel";
/// On a function: it is the host function, which calls kernels and whose operations run once or a few times.
pub const HOST: &str = "rt.host";
/// On a kernel: about how many elements generated code visits in all its calls of one run, where unknown extents are
/// assumed to be likely ones. It decides whether more expensive compilation pays.
pub const ELEMENTS: &str = "rt.elements";
/// On a version of a function: the level of instructions that it needs, as in x86-64-v3. Functions made from it have
/// it, too.
pub const LEVEL: &str = "rt.level";
/// On `scf.parallel`: elements of work of one iteration.
pub const WORK: &str = "rt.work";
/// On a loop, later on the branch back to its head: its body is unrolled as far as it should be.
pub const ROLLED: &str = "rt.rolled";
/// On `linalg.generic`, `tensor.pad` and `tensor.concat`: the operator it was made for, which names its kernel.
pub const ORIGIN: &str = "rt.origin";
/// On `linalg.generic`: it reads a part of an operand at its own loop indices, so that a loop index alone as a subscript
/// does not mean that the loop covers the operand's dimension.
pub const PARTIAL: &str = "rt.partial";
/// On a module of the graph level: conditions on the extents of inputs that operators had before they were decomposed.
pub const CONDITIONS: &str = "rt.conditions";
/// On an index constant: kernels take it as an argument, so that those that only differ in it are one kernel.
pub const ARGUMENT: &str = "rt.argument";
/// On a contraction over blocks of channels: channels of the last block, if that is not full.
pub const LAST_BLOCK: &str = "rt.last_block";
/// On a contraction whose right operand has elements of a few bits: how many of them share a scale.
pub const BLOCK: &str = "rt.block";
/// On a contraction: its right operand is contiguous along the reduction, not along the columns.
pub const TRANSPOSED: &str = "rt.transposed";
/// On `cf.assert` and on calls that can fail: the number of the first message of the module's list.
pub const NUMBER: &str = "rt.number";
/// On a call: the callee may set the status of the run.
pub const MAY_FAIL: &str = "rt.may_fail";
/// On a module: the messages of assertions; status `n` means message `n - 1`.
pub const MESSAGES: &str = "rt.messages";
/// On the function of a model whose memory is static: the greatest extent of each dimension of each argument.
pub const GREATEST_EXTENTS: &str = "rt.greatest_extents";
/// On a module whose memory is static: the most bytes that a run writes to each output.
pub const OUTPUT_BYTES: &str = "rt.output_bytes";
/// On a module: the strings of the model, by their numbers from 1 on; number 0 is the empty string.
pub const STRINGS: &str = "rt.strings";
/// On a module: the functions whose calls are timed.
pub const PROFILED: &str = "rt.profiled";
/// On a module: name and operator of each node, for a trace.
pub const NODES: &str = "rt.nodes";
/// On a module: for each operation that `optimize` removed, its nodes, the rules that matched it, and the nodes of an
/// equal one that remains.
pub const GONE: &str = "rt.gone";

/// Every one, with the kind of its value.
pub(super) const DEFINITIONS: &[AttributeDefinition] = &[
    AttributeDefinition::optional(KERNEL, AttributeKind::Unit),
    AttributeDefinition::optional(HOST, AttributeKind::Unit),
    AttributeDefinition::optional(ELEMENTS, AttributeKind::Integer),
    AttributeDefinition::optional(LEVEL, AttributeKind::Integer),
    AttributeDefinition::optional(WORK, AttributeKind::Integer),
    AttributeDefinition::optional(ROLLED, AttributeKind::Unit),
    AttributeDefinition::optional(ORIGIN, AttributeKind::String),
    AttributeDefinition::optional(PARTIAL, AttributeKind::Unit),
    AttributeDefinition::optional(CONDITIONS, AttributeKind::Array),
    AttributeDefinition::optional(ARGUMENT, AttributeKind::Unit),
    AttributeDefinition::optional(LAST_BLOCK, AttributeKind::Integer),
    AttributeDefinition::optional(BLOCK, AttributeKind::Integer),
    AttributeDefinition::optional(TRANSPOSED, AttributeKind::Unit),
    AttributeDefinition::optional(NUMBER, AttributeKind::Integer),
    AttributeDefinition::optional(MAY_FAIL, AttributeKind::Unit),
    AttributeDefinition::optional(MESSAGES, AttributeKind::Array),
    AttributeDefinition::optional(GREATEST_EXTENTS, AttributeKind::Array),
    AttributeDefinition::optional(OUTPUT_BYTES, AttributeKind::Integers),
    AttributeDefinition::optional(STRINGS, AttributeKind::Array),
    AttributeDefinition::optional(PROFILED, AttributeKind::Array),
    AttributeDefinition::optional(NODES, AttributeKind::Array),
    AttributeDefinition::optional(GONE, AttributeKind::Array),
];
