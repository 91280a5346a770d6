//! One function: blocks, values, constants, and the choice of a translation for each operation.

use dialects::{OpCode, OpCodes, arith, cf, func, math, memref, rt, vector};
use std::collections::BTreeMap;

use cranelift_codegen::entity::SecondaryMap;
use cranelift_codegen::ir::{
    AbiParam, ConstantData, ExtFuncData, ExternalName, FuncRef, Function, GlobalValueData, InstBuilder, MemFlagsData,
    Signature, Type, UserExternalName, UserFuncName, Value, types,
};
use cranelift_codegen::isa::CallConv;
use cranelift_frontend::{FunctionBuilder, FunctionBuilderContext};
use ir::{Attribute, Body, Diagnostic, FunctionView, Location, Op};

use crate::form::{Form, form, is_bit, is_half, scalar_type};
use crate::link::Isa;
use crate::packed::PACKED_LANES;

/// A symbol that a function refers to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum External {
    /// Code.
    Function(String),
    /// A constant.
    Data(String),
}

impl External {
    /// The symbol's name.
    pub fn name(&self) -> &str {
        match self {
            External::Function(name) | External::Data(name) => name,
        }
    }
}

/// A function in CLIF. User-defined name number `i` stands for `externals[i]`.
pub(crate) struct Translation {
    pub(crate) function: Function,
    pub(crate) externals: Vec<External>,
    pub(crate) location: Location,
}

/// The translation of one operation, or the reason why it has none.
pub(crate) type Translated<T> = Result<T, Diagnostic>;

/// Translates one function with a body.
pub(crate) fn translate(
    function: FunctionView<'_>,
    isa: &Isa,
    frontend: &mut FunctionBuilderContext,
) -> Translated<Translation> {
    let body = function.body;
    let entry = body.entry().expect("only functions with a body are translated");
    let location = entry_location(body);
    let convention = isa.default_call_conv();
    let inputs: Vec<ir::Type> = body.arguments(entry).iter().map(|&v| body.value_type(v).clone()).collect();
    let signature = signature(&inputs, &function.r#type.results, convention)
        .ok_or_else(|| Diagnostic::internal(location.clone(), format!("@{} has a type with no ABI", function.name)))?;
    let mut clif = Function::with_name_signature(UserFuncName::default(), signature);
    let mut translator = Translator {
        body,
        builder: FunctionBuilder::new(&mut clif, frontend),
        values: SecondaryMap::new(),
        blocks: SecondaryMap::new(),
        externals: Vec::new(),
        functions: BTreeMap::new(),
        convention,
    };
    translator.blocks_and_ops()?;
    let Translator { builder, externals, .. } = translator;
    builder.finalize(isa.frontend_config());
    Ok(Translation { function: clif, externals, location })
}

fn entry_location(body: &Body) -> Location {
    let first = body.entry().and_then(|entry| body.first_op(entry));
    first.map_or(Location::Unknown, |op| body.op(op).location.clone())
}

/// A C signature; `None` when a type has no single register.
pub(crate) fn signature(inputs: &[ir::Type], results: &[ir::Type], convention: CallConv) -> Option<Signature> {
    let parameter = |r#type: &ir::Type| match form(r#type)? {
        Form::Scalar(r#type) | Form::Vector(r#type) => Some(AbiParam::new(r#type)),
        Form::Packed(_) | Form::Lanes(..) => None,
    };
    let mut signature = Signature::new(convention);
    signature.params = inputs.iter().map(parameter).collect::<Option<_>>()?;
    signature.returns = results.iter().map(parameter).collect::<Option<_>>()?;
    (results.len() <= 1).then_some(signature)
}

/// The state of one function's translation.
pub(crate) struct Translator<'a> {
    pub(crate) body: &'a Body,
    pub(crate) builder: FunctionBuilder<'a>,
    values: SecondaryMap<ir::Value, Vec<Value>>,
    pub(crate) blocks: SecondaryMap<ir::Block, Option<cranelift_codegen::ir::Block>>,
    externals: Vec<External>,
    functions: BTreeMap<String, FuncRef>,
    convention: CallConv,
}

