// With one scale and one zero point, a tensor is quantized and dequantized by one operation each, which reads both directly, also
// together with a tensor in blocks of channels. A scale for each channel makes it a composition.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,verify-level{level=graph}' | FileCheck %s --check-prefix=GRAPH
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,verify-level{level=structured}' | FileCheck %s

// GRAPH: "onnx.QuantizeLinear"
// GRAPH: "onnx.DequantizeLinear"
// GRAPH-NOT: "onnx.QuantizeLinear"
// GRAPH: "onnx.Unsqueeze"
// GRAPH: "onnx.Div"
// GRAPH: "onnx.Round"

// CHECK: affine_map<(d0, d1, d2, d3, d4) -> ()>
// CHECK: "linalg.generic"(%[[BLOCKED:[0-9]+]], %arg1, %arg2, %{{[0-9]+}})
// CHECK: "arith.divf"
// CHECK-NEXT: "math.roundeven"
// CHECK-NEXT: "arith.uitofp"
// CHECK-NEXT: "arith.addf"
// CHECK: "arith.maximumf"
// CHECK-NEXT: "arith.minimumf"
// CHECK: "arith.uitofp"
// CHECK-NEXT: "arith.uitofp"
// CHECK-NEXT: "arith.subf"
// CHECK-NEXT: "arith.mulf"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x32x8x8xf32>, %s: tensor<f32>, %z: tensor<ui8>, %w: tensor<32x32x3x3xf32>, %t: tensor<32xf32>):
    %none = "onnx.NoValue"() : () -> none
    %0 = "onnx.Conv"(%x, %w, %none) : (tensor<1x32x8x8xf32>, tensor<32x32x3x3xf32>, none) -> tensor<1x32x6x6xf32>
    %1 = "onnx.QuantizeLinear"(%0, %s, %z) : (tensor<1x32x6x6xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x32x6x6xui8>
    %2 = "onnx.DequantizeLinear"(%1, %s, %z) : (tensor<1x32x6x6xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x32x6x6xf32>
    %3 = "onnx.QuantizeLinear"(%2, %t, %none) {axis = 1 : si64} : (tensor<1x32x6x6xf32>, tensor<32xf32>, none) -> tensor<1x32x6x6xui8>
    "func.return"(%2, %3) : (tensor<1x32x6x6xf32>, tensor<1x32x6x6xui8>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x32x8x8xf32>, tensor<f32>, tensor<ui8>, tensor<32x32x3x3xf32>, tensor<32xf32>) -> (tensor<1x32x6x6xf32>, tensor<1x32x6x6xui8>)} : () -> ()
}) : () -> ()
