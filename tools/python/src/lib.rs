//! The native module of the Python package `onnxc`: sessions, arrays without copies, errors.
//!
//! The public interface, with ONNX Runtime's names, is in `python/onnxc`; this module is the path of a run.

mod arrays;
mod errors;
mod model;
mod plugin;
mod session;
mod tools;
mod types;
mod values;

use pyo3::prelude::*;

/// The native module.
#[pymodule(gil_used = false)]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    errors::register(module)?;
    module.add_class::<session::NativeSession>()?;
    module.add_class::<session::Cancel>()?;
    module.add_class::<values::Buffer>()?;
    module.add_function(wrap_pyfunction!(model::check, module)?)?;
    module.add_function(wrap_pyfunction!(model::metadata, module)?)?;
    module.add_function(wrap_pyfunction!(model::simplify, module)?)?;
    module.add_function(wrap_pyfunction!(tools::tool, module)?)?;
    module.add_function(wrap_pyfunction!(types::type_text_of_number, module)?)?;
    Ok(())
}
