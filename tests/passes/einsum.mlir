// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=onnx-to-linalg | FileCheck %s

// The operands get the layout of a matrix product: rows are contiguous along the reduction, and the other operand along the columns.
// CHECK: #[[TURNED:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK: #[[SAME:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK: #[[ROWS:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK: #[[COLUMNS:.*]] = affine_map<(d0, d1, d2) -> (d2, d1)>
// CHECK: ^bb0(%[[A:.*]]: tensor<5x3xf32>, %[[B:.*]]: tensor<4x5xf32>):
// CHECK: %[[RIGHT:.*]] = "linalg.generic"(%[[B]], %{{.*}}) <{indexing_maps = [#[[TURNED]], #[[SAME]]]
// CHECK: %[[LEFT:.*]] = "linalg.generic"(%[[A]], %{{.*}}) <{indexing_maps = [#[[TURNED]], #[[SAME]]]
// CHECK: "linalg.generic"(%[[LEFT]], %[[RIGHT]], %{{.*}}) <{indexing_maps = [#[[ROWS]], #[[COLUMNS]],
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%a: tensor<5x3xf32>, %b: tensor<4x5xf32>):
    %product = "onnx.Einsum"(%a, %b) {equation = "ki,jk->ij"} : (tensor<5x3xf32>, tensor<4x5xf32>) -> tensor<3x4xf32>
    "func.return"(%product) : (tensor<3x4xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<5x3xf32>, tensor<4x5xf32>) -> tensor<3x4xf32>} : () -> ()
}) : () -> ()
