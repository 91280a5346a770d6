// RUN: onnx-opt --mlir-print-op-generic %s --split-input-file --pass-pipeline='onnx-to-linalg,outline-kernels' | FileCheck %s

// An elementwise operation becomes one row, whatever the shape; axes of extent 1 are removed.
// CHECK: "tensor.reshape"(%arg0, %{{.*}}) : (tensor<1x64x56x56xf32>, tensor<1xindex>) -> tensor<200704xf32>
// CHECK: callee = @exp_0}> : (tensor<200704xf32>, tensor<200704xf32>) -> tensor<200704xf32>
// CHECK: (tensor<200704xf32>, tensor<4xindex>) -> tensor<1x64x56x56xf32>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x64x56x56xf32>):
    %y = "onnx.Exp"(%x) : (tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32>
    "func.return"(%y) : (tensor<1x64x56x56xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x64x56x56xf32>) -> tensor<1x64x56x56xf32>} : () -> ()
}) : () -> ()

// -----

// An operand that lacks some of the axes keeps only those separate.
// CHECK: callee = @add_0}> : (tensor<128x3136xf32>, tensor<128xf32>, tensor<128x3136xf32>) -> tensor<128x3136xf32>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<2x64x56x56xf32>, %b: tensor<2x64x1x1xf32>):
    %y = "onnx.Add"(%x, %b) : (tensor<2x64x56x56xf32>, tensor<2x64x1x1xf32>) -> tensor<2x64x56x56xf32>
    "func.return"(%y) : (tensor<2x64x56x56xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<2x64x56x56xf32>, tensor<2x64x1x1xf32>) -> tensor<2x64x56x56xf32>} : () -> ()
}) : () -> ()

// -----

// Reduction loops are merged with each other.
// CHECK: callee = @reducesum_0}> : (tensor<64x3136xf32>, tensor<64xf32>) -> tensor<64xf32>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x64x56x56xf32>):
    %axes = "onnx.Constant"() {value = dense<[2, 3]> : tensor<2xi64>} : () -> tensor<2xi64>
    %y = "onnx.ReduceSum"(%x, %axes) {keepdims = 1 : i64} : (tensor<1x64x56x56xf32>, tensor<2xi64>) -> tensor<1x64x1x1xf32>
    "func.return"(%y) : (tensor<1x64x1x1xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x64x56x56xf32>) -> tensor<1x64x1x1xf32>} : () -> ()
}) : () -> ()

// -----

// A slice covers only part of its axis: its operand keeps its axes. Dynamic extents stay, and those after them are merged.
// CHECK: callee = @slice_0}> : (tensor<2x6xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
// CHECK: callee = @neg_0}> : (tensor<?x15xf32>, tensor<?x15xf32>) -> tensor<?x15xf32>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<2x6xf32>, %z: tensor<?x3x5xf32>):
    %starts = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %ends = "onnx.Constant"() {value = dense<[3]> : tensor<1xi64>} : () -> tensor<1xi64>
    %axes = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %steps = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
    %y = "onnx.Slice"(%x, %starts, %ends, %axes, %steps) : (tensor<2x6xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x3xf32>
    %w = "onnx.Neg"(%z) : (tensor<?x3x5xf32>) -> tensor<?x3x5xf32>
    "func.return"(%y, %w) : (tensor<2x3xf32>, tensor<?x3x5xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<2x6xf32>, tensor<?x3x5xf32>) -> (tensor<2x3xf32>, tensor<?x3x5xf32>)} : () -> ()
}) : () -> ()