impl Translator<'_> {
    fn blocks_and_ops(&mut self) -> Translated<()> {
        let order = self.blocks_in_order();
        for &block in &order {
            self.create_block(block)?;
        }
        for &block in &order {
            self.builder.switch_to_block(self.blocks[block].expect("just created"));
            for op in self.body.ops(block) {
                self.op(op)?;
            }
        }
        self.builder.seal_all_blocks();
        Ok(())
    }

    /// The reachable blocks in reverse post-order, so that definitions come before uses.
    fn blocks_in_order(&self) -> Vec<ir::Block> {
        let entry = self.body.entry().expect("only functions with a body are translated");
        let successors =
            |block| self.body.terminator(block).map_or(&[][..], |terminator| self.body.op(terminator).successors());
        let mut seen: SecondaryMap<ir::Block, bool> = SecondaryMap::new();
        seen[entry] = true;
        let mut stack = vec![(entry, 0)];
        let mut order = Vec::new();
        while let Some((block, next)) = stack.last_mut() {
            match successors(*block).get(*next) {
                Some(&successor) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[successor], true) {
                        stack.push((successor, 0));
                    }
                }
                None => {
                    order.push(*block);
                    stack.pop();
                }
            }
        }
        order.reverse();
        order
    }

    fn create_block(&mut self, block: ir::Block) -> Translated<()> {
        let target = self.builder.create_block();
        self.blocks[block] = Some(target);
        for &argument in self.body.arguments(block) {
            let form = form(self.body.value_type(argument)).ok_or_else(|| {
                let message = format!("a block argument has type {:?}", self.body.value_type(argument));
                Diagnostic::internal(entry_location(self.body), message)
            })?;
            let types = form.types();
            self.values[argument] = types.iter().map(|&t| self.builder.append_block_param(target, t)).collect();
        }
        Ok(())
    }

    fn op(&mut self, op: Op) -> Translated<()> {
        match self.body.code(op).ok_or_else(|| self.unknown(op))? {
            arith::CONSTANT => self.constant(op),
            code @ (arith::ADDI
            | arith::SUBI
            | arith::MULI
            | arith::ANDI
            | arith::ORI
            | arith::XORI
            | arith::SHLI
            | arith::SHRSI
            | arith::SHRUI
            | arith::DIVSI
            | arith::DIVUI
            | arith::REMSI
            | arith::REMUI
            | arith::MINSI
            | arith::MAXSI
            | arith::MINUI
            | arith::MAXUI
            | arith::CMPI
            | arith::SELECT
            | math::ABSI
            | math::CTLZ
            | math::CTPOP
            | arith::ADDF
            | arith::SUBF
            | arith::MULF
            | arith::DIVF
            | arith::NEGF
            | arith::MAXIMUMF
            | arith::MINIMUMF
            | arith::MAXNUMF
            | arith::MINNUMF
            | arith::CMPF
            | math::SQRT
            | math::ABSF
            | math::FLOOR
            | math::CEIL
            | math::TRUNC
            | math::ROUNDEVEN
            | math::COPYSIGN
            | math::FMA
            | vector::FMA
            | arith::EXTSI
            | arith::EXTUI
            | arith::INDEX_CAST
            | arith::INDEX_CASTUI
            | arith::TRUNCI
            | arith::SITOFP
            | arith::UITOFP
            | arith::FPTOSI
            | arith::FPTOUI
            | arith::EXTF
            | arith::TRUNCF
            | arith::BITCAST) => self.elementwise(op, code),
            vector::LOAD
            | vector::STORE
            | vector::MASKEDLOAD
            | vector::MASKEDSTORE
            | vector::GATHER
            | vector::BROADCAST
            | vector::EXTRACT
            | vector::INSERT
            | vector::REDUCTION
            | vector::CREATE_MASK
            | vector::CONSTANT_MASK
            | vector::SHUFFLE
            | vector::FROM_ELEMENTS
            | vector::STEP => self.vector_op(op),
            memref::LOAD
            | memref::STORE
            | memref::ALLOCA
            | memref::GET_GLOBAL
            | memref::VIEW
            | memref::CAST
            | rt::ADDRESS
            | rt::BUFFER
            | rt::LOAD_ADDRESS
            | rt::PACK
            | rt::UNPACK
            | rt::PARALLEL_FOR => self.memory_op(op),
            cf::BR | cf::COND_BR | cf::SWITCH | func::RETURN | func::CALL => self.control_op(op),
            dialects::untranslated!() => Err(self.unknown(op)),
        }
    }

    // ---- diagnostics

    /// The diagnostic for an operation that the low level does not have.
    pub(crate) fn unknown(&self, op: Op) -> Diagnostic {
        self.broken(op, "has no translation to CLIF")
    }

    /// A diagnostic about an operation that violates the rules of the low level.
    pub(crate) fn broken(&self, op: Op, problem: &str) -> Diagnostic {
        let operands: Vec<_> = self.body.op(op).operands().iter().map(|&v| self.body.value_type(v)).collect();
        let message = format!("{} {problem} (operand types {operands:?})", self.body.name(op));
        Diagnostic::internal(self.body.op(op).location.clone(), message)
    }

    // ---- values

    /// The CLIF values of a value.
    pub(crate) fn parts(&self, value: ir::Value) -> &[Value] {
        &self.values[value]
    }

    /// The only CLIF value of a scalar or 128-bit vector.
    pub(crate) fn single(&self, value: ir::Value) -> Value {
        self.values[value][0]
    }

    /// Sets a value's CLIF values.
    pub(crate) fn define(&mut self, value: ir::Value, parts: Vec<Value>) {
        self.values[value] = parts;
    }

    /// Sets the CLIF value of an operation's only result.
    pub(crate) fn set_result(&mut self, op: Op, value: Value) {
        self.define(self.body.result(op, 0), vec![value]);
    }

    /// The type of the first operand.
    pub(crate) fn operand_type(&self, op: Op) -> &ir::Type {
        self.body.value_type(self.body.operand(op, 0))
    }

    /// The type of the first result.
    pub(crate) fn result_type(&self, op: Op) -> &ir::Type {
        self.body.value_type(self.body.result(op, 0))
    }

    /// The representation of a value.
    pub(crate) fn form_of(&self, op: Op, value: ir::Value) -> Translated<Form> {
        form(self.body.value_type(value)).ok_or_else(|| self.unknown(op))
    }

    /// Lane `index` of a vector as a scalar; a scalar is its own every lane.
    pub(crate) fn lane(&mut self, value: ir::Value, index: usize) -> Value {
        let r#type = self.body.value_type(value);
        match form(r#type) {
            Some(Form::Vector(_)) => {
                let bit = is_bit(r#type.element());
                let lane = self.builder.ins().extractlane(self.values[value][0], index as u8);
                if bit { self.bit_from_mask_lane(lane) } else { lane }
            }
            Some(Form::Packed(_)) => self.builder.ins().extractlane(self.values[value][0], index as u8),
            Some(Form::Lanes(..)) => self.values[value][index],
            _ => self.values[value][0],
        }
    }

    fn bit_from_mask_lane(&mut self, lane: Value) -> Value {
        let byte = match self.builder.func.dfg.value_type(lane) {
            types::I8 => lane,
            _ => self.builder.ins().ireduce(types::I8, lane),
        };
        self.builder.ins().band_imm_u(byte, 1)
    }

    /// Sets a vector from one scalar per lane.
    pub(crate) fn define_lanes(&mut self, value: ir::Value, lanes: Vec<Value>) {
        let r#type = self.body.value_type(value);
        let Some(Form::Vector(vector) | Form::Packed(vector)) = form(r#type) else { return self.define(value, lanes) };
        let bit = is_bit(r#type.element());
        let mut result = self.vector_constant(vector, &[0; 16]);
        for (index, lane) in lanes.into_iter().enumerate() {
            let lane = if bit { self.mask_lane_from_bit(lane, vector.lane_type()) } else { lane };
            result = self.builder.ins().insertlane(result, lane, index as u8);
        }
        self.define(value, vec![result]);
    }

    /// All ones or all zeros from 1 or 0.
    pub(crate) fn mask_lane_from_bit(&mut self, bit: Value, lane: Type) -> Value {
        let wide = if lane == types::I8 { bit } else { self.builder.ins().uextend(lane, bit) };
        self.builder.ins().ineg(wide)
    }

    // ---- constants

    /// An integer constant of a scalar type.
    pub(crate) fn integer_constant(&mut self, r#type: Type, value: i64) -> Value {
        if r#type == types::I128 {
            let low = self.builder.ins().iconst(types::I64, value);
            return self.builder.ins().sextend(types::I128, low);
        }
        let bits = r#type.bits();
        let value = if bits < 64 { value & ((1 << bits) - 1) } else { value };
        self.builder.ins().iconst(r#type, value)
    }

    /// A constant vector from its bytes.
    pub(crate) fn vector_constant(&mut self, r#type: Type, bytes: &[u8]) -> Value {
        let constant = self.builder.func.dfg.constants.insert(ConstantData::from(bytes));
        self.builder.ins().vconst(r#type, constant)
    }

    /// The value of an integer constant, or of a splat of one.
    pub(crate) fn constant_integer(&self, value: ir::Value) -> Option<i64> {
        let op = self.body.defining_op(value)?;
        if !self.body.is(op, arith::CONSTANT) {
            return None;
        }
        match self.body.attribute(op, "value")? {
            Attribute::Dense(elements) => {
                let first = elements.integer(0)?;
                (0..elements.element_count()).all(|i| elements.integer(i) == Some(first)).then_some(first)
            }
            scalar => scalar.as_integer(),
        }
    }

    fn constant(&mut self, op: Op) -> Translated<()> {
        let result = self.body.result(op, 0);
        let r#type = self.body.value_type(result).clone();
        let attribute = self.body.attribute(op, "value").ok_or_else(|| self.broken(op, "has no value"))?.clone();
        match (form(&r#type), &attribute) {
            (Some(Form::Scalar(_)), _) => {
                let value = self.scalar_constant(&r#type, &attribute).ok_or_else(|| self.unknown(op))?;
                self.set_result(op, value);
            }
            (Some(Form::Packed(vector)), Attribute::Dense(elements)) => {
                let mut bytes: Vec<u8> = (0..PACKED_LANES).flat_map(|i| elements.element_bytes(i).to_vec()).collect();
                bytes.resize(16, 0);
                let value = self.vector_constant(vector, &bytes);
                self.set_result(op, value);
            }
            (Some(Form::Vector(vector)), Attribute::Dense(elements)) => {
                let bytes = vector_bytes(vector, r#type.element(), elements);
                let value = self.vector_constant(vector, &bytes);
                self.set_result(op, value);
            }
            (Some(Form::Lanes(lane, count)), Attribute::Dense(elements)) => {
                let lanes = (0..count).map(|i| self.constant_from_bytes(lane, elements.element_bytes(i))).collect();
                self.define(result, lanes);
            }
            _ => return Err(self.unknown(op)),
        }
        Ok(())
    }

    fn scalar_constant(&mut self, r#type: &ir::Type, attribute: &Attribute) -> Option<Value> {
        let scalar = scalar_type(r#type)?;
        match (r#type, attribute) {
            (ir::Type::Float(float), Attribute::Float(bits, _)) => {
                let value = f64::from_bits(*bits);
                Some(match float {
                    ir::FloatType::F32 => self.builder.ins().f32const(value as f32),
                    ir::FloatType::F64 => self.builder.ins().f64const(value),
                    ir::FloatType::F16 | ir::FloatType::BF16 => {
                        self.integer_constant(scalar, ir::floats::encode(value, *float) as i64)
                    }
                    _ => return None,
                })
            }
            (ir::Type::Integer(integer), _) if integer.width == 1 => {
                Some(self.integer_constant(scalar, attribute.as_integer()? & 1))
            }
            _ => Some(self.integer_constant(scalar, attribute.as_integer()?)),
        }
    }

    fn constant_from_bytes(&mut self, lane: Type, bytes: &[u8]) -> Value {
        let mut wide = [0; 8];
        wide[..bytes.len()].copy_from_slice(bytes);
        let bits = u64::from_le_bytes(wide);
        match lane {
            types::F32 => self.builder.ins().f32const(f32::from_bits(bits as u32)),
            types::F64 => self.builder.ins().f64const(f64::from_bits(bits)),
            _ => self.integer_constant(lane, bits as i64),
        }
    }

    // ---- symbols

    /// The user-defined name of a symbol.
    fn external(&mut self, external: External) -> ExternalName {
        let index = self.externals.iter().position(|known| *known == external).unwrap_or_else(|| {
            self.externals.push(external);
            self.externals.len() - 1
        });
        let name = UserExternalName { namespace: 0, index: index as u32 };
        ExternalName::user(self.builder.func.declare_imported_user_function(name))
    }

    /// A reference to a function of the given type.
    pub(crate) fn function(
        &mut self,
        op: Op,
        name: &str,
        inputs: &[ir::Type],
        results: &[ir::Type],
    ) -> Translated<FuncRef> {
        if let Some(&function) = self.functions.get(name) {
            return Ok(function);
        }
        let signature = signature(inputs, results, self.convention)
            .ok_or_else(|| self.broken(op, "calls a function whose type has no ABI"))?;
        let signature = self.builder.import_signature(signature);
        let external = self.external(External::Function(name.to_string()));
        let function =
            self.builder.import_function(ExtFuncData { name: external, signature, colocated: false, patchable: false });
        self.functions.insert(name.to_string(), function);
        Ok(function)
    }

    /// Calls a runtime function with one result.
    pub(crate) fn runtime_call(
        &mut self,
        op: Op,
        name: &str,
        inputs: &[ir::Type],
        result: ir::Type,
        arguments: &[Value],
    ) -> Translated<Value> {
        let function = self.function(op, name, inputs, &[result])?;
        let call = self.builder.ins().call(function, arguments);
        Ok(self.builder.inst_results(call)[0])
    }

    /// The address of a constant.
    pub(crate) fn data_address(&mut self, name: &str) -> Value {
        let name = self.external(External::Data(name.to_string()));
        let data = GlobalValueData::Symbol { name, offset: 0.into(), colocated: false, tls: false };
        let global = self.builder.create_global_value(data);
        self.builder.ins().symbol_value(types::I64, global)
    }

    // ---- elementwise operations

    /// An elementwise operation: on the whole register if CLIF supports it, otherwise scalar by scalar.
    fn elementwise(&mut self, op: Op, code: OpCode) -> Translated<()> {
        let body = self.body;
        let operands = body.op(op).operands();
        let result = body.result(op, 0);
        let result_form = self.form_of(op, result)?;
        // registers of f16 and bf16 are only moved
        let has_halves = operands.iter().chain([&result]).any(|&value| is_half(body.value_type(value).element()));
        let mut all_registers = !has_halves || body.is(op, arith::SELECT);
        let mut packed = matches!(result_form, Form::Packed(_));
        for &operand in operands {
            let form = self.form_of(op, operand)?;
            all_registers &= matches!(form, Form::Scalar(_) | Form::Vector(_));
            packed |= matches!(form, Form::Packed(_));
        }
        if packed && let Some(value) = self.packed_op(op, code) {
            self.set_result(op, value);
            return Ok(());
        }
        if let (Form::Vector(r#type), true) = (result_form, all_registers) {
            let arguments: Vec<Value> = operands.iter().map(|&v| self.single(v)).collect();
            if let Some(value) = self.register_op(op, code, r#type, &arguments) {
                self.set_result(op, value);
                return Ok(());
            }
        }
        let count = match result_form {
            Form::Scalar(_) => {
                let arguments: Vec<Value> = operands.iter().map(|&v| self.single(v)).collect();
                let value = self.scalar_op(op, code, &arguments)?;
                self.set_result(op, value);
                return Ok(());
            }
            Form::Vector(r#type) => r#type.lane_count() as usize,
            Form::Packed(_) => PACKED_LANES,
            Form::Lanes(_, count) => count,
        };
        let mut lanes = Vec::with_capacity(count);
        for index in 0..count {
            let arguments: Vec<Value> = operands.iter().map(|&v| self.lane(v, index)).collect();
            lanes.push(self.scalar_op(op, code, &arguments)?);
        }
        self.define_lanes(result, lanes);
        Ok(())
    }

    /// The 128-bit form of an operation, if CLIF has one.
    fn register_op(&mut self, op: Op, code: OpCode, r#type: Type, arguments: &[Value]) -> Option<Value> {
        self.integer_register_op(op, code, r#type, arguments)
            .or_else(|| self.float_register_op(op, code, r#type, arguments))
            .or_else(|| self.convert_register_op(op, code, r#type, arguments))
    }

    /// The scalar form of an operation.
    fn scalar_op(&mut self, op: Op, code: OpCode, arguments: &[Value]) -> Translated<Value> {
        if let Some(value) = self.integer_op(op, code, arguments) {
            return Ok(value);
        }
        if let Some(value) = self.float_op(op, code, arguments)? {
            return Ok(value);
        }
        self.convert_op(op, code, arguments)?.ok_or_else(|| self.unknown(op))
    }

    /// Reads a register as another type of the same size.
    pub(crate) fn reinterpret(&mut self, r#type: Type, value: Value) -> Value {
        if self.builder.func.dfg.value_type(value) == r#type {
            return value;
        }
        let flags = MemFlagsData::new().with_endianness(cranelift_codegen::ir::Endianness::Little);
        self.builder.ins().bitcast(r#type, flags, value)
    }
}

/// The bytes of a constant vector register; mask lanes become all ones or all zeros.
fn vector_bytes(vector: Type, element: &ir::Type, elements: &ir::DenseElements) -> Vec<u8> {
    let lanes = 0..vector.lane_count() as usize;
    if is_bit(element) {
        let width = vector.lane_type().bytes() as usize;
        return lanes.flat_map(|i| vec![if elements.element_bytes(i)[0] & 1 == 1 { 0xff } else { 0 }; width]).collect();
    }
    lanes.flat_map(|i| elements.element_bytes(i).to_vec()).collect()
}
