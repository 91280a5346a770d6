//! Bufferization of the host function: tensors become buffers in one planned arena, kernel results become arguments.
//!
//! The host function's own form is `@f(%table: memref<?xi64>) -> i64`. The table holds, in this order, the address of
//! the run context; for each input its address and its extents; for each output room for its address and its extents.
//! The result is the run's status: 0, or the number of the message of a failed assertion.
//!
//! Invariants
//! - Every buffer is dense and row-major.
//! - Two values share memory only if their lifetimes, counted in operations of the entry block, do not overlap, or
//!   one is a view of the other.

use dialects::ml_program::{GLOBAL, GLOBAL_LOAD, GLOBAL_STORE, named_global};
use ir::{
    Attribute, Attributes, Block, Body, Builder, Diagnostic, FunctionType, IndexMap, Location, Module, Op, OpName,
    Type, Value,
};

use crate::fold_constants::INITIALIZE;

/// Alignment of every planned buffer, in bytes.
const ALIGNMENT: i64 = 64;

/// From so many bytes on, the memory of a constant is given back behind its last reader in `@initialize`.
const DISCARDED_BYTES: usize = 1 << 20;

/// Where a tensor lives.
#[derive(Clone, Debug)]
struct Buffer {
    memref: Value,
    extents: Vec<Value>,
}

/// A piece of the arena that values take in turn.
struct Slot {
    bytes: Size,
    free_after: usize,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    Static(i64),
    Dynamic(Value),
}

/// What decides a pure operation's result.
#[derive(PartialEq, Eq, Hash)]
struct Pure {
    name: OpName,
    operands: Vec<Value>,
    attributes: Attributes,
    result: Type,
}

struct Host<'m> {
    module: &'m mut Module,
    name: String,
    source: Body,
    body: Body,
    at: Block,
    context: Value,
    status: Value,
    buffers: IndexMap<Value, Buffer>,
    scalars: IndexMap<Value, Value>,
    /// Pure operations of the entry block.
    known: IndexMap<Pure, Value>,
    globals: usize,
    /// Output number and the address slot in the table for values that are written straight into an output.
    outputs: IndexMap<Value, usize>,
    output_words: Vec<i64>,
    slots: IndexMap<Value, usize>,
    offsets: Vec<Value>,
    arena: Option<Value>,
    table: Value,
}

/// Makes buffers of the tensors of a module that one function writes and others read.
pub fn bufferize_globals(module: &mut Module) {
    for op in module.ops().to_vec() {
        if module.body.name(op) == GLOBAL {
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
            operation.name = "memref.global".into();
            operation.attributes = attributes;
        }
    }
}

