//! Tokens of the textual form, read on demand from a position that the parser may set back.

/// The kind of a token; its text is in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// `affine_map`, `i32`, `func.func`
    Bare,
    /// `@name` or `@"name"`
    At,
    /// `#alias` or `#dialect.name`
    Hash,
    /// `!alias` or `!dialect.name`
    Exclamation,
    /// `%name`
    Percent,
    /// `^name`
    Caret,
    /// `12`, `0xff`
    Integer,
    /// `1.5`, `1.0e-3`
    Float,
    /// `"text"`, quotes included
    String,
    /// One of `( ) { } [ ] < > , : = ? * + - | /`
    Punctuation(u8),
    /// `->`
    Arrow,
    /// `::`
    ColonColon,
    /// `{-#`
    MetadataBegin,
    /// `#-}`
    MetadataEnd,
    /// The end of the text.
    End,
    /// No token starts here, or a string does not end.
    Bad(&'static str),
}

/// A token and its byte range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) start: usize,
    pub(super) end: usize,
}

/// The token at or after byte `from`.
pub(super) fn next_token(text: &str, from: usize) -> Token {
    let bytes = text.as_bytes();
    let start = skip_blanks(bytes, from);
    let rest = &bytes[start..];
    let token = |kind, length: usize| Token { kind, start, end: start + length };
    let Some(&first) = rest.first() else { return token(Kind::End, 0) };
    match first {
        b'-' if rest.starts_with(b"->") => token(Kind::Arrow, 2),
        b':' if rest.starts_with(b"::") => token(Kind::ColonColon, 2),
        b'{' if rest.starts_with(b"{-#") => token(Kind::MetadataBegin, 3),
        b'#' if rest.starts_with(b"#-}") => token(Kind::MetadataEnd, 3),
        b'(' | b')' | b'{' | b'}' | b'[' | b']' | b'<' | b'>' | b',' | b':' | b'=' | b'?' | b'*' | b'+' | b'-'
        | b'|' | b'/' => token(Kind::Punctuation(first), 1),
        b'"' => string(rest).map_or(token(Kind::Bad("a string that ends on its line"), 1), |n| token(Kind::String, n)),
        b'@' if rest.get(1) == Some(&b'"') => {
            string(&rest[1..]).map_or(token(Kind::Bad("a symbol name that ends"), 1), |n| token(Kind::At, n + 1))
        }
        b'@' => prefixed(rest, Kind::At, start, bare_length),
        b'#' => prefixed(rest, Kind::Hash, start, suffix_length),
        b'!' => prefixed(rest, Kind::Exclamation, start, suffix_length),
        b'%' => prefixed(rest, Kind::Percent, start, suffix_length),
        b'^' => prefixed(rest, Kind::Caret, start, suffix_length),
        b'0'..=b'9' => {
            let (kind, length) = number(rest);
            token(kind, length)
        }
        _ => match bare_length(rest) {
            0 => token(Kind::Bad("a token"), text[start..].chars().next().map_or(1, char::len_utf8)),
            length => token(Kind::Bare, length),
        },
    }
}

fn skip_blanks(bytes: &[u8], mut at: usize) -> usize {
    loop {
        while bytes.get(at).is_some_and(|b| b.is_ascii_whitespace()) {
            at += 1;
        }
        if !bytes[at..].starts_with(b"//") {
            return at;
        }
        at = bytes[at..].iter().position(|&b| b == b'\n').map_or(bytes.len(), |line| at + line);
    }
}

/// The end of the bracket that matches the one at byte `start`; the error is the token that closes no open bracket.
pub(super) fn matching_end(text: &str, start: usize) -> Result<usize, Token> {
    let mut open: Vec<u8> = Vec::new();
    let mut at = start;
    loop {
        let token = next_token(text, at);
        at = token.end;
        match token.kind {
            Kind::Punctuation(b'<') => open.push(b'>'),
            Kind::Punctuation(b'(') => open.push(b')'),
            Kind::Punctuation(b'[') => open.push(b']'),
            Kind::Punctuation(b'{') => open.push(b'}'),
            Kind::Punctuation(close @ (b'>' | b')' | b']' | b'}')) if open.pop() != Some(close) => return Err(token),
            Kind::End => return Err(token),
            _ => {}
        }
        if open.is_empty() {
            return Ok(at);
        }
    }
}

/// Whether an attribute of a dialect may be written `#dialect.text`, as upstream decides: otherwise it is `#dialect<text>`.
pub(crate) fn is_pretty_body(text: &str) -> bool {
    let name = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_');
    let length = text.bytes().take_while(name).count();
    let is_whole = match &text[length..] {
        "" => true,
        body => body.starts_with('<') && matching_end(body, 0) == Ok(body.len()),
    };
    text.starts_with(|first: char| first.is_ascii_alphabetic()) && is_whole
}

fn prefixed(rest: &[u8], kind: Kind, start: usize, length: fn(&[u8]) -> usize) -> Token {
    match length(&rest[1..]) {
        0 => Token { kind: Kind::Bad("a name after the sigil"), start, end: start + 1 },
        length => Token { kind, start, end: start + 1 + length },
    }
}

/// Length of `[a-zA-Z_][a-zA-Z0-9_$.]*`.
fn bare_length(bytes: &[u8]) -> usize {
    match bytes.first() {
        Some(first) if first.is_ascii_alphabetic() || *first == b'_' => {
            let more = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.');
            bytes.iter().take_while(more).count()
        }
        _ => 0,
    }
}

/// Length of digits, or of a name that may hold `$ . _ -`.
fn suffix_length(bytes: &[u8]) -> usize {
    if bytes.first().is_some_and(u8::is_ascii_digit) {
        return bytes.iter().take_while(|b| b.is_ascii_digit()).count();
    }
    let name = |b: &&u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'.' | b'-');
    let length = bytes.iter().take_while(name).count();
    // an arrow directly after a name is not part of it
    match bytes[..length].last() {
        Some(b'-') if bytes.get(length) == Some(&b'>') => length - 1,
        _ => length,
    }
}

/// Length of a string literal with its quotes; `None` when it does not end on its line.
fn string(bytes: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            b'\n' => return None,
            _ => at += 1,
        }
    }
}

fn number(bytes: &[u8]) -> (Kind, usize) {
    let digits = |from: usize| bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
    if bytes.starts_with(b"0x") && bytes.get(2).is_some_and(u8::is_ascii_hexdigit) {
        return (Kind::Integer, 2 + bytes[2..].iter().take_while(|b| b.is_ascii_hexdigit()).count());
    }
    let mut length = digits(0);
    if bytes.get(length) != Some(&b'.') {
        return (Kind::Integer, length);
    }
    length += 1;
    length += digits(length);
    if matches!(bytes.get(length), Some(b'e' | b'E')) {
        let sign = matches!(bytes.get(length + 1), Some(b'+' | b'-')) as usize;
        let exponent = if length + 1 + sign < bytes.len() { digits(length + 1 + sign) } else { 0 };
        if exponent > 0 {
            length += 1 + sign + exponent;
        }
    }
    (Kind::Float, length)
}
