//! The size of the pages that this process gets its memory in.
//!
//! What a compilation makes is small and scattered, so that most of a large page would be there for nothing. Weights that are
//! prepared fill large ones, which the processor finds faster.

use driver::{Observer, Stage};

/// New memory comes in small pages.
pub(crate) fn small() {
    only_small(true);
}

/// New memory may come in large pages, as the system is set up.
fn large() {
    only_small(false);
}

/// Lets large pages in when the compilation comes to the weights; tells another observer of all stages.
pub(crate) fn observer(other: Option<Observer>) -> Observer {
    Observer::new(move |stage| {
        if stage == Stage::Initialize {
            large();
        }
        other.iter().for_each(|other| other.tell(stage));
    })
}

fn only_small(only: bool) {
    #[cfg(target_os = "linux")]
    // a system that has no large pages does not need to be told
    let _ = rustix::thread::disable_transparent_huge_pages(only);
}
