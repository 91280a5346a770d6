//! What the compiler knows of a model, in its cache entry.

use engine::cache::entry::{Decoder, Encoder};
use ir::Type;

use crate::signature::{Extent, Port, Signature, StatedExtent};
use crate::tensor::Tensor;

/// The part of a model that is stored next to its code and its memory.
pub(crate) struct CachedModel {
    pub(crate) signature: Signature,
    pub(crate) messages: Vec<String>,
    pub(crate) strings: Vec<String>,
    /// Warnings about the model.
    pub(crate) warnings: Vec<String>,
}

impl CachedModel {
    /// Writes it.
    pub(crate) fn encode(&self, to: &mut Encoder<'_>) {
        let CachedModel { signature, messages, strings, warnings } = self;
        let Signature { inputs, outputs, optional, stated } = signature;
        for ports in [inputs, outputs, optional] {
            to.head.word(ports.len() as u64);
            ports.iter().for_each(|port| encode_port(port, to));
        }
        to.head.list(stated, |writer, StatedExtent { output, axis, name }| {
            writer.word(*output as u64);
            writer.word(*axis as u64);
            writer.text(name);
        });
        [messages, strings, warnings].into_iter().for_each(|texts| to.head.texts(texts));
    }

    /// Reads it; `None` if it is malformed.
    pub(crate) fn decode(from: &mut Decoder<'_>) -> Option<CachedModel> {
        let [inputs, outputs, optional] = [ports(from)?, ports(from)?, ports(from)?];
        let stated = from
            .head
            .list(|reader| Some(StatedExtent { output: reader.size()?, axis: reader.size()?, name: reader.text()? }))?;
        let signature = Signature { inputs, outputs, optional, stated };
        let [messages, strings, warnings] = [from.head.texts()?, from.head.texts()?, from.head.texts()?];
        Some(CachedModel { signature, messages, strings, warnings })
    }
}

fn encode_port(port: &Port, to: &mut Encoder<'_>) {
    let Port { name, element, shape, default, is_variable } = port;
    to.head.text(name);
    to.head.text(&element.to_string());
    to.head.list(shape, |writer, extent| match extent {
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
    to.head.word(u64::from(*is_variable));
    to.head.word(u64::from(default.is_some()));
    if let Some(default) = default {
        to.head.list(&default.shape, |writer, extent| writer.word(*extent as u64));
        to.blob(&default.data);
    }
}

fn ports(from: &mut Decoder<'_>) -> Option<Vec<Port>> {
    let count = from.head.size()?;
    (0..count).map(|_| port(from)).collect()
}

fn port(from: &mut Decoder<'_>) -> Option<Port> {
    let name = from.head.text()?;
    let element = ir::parse_type(&from.head.text()?).ok()?;
    let shape = from.head.list(|reader| {
        Some(match reader.word()? {
            0 => Extent::Fixed(reader.word()? as i64),
            1 => Extent::Named(reader.text()?),
            _ => Extent::Any,
        })
    })?;
    let is_variable = from.head.word()? == 1;
    let default = match from.head.word()? {
        1 => Some(tensor(from, element.clone())?),
        _ => None,
    };
    Some(Port { name, element, shape, default, is_variable })
}

fn tensor(from: &mut Decoder<'_>, element: Type) -> Option<Tensor> {
    let shape = from.head.list(|reader| Some(reader.word()? as i64))?;
    Some(Tensor { element, shape, data: from.blob()? })
}
