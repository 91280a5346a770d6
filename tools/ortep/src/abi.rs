//! The structures of ONNX Runtime's interface for plugins, in the order of its header `onnxruntime_ep_c_api.h`, as of version 23.
//!
//! ONNX Runtime reads the version of a structure before it calls a function that was added later, so that structures may end early.
//! Functions that this provider leaves out are null.

use std::ffi::{c_char, c_void};

use ort_sys::{
    OrtEpDevice, OrtGraph, OrtHardwareDevice, OrtKernelContext, OrtKeyValuePairs, OrtLogger, OrtNode,
    OrtSessionOptions, OrtStatusPtr,
};

/// The version of the structures that this library fills in.
pub(crate) const STRUCTURES: u32 = 23;
/// The version of the function table that this library calls.
pub(crate) const FUNCTIONS: u32 = 24;

/// A function that this provider does not have.
pub(crate) type Absent = Option<unsafe extern "system" fn()>;

/// Nodes that a provider takes; ONNX Runtime's.
#[repr(C)]
pub(crate) struct EpGraphSupportInfo {
    _opaque: [u8; 0],
}

/// The name of a node whose state is created; ONNX Runtime's.
#[repr(C)]
pub(crate) struct NodeComputeContext {
    _opaque: [u8; 0],
}

/// `OrtNodeFusionOptions`: how nodes become one.
#[repr(C)]
pub(crate) struct NodeFusionOptions {
    pub(crate) ort_version_supported: u32,
    /// Whether the new node has no inputs for constants.
    pub(crate) drop_constant_initializers: bool,
}

/// `OrtNodeComputeInfo`: runs one node.
#[repr(C)]
pub(crate) struct NodeComputeInfo {
    pub(crate) ort_version_supported: u32,
    pub(crate) create_state:
        unsafe extern "system" fn(*mut NodeComputeInfo, *mut NodeComputeContext, *mut *mut c_void) -> OrtStatusPtr,
    pub(crate) compute:
        unsafe extern "system" fn(*mut NodeComputeInfo, *mut c_void, *mut OrtKernelContext) -> OrtStatusPtr,
    pub(crate) release_state: unsafe extern "system" fn(*mut NodeComputeInfo, *mut c_void),
}

/// The beginning of `OrtEpApi`: functions for providers.
#[repr(C)]
pub(crate) struct EpApi {
    pub(crate) create_ep_device: unsafe extern "system" fn(
        *mut EpFactory,
        *const OrtHardwareDevice,
        *const OrtKeyValuePairs,
        *const OrtKeyValuePairs,
        *mut *mut OrtEpDevice,
    ) -> OrtStatusPtr,
    pub(crate) release_ep_device: unsafe extern "system" fn(*mut OrtEpDevice),
    pub(crate) add_nodes_to_fuse: unsafe extern "system" fn(
        *mut EpGraphSupportInfo,
        *const *const OrtNode,
        usize,
        *const NodeFusionOptions,
    ) -> OrtStatusPtr,
}

/// `OrtEp`: a provider of one session.
#[repr(C)]
pub(crate) struct Ep {
    pub(crate) ort_version_supported: u32,
    pub(crate) get_name: unsafe extern "system" fn(*const Ep) -> *const c_char,
    pub(crate) get_capability:
        unsafe extern "system" fn(*mut Ep, *const OrtGraph, *mut EpGraphSupportInfo) -> OrtStatusPtr,
    pub(crate) compile: unsafe extern "system" fn(
        *mut Ep,
        *mut *const OrtGraph,
        *mut *const OrtNode,
        usize,
        *mut *mut NodeComputeInfo,
        *mut *mut OrtNode,
    ) -> OrtStatusPtr,
    pub(crate) release_node_compute_infos: unsafe extern "system" fn(*mut Ep, *mut *mut NodeComputeInfo, usize),
    pub(crate) get_preferred_data_layout: Absent,
    pub(crate) should_convert_data_layout_for_op: Absent,
    pub(crate) set_dynamic_options: Absent,
    pub(crate) on_run_start: Absent,
    pub(crate) on_run_end: Absent,
    pub(crate) create_allocator: Absent,
    pub(crate) create_sync_stream_for_device: Absent,
    pub(crate) get_compiled_model_compatibility_info: Absent,
}

/// `OrtEpFactory`: creates providers.
#[repr(C)]
pub(crate) struct EpFactory {
    pub(crate) ort_version_supported: u32,
    pub(crate) get_name: unsafe extern "system" fn(*const EpFactory) -> *const c_char,
    pub(crate) get_vendor: unsafe extern "system" fn(*const EpFactory) -> *const c_char,
    pub(crate) get_supported_devices: unsafe extern "system" fn(
        *mut EpFactory,
        *const *const OrtHardwareDevice,
        usize,
        *mut *mut OrtEpDevice,
        usize,
        *mut usize,
    ) -> OrtStatusPtr,
    pub(crate) create_ep: unsafe extern "system" fn(
        *mut EpFactory,
        *const *const OrtHardwareDevice,
        *const *const OrtKeyValuePairs,
        usize,
        *const OrtSessionOptions,
        *const OrtLogger,
        *mut *mut Ep,
    ) -> OrtStatusPtr,
    pub(crate) release_ep: unsafe extern "system" fn(*mut EpFactory, *mut Ep),
    pub(crate) get_vendor_id: unsafe extern "system" fn(*const EpFactory) -> u32,
    pub(crate) get_version: unsafe extern "system" fn(*const EpFactory) -> *const c_char,
    pub(crate) validate_compiled_model_compatibility_info: Absent,
    pub(crate) create_allocator: Absent,
    pub(crate) release_allocator: Absent,
    pub(crate) create_data_transfer: unsafe extern "system" fn(*mut EpFactory, *mut *mut c_void) -> OrtStatusPtr,
    pub(crate) is_stream_aware: unsafe extern "system" fn(*const EpFactory) -> bool,
    pub(crate) create_sync_stream_for_device: Absent,
}
