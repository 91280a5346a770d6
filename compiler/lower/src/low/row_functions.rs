//! Recognises row functions of the runtime in loops over vectors: single operations, or sequences that a micro-kernel
//! computes at once.

use abi::{COLUMN_GROUP, RowFunction};
use dialects::{OpCode, OpCodes, arith, math, memref, vector};
use ir::{Block, Body, FloatType, IndexMap, IndexSet, Op, Type, Value};

/// A function that is applied to one or several vectors.
pub(super) struct Applied {
    pub(super) function: Function,
    /// The element types of its operands and result.
    pub(super) from: Type,
    pub(super) to: Type,
    /// The operand vectors.
    pub(super) operands: Vec<Value>,
    /// The operations that are part of it, except the last, before its operands.
    inside: Vec<Op>,
}

/// The function of each element of a row.
#[derive(Clone, PartialEq)]
pub(super) enum Function {
    /// A function of the runtime, with parameters.
    Map(RowFunction, Vec<Parameter>),
    /// A lookup in a byte table in this buffer.
    LookUp(Value),
    /// Requantisation of sums of a group of channels.
    Requantize(Requantize),
    /// Quantised addition of two rows.
    AddBytes(AddBytes),
}

/// `min(max(round((x + a) f) + p, q), r)`, where `a` and `f` may be per channel.
#[derive(Clone, PartialEq)]
pub(super) struct Requantize {
    pub(super) addends: Option<Channels>,
    pub(super) factor: Factor,
    /// The zero point and the bounds.
    pub(super) round: [Parameter; 3],
}

/// `min(max(round((x + y) / s) + p, q), r)` for two dequantised operands.
#[derive(Clone, PartialEq)]
pub(super) struct AddBytes {
    pub(super) addends: [Dequantize; 2],
    /// The scale, the zero point and the bounds.
    pub(super) quantize: Vec<Parameter>,
}

/// `(x - p) s` for an int8 or uint8 element.
#[derive(Clone, PartialEq)]
pub(super) struct Dequantize {
    pub(super) is_signed: bool,
    /// The zero point and the scale.
    pub(super) parameters: Vec<Parameter>,
}

/// The scale of sums.
#[derive(Clone, PartialEq)]
pub(super) enum Factor {
    Same(Parameter),
    Each(Channels),
}

/// A value for each channel of a group: the buffer, and the index of the first, if it is not 0.
#[derive(Clone, PartialEq)]
pub(super) struct Channels {
    pub(super) buffer: Value,
    pub(super) first: Option<Value>,
}

/// A value that is the same for a whole row.
#[derive(Clone, PartialEq)]
pub(super) enum Parameter {
    /// A scalar of the program.
    Scalar(Value),
    /// The default of a missing one.
    Number(f64),
}

/// The functions that end in operations of a block. Operations that are only part of another function are none
/// themselves.
pub(super) fn applied_functions(body: &Body, block: Block, is_fixed: &dyn Fn(Value) -> bool) -> IndexMap<Op, Applied> {
    let chain = Chain { body, block, is_fixed };
    let mut parts: IndexSet<Op> = IndexSet::default();
    let mut found = IndexMap::default();
    for op in body.ops(block).rev() {
        if parts.contains(&op) {
            continue;
        }
        let Some(applied) = chain.function(op) else { continue };
        let mut own: IndexSet<Op> = [op].into_iter().collect();
        for &part in &applied.inside {
            if body.uses(body.result(part, 0)).iter().all(|r#use| own.contains(&r#use.op)) {
                own.insert(part);
            }
        }
        parts.extend(own);
        found.insert(op, applied);
    }
    found
}

