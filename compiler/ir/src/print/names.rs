//! Numbering of values and blocks, as upstream does it: all values of a region before those of nested regions.

use cranelift_entity::SecondaryMap;

use crate::body::{Block, Body, Region, Value};

#[derive(Clone, Copy, Default)]
enum Name {
    /// Not reachable from the numbered region.
    #[default]
    Unknown,
    /// `%argN`: an argument of an entry block.
    Argument(u32),
    /// `%N`
    Numbered(u32),
    /// `%N#index`
    Member(u32, u32),
}

/// The names of all values and blocks of one body.
pub(super) struct Names {
    values: SecondaryMap<Value, Name>,
    blocks: SecondaryMap<Block, Option<u32>>,
    predecessors: SecondaryMap<Block, Vec<Block>>,
}

/// A region to number, with the first free numbers at its position.
struct Pending {
    region: Region,
    next_value: u32,
    next_argument: u32,
}

impl Names {
    pub(super) fn of_region(body: &Body, region: Region) -> Names {
        let mut names =
            Names { values: SecondaryMap::new(), blocks: SecondaryMap::new(), predecessors: SecondaryMap::new() };
        let mut pending = vec![Pending { region, next_value: 0, next_argument: 0 }];
        while let Some(next) = pending.pop() {
            names.number_region(body, next, &mut pending);
        }
        names
    }

    fn number_region(&mut self, body: &Body, numbering: Pending, pending: &mut Vec<Pending>) {
        let Pending { region, mut next_value, mut next_argument } = numbering;
        for (at, &block) in body.blocks(region).iter().enumerate() {
            self.blocks[block] = Some(at as u32);
            for &argument in body.arguments(block) {
                let (counter, name): (&mut u32, fn(u32) -> Name) =
                    if at == 0 { (&mut next_argument, Name::Argument) } else { (&mut next_value, Name::Numbered) };
                self.values[argument] = name(*counter);
                *counter += 1;
            }
            for &op in body.ops(block) {
                let results = body.op(op).results();
                for (index, &result) in results.iter().enumerate() {
                    let single = results.len() == 1;
                    self.values[result] =
                        if single { Name::Numbered(next_value) } else { Name::Member(next_value, index as u32) };
                }
                next_value += !results.is_empty() as u32;
                for &successor in body.op(op).successors() {
                    if !self.predecessors[successor].contains(&block) {
                        self.predecessors[successor].push(block);
                    }
                }
            }
        }
        for &block in body.blocks(region) {
            for &op in body.ops(block) {
                let inner = body.op(op).regions().iter();
                pending.extend(inner.map(|&region| Pending { region, next_value, next_argument }));
            }
        }
    }

    /// `%0`, `%0#1` or `%arg0`.
    pub(super) fn value(&self, value: Value) -> String {
        match self.values[value] {
            Name::Unknown => format!("%<<{value}>>"),
            Name::Argument(number) => format!("%arg{number}"),
            Name::Numbered(number) => format!("%{number}"),
            Name::Member(number, index) => format!("%{number}#{index}"),
        }
    }

    /// The name of all results of an operation, from its first.
    pub(super) fn value_group(&self, first: Value) -> String {
        match self.values[first] {
            Name::Member(number, _) => format!("%{number}"),
            _ => self.value(first),
        }
    }

    /// `^bb0`
    pub(super) fn block(&self, block: Block) -> String {
        match self.blocks[block] {
            Some(number) => format!("^bb{number}"),
            None => format!("^<<{block}>>"),
        }
    }

    pub(super) fn predecessors(&self, block: Block) -> &[Block] {
        &self.predecessors[block]
    }
}
