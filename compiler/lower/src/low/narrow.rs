//! Element types without hardware arithmetic: 8-bit and 4-bit floats, integers of odd widths.
//!
//! In registers and in memory they are `i8`. Floats are decoded by a table of all their values and encoded by a table
//! over the upper half of an `f32`, so that neither code generators nor the runtime need to know the formats.
//! Arithmetic on them is done in `f32`, arithmetic on narrow integers in `i8`.
//!
//! Invariants
//! - The bits of an `i8` above a narrow integer's width are unspecified: every reader extends first.
//! - Floats out of range become the largest finite number, unless the operation has `saturate = false`.

use dialects::arith::CmpIPredicate;
use dialects::{OpCode, OpCodes, arith, memref, vector};
use ir::{
    Attribute, Attributes, Blob, Body, Builder, DenseElements, FloatType, IndexMap, Location, Module, Op, Result, Type,
    Value,
};

use super::elementary::Arithmetic;
use super::expand::Inline;
use super::floats::Floats;
use super::scope::{definitions, with_body};

/// Entries of a table of all values of an 8-bit format.
const DECODED: usize = 1 << 8;
/// Entries of a table over the upper halves of `f32`.
const ENCODED: usize = 1 << 16;

/// Turns every value and buffer of a narrow type into one of `i8`.
pub(super) fn widen_narrow_types(module: &mut Module) -> Result<()> {
    let mut tables = IndexMap::default();
    for op in definitions(module) {
        let changed = with_body(module, op, |_, body| widen_body(body, &mut tables));
        if changed {
            module.update_function_type(op);
        }
    }
    widen_globals(module);
    for (name, elements) in tables {
        add_table(module, &name, elements);
    }
    Ok(())
}

/// Whether a scalar type is stored in an `i8` of another type.
fn is_narrow(element: &Type) -> bool {
    match element {
        Type::Float(float) => float.width() < 16,
        Type::Integer(integer) => !matches!(integer.width, 1 | 8 | 16 | 32 | 64) && integer.width < 8,
        _ => false,
    }
}

fn widen_body(body: &mut Body, tables: &mut IndexMap<String, DenseElements>) -> bool {
    let ops = body.walk_all();
    let narrow = |body: &Body, values: &[Value]| values.iter().any(|&v| is_narrow(body.value_type(v).element()));
    let mut changed = body.entry().is_some_and(|entry| narrow(body, body.arguments(entry)));
    // readers first, while the producers still have the original types
    for op in ops.into_iter().rev() {
        let operation = body.op(op);
        if narrow(body, operation.operands()) || narrow(body, operation.results()) {
            changed = true;
            widen_op(body, op, tables);
        }
    }
    if changed {
        retype(body);
    }
    changed
}

/// Replaces operations that compute on narrow values; data movement keeps its form.
fn widen_op(body: &mut Body, op: Op, tables: &mut IndexMap<String, DenseElements>) {
    let dialect = body.op(op).name.dialect().to_string();
    match body.code(op) {
        Some(arith::CONSTANT) => widen_constant(body, op),
        Some(arith::SELECT) => {}
        Some(arith::BITCAST) => {
            let value = body.sole_operand(op);
            let from = body.value_type(value).clone();
            let to = body.value_type(body.result(op, 0)).clone();
            let byte_or_narrow = |r#type: &Type| is_narrow(r#type.element()) || *r#type.element() == Type::I8;
            if byte_or_narrow(&from) && byte_or_narrow(&to) {
                body.replace(op, &[value]);
            }
        }
        _ if matches!(dialect.as_str(), "arith" | "math") => {
            let operation = body.op(op).clone();
            let result = body.value_type(operation.results()[0]).clone();
            let lanes = result.as_vector().map(|vector| vector.shape[0]);
            let mut builder = Builder::before(body, op);
            let mut widener =
                Widener { arithmetic: Arithmetic { builder: &mut builder, lanes, inline: Inline::Singles }, tables };
            let value = widener.compute(&operation, result.element());
            body.replace(op, &[value]);
        }
        _ => {}
    }
}

