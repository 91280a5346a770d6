//! What crates may depend on.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use toml::Table;

/// The crates of the workspace that each of its crates depends on, by the names that code imports.
fn dependencies() -> BTreeMap<String, BTreeSet<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let manifest = |folder: &Path| -> Table {
        let text = std::fs::read_to_string(folder.join("Cargo.toml")).expect("each member has a manifest");
        text.parse().expect("manifests are TOML")
    };
    let workspace = manifest(&root);
    let shared = workspace["workspace"]["dependencies"].as_table().expect("dependencies are shared");
    let own = shared.iter().filter_map(|(name, row)| Some((name.clone(), row.get("path")?.as_str()?.to_string())));
    let own: BTreeMap<String, String> = own.collect();
    let of = |path: &String| -> BTreeSet<String> {
        let manifest = manifest(&root.join(path));
        let table = manifest.get("dependencies").and_then(|table| table.as_table().cloned()).unwrap_or_default();
        table.keys().filter(|name| own.contains_key(*name)).cloned().collect()
    };
    own.iter().map(|(name, path)| (name.clone(), of(path))).collect()
}

/// Everything that a crate depends on, directly or not.
fn reached<'d>(from: &'d str, direct: &'d BTreeMap<String, BTreeSet<String>>) -> BTreeSet<&'d str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(name) = open.pop() {
        open.extend(direct[name].iter().map(String::as_str).filter(|name| reached.insert(*name)));
    }
    reached
}

#[test]
fn data_starts_no_threads() {
    let direct = dependencies();
    assert!(direct.len() > 15, "the workspace's crates are not where they were");
    for name in ["data", "ir", "proto", "dialects"] {
        let reached = reached(name, &direct);
        let threads: Vec<_> = ["crew", "placement", "runtime"].iter().filter(|own| reached.contains(*own)).collect();
        assert!(threads.is_empty(), "{name} depends on {threads:?}");
    }
    assert!(!reached("proto", &direct).contains("ir"), "proto depends on ir");
}
