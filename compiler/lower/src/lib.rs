//! Conversions between levels: onnx to linalg, kernels, loops.
