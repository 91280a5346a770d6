//! The boundary from ONNX Runtime to Rust: the functions of a plugin, and those in the structures that ONNX Runtime gets.
//!
//! Contract: ONNX Runtime follows its header `onnxruntime_ep_c_api.h`. A structure that it passes was created here and is not released; its
//! functions are called by several threads only where the header says so. Arrays have the documented length, and pointers to results are
//! valid. Each structure is the first field of an object of this module, so that its address is the object's. No panic leaves a function.

#![allow(unsafe_code, reason = "this module is the boundary")]

use std::any::Any;
use std::ffi::{c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};

use ort_sys::{
    OrtApiBase, OrtEpDevice, OrtGraph, OrtHardwareDevice, OrtHardwareDeviceType, OrtKernelContext, OrtKeyValuePairs,
    OrtLogger, OrtNode, OrtSessionOptions, OrtStatusPtr,
};

use crate::abi::{
    Ep, EpFactory, EpGraphSupportInfo, NodeComputeContext, NodeComputeInfo, NodeFusionOptions, STRUCTURES,
};
use crate::api::{Handle, Ort};
use crate::kernel::Kernel;
use crate::options;
use crate::provider::Provider;
use crate::status::{Failure, Result};

/// The name of the provider, for C.
const NAME: &std::ffi::CStr = c"OnnxcExecutionProvider";

#[repr(C)]
struct FactoryObject {
    table: EpFactory,
    ort: Ort,
}

#[repr(C)]
struct ProviderObject {
    table: Ep,
    ort: Ort,
    provider: Provider,
}

#[repr(C)]
struct KernelObject {
    table: NodeComputeInfo,
    ort: Ort,
    kernel: Kernel,
}

/// Runs the body of a function; its error, or its panic, becomes a status.
fn answer(ort: Ort, body: impl FnOnce() -> Result<()>) -> OrtStatusPtr {
    let outcome = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|payload| Err(of_panic(&*payload)));
    outcome.map_or_else(|failure| ort.status(&failure), |()| OrtStatusPtr::default())
}

fn of_panic(payload: &(dyn Any + Send)) -> Failure {
    let text = payload.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("unknown");
    Failure::new(format!("a bug of {}: {text}", options::NAME))
}

/// Creates the factory of the provider.
///
/// # Safety
/// Called by ONNX Runtime as its header documents.
pub unsafe fn create_ep_factories(
    base: *const OrtApiBase,
    factories: *mut *mut c_void,
    max_factories: usize,
    num_factories: *mut usize,
) -> OrtStatusPtr {
    // SAFETY: the contract at the head.
    unsafe {
        let Some(ort) = Ort::of(base) else { return too_old(base) };
        answer(ort, || {
            if max_factories == 0 {
                return Err(Failure::invalid("CreateEpFactories: max_factories is 0, expected 1 or more"));
            }
            factories.write(Box::into_raw(Box::new(FactoryObject { table: FACTORY, ort })).cast());
            num_factories.write(1);
            Ok(())
        })
    }
}

/// The status for a version of ONNX Runtime without the functions that this provider calls.
///
/// # Safety
/// The contract at the head.
unsafe fn too_old(base: *const OrtApiBase) -> OrtStatusPtr {
    let message = c"OnnxcExecutionProvider needs ONNX Runtime 1.24 or later";
    // SAFETY: the contract at the head; every version has the functions of the first one.
    unsafe {
        let api = base.as_ref().and_then(|base| (base.GetApi)(1).as_ref());
        let code = ort_sys::OrtErrorCode::ORT_NOT_IMPLEMENTED;
        api.map_or_else(OrtStatusPtr::default, |api| (api.CreateStatus)(code, message.as_ptr()))
    }
}

/// Releases a factory.
///
/// # Safety
/// Called by ONNX Runtime as its header documents.
pub unsafe fn release_ep_factory(factory: *mut c_void) -> OrtStatusPtr {
    if !factory.is_null() {
        // SAFETY: the contract at the head.
        drop(unsafe { Box::from_raw(factory.cast::<FactoryObject>()) });
    }
    OrtStatusPtr::default()
}

