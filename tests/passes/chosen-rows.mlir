// RUN: onnx-opt --mlir-print-op-generic %s --split-input-file --pass-pipeline='outline-kernels,build-kernels{target=cranelift}' | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --split-input-file --pass-pipeline='outline-kernels,build-kernels{target=llvm}' | FileCheck %s --check-prefix=WIDE

// A triangular mask: each row is zeros, then a copy, without comparisons. Wide vectors compare instead.
// CHECK: sym_name = "kernel_0"
// CHECK: %[[BOUND:.*]] = "arith.minsi"(
// CHECK-NOT: arith.cmpi
// CHECK: %[[ZEROS:.*]] = "vector.broadcast"
// CHECK: "vector.store"(%[[ZEROS]],
// CHECK-NOT: arith.cmpi
// CHECK: "scf.for"(%[[BOUND]],
// CHECK: %[[COPY:.*]] = "vector.load"
// CHECK: "vector.store"(%[[COPY]],
// CHECK-NOT: arith.cmpi
// WIDE: sym_name = "kernel_0"
// WIDE: "arith.cmpi"({{.*}}) -> vector<16xi1>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<64x96xf32>):
    %empty = "tensor.empty"() : () -> tensor<64x96xf32>
    %0 = "linalg.generic"(%x, %empty) ({
    ^bb0(%a: f32, %old: f32):
      %i = "linalg.index"() {dim = 0 : i64} : () -> index
      %j = "linalg.index"() {dim = 1 : i64} : () -> index
      %distance = "arith.subi"(%j, %i) : (index, index) -> index
      %two = "arith.constant"() {value = 2 : index} : () -> index
      %is_above = "arith.cmpi"(%distance, %two) {predicate = 5 : i64} : (index, index) -> i1
      %zero = "arith.constant"() {value = 0.0 : f32} : () -> f32
      %1 = "arith.select"(%is_above, %a, %zero) : (i1, f32, f32) -> f32
      "linalg.yield"(%1) : (f32) -> ()
    }) {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<64x96xf32>, tensor<64x96xf32>) -> tensor<64x96xf32>
    "func.return"(%0) : (tensor<64x96xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<64x96xf32>) -> tensor<64x96xf32>} : () -> ()
}) : () -> ()

// -----

// One element of a row: the row is filled, then the element is written if its index is in bounds, also for wide vectors.
// CHECK: sym_name = "kernel_0"
// CHECK-NOT: arith.cmpi
// CHECK: "vector.store"
// CHECK: %[[FIRST:.*]] = "arith.minsi"(
// CHECK: %[[END:.*]] = "arith.minsi"(
// CHECK: "scf.for"(%[[FIRST]], %[[END]],
// CHECK-NOT: arith.cmpi
// CHECK: "memref.store"
// WIDE: sym_name = "kernel_0"
// WIDE-NOT: arith.cmpi
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%places: tensor<64xindex>):
    %empty = "tensor.empty"() : () -> tensor<64x96xf32>
    %0 = "linalg.generic"(%places, %empty) ({
    ^bb0(%place: index, %old: f32):
      %j = "linalg.index"() {dim = 1 : i64} : () -> index
      %is_there = "arith.cmpi"(%place, %j) {predicate = 0 : i64} : (index, index) -> i1
      %one = "arith.constant"() {value = 1.0 : f32} : () -> f32
      %zero = "arith.constant"() {value = 0.0 : f32} : () -> f32
      %1 = "arith.select"(%is_there, %one, %zero) : (i1, f32, f32) -> f32
      "linalg.yield"(%1) : (f32) -> ()
    }) {indexing_maps = [affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<64xindex>, tensor<64x96xf32>) -> tensor<64x96xf32>
    "func.return"(%0) : (tensor<64x96xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<64xindex>) -> tensor<64x96xf32>} : () -> ()
}) : () -> ()

// -----

// For narrow vectors, the runtime converts a chunk at a time.
// CHECK: sym_name = "kernel_0"
// CHECK: "func.call"({{.*}}) <{callee = @rt_map_row}>
// WIDE: sym_name = "kernel_0"
// WIDE: "arith.extsi"({{.*}}) : (vector<16xi32>) -> vector<16xi64>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<64x96xi32>):
    %empty = "tensor.empty"() : () -> tensor<64x96xi64>
    %0 = "linalg.generic"(%x, %empty) ({
    ^bb0(%a: i32, %old: i64):
      %1 = "arith.extsi"(%a) : (i32) -> i64
      "linalg.yield"(%1) : (i64) -> ()
    }) {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<64x96xi32>, tensor<64x96xi64>) -> tensor<64x96xi64>
    "func.return"(%0) : (tensor<64x96xi64>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<64x96xi32>) -> tensor<64x96xi64>} : () -> ()
}) : () -> ()
