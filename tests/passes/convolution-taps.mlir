// Kernel elements that read nothing but padding are removed from the convolution.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='onnx-to-linalg' | FileCheck %s

// of three kernel rows the middle one remains, of three columns all
// CHECK: (d0, d1, d2, d3) -> (d0, d1, d2 + 1, d3)
// CHECK: static_high = array<i64: 0, 0, 0, 12, 0>
// CHECK: -> tensor<1x1x14x38x16xf32>
// CHECK: tensor<1x1x1x3x16x16xf32>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x16x14x14xf32>):
    %w = "onnx.Constant"() {value = dense<1.000000e+00> : tensor<16x16x3x3xf32>} : () -> tensor<16x16x3x3xf32>
    %y = "onnx.Conv"(%x, %w) {auto_pad = "NOTSET", group = 1, dilations = [24, 12], pads = [24, 12, 24, 12]} : (tensor<1x16x14x14xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x14x14xf32>
    "func.return"(%y) : (tensor<1x16x14x14xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x16x14x14xf32>) -> tensor<1x16x14x14xf32>} : () -> ()
}) : () -> ()
