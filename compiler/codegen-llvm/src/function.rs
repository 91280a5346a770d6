//! One function: blocks, values, constants, and the choice of a translation for each operation.

use dialects::rt::attributes::LEVEL;
use dialects::{OpCode, OpCodes, arith, cf, func, math, memref, rt, vector};
use inkwell::attributes::{Attribute as FunctionAttribute, AttributeLoc};
use inkwell::basic_block::BasicBlock;
use inkwell::builder::{Builder, BuilderError};
use inkwell::context::Context;
use inkwell::intrinsics::Intrinsic;
use inkwell::module::Module;
use inkwell::types::{BasicMetadataTypeEnum, BasicType, BasicTypeEnum, FunctionType, VectorType};
use inkwell::values::{BasicMetadataValueEnum, BasicValueEnum, FunctionValue, IntValue, PhiValue, VectorValue};
use ir::{Attribute, Body, Diagnostic, FunctionView, IndexMap, Location, Op};

use crate::architecture::Architecture;
use crate::form::{scalar_type, value_type};
use crate::webassembly::WebAssembly;
use crate::weights_file::Mapped;

/// Why an operation has no translation.
#[derive(Debug)]
pub(crate) enum Failure {
    /// The low level does not have it.
    Unknown,
    /// It violates the rules of the low level; the violation, as a predicate.
    Broken(&'static str),
    /// LLVM reported an error.
    Refused(String),
}

impl From<BuilderError> for Failure {
    fn from(error: BuilderError) -> Failure {
        Failure::Refused(error.to_string())
    }
}

/// The translation of one operation, or the reason why it has none.
pub(crate) type Translated<T> = Result<T, Failure>;

/// An LLVM module under construction.
pub(crate) struct Unit<'c> {
    pub(crate) context: &'c Context,
    pub(crate) module: Module<'c>,
    /// Attributes of every function defined here.
    pub(crate) attributes: Vec<FunctionAttribute>,
    /// Whether the processor has fused multiply-adds.
    pub(crate) fused: bool,
    /// What LLVM does not know of the target.
    pub(crate) architecture: &'static Architecture,
    /// What code may use if the target is WebAssembly.
    pub(crate) web: Option<WebAssembly>,
    /// Large constants that are not in the object.
    pub(crate) weights: Option<Mapped<'c>>,
}

/// Translates one function with a body.
pub(crate) fn translate(unit: &Unit<'_>, function: FunctionView<'_>) -> Result<(), Diagnostic> {
    let body = function.body;
    let entry = body.entry().expect("only functions with a body are translated");
    let inputs: Vec<ir::Type> = body.arguments(entry).iter().map(|&v| body.value_type(v).clone()).collect();
    let location = body.first_op(entry).map_or(Location::Unknown, |op| body.op(op).location.clone());
    let at_location = |message: String| Diagnostic::internal(location.clone(), message);
    let target = declare(unit, function.name, &inputs, &function.r#type.results)
        .ok_or_else(|| at_location(format!("@{} has a type with no ABI", function.name)))?;
    for attribute in &unit.attributes {
        target.add_attribute(AttributeLoc::Function, *attribute);
    }
    let level = function.attributes.integer(LEVEL);
    for attribute in level.map(|level| level_attributes(unit.context, level)).unwrap_or_default() {
        target.add_attribute(AttributeLoc::Function, attribute);
    }
    let mut translator = Translator {
        unit,
        fused: level.map_or(unit.fused, |level| level >= FUSED),
        body,
        function: target,
        builder: unit.context.create_builder(),
        values: IndexMap::default(),
        blocks: IndexMap::default(),
        phis: IndexMap::default(),
    };
    translator.blocks_and_ops()?;
    if target.verify(false) {
        return Ok(());
    }
    let problem = unit.module.verify().err().map(|error| error.to_string()).unwrap_or_default();
    Err(at_location(format!("@{} became LLVM IR that is not valid: {problem}", function.name)))
}

/// The lowest level with fused multiply-adds.
const FUSED: i64 = 3;
/// The lowest level with vectors of 512 bits.
const WIDE: i64 = 4;

fn level_attributes(context: &Context, level: i64) -> Vec<FunctionAttribute> {
    let processor = context.create_string_attribute("target-cpu", &format!("x86-64-v{level}"));
    let width = context.create_string_attribute("prefer-vector-width", "512");
    if level >= WIDE { vec![processor, width] } else { vec![processor] }
}

/// The function with a name in this module, declared if it is new; `None` if its type has no ABI.
fn declare<'c>(unit: &Unit<'c>, name: &str, inputs: &[ir::Type], results: &[ir::Type]) -> Option<FunctionValue<'c>> {
    if let Some(function) = unit.module.get_function(name) {
        return Some(function);
    }
    let function = unit.module.add_function(name, signature(unit.context, inputs, results)?, None);
    let extended = unit.context.create_enum_attribute(FunctionAttribute::get_named_enum_kind_id("zeroext"), 0);
    for (index, _) in inputs.iter().enumerate().filter(|(_, input)| **input == ir::Type::I1) {
        function.add_attribute(AttributeLoc::Param(index as u32), extended);
    }
    if results == [ir::Type::I1] {
        function.add_attribute(AttributeLoc::Return, extended);
    }
    Some(function)
}

