//! Operators that move elements without looking at them, and those that make tensors from sizes.

use ir::{AffineExpr, AffineMap, Attribute, Attributes, DimExpr, Op, Type, Value};

use super::reduction::normalize_axis;
use super::scalars::{Comparison, Scalars};
use super::sizes::EXTENT_LIMIT;
use super::{Lowering, Unsupported};
use dialects::linalg::generic::Input;

/// Lowers a movement operator.
pub(super) fn lower(lowering: &mut Lowering<'_>, op: Op, name: &str) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let result = operation.results()[0];
    let shape = lowering.shape(result);
    let element = lowering.element(result);
    let value = match name {
        "Reshape" | "Flatten" | "Squeeze" | "Unsqueeze" => {
            if name == "Reshape" {
                settle_reshape(lowering, op);
            }
            let input = lowering.shaped(operation.operands()[0]);
            let (from, to) = (DimExpr::product(&input.shape), DimExpr::product(&shape));
            lowering.check_equal(&from, &to, format!("the shape {name} makes has another number of elements"));
            lowering.reshape(input.value, &shape)
        }
        "Transpose" => transpose(lowering, op),
        "Expand" => {
            settle_expand(lowering, op)?;
            let from = lowering.shape(operation.operands()[0]);
            let input = lowering.value(operation.operands()[0]);
            let input = lowering.broadcast_input(input, &from, &shape);
            lowering.pointwise(&[input], &shape, element, |_, e| e[0])
        }
        "Tile" => tile(lowering, op, &shape, element),
        "Concat" => return concat(lowering, op),
        "Shape" | "Size" => return Err(Unsupported::new("the extents of its operand are not known")),
        "ConstantOfShape" => {
            settle_filled(lowering, op);
            let dense = operation.attributes.get("value").and_then(Attribute::as_dense).cloned();
            let fill = match dense {
                Some(dense) => {
                    let attribute = dense.element_attribute(0);
                    let attribute = match attribute {
                        Attribute::Integer(value, _) => Attribute::Integer(value, element.clone()),
                        other => other,
                    };
                    lowering.builder().constant(attribute, element.clone())
                }
                None => lowering.number(0.0, &element),
            };
            lowering.pointwise(&[], &shape, element, |_, _| fill)
        }
        "Range" => range(lowering, op, &shape, element)?,
        "Trilu" => trilu(lowering, op, &shape, element),
        "EyeLike" => eye(lowering, &operation.attributes, &shape, element),
        "DepthToSpace" | "SpaceToDepth" => block_shuffle(lowering, op, name, &shape)?,
        _ => return Err(Unsupported::new("there is no lowering for this operator yet")),
    };
    lowering.bind(result, value);
    Ok(())
}

/// The sizes operand, unless shape inference knows what it holds.
fn unknown_sizes(lowering: &Lowering<'_>, op: Op, index: usize) -> Option<Value> {
    lowering.operand(op, index).filter(|&sizes| lowering.shapes.known_value(sizes).is_none())
}

fn settle_filled(lowering: &mut Lowering<'_>, op: Op) {
    let result = lowering.source.op(op).results()[0];
    let Some(sizes) = unknown_sizes(lowering, op, 0) else { return };
    for axis in 0..lowering.shape(result).len() {
        let size = lowering.integer(sizes, axis);
        lowering.settle(result, axis, size);
    }
}

/// The extents a target shape gives: 0 copies the operand's unless `allowzero` is set, -1 is what is left.
fn settle_reshape(lowering: &mut Lowering<'_>, op: Op) {
    let Some(target) = unknown_sizes(lowering, op, 1) else { return };
    let operation = lowering.source.op(op).clone();
    let (result, copies) = (operation.results()[0], operation.attributes.integer("allowzero") != Some(1));
    let input = lowering.shape(operation.operands()[0]);
    let (zero, one) = (lowering.index(0), lowering.index(1));
    let mut others = one;
    let mut sizes = Vec::new();
    for axis in 0..lowering.shape(result).len() {
        let raw = lowering.integer(target, axis);
        let copied = input.get(axis).filter(|_| copies).map(|dim| lowering.dim(dim));
        let (size, is_rest) = lowering.scalars(|s| {
            let is_zero = s.compare(Comparison::Equal, raw, zero);
            let size = copied.map_or(raw, |copied| s.select(is_zero, copied, raw));
            let minus = s.number(-1.0, &Type::Index);
            let is_rest = s.compare(Comparison::Equal, raw, minus);
            let factor = s.select(is_rest, one, size);
            others = s.mul(others, factor);
            (size, is_rest)
        });
        sizes.push((size, is_rest));
    }
    let total = lowering.dim(&DimExpr::product(&input));
    let rest = lowering.scalars(|s| {
        let divisor = s.max(others, one);
        s.div(total, divisor)
    });
    for (axis, (size, is_rest)) in sizes.into_iter().enumerate() {
        let extent = lowering.scalars(|s| s.select(is_rest, rest, size));
        lowering.settle(result, axis, extent);
    }
}

