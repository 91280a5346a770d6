//! Routines on strings: normalising, splitting, joining, and conversion from and to other types.

use std::sync::Arc;

use super::element::{Element, Generic};
use super::{Call, Failure, Outcome, Output, Tensor};
use crate::stop::looking;

/// Scalar operations of a string that is made, looked up or compared.
pub(super) const STRING: usize = 256;

/// The strings of a tensor.
pub(super) fn texts(call: &mut Call<'_>, tensor: &Tensor<'_>) -> Vec<Arc<str>> {
    let table = call.context.strings();
    tensor.elements::<i64>().iter().inspect(looking(STRING)).map(|&number| table.text(number)).collect()
}

pub(super) fn concat_strings(call: &mut Call<'_>) -> Outcome {
    let (a, b, mut output) = (call.tensor(), call.tensor(), call.output());
    let pairs: Vec<_> = texts(call, &a).into_iter().zip(texts(call, &b)).collect();
    for (target, (a, b)) in output.elements::<i64>().iter_mut().zip(pairs).inspect(looking(STRING)) {
        limits::ask((a.len() + b.len()) as u64)?;
        *target = call.context.strings().number(&format!("{a}{b}"));
    }
    Ok(())
}

pub(super) fn normalize_strings(call: &mut Call<'_>) -> Outcome {
    let (tensor, stopwords) = (call.tensor(), call.tensor());
    let (case, is_case_sensitive) = (call.index(), call.flag());
    let compared = |text: &str| if is_case_sensitive { text.to_string() } else { text.to_lowercase() };
    let stopwords: Vec<String> = texts(call, &stopwords).iter().map(|text| compared(text)).collect();
    let (columns, rows) = tensor.extents.split_last().ok_or(Failure::Reason(1))?;
    if rows.iter().any(|&rows| rows != 1) {
        return Err(Failure::Reason(1));
    }
    let mut kept: Vec<String> = Vec::with_capacity(*columns);
    for text in texts(call, &tensor).iter().inspect(looking(STRING)).filter(|text| !stopwords.contains(&compared(text)))
    {
        kept.push(match case {
            1 => text.to_lowercase(),
            2 => text.to_uppercase(),
            _ => text.to_string(),
        });
    }
    if kept.is_empty() && !stopwords.is_empty() {
        kept.push(String::new());
    }
    let mut output = call.returned(&[rows, &[kept.len()]].concat())?;
    for (target, text) in output.elements::<i64>().iter_mut().zip(kept).inspect(looking(STRING)) {
        *target = call.context.strings().number(&text);
    }
    Ok(())
}

pub(super) fn split_strings(call: &mut Call<'_>) -> Outcome {
    let (tensor, delimiter, most) = (call.tensor(), call.index(), call.index());
    let delimiter = call.context.strings().text(delimiter);
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    let texts = texts(call, &tensor);
    let split: Vec<Vec<&str>> =
        texts.iter().inspect(looking(STRING)).map(|text| parts(text, &delimiter, most)).collect();
    let width = split.iter().map(Vec::len).max().unwrap_or(0);
    let mut output = call.returned(&[&tensor.extents[..], &[width]].concat())?;
    let numbers = output.elements::<i64>();
    for (row, parts) in split.iter().enumerate().inspect(looking(STRING * width)) {
        for (target, part) in numbers[row * width..].iter_mut().zip(parts) {
            *target = call.context.strings().number(part);
        }
    }
    let mut counts = call.returned(&tensor.extents)?;
    for (target, parts) in counts.elements::<i64>().iter_mut().zip(&split) {
        *target = parts.len() as i64;
    }
    Ok(())
}

/// Splits a text at no more than `most` delimiters; at white space if the delimiter is empty.
fn parts<'t>(text: &'t str, delimiter: &str, most: usize) -> Vec<&'t str> {
    if !delimiter.is_empty() {
        return text.splitn(most.saturating_add(1), delimiter).collect();
    }
    let mut rest = text.trim_start();
    let mut parts = Vec::new();
    while !rest.is_empty() {
        let end = match parts.len() < most {
            true => rest.find(char::is_whitespace).unwrap_or(rest.len()),
            false => rest.len(),
        };
        let (part, after) = rest.split_at(end);
        parts.push(part);
        rest = after.trim_start();
    }
    parts
}

