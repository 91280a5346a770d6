//! Integers at the ends of their range in models of the backend suite, as attributes and as constant operands: each model
//! compiles, or ends with an error that says why not; none panics.

use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use driver::testdata::{data_sets, read_data_set};
use driver::{Blob, Compiler, Diagnostic, ErrorClass, Options, Result, Signature, Tensor, Type, Value};
use proto::{AttributeProto, Model, ModelProto};
use tests::conformance::{cases, repository};

const EXTREMES: [i64; 7] = [i64::MIN, -(1 << 31), -1, (1 << 31) - 1, 1 << 32, (1 << 62) + 1, i64::MAX];

/// Operands with more elements are data, and not sizes or axes.
const SIZES: usize = 8;

/// The folders of the suite's models; none if it was not fetched.
fn folders() -> Vec<PathBuf> {
    let folder = repository().join("target/conformance");
    let Ok(cases) = cases(&folder) else {
        tests::skip("the suite was not found; `python tests/conformance/fetch.py target/conformance` writes it");
        return vec![];
    };
    cases.iter().filter(|case| !case.name.starts_with("real/")).map(|case| folder.join(&case.name)).collect()
}

/// What is wrong with a compilation.
fn fault(model: &ModelProto, options: &import::Options) -> Option<String> {
    let model = Model::from_bytes(&proto::Message::encode_to_vec(model)).expect("it was just encoded");
    let compile = || Compiler::new(Options::default()).compile_model(&model, None, options).map(drop);
    let is_internal = |found: &&Diagnostic| found.class == ErrorClass::Internal;
    match catch_unwind(AssertUnwindSafe(compile)) {
        Ok(Ok(())) => None,
        Ok(Err(found)) => found.iter().find(is_internal).map(ToString::to_string),
        Err(_) => Some("panics".to_string()),
    }
}

/// The integers of an attribute.
fn integers(attribute: &mut AttributeProto) -> Vec<&mut i64> {
    attribute.i.iter_mut().chain(&mut attribute.ints).collect()
}

#[test]
fn attributes_of_any_size_end_well() {
    let mut tried = BTreeSet::new();
    let mut wrong = Vec::new();
    for folder in folders() {
        let model = Model::load(&folder.join("model.onnx")).expect("the suite is complete").proto;
        let nodes = model.graph.as_ref().map_or(&[][..], |graph| &graph.node);
        for (node, at) in nodes.iter().zip(0..) {
            for (number, attribute) in node.attribute.iter().enumerate() {
                if integers(&mut attribute.clone()).is_empty()
                    || !tried.insert((node.op_type.clone(), attribute.name.clone()))
                {
                    continue;
                }
                for value in EXTREMES {
                    let mut changed = model.clone();
                    let graph = changed.graph.as_mut().expect("it has nodes");
                    integers(&mut graph.node[at].attribute[number]).into_iter().for_each(|integer| *integer = value);
                    let said = fault(&changed, &import::Options::default());
                    wrong.extend(said.map(|said| describe(&folder, &attribute.name, value, &said)));
                }
            }
        }
    }
    eprintln!("{} tried", tried.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn constant_operands_of_any_size_end_well() {
    let mut tried = BTreeSet::new();
    let mut wrong = Vec::new();
    for folder in folders() {
        let model = Model::load(&folder.join("model.onnx")).expect("the suite is complete").proto;
        for (name, tensor) in sizes(&folder).unwrap_or_default() {
            let nodes = model.graph.iter().flat_map(|graph| &graph.node);
            let mut readers = nodes.filter_map(|node| {
                let at = node.input.iter().position(|input| *input == name)?;
                Some((node.op_type.clone(), at))
            });
            if !readers.next().is_some_and(|reader| tried.insert(reader)) {
                continue;
            }
            for value in EXTREMES {
                let bytes = value.to_le_bytes().repeat(tensor.element_count());
                let extreme = Tensor { data: Blob::copy_of(&bytes), ..tensor.clone() };
                let mut options = import::Options::default();
                options.constants.insert(name.clone(), extreme.elements());
                wrong.extend(fault(&model, &options).map(|said| describe(&folder, &name, value, &said)));
            }
        }
    }
    eprintln!("{} tried", tried.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The inputs of a case that may be sizes or axes.
fn sizes(folder: &Path) -> Result<Vec<(String, Tensor)>> {
    let module = import::import_file(&folder.join("model.onnx"), &import::Options::default())?;
    let signature = Signature::of(module.function(import::MAIN).expect("the importer makes it"));
    let Some(first) = data_sets(folder)?.into_iter().next() else { return Ok(vec![]) };
    let set = read_data_set(&first, &signature)?;
    let is_size = |tensor: &Tensor| tensor.element == Type::I64 && tensor.element_count() <= SIZES;
    let named = signature.inputs.iter().zip(set.inputs);
    Ok(named
        .filter_map(|(port, value)| match value {
            Value::Tensor(tensor) => is_size(&tensor).then(|| (port.name.clone(), tensor)),
            _ => None,
        })
        .collect())
}

fn describe(folder: &Path, name: &str, value: i64, said: &str) -> String {
    format!("{}, '{name}' of {value}: {said}", folder.file_name().unwrap_or_default().to_string_lossy())
}
