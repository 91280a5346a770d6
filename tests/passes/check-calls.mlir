// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=number-assertions{bounds=true},flatten-buffers,outline-parallel,lower-control-flow,check-accesses,simplify,verify-level | FileCheck %s

// The address, the size and the message of each buffer follow the operands; the runtime compares them before the call.
// CHECK: "rt.pack"(%[[TABLE:[0-9]+]], %[[FROM:[a-z0-9]+]], %[[TO:[a-z0-9]+]], %[[BYTES:[a-z0-9]+]], %{{.*}}) <{words = array<i64: 0, 1, 2, 3, 4, 5, 6, 7, 8>}>
// CHECK: %[[INSIDE:[0-9]+]] = "func.call"(%{{.*}}, %[[TABLE]]) <{callee = @rt_check_call}> : (index, memref<?xi64>) -> i64
// CHECK: "rt.unpack"(%[[TABLE]]) <{words = array<i64: 0, 1, 2, 3>}>
// CHECK: %[[OK:[0-9]+]] = "arith.cmpi"(%[[INSIDE]], %{{.*}}) <{predicate = 1 : i64}>
// CHECK: "cf.cond_br"(%[[OK]]
// CHECK: "func.call"(%[[FROM]], %[[TO]], %[[BYTES]]) <{callee = @rt_copy_row}>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: memref<?xf32>, %y: memref<?xf32>):
    %bytes = "arith.constant"() {value = 64 : index} : () -> index
    %from = "rt.address"(%x) : (memref<?xf32>) -> index
    %to = "rt.address"(%y) : (memref<?xf32>) -> index
    "func.call"(%from, %to, %bytes) {callee = @rt_copy_row} : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) {function_type = (memref<?xf32>, memref<?xf32>) -> (), rt.kernel, sym_name = "kernel", sym_visibility = "private"} : () -> ()
  "func.func"() ({}) {function_type = (index, index, index) -> (), sym_name = "rt_copy_row", sym_visibility = "private"} : () -> ()
}) : () -> ()
