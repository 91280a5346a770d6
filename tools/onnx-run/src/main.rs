//! Compiles an ONNX model in process and runs it.

#[global_allocator]
static ALLOCATOR: commandline::Allocator = commandline::Allocator;

fn main() {
    // all threads are this program's
    placement::keep_apart();
    std::process::exit(onnx_run::main(std::env::args_os()));
}
