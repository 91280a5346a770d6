//! The textual form of pipelines.
//!
//! ```text
//! pipeline := 'builtin.module' '(' elements ')' | elements
//! elements := element (',' element)*
//! element  := 'func.func' '(' elements ')' | name ('{' (key '=' value)* '}')?
//! ```

use std::fmt;

use super::{PassDefinition, PassFunction, PassOptions, PassRegistry};
use crate::diagnostics::{Diagnostic, Result};
use crate::location::Location;
use crate::op_name;

pub(super) static MODULE: &str = op_name::MODULE.text;
pub(super) static FUNCTION: &str = op_name::FUNCTION.text;

/// One pass of a pipeline with its options.
#[derive(Clone, Debug)]
pub struct Step {
    /// The pass.
    pub pass: PassDefinition,
    /// The options given.
    pub options: PassOptions,
    /// The number of its `func.func(…)` in the text, from 1; 0 outside of all.
    group: usize,
}

/// Passes in execution order.
#[derive(Clone, Debug, Default)]
pub struct Pipeline {
    /// The passes with their options.
    pub steps: Vec<Step>,
}

impl Pipeline {
    /// The number of passes.
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are no passes.
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Reads a pipeline; errors are about the user's text, with the column.
    pub fn parse(text: &str, registry: &PassRegistry) -> Result<Pipeline> {
        let mut parser = Parser { text, at: 0, registry, pipeline: Pipeline::default(), groups: 0 };
        parser.pipeline().map_err(|message| {
            let note = format!("in the pipeline {text:?}, column {}", parser.at + 1);
            vec![Diagnostic::error(crate::ErrorClass::Usage, Location::Unknown, message).with_note(note)]
        })?;
        Ok(parser.pipeline)
    }

    /// The rest of the pipeline from step `start` on.
    pub fn from_step(&self, start: usize) -> Pipeline {
        Pipeline { steps: self.steps[start..].to_vec() }
    }
}

impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{MODULE}(")?;
        let mut open = 0;
        for (at, step) in self.steps.iter().enumerate() {
            let is_nested = matches!(step.pass.run, PassFunction::Function(_));
            // passes outside of a group are grouped one by one
            let group = if is_nested { step.group.max(1) } else { 0 };
            if open != 0 && open != group {
                write!(f, ")")?;
            }
            write!(f, "{}", if at > 0 { "," } else { "" })?;
            if group != 0 && open != group {
                write!(f, "{FUNCTION}(")?;
            }
            open = group;
            write!(f, "{}{}", step.pass.name, step.options)?;
        }
        write!(f, "{}", if open != 0 { "))" } else { ")" })
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
    registry: &'a PassRegistry,
    pipeline: Pipeline,
    groups: usize,
}

type Parsed<T = ()> = std::result::Result<T, String>;

impl<'a> Parser<'a> {
    fn pipeline(&mut self) -> Parsed {
        self.skip_space();
        let start = self.at;
        if self.word() == MODULE && self.eat('(') {
            self.elements(0)?;
            self.expect(')')?;
        } else {
            self.at = start;
            self.elements(0)?;
        }
        self.skip_space();
        match self.text[self.at..].chars().next() {
            None => Ok(()),
            Some(found) => Err(format!("expected the end of the pipeline, found '{found}'")),
        }
    }

    /// `group` is 0 for the passes of the module.
    fn elements(&mut self, group: usize) -> Parsed {
        self.skip_space();
        if self.text[self.at..].is_empty() || self.text[self.at..].starts_with(')') {
            return Ok(());
        }
        loop {
            self.element(group)?;
            if !self.eat(',') {
                return Ok(());
            }
        }
    }

    fn element(&mut self, group: usize) -> Parsed {
        self.skip_space();
        let start = self.at;
        let name = self.word();
        if name == FUNCTION && group == 0 {
            self.groups += 1;
            self.expect('(')?;
            self.elements(self.groups)?;
            return self.expect(')');
        }
        let options = self.options()?;
        let end = std::mem::replace(&mut self.at, start);
        self.add(name, options, group)?;
        self.at = end;
        Ok(())
    }

    fn add(&mut self, name: &str, options: PassOptions, group: usize) -> Parsed {
        if let Some(pass) = self.registry.get(name) {
            let wrong = |message| format!("pass '{name}': {message}");
            options.check(pass.options).map_err(wrong)?;
            return self.push(pass, options, group);
        }
        let named = self.registry.pipeline(name).ok_or_else(|| match name {
            "" => "expected the name of a pass".to_string(),
            _ => format!("'{name}' is not a pass"),
        })?;
        let passes: Vec<&PassDefinition> = named.passes.iter().filter_map(|&pass| self.registry.get(pass)).collect();
        let all: Vec<_> = passes.iter().flat_map(|pass| pass.options.iter().copied()).collect();
        options.check(&all).map_err(|message| format!("pipeline '{name}': {message}"))?;
        passes.into_iter().try_for_each(|pass| {
            let mut own = PassOptions::default();
            options
                .iter()
                .filter(|(key, _)| pass.options.iter().any(|option| option.name == *key))
                .for_each(|(key, value)| own.set(key, value));
            self.push(pass, own, group)
        })
    }

    fn push(&mut self, pass: &PassDefinition, options: PassOptions, group: usize) -> Parsed {
        if group > 0 && matches!(pass.run, PassFunction::Module(_)) {
            return Err(format!("pass '{}' runs on {MODULE}, not on {FUNCTION}", pass.name));
        }
        self.pipeline.steps.push(Step { pass: pass.clone(), options, group });
        Ok(())
    }

    /// `{key=value key=value}`; commas between pairs are allowed.
    fn options(&mut self) -> Parsed<PassOptions> {
        let mut options = PassOptions::default();
        if !self.eat('{') {
            return Ok(options);
        }
        while !self.eat('}') {
            let key = self.word();
            if key.is_empty() {
                return Err("expected an option as key=value".to_string());
            }
            self.expect('=')?;
            let rest = &self.text[self.at..];
            let length = rest.find([' ', ',', '}']).unwrap_or(rest.len());
            options.set(key, &rest[..length]);
            self.at += length;
            self.eat(',');
        }
        Ok(options)
    }

    fn skip_space(&mut self) {
        let rest = &self.text[self.at..];
        self.at += rest.len() - rest.trim_start().len();
    }

    /// Letters, digits, `-`, `_` and `.`; may be empty.
    fn word(&mut self) -> &'a str {
        self.skip_space();
        let rest = &self.text[self.at..];
        let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        let word = &rest[..rest.find(|c| !is_part(c)).unwrap_or(rest.len())];
        self.at += word.len();
        word
    }

    fn eat(&mut self, wanted: char) -> bool {
        self.skip_space();
        let found = self.text[self.at..].starts_with(wanted);
        self.at += usize::from(found);
        found
    }

    fn expect(&mut self, wanted: char) -> Parsed {
        if self.eat(wanted) {
            return Ok(());
        }
        match self.text[self.at..].chars().next() {
            None => Err(format!("expected '{wanted}', found the end of the pipeline")),
            Some(found) => Err(format!("expected '{wanted}', found '{found}'")),
        }
    }
}
