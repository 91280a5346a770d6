// An input of tests/tests/upstream.rs.
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<4x?x6xf32>, %rows: tensor<3xi64>):
    %sizes = "onnx.Constant"() {value = dense<[2, 4]> : tensor<2xi64>} : () -> tensor<2xi64>
    %parts:2 = "onnx.Split"(%x, %sizes) {axis = 2 : si64} : (tensor<4x?x6xf32>, tensor<2xi64>) -> (tensor<4x?x2xf32>, tensor<4x?x4xf32>)
    %taken = "onnx.Gather"(%parts#1, %rows) {axis = 0 : si64} : (tensor<4x?x4xf32>, tensor<3xi64>) -> tensor<3x?x4xf32>
    %one = "onnx.Constant"() {value = dense<1> : tensor<1xi64>} : () -> tensor<1xi64>
    %three = "onnx.Constant"() {value = dense<3> : tensor<1xi64>} : () -> tensor<1xi64>
    %zero = "onnx.Constant"() {value = dense<0> : tensor<1xi64>} : () -> tensor<1xi64>
    %begun = "onnx.Slice"(%parts#0, %one, %three, %zero, %one) : (tensor<4x?x2xf32>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>, tensor<1xi64>) -> tensor<2x?x2xf32>
    %turned = "onnx.Transpose"(%begun) {perm = [1, 0, 2]} : (tensor<2x?x2xf32>) -> tensor<?x2x2xf32>
    %mean = "onnx.ReduceMean"(%taken, %zero) {keepdims = 0 : si64} : (tensor<3x?x4xf32>, tensor<1xi64>) -> tensor<?x4xf32>
    %shape = "onnx.Shape"(%turned) : (tensor<?x2x2xf32>) -> tensor<3xi64>
    "func.return"(%turned, %mean, %shape) : (tensor<?x2x2xf32>, tensor<?x4xf32>, tensor<3xi64>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<4x?x6xf32>, tensor<3xi64>) -> (tensor<?x2x2xf32>, tensor<?x4xf32>, tensor<3xi64>)} : () -> ()
}) : () -> ()
