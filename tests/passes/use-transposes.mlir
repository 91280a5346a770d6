// Matrix products with few rows read a transposed operand in place if it is in memory anyway.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,use-transposes' | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,use-transposes,lower-to-kernels' | FileCheck %s --check-prefix=TILES
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,use-transposes,lower-to-kernels,tile-contractions,lower-to-low,verify-level' | FileCheck %s --check-prefix=CALLS

// an argument
// CHECK: affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
// CHECK: rt.transposed} : (tensor<2x?x40xf32>, tensor<2x30x40xf32>
// a result as well
// CHECK: %[[PRESENT:.*]] = "tensor.concat"
// CHECK: "linalg.generic"(%{{[a-z0-9]+}}, %[[PRESENT]],
// CHECK: rt.transposed}
// many rows, and an operand that is computed only for the product
// CHECK-NOT: rt.transposed

// TILES-COUNT-2: kind = "f32transposed"
// TILES-NOT: kind = "f32transposed"
// CALLS-COUNT-2: callee = @rt_contract_f32_transposed
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%q: tensor<2x?x40xf32>, %k: tensor<2x30x40xf32>, %x: tensor<1x3x40xf32>, %past: tensor<1x?x40xf32>, %new: tensor<1x1x40xf32>, %many: tensor<2x200x40xf32>):
    %keys = "onnx.Transpose"(%k) {perm = array<i64: 0, 2, 1>} : (tensor<2x30x40xf32>) -> tensor<2x40x30xf32>
    %one = "onnx.MatMul"(%q, %keys) : (tensor<2x?x40xf32>, tensor<2x40x30xf32>) -> tensor<2x?x30xf32>

    %present = "onnx.Concat"(%past, %new) {axis = 1 : i64} : (tensor<1x?x40xf32>, tensor<1x1x40xf32>) -> tensor<1x?x40xf32>
    %cached = "onnx.Transpose"(%present) {perm = array<i64: 0, 2, 1>} : (tensor<1x?x40xf32>) -> tensor<1x40x?xf32>
    %two = "onnx.MatMul"(%x, %cached) : (tensor<1x3x40xf32>, tensor<1x40x?xf32>) -> tensor<1x3x?xf32>

    %three = "onnx.MatMul"(%many, %keys) : (tensor<2x200x40xf32>, tensor<2x40x30xf32>) -> tensor<2x200x30xf32>

    %sizes = "onnx.Abs"(%k) : (tensor<2x30x40xf32>) -> tensor<2x30x40xf32>
    %turned = "onnx.Transpose"(%sizes) {perm = array<i64: 0, 2, 1>} : (tensor<2x30x40xf32>) -> tensor<2x40x30xf32>
    %four = "onnx.MatMul"(%q, %turned) : (tensor<2x?x40xf32>, tensor<2x40x30xf32>) -> tensor<2x?x30xf32>
    "func.return"(%one, %present, %two, %three, %four) : (tensor<2x?x30xf32>, tensor<1x?x40xf32>, tensor<1x3x?xf32>, tensor<2x200x30xf32>, tensor<2x?x30xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<2x?x40xf32>, tensor<2x30x40xf32>, tensor<1x3x40xf32>, tensor<1x?x40xf32>, tensor<1x1x40xf32>, tensor<2x200x40xf32>) -> (tensor<2x?x30xf32>, tensor<1x?x40xf32>, tensor<1x3x?xf32>, tensor<2x200x30xf32>, tensor<2x?x30xf32>)} : () -> ()
}) : () -> ()
