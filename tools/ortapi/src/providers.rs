//! Execution providers and devices. The CPU is the only one.

use std::ffi::{c_char, c_int};
use std::sync::LazyLock;

use ort_sys::{
    OrtDeviceMemoryType, OrtEpDevice, OrtHardwareDevice, OrtHardwareDeviceType, OrtKeyValuePairs, OrtMemoryInfo,
    OrtSyncStream,
};

use crate::env::Env;
use crate::memory::{Allocator, CPU};
use crate::options::SessionOptions;
use crate::pairs::KeyValuePairs;
use crate::raw::{Enum, List, Out, Shared, Space, Text, lent};
use crate::session::Session;
use crate::status::{Result, Status};

/// The name of the execution provider.
pub(crate) const CPU_PROVIDER: &str = "CPUExecutionProvider";

/// The execution provider with its device.
pub(crate) struct EpDevice;

/// The device.
pub(crate) struct HardwareDevice;

handles! {
    EpDevice => OrtEpDevice,
    HardwareDevice => OrtHardwareDevice,
}

static DEVICE: EpDevice = EpDevice;
static PROCESSOR: HardwareDevice = HardwareDevice;
static NO_PAIRS: LazyLock<KeyValuePairs> = LazyLock::new(KeyValuePairs::default);
/// An array with the address of [`DEVICE`].
static DEVICES: LazyLock<[usize; 1]> = LazyLock::new(|| [lent(&DEVICE).expose_provenance()]);

/// Returns an error for other execution providers than the CPU.
fn accept(name: &str) -> Result<()> {
    match name {
        "CPU" | CPU_PROVIDER => Ok(()),
        other => Err(Status::invalid(format!(
            "execution provider '{other}' is not available, the only one is {CPU_PROVIDER}"
        ))),
    }
}

