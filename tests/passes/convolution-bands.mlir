// Of three widely dilated kernel rows, the first and the last output rows read two, and those between them one.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='onnx-to-linalg' | FileCheck %s

// CHECK: tensor<1x1x2x3x16x16xf32>
// CHECK: tensor<1x1x1x3x16x16xf32>
// CHECK: tensor<1x1x2x3x16x16xf32>
// CHECK: "tensor.concat"({{.*}}) <{dim = 2 : i64}> {{.*}}: (tensor<1x1x2x14x16xf32>, tensor<1x1x10x14x16xf32>, tensor<1x1x2x14x16xf32>) -> tensor<1x1x14x14x16xf32>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x16x14x14xf32>):
    %w = "onnx.Constant"() {value = dense<1.000000e+00> : tensor<16x16x3x3xf32>} : () -> tensor<16x16x3x3xf32>
    %y = "onnx.Conv"(%x, %w) {auto_pad = "NOTSET", group = 1, dilations = [12, 12], pads = [12, 12, 12, 12]} : (tensor<1x16x14x14xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x14x14xf32>
    "func.return"(%y) : (tensor<1x16x14x14xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x16x14x14xf32>) -> tensor<1x16x14x14xf32>} : () -> ()
}) : () -> ()
