// With wide vectors, functions on f64 become arithmetic, too, and so do f32 functions that are computed in f64.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='expand-math{inline=doubles}' | FileCheck %s

// CHECK-NOT: rt_exp_f64
// CHECK-NOT: rt_cosh_f64
// CHECK-NOT: rt_pow_f32
// CHECK: "arith.shli"({{.*}}) : (vector<8xi64>, vector<8xi64>) -> vector<8xi64>
// CHECK: "arith.truncf"({{.*}}) : (vector<16xf64>) -> vector<16xf32>
// the quotient of values of very different magnitude needs more digits than f64 has
// CHECK: "math.trunc"({{.*}}) : (vector<16xf64>) -> vector<16xf64>
// CHECK: "scf.if"
// CHECK: callee = @rt_fmod_f32
// sines of doubles are long
// CHECK: callee = @rt_sin_f64
"func.func"() ({
^bb0(%a: vector<8xf64>, %b: vector<16xf32>, %c: vector<16xf32>):
  %0 = "math.exp"(%a) : (vector<8xf64>) -> vector<8xf64>
  %1 = "math.cosh"(%b) : (vector<16xf32>) -> vector<16xf32>
  %2 = "math.powf"(%b, %c) : (vector<16xf32>, vector<16xf32>) -> vector<16xf32>
  %3 = "arith.remf"(%b, %c) : (vector<16xf32>, vector<16xf32>) -> vector<16xf32>
  %4 = "math.sin"(%a) : (vector<8xf64>) -> vector<8xf64>
  "func.return"() : () -> ()
}) {sym_name = "f", function_type = (vector<8xf64>, vector<16xf32>, vector<16xf32>) -> ()} : () -> ()
