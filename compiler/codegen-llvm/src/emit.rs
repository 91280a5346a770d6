//! Compiles a module to LLVM IR, assembly and objects.

use dialects::{func, memref};
use std::path::Path;

use inkwell::attributes::Attribute as FunctionAttribute;
use inkwell::context::Context;
use inkwell::module::{Linkage, Module as LlvmModule};
use inkwell::targets::{FileType, TargetMachine};
use inkwell::{AddressSpace, GlobalVisibility};
use ir::{Attribute, DenseElements, Diagnostic, Location, Module, Result};

use crate::architecture::{Architecture, is_elf, is_object, is_wasm};
use crate::fill::{fill, is_filled_later};
use crate::function::{Unit, translate};
use crate::interface::Interface;
use crate::memory::DATA_ALIGNMENT;
use crate::processor::define_detection;
use crate::stack::{state, with_bound};
use crate::target::Options;
use crate::webassembly::WebAssembly;
use crate::weights_file::{Mapped, Weights};

/// The object file of a module.
pub fn compile_object(module: &Module, options: &Options) -> Result<Vec<u8>> {
    emit(module, options, Contents::Inline, |unit, machine| write(unit, machine, FileType::Object))
}

/// Writes the object file of a module with its constants, which are never all in memory at the same time.
pub fn write_object(module: &Module, options: &Options, path: &Path) -> Result<()> {
    let options = Options { embed_constants: true, ..options.clone() };
    let is_elf = options.triple.as_deref().is_none_or(is_elf);
    let contents = if is_elf { Contents::Later } else { Contents::Inline };
    let symbol = options.stack_symbol.as_deref().filter(|_| is_elf);
    let bound = emit(module, &options, contents, |unit, machine| {
        let write = || {
            let written = machine.write_to_file(unit, FileType::Object, path);
            written.map_err(|error| Diagnostic::input(Location::Unknown, format!("{}: {error}", path.display())))
        };
        match symbol {
            Some(symbol) => with_bound(unit, symbol, write),
            None => write().map(|()| None),
        }
    })?;
    if contents == Contents::Later {
        fill(module, path)?;
    }
    if let Some((symbol, bound)) = symbol.zip(bound) {
        state(path, symbol, bound)?;
    }
    Ok(())
}

/// The assembly of a module, as text.
pub fn compile_assembly(module: &Module, options: &Options) -> Result<String> {
    let text = emit(module, options, Contents::Inline, |unit, machine| write(unit, machine, FileType::Assembly))?;
    Ok(String::from_utf8_lossy(&text).into_owned())
}

/// The optimised LLVM IR of a module, as text.
pub fn compile_ir(module: &Module, options: &Options) -> Result<String> {
    emit(module, options, Contents::Inline, |unit, _| Ok(unit.print_to_string().to_string()))
}

/// Checks that a target has a code generator and an object format; LLVM may end the process if it has none, with a
/// message on standard error.
pub fn probe(options: &Options) -> Result<()> {
    // some combinations only fail on a function
    let mut module = Module::new();
    module.build_function("probe", &[], |builder, _| {
        builder.create(func::RETURN, &[], &[], []);
    });
    let object = compile_object(&module, options)?;
    if !is_object(&object) {
        let message = "its object files have another format than ELF, Mach-O, COFF and WebAssembly";
        return Err(Diagnostic::error(ir::ErrorClass::Usage, Location::Unknown, message).into());
    }
    Ok(())
}

/// When large constants get their bytes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Contents {
    /// Immediately, in LLVM IR.
    Inline,
    /// When the object file is written: until then they are zeros, invisible to LLVM.
    Later,
}

pub(crate) fn internal(message: String) -> Diagnostic {
    Diagnostic::internal(Location::Unknown, message)
}

/// Makes functions and data local to this object.
fn hide_all_but(unit: &LlvmModule<'_>, exports: &[String]) {
    let exported = |name: &std::ffi::CStr| exports.iter().any(|export| export.as_bytes() == name.to_bytes());
    for function in unit.get_functions().filter(|function| function.count_basic_blocks() > 0) {
        if !exported(function.get_name()) {
            function.set_linkage(Linkage::Internal);
        }
    }
    unit.get_globals().filter(|global| global.get_initializer().is_some()).for_each(|global| {
        global.set_visibility(GlobalVisibility::Default);
        global.set_linkage(Linkage::Internal);
    });
}

