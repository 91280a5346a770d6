//! ModelProto to the onnx dialect.
