//! The memory of a module's `memref.global`s: here weights get the addresses that generated code reads.

use dialects::memref;
use std::collections::{BTreeMap, HashMap};

use data::{AlignedBytes, Blob};
use ir::{Attribute, DenseElements, IndexMap, Module, Type};
use ir::{Diagnostic, Location};
use limits::Shortage;

/// The memory of every global, by name.
#[derive(Default)]
pub struct Globals {
    memory: IndexMap<String, Memory>,
    /// Memory for buffers, many small ones together.
    regions: Vec<AlignedBytes>,
}

/// The memory of a global.
pub enum Memory {
    /// A constant: the mapped model itself if the processor can read it there.
    Constant(Blob),
    /// A buffer that generated code writes to.
    Buffer(Slot),
    /// A buffer that is not written any more.
    Result(Blob),
}

/// The location of a buffer.
pub struct Slot {
    region: usize,
    offset: usize,
    length: usize,
}

/// The location of something that code refers to.
pub(crate) enum Place {
    /// A fixed address.
    Address(usize),
    /// Bytes that may still be computed.
    Bytes(Blob),
}

impl Place {
    /// The address; the bytes may not be ready yet.
    pub(crate) fn address(&self) -> usize {
        match self {
            Place::Address(address) => *address,
            Place::Bytes(blob) => blob.address(),
        }
    }

    /// The address, after waiting for the bytes.
    pub(crate) fn ready(&self) -> Result<usize, Diagnostic> {
        match self {
            Place::Address(address) => Ok(*address),
            Place::Bytes(blob) => blob.ready().map(|bytes| bytes.as_ptr().expose_provenance()).ok_or_else(lost),
        }
    }
}

/// The error of a reader of weights whose preparation failed.
pub(crate) fn lost() -> Diagnostic {
    Diagnostic::internal(Location::Unknown, "the preparation of weights failed in the background")
}

/// The alignment of buffers: a cache line.
const LINE: usize = 64;

