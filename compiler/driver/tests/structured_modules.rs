//! Runs hand-written modules at the structured level.

use std::sync::Arc;

use driver::{Compiler, Options, Session, Tensor};

const MATMUL_BIAS_RELU: &str = r#"
#row = affine_map<(d0, d1) -> (d1)>
#identity = affine_map<(d0, d1) -> (d0, d1)>
#left = affine_map<(d0, d1, d2) -> (d0, d2)>
#right = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
#parallel = #linalg.iterator_type<parallel>
#reduction = #linalg.iterator_type<reduction>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<?x5xf32>, %w: tensor<5x10xf32>, %b: tensor<10xf32>):
    %c0 = "arith.constant"() {value = 0 : index} : () -> index
    %zero = "arith.constant"() {value = 0.0 : f32} : () -> f32
    %n = "tensor.dim"(%x, %c0) : (tensor<?x5xf32>, index) -> index
    %empty = "tensor.empty"(%n) : (index) -> tensor<?x10xf32>
    %init = "linalg.generic"(%b, %empty) ({
    ^bb0(%bias: f32, %old: f32):
      "linalg.yield"(%bias) : (f32) -> ()
    }) {indexing_maps = [#row, #identity], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
    %product = "linalg.generic"(%x, %w, %init) ({
    ^bb0(%p: f32, %q: f32, %sum: f32):
      %m = "arith.mulf"(%p, %q) : (f32, f32) -> f32
      %s = "arith.addf"(%sum, %m) : (f32, f32) -> f32
      "linalg.yield"(%s) : (f32) -> ()
    }) {indexing_maps = [#left, #right, #out], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>} : (tensor<?x5xf32>, tensor<5x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
    %relu = "linalg.generic"(%product, %empty) ({
    ^bb0(%v: f32, %old: f32):
      %r = "arith.maximumf"(%v, %zero) : (f32, f32) -> f32
      "linalg.yield"(%r) : (f32) -> ()
    }) {indexing_maps = [#identity, #identity], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<?x10xf32>, tensor<?x10xf32>) -> tensor<?x10xf32>
    "func.return"(%relu) : (tensor<?x10xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<?x5xf32>, tensor<5x10xf32>, tensor<10xf32>) -> tensor<?x10xf32>} : () -> ()
}) : () -> ()
"#;

fn session(text: &str) -> Session {
    let module = ir::parse_module(text, "test.mlir", None).expect("parses");
    let model = Compiler::new(Options { threads: 2, ..Options::default() }).compile_structured(module);
    Session::new(Arc::new(model.unwrap_or_else(|errors| panic!("{}", errors[0]))))
}

fn numbers(count: usize, seed: i32) -> Vec<f32> {
    (0..count as i32).map(|i| ((i * 7 + seed * 3) % 11 - 5) as f32 / 4.0).collect()
}

#[test]
fn multiplies_adds_and_clips() {
    let mut session = session(MATMUL_BIAS_RELU);
    for n in [1, 3, 70] {
        let (x, w, b) = (numbers(n * 5, 1), numbers(50, 2), numbers(10, 3));
        let inputs = [
            Tensor::from_f32(&[n as i64, 5], &x).unwrap(),
            Tensor::from_f32(&[5, 10], &w).unwrap(),
            Tensor::from_f32(&[10], &b).unwrap(),
        ];
        let outputs = session.run(&inputs).expect("runs");
        assert_eq!(outputs[0].shape, [n as i64, 10]);
        let found = outputs[0].to_f64().unwrap();
        for i in 0..n {
            for j in 0..10 {
                let sum: f32 = b[j] + (0..5).map(|k| x[i * 5 + k] * w[k * 10 + j]).sum::<f32>();
                assert_eq!(found[i * 10 + j], f64::from(sum.max(0.0)), "element {i}, {j} of {n}");
            }
        }
    }
}

#[test]
fn writes_outputs_again_that_the_caller_dropped() {
    let mut session = session(MATMUL_BIAS_RELU);
    let mut run = |x: f32| {
        let [x, w, b] = [(vec![2, 5], vec![x; 10]), (vec![5, 10], vec![1.0; 50]), (vec![10], vec![0.0; 10])]
            .map(|(shape, values)| Tensor::from_f32(&shape, &values).unwrap());
        session.run(&[x, w, b]).expect("runs").remove(0)
    };
    let address = |tensor: &Tensor| tensor.data.bytes().as_ptr();
    let first = run(1.0);
    let place = address(&first);
    drop(first);
    let second = run(2.0);
    assert_eq!(address(&second), place);
    let third = run(3.0);
    assert_ne!(address(&third), place);
    assert_eq!(second.to_f64().unwrap(), [10.0; 20]);
    assert_eq!(third.to_f64().unwrap(), [15.0; 20]);
}

#[test]
fn names_the_input_that_is_wrong() {
    let mut session = session(MATMUL_BIAS_RELU);
    let wrong = Tensor::from_f32(&[2, 4], &[0.0; 8]).unwrap();
    let rest = [Tensor::from_f32(&[5, 10], &[0.0; 50]).unwrap(), Tensor::from_f32(&[10], &[0.0; 10]).unwrap()];
    let [w, b] = rest;
    let errors = session.run(&[wrong, w, b]).expect_err("has the wrong shape");
    assert_eq!(errors[0].message, "input 'input0' must be float32 [?, 5], found float32 [2, 4]");
}
