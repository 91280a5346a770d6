//! Int8 tiles as loops, for code without a runtime.
//!
//! Neighbouring products are added at once, so that a column has two accumulators, whose sum is taken at the end.

use abi::{Product, Start};
use dialects::linalg::GROUP;
use dialects::rt::tile::{QUAD, Tile};
use dialects::{OpCode, arith, memref, rt, vector};
use ir::{Type, Value};

use super::code::{Code, Place};

/// The innermost reduction loop: its number of steps, the positions in both operands, and the sums.
type Innermost<'i> = dyn Fn(&mut Code<'_>, Value, (Value, Value), Vec<Value>) -> Vec<Value> + 'i;

/// An int8 tile and its buffers.
struct Bytes<'t> {
    tile: &'t Tile,
    walk: &'t Product<Value>,
    left: Value,
    right: Value,
    from: Value,
    out: Value,
}

/// Inserts the loops before a tile.
pub(super) fn expand(code: &mut Code<'_>, tile: &Tile, walk: &Product<Value>) {
    let mut buffer = |address: Value, element: Type| {
        let r#type = Type::memref([None], element);
        code.value(rt::BUFFER, &[address], r#type)
    };
    let (left, right) = (buffer(tile.left, Type::I8), buffer(tile.right, Type::I8));
    let (from, out) = (buffer(tile.from, Type::I32), buffer(tile.out, Type::I32));
    let bytes = Bytes { tile, walk, left, right, from, out };
    let rest = bytes.rest(code);
    let zero = code.index(0);
    code.for_loop((zero, tile.rows, 1), vec![], |code, row, _| {
        let mut first = zero;
        if let Some(rest) = rest {
            let width = code.index(COLUMNS);
            let single = code.rem(tile.columns, width);
            first = code.sub(tile.columns, single);
            code.for_loop((zero, first, COLUMNS), vec![], |code, column, _| {
                bytes.columns(code, row, column, rest);
                vec![]
            });
        }
        code.for_loop((first, tile.columns, 1), vec![], |code, column, _| {
            bytes.element(code, row, column);
            vec![]
        });
        vec![]
    });
}

/// Columns that are computed together, and in one vector.
const COLUMNS: i64 = 8;
const VECTOR_COLUMNS: i64 = 4;
/// Lanes of a vector.
const LANES: i64 = VECTOR_COLUMNS * QUAD;

fn lanes_of(lanes: i64, element: Type) -> Type {
    Type::vector(&[lanes], element)
}

/// The positions of the operands of one column, and of its result.
struct Element {
    left: Value,
    right: Value,
    target: Value,
}

impl Bytes<'_> {
    /// The steps of the innermost loop after whole quads, if bytes of a quad are neighbours in both operands and that number is
    /// the same in all iterations of the outer ones.
    fn rest(&self, code: &Code<'_>) -> Option<i64> {
        let walk = self.walk;
        let steps = [walk.last_block, walk.reduction[3]].map(|steps| code.known(steps).map(|steps| steps % QUAD));
        let are_dense = code.known(walk.left[3]) == Some(1) && code.known(walk.right[3]) == Some(GROUP);
        steps[0].filter(|_| are_dense && steps[0] == steps[1])
    }

    fn place(&self, code: &mut Code<'_>, row: Value, column: Value) -> Element {
        let walk = self.walk;
        let width = code.at_least_one(walk.row_inner);
        let (outer, inner) = (code.div(row, width), code.rem(row, width));
        let group_width = code.index(GROUP);
        let (group, lane) = (code.div(column, group_width), code.rem(column, group_width));
        let rows = |code: &mut Code<'_>, [near, far]: [Value; 2]| {
            let line = code.mul(outer, far);
            code.add_product(line, inner, near)
        };
        let left = rows(code, walk.left_rows);
        let target = rows(code, walk.out_rows);
        let target = code.add_product(target, group, walk.out_group);
        let target = code.add(target, lane);
        let quad = code.index(QUAD);
        let right = code.mul(group, walk.right_group);
        let right = code.add_product(right, lane, quad);
        Element { left, right, target }
    }

    /// [`COLUMNS`] elements of a row, which are in one group.
    fn columns(&self, code: &mut Code<'_>, row: Value, column: Value, rest: i64) {
        let Element { left, right, target } = self.place(code, row, column);
        let zero = code.zero_sum();
        let zeros = code.value(vector::BROADCAST, &[zero], lanes_of(LANES / 2, Type::I32));
        let sums = vec![zeros; (COLUMNS / VECTOR_COLUMNS) as usize];
        let sums =
            self.reduce(code, (0, self.walk.last_block), (left, right), sums, &|code, steps, (left, right), sums| {
                let (rest_steps, zero) = (code.index(rest), code.index(0));
                let whole = code.sub(steps, rest_steps);
                let sums = code.for_loop((zero, whole, QUAD), sums, |code, at, sums| {
                    let at_left = code.add(left, at);
                    let bytes = vector::Load { base: self.left, indices: &[at_left] };
                    let bytes = code.value_from(bytes, lanes_of(QUAD, Type::I8));
                    self.quad(code, bytes, (right, at), sums)
                });
                if rest == 0 {
                    return sums;
                }
                let bytes: Vec<Value> =
                    (0..QUAD).map(|step| self.byte_or_zero(code, (left, whole), step, rest)).collect();
                let bytes = code.value(vector::FROM_ELEMENTS, &bytes, lanes_of(QUAD, Type::I8));
                self.quad(code, bytes, (right, whole), sums)
            });
        for (number, sum) in (0..).zip(sums) {
            let after = number * VECTOR_COLUMNS;
            let (column, target) = (code.plus(column, after), code.plus(target, after));
            let mut load =
                |base, at| code.value_from(vector::Load { base, indices: &[at] }, lanes_of(VECTOR_COLUMNS, Type::I32));
            let start = match self.tile.start {
                Start::Zero => None,
                Start::Columns => Some(load(self.from, column)),
                Start::Values => Some(load(self.out, target)),
            };
            let mut total = start;
            for parity in 0..2 {
                let part = code.lanes_from(sum, VECTOR_COLUMNS, (2, parity), Type::I32);
                total = Some(match total {
                    Some(total) => code.value(arith::ADDI, &[total, part], lanes_of(VECTOR_COLUMNS, Type::I32)),
                    None => part,
                });
            }
            let total = total.expect("a quad has lanes");
            code.store(total, Place { buffer: self.out, at: target }, None);
        }
    }

    /// The left operand's byte at a step of the last quad, of which only `rest` exist.
    fn byte_or_zero(&self, code: &mut Code<'_>, (left, whole): (Value, Value), step: i64, rest: i64) -> Value {
        if step >= rest {
            return code.zero_byte();
        }
        let at = code.add(left, whole);
        let at = code.plus(at, step);
        code.value_from(memref::Load { memref: self.left, indices: &[at] }, Type::I8)
    }

    /// Adds the products of a quad of the left operand with those of all columns, `at` steps after the right operand's first.
    fn quad(&self, code: &mut Code<'_>, bytes: Value, (right, at): (Value, Value), sums: Vec<Value>) -> Vec<Value> {
        let bytes = code.value(arith::EXTUI, &[bytes], lanes_of(QUAD, Type::I16));
        let mask: Vec<i64> = (0..LANES).map(|lane| lane % QUAD).collect();
        let factors = code.shuffle(bytes, &mask, Type::I16);
        let group = code.index(GROUP);
        let first = code.add_product(right, at, group);
        let add = |(number, sum): (i64, Value)| {
            let at = code.plus(first, number * LANES);
            let columns = vector::Load { base: self.right, indices: &[at] };
            let columns = code.value_from(columns, lanes_of(LANES, Type::I8));
            let columns = code.value(arith::EXTSI, &[columns], lanes_of(LANES, Type::I16));
            let [wide, columns] =
                [factors, columns].map(|factor| code.value(arith::EXTSI, &[factor], lanes_of(LANES, Type::I32)));
            let products = code.value(arith::MULI, &[wide, columns], lanes_of(LANES, Type::I32));
            // most processors have an instruction for this
            let [even, odd] = [0, 1].map(|parity| code.lanes_from(products, LANES / 2, (2, parity), Type::I32));
            let pairs = code.value(arith::ADDI, &[even, odd], lanes_of(LANES / 2, Type::I32));
            code.value(arith::ADDI, &[sum, pairs], lanes_of(LANES / 2, Type::I32))
        };
        (0..).zip(sums).map(add).collect()
    }

    fn element(&self, code: &mut Code<'_>, row: Value, column: Value) {
        let Element { left, right, target } = self.place(code, row, column);
        let mut load = |memref, at| code.value_from(memref::Load { memref, indices: &[at] }, Type::I32);
        let start = match self.tile.start {
            Start::Zero => code.zero_sum(),
            Start::Columns => load(self.from, column),
            Start::Values => load(self.out, target),
        };
        let sums = self.reduce(
            code,
            (0, self.walk.last_block),
            (left, right),
            vec![start],
            &|code, steps, (left, right), sums| {
                let zero = code.index(0);
                code.for_loop((zero, steps, 1), sums, |code, at, sums| {
                    let left = code.add_product(left, at, self.walk.left[3]);
                    vec![self.product(code, at, (left, right), sums[0])]
                })
            },
        );
        code.store_element(sums[0], Place { buffer: self.out, at: target });
    }

    /// The reduction loops from `depth` on, with `steps` steps for the innermost one, from these positions in the
    /// operands.
    fn reduce(
        &self,
        code: &mut Code<'_>,
        (depth, steps): (usize, Value),
        (left, right): (Value, Value),
        sums: Vec<Value>,
        innermost: &Innermost<'_>,
    ) -> Vec<Value> {
        let walk = self.walk;
        if depth == 3 {
            return innermost(code, steps, (left, right), sums);
        }
        let zero = code.index(0);
        code.for_loop((zero, walk.reduction[depth], 1), sums, |code, at, sums| {
            let left = code.add_product(left, at, walk.left[depth]);
            let right = code.add_product(right, at, walk.right[depth]);
            let steps = match depth {
                0 => {
                    let last = code.plus(walk.reduction[0], -1);
                    code.if_equal((at, last), walk.last_block, walk.reduction[3])
                }
                _ => steps,
            };
            self.reduce(code, (depth + 1, steps), (left, right), sums, innermost)
        })
    }

    fn product(&self, code: &mut Code<'_>, at: Value, (left, right): (Value, Value), sum: Value) -> Value {
        let quad = code.index(QUAD);
        let within = code.rem(at, quad);
        let whole = code.sub(at, within);
        let right = code.add_product(right, whole, self.walk.right[3]);
        let right = code.add(right, within);
        let mut load = |memref: Value, at: Value, widen: OpCode| {
            let byte = code.value_from(memref::Load { memref, indices: &[at] }, Type::I8);
            code.value(widen, &[byte], Type::I32)
        };
        let (a, b) = (load(self.left, left, arith::EXTUI), load(self.right, right, arith::EXTSI));
        let product = code.value(arith::MULI, &[a, b], Type::I32);
        code.value(arith::ADDI, &[sum, product], Type::I32)
    }
}
