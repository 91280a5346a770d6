//! Reads the textual forms, generic and custom, ours and upstream's.
//!
//! The first error ends parsing; it has a position in the text and states what was expected. Nesting is limited, so
//! that no input overflows the stack.

mod affine;
mod assembly;
mod attributes;
mod dense;
mod lexer;
mod locations;
mod operations;
mod resources;
mod types;

use std::sync::Arc;

use crate::IndexMap;

use crate::attributes::Attribute;
use crate::diagnostics::{Diagnostic, Result};
use crate::location::Location;
use crate::module::Module;
use crate::registry::Registry;
use crate::types::Type;
use data::Blob;

pub use assembly::{OpParser, Operand};
pub(crate) use lexer::is_pretty_body;
use lexer::{Kind, Token, next_token};

/// The maximum nesting of regions, types, attributes and expressions.
const MAX_NESTING: u32 = 256;

type Parsed<T> = std::result::Result<T, Box<Diagnostic>>;

/// Reads a module. Operations have their position in the text as location unless they have `loc(…)`.
///
/// With a registry, operations that it declares isolated from above get a separate body; `func.func` and
/// `builtin.module` always do.
pub fn parse_module(text: &str, file_name: &str, registry: Option<&Registry>) -> Result<Module> {
    let mut parser = Parser::new(text, file_name, registry);
    parser.definitions().and_then(|()| parser.module()).map_err(|error| vec![*error])
}

/// Reads one attribute.
pub fn parse_attribute(text: &str) -> Result<Attribute> {
    whole(text, Parser::attribute)
}

/// Reads one type.
pub fn parse_type(text: &str) -> Result<Type> {
    whole(text, Parser::r#type)
}

fn whole<'a, T>(text: &'a str, parse: impl FnOnce(&mut Parser<'a>) -> Parsed<T>) -> Result<T> {
    let mut parser = Parser::new(text, "<text>", None);
    let read = || {
        let value = parse(&mut parser)?;
        match parser.token.kind {
            Kind::End => Ok(value),
            _ => Err(parser.expected("the end of the text")),
        }
    };
    read().map_err(|error: Box<Diagnostic>| vec![*error])
}

/// The file metadata for tools.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reproducer {
    /// The pass pipeline that failed.
    pub pipeline: String,
}

/// The pass pipeline in a reproducer's `external_resources`, if there is one.
pub fn parse_reproducer(text: &str, file_name: &str) -> Result<Option<Reproducer>> {
    let mut parser = Parser::new(text, file_name, None);
    parser.definitions().map_err(|error| vec![*error])?;
    Ok(parser.pipeline.map(|pipeline| Reproducer { pipeline }))
}

struct Parser<'a> {
    text: &'a str,
    file: Arc<str>,
    registry: Option<&'a Registry>,
    /// Byte offsets at which lines start.
    lines: Vec<usize>,
    token: Token,
    /// End of the token before the current one.
    last_end: usize,
    depth: u32,
    /// The dialects whose prefix operations may go without, innermost last; empty where none.
    default_dialects: Vec<&'static str>,
    /// The type of a constant that is written without one.
    implied_type: Option<Type>,
    attribute_aliases: IndexMap<String, Attribute>,
    type_aliases: IndexMap<String, Type>,
    location_aliases: IndexMap<String, Location>,
    resources: IndexMap<String, Blob>,
    pipeline: Option<String>,
}

