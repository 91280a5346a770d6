// RUN: not onnx-opt --mlir-print-op-generic %s --pass-pipeline=flatten-buffers 2>&1 | FileCheck %s

// Callers pass dynamic extents to kernels only: an access, or a cast, of another function's argument cannot be flattened.
// CHECK: flatten-extents.mlir:{{.*}}: memref.load has no flat form
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: memref<?x?xf32>, %i: index):
    "scf.parallel"(%i, %i, %i) ({
    ^bb0(%j: index):
      %a = "memref.load"(%x, %j, %j) : (memref<?x?xf32>, index, index) -> f32
      "scf.reduce"() : () -> ()
    }) {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) {function_type = (memref<?x?xf32>, index) -> (), sym_name = "no_kernel", sym_visibility = "private"} : () -> ()
}) : () -> ()
