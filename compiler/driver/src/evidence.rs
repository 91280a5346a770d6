//! Bounds on the resources of a run (iterations, memory, stack), collected while the module is lowered.

use dialects::rt::attributes::KERNEL;
use dialects::rt::tile::Tile;
use dialects::{Dialect, OpCode, OpCodes, arith, func, memref, scf};
use ir::{Body, IndexMap, IndexSet, Module, Op, Region, Type, Value, ValueDefinition};

use crate::trace::Traced;

/// The maximum number of definitions that are followed for one bound.
const DEPTH: usize = 24;

/// Bounds on the resources of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Evidence {
    /// For each function of the kernel level, the number of iterations of its loops in the worst case, including those
    /// of calls; `None` if it is data-dependent.
    pub iterations: IndexMap<String, Option<u64>>,
    /// Bytes of constants.
    pub constants: u64,
    /// Bytes of memory that runs write.
    pub memory: u64,
    /// The functions of the low level, by name.
    frames: IndexMap<String, Frame>,
    /// Elementary functions of the structured level, with their types.
    pub elementary: IndexSet<(OpCode, Type)>,
}

impl Evidence {
    /// Records the module at a level.
    pub(crate) fn look(&mut self, stage: Traced, module: &Module) {
        match stage {
            Traced::Graph | Traced::Rewritten => {}
            Traced::Structured => {
                for body in module.functions().map(|function| function.body) {
                    let typed = |op| {
                        let code = body.code(op).filter(|code| code.dialect() == Dialect::Math)?;
                        Some((code, body.value_type(body.operand(op, 0)).element().clone()))
                    };
                    self.elementary.extend(body.walk_all().into_iter().filter_map(typed));
                }
            }
            Traced::Kernel => self.count_iterations(module),
            Traced::Low => {
                self.sum_globals(module);
                self.frames = frames(module);
            }
        }
    }

    /// Stack bytes that functions allocate along the longest chain of calls; spills of the code generator are not
    /// counted. `None` for recursive functions.
    pub fn stack(&self) -> Option<u64> {
        longest(&self.frames, |frame| frame.bytes)
    }

    /// The maximum call depth; `None` for recursive functions.
    pub fn depth(&self) -> Option<u64> {
        longest(&self.frames, |_| 1)
    }

    /// Kernels are processed before the functions that call them.
    fn count_iterations(&mut self, module: &Module) {
        let (kernels, hosts): (Vec<_>, Vec<_>) = module
            .functions()
            .filter(|function| function.body.entry().is_some())
            .partition(|function| function.attributes.get(KERNEL).is_some());
        for function in kernels.into_iter().chain(hosts) {
            let count = self.iterations_of(function.body, function.body.root());
            self.iterations.insert(function.name.to_string(), count);
        }
    }

    fn iterations_of(&self, body: &Body, region: Region) -> Option<u64> {
        let mut total: u64 = 0;
        for op in body.blocks(region).iter().flat_map(|&block| body.ops(block)) {
            total = total.saturating_add(self.iterations_of_op(body, op)?);
        }
        Some(total)
    }

    fn iterations_of_op(&self, body: &Body, op: Op) -> Option<u64> {
        let operands = body.op(op).operands();
        let bound = |value: &Value| upper(body, *value, DEPTH);
        let inner = || {
            let regions = body.op(op).regions().iter();
            regions
                .map(|&region| self.iterations_of(body, region))
                .try_fold(0u64, |sum, count| Some(sum.saturating_add(count?)))
        };
        match body.code(op) {
            Some(scf::FOR | scf::PARALLEL) => {
                let step = ir::constant_integer(body, operands[2]).filter(|&step| step > 0)?;
                let trips = bound(&operands[1])?.div_ceil(step as u64);
                Some(trips.saturating_mul(inner()?.saturating_add(1)))
            }
            Some(scf::WHILE) => None,
            Some(func::CALL) => {
                let callee = body.attribute(op, "callee").and_then(ir::Attribute::as_symbol)?;
                self.iterations.get(callee).copied().unwrap_or(Some(0))
            }
            _ => match Tile::of(body, op) {
                Some(tile) => [tile.rows, tile.columns]
                    .iter()
                    .chain(tile.walk.reduction())
                    .try_fold(1u64, |product, value| Some(product.saturating_mul(bound(value)?))),
                None => inner(),
            },
        }
    }

