//! `loc(…)`

use std::sync::Arc;

use crate::location::Location;

use super::lexer::Kind;
use super::{Parsed, Parser};

impl Parser<'_> {
    /// `loc(…)` if it is next.
    pub(super) fn trailing_location(&mut self) -> Parsed<Option<Location>> {
        if self.is_keyword("loc") { self.location().map(Some) } else { Ok(None) }
    }

    pub(super) fn location(&mut self) -> Parsed<Location> {
        self.expect_keyword("loc")?;
        self.expect(b'(')?;
        let location = self.location_body()?;
        self.expect(b')')?;
        Ok(location)
    }

    fn location_body(&mut self) -> Parsed<Location> {
        self.nested(|parser| match parser.token.kind {
            Kind::Hash => parser.location_alias(),
            Kind::String => parser.named_location(),
            Kind::Bare => match parser.spelling() {
                "unknown" => {
                    parser.advance();
                    Ok(Location::Unknown)
                }
                "fused" => parser.fused_location(),
                "callsite" => parser.call_site(),
                _ => Err(parser.expected("a location")),
            },
            _ => Err(parser.expected("a location")),
        })
    }

    fn location_alias(&mut self) -> Parsed<Location> {
        let name = &self.spelling()[1..];
        let location = self.location_aliases.get(name).cloned();
        let location = location.ok_or_else(|| self.error_here(format!("undefined location alias '#{name}'")))?;
        self.advance();
        Ok(location)
    }

    /// `"name"`, `"name"(child)`, `"file":line:column` or a range `"file":line:column to …`, kept as its start.
    fn named_location(&mut self) -> Parsed<Location> {
        let name: Arc<str> = self.string()?.into();
        if self.eat(b'(') {
            let child = self.location_body()?;
            self.expect(b')')?;
            return Ok(Location::Name(name, Some(Arc::new(child))));
        }
        if !self.eat(b':') {
            return Ok(Location::Name(name, None));
        }
        let line = self.small_integer()?;
        self.expect(b':')?;
        let column = self.small_integer()?;
        if self.eat_keyword("to") {
            if self.token.kind == Kind::Integer {
                self.advance();
            }
            self.expect(b':')?;
            self.small_integer()?;
        }
        Ok(Location::File { file: name, line, column })
    }

    fn small_integer(&mut self) -> Parsed<u32> {
        let start = self.token.start;
        let value = self.signed_integer()?;
        u32::try_from(value).map_err(|_| self.error_at(start, format!("{value} is not a line or column")))
    }

    fn fused_location(&mut self) -> Parsed<Location> {
        self.advance();
        if self.eat(b'<') {
            self.attribute()?;
            self.expect(b'>')?;
        }
        self.expect(b'[')?;
        Ok(Location::Fused(self.list_until(b']', Self::location_body)?.into()))
    }

    fn call_site(&mut self) -> Parsed<Location> {
        self.advance();
        self.expect(b'(')?;
        let callee = self.location_body()?;
        self.expect_keyword("at")?;
        let caller = self.location_body()?;
        self.expect(b')')?;
        Ok(Location::CallSite(Arc::new(callee), Arc::new(caller)))
    }
}
