//! Under the SONNX profile every processor computes the same bits, without a runtime.

use std::path::Path;

use tests::conformance::{cases, repository};
use tests::profile::{Model, compare_processors};
use tests::worker::onnxc;

/// One in so many cases of the backend suite, without being asked for all.
const SAMPLE: usize = 40;
const MODELS: [&str; 3] = ["ppocr_cls", "magika", "silero_vad_op18"];

fn compare(models: &[Model], name: &str) -> usize {
    let program = std::env::current_exe().expect("a test is a program");
    let sibling = program.parent().and_then(Path::parent).expect("it lies in deps").join("onnxc");
    let scratch = repository().join("target/sonnx").join(name);
    let report = compare_processors(onnxc(&sibling), models, &scratch).unwrap_or_else(|error| panic!("{error}"));
    eprintln!("{} equal, {} refused, not here: {:?}", report.equal, report.refused, report.missing);
    assert!(report.problems.is_empty(), "{}", report.problems.join("\n"));
    report.equal
}

fn suite(step: usize) -> Vec<Model> {
    let folder = repository().join("target/conformance");
    let cases = cases(&folder).unwrap_or_default();
    let model =
        |case: &tests::conformance::Case| Model { folder: folder.join(&case.name), tolerance: Some(case.tolerance) };
    cases.iter().filter(|case| !case.name.starts_with("real/")).step_by(step).map(model).collect()
}

#[test]
fn operators_give_the_same_bits_everywhere() {
    compare(&suite(SAMPLE), "sample");
}

#[test]
#[ignore = "takes minutes"]
fn all_operators_give_the_same_bits_everywhere() {
    compare(&suite(1), "suite");
}

#[test]
fn models_give_the_same_bits_everywhere() {
    let folders = MODELS.map(|name| repository().join("target/models").join(name));
    let present = folders.into_iter().filter(|folder| folder.join("model.onnx").is_file());
    let models: Vec<Model> = present.map(|folder| Model { folder, tolerance: None }).collect();
    assert_eq!(compare(&models, "models"), models.len(), "none of them is refused");
}
