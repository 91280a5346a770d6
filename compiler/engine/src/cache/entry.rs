//! A compiled model as bytes: what its owner knows about it, its memory, its code.
//!
//! ```text
//! tier · length of the head · length of the data · number of objects · their lengths
//! head: words of the owner, globals
//! data: constants computed while compiling, results of @initialize
//! objects: the code
//! ```
//!
//! Invariants
//! - Each part begins on a cache line of the file, and so in memory.
//! - Weights stay in the model's file: a constant from there is stored as an offset.
//! - The results of `@initialize` are stored if all of them fit; otherwise it runs again.

use ir::Blob;

use super::bytes::{Reader, Writer};
use crate::fast::tiers::CodeTier;
use crate::globals::{Globals, Memory};

/// The maximum size of an entry's data in bytes, so that it fits into half of a cache of the default size. Packed
/// weights may be a few times as large as those of the model, but are available as soon as the file is mapped.
pub const DATA: usize = 960 << 20;
/// The alignment of parts.
const LINE: usize = 64;

/// What is stored next to the code, as bytes.
pub struct Encoded {
    head: Vec<u8>,
    /// Chunks, each of which begins on a cache line.
    data: Vec<Blob>,
}

/// An entry that was read.
pub struct Entry<T> {
    /// The tier of the code.
    pub tier: CodeTier,
    /// What the owner wrote.
    pub own: T,
    /// The memory.
    pub globals: Globals,
    /// Whether the memory has the results of `@initialize`.
    pub is_initialized: bool,
    /// The entry without its code, to be written again.
    pub encoded: Encoded,
    /// The code.
    pub objects: Vec<Blob>,
}

impl Encoded {
    /// Encodes a model: the words that `own` writes, and its memory. `file` is the model's whole file.
    pub fn of(globals: &Globals, file: &Blob, own: impl FnOnce(&mut Encoder<'_>)) -> Encoded {
        let mut encoder = Encoder { head: Writer::default(), data: Vec::new(), length: 0, file };
        own(&mut encoder);
        encoder.globals(globals);
        Encoded { head: encoder.head.0, data: encoder.data }
    }

    /// The size of the data in bytes.
    pub fn data_length(&self) -> usize {
        self.data.iter().map(|piece| piece.bytes().len().next_multiple_of(LINE)).sum()
    }

    /// The bytes before the data of an entry with the given code.
    pub fn start(&self, tier: CodeTier, objects: &[Vec<u8>]) -> Vec<u8> {
        let mut start = Writer::default();
        start.word(tier as u64);
        start.word(self.head.len() as u64);
        start.word(self.data_length() as u64);
        start.list(objects, |writer, object| writer.word(object.len() as u64));
        start.0
    }

    /// The entry, made of these bytes, the data and the code, as consecutive slices.
    pub fn pieces<'a>(&'a self, start: &'a [u8], objects: &'a [Vec<u8>]) -> Vec<&'a [u8]> {
        const NOTHING: [u8; LINE] = [0; LINE];
        let data = self.data.iter().map(Blob::bytes);
        let pieces = [start, &self.head].into_iter().chain(data).chain(objects.iter().map(Vec::as_slice));
        pieces.flat_map(|piece| [piece, &NOTHING[..piece.len().next_multiple_of(LINE) - piece.len()]]).collect()
    }
}

