// Per-channel functions of an image, with a separate constant for each channel, run along its pixels: one call computes
// those of all channels.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,outline-kernels{shapes=shared},outline-initialization,build-kernels,number-assertions,call-contractions,flatten-buffers,map-rows' | FileCheck %s

// CHECK: sym_name = "conv_
// CHECK: "arith.remui"
// CHECK: callee = @rt_map_row
// CHECK-NOT: math.exp
// CHECK: "func.func"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x16x20x20xf32>, %f: tensor<32x1x1xf32>):
    %w = "onnx.Constant"() {value = dense<0.5> : tensor<32x16x1x1xf32>} : () -> tensor<32x16x1x1xf32>
    %v = "onnx.Constant"() {value = dense<0.5> : tensor<16x32x1x1xf32>} : () -> tensor<16x32x1x1xf32>
    %0 = "onnx.Conv"(%x, %w) {auto_pad = "NOTSET", group = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x16x20x20xf32>, tensor<32x16x1x1xf32>) -> tensor<1x32x20x20xf32>
    %1 = "onnx.Conv"(%0, %v) {auto_pad = "NOTSET", group = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x32x20x20xf32>, tensor<16x32x1x1xf32>) -> tensor<1x16x20x20xf32>
    %2 = "onnx.Mul"(%0, %f) : (tensor<1x32x20x20xf32>, tensor<32x1x1xf32>) -> tensor<1x32x20x20xf32>
    %3 = "onnx.Swish"(%2) {alpha = 1.0 : f32} : (tensor<1x32x20x20xf32>) -> tensor<1x32x20x20xf32>
    %4 = "onnx.Conv"(%3, %v) {auto_pad = "NOTSET", group = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x32x20x20xf32>, tensor<16x32x1x1xf32>) -> tensor<1x16x20x20xf32>
    "func.return"(%1, %4) : (tensor<1x16x20x20xf32>, tensor<1x16x20x20xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x16x20x20xf32>, tensor<32x1x1xf32>) -> (tensor<1x16x20x20xf32>, tensor<1x16x20x20xf32>)} : () -> ()
}) : () -> ()
