//! The shared library `libonnxc_ep.so`, which ONNX Runtime loads as a plugin.
//!
//! Contract: the exported functions are called by ONNX Runtime only, as its header documents.

#![allow(unsafe_code, reason = "the functions are called from C")]

ortep::export_plugin!();
