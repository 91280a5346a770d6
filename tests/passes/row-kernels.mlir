// RUN: onnx-opt %s --split-input-file --pass-pipeline='decompose,onnx-to-linalg,outline-kernels{shapes=shared},build-kernels,verify-level{level=kernel}' | FileCheck %s
// RUN: onnx-opt %s --split-input-file --pass-pipeline='decompose,onnx-to-linalg,outline-kernels,build-kernels{target=llvm},verify-level{level=kernel}' | FileCheck %s --check-prefix=WIDE

// The runtime folds the row where it lies, and the exponentials of its differences from a piece of a row that they are stored in.
// CHECK: sym_name = "main_graph"
// CHECK: "func.call"({{.*}}) {callee = @rt_fold_row} : (index, index, index) -> f32
// CHECK: "arith.maximumf"
// CHECK: "scf.for"
// CHECK: "scf.for"
// CHECK: "math.exp"
// CHECK-NEXT: "vector.store"(%{{.*}}) : (vector<4xf32>, memref<512xf32>, index) -> ()
// CHECK: callee = @rt_fold_row
// CHECK-NEXT: "arith.addf"
// CHECK-NEXT: "scf.yield"
// CHECK: rt.kernel

// WIDE-NOT: rt_fold_row
// WIDE: rt.kernel
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<8x300xf32>):
    %y = "onnx.LogSoftmax"(%x) {axis = 1 : si64} : (tensor<8x300xf32>) -> tensor<8x300xf32>
    "func.return"(%y) : (tensor<8x300xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<8x300xf32>) -> tensor<8x300xf32>} : () -> ()
}) : () -> ()

// -----

// Which elements are above the diagonal is a mask: the lanes' numbers are compared with how far the diagonal is.
// CHECK: sym_name = "main_graph"
// CHECK: "scf.for"
// CHECK: "arith.maxsi"
// CHECK-NEXT: "arith.minsi"
// CHECK: "arith.cmpi"(%{{.*}}) {predicate = 5 : i64} : (vector<4xi32>, vector<4xi32>) -> vector<4xi1>
// CHECK-NOT: vector.extract
// CHECK: "arith.select"(%{{.*}}) : (vector<4xi1>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>

// WIDE: "arith.cmpi"(%{{.*}}) {predicate = 5 : i64} : (vector<16xi32>, vector<16xi32>) -> vector<16xi1>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<64x64xf32>):
    %y = "onnx.Trilu"(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
    "func.return"(%y) : (tensor<64x64xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<64x64xf32>) -> tensor<64x64xf32>} : () -> ()
}) : () -> ()
