// With wide vectors, the loop itself requantises the sums, also line by line; only the lookup in a table after that is
// a call of the runtime.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,use-tables,outline-kernels,outline-initialization,build-kernels{target=llvm},number-assertions,call-contractions,flatten-buffers,map-rows{functions=tables}' | FileCheck %s

// CHECK: callee = @rt_contract_u8_i8
// CHECK: "math.roundeven"(%{{.*}}) : (vector<16xf32>) -> vector<16xf32>
// CHECK: "vector.store"(%{{.*}}) : (vector<16xi8>, memref<?xi8>, index) -> ()
// CHECK: "func.call"(%{{.*}}) <{callee = @rt_look_up_row}>
// CHECK-NOT: callee = @rt_requantize_row
// CHECK-NOT: "vector.extract"
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
    %1 = "onnx.DequantizeLinear"(%0, %t, %z) : (tensor<1x32x20x20xui8>, tensor<f32>, tensor<ui8>) -> tensor<1x32x20x20xf32>
    %2 = "onnx.HardSwish"(%1) : (tensor<1x32x20x20xf32>) -> tensor<1x32x20x20xf32>
    %3 = "onnx.QuantizeLinear"(%2, %t, %z) : (tensor<1x32x20x20xf32>, tensor<f32>, tensor<ui8>) -> tensor<1x32x20x20xui8>
    %4 = "onnx.QLinearConv"(%3, %s, %z, %v, %s, %y, %t, %z, %none) : (tensor<1x32x20x20xui8>, tensor<f32>, tensor<ui8>, tensor<16x32x1x1xsi8>, tensor<f32>, tensor<si8>, tensor<f32>, tensor<ui8>, none) -> tensor<1x16x20x20xui8>
    "func.return"(%4) : (tensor<1x16x20x20xui8>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x16x20x20xui8>, tensor<32xsi32>, tensor<32xf32>) -> tensor<1x16x20x20xui8>} : () -> ()
}) : () -> ()
