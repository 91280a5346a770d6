// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='tile-contractions{registers=wasm shared=true}' | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='tile-contractions{registers=wasm shared=true},lower-to-low,verify-level' | FileCheck %s --check-prefix=LOW

// LOW-NOT: rt.contract

// Products of different extents call one function for rows of tiles.
// CHECK: sym_name = "known"
// CHECK-NOT: vector.fma
// CHECK: "func.call"({{.*}}) <{callee = @tile_rows_0}>
// CHECK: sym_name = "other"
// CHECK-NOT: vector.fma
// CHECK: "func.call"({{.*}}) <{callee = @tile_rows_0}>
// A row that is left has its own one.
// CHECK: "func.call"({{.*}}) <{callee = @tile_rows_1}>
// CHECK: sym_name = "tile_rows_0"
// CHECK-COUNT-8: "vector.fma"
// CHECK-NOT: vector.fma
// CHECK: sym_name = "tile_rows_1"
// CHECK-COUNT-4: "vector.fma"
// CHECK-NOT: sym_name
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
  "func.func"() ({
  ^bb0(%left: index, %right: index, %start: index, %out: index):
    %c0 = "arith.constant"() {value = 0 : index} : () -> index
    %c1 = "arith.constant"() {value = 1 : index} : () -> index
    %c11 = "arith.constant"() {value = 11 : index} : () -> index
    %c16 = "arith.constant"() {value = 16 : index} : () -> index
    %c20 = "arith.constant"() {value = 20 : index} : () -> index
    %c32 = "arith.constant"() {value = 32 : index} : () -> index
    "rt.contract"(%left, %right, %start, %out, %c11, %c32, %c1, %c1, %c1, %c20, %c0, %c0, %c0, %c1, %c0, %c0, %c0, %c32, %c11, %c20, %c0, %c32, %c0, %c20, %c16, %c16) {kind = "f32", right_padded, start = "columns"} : (index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
    "func.return"() : () -> ()
  }) {function_type = (index, index, index, index) -> (), rt.kernel, sym_name = "other", sym_visibility = "private"} : () -> ()
}) : () -> ()
