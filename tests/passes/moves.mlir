// Data movement is a call of the runtime in code that runs once, and loops in code that runs often.
// RUN: onnx-opt --mlir-print-op-generic %s --split-input-file --pass-pipeline='outline-kernels,build-kernels{runs=one},verify-level{level=kernel}' | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --split-input-file --pass-pipeline='outline-kernels,build-kernels,verify-level{level=kernel}' | FileCheck %s --check-prefix=OFTEN
// RUN: onnx-opt --mlir-print-op-generic %s --split-input-file --pass-pipeline='outline-kernels,build-kernels{target=llvm runs=one},verify-level{level=kernel}' | FileCheck %s --check-prefix=WIDE

// The bytes of an element and the number of axes; then the extent of each axis and its strides in both tensors.
// CHECK: sym_name = "main_graph"
// CHECK: %[[FROM:[0-9]+]] = "rt.address"(%arg0)
// CHECK: %[[TO:[0-9]+]] = "rt.address"(%arg1)
// CHECK: "rt.pack"(%[[TABLE:[0-9]+]], %{{.*}}) <{words = array<i64: 0, 1, 2, 3, 4, 5, 6, 7>}>
// CHECK-NEXT: "func.call"(%[[TABLE]], %[[FROM]], %[[TO]]) <{callee = @rt_move}> : (memref<?xi64>, index, index) -> ()
// CHECK-NOT: scf.parallel

// OFTEN: sym_name = "main_graph"
// OFTEN-NOT: rt_move
// OFTEN: scf.parallel

// WIDE: sym_name = "main_graph"
// WIDE-NOT: rt_move
// WIDE: scf.parallel
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

// Subscripts that are not sums of indices are computed in loops.
// CHECK: sym_name = "main_graph"
// CHECK-NOT: rt_move
// CHECK: scf.parallel

// OFTEN: scf.parallel
// WIDE: scf.parallel
#result = affine_map<(d0, d1) -> (d0, d1)>
#operand = affine_map<(d0, d1) -> (d0, d1 floordiv 2)>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<40x30xf32>):
    %empty = "tensor.empty"() : () -> tensor<40x60xf32>
    %y = "linalg.generic"(%x, %empty) ({
    ^bb0(%a: f32, %old: f32):
      "linalg.yield"(%a) : (f32) -> ()
    }) {indexing_maps = [#operand, #result], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<40x30xf32>, tensor<40x60xf32>) -> tensor<40x60xf32>
    "func.return"(%y) : (tensor<40x60xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<40x30xf32>) -> tensor<40x60xf32>} : () -> ()
}) : () -> ()
