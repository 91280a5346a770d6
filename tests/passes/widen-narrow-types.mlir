// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=widen-narrow-types --elide-constants | FileCheck %s

// CHECK: ^bb0(%{{.*}}: memref<?xi8>, %{{.*}}: index):
// CHECK: %[[BITS:.*]] = "memref.load"{{.*}} -> i8
// CHECK: %[[TABLE:.*]] = "memref.get_global"() <{name = @decode_f8E4M3FN}> : () -> memref<256xf32>
// CHECK: %[[WIDE:.*]] = "memref.load"(%[[TABLE]],
// CHECK: "arith.addf"(%[[WIDE]], %{{.*}}) : (f32, f32) -> f32
// CHECK: "memref.global"() {{.*}}sym_name = "decode_f8E4M3FN"
"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: memref<?xf8E4M3FN>, %i: index):
    %v = "memref.load"(%x, %i) : (memref<?xf8E4M3FN>, index) -> f8E4M3FN
    %s = "arith.addf"(%v, %v) : (f8E4M3FN, f8E4M3FN) -> f8E4M3FN
    "memref.store"(%s, %x, %i) : (f8E4M3FN, memref<?xf8E4M3FN>, index) -> ()
    "func.return"() : () -> ()
  }) {function_type = (memref<?xf8E4M3FN>, index) -> (), rt.kernel, sym_name = "kernel"} : () -> ()
}) : () -> ()
