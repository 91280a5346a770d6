//! Advice to the system about pages: huge pages for large buffers, and releasing the pages of constants.

#![allow(unsafe_code, reason = "advises the system about memory that generated code names")]

/// Advises the system that a constant is no longer needed, so that its pages need not stay in memory. The constant
/// must be in a mapped file: later reads load it from the file again.
///
/// # Safety
/// The bytes from `address` on are part of a file mapping that has not been written to.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn rt_discard(address: *mut u8, bytes: i64) {
    // on other machines unaligned constants are copies, which are not in a file
    #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64")))]
    {
        // SAFETY: reads a constant of the system.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(1) as usize;
        // SAFETY: pages of the constant, whose contents are also in the file.
        unsafe { advise(address, bytes.max(0) as usize, page, libc::MADV_DONTNEED) };
    }
    #[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64"))))]
    let _ = (address, bytes);
}

/// Advises the system about the pages that are entirely inside some memory. A refusal is ignored.
///
/// # Safety
/// The owners of these pages expect the effect of the advice.
#[cfg(target_os = "linux")]
unsafe fn advise(memory: *mut u8, bytes: usize, page: usize, advice: libc::c_int) {
    let (start, end) = (memory.addr().next_multiple_of(page), (memory.addr() + bytes) / page * page);
    if start < end {
        // SAFETY: promised by the caller; the range is inside the memory.
        unsafe { libc::madvise(memory.with_addr(start).cast(), end - start, advice) };
    }
}

/// Buffers of at least this size request transparent huge pages, which have fewer TLB misses and page faults.
const HUGE: i64 = 4 << 20;

/// Requests huge pages for memory of this process, if it is large.
pub(crate) fn prefer_huge(memory: *mut u8, bytes: i64) {
    #[cfg(target_os = "linux")]
    if bytes >= HUGE {
        const PAGE: usize = 2 << 20;
        // SAFETY: changes the page size of the memory, and not its contents.
        unsafe { advise(memory, bytes as usize, PAGE, libc::MADV_HUGEPAGE) };
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (memory, bytes);
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use std::os::fd::AsRawFd;

    use super::{prefer_huge, rt_discard};

    #[test]
    #[cfg_attr(miri, ignore = "it does not know `madvise`")]
    fn memory_keeps_its_bytes_in_huge_pages() {
        let mut memory = vec![7u8; 9 << 20];
        prefer_huge(memory.as_mut_ptr(), memory.len() as i64);
        prefer_huge(memory.as_mut_ptr(), 1000);
        assert!(memory.iter().all(|&byte| byte == 7));
    }

    #[test]
    #[cfg_attr(miri, ignore = "it maps no files")]
    fn discarded_pages_can_be_read_again() {
        let path = std::env::temp_dir().join(format!("runtime-pages-{}", std::process::id()));
        let bytes: Vec<u8> = (0..5 * 4096u32).map(|at| (at % 251) as u8).collect();
        std::fs::write(&path, &bytes).expect("the temporary folder takes a file");
        let file = std::fs::File::open(&path).expect("just written");
        // SAFETY: a private, read-only mapping of a file that this test owns.
        let map = unsafe {
            libc::mmap(std::ptr::null_mut(), bytes.len(), libc::PROT_READ, libc::MAP_PRIVATE, file.as_raw_fd(), 0)
        };
        assert_ne!(map, libc::MAP_FAILED);
        // SAFETY: within the mapping, which is never written.
        let seen = unsafe {
            rt_discard(map.cast::<u8>().add(100), bytes.len() as i64 - 200);
            std::slice::from_raw_parts(map.cast::<u8>(), bytes.len())
        };
        assert_eq!(seen, bytes);
        let _ = std::fs::remove_file(path);
    }
}
