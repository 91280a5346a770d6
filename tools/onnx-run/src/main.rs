//! onnx-run.

fn main() {}
