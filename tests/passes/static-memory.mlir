// Without a runtime, memory is part of the module, float reductions are sequential, and loops run on one thread.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,outline-kernels,outline-initialization,build-kernels{target=llvm order=sequence memory=static}' | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,outline-kernels,outline-initialization,build-kernels{target=llvm order=sequence memory=static},number-assertions,tile-contractions,call-contractions,flatten-buffers,expand-math,round-products,outline-parallel{serial=true},lower-control-flow,simplify' | FileCheck %s --check-prefix=LOW

// CHECK-NOT: callee = @rt_
// CHECK: sym_name = "main_graph"
// CHECK-NOT: vector.reduction
// CHECK: "memref.global"() <{alignment = 64 : i64, initial_value, sym_name = "main_graph_memory_0"
// LOW-NOT: rt_
// LOW-NOT: rt.parallel_for
// LOW: "func.return"
"func.func"() ({
^bb0(%x: tensor<64x512xf32>, %w: tensor<512x32xf32>):
  %axes = "onnx.Constant"() {value = dense<[1]> : tensor<1xi64>} : () -> tensor<1xi64>
  %product = "onnx.MatMul"(%x, %w) : (tensor<64x512xf32>, tensor<512x32xf32>) -> tensor<64x32xf32>
  %sum = "onnx.ReduceSum"(%product, %axes) {keepdims = 1 : si64} : (tensor<64x32xf32>, tensor<1xi64>) -> tensor<64x1xf32>
  "func.return"(%sum) : (tensor<64x1xf32>) -> ()
}) {sym_name = "main_graph", function_type = (tensor<64x512xf32>, tensor<512x32xf32>) -> tensor<64x1xf32>} : () -> ()
