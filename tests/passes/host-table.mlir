// RUN: not onnx-opt --mlir-print-op-generic %s --pass-pipeline=guard-host 2>&1 | FileCheck %s

// The status word is reached through the table of words that a host function is passed first.
// CHECK: the first argument of a host function is not a table of words
"builtin.module"() ({
  "func.func"() ({
    %no = "arith.constant"() {value = false} : () -> i1
    "cf.assert"(%no) {msg = "never"} : (i1) -> ()
    %zero = "arith.constant"() {value = 0 : i64} : () -> i64
    "func.return"(%zero) : (i64) -> ()
  }) {function_type = () -> i64, sym_name = "host"} : () -> ()
}) : () -> ()
