//! Prints a model as the onnx dialect: `dump [--data] model.onnx`. Constants are elided unless `--data` is given.

use std::path::Path;
use std::process::ExitCode;

use ir::PrintOptions;

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let data = arguments.first().is_some_and(|argument| argument == "--data");
    if data {
        arguments.remove(0);
    }
    let [path] = &arguments[..] else {
        eprintln!("usage: dump [--data] model.onnx");
        return ExitCode::from(2);
    };
    match import::import_file(Path::new(path), &import::Options::default()) {
        Ok(module) => {
            let options = if data { PrintOptions::default() } else { PrintOptions::brief() };
            print!("{}", ir::print_module(&module, &options));
            ExitCode::SUCCESS
        }
        Err(diagnostics) => {
            diagnostics.iter().for_each(|diagnostic| eprintln!("{diagnostic}"));
            let code = diagnostics.iter().map(|diagnostic| diagnostic.class.exit_code()).max().unwrap_or(70);
            ExitCode::from(code as u8)
        }
    }
}
