//! `--sanitize`: an access outside of a buffer ends the run with an error that names the node, the buffer and the byte.

use std::path::Path;
use std::sync::Arc;

use driver::{Backend, Compiler, Options, Result, Session, Tensor};
use tests::worker::onnxc;

/// Reads the element that follows by `SHIFT`, whether there is one or not, and the elements of `x` as those of eight.
const NEIGHBOUR: &str = r#"
#same = affine_map<(d0) -> (d0)>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<?xf32>):
    %zero = "arith.constant"() {value = 0 : index} : () -> index
    %shift = "arith.constant"() {value = SHIFT : index} : () -> index
    %n = "tensor.dim"(%x, %zero) : (tensor<?xf32>, index) -> index
    %empty = "tensor.empty"(%n) : (index) -> tensor<?xf32>
    %y = "linalg.generic"(%x, %empty) ({
    ^bb0(%v: f32, %old: f32):
      %i = "linalg.index"() {dim = 0 : i64} : () -> index
      %j = "arith.addi"(%i, %shift) : (index, index) -> index
      %w = "tensor.extract"(%x, %j) : (tensor<?xf32>, index) -> f32
      %s = "arith.addf"(%v, %w) : (f32, f32) -> f32
      "linalg.yield"(%s) : (f32) -> ()
    }) {indexing_maps = [#same, #same], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> loc("neighbour")
    "func.return"(%y) : (tensor<?xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<?xf32>) -> tensor<?xf32>} : () -> ()
}) : () -> ()
"#;

/// Takes `x` as a tensor of eight elements.
const TAKEN_AS_EIGHT: &str = r#"
#same = affine_map<(d0) -> (d0)>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<?xf32>):
    %eight = "tensor.cast"(%x) : (tensor<?xf32>) -> tensor<8xf32>
    %empty = "tensor.empty"() : () -> tensor<8xf32>
    %y = "linalg.generic"(%eight, %empty) ({
    ^bb0(%v: f32, %old: f32):
      %s = "arith.addf"(%v, %v) : (f32, f32) -> f32
      "linalg.yield"(%s) : (f32) -> ()
    }) {indexing_maps = [#same, #same], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32> loc("double")
    "func.return"(%y) : (tensor<8xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<?xf32>) -> tensor<8xf32>} : () -> ()
}) : () -> ()
"#;

