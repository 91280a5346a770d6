// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=dispatch-kernels | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=dispatch-kernels,tile-contractions,lower-to-low,verify-level | FileCheck %s --check-prefix=LOW

// The kernel dispatches by the word with the processor's level.
// CHECK: sym_name = "known"
// CHECK: %[[WORD:.*]] = "memref.get_global"() <{name = @rt_level}>
// CHECK: %[[LEVEL:.*]] = "memref.load"(%[[WORD]],
// CHECK: %[[FOUR:.*]] = "arith.constant"() <{value = 4 : i64}>
// CHECK: "arith.cmpi"(%[[LEVEL]], %[[FOUR]]) <{predicate = 5 : i64}>
// CHECK: "func.call"(%{{.*}}) <{callee = @known_v4}>
// CHECK: "func.call"(%{{.*}}) <{callee = @known_v3}>
// CHECK: "func.call"(%{{.*}}) <{callee = @known_v2}>
// CHECK: "memref.global"() {{.*}}sym_name = "rt_level"
// CHECK: sym_name = "known_v4"
// CHECK: rt.level = 4 : i64
// CHECK: sym_name = "known_v3"
// CHECK: rt.level = 3 : i64
// CHECK: sym_name = "known_v2"
// CHECK: rt.level = 2 : i64

// Each version has its level's vector width.
// LOW: sym_name = "known_v4"
// LOW: vector<16xf32>
// LOW: sym_name = "known_v3"
// LOW: vector<8xf32>
// LOW: sym_name = "known_v2"
// LOW: vector<4xf32>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%left: index, %right: index, %start: index, %out: index):
    %c0 = "arith.constant"() {value = 0 : index} : () -> index
    %c1 = "arith.constant"() {value = 1 : index} : () -> index
    %c8 = "arith.constant"() {value = 8 : index} : () -> index
    %c10 = "arith.constant"() {value = 10 : index} : () -> index
    %c16 = "arith.constant"() {value = 16 : index} : () -> index
    %c64 = "arith.constant"() {value = 64 : index} : () -> index
    "rt.contract"(%left, %right, %start, %out, %c8, %c64, %c1, %c1, %c1, %c10, %c0, %c0, %c0, %c1, %c0, %c0, %c0, %c64, %c8, %c10, %c0, %c64, %c0, %c10, %c16, %c16) {kind = "f32", right_padded, start = "columns"} : (index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
    "func.return"() : () -> ()
  }) {function_type = (index, index, index, index) -> (), rt.kernel, sym_name = "known", sym_visibility = "private"} : () -> ()
}) : () -> ()
