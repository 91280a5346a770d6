//! The LLVM back end's path with a stand-in: this very program, started again as the worker, compiles with Cranelift.

#![allow(unsafe_code, reason = "sets an environment variable before any thread starts")]

use std::io::{Read, Write};
use std::sync::Arc;

use driver::{Backend, Compiler, Options, Session, Tensor};

const EXPONENTIALS: &str = r#"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<?x37xf32>):
    %c0 = "arith.constant"() {value = 0 : index} : () -> index
    %n = "tensor.dim"(%x, %c0) : (tensor<?x37xf32>, index) -> index
    %empty = "tensor.empty"(%n) : (index) -> tensor<?x37xf32>
    %y = "linalg.generic"(%x, %empty) ({
    ^bb0(%v: f32, %old: f32):
      %e = "math.exp"(%v) : (f32) -> f32
      "linalg.yield"(%e) : (f32) -> ()
    }) {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<?x37xf32>, tensor<?x37xf32>) -> tensor<?x37xf32>
    "func.return"(%y) : (tensor<?x37xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<?x37xf32>) -> tensor<?x37xf32>} : () -> ()
}) : () -> ()
"#;

fn main() {
    if std::env::args().any(|argument| argument == "--worker") {
        work();
    } else if !std::env::args().any(|argument| argument == "--list") {
        runs_what_workers_compile();
        println!("test runs_what_workers_compile ... ok");
    }
}

fn work() {
    let mut text = String::new();
    std::io::stdin().read_to_string(&mut text).expect("reads the module");
    let module = ir::parse_module(&text, "stdin", None).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let object = codegen_cranelift::object(&module, &Default::default());
    let object = object.unwrap_or_else(|errors| panic!("{}", errors[0]));
    std::io::stdout().write_all(&object).expect("writes the object");
}

fn runs_what_workers_compile() {
    let program = std::env::current_exe().expect("this program has a path");
    // SAFETY: no other thread runs yet.
    unsafe { std::env::set_var("ONNXC", program) };
    let module = ir::parse_module(EXPONENTIALS, "test.mlir", None).expect("parses");
    let options = Options { backend: Backend::Llvm, threads: 2, ..Options::default() };
    let model = Compiler::new(options).compile_structured(module).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let mut session = Session::new(Arc::new(model));
    let values: Vec<f32> = (0..3 * 37).map(|i| i as f32 / 16.0 - 3.0).collect();
    let outputs = session.run(&[Tensor::from_f32(&[3, 37], &values).expect("fits")]).expect("runs");
    for (found, value) in outputs[0].to_f64().expect("is numbers").into_iter().zip(values) {
        let exact = f64::from(value).exp();
        assert!((found - exact).abs() <= 1e-6 * exact, "exp({value}) is {found}");
    }
}
