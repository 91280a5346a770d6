//! Compiles an ONNX model to native code, or to the text of any level on the way there.

#[global_allocator]
static ALLOCATOR: commandline::Allocator = commandline::Allocator;

fn main() {
    std::process::exit(onnxc_tool::main(std::env::args_os()));
}
