//! Regular expressions in the syntax of RE2, which the documents of ONNX and ONNX Runtime require.
//!
//! Classes such as `\w` and boundaries such as `\b` are those of ASCII, `[` has no meaning inside a class, and a
//! repetition cannot be repeated. [`translated`] converts a pattern to the syntax of the crate `regex`.

use std::fmt::Write;
use std::ops::Range;

use regex_automata::nfa::thompson;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input, MatchKind, hybrid, meta};

/// The largest count of a repetition in RE2.
const MAX_REPEAT: u32 = 1000;
/// The memory limit of a compiled pattern.
const MAX_BYTES: usize = 10 << 20;

/// A pattern that finds the leftmost-longest match.
pub(super) struct Longest {
    /// Finds the start of a match: the leftmost one is the same for all match kinds.
    start: meta::Regex,
    /// Finds the last of the ends of matches that begin at a position.
    end: hybrid::dfa::DFA,
    cache: hybrid::dfa::Cache,
}

impl Longest {
    /// None if the pattern is not a regular expression, or takes too much memory.
    pub(super) fn new(pattern: &str) -> Option<Longest> {
        let pattern = translated(pattern)?;
        let start = compiled(&pattern)?;
        let limits = thompson::Config::new().nfa_size_limit(Some(MAX_BYTES));
        let end = hybrid::dfa::Builder::new()
            .syntax(bytes_of_text())
            .thompson(limits)
            .configure(hybrid::dfa::Config::new().match_kind(MatchKind::All).skip_cache_capacity_check(true))
            .build(&pattern)
            .ok()?;
        let cache = end.create_cache();
        Some(Longest { start, end, cache })
    }

    /// The first match in a text from a position on; `^` and `\b` see the text before the position.
    pub(super) fn find(&mut self, text: &str, from: usize) -> Option<Range<usize>> {
        let found = self.start.find(Input::new(text).span(from..text.len()))?.range();
        let anchored = Input::new(text).span(found.start..text.len()).anchored(Anchored::Yes);
        let longest = self.end.try_search_fwd(&mut self.cache, &anchored).ok().flatten();
        Some(found.start..longest.map_or(found.end, |end| end.offset()))
    }
}

/// A pattern that is compared with whole texts.
pub(super) struct Whole(meta::Regex);

impl Whole {
    /// None if the pattern is not a regular expression, or takes too much memory.
    pub(super) fn new(pattern: &str) -> Option<Whole> {
        compiled(&format!(r"\A(?:{})\z", translated(pattern)?)).map(Whole)
    }

    pub(super) fn matches(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

fn compiled(pattern: &str) -> Option<meta::Regex> {
    let limits = meta::Config::new().nfa_size_limit(Some(MAX_BYTES));
    meta::Regex::builder().syntax(bytes_of_text()).configure(limits).build(pattern).ok()
}

/// ASCII's `\B` also holds between the bytes of a character; the engines skip empty matches there.
fn bytes_of_text() -> syntax::Config {
    syntax::Config::new().utf8(false)
}

/// An element of a class, or an escape outside of one.
enum Item {
    Character(char),
    /// In the syntax of `regex`, inside brackets.
    Class(String),
}

/// A pattern of RE2 in the syntax of `regex`; `None` if RE2 rejects the pattern.
fn translated(pattern: &str) -> Option<String> {
    let mut rest = pattern;
    let mut written = String::with_capacity(pattern.len());
    let mut repeated = false;
    while let Some(character) = rest.chars().next() {
        let after = &rest[character.len_utf8()..];
        let is_repetition = match character {
            '*' | '+' | '?' => Some(after),
            '{' => counted(after)?,
            _ => None,
        };
        if let Some(after) = is_repetition {
            if std::mem::replace(&mut repeated, true) {
                return None;
            }
            let after = after.strip_prefix('?').unwrap_or(after);
            written.push_str(&rest[..rest.len() - after.len()]);
            rest = after;
            continue;
        }
        repeated = false;
        rest = after;
        match character {
            '\\' => rest = escape_outside(rest, &mut written)?,
            '[' => rest = class(rest, &mut written)?,
            '(' => rest = group(rest, &mut written)?,
            ')' | '|' | '^' | '$' | '.' => written.push(character),
            character => push(&mut written, character),
        }
    }
    Some(written)
}

/// Appends a literal character.
fn push(written: &mut String, character: char) {
    match character.is_ascii() && !character.is_ascii_alphanumeric() {
        true => write!(written, "\\x{{{:x}}}", u32::from(character)).unwrap_or_default(),
        false => written.push(character),
    }
}

/// The text after a repetition count, if a brace begins one; otherwise the brace is a literal. `None` if the count is
/// too large.
fn counted(after: &str) -> Option<Option<&str>> {
    let Some((inside, after)) = after.split_once('}') else { return Some(None) };
    let (least, most) = inside.split_once(',').unwrap_or((inside, inside));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number(least) || !(most.is_empty() || is_number(most)) {
        return Some(None);
    }
    let fits =
        [least, most].iter().all(|text| text.is_empty() || text.parse().is_ok_and(|count: u32| count <= MAX_REPEAT));
    fits.then_some(Some(after))
}

/// The text after the beginning of a group.
fn group<'p>(rest: &'p str, written: &mut String) -> Option<&'p str> {
    written.push('(');
    let Some(after) = rest.strip_prefix('?') else { return Some(rest) };
    if after.starts_with("P<") || after.starts_with('<') {
        let end = rest.find('>')? + 1;
        written.push_str(&rest[..end]);
        return Some(&rest[end..]);
    }
    let flags = after.find(|character| !"imsU-".contains(character))?;
    let after = &after[flags..];
    let after = after.strip_prefix([':', ')'])?;
    written.push_str(&rest[..rest.len() - after.len()]);
    Some(after)
}

