//! The fuzz targets on their checked-in corpora, and on simple mutants of those: what guided fuzzing found stays fixed.

use std::panic::catch_unwind;
use std::path::PathBuf;

use tests::conformance::repository;

#[allow(unreachable_pub, reason = "the file is a library of another workspace")]
#[path = "../../fuzz/src/lib.rs"]
mod targets;

type Target = (&'static str, fn(&[u8]));

const TARGETS: [Target; 9] = [
    ("model", targets::model),
    ("text", targets::text),
    ("json", targets::json),
    ("mlir", targets::mlir),
    ("passes", targets::passes),
    ("arrays", targets::arrays),
    ("pictures", targets::pictures),
    ("entries", targets::entries),
    ("objects", targets::objects),
];

fn corpus(target: &str) -> Vec<(PathBuf, Vec<u8>)> {
    let folder = repository().join("fuzz/corpus").join(target);
    let files = folder.read_dir().unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
    let mut paths: Vec<PathBuf> = files.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.clone(), std::fs::read(path).expect("the corpus is readable"))).collect()
}

#[test]
fn each_input_of_the_corpora_ends_well() {
    for (name, target) in TARGETS {
        let corpus = corpus(name);
        assert!(!corpus.is_empty(), "{name} has no corpus");
        for (path, bytes) in corpus {
            assert!(catch_unwind(|| target(&bytes)).is_ok(), "{}", path.display());
        }
    }
}

#[test]
fn inputs_that_are_cut_short_or_changed_end_well() {
    for (name, target) in TARGETS {
        for (path, bytes) in corpus(name) {
            for at in (0..bytes.len()).step_by(bytes.len() / 8 + 1) {
                let mut changed = bytes.clone();
                changed[at] ^= 0x15;
                let ends = catch_unwind(|| (target(&bytes[..at]), target(&changed))).is_ok();
                assert!(ends, "{} at {at}", path.display());
            }
        }
    }
}