const FACTORY: EpFactory = EpFactory {
    ort_version_supported: STRUCTURES,
    get_name: factory_name,
    get_vendor: factory_vendor,
    get_supported_devices,
    create_ep,
    release_ep,
    get_vendor_id: factory_vendor_id,
    get_version: factory_version,
    validate_compiled_model_compatibility_info: None,
    create_allocator: None,
    release_allocator: None,
    create_data_transfer,
    is_stream_aware,
    create_sync_stream_for_device: None,
};

/// The name of the provider.
unsafe extern "system" fn factory_name(_: *const EpFactory) -> *const c_char {
    NAME.as_ptr()
}

/// Who makes it.
unsafe extern "system" fn factory_vendor(_: *const EpFactory) -> *const c_char {
    c"onnxc".as_ptr()
}

/// It belongs to no vendor of devices.
unsafe extern "system" fn factory_vendor_id(_: *const EpFactory) -> u32 {
    0
}

/// The version of this library.
unsafe extern "system" fn factory_version(_: *const EpFactory) -> *const c_char {
    concat!(env!("CARGO_PKG_VERSION"), "\0").as_ptr().cast()
}

/// Values are in the memory of the processor, so that nothing is transferred.
unsafe extern "system" fn create_data_transfer(_: *mut EpFactory, transfer: *mut *mut c_void) -> OrtStatusPtr {
    // SAFETY: the contract at the head.
    unsafe { transfer.write(std::ptr::null_mut()) };
    OrtStatusPtr::default()
}

/// Runs are synchronous.
unsafe extern "system" fn is_stream_aware(_: *const EpFactory) -> bool {
    false
}

/// The processors among the devices.
unsafe extern "system" fn get_supported_devices(
    this: *mut EpFactory,
    devices: *const *const OrtHardwareDevice,
    num_devices: usize,
    ep_devices: *mut *mut OrtEpDevice,
    max_ep_devices: usize,
    num_ep_devices: *mut usize,
) -> OrtStatusPtr {
    // SAFETY: the contract at the head.
    unsafe {
        let ort = (*this.cast::<FactoryObject>()).ort;
        answer(ort, || {
            let mut count = 0;
            for at in 0..num_devices {
                let device = *devices.add(at);
                let kind = (ort.api.HardwareDevice_Type)(device);
                if count < max_ep_devices && kind == OrtHardwareDeviceType::OrtHardwareDeviceType_CPU {
                    let none = std::ptr::null();
                    ort.check((ort.ep.create_ep_device)(this, device, none, none, ep_devices.add(count)))?;
                    count += 1;
                }
            }
            num_ep_devices.write(count);
            Ok(())
        })
    }
}

/// Creates the provider of a session.
unsafe extern "system" fn create_ep(
    this: *mut EpFactory,
    _devices: *const *const OrtHardwareDevice,
    _metadata: *const *const OrtKeyValuePairs,
    _num_devices: usize,
    session_options: *const OrtSessionOptions,
    logger: *const OrtLogger,
    ep: *mut *mut Ep,
) -> OrtStatusPtr {
    // SAFETY: the contract at the head.
    unsafe {
        let ort = (*this.cast::<FactoryObject>()).ort;
        answer(ort, || {
            let provider = Provider::new(ort, logger, options::read(&ort.entries(session_options)?)?);
            ep.write(Box::into_raw(Box::new(ProviderObject { table: PROVIDER, ort, provider })).cast());
            Ok(())
        })
    }
}

/// Releases the provider of a session.
unsafe extern "system" fn release_ep(_: *mut EpFactory, ep: *mut Ep) {
    if !ep.is_null() {
        // SAFETY: the contract at the head.
        drop(unsafe { Box::from_raw(ep.cast::<ProviderObject>()) });
    }
}

