// Values that a row reduction and the result share are computed once, into the result's own row, also if the result
// applies more than one operation to them.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,outline-kernels{shapes=shared},outline-initialization,build-kernels' | FileCheck %s

// for vectors and for the remaining elements
// CHECK: sym_name = "softmax_where_0"
// CHECK-COUNT-2: math.exp
// CHECK-NOT: math.exp
// CHECK: "arith.select"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<8x1000xf32>, %c: tensor<8x1xi1>):
    %zero = "onnx.Constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %0 = "onnx.Softmax"(%x) {axis = -1 : i64} : (tensor<8x1000xf32>) -> tensor<8x1000xf32>
    %1 = "onnx.Where"(%c, %zero, %0) : (tensor<8x1xi1>, tensor<f32>, tensor<8x1000xf32>) -> tensor<8x1000xf32>
    "func.return"(%1) : (tensor<8x1000xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<8x1000xf32>, tensor<8x1xi1>) -> tensor<8x1000xf32>} : () -> ()
}) : () -> ()
