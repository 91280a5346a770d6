//! A plugin execution provider for ONNX Runtime: the parts of a model that this compiler supports run as compiled code, all others
//! in ONNX Runtime.
//!
//! ONNX Runtime loads a library that has [`export_plugin`], calls its function `CreateEpFactories`, and calls the functions of the structures in [`abi`] from then on. A
//! session asks the [provider](provider) for the nodes that it takes. The provider [reads](read) the graph, [divides](driver::partition) it,
//! makes a [model](part) of each part and compiles it. ONNX Runtime replaces each part by one node, which a [kernel](kernel) runs.

mod abi;
mod api;
mod context;
mod entries;
mod kernel;
mod options;
mod part;
mod provider;
mod read;
mod status;
mod values;

pub use entries::{create_ep_factories, release_ep_factory};

/// Defines the functions that ONNX Runtime looks for in a plugin, in the crate of a shared library, which needs `ort-sys`.
#[macro_export]
macro_rules! export_plugin {
    () => {
        /// Creates the factory of the execution provider.
        ///
        /// # Safety
        /// Called by ONNX Runtime as its header documents.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, reason = "ONNX Runtime looks for this name")]
        pub unsafe extern "system" fn CreateEpFactories(
            _registered_name: *const ::core::ffi::c_char,
            base: *const ::ort_sys::OrtApiBase,
            _default_logger: *const ::ort_sys::OrtLogger,
            factories: *mut *mut ::core::ffi::c_void,
            max_factories: usize,
            num_factories: *mut usize,
        ) -> ::ort_sys::OrtStatusPtr {
            // SAFETY: the contract.
            unsafe { $crate::create_ep_factories(base, factories, max_factories, num_factories) }
        }

        /// Releases the factory.
        ///
        /// # Safety
        /// Called by ONNX Runtime as its header documents.
        #[unsafe(no_mangle)]
        #[allow(non_snake_case, reason = "ONNX Runtime looks for this name")]
        pub unsafe extern "system" fn ReleaseEpFactory(factory: *mut ::core::ffi::c_void) -> ::ort_sys::OrtStatusPtr {
            // SAFETY: the contract.
            unsafe { $crate::release_ep_factory(factory) }
        }
    };
}
