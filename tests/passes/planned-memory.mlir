// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=onnx-to-linalg,outline-kernels,build-kernels | FileCheck %s

// Sizes that depend on data are planned together as soon as they are known: the four products take turns in one piece of memory.
// CHECK: callee = @rt_call_non_zero
// CHECK: callee = @rt_allocate
// CHECK-NOT: callee = @rt_allocate
// CHECK: callee = @rt_output
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<?xf32>, %t: tensor<9x16xf32>, %w: tensor<16x16xf32>):
    %i = "onnx.NonZero"(%x) : (tensor<?xf32>) -> tensor<1x?xi64>
    %a = "onnx.Gather"(%t, %i) {axis = 0 : i64} : (tensor<9x16xf32>, tensor<1x?xi64>) -> tensor<1x?x16xf32>
    %b = "onnx.MatMul"(%a, %w) : (tensor<1x?x16xf32>, tensor<16x16xf32>) -> tensor<1x?x16xf32>
    %c = "onnx.MatMul"(%b, %w) : (tensor<1x?x16xf32>, tensor<16x16xf32>) -> tensor<1x?x16xf32>
    %d = "onnx.MatMul"(%c, %w) : (tensor<1x?x16xf32>, tensor<16x16xf32>) -> tensor<1x?x16xf32>
    %e = "onnx.MatMul"(%d, %w) : (tensor<1x?x16xf32>, tensor<16x16xf32>) -> tensor<1x?x16xf32>
    %y = "onnx.MatMul"(%e, %w) : (tensor<1x?x16xf32>, tensor<16x16xf32>) -> tensor<1x?x16xf32>
    "func.return"(%y) : (tensor<1x?x16xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<?xf32>, tensor<9x16xf32>, tensor<16x16xf32>) -> tensor<1x?x16xf32>} : () -> ()
}) : () -> ()
