// The contribution of zero points to the sums of an int8 convolution is a constant if its weights are: -5 · ((1 - 1) + (-2 - 1)) and
// -5 · ((3 - 1) + (4 - 1)).
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='onnx-to-linalg' | FileCheck %s

// CHECK-NOT: "arith.extsi"
// CHECK: dense<{{..}}15, -25]]> : tensor<1x2xi32>
// CHECK-NOT: "tensor.pad"
// CHECK: "func.return"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x2x8x8xui8>):
    %z = "onnx.Constant"() {value = dense<5> : tensor<ui8>} : () -> tensor<ui8>
    %y = "onnx.Constant"() {value = dense<1> : tensor<si8>} : () -> tensor<si8>
    %w = "onnx.Constant"() {value = dense<[[[[1]], [[-2]]], [[[3]], [[4]]]]> : tensor<2x2x1x1xsi8>} : () -> tensor<2x2x1x1xsi8>
    %0 = "onnx.ConvInteger"(%x, %w, %z, %y) {auto_pad = "NOTSET", group = 1 : si64} : (tensor<1x2x8x8xui8>, tensor<2x2x1x1xsi8>, tensor<ui8>, tensor<si8>) -> tensor<1x2x8x8xi32>
    "func.return"(%0) : (tensor<1x2x8x8xi32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x2x8x8xui8>) -> tensor<1x2x8x8xi32>} : () -> ()
}) : () -> ()
