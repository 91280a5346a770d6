// RUN: onnx-opt %s --pass-pipeline='onnx-to-linalg,outline-kernels{shapes=shared}' | FileCheck %s

// A contraction writes its whole result. A slice that begins at 0 reads it where it is, but has room for a part of it: it is another kernel.
// CHECK-LABEL: func.func @main_graph
// CHECK: call @matmul_0
// CHECK: call @relu_slice_0
// CHECK: call @matmul_0
// CHECK: call @slice_0
// What covers all of it is the same kernel.
// CHECK: call @matmul_slice_0
// Nor are rows of scores weighed while they are computed if there are more scores than weights.
// CHECK: call @matmul_1
// CHECK: call @slice_softmax_0
// CHECK: call @matmul_1
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<64x40xf32>, %w: tensor<40x48xf32>, %lines: tensor<?x40xf32>, %q: tensor<2x32x40xf32>, %s: tensor<2x40x48xf32>, %v: tensor<2x20x24xf32>):
    %begin = "onnx.Constant"() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
    %end = "onnx.Constant"() {value = dense<20> : tensor<1xi64>} : () -> tensor<1xi64>
    %whole = "onnx.Constant"() {value = dense<64> : tensor<1xi64>} : () -> tensor<1xi64>
    %first = "onnx.Constant"() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
    %second = "onnx.Constant"() {value = dense<2> : tensor<1xi64>} : () -> tensor<1xi64>
    %none = "onnx.NoValue"() : () -> none
    %product = "onnx.MatMul"(%x, %w) : (tensor<64x40xf32>, tensor<40x48xf32>) -> tensor<64x48xf32>
    %positive = "onnx.Relu"(%product) : (tensor<64x48xf32>) -> tensor<64x48xf32>
    %rows = "onnx.Slice"(%positive, %begin, %end, %first, %none) : (tensor<64x48xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, none) -> tensor<20x48xf32>
    %dynamic = "onnx.MatMul"(%lines, %w) : (tensor<?x40xf32>, tensor<40x48xf32>) -> tensor<?x48xf32>
    %top = "onnx.Slice"(%dynamic, %begin, %end, %first, %none) : (tensor<?x48xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, none) -> tensor<?x48xf32>
    %other = "onnx.MatMul"(%x, %w) : (tensor<64x40xf32>, tensor<40x48xf32>) -> tensor<64x48xf32>
    %all = "onnx.Slice"(%other, %begin, %whole, %first, %none) : (tensor<64x48xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, none) -> tensor<64x48xf32>
    %scores = "onnx.MatMul"(%q, %s) : (tensor<2x32x40xf32>, tensor<2x40x48xf32>) -> tensor<2x32x48xf32>
    %some = "onnx.Slice"(%scores, %begin, %end, %second, %none) : (tensor<2x32x48xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, none) -> tensor<2x32x20xf32>
    %weights = "onnx.Softmax"(%some) {axis = -1 : si64} : (tensor<2x32x20xf32>) -> tensor<2x32x20xf32>
    %values = "onnx.MatMul"(%weights, %v) : (tensor<2x32x20xf32>, tensor<2x20x24xf32>) -> tensor<2x32x24xf32>
    "func.return"(%rows, %top, %all, %values) : (tensor<20x48xf32>, tensor<?x48xf32>, tensor<64x48xf32>, tensor<2x32x24xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<64x40xf32>, tensor<40x48xf32>, tensor<?x40xf32>, tensor<2x32x40xf32>, tensor<2x40x48xf32>, tensor<2x20x24xf32>) -> (tensor<20x48xf32>, tensor<?x48xf32>, tensor<64x48xf32>, tensor<2x32x24xf32>)} : () -> ()
}) : () -> ()
