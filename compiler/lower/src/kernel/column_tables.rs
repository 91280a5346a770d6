//! Column tables: expressions that depend only on the column index (coordinates and weights of Resize), or on the
//! column and all outer indices but one (coordinates of GridSample, shared by all channels), are computed once for many
//! rows, into tables that the rows read.

use dialects::{OpCodes, arith, cf, linalg, memref, tensor};
use ir::{Attribute, Body, IndexMap, IndexSet, Op, Type, Value, ValueDefinition};

use super::emit::Emitter;
use super::evaluate::Slice;
use super::lane::Lane;
use super::loops::{Piece, delinearize, each_index, emit_row};
use dialects::linalg::generic::Generic;

/// Columns of a table: few enough for all tables to stay in the L1 cache.
pub(super) const PIECE: i64 = 512;
/// Rows that a thread computes with the same tables.
const ROWS: i64 = 64;
/// The minimum number of operations that are worth a table.
const LEAST: usize = 6;
/// The maximum number of tables per thread.
const MOST: usize = 12;
/// The minimum number of rows that are worth separate tables.
const FEWEST: i64 = 8;
/// The estimate of a dynamic number of rows.
const ASSUMED_ROWS: i64 = 64;

/// Values of an operation's body that depend on the column, and that many rows share.
pub(super) struct Columns {
    generic: Generic,
    values: Vec<Value>,
    shared: Shared,
}

/// Which rows share the column values.
#[derive(Clone, Copy, PartialEq)]
enum Shared {
    /// All rows.
    Everywhere,
    /// Rows that differ in the index of this dimension.
    Across(usize),
}

/// The tables of column values while rows are computed.
pub(super) struct Tables {
    op: Op,
    /// The column of the first entries.
    begin: Value,
    buffers: IndexMap<Value, Value>,
    /// The remaining operations of the body.
    rest: Slice,
}

/// The column values of a result, if they are worth tables.
pub(super) fn columns(emitter: &Emitter<'_>, pieces: &[Piece<'_>]) -> Option<Columns> {
    let [piece] = pieces else { return None };
    let source = emitter.source;
    let mut pending = vec![piece.value];
    let mut seen: IndexSet<Value> = IndexSet::default();
    while let Some(value) = pending.pop() {
        let Some(generic) = Generic::defining(source, value).filter(|_| seen.insert(value)) else { continue };
        let is_plain = generic.rank() > 1 && !generic.is_reduction() && generic.output_map(0).is_identity();
        if !is_plain || source.ops(generic.block).any(|op| source.is(op, cf::ASSERT)) {
            continue;
        }
        let extents = generic.extents(source);
        let is_repeated = |&dim: &usize| extents[dim].is_none_or(|extent| extent >= FEWEST);
        let across = (0..generic.rank() - 1).filter(is_repeated).map(Shared::Across);
        let mut best: Option<(usize, Columns)> = None;
        for shared in std::iter::once(Shared::Everywhere).chain(across) {
            let values = column_values(emitter, &generic, shared);
            let is_worth = shared == Shared::Everywhere || values.iter().any(|&v| *source.value_type(v) == Type::Index);
            let saved = Slice::of(source, generic.block, &values, |_| false).ops.len();
            if (1..=MOST).contains(&values.len()) && is_worth && best.as_ref().is_none_or(|(most, _)| saved > *most) {
                best = Some((saved, Columns { generic: generic.clone(), values, shared }));
            }
        }
        if let Some((_, columns)) = best {
            return Some(columns);
        }
        let maps = generic.maps.iter().zip(&generic.inputs);
        pending.extend(maps.filter(|(map, _)| map.is_identity()).map(|(_, &input)| input));
    }
    None
}

