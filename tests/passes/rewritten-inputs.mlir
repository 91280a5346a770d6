// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=onnx-to-linalg,outline-kernels,build-kernels | FileCheck %s

// A cache without other readers shares memory with the output that updates it; one that is read after the
// call, or by it, is not.
// CHECK: %[[CONTEXT:[0-9]+]] = "arith.index_cast"
// CHECK: %[[CACHE:[0-9]+]] = "arith.index_cast"
// CHECK: %[[NONE:[0-9]+]] = "arith.constant"() <{value = 0 : index}>
// CHECK: "func.call"(%[[CONTEXT]], {{%[0-9]+}}, {{%[0-9]+}}, %[[CACHE]]) <{callee = @rt_output}>
// CHECK: callee = @rt_call_write_rows
// CHECK: "func.call"(%[[CONTEXT]], {{%[0-9]+}}, {{%[0-9]+}}, %[[NONE]]) <{callee = @rt_output}>
// CHECK: callee = @rt_call_write_rows
// CHECK: "func.call"(%[[CONTEXT]], {{%[0-9]+}}, {{%[0-9]+}}, %[[NONE]]) <{callee = @rt_output}>
// CHECK: callee = @rt_call_write_rows
// CHECK: "func.call"(%[[CONTEXT]], {{%[0-9]+}}, {{%[0-9]+}}, %[[NONE]]) <{callee = @rt_output}>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%a: tensor<2x8xf32>, %b: tensor<2x8xf32>, %c: tensor<2x8xf32>, %new: tensor<2x1xf32>, %at: tensor<2xi64>):
    %x = "onnx.TensorScatter"(%a, %new, %at) {axis = 1 : i64} : (tensor<2x8xf32>, tensor<2x1xf32>, tensor<2xi64>) -> tensor<2x8xf32>
    %y = "onnx.TensorScatter"(%b, %new, %at) {axis = 1 : i64} : (tensor<2x8xf32>, tensor<2x1xf32>, tensor<2xi64>) -> tensor<2x8xf32>
    %z = "onnx.TensorScatter"(%c, %c, %at) {axis = 1 : i64, mode = "circular"} : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2xi64>) -> tensor<2x8xf32>
    %before = "onnx.Neg"(%b) : (tensor<2x8xf32>) -> tensor<2x8xf32>
    "func.return"(%x, %y, %z, %before) : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x1xf32>, tensor<2xi64>) -> (tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>, tensor<2x8xf32>)} : () -> ()
}) : () -> ()
