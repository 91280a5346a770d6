// An input of tests/tests/upstream.rs.
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<?x5xf32>):
    %w = "onnx.Constant"() {value = dense<0.5> : tensor<5x32xf32>} : () -> tensor<5x32xf32>
    %b = "onnx.Constant"() {value = dense<0.25> : tensor<32xf32>} : () -> tensor<32xf32>
    %product = "onnx.MatMul"(%x, %w) : (tensor<?x5xf32>, tensor<5x32xf32>) -> tensor<?x32xf32>
    %sum = "onnx.Add"(%product, %b) : (tensor<?x32xf32>, tensor<32xf32>) -> tensor<?x32xf32>
    %relu = "onnx.Relu"(%sum) : (tensor<?x32xf32>) -> tensor<?x32xf32>
    %y = "onnx.Softmax"(%relu) {axis = -1 : si64} : (tensor<?x32xf32>) -> tensor<?x32xf32>
    "func.return"(%y) : (tensor<?x32xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<?x5xf32>) -> tensor<?x32xf32>, arg_attrs = [{onnx.name = "x", onnx.dim_params = "0:N"}], res_attrs = [{onnx.name = "y"}]} : () -> ()
}) : () -> ()
