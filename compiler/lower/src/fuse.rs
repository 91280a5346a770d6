//! Fusion: groups of structured operations that become one kernel each.
//!
//! Operations are visited from the last to the first. An operation whose readers are all in one group joins it if its
//! elements can be computed where they are read without repeating work; otherwise it is the root of a new group. Values
//! inside a group are never written to memory, so a group has exactly one result, its root's.
//!
//! Legality is decided on *accesses*: for each member the subscripts of its result as expressions over the loops of the
//! root. The loop of a reduction in which a member is read is represented by the root's last loop.

use dialects::{Dialect, OpCode, OpCodes, arith, linalg, math, rt, tensor};
use ir::{AffineExpr, Block, Body, IndexMap, IndexSet, Op, Type, Value};

use crate::attention::Product;
use crate::contraction::Contraction;
use crate::known::captured;
use dialects::linalg::generic::{Generic, Iterator};

/// The maximum number of members of a group. It bounds the code of a kernel and the live values in its loops.
const MEMBERS: usize = 64;
/// The maximum number of reductions of a group: each evaluates its operands again.
const REDUCTIONS: usize = 4;

/// The kinds of fusion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fusion {
    /// Operations with the consumers of their elements.
    pub elements: bool,
    /// Attention fusion: matrix products with row-wise operations on other products, by blocks of rows. It needs
    /// thread-local memory.
    pub attention: bool,
}

/// All of them.
impl Default for Fusion {
    fn default() -> Fusion {
        Fusion { elements: true, attention: true }
    }
}

/// Operations that become one kernel.
#[derive(Clone, Debug)]
pub struct Group {
    /// Members in program order; the last is the root.
    pub ops: Vec<Op>,
    /// Whether a member is a contraction.
    pub has_contraction: bool,
}

impl Group {
    /// The operation whose results are the kernel's.
    pub fn root(&self) -> Op {
        *self.ops.last().expect("a group has a root")
    }
}

struct Building {
    ops: Vec<Op>,
    members: IndexMap<Op, Member>,
    rank: usize,
    reductions: usize,
    has_contraction: bool,
}

/// An operation of a group.
struct Member {
    computation: Computation,
    access: Access,
}

/// The computation of an operation.
struct Computation {
    op: Op,
    generic: Option<Generic>,
    is_contraction: bool,
}

impl Computation {
    fn of(body: &Body, op: Op) -> Computation {
        let generic = Generic::of(body, op);
        let is_contraction = generic.as_ref().and_then(|generic| Contraction::of(body, generic)).is_some();
        Computation { op, generic, is_contraction }
    }
}

/// How a member's result is read, in terms of the root's loops.
#[derive(Clone, Debug, PartialEq)]
struct Access {
    subscripts: Vec<AffineExpr>,
    below_reduction: bool,
    /// Whether it is also read at other subscripts, so that its operands are evaluated more than once.
    repeated: bool,
    /// Whether the loops may visit a part of it only.
    partial: bool,
}

impl Access {
    /// The access to a result at the root's own loops.
    fn root(rank: usize) -> Access {
        let subscripts = (0..rank as u32).map(AffineExpr::Dim).collect();
        Access { subscripts, below_reduction: false, repeated: false, partial: false }
    }
}

/// Groups the compute operations of a block, those that are not fused separately.
pub fn fuse_block(body: &Body, block: Block, fusion: Fusion) -> Vec<Group> {
    let mut groups: Vec<Building> = Vec::new();
    let mut group_of: IndexMap<Op, usize> = IndexMap::default();
    for op in body.ops(block).rev() {
        if !is_compute(body, op) {
            continue;
        }
        let computation = Computation::of(body, op);
        let readers = readers_group(body, op, &group_of).filter(|_| fusion.elements);
        let joined = readers.and_then(|index| Some((index, access_to_join(body, &groups[index], &computation)?)));
        let index = match joined {
            Some((index, access)) => {
                groups[index].add(body, computation, access);
                index
            }
            None => {
                groups.push(new_group(body, computation));
                groups.len() - 1
            }
        };
        group_of.insert(op, index);
    }
    if fusion.attention {
        join_attention(body, &mut groups, &group_of);
    }
    groups.reverse();
    let group =
        |group: Building| Group { ops: group.ops.into_iter().rev().collect(), has_contraction: group.has_contraction };
    groups.into_iter().map(group).collect()
}