/// The product of two matrices, of which the first alone says how many steps there are.
const PRODUCT: &str = r#"
#left = affine_map<(d0, d1, d2) -> (d0, d2)>
#right = affine_map<(d0, d1, d2) -> (d2, d1)>
#out = affine_map<(d0, d1, d2) -> (d0, d1)>
#same = affine_map<(d0, d1) -> (d0, d1)>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<?x?xf32>, %w: tensor<?x?xf32>):
    %zero = "arith.constant"() {value = 0 : index} : () -> index
    %one = "arith.constant"() {value = 1 : index} : () -> index
    %n = "tensor.dim"(%x, %zero) : (tensor<?x?xf32>, index) -> index
    %m = "tensor.dim"(%w, %one) : (tensor<?x?xf32>, index) -> index
    %empty = "tensor.empty"(%n, %m) : (index, index) -> tensor<?x?xf32>
    %start = "linalg.generic"(%empty) ({
    ^bb0(%old: f32):
      %nothing = "arith.constant"() {value = 0.0 : f32} : () -> f32
      "linalg.yield"(%nothing) : (f32) -> ()
    }) {indexing_maps = [#same], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>} : (tensor<?x?xf32>) -> tensor<?x?xf32>
    %y = "linalg.generic"(%x, %w, %start) ({
    ^bb0(%a: f32, %b: f32, %sum: f32):
      %p = "arith.mulf"(%a, %b) : (f32, f32) -> f32
      %s = "arith.addf"(%sum, %p) : (f32, f32) -> f32
      "linalg.yield"(%s) : (f32) -> ()
    }) {indexing_maps = [#left, #right, #out], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 2, 1>} : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> loc("product")
    "func.return"(%y) : (tensor<?x?xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>} : () -> ()
}) : () -> ()
"#;

/// Exponentials of a row, with the extent of a part of it.
const EXPONENTIALS: &str = r#"
#same = affine_map<(d0) -> (d0)>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<?xf32>, %z: tensor<?xf32>):
    %zero = "arith.constant"() {value = 0 : index} : () -> index
    %n = "tensor.dim"(%x, %zero) : (tensor<?xf32>, index) -> index
    %empty = "tensor.empty"(%n) : (index) -> tensor<?xf32>
    %y = "linalg.generic"(%x, %z, %empty) ({
    ^bb0(%v: f32, %w: f32, %old: f32):
      %e = "math.exp"(%w) : (f32) -> f32
      %s = "arith.mulf"(%v, %e) : (f32, f32) -> f32
      "linalg.yield"(%s) : (f32) -> ()
    }) {indexing_maps = [#same, #same, #same], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>} : (tensor<?xf32>, tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32> loc("exponentials")
    "func.return"(%y) : (tensor<?xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<?xf32>, tensor<?xf32>) -> tensor<?xf32>} : () -> ()
}) : () -> ()
"#;

fn session(text: &str, backend: Backend) -> Session {
    let module = ir::parse_module(text, "test.mlir", None).expect("parses");
    let helper = (backend == Backend::Llvm).then(|| onnxc(Path::new(env!("CARGO_BIN_EXE_models"))).to_path_buf());
    let options = Options { backend, threads: 2, sanitize: true, helper, ..Options::default() };
    let model = Compiler::new(options).compile_structured(module);
    Session::new(Arc::new(model.unwrap_or_else(|errors| panic!("{}", errors[0]))))
}

fn run(session: &mut Session, count: usize) -> Result<Vec<Tensor>> {
    let numbers: Vec<f32> = (0..count).map(|number| number as f32).collect();
    session.run(&[Tensor::from_f32(&[count as i64], &numbers).expect("it has that size")])
}

/// What the only error says, with its notes.
fn refusal(result: Result<Vec<Tensor>>) -> String {
    let errors = result.expect_err("the access is refused");
    format!("{} {}", errors[0], errors[0].notes.join(" "))
}

fn check(backend: Backend) {
    for (shift, count, size) in [(1, 6, "24 bytes"), (1, 100_000, "400000 bytes"), (-1, 6, "from byte -4 on")] {
        let mut session = session(&NEIGHBOUR.replace("SHIFT", &shift.to_string()), backend);
        let text = refusal(run(&mut session, count));
        for part in ["neighbour", "the kernel", "accesses operand", size] {
            assert!(text.contains(part), "shift {shift} of {count} on {backend:?}: {text}");
        }
        // the session stays usable
        assert!(run(&mut session, 0).is_ok(), "an empty tensor has no access");
    }
    let mut same = session(&NEIGHBOUR.replace("SHIFT", "0"), backend);
    assert_eq!(run(&mut same, 3).expect("it runs")[0].to_f64().expect("floats"), [0.0, 2.0, 4.0]);
    let mut eight = session(TAKEN_AS_EIGHT, backend);
    assert!(run(&mut eight, 8).is_ok());
    refusal(run(&mut eight, 6));
}

/// A tensor of ones.
fn ones(shape: &[i64]) -> Tensor {
    let count = shape.iter().product::<i64>() as usize;
    Tensor::from_f32(shape, &vec![1.0; count]).expect("it has that size")
}

/// Runs a model on tensors of ones, of fitting shapes and of others; returns why it refuses those.
fn refused(text: &str, backend: Backend, fitting: [&[i64]; 2], others: [&[i64]; 2]) -> String {
    let mut session = session(text, backend);
    assert!(session.run(&fitting.map(ones)).is_ok(), "{backend:?}");
    let refusal = refusal(session.run(&others.map(ones)));
    assert!(session.run(&fitting.map(ones)).is_ok(), "the session stays usable on {backend:?}");
    refusal
}

#[test]
fn micro_kernels_are_not_passed_short_buffers() {
    // all that the micro-kernel would access is reported, not a vector of it
    let text = refused(PRODUCT, Backend::Cranelift, [&[4, 8], &[8, 32]], [&[4, 8], &[7, 32]]);
    for part in ["product", "accesses operand 1", "1024 bytes from byte 0 on", "has 896 bytes"] {
        assert!(text.contains(part), "{text}");
    }
    let text = refused(EXPONENTIALS, Backend::Cranelift, [&[700], &[700]], [&[700], &[699]]);
    for part in ["exponentials", "accesses operand 1", "752 bytes from byte 2048 on", "has 2796 bytes"] {
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn llvm_refuses_operands_of_contractions_out_of_bounds() {
    let text = refused(PRODUCT, Backend::Llvm, [&[4, 8], &[8, 32]], [&[4, 8], &[7, 32]]);
    assert!(text.contains("accesses operand 1"), "{text}");
}

#[test]
fn cranelift_refuses_accesses_out_of_bounds() {
    check(Backend::Cranelift);
}

#[test]
fn llvm_refuses_accesses_out_of_bounds() {
    check(Backend::Llvm);
}
