// A loop of three iterations is unrolled, with its carried values passed on; one of four stays, and so does one whose
// bounds are dynamic.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='unroll-loops,simplify' | FileCheck %s

// CHECK: ^bb0(%[[X:arg[0-9]+]]: memref<?xf32>
// CHECK-NOT: "scf.for"
// CHECK: %[[A:.*]] = "memref.load"(%[[X]], %{{.*}})
// CHECK: %[[S:.*]] = "arith.addf"(%{{.*}}, %[[A]])
// CHECK: %[[B:.*]] = "memref.load"
// CHECK: %[[T:.*]] = "arith.addf"(%[[S]], %[[B]])
// CHECK: %[[C:.*]] = "memref.load"
// CHECK: %[[U:.*]] = "arith.addf"(%[[T]], %[[C]])
// CHECK: "scf.for"
// CHECK: "memref.store"(%[[U]]
// CHECK: "scf.for"
// CHECK: "memref.store"(%[[U]]
"func.func"() ({
^bb0(%x: memref<?xf32>, %y: memref<?xf32>, %n: index):
  %0 = "arith.constant"() {value = 0 : index} : () -> index
  %1 = "arith.constant"() {value = 1 : index} : () -> index
  %3 = "arith.constant"() {value = 3 : index} : () -> index
  %4 = "arith.constant"() {value = 4 : index} : () -> index
  %start = "arith.constant"() {value = 0.0 : f32} : () -> f32
  %sum = "scf.for"(%0, %3, %1, %start) ({
  ^bb0(%i: index, %s: f32):
    %a = "memref.load"(%x, %i) : (memref<?xf32>, index) -> f32
    %t = "arith.addf"(%s, %a) : (f32, f32) -> f32
    "scf.yield"(%t) : (f32) -> ()
  }) : (index, index, index, f32) -> f32
  "scf.for"(%0, %4, %1) ({
  ^bb0(%i: index):
    "memref.store"(%sum, %y, %i) : (f32, memref<?xf32>, index) -> ()
    "scf.yield"() : () -> ()
  }) : (index, index, index) -> ()
  "scf.for"(%0, %n, %1) ({
  ^bb0(%i: index):
    "memref.store"(%sum, %y, %i) : (f32, memref<?xf32>, index) -> ()
    "scf.yield"() : () -> ()
  }) : (index, index, index) -> ()
  "func.return"() : () -> ()
}) {sym_name = "sums", function_type = (memref<?xf32>, memref<?xf32>, index) -> ()} : () -> ()
