//! The textual form of pipelines.
//!
//! ```text
//! pipeline := 'builtin.module' '(' elements ')' | elements
//! elements := element (',' element)*
//! element  := 'func.func' '(' elements ')' | name ('{' (key '=' value)* '}')?
//! ```

use std::fmt;

use super::{AnyOptions, Pass, PassDefinition, PassOptions, PassRegistry, Statistics};
use crate::diagnostics::{Diagnostic, Result};
use crate::location::Location;
use crate::module::Module;
use crate::op_name;
use crate::registry::Registry;

pub(super) static MODULE: &str = op_name::MODULE.text;
pub(super) static FUNCTION: &str = op_name::FUNCTION.text;

/// One pass of a pipeline with its options.
pub struct Step {
    /// The pass.
    pub pass: Pass,
    /// Those of the pass.
    options: Box<dyn AnyOptions>,
    /// The number of its `func.func(…)` in the text, from 1; 0 outside of all.
    group: usize,
}

impl Step {
    /// A pass with options.
    pub fn new<O: PassOptions>(pass: &'static PassDefinition<O>, options: O) -> Step {
        Step { pass, options: Box::new(options), group: 0 }
    }

    /// Runs the pass.
    pub(super) fn run(&self, module: &mut Module, registry: &Registry, statistics: &Statistics) -> Result<()> {
        self.pass.run(module, registry, &*self.options, statistics)
    }
}

/// A pass with its default options.
impl From<Pass> for Step {
    fn from(pass: Pass) -> Step {
        Step { pass, options: pass.options(), group: 0 }
    }
}

impl Clone for Step {
    fn clone(&self) -> Step {
        Step { pass: self.pass, options: self.options.boxed(), group: self.group }
    }
}

/// The name with the options that are not the default.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (own, default) = (self.options.describe(), self.pass.options().describe());
        let others = own.iter().zip(&default).filter(|(own, default)| own.text != default.text);
        let pairs: Vec<String> = others.map(|(own, _)| format!("{}={}", own.name, own.text)).collect();
        let options = if pairs.is_empty() { String::new() } else { format!("{{{}}}", pairs.join(" ")) };
        write!(f, "{}{options}", self.pass.name())
    }
}

/// Passes in execution order.
#[derive(Clone, Default)]
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

    /// Adds a step.
    pub fn add(&mut self, step: impl Into<Step>) {
        self.steps.push(step.into());
    }

    /// The rest of the pipeline from step `start` on.
    pub fn from_step(&self, start: usize) -> Pipeline {
        Pipeline { steps: self.steps[start..].to_vec() }
    }
}

impl<const N: usize> From<[Step; N]> for Pipeline {
    fn from(steps: [Step; N]) -> Pipeline {
        Pipeline { steps: steps.into() }
    }
}

impl Extend<Step> for Pipeline {
    fn extend<I: IntoIterator<Item = Step>>(&mut self, steps: I) {
        self.steps.extend(steps);
    }
}

impl IntoIterator for Pipeline {
    type Item = Step;
    type IntoIter = std::vec::IntoIter<Step>;

    fn into_iter(self) -> Self::IntoIter {
        self.steps.into_iter()
    }
}

impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{MODULE}(")?;
        let mut open = 0;
        for (at, step) in self.steps.iter().enumerate() {
            // passes outside of a group are grouped one by one
            let group = if step.pass.is_on_functions() { step.group.max(1) } else { 0 };
            if open != 0 && open != group {
                write!(f, ")")?;
            }
            write!(f, "{}", if at > 0 { "," } else { "" })?;
            if group != 0 && open != group {
                write!(f, "{FUNCTION}(")?;
            }
            open = group;
            write!(f, "{step}")?;
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
        self.add(name, &options, group)?;
        self.at = end;
        Ok(())
    }

    fn add(&mut self, name: &str, options: &[(&str, &str)], group: usize) -> Parsed {
        if let Some(pass) = self.registry.get(name) {
            let wrong = |message| format!("pass '{name}': {message}");
            let mut step = Step { group, ..Step::from(pass) };
            options.iter().try_for_each(|(key, value)| step.options.set(key, value)).map_err(wrong)?;
            return self.push(step);
        }
        let named = self.registry.pipeline(name).ok_or_else(|| match name {
            "" => "expected the name of a pass".to_string(),
            _ => format!("'{name}' is not a pass"),
        })?;
        let mut steps = vec![];
        for text in &named.passes {
            let mut inner =
                Parser { text, at: 0, registry: self.registry, pipeline: Pipeline::default(), groups: group };
            inner.element(group)?;
            steps.append(&mut inner.pipeline.steps);
        }
        let wrong = |message| format!("pipeline '{name}': {message}");
        options.iter().try_for_each(|(key, value)| set_where_known(&mut steps, key, value)).map_err(wrong)?;
        steps.into_iter().try_for_each(|step| self.push(step))
    }

    fn push(&mut self, step: Step) -> Parsed {
        if step.group > 0 && !step.pass.is_on_functions() {
            return Err(format!("pass '{}' runs on {MODULE}, not on {FUNCTION}", step.pass.name()));
        }
        self.pipeline.steps.push(step);
        Ok(())
    }

    /// `{key=value key=value}`; commas between pairs are allowed.
    fn options(&mut self) -> Parsed<Vec<(&'a str, &'a str)>> {
        let mut options = vec![];
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
            options.push((key, &rest[..length]));
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

/// Sets an option of those passes that have it; one of them must.
fn set_where_known(steps: &mut [Step], key: &str, value: &str) -> Parsed {
    let has = |step: &&mut Step| step.options.describe().iter().any(|option| option.name == key);
    let mut knowing = steps.iter_mut().filter(has).peekable();
    match knowing.peek() {
        None => Err(format!("'{key}' is not an option")),
        Some(_) => knowing.try_for_each(|step| step.options.set(key, value)),
    }
}
