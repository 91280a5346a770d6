//! Rank by demand: a value whose number of axes nothing in front of it tells has the one that its readers need.
//!
//! What is concluded so holds or the model means nothing: a run asserts it.

use dialects::onnx::views::View;
use dialects::onnx::{OnnxOp, YIELD};
use ir::{Body, Op, Value};

use super::ShapeAnalysis;
use super::node::Node;
use crate::operator::{Demand, Kind, Rank};
use crate::table;

/// How many readers behind one another are asked.
const DEPTH: usize = 8;

/// A reader of a value of unknown rank.
pub struct Reading<'a> {
    body: &'a Body,
    op: Op,
    known: &'a ShapeAnalysis,
}

impl Reading<'_> {
    /// What the operation says.
    pub(crate) fn view<V: View>(&self) -> V {
        V::of(self.body, self.op)
    }

    /// The rank of a value, if it is known so far.
    pub(crate) fn rank(&self, value: Value) -> Option<usize> {
        Some(self.known.shape(value)?.len())
    }

    /// The number of elements of a list, if it is known so far.
    pub(crate) fn length(&self, list: Value) -> Option<usize> {
        let [length] = self.known.shape(list)? else { return None };
        usize::try_from(length.as_constant()?).ok()
    }

    fn demand(&self, operand: usize) -> Demand {
        let Some(row) = table::row_of(self.body.name(self.op)) else { return Demand::default() };
        if let Some(&(_, rank)) = row.ranks.iter().find(|(index, _)| *index == operand) {
            return Demand { rank: Some(rank), beyond_result: None };
        }
        match row.demands {
            Some(demands) => demands(self, operand),
            None if self.keeps_rank(row.kind) => Demand::SAME,
            None => Demand::default(),
        }
    }

    /// Whether the operation computes each element of its result from one of its only operand.
    fn keeps_rank(&self, kind: Kind) -> bool {
        matches!(kind, Kind::Elementwise | Kind::Conversion) && self.body.op(self.op).operands().len() == 1
    }
}

impl Node<'_, '_> {
    /// The rank of result `index`: the only one among `candidates` that all its readers take.
    pub(crate) fn demanded_rank(&self, index: usize, candidates: &[usize]) -> Option<usize> {
        let demands = self.demands(index);
        let mut fitting = candidates.iter().filter(|&&rank| demands.iter().all(|demand| demand.takes(rank)));
        fitting.next().copied().filter(|first| fitting.all(|other| other == first))
    }

    /// The rank of result `index`, if a reader says exactly which one it takes.
    pub(crate) fn exactly_demanded_rank(&self, index: usize) -> Option<usize> {
        self.demands(index).into_iter().find_map(|demand| match demand {
            Rank::Exactly(rank) => Some(rank),
            Rank::AtLeast(_) => None,
        })
    }

    fn demands(&self, index: usize) -> Vec<Rank> {
        let (body, known) = (self.analyser.body, &self.analyser.known);
        let mut demands = Vec::new();
        collect(body, known, (body.result(self.op, index), 0), DEPTH, &mut demands);
        demands
    }
}

/// What is demanded of a value that has `more` axes than `value`, by the readers of the latter.
fn collect(body: &Body, known: &ShapeAnalysis, (value, more): (Value, isize), depth: usize, demands: &mut Vec<Rank>) {
    if depth == 0 {
        return;
    }
    if let Some(stated) = body.value_type(value).rank() {
        demands.extend(Rank::Exactly(stated).shifted(more));
    }
    for r#use in body.uses(value) {
        let demand = match body.name(r#use.op) {
            YIELD => Demand::default(),
            _ => Reading { body, op: r#use.op, known }.demand(r#use.index as usize),
        };
        demands.extend(demand.rank.and_then(|rank| rank.shifted(more)));
        let passed = match demand.beyond_result {
            Some(beyond) => body.op(r#use.op).results().first().map(|&result| (result, more + beyond)),
            None => branch_result(body, r#use.op, r#use.index as usize).map(|result| (result, more)),
        };
        if let Some(passed) = passed {
            collect(body, known, passed, depth - 1, demands);
        }
    }
}

/// The result of an If that a value yielded by a branch becomes.
fn branch_result(body: &Body, end: Op, index: usize) -> Option<Value> {
    let parent = body.region_parent(body.block_region(body.op(end).parent()?)?)?;
    let is_branch = body.name(end) == YIELD && OnnxOp::of(body, parent) == Some(OnnxOp::If);
    is_branch.then(|| body.op(parent).results().get(index).copied()).flatten()
}
