// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=simplify | FileCheck %s

// Stack memory is allocated once per call, a branch on a constant is folded, and unreachable code is removed.
// CHECK: ^bb0(%[[X:.*]]: memref<?xf32>):
// CHECK-NEXT: "memref.alloca"
// CHECK: "cf.br"()[^bb1]
// CHECK-NOT: cf.cond_br
// CHECK: "memref.store"
// CHECK-NOT: arith.mulf
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: memref<?xf32>):
    %true = "arith.constant"() {value = true} : () -> i1
    %zero = "arith.constant"() {value = 0 : index} : () -> index
    %v = "memref.load"(%x, %zero) : (memref<?xf32>, index) -> f32
    "cf.cond_br"(%true)[^bb1, ^bb2] {operandSegmentSizes = array<i32: 1, 0, 0>} : (i1) -> ()
  ^bb1:
    %stack = "memref.alloca"() {operandSegmentSizes = array<i32: 0, 0>} : () -> memref<4xf32>
    %again = "arith.constant"() {value = 0 : index} : () -> index
    "memref.store"(%v, %stack, %again) : (f32, memref<4xf32>, index) -> ()
    "func.return"() : () -> ()
  ^bb2:
    %product = "arith.mulf"(%v, %v) : (f32, f32) -> f32
    "memref.store"(%product, %x, %zero) : (f32, memref<?xf32>, index) -> ()
    "func.return"() : () -> ()
  }) {sym_name = "f", function_type = (memref<?xf32>) -> ()} : () -> ()
}) : () -> ()
