// RUN: onnx-opt --mlir-print-op-generic %s --split-input-file --pass-pipeline='outline-kernels,build-kernels,verify-level{level=kernel}' | FileCheck %s

// Columns of the operand are rows of the result: squares with one row per vector lane are loaded along the operand's
// rows and transposed in registers. The remainder of either side is copied element by element.
// CHECK: sym_name = "main_graph"
// CHECK: "scf.parallel"
// CHECK: "scf.for"
// CHECK-COUNT-4: "vector.load"{{.*}} -> vector<4xf32>
// CHECK-NOT: "vector.load"
// CHECK-COUNT-8: "vector.shuffle"{{.*}}mask = array<i64: {{0, 4, 1, 5|2, 6, 3, 7}}>
// CHECK-COUNT-4: "vector.store"
// CHECK: "memref.load"
// CHECK: "scf.parallel"
#result = affine_map<(d0, d1) -> (d0, d1)>
#operand = affine_map<(d0, d1) -> (d1, d0)>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<33x65xf32>):
    %empty = "tensor.empty"() : () -> tensor<65x33xf32>
    %y = "linalg.generic"(%x, %empty) ({
    ^bb0(%a: f32, %old: f32):
      "linalg.yield"(%a) : (f32) -> ()
    }) {indexing_maps = [#operand, #result], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<33x65xf32>, tensor<65x33xf32>) -> tensor<65x33xf32>
    "func.return"(%y) : (tensor<65x33xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<33x65xf32>) -> tensor<65x33xf32>} : () -> ()
}) : () -> ()

// -----

// Eight f16 values fill a register like four f32 values.
// CHECK: sym_name = "main_graph"
// CHECK-COUNT-8: "vector.load"{{.*}} -> vector<8xf16>
// CHECK-COUNT-24: "vector.shuffle"{{.*}}mask = array<i64: {{0, 8, 1, 9|4, 12, 5, 13}}
// CHECK-COUNT-8: "vector.store"
#result = affine_map<(d0, d1) -> (d0, d1)>
#operand = affine_map<(d0, d1) -> (d1, d0)>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<32x64xf16>):
    %empty = "tensor.empty"() : () -> tensor<64x32xf16>
    %y = "linalg.generic"(%x, %empty) ({
    ^bb0(%a: f16, %old: f16):
      "linalg.yield"(%a) : (f16) -> ()
    }) {indexing_maps = [#operand, #result], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<32x64xf16>, tensor<64x32xf16>) -> tensor<64x32xf16>
    "func.return"(%y) : (tensor<64x32xf16>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<32x64xf16>) -> tensor<64x32xf16>} : () -> ()
}) : () -> ()

// -----

// The second of two columns: its index is no row of the tile, of which the others would be past the end.
// CHECK: sym_name = "main_graph"
// CHECK-COUNT-4: "vector.load"{{.*}}memref<33x4xf32>{{.*}} -> vector<4xf32>
// CHECK: "vector.load"{{.*}}memref<33x2xf32>{{.*}} -> vector<4xf32>
// CHECK-NEXT: "vector.load"{{.*}}memref<33x2xf32>{{.*}} -> vector<4xf32>
// CHECK-NEXT: "vector.shuffle"{{.*}}mask = array<i64: 0, 2, 5, 7>
#result = affine_map<(d0, d1) -> (d0, d1)>
#operand = affine_map<(d0, d1) -> (d1, d0)>
#column = affine_map<(d0, d1) -> (d1, 1)>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<33x4xf32>, %w: tensor<33x2xf32>):
    %empty = "tensor.empty"() : () -> tensor<4x33xf32>
    %y = "linalg.generic"(%x, %w, %empty) ({
    ^bb0(%a: f32, %b: f32, %old: f32):
      %product = "arith.mulf"(%a, %b) : (f32, f32) -> f32
      "linalg.yield"(%product) : (f32) -> ()
    }) {indexing_maps = [#operand, #column, #result], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>} : (tensor<33x4xf32>, tensor<33x2xf32>, tensor<4x33xf32>) -> tensor<4x33xf32>
    "func.return"(%y) : (tensor<4x33xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<33x4xf32>, tensor<33x2xf32>) -> tensor<4x33xf32>} : () -> ()
}) : () -> ()
