//! The header of an object without a runtime.

use std::collections::BTreeMap;

use codegen_llvm::{Interface, Port};
use dialects::rt::attributes::OUTPUT_BYTES;
use driver::{Extent, Signature, Status};
use indexmap::IndexSet;
use ir::Module;

use crate::arguments::identifier;
use crate::footprint::Footprint;
use crate::header::{fill, guarded, in_comment};

/// The header of models without a runtime.
const STATIC_TEMPLATE: &str = include_str!("static_model.h");
/// The function that runs them.
const STATIC_RUN_TEMPLATE: &str = include_str!("static_run.h");
/// The function that runs them if they have dimensions with bounds.
const BOUNDED_RUN_TEMPLATE: &str = include_str!("bounded_run.h");
/// The part of it that states the memory of the object.
const MEMORY_TEMPLATE: &str = include_str!("static_memory.h");

/// Dimensions of a model without a runtime, which runs are passed.
struct Dimensions<'a> {
    /// Their greatest values, in the order of a run's.
    greatest: &'a BTreeMap<String, i64>,
    /// The most bytes of each output, if there are any.
    output_bytes: &'a [i64],
}

/// The header of a model without a runtime; dimensions have these bounds, which the module was compiled for.
pub(crate) fn static_header(
    interface: &Interface,
    signature: &Signature,
    footprint: Option<&Footprint>,
    (module, bounds): (&Module, &BTreeMap<String, i64>),
) -> String {
    let output_bytes = module.attributes.integers(OUTPUT_BYTES);
    let dimensions = &Dimensions { greatest: bounds, output_bytes: output_bytes.as_deref().unwrap_or_default() };
    let messages = interface.messages.iter().enumerate();
    let rows: Vec<String> =
        messages.map(|(at, message)| format!("     {}: {}", at + 1, in_comment(message.clone()))).collect();
    let run = match dimensions.greatest.is_empty() {
        true => STATIC_RUN_TEMPLATE.to_string(),
        false => bounded_run(dimensions, signature),
    };
    let template = STATIC_TEMPLATE
        .replace("@RUN@", &run)
        .replace("@MESSAGES@", if rows.is_empty() { "     nothing can be" } else { "@ROWS@" })
        .replace("@ROWS@", &rows.join("\n"))
        .replace(
            "@MEMORY@",
            &footprint.map_or(String::new(), |footprint| memory(footprint, interface, signature, dimensions)),
        )
        .replace("@EXTENT@", &Status::Extent.code().to_string())
        .replace("@NO_ADDRESS@", &Status::NoAddress.code().to_string())
        .replace("@NOT_INITIALIZED@", &Status::NotInitialized.code().to_string());
    guarded(&interface.name, &fill(&template, interface, signature))
}

/// The part of a header that declares the run of a model with dimensions.
fn bounded_run(dimensions: &Dimensions<'_>, signature: &Signature) -> String {
    let index = |(number, ((name, greatest), word)): (usize, ((&String, &i64), String))| {
        format!(
            "enum {{ @NAME@_dimension_{word} = {number} }}; /* {} */\n#define @NAME@_dimension_{word}_max {greatest}",
            in_comment(name.clone())
        )
    };
    let words = identifiers(dimensions.greatest.keys());
    let indices: Vec<String> = dimensions.greatest.iter().zip(words).enumerate().map(index).collect();
    let memory = dimensions.output_bytes.iter().enumerate();
    let memory: Vec<String> =
        memory.map(|(number, bytes)| format!("#define @NAME@_output_{number}_bytes_max {bytes}")).collect();
    let extents: usize = signature.outputs.iter().map(|port| port.shape.len()).sum();
    BOUNDED_RUN_TEMPLATE
        .replace("@DIMENSIONS@", &indices.join("\n"))
        .replace("@OUTPUT_MEMORY@", &memory.join("\n"))
        .replace("@OUTPUT_EXTENTS@", &extents.to_string())
}

/// Names as parts of C identifiers, of which no two are equal: later ones get a number.
fn identifiers<'a>(names: impl Iterator<Item = &'a String>) -> IndexSet<String> {
    let mut taken = IndexSet::new();
    for name in names {
        let word = identifier(name);
        let numbered = (2..).map(|number| format!("{word}_{number}"));
        let free = std::iter::once(word.clone()).chain(numbered).find(|word| !taken.contains(word));
        taken.insert(free.expect("there are more numbers than names"));
    }
    taken
}

/// The part of a header that states the memory of the object.
fn memory(footprint: &Footprint, interface: &Interface, signature: &Signature, dimensions: &Dimensions<'_>) -> String {
    let bytes = |(own, port): (&driver::Port, &Port)| {
        let extents = own.shape.iter().map(|extent| match extent {
            Extent::Fixed(extent) => *extent,
            Extent::Named(name) => dimensions.greatest.get(name).copied().unwrap_or(0),
            Extent::Any => 0,
        });
        extents.product::<i64>() * port.element_bytes as i64
    };
    let inputs: i64 = signature.inputs.iter().zip(&interface.inputs).map(bytes).sum();
    let outputs: i64 = match dimensions.greatest.is_empty() {
        true => signature.outputs.iter().zip(&interface.outputs).map(bytes).sum(),
        false => dimensions.output_bytes.iter().sum(),
    };
    let stack = footprint.stack.map(|bytes| format!("#define @NAME@_stack_bytes {bytes}\n"));
    MEMORY_TEMPLATE
        .replace("@PROCESSOR@", &footprint.processor)
        .replace("@CODE@", &footprint.code.to_string())
        .replace("@INPUT_BYTES@", &inputs.to_string())
        .replace("@OUTPUT_BYTES@", &outputs.to_string())
        .replace("@FLASH@", &footprint.flash().to_string())
        .replace("@RAM@", &footprint.ram.to_string())
        .replace("@STACK@", &stack.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_have_different_identifiers() {
        let names = ["a.b", "a_b", "a_b_2", "a-b", "N"].map(str::to_string);
        let words: Vec<String> = identifiers(names.iter()).into_iter().collect();
        assert_eq!(words, ["a_b", "a_b_2", "a_b_2_2", "a_b_3", "N"]);
    }
}
