//! A compiled model as bytes: its signature, its memory, its code.
//!
//! ```text
//! tier · length of the head · length of the data · number of objects · their lengths
//! head: signature, messages, strings, warnings, globals
//! data: constants computed while compiling, results of @initialize
//! objects: the code
//! ```
//!
//! Invariants
//! - Each part begins on a cache line of the file, and so in memory.
//! - Weights stay in the model's file: a constant from there is stored as an offset.
//! - The results of `@initialize` are stored if all of them fit; otherwise it runs again.

use ir::{Blob, Type};

use super::bytes::{Reader, Writer};
use crate::globals::{Globals, Memory};
use crate::signature::{Extent, Port, Signature, StatedExtent};
use crate::tensor::Tensor;
use crate::tiers::CodeTier;

/// The maximum size of an entry's data in bytes, so that it fits into half of a cache of the default size. Packed
/// weights may be a few times as large as those of the model, but are available as soon as the file is mapped.
pub(crate) const DATA: usize = 960 << 20;
/// The alignment of parts.
const LINE: usize = 64;

/// The part of a model that is stored next to its code.
pub(crate) struct Kept {
    pub(crate) signature: Signature,
    pub(crate) messages: Vec<String>,
    pub(crate) strings: Vec<String>,
    /// Warnings about the model.
    pub(crate) warnings: Vec<String>,
    pub(crate) globals: Globals,
    /// Whether the globals contain the results of `@initialize`.
    pub(crate) is_initialized: bool,
}

/// [`Kept`] as bytes.
pub(crate) struct Encoded {
    head: Vec<u8>,
    /// Chunks, each of which begins on a cache line.
    data: Vec<Blob>,
}

/// An entry that was read.
pub(crate) struct Entry {
    pub(crate) tier: CodeTier,
    pub(crate) kept: Kept,
    pub(crate) encoded: Encoded,
    pub(crate) objects: Vec<Blob>,
}

impl Encoded {
    /// Encodes a model; `file` is the model's whole file.
    pub(crate) fn of(kept: &Kept, file: &Blob) -> Encoded {
        let mut encoder = Encoder { head: Writer::default(), data: Vec::new(), length: 0, file };
        encoder.kept(kept);
        Encoded { head: encoder.head.0, data: encoder.data }
    }

    /// The size of the data in bytes.
    pub(crate) fn data_length(&self) -> usize {
        self.data.iter().map(|piece| piece.bytes().len().next_multiple_of(LINE)).sum()
    }

    /// The bytes before the data of an entry with the given code.
    pub(crate) fn start(&self, tier: CodeTier, objects: &[Vec<u8>]) -> Vec<u8> {
        let mut start = Writer::default();
        start.word(tier as u64);
        start.word(self.head.len() as u64);
        start.word(self.data_length() as u64);
        start.list(objects, |writer, object| writer.word(object.len() as u64));
        start.0
    }

    /// The entry, made of these bytes, the data and the code, as consecutive slices.
    pub(crate) fn pieces<'a>(&'a self, start: &'a [u8], objects: &'a [Vec<u8>]) -> Vec<&'a [u8]> {
        const NOTHING: [u8; LINE] = [0; LINE];
        let data = self.data.iter().map(Blob::bytes);
        let pieces = [start, &self.head].into_iter().chain(data).chain(objects.iter().map(Vec::as_slice));
        pieces.flat_map(|piece| [piece, &NOTHING[..piece.len().next_multiple_of(LINE) - piece.len()]]).collect()
    }
}

impl Entry {
    /// Decodes an entry; `file` is the model's whole file.
    pub(crate) fn decode(bytes: &Blob, file: &Blob) -> Option<Entry> {
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
        let kept = Decoder { head: Reader(head.bytes()), data: &data, file }.kept()?;
        let encoded = Encoded { head: head.bytes().to_vec(), data: vec![data] };
        Some(Entry { tier, kept, encoded, objects })
    }
}

/// The location of a constant, or the kind of a buffer.
#[derive(Clone, Copy)]
enum Place {
    Model = 0,
    Data = 1,
    Buffer = 2,
}

struct Encoder<'a> {
    head: Writer,
    data: Vec<Blob>,
    /// The size of the data so far.
    length: usize,
    file: &'a Blob,
}

impl Encoder<'_> {
    fn kept(&mut self, kept: &Kept) {
        let Kept { signature, messages, strings, warnings, globals, is_initialized: _ } = kept;
        let Signature { inputs, outputs, optional, stated } = signature;
        for ports in [inputs, outputs, optional] {
            self.head.word(ports.len() as u64);
            ports.iter().for_each(|port| self.port(port));
        }
        self.head.list(stated, |writer, StatedExtent { output, axis, name }| {
            writer.word(*output as u64);
            writer.word(*axis as u64);
            writer.text(name);
        });
        [messages, strings, warnings].into_iter().for_each(|texts| self.head.texts(texts));
        self.globals(globals);
    }

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

    fn port(&mut self, port: &Port) {
        let Port { name, element, shape, default, is_variable } = port;
        self.head.text(name);
        self.head.text(&element.to_string());
        self.head.list(shape, |writer, extent| match extent {
            Extent::Fixed(extent) => {
                writer.word(0);
                writer.word(*extent as u64);
            }
            Extent::Named(name) => {
                writer.word(1);
                writer.text(name);
            }
            Extent::Any => writer.word(2),
        });
        self.head.word(u64::from(*is_variable));
        self.head.word(u64::from(default.is_some()));
        if let Some(default) = default {
            self.head.list(&default.shape, |writer, extent| writer.word(*extent as u64));
            self.blob(&default.data);
        }
    }

    fn blob(&mut self, blob: &Blob) {
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

struct Decoder<'a> {
    head: Reader<'a>,
    data: &'a Blob,
    file: &'a Blob,
}

impl Decoder<'_> {
    fn kept(&mut self) -> Option<Kept> {
        let [inputs, outputs, optional] = [self.ports()?, self.ports()?, self.ports()?];
        let stated = self
            .head
            .list(|reader| Some(StatedExtent { output: reader.size()?, axis: reader.size()?, name: reader.text()? }))?;
        let signature = Signature { inputs, outputs, optional, stated };
        let [messages, strings, warnings] = [self.head.texts()?, self.head.texts()?, self.head.texts()?];
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
        Some(Kept { signature, messages, strings, warnings, globals, is_initialized })
    }

    fn ports(&mut self) -> Option<Vec<Port>> {
        let count = self.head.size()?;
        (0..count).map(|_| self.port()).collect()
    }

    fn port(&mut self) -> Option<Port> {
        let name = self.head.text()?;
        let element = ir::parse_type(&self.head.text()?).ok()?;
        let shape = self.head.list(|reader| {
            Some(match reader.word()? {
                0 => Extent::Fixed(reader.word()? as i64),
                1 => Extent::Named(reader.text()?),
                _ => Extent::Any,
            })
        })?;
        let is_variable = self.head.word()? == 1;
        let default = match self.head.word()? {
            1 => Some(self.tensor(element.clone())?),
            _ => None,
        };
        Some(Port { name, element, shape, default, is_variable })
    }

    fn tensor(&mut self, element: Type) -> Option<Tensor> {
        let shape = self.head.list(|reader| Some(reader.word()? as i64))?;
        match self.stored()? {
            Stored::Bytes(data) => Some(Tensor { element, shape, data }),
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
