// RUN: onnx-opt %s --no-verify | FileCheck %s

// Operations that break their definitions are printed in the generic form.
// CHECK: "scf.for"() : () -> ()
"scf.for"() : () -> ()
// CHECK: "arith.select"() : () -> ()
"arith.select"() : () -> ()
// CHECK: "cf.cond_br"() <{operandSegmentSizes = array<i32: 1, 7, 0>}> : () -> ()
"cf.cond_br"() {operandSegmentSizes = array<i32: 1, 7, 0>} : () -> ()
// CHECK: "memref.global"() : () -> ()
"memref.global"() : () -> ()
