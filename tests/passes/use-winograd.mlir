// A convolution with constant 3×3 kernels becomes a Winograd convolution; its padding, its bias and the elementwise operations
// after it are part of the kernel. Tiles are smaller if there are few pixels. One with strides, and one of
// even fewer pixels, stay.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='onnx-to-linalg,use-winograd,verify-level{level=structured}' | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='onnx-to-linalg,use-winograd,lower-to-kernels' | FileCheck %s --check-prefix=KERNEL
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='onnx-to-linalg,use-winograd,lower-to-kernels,lower-to-low,verify-level' | FileCheck %s --check-prefix=CALL

// CHECK-NOT: "tensor.pad"
// CHECK: "rt.call"({{.*}}routine = "winograd_points"{{.*}}tensor<36x4x32x16xf32>
// CHECK: "rt.winograd"(%{{[0-9]+}}, {{.*}}pads = array<i64: 1, 1>
// CHECK: "arith.maximumf"
// CHECK: "rt.winograd"({{.*}}tensor<16x2x32x16xf32>
// CHECK-NOT: "rt.winograd"

// KERNEL: "scf.parallel"
// KERNEL: "rt.winograd_tiles"
// KERNEL: "arith.maximumf"

// CALL: callee = @rt_call_winograd_points
// CALL: callee = @rt_winograd_f32
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x32x20x20xf32>, %b: tensor<64xf32>):
    %w = "onnx.Constant"() {value = dense<0.5> : tensor<64x32x3x3xf32>} : () -> tensor<64x32x3x3xf32>
    %v = "onnx.Constant"() {value = dense<0.5> : tensor<32x64x3x3xf32>} : () -> tensor<32x64x3x3xf32>
    %u = "onnx.Constant"() {value = dense<0.5> : tensor<32x32x3x3xf32>} : () -> tensor<32x32x3x3xf32>
    %0 = "onnx.Conv"(%x, %w, %b) {auto_pad = "NOTSET", group = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x32x20x20xf32>, tensor<64x32x3x3xf32>, tensor<64xf32>) -> tensor<1x64x20x20xf32>
    %1 = "onnx.Relu"(%0) : (tensor<1x64x20x20xf32>) -> tensor<1x64x20x20xf32>
    %2 = "onnx.Conv"(%1, %v) {auto_pad = "NOTSET", group = 1, pads = [1, 1, 1, 1], strides = [3, 3]} : (tensor<1x64x20x20xf32>, tensor<32x64x3x3xf32>) -> tensor<1x32x7x7xf32>
    %3 = "onnx.Conv"(%2, %u) {auto_pad = "NOTSET", group = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x32x7x7xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x7x7xf32>
    %4 = "onnx.Conv"(%3, %u) {auto_pad = "NOTSET", group = 1, pads = [1, 1, 1, 1], strides = [3, 3]} : (tensor<1x32x7x7xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x3x3xf32>
    %5 = "onnx.Conv"(%4, %u) {auto_pad = "NOTSET", group = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x32x3x3xf32>, tensor<32x32x3x3xf32>) -> tensor<1x32x3x3xf32>
    "func.return"(%5) : (tensor<1x32x3x3xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x32x20x20xf32>, tensor<64xf32>) -> tensor<1x32x3x3xf32>} : () -> ()
}) : () -> ()
