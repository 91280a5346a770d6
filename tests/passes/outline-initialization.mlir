// RUN: onnx-opt --mlir-print-op-generic %s --split-input-file --pass-pipeline='onnx-to-linalg,outline-kernels,outline-initialization' | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --split-input-file --pass-pipeline='onnx-to-linalg,outline-kernels,outline-initialization,build-kernels,verify-level{level=kernel}' | FileCheck %s --check-prefix=KERNEL

// Packing the weights depends on constants alone and runs once; equal operators share their kernels.
// CHECK: sym_name = "main_graph"
// CHECK: ^bb0(%[[X:.*]]: tensor<4x32xf32>):
// CHECK-NEXT: %[[W:.*]] = "ml_program.global_load"() <{global = @folded_0}>
// CHECK: %[[A:.*]] = "func.call"(%[[X]], %[[W]], %{{.*}}) <{callee = @[[MATMUL:.*]]}> :
// CHECK: "func.call"(%[[A]], %{{.*}}) <{callee = @[[MATMUL]]}> :
// CHECK: "ml_program.global"() <{is_mutable, sym_name = "folded_0", sym_visibility = "private", type = tensor<2x32x16xf32>}>
// CHECK: sym_name = "initialize"
// CHECK: %[[WEIGHTS:.*]] = "arith.constant"() <{value = dense<5.000000e-01> : tensor<32x32xf32>}>
// CHECK: %[[PACKED:.*]] = "func.call"(%[[WEIGHTS]], %{{.*}}) <{callee = @[[PACK:.*]]}> :
// CHECK: "ml_program.global_store"(%[[PACKED]]) <{global = @folded_0}>

// KERNEL: "memref.get_global"() <{name = @folded_0}> : () -> memref<2x32x16xf32>
// KERNEL: "memref.global"() <{alignment = 64 : i64, initial_value, sym_name = "folded_0", sym_visibility = "private", type = memref<2x32x16xf32>}>
// KERNEL-NOT: ml_program
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<4x32xf32>):
    %w = "onnx.Constant"() {value = dense<0.5> : tensor<32x32xf32>} : () -> tensor<32x32xf32>
    %a = "onnx.MatMul"(%x, %w) : (tensor<4x32xf32>, tensor<32x32xf32>) -> tensor<4x32xf32>
    %b = "onnx.MatMul"(%a, %w) : (tensor<4x32xf32>, tensor<32x32xf32>) -> tensor<4x32xf32>
    "func.return"(%b) : (tensor<4x32xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<4x32xf32>) -> tensor<4x32xf32>} : () -> ()
}) : () -> ()

// -----

// Columns that do not fill a group: their end is an extent of the weights, which is also constant.
// CHECK: sym_name = "main_graph"
// CHECK: ^bb0(%{{.*}}: tensor<4x32xf32>):
// CHECK-NEXT: ml_program.global_load
// CHECK: func.call
// CHECK-NOT: func.call
// CHECK: "func.func"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<4x32xf32>):
    %w = "onnx.Constant"() {value = dense<0.5> : tensor<32x40xf32>} : () -> tensor<32x40xf32>
    %a = "onnx.MatMul"(%x, %w) : (tensor<4x32xf32>, tensor<32x40xf32>) -> tensor<4x40xf32>
    "func.return"(%a) : (tensor<4x40xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<4x32xf32>) -> tensor<4x40xf32>} : () -> ()
}) : () -> ()

// -----

// An output that depends on constants alone is computed by each run, not copied from a stored result.
// CHECK: sym_name = "main_graph"
// CHECK: ^bb0(%{{.*}}: tensor<4x32xf32>):
// CHECK-NOT: ml_program
// CHECK: "func.call"(
// CHECK-NOT: initialize
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<4x32xf32>):
    %a = "onnx.EyeLike"(%x) {k = 0 : si64} : (tensor<4x32xf32>) -> tensor<4x32xf32>
    "func.return"(%a) : (tensor<4x32xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<4x32xf32>) -> tensor<4x32xf32>} : () -> ()
}) : () -> ()
