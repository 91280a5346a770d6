//! Register transposition: square tiles of results whose rows run along the columns of an operand.
//!
//! As many rows as vectors have lanes are computed together. The operand's elements are loaded along its own rows and
//! transposed in registers, instead of element by element.

use dialects::{arith, vector};
use ir::{AffineExpr, Attribute, Attributes, IndexMap, IndexSet, Type, Value};

use super::emit::Emitter;
use super::lane::Lane;
use super::loops::{ASSUMED_EXTENT, Piece, each_index, emit_row, store_point};
use super::pad::all_below;
use super::products::ceil_div;
use dialects::linalg::generic::Generic;

/// The size of a cache line in bytes.
const LINE: usize = 64;
/// Columns of tiles that read parts of cache lines, and tiles that a thread computes: the next tiles, which read the
/// rest of the lines, follow while these are in the cache.
const COLUMNS: i64 = 128;
const TILES: i64 = 16;

/// Rows of a result that are computed together.
pub(super) struct Tile {
    /// Their indices, as many as vectors have lanes; the first is a multiple of that.
    rows: Vec<Value>,
    /// For the indices, and their quotients and remainders: the number of the row, and the value for the first row.
    places: IndexMap<Value, (usize, Value)>,
    /// For a buffer and all subscripts but the last: the values that each row reads there.
    blocks: IndexMap<(Value, Vec<Lane>), Vec<Value>>,
}

impl Tile {
    fn new(rows: Vec<Value>) -> Tile {
        let places = rows.iter().enumerate().map(|(number, &row)| (row, (number, rows[0]))).collect();
        Tile { rows, places, blocks: IndexMap::default() }
    }
}

/// The outer dimension of the result along which an operand is contiguous, if the result's last dimension runs along
/// another of the operand's.
pub(super) fn crossed_dim(emitter: &Emitter<'_>, value: Value, rank: usize) -> Option<usize> {
    let source = emitter.source;
    let shape = source.value_type(value).shape()?;
    let is_long = |dim: usize| shape[dim].is_none_or(|extent| extent >= emitter.lanes as i64);
    let last = rank.checked_sub(1).filter(|&last| is_long(last))?;
    let identity: Vec<AffineExpr> = (0..rank as u32).map(AffineExpr::Dim).collect();
    let mut pending = vec![(value, identity)];
    let mut seen: IndexSet<Value> = IndexSet::default();
    while let Some((value, subscripts)) = pending.pop() {
        if emitter.buffer(value).is_some() {
            let Some((inner, outer)) = subscripts.split_last() else { continue };
            let Some(dim) = consecutive_dim(inner, emitter.lanes as i64) else { continue };
            if dim != last && is_long(dim) && outer.iter().any(|e| e.uses_dim(last as u32)) {
                return Some(dim);
            }
            continue;
        }
        let Some(generic) = Generic::defining(source, value).filter(|generic| !generic.is_reduction()) else {
            continue;
        };
        if !seen.insert(value) || !generic.output_map(0).is_identity() {
            continue;
        }
        for (input, map) in generic.inputs.iter().zip(&generic.maps) {
            pending.push((*input, map.results.iter().map(|e| e.substitute(&subscripts, &[])).collect()));
        }
    }
    None
}

/// The dimension along which a subscript increases by one, at least within each `lanes` indices from a multiple of that
/// on.
fn consecutive_dim(subscript: &AffineExpr, lanes: i64) -> Option<usize> {
    match subscript {
        AffineExpr::Dim(dim) => Some(*dim as usize),
        AffineExpr::Mod(a, b) => match (&**a, &**b) {
            (AffineExpr::Dim(dim), AffineExpr::Constant(count)) if count % lanes == 0 => Some(*dim as usize),
            _ => None,
        },
        _ => None,
    }
}

/// Emits the loops that compute `pieces`, tile by tile along dimension `dim` and the last one.
pub(super) fn emit_tiles(emitter: &mut Emitter<'_>, pieces: &[Piece<'_>], extents: &[Value], dim: usize, work: i64) {
    let (&last, outer) = extents.split_last().expect("there is a last dimension");
    let lanes = emitter.lanes as i64;
    let width = emitter.index(lanes);
    let tiles = emitter.div(extents[dim], width);
    let after = emitter.mul(tiles, width);
    let rest = emitter.sub(extents[dim], after);
    let zero = emitter.index(0);
    let known = emitter.constant_value(last);
    let row_work = work.saturating_mul(known.unwrap_or(ASSUMED_EXTENT));
    let element = emitter.source.value_type(pieces[0].value).element();
    let rows = Rows { pieces, dim, last };
    if element.byte_width().is_some_and(|bytes| bytes * emitter.lanes < LINE) {
        let work = work.saturating_mul(known.unwrap_or(COLUMNS).min(COLUMNS) * lanes * TILES);
        rows.emit_runs(emitter, outer, tiles, work);
    } else {
        each_row(emitter, outer, (dim, tiles), row_work.saturating_mul(lanes), |emitter, row| {
            rows.emit_tile(emitter, row, [zero, last]);
        });
    }
    if emitter.constant_value(rest) != Some(0) {
        each_row(emitter, outer, (dim, rest), row_work, |emitter, row| {
            let mut row = row.to_vec();
            row[dim] = emitter.add(after, row[dim]);
            let row: Vec<Lane> = row.into_iter().map(Lane::Uniform).collect();
            emit_row(emitter, pieces, &row, zero, last);
        });
    }
}

