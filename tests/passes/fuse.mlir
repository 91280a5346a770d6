// RUN: onnx-opt --mlir-print-op-generic %s --split-input-file --pass-pipeline='onnx-to-linalg,outline-kernels' | FileCheck %s

// A transpose that keeps the columns of a matrix product innermost is fused into its kernel.
// CHECK: callee = @matmul_transpose
// CHECK-NOT: func.call
// CHECK: func.return
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%a: tensor<2x3x4x5xf32>, %b: tensor<5x32xf32>):
    %product = "onnx.MatMul"(%a, %b) : (tensor<2x3x4x5xf32>, tensor<5x32xf32>) -> tensor<2x3x4x32xf32>
    %moved = "onnx.Transpose"(%product) {perm = [0, 2, 1, 3]} : (tensor<2x3x4x32xf32>) -> tensor<2x4x3x32xf32>
    "func.return"(%moved) : (tensor<2x4x3x32xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<2x3x4x5xf32>, tensor<5x32xf32>) -> tensor<2x4x3x32xf32>} : () -> ()
}) : () -> ()

// -----

// Micro-kernels write contiguous columns: a transpose that moves them elsewhere is a separate kernel.
// CHECK: callee = @matmul_
// CHECK: callee = @transpose_
// CHECK: func.return
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%a: tensor<2x3x4xf32>, %b: tensor<4x32xf32>):
    %product = "onnx.MatMul"(%a, %b) : (tensor<2x3x4xf32>, tensor<4x32xf32>) -> tensor<2x3x32xf32>
    %moved = "onnx.Transpose"(%product) {perm = [0, 2, 1]} : (tensor<2x3x32xf32>) -> tensor<2x32x3xf32>
    "func.return"(%moved) : (tensor<2x32x3xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<2x3x4xf32>, tensor<4x32xf32>) -> tensor<2x32x3xf32>} : () -> ()
}) : () -> ()
