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

/// The interpreter finds what code generators get wrong, and no program contains it.
#[test]
fn interpreter_and_programs_do_not_know_each_other() {
    let direct = dependencies();
    let uses: Vec<_> = direct.keys().filter(|name| reached(name, &direct).contains("interpreter")).collect();
    assert!(uses.is_empty(), "{uses:?} depend on the interpreter");
    let reached = reached("interpreter", &direct);
    let generators: Vec<_> = reached.iter().filter(|name| name.starts_with("codegen")).collect();
    assert!(generators.is_empty(), "the interpreter depends on {generators:?}");
}

/// The files of a folder that each of its files imports, by the names of their modules.
fn imports(folder: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let entries = std::fs::read_dir(folder).expect("the sources are there").map(|entry| entry.expect("is read").path());
    let files: Vec<_> = entries.filter(|path| path.extension().is_some_and(|extension| extension == "rs")).collect();
    let name = |path: &Path| path.file_stem().expect("a file has a name").to_string_lossy().into_owned();
    let names: BTreeSet<String> = files.iter().map(|path| name(path)).collect();
    let of = |path: &Path| -> BTreeSet<String> {
        let text = std::fs::read_to_string(path).expect("sources are text");
        let imported = text.split("crate::").skip(1);
        let module = |rest: &str| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().map(str::to_string);
        imported.filter_map(module).filter(|module| names.contains(module)).collect()
    };
    files.iter().map(|path| (name(path), of(path))).collect()
}

#[test]
fn files_of_the_driver_import_in_one_direction() {
    let direct = imports(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../compiler/driver/src"));
    assert!(direct.len() > 15, "the sources are not where they were");
    let circles: Vec<&String> = direct.keys().filter(|name| reached(name, &direct).contains(name.as_str())).collect();
    assert!(circles.is_empty(), "files that import themselves, through others: {circles:?}");
}
