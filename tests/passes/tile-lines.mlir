// The epilogue of a tile of a convolution runs along its pixels, whose channels are contiguous: one call computes a function of all.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,outline-kernels{shapes=shared},outline-initialization,build-kernels,number-assertions,call-contractions,flatten-buffers,map-rows' | FileCheck %s

// CHECK: sym_name = "conv_swish_0"
// CHECK: callee = @rt_contract
// CHECK: "rt.buffer"
// the channels of a row of pixels, in chunks
// CHECK: %[[FUNCTION:.*]] = "arith.constant"() <{value = 25 : index}>
// CHECK: "func.call"(%[[FUNCTION]], {{.*}}) <{callee = @rt_map_row}>
// CHECK-NOT: math.exp
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x16x20x20xf32>):
    %w = "onnx.Constant"() {value = dense<0.5> : tensor<32x16x1x1xf32>} : () -> tensor<32x16x1x1xf32>
    %v = "onnx.Constant"() {value = dense<0.5> : tensor<16x32x1x1xf32>} : () -> tensor<16x32x1x1xf32>
    %0 = "onnx.Conv"(%x, %w) {auto_pad = "NOTSET", group = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x16x20x20xf32>, tensor<32x16x1x1xf32>) -> tensor<1x32x20x20xf32>
    %1 = "onnx.Swish"(%0) {alpha = 1.0 : f32} : (tensor<1x32x20x20xf32>) -> tensor<1x32x20x20xf32>
    %2 = "onnx.Conv"(%1, %v) {auto_pad = "NOTSET", group = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x32x20x20xf32>, tensor<16x32x1x1xf32>) -> tensor<1x16x20x20xf32>
    "func.return"(%2) : (tensor<1x16x20x20xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x16x20x20xf32>) -> tensor<1x16x20x20xf32>} : () -> ()
}) : () -> ()
