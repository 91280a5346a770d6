// RUN: onnx-opt %s --pass-pipeline='onnx-to-linalg' | FileCheck %s

// Channels whose number is unknown are blocks of one. Operands that say how many there are do not have blocks of sixteen then.
// CHECK-LABEL: func.func @main_graph
// CHECK-NOT: x16xf32
// CHECK: tensor.concat dim(2) {{.*}} : (tensor<3x32x1x8xf32>, tensor<3x?x8x8xf32>)
// CHECK-NOT: x16xf32
// CHECK: return
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<3x?x8x8xf32>, %line: tensor<3x32x1x8xf32>):
    %pooled, %none = "onnx.MaxPool"(%x) {kernel_shape = [3, 3], pads = [1, 1, 1, 1]} : (tensor<3x?x8x8xf32>) -> (tensor<3x?x8x8xf32>, none)
    %joined = "onnx.Concat"(%line, %pooled) {axis = 2 : si64} : (tensor<3x32x1x8xf32>, tensor<3x?x8x8xf32>) -> tensor<3x32x9x8xf32>
    "func.return"(%joined) : (tensor<3x32x9x8xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<3x?x8x8xf32>, tensor<3x32x1x8xf32>) -> tensor<3x32x9x8xf32>} : () -> ()
}) : () -> ()
