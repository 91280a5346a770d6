// The elementwise epilogue of a convolution with scalars only runs along its pixels, whose channels are contiguous: one loop without
// indices, for narrow vectors.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,outline-kernels{shapes=shared},outline-initialization,build-kernels{target=cranelift}' | FileCheck %s

// CHECK: sym_name = "conv_hardswish_mul_0"
// CHECK: "rt.contract"
// CHECK: %[[PIXELS:[a-z0-9]+]] = "rt.buffer"
// CHECK: "scf.for"
// CHECK-NEXT: ^bb0(%[[AT:[a-z0-9]+]]: index)
// CHECK: "vector.load"(%[[PIXELS]], %[[AT]])
// CHECK: "arith.maximumf"
// CHECK: "vector.store"(%{{[a-z0-9]+}}, %[[PIXELS]], %[[AT]])
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x16x20x20xf32>, %factor: tensor<1xf32>):
    %w = "onnx.Constant"() {value = dense<0.5> : tensor<32x16x1x1xf32>} : () -> tensor<32x16x1x1xf32>
    %v = "onnx.Constant"() {value = dense<0.5> : tensor<16x32x1x1xf32>} : () -> tensor<16x32x1x1xf32>
    %0 = "onnx.Conv"(%x, %w) {auto_pad = "NOTSET", group = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x16x20x20xf32>, tensor<32x16x1x1xf32>) -> tensor<1x32x20x20xf32>
    %1 = "onnx.HardSwish"(%0) : (tensor<1x32x20x20xf32>) -> tensor<1x32x20x20xf32>
    %2 = "onnx.Mul"(%1, %factor) : (tensor<1x32x20x20xf32>, tensor<1xf32>) -> tensor<1x32x20x20xf32>
    %3 = "onnx.Conv"(%2, %v) {auto_pad = "NOTSET", group = 1, pads = [0, 0, 0, 0], strides = [1, 1]} : (tensor<1x32x20x20xf32>, tensor<16x32x1x1xf32>) -> tensor<1x16x20x20xf32>
    "func.return"(%3) : (tensor<1x16x20x20xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x16x20x20xf32>, tensor<1xf32>) -> tensor<1x16x20x20xf32>} : () -> ()
}) : () -> ()
