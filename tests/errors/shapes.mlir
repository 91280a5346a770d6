// RUN: onnx-opt %s --pass-pipeline=infer-shapes --split-input-file --verify-diagnostics

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<2x3xf32>, %y: tensor<4x5xf32>):
    // expected-error@+1 {{MatMul: inner extents 3 and 4 differ}}
    %product = "onnx.MatMul"(%x, %y) : (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>
    "func.return"(%product) : (tensor<2x5xf32>) -> ()
  }) {sym_name = "f", function_type = (tensor<2x3xf32>, tensor<4x5xf32>) -> tensor<2x5xf32>} : () -> ()
}) : () -> ()
