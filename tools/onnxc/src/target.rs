//! Checks the target and CPU of a command line. LLVM ends the process for an unknown one, so a helper process asks it.

use std::process::Command;

use codegen_llvm::Options;
use commandline::Failure;
use driver::ErrorClass;

use crate::arguments::Arguments;

/// Refuses a target or CPU that LLVM does not support.
pub(crate) fn check(arguments: &Arguments) -> Result<(), Failure> {
    let (cpu, target) = (arguments.cpu.as_deref(), arguments.target.as_deref());
    let own = format!("{}-", std::env::consts::ARCH);
    if cpu == Some("native") && target.is_some_and(|target| !target.starts_with(&own)) {
        return Err(Failure::usage(format!(
            "--cpu native: this machine's CPU does not fit the target {}",
            target.unwrap_or_default()
        )));
    }
    if target.is_none() && cpu.is_none_or(|cpu| cpu == "native") {
        return Ok(());
    }
    let internal =
        |error: std::io::Error| Failure::new(ErrorClass::Internal, format!("LLVM cannot be queried: {error}"));
    let mut command = Command::new(std::env::current_exe().map_err(internal)?);
    command.arg("--probe");
    let options = [("--target", target), ("--cpu", cpu)];
    for (option, value) in options {
        value.iter().for_each(|value| _ = command.arg(option).arg(value));
    }
    let answer = command.output().map_err(internal)?;
    let said = String::from_utf8_lossy(&answer.stderr).into_owned();
    if answer.status.success() && said.trim().is_empty() {
        return Ok(());
    }
    let named: Vec<String> =
        options.iter().filter_map(|(option, value)| value.map(|value| format!("{option} {value}"))).collect();
    let class = match answer.status.code() {
        Some(3) => ErrorClass::Unsupported,
        _ => ErrorClass::Usage,
    };
    Err(Failure::new(class, format!("{}: {}", named.join(" "), reason(&said))))
}

/// The error among LLVM's messages.
fn reason(said: &str) -> String {
    let available = |line: &str| Some(line.split_once(" - Select the ")?.0.trim().to_string());
    let available: Vec<String> = said.lines().filter_map(available).collect();
    if !available.is_empty() {
        return format!("the CPUs are native, {}", available.join(", "));
    }
    if said.contains("is not a recognized processor") {
        return "LLVM does not know this CPU of the target; --cpu help lists all".to_string();
    }
    let line = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("LLVM cannot compile for it");
    let line = ["error: ", "LLVM ERROR: "].iter().fold(line, |line, prefix| line.trim_start_matches(prefix));
    // the command line states which
    let what = line.strip_prefix("target ").and_then(|line| line.split_once(": ")).map_or(line, |(_, what)| what);
    what.replace(['"', '\\'], "'")
}

/// The helper process's side.
pub(crate) fn answer(arguments: &Arguments) -> Result<(), Failure> {
    let options = Options { triple: arguments.target.clone(), cpu: arguments.cpu().0, ..Options::default() };
    Ok(codegen_llvm::probe(&options)?)
}
