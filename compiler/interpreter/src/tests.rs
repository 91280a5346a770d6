//! Calls of the C ABI, errors, and loops; what operations mean is compared with compiled code in `tests`.

use std::collections::BTreeMap;

use ir::{ErrorClass, parse_module};
use smallvec::smallvec;

use crate::{Bits, Interpreter};

fn interpreter(text: &str, symbols: &[(&str, usize)], limit: u64) -> Interpreter {
    let module = parse_module(text, "test", None).unwrap_or_else(|errors| panic!("{}", errors[0]));
    let symbols: BTreeMap<String, usize> = symbols.iter().map(|&(name, address)| (name.to_string(), address)).collect();
    Interpreter::new(module, symbols, limit)
}

/// More words than there are registers for them, and both kinds of floats between them.
extern "C" fn weighted(
    a: i64,
    x: f32,
    b: u8,
    y: f64,
    c: i64,
    d: i64,
    e: i64,
    f: i64,
    g: *const i64,
    h: i64,
    z: f32,
    i: i64,
) -> f32 {
    let words = [a, b.into(), c, d, e, f, g as i64, h, i];
    let words: i64 = words.iter().zip(1..).map(|(word, weight)| word * weight).sum();
    words as f32 + x + y as f32 + z
}

#[test]
fn calls_functions_of_c() {
    let text = r#"
"func.func"() ({}) {sym_name = "weighted", sym_visibility = "private", function_type = (i64, f32, i8, f64, i64, i64, i64, i64, memref<?xi64>, i64, f32, i64) -> f32} : () -> ()
"func.func"() ({
^bb0(%a: i64, %x: f32, %b: i8, %g: memref<?xi64>):
  %y = "arith.extf"(%x) : (f32) -> f64
  %r = "func.call"(%a, %x, %b, %y, %a, %a, %a, %a, %g, %a, %x, %a) {callee = @weighted} : (i64, f32, i8, f64, i64, i64, i64, i64, memref<?xi64>, i64, f32, i64) -> f32
  "func.return"(%r) : (f32) -> ()
}) {sym_name = "main", function_type = (i64, f32, i8, memref<?xi64>) -> f32} : () -> ()"#;
    let interpreter = interpreter(text, &[("weighted", weighted as *const () as usize)], 10);
    let arguments = [3, u128::from(0.25f32.to_bits()), 0xff, 16].map(|bits| smallvec![bits]);
    let result = interpreter.call("main", &arguments).unwrap_or_else(|error| panic!("{error}"));
    // 3 (1 + 3 + 4 + 5 + 6 + 8 + 9) + 2 · 255 + 7 · 16 + ¾
    assert_eq!(result, Some(smallvec![u128::from(730.75f32.to_bits())]));
}

#[test]
fn ends_at_the_limit() {
    let text = r#"
"func.func"() ({
^bb0:
  "cf.br"()[^again] : () -> ()
^again:
  "cf.br"()[^again] : () -> ()
}) {sym_name = "main", function_type = () -> ()} : () -> ()"#;
    let error = interpreter(text, &[], 1000).call("main", &[]).expect_err("it does not end");
    assert_eq!(error.class, ErrorClass::Unsupported);
}

#[test]
fn names_an_operation_without_a_meaning_and_its_place() {
    let text = r#"
"func.func"() ({
  %x = "tensor.empty"() : () -> tensor<4xf32> loc("node")
  "func.return"() : () -> ()
}) {sym_name = "main", function_type = () -> ()} : () -> ()"#;
    let error = interpreter(text, &[], 10).call("main", &[]).expect_err("it has no meaning");
    assert!(error.statement().contains("node: tensor.empty has no meaning"), "{error}");
}

/// `%environment[%i] += %i + 1` for each iteration.
const LOOP: &str = r#"
"func.func"() ({
^bb0(%environment: memref<?xi64>, %begin: index, %end: index):
  %one = "arith.constant"() {value = 1 : index} : () -> index
  "cf.br"(%begin)[^head] : (index) -> ()
^head(%i: index):
  %more = "arith.cmpi"(%i, %end) {predicate = 2 : i64} : (index, index) -> i1
  "cf.cond_br"(%more)[^body, ^exit] {operandSegmentSizes = array<i32: 1, 0, 0>} : (i1) -> ()
^body:
  %next = "arith.addi"(%i, %one) : (index, index) -> index
  %term = "arith.index_cast"(%next) : (index) -> i64
  %old = "memref.load"(%environment, %i) : (memref<?xi64>, index) -> i64
  %new = "arith.addi"(%old, %term) : (i64, i64) -> i64
  "memref.store"(%new, %environment, %i) : (i64, memref<?xi64>, index) -> ()
  "cf.br"(%next)[^head] : (index) -> ()
^exit:
  "func.return"() : () -> ()
}) {sym_name = "body", function_type = (memref<?xi64>, index, index) -> ()} : () -> ()
"func.func"() ({
^bb0(%environment: memref<?xi64>, %count: index):
  "rt.parallel_for"(%environment, %count, %count) {callee = @body} : (memref<?xi64>, index, index) -> ()
  "func.return"() : () -> ()
}) {sym_name = "main", function_type = (memref<?xi64>, index) -> ()} : () -> ()"#;

#[test]
fn a_parallel_loop_has_each_iteration_once() {
    let interpreter = interpreter(LOOP, &[], 1000);
    for count in [-1i64, 0, 1, 2, 7] {
        let mut buffer = vec![0i64; 8];
        let address: Bits = smallvec![buffer.as_mut_ptr().expose_provenance() as u128];
        let result = interpreter.call("main", &[address, smallvec![u128::from(count as u64)]]);
        assert_eq!(result, Ok(None));
        let expected: Vec<i64> = (1..=8).map(|term| if term <= count { term } else { 0 }).collect();
        assert_eq!(buffer, expected);
    }
}