impl<'a> Parser<'a> {
    fn new(text: &'a str, file_name: &str, registry: Option<&'a Registry>) -> Parser<'a> {
        let breaks = text.bytes().enumerate().filter(|&(_, byte)| byte == b'\n').map(|(at, _)| at + 1);
        Parser {
            text,
            file: file_name.into(),
            registry,
            lines: std::iter::once(0).chain(breaks).collect(),
            token: next_token(text, 0),
            last_end: 0,
            depth: 0,
            default_dialects: vec![],
            implied_type: None,
            attribute_aliases: IndexMap::default(),
            type_aliases: IndexMap::default(),
            location_aliases: IndexMap::default(),
            resources: IndexMap::default(),
            pipeline: None,
        }
    }

    // ---- tokens

    fn advance(&mut self) {
        self.last_end = self.token.end;
        self.token = next_token(self.text, self.token.end);
    }

    /// Continues at byte `at`, which may be inside the current token.
    fn restart_at(&mut self, at: usize) {
        self.last_end = at;
        self.token = next_token(self.text, at);
    }

    fn spelling(&self) -> &'a str {
        &self.text[self.token.start..self.token.end]
    }

    fn is(&self, punctuation: u8) -> bool {
        self.token.kind == Kind::Punctuation(punctuation)
    }

    fn is_keyword(&self, keyword: &str) -> bool {
        self.token.kind == Kind::Bare && self.spelling() == keyword
    }

    fn eat(&mut self, punctuation: u8) -> bool {
        let found = self.is(punctuation);
        if found {
            self.advance();
        }
        found
    }

    fn eat_keyword(&mut self, keyword: &str) -> bool {
        let found = self.is_keyword(keyword);
        if found {
            self.advance();
        }
        found
    }

    fn expect(&mut self, punctuation: u8) -> Parsed<()> {
        if self.eat(punctuation) { Ok(()) } else { Err(self.expected(&format!("'{}'", punctuation as char))) }
    }

    fn expect_kind(&mut self, kind: Kind, what: &str) -> Parsed<&'a str> {
        if self.token.kind != kind {
            return Err(self.expected(what));
        }
        let spelling = self.spelling();
        self.advance();
        Ok(spelling)
    }

    fn expect_keyword(&mut self, keyword: &str) -> Parsed<()> {
        if self.eat_keyword(keyword) { Ok(()) } else { Err(self.expected(&format!("'{keyword}'"))) }
    }

    /// `item, item, …` up to `close`, which is consumed; there may be none.
    fn list_until<T>(&mut self, close: u8, mut item: impl FnMut(&mut Self) -> Parsed<T>) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.eat(close) {
            return Ok(items);
        }
        loop {
            items.push(item(self)?);
            if self.eat(close) {
                return Ok(items);
            }
            if !self.eat(b',') {
                return Err(self.expected(&format!("',' or '{}'", close as char)));
            }
        }
    }

    /// Runs `parse` one level deeper.
    fn nested<T>(&mut self, parse: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth == MAX_NESTING {
            return Err(self.error_here(format!("nested deeper than {MAX_NESTING} levels")));
        }
        self.depth += 1;
        let parsed = parse(self);
        self.depth -= 1;
        parsed
    }

    // ---- errors

    fn location_at(&self, offset: usize) -> Location {
        let line = self.lines.partition_point(|&start| start <= offset);
        let column = offset - self.lines[line - 1] + 1;
        Location::File { file: self.file.clone(), line: line as u32, column: column as u32 }
    }

    fn error_at(&self, offset: usize, message: impl Into<String>) -> Box<Diagnostic> {
        Box::new(Diagnostic::input(self.location_at(offset), message))
    }

    fn error_here(&self, message: impl Into<String>) -> Box<Diagnostic> {
        self.error_at(self.token.start, message)
    }

    /// `expected …, found …` at the current token.
    fn expected(&self, what: &str) -> Box<Diagnostic> {
        let found = match self.token.kind {
            Kind::End => "the end of the text".to_string(),
            Kind::Bad(wanted) => return self.error_here(format!("expected {wanted}, found {:?}", self.spelling())),
            _ => format!("'{}'", shortened(self.spelling())),
        };
        self.error_here(format!("expected {what}, found {found}"))
    }

    // ---- the file

    /// Reads alias definitions and metadata before everything else, because they may come after their uses.
    fn definitions(&mut self) -> Parsed<()> {
        let start = self.token;
        let mut before = Kind::End;
        while self.token.kind != Kind::End {
            let kind = self.token.kind;
            let is_name = matches!(kind, Kind::Hash | Kind::Exclamation) && before != Kind::Punctuation(b'=');
            if is_name && next_token(self.text, self.token.end).kind == Kind::Punctuation(b'=') {
                self.alias_definition()?;
                before = Kind::End;
            } else if kind == Kind::MetadataBegin {
                self.metadata()?;
                before = Kind::End;
            } else {
                self.advance();
                before = kind;
            }
        }
        self.token = start;
        Ok(())
    }

    fn alias_definition(&mut self) -> Parsed<()> {
        let (kind, name) = (self.token.kind, self.spelling()[1..].to_string());
        if name.contains('.') {
            return Err(self.error_here(format!("an alias must not contain a dot, found '{}'", self.spelling())));
        }
        self.advance();
        self.expect(b'=')?;
        if kind == Kind::Exclamation {
            let r#type = self.r#type()?;
            self.type_aliases.insert(name, r#type);
        } else if self.is_keyword("loc") {
            let location = self.location()?;
            self.location_aliases.insert(name, location);
        } else {
            let attribute = self.attribute()?;
            self.attribute_aliases.insert(name, attribute);
        }
        Ok(())
    }
}

/// At most forty characters of a token.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(40) {
        None => text.to_string(),
        Some((at, _)) => format!("{}…", &text[..at]),
    }
}
