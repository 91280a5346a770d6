// RUN: onnx-opt --mlir-print-op-generic %s --split-input-file --pass-pipeline='decompose,onnx-to-linalg,outline-kernels{shapes=shared},build-kernels,verify-level{level=kernel}' | FileCheck %s
// RUN: onnx-opt --mlir-print-op-generic %s --split-input-file --pass-pipeline='decompose,onnx-to-linalg,outline-kernels,build-kernels{target=llvm},verify-level{level=kernel}' | FileCheck %s --check-prefix=WIDE

// The runtime reduces the row in place, and the exponentials of its differences from a row buffer that they are stored in.
// CHECK: sym_name = "main_graph"
// CHECK: "func.call"({{.*}}) <{callee = @rt_fold_row}> : (index, index, index) -> f32
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

// A mask selects the elements above the diagonal: lane indices are compared with the distance to the diagonal. Those below
// another diagonal are selected by loop bounds with narrow vectors, as nothing is computed from them.
// CHECK: sym_name = "main_graph"
// CHECK: "scf.for"
// CHECK: "arith.maxsi"
// CHECK-NEXT: "arith.minsi"
// CHECK: "arith.cmpi"(%{{.*}}) <{predicate = 5 : i64}> : (vector<4xi32>, vector<4xi32>) -> vector<4xi1>
// CHECK-NOT: vector.extract
// CHECK: "arith.select"(%{{.*}}) : (vector<4xi1>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>

// WIDE: "arith.cmpi"(%{{.*}}) <{predicate = 5 : i64}> : (vector<16xi32>, vector<16xi32>) -> vector<16xi1>
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<64x64xf32>):
    %above = "onnx.Trilu"(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
    %y = "onnx.Trilu"(%above) {upper = 0 : si64} : (tensor<64x64xf32>) -> tensor<64x64xf32>
    "func.return"(%y) : (tensor<64x64xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<64x64xf32>) -> tensor<64x64xf32>} : () -> ()
}) : () -> ()

// -----

// One call reduces the pooling windows of several rows into the result itself.
// CHECK: sym_name = "main_graph"
// CHECK: callee = @rt_pad}>
// CHECK: callee = @rt_move}>
// CHECK: rt.kernel
// CHECK: callee = @rt_fold_windows}> : (index, f32, index, index, index, index, index, index, index, index, index, index, index, index, index) -> ()
// CHECK-NEXT: "scf.reduce"
// CHECK: rt.kernel

// WIDE-NOT: rt_fold_windows
// WIDE: rt.kernel
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x8x64x64xf32>):
    %y = "onnx.MaxPool"(%x) {kernel_shape = [3 : si64, 3 : si64], strides = [2 : si64, 2 : si64], pads = [1 : si64, 1 : si64, 1 : si64, 1 : si64]} : (tensor<1x8x64x64xf32>) -> tensor<1x8x32x32xf32>
    "func.return"(%y) : (tensor<1x8x32x32xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x8x64x64xf32>) -> tensor<1x8x32x32xf32>} : () -> ()
}) : () -> ()

// -----

// The source indices of a row are computed once for many rows.
// CHECK: sym_name = "main_graph"
// CHECK: "scf.parallel"
// CHECK: "memref.alloca"
// CHECK: "scf.for"
// CHECK: "arith.divui"
// CHECK: "memref.store"(%{{.*}}) : (i64, memref<512xi64>, index) -> ()
// CHECK: "scf.for"
// CHECK: callee = @rt_gather_row
// CHECK: rt.kernel

// WIDE-NOT: rt_gather_row
// WIDE: rt.kernel
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x8x64x64xf32>):
    %none = "onnx.NoValue"() {value} : () -> none
    %scales = "onnx.Constant"() {value = dense<[1.0, 1.0, 2.0, 2.0]> : tensor<4xf32>} : () -> tensor<4xf32>
    %y = "onnx.Resize"(%x, %none, %scales, %none) {mode = "nearest", coordinate_transformation_mode = "asymmetric", nearest_mode = "floor"} : (tensor<1x8x64x64xf32>, none, tensor<4xf32>, none) -> tensor<1x8x128x128xf32>
    "func.return"(%y) : (tensor<1x8x128x128xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x8x64x64xf32>) -> tensor<1x8x128x128xf32>} : () -> ()
}) : () -> ()

// -----

// Coordinates and weights of the columns are hoisted into tables, which the rows read.
// CHECK: sym_name = "main_graph"
// CHECK: "memref.alloca"
// CHECK: "scf.for"
// CHECK: "math.floor"
// CHECK: "memref.store"(%{{.*}}) : (i64, memref<512xi64>, index) -> ()
// CHECK: "scf.for"
// CHECK: "scf.for"
// CHECK-NOT: math.floor
// CHECK: "memref.load"(%{{.*}}) : (memref<512xi64>, index) -> i64
// CHECK-NOT: math.floor
// CHECK: rt.kernel

// WIDE: "math.floor"
// WIDE: "scf.for"
// WIDE-NOT: math.floor
// WIDE: rt.kernel
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<8x64x64xf32>):
    %none = "onnx.NoValue"() {value} : () -> none
    %scales = "onnx.Constant"() {value = dense<[1.0, 1.0, 2.0]> : tensor<3xf32>} : () -> tensor<3xf32>
    %y = "onnx.Resize"(%x, %none, %scales, %none) {mode = "linear"} : (tensor<8x64x64xf32>, none, tensor<3xf32>, none) -> tensor<8x64x128xf32>
    "func.return"(%y) : (tensor<8x64x128xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<8x64x64xf32>) -> tensor<8x64x128xf32>} : () -> ()
}) : () -> ()

// -----

// The samples of a grid position are in tables that all channels read.
// CHECK: sym_name = "main_graph"
// CHECK: "memref.alloca"
// CHECK: "scf.for"
// CHECK: "math.floor"(%{{.*}}) : (vector<4xf32>) -> vector<4xf32>
// CHECK: "memref.store"(%{{.*}}) : (i64, memref<512xi64>, index) -> ()
// CHECK: "scf.for"
// CHECK: "math.floor"(%{{.*}}) : (f32) -> f32
// CHECK: "scf.for"
// CHECK-NOT: math.floor
// CHECK: "memref.load"(%{{.*}}) : (memref<512xi64>, index) -> i64
// CHECK-NOT: math.floor
// CHECK: rt.kernel

// WIDE: "math.floor"(%{{.*}}) : (vector<16xf32>) -> vector<16xf32>
// WIDE: "scf.for"
// WIDE-NOT: math.floor
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1x32x64x64xf32>, %grid: tensor<1x64x64x2xf32>):
    %y = "onnx.GridSample"(%x, %grid) : (tensor<1x32x64x64xf32>, tensor<1x64x64x2xf32>) -> tensor<1x32x64x64xf32>
    "func.return"(%y) : (tensor<1x32x64x64xf32>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<1x32x64x64xf32>, tensor<1x64x64x2xf32>) -> tensor<1x32x64x64xf32>} : () -> ()
}) : () -> ()
