// RUN: onnx-opt --mlir-print-op-generic %s --split-input-file --pass-pipeline='outline-kernels,verify-level{level=structured}' | FileCheck %s --check-prefixes=OUTLINE
// RUN: onnx-opt --mlir-print-op-generic %s --split-input-file --pass-pipeline='outline-kernels,build-kernels,verify-level{level=kernel}' | FileCheck %s --check-prefixes=KERNEL
// RUN: onnx-opt --mlir-print-op-generic %s --split-input-file --pass-pipeline='outline-kernels,build-kernels{target=llvm},verify-level{level=kernel}' | FileCheck %s --check-prefixes=WIDE
// RUN: onnx-opt --mlir-print-op-generic %s --split-input-file --pass-pipeline='outline-kernels,build-kernels,time-kernels' | FileCheck %s --check-prefixes=TIME

// Two elementwise operations are one kernel, whose arguments are sizes and destinations.
// OUTLINE: ^bb0(%[[X:.*]]: tensor<?x32xf32>):
// OUTLINE-NOT: linalg.generic
// OUTLINE: %[[INIT:.*]] = "tensor.empty"
// OUTLINE: %[[R:.*]] = "func.call"(%[[X]], %{{.*}}, %[[INIT]]) <{callee = @[[CALLEE:.*]]}> :
// OUTLINE-NEXT: "func.return"(%[[R]])
// OUTLINE: sym_name = "[[CALLEE]]"
// OUTLINE: "arith.addf"
// OUTLINE: "arith.maximumf"

// KERNEL: sym_name = "main_graph"
// KERNEL: ^bb0(%[[TABLE:.*]]: memref<?xi64>):
// KERNEL: "func.call"{{.*}}callee = @rt_output
// KERNEL: "func.call"{{.*}}callee = @[[CALLEE:kernel.*]]}> : (memref<?x32xf32>, memref<32xf32>, memref<?x32xf32>) -> ()
// KERNEL: sym_name = "[[CALLEE]]"
// KERNEL: "scf.parallel"
// KERNEL: %[[A:.*]] = "vector.load"{{.*}} -> vector<4xf32>
// KERNEL: %[[S:.*]] = "arith.addf"
// KERNEL: %[[M:.*]] = "arith.maximumf"(%[[S]],
// KERNEL: "vector.store"(%[[M]],
// KERNEL: "memref.global"() {{.*}}initial_value = dense<5.000000e-01> : tensor<32xf32>
// KERNEL: sym_name = "rt_output"

// WIDE: "vector.load"{{.*}} -> vector<16xf32>

// TIME: %[[START:.*]] = "func.call"() <{callee = @rt_ticks}>
// TIME-NEXT: callee = @kernel
// TIME-NEXT: %[[END:.*]] = "func.call"() <{callee = @rt_ticks}>
// TIME-NEXT: "arith.subi"(%[[END]], %[[START]])
// TIME: "memref.global"() {{.*}}sym_name = "rt_profile"
// TIME: rt.profiled = {{\[\[}}"main_graph", "kernel
#identity = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d1)>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<?x32xf32>):
    %bias = "arith.constant"() {value = dense<0.5> : tensor<32xf32>} : () -> tensor<32xf32>
    %zero = "arith.constant"() {value = 0 : index} : () -> index
    %floor = "arith.constant"() {value = 0.0 : f32} : () -> f32
    %n = "tensor.dim"(%x, %zero) : (tensor<?x32xf32>, index) -> index
    %empty = "tensor.empty"(%n) : (index) -> tensor<?x32xf32>
    %sum = "linalg.generic"(%x, %bias, %empty) ({
    ^bb0(%a: f32, %b: f32, %old: f32):
      %s = "arith.addf"(%a, %b) : (f32, f32) -> f32
      "linalg.yield"(%s) : (f32) -> ()
    }) {indexing_maps = [#identity, #row, #identity], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 2, 1>} : (tensor<?x32xf32>, tensor<32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
    %relu = "linalg.generic"(%sum, %empty) ({
    ^bb0(%v: f32, %old: f32):
      %r = "arith.maximumf"(%v, %floor) : (f32, f32) -> f32
      "linalg.yield"(%r) : (f32) -> ()
    }) {indexing_maps = [#identity, #identity], iterator_types = [#linalg.iterator_type<parallel>, #linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<?x32xf32>, tensor<?x32xf32>) -> tensor<?x32xf32>
    "func.return"(%relu) : (tensor<?x32xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<?x32xf32>) -> tensor<?x32xf32>} : () -> ()
}) : () -> ()

// -----

// A reduction is a kernel with a loop that carries its sum.
// OUTLINE: // -----
// OUTLINE: callee = @[[SUM:[a-z_0-9]*]]}> : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
// OUTLINE: sym_name = "[[SUM]]"
#line = affine_map<(d0) -> (d0)>
#all = affine_map<(d0) -> ()>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<64xf32>):
    %zero = "arith.constant"() {value = dense<0.0> : tensor<f32>} : () -> tensor<f32>
    %sum = "linalg.generic"(%x, %zero) ({
    ^bb0(%a: f32, %s: f32):
      %m = "arith.mulf"(%a, %a) : (f32, f32) -> f32
      %r = "arith.addf"(%s, %m) : (f32, f32) -> f32
      "linalg.yield"(%r) : (f32) -> ()
    }) {indexing_maps = [#line, #all], iterator_types = [#linalg.iterator_type<reduction>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
    "func.return"(%sum) : (tensor<f32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<64xf32>) -> tensor<f32>} : () -> ()
}) : () -> ()
