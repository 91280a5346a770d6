//! The `{-# dialect_resources #-}` section: the bytes of `dense_resource<key>`.

use std::sync::Arc;

use crate::IndexMap;

use crate::attributes::quote;
use data::Blob;

use super::is_bare_identifier;

/// Alignment printed before every blob, in bytes.
const ALIGNMENT: u32 = 64;

/// Resources in the order of their first mention.
#[derive(Default)]
pub(super) struct Resources {
    blobs: IndexMap<Arc<str>, Blob>,
}

impl Resources {
    /// The name to print for a resource: its key, made unique if two keys of different bytes collide.
    pub(super) fn name(&mut self, key: &Arc<str>, blob: &Blob) -> Arc<str> {
        let mut name = key.clone();
        let mut suffix = 0;
        while let Some(known) = self.blobs.get(&name) {
            if known.same_storage(blob) || known.bytes() == blob.bytes() {
                return name;
            }
            suffix += 1;
            name = format!("{key}_{suffix}").into();
        }
        self.blobs.insert(name.clone(), blob.clone());
        name
    }

    /// Appends the section, unless no resource has bytes.
    pub(super) fn print(&self, out: &mut String) {
        let mut separator = "\n{-#\n  dialect_resources: {\n    builtin: {\n";
        for (key, blob) in self.blobs.iter().filter(|(_, blob)| !blob.bytes().is_empty()) {
            let key = if is_bare_identifier(key) { key.to_string() } else { quote(key) };
            out.push_str(&format!("{separator}      {key}: \"0x"));
            push_hex(&ALIGNMENT.to_le_bytes(), out);
            push_hex(blob.bytes(), out);
            out.push('"');
            separator = ",\n";
        }
        if separator == ",\n" {
            out.push_str("\n    }\n  }\n#-}\n");
        }
    }
}

/// Two digits per byte.
pub(super) fn push_hex(bytes: &[u8], out: &mut String) {
    const DIGITS: &[u8; 16] = b"0123456789ABCDEF";
    out.reserve(bytes.len() * 2);
    for byte in bytes {
        out.push(DIGITS[(byte >> 4) as usize] as char);
        out.push(DIGITS[(byte & 15) as usize] as char);
    }
}
