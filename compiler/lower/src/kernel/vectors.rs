//! Lanes and vectors: elementwise operations on lanes in any representation, and the vector types of the target.

use dialects::arith::CmpIPredicate;
use dialects::{OpCode, arith, vector};
use ir::{AffineExpr, AffineMap, Attribute, Attributes, Blob, Body, DenseElements, FloatType, Op, OpName, Type, Value};

use super::chosen::chooses;
use super::emit::{Emitter, Target};
use super::lane::Lane;
use dialects::linalg::generic::Generic;

impl Emitter<'_> {
    /// An elementwise operation applied lane by lane, as a vector operation if the target has one.
    pub fn elementwise(&mut self, name: &OpName, operands: &[Lane], result: Type, attributes: &Attributes) -> Lane {
        if operands.iter().all(|lane| !lane.varies()) {
            let scalars: Vec<Value> = operands.iter().filter_map(Lane::uniform).collect();
            return Lane::Uniform(self.pure(name.clone(), &scalars, result, attributes.clone()));
        }
        if let Some(iota) = self.iota_op(name, operands, &result, attributes) {
            return iota;
        }
        let is_vector = |lane: &Lane| matches!(lane, Lane::Vector(_)) || self.is_counted(lane, &result);
        let vector = operands.iter().any(is_vector)
            && self.vector_legal(&result)
            && operands.iter().all(|lane| self.vectorisable(lane));
        if vector {
            let scalar_condition = *name == arith::SELECT && !operands[0].varies();
            let vectors: Vec<Value> = operands
                .iter()
                .enumerate()
                .map(|(index, lane)| match lane {
                    Lane::Uniform(value) if index == 0 && scalar_condition => *value,
                    lane => self.vector_of(lane),
                })
                .collect();
            let r#type = Type::vector(&[self.lanes as i64], result);
            return Lane::Vector(self.pure(name.clone(), &vectors, r#type, attributes.clone()));
        }
        let columns: Vec<Vec<Value>> = operands.iter().map(|lane| self.scalars_of(lane)).collect();
        let scalars = (0..self.lanes)
            .map(|lane| {
                let operands: Vec<Value> = columns.iter().map(|column| column[lane.min(column.len() - 1)]).collect();
                self.pure(name.clone(), &operands, result.clone(), attributes.clone())
            })
            .collect();
        Lane::Scalars(scalars)
    }

    /// Whether a lane becomes a vector because the result is one, and not an integer that may become a subscript.
    fn is_counted(&self, lane: &Lane, result: &Type) -> bool {
        matches!(lane, Lane::Iota(base) if *self.body.value_type(*base) != Type::Index)
            && (result.is_float() || *result == Type::I1)
    }

    /// A comparison of consecutive indices with a bound, as a mask for selects: lane numbers are compared with the
    /// distance of the bound from the first index.
    pub(super) fn counted_mask(&mut self, op: Op, operands: &[Lane]) -> Option<Lane> {
        let source = self.source;
        let &[Lane::Iota(base), Lane::Uniform(other)] = operands else { return None };
        let predicate = CmpIPredicate::of(source, op).filter(|predicate| !predicate.is_unsigned())?;
        let element = [32, 64, 8].map(Type::integer).into_iter().find(|element| self.is_whole(element))?;
        // sizes are not vectorised
        let gives_size = |user: Op| *source.value_type(source.result(user, 0)) == Type::Index;
        if !chooses(source, op) || source.uses(source.result(op, 0)).iter().any(|r#use| gives_size(r#use.op)) {
            return None;
        }
        let lanes = self.lanes as i64;
        let distance = self.sub(other, base);
        let [before, after] = [-1, lanes].map(|bound| self.index(bound));
        let distance = self.pure(arith::MAXSI, &[distance, before], Type::Index, []);
        let distance = self.pure(arith::MINSI, &[distance, after], Type::Index, []);
        let distance = self.pure(arith::INDEX_CAST, &[distance], element.clone(), []);
        let zero = self.constant(Attribute::Integer(0, element.clone()), element);
        let numbers = self.vector_of(&Lane::Iota(zero));
        let distance = self.vector_of(&Lane::Uniform(distance));
        let predicate = [predicate.attribute()];
        Some(Lane::Vector(self.pure(arith::CMPI, &[numbers, distance], Type::vector(&[lanes], Type::I1), predicate)))
    }

    /// Integer operations that keep consecutive lanes consecutive.
    fn iota_op(&mut self, name: &OpName, operands: &[Lane], result: &Type, attributes: &Attributes) -> Option<Lane> {
        match (OpCode::of_name(name)?, operands) {
            (arith::ADDI, [Lane::Iota(base), Lane::Uniform(offset)] | [Lane::Uniform(offset), Lane::Iota(base)]) => {
                let sum = match result {
                    Type::Index => self.add(*base, *offset),
                    _ => self.pure(name.clone(), &[*base, *offset], result.clone(), attributes.clone()),
                };
                Some(Lane::Iota(sum))
            }
            (arith::SUBI, [Lane::Iota(base), Lane::Uniform(offset)]) => {
                Some(Lane::Iota(self.pure(name.clone(), &[*base, *offset], result.clone(), attributes.clone())))
            }
            (arith::MULI, [Lane::Iota(base), Lane::Uniform(factor)] | [Lane::Uniform(factor), Lane::Iota(base)])
                if *result == Type::Index && self.constant_value(*factor) == Some(2) =>
            {
                Some(Lane::EveryOther(self.mul(*base, *factor)))
            }
            // base · factor + lane · factor, of which the latter is loop-invariant
            (arith::MULI, [Lane::Iota(base), Lane::Uniform(factor)] | [Lane::Uniform(factor), Lane::Iota(base)])
                if *result != Type::Index && self.vector_legal(result) =>
            {
                let first = self.pure(name.clone(), &[*base, *factor], result.clone(), attributes.clone());
                let zero = self.constant(Attribute::Integer(0, result.clone()), result.clone());
                let [first, factors, numbers] =
                    [Lane::Uniform(first), Lane::Uniform(*factor), Lane::Iota(zero)].map(|lane| self.vector_of(&lane));
                let r#type = Type::vector(&[self.lanes as i64], result.clone());
                let steps = self.pure(name.clone(), &[numbers, factors], r#type.clone(), attributes.clone());
                Some(Lane::Vector(self.pure(arith::ADDI, &[first, steps], r#type, [])))
            }
            (
                arith::ADDI,
                [Lane::EveryOther(base), Lane::Uniform(offset)] | [Lane::Uniform(offset), Lane::EveryOther(base)],
            ) if *result == Type::Index => Some(Lane::EveryOther(self.add(*base, *offset))),
            (arith::INDEX_CAST, [Lane::Iota(base)]) => {
                Some(Lane::Iota(self.pure(name.clone(), &[*base], result.clone(), attributes.clone())))
            }
            _ => None,
        }
    }

    /// Whether the target has a vector of `lanes` such elements.
    pub fn vector_legal(&self, element: &Type) -> bool {
        match element {
            Type::Index => false,
            Type::Integer(integer) if integer.width == 1 => true,
            other => {
                let bits = other.bit_width().unwrap_or(0) * self.lanes as u32;
                self.target.flexible_vectors || bits == self.target.vector_bits || self.is_packed(other)
            }
        }
    }

    /// Whether the target has full registers of `lanes` such elements, in memory too.
    pub(super) fn is_whole(&self, element: &Type) -> bool {
        let packed = !self.target.flexible_vectors && self.is_packed(element);
        self.vector_legal(element) && !packed && *element != Type::I1
    }

    /// Whether elements of 8 or 16 bits replace lanes of 32.
    fn is_packed(&self, element: &Type) -> bool {
        let stored = match element {
            Type::Integer(integer) => matches!(integer.width, 8 | 16),
            Type::Float(float) => matches!(float, FloatType::F16 | FloatType::BF16),
            _ => false,
        };
        stored && self.lanes as u32 * 32 == self.target.vector_bits
    }

    pub(super) fn vectorisable(&self, lane: &Lane) -> bool {
        let element = match lane {
            Lane::Uniform(value) | Lane::Iota(value) | Lane::EveryOther(value) | Lane::Vector(value) => {
                self.body.value_type(*value).element()
            }
            Lane::Scalars(values) => self.body.value_type(values[0]),
        };
        let mask_from_scalars = *element == Type::I1
            && !self.target.flexible_vectors
            && !matches!(lane, Lane::Vector(_) | Lane::Uniform(_));
        self.vector_legal(element) && !mask_from_scalars
    }

    /// A lane as a vector value.
    pub fn vector_of(&mut self, lane: &Lane) -> Value {
        let lanes = self.lanes as i64;
        match lane {
            Lane::Vector(value) => *value,
            Lane::Uniform(value) => {
                let r#type = Type::vector(&[lanes], self.body.value_type(*value).clone());
                self.pure(vector::BROADCAST, &[*value], r#type, [])
            }
            Lane::Iota(base) if *self.body.value_type(*base) != Type::Index => {
                let element = self.body.value_type(*base).clone();
                let width = element.byte_width().expect("integers have a width");
                let r#type = Type::vector(&[lanes], element);
                let bytes: Vec<u8> = (0..lanes).flat_map(|lane| lane.to_le_bytes().into_iter().take(width)).collect();
                let numbers = DenseElements::new(r#type.clone(), Blob::copy_of(&bytes));
                let numbers = self.constant(Attribute::dense(numbers), r#type.clone());
                let first = self.pure(vector::BROADCAST, &[*base], r#type.clone(), []);
                self.pure(arith::ADDI, &[first, numbers], r#type, [])
            }
            Lane::Iota(_) | Lane::EveryOther(_) | Lane::Scalars(_) => {
                let scalars = self.scalars_of(lane);
                let r#type = Type::vector(&[lanes], self.body.value_type(scalars[0]).clone());
                self.pure(vector::FROM_ELEMENTS, &scalars, r#type, [])
            }
        }
    }

    /// A lane as scalars: one for all lanes, or one per lane.
    pub fn scalars_of(&mut self, lane: &Lane) -> Vec<Value> {
        match lane {
            Lane::Uniform(value) => vec![*value],
            Lane::Scalars(values) => values.clone(),
            Lane::Iota(base) => {
                let r#type = self.body.value_type(*base).clone();
                (0..self.lanes as i64)
                    .map(|offset| match &r#type {
                        Type::Index => {
                            let offset = self.index(offset);
                            self.add(*base, offset)
                        }
                        integer => {
                            let offset = self.constant(Attribute::Integer(offset, integer.clone()), integer.clone());
                            self.pure(arith::ADDI, &[*base, offset], integer.clone(), [])
                        }
                    })
                    .collect()
            }
            Lane::EveryOther(base) => (0..self.lanes as i64)
                .map(|lane| {
                    let offset = self.index(2 * lane);
                    self.add(*base, offset)
                })
                .collect(),
            Lane::Vector(value) => {
                let element = self.body.value_type(*value).element().clone();
                let extract = vector::Extract { source: *value, dynamic_position: &[] };
                (0..self.lanes as i64)
                    .map(|lane| {
                        let position = Attributes::from([("static_position", Attribute::i64_dense_array(&[lane]))]);
                        self.pure_from(extract, element.clone(), position)
                    })
                    .collect()
            }
        }
    }
}

/// Elements per vector in this kernel: as many 32-bit ones as fit, or 64-bit ones if it has no others, or bytes if it
/// only reads, computes and writes those, contiguously; for targets with vectors of one width 16-bit ones if there are
/// no others.
pub(super) fn lane_count(source: &Body, target: &Target) -> usize {
    let (mut narrow, mut wide, mut bytes, mut halves) = (false, false, true, !target.flexible_vectors);
    for op in source.walk_all() {
        let operation = source.op(op);
        for &value in operation.operands().iter().chain(operation.results()) {
            let r#type = source.value_type(value);
            bytes &= r#type.element().bit_width().is_some_and(|bits| bits == 1 || bits == 8);
            halves &= r#type.element().bit_width() == Some(16);
            if let Type::Tensor(tensor) = r#type {
                match tensor.element.bit_width() {
                    Some(64..) => wide = true,
                    _ => narrow = true,
                }
            }
        }
    }
    let bits = match bytes && source.walk_all().into_iter().all(|op| is_side_by_side(source, op)) {
        true => 8,
        false if halves => 16,
        false if wide && !narrow => 64,
        false => 32,
    };
    (target.vector_bits / bits) as usize
}

/// Whether neighbouring results of a generic operation are computed from neighbouring operands.
fn is_side_by_side(source: &Body, op: Op) -> bool {
    let Some(generic) = Generic::of(source, op) else { return true };
    let Some(last) = generic.rank().checked_sub(1) else { return true };
    let along = |map: &AffineMap| match map.results.split_last() {
        Some((inner, outer)) => {
            let last = last as u32;
            (*inner == AffineExpr::Dim(last) || !inner.uses_dim(last)) && outer.iter().all(|e| !e.uses_dim(last))
        }
        None => true,
    };
    !generic.is_reduction() && generic.maps.iter().all(along)
}
