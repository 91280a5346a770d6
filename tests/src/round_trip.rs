//! Exact round trips: print(parse(print(m))) is print(m).

use ir::{Module, PrintOptions, Registry};

/// Checks a module, with and without locations; the error shows the first line that differs.
pub fn check(module: &Module) -> Result<(), String> {
    for print_locations in [false, true] {
        check_with(module, &PrintOptions { print_locations, ..PrintOptions::default() })?;
    }
    Ok(())
}

/// Checks a module printed with some options, in both forms.
pub fn check_with(module: &Module, options: &PrintOptions) -> Result<(), String> {
    let registry = dialects::registry();
    for generic in [true, false] {
        check_form(module, &registry, &PrintOptions { generic, ..options.clone() })?;
    }
    Ok(())
}

fn check_form(module: &Module, registry: &Registry, options: &PrintOptions) -> Result<(), String> {
    let first = ir::print_module_as(module, registry, options);
    let read = ir::parse_module(&first, "printed.mlir", Some(registry));
    let read = read.map_err(|errors| errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))?;
    // a text without locations gives operations their positions in the text
    let second = ir::print_module_as(&read, registry, options);
    let differs = first.lines().zip(second.lines()).find(|(a, b)| a != b);
    match differs {
        None if first.len() == second.len() => Ok(()),
        None => Err("one of the texts is longer".to_string()),
        Some((a, b)) => Err(format!("printed  {a}\nand then {b}")),
    }
}