/// Translates and optimises a module, then passes it on.
fn emit<T>(
    module: &Module,
    options: &Options,
    contents: Contents,
    finish: impl FnOnce(&LlvmModule<'_>, &TargetMachine) -> Result<T, Diagnostic>,
) -> Result<T> {
    let machine = options.machine()?;
    let context = Context::create();
    let triple = machine.get_triple();
    let name = triple.as_str().to_string_lossy();
    let llvm = context.create_module("onnx");
    let unit = Unit {
        context: &context,
        weights: options.weights.as_ref().map(|file| mapped(&context, &llvm, file)),
        module: llvm,
        attributes: attributes(&context, options, &machine),
        fused: options.fused(&machine),
        architecture: Architecture::of(&name).unwrap_or(&Architecture::PLAIN),
        web: is_wasm(&name).then(|| WebAssembly { relaxed: options.features.contains("+relaxed-simd") }),
    };
    unit.module.set_triple(&triple);
    unit.module.set_data_layout(&machine.get_target_data().get_data_layout());
    if options.embed_constants {
        define_data(module, &unit, contents)?;
    }
    let mut errors = Vec::new();
    for function in module.functions().filter(|function| function.body.entry().is_some()) {
        errors.extend(translate(&unit, function).err());
    }
    if !errors.is_empty() {
        return Err(errors);
    }
    define_detection(&unit)?;
    if let Some(interface) = &options.interface {
        crate::interface::define(&unit, interface)?;
    }
    let offered = options.interface.iter().flat_map(Interface::exports);
    let exports: Vec<String> = offered.chain(options.exports.iter().cloned()).collect();
    if !exports.is_empty() {
        hide_all_but(&unit.module, &exports);
    }
    let (passes, pass_options) = options.passes();
    unit.module.run_passes(passes, &machine, pass_options).map_err(|error| internal(format!("LLVM: {error}")))?;
    Ok(finish(&unit.module, &machine)?)
}

fn write(unit: &LlvmModule<'_>, machine: &TargetMachine, kind: FileType) -> Result<Vec<u8>, Diagnostic> {
    let buffer = machine.write_to_memory_buffer(unit, kind).map_err(|error| internal(format!("LLVM: {error}")))?;
    Ok(buffer.as_slice().to_vec())
}

fn attributes(context: &Context, options: &Options, machine: &TargetMachine) -> Vec<FunctionAttribute> {
    // a function is a kernel, and stays one: inlining kernels into each other only makes code larger
    let plain = ["nounwind", "noinline"].map(FunctionAttribute::get_named_enum_kind_id);
    let mut attributes: Vec<FunctionAttribute> =
        plain.into_iter().map(|kind| context.create_enum_attribute(kind, 0)).collect();
    if let Some(width) = options.preferred_vector_width(machine) {
        attributes.push(context.create_string_attribute("prefer-vector-width", &width.to_string()));
    }
    attributes
}

/// The word for the address of weights in a separate file.
fn mapped<'c>(context: &'c Context, unit: &LlvmModule<'c>, file: &Weights) -> Mapped<'c> {
    let pointer = context.ptr_type(AddressSpace::default());
    let address = unit.add_global(pointer, None, "weights");
    address.set_initializer(&pointer.const_null());
    address.set_linkage(Linkage::Internal);
    // the runtime writes it
    address.set_externally_initialized(true);
    Mapped { address, file: file.clone() }
}

/// The module's globals: constants with their bytes, buffers zeroed.
fn define_data(module: &Module, unit: &Unit<'_>, when: Contents) -> Result<(), Diagnostic> {
    for op in module.ops() {
        let operation = module.body.op(op);
        let attributes = &operation.attributes;
        let (Some(name), Some(r#type)) =
            (attributes.str("sym_name"), attributes.get("type").and_then(Attribute::as_type))
        else {
            continue;
        };
        if operation.name != memref::GLOBAL || unit.weights.as_ref().is_some_and(|all| all.file.place(name).is_some()) {
            continue;
        }
        let initial = attributes.get("initial_value").and_then(Attribute::as_dense);
        let width = r#type.element().byte_width().unwrap_or(1);
        let count = r#type.static_shape().map_or(0, |shape| shape.iter().product::<i64>()) as usize;
        let length = u32::try_from(count * width).map_err(|_| {
            let message = format!("the constant @{name} is larger than an object file can hold (4 GiB)");
            Diagnostic::unsupported(operation.location.clone(), message)
        })?;
        let bytes = unit.context.i8_type().array_type(length);
        let global = unit.module.add_global(bytes, None, name);
        global.set_alignment(DATA_ALIGNMENT);
        global.set_constant(initial.is_some());
        global.set_linkage(Linkage::External);
        global.set_visibility(GlobalVisibility::Hidden);
        match initial {
            Some(elements) if when == Contents::Later && is_filled_later(elements) => {
                global.set_initializer(&bytes.const_zero());
                global.set_externally_initialized(true);
            }
            Some(elements) => global.set_initializer(&unit.context.const_string(&contents(elements, count), false)),
            None => global.set_initializer(&bytes.const_zero()),
        }
    }
    Ok(())
}

/// All bytes of a constant.
fn contents(elements: &DenseElements, count: usize) -> std::borrow::Cow<'_, [u8]> {
    let bytes = elements.data.bytes();
    if elements.splat { bytes.repeat(count).into() } else { bytes.into() }
}