fn widen_constant(body: &mut Body, op: Op) {
    let r#type = body.value_type(body.result(op, 0)).clone();
    let value = match body.attribute(op, "value").expect("a constant has a value") {
        Attribute::Float(bits, Type::Float(format)) => {
            Attribute::Integer(ir::floats::encode(f64::from_bits(*bits), *format) as i64, Type::I8)
        }
        Attribute::Integer(value, _) => Attribute::Integer(*value, Type::I8),
        Attribute::Dense(elements) => {
            Attribute::dense(DenseElements { r#type: r#type.with_element(Type::I8), ..(**elements).clone() })
        }
        other => other.clone(),
    };
    body.op_mut(op).attributes.set("value", value);
}

/// Gives every value of a narrow type, and every buffer of such elements, the element type `i8`.
fn retype(body: &mut Body) {
    let entry = body.entry();
    let mut values: Vec<Value> = entry.map(|entry| body.arguments(entry).to_vec()).unwrap_or_default();
    for op in body.walk_all() {
        values.extend(body.op(op).results());
        for &region in body.op(op).regions() {
            for &block in body.blocks(region) {
                values.extend(body.arguments(block));
            }
        }
    }
    for value in values {
        let r#type = body.value_type(value);
        if is_narrow(r#type.element()) {
            let wide = r#type.with_element(Type::I8);
            body.set_value_type(value, wide);
        }
    }
}

/// Computes one operation with its narrow operands widened and its narrow result narrowed again.
struct Widener<'t, 'a, 'b> {
    arithmetic: Arithmetic<'a, 'b>,
    tables: &'t mut IndexMap<String, DenseElements>,
}

impl Widener<'_, '_, '_> {
    fn compute(&mut self, operation: &ir::Operation, result: &Type) -> Value {
        let code = OpCode::of_name(&operation.name);
        let unsigned = matches!(code, Some(arith::EXTUI | arith::UITOFP | arith::FPTOUI | arith::INDEX_CASTUI))
            || CmpIPredicate::of_operation(operation).is_some_and(CmpIPredicate::is_unsigned);
        let operands: Vec<Value> = operation.operands().iter().map(|&operand| self.widen(operand, unsigned)).collect();
        let wide = self.wide_type(result, code);
        let from = self.element(operands[0]);
        let value = match code {
            // wide enough operands need no conversion
            Some(arith::EXTF | arith::TRUNCF | arith::EXTSI | arith::EXTUI | arith::TRUNCI) => {
                self.resize(operands[0], &from, &wide, unsigned)
            }
            _ => {
                let r#type = self.arithmetic.shaped(wide.clone());
                let attributes = operation.attributes.clone();
                // floats wrap around in a narrow integer, whatever its signedness
                let wraps = code == Some(arith::FPTOUI) && is_narrow(result);
                let name = if wraps { arith::FPTOSI.into() } else { operation.name.clone() };
                self.arithmetic.builder.value(name, &operands, r#type, attributes)
            }
        };
        let saturate = operation.attributes.get("saturate") != Some(&Attribute::Bool(false));
        self.narrow(value, result, &wide, saturate)
    }

    fn element(&self, value: Value) -> Type {
        self.arithmetic.builder.body.value_type(value).element().clone()
    }

    /// The type that an operation's result is computed in.
    fn wide_type(&self, result: &Type, code: Option<OpCode>) -> Type {
        match result {
            _ if !is_narrow(result) => result.clone(),
            Type::Float(_) => Type::F32,
            _ if matches!(code, Some(arith::FPTOSI | arith::FPTOUI)) => Type::I32,
            _ => Type::I8,
        }
    }

    fn resize(&mut self, value: Value, from: &Type, to: &Type, unsigned: bool) -> Value {
        let (narrower, wider) = match (to, unsigned) {
            (Type::Float(_), _) => (arith::TRUNCF, arith::EXTF),
            (_, true) => (arith::TRUNCI, arith::EXTUI),
            (_, false) => (arith::TRUNCI, arith::EXTSI),
        };
        match from.bit_width().cmp(&to.bit_width()) {
            std::cmp::Ordering::Equal => value,
            std::cmp::Ordering::Less => self.arithmetic.convert(wider, value, to.clone()),
            std::cmp::Ordering::Greater => self.arithmetic.convert(narrower, value, to.clone()),
        }
    }

    /// An operand in `f32` or, extended, in `i8`.
    fn widen(&mut self, value: Value, unsigned: bool) -> Value {
        let element = self.element(value);
        match &element {
            _ if !is_narrow(&element) => value,
            Type::Float(format) => {
                let (name, format) = (format!("decode_{}", format.keyword()), *format);
                self.tables.entry(name.clone()).or_insert_with(|| decoding_table(format));
                self.look_up(&name, DECODED, value, Type::F32)
            }
            _ => {
                let unused = 8 - element.bit_width().unwrap_or(8) as i8;
                let count = self.byte(unused);
                let raised = self.arithmetic.builder.value(arith::SHLI, &[value, count], self.bytes(), []);
                let name = if unsigned { arith::SHRUI } else { arith::SHRSI };
                self.arithmetic.builder.value(name, &[raised, count], self.bytes(), [])
            }
        }
    }

    fn bytes(&self) -> Type {
        self.arithmetic.shaped(Type::I8)
    }

    fn byte(&mut self, value: i8) -> Value {
        self.arithmetic.constant(Attribute::Integer(value as i64, Type::I8), &value.to_le_bytes(), Type::I8)
    }

    /// A result of a narrow type from what it was computed in.
    fn narrow(&mut self, value: Value, result: &Type, wide: &Type, saturate: bool) -> Value {
        match result {
            _ if !is_narrow(result) => value,
            Type::Float(format) => self.encode(value, *format, saturate),
            _ if *wide == Type::I32 => self.arithmetic.convert(arith::TRUNCI, value, Type::I8),
            _ => value,
        }
    }

    /// Rounds by the upper half of the bits; of the lower half only matters whether it is zero, which suffices for
    /// rounding to so few bits.
    fn encode(&mut self, value: Value, format: FloatType, saturate: bool) -> Value {
        let name = format!("encode_{}{}", format.keyword(), if saturate { "" } else { "_unbounded" });
        self.tables.entry(name.clone()).or_insert_with(|| encoding_table(format, saturate));
        let bits = self.arithmetic.convert(arith::BITCAST, value, Type::I32);
        let (half, mask, zero) =
            (self.arithmetic.integer(16), self.arithmetic.integer(0xffff), self.arithmetic.integer(0));
        let upper = self.arithmetic.apply(arith::SHRUI, &[bits, half]);
        let lower = self.arithmetic.apply(arith::ANDI, &[bits, mask]);
        let mask_type = self.arithmetic.shaped(Type::I1);
        let predicate = CmpIPredicate::Ne.attribute();
        let sticky = self.arithmetic.builder.value(arith::CMPI, &[lower, zero], mask_type, [predicate]);
        let sticky = self.arithmetic.convert(arith::EXTUI, sticky, Type::I32);
        let index = self.arithmetic.apply(arith::ORI, &[upper, sticky]);
        self.look_up(&name, ENCODED, index, Type::I8)
    }

    /// Reads a table lane by lane at unsigned indices.
    fn look_up(&mut self, table: &str, entries: usize, index: Value, element: Type) -> Value {
        let lanes = self.arithmetic.lanes;
        let builder = &mut *self.arithmetic.builder;
        let buffer = Type::memref([Some(entries as i64)], element.clone());
        let table = builder.value(memref::GET_GLOBAL, &[], buffer, [("name", Attribute::symbol(table))]);
        let read = |builder: &mut Builder<'_>, index: Value| {
            let index = builder.value(arith::INDEX_CASTUI, &[index], Type::Index, []);
            builder.value_from(memref::Load { memref: table, indices: &[index] }, element.clone(), [])
        };
        let Some(lanes) = lanes else { return read(builder, index) };
        let scalar = builder.body.value_type(index).element().clone();
        let values: Vec<Value> = (0..lanes)
            .map(|lane| {
                let position = ("static_position", Attribute::i64_dense_array(&[lane]));
                let index = vector::Extract { source: index, dynamic_position: &[] };
                let index = builder.value_from(index, scalar.clone(), [position]);
                read(builder, index)
            })
            .collect();
        builder.value(vector::FROM_ELEMENTS, &values, Type::vector(&[lanes], element), [])
    }
}

