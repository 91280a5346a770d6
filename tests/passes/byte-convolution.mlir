// An int8 convolution whose channels fit into one block is an ordinary contraction.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='onnx-to-linalg,lower-to-kernels' | FileCheck %s

// CHECK: "rt.contract"({{.*}}kind = "u8i8"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x3x8x8xui8>):
    %w = "onnx.Constant"() {value = dense<3> : tensor<16x3x3x3xi8>} : () -> tensor<16x3x3x3xi8>
    %y = "onnx.ConvInteger"(%x, %w) {auto_pad = "NOTSET", group = 1} : (tensor<1x3x8x8xui8>, tensor<16x3x3x3xi8>) -> tensor<1x16x6x6xi32>
    "func.return"(%y) : (tensor<1x16x6x6xi32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x3x8x8xui8>) -> tensor<1x16x6x6xi32>} : () -> ()
}) : () -> ()
