//! Memory information and allocators.
//!
//! Contract: an allocator from C has the functions that the header requires, and outlives its allocations.

#![allow(unsafe_code, reason = "allocators are functions of C")]

use std::borrow::Cow;
use std::ffi::{CStr, CString, c_char, c_int, c_void};

use ort_sys::{
    OrtAllocator, OrtAllocatorType, OrtArenaCfg, OrtDeviceMemoryType, OrtErrorCode, OrtKeyValuePairs, OrtMemType,
    OrtMemoryInfo, OrtMemoryInfoDeviceType, OrtStatusPtr, OrtSyncStream,
};

use crate::env::Env;
use crate::kernel_context::KernelContext;
use crate::kernel_info::KernelInfo;
use crate::pairs::KeyValuePairs;
use crate::raw::{Argument, Enum, List, Out, Released, Shared, Text, answer, lent};
use crate::session::Session;
use crate::status::{Result, Status, c_text};

/// The device of memory, and the kind of its allocator.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct MemoryInfo {
    name: Cow<'static, CStr>,
    device: OrtMemoryInfoDeviceType,
    allocator: OrtAllocatorType,
    id: c_int,
    kind: OrtMemType,
    device_memory: OrtDeviceMemoryType,
    vendor: u32,
}

handles! { MemoryInfo => OrtMemoryInfo }

/// Memory of the default allocator.
pub(crate) static CPU: MemoryInfo = MemoryInfo {
    name: Cow::Borrowed(c"Cpu"),
    device: OrtMemoryInfoDeviceType::OrtMemoryInfoDeviceType_CPU,
    allocator: OrtAllocatorType::OrtDeviceAllocator,
    id: 0,
    kind: OrtMemType::OrtMemTypeDefault,
    device_memory: OrtDeviceMemoryType::OrtDeviceMemoryType_DEFAULT,
    vendor: 0,
};

impl MemoryInfo {
    fn of_cpu(allocator: &Enum<OrtAllocatorType>, id: c_int, kind: &Enum<OrtMemType>) -> Result<MemoryInfo> {
        Ok(MemoryInfo { allocator: allocator_type(allocator.0)?, id, kind: memory_type(kind.0)?, ..CPU.clone() })
    }

    /// Memory of a device by its name. Tensors are in memory of the CPU only, but programs create descriptions of other devices.
    fn named(self, name: &str) -> MemoryInfo {
        match name {
            "Cpu" | "CPU" => self,
            other => MemoryInfo {
                name: Cow::Owned(c_text(other)),
                device: OrtMemoryInfoDeviceType::OrtMemoryInfoDeviceType_GPU,
                ..self
            },
        }
    }

    /// Returns an error for memory of other devices.
    pub(crate) fn expect_cpu(&self) -> Result<()> {
        match self.device {
            OrtMemoryInfoDeviceType::OrtMemoryInfoDeviceType_CPU => Ok(()),
            _ => Err(Status::invalid(format!("tensors must be in memory of the device 'Cpu', found {:?}", self.name))),
        }
    }
}

fn device_type(number: c_int) -> Result<OrtMemoryInfoDeviceType> {
    use OrtMemoryInfoDeviceType as Device;
    [
        Device::OrtMemoryInfoDeviceType_CPU,
        Device::OrtMemoryInfoDeviceType_GPU,
        Device::OrtMemoryInfoDeviceType_FPGA,
        Device::OrtMemoryInfoDeviceType_NPU,
    ]
    .into_iter()
    .find(|&known| known as c_int == number)
    .ok_or_else(|| Status::invalid(format!("{number} is not an OrtMemoryInfoDeviceType")))
}

fn allocator_type(number: c_int) -> Result<OrtAllocatorType> {
    use OrtAllocatorType::{OrtArenaAllocator, OrtDeviceAllocator, OrtInvalidAllocator, OrtReadOnlyAllocator};
    [OrtInvalidAllocator, OrtDeviceAllocator, OrtArenaAllocator, OrtReadOnlyAllocator]
        .into_iter()
        .find(|&known| known as c_int == number)
        .ok_or_else(|| Status::invalid(format!("{number} is not an OrtAllocatorType")))
}