/// Extends groups of a product whose operand is computed from rows of another product by both.
fn join_attention(body: &Body, groups: &mut Vec<Building>, group_of: &IndexMap<Op, usize>) {
    for values in 0..groups.len() {
        if let Some(parts) = attention_below(body, groups, values, group_of) {
            for part in parts {
                let ops = std::mem::take(&mut groups[part].ops);
                groups[values].ops.extend(ops);
            }
        }
    }
    groups.retain(|group| !group.ops.is_empty());
}

/// The groups of the weights and of the scores of a group's product of values.
fn attention_below(
    body: &Body,
    groups: &[Building],
    values: usize,
    group_of: &IndexMap<Op, usize>,
) -> Option<[usize; 2]> {
    let Building { ops, members, .. } = &groups[values];
    let is_contraction = |op: &&Op| members.get(*op).is_some_and(|member| member.computation.is_contraction);
    let product = ops.iter().filter(is_contraction).find_map(|&op| Product::of(body, op))?;
    let weights = product.generic.inputs[product.roles.left];
    let group = |value: Value| {
        let op = body.defining_op(value)?;
        let index = *group_of.get(&op)?;
        (groups[index].ops.first() == Some(&op)).then_some(index)
    };
    let of_weights = group(weights)?;
    let rows = &groups[of_weights];
    let is_rows = Generic::defining(body, weights).is_some() && !rows.has_contraction && rows.reductions > 0;
    if !is_rows || body.uses(weights).len() != 1 {
        return None;
    }
    let inputs = rows.ops.iter().flat_map(|&op| body.op(op).operands()).copied();
    inputs.filter(|&input| body.value_type(input).rank() == Some(rows.rank)).find_map(|input| {
        let of_scores = group(input).filter(|&index| groups[index].has_contraction)?;
        let scores = Product::of(body, body.defining_op(input)?)?;
        let access = joint_access(body, rows, input)?;
        let in_place = !access.repeated && !access.partial && access.subscripts == Access::root(rows.rank).subscripts;
        (in_place && product.weighs(body, &scores)).then_some([of_weights, of_scores])
    })
}

/// Whether `op` computes tensor elements, so that it belongs into a kernel.
pub fn is_compute(body: &Body, op: Op) -> bool {
    matches!(body.code(op), Some(linalg::GENERIC | tensor::CONCAT | tensor::PAD | rt::WINOGRAD))
}

fn new_group(body: &Body, root: Computation) -> Building {
    let rank = body.value_type(body.result(root.op, 0)).rank().unwrap_or(0);
    let mut group = Building { ops: vec![], members: IndexMap::default(), rank, reductions: 0, has_contraction: false };
    group.add(body, root, Access::root(rank));
    group
}

impl Building {
    fn add(&mut self, body: &Body, computation: Computation, access: Access) {
        let op = computation.op;
        self.ops.push(op);
        self.has_contraction |= computation.is_contraction || body.is(op, rt::WINOGRAD);
        self.reductions += usize::from(computation.generic.as_ref().is_some_and(Generic::is_reduction));
        self.members.insert(op, Member { computation, access });
    }
}

/// The only group that contains all readers of `op`.
fn readers_group(body: &Body, op: Op, group_of: &IndexMap<Op, usize>) -> Option<usize> {
    let [result] = body.op(op).results() else { return None };
    let mut group = None;
    for reader in body.uses(*result) {
        let index = *group_of.get(&reader.op)?;
        if group.is_some_and(|known| known != index) {
            return None;
        }
        group = Some(index);
    }
    group
}

