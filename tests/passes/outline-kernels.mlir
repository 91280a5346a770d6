// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='onnx-to-linalg,outline-kernels{shapes=shared}' | FileCheck %s

// Both halves of an axis are read in place: the loop's bound is an argument of the kernel, and no modulus repeats it.
// CHECK-NOT: mod
// CHECK: #[[SAME:map[0-9]*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-NOT: mod
// CHECK: #[[MOVED:map[0-9]*]] = affine_map<(d0, d1) -> (d0, d1 + 24)>
// CHECK: sym_name = "main_graph"
// CHECK: indexing_maps = [#[[SAME]], #[[SAME]]]
// CHECK: indexing_maps = [#[[MOVED]], #[[SAME]]]
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<64x48xf32>):
    %sizes = "onnx.Constant"() {value = dense<[24, 24]> : tensor<2xi64>} : () -> tensor<2xi64>
    %parts:2 = "onnx.Split"(%x, %sizes) {axis = 1 : si64} : (tensor<64x48xf32>, tensor<2xi64>) -> (tensor<64x24xf32>, tensor<64x24xf32>)
    "func.return"(%parts#0, %parts#1) : (tensor<64x24xf32>, tensor<64x24xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<64x48xf32>) -> (tensor<64x24xf32>, tensor<64x24xf32>)} : () -> ()
}) : () -> ()
