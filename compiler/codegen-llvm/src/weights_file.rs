//! Large constants in a separate file, which the runtime maps before the first run ([`abi::weights_file`]).

use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::Path;

use abi::weights_file::{HEAD, head};
use inkwell::values::GlobalValue;
use ir::{Diagnostic, IndexMap, Location, Module, Result};
use xxhash_rust::xxh3::Xxh3;

use crate::fill::large_constants;
use crate::memory::DATA_ALIGNMENT;

/// The file of an object's large constants.
#[derive(Clone, Debug)]
pub struct Weights {
    /// The offset of each constant in the file.
    places: IndexMap<String, u64>,
    /// The size of the file.
    pub(crate) length: u64,
    /// The checksum of all constants.
    pub(crate) checksum: u64,
}

/// The weights of a unit.
pub(crate) struct Mapped<'c> {
    /// The word with the file's address in memory.
    pub(crate) address: GlobalValue<'c>,
    pub(crate) file: Weights,
}

impl Weights {
    /// Writes the large constants of a module to a file, except those with some names, which objects refer to as data.
    pub fn write(module: &Module, kept: &[String], path: &Path) -> Result<Weights> {
        let failed = |error: std::io::Error| {
            Diagnostic::input(Location::Unknown, format!("{}: cannot be written: {error}", path.display()))
        };
        Ok(Weights::write_to(module, kept, path).map_err(failed)?)
    }

    fn write_to(module: &Module, kept: &[String], path: &Path) -> std::io::Result<Weights> {
        let mut file = BufWriter::new(std::fs::File::create(path)?);
        file.write_all(&[0; HEAD])?;
        let mut weights = Weights { places: IndexMap::default(), length: HEAD as u64, checksum: 0 };
        let mut checksum = Xxh3::new();
        for (name, elements) in large_constants(module).filter(|(name, _)| kept.iter().all(|kept| kept != name)) {
            let start = weights.length.next_multiple_of(u64::from(DATA_ALIGNMENT));
            file.write_all(&[0; DATA_ALIGNMENT as usize][..(start - weights.length) as usize])?;
            let bytes = elements.data.bytes();
            file.write_all(bytes)?;
            checksum.update(bytes);
            // they may be larger than the memory
            elements.data.discard();
            weights.places.insert(name.to_string(), start);
            weights.length = start + bytes.len() as u64;
        }
        weights.checksum = checksum.digest();
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&head(weights.checksum, weights.length))?;
        file.flush()?;
        Ok(weights)
    }

    /// The offset of a constant, if it is in the file.
    pub(crate) fn place(&self, name: &str) -> Option<u64> {
        self.places.get(name).copied()
    }
}
