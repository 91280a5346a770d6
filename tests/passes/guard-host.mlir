// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=number-assertions,guard-host | FileCheck %s

// A host function returns the number of the message as soon as an assertion or an allocation fails.
// CHECK: ^bb0(%[[TABLE:.*]]: memref<?xi64>, %[[C:.*]]: i1):
// CHECK: %[[NUMBER:.*]] = "arith.constant"() <{value = 1 : i64}>
// CHECK: "cf.cond_br"(%[[C]], %[[NUMBER]])[^bb{{[0-9]+}}, ^bb[[FAILED:[0-9]+]]]
// CHECK: callee = @rt_arena
// CHECK: %[[STATUS:.*]] = "memref.load"
// CHECK: "cf.cond_br"(%{{.*}}, %[[STATUS]])[^bb{{[0-9]+}}, ^bb[[FAILED]]]
// CHECK: ^bb[[FAILED]](%[[RETURNED:[a-z0-9]+]]: i64):
// CHECK-NEXT: "func.return"(%[[RETURNED]]) : (i64)
// CHECK: {rt.messages = ["wrong extent"]}
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%table: memref<?xi64>, %c: i1):
    %zero = "arith.constant"() {value = 0 : i64} : () -> i64
    %size = "arith.constant"() {value = 64 : index} : () -> index
    "cf.assert"(%c) {msg = "wrong extent"} : (i1) -> ()
    %arena = "func.call"(%size, %size) {callee = @rt_arena} : (index, index) -> memref<?xi8>
    "func.return"(%zero) : (i64) -> ()
  }) {sym_name = "main_graph", function_type = (memref<?xi64>, i1) -> i64} : () -> ()
  "func.func"() ({}) {sym_name = "rt_arena", function_type = (index, index) -> memref<?xi8>, sym_visibility = "private"} : () -> ()
}) : () -> ()
