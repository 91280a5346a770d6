//! Every entity of the documents is supported: models as text, and model files.

datatest_stable::harness! {
    { test = tests::entities::run_file, root = "entities", pattern = r"\.onnxtxt$" },
}