/// A parallel loop over all indices below `extents`, with another extent for dimension `dim`.
fn each_row(
    emitter: &mut Emitter<'_>,
    extents: &[Value],
    (dim, extent): (usize, Value),
    work: i64,
    build: impl FnOnce(&mut Emitter<'_>, &[Value]),
) {
    let mut extents = extents.to_vec();
    extents[dim] = extent;
    each_index(emitter, &extents, work, |emitter, row| build(emitter, &row));
}

/// Rows of results that are computed tile by tile along dimension `dim`, and their length.
struct Rows<'p> {
    pieces: &'p [Piece<'p>],
    dim: usize,
    last: Value,
}

impl Rows<'_> {
    /// Runs of columns of some tiles, one tile after the other.
    fn emit_runs(&self, emitter: &mut Emitter<'_>, outer: &[Value], tiles: Value, work: i64) {
        let [columns, some] = [COLUMNS, TILES].map(|count| emitter.index(count));
        let mut extents = outer.to_vec();
        extents.remove(self.dim);
        extents.extend([ceil_div(emitter, self.last, columns), ceil_div(emitter, tiles, some)]);
        each_index(emitter, &extents, work, |emitter, mut row| {
            let [.., run, group] = row[..] else { unreachable!("runs and tiles are the innermost loops") };
            row.truncate(row.len() - 2);
            let [begin, first] = [(run, columns), (group, some)].map(|(index, step)| emitter.mul(index, step));
            let [after, end] = [(begin, columns), (first, some)].map(|(begin, count)| emitter.add(begin, count));
            let end = emitter.min(end, tiles);
            emitter.for_loop(first, end, 1, &[], |emitter, tile, _| {
                row.insert(self.dim, tile);
                self.emit_tile(emitter, &row, [begin, after]);
                vec![]
            });
        });
    }

    /// Some columns of a tile: full vectors, and a tail at the end of the row.
    fn emit_tile(&self, emitter: &mut Emitter<'_>, row: &[Value], [begin, after]: [Value; 2]) {
        let &Rows { pieces, dim, last } = self;
        let lanes = emitter.lanes as i64;
        let width = emitter.index(lanes);
        let first = emitter.mul(row[dim], width);
        let rows: Vec<Value> = (0..lanes)
            .map(|offset| {
                let offset = emitter.index(offset);
                emitter.add(first, offset)
            })
            .collect();
        let at = |index: Value| -> Vec<Lane> {
            row.iter().enumerate().map(|(axis, &own)| Lane::Uniform(if axis == dim { index } else { own })).collect()
        };
        let tail = emitter.rem(last, width);
        let main = emitter.sub(last, tail);
        let end = emitter.min(after, main);
        emitter.for_loop(begin, end, lanes, &[], |emitter, column, _| {
            emitter.tile = Some(Tile::new(rows.clone()));
            for &index in &rows {
                let point: Vec<Lane> = at(index).into_iter().chain([Lane::Iota(column)]).collect();
                store_point(emitter, pieces, &point);
            }
            emitter.tile = None;
            vec![]
        });
        if emitter.constant_value(tail) == Some(0) {
            return;
        }
        let has_tail = all_below(emitter, &[main, main], &[after, last]).expect("two indices are compared");
        emitter.if_then(has_tail, |emitter| {
            let end = emitter.add(first, width);
            emitter.for_loop(first, end, 1, &[], |emitter, index, _| {
                emit_row(emitter, pieces, &at(index), main, last);
                vec![]
            });
        });
    }
}

