//! Buffers that outlive a run: constants of the model, and values that are computed from them once.

use dialects::ml_program::named_global;
use dialects::{OpCodes, arith, func, memref, ml_program, tensor};
use ir::{Attribute, Attributes, Body, DenseElements, Location, Module, Op, Type, Value};

use super::lifetimes::{Lifetimes, view_root};
use super::{ALIGNMENT, Buffer, Host};

/// From this size on, the memory of a constant is released after its last reader in `@initialize`.
const DISCARDED_BYTES: usize = 1 << 20;

/// Turns the global tensors of a module, which one function writes and others read, into buffers.
pub fn bufferize_globals(module: &mut Module) {
    for op in module.ops().to_vec() {
        if module.body.is(op, ml_program::GLOBAL) {
            let attributes = &module.body.op(op).attributes;
            let tensor = attributes.get("type").and_then(Attribute::as_type).expect("a global has a type");
            let shape = tensor.static_shape().expect("globals are static");
            let memref = Type::memref(shape.into_iter().map(Some).collect::<Vec<_>>(), tensor.element().clone());
            let attributes = Attributes::from([
                ("sym_name", Attribute::string(attributes.str("sym_name").expect("a global has a name"))),
                ("sym_visibility", Attribute::string("private")),
                ("type", Attribute::Type(memref)),
                ("alignment", Attribute::i64(ALIGNMENT)),
                ("initial_value", Attribute::Unit),
            ]);
            let operation = module.body.op_mut(op);
            operation.name = memref::GLOBAL.into();
            operation.attributes = attributes;
        }
    }
}

/// Smaller constants of several functions are not shared.
const SHARED_BYTES: usize = 1 << 12;

/// The globals with large constants of a module.
pub(super) fn large(module: &Module) -> Vec<Op> {
    let is_large = |op: &Op| elements(module, *op).is_some_and(|elements| elements.data.len() >= SHARED_BYTES);
    module.ops().filter(is_large).collect()
}

fn elements(module: &Module, global: Op) -> Option<&DenseElements> {
    module.body.attribute(global, "initial_value")?.as_dense().map(|elements| &**elements)
}

/// The definition and the readers of a value: the purpose of its buffer.
pub(crate) fn with_readers(body: &Body, value: Value) -> Location {
    let own = body.defining_op(value).map(|op| body.op(op).location.clone());
    Location::fuse(own.into_iter().chain(body.uses(value).iter().map(|reader| body.op(reader.op).location.clone())))
}

impl Host<'_> {
    pub(super) fn constant(&mut self, op: Op) {
        let result = self.source.result(op, 0);
        let tensor = self.source.value_type(result).clone();
        let value = self.source.op(op).attributes.get("value").expect("a constant has a value").clone();
        let location = with_readers(&self.source, result);
        let buffer = self.constant_buffer(&tensor, value, location);
        self.buffers.insert(result, buffer);
    }

    /// A constant of this function as a buffer of the module.
    pub(super) fn constant_buffer(&mut self, tensor: &Type, value: Attribute, location: Location) -> Buffer {
        let shape = tensor.static_shape().expect("constants are static");
        let memref = Type::memref(shape.iter().map(|&e| Some(e)).collect::<Vec<_>>(), tensor.element().clone());
        let name = match self.earlier_constant(&memref, &value) {
            Some(global) => {
                let operation = self.module.body.op_mut(global);
                operation.location = Location::fuse([operation.location.clone(), location]);
                operation.attributes.str("sym_name").expect("a global has a name").to_string()
            }
            None => {
                let name = format!("{}_constant_{}", self.name, self.globals);
                self.globals += 1;
                self.global(&name, &memref, value, location);
                name
            }
        };
        self.global_buffer(&name, tensor)
    }

    /// The global of another function with the same bytes.
    fn earlier_constant(&self, memref: &Type, value: &Attribute) -> Option<Op> {
        let wanted = value.as_dense().filter(|elements| elements.data.len() >= SHARED_BYTES)?;
        let is_same = |global: &Op| {
            let r#type = self.module.body.attribute(*global, "type").and_then(Attribute::as_type);
            let found = elements(self.module, *global);
            r#type == Some(memref)
                && found.is_some_and(|found| found.splat == wanted.splat && found.data.same_storage(&wanted.data))
        };
        self.earlier.iter().copied().find(is_same)
    }

    fn global(&mut self, name: &str, memref: &Type, initial_value: Attribute, location: Location) {
        let attributes = Attributes::from([
            ("sym_name", Attribute::string(name)),
            ("sym_visibility", Attribute::string("private")),
            ("type", Attribute::Type(memref.clone())),
            ("alignment", Attribute::i64(ALIGNMENT)),
            ("constant", Attribute::Unit),
            ("initial_value", initial_value),
        ]);
        let global = self.module.body.create_op(memref::GLOBAL, &[], &[], attributes, location);
        let top = self.module.body.entry().expect("a module has one block");
        self.module.body.append(top, global);
    }

    /// The global that a value is stored into, whose memory the value then uses, and its type there.
    pub(super) fn stored_global(&self, value: Value) -> Option<(String, Type)> {
        self.source.uses(value).iter().find_map(|reader| match self.source.code(reader.op) {
            Some(ml_program::GLOBAL_STORE) => {
                let name = named_global(&self.source, reader.op).to_string();
                Some((name, self.source.value_type(value).clone()))
            }
            Some(tensor::CAST) => self.stored_global(self.source.result(reader.op, 0)),
            _ => None,
        })
    }

    /// The buffer of a global, which has a static shape.
    pub(super) fn global_buffer(&mut self, name: &str, tensor: &Type) -> Buffer {
        let shape = tensor.static_shape().expect("globals are static");
        let memref = Type::memref(shape.iter().map(|&e| Some(e)).collect::<Vec<_>>(), tensor.element().clone());
        let extents = shape.iter().map(|&extent| self.index(extent)).collect();
        let memref = self.pure(memref::GET_GLOBAL, &[], memref, [("name", Attribute::symbol(name))]);
        Buffer { memref, extents }
    }

    /// Releases the pages of mapped constants whose last reader is `op`. They were read to be packed, and only the
    /// packed form is kept.
    pub(super) fn discard_constants(&mut self, op: Op, position: usize, lifetimes: &Lifetimes) {
        for operand in self.source.op(op).operands().to_vec() {
            let root = view_root(&self.source, operand);
            let bytes = self.mapped_bytes(root).unwrap_or(0);
            if bytes < DISCARDED_BYTES || lifetimes.last_use(root) != position {
                continue;
            }
            let address = self.address(self.buffers[&root].memref);
            let bytes = self.index(bytes as i64);
            let callee = Attributes::from([("callee", Attribute::symbol("rt_discard"))]);
            self.emit(func::CALL, &[address, bytes], &[], callee);
        }
    }

    /// The size of a constant that is in a mapped file.
    fn mapped_bytes(&self, value: Value) -> Option<usize> {
        let op = self.source.defining_op(value).filter(|&op| self.source.is(op, arith::CONSTANT))?;
        let data = &self.source.op(op).attributes.get("value")?.as_dense()?.data;
        data.is_mapped().then(|| data.bytes().len())
    }
}
