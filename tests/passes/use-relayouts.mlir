// Data movement with constant indices is one call of a routine, whatever the number of operations: a transpose, a border of
// zeros and the scale of a channel with the packing of columns. A broadcast stays with its consumers, and so does movement of
// run-time values.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='use-relayouts,verify-level{level=structured}' | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='use-relayouts{evaluated=true}' | FileCheck %s --check-prefix=EVALUATED

// Calls that the compiler evaluates: not of packs that are much larger than the matrix.
// EVALUATED: "tensor.pad"
// EVALUATED: "linalg.generic"
// EVALUATED: routine = "scaled_relayout"
// EVALUATED-COUNT-3: routine = "relayout"
// EVALUATED-NOT: rt.call

// a border of a transposed matrix, in packs: its subscripts are those of the matrix itself
// CHECK: "arith.constant"() <{value = dense<{{\[\[}}0, 16, 0, 1], [0, 0, 1, 0]]> : tensor<2x4xi64>}>
// CHECK: "rt.call"(%{{.*}}) <{kinds = array<i64: 1, 7, 1>, routine = "relayout"}> {rt.origin = "matmul"} : (tensor<20x30xf32>, tensor<2x4xi64>, index, tensor<2x30x16xf32>) -> tensor<2x30x16xf32>
// CHECK-NOT: "tensor.pad"

// a factor for each row, and a border around all
// CHECK: "arith.constant"() <{value = dense<{{\[\[}}-1, 1, 0], [0, 0, 1]]> : tensor<2x3xi64>}>
// CHECK: "arith.constant"() <{value = dense<{{\[\[}}-1, 1, 0], [0, 0, 0]]> : tensor<2x3xi64>}>
// CHECK: "rt.call"(%{{.*}}) <{kinds = array<i64: 1, 7, 1, 7, 1>, routine = "scaled_relayout"}> : (tensor<20x30xf32>, tensor<2x3xi64>, tensor<20x1xf32>, tensor<2x3xi64>, tensor<22x30xf32>) -> tensor<22x30xf32>

// a border of a slice is zero where the tensor is not: two calls
// CHECK: routine = "relayout"}> : (tensor<20x30xf32>, tensor<2x3xi64>, index, tensor<10x30xf32>)
// CHECK: routine = "relayout"}> : (tensor<10x30xf32>, tensor<2x3xi64>, index, tensor<11x30xf32>)

// bytes that move by 128 on their way; two equal ones are one call
// CHECK: "arith.constant"() <{value = 128 : index}> : () -> index
// CHECK: "rt.call"(%{{.*}}) <{kinds = array<i64: 3, 7, 3>, routine = "relayout"}> : (tensor<40x3xi8>, tensor<2x3xi64>, index, tensor<3x40xi8>) -> tensor<3x40xi8>
// CHECK-NOT: routine = "relayout"

