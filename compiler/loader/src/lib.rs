//! Loads relocatable ELF objects for x86-64 or AArch64 into this process, if that is its processor.
//!
//! All objects of one [`load`] share one mapping: code and read-only data of every object, then a table with the
//! address of each outside symbol and a jump through it, so that a symbol may be at any distance. The mapping is
//! writable until it is relocated and executable afterwards, never both.

#![allow(unsafe_code, reason = "generated code is called from here")]

mod instruction_cache;
mod layout;
mod library;
mod machine;
mod relocate;

use std::collections::BTreeMap;

use layout::Layout;
use machine::Machine;
use memmap2::{Mmap, MmapMut};

pub use instruction_cache::publish;

/// Loaded code. It lives as long as this value.
#[derive(Debug)]
pub struct Loaded {
    memory: Mmap,
    functions: BTreeMap<String, usize>,
}

impl Loaded {
    /// The address of a symbol that one of the objects defines.
    pub fn function(&self, name: &str) -> Option<*const u8> {
        let offset = *self.functions.get(name)?;
        Some(self.memory[offset..].as_ptr())
    }
}

/// Loads objects that may refer to each other. `symbols` has the addresses of symbols that none of them defines; the C
/// library's memory functions are known.
pub fn load<T: AsRef<[u8]>>(objects: &[T], symbols: &BTreeMap<String, usize>) -> Result<Loaded, String> {
    let files = objects
        .iter()
        .map(|bytes| object::File::parse(bytes.as_ref()).map_err(|error| format!("not an object file: {error}")))
        .collect::<Result<Vec<_>, _>>()?;
    let machine = Machine::here().ok_or("objects cannot be loaded on this processor")?;
    if files.iter().any(|file| Machine::of(file) != Some(machine)) {
        return Err("the object is for another processor".into());
    }
    let layout = Layout::of(&files, symbols)?;
    let mut memory = MmapMut::map_anon(layout.size.max(1)).map_err(|error| format!("no memory for code: {error}"))?;
    layout.copy_sections(&files, &mut memory)?;
    layout.write_outside_symbols(machine, &mut memory);
    let base = memory.as_ptr().expose_provenance();
    relocate::relocate(&files, machine, &layout, base, &mut memory)?;
    let memory = memory.make_exec().map_err(|error| format!("code cannot be made executable: {error}"))?;
    publish([&memory[..]]);
    Ok(Loaded { memory, functions: layout.defined })
}

#[cfg(test)]
mod tests;
