//! Operations of `vector`.

use dialects::{OpCodes, vector};
use inkwell::IntPredicate;
use inkwell::types::{BasicType, BasicTypeEnum, VectorType};
use inkwell::values::{BasicValue, BasicValueEnum, InstructionOpcode, IntValue, VectorValue};
use ir::Op;

use crate::architecture::Extremes;
use crate::extreme::Extreme;
use crate::form::{is_bit, is_half, vector_of, with_scalar};
use crate::function::{Failure, Translated, Translator};
use crate::memory::ACCESS_ALIGNMENT;

/// `ShapedType::kDynamic`: a position given by an operand.
const DYNAMIC: i64 = i64::MIN;

impl<'c> Translator<'_, 'c> {
    /// Operations of `vector` other than the elementwise ones.
    pub(crate) fn vector_op(&mut self, op: Op) -> Translated<()> {
        let value = match self.body.code(op) {
            Some(vector::LOAD) => {
                let vector::Load { base, indices } = vector::Load::of(self.body, op);
                let address = self.element_address(base, indices)?;
                self.load(self.result_type(op).element(), self.held(self.result_type(op))?, address)?
            }
            Some(vector::STORE) => {
                let vector::Store { value, base, indices } = vector::Store::of(self.body, op);
                let address = self.element_address(base, indices)?;
                return self.store(self.body.value_type(value).element(), self.value(value), address);
            }
            Some(vector::MASKEDLOAD) => self.masked_load(op)?,
            Some(vector::MASKEDSTORE) => return self.masked_store(op),
            Some(vector::GATHER) => self.gather(op)?,
            Some(vector::BROADCAST) => self.broadcast(op)?,
            Some(vector::EXTRACT) => {
                let vector::Extract { source, dynamic_position } = vector::Extract::of(self.body, op);
                let position = self.position(op, dynamic_position)?;
                self.builder.build_extract_element(self.vector(source)?, position, "")?
            }
            Some(vector::INSERT) => {
                let vector::Insert { value_to_store, dest, dynamic_position } = vector::Insert::of(self.body, op);
                let position = self.position(op, dynamic_position)?;
                let (dest, value) = (self.vector(dest)?, self.value(value_to_store));
                self.builder.build_insert_element(dest, value, position, "")?.into()
            }
            Some(vector::REDUCTION) => self.reduction(op)?,
            Some(vector::CREATE_MASK) => self.create_mask(op)?,
            Some(vector::CONSTANT_MASK) => self.constant_mask(op)?,
            Some(vector::SHUFFLE) => self.shuffle(op)?,
            Some(vector::FROM_ELEMENTS) => {
                let lanes: Vec<BasicValueEnum<'c>> =
                    self.body.op(op).operands().iter().map(|&operand| self.value(operand)).collect();
                self.vector_of_lanes(&lanes)?
            }
            Some(vector::STEP) => {
                let count = self.result_vector(op)?.get_size();
                let number = |at: u32| self.unit.context.i64_type().const_int(at.into(), false);
                VectorType::const_vector(&(0..count).map(number).collect::<Vec<_>>()).into()
            }
            _ => return Err(Failure::Unknown),
        };
        self.set_result(op, value);
        Ok(())
    }

    // ---- lanes

    fn lane_number(&self, at: u32) -> IntValue<'c> {
        self.unit.context.i64_type().const_int(at.into(), false)
    }

    /// Lane `at` of a vector.
    pub(crate) fn lane(&self, value: BasicValueEnum<'c>, at: u32) -> Translated<BasicValueEnum<'c>> {
        match value {
            BasicValueEnum::VectorValue(vector) => {
                Ok(self.builder.build_extract_element(vector, self.lane_number(at), "")?)
            }
            _ => Ok(value),
        }
    }

    /// A vector from one scalar per lane.
    pub(crate) fn vector_of_lanes(&self, lanes: &[BasicValueEnum<'c>]) -> Translated<BasicValueEnum<'c>> {
        let first = lanes.first().ok_or(Failure::Broken("needs lanes"))?;
        let mut vector = vector_of(first.get_type(), lanes.len() as u32).ok_or(Failure::Unknown)?.get_poison();
        for (at, lane) in lanes.iter().enumerate() {
            vector = self.builder.build_insert_element(vector, *lane, self.lane_number(at as u32), "")?;
        }
        Ok(vector.into())
    }

    fn broadcast(&self, op: Op) -> Translated<BasicValueEnum<'c>> {
        let source = self.value(self.body.sole_operand(op));
        match source {
            BasicValueEnum::VectorValue(_) if self.operand_type(op) == self.result_type(op) => Ok(source),
            BasicValueEnum::VectorValue(_) => Err(Failure::Unknown),
            _ => self.splat(source, self.result_vector(op)?.get_size()),
        }
    }

    /// The same scalar in every lane.
    fn splat(&self, scalar: BasicValueEnum<'c>, lanes: u32) -> Translated<BasicValueEnum<'c>> {
        let poison = vector_of(scalar.get_type(), lanes).ok_or(Failure::Unknown)?.get_poison();
        let first = self.builder.build_insert_element(poison, scalar, self.lane_number(0), "")?;
        let zeros = self.unit.context.i32_type().vec_type(lanes).const_zero();
        Ok(self.builder.build_shuffle_vector(first, poison, zeros, "")?.into())
    }

    /// The only position of an extract or insert: a lane number, or the operand with it.
    fn position(&self, op: Op, dynamic: &[ir::Value]) -> Translated<IntValue<'c>> {
        let position = self.body.op(op).attributes.integers("static_position").unwrap_or_default();
        match (&*position, dynamic) {
            ([DYNAMIC], &[operand]) => self.integer(operand),
            ([position], []) => {
                let lane =
                    u32::try_from(*position).map_err(|_| Failure::Broken("has a position outside its vector"))?;
                Ok(self.lane_number(lane))
            }
            _ => Err(Failure::Unknown),
        }
    }

    fn shuffle(&self, op: Op) -> Translated<BasicValueEnum<'c>> {
        let vector::Shuffle { v1, v2 } = vector::Shuffle::of(self.body, op);
        let (first, second) = (self.vector(v1)?, self.vector(v2)?);
        let mask = self.body.op(op).attributes.integers("mask").unwrap_or_default();
        let (split, rest) = (first.get_type().get_size(), second.get_type().get_size());
        let width = split.max(rest);
        let lane = |at: i64| {
            let at = u32::try_from(at).ok().filter(|&at| at < split + rest)?;
            Some(if at < split { at } else { at - split + width })
        };
        let lanes: Option<Vec<u32>> = mask.iter().map(|&at| lane(at)).collect();
        let lanes = lanes.ok_or(Failure::Broken("has a mask that does not match its operands"))?;
        let (first, second) = (self.widened(first, width)?, self.widened(second, width)?);
        Ok(self.builder.build_shuffle_vector(first, second, self.lane_list(&lanes), "")?.into())
    }

    pub(crate) fn lane_list(&self, lanes: &[u32]) -> VectorValue<'c> {
        let number = |&at: &u32| self.unit.context.i32_type().const_int(at.into(), false);
        VectorType::const_vector(&lanes.iter().map(number).collect::<Vec<_>>())
    }

    /// A vector extended to a width with undefined lanes.
    fn widened(&self, vector: VectorValue<'c>, width: u32) -> Translated<VectorValue<'c>> {
        let own = vector.get_type().get_size();
        if own == width {
            return Ok(vector);
        }
        let lanes: Vec<u32> = (0..width).map(|at| at.min(own)).collect();
        Ok(self.builder.build_shuffle_vector(vector, vector.get_type().get_poison(), self.lane_list(&lanes), "")?)
    }

    // ---- memory

    /// The alignment as an operand of masked accesses, which have none since LLVM 22: it is one byte there unless an
    /// attribute states another.
    fn alignment_operand(&self) -> Option<BasicValueEnum<'c>> {
        let alignment = self.unit.context.i32_type().const_int(ACCESS_ALIGNMENT.into(), false);
        (!cfg!(feature = "llvm22")).then(|| alignment.into())
    }

    /// The type a vector has in memory.
    fn stored_vector(&self, vector: VectorType<'c>, element: &ir::Type) -> BasicTypeEnum<'c> {
        let vector = vector.as_basic_type_enum();
        if is_bit(element) { with_scalar(vector, self.unit.context.i8_type().into()) } else { vector }
    }

    fn masked_load(&self, op: Op) -> Translated<BasicValueEnum<'c>> {
        let vector::Maskedload { base, indices, mask, pass_thru } = vector::Maskedload::of(self.body, op);
        let address = self.element_address(base, indices)?.as_basic_value_enum();
        let (mask, otherwise) = (self.value(mask), self.value(pass_thru));
        self.load_where(op, "llvm.masked.load", address, mask, otherwise)
    }

    /// `gather %base[%offset][%indices], %mask, %otherwise`
    fn gather(&self, op: Op) -> Translated<BasicValueEnum<'c>> {
        let vector::Gather { base, offsets, indices, mask, pass_thru } = vector::Gather::of(self.body, op);
        let start = self.element_address(base, offsets)?;
        let addresses = self.element_addresses(self.result_type(op).element(), start, self.vector(indices)?)?;
        let (mask, otherwise) = (self.value(mask), self.value(pass_thru));
        self.load_where(op, "llvm.masked.gather", addresses.into(), mask, otherwise)
    }

    fn load_where(
        &self,
        op: Op,
        intrinsic: &str,
        address: BasicValueEnum<'c>,
        mask: BasicValueEnum<'c>,
        otherwise: BasicValueEnum<'c>,
    ) -> Translated<BasicValueEnum<'c>> {
        let element = self.result_type(op).element();
        let result = self.result_vector(op)?;
        let stored = self.stored_vector(result, element);
        let otherwise = self.to_stored(element, otherwise)?;
        let rest = self.alignment_operand().into_iter().chain([mask, otherwise]);
        let arguments: Vec<_> = [address].into_iter().chain(rest).collect();
        let loaded = self.intrinsic(intrinsic, &[stored, address.get_type()], &arguments)?;
        if is_bit(element) {
            return self.cast(InstructionOpcode::Trunc, loaded, result.as_basic_type_enum());
        }
        Ok(loaded)
    }

    /// `maskedstore %base[%index], %mask, %value`
    fn masked_store(&self, op: Op) -> Translated<()> {
        let vector::Maskedstore { base, indices, mask, value } = vector::Maskedstore::of(self.body, op);
        let address = self.element_address(base, indices)?.as_basic_value_enum();
        let value = self.to_stored(self.body.value_type(value).element(), self.value(value))?;
        let store = self.intrinsic_function("llvm.masked.store", &[value.get_type(), address.get_type()])?;
        let rest = self.alignment_operand().into_iter().chain([self.value(mask)]);
        let arguments: Vec<_> = [value, address].into_iter().chain(rest).map(Into::into).collect();
        self.builder.build_call(store, &arguments, "")?;
        Ok(())
    }

    // ---- reductions and masks

    /// Reduces the lanes, starting with the accumulator if there is one; floats in order, unless reassociation is
    /// allowed.
    fn reduction(&self, op: Op) -> Translated<BasicValueEnum<'c>> {
        let vector::Reduction { vector: lanes, acc } = vector::Reduction::of(self.body, op);
        let (vector, element) = (self.value(lanes), self.body.value_type(lanes).element());
        let kind = vector::combining_kind(self.body.attribute(op, "kind")).ok_or(Failure::Unknown)?;
        let accumulator = acc.first().map(|&accumulator| self.value(accumulator));
        // of two zeros, LLVM's reduction by minnumf or maxnumf may return either
        if is_half(element) || matches!(kind, "minnumf" | "maxnumf") {
            return self.reduction_by_lane(op, lanes, kind, accumulator);
        }
        if matches!(kind, "add" | "mul") && element.is_float() {
            let intrinsic = if kind == "add" { "llvm.vector.reduce.fadd" } else { "llvm.vector.reduce.fmul" };
            let neutral = if kind == "add" { -0.0 } else { 1.0 };
            let start = match (accumulator, vector.get_type()) {
                (Some(accumulator), _) => accumulator,
                (None, BasicTypeEnum::VectorType(vector)) => {
                    vector.get_element_type().into_float_type().const_float(neutral).into()
                }
                _ => return Err(Failure::Broken("needs a vector")),
            };
            let reduced = self.intrinsic(intrinsic, &[vector.get_type()], &[start, vector])?;
            self.flag_fast_math(op, reduced);
            return Ok(reduced);
        }
        if let Some(extreme) = Extreme::of_kind(kind).filter(|_| self.unit.architecture.extremes == Extremes::Compared)
        {
            let reduced = self.extreme_lane(extreme, self.vector(lanes)?)?;
            return match accumulator {
                Some(accumulator) => self.extreme(extreme, accumulator, reduced),
                None => Ok(reduced),
            };
        }
        let (intrinsic, combine) = reduction_intrinsics(kind).ok_or(Failure::Unknown)?;
        let reduced = self.intrinsic(intrinsic, &[vector.get_type()], &[vector])?;
        match (accumulator, combine) {
            (None, _) => Ok(reduced),
            (Some(accumulator), Combine::Instruction(opcode)) => self.binary(opcode, accumulator, reduced),
            (Some(accumulator), Combine::Intrinsic(name)) => {
                self.intrinsic(name, &[reduced.get_type()], &[accumulator, reduced])
            }
        }
    }

    /// Combines floats one by one. f16 and bf16, which are bits to LLVM, are rounded in each step.
    fn reduction_by_lane(
        &self,
        op: Op,
        lanes: ir::Value,
        kind: &str,
        mut total: Option<BasicValueEnum<'c>>,
    ) -> Translated<BasicValueEnum<'c>> {
        let code = vector::combining_operation(kind, true).ok_or(Failure::Unknown)?;
        let vector = self.vector(lanes)?;
        for at in 0..vector.get_type().get_size() {
            let lane = self.lane(vector.into(), at)?;
            total = Some(match total {
                None => lane,
                Some(total) => self.float_op(op, code, &[total, lane])?.ok_or(Failure::Unknown)?,
            });
        }
        total.ok_or(Failure::Broken("needs lanes"))
    }

    /// The first `%count` lanes.
    fn create_mask(&self, op: Op) -> Translated<BasicValueEnum<'c>> {
        let lanes = self.result_vector(op)?.get_size();
        let count = self.value(self.body.sole_operand(op));
        let (zero, all) =
            (self.splat_constant(count.get_type(), 0)?, self.splat_constant(count.get_type(), lanes.into())?);
        let raised = self.intrinsic("llvm.smax", &[count.get_type()], &[count, zero])?;
        let clamped = self.intrinsic("llvm.smin", &[count.get_type()], &[raised, all])?;
        let narrow = self.cast(InstructionOpcode::Trunc, clamped, self.unit.context.i32_type().into())?;
        let limit = self.splat(narrow, lanes)?;
        let numbers = self.lane_list(&(0..lanes).collect::<Vec<_>>());
        self.compare_integers(IntPredicate::ULT, numbers.into(), limit)
    }

    fn constant_mask(&self, op: Op) -> Translated<BasicValueEnum<'c>> {
        let lanes = self.result_vector(op)?.get_size();
        let set = self.body.op(op).attributes.integers("mask_dim_sizes").unwrap_or_default();
        let &[set] = &*set else { return Err(Failure::Broken("has no mask_dim_sizes")) };
        let bit = |at: u32| self.unit.context.bool_type().const_int((i64::from(at) < set) as u64, false);
        Ok(VectorType::const_vector(&(0..lanes).map(bit).collect::<Vec<_>>()).into())
    }
}

