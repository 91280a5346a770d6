// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='specialize-ranks' | FileCheck %s

// The branches of an If yield scalars and vectors, and Add accepts both: the operations after it are duplicated. Those that do not depend
// on the If stay before it.
// CHECK: %[[ROOT:.*]] = "onnx.Sqrt"
// CHECK-NEXT: %[[R:.*]] = "onnx.If"
// CHECK: "onnx.Neg"
// CHECK-NEXT: "onnx.Add"({{.*}}, %[[ROOT]])
// CHECK-NEXT: "onnx.Yield"
// CHECK: "onnx.Add"({{.*}}, %[[ROOT]])
// CHECK-NEXT: "onnx.Yield"
// CHECK: "func.return"(%[[R]])
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%c: tensor<i1>, %s: tensor<f32>, %v: tensor<1xf32>, %y: tensor<?xf32>):
    %x = "onnx.If"(%c) ({
      %n = "onnx.Neg"(%s) : (tensor<f32>) -> tensor<f32>
      "onnx.Yield"(%n) : (tensor<f32>) -> ()
    }, {
      "onnx.Yield"(%v) : (tensor<1xf32>) -> ()
    }) : (tensor<i1>) -> tensor<*xf32>
    %root = "onnx.Sqrt"(%y) : (tensor<?xf32>) -> tensor<?xf32>
    %sum = "onnx.Add"(%x, %root) : (tensor<*xf32>, tensor<?xf32>) -> tensor<?xf32>
    "func.return"(%sum) : (tensor<?xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<i1>, tensor<f32>, tensor<1xf32>, tensor<?xf32>) -> tensor<?xf32>} : () -> ()
}) : () -> ()
