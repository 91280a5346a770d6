//! Rank by demand: a value whose rank does not follow from its definition has the only rank that its readers accept.
//!
//! If the conclusion is wrong, the model is invalid: it is asserted at run time.

use dialects::onnx::views::View;
use dialects::onnx::{OnnxOp, YIELD};
use ir::{Block, Body, IndexMap, Op, Use, Value, ValueDefinition};

use super::ShapeAnalysis;
use super::node::Node;
use crate::operator::{Demand, Kind};
use crate::table;

/// The maximum length of a chain of readers.
const DEPTH: usize = 10;

/// The maximum rank of tensors.
const MOST_AXES: usize = 8;

/// A reader of a value with unknown rank.
pub struct Reading<'a> {
    body: &'a Body,
    op: Op,
    known: &'a ShapeAnalysis,
}

impl Reading<'_> {
    /// The view of the operation.
    pub(crate) fn view<V: View>(&self) -> V {
        V::of(self.body, self.op)
    }

    /// The rank of a value, as far as it is known before the reader.
    pub(crate) fn rank(&self, value: Value) -> Option<usize> {
        self.known.shape(value).map(<[_]>::len).or_else(|| self.body.value_type(value).rank())
    }

    /// The last extent of a value, as far as it is known before the reader.
    pub(crate) fn last_extent(&self, value: Value) -> Option<usize> {
        let stated = || self.body.value_type(value).shape()?.last().copied().flatten();
        let known = || self.known.shape(value)?.last()?.as_constant();
        usize::try_from(known().or_else(stated)?).ok()
    }

    /// The number of elements of a list, as far as it is known before the reader.
    pub(crate) fn length(&self, list: Value) -> Option<usize> {
        let stated = || self.body.value_type(list).static_shape()?.first().copied();
        let known = || self.known.shape(list)?.first()?.as_constant();
        usize::try_from(known().or_else(stated)?).ok()
    }

    fn demand(&self, operand: usize) -> Demand {
        let Some(row) = table::row_of(self.body.name(self.op)) else { return Demand::default() };
        if let Some(&(_, rank)) = row.ranks.iter().find(|(index, _)| *index == operand) {
            return Demand { rank: Some(rank), ..Demand::default() };
        }
        match row.demands {
            Some(demands) => demands(self, operand),
            None if matches!(row.kind, Kind::Elementwise | Kind::Conversion) => self.broadcast_with_others(operand),
            None => Demand::default(),
        }
    }

    /// The demand of broadcasting an operand with the others, whose ranks are known.
    fn broadcast_with_others(&self, operand: usize) -> Demand {
        let operands = self.body.op(self.op).operands().iter().enumerate();
        let others = operands.filter(|(index, _)| *index != operand).map(|(_, &other)| self.rank(other));
        match others.collect::<Option<Vec<usize>>>() {
            Some(others) => Demand { least_of_result: others.into_iter().max().unwrap_or(0), ..Demand::SAME },
            None => Demand::default(),
        }
    }
}

impl Node<'_, '_> {
    /// The rank of result `index`: the only one among `candidates` that its readers accept.
    pub(crate) fn demanded_rank(&self, index: usize, candidates: &[usize]) -> Option<usize> {
        let readers = Readers { body: self.analyser.body, known: &self.analyser.known };
        readers.only_rank(readers.body.result(self.op, index), candidates)
    }

    /// The rank of result `index` among all possible ranks.
    pub(crate) fn any_demanded_rank(&self, index: usize) -> Option<usize> {
        let readers = Readers { body: self.analyser.body, known: &self.analyser.known };
        readers.demanded_rank(readers.body.result(self.op, index))
    }
}

/// The readers of the values of a function.
#[derive(Clone, Copy)]
pub(super) struct Readers<'a> {
    pub(super) body: &'a Body,
    pub(super) known: &'a ShapeAnalysis,
}

impl Readers<'_> {
    /// The rank of a value: the only one among all possible ranks that its readers accept.
    pub(super) fn demanded_rank(self, value: Value) -> Option<usize> {
        let all: Vec<usize> = (0..=MOST_AXES).collect();
        self.only_rank(value, &all)
    }

    /// The only rank among `candidates` that the readers of a value accept.
    fn only_rank(self, value: Value, candidates: &[usize]) -> Option<usize> {
        let mut fitting = candidates.iter().filter(|&&rank| self.take(value, rank, DEPTH));
        fitting.next().copied().filter(|first| fitting.all(|other| other == first))
    }

    /// Whether the readers of a value accept a rank.
    fn take(self, value: Value, rank: usize, depth: usize) -> bool {
        match (depth, self.body.value_type(value).rank()) {
            (0, _) => true,
            (_, Some(stated)) => stated == rank,
            (_, None) => {
                let block = match self.body.definition(value) {
                    ValueDefinition::Result { op, .. } => self.body.op(op).parent(),
                    ValueDefinition::Argument { block, .. } => Some(block),
                };
                block.is_none_or(|block| self.block_takes(block, self.body.uses(value), rank, depth))
            }
        }
    }

    /// Whether some uses, all below a block, accept a value of a rank. Of the branches of an If one must accept it,
    /// because the condition may depend on the rank.
    fn block_takes(self, block: Block, uses: &[Use], rank: usize, depth: usize) -> bool {
        let mut inside: IndexMap<Op, IndexMap<Block, Vec<Use>>> = IndexMap::default();
        for &r#use in uses {
            match self.place_in(block, r#use.op) {
                None if !self.reader_takes(r#use, rank, depth) => return false,
                None => {}
                Some((op, body)) => inside.entry(op).or_default().entry(body).or_default().push(r#use),
            }
        }
        inside.iter().all(|(&op, bodies)| {
            let mut takes = bodies.iter().map(|(&body, uses)| self.block_takes(body, uses, rank, depth));
            match OnnxOp::of(self.body, op) == Some(OnnxOp::If) {
                true => bodies.len() < self.body.op(op).regions().len() || takes.any(|takes| takes),
                false => takes.all(|takes| takes),
            }
        })
    }

    /// The operation of a block with another one in a body, and that body; `None` for one of the block itself.
    fn place_in(self, block: Block, mut op: Op) -> Option<(Op, Block)> {
        let mut inner = None;
        loop {
            let parent = self.body.op(op).parent()?;
            if parent == block {
                return inner.map(|body| (op, body));
            }
            inner = Some(parent);
            op = self.body.region_parent(self.body.block_region(parent)?)?;
        }
    }

    fn reader_takes(self, r#use: Use, rank: usize, depth: usize) -> bool {
        let (op, operand) = (r#use.op, r#use.index as usize);
        if self.body.name(op) == YIELD {
            return self.branch_result(op, operand).is_none_or(|result| self.take(result, rank, depth - 1));
        }
        let demand = Reading { body: self.body, op, known: self.known }.demand(operand);
        let passed = demand.beyond_result.zip(self.body.op(op).results().first());
        demand.rank.is_none_or(|expected| expected.takes(rank))
            && passed.is_none_or(|(beyond, &result)| {
                let rank = rank.checked_add_signed(-beyond).map(|rank| rank.max(demand.least_of_result));
                rank.is_some_and(|rank| self.take(result, rank, depth - 1))
            })
    }

    /// The result of an If for a value that a branch yields.
    fn branch_result(self, end: Op, index: usize) -> Option<Value> {
        let parent = self.body.region_parent(self.body.block_region(self.body.op(end).parent()?)?)?;
        let is_branch = OnnxOp::of(self.body, parent) == Some(OnnxOp::If);
        is_branch.then(|| self.body.op(parent).results().get(index).copied()).flatten()
    }
}
