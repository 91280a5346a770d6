//! Exact round trips: print(parse(print(m))) is print(m).

use ir::{Module, PrintOptions};

/// Checks a module, with and without locations; the error shows the first line that differs.
pub fn check(module: &Module) -> Result<(), String> {
    for print_locations in [false, true] {
        check_with(module, &PrintOptions { print_locations, ..PrintOptions::default() })?;
    }
    Ok(())
}

/// Checks a module printed with some options.
pub fn check_with(module: &Module, options: &PrintOptions) -> Result<(), String> {
    let first = ir::print_module(module, options);
    let read = ir::parse_module(&first, "printed.mlir", Some(&dialects::registry()));
    let read = read.map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    // a text without locations gives operations their positions in the text
    let second = ir::print_module(&read, options);
    let differs = first.lines().zip(second.lines()).find(|(a, b)| a != b);
    match differs {
        None if first.len() == second.len() => Ok(()),
        None => Err("one of the texts is longer".to_string()),
        Some((a, b)) => Err(format!("printed  {a}\nand then {b}")),
    }
}