/// The scalar arithmetic that ends in an operation: worth a call if a loop does nothing else.
pub(super) fn scalar_arithmetic(
    body: &Body,
    block: Block,
    op: Op,
    is_fixed: &dyn Fn(Value) -> bool,
) -> Option<Applied> {
    let chain = Chain { body, block, is_fixed };
    let &[a, b] = body.op(op).operands() else { return None };
    let (function, parameters, operand) = match body.code(op) {
        Some(arith::MULF) => match (chain.fixed(a), chain.fixed(b)) {
            (None, Some(factor)) => (RowFunction::Multiply, vec![factor], a),
            (Some(factor), None) => (RowFunction::Multiply, vec![factor], b),
            _ => return None,
        },
        Some(arith::DIVF) => (RowFunction::Divide, vec![chain.fixed(b)?], a),
        Some(arith::SUBF) => match chain.defining(a, arith::SUBF) {
            Some(inner) => {
                let (operand, first) = body.sides(inner);
                (RowFunction::Subtract, vec![chain.fixed(first)?, chain.fixed(b)?], operand)
            }
            None => (RowFunction::Subtract, vec![chain.fixed(b)?], a),
        },
        _ => return None,
    };
    Some(chain.applied(function, parameters, op, operand, vec![]))
}

/// A chain of operations of a block.
struct Chain<'a> {
    body: &'a Body,
    block: Block,
    /// Whether a value is loop-invariant.
    is_fixed: &'a dyn Fn(Value) -> bool,
}