const PROVIDER: Ep = Ep {
    ort_version_supported: STRUCTURES,
    get_name: provider_name,
    get_capability,
    compile,
    release_node_compute_infos,
    get_preferred_data_layout: None,
    should_convert_data_layout_for_op: None,
    set_dynamic_options: None,
    on_run_start: None,
    on_run_end: None,
    create_allocator: None,
    create_sync_stream_for_device: None,
    get_compiled_model_compatibility_info: None,
};

/// The name of the provider.
unsafe extern "system" fn provider_name(_: *const Ep) -> *const c_char {
    NAME.as_ptr()
}

/// Adds the nodes that the provider takes.
unsafe extern "system" fn get_capability(
    this: *mut Ep,
    graph: *const OrtGraph,
    support: *mut EpGraphSupportInfo,
) -> OrtStatusPtr {
    // SAFETY: the contract at the head.
    unsafe {
        let object = &*this.cast::<ProviderObject>();
        let ort = object.ort;
        answer(ort, || {
            let options = NodeFusionOptions { ort_version_supported: STRUCTURES, drop_constant_initializers: true };
            for nodes in object.provider.capability(Handle::of(ort, graph)?)? {
                let nodes: Vec<*const OrtNode> = nodes.into_iter().map(|node| node.pointer).collect();
                ort.check((ort.ep.add_nodes_to_fuse)(support, nodes.as_ptr(), nodes.len(), &raw const options))?;
            }
            Ok(())
        })
    }
}

/// Creates the functions of the nodes that replace parts.
unsafe extern "system" fn compile(
    this: *mut Ep,
    graphs: *mut *const OrtGraph,
    fused_nodes: *mut *const OrtNode,
    count: usize,
    infos: *mut *mut NodeComputeInfo,
    context_nodes: *mut *mut OrtNode,
) -> OrtStatusPtr {
    // SAFETY: the contract at the head.
    unsafe {
        let object = &*this.cast::<ProviderObject>();
        let ort = object.ort;
        answer(ort, || {
            for at in 0..count {
                let (graph, node) = (Handle::of(ort, *graphs.add(at))?, Handle::of(ort, *fused_nodes.add(at))?);
                let compiled = object.provider.compile(graph, node)?;
                let kernel = KernelObject { table: KERNEL, ort, kernel: compiled.kernel };
                infos.add(at).write(Box::into_raw(Box::new(kernel)).cast());
                if let Some(node) = compiled.context {
                    context_nodes.add(at).write(node);
                }
            }
            Ok(())
        })
    }
}

/// Releases the functions of nodes.
unsafe extern "system" fn release_node_compute_infos(_: *mut Ep, infos: *mut *mut NodeComputeInfo, count: usize) {
    for at in 0..count {
        // SAFETY: the contract at the head.
        unsafe {
            let info = *infos.add(at);
            if !info.is_null() {
                drop(Box::from_raw(info.cast::<KernelObject>()));
            }
        }
    }
}

const KERNEL: NodeComputeInfo =
    NodeComputeInfo { ort_version_supported: STRUCTURES, create_state, compute, release_state };

/// The state of a node is in its object.
unsafe extern "system" fn create_state(
    _: *mut NodeComputeInfo,
    _: *mut NodeComputeContext,
    state: *mut *mut c_void,
) -> OrtStatusPtr {
    // SAFETY: the contract at the head.
    unsafe { state.write(std::ptr::null_mut()) };
    OrtStatusPtr::default()
}

/// Runs a node.
unsafe extern "system" fn compute(
    this: *mut NodeComputeInfo,
    _state: *mut c_void,
    context: *mut OrtKernelContext,
) -> OrtStatusPtr {
    // SAFETY: the contract at the head.
    let object = unsafe { &*this.cast::<KernelObject>() };
    answer(object.ort, || object.kernel.run(Handle::of(object.ort, context.cast_const())?))
}

/// There is nothing to release.
unsafe extern "system" fn release_state(_: *mut NodeComputeInfo, _: *mut c_void) {}
