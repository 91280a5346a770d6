// Contractions read f16 and bf16 weights directly, except small ones that are multiplied by many rows.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,use-halves' | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,use-halves,lower-to-kernels' | FileCheck %s --check-prefix=TILES
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,use-halves,lower-to-kernels,tile-contractions,lower-to-low,verify-level' | FileCheck %s --check-prefix=CALLS

// a vector, and a value that is widened in the graph
// CHECK: ^bb0(%{{.*}}: f32, %[[HALF:.*]]: f16, %{{.*}}: f32):
// CHECK-NEXT: "arith.extf"(%[[HALF]]) : (f16) -> f32
// CHECK-NEXT: "arith.mulf"
// CHECK: ^bb0(%{{.*}}: f32, %[[BRAIN:.*]]: bf16, %{{.*}}: f32):
// CHECK-NEXT: "arith.extf"(%[[BRAIN]]) : (bf16) -> f32
// CHECK-NEXT: "arith.mulf"
// many rows
// CHECK: ^bb0(%{{.*}}: f32, %{{.*}}: f32, %{{.*}}: f32):
// CHECK-NEXT: "arith.mulf"

// TILES-DAG: "rt.contract"({{.*}}kind = "f32f16"
// TILES-DAG: "rt.contract"({{.*}}kind = "f32bf16"
// TILES-DAG: "rt.contract"({{.*}}kind = "f32",
// CALLS-DAG: callee = @rt_contract_f32_f16
// CALLS-DAG: callee = @rt_contract_f32_bf16
// CALLS-NOT: callee = @rt_contract_f32}>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x40xf16>, %z: tensor<8x40xf32>, %m: tensor<100x40xf16>):
    %w = "onnx.Constant"() {value = dense<3.0> : tensor<40x20xf16>} : () -> tensor<40x20xf16>
    %b = "onnx.Constant"() {value = dense<3.0> : tensor<40x20xbf16>} : () -> tensor<40x20xbf16>
    %wide = "onnx.Cast"(%b) {to = 1 : si64} : (tensor<40x20xbf16>) -> tensor<40x20xf32>
    %one = "onnx.MatMul"(%x, %w) : (tensor<1x40xf16>, tensor<40x20xf16>) -> tensor<1x20xf16>
    %two = "onnx.MatMul"(%z, %wide) : (tensor<8x40xf32>, tensor<40x20xf32>) -> tensor<8x20xf32>
    %three = "onnx.MatMul"(%m, %w) : (tensor<100x40xf16>, tensor<40x20xf16>) -> tensor<100x20xf16>
    "func.return"(%one, %two, %three) : (tensor<1x20xf16>, tensor<8x20xf32>, tensor<100x20xf16>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x40xf16>, tensor<8x40xf32>, tensor<100x40xf16>) -> (tensor<1x20xf16>, tensor<8x20xf32>, tensor<100x20xf16>)} : () -> ()
}) : () -> ()
