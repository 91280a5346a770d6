//! Gathered rows: every element of a result is an element of an operand, whose offset is the sum of an expression of
//! the row and an expression of the column. The index vector of the columns is computed once per block of rows; a
//! micro-kernel gathers a row at a time.

use dialects::{OpCodes, arith, cf, func, linalg, memref, rt, tensor};
use ir::{AffineExpr, Attribute, Body, IndexSet, Type, Value, ValueDefinition};

use super::column_tables::{PIECE, each_group};
use super::emit::Emitter;
use super::evaluate::Slice;
use super::lane::Lane;
use super::loops::{Piece, delinearize};
use super::pooling::row_start;
use super::products::{address, buffer_strides};
use dialects::linalg::generic::Generic;

/// Shorter rows are left to generated code.
const SHORTEST: i64 = 16;

/// The element of an operand that an element of the result is.
pub(super) struct Gathered {
    generic: Generic,
    operand: Value,
    subscripts: Vec<Subscript>,
    /// For each subscript, whether it depends on the column, and not on the row.
    of_column: Vec<bool>,
}

#[derive(Clone)]
enum Subscript {
    /// From an input's map.
    Affine(AffineExpr),
    /// A value of the body.
    Computed(Value),
}

/// The gather of a result's rows, unless they are runs of an operand's.
pub(super) fn gathered(emitter: &Emitter<'_>, piece: &Piece<'_>) -> Option<Gathered> {
    let source = emitter.source;
    let generic = Generic::defining(source, piece.value)?;
    let element = source.value_type(piece.value).element();
    let last = generic.rank().checked_sub(1).filter(|&last| last > 0)? as u32;
    let is_short = source.value_type(piece.value).shape()?.last()?.is_some_and(|extent| extent < SHORTEST);
    if !emitter.target.narrow || is_short || generic.is_reduction() || element.byte_width() != Some(4) {
        return None;
    }
    let &[yielded] = generic.yields(source) else { return None };
    let has_checks = source.ops(generic.block).any(|op| source.is(op, cf::ASSERT));
    if has_checks || generic.inits.len() != 1 || !generic.output_map(0).is_identity() {
        return None;
    }
    let (operand, subscripts) = element_of(source, &generic, yielded)?;
    emitter.buffer(operand)?;
    let (mut of_column, mut is_jagged) = (Vec::new(), false);
    for subscript in &subscripts {
        let (dims, is_linear) = subscript.dims(source, &generic)?;
        let is_of_column = dims.contains(&last);
        if is_of_column && dims.len() > 1 {
            return None;
        }
        of_column.push(is_of_column);
        // elements with a constant stride are read directly
        is_jagged |= is_of_column && !is_linear;
    }
    is_jagged.then_some(Gathered { generic, operand, subscripts, of_column })
}

/// The operand and the subscripts of an element.
fn element_of(source: &Body, generic: &Generic, value: Value) -> Option<(Value, Vec<Subscript>)> {
    match source.definition(value) {
        ValueDefinition::Argument { block, index } if block == generic.block => {
            let (&input, map) = (generic.inputs.get(index as usize)?, &generic.maps[index as usize]);
            source.value_type(input).as_tensor()?;
            Some((input, map.results.iter().cloned().map(Subscript::Affine).collect()))
        }
        ValueDefinition::Result { op, .. } if source.is(op, tensor::EXTRACT) => {
            let (&operand, subscripts) = source.op(op).operands().split_first()?;
            Some((operand, subscripts.iter().copied().map(Subscript::Computed).collect()))
        }
        ValueDefinition::Argument { .. } | ValueDefinition::Result { .. } => None,
    }
}

