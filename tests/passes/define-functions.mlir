// Functions of the runtime become functions of the module; sines are calls of one if multiplications are rounded.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='expand-math{inline=rounded},define-functions' | FileCheck %s

// CHECK: sym_name = "f"
// CHECK: "func.call"({{.*}}) <{callee = @rt_exp_f64}> : (f64) -> f64
// CHECK: "func.call"({{.*}}) <{callee = @rt_cos_f32}> : (f32) -> f32
// CHECK: "func.call"({{.*}}) <{callee = @rt_cbrt_f64}> : (f64) -> f64
// CHECK: sym_name = "rt_exp_f64"
// CHECK: "arith.maximumf"
// CHECK: sym_name = "rt_cos_f32"
// CHECK: "arith.muli"
// an undefined function
// CHECK: "func.func"() <{{.*}}sym_name = "rt_cbrt_f64", sym_visibility = "private"}> ({
// CHECK-NEXT: }) : () -> ()
"func.func"() ({
^bb0(%a: f64, %b: f32):
  %0 = "math.exp"(%a) : (f64) -> f64
  %1 = "math.cos"(%b) : (f32) -> f32
  %2 = "math.cbrt"(%b) : (f32) -> f32
  "func.return"() : () -> ()
}) {sym_name = "f", function_type = (f64, f32) -> ()} : () -> ()
