// RUN: not onnx-opt --mlir-print-op-generic %s --pass-pipeline='optimize{without=shape+colour}' 2>&1 | FileCheck %s

// CHECK: error: pass 'optimize': option 'without' must be some of arithmetic, activation, shape, contraction, heads, normalization, quantization, separated by +, found 'shape+colour'
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<4xf32>):
    "func.return"(%x) : (tensor<4xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<4xf32>) -> tensor<4xf32>, arg_attrs = [{onnx.name = "x"}]} : () -> ()
}) : () -> ()
