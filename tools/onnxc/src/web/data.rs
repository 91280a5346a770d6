//! The data of a module of WebAssembly: what is in its memory before it runs, separated from the module.

use wasmparser::{BinaryReaderError, DataKind, Operator, Parser, Payload};

/// A module without its data.
pub(crate) struct Separated {
    pub(crate) module: Vec<u8>,
    /// Addresses in the module's memory, with the bytes from there on.
    pub(crate) data: Vec<(u32, Vec<u8>)>,
}

/// The bytes before the first section.
const HEAD: u64 = 8;

/// Separates a module from its data; `None` if some of its data has no constant address.
pub(crate) fn separate(bytes: &[u8]) -> Result<Option<Separated>, BinaryReaderError> {
    let mut separated = Separated { module: bytes.iter().take(HEAD as usize).copied().collect(), data: vec![] };
    // a section begins where the one before it ends
    let mut end = HEAD;
    for payload in Parser::new(0).parse_all(bytes) {
        let payload = payload?;
        let Some((_, range)) = payload.as_section() else { continue };
        let whole = std::mem::replace(&mut end, range.end)..range.end;
        match payload {
            Payload::DataCountSection { .. } => {}
            Payload::DataSection(section) => {
                for segment in section {
                    let segment = segment?;
                    let DataKind::Active { memory_index: 0, offset_expr } = segment.kind else { return Ok(None) };
                    let Operator::I32Const { value } = offset_expr.get_operators_reader().read()? else {
                        return Ok(None);
                    };
                    separated.data.push((value as u32, segment.data.to_vec()));
                }
            }
            _ => separated.module.extend_from_slice(&bytes[whole.start as usize..whole.end as usize]),
        }
    }
    Ok(Some(separated))
}
