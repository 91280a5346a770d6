// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=optimize | FileCheck %s

// Bodies are optimised like the main graph, together with the values that they capture.
// CHECK: "onnx.Loop"
// CHECK-NOT: onnx.Transpose
// CHECK: "onnx.Add"
// CHECK: "onnx.Yield"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%m: tensor<i64>, %c: tensor<i1>, %x: tensor<2x3xf32>):
    %one = "onnx.Constant"() {value = dense<1.0> : tensor<f32>} : () -> tensor<f32>
    %y = "onnx.Loop"(%m, %c, %x) ({
    ^bb0(%i: tensor<i64>, %go: tensor<i1>, %v: tensor<2x3xf32>):
      %a = "onnx.Transpose"(%v) {perm = [1, 0]} : (tensor<2x3xf32>) -> tensor<3x2xf32>
      %b = "onnx.Transpose"(%a) {perm = [1, 0]} : (tensor<3x2xf32>) -> tensor<2x3xf32>
      %d = "onnx.Mul"(%b, %one) : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
      %e = "onnx.Add"(%d, %x) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
      "onnx.Yield"(%go, %e) : (tensor<i1>, tensor<2x3xf32>) -> ()
    }) : (tensor<i64>, tensor<i1>, tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%y) : (tensor<2x3xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<i64>, tensor<i1>, tensor<2x3xf32>) -> tensor<2x3xf32>} : () -> ()
}) : () -> ()
