// Routines on constants are evaluated in the background: neither the calls nor their sole operands remain. Calls on run-time
// values are left alone, and so are routines that may fail.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='prepare-constants' | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='prepare-constants{known=true}' | FileCheck %s --check-prefix=KNOWN

// a transpose; with a border, the result of an earlier call, which has no other reader
// CHECK: "arith.constant"() <{value = dense<{{\[\[}}1.000000e+00, 4.000000e+00], [2.000000e+00, 5.000000e+00], [3.000000e+00, 6.000000e+00]]> : tensor<3x2xf32>}>
// CHECK-NOT: dense<[1.000000e+00, 2.000000e+00
// CHECK: "arith.constant"() <{value = dense<[0.000000e+00, 1.000000e+00, 1.000000e+00, 2.000000e+00, 2.000000e+00, 0.000000e+00]> : tensor<6xf32>}>
// CHECK: routine = "relayout"
// CHECK-NOT: routine = "relayout"
// CHECK: routine = "top_k"

// the bytes were left out
// KNOWN: "arith.constant"() <{value = dense_resource<prepared> : tensor<3x2xf32>}>
// KNOWN: routine = "relayout"
// KNOWN-NOT: routine = "relayout"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<2x3xf32>):
    %w = "arith.constant"() {value = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
    %flips = "arith.constant"() {value = 0 : index} : () -> index
    %one = "arith.constant"() {value = 1 : index} : () -> index
    %turn = "arith.constant"() {value = dense<[[0, 0, 1], [0, 1, 0]]> : tensor<2x3xi64>} : () -> tensor<2x3xi64>
    %0 = "tensor.empty"() : () -> tensor<3x2xf32>
    %turned = "rt.call"(%w, %turn, %flips, %0) {kinds = array<i64: 1, 7, 1>, routine = "relayout"} : (tensor<2x3xf32>, tensor<2x3xi64>, index, tensor<3x2xf32>) -> tensor<3x2xf32>
    %v = "arith.constant"() {value = dense<[[1.0, 2.0]]> : tensor<1x2xf32>} : () -> tensor<1x2xf32>
    %repeat = "arith.constant"() {value = dense<[[0, 0, 0], [0, 1, 0]]> : tensor<2x3xi64>} : () -> tensor<2x3xi64>
    %1 = "tensor.empty"() : () -> tensor<2x2xf32>
    %twice = "rt.call"(%v, %repeat, %flips, %1) {kinds = array<i64: 1, 7, 1>, routine = "relayout"} : (tensor<1x2xf32>, tensor<2x3xi64>, index, tensor<2x2xf32>) -> tensor<2x2xf32>
    %four = "arith.constant"() {value = 4 : index} : () -> index
    %shape = "tensor.from_elements"(%four) : (index) -> tensor<1xindex>
    %line = "tensor.reshape"(%twice, %shape) : (tensor<2x2xf32>, tensor<1xindex>) -> tensor<4xf32>
    %border = "arith.constant"() {value = dense<[[-1, 1]]> : tensor<1x2xi64>} : () -> tensor<1x2xi64>
    %2 = "tensor.empty"() : () -> tensor<6xf32>
    %framed = "rt.call"(%line, %border, %flips, %2) {kinds = array<i64: 1, 7, 1>, routine = "relayout"} : (tensor<4xf32>, tensor<1x2xi64>, index, tensor<6xf32>) -> tensor<6xf32>
    %given = "rt.call"(%x, %turn, %flips, %0) {kinds = array<i64: 1, 7, 1>, routine = "relayout"} : (tensor<2x3xf32>, tensor<2x3xi64>, index, tensor<3x2xf32>) -> tensor<3x2xf32>
    %3 = "tensor.empty"() : () -> tensor<2x1xf32>
    %4 = "tensor.empty"() : () -> tensor<2x1xi64>
    %most, %where = "rt.call"(%w, %one, %one, %3, %4) {kinds = array<i64: 1, 1, 7>, routine = "top_k"} : (tensor<2x3xf32>, index, index, tensor<2x1xf32>, tensor<2x1xi64>) -> (tensor<2x1xf32>, tensor<2x1xi64>)
    "func.return"(%turned, %framed, %given, %most) : (tensor<3x2xf32>, tensor<6xf32>, tensor<3x2xf32>, tensor<2x1xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<2x3xf32>) -> (tensor<3x2xf32>, tensor<6xf32>, tensor<3x2xf32>, tensor<2x1xf32>)} : () -> ()
}) : () -> ()
