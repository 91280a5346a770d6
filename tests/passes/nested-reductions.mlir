// A reduction of the whole tensor is computed once, before the row reductions that read it.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='outline-kernels,build-kernels,verify-level{level=kernel}' | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='outline-kernels,build-kernels{target=llvm},verify-level{level=kernel}' | FileCheck %s --check-prefix=WIDE

// CHECK: "scf.parallel"
// CHECK: callee = @rt_fold_row
// CHECK: "scf.for"
// CHECK: "scf.for"
// CHECK-NOT: rt_fold_row
// CHECK: rt.kernel

// WIDE: "scf.parallel"
// WIDE: "vector.reduction"
// WIDE: "scf.for"
// WIDE-NOT: "vector.reduction"
// WIDE: rt.kernel
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<3136xf32>, %y: tensor<3136x48xf32>):
    %zero = "arith.constant"() {value = 0.0 : f32} : () -> f32
    %0 = "tensor.empty"() : () -> tensor<f32>
    %1 = "linalg.generic"(%0) ({
    ^bb0(%a: f32):
      "linalg.yield"(%zero) : (f32) -> ()
    }) {indexing_maps = [affine_map<() -> ()>], iterator_types = [], operandSegmentSizes = array<i32: 0, 1>} : (tensor<f32>) -> tensor<f32>
    %2 = "linalg.generic"(%x, %1) ({
    ^bb0(%a: f32, %b: f32):
      %c = "arith.addf"(%b, %a) : (f32, f32) -> f32
      "linalg.yield"(%c) : (f32) -> ()
    }) {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> ()>], iterator_types = [#linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<3136xf32>, tensor<f32>) -> tensor<f32>
    %3 = "tensor.empty"() : () -> tensor<3136x48xf32>
    %4 = "linalg.generic"(%y, %2, %3) ({
    ^bb0(%a: f32, %b: f32, %c: f32):
      %d = "arith.mulf"(%a, %b) : (f32, f32) -> f32
      "linalg.yield"(%d) : (f32) -> ()
    }) {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>} : (tensor<3136x48xf32>, tensor<f32>, tensor<3136x48xf32>) -> tensor<3136x48xf32>
    %5 = "tensor.empty"() : () -> tensor<48xf32>
    %6 = "linalg.generic"(%5) ({
    ^bb0(%a: f32):
      "linalg.yield"(%zero) : (f32) -> ()
    }) {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 0, 1>} : (tensor<48xf32>) -> tensor<48xf32>
    %7 = "linalg.generic"(%4, %6) ({
    ^bb0(%a: f32, %b: f32):
      %c = "arith.addf"(%b, %a) : (f32, f32) -> f32
      "linalg.yield"(%c) : (f32) -> ()
    }) {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = [#linalg.iterator_type<reduction>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<3136x48xf32>, tensor<48xf32>) -> tensor<48xf32>
    "func.return"(%7) : (tensor<48xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<3136xf32>, tensor<3136x48xf32>) -> tensor<48xf32>} : () -> ()
}) : () -> ()
