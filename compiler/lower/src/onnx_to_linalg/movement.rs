//! Operators that move elements without looking at them, and those that make tensors from sizes.

use ir::{AffineExpr, AffineMap, Attribute, Attributes, DimExpr, Op, Type, Value};

use super::elementwise::{Comparison, Scalars};
use super::reduction::normalize_axis;
use super::{Lowering, Unsupported};
use crate::generic::Input;

/// Lowers a movement operator.
pub(super) fn lower(lowering: &mut Lowering<'_>, op: Op, name: &str) -> Result<(), Unsupported> {
    let operation = lowering.source.op(op).clone();
    let result = operation.results()[0];
    let shape = lowering.shape(result);
    let element = lowering.element(result);
    let value = match name {
        "Reshape" | "Flatten" | "Squeeze" | "Unsqueeze" => {
            define_extents(lowering, op, result)?;
            let input = lowering.value(operation.operands()[0]);
            lowering.reshape(input, &shape)
        }
        "Transpose" => transpose(lowering, op),
        "Expand" => {
            define_extents(lowering, op, result)?;
            let from = lowering.shape(operation.operands()[0]);
            let input = lowering.value(operation.operands()[0]);
            let input = lowering.broadcast_input(input, &from, &shape);
            lowering.pointwise(&[input], &shape, element, |_, e| e[0])
        }
        "Tile" => tile(lowering, operation.operands()[0], &shape, element),
        "Concat" => return concat(lowering, op),
        "Shape" | "Size" => return Err(Unsupported::new("the extents of its operand are not known")),
        "ConstantOfShape" => {
            define_extents(lowering, op, result)?;
            let dense = operation.attributes.get("value").and_then(Attribute::as_dense).cloned();
            let fill = match dense {
                Some(dense) => {
                    let attribute = crate::kernel::emit::scalar_attribute(&dense, 0);
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
        "Trilu" => trilu(lowering, op, &shape, element)?,
        "EyeLike" => eye(lowering, &operation.attributes, &shape, element),
        "DepthToSpace" | "SpaceToDepth" => block_shuffle(lowering, op, name, &shape)?,
        _ => return Err(Unsupported::new("there is no lowering for this operator yet")),
    };
    lowering.bind(result, value);
    Ok(())
}

/// Computes the extents of a result that are read from its shape operand while the model runs.
fn define_extents(lowering: &mut Lowering<'_>, op: Op, result: Value) -> Result<(), Unsupported> {
    let source =
        lowering.source.op(op).operands().get(if lowering.source.name(op) == "onnx.ConstantOfShape" { 0 } else { 1 });
    let sizes = source.copied();
    let shape = lowering.shape(result);
    for (axis, dim) in shape.iter().enumerate() {
        if !lowering.is_own_symbol(dim, result) {
            continue;
        }
        let sizes = sizes.ok_or_else(|| Unsupported::new("its result's shape is not known"))?;
        if lowering.source.name(op) != "onnx.ConstantOfShape" && lowering.source.name(op) != "onnx.Reshape" {
            return Err(Unsupported::new("its result's shape depends on the contents of a tensor"));
        }
        let tensor = lowering.value(sizes);
        let position = lowering.index(axis as i64);
        let element = lowering.body.value_type(tensor).element().clone();
        let loaded = lowering.builder().value("tensor.extract", &[tensor, position], element, []);
        let extent = lowering.builder().value("arith.index_cast", &[loaded], Type::Index, []);
        let zero = lowering.index(0);
        let extent = lowering.builder().value("arith.maxsi", &[extent, zero], Type::Index, []);
        lowering.define_dim(dim, extent);
    }
    Ok(())
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

fn tile(lowering: &mut Lowering<'_>, operand: Value, shape: &[DimExpr], element: Type) -> Value {
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
        use dialects::onnx::shape::SymbolSource;
        dim.as_symbol().is_some_and(|symbol| {
            matches!(self.shapes.sources.get(symbol), Some(SymbolSource::Result { value, .. }) if *value == result)
        })
    }
}

fn range(lowering: &mut Lowering<'_>, op: Op, shape: &[DimExpr], element: Type) -> Result<Value, Unsupported> {
    let operation = lowering.source.op(op).clone();
    let scalars: Vec<Value> = operation
        .operands()
        .iter()
        .map(|&operand| {
            let tensor = lowering.value(operand);
            let rank = lowering.shape(operand).len();
            let zero = lowering.index(0);
            let operands: Vec<Value> = std::iter::once(tensor).chain(std::iter::repeat_n(zero, rank)).collect();
            lowering.builder().value("tensor.extract", &operands, element.clone(), [])
        })
        .collect();
    if lowering.is_own_symbol(&shape[0], operation.results()[0]) {
        let count = range_count(lowering, &scalars, &element);
        lowering.define_dim(&shape[0], count);
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
fn range_count(lowering: &mut Lowering<'_>, scalars: &[Value], element: &Type) -> Value {
    let mut builder = lowering.builder();
    let mut s = Scalars { builder: &mut builder, unsigned: false };
    let difference = s.sub(scalars[1], scalars[0]);
    let _ = element;
    let (difference, delta) =
        (s.cast(difference, &Type::F64, false, false), s.cast(scalars[2], &Type::F64, false, false));
    let quotient = s.div(difference, delta);
    let rounded = s.same("math.ceil", &[quotient]);
    let zero = s.number(0.0, &Type::F64);
    let count = s.max(rounded, zero);
    let count = s.cast(count, &Type::I64, false, false);
    builder.value("arith.index_cast", &[count], Type::Index, [])
}

fn trilu(lowering: &mut Lowering<'_>, op: Op, shape: &[DimExpr], element: Type) -> Result<Value, Unsupported> {
    let operation = lowering.source.op(op).clone();
    let upper = operation.attributes.integer("upper") != Some(0);
    let diagonal = match lowering.operand(op, 1) {
        Some(k) => lowering.known_integers(k).ok_or_else(|| Unsupported::new("its diagonal is not constant"))?[0],
        None => 0,
    };
    let rank = shape.len();
    let input = Input { value: lowering.value(operation.operands()[0]), map: AffineMap::identity(rank) };
    Ok(lowering.pointwise(&[input], shape, element, |builder, e| {
        let difference = diagonal_offset(builder, rank);
        let mut s = Scalars { builder, unsigned: false };
        let diagonal = s.number(diagonal as f64, &Type::Index);
        let what = if upper { Comparison::GreaterOrEqual } else { Comparison::LessOrEqual };
        let keep = s.compare(what, difference, diagonal);
        let zero = s.like(0.0, e[0]);
        s.select(keep, e[0], zero)
    }))
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
        _ => (vec![n, c, h.floor_div(&size), size.clone(), w.floor_div(&size), size], [0, 3, 5, 1, 2, 4]),
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
