//! Every entity of the documents works: models as text, and the files that models are in.

datatest_stable::harness! {
    { test = tests::entities::run_file, root = "entities", pattern = r"\.onnxtxt$" },
}