/// The text after an escape that is not in a class.
fn escape_outside<'p>(rest: &'p str, written: &mut String) -> Option<&'p str> {
    let after = &rest[rest.chars().next()?.len_utf8()..];
    match rest.as_bytes()[0] {
        b'A' | b'z' => written.push_str(&format!("\\{}", &rest[..1])),
        b'b' | b'B' => written.push_str(&format!("(?-u:\\{})", &rest[..1])),
        b'Q' => {
            let (quoted, after) = after.split_once("\\E").unwrap_or((after, ""));
            quoted.chars().for_each(|character| push(written, character));
            return Some(after);
        }
        _ => {
            let (item, after) = escape(rest)?;
            match item {
                Item::Character(character) => push(written, character),
                Item::Class(class) => written.push_str(&format!("[{class}]")),
            }
            return Some(after);
        }
    }
    Some(after)
}

/// An escape, inside or outside of a class, and the text after it.
fn escape(rest: &str) -> Option<(Item, &str)> {
    let first = rest.chars().next()?;
    let after = &rest[first.len_utf8()..];
    let class = match first {
        'd' => "0-9",
        'D' => "[^0-9]",
        's' => r"\t\n\x0c\r\x20",
        'S' => r"[^\t\n\x0c\r\x20]",
        'w' => "0-9A-Za-z_",
        'W' => "[^0-9A-Za-z_]",
        'p' | 'P' => return property(first, after),
        _ => "",
    };
    if !class.is_empty() {
        return Some((Item::Class(class.to_string()), after));
    }
    let character = match first {
        'a' => '\x07',
        'f' => '\x0c',
        'n' => '\n',
        'r' => '\r',
        't' => '\t',
        'v' => '\x0b',
        'x' => return hexadecimal(after),
        '0'..='7' => {
            let digits = rest.bytes().take(3).take_while(|byte| (b'0'..=b'7').contains(byte)).count();
            // would be a back-reference
            if first != '0' && digits < 2 {
                return None;
            }
            let character = char::from_u32(u32::from_str_radix(&rest[..digits], 8).ok()?)?;
            return Some((Item::Character(character), &rest[digits..]));
        }
        character if character.is_ascii() && !character.is_ascii_alphanumeric() => character,
        _ => return None,
    };
    Some((Item::Character(character), after))
}

