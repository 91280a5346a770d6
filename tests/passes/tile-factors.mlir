// On AArch64 a multiplication takes one lane of a vector: the factors of four steps are loaded at once for each row, and
// each vector of the right operand is used before the next one is loaded.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='tile-contractions{registers=32x4},cse' | FileCheck %s
// Other processors broadcast an element as they load it.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='tile-contractions{registers=16x8},cse' | FileCheck %s --check-prefix=BROADCAST

// CHECK: "scf.for"
// CHECK-COUNT-6: "vector.load"
// CHECK-NEXT: "vector.load"
// CHECK-COUNT-6: "vector.shuffle"({{.*}}) <{mask = array<i64: 0, 0, 0, 0>}>
// CHECK: "vector.load"
// CHECK: "vector.shuffle"({{.*}}) <{mask = array<i64: 3, 3, 3, 3>}>
// CHECK-NOT: "vector.broadcast"
// CHECK: "scf.yield"
// BROADCAST-NOT: "vector.shuffle"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%left: index, %right: index, %start: index, %out: index):
    %c0 = "arith.constant"() {value = 0 : index} : () -> index
    %c1 = "arith.constant"() {value = 1 : index} : () -> index
    %c6 = "arith.constant"() {value = 6 : index} : () -> index
    %c16 = "arith.constant"() {value = 16 : index} : () -> index
    %c64 = "arith.constant"() {value = 64 : index} : () -> index
    "rt.contract"(%left, %right, %start, %out, %c6, %c16, %c1, %c1, %c1, %c64, %c0, %c0, %c0, %c1, %c0, %c0, %c0, %c16, %c6, %c64, %c0, %c16, %c0, %c64, %c16, %c16) {kind = "f32", right_padded, start = "columns"} : (index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
    "func.return"() : () -> ()
  }) {function_type = (index, index, index, index) -> (), rt.kernel, sym_name = "steps", sym_visibility = "private"} : () -> ()
}) : () -> ()
