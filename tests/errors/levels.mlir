// RUN: onnx-opt --mlir-print-op-generic %s --pass-pipeline=verify-level --verify-diagnostics

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: memref<4x4xf32>, %y: memref<?xf32>):
    %zero = "arith.constant"() {value = 0 : index} : () -> index
    %one = "arith.constant"() {value = 1 : index} : () -> index
    // expected-error@+1 {{'memref.load' op has a value of type memref<4x4xf32>, which is not legal at the low level}}
    %a = "memref.load"(%x, %zero, %zero) : (memref<4x4xf32>, index, index) -> f32
    "memref.store"(%a, %y, %zero) : (f32, memref<?xf32>, index) -> ()
    // expected-error@+1 {{'scf.for' op is not legal at the low level}}
    "scf.for"(%zero, %one, %one) ({
    ^bb0(%i: index):
      // expected-error@+1 {{'scf.yield' op is not legal at the low level}}
      "scf.yield"() : () -> ()
    }) : (index, index, index) -> ()
    "func.return"() : () -> ()
  }) {sym_name = "f", function_type = (memref<4x4xf32>, memref<?xf32>) -> ()} : () -> ()
}) : () -> ()
