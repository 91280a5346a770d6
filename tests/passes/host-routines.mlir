// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=build-kernels | FileCheck %s

// A routine's arguments are words on the stack; the extents of a result are read after the call, and asserted if
// the type states them. The buffers of an iteration are freed at its end, except for loop-carried tensors.
// CHECK: callee = @rt_allocate
// CHECK: %[[SCOPE:[0-9]+]] = "func.call"({{%[0-9]+}}) <{callee = @rt_scope_begin}>
// CHECK: "scf.while"
// CHECK: "scf.condition"
// CHECK: %[[WORDS:[0-9]+]] = "memref.alloca"
// CHECK: "rt.pack"(%[[WORDS]],
// CHECK: callee = @rt_call_non_zero
// CHECK: "memref.load"(%[[WORDS]],
// CHECK: "cf.assert"({{.*}}an extent of the result differs from the expected one
// CHECK: "cf.assert"({{.*}}the elements of a stacked result differ in shape
// CHECK: callee = @rt_append
// CHECK: "func.call"({{%[0-9]+}}, %[[SCOPE]], {{%[0-9]+}}, {{%[0-9]+}}) <{callee = @rt_scope_end}>
// CHECK: "scf.yield"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<?xf32>, %go: tensor<i1>):
    %zero = "arith.constant"() {value = 0 : index} : () -> index
    %one = "arith.constant"() {value = 1 : index} : () -> index
    %c = "tensor.extract"(%go) : (tensor<i1>) -> i1
    %stack = "tensor.empty"(%zero, %zero) : (index, index) -> tensor<?x1x?xi64>
    %n, %all = "scf.while"(%zero, %stack) ({
    ^bb0(%i: index, %s: tensor<?x1x?xi64>):
      "scf.condition"(%c, %i, %s) : (i1, index, tensor<?x1x?xi64>) -> ()
    }, {
    ^bb0(%i: index, %s: tensor<?x1x?xi64>):
      %places = "rt.call"(%x) {routine = "non_zero", kinds = array<i64: 1, 7>} : (tensor<?xf32>) -> tensor<1x?xi64>
      %more = "rt.append"(%s, %places) : (tensor<?x1x?xi64>, tensor<1x?xi64>) -> tensor<?x1x?xi64>
      %next = "arith.addi"(%i, %one) : (index, index) -> index
      "scf.yield"(%next, %more) : (index, tensor<?x1x?xi64>) -> ()
    }) : (index, tensor<?x1x?xi64>) -> (index, tensor<?x1x?xi64>)
    "func.return"(%all) : (tensor<?x1x?xi64>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<?xf32>, tensor<i1>) -> tensor<?x1x?xi64>} : () -> ()
}) : () -> ()
