// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=optimize | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='optimize{strict-fp=true}' | FileCheck %s --check-prefix=STRICT
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='optimize{without=contraction+shape}' | FileCheck %s --check-prefix=WITHOUT

// Two inverse transposes cancel, with static and with dynamic extents.
// CHECK: ^bb0(%[[X:.*]]: tensor<?x4xf32>):
// CHECK-NEXT: %[[R:.*]] = "onnx.Relu"(%[[X]])
// CHECK-NEXT: "func.return"(%[[R]])

// WITHOUT: "onnx.Transpose"
// WITHOUT: "onnx.Transpose"

// STRICT: ^bb0(%[[X:.*]]: tensor<?x4xf32>):
// STRICT-NEXT: %[[R:.*]] = "onnx.Relu"(%[[X]])
// STRICT-NEXT: "func.return"(%[[R]])
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<?x4xf32>):
    %there = "onnx.Transpose"(%x) {perm = [1, 0]} : (tensor<?x4xf32>) -> tensor<4x?xf32>
    %back = "onnx.Transpose"(%there) {perm = [1, 0]} : (tensor<4x?xf32>) -> tensor<?x4xf32>
    %y = "onnx.Relu"(%back) : (tensor<?x4xf32>) -> tensor<?x4xf32>
    "func.return"(%y) : (tensor<?x4xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<?x4xf32>) -> tensor<?x4xf32>, arg_attrs = [{onnx.name = "x", onnx.dim_params = "0:N"}]} : () -> ()
}) : () -> ()
