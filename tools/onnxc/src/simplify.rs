//! `--emit onnx`: the model after simplification, as a model.

use std::path::Path;

use commandline::{Drafts, Failure, write_binary};
use driver::{Entry, ImportOptions};
use proto::{Message, Model};

use crate::arguments::Arguments;
use crate::check::{operator_sets, standard_input};

/// Simplifies a model and writes the result.
pub(crate) fn write(arguments: &Arguments, model: &Path, drafts: &Drafts) -> Result<(), Failure> {
    let model = match model == Path::new("-") {
        true => Model::from_bytes(&standard_input()?),
        false => Model::load(model),
    };
    let model = model.map_err(|damage| vec![driver::damaged(damage)])?;
    let simplified = export::simplify(&model, &options(arguments)?)?.encode_to_vec();
    match arguments.output == Path::new("-") {
        true => write_binary(&simplified),
        false => drafts.file(&arguments.output)?.write(&simplified),
    }
}

fn options(arguments: &Arguments) -> Result<ImportOptions, Failure> {
    let shape = |(name, extents): &(String, Vec<i64>)| (name.clone(), extents.iter().copied().map(Some).collect());
    Ok(ImportOptions {
        dimensions: arguments.fixed().collect(),
        shapes: arguments.shapes.iter().map(shape).collect(),
        outputs: arguments.outputs.clone(),
        operator_sets: operator_sets(&arguments.operator_sets)?,
        refuse_violations: arguments.strict,
        rules: arguments.profile.profile(arguments.sonnx_captures),
        ..crate::emit::part(arguments, Entry::Inference)
    })
}