/// The access to an operation, all of whose readers are members, if it may join their group.
fn access_to_join(body: &Body, group: &Building, candidate: &Computation) -> Option<Access> {
    if group.ops.len() == MEMBERS {
        return None;
    }
    let result = body.result(candidate.op, 0);
    if body.is(candidate.op, rt::WINOGRAD) {
        return joint_access(body, group, result).filter(|access| winograd_joins(body, group, result, access));
    }
    let generic = candidate.generic.as_ref()?;
    let access = joint_access(body, group, result)?;
    if access.repeated && !is_movement(body, generic) {
        return None;
    }
    let legal = if candidate.is_contraction {
        contraction_joins(body, group, result, &access)
    } else if generic.is_reduction() {
        reduction_joins(body, group, generic, &access)
    } else {
        parallel_joins(body, group, generic, &access)
    };
    legal.then_some(access)
}

/// The common access of a value's readers, which are members.
fn joint_access(body: &Body, group: &Building, value: Value) -> Option<Access> {
    let mut joint: Option<Access> = None;
    for reader in body.uses(value) {
        let seen = reader_access(body, group, reader.op, reader.index as usize)?;
        joint = Some(match joint {
            None => seen,
            Some(known) => Access {
                repeated: known.repeated || seen.repeated || known.subscripts != seen.subscripts,
                below_reduction: known.below_reduction && seen.below_reduction,
                partial: known.partial || seen.partial,
                ..known
            },
        });
    }
    joint
}

/// The subscripts at which operand `index` of a group member is read.
fn reader_access(body: &Body, group: &Building, reader: Op, index: usize) -> Option<Access> {
    let Member { computation, access: outer } = group.members.get(&reader)?;
    let Some(generic) = &computation.generic else {
        // concatenation and padding read each element once, shifted; operands of contractions are in memory
        let is_moved = reader == group.ops[0] && !body.is(reader, rt::WINOGRAD);
        return is_moved.then(|| Access::root(group.rank));
    };
    if index >= generic.inputs.len() || computation.is_contraction {
        return initial_access(body, generic, index, outer);
    }
    let mut dims: Vec<Option<AffineExpr>> = vec![None; generic.rank()];
    for (expression, subscript) in generic.output_map(0).results.iter().zip(&outer.subscripts) {
        if let AffineExpr::Dim(dim) = expression {
            dims[*dim as usize] = Some(subscript.clone());
        }
    }
    let open = AffineExpr::Dim(group.rank.max(1) as u32 - 1);
    let filled: Vec<AffineExpr> = dims.into_iter().map(|d| d.unwrap_or_else(|| open.clone())).collect();
    let subscripts = generic.maps[index].results.iter().map(|e| e.substitute(&filled, &[])).collect();
    Some(Access {
        subscripts,
        below_reduction: outer.below_reduction || generic.is_reduction(),
        partial: outer.partial || generic.is_partial,
        ..*outer
    })
}

/// The access to an initial value: it is read where the result is written. Micro-kernel operands are never members.
fn initial_access(body: &Body, generic: &Generic, index: usize, outer: &Access) -> Option<Access> {
    let init = index.checked_sub(generic.inputs.len())?;
    let cheap = Generic::defining(body, generic.inits[init]).is_some_and(|g| is_movement(body, &g));
    cheap.then(|| outer.clone())
}

/// A contraction may be fused with elementwise consumers that keep its shape, up to a permutation that keeps its
/// columns innermost: micro-kernels write them contiguously, and all of them.
fn contraction_joins(body: &Body, group: &Building, result: Value, access: &Access) -> bool {
    let one_piece = !body.is(group.ops[0], tensor::CONCAT);
    !group.has_contraction
        && group.reductions == 0
        && one_piece
        && !access.partial
        && body.value_type(result).rank() == Some(group.rank)
        && is_permutation(&access.subscripts, group.rank)
        && access.subscripts.last() == group.rank.checked_sub(1).map(|last| AffineExpr::Dim(last as u32)).as_ref()
}

