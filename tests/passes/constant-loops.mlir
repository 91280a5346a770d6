// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=outline-parallel | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=canonicalize | FileCheck %s --check-prefix=FOLDED

// Loops with constant bounds, of which nothing can be computed without care.

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: memref<8xf32>, %v: f32):
    %zero = "arith.constant"() {value = 0 : index} : () -> index
    %one = "arith.constant"() {value = 1 : index} : () -> index
    %most = "arith.constant"() {value = 9223372036854775807 : index} : () -> index
    %least = "arith.constant"() {value = -9223372036854775808 : index} : () -> index
    // a step of zero: nothing is known of the number of iterations
    // CHECK: rt.parallel_for
    // FOLDED: scf.parallel
    "scf.parallel"(%zero, %most, %zero) ({
    ^bb0(%i: index):
      "memref.store"(%v, %x, %zero) : (f32, memref<8xf32>, index) -> ()
      "scf.reduce"() : () -> ()
    }) {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (index, index, index) -> ()
    // more iterations than an index counts
    // CHECK: rt.parallel_for
    // FOLDED: scf.parallel
    "scf.parallel"(%least, %most, %one) ({
    ^bb0(%i: index):
      "memref.store"(%v, %x, %one) : (f32, memref<8xf32>, index) -> ()
      "scf.reduce"() : () -> ()
    }) {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (index, index, index) -> ()
    // FOLDED: scf.for
    "scf.for"(%least, %most, %one) ({
    ^bb0(%i: index):
      "memref.store"(%v, %x, %one) : (f32, memref<8xf32>, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    // FOLDED-NOT: scf.for
    "scf.for"(%most, %least, %one) ({
    ^bb0(%i: index):
      "memref.store"(%v, %x, %one) : (f32, memref<8xf32>, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) {function_type = (memref<8xf32>, f32) -> (), rt.kernel, sym_name = "kernel", sym_visibility = "private"} : () -> ()
}) : () -> ()
