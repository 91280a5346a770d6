//! A position in a text, and the tokens at it.

/// A syntax error, and its byte offset.
#[derive(Debug)]
pub(super) struct Problem {
    pub(super) at: usize,
    pub(super) message: String,
}

pub(super) type Parsed<T> = Result<T, Problem>;

/// A literal.
#[derive(Debug)]
pub(super) enum Literal {
    /// Digits, possibly with a minus sign.
    Whole(String),
    /// A number with a point or an exponent, an infinity, or NaN.
    Float(String),
    /// The contents of a quoted string.
    Text(String),
}

/// The maximum nesting of types and graphs: that of protobuf files.
const NESTING: usize = 100;

/// A position in a text. White space and comments, from `#` to the end of the line, are skipped before every token.
pub(super) struct Cursor<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str) -> Cursor<'t> {
        Cursor { text, at: 0, depth: 0 }
    }

    /// Line and column of a byte, from 1.
    pub(super) fn place(&self, at: usize) -> (usize, usize) {
        let before = &self.text[..at];
        let line_start = before.rfind('\n').map_or(0, |end| end + 1);
        (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
    }

    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Parsed<T> {
        Err(Problem { at: self.at, message: message.into() })
    }

    /// Parses a construct that may be nested.
    pub(super) fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == NESTING {
            return self.fail(format!("nested more than {NESTING} deep"));
        }
        self.depth += 1;
        let result = parse(self);
        self.depth -= 1;
        result
    }

    /// The text from the next token on.
    fn rest(&mut self) -> &'t str {
        loop {
            let rest = self.text[self.at..].trim_ascii_start();
            self.at = self.text.len() - rest.len();
            if !rest.starts_with('#') {
                return rest;
            }
            self.at += rest.find('\n').unwrap_or(rest.len());
        }
    }

    /// The offset of the next token.
    pub(super) fn next_word(&mut self) -> usize {
        self.rest();
        self.at
    }

    pub(super) fn is_at_end(&mut self) -> bool {
        self.rest().is_empty()
    }

    pub(super) fn sees(&mut self, word: &str) -> bool {
        self.rest().starts_with(word)
    }

    /// Consumes a token if it is next.
    pub(super) fn takes(&mut self, word: &str) -> bool {
        let sees = self.sees(word);
        if sees {
            self.at += word.len();
        }
        sees
    }

    pub(super) fn expect(&mut self, word: &str) -> Parsed<()> {
        if self.takes(word) { Ok(()) } else { self.fail(format!("expected '{word}'")) }
    }

    /// A comma-separated list up to a closing token; the opening one has been consumed.
    pub(super) fn list<T>(&mut self, close: &str, mut element: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut elements = Vec::new();
        if self.takes(close) {
            return Ok(elements);
        }
        loop {
            elements.push(element(self)?);
            if !self.takes(",") {
                self.expect(close)?;
                return Ok(elements);
            }
        }
    }

    /// The next identifier; empty if the next token is none.
    pub(super) fn peek_identifier(&mut self) -> &'t str {
        let rest = self.rest();
        let is_word = |c: char| c.is_ascii_alphanumeric() || c == '_';
        let length = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        if rest.starts_with(|c: char| c.is_ascii_digit()) { "" } else { &rest[..length] }
    }

    pub(super) fn identifier(&mut self) -> Parsed<&'t str> {
        let identifier = self.peek_identifier();
        if identifier.is_empty() {
            return self.fail("expected a name");
        }
        self.at += identifier.len();
        Ok(identifier)
    }

    /// An identifier, or a quoted name.
    pub(super) fn name(&mut self) -> Parsed<String> {
        if self.sees("\"") { self.text() } else { self.identifier().map(str::to_string) }
    }

    /// A name, or nothing.
    pub(super) fn optional_name(&mut self) -> Parsed<Option<String>> {
        if self.sees("\"") || !self.peek_identifier().is_empty() { self.name().map(Some) } else { Ok(None) }
    }

    /// A quoted string; a backslash escapes the next character.
    pub(super) fn text(&mut self) -> Parsed<String> {
        self.expect("\"")?;
        let mut text = String::new();
        let mut characters = self.text[self.at..].char_indices();
        while let Some((offset, character)) = characters.next() {
            match character {
                '"' => {
                    self.at += offset + 1;
                    return Ok(text);
                }
                '\\' => text.extend(characters.next().map(|(_, escaped)| escaped)),
                other => text.push(other),
            }
        }
        self.fail("the text does not end")
    }

    pub(super) fn literal(&mut self) -> Parsed<Literal> {
        if self.sees("\"") {
            return self.text().map(Literal::Text);
        }
        let rest = self.rest();
        let unsigned = rest.strip_prefix('-').unwrap_or(rest);
        let letters = unsigned.find(|c: char| !c.is_ascii_alphabetic()).unwrap_or(unsigned.len());
        let (length, is_whole) = match unsigned[..letters].to_ascii_lowercase().as_str() {
            "inf" | "infinity" | "nan" => (letters, false),
            _ => number_length(unsigned),
        };
        if length == 0 {
            return self.fail("expected a value");
        }
        let length = rest.len() - unsigned.len() + length;
        self.at += length;
        let text = rest[..length].to_string();
        Ok(if is_whole { Literal::Whole(text) } else { Literal::Float(text) })
    }

    /// An integer of some type.
    pub(super) fn whole<T: std::str::FromStr>(&mut self) -> Parsed<T> {
        let at = self.next_word();
        match self.literal()? {
            Literal::Whole(text) => {
                text.parse().map_err(|_| Problem { at, message: format!("{text} is out of range") })
            }
            Literal::Float(_) | Literal::Text(_) => Err(Problem { at, message: "expected a whole number".into() }),
        }
    }

    /// A floating-point number of some type.
    pub(super) fn float<T: std::str::FromStr>(&mut self) -> Parsed<T> {
        let at = self.next_word();
        let number = match self.literal()? {
            Literal::Whole(text) | Literal::Float(text) => text.parse().ok(),
            Literal::Text(_) => None,
        };
        number.ok_or_else(|| Problem { at, message: "expected a number".into() })
    }
}

/// The length in bytes of an unsigned number at the beginning of a text, and whether it is an integer.
fn number_length(text: &str) -> (usize, bool) {
    let digits = |from: usize| {
        let rest = &text.as_bytes()[from..];
        rest.iter().position(|byte| !byte.is_ascii_digit()).unwrap_or(rest.len())
    };
    let whole = digits(0);
    if whole == 0 {
        return (0, false);
    }
    let mut length = whole;
    if text[length..].starts_with('.') {
        length += 1 + digits(length + 1);
    }
    if text[length..].starts_with(['e', 'E']) {
        length += 1 + text[length + 1..].starts_with(['+', '-']) as usize;
        length += digits(length);
    }
    (length, length == whole)
}
