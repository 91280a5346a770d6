//! Builds the code for one piece of a loop's rows.

use dialects::{arith, scf, vector};
use ir::clone::{Mapping, copy_op, mapped};
use ir::{Body, Builder, IndexSet, Op, Type, Value};

use super::{Memories, Row, RowLoop, Source, address_of, is_store};

/// An operand of a row's function, by indices of both.
#[derive(Clone, Copy)]
struct Operand {
    row: usize,
    at: usize,
}

impl Operand {
    fn all(rows: &[Row], row: usize) -> impl Iterator<Item = Operand> {
        (0..rows[row].operands.len()).map(move |at| Operand { row, at })
    }

    /// Its vectors.
    fn of(self, rows: &[Row]) -> &[Value] {
        &rows[self.row].operands[self.at]
    }
}

/// The code for one piece of a row.
pub(super) struct Piece<'a> {
    pub(super) row: &'a RowLoop,
    pub(super) memories: &'a [Memories],
    pub(super) begin: Value,
    pub(super) end: Value,
    pub(super) count: Value,
}

impl Piece<'_> {
    /// Builds the stages and the remaining code; returns the piece's carried values.
    pub(super) fn build(&self, builder: &mut Builder<'_>, carried: &[Value], destination: Option<Op>) -> Vec<Value> {
        let rows = &self.row.rows;
        let stages = rows.last().map_or(0, |row| row.stage + 1);
        for stage in 0..stages {
            let of_stage: Vec<usize> = (0..rows.len()).filter(|&at| rows[at].stage == stage).collect();
            let source = |&operand: &Operand| self.row.source(builder.body, operand.of(rows));
            let operands: Vec<Operand> = of_stage.iter().flat_map(|&at| Operand::all(rows, at)).collect();
            let sources: Vec<Source> = operands.iter().map(source).collect();
            let with_sources = || operands.iter().copied().zip(&sources);
            let is_stored = |&(_, source): &(Operand, &Source)| matches!(source, Source::Stored);
            let stored: Vec<Operand> = with_sources().filter(is_stored).map(|(operand, _)| operand).collect();
            if !stored.is_empty() {
                self.store_operands(builder, &stored);
            }
            for at in of_stage {
                let sources = with_sources().filter(|(operand, _)| operand.row == at);
                let from: Vec<Value> = sources.map(|(operand, source)| self.source(builder, operand, source)).collect();
                let store = destination.filter(|_| at + 1 == rows.len());
                let to = store.map_or(self.memories[at].result.address, |store| self.address(builder, store, 1));
                rows[at].call(builder, &from, to, self.count);
            }
        }
        match destination {
            Some(_) => Vec::new(),
            None => self.remaining(builder, carried),
        }
    }

    /// The address of an operand of a row.
    fn source(&self, builder: &mut Builder<'_>, operand: Operand, source: &Source) -> Value {
        match source {
            Source::Load(load) => self.address(builder, *load, 0),
            Source::Row(other) => self.memories[*other].result.address,
            Source::Stored => self.memories[operand.row].operands[operand.at].address,
        }
    }

    /// A loop that stores operands of some rows.
    fn store_operands(&self, builder: &mut Builder<'_>, operands: &[Operand]) {
        let rows = &self.row.rows;
        let wanted: Vec<Value> = operands.iter().flat_map(|operand| operand.of(rows)).copied().collect();
        self.inner_loop(builder, &[], |piece, builder, mapping, offset| {
            piece.copy(builder, mapping, offset, &piece.needed(builder.body, &wanted));
            for &operand in operands {
                let base = piece.memories[operand.row].operands[operand.at].buffer;
                for (place, value) in operand.of(rows).iter().enumerate() {
                    let index = rows[operand.row].place(builder, offset, place);
                    let value = mapping.get(value).copied().unwrap_or(*value);
                    builder.create_from(vector::Store { value, base, indices: &[index] }, &[], []);
                }
            }
            Vec::new()
        });
    }

    /// A loop over the body without the row functions.
    fn remaining(&self, builder: &mut Builder<'_>, carried: &[Value]) -> Vec<Value> {
        self.inner_loop(builder, carried, |piece, builder, mapping, offset| {
            let block = piece.row.block;
            let (end, inside) = builder.body.ops(block).split_last().expect("a loop's body has an end");
            let effects: Vec<Op> = inside.filter(|&op| is_store(builder.body, op)).collect();
            let operands = effects.iter().chain([&end]).flat_map(|&op| builder.body.op(op).operands().to_vec());
            let wanted: Vec<Value> = operands.collect();
            let mut ops = piece.needed(builder.body, &wanted);
            ops.extend(effects);
            piece.copy(builder, mapping, offset, &ops);
            mapped(builder.body.op(end).operands(), mapping)
        })
    }

    /// A loop over the piece; `build` builds its body from the replacements of the old loop's arguments and the offset
    /// in the piece.
    fn inner_loop(
        &self,
        builder: &mut Builder<'_>,
        carried: &[Value],
        build: impl FnOnce(&Self, &mut Builder<'_>, &mut Mapping, Value) -> Vec<Value>,
    ) -> Vec<Value> {
        let step = builder.constant_index(self.row.step);
        let types: Vec<Type> = carried.iter().map(|&value| builder.body.value_type(value).clone()).collect();
        let bounds = scf::For { lower_bound: self.begin, upper_bound: self.end, step, init_args: carried };
        let around = builder.create_from(bounds, &types, []);
        let arguments: Vec<Type> = std::iter::once(Type::Index).chain(types).collect();
        let (_, block) = builder.region_with_block(around, &arguments);
        let old = builder.body.arguments(self.row.block).to_vec();
        let mut mapping: Mapping = old.into_iter().zip(builder.body.arguments(block).to_vec()).collect();
        let (counter, begin) = (builder.body.arguments(block)[0], self.begin);
        builder.within(block, |builder| {
            let offset = builder.value(arith::SUBI, &[counter, begin], Type::Index, []);
            let next = build(self, builder, &mut mapping, offset);
            builder.create(scf::YIELD, &next, &[], []);
        });
        builder.body.op(around).results().to_vec()
    }

    /// The row of an operation, and its index there.
    fn row_of(&self, op: Op) -> Option<(usize, usize)> {
        let place = |row: &Row| row.ops.iter().position(|&other| other == op);
        self.row.rows.iter().enumerate().find_map(|(at, row)| Some((at, place(row)?)))
    }

    /// The operations of the body that some of its values need, in order; row functions have been computed already.
    fn needed(&self, body: &Body, wanted: &[Value]) -> Vec<Op> {
        let mut found: IndexSet<Op> = IndexSet::default();
        let mut pending = wanted.to_vec();
        while let Some(value) = pending.pop() {
            let Some(op) = body.defining_op(value) else { continue };
            if body.op(op).parent() == Some(self.row.block) && found.insert(op) && self.row_of(op).is_none() {
                pending.extend(body.op(op).operands());
            }
        }
        body.ops(self.row.block).filter(|op| found.contains(op)).collect()
    }

    /// Copies operations of the body, with results of row functions.
    fn copy(&self, builder: &mut Builder<'_>, mapping: &mut Mapping, offset: Value, ops: &[Op]) {
        for &op in ops {
            let Some((at, place)) = self.row_of(op) else {
                copy_op(builder, op, mapping);
                continue;
            };
            let index = self.row.rows[at].place(builder, offset, place);
            let result = builder.body.result(op, 0);
            let r#type = builder.body.value_type(result).clone();
            let load = vector::Load { base: self.memories[at].result.buffer, indices: &[index] };
            let value = builder.value_from(load, r#type, []);
            mapping.insert(result, value);
        }
    }

    /// The address of a load or a store in the piece's first iteration; its buffer is the operand at `buffer`.
    pub(super) fn address(&self, builder: &mut Builder<'_>, access: Op, buffer: usize) -> Value {
        let (memory, index) = (builder.body.operand(access, buffer), builder.body.operand(access, buffer + 1));
        let mut mapping: Mapping = [(self.row.counter(builder.body), self.begin)].into_iter().collect();
        let ops = self.needed(builder.body, &[memory, index]);
        let zero = builder.constant_index(0);
        self.copy(builder, &mut mapping, zero, &ops);
        let [memory, index] = [memory, index].map(|value| mapping.get(&value).copied().unwrap_or(value));
        address_of(builder, memory, Some(index))
    }
}