impl Chain<'_> {
    fn function(&self, op: Op) -> Option<Applied> {
        let body = self.body;
        let composed = match body.code(op) {
            Some(arith::DIVF) => self.sigmoid(op),
            Some(math::EXP) => self.exp_difference(op),
            Some(arith::MULF) => self.swish(op).or_else(|| self.dequantize(op)),
            Some(arith::SUBF | arith::UITOFP | arith::SITOFP) => self.dequantize(op),
            Some(arith::TRUNCI) => self.quantize(op),
            Some(vector::FROM_ELEMENTS) => self.look_up(op),
            _ => None,
        };
        if composed.is_some() {
            return composed;
        }
        let (&[operand], &[result]) = (body.op(op).operands(), body.op(op).results()) else { return None };
        let [from, to] = [operand, result].map(|value| Some(body.value_type(value).as_vector()?.element.clone()));
        let (from, to) = (from?, to?);
        let function = row_function(body.code(op)?, &from, &to)?;
        Some(Applied { function: Function::Map(function, vec![]), from, to, operands: vec![operand], inside: vec![] })
    }

    /// A function from the elements of the operand to those of the last result.
    fn applied(
        &self,
        function: RowFunction,
        parameters: Vec<Parameter>,
        op: Op,
        operand: Value,
        inside: Vec<Op>,
    ) -> Applied {
        let [from, to] = [operand, self.body.result(op, 0)].map(|value| self.body.value_type(value).element().clone());
        Applied { function: Function::Map(function, parameters), from, to, operands: vec![operand], inside }
    }

    /// `1 / (1 + exp(0 - x))`
    fn sigmoid(&self, op: Op) -> Option<Applied> {
        let body = self.body;
        let (one, sum) = body.sides(op);
        let sum = self.defining(sum, arith::ADDF).filter(|_| self.number(one) == Some(1.0))?;
        let &[a, b] = body.op(sum).operands() else { return None };
        let (other, power) = if self.number(a).is_some() { (a, b) } else { (b, a) };
        let power = self.defining(power, math::EXP).filter(|_| self.number(other) == Some(1.0))?;
        let opposite = self.defining(body.sole_operand(power), arith::SUBF)?;
        let (zero, operand) = body.sides(opposite);
        let is_opposite = self.number(zero) == Some(0.0);
        is_opposite.then(|| self.applied(RowFunction::Sigmoid, vec![], op, operand, vec![sum, power, opposite]))
    }

    /// `x (1 / (1 + exp(0 - x)))`
    fn swish(&self, op: Op) -> Option<Applied> {
        let &[a, b] = self.body.op(op).operands() else { return None };
        [(a, b), (b, a)].into_iter().find_map(|(x, gate)| {
            let gate = self.defining(gate, arith::DIVF)?;
            let Applied { inside, .. } = self.sigmoid(gate).filter(|sigmoid| sigmoid.operands == [x])?;
            let inside = std::iter::once(gate).chain(inside).collect();
            Some(self.applied(RowFunction::Swish, vec![], op, x, inside))
        })
    }

    /// `exp(x - p)`
    fn exp_difference(&self, op: Op) -> Option<Applied> {
        let difference = self.defining(self.body.sole_operand(op), arith::SUBF)?;
        let (operand, parameter) = self.body.sides(difference);
        let parameter = self.fixed(parameter)?;
        Some(self.applied(RowFunction::ExpDifference, vec![parameter], op, operand, vec![difference]))
    }

    /// `(x - p) q` for an int8 or uint8 element, or only one of these steps, or only the conversion.
    fn dequantize(&self, op: Op) -> Option<Applied> {
        let body = self.body;
        let mut inside = vec![op];
        let mut at = op;
        let mut parameters = [Parameter::Number(0.0), Parameter::Number(1.0)];
        for (code, parameter) in [(arith::MULF, 1), (arith::SUBF, 0)] {
            if body.is(at, code) {
                let (before, fixed) = body.sides(at);
                parameters[parameter] = self.fixed(fixed)?;
                at = body.defining_op(before).filter(|&op| body.op(op).parent() == Some(self.block))?;
                inside.push(at);
            }
        }
        let function = match body.code(at) {
            Some(arith::UITOFP) => RowFunction::DequantizeUnsigned,
            Some(arith::SITOFP) => RowFunction::DequantizeSigned,
            _ => return None,
        };
        let operand = body.sole_operand(at);
        let applied = self.applied(function, parameters.to_vec(), op, operand, inside.split_off(1));
        (body.value_type(operand).as_vector().is_some()
            && (&applied.from, &applied.to) == (&Type::integer(8), &Type::F32))
            .then_some(applied)
    }

    /// `min(max(round(x / s) + p, q), r)` as int8 or uint8, with the bounds of the type; division and addition are
    /// optional.
    fn quantize(&self, op: Op) -> Option<Applied> {
        let body = self.body;
        let conversion = self.defining(body.sole_operand(op), arith::FPTOSI)?;
        let below = self.defining(body.sole_operand(conversion), arith::MINIMUMF)?;
        let (raised, high) = body.sides(below);
        let above = self.defining(raised, arith::MAXIMUMF)?;
        let (mut rounded, low) = body.sides(above);
        let [low, high] = [low, high].map(|bound| self.number(bound).filter(|bound| bound.abs() <= 255.0));
        let (low, high) = (Parameter::Number(low?), Parameter::Number(high?));
        let mut inside = vec![conversion, below, above];
        let mut zero_point = Parameter::Number(0.0);
        if let Some(sum) = self.defining(rounded, arith::ADDF) {
            let (before, addend) = body.sides(sum);
            zero_point = self.fixed(addend)?;
            rounded = before;
            inside.push(sum);
        }
        let rounding = self.defining(rounded, math::ROUNDEVEN)?;
        inside.push(rounding);
        let mut operand = body.sole_operand(rounding);
        let mut scale = Parameter::Number(1.0);
        if let Some(quotient) = self.defining(operand, arith::DIVF)
            && let (dividend, divisor) = body.sides(quotient)
            && let Some(fixed) = self.fixed(divisor)
        {
            scale = fixed;
            operand = dividend;
            inside.push(quotient);
        }
        if *body.value_type(body.result(op, 0)).element() != Type::I8 {
            return None;
        }
        if scale == Parameter::Number(1.0)
            && let Some((operand, addends, factor)) = self.scaled_sum(operand)
        {
            let from = body.value_type(operand).element().clone();
            let round = [zero_point, low, high];
            let function = Function::Requantize(Requantize { addends, factor, round });
            return Some(Applied { function, from, to: Type::I8, operands: vec![operand], inside });
        }
        let parameters = vec![scale, zero_point, low, high];
        if let Some((operands, addends, summed)) = self.sum_of_bytes(operand) {
            inside.extend(summed);
            let function = Function::AddBytes(AddBytes { addends, quantize: parameters });
            return Some(Applied { function, from: Type::I8, to: Type::I8, operands, inside });
        }
        let applied = self.applied(RowFunction::Quantize, parameters, op, operand, inside);
        (applied.from == Type::F32).then_some(applied)
    }

    /// `(x - p) s + (y - q) t` for int8 or uint8: the operands, their parameters, and the operations.
    fn sum_of_bytes(&self, value: Value) -> Option<(Vec<Value>, [Dequantize; 2], Vec<Op>)> {
        let sum = self.defining(value, arith::ADDF)?;
        let &[x, y] = self.body.op(sum).operands() else { return None };
        let mut inside = vec![sum];
        let mut operands = Vec::new();
        let mut addend = |value| {
            let op = self.body.defining_op(value).filter(|&op| self.body.op(op).parent() == Some(self.block))?;
            let applied = self.dequantize(op)?;
            let Function::Map(function, parameters) = applied.function else { return None };
            inside.push(op);
            inside.extend(applied.inside);
            operands.extend(applied.operands);
            Some(Dequantize { is_signed: function == RowFunction::DequantizeSigned, parameters })
        };
        let addends = [addend(x)?, addend(y)?];
        Some((operands, addends, inside))
    }

    /// `(x + a) f` for sums in i32, or in f32 with integral values; both steps are optional.
    fn scaled_sum(&self, scaled: Value) -> Option<(Value, Option<Channels>, Factor)> {
        let body = self.body;
        let product = self.defining(scaled, arith::MULF)?;
        let &[a, b] = body.op(product).operands() else { return None };
        let (sum, factor) = [(a, b), (b, a)].into_iter().find_map(|(number, factor)| {
            let sum = body.sole_operand(self.defining(number, arith::SITOFP)?);
            let each = || self.channels(factor).map(Factor::Each);
            Some((sum, self.fixed(factor).map(Factor::Same).or_else(each)?))
        })?;
        let moved = self.defining(sum, arith::ADDI).and_then(|op| {
            let &[a, b] = body.op(op).operands() else { return None };
            let channels = |sum, addends| Some((sum, self.channels(addends)?));
            channels(a, b).or_else(|| channels(b, a))
        });
        let (sum, addends) = moved.map_or((sum, None), |(sum, addends)| (sum, Some(addends)));
        if *body.value_type(sum).element() != Type::I32 {
            return None;
        }
        let float = self.defining(sum, arith::FPTOSI).map(|op| body.sole_operand(op));
        let float = float.filter(|&float| *body.value_type(float).element() == Type::F32);
        Some((float.unwrap_or(sum), addends, factor))
    }

    /// Per-channel values of a group that a loop over them reads repeatedly.
    fn channels(&self, value: Value) -> Option<Channels> {
        let body = self.body;
        let load = self.defining(value, vector::LOAD)?;
        let &[buffer, index] = body.op(load).operands() else { return None };
        let (channel, first) = match self.defining(index, arith::ADDI).map(|op| body.op(op).operands()) {
            Some(&[a, b]) if (self.is_fixed)(a) => (b, Some(a)),
            Some(&[a, b]) if (self.is_fixed)(b) => (a, Some(b)),
            _ => (index, None),
        };
        let &[counter, width] = body.op(self.defining(channel, arith::REMUI)?).operands() else { return None };
        let around = body.region_parent(body.block_region(self.block)?)?;
        let is_whole = |value| ir::constant_integer(body, value).is_some_and(|number| number % COLUMN_GROUP == 0);
        let in_groups = ir::constant_integer(body, width) == Some(COLUMN_GROUP)
            && counter == body.arguments(self.block)[0]
            && is_whole(*body.op(around).operands().first()?);
        (in_groups && (self.is_fixed)(buffer)).then_some(Channels { buffer, first })
    }

    /// The lookup of each byte of a vector in one table.
    fn look_up(&self, op: Op) -> Option<Applied> {
        let body = self.body;
        let found =
            body.op(op).operands().iter().map(|&element| self.looked_up(element)).collect::<Option<Vec<_>>>()?;
        let &(table, operand, _) = found.first()?;
        let in_order = found.iter().enumerate().all(|(at, entry)| *entry == (table, operand, at as i64));
        let is_whole = body.value_type(operand).as_vector()?.shape == [found.len() as i64];
        let [from, to] = [operand, body.result(op, 0)].map(|value| body.value_type(value).element().clone());
        let has_bytes = to != Type::I1 && to.byte_width().is_some();
        (in_order && is_whole && has_bytes && (self.is_fixed)(table)).then(|| Applied {
            function: Function::LookUp(table),
            from,
            to,
            operands: vec![operand],
            inside: vec![],
        })
    }

    /// The table that an element is read from, the vector of bytes that indexes it, and the index of the byte.
    fn looked_up(&self, element: Value) -> Option<(Value, Value, i64)> {
        let body = self.body;
        let load = self.defining(element, memref::LOAD)?;
        let &[table, index] = body.op(load).operands() else { return None };
        let byte = self.defining(body.sole_operand(self.defining(index, arith::INDEX_CASTUI)?), vector::EXTRACT)?;
        let operand = vector::Extract::of(body, byte).source;
        let place = body.op(byte).attributes.integers("static_position")?;
        let is_byte = *body.value_type(operand).element() == Type::I8;
        place.first().filter(|_| is_byte).map(|&place| (table, operand, place))
    }

    /// The operation of the block with this code that gives a value.
    fn defining(&self, value: Value, code: OpCode) -> Option<Op> {
        let op = self.body.defining_op(value)?;
        (self.body.is(op, code) && self.body.op(op).parent() == Some(self.block)).then_some(op)
    }

    /// The uniform, loop-invariant scalar of a vector.
    fn scalar(&self, value: Value) -> Option<Value> {
        let op = self.body.defining_op(value).filter(|&op| self.body.is(op, vector::BROADCAST))?;
        let scalar = self.body.sole_operand(op);
        (*self.body.value_type(scalar) == Type::F32 && (self.is_fixed)(scalar)).then_some(scalar)
    }

    fn fixed(&self, value: Value) -> Option<Parameter> {
        self.scalar(value).map(Parameter::Scalar)
    }

    /// The constant value of all elements of a vector.
    fn number(&self, value: Value) -> Option<f64> {
        let scalar = self.scalar(value)?;
        let op = self.body.defining_op(scalar).filter(|&op| self.body.is(op, arith::CONSTANT))?;
        self.body.op(op).attributes.get("value")?.as_float()
    }
}

/// The row function of a single operation.
fn row_function(code: OpCode, from: &Type, to: &Type) -> Option<RowFunction> {
    const HALF: Type = Type::Float(FloatType::F16);
    Some(match (code, from, to) {
        (arith::EXTF, &HALF, &Type::F32) => RowFunction::Widen,
        (arith::TRUNCF, &Type::F32, &HALF) => RowFunction::Narrow,
        (_, &Type::F32, _) => match code {
            math::EXP => RowFunction::Exp,
            math::EXP2 => RowFunction::Exp2,
            math::EXPM1 => RowFunction::Expm1,
            math::LOG => RowFunction::Log,
            math::LOG2 => RowFunction::Log2,
            math::LOG10 => RowFunction::Log10,
            math::LOG1P => RowFunction::Log1p,
            math::TANH => RowFunction::Tanh,
            math::ERF => RowFunction::Erf,
            math::ASIN => RowFunction::Asin,
            math::ACOS => RowFunction::Acos,
            math::ATAN => RowFunction::Atan,
            math::SIN => RowFunction::Sin,
            math::COS => RowFunction::Cos,
            _ => return None,
        },
        _ => return None,
    })
}
