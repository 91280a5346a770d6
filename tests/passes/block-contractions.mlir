// Matrix products with constant 4-bit weights read them packed; with fixed arithmetic, they become float products.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose{foreign=true},decompose,onnx-to-linalg,lower-to-kernels' | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose{foreign=true},decompose,onnx-to-linalg,lower-to-kernels,tile-contractions,lower-to-low,verify-level' | FileCheck %s --check-prefix=CALL
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose{foreign=true lowered=true},decompose,onnx-to-linalg,lower-to-kernels' | FileCheck %s --check-prefix=FLOATS

// CHECK: "rt.contract_blocks"(
// CALL: callee = @rt_contract_blocks
// FLOATS-NOT: rt.contract_blocks
// FLOATS: "rt.contract"({{.*}}kind = "f32"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<?x64xf32>):
    %w = "onnx.Constant"() {value = dense<58> : tensor<20x2x16xui8>} : () -> tensor<20x2x16xui8>
    %s = "onnx.Constant"() {value = dense<0.5> : tensor<40xf32>} : () -> tensor<40xf32>
    %product = "onnx.com.microsoft.MatMulNBits"(%x, %w, %s) {K = 64 : si64, N = 20 : si64, bits = 4 : si64, block_size = 32 : si64} : (tensor<?x64xf32>, tensor<20x2x16xui8>, tensor<40xf32>) -> tensor<?x20xf32>
    "func.return"(%product) : (tensor<?x20xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<?x64xf32>) -> tensor<?x20xf32>} : () -> ()
}) : () -> ()
