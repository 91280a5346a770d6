//! Access to memory: reading and writing a buffer at the subscripts of all lanes.
//!
//! Contiguous elements are one vector, every second element is two merged vectors, anything else is one scalar per
//! lane.

use dialects::{memref, vector};
use ir::{Attribute, Attributes, Type, Value};

use super::emit::Emitter;
use super::lane::Lane;
use super::products::{address, buffer_strides};

impl Emitter<'_> {
    /// The subscripts of a buffer: a row buffer only has the last one.
    fn inner<'s>(&self, buffer: Value, subscripts: &'s [Lane]) -> &'s [Lane] {
        let rank = self.body.value_type(buffer).rank().expect("buffers are ranked");
        &subscripts[subscripts.len() - rank..]
    }

    /// The address of an element at scalar subscripts.
    pub(super) fn element_address(&mut self, buffer: Value, subscripts: &[Lane]) -> Value {
        let subscripts = self.inner(buffer, subscripts);
        let strides = buffer_strides(self, buffer);
        let mut offset = self.index(0);
        for (lane, stride) in subscripts.iter().zip(strides) {
            let along = self.mul(lane.uniform().expect("subscripts of an address are scalars"), stride);
            offset = self.add(offset, along);
        }
        address(self, buffer, offset)
    }

    /// Reads a buffer at subscripts.
    pub fn load(&mut self, buffer: Value, subscripts: &[Lane]) -> Lane {
        let element = self.body.value_type(buffer).element().clone();
        let subscripts = self.inner(buffer, subscripts);
        if let Some(indices) = subscripts.iter().map(Lane::uniform).collect::<Option<Vec<_>>>() {
            return Lane::Uniform(self.load_scalar(buffer, &indices, element));
        }
        if let Some(vector) = self.load_crossed(buffer, subscripts, &element) {
            return Lane::Vector(vector);
        }
        if let Some(indices) = self.consecutive(buffer, subscripts, &element) {
            let r#type = Type::vector(&[self.lanes as i64], element);
            let op = self.effect_from(vector::Load { base: buffer, indices: &indices }, &[r#type], []);
            return Lane::Vector(self.body.result(op, 0));
        }
        if let Some(vector) = self.load_every_other(buffer, subscripts, &element) {
            return Lane::Vector(vector);
        }
        let columns: Vec<Vec<Value>> = subscripts.iter().map(|lane| self.scalars_of(lane)).collect();
        let scalars: Vec<Value> = (0..self.lanes)
            .map(|lane| {
                let indices: Vec<Value> = columns.iter().map(|column| column[lane.min(column.len() - 1)]).collect();
                self.load_scalar(buffer, &indices, element.clone())
            })
            .collect();
        let lane = Lane::Scalars(scalars);
        match self.vector_legal(&element) && element != Type::I1 {
            true => Lane::Vector(self.vector_of(&lane)),
            false => lane,
        }
    }

    /// Every second element from two vectors; the second vector ends with the last element.
    fn load_every_other(&mut self, buffer: Value, subscripts: &[Lane], element: &Type) -> Option<Value> {
        let (outer, base) = self.every_other(buffer, subscripts)?;
        let lanes = self.lanes as i64;
        if !self.is_whole(element) {
            return None;
        }
        let [first, second] = [0, lanes - 1].map(|offset| {
            let offset = self.index(offset);
            let at: Vec<Lane> = outer.iter().cloned().chain([Lane::Iota(self.add(base, offset))]).collect();
            self.consecutive(buffer, &at, element)
        });
        let r#type = Type::vector(&[lanes], element.clone());
        let [v1, v2] = [first?, second?].map(|indices| {
            let load = vector::Load { base: buffer, indices: &indices };
            let op = self.effect_from(load, std::slice::from_ref(&r#type), []);
            self.body.result(op, 0)
        });
        let pick = |lane: i64| if 2 * lane < lanes { 2 * lane } else { 2 * lane + 1 };
        let mask: Vec<i64> = (0..lanes).map(pick).collect();
        let mask = Attributes::from([("mask", Attribute::i64_dense_array(&mask))]);
        Some(self.pure_from(vector::Shuffle { v1, v2 }, r#type, mask))
    }

    /// The outer subscripts and the last one of the first lane, if lanes are every second element: by their last
    /// subscript, or by the one before an axis of extent two.
    fn every_other(&self, buffer: Value, subscripts: &[Lane]) -> Option<(Vec<Lane>, Value)> {
        let (last, outer) = subscripts.split_last()?;
        match (outer.split_last(), last) {
            (_, Lane::EveryOther(base)) => Some((outer.to_vec(), *base)),
            (Some((Lane::Iota(pair), outer)), Lane::Uniform(index)) => {
                let is_pair = self.body.value_type(buffer).shape()?.last() == Some(&Some(2));
                let outer = outer.iter().cloned().chain([Lane::Uniform(*pair)]).collect();
                is_pair.then_some((outer, *index))
            }
            _ => None,
        }
    }

    fn load_scalar(&mut self, buffer: Value, indices: &[Value], element: Type) -> Value {
        let load = memref::Load { memref: buffer, indices };
        if self.is_always_there(buffer, indices) {
            return self.hoist_from(load, element);
        }
        let op = self.effect_from(load, &[element], []);
        self.body.result(op, 0)
    }

    /// Whether an element is in bounds of an operand whatever the extents are, so that its load can be hoisted out of
    /// all loops.
    fn is_always_there(&self, buffer: Value, indices: &[Value]) -> bool {
        let shape = self.body.value_type(buffer).shape().unwrap_or_default();
        self.is_operand(buffer)
            && indices.iter().zip(shape).all(|(&index, extent)| match (self.constant_value(index), extent) {
                (Some(index), Some(extent)) => (0..extent).contains(&index),
                _ => false,
            })
    }

    /// Writes a buffer at subscripts.
    pub fn store(&mut self, value: &Lane, buffer: Value, subscripts: &[Lane]) {
        let element = self.body.value_type(buffer).element().clone();
        let subscripts = self.inner(buffer, subscripts);
        let uniform = subscripts.iter().map(Lane::uniform).collect::<Option<Vec<_>>>();
        if let (Some(indices), Some(scalar)) = (uniform, value.uniform()) {
            self.effect_from(memref::Store { value: scalar, memref: buffer, indices: &indices }, &[], []);
            return;
        }
        if self.vectorisable(value)
            && let Some(indices) = self.consecutive(buffer, subscripts, &element)
        {
            let vector = self.vector_of(value);
            self.effect_from(vector::Store { value: vector, base: buffer, indices: &indices }, &[], []);
            return;
        }
        let values = self.scalars_of(value);
        let columns: Vec<Vec<Value>> = subscripts.iter().map(|lane| self.scalars_of(lane)).collect();
        for lane in 0..self.lanes {
            let at = |column: &Vec<Value>| column[lane.min(column.len() - 1)];
            let indices: Vec<Value> = columns.iter().map(at).collect();
            self.effect_from(memref::Store { value: at(&values), memref: buffer, indices: &indices }, &[], []);
        }
    }

    /// The first subscripts of `lanes` consecutive elements, if the access is contiguous and the target supports it.
    fn consecutive(&self, buffer: Value, subscripts: &[Lane], element: &Type) -> Option<Vec<Value>> {
        let (last, outer) = subscripts.split_last()?;
        let mut indices = outer.iter().map(Lane::uniform).collect::<Option<Vec<_>>>()?;
        let Lane::Iota(base) = last else { return None };
        let strides = self.body.value_type(buffer).as_memref().and_then(|memref| memref.strides())?;
        if *strides.last()? != Some(1) || !self.vector_legal(element) {
            return None;
        }
        indices.push(*base);
        Some(indices)
    }
}
