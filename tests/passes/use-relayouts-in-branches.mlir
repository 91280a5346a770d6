// The compiler evaluates calls outside of branches and loops, and code without a runtime has no routine for others.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='use-relayouts{evaluated=true},verify-level{level=structured}' | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='use-relayouts,verify-level{level=structured}' | FileCheck %s --check-prefix=ALL

// CHECK-COUNT-1: routine = "relayout"
// CHECK: "scf.if"
// CHECK-NOT: rt.call

// ALL: "scf.if"
// ALL: routine = "relayout"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%c: i1, %x: tensor<3x2xf32>):
    %w = "arith.constant"() {value = dense<2.0> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
    %v = "arith.constant"() {value = dense<3.0> : tensor<2x3xf32>} : () -> tensor<2x3xf32>
    %0 = "tensor.empty"() : () -> tensor<3x2xf32>
    %1 = "linalg.generic"(%w, %0) ({
    ^bb0(%in: f32, %out: f32):
      "linalg.yield"(%in) : (f32) -> ()
    }) {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
    %2 = "scf.if"(%c) ({
      %3 = "tensor.empty"() : () -> tensor<3x2xf32>
      %4 = "linalg.generic"(%v, %3) ({
      ^bb0(%in: f32, %out: f32):
        "linalg.yield"(%in) : (f32) -> ()
      }) {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
      "scf.yield"(%4) : (tensor<3x2xf32>) -> ()
    }, {
      "scf.yield"(%x) : (tensor<3x2xf32>) -> ()
    }) : (i1) -> tensor<3x2xf32>
    "func.return"(%1, %2) : (tensor<3x2xf32>, tensor<3x2xf32>) -> ()
  }) {function_type = (i1, tensor<3x2xf32>) -> (tensor<3x2xf32>, tensor<3x2xf32>), sym_name = "main_graph"} : () -> ()
}) : () -> ()