impl<T> Entry<T> {
    /// Decodes an entry; `own` reads the owner's words, and `file` is the model's whole file.
    pub fn decode(bytes: &Blob, file: &Blob, own: impl FnOnce(&mut Decoder<'_>) -> Option<T>) -> Option<Entry<T>> {
        let mut reader = Reader(bytes.bytes());
        let tier = CodeTier::of(reader.word()?)?;
        let (head, data) = (reader.size()?, reader.size()?);
        let lengths = reader.list(Reader::size)?;
        let mut at = (bytes.bytes().len() - reader.0.len()).next_multiple_of(LINE);
        let mut part = |length: usize| {
            let part = bytes.window(at, length)?;
            at = (at + length).next_multiple_of(LINE);
            Some(part)
        };
        let (head, data) = (part(head)?, part(data)?);
        let objects = lengths.into_iter().map(&mut part).collect::<Option<_>>()?;
        let mut decoder = Decoder { head: Reader(head.bytes()), data: &data, file };
        let own = own(&mut decoder)?;
        let (globals, is_initialized) = decoder.globals()?;
        let encoded = Encoded { head: head.bytes().to_vec(), data: vec![data] };
        Some(Entry { tier, own, globals, is_initialized, encoded, objects })
    }
}

/// The location of a constant, or the kind of a buffer.
#[derive(Clone, Copy)]
enum Place {
    Model = 0,
    Data = 1,
    Buffer = 2,
}

/// Writes a model.
pub struct Encoder<'a> {
    /// Words.
    pub head: Writer,
    data: Vec<Blob>,
    /// The size of the data so far.
    length: usize,
    file: &'a Blob,
}

impl Encoder<'_> {
    /// Constants come first: results of `@initialize` are stored if all of them fit after these.
    fn globals(&mut self, globals: &Globals) {
        self.head.word(globals.memory().len() as u64);
        let mut results = Vec::new();
        for (name, memory) in globals.memory() {
            match memory {
                Memory::Constant(blob) => {
                    self.head.text(name);
                    self.blob(blob);
                }
                Memory::Result(blob) => results.push((name, blob)),
                Memory::Buffer(_) => unreachable!("a model that is kept is initialized"),
            }
        }
        let room: usize = results.iter().map(|(_, blob)| blob.bytes().len().next_multiple_of(LINE)).sum();
        let is_initialized = self.length + room <= DATA;
        for (name, blob) in results {
            self.head.text(name);
            match is_initialized {
                true => self.blob(blob),
                false => self.place(Place::Buffer, 0, blob.bytes().len()),
            }
        }
        self.head.word(u64::from(is_initialized));
    }

    /// Bytes, which stay in the model's file if they are there.
    pub fn blob(&mut self, blob: &Blob) {
        let length = blob.bytes().len();
        match blob.offset_in(self.file) {
            Some(offset) => self.place(Place::Model, offset, length),
            None => {
                self.place(Place::Data, self.length, length);
                self.length += length.next_multiple_of(LINE);
                self.data.push(blob.clone());
            }
        }
    }

    fn place(&mut self, place: Place, offset: usize, length: usize) {
        [place as u64, offset as u64, length as u64].into_iter().for_each(|word| self.head.word(word));
    }
}

/// Bytes as stored: the bytes themselves, or their length.
enum Stored {
    Bytes(Blob),
    Room(usize),
}

/// Reads a model.
pub struct Decoder<'a> {
    /// Words.
    pub head: Reader<'a>,
    data: &'a Blob,
    file: &'a Blob,
}

impl Decoder<'_> {
    /// The memory, and whether it has the results of `@initialize`.
    fn globals(&mut self) -> Option<(Globals, bool)> {
        let count = self.head.size()?;
        let (mut globals, mut buffers) = (Globals::default(), Vec::new());
        for _ in 0..count {
            let name = self.head.text()?;
            match self.stored()? {
                Stored::Bytes(bytes) => globals.add_constant(name, bytes),
                Stored::Room(length) => buffers.push((name, length)),
            }
        }
        globals.add_buffers(buffers).ok()?;
        let is_initialized = self.head.word()? == 1;
        Some((globals, is_initialized))
    }

    /// Bytes that [`Encoder::blob`] wrote.
    pub fn blob(&mut self) -> Option<Blob> {
        match self.stored()? {
            Stored::Bytes(bytes) => Some(bytes),
            Stored::Room(_) => None,
        }
    }

    fn stored(&mut self) -> Option<Stored> {
        let [place, offset, length] = [self.head.size()?, self.head.size()?, self.head.size()?];
        Some(match place {
            place if place == Place::Model as usize => Stored::Bytes(self.file.window(offset, length)?),
            place if place == Place::Data as usize => Stored::Bytes(self.data.window(offset, length)?),
            _ => Stored::Room(length),
        })
    }
}