impl Emitter<'_> {
    /// The quotient and the remainder of the index of a row of the current tile: all rows have the same quotient.
    pub(super) fn divided_row(&mut self, row: Value, by: Value) -> Option<[Value; 2]> {
        let tile = self.tile.as_ref()?;
        let number = tile.rows.iter().position(|&known| known == row)?;
        let (first, lanes) = (tile.rows[0], self.lanes as i64);
        if self.constant_value(by)? % lanes != 0 {
            return None;
        }
        let [quotient, remainder] =
            [arith::DIVUI, arith::REMUI].map(|name| self.pure(name, &[first, by], Type::Index, []));
        let offset = self.index(number as i64);
        let own = self.add(remainder, offset);
        let places = &mut self.tile.as_mut()?.places;
        places.insert(own, (number, remainder));
        Some([quotient, own])
    }

    /// The elements that the point's row of the current tile reads along the rows of a buffer: the last subscript is
    /// the row's index, another one consecutive.
    ///
    /// All rows' last subscripts are in bounds, because each row reads its own one; therefore the block is. A constant may
    /// be the index of a row by chance, as that of an axis of extent 1 is: then the extent must have room for all rows.
    pub(super) fn load_crossed(&mut self, buffer: Value, subscripts: &[Lane], element: &Type) -> Option<Value> {
        let tile = self.tile.as_ref()?;
        let (last, outer) = subscripts.split_last()?;
        let last = last.uniform()?;
        let &(number, first) = tile.places.get(&last)?;
        let consecutive: Vec<usize> = (0..outer.len()).filter(|&axis| outer[axis].varies()).collect();
        let &[axis] = consecutive.as_slice() else { return None };
        let Lane::Iota(base) = outer[axis] else { return None };
        let key = (buffer, outer.to_vec());
        if let Some(rows) = tile.blocks.get(&key) {
            return Some(rows[number]);
        }
        let strides = self.body.value_type(buffer).as_memref().and_then(|memref| memref.strides())?;
        if *strides.last()? != Some(1) || !self.is_whole(element) {
            return None;
        }
        if self.constant_value(last).is_some() {
            let extent = (*self.body.value_type(buffer).shape()?.last()?)?;
            let after = self.constant_value(first)? + self.lanes as i64;
            if after > extent {
                return None;
            }
        }
        let r#type = Type::vector(&[self.lanes as i64], element.clone());
        let mut columns = Vec::new();
        for lane in 0..self.lanes as i64 {
            let offset = self.index(lane);
            let mut indices = Vec::with_capacity(outer.len() + 1);
            for (at, subscript) in outer.iter().enumerate() {
                indices.push(match subscript.uniform() {
                    Some(index) if at != axis => index,
                    _ => self.add(base, offset),
                });
            }
            indices.push(first);
            let load = vector::Load { base: buffer, indices: &indices };
            let op = self.effect_from(load, std::slice::from_ref(&r#type), []);
            columns.push(self.body.result(op, 0));
        }
        let rows = self.transposed(columns, &r#type);
        let found = rows[number];
        self.tile.as_mut()?.blocks.insert(key, rows);
        Some(found)
    }

    /// Transposes as many vectors as they have lanes.
    fn transposed(&mut self, vectors: Vec<Value>, r#type: &Type) -> Vec<Value> {
        match self.target.flexible_vectors {
            true => self.transposed_bit_by_bit(vectors, r#type),
            false => self.transposed_by_interleaving(vectors, r#type),
        }
    }

    /// Exchanges the numbers of vectors and of lanes bit by bit: for long vectors most lanes stay in the same part.
    fn transposed_bit_by_bit(&mut self, mut vectors: Vec<Value>, r#type: &Type) -> Vec<Value> {
        let lanes = vectors.len();
        let mut bit = 1;
        while bit < lanes {
            for low in (0..lanes).filter(|low| low & bit == 0) {
                let pair = [vectors[low], vectors[low | bit]];
                let [kept, moved] = [0, bit].map(|set| {
                    // lane `k` without the bit is the first vector's lane `k | set`, with it the second's
                    let pick = |k: usize| if k & bit == 0 { k | set } else { lanes + ((k & !bit) | set) };
                    (0..lanes).map(pick).collect::<Vec<usize>>()
                });
                vectors[low] = self.shuffled(pair, &kept, r#type);
                vectors[low | bit] = self.shuffled(pair, &moved, r#type);
            }
            bit *= 2;
        }
        vectors
    }

    /// Rotates the bits of the combined number of a vector and a lane by one position repeatedly, for which processors
    /// have an instruction: the vectors of both halves are interleaved.
    fn transposed_by_interleaving(&mut self, mut vectors: Vec<Value>, r#type: &Type) -> Vec<Value> {
        let lanes = vectors.len();
        let interleaved = |first: usize| (first..first + lanes / 2).flat_map(|k| [k, lanes + k]).collect::<Vec<_>>();
        let halves = [interleaved(0), interleaved(lanes / 2)];
        for _ in 0..lanes.ilog2() {
            let (low, high) = vectors.split_at(lanes / 2);
            let pairs: Vec<[Value; 2]> = low.iter().zip(high).map(|(&low, &high)| [low, high]).collect();
            vectors = pairs
                .into_iter()
                .flat_map(|pair| halves.iter().map(move |mask| (pair, mask)))
                .map(|(pair, mask)| self.shuffled(pair, mask, r#type))
                .collect();
        }
        vectors
    }

    fn shuffled(&mut self, [v1, v2]: [Value; 2], lanes: &[usize], r#type: &Type) -> Value {
        let lanes: Vec<i64> = lanes.iter().map(|&lane| lane as i64).collect();
        let mask = Attributes::from([("mask", Attribute::i64_dense_array(&lanes))]);
        self.pure_from(vector::Shuffle { v1, v2 }, r#type.clone(), mask)
    }
}
