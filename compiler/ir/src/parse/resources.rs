//! `{-# dialect_resources: {…}, external_resources: {…} #-}`

use data::Blob;

use super::lexer::Kind;
use super::{Parsed, Parser};

/// Bytes before a blob that give its alignment.
const PREFIX: usize = 4;

impl Parser<'_> {
    pub(super) fn metadata(&mut self) -> Parsed<()> {
        self.advance();
        while self.token.kind != Kind::MetadataEnd {
            let section = self.expect_kind(Kind::Bare, "a metadata section")?;
            self.expect(b':')?;
            match section {
                "dialect_resources" => self.groups(Self::dialect_resource)?,
                "external_resources" => self.groups(Self::external_resource)?,
                _ => return Err(self.error_at(self.last_end, format!("unknown metadata section '{section}'"))),
            }
            if !self.eat(b',') {
                break;
            }
        }
        self.expect_kind(Kind::MetadataEnd, "'#-}'").map(|_| ())
    }

    /// `{ group: { key: value, … }, … }`
    fn groups(&mut self, entry: fn(&mut Self, String) -> Parsed<()>) -> Parsed<()> {
        self.expect(b'{')?;
        self.list_until(b'}', |parser| {
            parser.resource_key()?;
            parser.expect(b':')?;
            parser.expect(b'{')?;
            parser.list_until(b'}', |parser| {
                let key = parser.resource_key()?;
                parser.expect(b':')?;
                entry(parser, key)
            })
        })?;
        Ok(())
    }

    /// A resource's name, bare or quoted.
    pub(super) fn resource_key(&mut self) -> Parsed<String> {
        match self.token.kind {
            Kind::String => self.string(),
            _ => self.expect_kind(Kind::Bare, "a resource's name").map(str::to_string),
        }
    }

    fn dialect_resource(&mut self, key: String) -> Parsed<()> {
        let start = self.token.start;
        let spelling = self.expect_kind(Kind::String, "a resource's bytes as \"0x…\"")?;
        let blob = decode_hex(&spelling[1..spelling.len() - 1])
            .filter(|blob| blob.bytes().len() >= PREFIX)
            .and_then(|blob| blob.window(PREFIX, blob.bytes().len() - PREFIX));
        let Some(blob) = blob else {
            return Err(self
                .error_at(start, format!("resource '{key}' is not \"0x\" followed by an alignment and whole bytes")));
        };
        // the contents begin four bytes after the alignment that our readers require
        self.resources.insert(key, Blob::copy_of(blob.bytes()));
        Ok(())
    }

    fn external_resource(&mut self, key: String) -> Parsed<()> {
        match self.token.kind {
            Kind::String if key == "pipeline" => self.pipeline = Some(self.string()?),
            Kind::String | Kind::Bare => self.advance(),
            _ => return Err(self.expected("a string or a boolean")),
        }
        Ok(())
    }
}

/// The bytes of `0x…`; `None` for an odd number of digits or another character.
pub(super) fn decode_hex(text: &str) -> Option<Blob> {
    let digits = text.strip_prefix("0x")?.as_bytes();
    let value = |digit: u8| (digit as char).to_digit(16).map(|value| value as u8);
    if digits.len() % 2 != 0 || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    Some(Blob::build(digits.len() / 2, |bytes| {
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = value(pair[0]).unwrap_or(0) << 4 | value(pair[1]).unwrap_or(0);
        }
    }))
}