    fn sum_globals(&mut self, module: &Module) {
        for op in module.ops() {
            let operation = module.body.op(op);
            let r#type = operation.attributes.get("type").and_then(ir::Attribute::as_type);
            let Some(r#type) = r#type.filter(|_| operation.name == memref::GLOBAL) else { continue };
            let bytes = bytes_of(r#type).unwrap_or(0);
            match operation.attributes.get("constant") {
                Some(_) => self.constants += bytes,
                None => self.memory += bytes,
            }
        }
    }
}

fn bytes_of(r#type: &Type) -> Option<u64> {
    let count: i64 = r#type.static_shape()?.iter().product();
    u64::try_from(count).ok()?.checked_mul(r#type.element().byte_width()? as u64)
}

/// An upper bound of an index or word value; negative ones do not occur where loops are counted.
fn upper(body: &Body, value: Value, depth: usize) -> Option<u64> {
    let depth = depth.checked_sub(1)?;
    let op = match body.definition(value) {
        ValueDefinition::Result { op, .. } => op,
        // an induction variable is below the loop's upper bound
        ValueDefinition::Argument { block, index } => {
            let around = body.block_region(block).and_then(|region| body.region_parent(region))?;
            let bound = match body.code(around)? {
                scf::FOR if index == 0 => scf::For::of(body, around).upper_bound,
                scf::PARALLEL => *scf::upper_bounds(body, around).get(index as usize)?,
                _ => return None,
            };
            return upper(body, bound, depth);
        }
    };
    if let Some(number) = ir::constant_integer(body, value) {
        return u64::try_from(number).ok();
    }
    let operands = body.op(op).operands();
    let at = |index: usize| upper(body, operands[index], depth);
    match body.code(op) {
        Some(arith::ADDI) => at(0)?.checked_add(at(1)?),
        Some(arith::MULI) => at(0)?.checked_mul(at(1)?),
        Some(arith::SUBI | arith::REMUI | arith::REMSI | arith::INDEX_CAST) => at(0),
        Some(arith::DIVUI | arith::DIVSI) => {
            at(0)?.checked_div(at(1).filter(|&divisor| divisor > 0 && is_constant(body, operands[1])).unwrap_or(1))
        }
        Some(arith::MINSI | arith::MINUI) => match (at(0), at(1)) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        },
        Some(arith::MAXSI | arith::MAXUI) => Some(at(0)?.max(at(1)?)),
        Some(arith::SELECT) => Some(at(1)?.max(at(2)?)),
        Some(memref::DIM) => {
            let axis = ir::constant_integer(body, operands[1])?;
            let extent = *body.value_type(operands[0]).shape()?.get(usize::try_from(axis).ok()?)?;
            u64::try_from(extent?).ok()
        }
        _ => None,
    }
}

fn is_constant(body: &Body, value: Value) -> bool {
    ir::constant_integer(body, value).is_some()
}

/// A function's stack bytes and callees.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Frame {
    bytes: u64,
    calls: Vec<String>,
}

fn frames(module: &Module) -> IndexMap<String, Frame> {
    let frame = |function: ir::FunctionView<'_>| {
        let body = function.body;
        let (mut bytes, mut calls) = (0, vec![]);
        for op in body.walk_all() {
            if body.is(op, memref::ALLOCA) {
                bytes += bytes_of(body.value_type(body.result(op, 0))).unwrap_or(0).next_multiple_of(64);
            }
            calls.extend(body.attribute(op, "callee").and_then(ir::Attribute::as_symbol).map(str::to_string));
        }
        (function.name.to_string(), Frame { bytes, calls })
    };
    module.functions().filter(|function| function.body.entry().is_some()).map(frame).collect()
}

/// The longest chain of calls by the weight of functions; `None` if there is a cycle.
fn longest(frames: &IndexMap<String, Frame>, weight: impl Fn(&Frame) -> u64) -> Option<u64> {
    let mut done: IndexMap<&str, u64> = IndexMap::default();
    // functions whose callees are done, round by round; those on a cycle never are
    while done.len() < frames.len() {
        let before = done.len();
        for (name, frame) in frames {
            let callees = frame.calls.iter().filter(|callee| frames.contains_key(*callee));
            let below: Option<Vec<u64>> = callees.map(|callee| done.get(callee.as_str()).copied()).collect();
            if let (false, Some(below)) = (done.contains_key(name.as_str()), below) {
                done.insert(name, weight(frame) + below.into_iter().max().unwrap_or(0));
            }
        }
        if done.len() == before {
            return None;
        }
    }
    done.into_values().max()
}
