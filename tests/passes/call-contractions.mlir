// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='onnx-to-linalg,lower-to-kernels' | FileCheck %s --check-prefix=TILE
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='onnx-to-linalg,lower-to-kernels,call-contractions' | FileCheck %s

// TILE: "rt.contract"
// CHECK-NOT: rt.contract"
// CHECK: "func.call"({{.*}}callee = @rt_contract_f32}>
// CHECK: sym_name = "rt_contract_f32", sym_visibility = "private"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<?x32xf32>, %w: tensor<32x16xf32>):
    %product = "onnx.MatMul"(%x, %w) : (tensor<?x32xf32>, tensor<32x16xf32>) -> tensor<?x16xf32>
    "func.return"(%product) : (tensor<?x16xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<?x32xf32>, tensor<32x16xf32>) -> tensor<?x16xf32>} : () -> ()
}) : () -> ()
