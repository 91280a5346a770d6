// Small constants are folded; large constants, long reductions and functions of the processor or a library are not.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,fold-constants' | FileCheck %s

// 3 / sqrt(4 + 5) for each channel, broadcast and transposed
// CHECK-DAG: "arith.constant"() <{value = dense<[{{\[}}1.000000e+00, 4.000000e+00], [1.000000e+00, 4.000000e+00], [1.000000e+00, 4.000000e+00]]> : tensor<3x2xf32>}>
// 250 is a byte without a sign
// CHECK-DAG: "arith.constant"() <{value = dense<2.500000e+02> : tensor<f32>}>
// a third is rounded as its type is
// CHECK-DAG: "arith.constant"() <{value = dense<3.332520e-01> : tensor<f16>}>
// CHECK-NOT: "math.sqrt"
// CHECK: "math.exp"
// CHECK: "arith.fptosi"
// a sum of two elements
// CHECK: "arith.constant"() <{value = dense<8.000000e+00> : tensor<f32>}>
// CHECK: iterator_types = [#linalg.iterator_type<reduction>]
// CHECK: "arith.addf"
// CHECK: tensor<5000xf32>
// a border of zeros
// CHECK: "arith.constant"() <{value = dense<[0.000000e+00, 4.000000e+00, 4.000000e+00, 0.000000e+00, 0.000000e+00]> : tensor<5xf32>}>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<3x2xf32>):
    %variance = "onnx.Constant"() {value = dense<[4.0, 4.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %epsilon = "onnx.Constant"() {value = dense<5.0> : tensor<f32>} : () -> tensor<f32>
    %scale = "onnx.Constant"() {value = dense<[[3.0, 3.0, 3.0], [12.0, 12.0, 12.0]]> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
    %sum = "onnx.Add"(%variance, %epsilon) : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    %root = "onnx.Sqrt"(%sum) : (tensor<2xf32>) -> tensor<2xf32>
    %turned = "onnx.Transpose"(%scale) {perm = [1 : si64, 0 : si64]} : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %factor = "onnx.Div"(%turned, %root) : (tensor<3x2xf32>, tensor<2xf32>) -> tensor<3x2xf32>
    %y = "onnx.Mul"(%x, %factor) : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %zero = "onnx.Constant"() {value = dense<250> : tensor<ui8>} : () -> tensor<ui8>
    %wide = "onnx.Cast"(%zero) {to = 1 : si64} : (tensor<ui8>) -> tensor<f32>
    %one = "onnx.Constant"() {value = dense<1.0> : tensor<f16>} : () -> tensor<f16>
    %three = "onnx.Constant"() {value = dense<3.0> : tensor<f16>} : () -> tensor<f16>
    %third = "onnx.Div"(%one, %three) : (tensor<f16>, tensor<f16>) -> tensor<f16>
    %power = "onnx.Exp"(%variance) : (tensor<2xf32>) -> tensor<2xf32>
    %huge = "onnx.Constant"() {value = dense<[1.0e20, 1.0]> : tensor<2xf32>} : () -> tensor<2xf32>
    %integers = "onnx.Cast"(%huge) {to = 6 : si64} : (tensor<2xf32>) -> tensor<2xi32>
    %axes = "onnx.Constant"() {value = dense<[0]> : tensor<1xi64>} : () -> tensor<1xi64>
    %total = "onnx.ReduceSum"(%variance, %axes) {keepdims = 0 : si64} : (tensor<2xf32>, tensor<1xi64>) -> tensor<f32>
    %many = "onnx.Constant"() {value = dense<2.0> : tensor<5000xf32>} : () -> tensor<5000xf32>
    %long = "onnx.ReduceSum"(%many, %axes) {keepdims = 0 : si64} : (tensor<5000xf32>, tensor<1xi64>) -> tensor<f32>
    %more = "onnx.Add"(%many, %epsilon) : (tensor<5000xf32>, tensor<f32>) -> tensor<5000xf32>
    %pads = "onnx.Constant"() {value = dense<[1, 2]> : tensor<2xi64>} : () -> tensor<2xi64>
    %padded = "onnx.Pad"(%variance, %pads) : (tensor<2xf32>, tensor<2xi64>) -> tensor<5xf32>
    "func.return"(%y, %wide, %third, %power, %integers, %total, %long, %more, %padded) : (tensor<3x2xf32>, tensor<f32>, tensor<f16>, tensor<2xf32>, tensor<2xi32>, tensor<f32>, tensor<f32>, tensor<5000xf32>, tensor<5xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<f32>, tensor<f16>, tensor<2xf32>, tensor<2xi32>, tensor<f32>, tensor<f32>, tensor<5000xf32>, tensor<5xf32>)} : () -> ()
}) : () -> ()
