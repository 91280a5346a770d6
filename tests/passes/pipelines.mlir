// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='builtin.module(func.func(canonicalize,cse),func.func(canonicalize{max-changes=8}))' --print-ir-after-all 2>&1 | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='canonicalize,cse' --timing 2>&1 | FileCheck %s --check-prefix=TIMING
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=cse --print-ir-before=cse --print-ir-after=canonicalize 2>&1 | FileCheck %s --check-prefix=BEFORE
// RUN: not onnx-opt --mlir-print-op-generic %s --pass-pipeline='builtin.module(func.func(canonicalize,what))' 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not onnx-opt --mlir-print-op-generic %s --pass-pipeline='func.func(onnx-to-linalg)' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// RUN: not onnx-opt --mlir-print-op-generic %s --pass-pipeline='builtin.module(cse' 2>&1 | FileCheck %s --check-prefix=OPEN
// RUN: not onnx-opt --mlir-print-op-generic %s --pass-pipeline='canonicalize{max-changes=many}' 2>&1 | FileCheck %s --check-prefix=OPTION
// RUN: not onnx-opt --mlir-print-op-generic %s --pass-pipeline='cse{fast=true}' 2>&1 | FileCheck %s --check-prefix=NOOPTION
// RUN: not onnx-opt --mlir-print-op-generic %s --pass-pipeline='canonicalize,verify-level{level=graph}' --reproducer=%t 2>&1 | FileCheck %s --check-prefix=REPRODUCER
// RUN: not onnx-opt --mlir-print-op-generic %t --run-reproducer 2>&1 | FileCheck %s --check-prefix=REPRODUCED
// RUN: onnx-opt --list-passes | FileCheck %s --check-prefix=LIST

// CHECK: IR Dump After canonicalize
// CHECK: IR Dump After cse
// CHECK: IR Dump After canonicalize
// CHECK: "builtin.module"

// TIMING: ms {{.*}} canonicalize
// TIMING-NEXT: ms {{.*}} cse
// TIMING-NEXT: ms 100.0 % {{ *}}total

// BEFORE: IR Dump Before cse
// BEFORE-NOT: IR Dump

// UNKNOWN: error: 'what' is not a pass
// UNKNOWN-NEXT: note: in the pipeline {{.*}}, column 39
// ANCHOR: error: pass 'onnx-to-linalg' runs on builtin.module, not on func.func
// OPEN: error: expected ')', found the end of the pipeline
// OPTION: error: pass 'canonicalize': option 'max-changes' must be an integer that is not negative, found 'many'
// NOOPTION: error: pass 'cse': 'fast' is not an option

// REPRODUCER: error: {{.*}}'arith.constant' op is not legal at the graph level
// REPRODUCER-NEXT: note: run onnx-opt --run-reproducer {{.*}} to see this again
// REPRODUCED: error: {{.*}}'arith.constant' op is not legal at the graph level

// LIST: Passes
// LIST: canonicalize
// LIST: verify-level
// LIST: level=graph|structured|kernel|low (default low)
// LIST: Pipelines
// LIST: lower-to-low

"builtin.module"() ({
  "func.func"() ({
    %zero = "arith.constant"() {value = 0 : index} : () -> index
    "func.return"(%zero) : (index) -> ()
  }) {sym_name = "f", function_type = () -> index} : () -> ()
}) : () -> ()
