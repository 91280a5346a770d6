//! Runs pass pipelines on textual IR or on an ONNX model.

fn main() {
    let code =
        onnx_opt::run(std::env::args_os(), &mut std::io::stdin(), &mut std::io::stdout(), &mut std::io::stderr());
    std::process::exit(code);
}
