// An input of tests/tests/upstream.rs.
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x3x8x8xf32>):
    %none = "onnx.NoValue"() : () -> none
    %w = "onnx.Constant"() {value = dense<0.5> : tensor<16x3x3x3xf32>} : () -> tensor<16x3x3x3xf32>
    %b = "onnx.Constant"() {value = dense<0.25> : tensor<16xf32>} : () -> tensor<16xf32>
    %depth = "onnx.Constant"() {value = dense<0.125> : tensor<16x1x3x3xf32>} : () -> tensor<16x1x3x3xf32>
    %c1 = "onnx.Conv"(%x, %w, %b) {pads = [1, 1, 1, 1], strides = [1, 1], dilations = [1, 1], group = 1 : si64, kernel_shape = [3, 3]} : (tensor<1x3x8x8xf32>, tensor<16x3x3x3xf32>, tensor<16xf32>) -> tensor<1x16x8x8xf32>
    %r1 = "onnx.Relu"(%c1) : (tensor<1x16x8x8xf32>) -> tensor<1x16x8x8xf32>
    %c2 = "onnx.Conv"(%r1, %depth, %none) {pads = [1, 1, 1, 1], strides = [2, 2], dilations = [1, 1], group = 16 : si64, kernel_shape = [3, 3]} : (tensor<1x16x8x8xf32>, tensor<16x1x3x3xf32>, none) -> tensor<1x16x4x4xf32>
    %pool = "onnx.MaxPool"(%c2) {kernel_shape = [2, 2], strides = [2, 2], pads = [0, 0, 0, 0]} : (tensor<1x16x4x4xf32>) -> tensor<1x16x2x2xf32>
    %mean = "onnx.GlobalAveragePool"(%pool) : (tensor<1x16x2x2xf32>) -> tensor<1x16x1x1xf32>
    "func.return"(%mean) : (tensor<1x16x1x1xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x3x8x8xf32>) -> tensor<1x16x1x1xf32>, arg_attrs = [{onnx.name = "x"}], res_attrs = [{onnx.name = "y"}]} : () -> ()
}) : () -> ()
