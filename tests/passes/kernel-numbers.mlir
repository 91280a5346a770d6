// RUN: onnx-opt --mlir-print-op-generic %s --split-input-file --pass-pipeline='onnx-to-linalg,outline-kernels' | FileCheck %s

// Two operators that differ only in a constant share a kernel, which has the constant as an argument.
// CHECK: callee = @mul_add_0}> : (tensor<64xf32>, tensor<f32>, tensor<64xf32>)
// CHECK: callee = @mul_add_0}> : (tensor<64xf32>, tensor<f32>, tensor<64xf32>)
// CHECK: func.return
// Arguments that are equal in all calls become constants of the kernel.
// CHECK: "arith.constant"() <{value = dense<5.000000e-01> : tensor<f32>}>
// CHECK-NOT: sym_name = "mul_add_1"
// CHECK: rt.kernel
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<64xf32>):
    %two = "onnx.Constant"() {value = dense<2.0> : tensor<1xf32>} : () -> tensor<1xf32>
    %three = "onnx.Constant"() {value = dense<3.0> : tensor<1xf32>} : () -> tensor<1xf32>
    %half = "onnx.Constant"() {value = dense<0.5> : tensor<1xf32>} : () -> tensor<1xf32>
    %a = "onnx.Mul"(%x, %two) : (tensor<64xf32>, tensor<1xf32>) -> tensor<64xf32>
    %b = "onnx.Add"(%a, %half) : (tensor<64xf32>, tensor<1xf32>) -> tensor<64xf32>
    %c = "onnx.Mul"(%x, %three) : (tensor<64xf32>, tensor<1xf32>) -> tensor<64xf32>
    %d = "onnx.Add"(%c, %half) : (tensor<64xf32>, tensor<1xf32>) -> tensor<64xf32>
    "func.return"(%b, %d) : (tensor<64xf32>, tensor<64xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>)} : () -> ()
}) : () -> ()

// -----

// The operands of a contraction stay arguments, whose addresses micro-kernels receive.
// CHECK: callee = @matmul_0}> : (tensor<1x1x1xf32>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<?x1x?xf32>):
    %one = "onnx.Constant"() {value = dense<1.0> : tensor<1x1x1xf32>} : () -> tensor<1x1x1xf32>
    %y = "onnx.MatMul"(%one, %x) : (tensor<1x1x1xf32>, tensor<?x1x?xf32>) -> tensor<?x1x?xf32>
    "func.return"(%y) : (tensor<?x1x?xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<?x1x?xf32>) -> tensor<?x1x?xf32>} : () -> ()
}) : () -> ()
