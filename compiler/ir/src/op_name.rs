//! Names of operations.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};

/// The name of an operation that a dialect defines, with the operation's code.
///
/// Codes are dense. The dialects assign them, except for the operations below, on which the IR itself relies.
#[derive(Debug)]
pub struct DefinedName {
    /// `dialect.name`
    pub text: &'static str,
    /// The operation's code.
    pub code: u16,
}

/// `builtin.module`
pub static MODULE: DefinedName = DefinedName { text: "builtin.module", code: 0 };
/// `func.func`
pub static FUNCTION: DefinedName = DefinedName { text: "func.func", code: 1 };
/// `func.return`
pub static RETURN: DefinedName = DefinedName { text: "func.return", code: 2 };
/// `arith.constant`
pub static CONSTANT: DefinedName = DefinedName { text: "arith.constant", code: 3 };
/// `builtin.unrealized_conversion_cast`
pub static CONVERSION_CAST: DefinedName = DefinedName { text: "builtin.unrealized_conversion_cast", code: 4 };

/// The names whose codes are fixed here, by code.
pub static FIXED_NAMES: [&DefinedName; 5] = [&MODULE, &FUNCTION, &RETURN, &CONSTANT, &CONVERSION_CAST];

/// An operation's full name, `dialect.name`.
///
/// Names are equal if their texts are: one that was read from a text equals the one that a dialect defines.
#[derive(Clone)]
pub struct OpName(Form);

#[derive(Clone)]
enum Form {
    Defined(&'static DefinedName),
    Text(Cow<'static, str>),
}

impl OpName {
    /// The text.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            Form::Defined(name) => name.text,
            Form::Text(text) => text,
        }
    }

    /// The code, if the name was made from a definition.
    pub fn code(&self) -> Option<u16> {
        match &self.0 {
            Form::Defined(name) => Some(name.code),
            Form::Text(_) => None,
        }
    }

    /// The part before the first dot.
    pub fn dialect(&self) -> &str {
        let text = self.as_str();
        let end = text.bytes().position(|byte| byte == b'.').unwrap_or(text.len());
        &text[..end]
    }
}

impl From<&'static DefinedName> for OpName {
    fn from(name: &'static DefinedName) -> Self {
        OpName(Form::Defined(name))
    }
}

impl From<&'static str> for OpName {
    fn from(name: &'static str) -> Self {
        OpName(Form::Text(Cow::Borrowed(name)))
    }
}

impl From<String> for OpName {
    fn from(name: String) -> Self {
        OpName(Form::Text(Cow::Owned(name)))
    }
}

impl PartialEq for OpName {
    fn eq(&self, other: &OpName) -> bool {
        match (self.code(), other.code()) {
            (Some(a), Some(b)) => a == b,
            _ => self.as_str() == other.as_str(),
        }
    }
}

impl Eq for OpName {}

impl PartialEq<DefinedName> for OpName {
    fn eq(&self, other: &DefinedName) -> bool {
        match self.code() {
            Some(code) => code == other.code,
            None => self.as_str() == other.text,
        }
    }
}

impl Hash for OpName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl PartialOrd for OpName {
    fn partial_cmp(&self, other: &OpName) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for OpName {
    fn cmp(&self, other: &OpName) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

impl fmt::Debug for OpName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for OpName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_equal_by_text() {
        let (defined, read) = (OpName::from(&CONSTANT), OpName::from("arith.constant".to_string()));
        assert_eq!(defined, read);
        assert!(defined == CONSTANT && read == CONSTANT && read != FUNCTION);
        assert_eq!((defined.code(), read.code()), (Some(3), None));
        assert_eq!(defined.dialect(), "arith");
    }

    #[test]
    fn fixed_names_are_in_the_order_of_their_codes() {
        assert!(FIXED_NAMES.iter().enumerate().all(|(code, name)| usize::from(name.code) == code));
    }
}
