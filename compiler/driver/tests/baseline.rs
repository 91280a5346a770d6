//! Runs a model while its code is still being compiled.

use std::fmt::Write;
use std::sync::Arc;

use driver::{Backend, Compiler, Options, Session, Tensor};

const PRODUCTS: i64 = 12;

/// `x · w1 · w2 · …`, in matrices of different widths, so that each product is a separate kernel.
fn chain() -> String {
    let widths: Vec<i64> = (0..=PRODUCTS).map(|at| 5 + at).collect();
    let mut weights = String::new();
    let (mut inputs, mut types) = (format!("%x0: tensor<3x{}xf32>", widths[0]), format!("tensor<3x{}xf32>", widths[0]));
    for (at, pair) in widths.windows(2).enumerate() {
        let [from, to] = *pair else { unreachable!("windows of two") };
        write!(inputs, ", %w{at}: tensor<{from}x{to}xf32>").unwrap();
        write!(types, ", tensor<{from}x{to}xf32>").unwrap();
        let (left, right, result) =
            (format!("tensor<3x{from}xf32>"), format!("tensor<{from}x{to}xf32>"), format!("tensor<3x{to}xf32>"));
        let next = at + 1;
        write!(
            weights,
            r#"
    %e{at} = "tensor.empty"() : () -> {result}
    %i{at} = "linalg.generic"(%zero, %e{at}) ({{
    ^bb0(%z: f32, %old: f32):
      "linalg.yield"(%z) : (f32) -> ()
    }}) {{indexing_maps = [#none, #both], iterator_types = [#parallel, #parallel], operandSegmentSizes = array<i32: 1, 1>}} : (f32, {result}) -> {result}
    %x{next} = "linalg.generic"(%x{at}, %w{at}, %i{at}) ({{
    ^bb0(%p: f32, %q: f32, %sum: f32):
      %m = "arith.mulf"(%p, %q) : (f32, f32) -> f32
      %s = "arith.addf"(%sum, %m) : (f32, f32) -> f32
      "linalg.yield"(%s) : (f32) -> ()
    }}) {{indexing_maps = [#left, #right, #out], iterator_types = [#parallel, #parallel, #reduction], operandSegmentSizes = array<i32: 2, 1>}} : ({left}, {right}, {result}) -> {result}"#
        )
        .unwrap();
    }
    let result = format!("tensor<3x{}xf32>", widths[widths.len() - 1]);
    format!(
        r#"
#none = affine_map<(d0, d1) -> ()>
#both = affine_map<(d0, d1) -> (d0, d1)>
#left = affine_map<(d0, d1, d2) -> (d0, d2)>
#right = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
#parallel = #linalg.iterator_type<parallel>
#reduction = #linalg.iterator_type<reduction>
"builtin.module"() ({{
  "func.func"() ({{
  ^bb0({inputs}):
    %zero = "arith.constant"() {{value = 0.0 : f32}} : () -> f32{weights}
    "func.return"(%x{PRODUCTS}) : ({result}) -> ()
  }}) {{sym_name = "main_graph", function_type = ({types}) -> {result}}} : () -> ()
}}) : () -> ()
"#
    )
}

fn inputs() -> Vec<Tensor> {
    let tensor = |rows: i64, columns: i64| {
        let numbers: Vec<f32> = (0..rows * columns).map(|at| ((at * 7) % 5 - 2) as f32).collect();
        Tensor::from_f32(&[rows, columns], &numbers).expect("one value per element")
    };
    std::iter::once(tensor(3, 5)).chain((0..PRODUCTS).map(|at| tensor(5 + at, 6 + at))).collect()
}

fn expected() -> Vec<f64> {
    let inputs = inputs();
    let mut left = inputs[0].to_f64().expect("floats");
    for weights in &inputs[1..] {
        let right = weights.to_f64().expect("floats");
        let (inner, columns) = (weights.shape[0] as usize, weights.shape[1] as usize);
        let element = |at: usize| {
            let (row, column) = (at / columns, at % columns);
            (0..inner).map(|k| left[row * inner + k] * right[k * columns + column]).sum()
        };
        left = (0..3 * columns).map(element).collect();
    }
    left
}

#[test]
fn sessions_that_run_at_once_need_the_same_code() {
    let expected = expected();
    for (workers, backend) in [(1, Backend::Auto), (2, Backend::Auto), (4, Backend::Cranelift)] {
        for _ in 0..5 {
            let module = ir::parse_module(&chain(), "test.mlir", None).expect("parses");
            let compiler = Compiler::new(Options { threads: 1, workers, backend, ..Options::default() });
            let model = Arc::new(compiler.compile_structured(module).expect("compiles"));
            std::thread::scope(|scope| {
                for _ in 0..4 {
                    scope.spawn(|| {
                        let outputs = Session::new(model.clone()).run(&inputs()).expect("runs");
                        let found = outputs[0].to_f64().expect("floats");
                        let largest = expected.iter().fold(0.0f64, |largest, x| largest.max(x.abs()));
                        for (x, y) in found.iter().zip(&expected) {
                            assert!((x - y).abs() <= 1e-5 * largest, "{x} for {y}");
                        }
                    });
                }
            });
        }
    }
}

#[test]
fn a_model_that_nobody_runs_can_go_at_once() {
    for _ in 0..5 {
        let module = ir::parse_module(&chain(), "test.mlir", None).expect("parses");
        drop(Compiler::new(Options { workers: 2, ..Options::default() }).compile_structured(module).expect("compiles"));
    }
}
