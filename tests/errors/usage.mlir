// RUN: not onnx-opt no/such/file.mlir 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not onnx-opt --absent-option 2>&1 | FileCheck %s --check-prefix=USAGE
// RUN: not onnx-opt --mlir-print-op-generic %s 2>&1 | FileCheck %s --check-prefix=UNMATCHED
// RUN: not onnx-opt --mlir-print-op-generic %s --verify-diagnostics 2>&1 | FileCheck %s --check-prefix=NOTFOUND

// MISSING: error: no/such/file.mlir: No such file
// USAGE: error: unexpected argument '--absent-option' found
// UNMATCHED: error: {{.*}}usage.mlir:10:1: 'builtin.nothing' is not a known operation
// NOTFOUND: error: {{.*}}not expected: {{.*}}'builtin.nothing' is not a known operation
builtin.nothing
