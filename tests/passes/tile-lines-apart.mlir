// int8 sums are in a separate buffer until they are requantised, also line by line, so that one call requantises a row of pixels,
// with the addend and the factor of each channel.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,outline-kernels{shapes=shared},outline-initialization,build-kernels,number-assertions,call-contractions,flatten-buffers,map-rows' | FileCheck %s

// CHECK: "memref.alloca"() {{.*}} : () -> memref<8192xi32>
// CHECK: callee = @rt_contract_u8_i8
// CHECK: %[[GROUP:.*]] = "arith.muli"(%{{.*}}, %{{.*}}) : (index, index) -> index
// CHECK: "rt.buffer"(%{{.*}}) : (index) -> memref<?xi32>
// CHECK: %[[BIAS:.*]] = "rt.address"(%{{.*}}) : (memref<?xi32>) -> index
// CHECK: %[[FACTORS:.*]] = "rt.address"(%{{.*}}) : (memref<?xf32>) -> index
// CHECK: callee = @rt_requantize_row
// CHECK-NOT: "arith.sitofp"
// CHECK-NOT: math.roundeven
// CHECK: "func.func"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x16x20x20xui8>, %b: tensor<32xsi32>, %f: tensor<32xf32>):
    %s = "onnx.Constant"() {value = dense<0.1> : tensor<f32>} : () -> tensor<f32>
    %t = "onnx.Constant"() {value = dense<0.3> : tensor<f32>} : () -> tensor<f32>
    %z = "onnx.Constant"() {value = dense<3> : tensor<ui8>} : () -> tensor<ui8>
    %y = "onnx.Constant"() {value = dense<0> : tensor<si8>} : () -> tensor<si8>
    %w = "onnx.Constant"() {value = dense<1> : tensor<32x16x1x1xsi8>} : () -> tensor<32x16x1x1xsi8>
    %v = "onnx.Constant"() {value = dense<1> : tensor<16x32x1x1xsi8>} : () -> tensor<16x32x1x1xsi8>
    %none = "onnx.NoValue"() : () -> none
    %0 = "onnx.QLinearConv"(%x, %s, %z, %w, %f, %y, %t, %z, %b) : (tensor<1x16x20x20xui8>, tensor<f32>, tensor<ui8>, tensor<32x16x1x1xsi8>, tensor<32xf32>, tensor<si8>, tensor<f32>, tensor<ui8>, tensor<32xsi32>) -> tensor<1x32x20x20xui8>
    %1 = "onnx.QLinearConv"(%0, %s, %z, %v, %s, %y, %t, %z, %none) : (tensor<1x32x20x20xui8>, tensor<f32>, tensor<ui8>, tensor<16x32x1x1xsi8>, tensor<f32>, tensor<si8>, tensor<f32>, tensor<ui8>, none) -> tensor<1x16x20x20xui8>
    "func.return"(%1) : (tensor<1x16x20x20xui8>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x16x20x20xui8>, tensor<32xsi32>, tensor<32xf32>) -> tensor<1x16x20x20xui8>} : () -> ()
}) : () -> ()
