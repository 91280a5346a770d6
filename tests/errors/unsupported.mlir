// All operators that cannot be lowered are reported at once.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=onnx-to-linalg --verify-diagnostics

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%y: tensor<2x2xf32>, %z: tensor<?x?xf32>, %u: tensor<*xf32>):
    // expected-error@+1 {{onnx.Flatten is not supported: the rank of an operand is not known}}
    %f = "onnx.Flatten"(%u) : (tensor<*xf32>) -> tensor<2x3xf32>
    // expected-error@+1 {{onnx.ml.SVMRegressor is not supported: this operator has no lowering yet}}
    %b = "onnx.ml.SVMRegressor"(%y) : (tensor<2x2xf32>) -> tensor<2x1xf32>
    // expected-error@+1 {{onnx.Squeeze is not supported: the rank of its result is not known}}
    %c = "onnx.Squeeze"(%z) : (tensor<?x?xf32>) -> tensor<*xf32>
    // expected-error@+1 {{onnx.ml.SVMRegressor is not supported: this operator has no lowering yet}}
    %d = "onnx.ml.SVMRegressor"(%c) : (tensor<*xf32>) -> tensor<?x1xf32>
    "func.return"(%b) : (tensor<2x1xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<2x2xf32>, tensor<?x?xf32>, tensor<*xf32>) -> tensor<2x1xf32>} : () -> ()
}) : () -> ()
