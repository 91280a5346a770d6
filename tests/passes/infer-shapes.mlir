// RUN: onnx-opt %s --pass-pipeline=infer-shapes | FileCheck %s

"builtin.module"() ({
  // CHECK: "onnx.MatMul"{{.*}} -> tensor<2x4xf32>
  // CHECK: "onnx.Transpose"{{.*}} -> tensor<4x2xf32>
  // CHECK: "func.return"{{.*}} : (tensor<4x2xf32>)
  "func.func"() ({
  ^bb0(%x: tensor<2x3xf32>, %w: tensor<3x4xf32>):
    %product = "onnx.MatMul"(%x, %w) : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<?x?xf32>
    %turned = "onnx.Transpose"(%product) {perm = [1, 0]} : (tensor<?x?xf32>) -> tensor<?x?xf32>
    "func.return"(%turned) : (tensor<?x?xf32>) -> ()
  }) {sym_name = "static", function_type = (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<?x?xf32>} : () -> ()

  // CHECK: "onnx.MatMul"{{.*}} -> tensor<?x4xf32>
  // CHECK: "onnx.Concat"{{.*}} -> tensor<?x8xf32>
  "func.func"() ({
  ^bb0(%x: tensor<?x3xf32>, %w: tensor<3x4xf32>):
    %product = "onnx.MatMul"(%x, %w) : (tensor<?x3xf32>, tensor<3x4xf32>) -> tensor<?x?xf32>
    %joined = "onnx.Concat"(%product, %product) {axis = 1 : si64} : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    "func.return"(%joined) : (tensor<?x?xf32>) -> ()
  }) {sym_name = "dynamic", function_type = (tensor<?x3xf32>, tensor<3x4xf32>) -> tensor<?x?xf32>, arg_attrs = [{onnx.name = "x", onnx.dim_params = "0:N"}, {onnx.name = "w"}]} : () -> ()
}) : () -> ()
