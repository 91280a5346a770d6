//! Options of passes: `{key=value other=value}` in a pipeline.

use std::fmt;

use crate::IndexMap;

/// The values that an option allows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// A decimal number.
    Integer,
    /// `true` or `false`.
    Flag,
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Any text without spaces and braces.
    Text,
}

/// One option a pass takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionDefinition {
    /// The key.
    pub name: &'static str,
    /// One sentence for the documentation.
    pub summary: &'static str,
    /// The values that it allows.
    pub kind: OptionKind,
    /// The default.
    pub default: &'static str,
}

/// The options given to one use of a pass, in the order of the text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PassOptions(IndexMap<String, String>);

impl fmt::Display for OptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OptionKind::Integer => f.write_str("N"),
            OptionKind::Flag => f.write_str("true|false"),
            OptionKind::Choice(choices) => f.write_str(&choices.join("|")),
            OptionKind::Text => f.write_str("TEXT"),
        }
    }
}

impl OptionKind {
    /// Checks `value`; the error states what was expected.
    fn check(self, value: &str) -> Result<(), String> {
        match self {
            OptionKind::Integer if value.parse::<i64>().is_err() => Err("an integer".to_string()),
            OptionKind::Flag if !matches!(value, "true" | "false") => Err("'true' or 'false'".to_string()),
            OptionKind::Choice(choices) if !choices.contains(&value) => Err(format!("one of {}", choices.join(", "))),
            _ => Ok(()),
        }
    }
}

impl PassOptions {
    /// Sets an option.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<String>) {
        self.0.insert(name.into(), value.into());
    }

    /// The text of an option; empty if it is neither given nor filled in by [`PassOptions::complete`].
    pub fn get(&self, name: &str) -> &str {
        self.0.get(name).map_or("", String::as_str)
    }

    /// An integer option.
    pub fn integer(&self, name: &str) -> i64 {
        self.get(name).parse().unwrap_or_default()
    }

    /// A flag.
    pub fn flag(&self, name: &str) -> bool {
        self.get(name) == "true"
    }

    /// Whether no option is given.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The options given, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Checks every option against the definitions.
    pub fn check(&self, definitions: &[OptionDefinition]) -> Result<(), String> {
        self.iter().try_for_each(|(name, value)| {
            let definition = definitions.iter().find(|definition| definition.name == name);
            let definition = definition.ok_or_else(|| format!("'{name}' is not an option"))?;
            let wrong = |wanted| format!("option '{name}' must be {wanted}, found '{value}'");
            definition.kind.check(value).map_err(wrong)
        })
    }

    /// The options, with defaults for those that are not given.
    pub fn complete(&self, definitions: &[OptionDefinition]) -> PassOptions {
        let value = |definition: &OptionDefinition| {
            let given = self.0.get(definition.name).map_or(definition.default, String::as_str);
            (definition.name.to_string(), given.to_string())
        };
        PassOptions(definitions.iter().map(value).collect())
    }
}

impl fmt::Display for PassOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_empty() {
            return Ok(());
        }
        let pairs: Vec<String> = self.iter().map(|(name, value)| format!("{name}={value}")).collect();
        write!(f, "{{{}}}", pairs.join(" "))
    }
}
