//! Operations of `vector`.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{InstBuilder, Type, Value, types};
use dialects::{OpCode, OpCodes, arith, vector};
use ir::Op;

use crate::form::{Form, is_bit};
use crate::function::{Translated, Translator};
use crate::memory::{Address, access_flags};
use crate::packed::PACKED_LANES;

/// `ShapedType::kDynamic`: a position given by an operand.
const DYNAMIC: i64 = i64::MIN;

impl Translator<'_> {
    /// Operations of `vector` other than the elementwise ones.
    pub(crate) fn vector_op(&mut self, op: Op) -> Translated<()> {
        match self.body.code(op) {
            Some(vector::LOAD) => self.vector_load(op),
            Some(vector::STORE) => self.vector_store(op),
            Some(vector::MASKEDLOAD) => self.masked_load(op),
            Some(vector::MASKEDSTORE) => self.masked_store(op),
            Some(vector::GATHER) => self.gather(op),
            Some(vector::BROADCAST) => self.broadcast(op),
            Some(vector::EXTRACT) => self.extract(op),
            Some(vector::INSERT) => self.insert(op),
            Some(vector::REDUCTION) => self.reduction(op),
            Some(vector::CREATE_MASK) => self.create_mask(op),
            Some(vector::CONSTANT_MASK) => self.constant_mask(op),
            Some(vector::SHUFFLE) => self.shuffle(op),
            Some(vector::FROM_ELEMENTS) => {
                let lanes = self.body.op(op).operands().iter().map(|&v| self.single(v)).collect();
                self.define_lanes(self.body.result(op, 0), lanes);
                Ok(())
            }
            Some(vector::STEP) => self.step(op),
            _ => Err(self.unknown(op)),
        }
    }

    fn lane_count(&self, op: Op, value: ir::Value) -> Translated<usize> {
        match self.form_of(op, value)? {
            Form::Scalar(_) => Err(self.broken(op, "needs a vector")),
            Form::Vector(r#type) => Ok(r#type.lane_count() as usize),
            Form::Packed(_) => Ok(PACKED_LANES),
            Form::Lanes(_, count) => Ok(count),
        }
    }

    // ---- memory

    fn vector_load(&mut self, op: Op) -> Translated<()> {
        let vector::Load { base, indices } = vector::Load::of(self.body, op);
        let address = self.element_address(op, base, indices)?;
        self.load_vector(op, address)
    }

    /// Defines the result as the vector at an address.
    fn load_vector(&mut self, op: Op, address: Address) -> Translated<()> {
        let result = self.body.result(op, 0);
        let element = self.result_type(op).element().clone();
        match self.form_of(op, result)? {
            Form::Vector(r#type) => {
                let value = match is_bit(&element) {
                    true => self.load_mask(r#type, address),
                    false => self.load_register(r#type, address),
                };
                self.set_result(op, value);
            }
            Form::Packed(register) => {
                let value = self.load_packed(register, address);
                self.set_result(op, value);
            }
            Form::Scalar(_) | Form::Lanes(..) => {
                let count = self.lane_count(op, result)?;
                let lanes = (0..count).map(|at| self.load(op, &element, address, at)).collect::<Translated<_>>()?;
                self.define_lanes(result, lanes);
            }
        }
        Ok(())
    }

    fn vector_store(&mut self, op: Op) -> Translated<()> {
        let vector::Store { value, base, indices } = vector::Store::of(self.body, op);
        let address = self.element_address(op, base, indices)?;
        self.store_vector(op, value, address)
    }

    fn store_vector(&mut self, op: Op, value: ir::Value, address: Address) -> Translated<()> {
        match self.form_of(op, value)? {
            Form::Vector(_) => {
                let register = self.single(value);
                match is_bit(self.body.value_type(value).element()) {
                    true => self.store_mask(register, address),
                    false => {
                        self.builder.ins().store(access_flags(), register, address.base, address.offset);
                    }
                }
            }
            Form::Packed(_) => {
                let register = self.single(value);
                self.store_packed(register, address);
            }
            Form::Scalar(_) | Form::Lanes(..) => {
                for at in 0..self.lane_count(op, value)? {
                    let lane = self.lane(value, at);
                    self.store(lane, address, at);
                }
            }
        }
        Ok(())
    }

    /// The lanes of a mask, if they are constants.
    fn known_mask(&self, mask: ir::Value) -> Option<Vec<bool>> {
        let op = self.body.defining_op(mask)?;
        let count = usize::try_from(*self.body.value_type(mask).as_vector()?.shape.first()?).ok()?;
        match self.body.code(op) {
            Some(vector::CONSTANT_MASK) => {
                let set = *self.body.op(op).attributes.integers("mask_dim_sizes")?.first()?;
                Some((0..count).map(|lane| (lane as i64) < set).collect())
            }
            Some(arith::CONSTANT) => {
                let elements = self.body.attribute(op, "value")?.as_dense()?;
                Some((0..count).map(|lane| elements.element_bytes(lane)[0] & 1 == 1).collect())
            }
            _ => None,
        }
    }

    /// Loads the masked lanes; lane by lane, unless all are set.
    fn masked_load(&mut self, op: Op) -> Translated<()> {
        let vector::Maskedload { base, indices, mask, pass_thru: otherwise } = vector::Maskedload::of(self.body, op);
        let address = self.element_address(op, base, indices)?;
        let element = self.result_type(op).element().clone();
        let (result, count) = (self.body.result(op, 0), self.lane_count(op, mask)?);
        let known = self.known_mask(mask);
        if known.as_ref().is_some_and(|lanes| lanes.iter().all(|&set| set)) {
            return self.load_vector(op, address);
        }
        let Some(known) = known else {
            return self.load_where(op, mask, otherwise, |translator, at| translator.load(op, &element, address, at));
        };
        let mut lanes = Vec::with_capacity(count);
        for (at, set) in known.into_iter().enumerate() {
            lanes.push(if set { self.load(op, &element, address, at)? } else { self.lane(otherwise, at) });
        }
        self.define_lanes(result, lanes);
        Ok(())
    }

    /// Loads each lane after a branch on its mask bit.
    fn load_where(
        &mut self,
        op: Op,
        mask: ir::Value,
        otherwise: ir::Value,
        mut load: impl FnMut(&mut Self, usize) -> Translated<Value>,
    ) -> Translated<()> {
        let mut lanes = Vec::new();
        for at in 0..self.lane_count(op, mask)? {
            let (condition, default) = (self.lane(mask, at), self.lane(otherwise, at));
            let (loading, join) = (self.builder.create_block(), self.builder.create_block());
            let r#type = self.builder.func.dfg.value_type(default);
            lanes.push(self.builder.append_block_param(join, r#type));
            self.builder.ins().brif(condition, loading, &[], join, &[default.into()]);
            self.builder.switch_to_block(loading);
            let loaded = load(self, at)?;
            self.builder.ins().jump(join, &[loaded.into()]);
            self.builder.switch_to_block(join);
        }
        self.define_lanes(self.body.result(op, 0), lanes);
        Ok(())
    }

    /// Stores the masked lanes; lane by lane, unless all are set.
    fn masked_store(&mut self, op: Op) -> Translated<()> {
        let vector::Maskedstore { base, indices, mask, value } = vector::Maskedstore::of(self.body, op);
        let address = self.element_address(op, base, indices)?;
        let known = self.known_mask(mask);
        if known.as_ref().is_some_and(|lanes| lanes.iter().all(|&set| set)) {
            return self.store_vector(op, value, address);
        }
        for at in 0..self.lane_count(op, value)? {
            let lane = self.lane(value, at);
            match &known {
                Some(known) if known[at] => self.store(lane, address, at),
                Some(_) => {}
                None => {
                    let condition = self.lane(mask, at);
                    let (storing, join) = (self.builder.create_block(), self.builder.create_block());
                    self.builder.ins().brif(condition, storing, &[], join, &[]);
                    self.builder.switch_to_block(storing);
                    self.store(lane, address, at);
                    self.builder.ins().jump(join, &[]);
                    self.builder.switch_to_block(join);
                }
            }
        }
        Ok(())
    }

    /// `gather %base[%offset][%indices], %mask, %otherwise`
    fn gather(&mut self, op: Op) -> Translated<()> {
        let vector::Gather { base, offsets, indices, mask, pass_thru } = vector::Gather::of(self.body, op);
        let start = self.element_address(op, base, offsets)?;
        let element = self.result_type(op).element().clone();
        let width = element.byte_width().ok_or_else(|| self.unknown(op))?;
        self.load_where(op, mask, pass_thru, |translator, at| {
            let index = translator.lane(indices, at);
            let wide = match translator.builder.func.dfg.value_type(index) {
                types::I64 => index,
                _ => translator.builder.ins().sextend(types::I64, index),
            };
            let bytes = translator.builder.ins().ishl_imm_u(wide, width.trailing_zeros() as i64);
            let base = translator.builder.ins().iadd(start.base, bytes);
            translator.load(op, &element, Address { base, ..start }, 0)
        })
    }

    // ---- lanes

    fn broadcast(&mut self, op: Op) -> Translated<()> {
        let (source, result) = (self.body.sole_operand(op), self.body.result(op, 0));
        let value = match (self.form_of(op, source)?, self.form_of(op, result)?) {
            (Form::Scalar(_), Form::Vector(r#type)) => {
                let scalar = self.single(source);
                let bit = is_bit(self.body.value_type(source));
                let lane = if bit { self.mask_lane_from_bit(scalar, r#type.lane_type()) } else { scalar };
                vec![self.builder.ins().splat(r#type, lane)]
            }
            (Form::Scalar(_), Form::Packed(register)) => {
                let scalar = self.single(source);
                vec![self.builder.ins().splat(register, scalar)]
            }
            (Form::Scalar(_), Form::Lanes(_, count)) => vec![self.single(source); count],
            (from, to) if from == to => self.parts(source).to_vec(),
            _ => return Err(self.unknown(op)),
        };
        self.define(result, value);
        Ok(())
    }

    /// The only position of an extract or insert: a lane number, or the operand with it.
    fn position(&self, op: Op, dynamic: &[ir::Value], vector: ir::Value) -> Translated<Result<usize, Value>> {
        let position = self.body.op(op).attributes.integers("static_position").unwrap_or_default();
        let position = match (&*position, dynamic) {
            (&[DYNAMIC], &[operand]) => return Ok(Err(self.single(operand))),
            (&[position], []) => position,
            _ => return Err(self.unknown(op)),
        };
        let lane = usize::try_from(position).ok().filter(|&lane| self.lane_count(op, vector).is_ok_and(|n| lane < n));
        lane.map(Ok).ok_or_else(|| self.broken(op, "has a position outside its vector"))
    }

    fn extract(&mut self, op: Op) -> Translated<()> {
        let vector::Extract { source: vector, dynamic_position } = vector::Extract::of(self.body, op);
        let value = match self.position(op, dynamic_position, vector)? {
            Ok(lane) => self.lane(vector, lane),
            Err(position) => {
                let mut value = self.lane(vector, 0);
                for at in 1..self.lane_count(op, vector)? {
                    let lane = self.lane(vector, at);
                    let here = self.builder.ins().icmp_imm_s(IntCC::Equal, position, at as i64);
                    value = self.builder.ins().select(here, lane, value);
                }
                value
            }
        };
        self.set_result(op, value);
        Ok(())
    }

    fn insert(&mut self, op: Op) -> Translated<()> {
        let vector::Insert { value_to_store, dest: vector, dynamic_position } = vector::Insert::of(self.body, op);
        let value = self.single(value_to_store);
        let position = self.position(op, dynamic_position, vector)?;
        let mut lanes = Vec::new();
        for at in 0..self.lane_count(op, vector)? {
            let old = self.lane(vector, at);
            lanes.push(match position {
                Ok(lane) if lane == at => value,
                Ok(_) => old,
                Err(position) => {
                    let here = self.builder.ins().icmp_imm_s(IntCC::Equal, position, at as i64);
                    self.builder.ins().select(here, value, old)
                }
            });
        }
        self.define_lanes(self.body.result(op, 0), lanes);
        Ok(())
    }

    /// Reduces the lanes in order, starting with the accumulator if there is one.
    fn reduction(&mut self, op: Op) -> Translated<()> {
        let vector::Reduction { vector, acc } = vector::Reduction::of(self.body, op);
        let float = self.body.value_type(vector).element().is_float();
        let kind = vector::combining_kind(self.body.attribute(op, "kind"));
        let code = kind.and_then(|kind| vector::combining_operation(kind, float)).ok_or_else(|| self.unknown(op))?;
        let accumulator = acc.first().map(|&accumulator| self.single(accumulator));
        let mut total = accumulator;
        for at in 0..self.lane_count(op, vector)? {
            let lane = self.lane(vector, at);
            total = Some(match total {
                None => lane,
                Some(total) => self.combine(op, code, total, lane)?,
            });
        }
        let total = total.ok_or_else(|| self.broken(op, "needs lanes"))?;
        self.set_result(op, total);
        Ok(())
    }

    fn combine(&mut self, op: Op, code: OpCode, x: Value, y: Value) -> Translated<Value> {
        match self.integer_op(op, code, &[x, y]) {
            Some(value) => Ok(value),
            None => self.float_op(op, code, &[x, y])?.ok_or_else(|| self.unknown(op)),
        }
    }

    fn shuffle(&mut self, op: Op) -> Translated<()> {
        let vector::Shuffle { v1: first, v2: second } = vector::Shuffle::of(self.body, op);
        let mask = self.body.op(op).attributes.integers("mask").unwrap_or_default();
        let split = self.lane_count(op, first)?;
        let total = split + self.lane_count(op, second)?;
        let lanes: Option<Vec<usize>> =
            mask.iter().map(|&lane| usize::try_from(lane).ok().filter(|&lane| lane < total)).collect();
        let lanes = lanes.ok_or_else(|| self.broken(op, "has a mask that does not match its operands"))?;
        let registers =
            (self.form_of(op, first)?, self.form_of(op, second)?, self.form_of(op, self.body.result(op, 0))?);
        if let (Form::Vector(one), Form::Vector(two), Form::Vector(result)) = registers
            && one == two
            && one == result
        {
            let value = self.shuffle_registers(one, [self.single(first), self.single(second)], &lanes);
            self.set_result(op, value);
            return Ok(());
        }
        let lanes = lanes
            .into_iter()
            .map(|at| if at < split { self.lane(first, at) } else { self.lane(second, at - split) })
            .collect();
        self.define_lanes(self.body.result(op, 0), lanes);
        Ok(())
    }

    fn shuffle_registers(&mut self, r#type: Type, sources: [Value; 2], lanes: &[usize]) -> Value {
        let width = r#type.lane_type().bytes() as usize;
        let bytes: Vec<u8> =
            lanes.iter().flat_map(|at| (0..width).map(move |byte| (at * width + byte) as u8)).collect();
        let [first, second] = sources.map(|source| self.reinterpret(types::I8X16, source));
        let mask = self.builder.func.dfg.immediates.push(bytes.as_slice().into());
        let shuffled = self.builder.ins().shuffle(first, second, mask);
        self.reinterpret(r#type, shuffled)
    }

    // ---- masks and sequences

    /// The first `%count` lanes.
    fn create_mask(&mut self, op: Op) -> Translated<()> {
        let (result, set) = (self.body.result(op, 0), self.single(self.body.sole_operand(op)));
        let Form::Vector(r#type) = self.form_of(op, result)? else {
            let lanes = (0..self.lane_count(op, result)?)
                .map(|at| self.builder.ins().icmp_imm_s(IntCC::SignedGreaterThan, set, at as i64))
                .collect();
            self.define_lanes(result, lanes);
            return Ok(());
        };
        let lane = r#type.lane_type();
        let none = self.integer_constant(types::I64, 0);
        let all = self.integer_constant(types::I64, r#type.lane_count() as i64);
        let raised = self.builder.ins().smax(set, none);
        let clamped = self.builder.ins().smin(raised, all);
        let narrow = if lane == types::I64 { clamped } else { self.builder.ins().ireduce(lane, clamped) };
        let limit = self.builder.ins().splat(r#type, narrow);
        let numbers = self.lane_numbers(r#type);
        let mask = self.builder.ins().icmp(IntCC::SignedLessThan, numbers, limit);
        self.set_result(op, mask);
        Ok(())
    }

    fn constant_mask(&mut self, op: Op) -> Translated<()> {
        let result = self.body.result(op, 0);
        let known = self.known_mask(result).ok_or_else(|| self.broken(op, "has no mask_dim_sizes"))?;
        let lanes = known.into_iter().map(|set| self.integer_constant(types::I8, set as i64)).collect();
        self.define_lanes(result, lanes);
        Ok(())
    }

    fn step(&mut self, op: Op) -> Translated<()> {
        let result = self.body.result(op, 0);
        let lanes = (0..self.lane_count(op, result)?).map(|at| self.integer_constant(types::I64, at as i64)).collect();
        self.define_lanes(result, lanes);
        Ok(())
    }

    /// 0, 1, 2, … in integer lanes.
    fn lane_numbers(&mut self, r#type: Type) -> Value {
        let width = r#type.lane_type().bytes() as usize;
        let mut bytes = [0; 16];
        for (at, byte) in bytes.iter_mut().step_by(width).enumerate() {
            *byte = at as u8;
        }
        self.vector_constant(r#type, &bytes)
    }
}
