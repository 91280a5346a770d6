// RUN: onnx-opt --mlir-print-op-generic %s --split-input-file --verify-diagnostics

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%a: f32, %b: i32):
    // expected-error@+1 {{'arith.addf' op}}
    %sum = "arith.addf"(%a, %b) : (f32, i32) -> f32
    "func.return"(%sum) : (f32) -> ()
  }) {sym_name = "f", function_type = (f32, i32) -> f32} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%a: f32):
    // expected-error@+1 {{'arith.addi' op operand #0 must be an integer or index, or a vector or tensor of those, found f32}}
    %sum = "arith.addi"(%a, %a) : (f32, f32) -> f32
    "func.return"(%sum) : (f32) -> ()
  }) {sym_name = "f", function_type = (f32) -> f32} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%a: f32):
    // expected-error@+1 {{'arith.absent' op is not an operation of dialect}}
    %sum = "arith.absent"(%a) : (f32) -> f32
    "func.return"(%sum) : (f32) -> ()
  }) {sym_name = "f", function_type = (f32) -> f32} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%c: i1):
    "cf.cond_br"(%c)[^bb1, ^bb2] {operandSegmentSizes = array<i32: 1, 0, 0>} : (i1) -> ()
  ^bb1:
    %x = "arith.constant"() {value = 1.0 : f32} : () -> f32
    "cf.br"()[^bb2] : () -> ()
  ^bb2:
    // expected-error@+1 {{'func.return' op operand #0 is not defined before this use}}
    "func.return"(%x) : (f32) -> ()
  }) {sym_name = "f", function_type = (i1) -> f32} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<4xf32>, %y: tensor<5xf32>):
    // expected-error@+1 {{'linalg.generic' op loop d0 has 4 iterations by one operand and 5 by tensor<5xf32>}}
    %r = "linalg.generic"(%x, %y) ({
    ^bb0(%a: f32, %b: f32):
      "linalg.yield"(%a) : (f32) -> ()
    }) {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = [#linalg.iterator_type<parallel>], operandSegmentSizes = array<i32: 1, 1>} : (tensor<4xf32>, tensor<5xf32>) -> tensor<5xf32>
    "func.return"(%r) : (tensor<5xf32>) -> ()
  }) {sym_name = "f", function_type = (tensor<4xf32>, tensor<5xf32>) -> tensor<5xf32>} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
    "func.return"() : () -> ()
  }) {sym_name = "f", function_type = () -> ()} : () -> ()
  // expected-error@+1 {{'func.func' op redefines symbol @f}}
  "func.func"() ({
    // expected-error@+1 {{'func.call' op calls @g, which is not a function of the module}}
    "func.call"() {callee = @g} : () -> ()
    "func.return"() : () -> ()
  }) {sym_name = "f", function_type = () -> ()} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "memref.global"() {sym_name = "table", type = memref<4xf32>, initial_value} : () -> ()
  "func.func"() ({
    // expected-error@+1 {{'memref.get_global' op result must have the type of @table, found memref<?xf32>}}
    %table = "memref.get_global"() {name = @table} : () -> memref<?xf32>
    "func.return"() : () -> ()
  }) {sym_name = "f", function_type = () -> ()} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%c: i1, %x: f32):
    // expected-error@+1 {{'scf.if' op}}
    %r = "scf.if"(%c) ({
      "scf.yield"(%x) : (f32) -> ()
    }, {
      "scf.yield"() : () -> ()
    }) : (i1) -> f32
    "func.return"(%r) : (f32) -> ()
  }) {sym_name = "f", function_type = (i1, f32) -> f32} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<1xf32>):
    // expected-error@+1 {{'onnx.Relu' op}}
    %r = "onnx.Relu"(%x, %x) : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
    "func.return"(%r) : (tensor<1xf32>) -> ()
  }) {sym_name = "f", function_type = (tensor<1xf32>) -> tensor<1xf32>} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<?xf32>):
    // expected-error@+1 {{calls 'no_such', which is not a routine of the runtime}}
    %r = "rt.call"(%x) {routine = "no_such", kinds = array<i64: 1, 7>} : (tensor<?xf32>) -> tensor<1x?xi64>
    "func.return"(%r) : (tensor<1x?xi64>) -> ()
  }) {sym_name = "f", function_type = (tensor<?xf32>) -> tensor<1x?xi64>} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%x: tensor<?xf32>):
    // expected-error@+1 {{needs the kinds of 2 tensors, found 1}}
    %r = "rt.call"(%x) {routine = "non_zero", kinds = array<i64: 1>} : (tensor<?xf32>) -> tensor<1x?xi64>
    "func.return"(%r) : (tensor<1x?xi64>) -> ()
  }) {sym_name = "f", function_type = (tensor<?xf32>) -> tensor<1x?xi64>} : () -> ()
}) : () -> ()

// -----

"builtin.module"() ({
  "func.func"() ({
  ^bb0(%all: tensor<?x3xf32>, %one: tensor<3xf32>):
    // expected-error@+1 {{the extended tensor is read elsewhere, too}}
    %r = "rt.append"(%all, %one) : (tensor<?x3xf32>, tensor<3xf32>) -> tensor<?x3xf32>
    "func.return"(%all, %r) : (tensor<?x3xf32>, tensor<?x3xf32>) -> ()
  }) {sym_name = "f", function_type = (tensor<?x3xf32>, tensor<3xf32>) -> (tensor<?x3xf32>, tensor<?x3xf32>)} : () -> ()
}) : () -> ()

// -----

func.func @f(%x: tensor<4xf32>, %y: tensor<4x3xf32>) -> tensor<4xf32> {
  %0 = tensor.empty() : tensor<4xf32>
  // expected-error@+1 {{'linalg.generic' op loop d1 is parallel, but the map of no output depends on it}}
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "parallel"]} ins(%y : tensor<4x3xf32>) outs(%0 : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @f(%x: tensor<8xf32>) -> tensor<4xf32> {
  %0 = tensor.empty() : tensor<4xf32>
  // expected-error@+1 {{'linalg.generic' op indexing map #0 reaches 8 in dimension 0 of tensor<8xf32>}}
  %1 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0 + 5)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%0 : tensor<4xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<4xf32>
  return %1 : tensor<4xf32>
}