/// Values that depend on the last loop's index, are the same for rows that share them, and are used by values that are
/// not.
fn column_values(emitter: &Emitter<'_>, generic: &Generic, shared: Shared) -> Vec<Value> {
    let source = emitter.source;
    let known = shared_values(emitter, generic, shared);
    let is_of_column = |value: &Value| known.get(value) == Some(&true);
    let is_read = |value: Value| {
        source.uses(value).iter().any(|r#use| !source.op(r#use.op).results().first().is_some_and(is_of_column))
    };
    let is_worth = |value: Value| {
        let is_number = matches!(source.value_type(value), Type::Index | Type::Float(_));
        is_number && Slice::of(source, generic.block, &[value], |_| false).ops.len() >= LEAST
    };
    known.keys().copied().filter(|value| is_of_column(value) && is_read(*value) && is_worth(*value)).collect()
}

/// Values of a body that are the same for rows that share them, and whether they depend on the last loop's index.
fn shared_values(emitter: &Emitter<'_>, generic: &Generic, shared: Shared) -> IndexMap<Value, bool> {
    let source = emitter.source;
    let last = generic.rank() - 1;
    let mut known: IndexMap<Value, bool> = IndexMap::default();
    let arguments = source.arguments(generic.block);
    for ((&argument, &input), map) in arguments.iter().zip(&generic.inputs).zip(&generic.maps) {
        let uses = |dim: usize| map.results.iter().any(|subscript| subscript.uses_dim(dim as u32));
        let is_tensor = source.value_type(input).as_tensor().is_some();
        match shared {
            _ if !is_tensor => known.extend([(argument, false)]),
            Shared::Across(dim) if emitter.buffer(input).is_some() && !uses(dim) => {
                known.extend([(argument, uses(last))]);
            }
            Shared::Across(_) | Shared::Everywhere => {}
        }
    }
    for op in source.ops(generic.block) {
        let &[result] = source.op(op).results() else { continue };
        let operands = source.op(op).operands();
        let of_column = |operand: &Value| match source.definition(*operand) {
            ValueDefinition::Argument { block, .. } if block != generic.block => Some(false),
            ValueDefinition::Result { op, .. } if source.op(op).parent() != Some(generic.block) => Some(false),
            ValueDefinition::Argument { .. } | ValueDefinition::Result { .. } => known.get(operand).copied(),
        };
        let computed = || operands.iter().try_fold(false, |any, operand| Some(any | of_column(operand)?));
        let is_of_column = match source.code(op) {
            Some(linalg::INDEX) => match (source.op(op).attributes.integer("dim"), shared) {
                (Some(dim), _) if dim == last as i64 => Some(true),
                (Some(dim), Shared::Across(other)) if dim != other as i64 => Some(false),
                _ => None,
            },
            Some(tensor::EXTRACT) if shared != Shared::Everywhere && emitter.buffer(operands[0]).is_some() => {
                computed()
            }
            _ if matches!(source.op(op).name.dialect(), "arith" | "math") => computed(),
            _ => None,
        };
        known.extend(is_of_column.map(|of_column| (result, of_column)));
    }
    known
}

/// Emits the loops that compute a result's rows with tables.
pub(super) fn emit_with_tables(
    emitter: &mut Emitter<'_>,
    pieces: &[Piece<'_>],
    columns: &Columns,
    extents: &[Value],
    work: i64,
) {
    let outer = &extents[..extents.len() - 1];
    match columns.shared {
        Shared::Everywhere => each_group(emitter, extents, work, |emitter, rows, [begin, end]| {
            with_tables(emitter, columns, &vec![None; outer.len()], [begin, end], |emitter| {
                emitter.for_loop(rows[0], rows[1], 1, &[], |emitter, row, _| {
                    let row: Vec<Lane> = delinearize(emitter, row, outer).into_iter().map(Lane::Uniform).collect();
                    emit_row(emitter, pieces, &row, begin, end);
                    vec![]
                });
            });
        }),
        Shared::Across(dim) => each_place(emitter, extents, (dim, work), |emitter, row, [begin, end]| {
            let point: Vec<Option<Lane>> = row.iter().map(|index| index.map(Lane::Uniform)).collect();
            with_tables(emitter, columns, &point, [begin, end], |emitter| {
                let zero = emitter.index(0);
                emitter.for_loop(zero, extents[dim], 1, &[], |emitter, index, _| {
                    let row: Vec<Lane> = row.iter().map(|own| Lane::Uniform(own.unwrap_or(index))).collect();
                    emit_row(emitter, pieces, &row, begin, end);
                    vec![]
                });
            });
        }),
    }
}

/// Builds the readers of tables of column values at a point of the outer loops, with open loops for those that the
/// columns depend on.
fn with_tables(
    emitter: &mut Emitter<'_>,
    columns: &Columns,
    outer: &[Option<Lane>],
    [begin, end]: [Value; 2],
    build: impl FnOnce(&mut Emitter<'_>),
) {
    let buffers: IndexMap<Value, Value> = columns.values.iter().map(|&value| (value, table(emitter, value))).collect();
    let mut first = begin;
    if columns.shared != Shared::Everywhere {
        let width = emitter.index(emitter.lanes as i64);
        let count = emitter.sub(end, begin);
        let rest = emitter.rem(count, width);
        let whole = emitter.sub(end, rest);
        emitter.for_loop(begin, whole, emitter.lanes as i64, &[], |emitter, column, _| {
            fill(emitter, columns, &buffers, (outer, Lane::Iota(column)), begin);
            vec![]
        });
        first = whole;
    }
    if first != end {
        emitter.for_loop(first, end, 1, &[], |emitter, column, _| {
            fill(emitter, columns, &buffers, (outer, Lane::Uniform(column)), begin);
            vec![]
        });
    }
    emitter.tables = Some(Tables::new(emitter.source, columns, &buffers, begin));
    build(emitter);
    emitter.tables = None;
}

/// A parallel loop over the outer loops but one and over pieces of rows; `build` receives the indices of those, the
/// first column, and the end.
fn each_place(
    emitter: &mut Emitter<'_>,
    extents: &[Value],
    (dim, work): (usize, i64),
    build: impl FnOnce(&mut Emitter<'_>, &[Option<Value>], [Value; 2]),
) {
    let (&last, outer) = extents.split_last().expect("there is a last dimension");
    let length = emitter.index(PIECE);
    let round = emitter.index(PIECE - 1);
    let padded = emitter.add(last, round);
    let pieces = emitter.div(padded, length);
    let is_whole = emitter.constant_value(pieces) == Some(1);
    let mut counts: Vec<Value> = outer.to_vec();
    counts.remove(dim);
    counts.extend((!is_whole).then_some(pieces));
    let rows = emitter.constant_value(extents[dim]).unwrap_or(ASSUMED_ROWS);
    let elements = emitter.constant_value(last).map_or(PIECE, |last| last.min(PIECE)).saturating_mul(rows);
    each_index(emitter, &counts, work.saturating_mul(elements), |emitter, indices| {
        let mut row: Vec<Option<Value>> = indices.into_iter().map(Some).collect();
        let piece = if is_whole { None } else { row.pop().flatten() };
        let piece = piece.unwrap_or_else(|| emitter.index(0));
        row.insert(dim, None);
        let begin = emitter.mul(piece, length);
        let end = emitter.add(begin, length);
        let end = emitter.min(end, last);
        build(emitter, &row, [begin, end]);
    });
}

/// A parallel loop over groups of rows and pieces of them; `build` receives the first rows and columns, and their ends.
pub(super) fn each_group(
    emitter: &mut Emitter<'_>,
    extents: &[Value],
    work: i64,
    build: impl FnOnce(&mut Emitter<'_>, [Value; 2], [Value; 2]),
) {
    let (&last, outer) = extents.split_last().expect("there is a last dimension");
    let rows = emitter.product(outer);
    let counts = [(rows, ROWS), (last, PIECE)].map(|(extent, length)| {
        let (length, round) = (emitter.index(length), emitter.index(length - 1));
        let padded = emitter.add(extent, round);
        emitter.div(padded, length)
    });
    let count = emitter.mul(counts[0], counts[1]);
    emitter.parallel_loop(count, work.saturating_mul(ROWS * PIECE), |emitter, index| {
        let [group, piece] = match emitter.constant_value(counts[1]) {
            Some(1) => [index, emitter.index(0)],
            _ => delinearize(emitter, index, &counts).try_into().expect("an index for each extent"),
        };
        let [rows, columns] = [(group, rows, ROWS), (piece, last, PIECE)].map(|(number, extent, length)| {
            let length = emitter.index(length);
            let begin = emitter.mul(number, length);
            let end = emitter.add(begin, length);
            [begin, emitter.min(end, extent)]
        });
        build(emitter, rows, columns);
    });
}

/// Memory for a value of each column of a piece.
fn table(emitter: &mut Emitter<'_>, value: Value) -> Value {
    let element = match emitter.source.value_type(value) {
        Type::Index => Type::I64,
        other => other.clone(),
    };
    let sizes = [("operandSegmentSizes", Attribute::i32_dense_array(&[0, 0]))];
    let op = emitter.effect(memref::ALLOCA, &[], &[Type::memref([Some(PIECE)], element)], sizes);
    emitter.body.result(op, 0)
}

/// Computes the values of a column, or of neighbouring ones.
fn fill(
    emitter: &mut Emitter<'_>,
    columns: &Columns,
    buffers: &IndexMap<Value, Value>,
    (outer, column): (&[Option<Lane>], Lane),
    begin: Value,
) {
    let point: Vec<Option<Lane>> = outer.iter().cloned().chain([Some(column.clone())]).collect();
    let place = match column {
        Lane::Iota(first) => Lane::Iota(emitter.sub(first, begin)),
        lane => Lane::Uniform(emitter.sub(lane.uniform().expect("a column or neighbouring ones"), begin)),
    };
    let entries = emitter.evaluate_values(&columns.generic, &point, &columns.values);
    for ((value, &buffer), mut entry) in buffers.iter().zip(entries) {
        if *emitter.source.value_type(*value) == Type::Index {
            let indices = emitter.scalars_of(&entry);
            let mut numbers: Vec<Value> =
                indices.iter().map(|&index| emitter.pure(arith::INDEX_CAST, &[index], Type::I64, [])).collect();
            entry = if numbers.len() == 1 { Lane::Uniform(numbers.remove(0)) } else { Lane::Scalars(numbers) };
        }
        emitter.store(&entry, buffer, std::slice::from_ref(&place));
    }
}

impl Tables {
    fn new(source: &Body, columns: &Columns, buffers: &IndexMap<Value, Value>, begin: Value) -> Tables {
        let Columns { generic, values, .. } = columns;
        let rest = Slice::of(source, generic.block, generic.yields(source), |value| values.contains(&value));
        Tables { op: generic.op, begin, buffers: buffers.clone(), rest }
    }
}

impl Emitter<'_> {
    /// Whether a value of an operation's body is computed in a row: not if it is in a table, or is only used by values
    /// in tables.
    pub(super) fn is_computed(&self, generic: &Generic, op: Op) -> bool {
        match &self.tables {
            Some(tables) if tables.op == generic.op => tables.rest.ops.contains(&op),
            Some(_) | None => true,
        }
    }

    /// The table entries of an operation's body at a point of its loops.
    pub(super) fn tabled(&mut self, generic: &Generic, point: &[Option<Lane>]) -> IndexMap<Value, Lane> {
        let Some(tables) = self.tables.as_ref().filter(|tables| tables.op == generic.op) else {
            return IndexMap::default();
        };
        let (begin, buffers) = (tables.begin, tables.buffers.clone());
        let column = point[generic.rank() - 1].clone().expect("the loop is open");
        buffers.into_iter().map(|(value, buffer)| (value, self.entry(value, buffer, &column, begin))).collect()
    }

    /// The entries of a column or of neighbouring ones.
    fn entry(&mut self, value: Value, buffer: Value, column: &Lane, begin: Value) -> Lane {
        let is_index = *self.source.value_type(value) == Type::Index;
        let cast = |emitter: &mut Self, place: Value| {
            let entry = emitter.load(buffer, &[Lane::Uniform(place)]).uniform().expect("one entry");
            emitter.pure(arith::INDEX_CAST, &[entry], Type::Index, [])
        };
        match column {
            Lane::Uniform(column) => {
                let place = self.sub(*column, begin);
                if is_index { Lane::Uniform(cast(self, place)) } else { self.load(buffer, &[Lane::Uniform(place)]) }
            }
            Lane::Iota(base) => {
                let place = self.sub(*base, begin);
                if !is_index {
                    return self.load(buffer, &[Lane::Iota(place)]);
                }
                let places = self.scalars_of(&Lane::Iota(place));
                Lane::Scalars(places.into_iter().map(|place| cast(self, place)).collect())
            }
            Lane::EveryOther(_) | Lane::Vector(_) | Lane::Scalars(_) => {
                unreachable!("columns are visited one by one or side by side")
            }
        }
    }
}
