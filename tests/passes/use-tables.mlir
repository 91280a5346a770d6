// An activation between two quantized tensors is a lookup in a byte table, which is computed at compile time; the table is
// read where the byte is. A short function of a byte is computed, and so is one of a run-time value.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,use-tables,verify-level{level=structured}' | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,use-tables,lower-to-kernels' | FileCheck %s --check-prefix=KERNEL
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,use-tables,fold-constants' | FileCheck %s --check-prefix=KNOWN

// the table itself is a small constant
// KNOWN: "arith.constant"() <{value = dense<{{.*}}> : tensor<256xi8>}>

// CHECK: "tensor.empty"() : () -> tensor<256xi8>
// CHECK: "math.roundeven"
// CHECK: -> tensor<256xi8>
// CHECK: "arith.index_castui"(%{{.*}}) : (i8) -> index
// CHECK: "tensor.extract"(%{{.*}}) : (tensor<256xi8>, index) -> i8
// CHECK: "arith.uitofp"
// CHECK: "math.roundeven"
// CHECK-NOT: "tensor.extract"

// KERNEL: "memref.load"(%{{.*}}) : (memref<256xi8>, index) -> i8
// KERNEL: sym_name = "initialize"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<64x64xui8>, %s: tensor<f32>):
    %scale = "onnx.Constant"() {value = dense<0.1> : tensor<f32>} : () -> tensor<f32>
    %zero = "onnx.Constant"() {value = dense<100> : tensor<ui8>} : () -> tensor<ui8>
    %0 = "onnx.DequantizeLinear"(%x, %scale, %zero) : (tensor<64x64xui8>, tensor<f32>, tensor<ui8>) -> tensor<64x64xf32>
    %1 = "onnx.HardSwish"(%0) : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %2 = "onnx.QuantizeLinear"(%1, %scale, %zero) : (tensor<64x64xf32>, tensor<f32>, tensor<ui8>) -> tensor<64x64xui8>
    %3 = "onnx.DequantizeLinear"(%x, %s, %zero) : (tensor<64x64xui8>, tensor<f32>, tensor<ui8>) -> tensor<64x64xf32>
    %4 = "onnx.QuantizeLinear"(%3, %scale, %zero) : (tensor<64x64xf32>, tensor<f32>, tensor<ui8>) -> tensor<64x64xui8>
    "func.return"(%2, %4, %0) : (tensor<64x64xui8>, tensor<64x64xui8>, tensor<64x64xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<64x64xui8>, tensor<f32>) -> (tensor<64x64xui8>, tensor<64x64xui8>, tensor<64x64xf32>)} : () -> ()
}) : () -> ()
