//! Int8 tiles as plain loops, for code without a runtime.

use abi::{Product, Start};
use dialects::linalg::GROUP;
use dialects::rt::tile::{QUAD, Tile};
use dialects::{OpCode, arith, memref, rt};
use ir::{Type, Value};

use super::code::{Code, Place};

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
    let zero = code.index(0);
    code.for_loop((zero, tile.rows, 1), vec![], |code, row, _| {
        code.for_loop((zero, tile.columns, 1), vec![], |code, column, _| {
            bytes.element(code, row, column);
            vec![]
        });
        vec![]
    });
}

impl Bytes<'_> {
    fn element(&self, code: &mut Code<'_>, row: Value, column: Value) {
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
        let start = match self.tile.start {
            Start::Zero => code.zero_sum(),
            Start::Columns => code.value(memref::LOAD, &[self.from, column], Type::I32),
            Start::Values => code.value(memref::LOAD, &[self.out, target], Type::I32),
        };
        let sum = self.reduce(code, (0, walk.last_block), (left, right), start);
        code.store_element(sum, Place { buffer: self.out, at: target });
    }

    /// The reduction loops from `depth` on, with `steps` steps for the innermost one, from these positions in the
    /// operands.
    fn reduce(
        &self,
        code: &mut Code<'_>,
        (depth, steps): (usize, Value),
        (left, right): (Value, Value),
        sum: Value,
    ) -> Value {
        let walk = self.walk;
        let zero = code.index(0);
        let extent = if depth == 3 { steps } else { walk.reduction[depth] };
        let sums = code.for_loop((zero, extent, 1), vec![sum], |code, at, sums| {
            let left = code.add_product(left, at, walk.left[depth]);
            if depth == 3 {
                return vec![self.product(code, at, (left, right), sums[0])];
            }
            let right = code.add_product(right, at, walk.right[depth]);
            let steps = match depth {
                0 => {
                    let last = code.plus(walk.reduction[0], -1);
                    code.if_equal((at, last), walk.last_block, walk.reduction[3])
                }
                _ => steps,
            };
            vec![self.reduce(code, (depth + 1, steps), (left, right), sums[0])]
        });
        sums[0]
    }

    fn product(&self, code: &mut Code<'_>, at: Value, (left, right): (Value, Value), sum: Value) -> Value {
        let quad = code.index(QUAD);
        let within = code.rem(at, quad);
        let whole = code.sub(at, within);
        let right = code.add_product(right, whole, self.walk.right[3]);
        let right = code.add(right, within);
        let mut load = |buffer: Value, at: Value, widen: OpCode| {
            let byte = code.value(memref::LOAD, &[buffer, at], Type::I8);
            code.value(widen, &[byte], Type::I32)
        };
        let (a, b) = (load(self.left, left, arith::EXTUI), load(self.right, right, arith::EXTSI));
        let product = code.value(arith::MULI, &[a, b], Type::I32);
        code.value(arith::ADDI, &[sum, product], Type::I32)
    }
}
