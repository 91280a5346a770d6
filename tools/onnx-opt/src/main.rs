//! onnx-opt.

fn main() {}
