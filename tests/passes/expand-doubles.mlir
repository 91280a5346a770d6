// Where vectors are wide, functions on f64 are arithmetic, too, and so is what is computed in it for f32.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='expand-math{inline=doubles}' | FileCheck %s

// CHECK-NOT: rt_exp_f64
// CHECK-NOT: rt_cosh_f64
// CHECK-NOT: rt_pow_f32
// CHECK: "arith.shli"({{.*}}) : (vector<8xi64>, vector<8xi64>) -> vector<8xi64>
// CHECK: "arith.truncf"({{.*}}) : (vector<16xf64>) -> vector<16xf32>
// the quotient of numbers that are far apart needs more digits than there are
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
