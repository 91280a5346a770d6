//! The memory of a loop. It is measured for the process, so that no other test may run in it.

mod graph;

use driver::Tensor;
use graph::{scalar, session};

fn numbers(values: &[f32]) -> Tensor {
    Tensor::from_f32(&[values.len() as i64], values).expect("the number of values matches the shape")
}

/// The peak memory of this process in bytes; `None` if the system does not report it.
fn peak_memory() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM"))?;
    Some(1024 * line.split_whitespace().nth(1)?.parse::<usize>().ok()?)
}

#[test]
fn many_iterations_run_in_flat_memory() {
    let operation = r#""onnx.Loop"(%m, %none, %x) ({
    ^bb0(%i: tensor<i64>, %c: tensor<i1>, %v: tensor<?xf32>):
      %one = "onnx.Constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
      %next = "onnx.Add"(%v, %one) : (tensor<?xf32>, tensor<f32>) -> tensor<?xf32>
      "onnx.Yield"(%c, %next) : (tensor<i1>, tensor<?xf32>) -> ()
    }) : (tensor<i64>, none, tensor<?xf32>) -> tensor<?xf32>"#;
    let none = r#"%none = "onnx.NoValue"() : () -> none"#;
    let mut session = session("%m: tensor<i64>, %x: tensor<?xf32>", none, operation, "tensor<?xf32>");
    let data = numbers(&[0.0; 4096]);
    for _ in 0..2 {
        session.run(&[scalar(10), data.clone()]).expect("runs");
    }
    session.model().settle().expect("compiles");
    let before = peak_memory();
    let outputs = session.run(&[scalar(100_000), data]).expect("runs");
    let found = outputs[0].to_f64().expect("numbers");
    assert_eq!((found[0], found[4095]), (100_000.0, 100_000.0));
    if let (Some(before), Some(after)) = (before, peak_memory()) {
        assert!(after - before < 16 << 20, "{before} {after}");
    }
}
