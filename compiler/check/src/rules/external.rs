//! External data.

use proto::{DataType, StringStringEntryProto, TensorProto};

use super::tensors::{byte_count, is_external};
use crate::files::{ExternalFile, entry};
use crate::repeats::repeats;
use crate::{Finder, Rule, Visit, Walk, advice, error, violation};

const EXTERNAL: &str = "onnx.proto, TensorProto.external_data";
const IR: &str = "IR, External Tensor Data";

/// The valid keys of `external_data`.
const KEYS: [&str; 4] = ["location", "offset", "length", "checksum"];

pub(super) const RULES: &[Rule] = &[
    error("external-location", EXTERNAL, "External data names the file that it is in.", Finder::Tensor(location)),
    error(
        "external-inside-folder",
        EXTERNAL,
        "The file is in the model's folder: its path is relative and does not lead to a folder above.",
        Finder::Tensor(inside_folder),
    ),
    error("external-file", IR, "The file exists and is a regular file.", Finder::Tensor(file)),
    error("external-number", EXTERNAL, "The offset and the length are non-negative integers.", Finder::Tensor(number)),
    error("external-length", IR, "The length is that of the tensor.", Finder::Tensor(length)),
    error(
        "external-range",
        IR,
        "The file contains the byte range that offset and length describe.",
        Finder::Tensor(range),
    ),
    error("external-checksum", EXTERNAL, "The checksum is the SHA-1 digest of the file.", Finder::Tensor(checksum)),
    error("external-key-unique", EXTERNAL, "The keys of external_data are unique.", Finder::Tensor(key_unique)),
    violation(
        "external-key-known",
        EXTERNAL,
        "The keys are location, offset, length and checksum.",
        Finder::Tensor(key_known),
    ),
    error("external-alone", IR, "A tensor with external data stores no data in the model.", Finder::Tensor(alone)),
    error("external-no-text", EXTERNAL, "Strings are stored in the model.", Finder::Tensor(no_text)),
    violation(
        "external-stated",
        "onnx.proto, TensorProto.data_location",
        "Only a tensor whose data_location is EXTERNAL has external_data.",
        Finder::Tensor(stated),
    ),
    advice(
        "external-aligned",
        EXTERNAL,
        "External data that is large enough to be memory-mapped is page-aligned: its offset is a multiple of 4096.",
        Finder::Tensor(aligned),
    ),
];

fn numeric(tensor: &TensorProto, key: &str) -> Option<u64> {
    entry(tensor, key)?.parse().ok()
}

fn location(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    let is_there = entry(tensor, "location").is_some_and(|location| !location.is_empty());
    visit.expect(!is_external(tensor) || is_there, || "has no location".into());
}

fn inside_folder(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    let walk = visit.walk;
    let (Some(location), Some(file)) = (entry(tensor, "location"), walk.file(tensor)) else { return };
    visit.expect(file.is_inside, || match file.is_link {
        true => format!("is in '{location}', which is a link out of the folder"),
        false => format!("is in '{location}', which is not in the model's folder"),
    });
}

/// The file, if it is inside the model's folder.
fn inside<'w>(walk: &'w Walk<'_>, tensor: &TensorProto) -> Option<&'w ExternalFile> {
    walk.file(tensor).filter(|file| file.is_inside)
}

fn file(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    let Some(Err(problem)) = inside(visit.walk, tensor).map(|file| &file.length) else { return };
    visit.found(|| format!("'{}' {problem}", entry(tensor, "location").unwrap_or_default()));
}

fn number(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    for key in ["offset", "length"] {
        if let Some(text) = entry(tensor, key).filter(|text| text.parse::<u64>().is_err()) {
            visit.found(|| format!("has {key} '{text}'"));
        }
    }
}

fn length(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    let (Some(found), Some(right)) = (numeric(tensor, "length"), byte_count(tensor)) else { return };
    let is_text = tensor.data_type == DataType::String as i32;
    visit.expect(is_text || u128::from(found) == right, || {
        format!("has length {found}, but its shape and type take {right} bytes")
    });
}

fn range(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    let Some(&Ok(length)) = inside(visit.walk, tensor).map(|file| &file.length) else { return };
    let offset = entry(tensor, "offset").map_or(Ok(0), str::parse::<u64>);
    let (Ok(offset), Some(needed)) = (offset, byte_count(tensor)) else { return };
    let end = u128::from(offset) + needed;
    visit.expect(end <= length.into(), || format!("takes bytes {offset} to {end} of a file of {length}"));
}

fn checksum(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    let walk = visit.walk;
    let Some(stated) = entry(tensor, "checksum") else { return };
    let Some(found) = inside(walk, tensor).and_then(|file| file.digest.as_ref()) else { return };
    visit.expect(stated.eq_ignore_ascii_case(found), || format!("has checksum '{stated}'; the file's is {found}"));
}

fn key_unique(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    if let Some(&(twice, _)) = repeats(&tensor.external_data, |entry| &entry.key).first() {
        visit.found(|| format!("has key '{}' twice", tensor.external_data[twice].key));
    }
}

fn key_known(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    let unknown = |entry: &&StringStringEntryProto| !KEYS.contains(&&*entry.key);
    if let Some(entry) = tensor.external_data.iter().find(unknown) {
        visit.found(|| format!("has key '{}', expected one of {}", entry.key, KEYS.join(", ")));
    }
}

fn alone(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    let lengths = [
        tensor.float_data.len(),
        tensor.int32_data.len(),
        tensor.string_data.len(),
        tensor.int64_data.len(),
        tensor.double_data.len(),
        tensor.uint64_data.len(),
        tensor.raw_data.as_ref().map_or(0, |raw| raw.len()),
    ];
    let is_inside = lengths.iter().any(|&length| length > 0);
    visit.expect(!is_external(tensor) || !is_inside, || "also has data in the model".into());
}

fn no_text(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    let is_text = tensor.data_type == DataType::String as i32;
    visit.expect(!is_external(tensor) || !is_text, || "has texts outside the model".into());
}

fn stated(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    let has_entries = !tensor.external_data.is_empty();
    visit.expect(!has_entries || tensor.data_location != 0, || "has external_data, but its data are inside".into());
}

/// Alignment matters for data of at least a page.
fn aligned(visit: &mut Visit<'_, '_>, tensor: &TensorProto) {
    const PAGE: u64 = 4096;
    let Some(offset) = numeric(tensor, "offset") else { return };
    let is_large = byte_count(tensor).is_some_and(|bytes| bytes >= PAGE.into());
    visit.expect(!is_large || offset.is_multiple_of(PAGE), || format!("begins at {offset}"));
}
