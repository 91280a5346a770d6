// For an object file, a result takes the place of its operand. What would make the file larger stays a call: a result that is larger
// than its operands, and one whose operand has other readers.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='prepare-constants{stored=true}' | FileCheck %s

// CHECK: dense<[1.000000e+00, 2.000000e+00]>
// CHECK: routine = "relayout"
// CHECK: dense<[5.000000e+00, 6.000000e+00]>
// CHECK: routine = "relayout"
// CHECK: "arith.constant"() <{value = dense<{{\[\[}}1.000000e+00, 4.000000e+00], [2.000000e+00, 5.000000e+00], [3.000000e+00, 6.000000e+00]]> : tensor<3x2xf32>}>
// CHECK-NOT: routine = "relayout"
"builtin.module"() ({
  "func.func"() ({
  ^bb0:
    %flips = "arith.constant"() {value = 0 : index} : () -> index
    %v = "arith.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %border = "arith.constant"() {value = dense<[[-20, 1]]> : tensor<1x2xi64>} : () -> tensor<1x2xi64>
    %0 = "tensor.empty"() : () -> tensor<42xf32>
    %framed = "rt.call"(%v, %border, %flips, %0) {kinds = array<i64: 1, 7, 1>, routine = "relayout"} : (tensor<2xf32>, tensor<1x2xi64>, index, tensor<42xf32>) -> tensor<42xf32>
    %u = "arith.constant"() {value = dense<[5.0, 6.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %same = "arith.constant"() {value = dense<[[0, 1]]> : tensor<1x2xi64>} : () -> tensor<1x2xi64>
    %1 = "tensor.empty"() : () -> tensor<2xf32>
    %copied = "rt.call"(%u, %same, %flips, %1) {kinds = array<i64: 1, 7, 1>, routine = "relayout"} : (tensor<2xf32>, tensor<1x2xi64>, index, tensor<2xf32>) -> tensor<2xf32>
    %w = "arith.constant"() {value = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
    %turn = "arith.constant"() {value = dense<[[0, 0, 1], [0, 1, 0]]> : tensor<2x3xi64>} : () -> tensor<2x3xi64>
    %2 = "tensor.empty"() : () -> tensor<3x2xf32>
    %turned = "rt.call"(%w, %turn, %flips, %2) {kinds = array<i64: 1, 7, 1>, routine = "relayout"} : (tensor<2x3xf32>, tensor<2x3xi64>, index, tensor<3x2xf32>) -> tensor<3x2xf32>
    "func.return"(%framed, %copied, %u, %turned) : (tensor<42xf32>, tensor<2xf32>, tensor<2xf32>, tensor<3x2xf32>) -> ()
  }) {sym_name = "main_graph", function_type = () -> (tensor<42xf32>, tensor<2xf32>, tensor<2xf32>, tensor<3x2xf32>)} : () -> ()
}) : () -> ()
