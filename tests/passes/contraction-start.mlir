// An initial vector of one element is not a buffer: it is a constant of the kernel.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='onnx-to-linalg,lower-to-kernels' | FileCheck %s

// CHECK: "arith.constant"() <{value = 5.000000e-01 : f32}>
// CHECK: "rt.contract"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<?x32xf32>, %w: tensor<32x1xf32>):
    %start = "onnx.Constant"() {value = dense<[0.5]> : tensor<1xf32>} : () -> tensor<1xf32>
    %sum = "onnx.Gemm"(%x, %w, %start) {alpha = 1.0 : f32, beta = 1.0 : f32, transA = 0, transB = 0} : (tensor<?x32xf32>, tensor<32x1xf32>, tensor<1xf32>) -> tensor<?x1xf32>
    "func.return"(%sum) : (tensor<?x1xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<?x32xf32>, tensor<32x1xf32>) -> tensor<?x1xf32>} : () -> ()
}) : () -> ()
