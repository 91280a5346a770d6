//! Writes the bytes of large constants into the space for them in an object file, so that they are never all in memory
//! at the same time.

use std::collections::BTreeMap;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;

use ir::{Attribute, Blob, DenseElements, Diagnostic, Location, Module};
use object::{Object, ObjectSection, ObjectSymbol};

/// Smaller constants are passed to LLVM, which may fold them.
const INLINE_BYTES: usize = 4096;

/// Whether a constant's bytes are written into the finished object.
pub(crate) fn is_filled_later(elements: &DenseElements) -> bool {
    !elements.splat && elements.data.bytes().len() > INLINE_BYTES
}

/// The constants of a module for which that is so, by name.
pub(crate) fn large_constants(module: &Module) -> impl Iterator<Item = (&str, &DenseElements)> {
    module.ops().filter_map(|op| {
        let attributes = &module.body.op(op).attributes;
        let elements = attributes.get("initial_value").and_then(Attribute::as_dense)?;
        is_filled_later(elements).then_some((attributes.str("sym_name")?, &**elements))
    })
}

/// Writes the large constants of a module into its object file.
pub(crate) fn fill(module: &Module, path: &Path) -> Result<(), Diagnostic> {
    let failed = |problem: String| Diagnostic::internal(Location::Unknown, format!("{}: {problem}", path.display()));
    let places = places(path).map_err(failed)?;
    let mut file = std::fs::OpenOptions::new().write(true).open(path).map_err(|error| failed(error.to_string()))?;
    for (name, elements) in large_constants(module) {
        // unused constants are not in the object
        let Some(&offset) = places.get(name) else { continue };
        file.seek(SeekFrom::Start(offset))
            .and_then(|_| file.write_all(elements.data.bytes()))
            .map_err(|error| failed(error.to_string()))?;
    }
    Ok(())
}

/// The symbols of an object file and the offsets of their bytes.
fn places(path: &Path) -> Result<BTreeMap<String, u64>, String> {
    let bytes = Blob::map_file(path).map_err(|error| error.to_string())?;
    let object = object::File::parse(bytes.bytes()).map_err(|error| error.to_string())?;
    let place = |symbol: object::Symbol<'_, '_>| {
        let section = object.section_by_index(symbol.section_index()?).ok()?;
        let (start, _) = section.file_range()?;
        Some((symbol.name().ok()?.to_string(), start + symbol.address() - section.address()))
    };
    Ok(object.symbols().filter_map(place).collect())
}
