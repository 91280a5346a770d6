// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=optimize | FileCheck %s

// Nine heads of queries and three of keys and values, which are repeated for the matrix products: they are read in place.
// CHECK: ^bb0(%[[Q:.*]]: tensor<?x9x?x64xf32>, %[[K:.*]]: tensor<?x3x?x64xf32>, %[[V:.*]]: tensor<?x3x?x64xf32>,
// CHECK-NOT: tensor<?x9x64x?xf32>
// CHECK: %[[SCORES:.*]] = "onnx.MatMul"(%{{.*}}, %{{.*}}) : (tensor<?x3x3x?x64xf32>, tensor<?x3x1x64x?xf32>) -> tensor<?x3x3x?x?xf32>
// CHECK: %[[JOINED:.*]] = "onnx.Reshape"(%[[SCORES]], %{{.*}}) : (tensor<?x3x3x?x?xf32>, tensor<4xi64>) -> tensor<?x9x?x?xf32>
// CHECK: "onnx.MatMul"(%{{.*}}, %{{.*}}) : (tensor<?x3x3x?x?xf32>, tensor<?x3x1x?x64xf32>) -> tensor<?x3x3x?x64xf32>

// A repetition of all heads in sequence is left alone.
// CHECK: "onnx.Expand"
// CHECK: "onnx.MatMul"(%{{.*}}, %{{.*}}) : (tensor<2x8x5x7xf32>, tensor<2x8x7x16xf32>) -> tensor<2x8x5x16xf32>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%q: tensor<?x9x?x64xf32>, %k: tensor<?x3x?x64xf32>, %v: tensor<?x3x?x64xf32>, %p: tensor<2x8x5x7xf32>, %w: tensor<2x4x7x16xf32>):
    %two = "onnx.Constant"() {value = dense<[2]> : tensor<1xi64>} : () -> tensor<1xi64>
    %three = "onnx.Constant"() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
    %start = "onnx.Shape"(%k) {start = 0 : i64, end = 2 : i64} : (tensor<?x3x?x64xf32>) -> tensor<2xi64>
    %end = "onnx.Shape"(%k) {start = 2 : i64} : (tensor<?x3x?x64xf32>) -> tensor<2xi64>
    %extents = "onnx.Concat"(%start, %three, %end) {axis = 0 : i64} : (tensor<2xi64>, tensor<1xi64>, tensor<2xi64>) -> tensor<5xi64>
    %nine = "onnx.Constant"() {value = dense<[0, 9, -1, 64]> : tensor<4xi64>} : () -> tensor<4xi64>
    %key = "onnx.Unsqueeze"(%k, %two) : (tensor<?x3x?x64xf32>, tensor<1xi64>) -> tensor<?x3x1x?x64xf32>
    %keys = "onnx.Expand"(%key, %extents) : (tensor<?x3x1x?x64xf32>, tensor<5xi64>) -> tensor<?x3x3x?x64xf32>
    %all_keys = "onnx.Reshape"(%keys, %nine) : (tensor<?x3x3x?x64xf32>, tensor<4xi64>) -> tensor<?x9x?x64xf32>
    %turned = "onnx.Transpose"(%all_keys) {perm = array<i64: 0, 1, 3, 2>} : (tensor<?x9x?x64xf32>) -> tensor<?x9x64x?xf32>
    %scores = "onnx.MatMul"(%q, %turned) : (tensor<?x9x?x64xf32>, tensor<?x9x64x?xf32>) -> tensor<?x9x?x?xf32>
    %weights = "onnx.Softmax"(%scores) {axis = -1 : i64} : (tensor<?x9x?x?xf32>) -> tensor<?x9x?x?xf32>
    %value = "onnx.Unsqueeze"(%v, %two) : (tensor<?x3x?x64xf32>, tensor<1xi64>) -> tensor<?x3x1x?x64xf32>
    %values = "onnx.Expand"(%value, %extents) : (tensor<?x3x1x?x64xf32>, tensor<5xi64>) -> tensor<?x3x3x?x64xf32>
    %all_values = "onnx.Reshape"(%values, %nine) : (tensor<?x3x3x?x64xf32>, tensor<4xi64>) -> tensor<?x9x?x64xf32>
    %y = "onnx.MatMul"(%weights, %all_values) : (tensor<?x9x?x?xf32>, tensor<?x9x?x64xf32>) -> tensor<?x9x?x64xf32>

    %one = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %all_extents = "onnx.Constant"() {value = dense<[2, 2, 4, 7, 16]> : tensor<5xi64>} : () -> tensor<5xi64>
    %eight = "onnx.Constant"() {value = dense<[2, 8, 7, 16]> : tensor<4xi64>} : () -> tensor<4xi64>
    %first = "onnx.Unsqueeze"(%w, %one) : (tensor<2x4x7x16xf32>, tensor<1xi64>) -> tensor<2x1x4x7x16xf32>
    %twice = "onnx.Expand"(%first, %all_extents) : (tensor<2x1x4x7x16xf32>, tensor<5xi64>) -> tensor<2x2x4x7x16xf32>
    %blocks = "onnx.Reshape"(%twice, %eight) : (tensor<2x2x4x7x16xf32>, tensor<4xi64>) -> tensor<2x8x7x16xf32>
    %z = "onnx.MatMul"(%p, %blocks) : (tensor<2x8x5x7xf32>, tensor<2x8x7x16xf32>) -> tensor<2x8x5x16xf32>
    "func.return"(%y, %z) : (tensor<?x9x?x64xf32>, tensor<2x8x5x16xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<?x9x?x64xf32>, tensor<?x3x?x64xf32>, tensor<?x3x?x64xf32>, tensor<2x8x5x7xf32>, tensor<2x4x7x16xf32>) -> (tensor<?x9x?x64xf32>, tensor<2x8x5x16xf32>), arg_attrs = [{onnx.name = "q", onnx.dim_params = "0:B,2:S"}, {onnx.name = "k", onnx.dim_params = "0:B,2:T"}, {onnx.name = "v", onnx.dim_params = "0:B,2:T"}, {onnx.name = "p"}, {onnx.name = "w"}]} : () -> ()
}) : () -> ()
