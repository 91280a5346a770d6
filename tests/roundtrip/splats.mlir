// RUN: onnx-opt --mlir-print-op-generic %s | onnx-opt --mlir-print-op-generic | FileCheck %s

// What repeats one element is written as that element, as upstream does, and numbers as the nearest of their format.
// CHECK: dense<1> : tensor<2x2xi32>
// CHECK: dense<0.166666672> : tensor<1x2xf32>
// CHECK: dense<true> : tensor<1x1x1xi1>
// CHECK: value = 0.166666672 : f32
// CHECK: dense<{{\[\[}}1, 1], [1, 2]]> : tensor<2x2xi32>
"builtin.module"() ({
  "func.func"() ({
    %0 = "arith.constant"() {value = dense<[[1, 1], [1, 1]]> : tensor<2x2xi32>} : () -> tensor<2x2xi32>
    %1 = "arith.constant"() {value = dense<[[0.166666667, 0.166666667]]> : tensor<1x2xf32>} : () -> tensor<1x2xf32>
    %2 = "arith.constant"() {value = dense<[[[true]]]> : tensor<1x1x1xi1>} : () -> tensor<1x1x1xi1>
    %3 = "arith.constant"() {value = 0.166666667 : f32} : () -> f32
    %4 = "arith.constant"() {value = dense<[[1, 1], [1, 2]]> : tensor<2x2xi32>} : () -> tensor<2x2xi32>
    "func.return"() : () -> ()
  }) {function_type = () -> (), sym_name = "main"} : () -> ()
}) : () -> ()
