// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose{foreign=true}' | FileCheck %s

// Operators of other domains are decomposed; ONNX's own compositions are left to the rewrites.
// CHECK: "func.func"
// CHECK: %[[T:.*]] = "onnx.Transpose"(%{{.*}}) <{perm = [0, 2, 1]}>
// CHECK: %[[P:.*]] = "onnx.MatMul"(%[[T]], %{{.*}})
// CHECK: %[[N:.*]] = "onnx.LRN"(%{{.*}})
// CHECK: "func.return"(%[[P]], %[[N]])
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<2x4x3xf32>, %y: tensor<2x4x5xf32>, %z: tensor<1x5x4x4xf32>):
    %r = "onnx.com.microsoft.FusedMatMul"(%x, %y) {transA = 1 : i64} : (tensor<2x4x3xf32>, tensor<2x4x5xf32>) -> tensor<*xf32>
    %s = "onnx.LRN"(%z) {size = 3 : i64} : (tensor<1x5x4x4xf32>) -> tensor<*xf32>
    "func.return"(%r, %s) : (tensor<*xf32>, tensor<*xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<2x4x3xf32>, tensor<2x4x5xf32>, tensor<1x5x4x4xf32>) -> (tensor<*xf32>, tensor<*xf32>)} : () -> ()
}) : () -> ()