entries! {
    /// Returns the names of the execution providers.
    fn GetAvailableProviders(out_ptr: Out<*mut *mut c_char>, provider_length: Out<c_int>) {
        let allocator = Allocator::default();
        out_ptr.set(allocator.copy(&[allocator.copy_text(CPU_PROVIDER)?])?)?;
        provider_length.set(1)
    }

    /// Releases the result of `GetAvailableProviders`.
    fn ReleaseAvailableProviders(ptr: Space<'_, *mut c_char>, providers_length: c_int) {
        let allocator = Allocator::default();
        let names = ptr.slots(usize::try_from(providers_length).unwrap_or(0))?;
        names.iter().for_each(|name| allocator.free(name.cast()));
        allocator.free(names.as_mut_ptr().cast());
        Ok(())
    }

    /// Adds an execution provider by name. Only the CPU is supported.
    fn SessionOptionsAppendExecutionProvider(
        _options: &mut SessionOptions, provider_name: Text<'_>, _provider_options_keys: List<'_, *const c_char>,
        _provider_options_values: List<'_, *const c_char>, _num_keys: usize,
    ) { accept(provider_name.0) }

    /// Adds the execution provider of devices. Only the CPU is supported.
    fn SessionOptionsAppendExecutionProvider_V2(
        _session_options: &mut SessionOptions, _env: Shared<'_, Env>, ep_devices: List<'_, *const OrtEpDevice>,
        num_ep_devices: usize, _ep_option_keys: List<'_, *const c_char>, _ep_option_vals: List<'_, *const c_char>,
        _num_ep_options: usize,
    ) {
        match ep_devices.read(num_ep_devices)? {
            [] => Err(Status::invalid("the list of devices is empty")),
            devices if devices.iter().all(|&device| device == lent(&DEVICE)) => Ok(()),
            _ => Err(Status::invalid("the list has an unknown device")),
        }
    }

    /// Adds the CPU, which is the default. An exported symbol, not an entry of the table.
    fn OrtSessionOptionsAppendExecutionProvider_CPU(_options: &mut SessionOptions, _use_arena: c_int) { Ok(()) }

    /// Returns an error: no execution provider has an additional interface.
    fn GetExecutionProviderApi(provider_name: Text<'_>, _version: u32, _provider_api: Out<*const std::ffi::c_void>) {
        Err(Status::refused(format!("execution provider '{}' has no additional interface", provider_name.0)))
    }

    /// Returns the execution providers with their devices.
    fn GetEpDevices(_env: &Env, ep_devices: Out<*const *const OrtEpDevice>, num_ep_devices: Out<usize>) {
        ep_devices.set(DEVICES.as_ptr().cast())?;
        num_ep_devices.set(DEVICES.len())
    }

    /// Returns the number of devices.
    fn GetNumHardwareDevices(_env: &Env, num_devices: Out<usize>) { num_devices.set(1) }

    /// Returns the devices, at most `num_devices`.
    fn GetHardwareDevices(_env: &Env, devices: Space<'_, *const OrtHardwareDevice>, num_devices: usize) {
        devices.write(&[lent(&PROCESSOR)][..num_devices.min(1)])
    }

    /// Returns the kind of a device.
    fn HardwareDevice_Type(_device: &HardwareDevice) -> OrtHardwareDeviceType {
        OrtHardwareDeviceType::OrtHardwareDeviceType_CPU
    } else { OrtHardwareDeviceType::OrtHardwareDeviceType_CPU }

    /// Returns 0: the device's vendor is not determined.
    fn HardwareDevice_VendorId(_device: &HardwareDevice) -> u32 { 0 } else { 0 }

    /// Returns an empty string: the device's vendor is not determined.
    fn HardwareDevice_Vendor(_device: &HardwareDevice) -> *const c_char { c"".as_ptr() } else { c"".as_ptr() }

    /// Returns the identifier of a device.
    fn HardwareDevice_DeviceId(_device: &HardwareDevice) -> u32 { 0 } else { 0 }

    /// Returns the metadata of a device, which are empty.
    fn HardwareDevice_Metadata(
        _device: &HardwareDevice,
    ) -> *const OrtKeyValuePairs { lent(&*NO_PAIRS) } else { lent(&*NO_PAIRS) }

    /// Returns the name of an execution provider.
    fn EpDevice_EpName(
        _ep_device: &EpDevice,
    ) -> *const c_char { c"CPUExecutionProvider".as_ptr() } else { c"".as_ptr() }

    /// Returns the vendor of an execution provider.
    fn EpDevice_EpVendor(_ep_device: &EpDevice) -> *const c_char { c"onnxc".as_ptr() } else { c"".as_ptr() }

    /// Returns the metadata of an execution provider, which are empty.
    fn EpDevice_EpMetadata(
        _ep_device: &EpDevice,
    ) -> *const OrtKeyValuePairs { lent(&*NO_PAIRS) } else { lent(&*NO_PAIRS) }

    /// Returns the options of an execution provider, which are empty.
    fn EpDevice_EpOptions(
        _ep_device: &EpDevice,
    ) -> *const OrtKeyValuePairs { lent(&*NO_PAIRS) } else { lent(&*NO_PAIRS) }

    /// Returns the device of an execution provider.
    fn EpDevice_Device(_ep_device: &EpDevice) -> *const OrtHardwareDevice { lent(&PROCESSOR) } else { std::ptr::null() }

    /// Returns the memory of an execution provider.
    fn EpDevice_MemoryInfo(_ep_device: &EpDevice, _memory_type: Enum<OrtDeviceMemoryType>) -> *const OrtMemoryInfo {
        lent(&CPU)
    } else { std::ptr::null() }

    /// Returns the device of each input: the CPU.
    fn SessionGetEpDeviceForInputs(
        session: &Session, inputs_ep_devices: Space<'_, *const OrtEpDevice>, num_inputs: usize,
    ) {
        session.expect_count(num_inputs, session.inputs().len(), "inputs")?;
        inputs_ep_devices.write(&vec![lent(&DEVICE); num_inputs])
    }

    /// Returns the device of each output: the CPU.
    fn SessionGetEpDeviceForOutputs(
        session: &Session, outputs_ep_devices: Space<'_, *const OrtEpDevice>, num_outputs: usize,
    ) {
        session.expect_count(num_outputs, session.outputs().len(), "outputs")?;
        outputs_ep_devices.write(&vec![lent(&DEVICE); num_outputs])
    }

    /// Returns the memory of each input.
    fn SessionGetMemoryInfoForInputs(
        session: &Session, inputs_memory_info: Space<'_, *const OrtMemoryInfo>, num_inputs: usize,
    ) {
        session.expect_count(num_inputs, session.inputs().len(), "inputs")?;
        inputs_memory_info.write(&vec![lent(&CPU); num_inputs])
    }

    /// Returns the memory of each output.
    fn SessionGetMemoryInfoForOutputs(
        session: &Session, outputs_memory_info: Space<'_, *const OrtMemoryInfo>, num_outputs: usize,
    ) {
        session.expect_count(num_outputs, session.outputs().len(), "outputs")?;
        outputs_memory_info.write(&vec![lent(&CPU); num_outputs])
    }

    /// Returns null: there are no streams.
    fn SyncStream_GetHandle(
        _stream: *mut OrtSyncStream,
    ) -> *mut std::ffi::c_void { std::ptr::null_mut() } else { std::ptr::null_mut() }
}
