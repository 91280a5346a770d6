//! Routines that compare strings with regular expressions, and split them by such.

use std::ops::Range;
use std::sync::Arc;

use super::pattern::{Longest, Whole};
use super::text::{STRING, texts};
use super::{Call, Failure, Outcome};
use crate::stop::looking;

pub(super) fn match_strings(call: &mut Call<'_>) -> Outcome {
    let (tensor, pattern, output) = (call.tensor(), call.index(), call.output());
    let pattern = call.context.strings().text(pattern);
    let pattern = Whole::new(&pattern).ok_or(Failure::Reason(1))?;
    for (target, text) in output.bytes.iter_mut().zip(texts(call, &tensor)).inspect(looking(STRING)) {
        *target = pattern.matches(&text) as u8;
    }
    Ok(())
}

pub(super) fn tokenize_strings(call: &mut Call<'_>) -> Outcome {
    let (tensor, patterns) = (call.tensor(), call.tensor());
    let (mode, least, mark, pad) = (call.index(), call.index(), call.flag(), call.index());
    let least = usize::try_from(least).unwrap_or(0);
    let compiled = |pattern: &Arc<str>| Longest::new(pattern).ok_or(Failure::Reason(1));
    let mut patterns = match mode {
        0 => vec![],
        _ => texts(call, &patterns).iter().map(compiled).collect::<Result<Vec<_>, _>>()?,
    };
    let texts = texts(call, &tensor);
    let rows: Vec<Vec<&str>> = texts
        .iter()
        .inspect(looking(STRING))
        .map(|text| match mode {
            0 => characters(text).collect(),
            1 => patterns.iter_mut().fold(vec![&**text], |parts, separator| {
                parts.iter().flat_map(|part| between(part, separator, least)).collect()
            }),
            _ => patterns.first_mut().map_or(vec![], |pattern| tokens(text, pattern, least)),
        })
        .collect();
    let longest = rows.iter().map(Vec::len).max().unwrap_or(0);
    let [begin, end] = if mark { ["\u{2}", "\u{3}"].map(Some) } else { [None; 2] };
    // no marks if there are no tokens at all
    let width = if longest > 0 && mark { longest + 2 } else { longest };
    let mut output = call.returned(&[&tensor.extents[..], &[width]].concat())?;
    let numbers = output.elements::<i64>();
    numbers.fill(pad);
    for (numbers, row) in numbers.chunks_mut(width.max(1)).zip(&rows).inspect(looking(STRING * width)) {
        for (target, token) in numbers.iter_mut().zip(begin.iter().chain(row).chain(&end)) {
            *target = call.context.strings().number(token);
        }
    }
    Ok(())
}

fn characters(text: &str) -> impl Iterator<Item = &str> {
    text.char_indices().map(|(start, character)| &text[start..start + character.len_utf8()])
}

/// Whether a text has at least `least` characters.
fn has_characters(text: &str, least: usize) -> bool {
    least == 0 || text.chars().nth(least - 1).is_some()
}

/// The parts of a text between separators, those with at least `least` characters. An empty separator matches single
/// characters.
fn between<'t>(text: &'t str, separator: &mut Longest, least: usize) -> Vec<&'t str> {
    let mut parts = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let found = separator.find(text, start).unwrap_or(text.len()..text.len());
        let part = &text[start..found.start];
        if has_characters(part, least) {
            parts.push(part);
        }
        start = after(text, found);
    }
    parts
}

/// The matches of a pattern that have at least `least` characters.
fn tokens<'t>(text: &'t str, pattern: &mut Longest, least: usize) -> Vec<&'t str> {
    let mut tokens = Vec::new();
    let mut start = 0;
    while start < text.len()
        && let Some(found) = pattern.find(text, start)
    {
        let token = &text[found.clone()];
        start = match has_characters(token, least) {
            true => {
                tokens.push(token);
                found.end
            }
            // other tokens may begin inside a short one
            false => after(text, found.start..found.start),
        };
    }
    tokens
}

/// Where the search continues after a match: at its end, or one character later if it is empty.
fn after(text: &str, found: Range<usize>) -> usize {
    let next = text[found.start..].chars().next().map_or(1, char::len_utf8);
    if found.is_empty() { found.start + next } else { found.end }
}
