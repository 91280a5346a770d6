//! ONNX protobuf: loading, saving, memory maps and external data.
