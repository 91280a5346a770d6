// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=builtin.module(func.func(cse)) | FileCheck %s

"builtin.module"() ({
  // CHECK: ^bb0(%[[X:.*]]: tensor<?x4xf32>):
  // CHECK-NEXT: %[[ZERO:.*]] = "arith.constant"
  // CHECK-NEXT: %[[N:.*]] = "tensor.dim"(%[[X]], %[[ZERO]])
  // CHECK-NEXT: %[[SUM:.*]] = "arith.addi"(%[[N]], %[[N]])
  // CHECK-NEXT: "func.return"(%[[SUM]])
  "func.func"() ({
  ^bb0(%x: tensor<?x4xf32>):
    %zero = "arith.constant"() {value = 0 : index} : () -> index
    %n = "tensor.dim"(%x, %zero) : (tensor<?x4xf32>, index) -> index
    %again = "arith.constant"() {value = 0 : index} : () -> index
    %m = "tensor.dim"(%x, %again) : (tensor<?x4xf32>, index) -> index
    %sum = "arith.addi"(%n, %m) : (index, index) -> index
    "func.return"(%sum) : (index) -> ()
  }) {sym_name = "chain", function_type = (tensor<?x4xf32>) -> index} : () -> ()

  // An outer operation replaces an inner one; two branches share nothing. Loads may differ.
  // CHECK: ^bb0(%[[C:.*]]: i1, %[[X:.*]]: f32, %[[BUFFER:.*]]: memref<4xf32>):
  // CHECK-NEXT: %[[A:.*]] = "arith.addf"
  // CHECK: "scf.if"
  // CHECK-NEXT: %[[B:.*]] = "arith.mulf"(%[[A]], %[[A]])
  // CHECK-NEXT: "scf.yield"(%[[B]])
  // CHECK: %[[B2:.*]] = "arith.mulf"(%[[A]], %[[A]])
  // CHECK-NEXT: "scf.yield"(%[[B2]])
  // CHECK-COUNT-2: "memref.load"
  "func.func"() ({
  ^bb0(%c: i1, %x: f32, %buffer: memref<4xf32>):
    %a = "arith.addf"(%x, %x) : (f32, f32) -> f32
    %zero = "arith.constant"() {value = 0 : index} : () -> index
    %r = "scf.if"(%c) ({
      %same = "arith.addf"(%x, %x) : (f32, f32) -> f32
      %b = "arith.mulf"(%same, %a) : (f32, f32) -> f32
      "scf.yield"(%b) : (f32) -> ()
    }, {
      %same = "arith.addf"(%x, %x) : (f32, f32) -> f32
      %b = "arith.mulf"(%same, %a) : (f32, f32) -> f32
      "scf.yield"(%b) : (f32) -> ()
    }) : (i1) -> f32
    %first = "memref.load"(%buffer, %zero) : (memref<4xf32>, index) -> f32
    "memref.store"(%r, %buffer, %zero) : (f32, memref<4xf32>, index) -> ()
    %second = "memref.load"(%buffer, %zero) : (memref<4xf32>, index) -> f32
    %sum = "arith.addf"(%first, %second) : (f32, f32) -> f32
    "func.return"(%sum) : (f32) -> ()
  }) {sym_name = "regions", function_type = (i1, f32, memref<4xf32>) -> f32} : () -> ()

  // Operations of a block replace equal ones in the blocks that it dominates.
  // CHECK: sym_name = "blocks"
  // CHECK: "arith.addi"
  // CHECK: "arith.muli"
  // CHECK: ^bb2
  // CHECK-NOT: "arith.addi"
  // CHECK: "arith.muli"
  "func.func"() ({
  ^bb0(%c: i1, %x: i32):
    %a = "arith.addi"(%x, %x) : (i32, i32) -> i32
    "cf.cond_br"(%c)[^bb1, ^bb2] {operandSegmentSizes = array<i32: 1, 0, 0>} : (i1) -> ()
  ^bb1:
    %b = "arith.muli"(%a, %x) : (i32, i32) -> i32
    "func.return"(%b) : (i32) -> ()
  ^bb2:
    %again = "arith.addi"(%x, %x) : (i32, i32) -> i32
    %d = "arith.muli"(%again, %x) : (i32, i32) -> i32
    "func.return"(%d) : (i32) -> ()
  }) {sym_name = "blocks", function_type = (i1, i32) -> i32} : () -> ()

  // Random results differ from each other.
  // CHECK: ^bb0(%[[X:.*]]: tensor<4xf32>, %[[TRAINS:.*]]: tensor<i1>):
  // CHECK-COUNT-2: "onnx.Dropout"(%[[X]]
  // CHECK-NOT: "onnx.Dropout"
  // CHECK: "func.return"
  "func.func"() ({
  ^bb0(%x: tensor<4xf32>, %trains: tensor<i1>):
    %ratio = "onnx.Constant"() {value = dense<5.000000e-01> : tensor<f32>} : () -> tensor<f32>
    %a = "onnx.Dropout"(%x, %ratio, %trains) : (tensor<4xf32>, tensor<f32>, tensor<i1>) -> tensor<4xf32>
    %b = "onnx.Dropout"(%x, %ratio, %trains) : (tensor<4xf32>, tensor<f32>, tensor<i1>) -> tensor<4xf32>
    "func.return"(%a, %b) : (tensor<4xf32>, tensor<4xf32>) -> ()
  }) {sym_name = "random", function_type = (tensor<4xf32>, tensor<i1>) -> (tensor<4xf32>, tensor<4xf32>)} : () -> ()
}) : () -> ()
