// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=flatten-buffers | FileCheck %s

// The innermost loop runs over an axis that is not the last: its index is multiplied by the axis's stride, and the offsets of the
// enclosing loops are added up before it.
// CHECK: ^bb0(%{{.*}}: memref<?xf32>, %{{.*}}: memref<?xf32>, %[[N:.*]]: index, %[[C:.*]]: index, %[[W:.*]]: index, %{{.*}}: index):
// CHECK: %[[IMAGE:.*]] = "arith.muli"(%[[W]], %[[C]])
// CHECK: ^bb0(%[[I:.*]]: index):
// CHECK: ^bb0(%[[J:.*]]: index):
// CHECK: %[[NEXT:.*]] = "arith.muli"(%{{.*}}, %[[W]])
// CHECK: %[[FIRST:.*]] = "arith.muli"(%[[I]], %[[IMAGE]])
// CHECK: %[[STEP:.*]] = "arith.muli"(%[[J]], %[[W]])
// CHECK: %[[SUM:.*]] = "arith.addi"(%[[NEXT]], %[[FIRST]])
// CHECK: %[[FRONT:.*]] = "arith.addi"(%[[SUM]], %[[I]])
// CHECK: %[[AT:.*]] = "arith.addi"(%[[FRONT]], %[[STEP]])
// CHECK: "memref.load"(%{{.*}}, %[[AT]])
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: memref<?x?x?xf32>, %y: memref<?xf32>):
    %zero = "arith.constant"() {value = 0 : index} : () -> index
    %one = "arith.constant"() {value = 1 : index} : () -> index
    %images = "memref.dim"(%x, %zero) : (memref<?x?x?xf32>, index) -> index
    %channels = "memref.dim"(%x, %one) : (memref<?x?x?xf32>, index) -> index
    "scf.parallel"(%zero, %images, %one) ({
    ^bb0(%i: index):
      "scf.for"(%zero, %channels, %one) ({
      ^bb0(%j: index):
        %next = "arith.addi"(%j, %one) : (index, index) -> index
        %a = "memref.load"(%x, %i, %next, %i) : (memref<?x?x?xf32>, index, index, index) -> f32
        "memref.store"(%a, %y, %j) : (f32, memref<?xf32>, index) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "scf.reduce"() : () -> ()
    }) {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) {function_type = (memref<?x?x?xf32>, memref<?xf32>) -> (), rt.kernel, sym_name = "kernel", sym_visibility = "private"} : () -> ()
}) : () -> ()
