// A multiplication that is rounded before the addition has the same result on processors without fused multiply-add.
// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline='round-products' | FileCheck %s

// CHECK: %[[PRODUCT:.*]] = "arith.mulf"(%arg0, %arg1)
// CHECK-NEXT: %[[SUM:.*]] = "arith.addf"(%[[PRODUCT]], %arg2)
// CHECK-NEXT: %[[OTHER:.*]] = "arith.mulf"(%arg3, %arg3)
// CHECK-NEXT: "arith.addf"(%[[OTHER]], %arg3) : (vector<4xf32>, vector<4xf32>) -> vector<4xf32>
// CHECK-NEXT: "func.return"(%[[SUM]])
// CHECK-NOT: fma
"func.func"() ({
^bb0(%a: f64, %b: f64, %c: f64, %v: vector<4xf32>):
  %0 = "math.fma"(%a, %b, %c) : (f64, f64, f64) -> f64
  %1 = "vector.fma"(%v, %v, %v) : (vector<4xf32>, vector<4xf32>, vector<4xf32>) -> vector<4xf32>
  "func.return"(%0) : (f64) -> ()
}) {sym_name = "f", function_type = (f64, f64, f64, vector<4xf32>) -> f64} : () -> ()
