// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose' | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg' | FileCheck %s --check-prefix=CALL

// All weights are for the first of two classes, and none is negative: their sum is the probability of the second.
// CHECK: "onnx.ml.TreeEnsembleRegressor"
// CHECK: "onnx.Greater"
// CHECK: "onnx.Neg"
// CALL: "rt.call"({{.*}}routine = "trees"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<?x4xf32>):
    %label, %scores = "onnx.ml.TreeEnsembleClassifier"(%x) {
      nodes_treeids = [0, 0, 0], nodes_nodeids = [0, 1, 2], nodes_modes = ["BRANCH_LEQ", "LEAF", "LEAF"],
      nodes_featureids = [3, 0, 0], nodes_values = [0.5 : f32, 0.0 : f32, 0.0 : f32],
      nodes_truenodeids = [1, 0, 0], nodes_falsenodeids = [2, 0, 0],
      class_treeids = [0, 0], class_nodeids = [1, 2], class_ids = [0, 0], class_weights = [0.25 : f32, 0.75 : f32],
      classlabels_int64s = [3, 5], post_transform = "NONE"
    } : (tensor<?x4xf32>) -> (tensor<?xi64>, tensor<?x2xf32>)
    "func.return"(%label, %scores) : (tensor<?xi64>, tensor<?x2xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<?x4xf32>) -> (tensor<?xi64>, tensor<?x2xf32>)} : () -> ()
}) : () -> ()
