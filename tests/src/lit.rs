//! Text tests: files with `// RUN:` lines, as for upstream's lit.
//!
//! Of `onnx-opt %s … | FileCheck %s …`, `onnx-opt` runs in process. `%s` is the file, `%t` a path for temporary files,
//! `2>&1` joins the error output to the output, and `not` before a command expects it to fail.

use std::path::Path;
use std::process::Command;

use crate::{scratch, upstream};

/// Runs every RUN line of a file.
pub fn run_file(path: &Path) -> datatest_stable::Result<()> {
    let text = std::fs::read_to_string(path)?;
    let lines: Vec<&str> = text.lines().filter_map(|line| line.trim_start().strip_prefix("// RUN:")).collect();
    if lines.is_empty() {
        return Err("the file has no RUN line".into());
    }
    lines.into_iter().try_for_each(|line| run_line(line, path)).map_err(Into::into)
}

fn run_line(line: &str, path: &Path) -> Result<(), String> {
    let mut input = String::new();
    for command in split_unquoted(line, '|') {
        input = run_command(&words(&command), path, &input).map_err(|problem| format!("{line}\n{problem}"))?;
    }
    Ok(())
}

/// Runs one command on the output of the previous one; returns its output.
fn run_command(words: &[String], path: &Path, input: &str) -> Result<String, String> {
    let (fails, words) = match words.split_first() {
        Some((first, rest)) if first == "not" => (true, rest),
        _ => (false, words),
    };
    let (program, arguments) = words.split_first().ok_or("the command is missing")?;
    let joined = arguments.iter().any(|word| word == "2>&1");
    let temporary = scratch::place(&path.file_name().unwrap_or_default().to_string_lossy());
    let arguments: Vec<String> = arguments
        .iter()
        .filter(|word| *word != "2>&1")
        .map(|word| word.replace("%s", &path.to_string_lossy()).replace("%t", &temporary.to_string_lossy()))
        .collect();
    match program.as_str() {
        "onnx-opt" => {
            let (code, output, errors) = onnx_opt(&arguments, input);
            let is_as_expected = if fails { code != 0 } else { code == 0 };
            let shown = if joined { format!("{errors}{output}") } else { output };
            if is_as_expected { Ok(shown) } else { Err(format!("exit code {code}\n{errors}")) }
        }
        "FileCheck" => file_check(&arguments, input),
        other => Err(format!("cannot run {other}")),
    }
}

fn onnx_opt(arguments: &[String], input: &str) -> (i32, String, String) {
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let all = std::iter::once("onnx-opt").chain(arguments.iter().map(String::as_str));
    let code = onnx_opt::run(all, &mut input.as_bytes(), &mut output, &mut errors);
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (code, text(output), text(errors))
}

/// Checks an input; the output is empty.
fn file_check(arguments: &[String], input: &str) -> Result<String, String> {
    match upstream::file_check() {
        Some(program) => upstream::pipe(Command::new(program).args(arguments), input),
        None => Ok(String::new()),
    }
}

/// Splits at a character outside of quotes.
fn split_unquoted(text: &str, separator: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut quote = None;
    for character in text.chars() {
        match quote {
            None if character == separator => {
                parts.push(String::new());
                continue;
            }
            None if matches!(character, '"' | '\'') => quote = Some(character),
            Some(open) if open == character => quote = None,
            _ => {}
        }
        parts.last_mut().expect("there is one part from the start").push(character);
    }
    parts
}

/// The words of a command; quotes are removed.
fn words(command: &str) -> Vec<String> {
    let parts = split_unquoted(command, ' ').into_iter().filter(|part| !part.is_empty());
    parts.map(|part| part.replace(['"', '\''], "")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_join() {
        assert_eq!(words("a --b='c d|e' f"), ["a", "--b=c d|e", "f"]);
        assert_eq!(split_unquoted("a 'b|c' | d", '|'), ["a 'b|c' ", " d"]);
    }
}
