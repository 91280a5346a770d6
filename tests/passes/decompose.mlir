// RUN: onnx-opt --mlir-print-op-generic %s --split-input-file --pass-pipeline='decompose' | FileCheck %s

// A composition is replaced by its definition; unused operations are removed.
// CHECK-NOT: onnx.SwiGLU
// CHECK: %[[GATE:.*]] = "onnx.Swish"(%{{.*}}) <{alpha = 1.000000e+00 : f32}> : (tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK-NEXT: %[[RESULT:.*]] = "onnx.Mul"(%[[GATE]], %{{.*}})
// CHECK-NEXT: "func.return"(%[[RESULT]])
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%a: tensor<2x3xf32>, %b: tensor<2x3xf32>):
    %y = "onnx.SwiGLU"(%a, %b) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    "func.return"(%y) : (tensor<2x3xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>} : () -> ()
}) : () -> ()

// -----

// A recurrent layer is one matrix product with the input and a scan over the rest.
// CHECK-NOT: onnx.RNN
// CHECK: "onnx.MatMul"
// CHECK: "onnx.Scan"
// CHECK: "onnx.MatMul"
// CHECK: "onnx.Tanh"
// CHECK: "onnx.Yield"
// CHECK: "func.return"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<5x2x3xf32>, %w: tensor<1x4x3xf32>, %r: tensor<1x4x4xf32>):
    %y, %h = "onnx.RNN"(%x, %w, %r) {hidden_size = 4 : si64} : (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> (tensor<5x1x2x4xf32>, tensor<1x2x4xf32>)
    "func.return"(%y) : (tensor<5x1x2x4xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<5x2x3xf32>, tensor<1x4x3xf32>, tensor<1x4x4xf32>) -> tensor<5x1x2x4xf32>} : () -> ()
}) : () -> ()
