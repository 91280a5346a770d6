//! The function tables for model editing, compilation and model packages, which are mostly unsupported.
//!
//! ONNX Runtime's header may declare more functions than `ort-sys`, so each table is followed by entries that return an error.

#![allow(unsafe_code, reason = "an entry is an unsafe function of C")]

use ort_sys::{
    ONNXTensorElementDataType, OrtCompileApi, OrtModelEditorApi, OrtModelPackageApi, OrtStatusPtr, OrtTypeInfo,
};

use crate::element;
use crate::raw::{Enum, Out, Text};
use crate::session::Session;
use crate::status::Status;
use crate::table::table;
use crate::tensor_info::TensorInfo;
use crate::type_info::TypeInfo;

/// A table, followed by entries for functions that `ort-sys` does not declare.
#[repr(C)]
struct Extended<T> {
    table: T,
    more: [extern "system" fn() -> OrtStatusPtr; 64],
}

extern "system" fn unknown() -> OrtStatusPtr {
    Status::refused("a function of a later version is not implemented by onnxc, which compiles models for the CPU")
        .into_raw()
}

entries! {
    /// Returns the table of the model editor.
    fn GetModelEditorApi() -> *const OrtModelEditorApi { &raw const EDITOR.table } else { std::ptr::null() }

    /// Returns the table of the ahead-of-time compiler.
    fn GetCompileApi() -> *const OrtCompileApi { &raw const COMPILE.table } else { std::ptr::null() }

    /// Returns the version of an operator set that a session's model imports.
    fn SessionGetOpsetForDomain(session: &Session, domain: Text<'_>, opset: Out<i32>) {
        opset.set(session.operator_set(domain.0)?)
    }

    /// Creates a tensor type.
    fn CreateTensorTypeInfo(tensor_info: &TensorInfo, type_info: Out<*mut OrtTypeInfo>) {
        type_info.give(TypeInfo::Tensor(tensor_info.clone()))
    }

    /// Creates a map type.
    fn CreateMapTypeInfo(
        map_key_type: Enum<ONNXTensorElementDataType>, map_value_type: &TypeInfo, type_info: Out<*mut OrtTypeInfo>,
    ) {
        type_info.give(TypeInfo::map(element::code_of_number(map_key_type.0), map_value_type.clone()))
    }

    /// Creates a sequence type.
    fn CreateSequenceTypeInfo(sequence_type: &TypeInfo, type_info: Out<*mut OrtTypeInfo>) {
        type_info.give(TypeInfo::sequence(sequence_type.clone()))
    }

    /// Creates an optional type.
    fn CreateOptionalTypeInfo(contained_type: &TypeInfo, type_info: Out<*mut OrtTypeInfo>) {
        type_info.give(TypeInfo::optional(contained_type.clone()))
    }

    /// Returns the table of model packages.
    fn GetModelPackageApi() -> *const OrtModelPackageApi { &raw const PACKAGE.table } else { std::ptr::null() }
}

static EDITOR: Extended<OrtModelEditorApi> = Extended {
    table: table! {
        OrtModelEditorApi,
        implemented {
            editor {
                SessionGetOpsetForDomain CreateTensorTypeInfo CreateMapTypeInfo CreateSequenceTypeInfo
                CreateOptionalTypeInfo
            }
        }
        refused {
            CreateSparseTensorTypeInfo CreateValueInfo CreateNode CreateGraph SetGraphInputs SetGraphOutputs
            AddInitializerToGraph AddNodeToGraph CreateModel AddGraphToModel CreateSessionFromModel
            CreateModelEditorSession CreateModelEditorSessionFromArray ApplyModelToModelEditorSession
            FinalizeModelEditorSession
        }
    },
    more: [unknown; 64],
};

static COMPILE: Extended<OrtCompileApi> = Extended {
    table: table! {
        OrtCompileApi,
        implemented {}
        refused {
            ReleaseModelCompilationOptions CreateModelCompilationOptionsFromSessionOptions
            ModelCompilationOptions_SetInputModelPath ModelCompilationOptions_SetInputModelFromBuffer
            ModelCompilationOptions_SetOutputModelPath ModelCompilationOptions_SetOutputModelExternalInitializersFile
            ModelCompilationOptions_SetOutputModelBuffer ModelCompilationOptions_SetEpContextEmbedMode CompileModel
        }
    },
    more: [unknown; 64],
};

static PACKAGE: Extended<OrtModelPackageApi> = Extended {
    table: table! {
        OrtModelPackageApi,
        implemented {}
        refused {
            CreateModelPackageOptionsFromSessionOptions ReleaseModelPackageOptions CreateModelPackageContext
            ReleaseModelPackageContext ModelPackage_GetSchemaVersion ModelPackage_GetComponentCount
            ModelPackage_GetComponentNames ModelPackage_GetVariantCount ModelPackage_GetVariantNames
            ModelPackage_GetVariantEpName ModelPackage_ResolveStringRef SelectComponent
            ReleaseModelPackageComponentContext ModelPackageComponent_GetSelectedVariantName
            ModelPackageComponent_GetSelectedVariantFolderPath CreateSession
        }
    },
    more: [unknown; 64],
};
