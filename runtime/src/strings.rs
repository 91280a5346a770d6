//! The strings of a run: an element of a string tensor is an index into this table. Equal strings have equal indices,
//! so that moving and comparing them needs no special code.
//!
//! Index 0 is the empty string; then come the strings of the model, in the order in which the compiler numbered them.
//! Strings that a run adds are removed at its end.

use std::collections::HashMap;
use std::sync::Arc;

/// Strings by index, and indices by string.
#[derive(Debug)]
pub struct StringTable {
    texts: Vec<Arc<str>>,
    numbers: HashMap<Arc<str>, i64>,
    /// The number of strings that stay from run to run.
    fixed: usize,
}

impl StringTable {
    /// A table of the strings of a model, and the empty string.
    pub fn new(texts: &[String]) -> StringTable {
        let mut table = StringTable { texts: vec![], numbers: HashMap::new(), fixed: 0 };
        table.number("");
        for text in texts {
            table.number(text);
        }
        table.fixed = table.texts.len();
        table
    }

    /// The index of a string, which is added if it is new.
    pub fn number(&mut self, text: &str) -> i64 {
        if let Some(&number) = self.numbers.get(text) {
            return number;
        }
        let (number, text) = (self.texts.len() as i64, Arc::<str>::from(text));
        self.texts.push(text.clone());
        self.numbers.insert(text, number);
        number
    }

    /// The string of an index; empty for an invalid one.
    pub fn text(&self, number: i64) -> Arc<str> {
        let text = usize::try_from(number).ok().and_then(|number| self.texts.get(number));
        text.or(self.texts.first()).cloned().unwrap_or_default()
    }

    /// Removes the strings that a run has added.
    pub(crate) fn end_run(&mut self) {
        for text in self.texts.drain(self.fixed..) {
            self.numbers.remove(&text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_leaves_the_models_strings() {
        let mut table = StringTable::new(&["a".into(), "b".into()]);
        assert_eq!([table.number(""), table.number("b"), table.number("c"), table.number("c")], [0, 2, 3, 3]);
        assert_eq!((&*table.text(3), &*table.text(-1), &*table.text(99)), ("c", "", ""));
        table.end_run();
        assert_eq!((table.number("d"), table.number("a")), (3, 1));
    }
}