fn hexadecimal(rest: &str) -> Option<(Item, &str)> {
    let (digits, after) = match rest.strip_prefix('{') {
        Some(braced) => braced.split_once('}')?,
        None => (rest.get(..2)?, &rest[2..]),
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    let code = is_number.then(|| u32::from_str_radix(digits, 16).ok()).flatten()?;
    Some((Item::Character(char::from_u32(code)?), after))
}

/// A Unicode class: a letter, or a name in braces, which `^` negates.
fn property(sign: char, rest: &str) -> Option<(Item, &str)> {
    let (name, after) = match rest.strip_prefix('{') {
        Some(braced) => braced.split_once('}')?,
        None => rest.split_at(rest.chars().next()?.len_utf8()),
    };
    let (name, negated) = name.strip_prefix('^').map_or((name, false), |name| (name, true));
    let sign = if (sign == 'P') != negated { 'P' } else { 'p' };
    Some((Item::Class(format!("\\{sign}{{{name}}}")), after))
}

/// The text after a class, given the text after its opening bracket.
fn class<'p>(rest: &'p str, written: &mut String) -> Option<&'p str> {
    let (mut rest, sign) = rest.strip_prefix('^').map_or((rest, ""), |rest| (rest, "^"));
    written.push('[');
    written.push_str(sign);
    let mut first = true;
    loop {
        if !std::mem::take(&mut first)
            && let Some(after) = rest.strip_prefix(']')
        {
            written.push(']');
            return Some(after);
        }
        if let Some(named) = rest.strip_prefix("[:")
            && let Some((name, after)) = named.split_once(":]")
        {
            written.push_str(&format!("[:{name}:]"));
            rest = after;
            continue;
        }
        let (item, after) = class_item(rest)?;
        rest = after;
        let low = match item {
            Item::Class(class) => {
                written.push_str(&class);
                continue;
            }
            Item::Character(low) => low,
        };
        push(written, low);
        if let Some(after) = rest.strip_prefix('-')
            && !after.starts_with(']')
        {
            let (Item::Character(high), after) = class_item(after)? else { return None };
            written.push('-');
            push(written, high);
            rest = after;
        }
    }
}

fn class_item(rest: &str) -> Option<(Item, &str)> {
    let character = rest.chars().next()?;
    let after = &rest[character.len_utf8()..];
    if character == '\\' { escape(after) } else { Some((Item::Character(character), after)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(pattern: &str, text: &str) -> Option<String> {
        let mut pattern = Longest::new(pattern)?;
        Some(pattern.find(text, 0).map_or("none".to_string(), |range| text[range].to_string()))
    }

    #[test]
    fn matches_are_the_longest_of_the_leftmost() {
        let cases = [
            ("a|ab|abc", "xabcd", "abc"),
            ("a+?", "xaaab", "aaa"),
            ("(?U)a+", "aaab", "aaa"),
            ("b*", "abb", ""),
            (r"\bc", "abc c", "c"),
            ("b|c+", "cca", "cc"),
            ("^c", "bc", "none"),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(found(pattern, text).as_deref(), Some(expected), "{pattern}");
        }
    }

    #[test]
    fn patterns_mean_what_they_mean_in_re2() {
        let cases = [
            (r"\w+", "éab_9ü", "ab_9"),
            (r"[\W]+", "aéb", "é"),
            (r"\d", "٣3", "3"),
            (r"[\s\d]+", "a 1\u{b}", " 1"),
            ("[[a]+", "x[a[", "[a["),
            ("[]a]+", "x]a", "]a"),
            ("[a&&b]+", "a&b", "a&b"),
            ("[a-]+", "x-a", "-a"),
            ("[[:alpha:]_]+", "1a_B2", "a_B"),
            ("a{,2}", "aa{,2}", "a{,2}"),
            ("a{2}", "aaa", "aa"),
            (r"\Qa.b\E+", "a.bb", "a.bb"),
            (r"\x41\x{e9}\101", "AéA", "AéA"),
            (r"\pL+", "1éa2", "éa"),
            (r"\p{^L}+", "a12", "12"),
            ("(?i)STRASSE", "strasse", "strasse"),
            ("(?P<n>a)(?:b)", "ab", "ab"),
            (r"\#\ -", "# -", "# -"),
            (".", "\né", "é"),
            ("é+", "aéé", "éé"),
        ];
        for (pattern, text, expected) in cases {
            assert_eq!(found(pattern, text).as_deref(), Some(expected), "{pattern}");
        }
    }

    #[test]
    fn patterns_that_re2_refuses_are_refused() {
        let patterns =
            ["(", ")", "[a", "*", "a**", "a{2}{3}", "a{1001}", r"\8", r"\1", r"\C", r"\y", "(?x)a", "(?=a)", "[b-a]"];
        for pattern in patterns {
            assert!(Longest::new(pattern).is_none(), "{pattern}");
        }
        assert!(Longest::new(&"(".repeat(100_000)).is_none());
        assert!(Longest::new("((a{100}){100}){100}").is_none());
    }

    #[test]
    fn whole_texts_are_compared() {
        let pattern = Whole::new("a|ab").unwrap();
        assert_eq!(["a", "ab", "abc", ""].map(|text| pattern.matches(text)), [true, true, false, false]);
    }
}