fn memory_type(number: c_int) -> Result<OrtMemType> {
    use OrtMemType::{OrtMemTypeCPUInput, OrtMemTypeCPUOutput, OrtMemTypeDefault};
    [OrtMemTypeCPUInput, OrtMemTypeCPUOutput, OrtMemTypeDefault]
        .into_iter()
        .find(|&known| known as c_int == number)
        .ok_or_else(|| Status::invalid(format!("{number} is not an OrtMemType")))
}

/// Alignment of allocations by the default allocator.
const ALIGNMENT: usize = 64;

/// The default allocator. Its memory may also be freed by `free`.
pub(crate) static DEFAULT: OrtAllocator = OrtAllocator {
    version: ort_sys::ORT_API_VERSION,
    Alloc: Some(allocate),
    Free: Some(free),
    Info: Some(info),
    Reserve: Some(reserve),
    GetStats: Some(statistics),
    AllocOnStream: Some(allocate_on_stream),
    Shrink: Some(shrink),
};

unsafe extern "system" fn allocate(_: *mut OrtAllocator, size: usize) -> *mut c_void {
    let mut address = std::ptr::null_mut();
    // SAFETY: the alignment is a power of two and a multiple of a pointer's size.
    let failure = unsafe { libc::posix_memalign(&raw mut address, ALIGNMENT, size.max(1)) };
    if failure == 0 { address } else { std::ptr::null_mut() }
}

unsafe extern "system" fn free(_: *mut OrtAllocator, address: *mut c_void) {
    // SAFETY: the contract at the head.
    unsafe { libc::free(address) }
}

unsafe extern "system" fn info(_: *const OrtAllocator) -> *const OrtMemoryInfo {
    lent(&CPU)
}

unsafe extern "system" fn reserve(_: *const OrtAllocator, size: usize) -> *mut c_void {
    // SAFETY: the allocator is not looked at.
    unsafe { allocate(std::ptr::null_mut(), size) }
}

unsafe extern "system" fn statistics(_: *const OrtAllocator, out: *mut *mut OrtKeyValuePairs) -> OrtStatusPtr {
    answer("GetStats", || {
        // SAFETY: the contract of `raw`.
        let out = unsafe { Out::receive(out, "GetStats: out") }?;
        out.give(KeyValuePairs::default())
    })
}

unsafe extern "system" fn allocate_on_stream(_: *mut OrtAllocator, size: usize, _: *mut OrtSyncStream) -> *mut c_void {
    // SAFETY: the allocator is not looked at.
    unsafe { allocate(std::ptr::null_mut(), size) }
}

unsafe extern "system" fn shrink(_: *mut OrtAllocator) -> OrtStatusPtr {
    OrtStatusPtr::default()
}

/// An allocator of the caller, or the default allocator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allocator(*mut OrtAllocator);

// SAFETY: the header demands of allocators that threads use them at the same time.
unsafe impl Send for Allocator {}
// SAFETY: as above.
unsafe impl Sync for Allocator {}

impl Argument for Allocator {
    type Raw = *mut OrtAllocator;
    type Received = *mut OrtAllocator;

    unsafe fn receive(received: *mut OrtAllocator, place: &'static str) -> Result<Self> {
        if received.is_null() { Err(Status::invalid(format!("{place} is null"))) } else { Ok(Allocator(received)) }
    }
}

/// An allocator that is passed as a pointer to const.
pub(crate) struct ConstAllocator(Allocator);

impl Argument for ConstAllocator {
    type Raw = *const OrtAllocator;
    type Received = *const OrtAllocator;

    unsafe fn receive(received: *const OrtAllocator, place: &'static str) -> Result<Self> {
        // SAFETY: as for what C may change.
        unsafe { Allocator::receive(received.cast_mut(), place) }.map(ConstAllocator)
    }
}

impl Allocator {
    /// The default allocator.
    pub(crate) fn default() -> Allocator {
        Allocator((&raw const DEFAULT).cast_mut())
    }

