// Loops state the work of their iterations, by which the runtime distributes them.
// RUN: onnx-opt --mlir-print-op-generic %s --split-input-file --pass-pipeline='outline-kernels,build-kernels{target=llvm},verify-level{level=kernel}' | FileCheck %s

// A long step along the last padded axis is a separate row, inside or outside: the threads share one contiguous range.
// CHECK: sym_name = "main_graph"
// CHECK: value = 12 : index
// CHECK: "scf.parallel"
// CHECK: rt.work = 784 : index
// CHECK-NOT: "scf.parallel"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x10x28x28xf32>):
    %zero = "arith.constant"() {value = 0.0 : f32} : () -> f32
    %y = "tensor.pad"(%x) ({
    ^bb0(%n: index, %c: index, %h: index, %w: index):
      "tensor.yield"(%zero) : (f32) -> ()
    }) {operandSegmentSizes = array<i32: 1, 0, 0>, static_low = array<i64: 0, 0, 0, 0>, static_high = array<i64: 0, 2, 0, 0>} : (tensor<1x10x28x28xf32>) -> tensor<1x12x28x28xf32>
    "func.return"(%y) : (tensor<1x12x28x28xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x10x28x28xf32>) -> tensor<1x12x28x28xf32>} : () -> ()
}) : () -> ()

// -----

// The work of a square of a transpose is the length of its rows.
// CHECK: sym_name = "main_graph"
// CHECK: "scf.parallel"
// CHECK: rt.work = 3200 : index
#result = affine_map<(d0, d1) -> (d0, d1)>
#operand = affine_map<(d0, d1) -> (d1, d0)>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<200x64xf32>):
    %empty = "tensor.empty"() : () -> tensor<64x200xf32>
    %y = "linalg.generic"(%x, %empty) ({
    ^bb0(%a: f32, %old: f32):
      "linalg.yield"(%a) : (f32) -> ()
    }) {indexing_maps = [#operand, #result], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<200x64xf32>, tensor<64x200xf32>) -> tensor<64x200xf32>
    "func.return"(%y) : (tensor<64x200xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<200x64xf32>) -> tensor<64x200xf32>} : () -> ()
}) : () -> ()