fn signature<'c>(context: &'c Context, inputs: &[ir::Type], results: &[ir::Type]) -> Option<FunctionType<'c>> {
    let inputs: Option<Vec<BasicMetadataTypeEnum<'c>>> =
        inputs.iter().map(|input| value_type(context, input).map(Into::into)).collect();
    let inputs = inputs?;
    match results {
        [] => Some(context.void_type().fn_type(&inputs, false)),
        [result] => Some(value_type(context, result)?.fn_type(&inputs, false)),
        _ => None,
    }
}

/// The state of one function's translation.
pub(crate) struct Translator<'a, 'c> {
    pub(crate) unit: &'a Unit<'c>,
    /// Whether the processor of this function has fused multiply-adds.
    pub(crate) fused: bool,
    pub(crate) body: &'a Body,
    pub(crate) function: FunctionValue<'c>,
    pub(crate) builder: Builder<'c>,
    values: IndexMap<ir::Value, BasicValueEnum<'c>>,
    blocks: IndexMap<ir::Block, BasicBlock<'c>>,
    phis: IndexMap<ir::Block, Vec<PhiValue<'c>>>,
}

impl<'c> Translator<'_, 'c> {
    fn blocks_and_ops(&mut self) -> Result<(), Diagnostic> {
        let order = self.blocks_in_order();
        for &block in &order {
            self.create_block(block)?;
        }
        let body = self.body;
        for &block in &order {
            self.builder.position_at_end(self.blocks[&block]);
            for op in body.ops(block) {
                self.op(op).map_err(|failure| self.diagnostic(op, failure))?;
            }
        }
        Ok(())
    }

    /// The reachable blocks in reverse post-order, so that definitions come before uses.
    fn blocks_in_order(&self) -> Vec<ir::Block> {
        let entry = self.body.entry().expect("only functions with a body are translated");
        let successors =
            |block| self.body.terminator(block).map_or(&[][..], |terminator| self.body.op(terminator).successors());
        let mut seen = ir::IndexSet::from_iter([entry]);
        let mut stack = vec![(entry, 0)];
        let mut order = Vec::new();
        while let Some((block, next)) = stack.last_mut() {
            match successors(*block).get(*next) {
                Some(&successor) => {
                    *next += 1;
                    if seen.insert(successor) {
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

    /// A block with a phi for each argument; those of the entry are the function's parameters.
    fn create_block(&mut self, block: ir::Block) -> Result<(), Diagnostic> {
        let is_entry = self.blocks.is_empty();
        let target = self.unit.context.append_basic_block(self.function, "");
        self.blocks.insert(block, target);
        self.builder.position_at_end(target);
        let mut phis = Vec::new();
        for (index, &argument) in self.body.arguments(block).iter().enumerate() {
            let r#type = self.body.value_type(argument);
            let unknown = || Diagnostic::internal(Location::Unknown, format!("a block argument has type {type}"));
            let parameter = self.function.get_nth_param(index as u32).filter(|_| is_entry);
            let value = match parameter {
                Some(parameter) => parameter,
                None => {
                    let held = value_type(self.unit.context, r#type).ok_or_else(unknown)?;
                    let phi = self.builder.build_phi(held, "").map_err(|_| unknown())?;
                    phis.push(phi);
                    phi.as_basic_value()
                }
            };
            self.values.insert(argument, value);
        }
        self.phis.insert(block, phis);
        Ok(())
    }

    fn op(&mut self, op: Op) -> Translated<()> {
        match self.body.code(op).ok_or(Failure::Unknown)? {
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
            | arith::BITCAST) => {
                let value = self.elementwise(op, code)?;
                self.set_result(op, value);
                Ok(())
            }
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
            dialects::untranslated!() => Err(Failure::Unknown),
        }
    }

    /// An operation that works lane by lane.
    fn elementwise(&mut self, op: Op, code: OpCode) -> Translated<BasicValueEnum<'c>> {
        let arguments: Vec<BasicValueEnum<'c>> =
            self.body.op(op).operands().iter().map(|&operand| self.value(operand)).collect();
        if let Some(value) = self.web_op(op, code, &arguments)? {
            return Ok(value);
        }
        if let Some(value) = self.integer_op(op, code, &arguments)? {
            return Ok(value);
        }
        if let Some(value) = self.float_op(op, code, &arguments)? {
            return Ok(value);
        }
        self.convert_op(op, code, &arguments)?.ok_or(Failure::Unknown)
    }

    fn diagnostic(&self, op: Op, failure: Failure) -> Diagnostic {
        let problem = match failure {
            Failure::Unknown => "has no translation to LLVM IR".to_string(),
            Failure::Broken(problem) => problem.to_string(),
            Failure::Refused(problem) => format!("is refused by LLVM: {problem}"),
        };
        let operands: Vec<String> =
            self.body.op(op).operands().iter().map(|&v| self.body.value_type(v).to_string()).collect();
        let message = format!("{} {problem} (operand types {})", self.body.name(op), operands.join(", "));
        Diagnostic::internal(self.body.op(op).location.clone(), message)
    }

    // ---- values

    /// The LLVM value of a value.
    pub(crate) fn value(&self, value: ir::Value) -> BasicValueEnum<'c> {
        self.values[&value]
    }

    /// The LLVM value of a value that must be an integer.
    pub(crate) fn integer(&self, value: ir::Value) -> Translated<IntValue<'c>> {
        match self.value(value) {
            BasicValueEnum::IntValue(value) => Ok(value),
            _ => Err(Failure::Broken("needs a scalar integer")),
        }
    }

    /// The LLVM value of a value that must be a vector.
    pub(crate) fn vector(&self, value: ir::Value) -> Translated<VectorValue<'c>> {
        match self.value(value) {
            BasicValueEnum::VectorValue(value) => Ok(value),
            _ => Err(Failure::Broken("needs a vector")),
        }
    }

    /// The vector type of the first result.
    pub(crate) fn result_vector(&self, op: Op) -> Translated<VectorType<'c>> {
        match self.held(self.result_type(op))? {
            BasicTypeEnum::VectorType(r#type) => Ok(r#type),
            _ => Err(Failure::Broken("needs a vector")),
        }
    }

    /// Sets the LLVM value of a value.
    pub(crate) fn define(&mut self, value: ir::Value, to: BasicValueEnum<'c>) {
        self.values.insert(value, to);
    }

    /// Sets the LLVM value of an operation's only result.
    pub(crate) fn set_result(&mut self, op: Op, value: BasicValueEnum<'c>) {
        self.define(self.body.result(op, 0), value);
    }

    /// The type of the first operand.
    pub(crate) fn operand_type(&self, op: Op) -> &ir::Type {
        self.body.value_type(self.body.operand(op, 0))
    }

    /// The type of the first result.
    pub(crate) fn result_type(&self, op: Op) -> &ir::Type {
        self.body.value_type(self.body.result(op, 0))
    }

    /// The LLVM type for values of a type.
    pub(crate) fn held(&self, r#type: &ir::Type) -> Translated<BasicTypeEnum<'c>> {
        value_type(self.unit.context, r#type).ok_or(Failure::Unknown)
    }

    /// The LLVM block of a successor.
    pub(crate) fn target(&self, op: Op, index: usize) -> (BasicBlock<'c>, &[PhiValue<'c>]) {
        let block = self.body.op(op).successors()[index];
        (self.blocks[&block], &self.phis[&block])
    }

    // ---- constants

    /// The value of an integer constant, or of a splat of one.
    pub(crate) fn constant_integer(&self, value: ir::Value) -> Option<i64> {
        match ir::constant_value(self.body, value)? {
            Attribute::Dense(elements) => {
                let first = elements.integer(0)?;
                (0..elements.element_count()).all(|i| elements.integer(i) == Some(first)).then_some(first)
            }
            scalar => scalar.as_integer(),
        }
    }

    fn constant(&mut self, op: Op) -> Translated<()> {
        let r#type = self.result_type(op);
        let attribute = self.body.attribute(op, "value").ok_or(Failure::Broken("has no value"))?;
        let scalar = scalar_type(self.unit.context, r#type.element()).ok_or(Failure::Unknown)?;
        let value = match (r#type.as_vector(), attribute) {
            (None, Attribute::Float(bits, _)) => self.float_constant(r#type, f64::from_bits(*bits))?,
            (None, _) => constant_bits(scalar, attribute.as_integer().ok_or(Failure::Unknown)? as u64)?,
            (Some(_), Attribute::Dense(elements)) => {
                let lane = |index| {
                    let mut bytes = [0; 8];
                    let source = elements.element_bytes(index);
                    bytes[..source.len()].copy_from_slice(source);
                    constant_bits(scalar, u64::from_le_bytes(bytes))
                };
                let lanes = (0..elements.element_count()).map(lane).collect::<Translated<Vec<_>>>()?;
                VectorType::const_vector(&lanes).into()
            }
            _ => return Err(Failure::Unknown),
        };
        self.set_result(op, value);
        Ok(())
    }

    /// A scalar float constant, in the representation of its type.
    fn float_constant(&self, r#type: &ir::Type, value: f64) -> Translated<BasicValueEnum<'c>> {
        let ir::Type::Float(format) = r#type else { return Err(Failure::Unknown) };
        let bits = ir::floats::encode(value, *format);
        constant_bits(scalar_type(self.unit.context, r#type).ok_or(Failure::Unknown)?, bits)
    }

    // ---- symbols

    /// A function of the given type.
    pub(crate) fn external(
        &self,
        name: &str,
        inputs: &[ir::Type],
        results: &[ir::Type],
    ) -> Translated<FunctionValue<'c>> {
        declare(self.unit, name, inputs, results).ok_or(Failure::Broken("calls a function whose type has no ABI"))
    }

    /// Calls a function with a result.
    pub(crate) fn call_for_value(
        &self,
        function: FunctionValue<'c>,
        arguments: &[BasicValueEnum<'c>],
    ) -> Translated<BasicValueEnum<'c>> {
        let arguments: Vec<BasicMetadataValueEnum<'c>> = arguments.iter().map(|&argument| argument.into()).collect();
        let call = self.builder.build_call(function, &arguments, "")?;
        call.try_as_basic_value().basic().ok_or(Failure::Broken("calls a function that has no result"))
    }

    /// Calls an LLVM intrinsic, overloaded on `types`.
    pub(crate) fn intrinsic(
        &self,
        name: &str,
        types: &[BasicTypeEnum<'c>],
        arguments: &[BasicValueEnum<'c>],
    ) -> Translated<BasicValueEnum<'c>> {
        self.call_for_value(self.intrinsic_function(name, types)?, arguments)
    }

    /// An LLVM intrinsic, overloaded on `types`.
    pub(crate) fn intrinsic_function(&self, name: &str, types: &[BasicTypeEnum<'c>]) -> Translated<FunctionValue<'c>> {
        let declaration = Intrinsic::find(name).and_then(|found| found.get_declaration(&self.unit.module, types));
        declaration.ok_or_else(|| Failure::Refused(format!("{name} is not available for this type")))
    }
}

/// A scalar constant from its bits.
fn constant_bits(scalar: BasicTypeEnum<'_>, bits: u64) -> Translated<BasicValueEnum<'_>> {
    match scalar {
        BasicTypeEnum::IntType(r#type) => Ok(r#type.const_int(bits, false).into()),
        BasicTypeEnum::FloatType(r#type) if r#type.get_bit_width() == 32 => {
            Ok(r#type.const_float(f32::from_bits(bits as u32) as f64).into())
        }
        BasicTypeEnum::FloatType(r#type) => Ok(r#type.const_float(f64::from_bits(bits)).into()),
        _ => Err(Failure::Unknown),
    }
}
