// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='onnx-to-linalg,outline-kernels,build-kernels{target=llvm}' | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='onnx-to-linalg,outline-kernels{attention=false}' | FileCheck %s --check-prefix=APART

// Scores and weights of a group of rows are in thread-local memory; weights that are a result are materialised whole.
// CHECK: callee = @matmul_softmax_matmul_0}>
// CHECK: callee = @matmul_0}>
// CHECK: callee = @softmax_0}>
// CHECK: callee = @matmul_1}>
// CHECK: sym_name = "matmul_softmax_matmul_0"
// CHECK: "scf.parallel"
// CHECK: callee = @rt_scratch
// CHECK: "rt.contract"
// CHECK: "math.exp"
// CHECK: "rt.contract"

// APART-NOT: matmul_softmax_matmul
// APART: callee = @matmul_0}>
// APART: callee = @softmax_0}>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%q: tensor<2x3x40x8xf32>, %k: tensor<2x3x8x40xf32>, %v: tensor<2x3x40x8xf32>):
    %scores = "onnx.MatMul"(%q, %k) : (tensor<2x3x40x8xf32>, tensor<2x3x8x40xf32>) -> tensor<2x3x40x40xf32>
    %weights = "onnx.Softmax"(%scores) {axis = -1 : si64} : (tensor<2x3x40x40xf32>) -> tensor<2x3x40x40xf32>
    %first = "onnx.MatMul"(%weights, %v) : (tensor<2x3x40x40xf32>, tensor<2x3x40x8xf32>) -> tensor<2x3x40x8xf32>
    %again = "onnx.MatMul"(%first, %k) : (tensor<2x3x40x8xf32>, tensor<2x3x8x40xf32>) -> tensor<2x3x40x40xf32>
    %shown = "onnx.Softmax"(%again) {axis = -1 : si64} : (tensor<2x3x40x40xf32>) -> tensor<2x3x40x40xf32>
    %second = "onnx.MatMul"(%shown, %v) : (tensor<2x3x40x40xf32>, tensor<2x3x40x8xf32>) -> tensor<2x3x40x8xf32>
    "func.return"(%second, %shown) : (tensor<2x3x40x8xf32>, tensor<2x3x40x40xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<2x3x40x8xf32>, tensor<2x3x8x40xf32>, tensor<2x3x40x8xf32>) -> (tensor<2x3x40x8xf32>, tensor<2x3x40x40xf32>)} : () -> ()
}) : () -> ()
