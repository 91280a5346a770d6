// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=number-assertions{bounds=true} | FileCheck %s --check-prefix=STATED
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=number-assertions{bounds=true},flatten-buffers,outline-parallel | FileCheck %s --check-prefix=LOOP
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=number-assertions{bounds=true},flatten-buffers,outline-parallel,lower-control-flow,check-accesses,simplify,verify-level | FileCheck %s

// The status word is the last argument, and each buffer has a message.
// STATED: ^bb0(%[[X:[a-z0-9]+]]: memref<?x8xf32>, %[[STATUS:[a-z0-9]+]]: memref<1xi64>):
// STATED-NEXT: "rt.bounds"(%[[STATUS]], %[[STATUS]]) <{number = 1 : i64}>
// STATED-NEXT: "rt.bounds"(%[[X]], %[[STATUS]]) <{number = 2 : i64}>
// STATED: rt.messages = ["the kernel 'kernel' accesses its own memory out of bounds", "the kernel 'kernel' accesses operand 0 out of bounds"]

// The function of a loop has the bounds of what it captures.
// LOOP: "rt.unpack"
// LOOP: "rt.bounds"(%{{.*}}, %{{.*}}, %{{.*}}) <{number = 2 : i64}> : (memref<?xf32>, memref<?xi64>, index) -> ()

// CHECK: "rt.unpack"
// CHECK: %[[OK:.*]] = "arith.cmpi"(%{{.*}}, %{{.*}}) <{predicate = 6 : i64}>
// CHECK: "cf.cond_br"(%[[OK]], %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}})
// CHECK: "vector.load"
// CHECK: "func.call"(%{{.*}}) <{callee = @rt_out_of_bounds}>
// CHECK-NOT: rt.bounds
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: memref<?x8xf32>):
    %zero = "arith.constant"() {value = 0 : index} : () -> index
    %one = "arith.constant"() {value = 1 : index} : () -> index
    %n = "memref.dim"(%x, %zero) : (memref<?x8xf32>, index) -> index
    "scf.parallel"(%zero, %n, %one) ({
    ^bb0(%i: index):
      %v = "vector.load"(%x, %i, %one) : (memref<?x8xf32>, index, index) -> vector<4xf32>
      "vector.store"(%v, %x, %i, %zero) : (vector<4xf32>, memref<?x8xf32>, index, index) -> ()
      "scf.reduce"() : () -> ()
    }) {operandSegmentSizes = array<i32: 1, 1, 1, 0>} : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) {function_type = (memref<?x8xf32>) -> (), rt.kernel, sym_name = "kernel", sym_visibility = "private"} : () -> ()
}) : () -> ()
