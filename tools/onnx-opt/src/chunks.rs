//! `--split-input-file`.

/// The line between two inputs.
const SEPARATOR: &str = "// -----";

/// The inputs of one text, each preceded by empty lines that keep its line numbers.
pub(crate) fn split(text: &str) -> Vec<String> {
    let mut chunks = vec![String::new()];
    for (at, line) in text.split_inclusive('\n').enumerate() {
        if line.trim_end() == SEPARATOR {
            chunks.push("\n".repeat(at + 1));
        } else {
            chunks.last_mut().expect("there is one chunk from the start").push_str(line);
        }
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn keeps_line_numbers() {
        assert_eq!(split("a\n// -----\nb\n"), ["a\n", "\n\nb\n"]);
        assert_eq!(split("a\n// ----- b\n"), ["a\n// ----- b\n"]);
    }
}