/// Formats elements as text.
struct Format<'t, 'c>(&'t Tensor<'c>);

impl Generic for Format<'_, '_> {
    type Result = Vec<String>;

    fn run<T: Element>(self) -> Vec<String> {
        self.0.elements::<T>().iter().inspect(looking(STRING)).map(|element| element.text()).collect()
    }
}

pub(super) fn format_numbers(call: &mut Call<'_>) -> Outcome {
    let (tensor, mut output) = (call.tensor(), call.output());
    let texts = tensor.kind.dispatch(Format(&tensor));
    for (target, text) in output.elements::<i64>().iter_mut().zip(texts).inspect(looking(STRING)) {
        *target = call.context.strings().number(&text);
    }
    Ok(())
}

/// Parses texts.
struct Parse<'t, 'o, 'c> {
    texts: &'t [Arc<str>],
    output: &'o mut Output<'c>,
}

impl Generic for Parse<'_, '_, '_> {
    type Result = Outcome;

    fn run<T: Element>(self) -> Outcome {
        for (target, text) in self.output.elements::<T>().iter_mut().zip(self.texts).inspect(looking(STRING)) {
            *target = T::parse(text.trim()).ok_or(Failure::Reason(1))?;
        }
        Ok(())
    }
}

pub(super) fn parse_numbers(call: &mut Call<'_>) -> Outcome {
    let (tensor, mut output) = (call.tensor(), call.output());
    let texts = texts(call, &tensor);
    output.kind.dispatch(Parse { texts: &texts, output: &mut output })
}

/// NumPy's format: the shortest digits that read back, with an exponent below -4 or above 15.
pub(super) fn float_text(value: f64, digits: &str) -> String {
    if value.is_nan() {
        return "nan".to_string();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf" } else { "-inf" }.to_string();
    }
    let (mantissa, exponent) = digits.split_once('e').unwrap_or((digits, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if value != 0.0 && !(-4..16).contains(&exponent) {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{mantissa}e{sign}{:02}", exponent.abs());
    }
    let (sign, mantissa) = mantissa.strip_prefix('-').map_or(("", mantissa), |mantissa| ("-", mantissa));
    let all: String = mantissa.chars().filter(|&c| c != '.').collect();
    match usize::try_from(exponent) {
        Ok(whole) => {
            let padded = format!("{all:0<width$}", width = whole + 2);
            let (whole, fraction) = padded.split_at(whole + 1);
            format!("{sign}{whole}.{fraction}")
        }
        Err(_) => format!("{sign}0.{}{all}", "0".repeat((-exponent - 1) as usize)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_written_as_numpy_writes_them() {
        let cases = [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (-2.5, "-2.5"),
            (100.0, "100.0"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (1.5e-7, "1.5e-07"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.25e100, "1.25e+100"),
            (f64::NAN, "nan"),
            (f64::NEG_INFINITY, "-inf"),
            (123.456, "123.456"),
        ];
        for (value, expected) in cases {
            assert_eq!(value.text(), expected);
        }
        assert_eq!(0.1f32.text(), "0.1");
        assert_eq!(16777216.0f32.text(), "16777216.0");
    }

    #[test]
    fn texts_are_split_as_python_splits_them() {
        assert_eq!(parts(" a  b c ", "", usize::MAX), ["a", "b", "c"]);
        assert_eq!(parts(" a  b c ", "", 1), ["a", "b c "]);
        assert_eq!(parts("a,,b", ",", usize::MAX), ["a", "", "b"]);
        assert_eq!(parts("a,b,c", ",", 1), ["a", "b,c"]);
        assert_eq!(parts("", ",", 9), [""]);
        assert!(parts("  ", "", 9).is_empty());
    }
}