/// Each extent is the operand's, or the target's where the operand's is 1.
fn settle_expand(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let Some(target) = unknown_sizes(lowering, op, 1) else { return Ok(()) };
    let result = operation.results()[0];
    let input = lowering.shape(operation.operands()[0]);
    let rank = lowering.shape(result).len();
    let count = lowering.shape(target).first().and_then(DimExpr::as_constant);
    let count = count.ok_or_else(|| Unsupported::new("the number of its sizes is not known"))? as usize;
    let one = lowering.index(1);
    for axis in 0..rank {
        let own = (axis + input.len()).checked_sub(rank).map_or(DimExpr::ONE, |axis| input[axis].clone());
        let own = lowering.dim(&own);
        let wanted = match (axis + count).checked_sub(rank) {
            Some(position) => lowering.integer(target, position),
            None => one,
        };
        let (extent, fits) = lowering.scalars(|s| {
            let repeats = s.compare(Comparison::Equal, own, one);
            let extent = s.select(repeats, wanted, own);
            let (same, single) = (s.compare(Comparison::Equal, wanted, own), s.compare(Comparison::Equal, wanted, one));
            let fits = s.same("arith.ori", &[repeats, same]);
            (extent, s.same("arith.ori", &[fits, single]))
        });
        lowering.check(fits, "the operand of Expand does not broadcast to the shape");
        lowering.settle(result, axis, extent);
    }
    Ok(())
}

fn settle_tile(lowering: &mut Lowering<'_>, op: Op) {
    let Some(repeats) = unknown_sizes(lowering, op, 1) else { return };
    let operation = lowering.source.op(op).clone();
    for (axis, dim) in lowering.shape(operation.operands()[0]).iter().enumerate() {
        let (extent, repeats) = (lowering.dim(dim), lowering.integer(repeats, axis));
        // a count beyond the limit makes an extent beyond it, unless there is nothing to repeat
        let extent = lowering.scalars(|s| {
            let (least, most) = (s.number(-1.0, &Type::Index), s.number(EXTENT_LIMIT as f64, &Type::Index));
            let high = s.min(repeats, most);
            let bounded = s.max(high, least);
            s.mul(extent, bounded)
        });
        lowering.settle(operation.results()[0], axis, extent);
    }
}

fn transpose(lowering: &mut Lowering<'_>, op: Op) -> Value {
    let operation = lowering.source.op(op).clone();
    let (operand, result) = (operation.operands()[0], operation.results()[0]);
    let rank = lowering.shape(operand).len();
    let permutation: Vec<usize> = match operation.attributes.integers("perm") {
        Some(permutation) => permutation.iter().map(|&axis| axis as usize).collect(),
        None => (0..rank).rev().collect(),
    };
    // result axis i is operand axis permutation[i]
    let mut inverse = vec![0; rank];
    for (axis, &from) in permutation.iter().enumerate() {
        inverse[from] = axis;
    }
    let input = Input { value: lowering.value(operand), map: AffineMap::select(rank, &inverse) };
    let (shape, element) = (lowering.shape(result), lowering.element(result));
    lowering.pointwise(&[input], &shape, element, |_, e| e[0])
}

fn tile(lowering: &mut Lowering<'_>, op: Op, shape: &[DimExpr], element: Type) -> Value {
    settle_tile(lowering, op);
    let operand = lowering.source.op(op).operands()[0];
    let from = lowering.shape(operand);
    let tensor = lowering.value(operand);
    let extents: Vec<Value> = from.iter().map(|dim| lowering.dim(dim)).collect();
    lowering.pointwise(&[], shape, element.clone(), |builder, _| {
        let mut operands = vec![tensor];
        for (axis, &extent) in extents.iter().enumerate() {
            let index = builder.value("linalg.index", &[], Type::Index, [("dim", Attribute::i64(axis as i64))]);
            operands.push(builder.value("arith.remui", &[index, extent], Type::Index, []));
        }
        builder.value("tensor.extract", &operands, element, [])
    })
}