impl Globals {
    /// Finds or allocates the memory of a module's globals that are new.
    pub fn add(&mut self, module: &Module) -> Result<(), Shortage> {
        let mut buffers = Vec::new();
        for op in module.ops() {
            let operation = module.body.op(op);
            if operation.name == memref::GLOBAL
                && let Some(name) = operation.attributes.str("sym_name")
                && let Some(r#type) = operation.attributes.get("type").and_then(Attribute::as_type)
                && !self.memory.contains_key(name)
            {
                match operation.attributes.get("initial_value").and_then(Attribute::as_dense) {
                    Some(elements) => self.add_constant(name.to_string(), constant(r#type, elements)?),
                    None => buffers.push((name.to_string(), byte_length(r#type))),
                }
            }
        }
        self.add_buffers(buffers)
    }

    /// Adds a constant.
    pub fn add_constant(&mut self, name: String, bytes: Blob) {
        self.memory.insert(name, Memory::Constant(bytes));
    }

    /// Allocates zeroed buffers of the given lengths in bytes in a separate region.
    pub fn add_buffers(&mut self, buffers: Vec<(String, usize)>) -> Result<(), Shortage> {
        let (region, mut end) = (self.regions.len(), 0usize);
        for (name, length) in buffers {
            self.memory.insert(name, Memory::Buffer(Slot { region, offset: end, length }));
            end = end.saturating_add(length.saturating_add(LINE - 1) / LINE * LINE);
        }
        self.regions.push(AlignedBytes::try_zeroed(end)?);
        Ok(())
    }

    /// Every global, by name.
    pub fn memory(&self) -> &IndexMap<String, Memory> {
        &self.memory
    }

    /// Ends all writes to buffers.
    fn freeze(&mut self) {
        let regions: Vec<Blob> = std::mem::take(&mut self.regions).into_iter().map(Blob::from_owned).collect();
        for memory in self.memory.values_mut() {
            if let Memory::Buffer(Slot { region, offset, length }) = memory {
                *memory =
                    Memory::Result(regions[*region].window(*offset, *length).expect("a buffer is inside its region"));
            }
        }
    }

    /// The addresses of all symbols that code refers to: of the runtime and the globals.
    pub fn symbols(&mut self) -> Result<BTreeMap<String, usize>, Diagnostic> {
        self.places().into_iter().map(|(name, place)| Ok((name, place.ready()?))).collect()
    }

    /// The locations of all symbols that code refers to.
    pub(crate) fn places(&mut self) -> HashMap<String, Place> {
        let runtime = runtime::symbols().into_iter();
        let mut places: HashMap<String, Place> =
            runtime.map(|(name, address)| (name.to_string(), Place::Address(address.expose_provenance()))).collect();
        let regions: Vec<usize> =
            self.regions.iter_mut().map(|region| region.as_mut_slice().as_mut_ptr().expose_provenance()).collect();
        places.extend(self.memory.iter().map(|(name, memory)| {
            let place = match memory {
                Memory::Constant(blob) | Memory::Result(blob) => Place::Bytes(blob.clone()),
                Memory::Buffer(Slot { region, offset, .. }) => Place::Address(regions[*region] + offset),
            };
            (name.clone(), place)
        }));
        places
    }

    /// The same memory, with no writes to buffers any more.
    pub fn frozen(&mut self) -> Globals {
        self.freeze();
        let share = |memory: &Memory| match memory {
            Memory::Constant(blob) => Memory::Constant(blob.clone()),
            Memory::Result(blob) => Memory::Result(blob.clone()),
            Memory::Buffer(_) => unreachable!("none remain"),
        };
        let memory = self.memory.iter().map(|(name, memory)| (name.clone(), share(memory))).collect();
        Globals { memory, regions: vec![] }
    }

    /// The words of a buffer that generated code wrote.
    pub fn words(&self, name: &str) -> Vec<i64> {
        let Some(Memory::Buffer(Slot { region, offset, length })) = self.memory.get(name) else { return vec![] };
        let bytes = &self.regions[*region].as_slice()[*offset..][..*length];
        bytes.chunks_exact(8).map(|word| i64::from_le_bytes(word.try_into().expect("8 bytes"))).collect()
    }
}

/// The constants of a module that has their bytes.
pub(crate) fn constants(module: &Module) -> impl Iterator<Item = Result<(String, Blob), Shortage>> {
    module.ops().filter_map(|op| {
        let operation = module.body.op(op);
        let elements = operation.attributes.get("initial_value").and_then(Attribute::as_dense)?;
        let r#type = operation.attributes.get("type").and_then(Attribute::as_type)?;
        let name = operation.attributes.str("sym_name")?.to_string();
        Some(constant(r#type, elements).map(|bytes| (name, bytes)))
    })
}

/// Whether unaligned loads are allowed, as of elements in a mapped model.
const READS_UNALIGNED: bool = cfg!(any(target_arch = "x86_64", target_arch = "aarch64"));

fn byte_length(r#type: &Type) -> usize {
    let width = r#type.element().byte_width().unwrap_or(1);
    let shape = r#type.static_shape().unwrap_or_else(|| vec![0]);
    shape.iter().fold(width, |bytes, &extent| bytes.saturating_mul(usize::try_from(extent).unwrap_or(0)))
}

fn constant(r#type: &Type, elements: &DenseElements) -> Result<Blob, Shortage> {
    let bytes = || elements.data.bytes();
    let is_aligned = || (bytes().as_ptr() as usize).is_multiple_of(r#type.element().byte_width().unwrap_or(1));
    match elements.splat {
        true => Blob::try_build(byte_length(r#type), |all| {
            all.chunks_mut(bytes().len().max(1)).for_each(|element| element.copy_from_slice(bytes()));
        }),
        // bytes that are still being computed are not waited for
        false if READS_UNALIGNED || is_aligned() => Ok(elements.data.clone()),
        false => Blob::try_build(bytes().len(), |copy| copy.copy_from_slice(bytes())),
    }
}
