//! The buffers behind a module's `memref.global`s.

use std::collections::BTreeMap;

use ir::{AlignedBytes, Attribute, Blob, IndexMap, Module, Type};

/// The memory of every global, by name.
#[derive(Default)]
pub(crate) struct Globals {
    memory: IndexMap<String, Memory>,
}

/// What a global is.
pub(crate) enum Memory {
    /// A constant: the mapped model itself where the processor can read it there.
    Constant(Blob),
    /// A buffer that generated code writes.
    Buffer(AlignedBytes),
    /// A buffer that nobody writes any more.
    Result(Blob),
}

impl From<IndexMap<String, Memory>> for Globals {
    fn from(memory: IndexMap<String, Memory>) -> Globals {
        Globals { memory }
    }
}

impl Globals {
    /// Finds or makes the memory of a module's globals that are not here yet.
    pub(crate) fn add(&mut self, module: &Module) {
        for &op in module.ops() {
            let operation = module.body.op(op);
            if operation.name.as_str() == "memref.global"
                && let Some(name) = operation.attributes.str("sym_name")
                && let Some(r#type) = operation.attributes.get("type").and_then(Attribute::as_type)
                && !self.memory.contains_key(name)
            {
                let memory = memory(r#type, operation.attributes.get("initial_value"));
                self.memory.insert(name.to_string(), memory);
            }
        }
    }

    /// Every global, by name.
    pub(crate) fn memory(&self) -> &IndexMap<String, Memory> {
        &self.memory
    }

    /// From now on nobody writes any buffer.
    pub(crate) fn freeze(&mut self) {
        for memory in self.memory.values_mut() {
            if let Memory::Buffer(bytes) = memory {
                *memory = Memory::Result(Blob::from_owned(std::mem::replace(bytes, AlignedBytes::zeroed(0))));
            }
        }
    }

    /// The addresses of all that code refers to: the runtime and the globals.
    pub(crate) fn symbols(&mut self) -> BTreeMap<String, usize> {
        let runtime = runtime::symbols().into_iter();
        let mut symbols: BTreeMap<String, usize> =
            runtime.map(|(name, address)| (name.to_string(), address.expose_provenance())).collect();
        symbols.extend(self.addresses().map(|(name, address)| (name.to_string(), address)));
        symbols
    }

    /// Name and address of every global.
    fn addresses(&mut self) -> impl Iterator<Item = (&str, usize)> {
        self.memory.iter_mut().map(|(name, memory)| {
            let address = match memory {
                Memory::Constant(blob) | Memory::Result(blob) => blob.bytes().as_ptr().expose_provenance(),
                Memory::Buffer(bytes) => bytes.as_mut_slice().as_mut_ptr().expose_provenance(),
            };
            (name.as_str(), address)
        })
    }

    /// The words of a buffer that generated code writes.
    pub(crate) fn words(&self, name: &str) -> Vec<i64> {
        match self.memory.get(name) {
            Some(Memory::Buffer(bytes)) => bytes
                .as_slice()
                .chunks_exact(8)
                .map(|word| i64::from_le_bytes(word.try_into().expect("8 bytes")))
                .collect(),
            _ => vec![],
        }
    }
}

/// Whether elements may be read from addresses that are no multiples of their size, as those in a mapped model are.
const READS_UNALIGNED: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

fn memory(r#type: &Type, initial: Option<&Attribute>) -> Memory {
    let width = r#type.element().byte_width().unwrap_or(1);
    let count = r#type.static_shape().map_or(0, |shape| shape.iter().product::<i64>()) as usize;
    match initial.and_then(Attribute::as_dense) {
        None => Memory::Buffer(AlignedBytes::zeroed(count * width)),
        Some(elements) if elements.splat => Memory::Constant(Blob::copy_of(&elements.data.bytes().repeat(count))),
        Some(elements) if READS_UNALIGNED || (elements.data.bytes().as_ptr() as usize).is_multiple_of(width) => {
            Memory::Constant(elements.data.clone())
        }
        Some(elements) => Memory::Constant(Blob::copy_of(elements.data.bytes())),
    }
}