/// The value of every code.
fn decoding_table(format: FloatType) -> DenseElements {
    let codes = 1u64 << format.width();
    let values = (0..DECODED as u64).map(|code| ir::floats::decode(code % codes, format) as f32);
    let bytes: Vec<u8> = values.flat_map(f32::to_le_bytes).collect();
    DenseElements::new(Type::static_tensor(&[DECODED as i64], Type::F32), Blob::copy_of(&bytes))
}

/// The code for every upper half of an `f32`.
fn encoding_table(format: FloatType, saturate: bool) -> DenseElements {
    let values: Vec<f64> = (0..1u64 << format.width()).map(|code| ir::floats::decode(code, format)).collect();
    let finite = values.iter().copied().filter(|value| value.is_finite());
    let (lowest, largest) = finite.fold((0.0f64, 0.0f64), |(low, high), value| (low.min(value), high.max(value)));
    let has_nan = values.iter().any(|value| value.is_nan());
    let codes = (0..ENCODED as u32).map(|upper| {
        let value = f32::from_bits(upper << 16) as f64;
        let bounded = match value.is_nan() {
            true if !has_nan => -0.0,
            false if saturate => value.clamp(lowest, largest),
            _ => value,
        };
        ir::floats::encode(bounded, format) as u8
    });
    let bytes: Vec<u8> = codes.collect();
    DenseElements::new(Type::static_tensor(&[ENCODED as i64], Type::I8), Blob::copy_of(&bytes))
}

fn add_table(module: &mut Module, name: &str, elements: DenseElements) {
    let shape = elements.r#type.shape().expect("tables are ranked");
    let attributes = Attributes::from([
        ("sym_name", Attribute::string(name)),
        ("sym_visibility", Attribute::string("private")),
        ("type", Attribute::Type(Type::memref(shape, elements.r#type.element().clone()))),
        ("constant", Attribute::Unit),
        ("initial_value", Attribute::dense(elements)),
    ]);
    let global = module.body.create_op(memref::GLOBAL, &[], &[], attributes, Location::Unknown);
    let top = module.body.entry().expect("a module has one block");
    module.body.append(top, global);
}

fn widen_globals(module: &mut Module) {
    for op in module.ops().to_vec() {
        let attributes = &mut module.body.op_mut(op).attributes;
        let Some(r#type) = attributes.get("type").and_then(Attribute::as_type).cloned() else { continue };
        if !is_narrow(r#type.element()) {
            continue;
        }
        attributes.set("type", Attribute::Type(r#type.with_element(Type::I8)));
        if let Some(Attribute::Dense(elements)) = attributes.get("initial_value").cloned() {
            let r#type = elements.r#type.with_element(Type::I8);
            attributes.set("initial_value", Attribute::dense(DenseElements { r#type, ..(*elements).clone() }));
        }
    }
}
