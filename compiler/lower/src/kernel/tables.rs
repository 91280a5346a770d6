//! What a result's columns say by themselves, as the coordinates and weights of a resized image: computed once for many rows, into
//! tables that the rows read.

use ir::{Attribute, Body, IndexMap, IndexSet, Op, Type, Value, ValueDefinition};

use super::emit::Emitter;
use super::evaluate::Slice;
use super::lane::Lane;
use super::loops::{Piece, delinearize, emit_row};
use dialects::linalg::generic::Generic;

/// Columns in a table: few enough for all tables to stay in the nearest caches.
pub(super) const PIECE: i64 = 512;
/// Rows that a thread computes with the same tables.
const ROWS: i64 = 64;
/// Operations that are worth a table.
const LEAST: usize = 6;
/// Tables that a thread has memory for.
const MOST: usize = 12;

/// Values of an operation's body that depend on the column alone.
pub(super) struct Columns {
    generic: Generic,
    values: Vec<Value>,
}

/// Where such values are while rows are computed.
pub(super) struct Tables {
    op: Op,
    /// The column of the first entries.
    begin: Value,
    buffers: IndexMap<Value, Value>,
    /// What else of the body is computed.
    rest: Slice,
}

/// What the columns of a result say, if that is worth tables.
pub(super) fn columns(source: &Body, pieces: &[Piece<'_>]) -> Option<Columns> {
    let [piece] = pieces else { return None };
    let mut pending = vec![piece.value];
    let mut seen: IndexSet<Value> = IndexSet::default();
    while let Some(value) = pending.pop() {
        let Some(generic) = Generic::defining(source, value).filter(|_| seen.insert(value)) else { continue };
        let is_plain = generic.rank() > 1 && !generic.is_reduction() && generic.output_map(0).is_identity();
        if !is_plain || source.ops(generic.block).iter().any(|&op| source.name(op) == "cf.assert") {
            continue;
        }
        let values = column_values(source, &generic);
        if (1..=MOST).contains(&values.len()) {
            return Some(Columns { generic, values });
        }
        let maps = generic.maps.iter().zip(&generic.inputs);
        pending.extend(maps.filter(|(map, _)| map.is_identity()).map(|(_, &input)| input));
    }
    None
}

/// Numbers that depend on the last loop's index alone and on which others depend that do not.
fn column_values(source: &Body, generic: &Generic) -> Vec<Value> {
    let last = generic.rank() as i64 - 1;
    let mut of_column: IndexSet<Value> = IndexSet::default();
    let mut fixed: IndexSet<Value> = IndexSet::default();
    for &op in source.ops(generic.block) {
        let &[result] = source.op(op).results() else { continue };
        let is_inside = |value: &Value| match source.definition(*value) {
            ValueDefinition::Argument { block, index } if block == generic.block => {
                generic.inputs.get(index as usize).is_none_or(|&input| source.value_type(input).as_tensor().is_some())
            }
            ValueDefinition::Result { op, .. } => source.op(op).parent() == Some(generic.block),
            ValueDefinition::Argument { .. } => false,
        };
        let operands = source.op(op).operands();
        let is_known = |value: &Value| !is_inside(value) || fixed.contains(value) || of_column.contains(value);
        let is_own_index = source.name(op) == "linalg.index" && source.op(op).attributes.integer("dim") == Some(last);
        let is_computed = matches!(source.op(op).name.dialect(), "arith" | "math") && operands.iter().all(is_known);
        if is_own_index || (is_computed && operands.iter().any(|operand| of_column.contains(operand))) {
            of_column.insert(result);
        } else if is_computed {
            fixed.insert(result);
        }
    }
    let is_read = |value: Value| {
        source
            .uses(value)
            .iter()
            .any(|r#use| !source.op(r#use.op).results().first().is_some_and(|result| of_column.contains(result)))
    };
    let is_worth = |value: Value| {
        let is_number = matches!(source.value_type(value), Type::Index | Type::Float(_));
        is_number && Slice::of(source, generic.block, &[value], |_| false).ops.len() >= LEAST
    };
    of_column.iter().copied().filter(|&value| is_read(value) && is_worth(value)).collect()
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
    each_group(emitter, extents, work, |emitter, rows, [begin, end]| {
        let buffers: IndexMap<Value, Value> =
            columns.values.iter().map(|&value| (value, table(emitter, value))).collect();
        fill(emitter, columns, &buffers, begin, end);
        emitter.tables = Some(Tables::new(emitter.source, columns, &buffers, begin));
        emitter.for_loop(rows[0], rows[1], 1, &[], |emitter, row, _| {
            let row: Vec<Lane> = delinearize(emitter, row, outer).into_iter().map(Lane::Uniform).collect();
            emit_row(emitter, pieces, &row, begin, end);
            vec![]
        });
        emitter.tables = None;
    });
}

/// A parallel loop over groups of rows and pieces of them; `build` gets the first of the rows and of the columns, and the ones behind
/// them.
pub(super) fn each_group(
    emitter: &mut Emitter<'_>,
    extents: &[Value],
    work: i64,
    build: impl FnOnce(&mut Emitter<'_>, [Value; 2], [Value; 2]),
) {
    let (&last, outer) = extents.split_last().expect("there is a last dimension");
    let rows = outer.iter().fold(emitter.index(1), |product, &extent| emitter.mul(product, extent));
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
    let op = emitter.effect("memref.alloca", &[], &[Type::memref([Some(PIECE)], element)], sizes);
    emitter.body.result(op, 0)
}

/// Computes the columns' values, one column after the other.
fn fill(emitter: &mut Emitter<'_>, columns: &Columns, buffers: &IndexMap<Value, Value>, begin: Value, end: Value) {
    emitter.for_loop(begin, end, 1, &[], |emitter, column, _| {
        let mut point = vec![None; columns.generic.rank()];
        point[columns.generic.rank() - 1] = Some(Lane::Uniform(column));
        let place = emitter.sub(column, begin);
        for (&value, &buffer) in buffers {
            let mut entry = emitter.evaluate_value(&columns.generic, &point, value);
            if let (Type::Index, Lane::Uniform(index)) = (emitter.source.value_type(value), &entry) {
                entry = Lane::Uniform(emitter.pure("arith.index_cast", &[*index], Type::I64, []));
            }
            emitter.store(&entry, buffer, &[Lane::Uniform(place)]);
        }
        vec![]
    });
}

impl Tables {
    fn new(source: &Body, columns: &Columns, buffers: &IndexMap<Value, Value>, begin: Value) -> Tables {
        let Columns { generic, values } = columns;
        let rest = Slice::of(source, generic.block, generic.yields(source), |value| values.contains(&value));
        Tables { op: generic.op, begin, buffers: buffers.clone(), rest }
    }
}

impl Emitter<'_> {
    /// Whether a value of an operation's body is computed in a row: not where it is in a table, or only others need it that are.
    pub(super) fn is_computed(&self, generic: &Generic, op: Op) -> bool {
        match &self.tables {
            Some(tables) if tables.op == generic.op => tables.rest.ops.contains(&op),
            Some(_) | None => true,
        }
    }

    /// What tables hold of an operation's body at a point of its loops.
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
            emitter.pure("arith.index_cast", &[entry], Type::Index, [])
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
