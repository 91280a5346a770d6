// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='onnx-to-linalg' | FileCheck %s

// Whether N is 1 is known only at run time: usually it is not, and %y is read in place; otherwise its element is repeated. The product
// implies that M is the extent that N broadcasts to.
// CHECK: "cf.assert"
// CHECK: "scf.if"
// CHECK: "scf.yield"
// CHECK: "arith.minsi"
// CHECK: "tensor.extract"
// CHECK: "scf.yield"
// CHECK-NOT: "tensor.extract"
// CHECK: "arith.addf"
// CHECK: "arith.mulf"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<4x?xf32>, %y: tensor<4x?xf32>, %w: tensor<?x8xf32>):
    %sum = "onnx.Add"(%x, %y) : (tensor<4x?xf32>, tensor<4x?xf32>) -> tensor<4x?xf32>
    %product = "onnx.MatMul"(%sum, %w) : (tensor<4x?xf32>, tensor<?x8xf32>) -> tensor<4x8xf32>
    "func.return"(%product) : (tensor<4x8xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<4x?xf32>, tensor<4x?xf32>, tensor<?x8xf32>) -> (tensor<4x8xf32>),
      arg_attrs = [{onnx.dim_params = "1:M"}, {onnx.dim_params = "1:N"}, {onnx.dim_params = "0:M"}]} : () -> ()
}) : () -> ()
