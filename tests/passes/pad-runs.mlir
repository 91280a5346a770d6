// The interior of a padded row is copied; only its borders are computed by index.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='onnx-to-linalg' | FileCheck %s

// CHECK: tensor<1x8x2xf32>
// CHECK: "tensor.extract"(%arg0, {{.*}}) : (tensor<1x6x6xf32>, index, index, index) -> f32
// CHECK: tensor<1x8x6xf32>
// CHECK: tensor<1x8x1xf32>
// CHECK: "tensor.concat"({{.*}}) <{dim = 2 : i64}> {{.*}}: (tensor<1x8x2xf32>, tensor<1x8x6xf32>, tensor<1x8x1xf32>) -> tensor<1x8x9xf32>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x6x6xf32>):
    %pads = "onnx.Constant"() {value = dense<[0, 1, 2, 0, 1, 1]> : tensor<6xi64>} : () -> tensor<6xi64>
    %none = "onnx.NoValue"() : () -> none
    %y = "onnx.Pad"(%x, %pads, %none, %none) {mode = "reflect"} : (tensor<1x6x6xf32>, tensor<6xi64>, none, none) -> tensor<1x8x9xf32>
    "func.return"(%y) : (tensor<1x8x9xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x6x6xf32>) -> tensor<1x8x9xf32>} : () -> ()
}) : () -> ()
