// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=infer-shapes | FileCheck %s

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

  // An argument of unknown rank gets the rank that its consumer requires.
  // CHECK: "onnx.Transpose"{{.*}} (tensor<?x?xf32>) -> tensor<?x?xf32>
  "func.func"() ({
  ^bb0(%x: tensor<*xf32>):
    %turned = "onnx.Transpose"(%x) {perm = [1, 0]} : (tensor<*xf32>) -> tensor<*xf32>
    "func.return"(%turned) : (tensor<*xf32>) -> ()
  }) {sym_name = "demanded", function_type = (tensor<*xf32>) -> tensor<*xf32>} : () -> ()

  // If consumers accept any rank, it stays unknown.
  // CHECK: "onnx.Relu"{{.*}} (tensor<*xf32>) -> tensor<*xf32>
  "func.func"() ({
  ^bb0(%x: tensor<*xf32>):
    %y = "onnx.Relu"(%x) : (tensor<*xf32>) -> tensor<*xf32>
    "func.return"(%y) : (tensor<*xf32>) -> ()
  }) {sym_name = "unknown", function_type = (tensor<*xf32>) -> tensor<*xf32>} : () -> ()

  // Extents of one label broadcast: one of them may turn out to be 1.
  // CHECK: "onnx.Einsum"{{.*}} -> tensor<3x?xf32>
  "func.func"() ({
  ^bb0(%x: tensor<3x?xf32>, %y: tensor<?x?xf32>):
    %product = "onnx.Einsum"(%x, %y) {equation = "ij,jk->ik"} : (tensor<3x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
    "func.return"(%product) : (tensor<?x?xf32>) -> ()
  }) {sym_name = "labels", function_type = (tensor<3x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>} : () -> ()
}) : () -> ()
