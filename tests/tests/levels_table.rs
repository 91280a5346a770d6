//! Compares the table of levels in ARCHITECTURE.md with `dialects::levels`.

use std::collections::BTreeSet;

use dialects::levels::Level;
use tests::conformance::repository;

/// The dialects that have legal operations at a level.
fn legal(level: Level) -> BTreeSet<&'static str> {
    let legality = level.legality();
    let of_operations = legality.operations.iter().filter_map(|name| name.split('.').next());
    legality.dialects.iter().copied().filter(|dialect| *dialect != "builtin").chain(of_operations).collect()
}

#[test]
fn the_documented_dialects_are_the_legal_ones() {
    let text = std::fs::read_to_string(repository().join("ARCHITECTURE.md")).expect("the file can be read");
    for level in Level::ALL {
        let row = text.lines().find(|line| line.starts_with(&format!("| {level} |")));
        let cell = row.and_then(|row| row.split('|').nth(2)).expect("the table has a row for each level");
        let documented: BTreeSet<&str> = cell.split('`').skip(1).step_by(2).collect();
        assert_eq!(documented, legal(level), "{level} level");
    }
}