/// How an accumulator is combined with the reduced lanes.
enum Combine {
    Instruction(InstructionOpcode),
    Intrinsic(&'static str),
}

fn reduction_intrinsics(kind: &str) -> Option<(&'static str, Combine)> {
    use InstructionOpcode::{Add, And, Mul, Or, Xor};
    Some(match kind {
        "add" => ("llvm.vector.reduce.add", Combine::Instruction(Add)),
        "mul" => ("llvm.vector.reduce.mul", Combine::Instruction(Mul)),
        "and" => ("llvm.vector.reduce.and", Combine::Instruction(And)),
        "or" => ("llvm.vector.reduce.or", Combine::Instruction(Or)),
        "xor" => ("llvm.vector.reduce.xor", Combine::Instruction(Xor)),
        "minui" => ("llvm.vector.reduce.umin", Combine::Intrinsic("llvm.umin")),
        "minsi" => ("llvm.vector.reduce.smin", Combine::Intrinsic("llvm.smin")),
        "maxui" => ("llvm.vector.reduce.umax", Combine::Intrinsic("llvm.umax")),
        "maxsi" => ("llvm.vector.reduce.smax", Combine::Intrinsic("llvm.smax")),
        "minimumf" => ("llvm.vector.reduce.fminimum", Combine::Intrinsic("llvm.minimum")),
        "maximumf" => ("llvm.vector.reduce.fmaximum", Combine::Intrinsic("llvm.maximum")),
        _ => return None,
    })
}