impl Subscript {
    /// The loops of an operation that this depends on, and whether it is linear in them.
    fn dims(&self, source: &Body, generic: &Generic) -> Option<(IndexSet<u32>, bool)> {
        let rank = generic.rank() as u32;
        let used = |expression: &AffineExpr| (0..rank).filter(|&dim| expression.uses_dim(dim)).collect::<Vec<u32>>();
        let value = match self {
            Subscript::Affine(expression) => {
                return Some((used(expression).into_iter().collect(), expression.as_linear(rank).is_some()));
            }
            Subscript::Computed(value) => *value,
        };
        let (mut dims, mut is_linear) = (IndexSet::default(), true);
        let slice = Slice::of(source, generic.block, &[value], |_| false);
        for op in slice.ops {
            match source.code(op) {
                Some(linalg::INDEX) => dims.extend([source.op(op).attributes.integer("dim")? as u32]),
                Some(arith::CONSTANT | arith::ADDI | arith::SUBI) => {}
                _ => is_linear = false,
            }
        }
        for argument in slice.arguments {
            let at = source.arguments(generic.block).iter().position(|&own| own == argument)?;
            let input = *generic.inputs.get(at)?;
            if source.value_type(input).as_tensor().is_some() {
                dims.extend(generic.maps[at].results.iter().flat_map(used));
                is_linear = false;
            }
        }
        Some((dims, is_linear))
    }
}

/// Emits the loops that gather a result's rows.
pub(super) fn emit_gathered(
    emitter: &mut Emitter<'_>,
    piece: &Piece<'_>,
    gathered: &Gathered,
    extents: &[Value],
    work: i64,
) {
    let outer = &extents[..extents.len() - 1];
    let buffer = emitter.buffer(gathered.operand).expect("known to be in memory");
    let strides = buffer_strides(emitter, buffer);
    let extent = emitter.buffer_extent(buffer, 0);
    let elements = emitter.mul(strides[0], extent);
    each_group(emitter, extents, work, |emitter, rows, [begin, end]| {
        let sizes = [("operandSegmentSizes", Attribute::i32_dense_array(&[0, 0]))];
        let places = emitter.effect(memref::ALLOCA, &[], &[Type::memref([Some(PIECE)], Type::I64)], sizes);
        let places = emitter.body.result(places, 0);
        emitter.for_loop(begin, end, 1, &[], |emitter, column, _| {
            let mut point = vec![None; gathered.generic.rank()];
            point[outer.len()] = Some(Lane::Uniform(column));
            let place = gathered.offset(emitter, &point, &strides, true);
            let place = emitter.pure(arith::INDEX_CAST, &[place], Type::I64, []);
            let at = emitter.sub(column, begin);
            emitter.store(&Lane::Uniform(place), places, &[Lane::Uniform(at)]);
            vec![]
        });
        let count = emitter.sub(end, begin);
        let table = emitter.pure(rt::ADDRESS, &[places], Type::Index, []);
        let callee = [("callee", Attribute::symbol("rt_prepare_places"))];
        emitter.effect(func::CALL, &[table, count], &[], callee);
        emitter.for_loop(rows[0], rows[1], 1, &[], |emitter, row, _| {
            let row: Vec<Lane> = delinearize(emitter, row, outer).into_iter().map(Lane::Uniform).collect();
            let mut point: Vec<Option<Lane>> = row.iter().cloned().map(Some).collect();
            point.push(None);
            let offset = gathered.offset(emitter, &point, &strides, false);
            let from = address(emitter, buffer, offset);
            let (to, width) = (row_start(emitter, piece, &row), emitter.index(4));
            let done = emitter.mul(begin, width);
            let to = emitter.add(to, done);
            let after = emitter.sub(elements, offset);
            let callee = [("callee", Attribute::symbol("rt_gather_row"))];
            emitter.effect(func::CALL, &[from, table, to, count, after], &[], callee);
            vec![]
        });
    });
}

impl Gathered {
    /// The offset of the columns', or the rows', subscripts at a point.
    fn offset(&self, emitter: &mut Emitter<'_>, point: &[Option<Lane>], strides: &[Value], of_column: bool) -> Value {
        let mut offset = emitter.index(0);
        let own = self.of_column.iter().map(|&column| column == of_column);
        for ((subscript, &stride), _) in self.subscripts.iter().zip(strides).zip(own).filter(|(_, own)| *own) {
            let index = match subscript {
                Subscript::Affine(expression) => emitter.affine(expression, point),
                Subscript::Computed(value) => emitter.evaluate_value(&self.generic, point, *value),
            };
            let along = emitter.mul(index.uniform().expect("a scalar point has scalar subscripts"), stride);
            offset = emitter.add(offset, along);
        }
        offset
    }
}