    /// Allocates memory.
    pub(crate) fn allocate(self, size: usize) -> Result<*mut c_void> {
        // SAFETY: the contract at the head.
        let address = unsafe { (*self.0).Alloc }.map(|allocate| unsafe { allocate(self.0, size) });
        address.filter(|address| !address.is_null() || size == 0).ok_or_else(|| {
            Status::new(OrtErrorCode::ORT_RUNTIME_EXCEPTION, format!("the allocator has no memory for {size} bytes"))
        })
    }

    /// Frees memory.
    pub(crate) fn free(self, address: *mut c_void) {
        // SAFETY: the contract at the head.
        if let Some(free) = unsafe { (*self.0).Free } {
            // SAFETY: as above.
            unsafe { free(self.0, address) };
        }
    }

    /// Describes its memory.
    fn info(self) -> *const OrtMemoryInfo {
        // SAFETY: the contract at the head.
        unsafe { (*self.0).Info }.map_or(lent(&CPU), |info| unsafe { info(self.0) })
    }

    /// Allocates a copy of values.
    pub(crate) fn copy<T: Copy>(self, values: &[T]) -> Result<*mut T> {
        let address = self.allocate(size_of_val(values))?.cast::<T>();
        // SAFETY: the memory is new and large enough; allocators align for every type.
        unsafe { std::ptr::copy_nonoverlapping(values.as_ptr(), address, values.len()) };
        Ok(address)
    }

    /// Allocates a copy of a string with a terminator.
    pub(crate) fn copy_text(self, text: &str) -> Result<*mut c_char> {
        let text: CString = c_text(text);
        self.copy(text.as_bytes_with_nul()).map(<*mut u8>::cast)
    }
}

