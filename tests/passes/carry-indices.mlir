// Loops carry the indices that would be computed by dividing their counter.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='carry-indices,simplify' | FileCheck %s

// CHECK: sym_name = "rows"
// CHECK: "arith.divui"
// CHECK: "arith.divui"
// CHECK: "scf.for"({{.*}}) ({
// Only the next division reads the quotient by the inner extent.
// CHECK-NEXT: ^bb0(%{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: index, %{{[a-z0-9]+}}: index):
// CHECK-NOT: arith.divui
// CHECK: "memref.store"
// CHECK: "arith.cmpi"
// CHECK: "arith.select"
// CHECK: "scf.yield"
"func.func"() ({
^bb0(%y: memref<?xindex>, %begin: index, %end: index, %middle: index, %inner: index):
  %1 = "arith.constant"() {value = 1 : index} : () -> index
  "scf.for"(%begin, %end, %1) ({
  ^bb0(%i: index):
    %q = "arith.divui"(%i, %inner) : (index, index) -> index
    %p = "arith.muli"(%q, %inner) : (index, index) -> index
    %c = "arith.subi"(%i, %p) : (index, index) -> index
    %a = "arith.divui"(%q, %middle) : (index, index) -> index
    %r = "arith.muli"(%a, %middle) : (index, index) -> index
    %b = "arith.subi"(%q, %r) : (index, index) -> index
    %ab = "arith.addi"(%a, %b) : (index, index) -> index
    %abc = "arith.addi"(%ab, %c) : (index, index) -> index
    "memref.store"(%abc, %y, %i) : (index, memref<?xindex>, index) -> ()
    "scf.yield"() : () -> ()
  }) : (index, index, index) -> ()
  "func.return"() : () -> ()
}) {sym_name = "rows", function_type = (memref<?xindex>, index, index, index, index) -> ()} : () -> ()

// Division by a constant is cheap, and a divisor computed in the loop cannot be carried.
// CHECK: sym_name = "others"
// CHECK: "scf.for"
// CHECK: "arith.divui"
// CHECK: "scf.for"
// CHECK: "arith.divui"
"func.func"() ({
^bb0(%y: memref<?xindex>, %begin: index, %end: index):
  %1 = "arith.constant"() {value = 1 : index} : () -> index
  %7 = "arith.constant"() {value = 7 : index} : () -> index
  "scf.for"(%begin, %end, %1) ({
  ^bb0(%i: index):
    %q = "arith.divui"(%i, %7) : (index, index) -> index
    %p = "arith.muli"(%q, %7) : (index, index) -> index
    %c = "arith.subi"(%i, %p) : (index, index) -> index
    "memref.store"(%c, %y, %q) : (index, memref<?xindex>, index) -> ()
    "scf.yield"() : () -> ()
  }) : (index, index, index) -> ()
  "scf.for"(%begin, %end, %1) ({
  ^bb0(%i: index):
    %e = "arith.addi"(%i, %1) : (index, index) -> index
    %q = "arith.divui"(%i, %e) : (index, index) -> index
    %p = "arith.muli"(%q, %e) : (index, index) -> index
    %c = "arith.subi"(%i, %p) : (index, index) -> index
    "memref.store"(%c, %y, %q) : (index, memref<?xindex>, index) -> ()
    "scf.yield"() : () -> ()
  }) : (index, index, index) -> ()
  "func.return"() : () -> ()
}) {sym_name = "others", function_type = (memref<?xindex>, index, index) -> ()} : () -> ()
