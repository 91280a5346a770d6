// Operations on f16 and bf16 are computed in f32: roundings between two of them are merged if the second preserves order,
// and values that are the same for a whole row are widened before it.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='decompose,onnx-to-linalg,outline-kernels{shapes=shared},outline-initialization,build-kernels,number-assertions,call-contractions,flatten-buffers,map-rows' | FileCheck %s

// the value that a row's elements are added to
// CHECK: sym_name = "add_relu_0"
// CHECK: "arith.extf"({{.*}}) : (f16) -> f32
// CHECK-NEXT: %[[BIAS:.*]] = "vector.broadcast"
// one row is widened, and one is rounded
// CHECK: callee = @rt_map_row
// CHECK: %[[SUM:.*]] = "arith.addf"({{.*}}, %[[BIAS]])
// CHECK: "arith.maximumf"(%[[SUM]], {{.*}}) : (vector<4xf32>, vector<4xf32>)
// CHECK-NOT: arith.addf
// CHECK: callee = @rt_map_row
// CHECK-NOT: callee = @rt_map_row
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<8x1000xf16>, %b: tensor<8x1xf16>):
    %0 = "onnx.Add"(%x, %b) : (tensor<8x1000xf16>, tensor<8x1xf16>) -> tensor<8x1000xf16>
    %1 = "onnx.Relu"(%0) : (tensor<8x1000xf16>) -> tensor<8x1000xf16>
    "func.return"(%1) : (tensor<8x1000xf16>) -> ()
  }) {sym_name = "main_graph", function_type = (tensor<8x1000xf16>, tensor<8x1xf16>) -> tensor<8x1000xf16>} : () -> ()
}) : () -> ()
