//! How much memory the process may take.
//!
//! Code that allocates memory whose size comes from a model or an input file asks here first ([`ask`]), because Linux
//! overcommits memory and kills a process that uses more than there is. The limit is the smallest of what the machine
//! has free, what the control groups of the process leave (versions 1 and 2), and what `RLIMIT_AS` and `RLIMIT_DATA`
//! leave.
//!
//! Invariants
//! - A request that is granted may still fail: other processes allocate memory, too. The limit is an upper bound, not a
//!   reservation.
//! - Small requests are granted without a query of the system, which takes about ten microseconds, up to [`UNSEEN`]
//!   bytes in all between two queries.

#![allow(unsafe_code, reason = "resource limits are asked of the system")]

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Bytes that are granted between two queries of the system.
pub const UNSEEN: u64 = 64 << 20;
/// Bytes reserved for the rest of the process.
const RESERVE: u64 = 8 << 20;

/// A request that exceeds the available memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shortage {
    /// The requested bytes.
    pub wanted: u64,
    /// Bytes that the process may still allocate; `None` if the system refused without a known limit.
    pub available: Option<u64>,
}

impl fmt::Display for Shortage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of memory are needed", Size(self.wanted))?;
        match self.available {
            Some(available) => write!(f, ", this process may take {} more", Size(available)),
            None => write!(f, ", the system refuses them"),
        }
    }
}

impl std::error::Error for Shortage {}

/// A number of bytes, printed in the largest unit of which it has at least one.
struct Size(u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(&str, f64); 5] = [("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)];
        let bytes = self.0 as f64;
        match UNITS.iter().find(|(_, unit)| bytes >= *unit) {
            Some((name, unit)) => write!(f, "{:.1} {name}", bytes / unit),
            None => write!(f, "{} bytes", self.0),
        }
    }
}

/// Grants `bytes` more bytes, or reports how many are available.
pub fn ask(bytes: u64) -> Result<(), Shortage> {
    static GRANTED: AtomicU64 = AtomicU64::new(0);
    if GRANTED.fetch_add(bytes.min(UNSEEN), Ordering::Relaxed).saturating_add(bytes) < UNSEEN {
        return Ok(());
    }
    GRANTED.store(0, Ordering::Relaxed);
    let available = available().map(|available| available.saturating_sub(RESERVE));
    match available.is_none_or(|available| bytes <= available) {
        true => Ok(()),
        false => Err(Shortage { wanted: bytes, available }),
    }
}

/// [`ask`] for `count` elements of `width` bytes.
pub fn ask_for(count: usize, width: usize) -> Result<(), Shortage> {
    ask((count as u64).saturating_mul(width as u64))
}

/// Unwinds with the shortage, for code that has no other way to fail; [`catch`] returns it.
pub fn give_up(shortage: Shortage) -> ! {
    resume_unwind(Box::new(shortage))
}

/// The shortage in a panic's payload, if it has one.
pub fn of_panic(payload: &(dyn std::any::Any + Send)) -> Option<Shortage> {
    payload.downcast_ref().copied()
}

/// Runs code that may [`give_up`]. Other panics propagate.
pub fn catch<T>(work: impl FnOnce() -> T) -> Result<T, Shortage> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|payload| match of_panic(&*payload) {
        Some(shortage) => shortage,
        None => resume_unwind(payload),
    })
}

/// Bytes that the process may still allocate; `None` if no limit is known.
pub fn available() -> Option<u64> {
    [machine(), groups(), resource(libc::RLIMIT_AS, 0), resource(libc::RLIMIT_DATA, 5)].into_iter().flatten().min()
}

/// The memory that the machine has available without swapping.
fn machine() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let kilobytes = |name: &str| {
        let line = text.lines().find_map(|line| line.strip_prefix(name))?;
        line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
    };
    Some((kilobytes("MemAvailable:")? + kilobytes("SwapFree:").unwrap_or(0)) * 1024)
}

/// The type of the names of limits.
#[cfg(target_env = "gnu")]
type Resource = libc::__rlimit_resource_t;
#[cfg(not(target_env = "gnu"))]
type Resource = libc::c_int;

