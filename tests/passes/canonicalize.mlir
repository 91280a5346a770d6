// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=builtin.module(func.func(canonicalize)) | FileCheck %s

// CHECK: "builtin.module"
"builtin.module"() ({
  // CHECK-NEXT: "func.func"() <{function_type = (i64) -> i64, sym_name = "folds_and_combines"}>
  // CHECK-NEXT: ^bb0(%[[X:.*]]: i64):
  // CHECK-NEXT: %[[C12:.*]] = "arith.constant"() <{value = 12 : i64}>
  // CHECK-NEXT: %[[Y:.*]] = "arith.addi"(%[[X]], %[[C12]])
  // CHECK-NEXT: "func.return"(%[[Y]])
  "func.func"() ({
  ^bb0(%x: i64):
    %three = "arith.constant"() {value = 3 : i64} : () -> i64
    %four = "arith.constant"() {value = 4 : i64} : () -> i64
    %seven = "arith.addi"(%three, %four) : (i64, i64) -> i64
    %a = "arith.addi"(%seven, %x) : (i64, i64) -> i64
    %five = "arith.constant"() {value = 5 : i64} : () -> i64
    %b = "arith.addi"(%a, %five) : (i64, i64) -> i64
    %unused = "arith.muli"(%b, %b) : (i64, i64) -> i64
    "func.return"(%b) : (i64) -> ()
  }) {sym_name = "folds_and_combines", function_type = (i64) -> i64} : () -> ()

  // CHECK: sym_name = "extents"
  // CHECK: ^bb0(%[[X:.*]]: tensor<?x4xf32>):
  // CHECK-NEXT: %[[C0:.*]] = "arith.constant"() <{value = 0 : index}>
  // CHECK-NEXT: %[[N:.*]] = "tensor.dim"(%[[X]], %[[C0]])
  // CHECK-NEXT: %[[C4:.*]] = "arith.constant"() <{value = 4 : index}>
  // CHECK-NEXT: "func.return"(%[[N]], %[[C4]])
  "func.func"() ({
  ^bb0(%x: tensor<?x4xf32>):
    %zero = "arith.constant"() {value = 0 : index} : () -> index
    %one = "arith.constant"() {value = 1 : index} : () -> index
    %n = "tensor.dim"(%x, %zero) : (tensor<?x4xf32>, index) -> index
    %m = "tensor.dim"(%x, %one) : (tensor<?x4xf32>, index) -> index
    "func.return"(%n, %m) : (index, index) -> ()
  }) {sym_name = "extents", function_type = (tensor<?x4xf32>) -> (index, index)} : () -> ()

  // A branch on a constant becomes the region taken; a loop that runs once becomes its body; one that never runs is removed.
  // CHECK: sym_name = "control_flow"
  // CHECK: ^bb0(%[[X:.*]]: f32, %[[BUFFER:.*]]: memref<8xf32>):
  // CHECK-NOT: scf
  // CHECK: %[[ONE:.*]] = "arith.constant"() <{value = 1 : index}>
  // CHECK-NOT: scf
  // CHECK: %[[SUM:.*]] = "arith.addf"(%[[X]], %[[X]])
  // CHECK-NEXT: "memref.store"(%[[SUM]], %[[BUFFER]], %[[ONE]])
  // CHECK-NEXT: "func.return"(%[[SUM]])
  "func.func"() ({
  ^bb0(%x: f32, %buffer: memref<8xf32>):
    %true = "arith.constant"() {value = true} : () -> i1
    %one = "arith.constant"() {value = 1 : index} : () -> index
    %two = "arith.constant"() {value = 2 : index} : () -> index
    %taken = "scf.if"(%true) ({
      %sum = "arith.addf"(%x, %x) : (f32, f32) -> f32
      "scf.yield"(%sum) : (f32) -> ()
    }, {
      "scf.yield"(%x) : (f32) -> ()
    }) : (i1) -> f32
    "scf.for"(%one, %two, %one) ({
    ^bb0(%i: index):
      "memref.store"(%taken, %buffer, %i) : (f32, memref<8xf32>, index) -> ()
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    %never = "scf.for"(%two, %one, %one, %taken) ({
    ^bb0(%i: index, %carried: f32):
      %next = "arith.mulf"(%carried, %carried) : (f32, f32) -> f32
      "scf.yield"(%next) : (f32) -> ()
    }) : (index, index, index, f32) -> f32
    "func.return"(%never) : (f32) -> ()
  }) {sym_name = "control_flow", function_type = (f32, memref<8xf32>) -> f32} : () -> ()

  // CHECK: ^bb0(%[[C:.*]]: i1, %[[A:.*]]: i32):
  // CHECK-NEXT: "cf.br"(%[[A]])[^[[LAST:bb.*]]]
  // CHECK: ^[[LAST]](%[[R:.*]]: i32)
  // CHECK-NEXT: "func.return"(%[[R]])
  "func.func"() ({
  ^bb0(%c: i1, %a: i32):
    "cf.cond_br"(%c, %a, %a)[^bb1, ^bb1] {operandSegmentSizes = array<i32: 1, 1, 1>} : (i1, i32, i32) -> ()
  ^bb1(%r: i32):
    "func.return"(%r) : (i32) -> ()
  }) {sym_name = "branches", function_type = (i1, i32) -> i32} : () -> ()

  // Floats fold only if the result is bitwise equal.
  // CHECK: ^bb0(%[[X:.*]]: f32):
  // CHECK: %[[ZERO:.*]] = "arith.constant"() <{value = 0.000000e+00 : f32}>
  // CHECK-NEXT: %[[SUM:.*]] = "arith.addf"(%[[X]], %[[ZERO]])
  // CHECK-NEXT: "func.return"(%[[SUM]])
  "func.func"() ({
  ^bb0(%x: f32):
    %zero = "arith.constant"() {value = 0.0 : f32} : () -> f32
    %one = "arith.constant"() {value = 1.0 : f32} : () -> f32
    %same = "arith.mulf"(%x, %one) : (f32, f32) -> f32
    %sum = "arith.addf"(%same, %zero) : (f32, f32) -> f32
    "func.return"(%sum) : (f32) -> ()
  }) {sym_name = "floats", function_type = (f32) -> f32} : () -> ()
}) : () -> ()
