// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose{foreign=true},canonicalize' | FileCheck %s

// A gradient becomes adjoints, from the differentiated value back to the inputs.
// CHECK: %[[SINE:.*]] = "onnx.Sin"
// CHECK: %[[ONES:.*]] = "onnx.Expand"
// CHECK-NEXT: %[[RESULT:.*]] = "onnx.Mul"(%[[ONES]], %[[SINE]])
// CHECK-NEXT: "func.return"(%[[RESULT]])
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%a: tensor<2xf32>, %b: tensor<2xf32>):
    %s = "onnx.Sin"(%b) : (tensor<2xf32>) -> tensor<2xf32>
    %y = "onnx.Mul"(%a, %s) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %d = "onnx.preview.training.Gradient"(%a, %a, %y) {xs = ["a"], y = "y"} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    "func.return"(%d) : (tensor<2xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>} : () -> ()
}) : () -> ()