/// What a resource limit leaves; `field` is that of `/proc/self/statm`, in pages, that counts towards it.
#[cfg(target_os = "linux")]
fn resource(limit: Resource, field: usize) -> Option<u64> {
    let mut value = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
    // SAFETY: fills the struct in.
    if unsafe { libc::getrlimit(limit, &raw mut value) } != 0 || value.rlim_cur == libc::RLIM_INFINITY {
        return None;
    }
    // SAFETY: reads a constant of the system.
    let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) }.max(1) as u64;
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let taken: u64 = text.split_whitespace().nth(field)?.parse().ok()?;
    Some(value.rlim_cur.saturating_sub(taken * page))
}

#[cfg(not(target_os = "linux"))]
fn resource(_limit: libc::c_int, _field: usize) -> Option<u64> {
    None
}

/// The files of one version of control groups.
struct Hierarchy {
    root: &'static str,
    limit: &'static str,
    usage: &'static str,
    /// The name in `memory.stat` of the reclaimable file cache.
    cache: &'static str,
}

const VERSION_1: Hierarchy = Hierarchy {
    root: "/sys/fs/cgroup/memory",
    limit: "memory.limit_in_bytes",
    usage: "memory.usage_in_bytes",
    cache: "total_inactive_file ",
};
const VERSION_2: Hierarchy =
    Hierarchy { root: "/sys/fs/cgroup", limit: "memory.max", usage: "memory.current", cache: "inactive_file " };

impl Hierarchy {
    /// What the limit of one group leaves; `None` if it has no limit.
    fn left(&self, folder: &Path) -> Option<u64> {
        let number = |file: &str| std::fs::read_to_string(folder.join(file)).ok()?.trim().parse::<u64>().ok();
        let limit = number(self.limit)?;
        let stat = std::fs::read_to_string(folder.join("memory.stat")).unwrap_or_default();
        let cache = stat.lines().find_map(|line| line.strip_prefix(self.cache)?.trim().parse::<u64>().ok());
        Some(limit.saturating_sub(number(self.usage)?.saturating_sub(cache.unwrap_or(0))))
    }
}

/// The groups with a limit that contain the process. A process stays in its groups.
fn limited() -> &'static [(&'static Hierarchy, PathBuf)] {
    static LIMITED: OnceLock<Vec<(&Hierarchy, PathBuf)>> = OnceLock::new();
    LIMITED.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        groups_of(&text).into_iter().filter(|(version, folder)| version.left(folder).is_some()).collect()
    })
}

/// The folders of all groups that `/proc/self/cgroup` names, and of their ancestors.
fn groups_of(text: &str) -> Vec<(&'static Hierarchy, PathBuf)> {
    let mut folders = Vec::new();
    for line in text.lines() {
        let mut fields = line.splitn(3, ':');
        let (Some(_), Some(controllers), Some(path)) = (fields.next(), fields.next(), fields.next()) else { continue };
        let version = match controllers {
            "" => &VERSION_2,
            list if list.split(',').any(|controller| controller == "memory") => &VERSION_1,
            _ => continue,
        };
        // a container may see its own group as the root, and not the path that leads to it
        let path = path.trim_start_matches('/');
        folders.extend(Path::new(path).ancestors().map(|group| (version, Path::new(version.root).join(group))));
    }
    folders
}

fn groups() -> Option<u64> {
    limited().iter().filter_map(|(version, folder)| version.left(folder)).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn little_is_granted_and_too_much_is_not() {
        assert_eq!(ask(1000), Ok(()));
        assert!(ask(1 << 50).is_err());
        assert!(ask_for(usize::MAX, usize::MAX).is_err());
    }

    #[test]
    fn a_shortage_is_caught_where_somebody_waits_for_it() {
        let shortage = Shortage { wanted: 360_000_000_000, available: Some(7_500_000_000) };
        assert_eq!(catch(|| give_up(shortage)), Err::<(), _>(shortage));
        assert_eq!(shortage.to_string(), "360.0 GB of memory are needed, this process may take 7.5 GB more");
    }

    #[test]
    fn groups_are_looked_at_up_to_the_root() {
        let folders = |text: &str| -> Vec<String> {
            groups_of(text).into_iter().map(|(_, folder)| folder.display().to_string()).collect()
        };
        assert_eq!(folders("0::/a/b\n"), ["/sys/fs/cgroup/a/b", "/sys/fs/cgroup/a", "/sys/fs/cgroup/"]);
        assert_eq!(
            folders("5:devices:/x\n4:cpu,memory:/docker/1\n"),
            ["/sys/fs/cgroup/memory/docker/1", "/sys/fs/cgroup/memory/docker", "/sys/fs/cgroup/memory/"]
        );
    }
}
