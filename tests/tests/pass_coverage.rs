//! Every pass occurs in a RUN line of a text test, directly or in a pipeline that contains it.

use tests::conformance::repository;

#[test]
fn every_pass_has_a_text_test() {
    let folder = repository().join("tests/passes");
    let files = std::fs::read_dir(folder).expect("the folder is there").flatten();
    let texts: Vec<String> = files.filter_map(|file| std::fs::read_to_string(file.path()).ok()).collect();
    let runs: Vec<&str> = texts.iter().flat_map(|text| text.lines()).filter(|line| line.contains("// RUN:")).collect();
    let registry = driver::passes::registry();
    let mut named: Vec<&str> = Vec::new();
    let is_run = |name: &str| runs.iter().any(|run| run.split(|c: char| !is_name(c)).any(|word| word == name));
    named.extend(registry.passes().map(|pass| pass.name()).filter(|name| is_run(name)));
    named.extend(registry.pipelines().filter(|p| is_run(p.name)).flat_map(|p| p.passes.iter().copied()));
    let missing: Vec<&str> = registry.passes().map(|pass| pass.name()).filter(|name| !named.contains(name)).collect();
    assert!(missing.is_empty(), "no text test runs {missing:?}");
}

fn is_name(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '-'
}
