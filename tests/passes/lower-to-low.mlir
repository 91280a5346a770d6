// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=number-assertions | FileCheck %s --check-prefix=ASSERT
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=flatten-buffers | FileCheck %s --check-prefix=FLAT
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=expand-math | FileCheck %s --check-prefix=MATH
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=outline-parallel | FileCheck %s --check-prefix=PARALLEL
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=outline-parallel,lower-control-flow | FileCheck %s --check-prefix=CONTROL
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=lower-to-low,verify-level | FileCheck %s --check-prefix=LOW

// A failed assertion of a kernel stores the number of its message.
// ASSERT: ^bb0({{.*}}, %[[STATUS:.*]]: memref<1xi64>):
// ASSERT: "scf.if"
// ASSERT-NEXT: %[[NUMBER:.*]] = "arith.constant"() <{value = 1 : i64}>
// ASSERT: "memref.store"(%[[NUMBER]], %[[STATUS]],
// ASSERT: {rt.messages = ["the batch is empty"]}

// The dynamic extents are arguments; static ones are part of the index arithmetic.
// FLAT: "memref.global"() {{.*}}type = memref<6xf32>
// FLAT: ^bb0(%[[X:[a-z0-9]+]]: memref<?xf32>, %{{[a-z0-9]+}}: memref<?xf32>, %{{[a-z0-9]+}}: f32, %[[N:[a-z0-9]+]]: index, %{{[a-z0-9]+}}: index):
// FLAT: %[[EIGHT:.*]] = "arith.constant"() <{value = 8 : index}>
// FLAT: "scf.parallel"(%{{[0-9]+}}, %[[N]], %{{[0-9]+}})
// FLAT-NEXT: ^bb0(%[[I:.*]]: index):
// FLAT: ^bb0(%[[J:.*]]: index):
// FLAT-NEXT: %[[ROW:.*]] = "arith.muli"(%[[I]], %[[EIGHT]])
// FLAT-NEXT: %[[AT:.*]] = "arith.addi"(%[[ROW]], %[[J]])
// FLAT-NEXT: "memref.load"(%[[X]], %[[AT]])

// MATH-NOT: math.exp
// MATH: "math.fma"
// MATH-NOT: math.exp

// The values that the body captures are written to a table at once, and read at once.
// PARALLEL: sym_name = "kernel"
// PARALLEL: "rt.pack"(%[[ENVIRONMENT:[a-z0-9]+]], {{.*}}) <{words = array<i64: 0, 1, 2, 3>}> :
// PARALLEL: "rt.parallel_for"(%[[ENVIRONMENT]], %{{.*}}, %{{.*}}) <{callee = @[[BODY:.*]]}> :
// PARALLEL: sym_name = "[[BODY]]"
// PARALLEL: ^bb0(%[[TABLE:.*]]: memref<?xi64>, %[[BEGIN:.*]]: index, %[[END:.*]]: index):
// PARALLEL-NEXT: {{.*}} = "rt.unpack"(%[[TABLE]]) <{words = array<i64: 0, 1, 2, 3>}> :
// PARALLEL: "scf.for"(%[[BEGIN]], %[[END]],

// CONTROL-NOT: scf.
// CONTROL: ^bb1(%[[I:.*]]: index):
// CONTROL: "cf.cond_br"(%{{.*}})[^bb2, ^bb
// CONTROL-NOT: scf.

// LOW: sym_name = "kernel"
// LOW: {rt.kernel}
// LOW: sym_name = "kernel_loop_0"
"builtin.module"() ({
  "memref.global"() {sym_name = "table", sym_visibility = "private", type = memref<2x3xf32>, constant, initial_value = dense<1.5> : tensor<2x3xf32>} : () -> ()
  "func.func"() ({
  ^bb0(%x: memref<?x8xf32>, %y: memref<?x8xf32>, %limit: f32):
    %zero = "arith.constant"() {value = 0 : index} : () -> index
    %one = "arith.constant"() {value = 1 : index} : () -> index
    %eight = "arith.constant"() {value = 8 : index} : () -> index
    %table = "memref.get_global"() {name = @table} : () -> memref<2x3xf32>
    %bias = "memref.load"(%table, %one, %one) : (memref<2x3xf32>, index, index) -> f32
    %n = "memref.dim"(%x, %zero) : (memref<?x8xf32>, index) -> index
    %some = "arith.cmpi"(%zero, %n) {predicate = 2 : i64} : (index, index) -> i1
    "cf.assert"(%some) {msg = "the batch is empty"} : (i1) -> ()
    "scf.parallel"(%zero, %n, %one) ({
    ^bb0(%i: index):
      "scf.for"(%zero, %eight, %one) ({
      ^bb0(%j: index):
        %v = "memref.load"(%x, %i, %j) : (memref<?x8xf32>, index, index) -> f32
        %e = "math.exp"(%v) : (f32) -> f32
        %b = "arith.addf"(%e, %bias) : (f32, f32) -> f32
        %m = "arith.minimumf"(%b, %limit) : (f32, f32) -> f32
        "memref.store"(%m, %y, %i, %j) : (f32, memref<?x8xf32>, index, index) -> ()
        "scf.yield"() : () -> ()
      }) : (index, index, index) -> ()
      "scf.reduce"() : () -> ()
    }) {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) {function_type = (memref<?x8xf32>, memref<?x8xf32>, f32) -> (), rt.kernel, sym_name = "kernel", sym_visibility = "private"} : () -> ()
}) : () -> ()
