// RUN: not onnx-opt --allow-unregistered-dialect --mlir-print-op-generic %s --pass-pipeline=check-accesses 2>&1 | FileCheck %s

// A failed check branches out of the function, which it cannot from a region that stays.
// CHECK: check-regions.mlir:{{.*}}: test.loop has a region, which branches cannot leave
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: memref<?xf32>, %status: memref<?xi64>, %count: index):
    "rt.bounds"(%x, %status, %count) {number = 1 : i64} : (memref<?xf32>, memref<?xi64>, index) -> ()
    "test.loop"() ({
      %a = "memref.load"(%x, %count) : (memref<?xf32>, index) -> f32
      "test.end"() : () -> ()
    }) : () -> ()
    "func.return"() : () -> ()
  }) {function_type = (memref<?xf32>, memref<?xi64>, index) -> (), rt.kernel, sym_name = "kernel", sym_visibility = "private"} : () -> ()
}) : () -> ()
