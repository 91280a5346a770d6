// An input of tests/tests/upstream.rs.
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x?x32xf32>):
    %w = "onnx.Constant"() {value = dense<0.125> : tensor<32x32xf32>} : () -> tensor<32x32xf32>
    %scale = "onnx.Constant"() {value = dense<1.0> : tensor<32xf32>} : () -> tensor<32xf32>
    %bias = "onnx.Constant"() {value = dense<0.0> : tensor<32xf32>} : () -> tensor<32xf32>
    %half = "onnx.Constant"() {value = dense<0.5> : tensor<f32>} : () -> tensor<f32>
    %norm, %m, %d = "onnx.LayerNormalization"(%x, %scale, %bias) {axis = -1 : si64, epsilon = 1.0e-5 : f32} : (tensor<1x?x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<1x?x32xf32>, none, none)
    %q = "onnx.MatMul"(%norm, %w) : (tensor<1x?x32xf32>, tensor<32x32xf32>) -> tensor<1x?x32xf32>
    %k = "onnx.Transpose"(%norm) {perm = [0, 2, 1]} : (tensor<1x?x32xf32>) -> tensor<1x32x?xf32>
    %scores = "onnx.MatMul"(%q, %k) : (tensor<1x?x32xf32>, tensor<1x32x?xf32>) -> tensor<1x?x?xf32>
    %scaled = "onnx.Mul"(%scores, %half) : (tensor<1x?x?xf32>, tensor<f32>) -> tensor<1x?x?xf32>
    %weights = "onnx.Softmax"(%scaled) {axis = -1 : si64} : (tensor<1x?x?xf32>) -> tensor<1x?x?xf32>
    %mixed = "onnx.MatMul"(%weights, %norm) : (tensor<1x?x?xf32>, tensor<1x?x32xf32>) -> tensor<1x?x32xf32>
    %gelu = "onnx.Gelu"(%mixed) : (tensor<1x?x32xf32>) -> tensor<1x?x32xf32>
    %y = "onnx.Add"(%gelu, %x) : (tensor<1x?x32xf32>, tensor<1x?x32xf32>) -> tensor<1x?x32xf32>
    "func.return"(%y) : (tensor<1x?x32xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x?x32xf32>) -> tensor<1x?x32xf32>, arg_attrs = [{onnx.name = "x", onnx.dim_params = "1:sequence"}], res_attrs = [{onnx.name = "y"}]} : () -> ()
}) : () -> ()
