//! Models with unusual or undeclared ranks: each compiles, or ends with an error that gives the reason; none panics.

use driver::{Compiler, ErrorClass, Options};
use tests::scratch;

/// The expected result of a compilation.
enum Expected {
    /// Code.
    Code,
    /// An error with this text.
    Error(&'static str),
}
use Expected::{Code, Error};

/// A graph in ONNX's textual syntax, in opset 18, and the expected result.
const CASES: &[(&str, &str, Expected)] = &[
    ("reader", "(float[] x) => (float[] y) { y = Transpose <perm = [1, 0]> (x) }", Code),
    ("gemm", "(float[] x) => (float[] y) <float[2,1] w = {1, 2}> { y = Gemm (x, w) }", Code),
    ("images", "(float[] x) => (float[] y) <float[1,1,1,2] w = {1, 2}> { y = ConvTranspose (x, w) }", Code),
    ("result", "(float[] x) => (float[3] y) { y = Sigmoid (x) }", Code),
    ("nobody", "(float[] x) => (float[] y) { y = Sigmoid (x) }", Error("rank of its result is not known")),
    (
        "declared",
        "(float[] x) => (float[1,1,2,2] y) { y = MaxPool <kernel_shape = [2, 2]> (x) }",
        Error("rank of an operand is not known"),
    ),
    (
        "bound",
        "(float[3,2] x, float[3,2,2] low) => (float[3,2] y) { y = Clip (x, low) }",
        Error("must have rank 1 or less"),
    ),
    ("list", "(float[3,2] x, int64 axes) => (float[] y) { y = ReduceMin <keepdims = 1> (x, axes) }", Code),
    ("long", "(float[6] x, int64[4611686018427387904] s) => (float[] y) { y = Reshape (x, s) }", Error("too large")),
    ("many", "(float[3] x) => (float[3] y) { y = Concat <axis = 0> (\"\", x) }", Code),
    ("none", "(float[3] x) => (float[3] y) { y = Concat <axis = 0> (\"\") }", Error("input-variadic-named")),
    ("contraction", "(float[B,1,N] x) => (float[] y) <float[1,1,1] w = {2}> { z = MatMul (w, x) y = Cos (z) }", Code),
    (
        "step",
        "() => (float[] y) <float[2] x = {1, 2}, int64[1] a = {9223372036854775807}, int64[1] b = \
         {-9223372036854775808}, int64[1] c = {0}> { y = Slice (x, a, b, c, b) }",
        Code,
    ),
    (
        "branches",
        "(bool c, float[M,N] d, float[K] x, int64[M,1] i) => (float[K] y) <int64[1] one = {1}> { b = If (c) <then_branch \
         = t () => (float[] u) { u = Unsqueeze (d, one) }, else_branch = e () => (float[] v) { v = Identity (d) }> r = \
         ReduceSum (b, one) s = Squeeze (r, one) y = ScatterND (x, i, s) }",
        Code,
    ),
    (
        "sequence",
        "(float[R,C] w) => (float[] y) <int64[1] zero = {0}> { h = Shape <start = 0, end = 1> (w) n = Squeeze (h) s = \
         SequenceEmpty () t = Loop (n, \"\", s) <body = b (int64 i, bool c, seq(float[]) q) => (bool g, seq(float[]) r) { \
         e = ReduceSum <keepdims = 0> (w, zero) r = SequenceInsert (q, e) g = Identity (c) }> y = ConcatFromSequence \
         <axis = 0, new_axis = 1> (t) }",
        Code,
    ),
    (
        "shadow",
        "(int64 m, bool c, float[3] v) => (float[3] y) { y = Loop (m, c, v) <body = b (int64 i, bool c, float[3] v) => \
         (bool g, float[3] w) { g = Identity (c) w = Add (v, v) }> }",
        Code,
    ),
    (
        "groups",
        "(float[2,4,3] x, float[2] s, float[2] b) => (float[2,4,3] y) { y = GroupNormalization <num_groups = 2> (x, s, b) }",
        Code,
    ),
    ("type", "(int64 n) => (float[] y) { y = HannWindow <output_datatype = 99> (n) }", Error("element-type-known")),
];

#[test]
fn each_compiles_or_says_why_not() {
    let folder = scratch::folder("ranks");
    let mut wrong = Vec::new();
    for (name, graph, expected) in CASES {
        let path = folder.join(format!("{name}.onnxtxt"));
        let text = format!("<ir_version: 8, opset_import: [\"\" : 18]>\ng {graph}\n");
        std::fs::write(&path, text).expect("the scratch folder can be written");
        match (Compiler::new(Options::default()).compile_file(&path), expected) {
            (Ok(_), Code) => {}
            (Ok(_), Error(message)) => wrong.push(format!("{name}: compiles, where '{message}' was expected")),
            (Err(found), expected) => {
                let said = found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
                let is_expected = matches!(expected, Error(message) if said.contains(message));
                if !is_expected || found.iter().any(|error| error.class == ErrorClass::Internal) {
                    wrong.push(format!("{name}: {said}"));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
