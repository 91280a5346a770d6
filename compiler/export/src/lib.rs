//! The onnx dialect to ModelProto: the inverse of the crate `import`.
//!
//! - Each operation is one node, constants are initializers, regions are graphs of attributes.
//! - Inputs, outputs and their symbolic dimensions keep their names; so do nodes and initializers, as far as rewriting left
//!   their names, made unique.
//! - The operator sets are the oldest in which all operators of the model have the form that the dialect has.
//! - Tensors are inside the file.

mod attributes;
mod gradient;
mod graph;
mod names;
mod tensors;
mod types;
mod versions;

pub use tensors::export_tensor;

use import::MAIN;
use ir::{Diagnostic, IndexMap, Location, Module};
use proto::{Message, Model, ModelProto, OperatorSetIdProto};

/// The size that messages of protobuf may have, in bytes.
const LIMIT: usize = i32::MAX as usize;

/// The operator set of the default domain and the IR version that ONNX released it with.
const IR_VERSIONS: [(i64, i64); 6] = [(25, 13), (24, 12), (23, 11), (21, 10), (19, 9), (15, 8)];

/// A model after the rewrites that keep every bit of its results, in the newest form of its operators.
/// Functions of the model are inlined; its training information is left out.
pub fn simplify(model: &Model, options: &import::Options) -> ir::Result<ModelProto> {
    let mut module = import::import_model(model, options)?;
    operators::specialize::specialize(&mut module, MAIN)?;
    optimize::optimize(&mut module, &optimize::Options { strict_fp: true, ..optimize::Options::default() })?;
    operators::shape::infer_shapes(&mut module, &Default::default())?;
    let exported = export(&module)?;
    let old = &model.proto;
    Ok(ModelProto {
        ir_version: exported.ir_version.max(old.ir_version),
        producer_name: old.producer_name.clone(),
        producer_version: old.producer_version.clone(),
        domain: old.domain.clone(),
        model_version: old.model_version,
        doc_string: old.doc_string.clone(),
        metadata_props: old.metadata_props.clone(),
        ..exported
    })
}

/// A module at the graph level as a model.
pub fn export(module: &Module) -> ir::Result<ModelProto> {
    let missing = || Diagnostic::internal(Location::Unknown, format!("the module has no function {MAIN}"));
    let function = module.function(MAIN).ok_or_else(missing)?;
    let location = &module.body.op(function.op).location;
    let (graph, sets) = graph::export(&function, location)?;
    let version = sets.get("").copied().unwrap_or(1);
    let model = ModelProto {
        ir_version: IR_VERSIONS.iter().find(|(set, _)| version >= *set).map_or(7, |(_, ir_version)| *ir_version),
        opset_import: imports(sets),
        graph: Some(graph),
        ..ModelProto::default()
    };
    match model.encoded_len() <= LIMIT {
        true => Ok(model),
        false => {
            Err(Diagnostic::unsupported(Location::Unknown, "the model is larger than protobuf's limit of 2 GiB").into())
        }
    }
}

fn imports(sets: IndexMap<&str, i64>) -> Vec<OperatorSetIdProto> {
    let import = |(domain, version): (&str, i64)| OperatorSetIdProto { domain: domain.into(), version };
    sets.into_iter().map(import).collect()
}
