//! The module as a plugin of ONNX Runtime, which `onnxc.register_ep` registers: the package has no second library for it.
//!
//! Contract: the exported functions are called by ONNX Runtime only, as its header documents.

#![allow(unsafe_code, reason = "the functions are called from C")]

ortep::export_plugin!();
