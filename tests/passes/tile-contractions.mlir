// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=tile-contractions,cse | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='tile-contractions{registers=16x8},cse' | FileCheck %s --check-prefix=NARROW
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='tile-contractions{registers=wasm},cse' | FileCheck %s --check-prefix=WEB
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='tile-contractions{fused=false},cse' | FileCheck %s --check-prefix=ROUNDED
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=tile-contractions,lower-to-low,verify-level | FileCheck %s --check-prefix=LOW

// LOW-NOT: rt.contract
// LOW-NOT: rt.depthwise

// Eight rows of 64 columns are one tile of six rows and one of two; accumulators stay in registers over the loop.
// CHECK: sym_name = "known"
// CHECK-COUNT-4: "vector.load"(%[[START:[0-9]+]],
// CHECK-COUNT-1: "scf.for"
// CHECK-COUNT-4: "vector.load"(%[[RIGHT:[0-9]+]],
// CHECK-COUNT-24: "vector.fma"
// CHECK-NEXT: "scf.yield"
// CHECK-COUNT-24: "vector.store"
// CHECK-COUNT-1: "scf.for"
// CHECK-COUNT-8: "vector.fma"
// CHECK-COUNT-8: "vector.store"
// Four blocks of two narrow vectors.
// NARROW: sym_name = "known"
// NARROW-COUNT-2: "scf.for"
// NARROW-COUNT-12: "vector.fma"{{.*}} vector<8xf32>
// NARROW: "scf.for"
// NARROW-COUNT-4: "vector.fma"
// Two rows of four vectors, whose factors and product fit the registers, too; steps are not unrolled.
// WEB: sym_name = "known"
// WEB-COUNT-8: "vector.fma"{{.*}} vector<4xf32>
// WEB-NEXT: "scf.yield"

// 20 columns: the second vector is masked, but for the padded operand.
// CHECK: sym_name = "ragged_columns"
// CHECK-NOT: vector.maskedload
// CHECK: %[[MASK:.*]] = "vector.constant_mask"() <{mask_dim_sizes = array<i64: 4>}>
// CHECK-NOT: vector.maskedload
// CHECK-COUNT-28: "vector.fma"
// CHECK: "vector.maskedstore"(%{{[0-9]+}}, %{{[0-9]+}}, %[[MASK]],

// An unpadded operand is read under the mask too.
// CHECK: sym_name = "unpadded"
// CHECK: %[[MASK:.*]] = "vector.constant_mask"() <{mask_dim_sizes = array<i64: 4>}>
// CHECK: "vector.maskedload"(%{{[0-9]+}}, %{{[0-9]+}}, %[[MASK]],

// The number of rows and columns at run time: tiles of six, two and one rows, then vector by vector.
// CHECK: sym_name = "unknown"
// CHECK-COUNT-24: "vector.fma"
// CHECK: "vector.store"
// CHECK-COUNT-8: "vector.fma"
// CHECK: "vector.store"
// CHECK-COUNT-4: "vector.fma"
// CHECK: "vector.create_mask"
// CHECK-COUNT-14: "vector.fma"
// CHECK: "vector.maskedstore"

// Blocks of six channels, the last of which has two: the inner loop's end is selected. Rows are in lines of seven.
// CHECK: sym_name = "convolution"
// CHECK: "arith.remui"
// CHECK: %[[LAST:.*]] = "arith.cmpi"
// CHECK: "arith.select"(%[[LAST]], %{{[0-9]+}}, %{{[0-9]+}})

// A kernel window is unrolled.
// CHECK: sym_name = "window"
// CHECK-NOT: "scf.for"
// CHECK-COUNT-36: "vector.fma"
// CHECK-NOT: "scf.for"

