//! Converts protobuf's JSON and text formats to its binary format, in builds with the feature `text-formats`.

#[cfg(feature = "text-formats")]
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, prost::Message as _};

/// The descriptor of a message of ONNX. Texts are rare: the descriptors are decoded only if one is read.
#[cfg(feature = "text-formats")]
fn descriptor(name: &str) -> MessageDescriptor {
    // written by `tools/generate_descriptor.py`
    let pool = DescriptorPool::decode(&include_bytes!("onnx.descriptor")[..]).expect("the descriptors are whole");
    pool.get_message_by_name(name).expect("ONNX has such a message")
}

/// Converts a message in JSON; `name` is its name in protobuf.
#[cfg(feature = "text-formats")]
pub(crate) fn from_json(name: &str, text: &str) -> Result<Vec<u8>, String> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let message = DynamicMessage::deserialize(descriptor(name), &mut reader).map_err(|error| error.to_string())?;
    reader.end().map_err(|error| error.to_string())?;
    Ok(message.encode_to_vec())
}

/// Converts a message in the text format; `name` is its name in protobuf.
#[cfg(feature = "text-formats")]
pub(crate) fn from_text_format(name: &str, text: &str) -> Result<Vec<u8>, String> {
    let message = DynamicMessage::parse_text_format(descriptor(name), text).map_err(|error| error.to_string())?;
    Ok(message.encode_to_vec())
}

#[cfg(not(feature = "text-formats"))]
pub(crate) fn from_json(_: &str, _: &str) -> Result<Vec<u8>, String> {
    Err("this program was built without protobuf's JSON format (feature `text-formats`)".into())
}

#[cfg(not(feature = "text-formats"))]
pub(crate) fn from_text_format(_: &str, _: &str) -> Result<Vec<u8>, String> {
    Err("this program was built without protobuf's text format (feature `text-formats`)".into())
}
