// int8 matrix products are contractions; their i32 sums are in a separate buffer from the requantised result.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,lower-to-kernels' | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,lower-to-kernels,lower-to-low,verify-level' | FileCheck %s --check-prefix=CALL
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,lower-to-kernels,tile-contractions{runtime=false},lower-to-low,verify-level' | FileCheck %s --check-prefix=LOOPS

// CHECK: "memref.alloca"() {{.*}} -> memref<128x64xi32>
// CHECK: "rt.contract"({{.*}}kind = "u8i8"
// CALL: callee = @rt_contract_u8_i8
// LOOPS-NOT: rt_contract
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<?x30xui8>, %z: tensor<ui8>, %s: tensor<f32>):
    %w = "onnx.Constant"() {value = dense<3> : tensor<30x20xi8>} : () -> tensor<30x20xi8>
    %y = "onnx.Constant"() {value = dense<0> : tensor<i8>} : () -> tensor<i8>
    %product = "onnx.QLinearMatMul"(%x, %s, %z, %w, %s, %y, %s, %z) : (tensor<?x30xui8>, tensor<f32>, tensor<ui8>, tensor<30x20xi8>, tensor<f32>, tensor<i8>, tensor<f32>, tensor<ui8>) -> tensor<?x20xui8>
    "func.return"(%product) : (tensor<?x20xui8>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<?x30xui8>, tensor<ui8>, tensor<f32>) -> tensor<?x20xui8>} : () -> ()
}) : () -> ()
