// In the baseline tier, transformed Winograd weights have to pay off in the first run: a convolution of many pixels is
// replaced, also if one extent is dynamic, and one of few pixels, or of unknown size, stays.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='onnx-to-linalg,use-winograd{runs=one}' | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='onnx-to-linalg,use-winograd' | FileCheck %s --check-prefix=MANY

// CHECK: "rt.winograd"({{.*}}tensor<36x4x64x16xf32>, {{.*}}tensor<1x4x80x80x16xf32>
// CHECK: "rt.winograd"({{.*}}tensor<36x4x64x16xf32>, {{.*}}tensor<1x4x?x80x16xf32>
// CHECK-NOT: "rt.winograd"

// MANY-COUNT-4: "rt.winograd"
// MANY-NOT: "rt.winograd"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%many: tensor<1x64x80x80xf32>, %tall: tensor<1x64x?x80xf32>, %few: tensor<1x64x20x20xf32>, %unknown: tensor<1x64x?x?xf32>):
    %w = "onnx.Constant"() {value = dense<0.5> : tensor<64x64x3x3xf32>} : () -> tensor<64x64x3x3xf32>
    %0 = "onnx.Conv"(%many, %w) {auto_pad = "NOTSET", group = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x64x80x80xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x80x80xf32>
    %1 = "onnx.Conv"(%tall, %w) {auto_pad = "NOTSET", group = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x64x?x80xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x?x80xf32>
    %2 = "onnx.Conv"(%few, %w) {auto_pad = "NOTSET", group = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x64x20x20xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x20x20xf32>
    %3 = "onnx.Conv"(%unknown, %w) {auto_pad = "NOTSET", group = 1, pads = [1, 1, 1, 1], strides = [1, 1]} : (tensor<1x64x?x?xf32>, tensor<64x64x3x3xf32>) -> tensor<1x64x?x?xf32>
    "func.return"(%0, %1, %2, %3) : (tensor<1x64x80x80xf32>, tensor<1x64x?x80xf32>, tensor<1x64x20x20xf32>, tensor<1x64x?x?xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x64x80x80xf32>, tensor<1x64x?x80xf32>, tensor<1x64x20x20xf32>, tensor<1x64x?x?xf32>) -> (tensor<1x64x80x80xf32>, tensor<1x64x?x80xf32>, tensor<1x64x20x20xf32>, tensor<1x64x?x?xf32>)} : () -> ()
}) : () -> ()
