//! Files of weights: the large constants of an object, outside of it.
//!
//! A file is a head, then the bytes of each constant, each aligned to a cache line. The object states the checksum and
//! the length, so that the runtime refuses the file of another model. Numbers are little-endian.

/// The first bytes of a file.
pub const MAGIC: [u8; 8] = *b"ONNXCW\0\x01";
/// The size of the head: magic bytes, checksum, length of the file, zeros.
pub const HEAD: usize = 64;

/// The head of a file.
pub fn head(checksum: u64, length: u64) -> [u8; HEAD] {
    let mut head = [0; HEAD];
    head[..8].copy_from_slice(&MAGIC);
    head[8..16].copy_from_slice(&checksum.to_le_bytes());
    head[16..24].copy_from_slice(&length.to_le_bytes());
    head
}