fn concat(lowering: &mut Lowering<'_>, op: Op) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let result = operation.results()[0];
    let shape = lowering.shape(result);
    let axis = operation.attributes.integer("axis").ok_or_else(|| Unsupported::new("it has no axis"))?;
    let axis = normalize_axis(axis, shape.len())?;
    for &operand in operation.operands() {
        for (_, (own, dim)) in lowering.shape(operand).iter().zip(&shape).enumerate().filter(|(at, _)| *at != axis) {
            lowering.check_equal(own, dim, "operands of Concat differ in an axis they are not joined along");
        }
    }
    let blocked = lowering.concat_blocked(operation.operands(), axis);
    let operands: Vec<Value> = operation
        .operands()
        .iter()
        .map(|&operand| if blocked { lowering.blocked(operand).value } else { lowering.value(operand) })
        .collect();
    let shape = if blocked { super::blocked::blocked_shape(&shape) } else { shape };
    let value = match operands[..] {
        [only] => only,
        _ => lowering.concat(&operands, &shape, axis),
    };
    match blocked {
        true => lowering.bind_blocked(result, value),
        false => lowering.bind(result, value),
    }
    Ok(())
}

impl Lowering<'_> {
    /// `tensor.concat` along an axis.
    pub fn concat(&mut self, operands: &[Value], shape: &[DimExpr], axis: usize) -> Value {
        let element = self.body.value_type(operands[0]).element().clone();
        let r#type = self.tensor(shape, element);
        let attributes =
            Attributes::from([("dim", Attribute::i64(axis as i64)), ("rt.origin", Attribute::string("concat"))]);
        let op = self.emit("tensor.concat", operands, &[r#type], attributes);
        self.body.result(op, 0)
    }

    /// Whether `dim` is a symbol that stands for an extent of `result` itself.
    pub fn is_own_symbol(&self, dim: &DimExpr, result: Value) -> bool {
        use crate::shape::SymbolSource;
        dim.as_symbol().is_some_and(|symbol| {
            matches!(self.shapes.sources.get(symbol), Some(SymbolSource::Result { value, .. }) if *value == result)
        })
    }
}

fn range(lowering: &mut Lowering<'_>, op: Op, shape: &[DimExpr], element: Type) -> Result<Value, Unsupported> {
    let operation = lowering.source.op(op).clone();
    let scalars: Vec<Value> = operation.operands().iter().map(|&operand| lowering.only_element(operand)).collect();
    if lowering.is_own_symbol(&shape[0], operation.results()[0]) {
        let unsigned = lowering.is_unsigned(operation.results()[0]);
        let count = range_count(lowering, &scalars, unsigned);
        lowering.settle(operation.results()[0], 0, count);
    }
    Ok(lowering.pointwise(&[], shape, element.clone(), |builder, _| {
        let index = builder.value("linalg.index", &[], Type::Index, [("dim", Attribute::i64(0))]);
        let step = match element {
            Type::Float(_) => {
                let integer = builder.value("arith.index_cast", &[index], Type::I64, []);
                builder.value("arith.sitofp", &[integer], element, [])
            }
            _ => builder.value("arith.index_cast", &[index], element, []),
        };
        let mut s = Scalars { builder, unsigned: false };
        let offset = s.mul(step, scalars[2]);
        s.add(scalars[0], offset)
    }))
}

/// `max(ceil((limit - start) / delta), 0)`, in f64.
fn range_count(lowering: &mut Lowering<'_>, scalars: &[Value], unsigned: bool) -> Value {
    let (count, moves) = lowering.scalars(|s| {
        let wide = |s: &mut Scalars<'_, '_>, value: Value| s.cast(value, &Type::F64, unsigned, false);
        let difference = match s.type_of(scalars[0]) {
            // the difference is one of the element type
            Type::Float(_) => {
                let difference = s.sub(scalars[1], scalars[0]);
                wide(s, difference)
            }
            _ => {
                let (limit, start) = (wide(s, scalars[1]), wide(s, scalars[0]));
                s.sub(limit, start)
            }
        };
        let delta = wide(s, scalars[2]);
        let quotient = s.div(difference, delta);
        let rounded = s.same("math.ceil", &[quotient]);
        let zero = s.number(0.0, &Type::F64);
        let count = s.max(rounded, zero);
        let moves = {
            let still = s.compare(Comparison::Equal, delta, zero);
            s.not(still)
        };
        let count = s.cast(count, &Type::I64, false, false);
        (s.builder.value("arith.index_cast", &[count], Type::Index, []), moves)
    });
    lowering.check(moves, "its step is 0");
    count
}

fn trilu(lowering: &mut Lowering<'_>, op: Op, shape: &[DimExpr], element: Type) -> Value {
    let operation = lowering.source.op(op).clone();
    let upper = operation.attributes.integer("upper") != Some(0);
    let diagonal = match lowering.operand(op, 1) {
        Some(k) => lowering.scalar_index(k),
        None => lowering.index(0),
    };
    let rank = shape.len();
    let input = Input { value: lowering.value(operation.operands()[0]), map: AffineMap::identity(rank) };
    lowering.pointwise(&[input], shape, element, |builder, e| {
        let difference = diagonal_offset(builder, rank);
        let mut s = Scalars { builder, unsigned: false };
        let what = if upper { Comparison::GreaterOrEqual } else { Comparison::LessOrEqual };
        let keep = s.compare(what, difference, diagonal);
        let zero = s.like(0.0, e[0]);
        s.select(keep, e[0], zero)
    })
}

/// Column minus row of the innermost matrix.
fn diagonal_offset(builder: &mut ir::Builder<'_>, rank: usize) -> Value {
    let mut index =
        |axis: usize| builder.value("linalg.index", &[], Type::Index, [("dim", Attribute::i64(axis as i64))]);
    let (row, column) = (index(rank - 2), index(rank - 1));
    builder.value("arith.subi", &[column, row], Type::Index, [])
}

fn eye(lowering: &mut Lowering<'_>, attributes: &Attributes, shape: &[DimExpr], element: Type) -> Value {
    let diagonal = attributes.integer("k").unwrap_or(0);
    lowering.pointwise(&[], shape, element.clone(), |builder, _| {
        let difference = diagonal_offset(builder, 2);
        let mut s = Scalars { builder, unsigned: false };
        let diagonal = s.number(diagonal as f64, &Type::Index);
        let here = s.compare(Comparison::Equal, difference, diagonal);
        let (one, zero) = (s.number(1.0, &element), s.number(0.0, &element));
        s.select(here, one, zero)
    })
}

/// Reshape to six dimensions, permute, reshape back.
fn block_shuffle(lowering: &mut Lowering<'_>, op: Op, name: &str, result: &[DimExpr]) -> Result<Value, Unsupported> {
    let operation = lowering.source.op(op).clone();
    let operand = operation.operands()[0];
    let block = operation.attributes.integer("blocksize").ok_or_else(|| Unsupported::new("it has no blocksize"))?;
    let size = DimExpr::Constant(block);
    let from = lowering.shape(operand);
    let (n, c, h, w) = (from[0].clone(), from[1].clone(), from[2].clone(), from[3].clone());
    let area = DimExpr::Constant(block * block);
    let columns_first = operation.attributes.str("mode") == Some("CRD");
    let (split, permutation): (Vec<DimExpr>, [usize; 6]) = match (name, columns_first) {
        ("DepthToSpace", false) => (vec![n, size.clone(), size, c.floor_div(&area), h, w], [0, 3, 4, 1, 5, 2]),
        ("DepthToSpace", true) => (vec![n, c.floor_div(&area), size.clone(), size, h, w], [0, 1, 4, 2, 5, 3]),
        (_, columns_first) => {
            let split = vec![n, c, h.floor_div(&size), size.clone(), w.floor_div(&size), size];
            (split, if columns_first { [0, 1, 3, 5, 2, 4] } else { [0, 3, 5, 1, 2, 4] })
        }
    };
    let value = lowering.value(operand);
    let element = lowering.body.value_type(value).element().clone();
    let wide = lowering.reshape(value, &split);
    let mut inverse = [0; 6];
    for (axis, &from) in permutation.iter().enumerate() {
        inverse[from] = axis;
    }
    let shape: Vec<DimExpr> = permutation.iter().map(|&axis| split[axis].clone()).collect();
    let results = inverse.iter().map(|&axis| AffineExpr::Dim(axis as u32)).collect();
    let input = Input { value: wide, map: AffineMap::new(6, results) };
    let moved = lowering.pointwise(&[input], &shape, element, |_, e| e[0]);
    Ok(lowering.reshape(moved, result))
}
