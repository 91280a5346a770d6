//! onnxc.

fn main() {}
