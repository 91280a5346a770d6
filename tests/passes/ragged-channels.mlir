// Channels that do not fill a pack are padded with zeros, so that packs are squares that are transposed in registers.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='onnx-to-linalg' | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='onnx-to-linalg,lower-to-kernels' | FileCheck %s --check-prefix=KERNEL

// CHECK: (d0, d1 * 16 + d4, d2, d3)
// CHECK: "tensor.pad"{{.*}}static_high = array<i64: 0, 8, 0, 0>
// CHECK: -> tensor<1x32x20x20xf32>

// KERNEL: "vector.shuffle"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x24x20x20xf32>):
    %w = "onnx.Constant"() {value = dense<0.5> : tensor<16x24x3x3xf32>} : () -> tensor<16x24x3x3xf32>
    %0 = "onnx.Conv"(%x, %w) {auto_pad = "NOTSET", group = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x24x20x20xf32>, tensor<16x24x3x3xf32>) -> tensor<1x16x20x20xf32>
    "func.return"(%0) : (tensor<1x16x20x20xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x24x20x20xf32>) -> tensor<1x16x20x20xf32>} : () -> ()
}) : () -> ()
