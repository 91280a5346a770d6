//! Writing to the standard streams, which may be closed.

use std::io::{ErrorKind, IsTerminal, Write};

use crate::failure::Failure;

/// Writes text to the standard output.
pub fn print(text: &str) -> Result<(), Failure> {
    write(text.as_bytes())
}

/// Writes binary data to standard output, unless that is a terminal.
pub fn write_binary(bytes: &[u8]) -> Result<(), Failure> {
    if std::io::stdout().is_terminal() {
        return Err(Failure::usage("the result is not printed to a terminal: name a file with -o FILE"));
    }
    write(bytes)
}

fn write(bytes: &[u8]) -> Result<(), Failure> {
    let mut output = std::io::stdout().lock();
    match output.write_all(bytes).and_then(|()| output.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Err(Failure::unheard()),
        Err(error) => Err(Failure::input(format!("standard output: {error}"))),
    }
}

/// Writes a line to standard error, if it is open.
pub fn warn(line: &str) {
    let _ = writeln!(std::io::stderr(), "{line}");
}