/// Bufferizes the function `name` and adapts it to the host calling convention.
pub fn bufferize_host(module: &mut Module, name: &str) -> ir::Result<()> {
    let Some(op) = module.symbol(name) else { return Ok(()) };
    let source = module.body.take_isolated(op).expect("a function owns its body");
    let table_type = Type::memref(vec![None], Type::I64);
    let mut body = Body::new();
    let at = body.add_block(body.root(), std::slice::from_ref(&table_type));
    let table = body.arguments(at)[0];
    let mut builder = Builder::at_end(&mut body, at);
    let zero = builder.constant_index(0);
    let context_word = builder.value("memref.load", &[table, zero], Type::I64, []);
    let context = builder.value("arith.index_cast", &[context_word], Type::Index, []);
    // the status word is the first field of the run context
    let status = builder.value("rt.buffer", &[context], table_type.clone(), []);
    let mut host = Host {
        module,
        name: name.to_string(),
        source,
        body,
        at,
        context,
        status,
        buffers: IndexMap::default(),
        scalars: IndexMap::default(),
        known: IndexMap::default(),
        globals: 0,
        outputs: IndexMap::default(),
        output_words: vec![],
        slots: IndexMap::default(),
        offsets: vec![],
        arena: None,
        table,
    };
    host.run()?;
    let body = host.body;
    module.body.set_isolated(op, body);
    let r#type = FunctionType { inputs: vec![table_type], results: vec![Type::I64] };
    let attributes = &mut module.body.op_mut(op).attributes;
    attributes.set("function_type", Attribute::Type(Type::Function(r#type.into())));
    // they describe the model's inputs and outputs, which are no longer the function's
    attributes.remove("arg_attrs");
    attributes.remove("res_attrs");
    Ok(())
}

impl Host<'_> {
    fn run(&mut self) -> ir::Result<()> {
        let entry = self.source.entry().expect("the host function has a body");
        self.bind_arguments(entry);
        self.hoist_sizes(entry);
        let end = self.source.terminator(entry).expect("the host function returns");
        let results = self.source.op(end).operands().to_vec();
        self.assign_outputs(&results);
        let lifetimes = Lifetimes::of(&self.source, entry);
        self.plan_arena(&lifetimes);
        for (position, op) in self.source.ops(entry).to_vec().into_iter().enumerate() {
            self.operation(op)?;
            if self.name == INITIALIZE {
                self.discard_constants(op, position, &lifetimes);
            }
        }
        for (index, &result) in results.iter().enumerate() {
            self.finish_output(index, result);
        }
        let zero = self.index(0);
        let status = self.load_word(self.status, zero);
        self.emit("func.return", &[status], &[], []);
        Ok(())
    }

    // ---- small emitters

    fn emit(
        &mut self,
        name: &'static str,
        operands: &[Value],
        results: &[Type],
        attributes: impl Into<Attributes>,
    ) -> Op {
        let at = self.at;
        Builder::at_end(&mut self.body, at).create(name, operands, results, attributes)
    }

    fn value(
        &mut self,
        name: &'static str,
        operands: &[Value],
        result: Type,
        attributes: impl Into<Attributes>,
    ) -> Value {
        let op = self.emit(name, operands, &[result], attributes);
        self.body.result(op, 0)
    }

    /// A pure operation; one that the entry block has already is not repeated.
    fn pure(
        &mut self,
        name: impl Into<OpName>,
        operands: &[Value],
        result: Type,
        attributes: impl Into<Attributes>,
    ) -> Value {
        let pure = Pure { name: name.into(), operands: operands.to_vec(), attributes: attributes.into(), result };
        if let Some(&known) = self.known.get(&pure) {
            return known;
        }
        let mut builder = Builder::at_end(&mut self.body, self.at);
        let value = builder.value(pure.name.clone(), &pure.operands, pure.result.clone(), pure.attributes.clone());
        // what a branch computes is not known behind it
        if Some(self.at) == self.body.entry() {
            self.known.insert(pure, value);
        }
        value
    }

    fn index(&mut self, value: i64) -> Value {
        self.pure("arith.constant", &[], Type::Index, [("value", Attribute::index(value))])
    }

    fn load_word(&mut self, table: Value, at: Value) -> Value {
        self.value("memref.load", &[table, at], Type::I64, [])
    }

    fn store_word(&mut self, word: Value, at: i64) {
        let at = self.index(at);
        let word = self.pure("arith.index_cast", &[word], Type::I64, []);
        let table = self.table;
        self.emit("memref.store", &[word, table, at], &[], []);
    }

    // ---- arguments and sizes

    fn bind_arguments(&mut self, entry: Block) {
        let mut word = 1;
        for argument in self.source.arguments(entry).to_vec() {
            let r#type = self.source.value_type(argument).clone();
            let mut next = |host: &mut Self| {
                let at = host.index(word);
                word += 1;
                let loaded = host.load_word(host.table, at);
                host.value("arith.index_cast", &[loaded], Type::Index, [])
            };
            let address = next(self);
            let rank = r#type.rank().unwrap_or(0);
            let extents: Vec<Value> = (0..rank).map(|_| next(self)).collect();
            let memref = self.buffer_at(address, &r#type, &extents);
            self.buffers.insert(argument, Buffer { memref, extents });
        }
        self.output_words.push(word);
    }

    /// A memref of a tensor's shape over an address.
    fn buffer_at(&mut self, address: Value, tensor: &Type, extents: &[Value]) -> Value {
        let bytes = self.pure("rt.buffer", &[address], Type::memref(vec![None], Type::I8), []);
        let zero = self.index(0);
        self.view(bytes, zero, tensor, extents)
    }

    fn view(&mut self, bytes: Value, shift: Value, tensor: &Type, extents: &[Value]) -> Value {
        let shape = tensor.shape().expect("structured tensors are ranked");
        let dynamic = shape.iter().zip(extents).filter(|(extent, _)| extent.is_none()).map(|(_, &value)| value);
        let operands: Vec<Value> = [bytes, shift].into_iter().chain(dynamic).collect();
        let memref = Type::memref(shape, tensor.element().clone());
        self.pure("memref.view", &operands, memref, [])
    }

    /// Emits every scalar operation of the entry block that depends on nothing but input extents and constants.
    fn hoist_sizes(&mut self, entry: Block) {
        for op in self.source.ops(entry).to_vec() {
            let ready = match self.source.name(op) {
                "tensor.dim" => self.buffers.contains_key(&self.source.operand(op, 0)),
                "arith.constant" => !matches!(self.source.value_type(self.source.result(op, 0)), Type::Tensor(_)),
                name if name.starts_with("arith.") => {
                    self.source.op(op).operands().iter().all(|operand| self.scalars.contains_key(operand))
                }
                _ => false,
            };
            if ready {
                self.scalar_op(op);
            }
        }
    }

    fn scalar_op(&mut self, op: Op) {
        let result = self.source.result(op, 0);
        if self.scalars.contains_key(&result) {
            return;
        }
        let operation = self.source.op(op).clone();
        let new = match operation.name.as_str() {
            "tensor.dim" => {
                let axis_op = self.source.defining_op(operation.operands()[1]).expect("the axis is a constant");
                let axis = self.source.op(axis_op).attributes.integer("value").expect("the axis is a constant");
                self.buffers[&operation.operands()[0]].extents[axis as usize]
            }
            _ => {
                let operands: Vec<Value> = operation.operands().iter().map(|o| self.scalars[o]).collect();
                let r#type = self.source.value_type(result).clone();
                self.pure(operation.name, &operands, r#type, operation.attributes)
            }
        };
        self.scalars.insert(result, new);
    }

    // ---- outputs

    /// Values that are computed by a call of the entry block and returned once are written where the caller wants them.
    fn assign_outputs(&mut self, results: &[Value]) {
        for (index, &result) in results.iter().enumerate() {
            let next = self.output_words[index] + 1 + self.source.value_type(result).rank().unwrap_or(0) as i64;
            self.output_words.push(next);
            let root = view_root(&self.source, result);
            let by_call = self.source.defining_op(root).is_some_and(|op| {
                self.source.name(op) == "func.call" && self.source.op(op).parent() == self.source.entry()
            });
            if by_call && !self.outputs.contains_key(&root) {
                self.outputs.insert(root, index);
            }
        }
    }

    fn output_memory(&mut self, index: usize, bytes: Value) -> Value {
        let number = self.index(index as i64);
        let context = self.context;
        let callee = Attributes::from([("callee", Attribute::symbol("rt_output"))]);
        self.value("func.call", &[context, number, bytes], Type::memref(vec![None], Type::I8), callee)
    }

    fn finish_output(&mut self, index: usize, result: Value) {
        let buffer = self.buffers[&result].clone();
        let root = view_root(&self.source, result);
        let base = self.output_words[index];
        let address = if self.outputs.get(&root) == Some(&index) {
            self.pure("rt.address", &[buffer.memref], Type::Index, [])
        } else {
            let r#type = self.source.value_type(result).clone();
            let bytes = self.byte_size(&r#type, &buffer.extents);
            let memory = self.output_memory(index, bytes);
            let target = self.pure("rt.address", &[memory], Type::Index, []);
            let source = self.pure("rt.address", &[buffer.memref], Type::Index, []);
            let callee = Attributes::from([("callee", Attribute::symbol("rt_copy"))]);
            self.emit("func.call", &[target, source, bytes], &[], callee);
            target
        };
        self.store_word(address, base);
        for (axis, extent) in buffer.extents.into_iter().enumerate() {
            self.store_word(extent, base + 1 + axis as i64);
        }
    }

    // ---- memory

    fn byte_size(&mut self, tensor: &Type, extents: &[Value]) -> Value {
        let width = tensor.element().byte_width().expect("tensor elements have a width") as i64;
        let mut size = self.index(width);
        for &extent in extents {
            size = self.pure("arith.muli", &[size, extent], Type::Index, []);
        }
        size
    }

    /// The size of a call's result, when it is known before the first operation runs.
    fn planned_size(&mut self, destination: Value) -> Option<Size> {
        let r#type = self.source.value_type(destination).clone();
        let width = r#type.element().byte_width()? as i64;
        if let Some(shape) = r#type.static_shape() {
            return Some(Size::Static(shape.iter().product::<i64>() * width));
        }
        let extents = self.destination_extents(destination)?;
        Some(Size::Dynamic(self.byte_size(&r#type, &extents)))
    }

    /// The extents of a `tensor.empty`, when all its sizes are known already.
    fn destination_extents(&mut self, destination: Value) -> Option<Vec<Value>> {
        let shape = self.source.value_type(destination).shape()?;
        let op = self.source.defining_op(destination)?;
        let mut sizes = self.source.op(op).operands().to_vec().into_iter();
        shape
            .into_iter()
            .map(|extent| match extent {
                Some(extent) => Some(self.index(extent)),
                None => self.scalars.get(&sizes.next()?).copied(),
            })
            .collect()
    }

    /// Gives every call result of planned size a slot, and the slots offsets in one arena.
    fn plan_arena(&mut self, lifetimes: &Lifetimes) {
        let mut slots: Vec<Slot> = Vec::new();
        for (value, destination, position) in lifetimes.results.clone() {
            if self.outputs.contains_key(&value) || self.stored_global(value).is_some() {
                continue;
            }
            let Some(size) = self.planned_size(destination) else { continue };
            let last = lifetimes.last_use(value);
            let free = |slot: &Slot| slot.free_after < position;
            let fits = |slot: &Slot| match (slot.bytes, size) {
                (Size::Static(a), Size::Static(b)) => a >= b && a <= 2 * b + 4096,
                (a, b) => a == b,
            };
            let reused = slots.iter().position(|slot| free(slot) && slot.bytes == size);
            let reused = reused.or_else(|| slots.iter().position(|slot| free(slot) && fits(slot)));
            let reused = reused.or_else(|| slots.iter().position(free));
            let index = reused.unwrap_or_else(|| {
                slots.push(Slot { bytes: size, free_after: last });
                slots.len() - 1
            });
            slots[index].bytes = self.larger(slots[index].bytes, size);
            slots[index].free_after = last;
            self.slots.insert(value, index);
        }
        let mut offset = self.index(0);
        for slot in &slots {
            self.offsets.push(offset);
            let bytes = match slot.bytes {
                Size::Static(bytes) => self.index((bytes + ALIGNMENT - 1) & -ALIGNMENT),
                Size::Dynamic(bytes) => self.aligned(bytes),
            };
            offset = self.pure("arith.addi", &[offset, bytes], Type::Index, []);
        }
        let callee = Attributes::from([("callee", Attribute::symbol("rt_arena"))]);
        let context = self.context;
        self.arena = Some(self.value("func.call", &[context, offset], Type::memref(vec![None], Type::I8), callee));
    }

    fn larger(&mut self, a: Size, b: Size) -> Size {
        match (a, b) {
            (Size::Static(a), Size::Static(b)) => Size::Static(a.max(b)),
            _ if a == b => a,
            (a, b) => {
                let mut as_value = |size| match size {
                    Size::Static(bytes) => self.index(bytes),
                    Size::Dynamic(bytes) => bytes,
                };
                let operands = [as_value(a), as_value(b)];
                Size::Dynamic(self.pure("arith.maxsi", &operands, Type::Index, []))
            }
        }
    }

    fn aligned(&mut self, bytes: Value) -> Value {
        let (round, mask) = (self.index(ALIGNMENT - 1), self.index(-ALIGNMENT));
        let sum = self.pure("arith.addi", &[bytes, round], Type::Index, []);
        self.pure("arith.andi", &[sum, mask], Type::Index, [])
    }

    fn allocate(&mut self, value: Value, destination: Value) -> ir::Result<Buffer> {
        let r#type = self.source.value_type(destination).clone();
        if let Some(name) = self.stored_global(value) {
            return Ok(self.global_buffer(&name, &r#type));
        }
        let extents = self.destination_extents(destination).ok_or_else(|| {
            Diagnostic::internal(Location::Unknown, "the size of a kernel's result is not computed before its call")
        })?;
        let memref = if let Some(&index) = self.outputs.get(&value) {
            let bytes = self.byte_size(&r#type, &extents);
            let memory = self.output_memory(index, bytes);
            let zero = self.index(0);
            self.view(memory, zero, &r#type, &extents)
        } else if let Some(&slot) = self.slots.get(&value) {
            let arena = self.arena.expect("the arena is planned");
            self.view(arena, self.offsets[slot], &r#type, &extents)
        } else {
            let bytes = self.byte_size(&r#type, &extents);
            let context = self.context;
            let callee = Attributes::from([("callee", Attribute::symbol("rt_allocate"))]);
            let memory = self.value("func.call", &[context, bytes], Type::memref(vec![None], Type::I8), callee);
            let zero = self.index(0);
            self.view(memory, zero, &r#type, &extents)
        };
        Ok(Buffer { memref, extents })
    }

    // ---- operations

    fn block(&mut self, block: Block) -> ir::Result<()> {
        for op in self.source.ops(block).to_vec() {
            self.operation(op)?;
        }
        Ok(())
    }

    fn operation(&mut self, op: Op) -> ir::Result<()> {
        let name = self.source.name(op).to_string();
        match name.as_str() {
            "func.return" | "scf.yield" | "tensor.empty" | GLOBAL_STORE => {}
            GLOBAL_LOAD => {
                let result = self.source.result(op, 0);
                let name = named_global(&self.source, op).to_string();
                let tensor = self.source.value_type(result).clone();
                let buffer = self.global_buffer(&name, &tensor);
                self.buffers.insert(result, buffer);
            }
            "func.call" => self.call(op)?,
            "arith.constant" if matches!(self.source.value_type(self.source.result(op, 0)), Type::Tensor(_)) => {
                self.constant(op);
            }
            "tensor.cast" => {
                // a cast of a destination is never a buffer of its own
                if let Some(buffer) = self.buffers.get(&self.source.operand(op, 0)).cloned() {
                    let result = self.source.result(op, 0);
                    self.buffers.insert(result, buffer);
                }
            }
            "tensor.reshape" => {
                let elements =
                    self.source.defining_op(self.source.operand(op, 1)).expect("a shape is built from elements");
                let extents: Vec<Value> =
                    self.source.op(elements).operands().iter().map(|operand| self.scalars[operand]).collect();
                let source = self.buffers[&self.source.operand(op, 0)].memref;
                let address = self.pure("rt.address", &[source], Type::Index, []);
                let result = self.source.result(op, 0);
                let r#type = self.source.value_type(result).clone();
                let memref = self.buffer_at(address, &r#type, &extents);
                self.buffers.insert(result, Buffer { memref, extents });
            }
            // only ever the shape operand of a reshape
            "tensor.from_elements" => {}
            "tensor.extract" => {
                let operands = self.source.op(op).operands().to_vec();
                let buffer = self.buffers[&operands[0]].memref;
                let indices = operands[1..].iter().map(|operand| self.scalars[operand]);
                let operands: Vec<Value> = std::iter::once(buffer).chain(indices).collect();
                let result = self.source.result(op, 0);
                let r#type = self.source.value_type(result).clone();
                let loaded = self.value("memref.load", &operands, r#type, []);
                self.scalars.insert(result, loaded);
            }
            "scf.if" => self.conditional(op)?,
            "cf.assert" => {
                let condition = self.scalars[&self.source.operand(op, 0)];
                let attributes = self.source.op(op).attributes.clone();
                self.emit("cf.assert", &[condition], &[], attributes);
            }
            "tensor.dim" => self.scalar_op(op),
            _ if name.starts_with("arith.") || name.starts_with("math.") => self.scalar_op(op),
            _ => {
                let location = self.source.op(op).location.clone();
                return Err(Diagnostic::internal(location, format!("{name} has no place in a host function")).into());
            }
        }
        Ok(())
    }

    fn call(&mut self, op: Op) -> ir::Result<()> {
        let operation = self.source.op(op).clone();
        let (arguments, destinations) =
            operation.operands().split_at(operation.operands().len() - operation.results().len());
        let mut operands: Vec<Value> = Vec::new();
        for &argument in arguments {
            let operand = match self.buffers.get(&argument) {
                Some(buffer) => self.cast_to(buffer.memref, argument),
                None => self.scalars[&argument],
            };
            operands.push(operand);
        }
        for (&result, &destination) in operation.results().iter().zip(destinations) {
            let buffer = self.allocate(result, without_casts(&self.source, destination))?;
            operands.push(self.cast_to(buffer.memref, destination));
            self.buffers.insert(result, buffer);
        }
        let at = self.at;
        Builder::at_end(&mut self.body, at).with_location(operation.location).create(
            "func.call",
            &operands,
            &[],
            operation.attributes,
        );
        Ok(())
    }

    /// Gives back the pages of mapped constants that `op` was the last to read. They were read to be packed, and the
    /// packed form is what stays.
    fn discard_constants(&mut self, op: Op, position: usize, lifetimes: &Lifetimes) {
        for operand in self.source.op(op).operands().to_vec() {
            let root = view_root(&self.source, operand);
            let bytes = self.mapped_bytes(root).unwrap_or(0);
            if bytes < DISCARDED_BYTES || lifetimes.last_use(root) != position {
                continue;
            }
            let address = self.pure("rt.address", &[self.buffers[&root].memref], Type::Index, []);
            let bytes = self.index(bytes as i64);
            let callee = Attributes::from([("callee", Attribute::symbol("rt_discard"))]);
            self.emit("func.call", &[address, bytes], &[], callee);
        }
    }

    /// The size of a constant that is in a mapped file.
    fn mapped_bytes(&self, value: Value) -> Option<usize> {
        let op = self.source.defining_op(value).filter(|&op| self.source.name(op) == "arith.constant")?;
        let data = &self.source.op(op).attributes.get("value")?.as_dense()?.data;
        data.is_mapped().then(|| data.bytes().len())
    }

    /// A buffer under the type that a tensor operand has.
    fn cast_to(&mut self, memref: Value, operand: Value) -> Value {
        let tensor = self.source.value_type(operand);
        let expected = Type::memref(tensor.shape().expect("structured tensors are ranked"), tensor.element().clone());
        match *self.body.value_type(memref) == expected {
            true => memref,
            false => self.pure("memref.cast", &[memref], expected, []),
        }
    }

    fn constant(&mut self, op: Op) {
        let result = self.source.result(op, 0);
        let tensor = self.source.value_type(result).clone();
        let shape = tensor.static_shape().expect("constants are static");
        let memref = Type::memref(shape.iter().map(|&e| Some(e)).collect::<Vec<_>>(), tensor.element().clone());
        let name = format!("{}_constant_{}", self.name, self.globals);
        self.globals += 1;
        let value = self.source.op(op).attributes.get("value").expect("a constant has a value").clone();
        let location = self.source.op(op).location.clone();
        self.global(&name, &memref, value, location);
        let buffer = self.global_buffer(&name, &tensor);
        self.buffers.insert(result, buffer);
    }

    /// A constant buffer of the module.
    fn global(&mut self, name: &str, memref: &Type, initial_value: Attribute, location: Location) {
        let attributes = Attributes::from([
            ("sym_name", Attribute::string(name)),
            ("sym_visibility", Attribute::string("private")),
            ("type", Attribute::Type(memref.clone())),
            ("alignment", Attribute::i64(ALIGNMENT)),
            ("constant", Attribute::Unit),
            ("initial_value", initial_value),
        ]);
        let global = self.module.body.create_op("memref.global", &[], &[], attributes, location);
        let top = self.module.body.entry().expect("a module has one block");
        self.module.body.append(top, global);
    }

    /// The global that a value is stored into, which then is the value's own memory.
    fn stored_global(&self, value: Value) -> Option<String> {
        self.source.uses(value).iter().find_map(|reader| match self.source.name(reader.op) {
            GLOBAL_STORE => Some(named_global(&self.source, reader.op).to_string()),
            "tensor.cast" => self.stored_global(self.source.result(reader.op, 0)),
            _ => None,
        })
    }

    /// The buffer of a global, which has a static shape.
    fn global_buffer(&mut self, name: &str, tensor: &Type) -> Buffer {
        let shape = tensor.static_shape().expect("globals are static");
        let memref = Type::memref(shape.iter().map(|&e| Some(e)).collect::<Vec<_>>(), tensor.element().clone());
        let extents = shape.iter().map(|&extent| self.index(extent)).collect();
        let memref = self.pure("memref.get_global", &[], memref, [("name", Attribute::symbol(name))]);
        Buffer { memref, extents }
    }

    /// `scf.if`: each branch yields the addresses and extents of its results.
    fn conditional(&mut self, op: Op) -> ir::Result<()> {
        let operation = self.source.op(op).clone();
        let condition = self.scalars[&operation.operands()[0]];
        let ranks: Vec<Option<usize>> = operation
            .results()
            .iter()
            .map(|&r| self.source.value_type(r).as_tensor().map(|t| t.shape.as_ref().map_or(0, Vec::len)))
            .collect();
        let types: Vec<Type> = operation
            .results()
            .iter()
            .zip(&ranks)
            .flat_map(|(&result, rank)| match rank {
                Some(rank) => vec![Type::Index; rank + 1],
                None => vec![self.source.value_type(result).clone()],
            })
            .collect();
        let new = self.emit("scf.if", &[condition], &types, []);
        let outer = self.at;
        for &region in operation.regions() {
            let new_region = self.body.add_region(new);
            let Some(&block) = self.source.blocks(region).first() else { continue };
            self.at = self.body.add_block(new_region, &[]);
            self.block(block)?;
            let end = self.source.terminator(block).expect("a branch yields");
            let mut yields = Vec::new();
            for &value in self.source.op(end).operands().to_vec().iter() {
                match self.buffers.get(&value).cloned() {
                    Some(buffer) => {
                        yields.push(self.pure("rt.address", &[buffer.memref], Type::Index, []));
                        yields.extend(buffer.extents);
                    }
                    None => yields.push(self.scalars[&value]),
                }
            }
            self.emit("scf.yield", &yields, &[], []);
            self.at = outer;
        }
        let mut words = self.body.op(new).results().to_vec().into_iter();
        let mut next = || words.next().expect("as many words as the branches yield");
        for (&result, rank) in operation.results().iter().zip(ranks) {
            match rank {
                Some(rank) => {
                    let address = next();
                    let extents: Vec<Value> = (0..rank).map(|_| next()).collect();
                    let r#type = self.source.value_type(result).clone();
                    let memref = self.buffer_at(address, &r#type, &extents);
                    self.buffers.insert(result, Buffer { memref, extents });
                }
                None => {
                    self.scalars.insert(result, next());
                }
            }
        }
        Ok(())
    }
}

/// The tensor behind casts.
fn without_casts(body: &Body, value: Value) -> Value {
    behind(body, value, &["tensor.cast"])
}

/// The value whose memory `value` shows: itself, or what it is a view of.
fn view_root(body: &Body, value: Value) -> Value {
    behind(body, value, &["tensor.reshape", "tensor.cast"])
}

/// What stands behind a chain of operations with one of these names.
fn behind(body: &Body, mut value: Value, names: &[&str]) -> Value {
    while let Some(op) = body.defining_op(value).filter(|&op| names.contains(&body.name(op))) {
        value = body.operand(op, 0);
    }
    value
}

/// Lifetimes of call results, counted in operations of the entry block.
struct Lifetimes {
    /// Result, destination, position of the call, in program order.
    results: Vec<(Value, Value, usize)>,
    last: IndexMap<Value, usize>,
}

impl Lifetimes {
    fn of(body: &Body, entry: Block) -> Lifetimes {
        let mut lifetimes = Lifetimes { results: vec![], last: IndexMap::default() };
        // what a value may share memory with: itself and, behind views and conditionals, other results
        let mut origins: IndexMap<Value, Vec<Value>> = IndexMap::default();
        for (position, &top) in body.ops(entry).iter().enumerate() {
            let nested = body.op(top).regions().iter().flat_map(|&region| body.walk(region));
            for op in nested.chain(std::iter::once(top)).collect::<Vec<_>>() {
                lifetimes.visit(body, op, position, &mut origins);
            }
        }
        lifetimes
    }

    fn visit(&mut self, body: &Body, op: Op, position: usize, origins: &mut IndexMap<Value, Vec<Value>>) {
        let operation = body.op(op);
        for operand in operation.operands() {
            for &origin in origins.get(operand).into_iter().flatten() {
                self.last.insert(origin, position);
            }
        }
        match operation.name.as_str() {
            "func.call" => {
                let first = operation.operands().len() - operation.results().len();
                for (index, &result) in operation.results().iter().enumerate() {
                    let destination = without_casts(body, operation.operands()[first + index]);
                    self.results.push((result, destination, position));
                    self.last.insert(result, position);
                    origins.insert(result, vec![result]);
                }
            }
            "arith.constant" => {
                let result = operation.results()[0];
                origins.insert(result, vec![result]);
            }
            "tensor.reshape" | "tensor.cast" => {
                let of = origins.get(&operation.operands()[0]).cloned().unwrap_or_default();
                origins.insert(operation.results()[0], of);
            }
            "scf.if" => {
                for (index, &result) in operation.results().iter().enumerate() {
                    let branches = operation.regions().iter().filter_map(|&region| body.blocks(region).first());
                    let yielded =
                        branches.filter_map(|&block| body.terminator(block)).map(|end| body.operand(end, index));
                    let all = yielded.flat_map(|value| origins.get(&value).cloned().unwrap_or_default()).collect();
                    origins.insert(result, all);
                }
            }
            _ => {}
        }
    }

    fn last_use(&self, value: Value) -> usize {
        self.last.get(&value).copied().unwrap_or(0)
    }
}
