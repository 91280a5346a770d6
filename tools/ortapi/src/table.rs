//! The function table.

#![allow(unsafe_code, reason = "the library exports two functions of C")]

use std::ffi::{CStr, c_char, c_int, c_void};

use ort_sys::{
    ORT_API_VERSION, OrtApi, OrtApiBase, OrtEpApi, OrtInteropApi, OrtSessionOptions, OrtStatusPtr, OrtTrainingApi,
};

use crate::raw::Text;

/// The version of ONNX Runtime whose interface is implemented.
const VERSION: &CStr = c"1.31.0";

/// A function table: implemented functions by module, and unsupported ones.
macro_rules! table {
    ($type:ident, implemented { $($module:ident { $($entry:ident)* })* } refused { $($name:ident)* }) => {
        ort_sys::$type {
            $($($entry: crate::$module::$entry,)*)*
            $($name: refuse!($type $name),)*
        }
    };
}
pub(crate) use table;

entries! {
    /// Returns null: training is not supported.
    fn GetTrainingApi(_version: u32) -> *const OrtTrainingApi { std::ptr::null() } else { std::ptr::null() }

    /// Returns null: plugins of execution providers are not supported.
    fn GetEpApi() -> *const OrtEpApi { std::ptr::null() } else { std::ptr::null() }

    /// Returns null: sharing memory with devices is not supported.
    fn GetInteropApi() -> *const OrtInteropApi { std::ptr::null() } else { std::ptr::null() }

    /// Returns null: there are no experimental functions.
    fn GetExperimentalFunction(_name: Option<Text<'_>>) -> *const c_void { std::ptr::null() } else { std::ptr::null() }

    /// Returns the table for each version up to its own; null for later versions.
    fn GetApi(version: u32) -> *const OrtApi {
        if (1..=ORT_API_VERSION).contains(&version) { &raw const API } else { std::ptr::null() }
    } else { std::ptr::null() }

    /// The version of ONNX Runtime whose interface is implemented.
    fn GetVersionString() -> *const c_char { VERSION.as_ptr() } else { VERSION.as_ptr() }
}

/// The table.
static API: OrtApi = table! {
    OrtApi,
    implemented {
        table { GetTrainingApi GetEpApi GetInteropApi GetExperimentalFunction }
        editor { GetModelEditorApi GetCompileApi GetModelPackageApi }
        binding {
            CreateIoBinding BindInput BindOutput BindOutputToDevice RunWithBinding GetBoundOutputNames
            GetBoundOutputValues ClearBoundInputs ClearBoundOutputs SynchronizeBoundInputs SynchronizeBoundOutputs
            ReleaseIoBinding
        }
        containers {
            GetValueCount GetValue CreateValue
        }
        custom_domain {
            CreateCustomOpDomain CustomOpDomain_Add AddCustomOpDomain ReleaseCustomOpDomain
        }
        custom_library {
            RegisterCustomOpsLibrary RegisterCustomOpsLibrary_V2 RegisterCustomOpsUsingFunction
        }
        env {
            CreateEnv CreateEnvWithCustomLogger CreateEnvWithGlobalThreadPools
            CreateEnvWithCustomLoggerAndGlobalThreadPools CreateEnvWithOptions UpdateEnvWithCustomLogLevel
            EnableTelemetryEvents DisableTelemetryEvents SetLanguageProjection ReleaseEnv CreateThreadingOptions
            SetGlobalIntraOpNumThreads SetGlobalInterOpNumThreads SetGlobalSpinControl SetGlobalDenormalAsZero
            SetGlobalIntraOpThreadAffinity SetGlobalCustomCreateThreadFn SetGlobalCustomThreadCreationOptions
            SetGlobalCustomJoinThreadFn ReleaseThreadingOptions GetBuildInfoString Logger_LogMessage
            Logger_GetLoggingSeverityLevel
        }
        external {
            CreateExternalInitializerInfo ExternalInitializerInfo_GetFilePath ExternalInitializerInfo_GetFileOffset
            ExternalInitializerInfo_GetByteSize ReleaseExternalInitializerInfo
        }
        kernel_context {
            KernelContext_GetInputCount KernelContext_GetOutputCount KernelContext_GetInput KernelContext_GetOutput
            KernelContext_GetLogger
        }
        kernel_info {
            KernelInfoGetAttribute_float KernelInfoGetAttribute_int64 KernelInfoGetAttribute_string
            KernelInfoGetAttributeArray_float KernelInfoGetAttributeArray_int64 KernelInfoGetAttributeArray_string
            KernelInfoGetAttribute_tensor KernelInfo_GetInputCount KernelInfo_GetOutputCount KernelInfo_GetInputName
            KernelInfo_GetOutputName KernelInfo_GetInputTypeInfo KernelInfo_GetOutputTypeInfo KernelInfo_GetNodeName
            KernelInfo_GetLogger KernelInfoGetConstantInput_tensor KernelInfo_GetOperatorDomain
            KernelInfo_GetOperatorType KernelInfo_GetOperatorSinceVersion CopyKernelInfo ReleaseKernelInfo
        }
        memory {
            CreateMemoryInfo CreateMemoryInfo_V2 CreateCpuMemoryInfo CompareMemoryInfo MemoryInfoGetName MemoryInfoGetId
            MemoryInfoGetMemType MemoryInfoGetType MemoryInfoGetDeviceType MemoryInfoGetDeviceMemType
            MemoryInfoGetVendorId ReleaseMemoryInfo AllocatorAlloc AllocatorFree AllocatorGetInfo AllocatorGetStats
            GetAllocatorWithDefaultOptions CreateAllocator ReleaseAllocator GetSharedAllocator CreateArenaCfg
            CreateArenaCfgV2 ReleaseArenaCfg KernelContext_GetAllocator KernelInfoGetAllocator
        }
        metadata {
            ModelMetadataGetProducerName ModelMetadataGetGraphName ModelMetadataGetDomain ModelMetadataGetDescription
            ModelMetadataGetGraphDescription ModelMetadataGetVersion ModelMetadataLookupCustomMetadataMap
            ModelMetadataGetCustomMetadataMapKeys ReleaseModelMetadata
        }
        operator_attribute {
            ReadOpAttr OpAttr_GetType OpAttr_GetName OpAttr_GetTensorAttributeAsOrtValue
        }
        options {
            CreateSessionOptions CloneSessionOptions ReleaseSessionOptions SetOptimizedModelFilePath
            SetSessionGraphOptimizationLevel SetDeterministicCompute SetIntraOpNumThreads SetInterOpNumThreads DisablePerSessionThreads
            SetSessionExecutionMode GetSessionExecutionMode EnableMemPattern DisableMemPattern GetMemPatternEnabled
            EnableCpuMemArena DisableCpuMemArena EnableProfiling DisableProfiling SetSessionLogId
            SetSessionLogVerbosityLevel SetSessionLogSeverityLevel SetUserLoggingFunction AddInitializer
            AddExternalInitializers AddFreeDimensionOverrideByName AddFreeDimensionOverride AddSessionConfigEntry
            HasSessionConfigEntry GetSessionConfigEntry GetSessionOptionsConfigEntries
            SessionOptionsSetLoadCancellationFlag SessionOptionsSetEpSelectionPolicy EnableOrtCustomOps
            SessionOptionsSetCustomCreateThreadFn SessionOptionsSetCustomThreadCreationOptions
            SessionOptionsSetCustomJoinThreadFn
        }
        pairs {
            CreateKeyValuePairs AddKeyValuePair GetKeyValue GetKeyValuePairs RemoveKeyValuePair ReleaseKeyValuePairs
        }
        providers {
            GetAvailableProviders ReleaseAvailableProviders SessionOptionsAppendExecutionProvider
            SessionOptionsAppendExecutionProvider_V2 GetExecutionProviderApi GetEpDevices GetNumHardwareDevices
            GetHardwareDevices HardwareDevice_Type HardwareDevice_VendorId HardwareDevice_Vendor HardwareDevice_DeviceId
            HardwareDevice_Metadata EpDevice_EpName EpDevice_EpVendor EpDevice_EpMetadata EpDevice_EpOptions
            EpDevice_Device EpDevice_MemoryInfo SessionGetEpDeviceForInputs SessionGetEpDeviceForOutputs
            SessionGetMemoryInfoForInputs SessionGetMemoryInfoForOutputs SyncStream_GetHandle
        }
        run {
            Run RunAsync
        }
        run_options {
            CreateRunOptions RunOptionsSetRunLogVerbosityLevel RunOptionsSetRunLogSeverityLevel RunOptionsSetRunTag
            RunOptionsGetRunLogVerbosityLevel RunOptionsGetRunLogSeverityLevel RunOptionsGetRunTag
            RunOptionsSetTerminate RunOptionsUnsetTerminate AddRunConfigEntry GetRunConfigEntry
            RunOptionsDisableProfiling ReleaseRunOptions
        }
        session {
            CreateSession CreateSessionFromArray CreateSessionWithPrepackedWeightsContainer
            CreateSessionFromArrayWithPrepackedWeightsContainer CreatePrepackedWeightsContainer
            ReleasePrepackedWeightsContainer SessionGetInputCount SessionGetOutputCount
            SessionGetOverridableInitializerCount SessionGetInputTypeInfo SessionGetOutputTypeInfo
            SessionGetOverridableInitializerTypeInfo SessionGetInputName SessionGetOutputName
            SessionGetOverridableInitializerName SessionGetModelMetadata SessionEndProfiling
            SessionGetProfilingStartTimeNs ReleaseSession
        }
        shape_context {
            ShapeInferContext_GetInputCount ShapeInferContext_GetInputTypeShape ShapeInferContext_GetAttribute
            ShapeInferContext_SetOutputTypeShape
        }
        status {
            CreateStatus GetErrorCode GetErrorMessage ReleaseStatus
        }
        strings {
            FillStringTensor FillStringTensorElement GetResizedStringTensorElementBuffer GetStringTensorDataLength
            GetStringTensorElementLength GetStringTensorContent GetStringTensorElement
        }
        tensor_info {
            CreateTensorTypeAndShapeInfo SetTensorElementType SetDimensions SetSymbolicDimensions GetTensorElementType
            GetDimensionsCount GetDimensions GetSymbolicDimensions GetTensorShapeElementCount
            TensorTypeAndShape_HasShape ReleaseTensorTypeAndShapeInfo
        }
        type_info {
            GetOnnxTypeFromTypeInfo CastTypeInfoToTensorInfo CastTypeInfoToMapTypeInfo CastTypeInfoToSequenceTypeInfo
            CastTypeInfoToOptionalTypeInfo GetDenotationFromTypeInfo GetMapKeyType GetMapValueType
            GetSequenceElementType GetOptionalContainedTypeInfo ReleaseTypeInfo ReleaseMapTypeInfo
            ReleaseSequenceTypeInfo
        }
        value {
            CreateTensorAsOrtValue CreateTensorWithDataAsOrtValue CreateTensorWithDataAndDeleterAsOrtValue IsTensor
            IsSparseTensor HasValue GetTensorMutableData GetTensorData GetTensorSizeInBytes TensorAt
            GetTensorTypeAndShape GetTensorElementTypeAndShapeDataReference GetTypeInfo GetValueType GetTensorMemoryInfo
            CopyTensors ReleaseValue
        }
    }
    refused {
        CreateOpaqueValue GetOpaqueValue CreateAndRegisterAllocator
        SessionOptionsAppendExecutionProvider_CUDA SessionOptionsAppendExecutionProvider_ROCM
        SessionOptionsAppendExecutionProvider_OpenVINO SessionOptionsAppendExecutionProvider_TensorRT
        SetCurrentGpuDeviceId GetCurrentGpuDeviceId SessionOptionsAppendExecutionProvider_TensorRT_V2
        CreateTensorRTProviderOptions UpdateTensorRTProviderOptions GetTensorRTProviderOptionsAsString
        ReleaseTensorRTProviderOptions RegisterAllocator UnregisterAllocator CreateSparseTensorAsOrtValue
        FillSparseTensorCoo FillSparseTensorCsr FillSparseTensorBlockSparse CreateSparseTensorWithValuesAsOrtValue
        UseCooIndices UseCsrIndices UseBlockSparseIndices GetSparseTensorFormat GetSparseTensorValuesTypeAndShape
        GetSparseTensorValues GetSparseTensorIndicesTypeShape GetSparseTensorIndices KernelContext_GetGPUComputeStream
        SessionOptionsAppendExecutionProvider_CUDA_V2 CreateCUDAProviderOptions UpdateCUDAProviderOptions
        GetCUDAProviderOptionsAsString ReleaseCUDAProviderOptions SessionOptionsAppendExecutionProvider_MIGraphX
        CreateOpAttr ReleaseOpAttr CreateOp InvokeOp ReleaseOp SessionOptionsAppendExecutionProvider_CANN
        CreateCANNProviderOptions UpdateCANNProviderOptions GetCANNProviderOptionsAsString ReleaseCANNProviderOptions
        SessionOptionsAppendExecutionProvider_Dnnl CreateDnnlProviderOptions UpdateDnnlProviderOptions
        GetDnnlProviderOptionsAsString ReleaseDnnlProviderOptions CreateROCMProviderOptions UpdateROCMProviderOptions
        GetROCMProviderOptionsAsString ReleaseROCMProviderOptions CreateAndRegisterAllocatorV2
        UpdateTensorRTProviderOptionsWithValue GetTensorRTProviderOptionsByName UpdateCUDAProviderOptionsWithValue
        GetCUDAProviderOptionsByName KernelContext_GetResource KernelContext_ParallelFor
        SessionOptionsAppendExecutionProvider_OpenVINO_V2 SessionOptionsAppendExecutionProvider_VitisAI
        KernelContext_GetScratchBuffer AddExternalInitializersFromMemory CreateLoraAdapter CreateLoraAdapterFromArray
        ReleaseLoraAdapter RunOptionsAddActiveLoraAdapter SetEpDynamicOptions ReleaseValueInfo ReleaseNode ReleaseGraph
        ReleaseModel GetValueInfoName GetValueInfoTypeInfo RegisterExecutionProviderLibrary
        UnregisterExecutionProviderLibrary SessionOptionsSetEpSelectionPolicyDelegate ValueInfo_GetValueProducer
        ValueInfo_GetValueNumConsumers ValueInfo_GetValueConsumers ValueInfo_GetInitializerValue
        ValueInfo_GetExternalInitializerInfo ValueInfo_IsRequiredGraphInput ValueInfo_IsOptionalGraphInput
        ValueInfo_IsGraphOutput ValueInfo_IsConstantInitializer ValueInfo_IsFromOuterScope Graph_GetName
        Graph_GetModelPath Graph_GetOnnxIRVersion Graph_GetNumOperatorSets Graph_GetOperatorSets Graph_GetNumInputs
        Graph_GetInputs Graph_GetNumOutputs Graph_GetOutputs Graph_GetNumInitializers Graph_GetInitializers
        Graph_GetNumNodes Graph_GetNodes Graph_GetParentNode Graph_GetGraphView Node_GetId Node_GetName
        Node_GetOperatorType Node_GetDomain Node_GetSinceVersion Node_GetNumInputs Node_GetInputs Node_GetNumOutputs
        Node_GetOutputs Node_GetNumImplicitInputs Node_GetImplicitInputs Node_GetNumAttributes Node_GetAttributes
        Node_GetAttributeByName Node_GetNumSubgraphs Node_GetSubgraphs Node_GetGraph Node_GetEpName
        CreateSharedAllocator ReleaseSharedAllocator CreateSyncStreamForEpDevice ReleaseSyncStream
        Graph_GetModelMetadata GetModelCompatibilityForEpDevices KernelInfo_GetConfigEntries
        GetHardwareDeviceEpIncompatibilityDetails DeviceEpIncompatibilityDetails_GetReasonsBitmask
        DeviceEpIncompatibilityDetails_GetNotes DeviceEpIncompatibilityDetails_GetErrorCode
        ReleaseDeviceEpIncompatibilityDetails GetCompatibilityInfoFromModel GetCompatibilityInfoFromModelBytes
        Session_GetEpGraphAssignmentInfo EpAssignedSubgraph_GetEpName EpAssignedSubgraph_GetNodes EpAssignedNode_GetName
        EpAssignedNode_GetDomain EpAssignedNode_GetOperatorType RunOptionsSetSyncStream RunOptionsEnableProfiling
        SetPerSessionThreadPoolCallbacks SessionReleaseCapturedGraph KernelContext_GetSyncStream
        SessionOptionsSetWeightlessSourceModelBuffer KernelContext_GetPreallocatedOutput
        SessionOptionsSetEpContextDataReadFunc
    }
};

/// The table, for functions of custom operators.
pub(crate) fn api() -> *const OrtApi {
    &raw const API
}

static BASE: OrtApiBase = OrtApiBase { GetApi, GetVersionString };

/// Returns the table that contains `GetApi`.
#[unsafe(no_mangle)]
pub extern "system" fn OrtGetApiBase() -> *const OrtApiBase {
    &raw const BASE
}

/// Adds the CPU to the execution providers of a session. It is the default.
///
/// # Safety
/// `options` is null or a handle of this library.
#[unsafe(no_mangle)]
pub unsafe extern "system" fn OrtSessionOptionsAppendExecutionProvider_CPU(
    options: *mut OrtSessionOptions,
    use_arena: c_int,
) -> OrtStatusPtr {
    // SAFETY: the caller's promise.
    unsafe { crate::providers::OrtSessionOptionsAppendExecutionProvider_CPU(options, use_arena) }
}