/// A Winograd convolution writes its sums to the memory of the result, so that it may be fused with elementwise
/// consumers that read them at the result's own indices and return f32, too.
fn winograd_joins(body: &Body, group: &Building, result: Value, access: &Access) -> bool {
    let root = group.ops[0];
    let of_root = body.value_type(body.result(root, 0));
    let is_alike = of_root.element() == body.value_type(result).element();
    let has_one_result = body.is(root, linalg::GENERIC) && body.op(root).results().len() == 1;
    let joins = !group.has_contraction && group.reductions == 0 && is_alike && has_one_result;
    joins && *access == Access::root(group.rank)
}

/// A reduction may be evaluated once per row, or once per element if no consumer repeats it.
fn reduction_joins(body: &Body, group: &Building, generic: &Generic, access: &Access) -> bool {
    if group.has_contraction || generic.inits.len() != 1 || group.reductions == REDUCTIONS {
        return false;
    }
    let root_shape = body.value_type(body.result(group.ops[0], 0)).shape().unwrap_or_default();
    let rank = group.rank;
    if is_permutation(&access.subscripts, rank) && !access.below_reduction {
        return group.reductions == 0;
    }
    let Some(last) = rank.checked_sub(1) else { return false };
    let reduced = generic.iterators.iter().filter(|kind| **kind == Iterator::Reduction).count();
    let independent = access.subscripts.iter().all(|e| !e.uses_dim(last as u32));
    let rows_used =
        (0..last).all(|dim| root_shape[dim] == Some(1) || access.subscripts.contains(&AffineExpr::Dim(dim as u32)));
    independent && rows_used && reduced == 1
}

/// An elementwise operation is computed where it is read, unless that would repeat expensive work.
fn parallel_joins(body: &Body, group: &Building, generic: &Generic, access: &Access) -> bool {
    let root_shape = body.value_type(body.result(group.ops[0], 0)).shape().unwrap_or_default();
    let repeated = (0..group.rank)
        .any(|dim| root_shape[dim] != Some(1) && !access.subscripts.iter().any(|e| e.uses_dim(dim as u32)));
    let last_only = group.rank > 0
        && (0..group.rank - 1)
            .all(|dim| root_shape[dim] == Some(1) || access.subscripts.iter().any(|e| e.uses_dim(dim as u32)));
    // inside a contraction's tile every point is visited once, but through scalar tails too: only cheap bodies
    let costly = cost(body, generic) >= 8;
    !(repeated && costly && !(last_only && group.reductions > 0))
}

fn is_permutation(subscripts: &[AffineExpr], rank: usize) -> bool {
    subscripts.len() == rank && (0..rank as u32).all(|dim| subscripts.contains(&AffineExpr::Dim(dim)))
}

/// Whether the body only moves elements.
pub fn is_movement(body: &Body, generic: &Generic) -> bool {
    !generic.is_reduction() && cost(body, generic) == 0
}

/// Scalar operations of one evaluation of the body; elementary functions count ten, and operations on indices, which
/// are not vectorised, two.
pub(crate) fn cost(body: &Body, generic: &Generic) -> usize {
    body.ops(generic.block)
        .map(|op| match body.code(op) {
            Some(linalg::YIELD | linalg::INDEX | arith::CONSTANT) => 0,
            Some(math::ABSF | math::FLOOR | math::CEIL | math::FMA) => 1,
            Some(code) if is_elementary(code) => 10,
            _ if body.op(op).results().iter().any(|&result| *body.value_type(result) == Type::Index) => 2,
            _ => 1,
        })
        .sum()
}

/// Whether an operation is an elementary function, of more than one instruction.
pub(crate) fn is_elementary(code: OpCode) -> bool {
    code.dialect() == Dialect::Math && !matches!(code, math::ABSF | math::FLOOR | math::CEIL | math::FMA)
}

/// The values that a group's members read from outside, in order of first use: tensors and scalars.
pub fn external_operands(body: &Body, group: &Group) -> Vec<Value> {
    let mut found: IndexSet<Value> = IndexSet::default();
    for &op in &group.ops {
        let read = body.op(op).operands().iter().copied().chain(captured(body, op));
        found.extend(read.filter(|&value| body.defining_op(value).is_none_or(|op| !group.ops.contains(&op))));
    }
    found.into_iter().collect()
}
