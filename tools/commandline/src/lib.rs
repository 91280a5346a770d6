//! Shared code of the command-line tools: errors, output, progress, memory, temporary files.

mod allocator;
mod drafts;
mod failure;
mod fatal;
mod output;
mod progress;

pub use allocator::Allocator;
pub use drafts::{Draft, Drafts, Temporary, cannot_write};
pub use failure::{Failure, guard};
pub use output::{print, warn, write_binary};
pub use progress::Progress;

pub use clap_complete::Shell;

/// `NAME=N` of `--dim`.
pub fn dimension(text: &str) -> Result<(String, i64), String> {
    let (name, extent) = text.split_once('=').ok_or("expected NAME=N")?;
    let extent = extent.parse().ok().filter(|&extent| extent >= 0);
    Ok((name.to_string(), extent.ok_or("expected a number that is not negative after =")?))
}

/// `NAME=NxNxN`: the shape of an input.
pub fn shape(text: &str) -> Result<(String, Vec<i64>), String> {
    let (name, extents) = text.rsplit_once('=').ok_or("expected NAME=NxNxN")?;
    let extent = |text: &str| text.parse().ok().filter(|&extent: &i64| extent >= 0);
    let extents: Option<Vec<i64>> = extents.split('x').filter(|text| !text.is_empty()).map(extent).collect();
    Ok((name.to_string(), extents.ok_or("expected non-negative integers separated by x after =")?))
}

/// A number of seconds, threads, or the like.
pub fn count(text: &str) -> Result<u64, String> {
    text.parse().map_err(|_| "expected a whole number that is not negative".to_string())
}

/// A bound of a difference.
pub fn tolerance(text: &str) -> Result<f64, String> {
    let number = text.parse().ok().filter(|&number: &f64| number >= 0.0);
    number.ok_or_else(|| "expected a number that is not negative".to_string())
}

/// Refuses an option that gives one name two different values.
pub fn expect_one_value<T: PartialEq>(option: &str, values: &[(String, T)]) -> Result<(), Failure> {
    let earlier = |at: usize| values[..at].iter().find(|(name, value)| *name == values[at].0 && *value != values[at].1);
    match (1..values.len()).find_map(earlier) {
        Some((name, _)) => Err(Failure::usage(format!("{option} {name}: it is given twice, with different values"))),
        None => Ok(()),
    }
}

/// The shell completions of a tool's command line, as a script.
pub fn completions<A: clap::CommandFactory>(shell: Shell) -> Vec<u8> {
    let mut command = A::command();
    let name = command.get_name().to_string();
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut script);
    script
}