// CHECK: "linalg.generic"
// CHECK: "linalg.generic"
// CHECK-NOT: "rt.call"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<20x30xf32>):
    %w = "arith.constant"() {value = dense<2.0> : tensor<20x30xf32>} : () -> tensor<20x30xf32>
    %s = "arith.constant"() {value = dense<3.0> : tensor<20x1xf32>} : () -> tensor<20x1xf32>
    %b = "arith.constant"() {value = dense<4.0> : tensor<30xf32>} : () -> tensor<30xf32>
    %zero = "arith.constant"() {value = 0.0 : f32} : () -> f32
    %0 = "tensor.empty"() : () -> tensor<30x20xf32>
    %1 = "linalg.generic"(%w, %0) ({
    ^bb0(%in: f32, %out: f32):
      "linalg.yield"(%in) : (f32) -> ()
    }) {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<20x30xf32>, tensor<30x20xf32>) -> tensor<30x20xf32>
    %2 = "tensor.pad"(%1) ({
    ^bb0(%i: index, %j: index):
      "tensor.yield"(%zero) : (f32) -> ()
    }) {operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 0, 12>, static_low = array<i64: 0, 0>} : (tensor<30x20xf32>) -> tensor<30x32xf32>
    %3 = "tensor.empty"() : () -> tensor<2x30x16xf32>
    %4 = "linalg.generic"(%2, %3) ({
    ^bb0(%in: f32, %out: f32):
      "linalg.yield"(%in) : (f32) -> ()
    }) {indexing_maps = [affine_map<(d0, d1, d2) -> (d1, d0 * 16 + d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>, rt.origin = "matmul"} : (tensor<30x32xf32>, tensor<2x30x16xf32>) -> tensor<2x30x16xf32>
    %5 = "tensor.empty"() : () -> tensor<20x30xf32>
    %6 = "linalg.generic"(%s, %w, %5) ({
    ^bb0(%a: f32, %in: f32, %out: f32):
      %p = "arith.mulf"(%a, %in) : (f32, f32) -> f32
      "linalg.yield"(%p) : (f32) -> ()
    }) {indexing_maps = [affine_map<(d0, d1) -> (d0, 0)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>} : (tensor<20x1xf32>, tensor<20x30xf32>, tensor<20x30xf32>) -> tensor<20x30xf32>
    %7 = "tensor.pad"(%6) ({
    ^bb0(%i: index, %j: index):
      "tensor.yield"(%zero) : (f32) -> ()
    }) {operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 1, 0>, static_low = array<i64: 1, 0>} : (tensor<20x30xf32>) -> tensor<22x30xf32>
    %8 = "tensor.empty"() : () -> tensor<10x30xf32>
    %9 = "linalg.generic"(%w, %8) ({
    ^bb0(%in: f32, %out: f32):
      "linalg.yield"(%in) : (f32) -> ()
    }) {indexing_maps = [affine_map<(d0, d1) -> (d0 + 3, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<20x30xf32>, tensor<10x30xf32>) -> tensor<10x30xf32>
    %10 = "tensor.pad"(%9) ({
    ^bb0(%i: index, %j: index):
      "tensor.yield"(%zero) : (f32) -> ()
    }) {operandSegmentSizes = array<i32: 1, 0, 0>, static_high = array<i64: 1, 0>, static_low = array<i64: 0, 0>} : (tensor<10x30xf32>) -> tensor<11x30xf32>
    %q = "arith.constant"() {value = dense<5> : tensor<40x3xi8>} : () -> tensor<40x3xi8>
    %top = "arith.constant"() {value = -128 : i8} : () -> i8
    %13 = "tensor.empty"() : () -> tensor<40x3xi8>
    %14 = "linalg.generic"(%q, %13) ({
    ^bb0(%in: i8, %out: i8):
      %p = "arith.xori"(%in, %top) : (i8, i8) -> i8
      "linalg.yield"(%p) : (i8) -> ()
    }) {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<40x3xi8>, tensor<40x3xi8>) -> tensor<40x3xi8>
    %15 = "tensor.empty"() : () -> tensor<3x40xi8>
    %16 = "linalg.generic"(%14, %15) ({
    ^bb0(%in: i8, %out: i8):
      "linalg.yield"(%in) : (i8) -> ()
    }) {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<40x3xi8>, tensor<3x40xi8>) -> tensor<3x40xi8>
    %17 = "linalg.generic"(%14, %15) ({
    ^bb0(%in: i8, %out: i8):
      "linalg.yield"(%in) : (i8) -> ()
    }) {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<40x3xi8>, tensor<3x40xi8>) -> tensor<3x40xi8>
    %11 = "linalg.generic"(%b, %5) ({
    ^bb0(%in: f32, %out: f32):
      "linalg.yield"(%in) : (f32) -> ()
    }) {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<30xf32>, tensor<20x30xf32>) -> tensor<20x30xf32>
    %12 = "linalg.generic"(%x, %0) ({
    ^bb0(%in: f32, %out: f32):
      "linalg.yield"(%in) : (f32) -> ()
    }) {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<20x30xf32>, tensor<30x20xf32>) -> tensor<30x20xf32>
    "func.return"(%4, %7, %10, %16, %17, %11, %12) : (tensor<2x30x16xf32>, tensor<22x30xf32>, tensor<11x30xf32>, tensor<3x40xi8>, tensor<3x40xi8>, tensor<20x30xf32>, tensor<30x20xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<20x30xf32>) -> (tensor<2x30x16xf32>, tensor<22x30xf32>, tensor<11x30xf32>, tensor<3x40xi8>, tensor<3x40xi8>, tensor<20x30xf32>, tensor<30x20xf32>)} : () -> ()
}) : () -> ()
