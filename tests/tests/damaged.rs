//! Damaged model files: the importer returns diagnostics, whatever the bytes are.

use std::panic::catch_unwind;

use tests::conformance::{cases, repository};

/// A linear congruential generator: the same damage every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    for _ in 0..=random.below(2) {
        let at = random.below(bytes.len());
        match random.below(12) {
            0 => bytes.truncate(at),
            1 => drop(bytes.drain(at..(at + random.below(8)).min(bytes.len()))),
            2 => bytes.insert(at, random.below(256) as u8),
            _ if bytes.is_empty() => {}
            _ => bytes[at] = random.below(128) as u8,
        }
    }
}

#[test]
fn no_damage_makes_the_importer_panic() {
    let folder = repository().join("target/conformance");
    let Ok(cases) = cases(&folder) else {
        tests::skip("the suite was not found; `python tests/conformance/fetch.py target/conformance` writes it");
        return;
    };
    let mut random = Random(1);
    for case in cases.iter().step_by(7) {
        let whole = std::fs::read(folder.join(&case.name).join("model.onnx")).expect("the suite is complete");
        for _ in 0..200 {
            let mut bytes = whole.clone();
            damage(&mut bytes, &mut random);
            let result = catch_unwind(|| import::import_bytes(&bytes, None, &import::Options::default()).map(drop));
            let file = repository().join("target/damaged.onnx");
            if let Err(_) | Ok(Err(_)) = &result {
                let internal = |d: &driver::Diagnostic| d.class == driver::ErrorClass::Internal;
                if !matches!(&result, Ok(Err(diagnostics)) if !diagnostics.iter().any(internal)) {
                    std::fs::write(&file, &bytes).expect("the target folder can be written");
                    panic!("{}: see {}", case.name, file.display());
                }
            }
        }
    }
}