// A right operand whose steps are far apart is copied by the micro-kernel.
// CHECK: sym_name = "scattered"
// CHECK: "rt.contract"
// ROUNDED: sym_name = "scattered"
// ROUNDED-NOT: "rt.contract"
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
    %c10 = "arith.constant"() {value = 10 : index} : () -> index
    %c14 = "arith.constant"() {value = 14 : index} : () -> index
    %c16 = "arith.constant"() {value = 16 : index} : () -> index
    %c20 = "arith.constant"() {value = 20 : index} : () -> index
    %c32 = "arith.constant"() {value = 32 : index} : () -> index
    "rt.contract"(%left, %right, %start, %out, %c14, %c20, %c1, %c1, %c1, %c10, %c0, %c0, %c0, %c1, %c0, %c0, %c0, %c32, %c14, %c10, %c0, %c32, %c0, %c10, %c16, %c16) {kind = "f32", right_padded, start = "zero"} : (index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
    "func.return"() : () -> ()
  }) {function_type = (index, index, index, index) -> (), rt.kernel, sym_name = "ragged_columns", sym_visibility = "private"} : () -> ()
  "func.func"() ({
  ^bb0(%left: index, %right: index, %start: index, %out: index):
    %c0 = "arith.constant"() {value = 0 : index} : () -> index
    %c1 = "arith.constant"() {value = 1 : index} : () -> index
    %c10 = "arith.constant"() {value = 10 : index} : () -> index
    %c14 = "arith.constant"() {value = 14 : index} : () -> index
    %c16 = "arith.constant"() {value = 16 : index} : () -> index
    %c20 = "arith.constant"() {value = 20 : index} : () -> index
    "rt.contract"(%left, %right, %start, %out, %c14, %c20, %c1, %c1, %c1, %c10, %c0, %c0, %c0, %c1, %c0, %c0, %c0, %c20, %c14, %c10, %c0, %c20, %c0, %c10, %c16, %c16) {kind = "f32", start = "zero"} : (index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
    "func.return"() : () -> ()
  }) {function_type = (index, index, index, index) -> (), rt.kernel, sym_name = "unpadded", sym_visibility = "private"} : () -> ()
  "func.func"() ({
  ^bb0(%left: index, %right: index, %start: index, %out: index, %rows: index, %columns: index):
    %c0 = "arith.constant"() {value = 0 : index} : () -> index
    %c1 = "arith.constant"() {value = 1 : index} : () -> index
    %c2 = "arith.constant"() {value = 2 : index} : () -> index
    %c10 = "arith.constant"() {value = 10 : index} : () -> index
    %c16 = "arith.constant"() {value = 16 : index} : () -> index
    "rt.contract"(%left, %right, %start, %out, %rows, %columns, %c1, %c1, %c1, %c10, %c0, %c0, %c0, %c1, %c0, %c0, %c0, %columns, %rows, %c10, %c0, %columns, %c0, %c10, %c16, %c16) {kind = "f32", start = "values"} : (index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
    "func.return"() : () -> ()
  }) {function_type = (index, index, index, index, index, index) -> (), rt.kernel, sym_name = "unknown", sym_visibility = "private"} : () -> ()
  "func.func"() ({
  ^bb0(%left: index, %right: index, %start: index, %out: index):
    %c1 = "arith.constant"() {value = 1 : index} : () -> index
    %c2 = "arith.constant"() {value = 2 : index} : () -> index
    %c3 = "arith.constant"() {value = 3 : index} : () -> index
    %c6 = "arith.constant"() {value = 6 : index} : () -> index
    %c7 = "arith.constant"() {value = 7 : index} : () -> index
    %c14 = "arith.constant"() {value = 14 : index} : () -> index
    %c16 = "arith.constant"() {value = 16 : index} : () -> index
    %c64 = "arith.constant"() {value = 64 : index} : () -> index
    %c72 = "arith.constant"() {value = 72 : index} : () -> index
    %c384 = "arith.constant"() {value = 384 : index} : () -> index
    %c448 = "arith.constant"() {value = 448 : index} : () -> index
    %c720 = "arith.constant"() {value = 720 : index} : () -> index
    %c1152 = "arith.constant"() {value = 1152 : index} : () -> index
    %c3456 = "arith.constant"() {value = 3456 : index} : () -> index
    "rt.contract"(%left, %right, %start, %out, %c14, %c64, %c2, %c3, %c3, %c6, %c720, %c72, %c6, %c1, %c3456, %c1152, %c384, %c64, %c7, %c6, %c72, %c64, %c448, %c2, %c16, %c16) {kind = "f32", right_padded, start = "columns"} : (index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
    "func.return"() : () -> ()
  }) {function_type = (index, index, index, index) -> (), rt.kernel, sym_name = "convolution", sym_visibility = "private"} : () -> ()
  "func.func"() ({
  ^bb0(%left: index, %right: index, %start: index, %out: index):
    %c0 = "arith.constant"() {value = 0 : index} : () -> index
    %c3 = "arith.constant"() {value = 3 : index} : () -> index
    %c4 = "arith.constant"() {value = 4 : index} : () -> index
    %c16 = "arith.constant"() {value = 16 : index} : () -> index
    %c48 = "arith.constant"() {value = 48 : index} : () -> index
    %c96 = "arith.constant"() {value = 96 : index} : () -> index
    "rt.depthwise"(%left, %right, %start, %out, %c4, %c16, %c3, %c3, %c96, %c16, %c16, %c48, %c16, %c16) {start = "zero"} : (index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
    "func.return"() : () -> ()
  }) {function_type = (index, index, index, index) -> (), rt.kernel, sym_name = "window", sym_visibility = "private"} : () -> ()
  "func.func"() ({
  ^bb0(%left: index, %right: index, %start: index, %out: index):
    %c0 = "arith.constant"() {value = 0 : index} : () -> index
    %c1 = "arith.constant"() {value = 1 : index} : () -> index
    %c16 = "arith.constant"() {value = 16 : index} : () -> index
    %c64 = "arith.constant"() {value = 64 : index} : () -> index
    %c512 = "arith.constant"() {value = 512 : index} : () -> index
    "rt.contract"(%left, %right, %start, %out, %c64, %c64, %c1, %c1, %c1, %c512, %c0, %c0, %c0, %c1, %c0, %c0, %c0, %c512, %c64, %c512, %c0, %c512, %c0, %c512, %c16, %c16) {kind = "f32", start = "columns"} : (index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
    "func.return"() : () -> ()
  }) {function_type = (index, index, index, index) -> (), rt.kernel, sym_name = "scattered", sym_visibility = "private"} : () -> ()
}) : () -> ()
