// RUN: onnx-opt --mlir-print-op-generic %s --allow-unregistered-dialect --split-input-file | onnx-opt --mlir-print-op-generic --allow-unregistered-dialect --split-input-file | FileCheck %s

#map = affine_map<(d0, d1)[s0] -> (d0 * 2 + s0, d1 floordiv 4, d1 mod 4)>
!pair = tuple<i32, f32>

// CHECK: #map = affine_map<(d0, d1)[s0] -> (d0 * 2 + s0, d1 floordiv 4, d1 mod 4)>
// CHECK: "builtin.module"
"builtin.module"() ({
  // CHECK: "memref.global"() <{constant, initial_value = dense<{{.*}}0x7FC00000{{.*}}> : tensor<2x2xf32>, sym_name = "weights", sym_visibility = "private"
  "memref.global"() {sym_name = "weights", sym_visibility = "private", type = memref<2x2xf32>, constant, initial_value = dense<[[1.0, -2.5], [0x7FC00000, 1.0e-5]]> : tensor<2x2xf32>} : () -> ()
  "func.func"() ({
  ^bb0(%x: tensor<?x4xf32>, %buffer: memref<4x?xf32, strided<[?, 1], offset: ?>>, %flag: i1):
    "test.attributes"() {map = #map, integer = -1 : i8, large = 18446744073709551615 : ui64, float = 1.5 : bf16, text = "quote \" and \0A", symbol = @f::@g, array = [1, "two", unit], nested = {key = true}, dense_array = array<i64: 1, 2>, type = vector<4x8xf32>, unit} : () -> ()
    // CHECK: dense<1> : tensor<3xi64>
    // CHECK: dense<[true, false]> : tensor<2xi1>
    %0 = "arith.constant"() {value = dense<1> : tensor<3xi64>} : () -> tensor<3xi64>
    %1 = "arith.constant"() {value = dense<[true, false]> : tensor<2xi1>} : () -> tensor<2xi1>
    %several:2 = "test.results"(%0) : (tensor<3xi64>) -> (i32, f32)
    "test.use"(%several#1, %several#0) : (f32, i32) -> ()
    "cf.cond_br"(%flag, %several#0)[^bb1, ^bb2] {operandSegmentSizes = array<i32: 1, 1, 0>} : (i1, i32) -> ()
  ^bb1(%forwarded: i32):
    "cf.br"()[^bb2] : () -> ()
  ^bb2:
    "func.return"() : () -> ()
  }) {sym_name = "f", function_type = (tensor<?x4xf32>, memref<4x?xf32, strided<[?, 1], offset: ?>>, i1) -> ()} : () -> ()
}) {module.attribute = 4 : i32} : () -> ()

// -----

// CHECK: // -----
// CHECK: dense_resource<blob> : tensor<2xf32>
// CHECK: blob: "0x400000000000803F00000040"
"builtin.module"() ({
  "func.func"() ({
    %0 = "arith.constant"() {value = dense_resource<blob> : tensor<2xf32>} : () -> tensor<2xf32>
    "func.return"() : () -> ()
  }) {sym_name = "f", function_type = () -> ()} : () -> ()
}) : () -> ()

{-#
  dialect_resources: {
    builtin: {
      blob: "0x040000000000803F00000040"
    }
  }
#-}