entries! {
    /// Describes memory of a device by its name.
    fn CreateMemoryInfo(
        name: Text<'_>, type_: Enum<OrtAllocatorType>, id: c_int, mem_type: Enum<OrtMemType>, out: Out<*mut
        OrtMemoryInfo>,
    ) {
        out.give(MemoryInfo::of_cpu(&type_, id, &mem_type)?.named(name.0))
    }

    /// Describes memory of a device by its name and kind.
    fn CreateMemoryInfo_V2(
        name: Text<'_>, device_type: Enum<OrtMemoryInfoDeviceType>, vendor_id: u32, device_id: c_int, mem_type:
        Enum<OrtDeviceMemoryType>, _alignment: usize, allocator_type: Enum<OrtAllocatorType>, out: Out<*mut
        OrtMemoryInfo>,
    ) {
        let device_memory = match mem_type.0 {
            0 => OrtDeviceMemoryType::OrtDeviceMemoryType_DEFAULT,
            _ => OrtDeviceMemoryType::OrtDeviceMemoryType_HOST_ACCESSIBLE,
        };
        out.give(MemoryInfo {
            name: Cow::Owned(c_text(name.0)),
            device: self::device_type(device_type.0)?,
            allocator: self::allocator_type(allocator_type.0)?,
            id: device_id,
            device_memory,
            vendor: vendor_id,
            ..CPU.clone()
        })
    }

    /// Describes memory of the CPU.
    fn CreateCpuMemoryInfo(type_: Enum<OrtAllocatorType>, mem_type: Enum<OrtMemType>, out: Out<*mut OrtMemoryInfo>) {
        out.give(MemoryInfo::of_cpu(&type_, 0, &mem_type)?)
    }

    /// Returns 0 if two descriptions are equal, otherwise -1.
    fn CompareMemoryInfo(info1: &MemoryInfo, info2: &MemoryInfo, out: Out<c_int>) {
        out.set(if info1 == info2 { 0 } else { -1 })
    }

    /// Returns the name of the device.
    fn MemoryInfoGetName(ptr: &MemoryInfo, out: Out<*const c_char>) { out.set(ptr.name.as_ptr()) }

    /// Returns the identifier of the device.
    fn MemoryInfoGetId(ptr: &MemoryInfo, out: Out<c_int>) { out.set(ptr.id) }

    /// Returns the kind of memory.
    fn MemoryInfoGetMemType(ptr: &MemoryInfo, out: Out<OrtMemType>) { out.set(ptr.kind) }

    /// Returns the kind of allocator.
    fn MemoryInfoGetType(ptr: &MemoryInfo, out: Out<OrtAllocatorType>) { out.set(ptr.allocator) }

    /// Returns the kind of device.
    fn MemoryInfoGetDeviceType(ptr: &MemoryInfo, out: Out<OrtMemoryInfoDeviceType>) -> () {
        let _ = out.set(ptr.device);
    } else {}

    /// Returns whether the memory is accessible to the host.
    fn MemoryInfoGetDeviceMemType(
        ptr: &MemoryInfo,
    ) -> OrtDeviceMemoryType { ptr.device_memory } else { CPU.device_memory }

    /// Returns the identifier of the device's vendor.
    fn MemoryInfoGetVendorId(ptr: &MemoryInfo) -> u32 { ptr.vendor } else { 0 }

    /// Releases a description.
    fn ReleaseMemoryInfo(_input: Released<MemoryInfo>) -> () {} else {}

    /// Allocates memory.
    fn AllocatorAlloc(
        ort_allocator: Allocator, size: usize, out: Out<*mut c_void>,
    ) { out.set(ort_allocator.allocate(size)?) }

    /// Frees memory.
    fn AllocatorFree(ort_allocator: Allocator, p: *mut c_void) {
        ort_allocator.free(p);
        Ok(())
    }

    /// Describes the memory of an allocator.
    fn AllocatorGetInfo(
        ort_allocator: ConstAllocator, out: Out<*const OrtMemoryInfo>,
    ) { out.set(ort_allocator.0.info()) }

    /// Returns an empty list: allocators keep no statistics.
    fn AllocatorGetStats(
        _ort_allocator: ConstAllocator, out: Out<*mut OrtKeyValuePairs>,
    ) { out.give(KeyValuePairs::default()) }

    /// Returns the default allocator.
    fn GetAllocatorWithDefaultOptions(out: Out<*mut OrtAllocator>) { out.set(Allocator::default().0) }

    /// Returns the default allocator.
    fn CreateAllocator(_session: &Session, mem_info: &MemoryInfo, out: Out<*mut OrtAllocator>) {
        mem_info.expect_cpu()?;
        out.set(Allocator::default().0)
    }

    /// Returns the default allocator, for kernels of custom operators.
    fn KernelContext_GetAllocator(_context: &KernelContext, mem_info: &MemoryInfo, out: Out<*mut OrtAllocator>) {
        mem_info.expect_cpu()?;
        out.set(Allocator::default().0)
    }

    /// Returns the default allocator, for kernels of custom operators.
    fn KernelInfoGetAllocator(_info: &KernelInfo, _mem_type: Enum<OrtMemType>, out: Out<*mut OrtAllocator>) {
        out.set(Allocator::default().0)
    }

    /// Does nothing: the default allocator is static.
    fn ReleaseAllocator(_input: Allocator) -> () {} else {}

    /// Returns the default allocator.
    fn GetSharedAllocator(_env: Shared<'_, Env>, mem_info: &MemoryInfo, allocator: Out<*mut OrtAllocator>) {
        mem_info.expect_cpu()?;
        allocator.set(Allocator::default().0)
    }

    /// Creates options of an arena, which have no effect.
    fn CreateArenaCfg(
        _max_mem: usize, _arena_extend_strategy: c_int, _initial_chunk_size_bytes: c_int, _max_dead_bytes_per_chunk:
        c_int, out: Out<*mut OrtArenaCfg>,
    ) {
        out.give(ArenaOptions)
    }

    /// Creates options of an arena by name, which have no effect.
    fn CreateArenaCfgV2(
        _arena_config_keys: List<'_, *const c_char>, _arena_config_values: List<'_, usize>, _num_keys: usize, out:
        Out<*mut OrtArenaCfg>,
    ) {
        out.give(ArenaOptions)
    }

    /// Releases options of an arena.
    fn ReleaseArenaCfg(_input: Released<ArenaOptions>) -> () {} else {}
}

/// Options of an arena, which have no effect: a session keeps an arena between runs.
pub(crate) struct ArenaOptions;

handles! { ArenaOptions => OrtArenaCfg }
